"""The lowest and highest score that the unjudged documents of a ranking allow, for any metric."""

import numpy as np

from irframe.errors import MetricError
from irframe.extremes.fillings import Rankings, filled_extremes, scale
from irframe.extremes.labelings import Labels, labelled_extremes
from irframe.extremes.ratios import highest_ndcg
from irframe.metrics.base import METRICS, Floats, Metric
from irframe.metrics.evidence import Array
from irframe.metrics.ndcg import nDCG
from irframe.metrics.q import Q

Bounds = tuple[Floats, Floats]


def refuse_unbounded(metrics: list[Metric]) -> None:
    """Raise for metrics whose extremes are not known.

    Examples
    --------
    >>> from irframe.metrics import AP, Bpref
    >>> refuse_unbounded([AP(), Bpref()])
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: wanted metrics that have bounds: ...; found others: Bpref...
    """
    refused = [str(metric) for metric in metrics if not (metric.ceiling or metric.fillings)]
    if refused:
        known = [name for name, kind in METRICS.items() if kind.ceiling or kind.fillings]
        raise MetricError("metrics that have bounds: " + ", ".join(known), "others", "", refused)


def labelled_bounds(metric: Metric, rankings: Rankings, depths: Array) -> Bounds:
    """Return the extremes over all labels of the unjudged documents.

    Parameters
    ----------
    metric
        A metric that declares `fillings`.
    rankings
        The rankings, cut no higher than the deepest depth.
    depths
        Depths wanted, shape (depth,).

    Returns
    -------
    lower, upper
        Shape (row, depth).
    """
    columns = depths - 1
    if isinstance(metric, Q) and not Labels.of(metric, rankings.levels, rankings.top).single:
        return labelled_extremes(metric, rankings, depths)
    lower, upper = (extreme[:, columns] for extreme in filled_extremes(metric, rankings))
    if isinstance(metric, nDCG) and _several_gains(metric, rankings):
        moving = depths >= rankings.pool_depth if metric.ideal == "pool" else depths > 0
        upper[:, moving] = highest_ndcg(metric, rankings, depths[moving], upper[:, moving])
    return lower, upper


def _several_gains(metric: nDCG, rankings: Rankings) -> bool:
    grades = scale(metric, rankings.levels, rankings.top)
    gains = metric.gain.map(grades, rel=metric.rel, top=rankings.top)
    return bool(len(np.setdiff1d(gains, [0.0])) > 1)
