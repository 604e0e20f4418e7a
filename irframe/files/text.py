"""Text files: split lines into columns, and report invalid lines."""

import re
from codecs import BOM_UTF8
from typing import NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from irframe.errors import FileFormatError, IdError, RankingError
from irframe.files.lines import (
    ANY,
    Cut,
    faults,
    fields_of,
    is_row,
    lines_of,
    may_be_longer,
    rows_of,
    separated,
    with_notes,
)
from irframe.files.sources import LINE, refuse_wide
from irframe.frames.ids import TEXT, Codes, beginnings, grouped
from irframe.frames.kinds import UNREAD, Kind, in_types
from irframe.frames.values import (
    ERRORS,
    SCALED,
    TYPES,
    expected_values,
    numbers_of_text,
    scaling,
    spells_infinity,
)
from irframe.names import DOC, GRADE, RANK, SCORE, STRATUM, TOPIC, roles

BLOCK = LINE
"""Number of bytes that a thread parses at a time. Lines cannot be longer than a block."""
MEND = "mend these lines, or check that this is the file you meant"

_FIRST = re.compile(rb"(?:\A|[\r\n])[ \t\v\f]*([^#\s][^\r\n]*)")
"""The pattern of the first line that is not empty and does not begin with #."""
_MARKED = re.compile(rb"(?:\A|[\r\n])[ \t\v\f]*(#[^#\s]+[ \t][^\r\n]*)")
"""The pattern of the first line that begins with #, directly followed by an id."""
_POINT = re.compile(rb"\.[0-9]*[ \t\v\f]*(?:[\r\n]|\Z)")
"""The pattern of the end of a line whose last field has a decimal point."""


class Strange(NamedTuple):
    """The role of a column, and its invalid rows."""

    role: str
    rows: NDArray[np.intp]
    values: list[str]


def cuts_of(data: bytes, kind: Kind, source: str = "the file") -> list[Cut]:
    """Return the ways to split the first row into columns."""
    data = data.removeprefix(BOM_UTF8)
    first = _FIRST.search(data) or _MARKED.search(data)
    if first is None:
        return []
    line = first[1].decode(errors="replace")
    # tabs are tried before other whitespace, because ids and tags may contain spaces
    separators = [between for between in ("\t", ANY, ",", ";") if between == ANY or between in line]
    if kind.between:
        separators = [kind.between]
    # a vertical tab or form feed is whitespace, so in such a file a tab is whitespace too
    elif b"\f" in data or b"\v" in data:
        separators = [ANY]
    headed = []
    for between in separators:
        names = fields_of(line, between)
        columns = kind.named(names)
        if columns:
            headed.append(Cut(columns, between, tuple(names), first.end(1)))
    if headed:
        refuse_wide(source, len(headed[0].columns))
        return headed
    if kind.called:  # the caller mapped names of columns to roles, so the file must have a header
        header = max((fields_of(line, separator) for separator in separators), key=len)
        kind.require(header, source)
    cuts = []
    for between in separators:
        # without a header, quotes in tab-separated lines are part of ids
        number = len(line.split("\t") if between == "\t" else fields_of(line, between))
        cuts += [Cut(columns, between) for columns in kind.layouts_of(number)]
    cuts = cuts or [Cut(kind.layouts[0], kind.between or ANY)]
    refuse_wide(source, max(len(cut.columns) for cut in cuts))
    above = data[: first.start(1)]
    # lines above the first row are comments, unless a line that begins with # is a row
    return [cut if is_row(above, cut) else cut._replace(start=first.start(1)) for cut in cuts]


def parse(data: bytes, source: str, kind: Kind, cut: Cut | None = None) -> pa.Table:
    """Read a text file as a table.

    Columns are separated by tabs if all lines have the same number of tabs, and otherwise by
    whitespace. In tables with a header, columns may also be separated by commas or semicolons, and
    fields may be quoted. Empty lines and comments are skipped. A comment begins with ``#`` and does
    not fit the columns. For a later piece of a file, pass `cut`. All lines of the piece must then
    fit this cut.

    Ids are text as in the file. Warnings about the file are stored in the metadata of the table.
    """
    data = data.removeprefix(BOM_UTF8)
    if cut is not None:
        table = _exactly(data, cut)
        if table is None:
            raise FileFormatError(kind.expected, f"{source} with lines that do not fit")
        return _noted(table, data, source, kind, cut, 0)
    cuts = cuts_of(data, kind, source)
    strange = list[tuple[Cut, Strange]]()
    doubtful = False
    if not cuts:
        raise FileFormatError(kind.expected, f"no rows in {source}")
    for candidate in cuts:
        result, longest = _cut_rows(data[candidate.start :], candidate, kind)
        if isinstance(result, Strange):
            strange.append((candidate, result))
        elif result is not None and _is_doubtful(data, candidate, result, longest, kind):
            doubtful = True
        elif result is not None and not _are_scores(result, data, candidate, kind, source):
            return _noted(result, data, source, kind, candidate, longest)
    if not cuts[0].header:
        _refuse_header(data, source, kind)
    if strange:
        _refuse_values(data, source, *strange[0])
    raise _error_of_lines(data, source, cuts[0], kind, doubtful=doubtful)


def _are_scores(table: pa.Table, data: bytes, cut: Cut, kind: Kind, source: str) -> bool:
    """Return whether a third column, read as ranks, contains scores."""
    unnamed = kind.headed and not cut.header and {RANK, SCORE} & {*cut.columns} == {RANK}
    # a decimal point at the end of a line shows that an unnamed column contains scores
    if not unnamed or _POINT.search(data):
        return unnamed
    topic = table[TOPIC].combine_chunks().dictionary_encode().indices.to_numpy()
    return _third_column(topic, table[RANK].to_numpy(), source) == SCORE


def _third_column(topic: Codes, numbers: Codes, source: str) -> str:
    """Return whether the third column contains ranks or scores.

    Parameters
    ----------
    topic, numbers
        The topic and the number of each row, in the order of the file.
    source
        The name of the file, for messages.

    Raises
    ------
    RankingError
        If the numbers may be ranks or scores.

    Examples
    --------
    >>> _third_column(np.array([0, 0, 1]), np.array([1, 2, 1]), "the file")
    'rank'
    """
    order = grouped(topic)
    topic = topic[order]
    numbers = numbers[order]
    inside = topic[1:] == topic[:-1]
    falls = (numbers[1:] < numbers[:-1])[inside]
    if not falls.any() and _counts_up(topic, numbers):
        return RANK
    # Ranks may be in any order within a topic. If all numbers fall, as in 3, 2, 1, they may be
    # ranks in reverse order or scores.
    counts_up = falls.any() and _counts_up(topic, numbers[np.lexsort((numbers, topic))])
    if counts_up and not falls.all():
        return RANK
    if (falls.any() or (numbers < 0).any()) and not counts_up:
        return SCORE
    expected = f"a third column of ranks 1, 2, ... or of scores that fall, in {source}"
    ways = [f"ir.read_run(path, columns={[TOPIC, DOC, role]})" for role in (SCORE, RANK)]
    advice = f"name the columns: {' or '.join(ways)}"
    raise RankingError(expected, "whole numbers that may be ranks or scores", advice)


def _counts_up(topic: Codes, numbers: Codes) -> bool:
    """Return whether lists are numbered from 1 or 0."""
    first = beginnings(topic)
    pos = np.arange(len(topic)) - np.repeat(first, np.diff(first, append=len(topic)))
    start = numbers[:1]  # a slice of the first row is also valid for a file without rows
    return {*start.tolist()} <= {0, 1} and bool((numbers - pos == start).all())


def _refuse_header(data: bytes, source: str, kind: Kind) -> None:
    """Raise for a header that lacks required columns.

    The first line counts as a header if none of its fields begins like a number, and some column
    below it contains only numbers.
    """
    first = _FIRST.search(data)
    if not kind.headed or first is None:
        return
    line = first[1].decode(errors="replace")
    between = max(("\t", ANY, ",", ";"), key=lambda separator: len(fields_of(line, separator)))
    names = fields_of(line, between)
    if len({*names}) < len(names) or not all(re.search("^[^0-9.+-]", name) for name in names):
        return
    rows = data[first.end(1) :]
    header = Cut((*names,), between, (*names,)).alone()
    try:
        rows = (separated(rows) if between == ANY else rows.strip()) + b"\n"
        table = _parse_rows(rows, header, {})
    except pa.ArrowInvalid:
        return
    if any(pa.types.is_integer(t) or pa.types.is_floating(t) for t in table.schema.types):
        # `in_types` raises an error that names the missing columns
        in_types(table, source, kind)


def _error_of_lines(
    data: bytes, source: str, cut: Cut, kind: Kind, *, doubtful: bool
) -> FileFormatError:
    """Return the error about lines that do not fit."""
    offenders = faults(data, cut, kind)
    got = f"{source} with lines that do not fit"
    advice = MEND
    if not offenders:
        got = f"{source} with quotes or separators that do not fit"
        advice = "mend the quotes, or name the separator with sep="
    if doubtful and not offenders:
        got = f"{source}, whose blanks may separate columns or belong to names"
        advice = f"separate columns by tabs, or name them: {kind.reader}(path, columns=[...])"
    return FileFormatError(kind.expected, got, advice, offenders)


def _noted(
    table: pa.Table, data: bytes, source: str, kind: Kind, cut: Cut, longest: int
) -> pa.Table:
    """Order the columns of a table, and store warnings."""
    if not table.num_rows:
        raise FileFormatError(kind.expected, f"no rows below the header of {source}")
    surplus = [n for n, name in enumerate(cut.columns, 1) if name.startswith(f"{UNREAD} ")]
    surplus += [longest + 1] if longest else []
    uneven = _uneven(data[cut.start :], cut, longest, source) if longest else ""
    if surplus and not uneven:
        text = f"column {surplus[0]} and later columns of {source} are ignored, as in trec_eval"
        uneven = f"{text}; if names contain blanks, separate columns by tabs"
    if cut.header:
        names = dict(zip(cut.columns, cut.header, strict=True))
        called = table.rename_columns([names[name] for name in table.column_names])
        return with_notes(in_types(called, source, kind), data, source, uneven, surplus)
    named = [role for role in kind.roles if role in table.column_names]
    further = (name for name in table.column_names if name not in named)
    return with_notes(table.select([*named, *further]), data, source, uneven, surplus)


def _exactly(body: bytes, cut: Cut) -> pa.Table | None:
    """Read rows; return None if a row does not fit."""
    if cut.between != ANY:
        return _typed(rows_of(body, cut), cut)
    # Lines of most files have neither comments nor padding. Parsing them unchanged is fast.
    if blank := _one_blank(body):
        table = _typed(body, cut.alone(blank))
        if table is not None or not _is_padded(body, blank, len(cut.columns)):
            return table
    return _typed(rows_of(separated(body), cut) + b"\n", cut.alone())


def _one_blank(body: bytes) -> str:
    """Return the whitespace delimiter if lines use only one.

    The result is empty if lines contain several kinds of whitespace, or ``#``.
    """
    used = [blank for blank in " \t\v\f" if blank.encode() in body]
    return used[0] if b"#" not in body and used in ([" "], ["\t"]) else ""


def _is_padded(body: bytes, blank: str, columns: int) -> bool:
    """Return whether columns are separated by several whitespace characters."""
    lines = body.count(b"\n") + (not body.endswith(b"\n"))
    return body.count(blank.encode()) != lines * (columns - 1)


def _cut_rows(body: bytes, cut: Cut, kind: Kind) -> tuple[pa.Table | Strange | None, int]:
    """Read rows; skip surplus columns of runs.

    Returns
    -------
    table, longest
        `table` contains the rows, or describes the rows with invalid values. `table` is None if
        rows differ in their number of columns. `longest` is the number of columns of the first row
        if surplus columns were skipped, and 0 otherwise.
    """
    table = _exactly(body, cut)
    if table is not None:
        return table, 0
    if cut.between == ANY:
        blank = _one_blank(body)
        plain = blank and not _is_padded(body, blank, len(cut.columns))
        result = _by_value(body, cut.alone(blank)) if plain else None
        # empty values may be due to blanks around a line, which `separated` removes
        if result is not None and not (isinstance(result, Strange) and "" in result.values):
            return result, 0
        body = separated(body)
    is_quoted = cut.quoted and b'"' in body
    if not is_quoted:  # Arrow would read a line of blanks as a row
        body = re.sub(rb"^[ \t\v\f]+$", b"", body, flags=re.MULTILINE)
    lines = rows_of(body, cut) + b"\n"
    result = _by_value(lines, cut.alone())
    if result is not None or is_quoted or not may_be_longer(cut, kind):
        return result, 0
    # surplus columns are cut off, because Arrow requires the same number of columns in all lines
    shorter = cut if cut.header else cut._replace(columns=kind.layouts[0])
    tab = re.escape(cut.separator.encode())
    fields = tab.join([rb"[^\r\n" + tab + rb"]+"] * len(shorter.columns))
    body = re.sub(rb"^(" + fields + rb")" + tab + rb"[^\n]*", rb"\1", body, flags=re.MULTILINE)
    lines = rows_of(body, shorter) + b"\n"
    table = _typed(lines, shorter.alone())
    return (_by_value(lines, shorter.alone()) if table is None else table), len(cut.columns)


def _is_doubtful(data: bytes, cut: Cut, table: pa.Table, longest: int, kind: Kind) -> bool:
    """Return whether whitespace may be part of ids.

    Whitespace separates columns if all lines have exactly the columns of a layout. Judgments with
    strata must also contain unjudged documents, or at least two documents in every stratum. If
    neither holds, the column that looks like strata may be a part of the document id.
    """
    body = data[cut.start :]
    if cut.between != ANY or cut.header or kind.between or not kind.headed:
        return False
    if STRATUM in table.column_names and not pc.any(pc.less(table[GRADE], 0)).as_py():
        return bool(pc.min(pc.value_counts(table[STRATUM]).field(1)).as_py() < 2)
    has_surplus = longest or any(name.startswith(f"{UNREAD} ") for name in cut.columns)
    return bool(has_surplus and b"\t" in body and b" " in body)


def _typed(text: bytes, cut: Cut) -> pa.Table | None:
    """Read typed columns; return None if a value is invalid."""
    try:
        table = _parse_rows(text, cut, {name: TYPES.get(name, TEXT) for name in cut.names})
    except pa.ArrowInvalid:
        return None
    for name, column in zip(table.column_names, table.itercolumns(), strict=True):
        # Arrow accepts nan, and rounds long integers. `_by_value` finds the rows with such values.
        bad = False
        if pa.types.is_floating(column.type):
            bad = pc.any(pc.is_nan(column)).as_py() or _is_large(column)
            # Arrow reads 1e400 as infinity, so infinite values are read again as text
            if not bad and pc.any(infinite := pc.is_inf(column)).as_py():
                written = pc.unique(_parse_rows(text, cut, {name: TEXT})[name].filter(infinite))
                bad = not all(map(spells_infinity, written.to_pylist()))
        elif pa.types.is_large_string(column.type) and name in TYPES:
            bad = pc.any(pc.equal(pc.binary_length(column), 0)).as_py()
        if bad:
            return None
    return table


def _is_large(column: pa.ChunkedArray) -> bool:
    """Return whether floats may have rounded integers."""
    finite = column.filter(pc.is_finite(column))
    ends = pc.min_max(finite).as_py()
    return len(finite) > 0 and max(-ends["min"], ends["max"]) >= 2.0**53


def _by_value(text: bytes, cut: Cut) -> pa.Table | Strange | None:
    """Read columns as text, then convert numbers.

    If a column contains invalid values, the result describes the rows with these values. The result
    is None if rows do not fit the columns.
    """
    names = cut.names
    try:
        table = _parse_rows(text, cut, dict.fromkeys(names, TEXT))
    except pa.ArrowInvalid:
        return None
    converted = {}
    for name in names:
        column = table[name]
        strange = np.zeros(0, np.intp)
        if TYPES.get(name) == TEXT:
            strange = np.flatnonzero(pc.equal(pc.binary_length(column), 0).to_numpy())
        elif name in TYPES:
            column, strange = _as_type(column, name, ranked=SCORE in names)
        if len(strange):
            return Strange(name, strange, table[name].take(pa.array(strange)).to_pylist())
        converted[name] = column
    return pa.table(converted)


def _as_type(
    column: pa.ChunkedArray, role: str, *, ranked: bool
) -> tuple[pa.ChunkedArray, NDArray[np.intp]]:
    """Return text as numbers, and its invalid rows."""
    values, strange = numbers_of_text(column, role)
    missing = np.isnan(values)
    unfit = missing & (not (ranked and role == RANK))
    if TYPES[role] == pa.int64():
        present = np.where(missing, 0, values)
        unfit |= (present != np.round(present)) | (np.abs(present) >= 2.0**63)
        values = values if missing.any() or unfit.any() else values.astype(np.int64)
    return pa.chunked_array([pa.array(values)]), strange if len(strange) else np.flatnonzero(unfit)


def _parse_rows(text: bytes, cut: Cut, types: dict[str, pa.DataType]) -> pa.Table:
    """Parse rows; raise if they do not fit the types."""
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        read_options=pyarrow.csv.ReadOptions(
            column_names=cut.columns, block_size=BLOCK, use_threads=len(text) > BLOCK
        ),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=cut.between,
            quote_char='"' if cut.quoted else False,
            newlines_in_values=cut.quoted,
        ),
        # by default, Arrow reads NA or null in a column of numbers as a missing value
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=[]
        ),
    )


def _uneven(body: bytes, cut: Cut, number: int, source: str) -> str:
    """Return a warning if rows have different numbers of columns."""
    between = None if cut.between == ANY else cut.between.encode()
    rows = (line for line in body.splitlines() if not line.lstrip().startswith(b"#"))
    numbers = {len(line.split(between)) for line in rows if line.strip()} | {number}
    text = f"rows of {source} have {min(numbers)} to {max(numbers)} columns"
    ignored = "columns after the sixth are ignored, as in trec_eval"
    return f"{text}; {ignored}" if len(numbers) > 1 else ""


def _refuse_values(data: bytes, source: str, cut: Cut, strange: Strange) -> NoReturn:
    """Raise for lines with invalid values."""
    role, rows, values = strange
    missing = [value.strip().lower() in {"", "nan"} for value in values]
    error = ERRORS.get(role, IdError)
    expected = expected_values(role, role)
    if role == SCORE and all(missing):
        error = RankingError
        expected = f"a {role} in every row"
    elif TYPES[role] == TEXT:
        expected = f"a {role} in every row"
    lines = lines_of(data, cut, rows[:5].tolist())
    headers = [{TOPIC, DOC} <= roles(fields_of(text, cut.between)).keys() for _, text in lines]
    offenders = [
        f"line {number} is a header" if header else f"line {number} has the {role} {value!r}"
        for (number, _), header, value in zip(lines, headers, values, strict=False)
    ]
    offenders += [""] * (len(rows) - len(offenders))
    advice = scaling(values, role).partition(SCALED)[0] if role == GRADE else ""
    raise error(expected, f"other values in {source}", advice or MEND, offenders)
