"""Which comparisons of systems hold whatever the unjudged documents are."""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.cubes.bounds import BOUND, SIDES
from irframe.cubes.verb import verb
from irframe.errors import InputError
from irframe.metrics.facts import TIE
from irframe.scores.pairs_of_systems import Baselines, choose_pairs, label_pairs
from irframe.scores.read_scores import Depths, scores_to_compare
from irframe.scores.scores import Scores


@verb
def decide(
    bounds: xr.DataArray,
    *,
    baseline: Baselines = None,
    at: Depths = None,
    by: str | None = None,
) -> pd.DataFrame:
    """Say which systems are better than which whatever the unjudged documents are.

    Parameters
    ----------
    bounds
        Lower and upper scores, as `bounds` gives them.
    baseline
        A system: hold each other system against it, ``system_b`` throughout. By default all
        pairs of systems.
    at
        Depths to look at; by default all there are.
    by
        A coordinate of systems or topics, or an index level or column, such as ``"track"``: one
        result per group, labelled with the group.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, in the order of `compare`, with the columns
        ``metric``, ``depth``, ``system_a``, ``system_b``; ``lowest`` and ``highest``, between
        which the difference of the means, a - b, must lie; ``decided``, whether they have the
        same sign; and ``better``, the better system of a decided pair, else missing.

    Raises
    ------
    InputError
        For scores without a lower and an upper bound.
    ParameterError
        For an unknown baseline.

    Notes
    -----
    The means of two systems are decided if their intervals do not touch: the lowest difference
    is the lower mean of a less the upper mean of b. A document that both retrieve is taken at its
    worst for one and its best for the other, so that more pairs may be decided in truth. It is no
    significance test, and says nothing of other topics.

    References
    ----------
    .. [1] Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM
       TOIS 27, 2008. doi:10.1145/1416950.1416952

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> pairs = decide(cube.ireval.bounds("RBP(p=0.5)", at=50), baseline="splade")
    >>> pairs.loc[3:5, ["system_a", "lowest", "highest", "decided"]].round(3)
         system_a  lowest  highest  decided
    3     colbert  -0.256    0.098    False
    4  doct5query  -0.114    0.039    False
    5      monot5   0.017    0.018     True
    """
    if not isinstance(bounds, xr.DataArray) or BOUND not in bounds.dims:
        found = ", ".join(map(str, getattr(bounds, "dims", ()))) or type(bounds).__name__
        raise InputError("scores with a dimension bound, as bounds gives them", found)
    lower, upper = (scores_to_compare(bounds.sel({BOUND: side}, drop=True), at) for side in SIDES)
    pairs = choose_pairs(lower, baseline, several=True)
    first, second = pairs.T
    least, most = (_means(side) for side in (lower, upper))
    low = np.round(least[..., first] - most[..., second], TIE) + 0.0
    high = np.round(most[..., first] - least[..., second], TIE) + 0.0
    higher = np.where(low > 0, first, np.where(high < 0, second, -1))
    cheaper = np.where(high < 0, first, np.where(low > 0, second, -1))
    cost = np.array(lower.towards)[:, np.newaxis, np.newaxis] < 0
    better = np.where(cost, cheaper, higher)
    return _frame(lower, pairs, low, high, better)


def _means(paired: Scores) -> Array:
    sign = np.array(paired.towards)[:, np.newaxis, np.newaxis]
    means: Array = sign * paired.means
    return means


def _frame(paired: Scores, pairs: Array, low: Array, high: Array, better: Array) -> pd.DataFrame:
    systems = paired.systems
    return pd.DataFrame(
        label_pairs(paired, pairs)
        | {
            "lowest": low.ravel(),
            "highest": high.ravel(),
            "decided": better.ravel() >= 0,
            "better": systems.take(np.maximum(better.ravel(), 0)).where(better.ravel() >= 0),
        }
    )
