"""What is said of the topics on which some system has no score."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irframe.errors import InputError, ParameterError
from irframe.inference.matched import Array, Matched
from irframe.names import TOPIC


class Attendance(NamedTuple):
    """How many topics every system has."""

    metrics: list[str]
    topics: pd.Index
    counts: Array
    """Number of topics on which every system has a score, shape (metric, depth)."""
    kept: Array
    """Topics that count at every depth, shape (metric, topic)."""


def attendance(matched: Matched) -> Attendance:
    """Count the topics that every system has; of lazy scores the arrays are lazy."""
    scored: Any = matched.scored
    topics = matched.array.indexes[TOPIC]
    return Attendance(matched.metrics, topics, scored.sum(axis=1), scored.all(axis=2))


def left_out(told: Attendance) -> list[str]:
    """Say which topics are left out, and whether only one remains.

    Raises
    ------
    ParameterError
        If a metric has no topics to compare systems on.
    """
    fewest = told.counts.min(axis=1, initial=len(told.topics))
    without = [label for label, count in zip(told.metrics, fewest, strict=True) if not count]
    if without:
        advice = "leave out the systems that lack scores, or these metrics"
        raise ParameterError("topics on which every system has a score", "none", advice, without)
    dropped = [
        _dropped(label, told.topics[~kept], len(kept))
        for label, kept in zip(told.metrics, told.kept, strict=True)
        if not kept.all()
    ]
    messages = []
    if dropped:
        found = "; ".join(dropped)
        messages.append(f"topics on which some system has no score are left out: {found}")
    if len(fewest) and fewest.min() == 1:
        messages.append("systems are compared on a single topic, which cannot show a difference")
    return messages


def _dropped(label: str, lost: pd.Index, topics: int) -> str:
    listed = ", ".join(map(str, lost[:5])) + (", ..." if len(lost) > 5 else "")
    return f"{len(lost)} of {topics} for {label} ({listed})"


def refuse_infinite(metrics: list[str], scores: Array) -> None:
    """Raise if scores, metrics first, are infinite."""
    rows = zip(metrics, scores, strict=True)
    infinite = [metric for metric, values in rows if np.isinf(values).any()]
    if infinite:
        raise InputError("finite scores to compare systems by", "infinite ones", "", infinite)
