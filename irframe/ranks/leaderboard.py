"""The ranking of systems as a table."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.corrections import Family
from irframe.comparing.joint_corrections import Adjust
from irframe.comparing.significance import Pairing
from irframe.cubes.topic_weights import TopicWeights
from irframe.cubes.verb import verb
from irframe.errors import InputError
from irframe.metrics.facts import label_at
from irframe.names import METRICS
from irframe.paired import Test
from irframe.ranks.rank_intervals import Ranking, RankMethod
from irframe.scores.pairs_of_systems import choose_pairs
from irframe.scores.read_scores import (
    Depths,
    read_scores,
    scores_to_compare,
    select_depths,
)
from irframe.scores.resampled import Resamples
from irframe.scores.scores import Scores
from irframe.scores.summary import Interval
from irframe.scores.weighted import weighted

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
    method: RankMethod = "pairs",
    interval: Interval = "logit",
    samples: int = 1000,
    seed: int = 0,
    by: str | None = None,
    weights: TopicWeights = None,
) -> pd.DataFrame:
    """Rank the systems from best to worst, with confidence intervals, rank intervals and tiers.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. The first metric decides
        the order.
    test, adjust, family, alpha
        As for `rank_intervals`, also for the comparison with the baseline, which is a family of its
        own: corrected for the number of systems held against it, and not for all pairs.
    baseline
        A system that every other one is held against; by default none.
    at
        Depths to list, of which the first one decides; by default the greatest.
    method, interval, samples, seed
        As for `rank_intervals`.
    by
        A coordinate or index level such as ``"track"``: one list per group.
    weights
        How much each topic counts, as for `compare`; not for ``method="max-t"``.

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
    duot5          2     1     0.53         1          5    1.59  0.80
    splade         3     1     0.48         1          5    1.37  0.80
    doct5query     4     2     0.35         2          8    0.70  0.68
    bm25+rm3       5     2     0.33         2          8    0.63  0.67
    ance           6     2     0.27         4          8    0.34  0.47
    colbert        7     2     0.21         4          8    0.05  0.59
    bm25           8     2     0.20         4          8     NaN  0.41
    """
    pairing = Pairing(test, adjust, alpha, family)
    ranking = Ranking(method, interval, Resamples(alpha, samples, seed), pairing)
    ranking.refuse_weights(weights)
    read = weighted(_at_depths(read_scores(scores), at).load(), weights)
    paired = scores_to_compare(read)
    first = paired.take(metric=[0], depth=[0])
    found, attributes = ranking.of(first)
    board = pd.DataFrame({name: each[0, :, 0] for name, each in found.items()}, paired.systems)
    means = _means(paired)
    label, *others = means.columns
    sure = [name for name in ranking.columns if name not in {"rank", "tier"}]
    parts = [board[["rank", "tier"]], means[[label]], board[["ci_low", "ci_high", *sure]]]
    if baseline is not None:
        parts.append(_against(first, means[label], choose_pairs(paired, baseline), pairing))
    frame = pd.concat([*parts, means[others], board[["n_topics"]]], axis=1)
    _refuse_twice(frame.columns)
    frame = frame.iloc[frame.index.astype(str).argsort()].sort_values("rank", kind="stable")
    frame.attrs = {}
    frame.attrs.update({**attributes, METRICS: list(means.columns)})
    return frame


def _at_depths(scores: Scores, at: Depths) -> Scores:
    return scores.take(depth=[-1]) if at is None else select_depths(scores, at)


def _means(paired: Scores) -> pd.DataFrame:
    """Return the averages, a column per metric and depth."""
    by_depth = paired.depths is not None
    depths = [None] if paired.depths is None else paired.depths
    columns = {}
    for metric, sign, rows in zip(paired.metrics, paired.towards, paired.means, strict=True):
        for depth, row in zip(depths, rows, strict=True):
            columns[label_at(metric, depth) if by_depth else metric] = sign * row
    return pd.DataFrame(columns, paired.systems)


def _against(first: Scores, means: pd.Series, pairs: Array, pairing: Pairing) -> pd.DataFrame:
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
