"""Whether leads of systems hold in every segment of topics, and what losses weigh.

Verbs: interaction, risk.
"""

from collections.abc import Hashable
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import level, number
from irframe.comparing.significance import Adjust, Family, adjust_p, parse_stepwise
from irframe.cubes.by_group import naming_group
from irframe.cubes.score_table import read_score_table
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, warn
from irframe.experiments.group_columns import GroupBy
from irframe.metrics.facts import TIE
from irframe.paired import describe_differences
from irframe.paired.margins import welch
from irframe.scores.read_scores import (
    Baselines,
    Depths,
    choose_pairs,
    label_pairs,
    read_scores,
    scores_to_compare,
)
from irframe.scores.scores import Arrays

COLUMNS = ("statistic", "df_within", "p", "p_adjusted", "significant", "n_topics")


@verb(itself=True)
def interaction(
    scores: xr.DataArray | pd.DataFrame,
    *,
    by: GroupBy,
    adjust: Adjust = "auto",
    family: Family = "all",
    alpha: float = 0.05,
    baseline: Baselines = None,
    at: Depths = None,
) -> pd.DataFrame:
    """Say of every system whether its lead over another differs from segment to segment.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    by
        A coordinate of topics, or a column or index level, such as ``"market"``, or topic ->
        segment: its values are the segments, at least two.
    adjust
        Correction of the p-values for the number of rows, as for `compare`, but for ``"max-t"``:
        by default Holm's.
    family
        Which rows are corrected for each other: ``"all"``, ``"metric"`` or ``"depth"``, as for
        `compare`.
    alpha
        Significance level, above 0 and below 1.
    baseline
        A system: the lead of each other one over it; by default all pairs of systems.
    at
        Depths to compare at; by default all there are.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, with the columns ``metric``, ``depth``, ``system_a``,
        ``system_b``; ``statistic``, Welch's F, on one less than the number of segments and
        ``df_within`` degrees of freedom; ``p``, ``p_adjusted`` and ``significant``;
        ``n_topics``; and for every segment ``difference_<segment>``, the mean difference a - b,
        and ``n_<segment>``, its topics.

    Raises
    ------
    ParameterError
        For fewer than two segments, or fewer than two systems that take part in all of them; an
        unknown baseline, correction or coordinate.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics or systems are left out, or a segment is too small or has differences without
        any spread, so that there is no test.

    Notes
    -----
    A one-way analysis of variance of the paired differences by segment, with Welch's weights, so
    that segments may differ in spread; `compare` with ``by=`` tests within each segment instead,
    and one significant difference beside one that is not does not say that they differ. A topic
    counts only if every system that takes part in all segments has a score on it. Where no segment
    has differences with any spread, p is 1 if these are all the same; NaN where there is no test.

    References
    ----------
    .. [1] Welch. On the comparison of several mean values: an alternative approach. Biometrika
       38, 1951. doi:10.1093/biomet/38.3-4.330
    .. [2] Gelman, Stern. The difference between "significant" and "not significant" is not itself
       statistically significant. The American Statistician 60, 2006. doi:10.1198/000313006X152649

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["nDCG@10"]).reset_index()
    >>> scores["kind"] = scores["topic"].astype(int).mod(2).map({0: "even", 1: "odd"})
    >>> found = interaction(scores, by="kind", baseline="bm25")
    >>> found.loc[:1, ["system_a", "difference_odd", "difference_even", "p"]]
       system_a  difference_odd  difference_even      p
    0  bm25+rm3           0.147            0.109  0.714
    1      ance           0.022            0.116  0.432
    """
    level(alpha)
    correction = parse_stepwise(adjust, family=family)
    segments = {key: read_scores(part) for key, part in read_score_table(scores).groups()}
    if len(segments) < 2:
        raise ParameterError(f"at least two segments ({by})", f"{len(segments)}")
    kept = _shared_systems([part.systems for part in segments.values()], by)
    parts = {}
    for key, part in segments.items():
        with naming_group(key, by):
            places = part.systems.get_indexer(pd.Index(kept))
            parts[key] = scores_to_compare(part.take(system=places), at)
    first = next(iter(parts.values()))
    pairs = choose_pairs(first, baseline, several=True)
    compute = partial(_moments, pairs=pairs)
    moments = [part.over_all(len(pairs), compute) for part in parts.values()]
    means, spreads, sizes = map(np.stack, zip(*moments, strict=True))
    tested = welch(means, spreads, sizes)
    if np.isnan(tested.p).any():
        bad = ((sizes < 2) | ((spreads == 0) & np.isnan(tested.p))).any(axis=(1, 2, 3))
        what = "segments of one topic, or of differences without spread, allow no test"
        warn(f"{what} ({by}): {', '.join(map(str, compress(parts, bad)))}")
    p = adjust_p([tested.p], correction, family=family, alpha=alpha)[0]
    values = (tested.statistic, tested.within, tested.p, p, p < alpha, sizes.sum(axis=0))
    columns = label_pairs(first, pairs)
    columns |= {name: array.ravel() for name, array in zip(COLUMNS, values, strict=True)}
    for key, mean, size in zip(parts, means, sizes, strict=True):
        columns |= {f"difference_{key}": mean.ravel(), f"n_{key}": size.ravel()}
    frame = pd.DataFrame(columns)
    frame.attrs.update(adjust=correction or "none", family=family, alpha=alpha)
    return frame


def _shared_systems(segments: list[pd.Index], by: Any) -> list[Any]:
    """Return the systems of all segments, warning of others."""
    every = list(dict.fromkeys(name for systems in segments for name in systems))
    kept = [name for name in every if all(name in systems for systems in segments)]
    if len(kept) < 2:
        advice = f"choose a coordinate of topics for by=, not {by!r}"
        wanted = f"at least two systems that take part in every segment ({by})"
        raise ParameterError(wanted, str(len(kept)), advice)
    if len(kept) < len(every):
        left = [str(name) for name in every if name not in kept]
        warn(f"systems that take no part in some segment ({by}) are left out: {', '.join(left)}")
    return kept


def _moments(values: Array, pairs: Array) -> Arrays:
    """Return mean, spread and number of the differences, each of shape (pair, depth)."""
    result = describe_differences(values, pairs)
    return result.mean, result.sd, np.broadcast_to(result.topics, result.mean.shape)


RISKS = ("difference", "urisk", "trisk", "georisk")
COUNTS = ("wins", "losses", "n_topics")


@verb
def risk(
    scores: xr.DataArray | pd.DataFrame,
    *,
    baseline: Hashable,
    a: float = 1.0,
    at: Depths = None,
    by: GroupBy | None = None,
) -> pd.DataFrame:
    """Say how every system does against a baseline if losses weigh more than gains.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    baseline
        The system that the others put at risk.
    a
        How much more a loss weighs than a gain, at least 0: ``1 + a`` times as much.
    at
        Depths to compare at; by default all there are.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and system other than the baseline, with the columns ``metric``,
        ``depth``, ``system_a`` and the baseline ``system_b``, as of `compare`, and

        - ``difference``, the mean gain over the baseline, which is URisk with a = 0; below 0 is
          worse, also for a cost;
        - ``urisk``, the same with losses weighted;
        - ``trisk``, URisk in units of its standard error: a Student's t, so that values below -2
          or so say that the risk is no chance, above 2 that the gain is none;
        - ``georisk``, 0 to 1 for scores in that range, with no baseline but what all systems
          together do on a topic; NaN for costs and where there are scores below 0;
        - ``wins``, ``losses`` and ``n_topics``: topics on which a system does better and worse
          than the baseline, differences rounded to 12 decimals, and all.

    Raises
    ------
    ParameterError
        For an unknown baseline, fewer than two systems, or an `a` below 0.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out. A topic counts, for a metric and depth, only if every system has a
        score (not NaN) on it.

    Notes
    -----
    With d the differences on n topics, those below 0 times 1 + a: ``URisk = mean(d)``,
    ``TRisk = URisk / (s / sqrt(n))``, s the standard deviation of these with n - 1; 0 where all
    differences are 0, infinite where all are the same. With x the scores of the systems and
    ``e = (sum over topics) (sum over systems) / (sum of all)`` what to expect of a system on a
    topic: ``GeoRisk = sqrt(mean(x) Phi(ZRisk / n))``, ZRisk adding up ``(x - e) / sqrt(e)`` over
    topics, those below 0 times 1 + a, and Phi the normal distribution function.

    References
    ----------
    .. [1] Wang, Bennett, Collins-Thompson. Robust ranking models via risk-sensitive optimization.
       SIGIR 2012. doi:10.1145/2348283.2348385
    .. [2] Dincer, Macdonald, Ounis. Hypothesis testing for the risk-sensitive evaluation of
       retrieval systems. SIGIR 2014. doi:10.1145/2600428.2609625
    .. [3] Dincer, Macdonald, Ounis. Risk-sensitive evaluation and learning to rank using multiple
       baselines. SIGIR 2016. doi:10.1145/2911451.2911511

    Examples
    --------
    Gains of 0.2 and 0.1, and a loss of 0.1 that counts three times:

    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {
    ...         "system": ["bm25"] * 3 + ["ance"] * 3,
    ...         "topic": ["1", "2", "3"] * 2,
    ...         "measure": "AP",
    ...         "value": [0.2, 0.4, 0.6, 0.4, 0.5, 0.5],
    ...     }
    ... )
    >>> found = risk(scores, baseline="bm25", a=2)
    >>> found[["system_a", "difference", "urisk", "trisk", "wins", "losses"]]
      system_a  difference  urisk  trisk  wins  losses
    0     ance       0.067    0.0    0.0     2       1
    """
    number("a", a, low=0)
    paired = scores_to_compare(scores, at)
    pairs = choose_pairs(paired, baseline)
    others, (row, *_) = pairs.T
    columns = []
    for metric, sign in enumerate(paired.towards):
        compute = partial(_risks, baseline=int(row), sign=sign, a=a)
        risks = paired.over(metric, slice(None), compute)
        columns.append([values[others].T.ravel() for values in risks])
    values = map(np.concatenate, zip(*columns, strict=True))
    named = label_pairs(paired, pairs) | dict(zip((*RISKS, *COUNTS), values, strict=True))
    return pd.DataFrame(named).astype(dict.fromkeys(COUNTS, int))


def _risks(scores: Array, *, baseline: int, sign: int, a: float) -> tuple[Array, ...]:
    """Return what `RISKS` and `COUNTS` name, shape (system, depth) each."""
    n = scores.shape[1]
    gained = np.round(sign * (scores - scores[[baseline]]), TIE)
    weighted = _weighted(gained, a)
    urisk = weighted.mean(axis=1)
    wins, losses = (gained > 0).sum(axis=1), (gained < 0).sum(axis=1)
    georisk = _georisk(scores, a) if sign > 0 else np.full(urisk.shape, np.nan)
    difference = gained.mean(axis=1)
    return difference, urisk, _t(weighted), georisk, wins, losses, np.full(wins.shape, n)


def _weighted(gained: Array, a: float) -> Array:
    return np.where(gained < 0, (1 + a) * gained, gained)


def _t(weighted: Array) -> Array:
    """Return means in units of their standard error, over topics."""
    n, mean = weighted.shape[1], weighted.mean(axis=1)
    if n < 2:
        return np.full(mean.shape, np.nan)
    same = (weighted == weighted[:, :1]).all(axis=1)
    error = weighted.std(axis=1, ddof=1) / np.sqrt(n)
    t = mean / np.where(same, 1.0, error)
    constant = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(same, constant, t)


def _georisk(scores: Array, a: float) -> Array:
    """Return GeoRisk of systems, from the scores of all of them."""
    total = scores.sum(axis=(0, 1))
    expected = scores.sum(axis=1, keepdims=True) * scores.sum(axis=0, keepdims=True)
    expected = expected / np.where(total > 0, total, 1.0)
    there = expected > 0
    z = np.where(there, scores - expected, 0.0) / np.sqrt(np.where(there, expected, 1.0))
    zrisk = _weighted(z, a).mean(axis=1)
    lowest = scores.min(axis=(0, 1))
    mean = np.maximum(scores.mean(axis=1), 0)
    return np.where(lowest < 0, np.nan, np.sqrt(mean * scipy.special.ndtr(zrisk)))
