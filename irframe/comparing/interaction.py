"""Whether leads of systems hold in every segment of topics."""

from functools import partial
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import level
from irframe.comparing.significance import Adjust, Family, adjust_p, parse_stepwise
from irframe.cubes.by_group import naming_group
from irframe.cubes.score_table import read_score_table
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, warn
from irframe.experiments.group_columns import GroupBy
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
