"""Whether significant differences are confirmed, or contradicted, at another depth."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.corrections import Family
from irframe.comparing.joint_corrections import Adjust
from irframe.comparing.significance import Pairing
from irframe.cubes.verb import verb
from irframe.paired import Test, all_pairs
from irframe.scores.read_scores import Depths
from irframe.scores.reference import Reference, match_reference
from irframe.scores.scores import Scores


@verb
def coverage(
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
    """Share of the reference's significant differences that the scores confirm.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    reference
        What to confirm: a depth, for each metric its own scores there; a metric of the scores,
        depth by depth, or at one depth as in ``"AP@10"``; or another array or frame of scores of
        the same systems, with one metric or all those of `scores`, and with one depth or all
        those of `scores`.
    test
        A paired test or its name, as for `compare`.
    adjust, family
        Correction of the p-values of either side for many comparisons, as for `compare`, within a
        group: by default Holm's. None asks for the ratio of the literature.
    alpha
        Significance level, above 0 and below 1.
    at
        Depths of the scores to look at; by default all there are.
    by
        A coordinate or index level such as ``"track"``: one ratio per group. Reference scores
        are split alike.

    Returns
    -------
    xarray.DataArray
        Coverage ratio, 0 to 1, over (metric, depth), the group first if `by` is given. NaN where
        the reference has no significant difference. Attributes say how pairs were tested.

    Raises
    ------
    DepthError
        For a reference depth outside the scores.
    ParameterError
        For reference scores of other systems, and as `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    With ``D = {(i, j): i significantly better than j}`` on either side, the ratio is
    ``|D_new & D_ref| / |D_ref|``: the pair must differ significantly in the same direction. The
    better of two systems is the one with the better mean; lower is better for a metric that counts
    a cost. Topics count on which every system has a score on both sides, unless the two sides have
    no topic in common. Differences that are the same on all topics are no evidence, as for
    `compare`; with ``adjust=None`` they are significant, as in the literature.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    Three systems differ in the reference; two of the three differences are confirmed:

    >>> import xarray as xr
    >>> reference = xr.DataArray([[3, 3], [2, 2], [1, 1]], dims=["system", "topic"])
    >>> scores = xr.DataArray([[3, 3], [1, 1], [1, 1]], dims=["system", "topic"])
    >>> coverage(scores, reference, adjust=None).values.round(3).tolist()
    [0.667]
    """
    pairing = Pairing(test, adjust, alpha, family)
    compute = held_against(pairing.verdicts, pairing.verdicts, "coverage ratio")
    found = compute(*match_reference(scores, reference, at))
    return found.assign_attrs(pairing.told())


Judge = Callable[[Scores, int, slice, Array], Array]


def held_against(
    new: Judge, old: Judge, name: str, *, opposed: bool = False
) -> Callable[[Scores, Scores], xr.DataArray]:
    """Return a function that counts how often the scores agree with a reference's verdicts."""

    def compute(paired: Scores, held: Scores) -> xr.DataArray:
        pairs = all_pairs(len(paired.systems))
        fixed = held.values.shape[3] == 1
        verdicts: dict[int, Array] = {}

        def share(row: int, block: slice) -> Array:
            other = min(row, held.values.shape[0] - 1)
            if not fixed or not block.start:
                verdicts[row] = old(held, other, slice(0, 1) if fixed else block, pairs)
            found, claims = verdicts[row], new(paired, row, block, pairs)
            alike = (claims == (-found if opposed else found)) & (found != 0)
            count = (found != 0).sum(axis=0)
            ratio: Array = alike.sum(axis=0) / np.where(count > 0, count, np.nan)
            return ratio

        return paired.labelled(paired.by_piece(len(pairs), share), name)

    return compute
