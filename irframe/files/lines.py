"""Lines of text files: columns, comments, warnings and errors."""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from irframe import names as words
from irframe.errors import caution, cautions_of, warn
from irframe.frames.kinds import UNREAD, Kind

ANY = " "
"""Value of `Cut.between` for columns that are separated by whitespace of any length."""
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
IR_METADATA = "ir_metadata"
"""The attribute of a run frame that maps each system to the ir_metadata header of its file."""

_NOTICES = "notices"
"""The key under which the metadata of a table contains warnings about lines."""
_ENDS = 256
"""Number of bytes at the start of a file in which an ir_metadata header must begin."""

_HEADER = re.compile(
    rb"^#[ \t]*ir_metadata\.start[^\n]*\n(.*?)^#[ \t]*ir_metadata\.end", re.MULTILINE | re.DOTALL
)
_MARK = re.compile(rb"^# ?", re.MULTILINE)

_INTEGER = rb"-?[0-9]+"
_SHAPES = {
    words.RANK: _INTEGER,
    words.GRADE: _INTEGER,
    words.SCORE: rb"[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|inf(?:inity)?)",
    words.ITERATION: rb"(?:Q?[0-9]+)",
}
"""Mapping from a role to the pattern of the values in its column.

A line that begins with # is a comment unless its fields match these patterns."""
_SMALL = 5
"""A file may be cut off if its last row belongs to a new system, and the previous system has at
least this number of rows."""
_FEWEST = 4
"""In files without header and grades, a line that begins with # must have at least this number of
fields to be read as a row."""


class Cut(NamedTuple):
    """A way to split lines into columns."""

    columns: tuple[str, ...]
    between: str
    """The separator of columns: `ANY`, a tab, a comma or another character."""
    header: tuple[str, ...] = ()
    """The names in the header, or an empty tuple if there is no header."""
    start: int = 0
    """The position in the file at which the first row begins."""

    @property
    def names(self) -> list[str]:
        """The names of the columns that are read."""
        return [name for name in self.columns if name.split()[:1] != [UNREAD]]

    @property
    def separator(self) -> str:
        """The separator of columns after `separated` was called."""
        return "\t" if self.between == ANY else self.between

    @property
    def quoted(self) -> bool:
        """Whether fields may be quoted.

        If columns are separated by whitespace, or by tabs in a file without a header, quotes are
        part of the ids.
        """
        return self.between != ANY and (bool(self.header) or self.between != "\t")

    def alone(self, between: str = "\t") -> "Cut":
        """Return the cut for columns separated by one whitespace character."""
        return self._replace(between=between, header=()) if self.between == ANY else self


def fields_of(line: str, between: str = ANY) -> list[str]:
    """Split a line into fields.

    Examples
    --------
    >>> fields_of("1 0  d7 2"), fields_of("1,a b", ",")
    (['1', '0', 'd7', '2'], ['1', 'a b'])
    """
    if between == ANY:
        # `str.split` would also split at Unicode spaces, which may be part of ids
        return [field for field in re.split("[ \t\v\f]+", line) if field]
    try:
        return next(csv.reader([line], delimiter=between), [])
    except csv.Error:  # the csv module refuses very long fields
        return [line]


def separated(body: bytes) -> bytes:
    """Separate columns by one tab, and lines by line feeds."""
    body = body.translate(bytes.maketrans(b" \v\f\r", b"\t\t\t\n"))
    # on 12 MB of padded lines, repeated replacement took 0.3 s, and a regular expression 1.4 s
    while b"\t\t" in body:
        body = body.replace(b"\t\t", b"\t")
    return body.replace(b"\n\t", b"\n").replace(b"\t\n", b"\n").strip(b"\t\n")


def rows_of(lines: bytes, cut: Cut) -> bytes:
    """Remove comments from lines.

    A comment begins with ``#`` and does not fit the columns.
    """
    if b"#" not in lines:
        return lines
    comment = rb"^#(?!" + _row_pattern(cut) + rb")[^\n]*"
    if cut.quoted and b'"' in lines:
        # A quoted field may contain line ends, and its lines may begin with #. Therefore only a
        # line without a separator counts as a comment.
        comment = rb"^#[^\n" + re.escape(cut.separator.encode()) + rb"]*$"
    return re.sub(comment, b"", lines, flags=re.MULTILINE)


def is_row(lines: bytes, cut: Cut) -> bool:
    r"""Return whether a line beginning with ``#`` is a row.

    The line is a row if it fits the columns.

    Examples
    --------
    >>> cut = Cut(("topic", "iteration", "doc", "grade"), ANY)
    >>> is_row(b"#1 0 d7 2", cut), is_row(b"# 1 0 d7 2", cut)
    (True, False)
    """
    lines = separated(lines) if cut.between == ANY else lines
    return re.search(rb"^#" + _row_pattern(cut), lines, re.MULTILINE) is not None


@cache
def _row_pattern(cut: Cut) -> bytes:
    """Return the pattern of a row that begins with ``#``."""
    separator = re.escape(cut.separator.encode())
    field = rb"[^\n" + separator + rb"]+"
    shapes = [_SHAPES.get(name, field) for name in cut.columns[1:]]
    fits = bool(cut.header) or len(cut.columns) >= _FEWEST or cut.columns[-1] == words.GRADE
    # the pattern (?!) matches nothing, so all lines that begin with # are comments
    return separator.join([field, *shapes]) + rb"$" if fits else rb"(?!)"


def may_be_longer(cut: Cut, kind: Kind) -> bool:
    """Return whether rows may have more columns than their layout."""
    layout = kind.layouts[0] if kind.surplus else ()
    pairs = zip(cut.columns, layout, strict=False)
    in_order = all(role in {name, UNREAD} for name, role in pairs)
    return kind.surplus and in_order and len(cut.columns) >= len(layout)


def _numbered(data: bytes, cut: Cut) -> Iterator[tuple[int, bytes]]:
    """Yield the rows of a file with their line numbers."""
    for number, line in enumerate(_LINE.finditer(data), 1):
        if line.end(1) > cut.start and line[1].strip(b" \t\v\f"):
            marked = line[1].lstrip(b" \t\v\f").startswith(b"#")
            if not marked or is_row(line[1], cut):
                yield number, line[1]


def lines_of(data: bytes, cut: Cut, rows: Sequence[int]) -> list[tuple[int, str]]:
    """Return some rows of a file with their line numbers."""
    lines = enumerate(islice(_numbered(data, cut), max(rows) + 1))
    return [(number, line.decode(errors="replace")) for row, (number, line) in lines if row in rows]


def faults(data: bytes, cut: Cut, kind: Kind) -> list[str]:
    r"""Describe the lines that do not fit the columns.

    Examples
    --------
    >>> from irframe.frames.kinds import QRELS
    >>> faults(b"1 0 d7 2\n1 0 d8\n", Cut(QRELS.layouts[0], ANY), QRELS)
    ['line 2 has 3 columns, not 4']
    """
    expected = len(cut.columns)
    allows_surplus = may_be_longer(cut, kind)
    between = None if cut.between == ANY else cut.between.encode()
    messages = []
    for number, line in _numbered(data, cut):
        n_fields = len(line.split(between))
        if n_fields < expected or (n_fields > expected and not allows_surplus):
            messages.append(_fault(number, line, cut, n_fields))
    if not messages:
        invalid = (number for number, line in _numbered(data, cut) if not _is_text(line))
        messages = [f"line {number} is not UTF-8 text" for number in invalid]
    return messages


def _fault(number: int, line: bytes, cut: Cut, n_fields: int) -> str:
    """Describe a line that does not fit the columns."""
    if not _is_text(line):
        return f"line {number} is not UTF-8 text"
    if {words.TOPIC, words.DOC} <= words.roles(fields_of(line.decode(), cut.between)).keys():
        return f"line {number} is a header"
    return f"line {number} has {words.counted(n_fields, 'column')}, not {len(cut.columns)}"


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def with_notes(
    table: pa.Table, data: bytes, source: str, uneven: str, surplus: Sequence[int]
) -> pa.Table:
    """Store warnings about a file in its table's metadata."""
    notices = filter(
        None,
        [_topics_like_comments(table, data, source), uneven, _line_cut_off(table, data, source)],
    )
    notes = {IR_METADATA: _header(data), _NOTICES: "\n".join(notices)}
    notes[words.SURPLUS] = " ".join(map(str, surplus))
    # a thread may read the file, so `notes_of` issues the warnings in the thread of the caller
    return table.replace_schema_metadata({name: text for name, text in notes.items() if text})


def notes_of(tables: Sequence[pa.Table]) -> dict[str, object]:
    """Warn about files, and return attributes for their frame.

    Parameters
    ----------
    tables
        One table per file, with metadata from `with_notes`.

    Warns
    -----
    IrframeWarning
        If a row may be a comment, if rows differ in their number of columns, or if the last row may
        be cut off.
    """
    attributes: dict[str, dict[str, str | list[int]]] = {IR_METADATA: {}, words.SURPLUS: {}}
    cautions = list[str]()
    for table in tables:
        notes = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        for notice in notes.get(_NOTICES, "").splitlines():
            warn(notice)
        cautions += cautions_of(notes)
        for kind, by_system in attributes.items():
            if (text := notes.get(kind)) and words.SYSTEM in table.column_names:
                value = text if kind == IR_METADATA else list(map(int, text.split()))
                by_system.update(dict.fromkeys(pc.unique(table[words.SYSTEM]).to_pylist(), value))
    warn(*cautions)
    nonempty: dict[str, object] = {name: notes for name, notes in attributes.items() if notes}
    return nonempty | caution(cautions)


def _topics_like_comments(table: pa.Table, data: bytes, source: str) -> str:
    """Return a warning if only some topics begin with ``#``."""
    if b"#" not in data:
        return ""
    topics = pc.unique(table[words.TOPIC])
    marked = topics.filter(pc.starts_with(topics, "#"))
    if not 0 < len(marked) < len(topics):
        return ""
    shown = ", ".join(map(repr, marked[:5].to_pylist()))
    text = f"lines of {source} that begin with '#' fit its columns, and are read as rows of topics"
    return f"{text} {shown}; begin comments with '# '"


def _line_cut_off(table: pa.Table, data: bytes, source: str) -> str:
    """Return a warning about a possibly incomplete last line.

    If a file was cut off in the middle of a tag, its last row seems to belong to a new system.
    If the previous system has few rows, there is no warning, because short runs are then plausible.
    """
    if words.SYSTEM not in table.column_names or table.num_rows <= _SMALL:
        return ""
    systems = table[words.SYSTEM]
    *_, previous, last = systems[-2:]
    counts = [pc.sum(pc.equal(systems, system)).as_py() for system in (previous, last)]
    if previous == last or counts[0] < _SMALL or counts[1] > 1:
        return ""
    number = 1 + data.rstrip().count(b"\n")
    text = f"the last line of {source} (line {number}) is the only line of system {str(last)!r}"
    return f"{text}: check that the file is not cut off"


def _header(data: bytes) -> str:
    """Return the ir_metadata header of a file, in YAML."""
    if data[:_ENDS].lstrip()[:1] != b"#":
        return ""
    header = _HEADER.search(data.replace(b"\r\n", b"\n"))
    return "" if header is None else _MARK.sub(b"", header[1]).decode(errors="replace")
