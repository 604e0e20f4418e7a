"""Lines that begin with ``#``: comments as trec_eval has them, ir_metadata, or rows after all."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import warn
from irframe.names import GRADE, ITERATION, RANK, SCORE, SURPLUS, SYSTEM, TOPIC

__all__ = ["IR_METADATA", "holds_rows", "notes_of", "with_notes", "without_comments"]

IR_METADATA = "ir_metadata"
"""Attribute of a run frame: system -> the header, in YAML, of the file that it was read from."""

_TOLD, _UNEVEN, _CUT = "told", "uneven", "cut"
_ENDS = 256
"""Bytes at the beginning of a file where more than blanks is to be found."""

_HEADER = re.compile(
    rb"^#[ \t]*ir_metadata\.start[^\n]*\n(.*?)^#[ \t]*ir_metadata\.end", re.MULTILINE | re.DOTALL
)
_MARK = re.compile(rb"^# ?", re.MULTILINE)

_WHOLE, _WORD = rb"-?[0-9]+", rb"[^\t\n]+"
_SHAPES = {
    RANK: _WHOLE,
    GRADE: _WHOLE,
    SCORE: rb"[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|inf(?:inity)?)",
    ITERATION: rb"(?:Q?[0-9]+)",
}
"""What the columns of a row hold, so that it is no sentence."""
_SMALL = 5
"""Rows of a system from which on one row alone of another one, at the end, is odd."""
_FEWEST = 4
"""Columns that a line has to fit in a file without a header; of three, a sentence might."""


@cache
def _row(columns: tuple[str, ...]) -> bytes:
    """Return the pattern of what follows ``#`` in a row, columns separated by tabs."""
    shapes = [_SHAPES.get(name, _WORD) for name in columns[1:]]
    fits = len(columns) >= _FEWEST or columns[-1] == GRADE
    return rb"\t".join([_WORD, *shapes]) + rb"$" if fits else rb"(?!)"


def holds_rows(lines: bytes, columns: tuple[str, ...]) -> bool:
    r"""Tell whether a line that begins with ``#`` fits the columns, as its topic's id does so.

    Examples
    --------
    >>> qrels = ("topic", "iteration", "doc", "grade")
    >>> holds_rows(b"#1\t0\td7\t2", qrels), holds_rows(b"#\t1\t0\td7\t2", qrels)
    (True, False)
    """
    return re.search(rb"^#" + _row(columns), lines, re.MULTILINE) is not None


def without_comments(lines: bytes, columns: tuple[str, ...]) -> bytes:
    """Return the lines without those that begin with ``#`` and do not fit the columns."""
    if b"#" not in lines:
        return lines
    return re.sub(rb"^#(?!" + _row(columns) + rb")[^\n]*", b"", lines, flags=re.MULTILINE)


def with_notes(
    table: pa.Table,
    data: bytes,
    source: str,
    *,
    before: int = 0,
    uneven: str = "",
    surplus: Sequence[int] = (),
) -> pa.Table:
    """Return a table with what is to be known of its file as metadata, see `notes_of`."""
    notes = {IR_METADATA: _header(data), _TOLD: _told(table, data, source), _UNEVEN: uneven}
    notes |= {SURPLUS: " ".join(map(str, surplus)), _CUT: _cut(table, data, source, before)}
    return table.replace_schema_metadata({name: text for name, text in notes.items() if text})


def notes_of(tables: Sequence[pa.Table], said: set[str] | None = None) -> dict[str, Any]:
    """Return what the tables of files say of themselves, as attributes of their frame.

    Parameters
    ----------
    tables
        Tables of files, or of pieces of one.
    said
        Of pieces, what was warned of in earlier ones, which grows.

    Warns
    -----
    IrframeWarning
        If what counts as a row may be a comment, rows have more columns than others, or the last
        one may be cut off.
    """
    headers: dict[str, str] = {}
    surplus: dict[str, list[int]] = {}
    for table in tables:
        notes = table.schema.metadata or {}
        for kind in {_TOLD, _UNEVEN, _CUT} - (said or set()):
            if told := notes.get(kind.encode()):
                warn(told.decode())
                if said is not None:
                    said.add(kind)
        if (text := notes.get(IR_METADATA.encode())) and SYSTEM in table.column_names:
            headers.update(dict.fromkeys(pc.unique(table[SYSTEM]).to_pylist(), text.decode()))
        if (text := notes.get(SURPLUS.encode())) and SYSTEM in table.column_names:
            numbers = [int(number) for number in text.split()]
            surplus.update(dict.fromkeys(pc.unique(table[SYSTEM]).to_pylist(), numbers))
    found = {IR_METADATA: headers, SURPLUS: surplus}
    return {name: notes for name, notes in found.items() if notes}


def _told(table: pa.Table, data: bytes, source: str) -> str:
    """Say so if some topics begin with ``#`` and others do not: the former may be comments."""
    if b"#" not in data:
        return ""
    topics = pc.unique(table[TOPIC])
    marked = topics.filter(pc.starts_with(topics, "#"))
    if not 0 < len(marked) < len(topics):
        return ""
    shown = ", ".join(map(repr, marked[:5].to_pylist()))
    return (
        f"lines of {source} that begin with '#' fit its columns, and count as rows of the topics "
        f"{shown}; a comment begins with '# '"
    )


def cut_off(table: pa.Table) -> str | None:
    """Return the system of the last row if no other row has it, as where a file ends in a tag.

    A file in which the system before it has few rows may be small.
    """
    if SYSTEM not in table.column_names or table.num_rows <= _SMALL:
        return None
    systems = table[SYSTEM]
    *_, other, last = systems[-2:]
    if other == last or pc.sum(pc.equal(systems, last)).as_py() > 1:
        return None
    return str(last) if pc.sum(pc.equal(systems, other)).as_py() >= _SMALL else None


def _cut(table: pa.Table, data: bytes, source: str, before: int) -> str:
    """Say so if the last line of a file may be cut off."""
    system = cut_off(table)
    if system is None:
        return ""
    number = before + 1 + data.rstrip().count(b"\n")
    return (
        f"line {number} of {source}, its last, is the only one of the system {system!r}: check "
        "that the file is not cut off"
    )


def _header(data: bytes) -> str:
    """Return what a file says of itself in a header of ir_metadata, as YAML."""
    found = (
        _HEADER.search(data.replace(b"\r\n", b"\n")) if data[:_ENDS].lstrip()[:1] == b"#" else None
    )
    return "" if found is None else _MARK.sub(b"", found[1]).decode(errors="replace")
