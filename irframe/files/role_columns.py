"""The columns of a frame by role: all that are needed, and none that could be meant instead."""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from irframe.errors import IdError, InputError
from irframe.files.columns import TEXT, TYPES, refuse_unfit
from irframe.files.formats import QRELS, RUN, Format
from irframe.names import (
    ALIASES,
    DOC,
    GRADE,
    LAST_RESORTS,
    RANK,
    SCORE,
    SYSTEM,
    TOPIC,
    roles,
)

__all__ = ["ByRole", "is_judgments", "refuse_rivals", "require_columns"]

SETTLED = frozenset({("docno", "docid")})
"""Pairs of names where it is known which one is meant: PyTerrier's docid is a row number."""


class ByRole(NamedTuple):
    """A frame with the columns that play its roles."""

    frame: pd.DataFrame
    columns: Mapping[str, str]


def is_judgments(frame: Any) -> bool:
    """Tell whether a frame has documents of topics with their grades, and no systems.

    Examples
    --------
    >>> is_judgments(pd.DataFrame(columns=["qid", "docno", "label"])), is_judgments([])
    (True, False)
    """
    found = roles(frame.columns).keys() if isinstance(frame, pd.DataFrame) else set()
    return {TOPIC, DOC, GRADE} <= found and SYSTEM not in found


def require_columns(frame: Any, kind: Format) -> dict[str, str]:
    """Return the columns of a frame by role.

    Raises
    ------
    InputError
        If it is no frame, has no rows, lacks a role, or has two columns for one that differ.

    Examples
    --------
    >>> from irframe.files.formats import QRELS
    >>> require_columns(pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [1]}), QRELS)
    {'topic': 'qid', 'doc': 'docno', 'grade': 'label'}
    """
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{kind.noun}, a pandas DataFrame", type(frame).__name__)
    found = kind.require(frame.columns, "a frame", example=partial(_example, frame, kind))
    if not len(frame):
        raise InputError(f"{kind.noun} with rows", "an empty one")
    for role in kind.roles:
        if role in found:
            refuse_rivals(frame, role, found[role])
            if TYPES.get(role) == TEXT:
                refuse_unfit(frame[found[role]], IdError, f"{role}s")
    return found


def _example(frame: pd.DataFrame, kind: Format, found: Mapping[str, str]) -> str:
    """Return a line that may give a frame the columns that it lacks."""
    others = roles(frame.columns)
    if kind is RUN and GRADE in others:
        raise InputError("a run", "judgments", "hand over the runs first, then the judgments")
    if kind is QRELS and others.keys() & {SCORE, RANK}:
        advice = "the runs come first, then the judgments: the two may be swapped"
        raise InputError("judgments", "a run", advice)
    strangers = [name for name in frame.columns if name not in others.values()]
    if kind is RUN and {TOPIC, DOC} <= found.keys() and len(strangers) > 1:
        ids = [found[role] for role in (TOPIC, DOC)]
        return f"frame.melt({ids}, var_name='system', value_name='score') if a column is a system"
    pairs = zip(strangers, (choice[0] for choice in kind.lacking(found)), strict=False)
    return f"frame.rename(columns={dict(pairs)})" if strangers else ""


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
        if not settled and not _same(frame[taken], frame[name]):
            found = f"{taken!r}, which comes first, and {name!r}, which differs"
            advice = f"say which one is meant: frame.rename(columns={{{taken!r}: {role!r}}})"
            raise InputError(f"one column for {role}", found, advice)


def _same(left: pd.Series, right: pd.Series) -> bool:
    if left.dtype == right.dtype:
        return left.equals(right)
    return bool((left.astype(str) == right.astype(str)).all())
