"""Every pair of systems, compared by a significance test."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import listed
from irframe.comparing import decide, pairwise, significance
from irframe.comparing.attainable import beware_of_least
from irframe.comparing.corrections import Adjust, Significance, Tested
from irframe.comparing.freeze import Frozen, is_file
from irframe.comparing.pairwise import Found, PairOptions
from irframe.cubes.by_group import drop_groups_without, join_frames, naming_group
from irframe.cubes.parse_scores import parse_scores
from irframe.cubes.scores import Scores
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, warn
from irframe.experiments.topic_design import options_declared
from irframe.names import METRIC, SIDES
from irframe.paired import Bootstrap, MaxT
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
"""Columns of a comparison frame, after that of the group; that of depths follows the metric's."""
OPTIONAL = (*OTHER_COLUMNS, "n_clusters", "n_eff", *pairwise.OF_MARGIN, *EFFECTS, *decide.DECIDED)
"""Those that it has if they are asked for; others are groups."""


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
    """Test every pair of systems for a significant difference, with confidence intervals.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. Or lower and upper scores
        from `bounds`: the lower ones are tested, and further columns say what is decided.
    test
        How a difference is called significant: an `irframe.Significance`, or the name of a test.
    adjust, alpha
        Correction of the p-values for the number of comparisons, and significance level, beside the
        name of a test: as `irframe.Significance` has them, by default Holm's and .05.
    baseline
        A system: compare each other system with it, and it is ``system_b`` throughout. Or a
        list of some: each other system with each of them, and these among each other, all in
        one family. Or a file that `freeze` wrote, a path or a name that ends in ``.irframe``: its
        scores are ``system_b``. By default all pairs of systems, in the order of the scores.
    simultaneous
        Whether intervals are to hold together over the family, at 1 - `alpha`: wider ones. For
        ``"tukey"`` and ``"max-t"`` by the quantile of what they resample, the range of the means
        and the largest t; else by the level of Sidak's correction where that is asked for, or
        Bonferroni's. By default each is for its pair alone, but for ``"tukey"``, and may exclude 0
        where a corrected p does not.
    effects
        Whether Hedges' g is wanted, with its interval.
    margin
        How much worse, in the units of the metric, does not matter, above 0, or ``{metric:
        margin}``: whether a system is shown to be not worse than another, or equivalent to it. Not
        for tests and corrections of all pairs at once, ``"tukey"`` and ``"max-t"``, nor for metrics
        that are not averaged.
    power
        How often a true difference is to be found to be called detectable, above `alpha` and
        below 1; with a margin .8 by default.
    progress
        Whether to show how many blocks of depths have been tested, by tqdm.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, with the columns

        - the group, after `groupby`;
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
        - ``n_topics``, the topics compared; of topics with weights also ``n_eff``, how many topics
          of equal weight they are as good as;
        - with `effects`, ``hedges_g``, ``g_low``, ``g_high``;
        - with `margin`, ``p_not_worse``, ``p_not_worse_adjusted`` as `p` is, and ``not_worse``,
          ``p_not_worse_adjusted < alpha``; ``p_equivalent``, ``p_equivalent_adjusted`` and
          ``equivalent`` likewise; with it or with `power` the ``verdict`` on a against b, the first
          that holds of better and worse (significant), equivalent, not worse, and undecided; a
          system that is significantly worse and shown to be not worse by the margin is not
          called worse; a system of which no retrieved document is judged has ``"no verdict"``,
          and no significant difference. ``detectable`` is the smallest true difference that a
          two-sided t-test at `alpha` finds with that power on these topics, missing where
          intervals are;
        - where systems have repeats, ``n_repeats_a`` and ``n_repeats_b``; ``df``, the degrees of
          freedom of t; and ``repeat_share``, what repeats have of the variance of the difference
          that topics and repeats make, 0 to 1;
        - for bounds, ``lowest`` and ``highest``, between which the difference lies whatever the
          unjudged documents are, ``decided``, whether that settles its sign, and ``better``, the
          better system of a decided pair; see `decide`. With a margin a pair is decided, too, if
          the difference must be above minus the margin, and ``verdict_lowest`` and
          ``verdict_highest`` are the verdicts if the unjudged documents of a are worth the least
          and those of b the most, and the other way round.

    Raises
    ------
    InputError
        For more rows than fit into 4 GiB, and for more than 4 GiB of lazy scores at the depths
        asked for.
    ParameterError
        For a file of scores by other judgments or policies, naming what differs.
        For fewer than two systems, an unknown test, correction, baseline or group, an alpha
        outside (0, 1), a margin that is not above 0 or a power outside (alpha, 1).
        For weights that are missing, negative, not finite or all 0, naming the topics, and for
        tests that have no form for weights.
    MetricError
        For a margin of a metric that is not averaged plainly over topics, and weights of one that
        is added up.
    DepthError
        For depths that the scores lack.
    StoreError
        For a file that is no frozen baseline, or was changed since.

    Warns
    -----
    IrframeWarning
        If a frozen baseline is more than 90 days old. If topics are left out, with their number. A
        comparison is paired: a topic counts, for a metric and depth, only if every system has a
        score (not NaN) on it. If groups that lack the baseline are left out, with their names. Of
        topics of weight 0, which do not count. Of pairs whose differences are the same on all
        topics; where no outcome on so few topics, or by so few samples, could be significant; of
        weights that leave fewer than 5 topics of equal weight, 10 for ``"bootstrap"``,
        or one topic more than half of the weight; and for ``"tukey"`` where the variance of some
        pair's differences is more than 10 times that of another's. The attribute ``caution`` says
        these.

    Notes
    -----
    The attribute ``interval`` says whose intervals there are. Those of t, permutation, bootstrap
    and tukey are the test's own, of the differences that it does not reject: they exclude 0
    exactly where p, without correction, is below alpha. Beside other tests, which are not of
    means, stand Student's, ``"t"``, ``difference -+ t(1 - alpha/2, n - 1) s / sqrt(n)``;
    simultaneous ones of ``"max-t"`` have the quantile of its largest t instead. ``effect_size`` is
    the mean paired difference over s, the standard deviation of the paired differences with n - 1.
    A metric that is averaged geometrically or harmonically is tested on what is added up for its
    mean, logarithms and reciprocals, so that no significant difference is against the order of the
    means; effect sizes are of these.

    Where the differences of a pair are the same on all topics, as on a single one, nothing says
    how they would vary on others: interval and effect size are NaN, p of t and bootstrap is 1 if
    the differences are 0 and NaN if not, and such a pair still counts in a correction. The other
    tests do not need to know how differences vary; Wilcoxon's normal approximation has p = .317
    with a single topic.

    With weights w, ``a = w / sum w`` and ``A = sum a^2``, means are weighted, and that of d = a - b
    has the variance ``sum c (d - mean)^2``, ``c = a^2 / (1 - 2 a + A)`` [4]_, with the degrees of
    freedom of Bell and McCaffrey [5]_; s is the root of n times that; wins, ties and losses are
    counted. Weights that are all alike give Student's test.
    A simultaneous interval excludes 0 where ``p_adjusted < alpha``, and nowhere else, for
    ``"tukey"``, and for the test t with ``"bonferroni"`` and ``"sidak"``. Corrections by steps,
    such as ``"holm"`` and ``"max-t"``, have no intervals of their own: one that excludes 0 is of a
    significant pair, but not each significant pair has one.
    Where systems have repeats, such as seeds, the variance of a difference is ``V = max(V_T + V_R -
    V_E, V_T, V_R)``: V_T that over topics, of means over repeats; V_R the sum over both systems of
    that of the repeats' means, or, where repeats are shared, that of their differences; V_E the
    residual's part, which is in both; with Satterthwaite's degrees of freedom [6]_. A system with
    one repeat adds nothing to V_R. Repeats inside topics are averaged in each, and topics tested.
    Wins, ties, losses and effect sizes are of means over repeats.
    Not worse and equivalent are Student's one-sided tests against the margin, whatever the test.
    The test works through blocks of depths, as many as keep an array over pairs and depths within
    64 MiB; the result itself takes about 180 bytes a row.

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
    how = pairing.test, pairing.adjust, pairing.family, pairing.alpha
    options = PairOptions(*how, margin, power, simultaneous, effects, progress, pairing.over)
    table = parse_scores(scores)
    bounds, table = table.bounds, replace(table, bounds=None)
    against = _frozen_or_baselines(table, baseline, bounds)
    parts, pairs = _groups_and_pairs(table, against, options)
    results = options.of([*parts.values()], pairs)
    frames = dict(zip(parts, map(_frame, parts.values(), pairs, results), strict=True))
    frame = frames[None] if table.by is None else join_frames(frames, table.by)
    if bounds is not None:
        frame = decide.of_bounds(bounds, frame, options, baseline=baseline, by=table.by)
        frame.attrs["bound"] = "means and tests are of the lower bounds"
    frame.attrs |= _comparison_attributes(options, list(parts.values()), pairs, results, against)
    return frame


def _comparison_attributes(
    options: PairOptions,
    parts: list[Scores],
    pairs: list[Array],
    results: list[Found],
    against: Any,
) -> dict[str, Any]:
    """Return the attributes of a comparison, and warn of what it is to be read with."""
    messages = list(dict.fromkeys(_cautions(options, parts, results, pairs)))
    attributes: dict[str, Any] = {}
    if against is not None:
        attributes["baselines"] = [str(label) for label in listed(against)]
    if isinstance(against, Frozen):
        attributes = {"baselines": [str(against.label)], "frozen": against.told}
        messages += against.cautions(pd.Index([topic for part in parts for topic in part.topics]))
    warn(*messages)
    sizes: Any = significance.family_sizes(parts, pairs, options.family)
    sizes = sizes[0] if len({*sizes}) == 1 else sizes
    attributes = {"comparisons": sizes} | attributes
    return options.told() | attributes | draw_attributes(parts)


def _cautions(
    options: PairOptions, parts: list[Scores], results: list[Found], pairs: list[Array]
) -> Iterator[str]:
    """Say which comparisons rest on too little, or on what does not hold."""
    flat = np.concatenate([~(result["sd"] > 0).ravel() for result in results])
    yield from significance.without_judged(parts)
    yield from significance.without_spread(int(flat.sum()), len(flat))
    sizes = significance.family_sizes(parts, pairs, options.family)
    for part, result, kept, size in zip(parts, results, pairs, sizes, strict=True):
        yield from beware_of_repeats(part)
        how = options.test, options.adjust, part, kept, size, options.alpha
        yield from beware_of_least(*how)
        yield from significance.with_zeros(part, kept)
        if part.design is not None:
            drawn = isinstance(options.test, Bootstrap)
            topics = effective(part)
            yield from beware_of_design(part, topics, result["freedom"], drawn=drawn)
        if options.test.joint:
            yield from significance.unequal_spread(options.test, result["sd"])


def _refuse_design(part: Scores, options: PairOptions, bounds: Any) -> None:
    """Raise if something asked for has no form for topics drawn together or weighted."""
    if part.design is None:
        return
    named = options_declared(part.attrs)
    if options.simultaneous and isinstance(options.adjust, MaxT):
        advice = "choose another correction, such as adjust='bonferroni'"
        raise ParameterError(f"intervals that do not hold together for {named}", "max-t", advice)
    if bounds is not None:
        advice = "select one: bounds.sel(bound='lower')"
        raise ParameterError(f"scores of one bound for {named}", "both", advice)


def _groups_and_pairs(
    scores: Any, baseline: Baselines, options: PairOptions
) -> tuple[dict[Any, Scores], list[Array]]:
    """Return the scores of every group that has the baseline, and the pairs to compare."""
    parts, pairs = {}, []
    frozen = baseline if isinstance(baseline, Frozen) else None
    label = baseline if frozen is None else frozen.label
    named = {"baseline": label if frozen is None else None}
    groups = dict(scores.groups())
    for key, group in (
        groups if scores.by is None else drop_groups_without(groups, named, scores.by)
    ).items():
        with nullcontext() if scores.by is None else naming_group(key, scores.by):
            read = read_scores(group, options.over)
            read = read if frozen is None else frozen.beside(read)
            parts[key] = scores_to_compare(read)
            _refuse_design(parts[key], options, group.bounds)
            pairs.append(choose_pairs(parts[key], label, several=True))
    pairwise.refuse_over(parts.values(), options.over, options.test, options.adjust)
    return parts, pairs


def _frozen_or_baselines(scores: Any, baseline: Any, bounds: Any) -> Any:
    """Return the baselines, one that is a file as it was read, refusing what differs from it."""
    files = [path for path in listed(baseline) if is_file(path)]
    known = scores.systems.tolist() if files and bounds is None else []
    if not files or files[0] in known:
        return baseline
    if len(listed(baseline)) > 1 or bounds is not None:
        found = "bounds" if bounds is not None else "several baselines"
        raise ParameterError("one baseline, and scores, where it is a file", found, "", files)
    frozen = Frozen.read(files[0], known)
    frozen.hold(scores.source.attrs)
    return frozen


def _frame(group: Scores, pairs: Array, values: Found) -> pd.DataFrame:
    columns = label_pairs(group, pairs)
    numbers = {name: array.ravel() for name, array in values.items()}
    columns |= {name: numbers[name] for name in (*COLUMNS, *OPTIONAL) if name in numbers}
    return pd.DataFrame(columns, copy=False)
