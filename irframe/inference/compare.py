"""Every pair of systems, compared by a significance test."""

from collections.abc import Hashable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import level
from irframe.cubes.bounds import BOUND
from irframe.cubes.splitting import groups, having, join_frames, naming_group
from irframe.cubes.verb import verb
from irframe.errors import InputError
from irframe.frames.progress import tracked
from irframe.inference.corrections import Family
from irframe.inference.decide import decide
from irframe.inference.jointly import Adjust, Compared, correct, parse_correction
from irframe.metrics.averaging import average
from irframe.names import DEPTH, METRIC
from irframe.paired import (
    Differences,
    MaxT,
    PairedResult,
    PairedTest,
    Test,
    describe_differences,
    parse_test,
)
from irframe.paired.folds import COMOMENTS, SIDES, describe_folded
from irframe.scores.pairs_of_systems import choose_pairs, label_pairs
from irframe.scores.read_scores import Depths, scores_to_compare
from irframe.scores.scores import Array, Arrays, Measure, Scores

NUMBERS = ("mean_a", "mean_b", "difference", "ci_low", "ci_high", "effect_size", "statistic", "p")
COUNTS = ("wins", "ties", "losses", "n_topics")
COLUMNS = (
    *(METRIC, DEPTH, "system_a", "system_b"),
    *(*NUMBERS, "p_adjusted", "significant"),
    *COUNTS,
)
"""Columns of a comparison frame, after that of the group."""
FRAME_BYTES = 4 * 2**30
"""Largest comparison frame that is begun; making it takes up to twice as much."""
ROW_BYTES = 145
"""Size of a row of it."""
DECIDED = ("lowest", "highest", "decided", "better")
"""Further columns where the scores are bounds."""


@verb(itself=(pd.DataFrame, xr.DataArray))
def compare(
    scores: xr.DataArray | pd.DataFrame,
    test: Test = "t",
    *,
    adjust: Adjust = "auto",
    family: Family = "depth",
    alpha: float = 0.05,
    baseline: Hashable | None = None,
    at: Depths = None,
    by: str | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Test every pair of systems for a significant difference, with confidence intervals.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. Or lower and upper scores
        from `bounds`: the lower ones are tested, and further columns say what is decided.
    test
        A paired test or its name: ``"t"``, ``"wilcoxon"``, ``"ranksum"``, ``"sign"``,
        ``"permutation"``, ``"bootstrap"``, ``"tukey"``.
    adjust
        Correction of the p-values for the number of comparisons, one of statsmodels'
        `multipletests`, such as ``"holm"``, ``"bonferroni"``, ``"fdr_bh"``; or ``"max-t"``, a
        `MaxT`, for the tests t and permutation; or None. By default Holm's, and none for a test
        that allows for all pairs itself, as ``"tukey"`` does.
    family
        Which comparisons are corrected for each other: ``"depth"``, those of one metric at one
        depth in one group; ``"metric"``, those of one metric at all its depths in one group;
        ``"all"``, all rows of the result.
    alpha
        Significance level, and one minus the confidence level of the intervals, above 0 and
        below 1.
    baseline
        A system: compare each other system with it, and it is ``system_b`` throughout. By
        default all pairs of systems, in the order of the scores.
    at
        Depths to compare at; by default all there are.
    by
        A coordinate or index level such as ``"track"``: one comparison per group.
    progress
        Whether to show how many blocks of depths have been tested, by tqdm.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, with the columns

        - the group, if `by` is given;
        - ``metric``, ``depth`` (for scores without depths the one in the metric's name, or
          <NA>), ``system_a``, ``system_b``;
        - ``mean_a``, ``mean_b``, averaged as `summary` averages the metric, ``difference`` =
          ``mean_a - mean_b`` and its confidence interval ``ci_low``, ``ci_high``, missing for
          metrics that are added up or averaged harmonically or geometrically;
        - ``effect_size``, the mean of the paired differences in units of their standard
          deviation;
        - ``statistic`` and ``p`` of the test, ``p_adjusted``, and ``significant``, that is
          ``p_adjusted < alpha``;
        - ``wins``, ``ties``, ``losses``: topics on which a scores better than, like and worse
          than b, differences rounded to 12 decimals. Lower is better for a metric that counts
          a cost, while ``difference`` is a - b always;
        - ``n_topics``, the topics compared;
        - for bounds, ``lowest`` and ``highest``, between which the difference lies whatever the
          unjudged documents are, ``decided``, whether that settles its sign, and ``better``, the
          better system of a decided pair; see `decide`.

    Raises
    ------
    InputError
        For more rows than fit into 4 GiB; and of lazy scores, for more than 1 GiB of them at
        the depths asked for and a test that needs all topics at once.
    ParameterError
        For fewer than two systems, an unknown test, correction, baseline or group, or an alpha
        outside (0, 1).
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out, with their number. A comparison is paired: a topic counts, for a
        metric and depth, only if every system has a score (not NaN) on it. If groups that lack
        the baseline are left out, with their names.

    Notes
    -----
    The interval is Student's, ``difference -+ t(1 - alpha/2, n - 1) s / sqrt(n)``, whatever the
    test; ``effect_size`` is the mean paired difference over s, the standard deviation of the
    paired differences with n - 1. The test is one of paired differences, however the metric is
    averaged. Identical systems have p = 1, a single topic too, but for the normal approximation
    of Wilcoxon's test, which says .317. The test works through blocks of depths, as many as keep
    an array over pairs and depths within 64 MiB; the result itself takes about 180 bytes a row.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4
    .. [2] Smucker, Allan, Carterette. A comparison of statistical significance tests for
       information retrieval evaluation. CIKM 2007. doi:10.1145/1321440.1321528

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {
    ...         "system": ["bm25"] * 4 + ["ance"] * 4,
    ...         "topic": ["1", "2", "3", "4"] * 2,
    ...         "measure": "AP",
    ...         "value": [0.2, 0.4, 0.6, 0.1, 0.1, 0.5, 0.2, 0.1],
    ...     }
    ... )
    >>> compare(scores)[["system_a", "system_b", "difference", "p", "wins", "ties", "losses"]]
      system_a system_b  difference         p  wins  ties  losses
    0     bm25     ance         0.1  0.422826     2     1       1
    """
    level(alpha)
    if isinstance(scores, xr.DataArray) and BOUND in scores.dims:
        lower = scores.isel({BOUND: 0}, drop=True)
        asked: dict[str, Any] = {"baseline": baseline, "at": at, "by": by}
        asked |= {"alpha": alpha, "family": family, "progress": progress}
        frame = compare(lower, test, adjust=adjust, **asked)
        return frame.assign(**_decided(scores, frame, baseline, at, by))
    chosen = parse_test(test)
    correction = parse_correction(adjust, chosen, family)
    parts, pairs = {}, []
    for key, group in having(dict(groups(scores, by)), {"baseline": baseline}, by).items():
        with naming_group(key, by):
            paired = scores_to_compare(group, at)
            parts[key] = paired.load() if isinstance(correction, MaxT) else paired
            pairs.append(choose_pairs(parts[key], baseline))
    _refuse_large([part.values.shape for part in parts.values()], pairs)
    results = []
    for (key, part), some in zip(parts.items(), pairs, strict=True):
        with naming_group(key, by):
            results.append(_compare(part, some, chosen, alpha, progress=progress))
    p_values = [result["p"] for result in results]
    compared = list(map(Compared, parts.values(), pairs, p_values))
    adjusted = correct(compared, correction, family=family, alpha=alpha)
    for result, p in zip(results, adjusted, strict=True):
        result |= {"p_adjusted": p, "significant": p < alpha}
    frames = dict(zip(parts, map(_frame, parts.values(), pairs, results), strict=True))
    return frames[None] if by is None else join_frames(frames, by)


def _refuse_large(shapes: list[Any], pairs: list[Array]) -> None:
    """Raise if the frame of groups of scores, (metric, system, topic, depth), is too large."""
    rows = sum(
        metrics * depths * len(some)
        for (metrics, _, _, depths), some in zip(shapes, pairs, strict=True)
    )
    size = rows * ROW_BYTES
    if size > FRAME_BYTES:
        wanted = f"a comparison frame of at most {FRAME_BYTES / 2**30:.3g} GiB"
        found = f"{rows} rows of {ROW_BYTES} bytes, {size / 2**30:.3g} GiB"
        advice = "choose depths with at=, a baseline with baseline=, or fewer metrics"
        raise InputError(wanted, found, advice)


def _decided(
    bounds: xr.DataArray,
    comparison: pd.DataFrame,
    baseline: Hashable | None,
    at: Depths,
    by: str | None,
) -> dict[str, pd.Series]:
    """Return the further columns of a comparison of bounded scores, aligned with its rows."""
    compared = {None} if by is None else set(comparison[by])
    parts = [part for key, part in groups(bounds, by) if key in compared]
    found = pd.concat([decide(part, baseline=baseline, at=at) for part in parts], ignore_index=True)
    return {name: found[name] for name in DECIDED}


def _compare(
    group: Scores, pairs: Array, test: PairedTest, alpha: float, *, progress: bool
) -> dict[str, Array]:
    metrics, _, _, depths = group.values.shape
    shape = (metrics, depths, len(pairs))
    result: dict[str, Array] = {name: np.empty(shape) for name in NUMBERS}
    result |= {name: np.empty(shape, dtype=np.int64) for name in COUNTS}

    def columns(row: int, block: slice) -> Arrays:
        measure = _measure(test, group.summaries[row], pairs, alpha)
        return group.pairs(row, block, measure, pairs)

    pieces = list(group.pieces(len(pairs)))
    turns = tracked(pieces, len(pieces), "block", progress=progress)
    computed = group.compute(columns(row, block) for row, block in turns)
    for (row, block), found in zip(pieces, computed, strict=True):
        for name, values in zip((*NUMBERS, *COUNTS), found, strict=True):
            result[name][row, block] = values.T
    for row, sign in enumerate(group.towards):
        if sign < 0:
            wins = result["wins"][row].copy()
            result["wins"][row], result["losses"][row] = result["losses"][row], wins
    return result


def _measure(test: PairedTest, summary: Any, pairs: Array, alpha: float) -> Measure:
    """Return what gives `NUMBERS` and `COUNTS` of pairs by one metric."""
    conclude = partial(_columns, pairs=pairs, summary=summary, alpha=alpha)

    def whole(scores: Scores, values: Array, pairs: Array) -> Arrays:
        tested = scores.tested(test, values, pairs)
        return conclude(
            average(values, summary, axis=1), describe_differences(values, pairs), tested
        )

    def folded(averages: Array, own: Array, comoments: Array, sides: Array) -> Arrays:
        return conclude(averages, describe_folded(comoments, sides), test.conclude(own))

    count = len(NUMBERS) + len(COUNTS)
    if test.fold is None:
        return Measure(whole=whole, outputs=count)
    folds = test.fold, COMOMENTS, SIDES
    return Measure(whole=whole, outputs=count, folds=folds, folded=folded, averaged=True)


def _columns(
    averages: Array,
    found: Differences,
    tested: PairedResult,
    *,
    pairs: Array,
    summary: str,
    alpha: float,
) -> Arrays:
    difference, interval = found.mean, found.interval(alpha=alpha)
    ends = averages[pairs[:, 0]], averages[pairs[:, 1]]
    if summary != "mean":
        difference = ends[0] - ends[1]
        interval = 2 * (np.full_like(difference, np.nan),)
    sides = found.wins, found.ties, found.losses
    topics = np.broadcast_to(found.topics, found.mean.shape)
    return *ends, difference, *interval, found.effect_size, *tested, *sides, topics


def _frame(group: Scores, pairs: Array, values: dict[str, Array]) -> pd.DataFrame:
    columns = label_pairs(group, pairs)
    columns |= {name: array.ravel() for name, array in values.items()}
    return pd.DataFrame({name: columns[name] for name in COLUMNS}, copy=False)
