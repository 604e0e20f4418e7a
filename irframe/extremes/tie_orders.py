"""The lowest and highest score over all orders of the documents with equal scores."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.extremes.all_tie_orders import extremes_of_all
from irframe.extremes.fillings import gains_of
from irframe.metrics.base import Metric
from irframe.metrics.block import Block
from irframe.metrics.evidence import Evidence
from irframe.metrics.facts import facts
from irframe.names import EMPTY, UNJUDGED

CODES = np.arange(-128, 128)
"""All that a cell of a cube may hold, grades and marks."""


def _ordered(metric: Metric, levels: Array) -> bool:
    """Return whether the best order of tied documents is known.

    A reward adds the gain of documents that are not relevant to the ranks of others only: where
    there are such documents no one order of two of them is always the better one.
    """
    if metric.order != "reward":
        return bool(metric.order)
    below = levels[levels < facts(metric).rel]
    return not gains_of(metric, below, 1).any()


def worth(metric: Metric, top: int) -> NDArray[np.int16]:
    """Return how much a document is worth to a metric, as a place among all codes of a cell."""
    judged = CODES > UNJUDGED
    relevant = judged & (facts(metric).rel <= CODES)
    if metric.order in {"gain", "reward"}:
        value = np.where(judged, gains_of(metric, CODES, top), 0.0)
        value = np.where(relevant, value, -1.0) if metric.order == "reward" else value
    elif metric.order == "judged":
        value = 1.0 * judged
    else:
        value = 2.0 * relevant
        if metric.order == "preference":
            value += (CODES >= UNJUDGED) & (CODES < 0)
    return np.unique(value, return_inverse=True)[1].astype(np.int16)


def reordered_scores(
    block: Block, metrics: Sequence[Metric], depths: Sequence[int]
) -> Iterator[Array]:
    """Score a block of rankings with tied documents in the worst and in the best order.

    Parameters
    ----------
    block
        Rankings that know their ties, of one top grade.
    metrics
        The metrics.
    depths
        Depths to return.

    Yields
    ------
    numpy.ndarray
        The lowest and the highest scores of a metric, shape (..., topic, depth) each. Where a
        cost is NaN in the worst order alone, the highest is NaN.
    """
    columns = np.asarray(depths) - 1
    orders: dict[bytes, list[Evidence]] = {}
    for metric in metrics:
        if not _ordered(metric, block.levels):
            yield from (side[..., columns] for side in extremes_of_all(metric, block))
            continue
        value = worth(metric, block.top)
        name = value.tobytes()
        if name not in orders:
            orders[name] = [Evidence(_reordered(block, key)) for key in (value, -value)]
        first, second = (metric.score(evidence)[..., columns] for evidence in orders[name])
        yield np.fmin(first, second)
        yield np.maximum(first, second)


def _reordered(block: Block, key: NDArray[np.int16]) -> Block:
    """Return rankings with every tied block in rising order of a key of their codes."""
    depth = block.grade.shape[-1]
    beyond = _tail(block, key, depth)
    cell = np.concatenate([block.grade, beyond], axis=-1)
    joined = np.concatenate([np.asarray(block.tied), np.ones(beyond.shape, bool)], axis=-1)
    tied = np.cumsum(~joined, axis=-1, dtype=np.int32)
    code = tied * (2 * len(CODES)) + key[cell.astype(np.int16) - CODES[0]]
    code[cell == EMPTY] = np.iinfo(np.int32).max
    order = np.argsort(code, axis=-1, kind="stable")[..., :depth]
    grade = np.take_along_axis(cell, order, axis=-1)
    return block.with_lists(grade, block.retrieved)


def _tail(block: Block, key: NDArray[np.int16], depth: int) -> Array:
    """Return documents below the last rank tied with it, the first by a key, at most `depth`."""
    tail, size = np.asarray(block.tail), np.asarray(block.tail_size)
    codes = np.append(block.levels, UNJUDGED).astype(np.int64)
    counts = np.concatenate([tail, (size - tail.sum(axis=-1))[..., np.newaxis]], axis=-1)
    order = np.argsort(key[codes - CODES[0]], kind="stable")
    ends = np.cumsum(counts[..., order], axis=-1)
    width = min(int(size.max(initial=0)), depth)
    place = (np.arange(width)[:, np.newaxis] >= ends[..., np.newaxis, :]).sum(axis=-1)
    known = np.append(codes[order], EMPTY).astype(np.int8)
    result: Array = known[place]
    return result
