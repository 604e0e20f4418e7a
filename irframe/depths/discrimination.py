"""How many pairs of systems differ significantly under a metric, by depth."""

from collections.abc import Callable

import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.corrections import Family
from irframe.comparing.joint_corrections import Adjust
from irframe.comparing.significance import Pairing
from irframe.cubes.verb import verb
from irframe.paired import Test, all_pairs
from irframe.scores.read_scores import Depths, scores_to_compare

NAME = "discrimination ratio"


@verb
def discrimination(
    scores: xr.DataArray | pd.DataFrame,
    test: Test = "t",
    *,
    adjust: Adjust = "auto",
    family: Family = "depth",
    alpha: float = 0.05,
    at: Depths = None,
    by: str | None = None,
) -> xr.DataArray:
    """Share of the pairs of systems that a metric finds significantly different, at every depth.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    test
        A paired test or its name, as for `compare`.
    adjust, family
        Correction of the p-values for many comparisons, as for `compare`, within a group: by
        default Holm's, so that these are the pairs that `compare` calls significant. None asks for
        the ratio of the literature.
    alpha
        Significance level, above 0 and below 1.
    at
        Depths to look at; by default all there are.
    by
        A coordinate or index level such as ``"track"``: one ratio per group.

    Returns
    -------
    xarray.DataArray
        Discrimination ratio, 0 to 1, over (metric, depth), the group first if `by` is given.
        Attributes say how pairs were tested.

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
    ``|{pairs with p < alpha}| / (n(n-1)/2)`` for n systems, two-sided p-values.
    The ratio belongs to a metric, a set of topics and a set of systems together. Differences that
    are the same on all topics are no evidence, as for `compare`; with ``adjust=None`` they are
    significant, as in the literature.

    References
    ----------
    .. [1] Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
       doi:10.1145/1148170.1148261
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    Of three pairs two differ, by about 1 on every topic:

    >>> import xarray as xr
    >>> scores = xr.DataArray([[2, 3, 4.1], [1, 2, 3], [1, 2, 3]], dims=["system", "topic"])
    >>> discrimination(scores).values.round(3).tolist()
    [0.667]
    """
    pairing = Pairing(test, adjust, alpha, family)
    return over_pairs(scores, pairing, lambda p: (p < alpha).mean(axis=0), NAME, at=at)


def over_pairs(
    scores: xr.DataArray | pd.DataFrame,
    pairing: Pairing,
    reduce: Callable[[Array], Array],
    name: str,
    *,
    at: Depths,
) -> xr.DataArray:
    """Reduce the p-values of all pairs, (pair, depth), to a number per depth, for every metric."""
    paired = scores_to_compare(scores, at)
    pairs = all_pairs(len(paired.systems))

    def compute(row: int, block: slice) -> Array:
        return reduce(pairing.piece(paired, row, block, pairs))

    found = paired.labelled(paired.by_piece(len(pairs), compute), name)
    return found.assign_attrs(pairing.told())
