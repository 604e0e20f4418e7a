"""Which metrics cannot contradict an innate ordering."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.view import experiment_of
from irframe.gains import Binary, Gain, parse_gain
from irframe.metrics import Metric
from irframe.studies.orderings.orderings import GainLike


def is_bound(cube: xr.Dataset, metric: Metric, *, gain: GainLike, rel: int) -> bool:
    """Return whether a metric scores a ranking that is not inferior at least as high.

    Parameters
    ----------
    cube
        The cube that is compared: what counts are its grades.
    metric
        The metric.
    gain, rel
        Gain map and lowest relevant grade of the orderings.

    Notes
    -----
    The metric and the orderings must see the same gains, up to their unit. Sums of gain in which
    no rank counts more than the one above are bound then. Metrics that look at the ranks of the
    relevant documents, and ERR and Q, are bound if a document either gains or does not: on graded
    gains an ordering follows from sums, which these metrics do not keep to. Metrics that see the
    length of a list, unjudged documents or an ideal position are not bound.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> metrics = ir.metrics.nDCG(), ir.metrics.ERR(gain="linear")
    >>> [is_bound(cube, metric, gain="linear", rel=1) for metric in metrics]
    [True, False]
    """
    if metric.judged_only:
        return False
    monotone = metric.order in {"gain", "relevance"} and not metric.sees_length
    experiment = experiment_of(cube)
    levels = experiment.judgments.levels
    for top in np.unique(experiment.tops):
        seen = _worth(levels[levels <= top], int(top), *gains_of(metric))
        ordered = _worth(levels[levels <= top], int(top), gain, rel)
        binary = bool(np.isin(ordered, (0, 1)).all())
        if not np.allclose(seen, ordered) or not (metric.additive or (monotone and binary)):
            return False
    return True


def gains_of(metric: Metric) -> tuple[Gain, int]:
    """Return the gain map and the lowest relevant grade of a metric, binary from 1 without them.

    Examples
    --------
    >>> import irframe as ir
    >>> gains_of(ir.metrics.AP(rel=2))
    (Binary(), 2)
    """
    return getattr(metric, "gain", Binary()), getattr(metric, "rel", 1)


def _worth(levels: Any, top: int, gain: GainLike, rel: int) -> NDArray[np.float64]:
    """Return the gain of every grade as a share of the highest."""
    worth = parse_gain(gain).map(levels, rel=rel, top=top)
    return np.asarray(worth / max(worth.max(initial=0), np.finfo(float).tiny))
