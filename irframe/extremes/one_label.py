"""How much higher a score would be if one unjudged document alone were relevant."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Floats
from irframe.metrics.base import Metric
from irframe.metrics.block import Block
from irframe.metrics.evidence import Evidence
from irframe.names import UNJUDGED

CELLS = 1 << 20
"""Ranks of changed lists that are scored at a time."""


def one_label(metric: Metric, block: Block, depth: int) -> Floats:
    """Return by how much each unjudged document would raise a score, if it alone were judged.

    Parameters
    ----------
    metric
        A metric without subtopics.
    block
        Rankings of one top grade, shape (row, depth), a topic each, in the one order they have.
    depth
        Evaluation depth.

    Returns
    -------
    numpy.ndarray
        Shape (row, depth of the block): the most that any grade gives, at least 0; NaN
        where a document is judged, or there is none.

    Examples
    --------
    >>> from irframe.metrics import P
    >>> block = Block(
    ...     grade=np.array([[1, UNJUDGED, 0]], dtype=np.int8),
    ...     retrieved=np.array([3]),
    ...     levels=np.array([0, 1]),
    ...     count=np.array([[1, 1]]),
    ...     top=1,
    ... )
    >>> one_label(P(), block, 2)
    array([[nan, 0.5, nan]])
    """
    block = _with_top(block)
    found = np.full(block.grade.shape, np.nan)
    row, rank = np.nonzero(block.grade == UNJUDGED)
    known = _at(metric, block, depth)
    for some in _pieces(len(row), block.grade.shape[-1]):
        lists = block.take(row[some])
        best = np.max(list(_graded(metric, lists, rank[some], depth)), axis=0)
        found[row[some], rank[some]] = np.maximum(best - known[row[some]], 0)
    return found


def _with_top(block: Block) -> Block:
    """Return rankings whose levels hold the top grade, judged or not."""
    top = max(int(block.top), 1)
    if top in block.levels:
        return block
    counts = {name: getattr(block, name) for name in ("count", "pool_count")}
    place = int(np.searchsorted(block.levels, top))
    wider = {name: np.insert(c, place, 0, axis=-1) for name, c in counts.items() if c is not None}
    return replace(block, levels=np.insert(block.levels, place, top), **wider)


def _pieces(number: int, depth: int) -> Iterator[slice]:
    step = max(1, CELLS // max(1, depth))
    return (slice(start, start + step) for start in range(0, number, step))


def _graded(
    metric: Metric, lists: Block, rank: NDArray[np.intp], depth: int
) -> Iterator[NDArray[Any]]:
    """Yield the scores of lists of which one document has a grade, for each that there is."""
    rows = np.arange(len(rank))
    for place, level in enumerate(lists.levels):
        if level > 0:
            grade, count = lists.grade.copy(), np.array(lists.count)
            grade[rows, rank] = level
            count[rows, place] += 1
            yield _at(metric, replace(lists, grade=grade, count=count), depth)


def _at(metric: Metric, block: Block, depth: int) -> Floats:
    return metric.score(Evidence(block))[..., depth - 1]
