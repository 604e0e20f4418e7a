"""The median p-value over all pairs of systems, by depth."""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.comparing.corrections import Family
from irframe.comparing.joint_corrections import Adjust
from irframe.comparing.significance import Pairing
from irframe.cubes.verb import verb
from irframe.depths.discrimination import over_pairs
from irframe.paired import Test
from irframe.scores.read_scores import Depths


@verb
def median_p(
    scores: xr.DataArray | pd.DataFrame,
    test: Test = "t",
    *,
    adjust: Adjust = None,
    family: Family = "depth",
    alpha: float = 0.05,
    at: Depths = None,
    by: str | None = None,
) -> xr.DataArray:
    """Median p-value over the pairs of systems, which needs no threshold, at every depth.

    Parameters
    ----------
    scores, test, family, at, by
        As for `discrimination`.
    adjust
        Correction as for `discrimination`, but by default none: nothing is decided here, and
        corrected p-values of many pairs are mostly 1.
    alpha
        Significance level, on which no p-value depends but those of two-stage corrections
        (``"fdr_tsbh"``, ``"fdr_tsbky"``).

    Returns
    -------
    xarray.DataArray
        Median p-value, 0 to 1, over (metric, depth), the group first if `by` is given.

    Raises
    ------
    IrframeError
        As `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    The lower it is, the more pairs differ significantly under a metric. Two-sided p-values.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray([[2, 3, 4], [1, 2, 3], [1, 2, 3]], dims=["system", "topic"])
    >>> median_p(scores).values.tolist()
    [0.0]
    """
    pairing = Pairing(test, adjust, alpha, family)
    return over_pairs(scores, pairing, lambda p: np.median(p, axis=0), "median p-value", at=at)
