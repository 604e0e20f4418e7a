"""Significance tests for every pair of systems."""

from collections.abc import Hashable, Iterator
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import listed
from irframe.comparing import decide, pairwise, significance
from irframe.comparing.attainable import beware_of_least
from irframe.comparing.corrections import Adjust, Significance, Tested
from irframe.comparing.freeze import Frozen, is_file
from irframe.comparing.pairwise import Columns, PairOptions
from irframe.cubes.by_group import drop_groups_without, join_frames, naming_group
from irframe.cubes.parse_scores import parse_scores
from irframe.cubes.scores import Scores
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, warn
from irframe.experiments.topic_design import options_declared
from irframe.names import METRIC, SIDES
from irframe.paired import Bootstrap, MaxT, PairedT
from irframe.paired.margins import EFFECTS
from irframe.scores.read_scores import (
    Baselines,
    choose_pairs,
    label_pairs,
    read_scores,
    scores_to_compare,
)
from irframe.scores.repeats import (
    OTHER_COLUMNS,
    beware_of_design,
    beware_of_repeats,
    draw_attributes,
    effective,
)

COLUMNS = (METRIC, *SIDES, *pairwise.NUMBERS, "p_adjusted", "significant", *pairwise.COUNTS)
"""Columns of every comparison frame. If scores are grouped, a column with the group precedes these
columns."""
OPTIONAL = (*OTHER_COLUMNS, "n_clusters", "n_eff", *pairwise.OF_MARGIN, *EFFECTS, *decide.DECIDED)
"""Columns that only some comparison frames have. A column that is neither in `OPTIONAL` nor in
`COLUMNS` contains the groups."""


@verb(groups=True, repeats=True, one_unit=True)
def compare(
    scores: xr.DataArray | pd.DataFrame,
    test: Tested = "t",
    *,
    adjust: Adjust = "auto",
    alpha: float = 0.05,
    baseline: Baselines = None,
    simultaneous: bool = False,
    effects: bool = False,
    margin: pairwise.Margins = None,
    power: float | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Test the differences between all pairs of systems for significance.

    The result contains confidence intervals, and p-values corrected for multiple comparisons.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. Alternatively, pass the
        lower and upper scores that `bounds` returns. In this case, the lower scores are tested.
        Further columns show which differences cannot be reversed by judging more documents.
    test
        The significance test: an `irframe.Significance`, or the name of a test.
    adjust, alpha
        Correction for multiple comparisons and significance level. The default correction is
        Holm's. If `test` is an `irframe.Significance`, set `adjust` and `alpha` in the
        `Significance` instead.
    baseline
        The system with which every other system is compared. The baseline is ``system_b`` in every
        row. If a list of systems is passed, every other system is compared with each baseline, and
        the baselines are compared with each other. All these comparisons form one family. The path
        of a file written by `freeze` is also a valid baseline. As a string, the path must end in
        ``.irframe``. By default all pairs of systems are compared, in the order of the systems in
        `scores`.
    simultaneous
        Whether confidence intervals are simultaneous, with coverage 1 - `alpha` for all pairs of
        the family at once. ``"tukey"`` uses quantiles of the range of the means, and ``"max-t"``
        quantiles of the largest t. For other tests the confidence level of each interval is raised
        by Bonferroni's correction, or by Sidak's if ``adjust="sidak"``. By default each interval
        alone has coverage 1 - `alpha`, except for ``"tukey"``, whose intervals are always
        simultaneous. An interval that is not simultaneous may exclude 0 although the adjusted
        p-value is not significant.
    effects
        Whether to add Hedges' g and its confidence interval.
    margin
        Largest loss that does not matter in practice, above 0 and in the units of the metric. Pass
        ``{metric: margin}`` for a separate margin per metric. With a margin, non-inferiority and
        equivalence are also tested. A margin is not available with ``"tukey"`` and ``"max-t"``,
        which test all pairs at once, nor for metrics that are not arithmetic means over topics.
    power
        Power at which a true difference counts as detectable, above `alpha` and below 1. The
        default is .8 if a margin is passed. Without a margin and a power, the columns ``verdict``
        and ``detectable`` are omitted.
    progress
        Whether to show a progress bar (tqdm) over blocks of depths.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, with the columns

        - after `groupby`, the group, in a column named after the grouping;
        - ``metric``, ``depth``, ``system_a``, ``system_b``. If the scores have no depth axis,
          ``depth`` is the depth in the metric's name, or <NA>;
        - ``mean_a`` and ``mean_b``, the means of the two systems over topics, as computed by
          `summary`;
        - ``difference``, which is ``mean_a - mean_b`` also for costs, and its confidence interval,
          ``ci_low`` and ``ci_high``. The interval is NaN for sums, and for harmonic and geometric
          means;
        - ``effect_size``, the mean of the paired differences divided by their standard deviation;
        - ``statistic`` and ``p``, the statistic and the p-value of the test;
        - ``p_adjusted``, the p-value adjusted for multiple comparisons, and ``significant``, which
          is ``p_adjusted < alpha``;
        - ``wins``, ``ties``, ``losses``, the numbers of topics on which a is better than b, equal
          to b, and worse than b. Differences are rounded to 12 decimals. For a cost, lower scores
          are better;
        - ``n_topics``, the number of topics compared;
        - if topics have weights, ``n_eff``, the effective number of topics, which is the number of
          equally informative topics of equal weight;
        - with `effects`, ``hedges_g`` and its confidence interval, ``g_low`` and ``g_high``;
        - with `margin`, ``p_not_worse``, ``p_not_worse_adjusted`` and ``not_worse``, the p-value,
          the adjusted p-value and the decision of the test of non-inferiority. ``p_equivalent``,
          ``p_equivalent_adjusted`` and ``equivalent`` are the corresponding quantities for the test
          of equivalence. The p-values of the two tests are corrected like the p-values of `test`;
        - with `margin` or `power`, ``verdict``, the first of these statements that is true of a:
          ``"better"`` (significantly), ``"worse"`` (significantly, and not shown to be within the
          margin), ``"equivalent"``, ``"not worse"``, ``"undecided"``. If no retrieved document of a
          or of b is judged, the verdict is ``"no verdict"``, and the difference is not significant;
        - with `margin` or `power`, ``detectable``, the smallest true difference that a two-sided
          t-test at `alpha` detects on these topics with the given power. The value is NaN for
          metrics that are not arithmetic means;
        - if systems have repeats (were run several times), ``n_repeats_a`` and ``n_repeats_b``, the
          numbers of repeats, and ``df``, the degrees of freedom of the t statistic;
        - if systems have repeats, ``repeat_share``, the share of the variance of the difference
          that is due to repeats, from 0 (topics only) to 1 (repeats only);
        - for bounds, ``lowest`` and ``highest``, the range of the difference over all possible
          grades of unjudged documents;
        - for bounds, ``decided``, whether the sign of the difference is certain, and ``better``,
          the better system if the sign is certain (see `decide`). With `margin`, a pair is also
          decided if a cannot be worse than b by more than the margin;
        - for bounds with `margin`, ``verdict_lowest``, the verdict from the worst possible scores
          of a and the best possible scores of b; and ``verdict_highest``, the verdict from the best
          possible scores of a and the worst possible scores of b.

    Raises
    ------
    InputError
        If the result, or the lazy scores at the selected depths, would need more than 4 GiB.
    ParameterError
        If there are fewer than two systems, if the test, correction, baseline or group is unknown,
        or if alpha, margin or power is out of range. If topic weights are missing, negative, not
        finite or all 0, or if the test does not support weights. If a frozen baseline was scored
        with other judgments or policies. The message names the differing policies.
    MetricError
        If a margin is passed for a metric that is not an arithmetic mean over topics, or if topics
        have weights and a metric is summed over topics.
    DepthError
        If the scores lack one of the depths.
    StoreError
        If the baseline is a file that `freeze` did not write, or that was changed afterwards.

    Warns
    -----
    IrframeWarning
        - If topics are left out. For each metric and depth, only topics with scores of all systems
          are used, because comparisons are paired.
        - If groups are left out because they lack the baseline.
        - If a frozen baseline is more than 90 days old.
        - If topics have weight 0, if the effective number of topics is below 5 (10 for
          ``"bootstrap"``), or if one topic has more than half of the weight.
        - If the differences of a pair are the same on all topics.
        - If there are so few topics or samples that no outcome could be significant.
        - If the variance of differences of one pair is more than 10 times that of another pair. The
          warning is only for ``"tukey"``, which assumes equal variances.

        The attribute ``caution`` contains these messages.

    Notes
    -----
    The attribute ``interval`` names the method of the intervals. For the tests t, permutation,
    bootstrap and tukey, the interval contains the differences that the test does not reject. The
    interval excludes 0 if, and only if, the uncorrected p-value is below alpha. The other tests do
    not compare means, so Student's confidence interval is returned instead, which is ``difference
    -+ t(1 - alpha/2, n - 1) s / sqrt(n)``. In this formula, s is the standard deviation of the
    paired differences, with n - 1 in the denominator. Simultaneous intervals of ``"max-t"`` use the
    quantile of the largest t instead of the quantile of Student's distribution. ``effect_size`` is
    the mean paired difference divided by s. For geometric and harmonic means, the tests and effect
    sizes use logarithms and reciprocals of the scores. A significant difference then always agrees
    with the order of the means.

    If the differences of a pair are the same on all topics, or if there is only one topic, the
    variance of the differences cannot be estimated. The interval and the effect size are then NaN.
    The p-values of t and bootstrap are 1 if the differences are 0, and NaN otherwise. Pairs with a
    p-value of NaN still count as comparisons in a correction. No other test needs the variance. For
    a single topic, Wilcoxon's normal approximation returns p = .317.

    If topics have weights w, means are weighted. Let u = w / sum w and U = sum u^2. The mean of the
    differences d has the variance ``sum c (d - mean)^2`` with ``c = u^2 / (1 - 2 u + U)`` [4]_, and
    the degrees of freedom of Bell and McCaffrey [5]_. The standard deviation s is the square root
    of n times this variance. Wins, ties and losses are not weighted. With equal weights the test is
    Student's t-test.

    For ``"tukey"``, and for the test t with ``"bonferroni"`` or ``"sidak"``, simultaneous intervals
    exclude 0 if, and only if, ``p_adjusted < alpha``. Stepwise corrections such as ``"holm"`` and
    ``"max-t"`` have no equivalent intervals. With stepwise corrections, a simultaneous interval
    that excludes 0 implies significance, but the intervals of some significant pairs include 0.

    If systems have repeats, such as seeds, the variance of a difference is ``V = max(V_T + V_R -
    V_E, V_T, V_R)`` with Satterthwaite's degrees of freedom [6]_. Scores averaged over repeats have
    the variance V_T over topics. Scores averaged over topics have a variance over repeats for each
    system, and V_R is the sum of the variances of the two systems. If systems share repeats, V_R is
    the variance over repeats of the difference of the averaged scores. V_E is the residual
    variance, which is contained in V_T and in V_R. A system with one repeat contributes 0 to V_R.
    Repeats within topics are averaged per topic. Wins, ties, losses and effect sizes use scores
    averaged over repeats.

    Non-inferiority and equivalence are always tested by one-sided t-tests against the margin.
    Depths are tested in blocks, so that temporary arrays need at most 64 MiB. The result needs
    about 180 bytes per row.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4
    .. [2] Schuirmann. A comparison of the two one-sided tests procedure and the power approach for
       assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and
       Biopharmaceutics 15, 1987. doi:10.1007/BF01068419
    .. [3] Smucker, Allan, Carterette. A comparison of statistical significance tests for
       information retrieval evaluation. CIKM 2007. doi:10.1145/1321440.1321528
    .. [4] MacKinnon, White. Some heteroskedasticity-consistent covariance matrix estimators with
       improved finite sample properties. Journal of Econometrics 29, 1985.
       doi:10.1016/0304-4076(85)90158-7
    .. [5] Imbens, Kolesar. Robust standard errors in small samples: some practical advice. Review
       of Economics and Statistics 98, 2016. doi:10.1162/REST_a_00552
    .. [6] Clark. The language-as-fixed-effect fallacy: a critique of language statistics in
       psychological research. Journal of Verbal Learning and Verbal Behavior 12, 1973.
       doi:10.1016/S0022-5371(73)80014-3

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
      system_a system_b  difference      p  wins  ties  losses
    0     bm25     ance         0.1  0.423     2     1       1
    """
    pairing = significance.Pairing(Significance.beside(test, adjust, alpha))
    options = PairOptions(pairing, margin, power, simultaneous, effects, progress)
    table = parse_scores(scores)
    bounds = table.bounds
    # the lower scores are compared first, and `add_bounds` then adds columns from both bounds
    table = replace(table, bounds=None)
    baselines = _frozen_or_baselines(table, baseline, bounds)
    groups, pairs = _groups_and_pairs(table, baselines, options)
    results = options.compare([*groups.values()], pairs)
    frames = dict(zip(groups, map(_frame, groups.values(), pairs, results), strict=True))
    frame = frames[None] if table.by is None else join_frames(frames, table.by)
    if bounds is not None:
        frame = decide.add_bounds(bounds, frame, options, baseline=baseline, by=table.by)
        frame.attrs["bound"] = "means and tests are of the lower bounds"
    frame.attrs |= _comparison_attributes(options, [*groups.values()], pairs, results, baselines)
    return frame


def _comparison_attributes(
    options: PairOptions,
    groups: list[Scores],
    pairs: list[Array],
    results: list[Columns],
    baselines: Frozen | Baselines,
) -> dict[str, object]:
    """Return the attributes of a comparison, and raise its warnings."""
    # several groups may cause the same caution, but the warning is raised only once
    messages = list(dict.fromkeys(_cautions(options, groups, results, pairs)))
    sizes = options.pairing.family_sizes(groups, pairs)
    attributes = options.attributes()
    attributes["comparisons"] = sizes[0] if len({*sizes}) == 1 else sizes
    if isinstance(baselines, Frozen):
        attributes |= {"baselines": [str(baselines.label)], "frozen": baselines.caption}
        messages += baselines.cautions(pd.Index([t for group in groups for t in group.topics]))
    elif baselines is not None:
        attributes["baselines"] = [str(label) for label in listed(baselines)]
    warn(*messages)
    drawn = any(group.repeats is not None or group.design is not None for group in groups)
    return attributes | (draw_attributes(groups) if drawn else {})


def _cautions(
    options: PairOptions, groups: list[Scores], results: list[Columns], pairs: list[Array]
) -> Iterator[str]:
    """Yield cautions about too little data or violated assumptions."""
    # the standard deviation is 0 for constant differences, and NaN for a single topic
    flat = np.concatenate([~(result["sd"] > 0).ravel() for result in results])
    yield from significance.without_judged(groups)
    yield from significance.without_spread(int(flat.sum()), len(flat))
    sizes = options.pairing.family_sizes(groups, pairs)
    test = options.pairing.test
    for group, result, group_pairs, size in zip(groups, results, pairs, sizes, strict=True):
        if group.repeats is not None:
            yield from beware_of_repeats(group)
        # Student's t can be arbitrarily large, so a t-test can be significant with two topics
        if not isinstance(test, PairedT) or isinstance(options.pairing.adjust, MaxT):
            yield from beware_of_least(options.pairing, group, group_pairs, size)
        yield from significance.with_zeros(group, group_pairs)
        if group.design is not None:
            drawn = isinstance(test, Bootstrap)
            topics = effective(group)
            yield from beware_of_design(group, topics, result["freedom"], drawn=drawn)
        if test.joint:
            yield from significance.unequal_spread(test, result["sd"])


def _refuse_design(group: Scores, options: PairOptions, bounds: xr.DataArray | None) -> None:
    """Raise if the options do not support the topics' design."""
    if group.design is None:
        return
    named = options_declared(group.attrs)
    if options.simultaneous and isinstance(options.pairing.adjust, MaxT):
        advice = "choose another correction, such as adjust='bonferroni'"
        expected = f"a correction with simultaneous intervals that supports {named}"
        raise ParameterError(expected, "max-t", advice)
    if bounds is not None:
        advice = "select one: bounds.sel(bound='lower')"
        raise ParameterError(f"only lower or only upper scores with {named}", "both", advice)


def _groups_and_pairs(
    scores: Scores, baseline: Frozen | Baselines, options: PairOptions
) -> tuple[dict[Hashable, Scores], list[Array]]:
    """Return scores and pairs of groups that contain the baseline."""
    compared: dict[Hashable, Scores] = {}
    pairs = []
    frozen = baseline if isinstance(baseline, Frozen) else None
    label = baseline if frozen is None else frozen.label
    # a frozen baseline is added to every group, so every group contains it
    named = {"baseline": label if frozen is None else None}
    groups = dict(scores.groups())
    for key, group in (
        groups if scores.by is None else drop_groups_without(groups, named, scores.by)
    ).items():
        with nullcontext() if scores.by is None else naming_group(key, scores.by):
            averaged = read_scores(group, options.pairing.over)
            averaged = averaged if frozen is None else frozen.add_to(averaged)
            compared[key] = scores_to_compare(averaged)
            _refuse_design(compared[key], options, group.bounds)
            pairs.append(choose_pairs(compared[key], label, several=True))
    options.pairing.refuse_over(compared.values())
    return compared, pairs


def _frozen_or_baselines(
    scores: Scores, baseline: Baselines, bounds: xr.DataArray | None
) -> Frozen | Baselines:
    """Return the baselines, or read the baseline from a file.

    Raise if the scores in the file were computed with other judgments or policies.
    """
    if baseline is None:
        return None
    files = [path for path in listed(baseline) if is_file(path)]
    # a system takes precedence over a file with the name of the system
    systems = scores.systems.tolist() if files and bounds is None else []
    if not files or files[0] in systems:
        return baseline
    if len(listed(baseline)) > 1 or bounds is not None:
        got = "bounds" if bounds is not None else "several baselines"
        expected = "one baseline, and scores without bounds, if the baseline is a file"
        raise ParameterError(expected, got, "", files)
    frozen = Frozen.read(files[0], systems)
    frozen.refuse_other_policies(scores.source.attrs)
    return frozen


def _frame(group: Scores, pairs: Array, values: Columns) -> pd.DataFrame:
    columns = label_pairs(group, pairs)
    numbers = {name: array.ravel() for name, array in values.items()}
    columns |= {name: numbers[name] for name in (*COLUMNS, *OPTIONAL) if name in numbers}
    # pandas copies the arrays of a dictionary by default
    return pd.DataFrame(columns, copy=False)
