"""From which depth on the ordering of the systems stays."""

import numpy as np
import xarray as xr

from irframe.agreements import share_above, stable_depth
from irframe.checks import number
from irframe.cubes.verb import verb
from irframe.depths.volatility import DEPTH_OTHER
from irframe.errors import InputError
from irframe.names import DEPTH


@verb
def stability(
    volatility: xr.DataArray,
    threshold: float = 0.9,
    *,
    by: str | None = None,
) -> xr.Dataset:
    """Say from which depth on the ordering of the systems no longer changes, and how often.

    Parameters
    ----------
    volatility
        Volatility matrices, from `irframe.verbs.volatility`.
    threshold
        What a correlation has to exceed for two orderings to count as equivalent, -1 to 1.
    by
        A coordinate of systems or topics, or an index level or column, such as ``"track"``: one
        result per group, labelled with the group.

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
    apart = np.setxor1d(depths, matrix[DEPTH_OTHER].to_numpy())
    if len(apart) or not np.array_equal(depths, matrix[DEPTH_OTHER].to_numpy()):
        found = "some on one side only" if len(apart) else "them in two orders"
        raise InputError("the same depths on both sides", found, "choose them with at=", apart)
    number("threshold", threshold, low=-1, high=1)
    first = matrix.isel({DEPTH: 0, DEPTH_OTHER: 0}, drop=True)
    values = matrix.to_numpy()
    share = {
        "stable_depth": stable_depth(values, depths=depths, threshold=threshold),
        "share_above": share_above(values, threshold=threshold),
    }
    return xr.Dataset({name: first.copy(data=each) for name, each in share.items()})
