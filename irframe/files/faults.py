"""What is wrong with the lines of a text file, found line by line."""

import re
from collections.abc import Sequence
from math import isnan

from irframe.names import DOC, GRADE, RANK, SCORE, TOPIC, roles

__all__ = ["faults", "fields_of"]

_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def faults(data: bytes, start: int, columns: Sequence[str], first: int, *, more: bool) -> list[str]:
    r"""Say what is wrong with the lines at fault.

    Parameters
    ----------
    data
        The file, or a piece of it.
    start
        The position from which on lines are rows.
    columns
        What the columns are.
    first
        The number of the first line.
    more
        Whether lines may have further columns.

    Examples
    --------
    >>> faults(b"1 0 d7 2\n1 0 d8\n", 0, ("topic", "Q0", "doc", "grade"), 1, more=False)
    ['line 2 has 3 columns, not 4']
    """
    lines = enumerate(_LINE.finditer(data), first)
    checked = (
        (number, _fault(line[1], columns, more=more))
        for number, line in lines
        if line.end(1) > start
    )
    return [f"line {number} {fault}" for number, fault in checked if fault]


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
        return f"has {len(fields)} column{'s' * (len(fields) > 1)}, not {len(columns)}"
    for name, value in zip(columns, fields, strict=False):
        if not _CHECKS.get(name, bool)(value):
            is_header = {TOPIC, DOC} <= roles(fields).keys()
            return "is a header" if is_header else f"has the {name} {value!r}"
    return ""


def _is_number(text: str) -> bool:
    try:
        return not isnan(float(text)) and "_" not in text
    except ValueError:
        return False


def _is_whole(text: str) -> bool:
    return _WHOLE.fullmatch(text) is not None


_CHECKS = {RANK: _is_whole, GRADE: _is_whole, SCORE: _is_number}
