"""How much the ordering of the systems depends on the evaluation depth."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.agreement import Agreement, parse_agreement, share_above, stable_depth
from irframe.errors import DepthError, InputError, ParameterError
from irframe.inference.agreement import METRIC_OTHER, system_means
from irframe.inference.grouping import per_group
from irframe.inference.matching import Depths, match_topics, read_scores
from irframe.inference.reference import Reference, pick_metric, same_systems
from irframe.names import DEPTH, METRIC

DEPTH_OTHER = "depth_other"
"""Dimension of the depths on the other side."""


def volatility(
    scores: xr.DataArray | pd.DataFrame,
    other: Reference | None = None,
    method: str | Agreement = "kendall",
    *,
    at: Depths = None,
    by: str | None = None,
) -> xr.DataArray:
    """Say how alike the systems are ordered at every two depths.

    Parameters
    ----------
    scores
        Scores over (metric, system, topic, depth).
    other
        What stands on the other side: a metric of the scores, or other scores of the same
        systems, by depth, with one metric or all those of `scores`. By default each metric
        itself.
    method
        A method of agreement or its name, as for `agreement`.
    at
        Depths to look at, on both sides; by default all there are.
    by
        A coordinate such as ``"track"``: one matrix per group. Other scores are split alike.

    Returns
    -------
    xarray.DataArray
        Volatility matrices over (metric, depth, depth_other), the group first if `by` is given.
        A coordinate ``metric_other`` names the metric on the other side, an attribute
        ``method`` the method. NaN where a correlation
        is undefined, as where all systems tie.

    Raises
    ------
    DepthError
        For scores without depths, and depths outside them.
    ParameterError
        For an unknown method or metric, and other systems on the other side.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    ``T[k1, k2] = corr(order at k1, order at k2)`` of the systems by mean score. Means are
    rounded and costs change sign as for `agreement`. For tau_ap ``depth`` is the true ordering.

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
    chosen = parse_agreement(method)

    def compute(part: Any, rest: Any) -> xr.DataArray:
        array = read_scores(part)
        if DEPTH not in array.dims:
            raise DepthError("scores by depth", "scores without depths", "score a cube")
        return _volatility(array, array if rest is None else _other(array, rest), chosen, at)

    return per_group(compute, scores, by, other)


def stability(volatility: xr.DataArray, threshold: float = 0.9) -> xr.Dataset:
    """Say from which depth on the ordering of the systems no longer changes, and how often.

    Parameters
    ----------
    volatility
        Volatility matrices, from `irframe.volatility`.
    threshold
        What a correlation has to exceed for two orderings to count as equivalent, -1 to 1.

    Returns
    -------
    xarray.Dataset
        ``stable_depth``, the least depth from which on all correlations exceed the threshold,
        NaN if there is none; and ``share_above``, the share of the entries off the diagonal that
        exceed it, 0 to 1. Over metric, and the group if there is one.

    Raises
    ------
    InputError
        For anything but a volatility matrix with the same depths on both sides.

    Notes
    -----
    ``theta = min {k : T[k1, k2] > threshold for all k1, k2 >= k}``. An undefined correlation
    exceeds nothing. A stable depth equal to the last one only says that the last ordering agrees
    with itself.

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
    >>> found = stability(matrix)
    >>> found["stable_depth"].item(), round(found["share_above"].item(), 3)
    (10.0, 0.333)
    """
    if not isinstance(volatility, xr.DataArray) or not {DEPTH, DEPTH_OTHER} <= set(volatility.dims):
        found = ", ".join(map(str, getattr(volatility, "dims", ()))) or type(volatility).__name__
        raise InputError("a volatility matrix, with dimensions depth and depth_other", found)
    matrix = volatility.transpose(..., DEPTH, DEPTH_OTHER)
    depths = matrix[DEPTH].to_numpy()
    if not np.array_equal(depths, matrix[DEPTH_OTHER].to_numpy()):
        raise InputError("the same depths on both sides", "others", "choose them with at=")
    if not -1 <= threshold <= 1:
        raise ParameterError("threshold between -1 and 1", repr(threshold))
    first = matrix.isel({DEPTH: 0, DEPTH_OTHER: 0}, drop=True)
    values = matrix.to_numpy()
    return xr.Dataset(
        {
            "stable_depth": first.copy(data=stable_depth(values, depths, threshold=threshold)),
            "share_above": first.copy(data=share_above(values, threshold=threshold)),
        }
    )


def _other(scores: xr.DataArray, other: Any) -> xr.DataArray:
    if not isinstance(other, xr.DataArray | pd.DataFrame):
        return pick_metric(scores, other)
    array = same_systems(scores, read_scores(other))
    if DEPTH not in array.dims or array.sizes[METRIC] not in {1, scores.sizes[METRIC]}:
        found = ", ".join(f"{dim} {size}" for dim, size in array.sizes.items())
        raise ParameterError("other scores by depth, of one metric or as many", found)
    return array


def _volatility(
    scores: xr.DataArray, other: xr.DataArray, method: Agreement, at: Depths
) -> xr.DataArray:
    rows = match_topics(scores, at)
    columns = rows if other is scores else match_topics(other, at)
    left, right = system_means(rows, method), system_means(columns, method)
    values = method.kernel(left, left if columns is rows else right)
    names = [*columns.metrics] * (1 if len(right) == len(left) else len(left))
    return xr.DataArray(
        values,
        {
            METRIC: rows.metrics,
            DEPTH: rows.array[DEPTH].to_numpy(),
            DEPTH_OTHER: columns.array[DEPTH].to_numpy(),
            METRIC_OTHER: (METRIC, names),
        },
        (METRIC, DEPTH, DEPTH_OTHER),
        name="agreement",
        attrs={**scores.attrs, "method": repr(method)},
    )
