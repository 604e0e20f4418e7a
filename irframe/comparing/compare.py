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
"""Columns of every comparison frame. Groups are in a first column, depths follow the metric."""
OPTIONAL = (*OTHER_COLUMNS, "n_clusters", "n_eff", *pairwise.OF_MARGIN, *EFFECTS, *decide.DECIDED)
"""Columns that depend on options. Any further column contains groups."""


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

    The result has confidence intervals, and p-values corrected for multiple comparisons.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. Alternatively the lower and
        upper scores that `bounds` returns. The lower scores are then tested, and further columns
        report which differences cannot be reversed by unjudged documents.
    test
        The significance test: an `irframe.Significance`, or the name of a test.
    adjust, alpha
        Correction for multiple comparisons (by default Holm's) and significance level. They can be
        passed if `test` is a name. Otherwise set them in `irframe.Significance`.
    baseline
        A system: every other system is compared with it, and it is ``system_b`` in every row. Or a
        list of systems: every other system is compared with each of them, and they are compared
        with each other, all in one family. Or a file written by `freeze`, as a path or as a name
        that ends in ``.irframe``: its scores are ``system_b``. By default all pairs of systems are
        compared, in the order of the scores.
    simultaneous
        Whether confidence intervals are simultaneous, with coverage 1 - `alpha` for all pairs of
        the family at once. ``"tukey"`` uses quantiles of the range of the means, and ``"max-t"``
        quantiles of the largest t. Otherwise the level is that of Bonferroni's correction, or of
        Sidak's if ``adjust="sidak"``. By default each interval covers the difference of its own
        pair (except for ``"tukey"``). It may exclude 0 if the adjusted p-value is not significant.
    effects
        Whether to add Hedges' g and its confidence interval.
    margin
        Largest loss that does not matter in practice, above 0 and in the units of the metric, or
        ``{metric: margin}``. Adds tests of non-inferiority and of equivalence. Not available with
        ``"tukey"`` and ``"max-t"``, which test all pairs at once, nor for metrics that are not
        averaged.
    power
        Power at which a true difference counts as detectable, above `alpha` and below 1. By
        default .8 if there is a margin.
    progress
        Whether to show a progress bar (tqdm) over blocks of depths.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, with the columns

        - the group, after `groupby`;
        - ``metric``, ``depth``, ``system_a``, ``system_b``. If scores have no depth axis,
          ``depth`` is the depth in the metric's name, or <NA>;
        - ``mean_a``, ``mean_b``, averaged as in `summary`, ``difference`` = ``mean_a - mean_b``
          and its confidence interval ``ci_low``, ``ci_high``. Intervals are missing for sums and
          for harmonic and geometric means;
        - ``effect_size``, the mean paired difference divided by the standard deviation of the
          paired differences;
        - ``statistic`` and ``p`` of the test, ``p_adjusted``, the p-value adjusted for multiple
          comparisons, and ``significant``, which is ``p_adjusted < alpha``;
        - ``wins``, ``ties``, ``losses``: the number of topics on which a scores better than, the
          same as, and worse than b, with differences rounded to 12 decimals. Lower is better for
          a cost, but ``difference`` is always a - b;
        - ``n_topics``, the number of topics compared;
        - if topics have weights, ``n_eff``, the effective number of topics: as many topics of equal
          weight would be equally informative;
        - with `effects`, ``hedges_g``, ``g_low``, ``g_high``;
        - with `margin`, ``p_not_worse``, ``p_not_worse_adjusted`` and ``not_worse``, which is
          ``p_not_worse_adjusted < alpha``. Likewise ``p_equivalent``, ``p_equivalent_adjusted`` and
          ``equivalent``. The correction is that of ``p_adjusted``;
        - with `margin` or `power`, ``verdict``, which compares a with b. It is the first of these
          that applies: ``"better"`` (significant), ``"worse"`` (significant, and not shown to be
          within the margin), ``"equivalent"``, ``"not worse"``, ``"undecided"``. A system without
          judged retrieved documents has ``"no verdict"``, and no significant difference;
        - with `margin` or `power`, ``detectable``, the smallest true difference that a two-sided
          t-test at `alpha` detects with that power on these topics. It is missing where intervals
          are missing;
        - if systems have repeats, ``n_repeats_a`` and ``n_repeats_b``, the numbers of repeats, and
          ``df``, the degrees of freedom of t;
        - if systems have repeats, ``repeat_share``, the share of repeats in the variance of the
          difference, from 0 (topics only) to 1 (repeats only);
        - for bounds, ``lowest`` and ``highest``, the range of the difference over all possible
          grades of unjudged documents;
        - for bounds, ``decided``, whether the sign of the difference is certain, and ``better``,
          the better system of a decided pair, see `decide`. With `margin`, a pair is also decided
          if the difference must be above minus the margin;
        - for bounds with `margin`, ``verdict_lowest``, the verdict with the lowest scores of a and
          the highest scores of b. ``verdict_highest`` is the verdict with the opposite scores.

    Raises
    ------
    InputError
        If the result or the lazy scores at the selected depths need more than 4 GiB.
    ParameterError
        If there are fewer than two systems, if the test, correction, baseline or group is unknown,
        or if alpha, margin or power is out of range. Also if topic weights are missing, negative,
        not finite or all 0, or if the test cannot use weights. Also if a frozen baseline was scored
        with other judgments or policies; the message names the differences.
    MetricError
        If a metric with a margin is not an arithmetic mean over topics, or if a metric that is
        summed has topic weights.
    DepthError
        If the scores lack a depth.
    StoreError
        If a file is not a frozen baseline, or was changed after it was written.

    Warns
    -----
    IrframeWarning
        - If topics are left out. Comparisons are paired: a topic counts, for a metric and depth,
          only if every system has a score (not NaN) on it.
        - If groups are left out because they lack the baseline.
        - If a frozen baseline is more than 90 days old.
        - If topics have weight 0, if the effective number of topics is below 5 (10 for
          ``"bootstrap"``), or if one topic has more than half of the weight.
        - If the differences of a pair are the same on all topics.
        - If no outcome could be significant with so few topics or samples.
        - If the variance of differences of one pair is more than 10 times that of another pair.
          This applies to ``"tukey"``, which assumes equal variances.

        The attribute ``caution`` keeps these messages.

    Notes
    -----
    The attribute ``interval`` names the method of the intervals. The tests t, permutation,
    bootstrap and tukey are inverted: their intervals contain the differences that the test does
    not reject. They exclude 0 if, and only if, the uncorrected p-value is below alpha. The other
    tests are not about means. Their rows have Student's intervals, ``"t"``, which are ``difference
    -+ t(1 - alpha/2, n - 1) s / sqrt(n)``. Here s is the standard deviation of the paired
    differences with n - 1 in the denominator. Simultaneous intervals of ``"max-t"`` use the
    quantile of the largest t instead. ``effect_size`` is the mean paired difference divided by s.
    Metrics with geometric or harmonic means are tested on logarithms or reciprocals. A significant
    difference then always agrees with the order of the means. Their effect sizes are computed from
    the transformed scores.

    If the differences of a pair are the same on all topics, or there is only one topic, their
    variance cannot be estimated. Interval and effect size are NaN then. The p-value of t and
    bootstrap is 1 if the differences are 0, else NaN. Such a pair still counts in a correction. The
    other tests need no variance. Wilcoxon's normal approximation has p = .317 with a single topic.

    If topics have weights w, means are weighted. Let u = w / sum w and U = sum u^2. The mean of the
    differences d has the variance ``sum c (d - mean)^2`` with ``c = u^2 / (1 - 2 u + U)`` [4]_. Its
    degrees of freedom are those of Bell and McCaffrey [5]_. The standard deviation s is the root of
    n times this variance. Wins, ties and losses are not weighted. Equal weights give Student's
    test.

    For ``"tukey"``, and for the test t with ``"bonferroni"`` or ``"sidak"``, simultaneous intervals
    exclude 0 if, and only if, ``p_adjusted < alpha``. Stepwise corrections such as ``"holm"`` and
    ``"max-t"`` have no matching intervals. If an interval excludes 0, the pair is significant, but
    the intervals of some significant pairs include 0.

    If systems have repeats, such as seeds, the variance of a difference is ``V = max(V_T + V_R -
    V_E, V_T, V_R)`` with Satterthwaite's degrees of freedom [6]_. V_T is the variance over topics
    of means over repeats. V_R is the sum of both systems' variances over repeats of means over
    topics; if systems share repeats, it is the variance of the differences between these means.
    V_E is the residual variance, which both contain. A system with one repeat adds nothing to V_R.
    Repeats within topics are averaged per topic. Wins, ties, losses and effect sizes use means over
    repeats.

    ``not_worse`` and ``equivalent`` are decided by Student's one-sided tests against the margin,
    whatever the `test`. Depths are tested in blocks, so that arrays over pairs and depths need at
    most 64 MiB. The result takes about 180 bytes a row.

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
    """Return the attributes of a comparison, and issue its cautions."""
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
    flat = np.concatenate([~(result["sd"] > 0).ravel() for result in results])
    yield from significance.without_judged(groups)
    yield from significance.without_spread(int(flat.sum()), len(flat))
    sizes = options.pairing.family_sizes(groups, pairs)
    test = options.pairing.test
    for group, result, kept, size in zip(groups, results, pairs, sizes, strict=True):
        if group.repeats is not None:
            yield from beware_of_repeats(group)
        # The p-value of Student's t can be arbitrarily small.
        if not isinstance(test, PairedT) or isinstance(options.pairing.adjust, MaxT):
            yield from beware_of_least(options.pairing, group, kept, size)
        yield from significance.with_zeros(group, kept)
        if group.design is not None:
            drawn = isinstance(test, Bootstrap)
            topics = effective(group)
            yield from beware_of_design(group, topics, result["freedom"], drawn=drawn)
        if test.joint:
            yield from significance.unequal_spread(test, result["sd"])


def _refuse_design(group: Scores, options: PairOptions, bounds: xr.DataArray | None) -> None:
    """Raise if an option does not support the topic design."""
    if group.design is None:
        return
    named = options_declared(group.attrs)
    if options.simultaneous and isinstance(options.pairing.adjust, MaxT):
        advice = "choose another correction, such as adjust='bonferroni'"
        raise ParameterError(f"intervals that are not simultaneous for {named}", "max-t", advice)
    if bounds is not None:
        advice = "select one: bounds.sel(bound='lower')"
        raise ParameterError(f"scores of one bound for {named}", "both", advice)


def _groups_and_pairs(
    scores: Scores, baseline: Frozen | Baselines, options: PairOptions
) -> tuple[dict[Hashable, Scores], list[Array]]:
    """Return scores and pairs of groups that have the baseline."""
    compared: dict[Hashable, Scores] = {}
    pairs = []
    frozen = baseline if isinstance(baseline, Frozen) else None
    label = baseline if frozen is None else frozen.label
    named = {"baseline": label if frozen is None else None}
    groups = dict(scores.groups())
    for key, group in (
        groups if scores.by is None else drop_groups_without(groups, named, scores.by)
    ).items():
        with nullcontext() if scores.by is None else naming_group(key, scores.by):
            read = read_scores(group, options.pairing.over)
            read = read if frozen is None else frozen.beside(read)
            compared[key] = scores_to_compare(read)
            _refuse_design(compared[key], options, group.bounds)
            pairs.append(choose_pairs(compared[key], label, several=True))
    pairwise.refuse_over(compared.values(), options.pairing)
    return compared, pairs


def _frozen_or_baselines(
    scores: Scores, baseline: Baselines, bounds: xr.DataArray | None
) -> Frozen | Baselines:
    """Return the baselines, or the frozen baseline of a file.

    Raise if the scores were made with other judgments or policies than the file's.
    """
    if baseline is None:
        return None
    files = [path for path in listed(baseline) if is_file(path)]
    systems = scores.systems.tolist() if files and bounds is None else []
    if not files or files[0] in systems:
        return baseline
    if len(listed(baseline)) > 1 or bounds is not None:
        found = "bounds" if bounds is not None else "several baselines"
        expected = "one baseline, and scores without bounds, if the baseline is a file"
        raise ParameterError(expected, found, "", files)
    frozen = Frozen.read(files[0], systems)
    frozen.refuse_other_policies(scores.source.attrs)
    return frozen


def _frame(group: Scores, pairs: Array, values: Columns) -> pd.DataFrame:
    columns = label_pairs(group, pairs)
    numbers = {name: array.ravel() for name, array in values.items()}
    columns |= {name: numbers[name] for name in (*COLUMNS, *OPTIONAL) if name in numbers}
    return pd.DataFrame(columns, copy=False)
