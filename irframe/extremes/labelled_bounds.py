"""The lowest and highest score that the unjudged documents of a ranking allow, for any metric."""

from typing import Any

import numpy as np

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.extremes.fillings import filled_extremes, gains_of, scale
from irframe.extremes.labelings import Labels, labelled_extremes
from irframe.extremes.ratios import highest_ndcg
from irframe.metrics.base import METRICS, Metric
from irframe.metrics.block import Block
from irframe.metrics.facts import facts
from irframe.names import UNJUDGED

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


def labelled_bounds(metric: Metric, block: Block, depths: Array) -> Bounds:
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
    return GRADED[metric.graded](metric, block, depths)


def _plain(metric: Metric, block: Block, depths: Array) -> Bounds:
    lower, upper = filled_extremes(metric, block)
    return lower[:, depths - 1], upper[:, depths - 1]


def _by_labelings(metric: Any, block: Block, depths: Array) -> Bounds:
    single = Labels.of(metric, block.levels, block.top).single
    return (_plain if single else labelled_extremes)(metric, block, depths)


def _by_ratios(metric: Any, block: Block, depths: Array) -> Bounds:
    lower, upper = _plain(metric, block, depths)
    gains = gains_of(metric, scale(metric, block.levels, block.top), block.top)
    if len(np.setdiff1d(gains, [0.0])) > 1:
        moving = depths >= block.pool_depth if metric.ideal == "pool" else depths > 0
        upper[:, moving] = highest_ndcg(metric, block, depths[moving], upper[:, moving])
    return lower, upper


GRADED = {"": _plain, "labelings": _by_labelings, "ratios": _by_ratios}
"""How the extremes are found, by what a metric declares as `graded`."""


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
    labels = Labels.of(metric, block.levels, block.top)
    own = np.unique(np.minimum(depths, metric.depth or depths))
    if not labels.single:
        unjudged = np.cumsum(block.grade == UNJUDGED, axis=-1, dtype=np.int32)
        labels.refuse_long(unjudged[..., own - 1], own)
