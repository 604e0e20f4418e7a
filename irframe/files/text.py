"""Text files: split lines into columns and report bad ones."""

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from irframe.errors import FileFormatError, IdError, RankingError
from irframe.files.comments import holds_rows, with_notes, without_comments
from irframe.files.ids import TEXT
from irframe.files.kinds import UNREAD, Kind, in_types
from irframe.files.likeness import third_column
from irframe.files.sources import LINE, refuse_wide
from irframe.files.values import (
    ERRORS,
    SCALED,
    TYPES,
    numbers_of_text,
    says_infinite,
    scaling,
    wanted_of,
)
from irframe.names import DOC, GRADE, RANK, SCORE, STRATUM, TOPIC, counted, roles

BLOCK = LINE
"""Bytes that one task parses; a line is shorter."""
LATE = 2
"""The highest rank that lists begin with."""
ANY = " "
"""What stands between columns that any blanks separate."""
MEND = "mend these lines, or check that this is the file you meant"

_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_FIRST = re.compile(rb"(?:\A|[\r\n])[ \t\v\f]*([^#\s][^\r\n]*)")
_MARKED = re.compile(rb"(?:\A|[\r\n])[ \t\v\f]*(#[^#\s]+[ \t][^\r\n]*)")
_POINT = re.compile(rb"\.[0-9]*[ \t\v\f]*(?:[\r\n]|\Z)")
"""The end of a line whose last number has a decimal point."""
_NO_ROW = [*b"\n# \t\v\f"]
"""How begin lines that may be no rows."""


class Cut(NamedTuple):
    """A way to cut lines into columns."""

    columns: tuple[str, ...]
    between: str
    """A tab, a comma or the like, or `ANY`."""
    header: tuple[str, ...] = ()
    """The first line, where it names the columns."""
    start: int = 0
    """Where rows begin."""

    @property
    def quoted(self) -> bool:
        """Whether fields may be quoted.

        Programs that write a header also quote fields.
        """
        return self.between != ANY and (bool(self.header) or self.between != "\t")


class Strange(NamedTuple):
    """Rows that hold invalid values of a role."""

    role: str
    rows: NDArray[np.intp]
    values: list[str]


def fields_of(line: str, between: str = ANY) -> list[str]:
    """Return the columns of a line.

    Examples
    --------
    >>> fields_of("1 0  d7 2"), fields_of("1,a b", ",")
    (['1', '0', 'd7', '2'], ['1', 'a b'])
    """
    if between == ANY:
        return [field for field in re.split("[ \t\v\f]+", line) if field]
    try:
        return next(csv.reader([line], delimiter=between), [])
    except csv.Error:  # of a long field
        return [line]


def cuts_of(data: bytes, kind: Kind, source: str = "the file") -> list[Cut]:
    """Return the ways to split lines that fit the first."""
    data = data.removeprefix(BOM_UTF8)
    first = _FIRST.search(data) or _MARKED.search(data)
    if first is None:
        return []
    line = first[1].decode(errors="replace")
    ways = [between for between in ("\t", ANY, ",", ";") if between == ANY or between in line]
    if kind.between:
        ways = [kind.between]
    elif b"\f" in data or b"\v" in data:  # which are blanks, and no part of an id
        ways = [ANY]
    headed = []
    for between in ways:
        names = fields_of(line, between)
        columns = kind.named(names)
        if columns:
            headed.append(Cut(columns, between, tuple(names), first.end(1)))
    if headed:
        refuse_wide(source, len(headed[0].columns))
        return headed
    if kind.called:  # by names, which are told by a header alone
        header = max((fields_of(line, way) for way in ways), key=len)
        kind.require(header, source)
    cuts = []
    for between in ways:
        number = len(line.split("\t") if between == "\t" else fields_of(line, between))
        cuts += [Cut(columns, between) for columns in kind.layouts_of(number)]
    cuts = cuts or [Cut(kind.layouts[0], kind.between or ANY)]
    refuse_wide(source, max(len(way.columns) for way in cuts))
    above = data[: first.start(1)]
    return [
        c if holds_rows(_separated(above), c.columns) else c._replace(start=first.start(1))
        for c in cuts
    ]


def parse(data: bytes, source: str, kind: Kind, cut: Cut | None = None) -> pa.Table:
    """Read a text file as a table.

    Parameters
    ----------
    data
        The file: columns between tabs, if all lines have one number of these that fits, else
        between blanks of any kind; or a table with a header, with tabs or commas, and quotes. Empty
        lines and comments do not count. A comment begins with ``#`` and does not fit the columns,
        see `irframe.files.comments`.
    source
        Its name, for messages.
    kind
        What it should be.
    cut
        How lines before these were cut; these must fit exactly.

    Returns
    -------
    pyarrow.Table
        Rows in file order. Ids are text as written. What the file says of itself is metadata.
    """
    data = data.removeprefix(BOM_UTF8)
    if cut is not None:
        table = _exactly(data, cut)
        if table is None:
            raise FileFormatError(kind.expected, f"{source} with lines that do not fit")
        return _noted(table, data, source, kind, cut, 0)
    cuts, strange = cuts_of(data, kind, source), list[tuple[Cut, Strange]]()
    if not cuts:
        raise FileFormatError(kind.expected, f"{source} without a single row")
    for way in cuts:
        found, longest = _cut_rows(data[way.start :], way, kind)
        if isinstance(found, Strange):
            strange.append((way, found))
        elif found is not None and not _is_doubtful(data, way, found, longest, kind):
            unnamed = kind.headed and not way.header and {RANK, SCORE} & {*way.columns} == {RANK}
            if unnamed and (_POINT.search(data) or _third_column(found, source) == SCORE):
                continue
            return _noted(found, data, source, kind, way, longest)
    if strange:
        _refuse_values(data, source, *strange[0])
    offenders, advice = faults(data, cuts[0], kind), MEND
    found = f"{source} with lines that do not fit"
    if not offenders:
        found = f"{source} whose lines fit in two ways, as blanks may be a part of names, or none"
        advice = (
            f"separate columns by tabs, or say what they are: {kind.reader}(path, columns=[...])"
        )
    raise FileFormatError(kind.expected, found, advice, offenders)


def _third_column(table: pa.Table, source: str) -> str:
    topic = table[TOPIC].combine_chunks().dictionary_encode().indices.to_numpy()
    return third_column(topic, table[RANK].to_numpy(), source)


def _noted(
    table: pa.Table, data: bytes, source: str, kind: Kind, cut: Cut, longest: int
) -> pa.Table:
    """Return a table with its roles first and file notices."""
    if not table.num_rows:
        raise FileFormatError(kind.expected, f"{source} without a row below its header")
    if cut.header:
        names = dict(zip(cut.columns, cut.header, strict=True))
        called = table.rename_columns([names[name] for name in table.column_names])
        return with_notes(in_types(called, source, kind), data, source, "", ())
    named = [role for role in kind.roles if role in table.column_names]
    others = (name for name in table.column_names if name not in named)
    surplus = [n for n, name in enumerate(cut.columns, 1) if name.startswith(f"{UNREAD} ")]
    surplus += [longest + 1] if longest else []
    uneven = _uneven(data[cut.start :], cut, longest, source) if longest else ""
    if surplus and not uneven:
        text = f"column {surplus[0]} of {source}, and what follows it, is passed over"
        uneven = f"{text}, as by trec_eval: if names hold blanks, separate columns by tabs"
    return with_notes(table.select([*named, *others]), data, source, uneven, surplus)


def _exactly(body: bytes, cut: Cut) -> pa.Table | None:
    """Read rows that all fit; return None otherwise."""
    if cut.between != ANY:
        return _typed(_without_comments(body, cut), cut.columns, cut.between, cut.quoted)
    if one := _one_blank(body):
        table = _typed(body, cut.columns, one)
        if table is not None or not _is_padded(body, one, len(cut.columns)):
            return table
    return _typed(without_comments(_separated(body), cut.columns) + b"\n", cut.columns, "\t")


def _one_blank(body: bytes) -> str:
    """Return the only blank between columns, if there is one."""
    used = [blank for blank in " \t\v\f" if blank.encode() in body]
    return used[0] if b"#" not in body and used in ([" "], ["\t"]) else ""


def _is_padded(body: bytes, one: str, columns: int) -> bool:
    """Tell whether some columns are separated by several blanks."""
    lines = body.count(b"\n") + (not body.endswith(b"\n"))
    return body.count(one.encode()) != lines * (columns - 1)


def _without_comments(lines: bytes, cut: Cut) -> bytes:
    """Return lines without comments, also for quoted tables."""
    if not cut.quoted:
        return without_comments(lines, cut.columns)
    alone = rb"^#[^\n" + re.escape(cut.between.encode()) + rb"]*$"
    return re.sub(alone, b"", lines, flags=re.MULTILINE) if b"#" in lines else lines


def _cut_rows(body: bytes, cut: Cut, kind: Kind) -> tuple[pa.Table | Strange | None, int]:
    """Read rows, of runs without what follows the last column.

    Returns
    -------
    table, longest
        The rows; which of them hold what is no id or number; or None where not all have the same
        columns. Of those that were cut off, how many columns the first had.
    """
    table = _exactly(body, cut)
    if table is not None:
        return table, 0
    between = cut.between
    if between == ANY:
        one = _one_blank(body)
        plain = one and not _is_padded(body, one, len(cut.columns))
        found = _by_value(body, cut.columns, one) if plain else None
        if found is not None and not (isinstance(found, Strange) and "" in found.values):
            return found, 0
        body, between = _separated(body), "\t"
    lines = _without_comments(body, cut) + b"\n"
    found = _by_value(lines, cut.columns, between, quoted=cut.quoted)
    layout = kind.layouts[0] if kind.layouts else ()
    if found is not None or not kind.surplus or cut.header or len(cut.columns) < len(layout):
        return found, 0
    kept = rb"^((?:[^\t\n]+\t){%d}[^\t\r\n]+)\t[^\n]*" % (len(layout) - 1)
    lines = without_comments(re.sub(kept, rb"\1", body, flags=re.MULTILINE), layout) + b"\n"
    table = _typed(lines, layout, between)
    return (table if table is not None else _by_value(lines, layout, between)), len(cut.columns)


def _is_doubtful(data: bytes, cut: Cut, table: pa.Table, longest: int, kind: Kind) -> bool:
    """Tell whether blanks may be part of ids.

    They are no part of these where lines have the columns of a layout, and not more. Strata are
    believed where something was not judged, or all are of several documents.
    """
    body = data[cut.start :]
    if cut.between != ANY or cut.header or kind.between or not kind.headed:
        return False
    if STRATUM in table.column_names and not pc.any(pc.less(table[GRADE], 0)).as_py():
        return bool(pc.min(pc.value_counts(table[STRATUM]).field(1)).as_py() < 2)
    more = longest or any(name.startswith(f"{UNREAD} ") for name in cut.columns)
    return bool(more and b"\t" in body and b" " in body)


def _typed(
    text: bytes,
    columns: tuple[str, ...],
    between: str,
    quoted: bool = False,  # noqa: FBT001, FBT002
) -> pa.Table | None:
    """Read typed rows; return None if a value is invalid."""
    types = {name: TYPES.get(name, TEXT) for name in columns if name.split()[:1] != [UNREAD]}
    read = partial(_read, text, columns, between, quoted=quoted)
    try:
        table = read(types)
    except pa.ArrowInvalid:
        return None
    for name, column in zip(table.column_names, table.itercolumns(), strict=True):
        bad: Any = False
        if pa.types.is_floating(column.type):
            bad = pc.any(pc.is_nan(column)).as_py() or _is_large(column)
            if not bad and pc.any(infinite := pc.is_inf(column)).as_py():
                written = pc.unique(read({name: TEXT})[name].filter(infinite))
                bad = not all(map(says_infinite, written.to_pylist()))
        elif pa.types.is_large_string(column.type) and name in TYPES:
            bad = pc.any(pc.equal(pc.binary_length(column), 0)).as_py()
        if bad:
            return None
    return table


def _is_large(column: pa.ChunkedArray) -> bool:
    """Tell whether whole numbers may have become equal as floats."""
    finite = column.filter(pc.is_finite(column))
    ends = pc.min_max(finite).as_py()
    return len(finite) > 0 and max(-ends["min"], ends["max"]) >= 2.0**53


def _by_value(
    text: bytes, columns: tuple[str, ...], between: str, *, quoted: bool = False
) -> pa.Table | Strange | None:
    """Read rows as text, then convert numbers."""
    names = [name for name in columns if name.split()[:1] != [UNREAD]]
    try:
        table = _read(text, columns, between, dict.fromkeys(names, TEXT), quoted=quoted)
    except pa.ArrowInvalid:
        return None
    made = {}
    for name in names:
        column = table[name]
        if name not in TYPES:
            made[name] = column
            continue
        if TYPES[name] == TEXT:
            strange = np.flatnonzero(pc.equal(pc.binary_length(column), 0).to_numpy())
        else:
            values, strange = numbers_of_text(column, name)
            column_of, missing = _as_type(values, name, ranked=SCORE in names)
            if not len(strange):
                column, strange = column_of, missing
        if len(strange):
            values_of = table[name].take(pa.array(strange)).to_pylist()
            return Strange(name, strange, values_of)
        made[name] = column
    return pa.table(made)


def _as_type(
    values: NDArray[np.float64], role: str, *, ranked: bool
) -> tuple[pa.ChunkedArray, NDArray[np.intp]]:
    """Return numbers in their role's type, and the invalid rows."""
    missing = np.isnan(values)
    is_integer = TYPES[role] == pa.int64()
    if is_integer:
        with np.errstate(invalid="ignore"):
            strange = ~missing & ((values != np.round(values)) | (np.abs(values) >= 2.0**63))
        if not (ranked and role == RANK):
            strange |= missing
    else:
        strange = missing
    if not strange.any() and is_integer and not missing.any():
        values = values.astype(np.int64)
    return pa.chunked_array([pa.array(values)]), np.flatnonzero(strange)


def _read(
    text: bytes,
    columns: tuple[str, ...],
    between: str,
    types: dict[str, pa.DataType],
    *,
    quoted: bool,
) -> pa.Table:
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        read_options=pyarrow.csv.ReadOptions(
            column_names=columns, block_size=BLOCK, use_threads=len(text) > BLOCK
        ),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=between, quote_char='"' if quoted else False, newlines_in_values=quoted
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=[]
        ),
    )


def _separated(body: bytes) -> bytes:
    """Normalise separators: one tab between columns, line feeds between lines."""
    body = body.translate(bytes.maketrans(b" \v\f\r", b"\t\t\t\n"))
    while b"\t\t" in body:
        body = body.replace(b"\t\t", b"\t")
    return body.replace(b"\n\t", b"\n").replace(b"\t\n", b"\n").strip(b"\t\n")


def _uneven(body: bytes, cut: Cut, number: int, source: str) -> str:
    """Return a notice if rows differ in their columns."""
    rows = (line.split(None if cut.between == ANY else b"\t") for line in body.splitlines())
    numbers = {len(row) for row in rows if row and not row[0].startswith(b"#")} | {number}
    text = f"rows of {source} have from {min(numbers)} to {max(numbers)} columns; what follows the"
    return f"{text} sixth is passed over, as by trec_eval" if len(numbers) > 1 else ""


def _refuse_values(data: bytes, source: str, cut: Cut, found: Strange) -> NoReturn:
    """Raise for lines with invalid values."""
    role, rows, values = found
    missing = [value.strip().lower() in {"", "nan"} for value in values]
    error, expected = ERRORS.get(role, IdError), wanted_of(role, role)
    if role == SCORE and all(missing):
        error, expected = RankingError, f"a {role} in every row"
    elif TYPES[role] == TEXT:
        expected = f"a {role} in every row"
    lines = _lines_of(data, cut, rows[:5].tolist())
    headers = [{TOPIC, DOC} <= roles(fields_of(text, cut.between)).keys() for _, text in lines]
    offenders = [
        f"{line} is a header" if header else f"{line} has the {role} {value!r}"
        for (line, _), header, value in zip(lines, headers, values, strict=False)
    ]
    offenders += [""] * (len(rows) - len(offenders))
    advice = scaling(values, role).partition(SCALED)[0] if role == GRADE else ""
    raise error(expected, f"in {source}", advice or MEND, offenders)


def _lines_of(data: bytes, cut: Cut, rows: Sequence[int]) -> list[tuple[str, str]]:
    """Return the line numbers and texts of some rows."""
    start = cut.start + bool(cut.header)
    body, first = data[start:], 1 + data.count(b"\n", 0, start)
    at = np.frombuffer(body, np.uint8)
    ends = np.append(np.flatnonzero(at == ord("\n")), len(body))
    begins = np.append(0, ends[:-1] + 1)
    if b"\r" not in body and not np.isin(at[begins[begins < len(body)]], _NO_ROW).any():
        lines = [(first + row, body[begins[row] : ends[row]]) for row in rows]
        return [(f"line {number}", line.decode(errors="replace")) for number, line in lines]
    places, expected = [], iter(rows)
    row = next(expected, None)
    for place, (number, line) in enumerate(_numbered(data, cut)):
        if row is None:
            break
        if place == row:
            places.append((f"line {number}", line.decode(errors="replace")))
            row = next(expected, None)
    return places


def _numbered(data: bytes, cut: Cut) -> Iterator[tuple[int, bytes]]:
    """Yield the rows of a file with their line numbers."""
    for number, line in enumerate(_LINE.finditer(data), 1):
        if line.end(1) > cut.start and line[1].strip(b" \t\v\f"):
            marked = line[1].lstrip(b" \t\v\f").startswith(b"#")
            if not marked or holds_rows(_separated(line[1]), cut.columns):
                yield number, line[1]


def faults(data: bytes, cut: Cut, kind: Kind) -> list[str]:
    r"""Say which lines have other columns than there should be.

    Examples
    --------
    >>> from irframe.files.kinds import QRELS
    >>> data = b"1 0 d7 2\n1 0 d8\n"
    >>> faults(data, cuts_of(data, QRELS)[0], QRELS)
    ['line 2 has 3 columns, not 4']
    """
    expected = len(cut.columns)
    more = kind.surplus and not cut.header and expected >= len(kind.layouts[0])
    between = None if cut.between == ANY else cut.between.encode()
    found = []
    for number, line in _numbered(data, cut):
        n_fields = len(line.split(between))
        if n_fields < expected or (n_fields > expected and not more):
            found.append(_fault(number, line, cut, n_fields))
    if not found:
        odd = ((number, line) for number, line in _numbered(data, cut) if not _is_text(line))
        found = [f"line {number} is not UTF-8 text" for number, _ in odd]
    return found


def _fault(number: int, line: bytes, cut: Cut, n_fields: int) -> str:
    """Describe a line whose columns do not fit."""
    if not _is_text(line):
        return f"line {number} is not UTF-8 text"
    if {TOPIC, DOC} <= roles(fields_of(line.decode(), cut.between)).keys():
        return f"line {number} is a header"
    return f"line {number} has {counted(n_fields, 'column')}, not {len(cut.columns)}"


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
