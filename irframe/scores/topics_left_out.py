"""What is said of the topics on which some system has no score."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.errors import InputError, ParameterError
from irframe.scores.dask_work import fold_blocks, is_lazy
from irframe.scores.scores import Scores

LISTED = 5
"""How many of the topics left out are named."""


class Attendance(NamedTuple):
    """How many topics every system has."""

    metrics: list[str]
    topics: pd.Index
    state: Array
    """Shape (field, metric, depth): on how many topics every system has a score; and, the same for
    all depths, how many are left out at some depth, and the places of the first of these."""


def attendance(scores: Scores) -> Attendance:
    """Count the topics that every system has; of lazy scores the state is lazy."""
    scored: Any = scores.scored
    if is_lazy(scored):
        scored = scored.rechunk({0: -1, 2: -1})
        state = fold_blocks(scored, 1, _attend, _merge, fields=2 + LISTED)
    else:
        state = _attend(scored)
    return Attendance(scores.metrics, scores.topics, state)


def _attend(scored: Array, start: int = 0) -> Array:
    """Give the state of a block of topics, shape (metric, topic, depth), by its first place."""
    lost: Any = ~scored.all(axis=2)
    state = np.full((2 + LISTED, len(scored), scored.shape[2]), np.inf)
    state[0], state[1] = scored.sum(axis=1), lost.sum(axis=1)[:, np.newaxis]
    for row, missing in enumerate(lost):
        places = np.flatnonzero(missing)[:LISTED] + start
        state[2 : 2 + len(places), row] = places[:, np.newaxis]
    return state


def _merge(states: Array, axis: int) -> Array:
    blocks = np.moveaxis(states, axis, 1)
    places = blocks[2:].reshape(-1, *blocks.shape[2:])
    return np.concatenate([blocks[:2].sum(axis=1), np.sort(places, axis=0)[:LISTED]])


def left_out(told: Attendance) -> list[str]:
    """Say which topics are left out, and whether only one remains.

    Raises
    ------
    ParameterError
        If a metric has no topics to compare systems on.
    """
    fewest = told.state[0].min(axis=1, initial=len(told.topics))
    without = [label for label, count in zip(told.metrics, fewest, strict=True) if not count]
    if without:
        advice = "leave out the systems that lack scores, or these metrics"
        raise ParameterError("topics on which every system has a score", "none", advice, without)
    lost = told.state[1:, :, 0]
    dropped = [
        _dropped(label, told.topics, int(count), places)
        for label, count, *places in zip(told.metrics, *lost, strict=True)
        if count
    ]
    messages = []
    if dropped:
        found = "; ".join(dropped)
        messages.append(f"topics on which some system has no score are left out: {found}")
    if len(fewest) and fewest.min() == 1:
        messages.append("systems are compared on a single topic, which cannot show a difference")
    return messages


def _dropped(label: str, topics: pd.Index, count: int, places: list[float]) -> str:
    named = ", ".join(str(topics[int(place)]) for place in places[:count])
    return f"{count} of {len(topics)} for {label} ({named}{', ...' if count > LISTED else ''})"


def refuse_infinite(metrics: list[str], scores: Array) -> None:
    """Raise if scores, metrics first, are infinite."""
    rows = zip(metrics, scores, strict=True)
    infinite = [metric for metric, values in rows if np.isinf(values).any()]
    if infinite:
        raise InputError("finite scores to compare systems by", "infinite ones", "", infinite)
