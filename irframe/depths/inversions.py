"""The differences of a reference that scores contradict."""

import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.corrections import Family
from irframe.comparing.joint_corrections import Adjust
from irframe.comparing.significance import Pairing, leads
from irframe.cubes.verb import verb
from irframe.depths.coverage import held_against
from irframe.paired import Test
from irframe.scores.read_scores import Depths
from irframe.scores.reference import Reference, match_reference
from irframe.scores.scores import Scores


@verb
def inversions(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference,
    test: Test = "t",
    *,
    adjust: Adjust = "auto",
    family: Family = "depth",
    alpha: float = 0.05,
    at: Depths = None,
    by: str | None = None,
) -> xr.DataArray:
    """Share of the reference's significant differences that the scores contradict.

    Parameters
    ----------
    scores, reference, test, adjust, family, alpha, at, by
        As for `coverage`.

    Returns
    -------
    xarray.DataArray
        Observed inversion ratio, 0 to 1, over (metric, depth), the group first if `by` is given.
        NaN where the reference has no significant difference.

    Raises
    ------
    IrframeError
        As `coverage`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    ``|{(i, j) in D_ref: mean_new(j) > mean_new(i)}| / |D_ref|``: the mean points the other way,
    significantly or not. Means that differ by less than 5e-13 are equal.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.5. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import xarray as xr
    >>> reference = xr.DataArray([[3, 3], [2, 2], [1, 1]], dims=["system", "topic"])
    >>> scores = xr.DataArray([[3, 3], [1, 1], [1, 2]], dims=["system", "topic"])
    >>> inversions(scores, reference, adjust=None).values.round(3).tolist()
    [0.333]
    """
    pairing = Pairing(test, adjust, alpha, family)
    compute = held_against(_lead, pairing.verdicts, "inversion ratio", opposed=True)
    found = compute(*match_reference(scores, reference, at))
    return found.assign_attrs(pairing.told())


def _lead(paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
    return leads(paired, row, depths, pairs)
