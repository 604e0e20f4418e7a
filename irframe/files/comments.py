"""Comments, metadata headers and cut-off last lines of text files."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from irframe import names as words
from irframe.errors import caution, cautions_of, warn

IR_METADATA = "ir_metadata"
"""Attribute of a run frame: system -> the header, in YAML, of the file that it was read from."""

_NOTICES = "notices"
"""Key of the metadata of a table that holds lines to warn of."""
_ENDS = 256
"""Bytes at the beginning of a file where more than blanks is to be found."""

_HEADER = re.compile(
    rb"^#[ \t]*ir_metadata\.start[^\n]*\n(.*?)^#[ \t]*ir_metadata\.end", re.MULTILINE | re.DOTALL
)
_MARK = re.compile(rb"^# ?", re.MULTILINE)

_INTEGER, _WORD = rb"-?[0-9]+", rb"[^\t\n]+"
_SHAPES = {
    words.RANK: _INTEGER,
    words.GRADE: _INTEGER,
    words.SCORE: rb"[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|inf(?:inity)?)",
    words.ITERATION: rb"(?:Q?[0-9]+)",
}
"""What the columns of a row hold, so that it is no sentence."""
_SMALL = 5
"""Rows of a system from which on one row alone of another one, at the end, is odd."""
_FEWEST = 4
"""Columns that a line has to fit in a file without a header; of three, a sentence might."""


@cache
def _row_pattern(columns: tuple[str, ...]) -> bytes:
    """Return the pattern of a row after its ``#``.

    Columns are separated by tabs.
    """
    shapes = [_SHAPES.get(name, _WORD) for name in columns[1:]]
    fits = len(columns) >= _FEWEST or columns[-1] == words.GRADE
    return rb"\t".join([_WORD, *shapes]) + rb"$" if fits else rb"(?!)"


def holds_rows(lines: bytes, columns: tuple[str, ...]) -> bool:
    r"""Tell whether a line beginning with ``#`` is a row.

    It is one if it fits the columns.

    Examples
    --------
    >>> qrels = ("topic", "iteration", "doc", "grade")
    >>> holds_rows(b"#1\t0\td7\t2", qrels), holds_rows(b"#\t1\t0\td7\t2", qrels)
    (True, False)
    """
    return re.search(rb"^#" + _row_pattern(columns), lines, re.MULTILINE) is not None


def without_comments(lines: bytes, columns: tuple[str, ...]) -> bytes:
    """Return the lines without comments.

    A comment begins with ``#`` and does not fit the columns.
    """
    if b"#" not in lines:
        return lines
    return re.sub(rb"^#(?!" + _row_pattern(columns) + rb")[^\n]*", b"", lines, flags=re.MULTILINE)


def with_notes(
    table: pa.Table, data: bytes, source: str, uneven: str, surplus: Sequence[int]
) -> pa.Table:
    """Return a table with notices of its file as metadata."""
    notices = filter(
        None,
        [_topics_like_comments(table, data, source), uneven, _line_cut_off(table, data, source)],
    )
    notes = {IR_METADATA: _header(data), _NOTICES: "\n".join(notices)}
    notes[words.SURPLUS] = " ".join(map(str, surplus))
    return table.replace_schema_metadata({name: text for name, text in notes.items() if text})


def notes_of(tables: Sequence[pa.Table]) -> dict[str, Any]:
    """Return the notices and headers of files as attributes.

    Parameters
    ----------
    tables
        Tables of files.

    Warns
    -----
    IrframeWarning
        If what counts as a row may be a comment, rows have more columns than others, or the last
        one may be cut off.
    """
    attributes: dict[str, dict[str, Any]] = {IR_METADATA: {}, words.SURPLUS: {}}
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
    return {name: notes for name, notes in attributes.items() if notes} | caution(cautions)


def _topics_like_comments(table: pa.Table, data: bytes, source: str) -> str:
    """Return a notice if only some topics begin with ``#``."""
    if b"#" not in data:
        return ""
    topics = pc.unique(table[words.TOPIC])
    marked = topics.filter(pc.starts_with(topics, "#"))
    if not 0 < len(marked) < len(topics):
        return ""
    shown = ", ".join(map(repr, marked[:5].to_pylist()))
    text = f"lines of {source} that begin with '#' fit its columns, and count as rows of the topics"
    return f"{text} {shown}; a comment begins with '# '"


def cut_off(table: pa.Table) -> str | None:
    """Return the system that occurs only in the last row.

    A file that ends in the middle of a tag looks like this.

    A file in which the system before it has few rows may be small.
    """
    if words.SYSTEM not in table.column_names or table.num_rows <= _SMALL:
        return None
    systems = table[words.SYSTEM]
    *_, other, last = systems[-2:]
    if other == last or pc.sum(pc.equal(systems, last)).as_py() > 1:
        return None
    return str(last) if pc.sum(pc.equal(systems, other)).as_py() >= _SMALL else None


def _line_cut_off(table: pa.Table, data: bytes, source: str) -> str:
    """Return a notice about a last line possibly cut off."""
    system = cut_off(table)
    if system is None:
        return ""
    number = 1 + data.rstrip().count(b"\n")
    text = f"line {number} of {source}, its last, is the only one of the system {system!r}"
    return f"{text}: check that the file is not cut off"


def _header(data: bytes) -> str:
    """Return the header of ir_metadata in a file, as YAML."""
    if data[:_ENDS].lstrip()[:1] != b"#":
        return ""
    header = _HEADER.search(data.replace(b"\r\n", b"\n"))
    return "" if header is None else _MARK.sub(b"", header[1]).decode(errors="replace")
