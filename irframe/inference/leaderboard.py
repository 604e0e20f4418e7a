"""The ranking of systems as a table."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.as_scores import as_scores, index_roles
from irframe.cubes.verb import verb
from irframe.errors import InputError
from irframe.inference.corrections import Family
from irframe.inference.jointly import Adjust
from irframe.inference.matched import Array, Matched
from irframe.inference.matching import (
    Depths,
    choose_pairs,
    match_topics,
    matched_in,
    read_scores,
    select_depths,
)
from irframe.inference.rank_intervals import Ranking, RankMethod
from irframe.inference.resampled import Resamples
from irframe.inference.summary import Interval
from irframe.inference.verdicts import Pairing
from irframe.metrics.facts import label_at
from irframe.names import DEPTH, METRIC, METRICS, SYSTEM
from irframe.paired import Test

CHANGES = ("difference", "change", "p_adjusted", "significant")
"""Columns that hold a system against the baseline."""


@verb
def leaderboard(
    scores: xr.DataArray | pd.DataFrame,
    *,
    test: Test = "t",
    adjust: Adjust = "auto",
    family: Family = "depth",
    alpha: float = 0.05,
    baseline: Hashable | None = None,
    at: Depths = None,
    method: RankMethod = "holm",
    interval: Interval = "logit",
    samples: int = 1000,
    seed: int = 0,
    by: str | None = None,
) -> pd.DataFrame:
    """List the systems from best to worst, and say how sure each place is.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. The first metric decides
        the order.
    test, adjust, family, alpha
        As for `rank_intervals`, also for the comparison with the baseline, which is corrected for
        the number of systems held against it.
    baseline
        A system that every other one is held against; by default none.
    at
        Depths to list, of which the first one decides; by default the greatest.
    method, interval, samples, seed
        As for `rank_intervals`.
    by
        A coordinate or index level such as ``"track"``: one list per group.

    Returns
    -------
    pandas.DataFrame
        One row per system, which is the index, after the group if `by` is given; the best first,
        systems that tie by name. With the columns

        - ``rank`` and ``tier``, as of `rank_intervals`;
        - the mean of the deciding metric, under its label, with its confidence interval
          ``ci_low``, ``ci_high``;
        - ``rank_low`` and ``rank_high``, with ``method="bootstrap"`` also ``first``, as of
          `rank_intervals`;
        - with a baseline ``difference``, the mean less that of the baseline; ``change``, the
          same as a share of the baseline's, NaN where that is 0; ``p_adjusted`` and
          ``significant``;
        - the means of the further metrics and depths, under their labels;
        - ``n_topics``, the topics on which the deciding metric compares them.

    Raises
    ------
    IrframeError
        As `rank_intervals`, for an unknown baseline, and for a metric that is called like
        another column.

    Warns
    -----
    IrframeWarning
        If topics are left out. A topic counts, for a metric and depth, only if every system has a
        score (not NaN) on it. And as `summary`.

    References
    ----------
    .. [1] Goldstein, Spiegelhalter. League tables and their limitations. Journal of the Royal
       Statistical Society A 159, 1996. doi:10.2307/2983325

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> board = runs.ireval.evaluate(qrels, ["nDCG@10", "RR"]).ireval.leaderboard(baseline="bm25")
    >>> board[["rank", "tier", "nDCG@10", "rank_low", "rank_high", "change", "RR"]].round(2)
                rank  tier  nDCG@10  rank_low  rank_high  change    RR
    system
    monot5         1     1     0.56         1          3    1.74  0.76
    duot5          2     1     0.53         1          3    1.59  0.80
    splade         3     1     0.48         1          5    1.37  0.80
    doct5query     4     2     0.35         3          8    0.70  0.68
    bm25+rm3       5     2     0.33         3          7    0.63  0.67
    ance           6     2     0.27         4          8    0.34  0.47
    colbert        7     2     0.21         5          8    0.05  0.59
    bm25           8     2     0.20         4          8     NaN  0.41
    """
    pairing = Pairing(test, adjust, alpha, family)
    ranking = Ranking(method, interval, Resamples(alpha, samples, seed), pairing)
    matched = match_topics(_at_depths(read_scores(scores), at)).loaded()
    first = matched_in(matched.array[{dim: [0] for dim in matched.array.dims if dim in DECIDING}])
    found = ranking.of(first)
    board = found.isel({dim: 0 for dim in DECIDING if dim in found.dims}, drop=True).to_dataframe()
    means = _means(matched)
    label, *others = means.columns
    sure = [name for name in ranking.columns if name not in {"rank", "tier"}]
    parts = [board[["rank", "tier"]], means[[label]], board[["ci_low", "ci_high", *sure]]]
    if baseline is not None:
        parts.append(_against(first, means[label], choose_pairs(matched, baseline), pairing))
    frame = pd.concat([*parts, means[others], board[["n_topics"]]], axis=1)
    _refuse_twice(frame.columns)
    frame = frame.iloc[frame.index.astype(str).argsort()].sort_values("rank", kind="stable")
    frame = frame.rename_axis(index=_system_name(scores))
    frame.attrs = {**found.attrs, METRICS: list(means.columns)}
    return frame


DECIDING = (METRIC, DEPTH)
"""Dimensions of which the first decides."""


def _at_depths(array: xr.DataArray, at: Depths) -> xr.DataArray:
    if at is None:
        return array.isel({DEPTH: [-1]}) if DEPTH in array.dims else array
    return select_depths(array, at)


def _means(matched: Matched) -> pd.DataFrame:
    """Return the averages, a column per metric and depth."""
    by_depth = DEPTH in matched.array.dims
    depths = matched.array.indexes[DEPTH] if by_depth else [None]
    columns = {}
    for metric, sign, rows in zip(matched.metrics, matched.towards, matched.means, strict=True):
        for depth, row in zip(depths, rows, strict=True):
            columns[label_at(metric, depth) if by_depth else metric] = sign * row
    return pd.DataFrame(columns, matched.systems)


def _against(first: Matched, means: pd.Series, pairs: Array, pairing: Pairing) -> pd.DataFrame:
    """Return what `CHANGES` names, a row per system; nothing for the baseline."""
    base = means.iloc[pairs[0, 1]]
    p = np.full(len(means), np.nan)
    p[pairs[:, 0]] = pairing.p_values(first, pairs)[0, 0]
    difference = (means - base).where(~np.isnan(p))
    change = difference / (base or np.nan)
    return pd.DataFrame(dict(zip(CHANGES, (difference, change, p, p < pairing.alpha), strict=True)))


def _refuse_twice(columns: pd.Index) -> None:
    twice = columns[columns.duplicated()]
    if len(twice):
        advice = "rename the metric, as array.assign_coords(metric=[...])"
        raise InputError(
            "metrics that are called like no other column", "two columns of one name", advice, twice
        )


def _system_name(scores: Any) -> Any:
    return SYSTEM if isinstance(scores, xr.DataArray) else index_roles(as_scores(scores))[SYSTEM]
