"""Correlations between orderings at different depths, and stable depths.

Verbs: volatility, stability.
"""

from typing import Any, overload

import numpy as np
import pandas as pd
import xarray as xr

from irframe.agreements import Agreement, Method, parse_agreement, share_above, stable_depth
from irframe.checks import holding, number
from irframe.cubes.parse_scores import ScoreLike
from irframe.cubes.scores import Scores
from irframe.cubes.verb import verb
from irframe.depth import agreement
from irframe.depth.agreement import Of
from irframe.errors import DepthError, InputError, ParameterError
from irframe.names import METRIC, SYSTEM, TOPIC
from irframe.scores.averages import Resamples, Resampling
from irframe.scores.read_scores import (
    Reference,
    Sides,
    pick_metric,
    read_scores,
    same_systems,
    share_topics,
)
from irframe.stops import axis_of


@overload
def volatility(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    coefficient: Method = "kendall",
    *,
    topics: Sides | None = None,
    interval_of: None = None,
    alpha: float = 0.05,
    resamples: Resampling | int = 1000,
) -> xr.DataArray: ...


@overload
def volatility(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    coefficient: Method = "kendall",
    *,
    topics: Sides | None = None,
    interval_of: Of,
    alpha: float = 0.05,
    resamples: Resampling | int = 1000,
) -> xr.Dataset: ...
@verb
def volatility(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    coefficient: Method = "kendall",
    *,
    topics: Sides | None = None,
    interval_of: Of | None = None,
    alpha: float = 0.05,
    resamples: Resampling | int = 1000,
) -> xr.DataArray | xr.Dataset:
    """Correlate the orderings of systems between all pairs of depths.

    Parameters
    ----------
    scores
        Scores over (metric, system, topic, depth).
    reference
        The second side of the comparison: a metric of `scores`, or other scores by depth. Other
        scores must have the same systems as `scores`, and either one metric or the same metrics as
        `scores`. By default, each metric is compared with itself.
    coefficient
        A measure of agreement or its name, as for `agreement`.
    topics
        The topics to use if the reference has different topics, as for `coverage`.
    interval_of
        The quantity that confidence intervals estimate, as for `agreement`. By default, no
        intervals are computed. Intervals at many depths take long to compute, so select a few
        depths first.
    alpha, resamples
        One minus the confidence level, and the resamples of the topics, as for `agreement`.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        Volatility matrices over (metric, depth, depth_other). After `groupby`, the group is the
        first dimension. The coordinate ``metric_other`` names the metric of the second side, and
        the attribute ``coefficient`` names the measure. Undefined correlations are NaN, for example
        if all systems tie. With `interval_of`, the result is a dataset, as for `agreement`.

    Raises
    ------
    DepthError
        If the scores have no depths.
    ParameterError
        If a measure or metric is unknown, or if the reference has different systems.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them. Intervals cause the same
        warnings as in `agreement`.

    Notes
    -----
    ``T[k1, k2] = corr(order at k1, order at k2)``, where systems are ordered by mean score. As in
    `agreement`, means are rounded, and means of cost metrics change sign. For tau_ap, the ordering
    at ``depth`` is the true ordering, and not the ordering at ``depth_other``.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.7, Figs. 5-7.
       doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("RBP(p=0.8)", at=[1, 10, 50])
    >>> scores.ireval.volatility()[0].round(2).to_pandas()
    depth_other    1     10    50
    depth
    1            1.00  0.67  0.67
    10           0.67  1.00  1.00
    50           0.67  1.00  1.00
    """
    method = parse_agreement(coefficient)
    options = agreement.Intervals(Resamples.of(alpha, resamples), interval_of or "expected")
    first = read_scores(scores)
    if first.depths is None:
        advice = "compute the scores with cube.ireval.score()"
        raise DepthError("scores by depth", "scores without depths", advice)
    second = first if reference is None else _second(first, reference)
    rows, columns = share_topics(first, second, topics, at_every_depth=True)
    values = _volatility(rows, columns, method)
    agreement.beware_of_ties(values)
    if interval_of is None:
        return values
    return agreement.with_ends(
        values, agreement.between_depths(rows, columns, options, method), options, rows
    )


def _second(scores: Scores, reference: Any) -> Scores:
    if not isinstance(reference, ScoreLike):
        return pick_metric(scores, reference)
    second = same_systems(scores, read_scores(reference))
    if second.depths is None or len(second.metrics) not in {1, len(scores.metrics)}:
        sizes = zip((METRIC, SYSTEM, TOPIC, second.axis.dim), second.values.shape, strict=True)
        expected = "a reference by depth, with one metric or as many metrics as the scores"
        raise ParameterError(expected, "the sizes " + ", ".join(f"{dim} {n}" for dim, n in sizes))
    return second


def _volatility(rows: Scores, columns: Scores, method: Agreement) -> xr.DataArray:
    # if both sides are the same object, kernels prepare the means only once
    left = agreement.system_means(rows, method)
    right = left if columns is rows else agreement.system_means(columns, method)
    # a reference with one metric is the second side of every metric
    names = [*columns.metrics] * (1 if len(right) == len(left) else len(left))
    axis = rows.axis
    labels = {axis.other: columns.labels()[axis.dim], agreement.METRIC_OTHER: (METRIC, names)}
    dims = (METRIC, axis.dim, axis.other)
    attributes = {**rows.attrs, "coefficient": repr(method)}
    values = method.kernel(left, right)
    return xr.DataArray(values, rows.labels() | labels, dims, name="agreement", attrs=attributes)


@verb
def stability(volatility: xr.DataArray, threshold: float = 0.9) -> xr.Dataset:
    """Find the depth from which the ordering no longer changes.

    Parameters
    ----------
    volatility
        Volatility matrices, as returned by `irframe.verbs.volatility`.
    threshold
        Correlation above which two orderings count as equivalent, from -1 to 1.

    Returns
    -------
    xarray.Dataset
        ``stable_depth`` is the smallest depth k such that all correlations between depths of at
        least k exceed the threshold, or NaN if no such depth exists. ``share_above`` is the share
        of correlations between different depths that exceed the threshold, from 0 to 1. Both
        variables have the dimension metric. After `groupby`, the group is the first dimension.

    Raises
    ------
    InputError
        If `volatility` is not a volatility matrix with the same depths on both sides.

    Notes
    -----
    The stable depth is ``min {k : T[k1, k2] > threshold for all k1, k2 >= k}``. An undefined
    correlation does not exceed the threshold. A stable depth equal to the last depth is no evidence
    of stability, because an ordering always agrees with itself.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.7. doi:10.1007/s10791-016-9282-6
    .. [2] Voorhees. Evaluation by highly relevant documents. SIGIR 2001.
       doi:10.1145/383952.383963

    Examples
    --------
    >>> depths = [5, 10, 20]
    >>> matrix = xr.DataArray(
    ...     [[1, 0.7, 0.6], [0.7, 1, 0.95], [0.6, 0.95, 1]],
    ...     {"depth": depths, "depth_other": depths},
    ... )
    >>> result = stability(matrix)
    >>> result["stable_depth"].item(), round(result["share_above"].item(), 3)
    (10.0, 0.333)
    """
    axis = axis_of(volatility)
    dims = (axis.dim, axis.other)
    expected = f"a volatility matrix, with dimensions {dims[0]} and {dims[1]}"
    holding(expected, volatility, {*dims}, "sizes")
    matrix = volatility.transpose(..., *dims)
    depths, second = (matrix[dim].to_numpy() for dim in dims)
    unmatched = np.setxor1d(depths, second)
    if len(unmatched) or not np.array_equal(depths, second):
        got = "depths in one dimension only" if len(unmatched) else "depths in a different order"
        advice = "select the same depths of both dimensions"
        raise InputError(f"the same depths in {dims[0]} and {dims[1]}", got, advice, unmatched)
    number("threshold", threshold, low=-1, high=1)
    first = matrix.isel(dict.fromkeys(dims, 0), drop=True)
    values = matrix.to_numpy()
    stable = first.copy(data=stable_depth(values, depths=depths, threshold=threshold))
    above = first.copy(data=share_above(values, threshold=threshold))
    return xr.Dataset({"stable_depth": stable, "share_above": above})
