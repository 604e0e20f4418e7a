"""Columns that a frame or file must have, found by role."""

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from irframe.errors import InputError
from irframe.names import ALIASES

__all__ = ["Needed", "lacking", "require"]

Needed = Sequence[tuple[str, ...]]
"""Roles, or choices of roles, that must be there."""

Name = TypeVar("Name", bound=Hashable)


def lacking(found: Container[str], needed: Needed) -> list[tuple[str, ...]]:
    """List the roles, or choices of roles, that are needed beyond those found."""
    return [choice for choice in needed if not any(role in found for role in choice)]


def require(
    found: Mapping[str, Name],
    names: Iterable[Hashable],
    needed: Needed,
    what: str,
    where: str,
    line: str = "",
) -> Mapping[str, Name]:
    """Return the columns found by role, or say which roles have none or several.

    Parameters
    ----------
    found
        Role -> the name of its column.
    names
        All names of columns.
    needed
        What must be among those found.
    what, where
        What was expected and what was given, for messages.
    line
        The line of code that would help, for the message.

    Examples
    --------
    >>> require({"doc": "docno"}, ["docno"], [("topic",)], "a run", "a frame")
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: wanted a run with a column for topic; found a frame with other
    columns: docno. Topic may be named topic, qid, query_id, q_id, query-id, query.
    """
    names, missing = list(names), lacking(found, needed)
    if missing:
        wanted = f"{what} with a column for {' and '.join(map(' or '.join, missing))}"
        accepted = (f"{role} may be named {', '.join(ALIASES[role])}" for role in chain(*missing))
        advice = "; ".join(accepted) + f"; for example {line}" * bool(line)
        raise InputError(wanted, f"{where} with other columns", advice, names)
    twice = [name for name in found.values() if names.count(name) > 1]
    if twice:
        raise InputError("one column per role", f"{where} with several named", "", twice)
    return found
