"""The lowest and highest score of a ranking: over labels, one label, and orders of ties."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grade
from irframe.errors import MetricError
from irframe.extremes import labelings
from irframe.metrics.base import METRICS, Metric
from irframe.metrics.block import Block
from irframe.metrics.evidence import Evidence
from irframe.metrics.facts import facts
from irframe.names import EMPTY, UNJUDGED

Bounds = tuple[Floats, Floats]


def refuse_unbounded(metrics: list[Metric]) -> None:
    """Raise for metrics whose extremes are not known.

    Examples
    --------
    >>> from irframe.metrics import AP, Bpref
    >>> refuse_unbounded([AP(), Bpref()])
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: wanted metrics that have bounds: ...; found Bpref...
    """
    refused = [str(metric) for metric in metrics if not facts(metric).extremes]
    if refused:
        known = [name for name in METRICS if facts(name).extremes]
        raise MetricError("metrics that have bounds: " + ", ".join(known), "", "", refused)


def labelled_bounds(metric: Any, block: Block, depths: Array) -> Bounds:
    """Return the extremes over all labels of the unjudged documents.

    Parameters
    ----------
    metric
        A metric that declares `fillings`.
    block
        The rankings, a topic each, cut no higher than the deepest depth.
    depths
        Depths wanted, shape (depth,).

    Returns
    -------
    lower, upper
        Shape (row, depth).
    """
    scaled = block.levels, block.top
    if metric.graded == "labelings" and not labelings.Labels.of(metric, *scaled).single:
        return labelings.labelled_extremes(metric, block, depths)
    lower, upper = (side[:, depths - 1] for side in labelings.filled_extremes(metric, block))
    grades = labelings.scale(metric, *scaled)
    gains = np.setdiff1d(labelings.gains_of(metric, grades, block.top), [0.0])
    if metric.graded == "ratios" and len(gains) > 1:
        moving = depths >= block.pool_depth if metric.ideal == "pool" else depths > 0
        highest = labelings.highest_ndcg(metric, block, depths[moving], upper[:, moving])
        upper[:, moving] = highest
    return lower, upper


def refuse_long(metric: Any, block: Block, depths: Array) -> None:
    """Raise if the extremes of a metric would take too long.

    Parameters
    ----------
    metric
        A metric.
    block
        Rankings of one top grade, of any shape.
    depths
        Depths wanted, shape (depth,).

    Raises
    ------
    MetricError
        If it would take minutes.
    """
    if metric.graded != "labelings":
        return
    labels = labelings.Labels.of(metric, block.levels, block.top)
    own = np.unique(np.minimum(depths, metric.depth or depths))
    if not labels.single:
        unjudged = np.cumsum(block.grade == UNJUDGED, axis=-1, dtype=np.int32)
        labels.refuse_long(unjudged[..., own - 1], own)


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
    ...     grade=np.array([[1, UNJUDGED, 0]], dtype=np.int16),
    ...     retrieved=np.array([3]),
    ...     levels=np.array([0, 1]),
    ...     count=np.array([[1, 1]]),
    ...     top=1,
    ... )
    >>> one_label(P(), block, 2)
    array([[nan, 0.5, nan]])
    """
    block = labelings.with_level(block, max(int(block.top), 1))
    rises = np.full(block.grade.shape, np.nan)
    row, rank = np.nonzero(block.grade == UNJUDGED)
    known = _at(metric, block, depth)
    for part in labelings.pieces(len(row), block.grade.shape[-1]):
        lists = block.take(row[part])
        best = np.max(list(_graded(metric, lists, rank[part], depth)), axis=0)
        rises[row[part], rank[part]] = np.maximum(best - known[row[part]], 0)
    return rises


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


def refuse_unordered(metrics: Iterable[Metric]) -> None:
    """Raise for metrics of which no one order of tied documents is known to be the best.

    Examples
    --------
    >>> from irframe.metrics import AP, Twist
    >>> refuse_unordered([AP(), Twist()])
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: wanted metrics for which one order of ties is the best; found Twist.
    Leave them out, or compare two orders of ties by tie_agreement.
    """
    unknown = [str(metric) for metric in metrics if not metric.order or _pays_below(metric)]
    if unknown:
        advice = "leave them out, or compare two orders of ties by tie_agreement"
        raise MetricError("metrics for which one order of ties is the best", "", advice, unknown)


def _pays_below(metric: Metric) -> bool:
    """Return whether grades that are not relevant gain beside those that are."""
    below = np.arange(facts(metric).rel)
    return metric.order == "reward" and bool(labelings.gains_of(metric, below, 1).any())


def worth(metric: Metric, levels: Array, top: int) -> NDArray[np.int32]:
    """Return how much a document is worth to a metric, as a place, for every grade and mark."""
    codes, places = np.append([EMPTY, UNJUDGED], levels), np.zeros(1 << 16, np.int32)
    judged = codes > UNJUDGED
    relevant = judged & (facts(metric).rel <= codes)
    if metric.order in {"gain", "reward"}:
        value = np.where(judged, labelings.gains_of(metric, codes, top), 0.0)
        value = np.where(relevant, value, -1.0) if metric.order == "reward" else value
    elif metric.order == "judged":
        value = 1.0 * judged
    else:
        value = 2.0 * relevant
        if metric.order == "preference":
            value += (codes >= UNJUDGED) & (codes < 0)
    places[codes] = np.unique(value, return_inverse=True)[1]
    return places


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
        value = worth(metric, block.levels, block.top)
        name = value.tobytes()
        if name not in orders:
            orders[name] = [Evidence(_reordered(block, key)) for key in (value, -value)]
        first, second = (metric.score(evidence)[..., columns] for evidence in orders[name])
        yield np.fmin(first, second)
        yield np.maximum(first, second)


def _reordered(block: Block, key: NDArray[np.int32]) -> Block:
    """Return rankings with every tied block in rising order of a key of their codes."""
    depth = block.grade.shape[-1]
    beyond = _tail(block, key, depth)
    cell = np.concatenate([block.grade, beyond], axis=-1)
    joined = np.concatenate([np.asarray(block.tied), np.ones(beyond.shape, bool)], axis=-1)
    tied = np.cumsum(~joined, axis=-1, dtype=np.int32)
    code = tied * (1 + np.ptp(key)) + key[cell]
    code[cell == EMPTY] = np.iinfo(np.int32).max
    order = np.argsort(code, axis=-1, kind="stable")[..., :depth]
    grade = np.take_along_axis(cell, order, axis=-1)
    return block.with_lists(grade, block.retrieved)


def _tail(block: Block, key: NDArray[np.int32], depth: int) -> Array:
    """Return documents below the last rank tied with it, the first by a key, at most `depth`."""
    tail, size = np.asarray(block.tail), np.asarray(block.tail_size)
    codes = np.append(block.levels, UNJUDGED).astype(np.int64)
    counts = np.concatenate([tail, (size - tail.sum(axis=-1))[..., np.newaxis]], axis=-1)
    order = np.argsort(key[codes], kind="stable")
    width = min(int(size.max(initial=0)), depth)
    return lists_of(counts[..., order], codes[order], width)


def lists_of(counts: Array, codes: Array, width: int) -> Array:
    """Return lists that hold so many documents of each code, one code after the other.

    Parameters
    ----------
    counts
        How many, shape (..., code).
    codes
        Grades or marks, shape (code,).
    width
        How many ranks to return.

    Returns
    -------
    numpy.ndarray
        Codes by rank, shape (..., width), `irframe.names.EMPTY` past the end.

    Examples
    --------
    >>> lists_of(np.array([1, 2]), np.array([3, 0]), 4).tolist()
    [3, 0, 0, -32768]
    """
    ends = np.cumsum(counts, axis=-1)
    place = (np.arange(width)[:, np.newaxis] >= ends[..., np.newaxis, :]).sum(axis=-1)
    known = np.append(codes, EMPTY).astype(Grade)
    return np.asarray(known[place])
