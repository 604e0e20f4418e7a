"""The lowest and highest score over all orders of the documents with equal scores."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.extremes.arranging import extremes_of_all
from irframe.metrics.base import Metric
from irframe.metrics.evidence import Array, Evidence
from irframe.metrics.q import Q
from irframe.names import EMPTY, UNJUDGED

CODES = np.arange(-128, 128)
"""All that a cell of a cube may hold, grades and marks."""


def _ordered(metric: Metric, levels: Array) -> bool:
    """Return whether the best order of tied documents is known.

    Q adds the gain of documents that are not relevant to the ranks of others only: where there
    are such documents no one order of two of them is always the better one.
    """
    if not isinstance(metric, Q):
        return bool(metric.order)
    below = levels[levels < metric.rel]
    return not metric.gain.map(below, rel=metric.rel, top=1).any()


def worth(metric: Metric, top: int) -> NDArray[np.int16]:
    """Return how much a document is worth to a metric, as a place among all codes of a cell."""
    judged = CODES > UNJUDGED
    rel = getattr(metric, "rel", 1)
    relevant = judged & (rel <= CODES)
    gain: Any = getattr(metric, "gain", None)
    if metric.order == "gain":
        value = np.where(judged, gain.map(CODES, rel=rel, top=top), 0.0)
        if isinstance(metric, Q):
            value = np.where(relevant, value, -1.0)
    elif metric.order == "judged":
        value = 1.0 * judged
    else:
        value = 2.0 * relevant
        if metric.order == "preference":
            value += CODES == UNJUDGED
    return np.unique(value, return_inverse=True)[1].astype(np.int16)


def reordered_cells(
    cells: Sequence[Array], base: dict[str, Any], metrics: Sequence[Metric], depths: Sequence[int]
) -> Iterator[Array]:
    """Score a block of rankings with tied documents in the worst and in the best order.

    Parameters
    ----------
    cells
        ``grade``, ``retrieved``, ``tied``, ``tail`` and ``tail_size``, as for shared gain.
    base, metrics, depths
        As for scoring.

    Yields
    ------
    numpy.ndarray
        The lowest and the highest scores of a metric, shape (..., topic, depth) each. Where a
        cost is NaN in the worst order alone, the highest is NaN.
    """
    columns = np.asarray(depths) - 1
    orders: dict[bytes, list[Evidence]] = {}
    for metric in metrics:
        if not _ordered(metric, base["levels"]):
            yield from (side[..., columns] for side in extremes_of_all(metric, list(cells), base))
            continue
        value = worth(metric, base["top"])
        name = value.tobytes()
        if name not in orders:
            grades = [_ordered_grades(cells, base["levels"], key) for key in (value, -value)]
            orders[name] = [Evidence(grade=g, retrieved=cells[1], **base) for g in grades]
        first, second = (metric.score(evidence)[..., columns] for evidence in orders[name])
        yield np.fmin(first, second)
        yield np.maximum(first, second)


def _ordered_grades(cells: Sequence[Array], levels: Array, key: NDArray[np.int16]) -> Array:
    """Return grades by rank with every tied block in rising order of a key of their codes."""
    grade, _, tied, tail, tail_size = cells
    depth = grade.shape[-1]
    beyond = _tail(tail, tail_size, levels, key, depth)
    cell = np.concatenate([grade, beyond], axis=-1)
    joined = np.concatenate([tied, np.ones(beyond.shape, bool)], axis=-1)
    joined[..., 0] = False
    block = np.cumsum(~joined, axis=-1, dtype=np.int32)
    code = block * (2 * len(CODES)) + key[cell.astype(np.int16) - CODES[0]]
    empty = cell == EMPTY
    code[empty] = np.iinfo(np.int32).max
    order = np.argsort(code, axis=-1, kind="stable")[..., :depth]
    return np.take_along_axis(cell, order, axis=-1)


def _tail(tail: Array, size: Array, levels: Array, key: NDArray[np.int16], depth: int) -> Array:
    """Return documents below the last rank tied with it, the first by a key, at most `depth`."""
    codes = np.append(levels, UNJUDGED).astype(np.int64)
    counts = np.concatenate([tail, (size - tail.sum(axis=-1))[..., np.newaxis]], axis=-1)
    order = np.argsort(key[codes - CODES[0]], kind="stable")
    ends = np.cumsum(counts[..., order], axis=-1)
    width = min(int(size.max(initial=0)), depth)
    place = (np.arange(width)[:, np.newaxis] >= ends[..., np.newaxis, :]).sum(axis=-1)
    known = np.append(codes[order], EMPTY).astype(np.int8)
    result: Array = known[place]
    return result
