"""Score bounds over possible labels, and over orders of ties."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grade
from irframe.errors import MetricError
from irframe.extremes import labelings
from irframe.metrics.base import METRICS, Metric
from irframe.metrics.facts import facts
from irframe.names import EMPTY, UNJUDGED
from irframe.quantities.block import Block
from irframe.quantities.evidence import Evidence

Bounds = tuple[Floats, Floats]


def refuse_unbounded(metrics: list[Metric]) -> None:
    """Raise for metrics without bounds.

    Examples
    --------
    >>> from irframe.metrics import AP, Bpref
    >>> refuse_unbounded([AP(), Bpref()])
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: expected metrics with bounds: ..., but found Bpref...
    """
    refused = [str(metric) for metric in metrics if not facts(metric).extremes]
    if refused:
        names = [name for name in METRICS if facts(name).extremes]
        raise MetricError("metrics with bounds: " + ", ".join(names), "", "", refused)


def labelled_bounds(metric: Any, block: Block, depths: Array) -> Bounds:
    """Return score bounds over all possible labels of unjudged documents.

    Parameters
    ----------
    metric
        A metric with `fillings`.
    block
        Rankings with one topic each, and with at least as many ranks as the largest depth.
    depths
        Evaluation depths, shape (depth,).

    Returns
    -------
    lower, upper
        Bounds, shape (row, depth).
    """
    levels_and_top = block.levels, block.top
    if metric.graded == "labelings" and not labelings.Labels.of(metric, *levels_and_top).single:
        return labelings.labelled_extremes(metric, block, depths)
    lower, upper = (side[:, depths - 1] for side in labelings.filled_extremes(metric, block))
    grades = labelings.scale(metric, *levels_and_top)
    gains = np.setdiff1d(labelings.gains_of(metric, grades, block.top), [0.0])
    if metric.graded == "ratios" and len(gains) > 1:
        # at depths less than `pool_depth`, labels do not change the ideal ranking, so
        # `filled_extremes` returns exact bounds
        moving = depths >= block.pool_depth if metric.ideal == "pool" else depths > 0
        highest = labelings.highest_ndcg(metric, block, depths[moving], upper[:, moving])
        upper[:, moving] = highest
    return lower, upper


def refuse_long(metric: Any, block: Block, depths: Array) -> None:
    """Raise if computing the bounds would take minutes.

    Parameters
    ----------
    metric
        A metric.
    block
        Rankings of topics with the same top grade.
    depths
        Evaluation depths, shape (depth,).

    Raises
    ------
    MetricError
        If the computation needs more steps than `irframe.extremes.labelings.STEPS`.
    """
    if metric.graded != "labelings":
        return
    labels = labelings.Labels.of(metric, block.levels, block.top)
    scored = np.unique(np.minimum(depths, metric.depth or depths))
    if not labels.single:
        unjudged = np.cumsum(block.grade == UNJUDGED, axis=-1, dtype=np.int32)
        labels.refuse_long(unjudged[..., scored - 1], scored)


def one_label(metric: Metric, block: Block, depth: int) -> Floats:
    """Return how much each unjudged document may raise the score.

    Documents are labelled one at a time.

    Parameters
    ----------
    metric
        A metric without subtopics.
    block
        Rankings of shape (row, depth), with one topic each, the same top grade and no ties.
    depth
        Evaluation depth.

    Returns
    -------
    numpy.ndarray
        Largest increase of the score over all grades that the document may have, at least 0, shape
        (row, depth of the block). The increase is NaN at ranks without an unjudged document.

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
    scores = _score_at(metric, block, depth)
    for piece in labelings.pieces(len(row), block.grade.shape[-1]):
        lists = block.take(row[piece])
        best = np.max(list(_graded(metric, lists, rank[piece], depth)), axis=0)
        rises[row[piece], rank[piece]] = np.maximum(best - scores[row[piece]], 0)
    return rises


def _graded(metric: Metric, lists: Block, rank: NDArray[np.intp], depth: int) -> Iterator[Floats]:
    """Yield scores for each possible grade of one document."""
    rows = np.arange(len(rank))
    for index, level in enumerate(lists.levels):
        if level > 0:
            grade = lists.grade.copy()
            grade[rows, rank] = level
            count = np.array(lists.count)
            count[rows, index] += 1
            yield _score_at(metric, replace(lists, grade=grade, count=count), depth)


def _score_at(metric: Metric, block: Block, depth: int) -> Floats:
    return metric.score(Evidence(block))[..., depth - 1]


def refuse_unordered(metrics: Iterable[Metric]) -> None:
    """Raise if a metric has no best order of ties.

    Examples
    --------
    >>> from irframe.metrics import AP, Twist
    >>> refuse_unordered([AP(), Twist()])
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: expected metrics with a best order of ties, but found Twist. Leave
    these metrics out, or compare two orders of ties by tie_agreement.
    """
    refused = [str(metric) for metric in metrics if not metric.order or _gains_below(metric)]
    if refused:
        advice = "leave these metrics out, or compare two orders of ties by tie_agreement"
        raise MetricError("metrics with a best order of ties", "", advice, refused)


def _gains_below(metric: Metric) -> bool:
    """Return whether grades below the relevance threshold have gain."""
    below = np.arange(facts(metric).rel)
    return metric.order == "reward" and bool(labelings.gains_of(metric, below, 1).any())


def preference_ranks(metric: Metric, levels: Array, top: int) -> NDArray[np.int32]:
    """Return a value per grade that reflects a metric's preference.

    The index of the resulting array is a grade, `EMPTY` or `UNJUDGED`. Preferred grades have higher
    values.
    """
    codes = np.append([EMPTY, UNJUDGED], levels)
    # grades are int16, and negative codes index the array from its end
    ranks = np.zeros(1 << 16, np.int32)
    judged = codes > UNJUDGED
    relevant = judged & (facts(metric).rel <= codes)
    if metric.order in {"gain", "reward"}:
        value = np.where(judged, labelings.gains_of(metric, codes, top), 0.0)
        value = np.where(relevant, value, -1.0) if metric.order == "reward" else value
    elif metric.order == "judged":
        value = 1.0 * judged
    else:
        value = 1.0 * relevant
    ranks[codes] = np.unique(value, return_inverse=True)[1]
    return ranks


def reordered_scores(
    block: Block, metrics: Sequence[Metric], depths: Sequence[int]
) -> Iterator[Array]:
    """Yield lowest and highest scores over all orders of ties.

    Parameters
    ----------
    block
        Rankings with ties, of topics with the same top grade.
    metrics
        The metrics.
    depths
        Depths to return.

    Yields
    ------
    numpy.ndarray
        For each metric the lowest scores, then the highest scores, both of shape (..., topic,
        depth). For a cost, the highest score is NaN if the worst order of ties has no score.
    """
    columns = np.asarray(depths) - 1
    orders: dict[bytes, list[Evidence]] = {}
    for metric in metrics:
        ranks = preference_ranks(metric, block.levels, block.top)
        cached = ranks.tobytes()
        if cached not in orders:
            orders[cached] = [Evidence(_reordered(block, key)) for key in (ranks, -ranks)]
        first, second = (metric.score(evidence)[..., columns] for evidence in orders[cached])
        yield np.fmin(first, second)
        yield np.maximum(first, second)


def _reordered(block: Block, key: NDArray[np.int32]) -> Block:
    """Return the rankings with tied documents sorted by a key."""
    depth = block.grade.shape[-1]
    beyond = _tail(block, key, depth)
    cell = np.concatenate([block.grade, beyond], axis=-1)
    joined = np.concatenate([np.asarray(block.tied), np.ones(beyond.shape, bool)], axis=-1)
    tied = np.cumsum(~joined, axis=-1, dtype=np.int32)
    # one integer sorts by group of tied documents, and within each group by the key
    code = tied * (1 + np.ptp(key)) + key[cell]
    # ranks past the end of a list stay at the end
    code[cell == EMPTY] = np.iinfo(np.int32).max
    order = np.argsort(code, axis=-1, kind="stable")[..., :depth]
    grade = np.take_along_axis(cell, order, axis=-1)
    return block.with_lists(grade, block.retrieved)


def _tail(block: Block, key: NDArray[np.int32], depth: int) -> Array:
    """Return sorted grades of documents tied with the last rank.

    The documents are ranked below the last rank, and have the score of the document at the last
    rank.
    """
    tail = np.asarray(block.tail)
    size = np.asarray(block.tail_size)
    codes = np.append(block.levels, UNJUDGED).astype(np.int64)
    counts = np.concatenate([tail, (size - tail.sum(axis=-1))[..., np.newaxis]], axis=-1)
    order = np.argsort(key[codes], kind="stable")
    width = min(int(size.max(initial=0)), depth)
    return lists_of(counts[..., order], codes[order], width)


def lists_of(counts: Array, codes: Array, width: int) -> Array:
    """Return lists with a given number of documents per grade.

    Parameters
    ----------
    counts
        Number of documents of each grade, shape (..., code).
    codes
        Grades, or `UNJUDGED`, in the order of the list, shape (code,).
    width
        Number of ranks to return.

    Returns
    -------
    numpy.ndarray
        Grades by rank, shape (..., width), and `irframe.names.EMPTY` past the end.

    Examples
    --------
    >>> lists_of(np.array([1, 2]), np.array([3, 0]), 4).tolist()
    [3, 0, 0, -32768]
    """
    ends = np.cumsum(counts, axis=-1)
    index = (np.arange(width)[:, np.newaxis] >= ends[..., np.newaxis, :]).sum(axis=-1)
    return np.asarray(np.append(codes, EMPTY).astype(Grade)[index])
