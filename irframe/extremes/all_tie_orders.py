"""Every order of tied documents, for metrics of which it is not known which is the best."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import factorial, prod

import numpy as np

from irframe.arrays import Array
from irframe.errors import MetricError
from irframe.metrics.base import Metric
from irframe.metrics.block import Block
from irframe.metrics.evidence import Evidence
from irframe.names import EMPTY, UNJUDGED

LIMIT = 20_000
"""Orders of one ranking that are tried at the most."""
CELLS = 1 << 20
"""Cells scored at a time, to bound memory."""


def arrange(block: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield every distinct order of some values.

    Examples
    --------
    >>> list(arrange([0, 1, 1]))
    [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    """
    if not block:
        yield ()
        return
    for value in sorted(set(block)):
        rest = block.copy()
        rest.remove(value)
        for others in arrange(rest):
            yield (value, *others)


def count_orders(blocks: list[list[int]]) -> int:
    """Return how many distinct orders the documents of tied blocks have.

    Examples
    --------
    >>> count_orders([[0], [0, 1, 1]])
    3
    """
    return prod(
        factorial(len(block)) // prod(factorial(n) for n in Counter(block).values())
        for block in blocks
    )


def extremes_of_all(metric: Metric, block: Block) -> tuple[Array, Array]:
    """Score rankings in every distinct order of their tied documents.

    Parameters
    ----------
    metric
        The metric.
    block
        Rankings that know their ties, of one top grade.

    Returns
    -------
    lowest, highest : numpy.ndarray
        Scores, shape (..., topic, depth).

    Raises
    ------
    MetricError
        If a ranking has more than `LIMIT` orders.
    """
    low, high = np.empty(block.grade.shape), np.empty(block.grade.shape)
    for index in np.ndindex(block.shape):
        one = block.take(*index)
        orders = _orders(metric, one)
        parts = []
        for piece in np.array_split(orders, 1 + orders.size // CELLS):
            retrieved = np.full(len(piece), one.retrieved)
            scores = metric.score(Evidence(one.with_lists(piece, retrieved)))
            parts.append((np.fmin.reduce(scores), np.maximum.reduce(scores)))
        lows, highs = zip(*parts, strict=True)
        low[index], high[index] = np.fmin.reduce(lows), np.maximum.reduce(highs)
    return low, high


def _orders(metric: Metric, one: Block) -> Array:
    """Return the grades of one ranking in every distinct order, shape (order, depth)."""
    blocks, depth = _tied_blocks(one), len(one.grade)
    count = count_orders(blocks)
    if count > LIMIT:
        wanted = f"at most {LIMIT} orders of tied documents in a ranking for {metric}"
        raise MetricError(wanted, f"{count}", "no one order is known to be the best for it")
    orders = np.empty((1, 0), np.int8)
    for block in blocks:
        arranged = list(arrange(block))
        some = np.array(arranged, np.int8).reshape(len(arranged), len(block))
        repeated = np.repeat(orders, len(some), axis=0)
        orders = np.concatenate([repeated, np.tile(some, (len(orders), 1))], axis=1)
    padded = np.full((len(orders), max(depth, orders.shape[1])), EMPTY, np.int8)
    padded[:, : orders.shape[1]] = orders
    return np.ascontiguousarray(padded[:, :depth])


def _tied_blocks(one: Block) -> list[list[int]]:
    """Return the codes of one ranking and of what is tied with its end, block by block."""
    tied, tail, size = (np.asarray(part) for part in (one.tied, one.tail, one.tail_size))
    shown = one.grade[one.grade != EMPTY]
    beyond = np.repeat([*one.levels, UNJUDGED], [*tail, size - tail.sum()])
    codes = np.concatenate([shown, beyond]).tolist()
    starts = [0, *(np.flatnonzero(~tied[1 : len(shown)]) + 1).tolist(), len(codes)]
    return [codes[a:b] for a, b in pairwise(starts)]
