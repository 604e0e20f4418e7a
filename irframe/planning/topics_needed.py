"""Number of topics that an experiment needs, given pilot scores.

Verbs: topics_needed.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr
from numpy.typing import ArrayLike

from irframe.arrays import Array, low_to_high
from irframe.checks import check_int, choice, number, refuse_passed
from irframe.comparing.corrections import ANOVA, Significance
from irframe.cubes.scores import Arrays, Scores
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, caution, united
from irframe.names import PAIR, TOPIC, counted
from irframe.option_values import Unused
from irframe.paired import describe_differences
from irframe.paired.design import Design
from irframe.paired.margins import detectable, missed_one_sided
from irframe.planning.components import analyse
from irframe.planning.over_repeats import topics_over_repeats
from irframe.scores.read_scores import Baselines, choose_pairs, pair_labels, scores_to_compare

FEWEST = 2
"""Minimum number of topics from which a variance can be estimated."""


@np.errstate(divide="ignore")
def topics_for_difference(
    difference: float, variance: Array, *, power: float, alpha: float, systems: int | None = None
) -> Array:
    """Return the number of topics needed to detect a difference.

    Parameters
    ----------
    difference
        Difference of the means of two systems, above 0. If `systems` is passed, the difference of
        the means of the best and the worst system. The mean of every other system is assumed to lie
        halfway between the best and the worst mean.
    variance
        Variance of the differences of two systems. If `systems` is passed, variance of the scores
        of one system. The array may have any shape.
    power, alpha
        Power and significance level, between 0 and 1.
    systems
        Number of systems in a one-way analysis of variance, at least 2. By default two systems
        are compared by a paired t-test.
    """
    df, per_topic = (1, 1) if systems is None else (systems - 1, systems)
    signal = difference**2 / (1 if systems is None else 2) / variance

    def reached(topics: Array, signal: Array) -> Array:
        df_residual = per_topic * (topics - 1)
        critical = scipy.special.fdtri(df, df_residual, 1 - alpha)
        missed: Array = scipy.special.ncfdtr(df, df_residual, topics * signal, critical)
        return missed <= 1 - power

    # with infinitely many degrees of freedom, F is chi-squared, and the fewest topics are needed
    noncentrality = scipy.special.chndtrinc(scipy.special.chdtri(df, alpha), df, 1 - power)
    return _least(reached, signal, max(noncentrality, 0) / signal)


@np.errstate(divide="ignore")
def topics_for_margin(margin: float, variance: Array, *, power: float, alpha: float) -> Array:
    """Return the number of topics needed to show non-inferiority.

    Parameters
    ----------
    margin
        The margin of non-inferiority, above 0.
    variance
        Variance of the differences of two systems, any shape.
    power, alpha
        Power and significance level, between 0 and 1.
    """
    effect = margin / np.sqrt(variance)

    def reached(topics: Array, effect: Array) -> Array:
        lead = np.sqrt(topics) * effect
        return missed_one_sided(lead, topics - 1, alpha=alpha) <= 1 - power

    noncentrality = scipy.special.ndtri(1 - alpha) + scipy.special.ndtri(power)
    return _least(reached, effect, (max(noncentrality, 0.0) / effect) ** 2)


@np.errstate(divide="ignore")
def topics_for_width(width: float, variance: Array, *, alpha: float) -> Array:
    """Return the number of topics needed for an interval width.

    Parameters
    ----------
    width
        Expected width of the confidence interval of a difference, from end to end, above 0.
    variance
        Variance of the differences of two systems, any shape.
    alpha
        One minus the confidence level.
    """
    half = width / 2 / np.sqrt(variance)

    def reached(topics: Array, half: Array) -> Array:
        df = topics - 1
        # `poch` is the ratio of two gamma functions, which would overflow from 344 topics on
        unbiased = scipy.special.poch(df / 2, 0.5) / np.sqrt(df / 2)
        quantile = -scipy.special.stdtrit(df, alpha / 2)
        return np.asarray(quantile * unbiased / np.sqrt(topics) <= half)

    return _least(reached, half, (scipy.special.ndtri(alpha / 2) / half) ** 2)


def _least(reached: Callable[[Array, Array], Array], effect: Array, lower_bound: Array) -> Array:
    """Return the smallest sufficient numbers of topics.

    Parameters
    ----------
    reached
        Function that receives numbers of topics and effects, and returns whether each number is
        sufficient.
    effect
        The effect to detect, any shape.
    lower_bound
        Lower bounds of the numbers of topics, with the shape of `effect`. If a bound is NaN, the
        result is NaN. If a bound is 0, the result is `FEWEST`.
    """
    # a bound that is an integer, up to rounding errors, is not rounded up
    least: Array = np.maximum(np.ceil(np.ravel(lower_bound) - 1e-9), FEWEST)
    # the bounds assume a known variance, so a few steps upwards reach the solution
    short = np.flatnonzero(np.ravel(lower_bound) > 0)
    while len(short):
        short = short[~reached(least[short], np.take(effect, short))]
        least[short] += 1
    return least.reshape(np.shape(lower_bound))


TESTS = ("t", ANOVA)
TestedTopics = Annotated[Significance | Literal["t", "anova"], Unused("adjust", "family", "over")]
OF_PAIRS = ("baseline", "per")
OPTIONS = {**dict.fromkeys(("t", "width", "margin", "topics"), OF_PAIRS), "anova": ("systems",)}
"""Mapping from a question to the optional arguments that can be combined with it.

A question has the name of the required argument that was passed, such as ``"width"``. For a
difference, it has the name of the test."""


@verb(repeats=True)
def topics_needed(
    scores: xr.DataArray | pd.DataFrame,
    *,
    difference: float | None = None,
    width: float | None = None,
    margin: float | None = None,
    topics: int | None = None,
    test: TestedTopics = "t",
    power: float = 0.8,
    systems: int | None = None,
    baseline: Baselines = None,
    per: Literal["pair"] | None = None,
    n_repeats: int | Sequence[int] | None = None,
) -> xr.Dataset:
    """Estimate the number of topics needed, from pilot scores.

    The variance over topics is estimated from scores of a pilot experiment, or of an earlier
    collection. Pass exactly one of `difference`, `width`, `margin` and `topics`.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    difference
        The difference of means to detect with the given `power`, above 0. For ``"t"``, this is the
        difference of two systems. For ``"anova"``, this is the difference of the best and the worst
        system.
    width
        The expected width of a confidence interval of a difference of means, from end to end, above
        0.
    margin
        A margin of non-inferiority, above 0. With the given `power`, a one-sided test shows that
        one of two equal systems is not worse than the other by this margin.
    topics
        A number of topics, at least 2. The result is then the smallest difference of two systems
        that a t-test detects with this number of topics.
    test
        ``"t"`` is a paired t-test, and ``"anova"`` a one-way analysis of variance. Pass an
        `irframe.Significance` with one of these tests to change the field `alpha`. The field
        `alpha` is the significance level, and one minus the confidence level of intervals.
    power
        The probability that the test detects the difference, above `alpha` and below 1.
    systems
        Number of systems in ``"anova"``, at least 2. The default is the number of systems in the
        scores.
    baseline
        A system with which all other systems are compared. By default, all pairs are compared. A
        baseline is not available for ``"anova"``.
    per
        With ``"pair"`` there is a result for each pair of systems. By default variances are
        averaged over pairs. The option is not available for ``"anova"``.
    n_repeats
        One or several numbers of repeats per system, at least 1, for `difference` and `margin`. The
        pilot must contain repeats, that is, several runs of the same system. The default is the
        smallest number of repeats of a system in the pilot. The result has the dimensions (metric,
        depth, n_repeats). The number of topics is NaN if no number is sufficient, because repeats
        vary too much.

    Returns
    -------
    xarray.Dataset
        ``topics`` is the number of topics needed. If `topics` is passed, the result contains
        ``difference`` instead, the smallest true difference that is detected with the given power.
        ``variance`` is the variance that was used to compute the result, in squared units of the
        metric. The dimensions are (metric, depth). With ``per="pair"`` there is another dimension,
        pair, with the coordinates ``system_a`` and ``system_b``. After `groupby` the group is the
        first dimension. Values are NaN if the pilot has a single topic. The attribute ``caution``
        contains the number of topics of the pilot.

    Raises
    ------
    ParameterError
        If not exactly one of `difference`, `width`, `margin` and `topics` is passed, or if
        arguments are out of range or cannot be combined. See also `compare`.
    DepthError
        If the scores lack one of the depths.

    Warns
    -----
    IrframeWarning
        If topics are dropped, because some system has no score on these topics.

    Notes
    -----
    Let n be the number of topics and D the true difference. A paired t-test is an F-test with 1 and
    n - 1 degrees of freedom and noncentrality ``n D^2 / v``. The variance v is the variance of
    paired differences, averaged over pairs. A one-way analysis of variance of m systems has m - 1
    and m(n - 1) degrees of freedom and noncentrality ``n D^2 / (2 v)``. The variance v is then the
    variance of the scores of one system. All means except the best and the worst are assumed to be
    equal. The result is the smallest n for which the noncentral F distribution yields the required
    power. For a margin m the test is a one-sided t-test with noncentrality ``m sqrt(n / v)``.

    The expected width of a confidence interval is ``2 t(1 - alpha/2, n - 1) E(s) / sqrt(n)``, where
    E(s) is the expected standard deviation of n normal differences.

    With T topics and R repeats, a difference has the variance ``s_D^2 / T + 2 s_r^2 / R + 2 s_e^2 /
    (T R)`` with Satterthwaite's degrees of freedom. The variances are estimated by `components`
    from the pilot.

    The result depends on the variance in the pilot, which is more often below than above the true
    variance. More topics may therefore be needed. There is no confidence interval of the result,
    because no known interval has its nominal coverage with up to 50 topics. 95% intervals based on
    the chi-squared distribution covered the true variance 76 to 89 times in 100.

    References
    ----------
    .. [1] Sakai. Topic set size design. Information Retrieval Journal 19, 2016.
       doi:10.1007/s10791-015-9273-z

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["AP", "nDCG@10"])
    >>> scores.ireval.topics_needed(difference=0.05).to_dataframe().round(4)
             variance  topics
    metric
    AP          0.029    93.0
    nDCG@10     0.047   150.0
    """
    questions = {"difference": difference, "width": width, "margin": margin, "topics": topics}
    question, target = _passed_argument(questions)
    significance = Significance.read(test)
    test_name = choice("test", significance.test, TESTS)
    alpha = significance.alpha
    power = number("power", power, above=alpha, below=1)
    method = test_name if question == "difference" else question
    options = {"baseline": baseline, "per": per, "systems": systems}
    _refuse_foreign(method, options | ({} if test_name in (method, "t") else {"test": test_name}))
    paired = scores_to_compare(scores)
    if n_repeats is not None or (paired.repeats is not None and paired.repeats.crossing):
        _refuse_foreign("n_repeats", options)
        result = topics_over_repeats(paired, method, target, n_repeats, power=power, alpha=alpha)
    elif method == "anova":
        result = _by_anova(paired, target, systems=systems, power=power, alpha=alpha)
    else:
        levels = {"alpha": alpha} if method == "width" else {"alpha": alpha, "power": power}
        answer = partial(ANSWERS[method], target, **levels)
        name = "difference" if method == "topics" else "topics"
        result = _of_pairs(paired, baseline, answer, name, per_pair=per == "pair")
    cautions = caution([_estimate_caution(paired.scored.sum(axis=1))])
    return result.assign_attrs(united(result.attrs, cautions))


ANSWERS: dict[str, Callable[..., Array]] = {
    "t": topics_for_difference,
    "margin": topics_for_margin,
    "width": topics_for_width,
    "topics": lambda topics, variance, *, alpha, power: detectable(
        np.sqrt(variance), np.full(np.shape(variance), int(topics)), power=power, alpha=alpha
    ),
}
"""Mapping from a question, as in `OPTIONS`, to the function that computes the result from a
variance."""


def _passed_argument(questions: dict[str, float | None]) -> tuple[str, float]:
    """Return the name and value of the passed argument."""
    passed = {name: value for name, value in questions.items() if value is not None}
    if len(passed) != 1:
        raise ParameterError(f"exactly one of {', '.join(questions)}", f"{len(passed)}", "", passed)
    ((name, value),) = passed.items()
    if name == "topics":
        return name, check_int(name, value, low=2)
    return name, number(name, value, above=0)


def _refuse_foreign(question: str, arguments: Mapping[str, object]) -> None:
    """Raise if arguments cannot be combined with `question`."""
    applicable = OPTIONS.get(question, ())
    foreign = {name: value for name, value in arguments.items() if name not in applicable}
    refuse_passed(foreign, f"arguments that can be combined with {question!r}")


def _of_pairs(
    paired: Scores,
    baseline: Baselines,
    answer: Callable[[Array], Array],
    name: str,
    *,
    per_pair: bool,
) -> xr.Dataset:
    """Compute the result from the variances of differences."""
    pairs = choose_pairs(paired, baseline, several=True)
    variance = _of_differences(paired, pairs, per_pair=per_pair)
    values = {"variance": variance, name: answer(variance)}
    if not per_pair:
        return _labelled(paired, values)
    return paired.beyond_depth(values, PAIR).assign_coords(pair_labels(paired, pairs))


def _by_anova(
    paired: Scores, target: float, *, systems: int | None, power: float, alpha: float
) -> xr.Dataset:
    n_systems = check_int("systems", len(paired.systems) if systems is None else systems, low=2)
    squares = analyse(paired)
    # the variance of a system's scores over topics is pooled over systems
    variance = (squares.topic + (squares.systems - 1) * squares.residual) / squares.systems
    topics = topics_for_difference(target, variance, systems=n_systems, power=power, alpha=alpha)
    return _labelled(paired, {"variance": variance, "topics": topics})


def _of_differences(paired: Scores, pairs: Array, *, per_pair: bool) -> Array:
    """Return variances of differences, per pair or averaged.

    The result has the shape (metric, depth, pair) if `per_pair` is True, and (metric, depth)
    otherwise.
    """
    systems = len(paired.systems)
    independent = paired.design is None or paired.design.plain
    # Twice the residual mean square is the mean variance over all pairs. For 129 systems, 50 topics
    # and 100 depths, its computation took 0.02 s, and the variances of all pairs took 0.9 s.
    if independent and not per_pair and len(pairs) == systems * (systems - 1) // 2:
        return 2 * analyse(paired).residual

    def spread(scores: Array, *design: Design) -> Arrays:
        variance = describe_differences(scores, pairs, *design).sd ** 2
        return (variance if per_pair else variance.mean(axis=0, keepdims=True),)

    (variances,) = paired.over_all(len(pairs), spread, on_terms=True)
    return variances if per_pair else variances[..., 0]


def _labelled(paired: Scores, values: dict[str, Array]) -> xr.Dataset:
    return xr.Dataset({name: paired.labelled(array, name) for name, array in values.items()})


def _estimate_caution(topics: ArrayLike) -> str:
    """Return the caution that the result is an estimate.

    Examples
    --------
    >>> _estimate_caution([16, 16])
    'an estimate from a pilot of 16 topics'
    """
    return f"an estimate from a pilot of {counted(low_to_high(topics), TOPIC)}"
