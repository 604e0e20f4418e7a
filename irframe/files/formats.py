"""The text formats of runs and judgments, a fast parser of them, and what is wrong with lines."""

import re
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import isinf, isnan
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from irframe.errors import FileFormatError, InputError
from irframe.files.columns import (
    TEXT,
    TYPES,
    holds_rows,
    says_infinite,
    with_notes,
    without_comments,
)
from irframe.files.compression import LINE
from irframe.names import (
    ALIASES,
    ASSIGNMENT,
    DOC,
    GRADE,
    IMPORTANCE,
    ITERATION,
    LAST_RESORTS,
    NUGGET,
    PROBABILITY,
    RANK,
    SCORE,
    STRATUM,
    SUBTOPIC,
    SYSTEM,
    TOPIC,
    counted,
    roles,
)

_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def faults(data: bytes, start: int, columns: Sequence[str], *, more: bool) -> list[str]:
    r"""Say what is wrong with the lines at fault.

    Parameters
    ----------
    data
        The file.
    start
        The position from which on lines are rows.
    columns
        What the columns are.
    more
        Whether lines may have further columns.

    Examples
    --------
    >>> faults(b"1 0 d7 2\n1 0 d8\n", 0, ("topic", "Q0", "doc", "grade"), more=False)
    ['line 2 has 3 columns, not 4']
    """
    lines = enumerate(_LINE.finditer(data), 1)
    rows = [(number, line[1]) for number, line in lines if line.end(1) > start]
    pairs = ((number, _fault(row, columns, more=more)) for number, row in rows)
    return [f"line {number} {fault}" for number, fault in pairs if fault]


def fields_of(line: str) -> list[str]:
    """Return the columns of a line."""
    return [field for field in re.split("[ \t\v\f]+", line) if field]


def _fault(line: bytes, columns: Sequence[str], *, more: bool) -> str:
    """Say what is wrong with a line, which may have more columns; empty if nothing is."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return "is not UTF-8 text"
    fields = fields_of(text)
    if not fields or fields[0].startswith("#"):
        return ""
    if len(fields) < len(columns) or (len(fields) > len(columns) and not more):
        return f"has {counted(len(fields), 'column')}, not {len(columns)}"
    for name, value in zip(columns, fields, strict=False):
        if not _CHECKS.get(name, bool)(value):
            is_header = {TOPIC, DOC} <= roles(fields).keys()
            return "is a header" if is_header else f"has the {name} {value!r}"
    return ""


def _is_number(text: str) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    plain = text.isascii() and "_" not in text
    return plain and not isnan(value) and (says_infinite(text) or not isinf(value))


_CHECKS: dict[str, Callable[[str], Any]] = {
    RANK: _WHOLE.fullmatch,
    GRADE: _WHOLE.fullmatch,
    SCORE: _is_number,
    PROBABILITY: _is_number,
}


BLOCK = LINE
"""Bytes that one task parses; a line is shorter."""

_FIRST = re.compile(rb"(?:\A|[\r\n])[ \t\v\f]*([^#\s][^\r\n]*)")
_MARKED = re.compile(rb"(?:\A|[\r\n])[ \t\v\f]*(#[^#\s]+[ \t][^\r\n]*)")
_BOM = b"\xef\xbb\xbf"

_UNREAD = "Q0"
"""First word of the names of columns that are passed over."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A kind of file: its columns where they have no names, its roles where they have."""

    noun: str
    layouts: tuple[tuple[str, ...], ...]
    roles: tuple[str, ...]
    needed: tuple[tuple[str, ...], ...]
    """Roles that must be there, of each choice one."""
    headed: bool
    """Whether the first line may name the columns."""
    surplus: bool
    """Whether columns after the last one are passed over, as trec_eval does."""

    @property
    def wanted(self) -> str:
        """What a message says of the text format."""
        choices = " or ".join(
            f"{len(layout)} columns ({' '.join(layout)})" for layout in self.layouts
        )
        return f"{self.noun} with {choices}{' or with a header' * self.headed}"

    def find(self, names: Iterable[Hashable]) -> dict[str, str]:
        """Find the names of the columns by role; judgments may call the grade a score."""
        columns = roles(names)
        if GRADE in self.roles and SCORE in columns and not {GRADE, RANK, SYSTEM} & columns.keys():
            columns[GRADE] = columns[SCORE]
        return {role: str(columns[role]) for role in self.roles if role in columns}

    def lacking(self, present: Container[str]) -> list[tuple[str, ...]]:
        """List the roles, or choices of roles, that are needed beyond those present."""
        return [choice for choice in self.needed if not any(role in present for role in choice)]

    def require(
        self,
        names: Iterable[Hashable],
        where: str,
        *,
        optional: Container[str] = (),
        example: Callable[[dict[str, str]], str] = lambda _: "",
    ) -> dict[str, str]:
        """Find the names of the columns by role, or say which roles have none or several.

        Parameters
        ----------
        names
            All names of columns.
        where
            What has them, for messages.
        optional
            Roles that need not be there; of a choice, its first.
        example
            Given those found, the line of code that would help.

        Examples
        --------
        >>> DOCUMENTS.require(["docno"], "a frame")
        Traceback (most recent call last):
        ...
        irframe.errors.InputError: wanted documents with a column for topic; found a frame with
        other columns: docno. Topic may be named topic, qid, query_id, q_id, query-id, query.
        """
        names = list(names)
        columns = self.find(names)
        missing = [choice for choice in self.lacking(columns) if choice[0] not in optional]
        if missing:
            wanted = f"{self.noun} with a column for {' and '.join(map(' or '.join, missing))}"
            known = ((role, ", ".join(ALIASES[role])) for role in chain(*missing))
            hints = [f"{role} may be named {aliases}" for role, aliases in known]
            hints += [f"for example {line}"] if (line := example(columns)) else []
            raise InputError(wanted, f"{where} with other columns", "; ".join(hints), names)
        twice = [name for name in columns.values() if names.count(name) > 1]
        if twice:
            raise InputError("one column per role", f"{where} with several named", "", twice)
        return columns

    def columns(self, fields: Sequence[str]) -> tuple[tuple[str, ...], bool]:
        """Tell from the first line what the columns are, and whether that line is a header."""
        by_role = self.find(fields)
        distinct = len(set(fields)) == len(fields)
        if self.headed and distinct and not self.lacking(by_role):
            names = {name: role for role, name in by_role.items()}
            return tuple(names.get(field, field) for field in fields), True
        longest = self.layouts[0]
        if self.surplus and len(fields) > len(longest):
            beyond = range(len(longest), len(fields))
            return (*longest, *(f"{_UNREAD} {number}" for number in beyond)), False
        fitting = (layout for layout in self.layouts if len(layout) == len(fields))
        return next(fitting, longest), False


RUN = Format(
    noun="a run",
    layouts=((TOPIC, _UNREAD, DOC, RANK, SCORE, SYSTEM), (TOPIC, DOC, RANK)),
    roles=(SYSTEM, TOPIC, DOC, RANK, SCORE),
    needed=((TOPIC,), (DOC,), (SCORE, RANK)),
    headed=False,
    surplus=True,
)
"""TREC and MS MARCO."""

QRELS = Format(
    noun="judgments",
    layouts=((TOPIC, ITERATION, DOC, GRADE), (TOPIC, ITERATION, DOC, STRATUM, GRADE)),
    roles=(TOPIC, DOC, GRADE, ITERATION, SUBTOPIC, STRATUM, PROBABILITY),
    needed=((TOPIC,), (DOC,), (GRADE,)),
    headed=True,
    surplus=False,
)
"""TREC, with the strata of a sample or without, and named columns as in BEIR."""

DOCUMENTS = Format(
    noun="documents",
    layouts=((TOPIC, DOC),),
    roles=(TOPIC, DOC),
    needed=((TOPIC,), (DOC,)),
    headed=True,
    surplus=False,
)
"""Documents of topics, whatever else a frame says of them."""

NUGGETS = Format(
    noun="labels of nuggets",
    layouts=(),
    roles=(SYSTEM, TOPIC, NUGGET, IMPORTANCE, ASSIGNMENT),
    needed=((TOPIC,), (NUGGET,), (IMPORTANCE,), (ASSIGNMENT,)),
    headed=True,
    surplus=True,
)
"""What answers say of the nuggets of their topics, in frames alone."""


SETTLED = frozenset({("docno", "docid")})
"""Pairs of names where it is known which one is meant: PyTerrier's docid is a row number."""


def refuse_rivals(
    frame: pd.DataFrame, role: str, taken: Hashable, names: Sequence[Hashable] = ()
) -> None:
    """Raise if another column could as well play a role, and holds something else.

    Parameters
    ----------
    frame
        A frame.
    role
        The role; a column of this name plays it for certain.
    taken
        The column that plays it.
    names
        What columns of the role may be called, by default as `irframe.names.ALIASES` says.
    """
    if taken == role:
        return
    rivals = [name for name in names or ALIASES[role] if name in frame.columns and name != taken]
    for name in rivals:
        settled = (taken, name) in SETTLED or name in LAST_RESORTS
        left, right = frame[taken], frame[name]
        if not settled and left.dtype != right.dtype:
            left, right = left.astype(str), right.astype(str)
        if not settled and not left.equals(right):
            found = f"{taken!r}, which comes first, and {name!r}, which differs"
            advice = f"say which one is meant: frame.rename(columns={{{taken!r}: {role!r}}})"
            raise InputError(f"one column for {role}", found, advice)


def refuse_rivals_in(table: pa.Table, kind: Format, source: str) -> None:
    """Raise likewise for the columns of a file, as it names them."""
    places = {name: place for place, name in enumerate(table.column_names)}
    for role, taken in kind.find(places).items():
        present = [places[name] for name in ALIASES[role] if name in places]
        if len(present) > 1:
            try:
                refuse_rivals(table.select(present).to_pandas(), role, taken)
            except InputError as error:
                raise error.within(f"in {source}") from error


def first_columns(data: bytes, kind: Format) -> tuple[str, ...] | None:
    """Tell from the first row what the columns are, where there is a row and no comment alone."""
    first = _FIRST.search(data.removeprefix(_BOM))
    return kind.columns(fields_of(first[1].decode(errors="replace")))[0] if first else None


def parse(
    data: bytes, source: str, kind: Format, columns: tuple[str, ...] | None = None
) -> pa.Table:
    """Read a text file into a table with a column per role.

    Parameters
    ----------
    data
        The file: columns separated by white space; empty lines and comments do not count. A
        comment begins with ``#`` and does not fit the columns, see `irframe.files.columns`.
    source
        Its name, for messages.
    kind
        What it should be.
    columns
        What the columns are, if that is known of lines before these; else the first row tells.

    Returns
    -------
    pyarrow.Table
        Rows in file order. Ids are text as written. What the file says of itself is metadata.
    """
    data, start, known = data.removeprefix(_BOM), 0, columns is not None
    header: Sequence[str] = ()
    if columns is None:
        columns, start, header = _top(data, source, kind)
    table, uneven = _tidy_table(data[start:], columns), ""
    if table is None and kind.surplus and len(columns) >= len(kind.layouts[0]):
        first, columns = len(columns), kind.layouts[0]
        table = _tidy_table(_first_columns(data[start:], len(columns)), columns)
        uneven = "" if table is None else _uneven(data[start:], first, source)
    if table is None:
        more = kind.surplus and columns == kind.layouts[0]
        offenders = faults(data, start, columns, more=more)
        found = f"{source} with lines that do not fit" if offenders else f"{source} unreadable"
        advice = "mend these lines, or check that this is the file you meant"
        raise FileFormatError(kind.wanted, found, advice, offenders)
    if not table.num_rows and not known:
        raise FileFormatError(kind.wanted, f"{source} without a row below its header")
    if header:
        names = dict(zip(columns, header, strict=True))
        refuse_rivals_in(
            table.rename_columns([names[name] for name in table.column_names]), kind, source
        )
    named = [role for role in kind.roles if role in columns]
    others = (name for name in table.column_names if name not in named)
    surplus = [place for place, name in enumerate(columns, 1) if name.startswith(f"{_UNREAD} ")]
    surplus += [len(columns) + 1] if uneven else []
    table = table.select([*named, *others])
    return with_notes(table, data, source, uneven, surplus)


def _top(data: bytes, source: str, kind: Format) -> tuple[tuple[str, ...], int, Sequence[str]]:
    """Tell what the columns of a file are, where its rows begin, and its header if it has one."""
    first = _FIRST.search(data) or _MARKED.search(data)
    if first is None:
        raise FileFormatError(kind.wanted, f"{source} without a single row")
    fields = fields_of(first[1].decode(errors="replace"))
    columns, header = kind.columns(fields)
    if header:
        return columns, first.end(1), fields
    above = _separated(data[: first.start(1)])
    return columns, 0 if holds_rows(above, columns) else first.start(1), ()


def _tidy_table(body: bytes, columns: tuple[str, ...]) -> pa.Table | None:
    """Read a file as it is, if one character may separate its columns, then tidied."""
    used = [blank for blank in " \t\v\f" if blank.encode() in body]
    if b"#" not in body and used in ([" "], ["\t"]):
        table = _sound(body, columns, used[0])
        if table is not None:
            return table
    return _sound(without_comments(_separated(body), columns) + b"\n", columns, "\t")


def _separated(body: bytes) -> bytes:
    """Separate columns by one tab and lines by line feeds, without padding."""
    body = body.translate(bytes.maketrans(b" \v\f\r", b"\t\t\t\n"))
    while b"\t\t" in body:
        body = body.replace(b"\t\t", b"\t")
    return body.replace(b"\n\t", b"\n").replace(b"\t\n", b"\n").strip(b"\t\n")


def _first_columns(body: bytes, number: int) -> bytes:
    """Return rows without what follows so many columns."""
    kept = rb"^((?:[^\t\n]+\t){%d}[^\t\n]+)\t[^\n]*" % (number - 1)
    return re.sub(kept, rb"\1", _separated(body), flags=re.MULTILINE)


def _uneven(body: bytes, number: int, source: str) -> str:
    """Say that rows have other numbers of columns than the first; empty if none has."""
    rows = (line.split() for line in body.splitlines())
    numbers = {len(row) for row in rows if row and not row[0].startswith(b"#")} | {number}
    text = f"rows of {source} have from {min(numbers)} to {max(numbers)} columns; what follows the"
    return f"{text} sixth is passed over, as by trec_eval" if len(numbers) > 1 else ""


def _sound(text: bytes, columns: tuple[str, ...], delimiter: str) -> pa.Table | None:
    """Read a file, unless the parser cannot, or lets pass what is no id, number or score."""
    types = {name: TYPES.get(name, TEXT) for name in columns if name.split()[0] != _UNREAD}
    read = partial(_read_columns, text, columns, delimiter)
    try:
        table = read(types)
    except pa.ArrowInvalid:
        return None
    for name, column in zip(table.column_names, table.itercolumns(), strict=True):
        bad: Any = False
        if pa.types.is_floating(column.type):
            bad = pc.any(pc.is_nan(column)).as_py()
            if pc.any(infinite := pc.is_inf(column)).as_py():
                written = pc.unique(read({name: TEXT})[name].filter(infinite))
                bad = bad or not all(map(says_infinite, written.to_pylist()))
        elif pa.types.is_large_string(column.type):
            bad = pc.any(pc.equal(pc.binary_length(column), 0)).as_py()
        if bad:
            return None
    return table


def _read_columns(
    text: bytes, columns: tuple[str, ...], delimiter: str, types: dict[str, pa.DataType]
) -> pa.Table:
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        read_options=pyarrow.csv.ReadOptions(
            column_names=columns, block_size=BLOCK, use_threads=len(text) > BLOCK
        ),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=[]
        ),
    )
