"""Comparison of systems from lower and upper scores."""

from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import holding
from irframe.comparing.pairwise import PairOptions
from irframe.cubes.by_group import groups
from irframe.cubes.unjudged import SIDES
from irframe.cubes.verb import verb
from irframe.metrics.facts import TIE, facts
from irframe.names import BOUND, METRIC
from irframe.scores.read_scores import Baselines, choose_pairs, label_pairs, scores_to_compare


@verb
def decide(bounds: xr.DataArray, *, baseline: Baselines = None) -> pd.DataFrame:
    """Find the pairs of systems whose order is certain.

    Parameters
    ----------
    bounds
        Lower and upper scores, as returned by `bounds` or `tie_ranges`.
    baseline
        The system with which every other system is compared. The baseline is ``system_b`` in every
        row. By default all pairs of systems are compared.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, in the order of `compare`, with the columns ``metric``,
        ``depth``, ``system_a``, ``system_b``. ``lowest`` and ``highest`` are the smallest and the
        largest possible difference of the means, a - b. ``decided`` states whether ``lowest`` and
        ``highest`` have the same sign. ``better`` is the better system of a decided pair, and is
        missing for other pairs.

    Raises
    ------
    InputError
        If the scores lack a lower or an upper bound.
    ParameterError
        If the baseline is unknown.

    Notes
    -----
    The lowest difference is the lower mean of a minus the upper mean of b. A pair is decided if the
    ranges of the two means do not overlap. The range of the difference is too wide if the two
    systems retrieved the same unjudged document. The document then has its worst grade for one
    system, and its best grade for the other system. The order of an undecided pair may therefore be
    certain. This method is not a significance test, and its result does not generalise to other
    topics.

    References
    ----------
    .. [1] Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM
       TOIS 27, 2008. doi:10.1145/1416950.1416952

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> pairs = decide(cube.ireval.bounds("RBP(p=0.5)", at=50), baseline="splade")
    >>> pairs.loc[3:5, ["system_a", "lowest", "highest", "decided"]]
         system_a  lowest  highest  decided
    3     colbert  -0.256    0.098    False
    4  doct5query  -0.114    0.039    False
    5      monot5   0.017    0.018     True
    """
    holding("scores with a dimension bound, as from bounds", bounds, {BOUND}, "sizes")
    lower, upper = (scores_to_compare(bounds.sel({BOUND: side}, drop=True)) for side in SIDES)
    pairs = choose_pairs(lower, baseline, several=True)
    first, second = pairs.T
    sign = np.array(lower.signs)[:, np.newaxis, np.newaxis]
    # `means` contains negated means for costs, and the factor `sign` restores the original means
    lowest, highest = (sign * side.means for side in (lower, upper))
    # adding 0.0 replaces -0.0, which would be printed with a sign
    low = np.round(lowest[..., first] - highest[..., second], TIE) + 0.0
    high = np.round(highest[..., first] - lowest[..., second], TIE) + 0.0
    higher = np.where(low > 0, first, np.where(high < 0, second, -1))
    cheaper = np.where(high < 0, first, np.where(low > 0, second, -1))
    better = np.where(sign < 0, cheaper, higher).ravel()
    ahead = lower.systems.take(np.maximum(better, 0)).where(better >= 0)
    columns = {"lowest": low.ravel(), "highest": high.ravel(), "decided": better >= 0}
    return pd.DataFrame(label_pairs(lower, pairs) | columns | {"better": ahead})


DECIDED = ("lowest", "highest", "decided", "better", "verdict_lowest", "verdict_highest")
"""Additional columns in comparisons of lower and upper scores. The last two columns are added only
if a margin is passed."""


def add_bounds(
    bounds: xr.DataArray,
    frame: pd.DataFrame,
    options: PairOptions,
    *,
    baseline: Baselines,
    by: str | None,
) -> pd.DataFrame:
    """Add the columns `DECIDED` to a comparison of lower scores."""
    # `compare` drops groups without the baseline, which `bounds` still contains
    compared = {None} if by is None else set(frame[by])
    selected = [group for key, group in groups(bounds, by) if key in compared]
    rows = pd.concat([decide(group, baseline=baseline) for group in selected], ignore_index=True)
    columns: dict[str, pd.Series | Array] = {name: rows[name] for name in DECIDED[:4]}
    if options.verdicts:
        columns |= _verdicts_at_bounds(selected, options, baseline)
    if options.margin is not None:
        cost = frame[METRIC].map(lambda name: facts(name).cost).to_numpy(bool)
        names = list(frame[METRIC].unique())
        margins = dict(zip(names, options.margins(names), strict=True))
        limit = -frame[METRIC].map(margins).to_numpy(float)
        least = np.where(cost, -rows["highest"], rows["lowest"])
        columns["decided"] = rows["decided"] | (least > limit)
    return frame.assign(**columns)


def _verdicts_at_bounds(
    selected: list[xr.DataArray], options: PairOptions, baseline: Baselines
) -> dict[str, Array]:
    """Return the verdicts at the two extremes of every pair.

    At one extreme a has its worst possible scores and b its best possible scores. At the other
    extreme a has its best scores and b its worst scores.
    """
    both = []
    pairs = []
    sizes = []
    # Each system occurs twice, first with its worst and then with its best scores, so that a pair
    # can combine the worst scores of one system with the best scores of another.
    for group in selected:
        low, high = (
            scores_to_compare(group.sel({BOUND: side}, drop=True), quiet=True) for side in SIDES
        )
        cost = np.reshape(low.signs, (-1, 1, 1, 1)) < 0
        ends = np.where(cost, high.values, low.values), np.where(cost, low.values, high.values)
        values = np.concatenate(ends, axis=1)
        both.append(replace(low, values=values, systems=pd.RangeIndex(values.shape[1])))
        pairs.append(choose_pairs(low, baseline, several=True))
        sizes.append(len(low.systems))
    verdicts = {}
    for name, shift in (("verdict_lowest", (0, 1)), ("verdict_highest", (1, 0))):
        shifted = [pos + size * np.array(shift) for pos, size in zip(pairs, sizes, strict=True)]
        results = options.compare(both, shifted)
        verdicts[name] = np.concatenate([result["verdict"].ravel() for result in results])
    return verdicts
