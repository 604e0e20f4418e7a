"""Selection of the best systems."""

from typing import overload

import numpy as np
import xarray as xr

from irframe.checks import holding, number
from irframe.cubes.parse_scores import to_scores
from irframe.cubes.score import score
from irframe.cubes.verb import verb
from irframe.cubes.view import Cube
from irframe.errors import InputError
from irframe.experiments.policy import MetricLike, parse_metrics
from irframe.metrics.facts import best_first, facts, index_of
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.scores.averages import averages, metric_labels, scores_at


@overload
def select_top(data: xr.Dataset, share: float = 0.75, *, metric: MetricLike = "AP") -> Cube: ...


@overload
def select_top(
    data: xr.DataArray, share: float = 0.75, *, metric: MetricLike = "AP"
) -> xr.DataArray: ...


@verb(spans=True)
def select_top(
    data: xr.Dataset | xr.DataArray, share: float = 0.75, *, metric: MetricLike = "AP"
) -> Cube | xr.DataArray:
    """Select the best systems.

    Poor systems inflate the correlations of system rankings, because all rankings place poor
    systems last.

    Parameters
    ----------
    data
        A cube, or an array of scores that contains the metric.
    share
        Share of the systems to keep, above 0 and at most 1.
    metric
        The metric by which systems are ranked, at the greatest depth.

    Returns
    -------
    xarray.Dataset or xarray.DataArray
        The data without the worst ``floor((1 - share) n)`` of n systems. The order of systems does
        not change. Among tied systems, the last systems are removed first.

    Raises
    ------
    ParameterError
        If `share` is out of range.
    InputError
        If the scores lack the metric.

    References
    ----------
    .. [1] Voorhees, Buckley. The effect of topic set size on retrieval experiment error. SIGIR
       2002. doi:10.1145/564376.564432

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> select_top(cube).sizes["system"]
    6
    """
    holding("a cube, or an array of scores", data, {SYSTEM}, "sizes")
    share = number("share", share, above=0, high=1)
    (chosen,) = parse_metrics(metric)
    if isinstance(data, xr.Dataset):
        last = score(data, chosen, at=[data.sizes[DEPTH]])[0, ..., 0]
    else:
        scores = to_scores(data)
        row = index_of(str(chosen), labels := metric_labels(scores))
        if row is None:
            advice = "score this metric, or pass another metric="
            raise InputError(f"scores of {chosen}", ", ".join(labels), advice)
        last = scores_at(scores.isel({METRIC: row}), None)
    ranked = best_first(averages(last).to_numpy(), facts(chosen).sign)
    systems = len(ranked)
    # the product is rounded, because (1 - 0.9) * 10 is slightly below 1
    n_removed = int(np.floor(round((1 - share) * systems, 9)))
    return data.isel({SYSTEM: np.sort(ranked[: systems - n_removed])})
