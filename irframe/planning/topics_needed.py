"""How many topics the next test collection needs.

Verbs: topics_needed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, number, whole
from irframe.comparing.corrections import ANOVA, Significance
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, caution, united
from irframe.names import PAIR, TOPIC, counted, low_to_high
from irframe.option_values import Unused
from irframe.paired import describe_differences
from irframe.paired.design import Design
from irframe.paired.margins import detectable, missed_one_sided
from irframe.planning.components import analyse
from irframe.planning.over_repeats import topics_over_repeats
from irframe.scores.read_scores import (
    Baselines,
    choose_pairs,
    pair_labels,
    scores_to_compare,
)
from irframe.scores.scores import Arrays, Scores

FEWEST = 2
"""Topics that have a variance."""


@np.errstate(divide="ignore")
def topics_for_difference(
    difference: float, variance: Array, *, power: float, alpha: float, systems: int | None = None
) -> Array:
    """Return the topics with which a difference is found with some power.

    Parameters
    ----------
    difference
        Of the means of two systems, above 0; of several the best and the worst, others lying in
        the middle.
    variance
        Of the differences of the two systems, or of the scores of a system; any shape.
    power, alpha
        Between 0 and 1.
    systems
        How many systems, at least 2, a one-way analysis of variance tells apart; by default by a
        paired t-test of two.
    """
    df, alike = (1, 1) if systems is None else (systems - 1, systems)
    signal = difference**2 / (1 if systems is None else 2) / variance

    def reached(topics: Array, signal: Array) -> Array:
        rest = alike * (topics - 1)
        critical = scipy.special.fdtri(df, rest, 1 - alpha)
        missed: Array = scipy.special.ncfdtr(df, rest, topics * signal, critical)
        return missed <= 1 - power

    with_any = scipy.special.chndtrinc(scipy.special.chdtri(df, alpha), df, 1 - power)
    return _least(reached, signal, max(with_any, 0) / signal)


@np.errstate(divide="ignore")
def topics_for_margin(margin: float, variance: Array, *, power: float, alpha: float) -> Array:
    """Return the topics with which two systems alike are shown to be not worse by a margin.

    Parameters
    ----------
    margin
        How much worse does not matter, above 0.
    variance
        Of the differences of the two systems, any shape.
    power, alpha
        Between 0 and 1.
    """
    effect = margin / np.sqrt(variance)

    def reached(topics: Array, effect: Array) -> Array:
        lead = np.sqrt(topics) * effect
        return missed_one_sided(lead, topics - 1, alpha=alpha) <= 1 - power

    enough = scipy.special.ndtri(1 - alpha) + scipy.special.ndtri(power)
    return _least(reached, effect, (max(enough, 0.0) / effect) ** 2)


@np.errstate(divide="ignore")
def topics_for_width(width: float, variance: Array, *, alpha: float) -> Array:
    """Return the topics with which an interval is expected to be no wider than this.

    Parameters
    ----------
    width
        From end to end, above 0.
    variance
        Of the differences of the two systems, any shape.
    alpha
        One minus the confidence level.
    """
    half = width / 2 / np.sqrt(variance)

    def reached(topics: Array, half: Array) -> Array:
        df = topics - 1
        unbiased = scipy.special.poch(df / 2, 0.5) / np.sqrt(df / 2)
        quantile = -scipy.special.stdtrit(df, alpha / 2)
        return np.asarray(quantile * unbiased / np.sqrt(topics) <= half)

    return _least(reached, half, (scipy.special.ndtri(alpha / 2) / half) ** 2)


def _least(reached: Callable[[Array, Array], Array], effect: Array, start: Array) -> Array:
    """Return the least numbers that reach what is wanted, at or above some that may not.

    Parameters
    ----------
    reached
        Takes numbers and what is to be seen with each, tells which of them suffice.
    effect
        What is to be seen, any shape.
    start
        Lower bounds, of that shape; NaN stays NaN, and 0 suffices.
    """
    least: Array = np.maximum(np.ceil(np.ravel(start) - 1e-9), FEWEST)
    short = np.flatnonzero(np.ravel(start) > 0)
    while len(short):
        short = short[~reached(least[short], np.take(effect, short))]
        least[short] += 1
    return least.reshape(np.shape(start))


TESTS = ("t", ANOVA)
TestedTopics = Annotated[Significance | Literal["t", "anova"], Unused("adjust", "family")]
OF_PAIRS = ("baseline", "per")
OPTIONS = {**dict.fromkeys(("t", "width", "margin", "topics"), OF_PAIRS), "anova": ("systems",)}
"""What else may be said of a question, or of the test that answers it."""


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
    """Guess from a pilot how many topics it takes to see a difference.

    Scores of a pilot or of an earlier collection say how much topics vary. One of `difference`,
    `width`, `margin` and `topics` is the question.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    difference
        A difference of means, above 0, that a test is to find with some `power`: for ``"t"`` of
        two systems, for ``"anova"`` of the best and the worst of all.
    width
        How wide an interval of a difference of means may be, above 0, from end to end.
    margin
        How much worse does not matter, above 0: a one-sided test is to show with some `power` that
        a system is not worse than another by more, where in truth they are alike.
    topics
        A number of topics, at least 2: which difference of two systems a t-test finds on so many.
    test
        ``"t"``, paired, or ``"anova"``, a one-way analysis of variance; or an
        `irframe.Significance` by one of these, with the significance level of the test, and one
        minus the confidence level of intervals, as its `alpha`.
    power
        How often the test is to find the difference, above `alpha` and below 1.
    systems
        How many systems ``"anova"`` is to compare, at least 2; by default as many as there are.
    baseline
        For ``"t"``, `width`, `margin` and `topics`: a system that the others are compared
        with. By default all pairs are.
    per
        For the same: ``"pair"`` answers every pair for itself; by default all pairs on average.
    n_repeats
        For `difference` and `margin`, of a pilot in which systems were run several times, but for
        draws inside topics: with how many repeats of each system, at least 1; by default as many as
        the system with the fewest has. The answer is over (metric, depth, n_repeats), NaN where
        repeats alone vary too much for any number of topics.

    Returns
    -------
    xarray.Dataset
        ``topics``, a whole number, or for the question `topics` ``difference``, the smallest true
        one that is found, over (metric, depth), or over (metric, depth, pair) with ``per="pair"``,
        ``system_a`` and ``system_b`` naming the pair; the group first if `by` is given; and the
        ``variance`` that it is computed from, in squared units of the metric. NaN with a single
        topic. The attribute ``caution`` says of how many topics the pilot is.

    Raises
    ------
    ParameterError
        For none or several of the questions, arguments out of range, or those of another
        question, and as `compare`.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    With n topics, a true difference D and the variance v of paired differences, on average over
    pairs, a paired t-test is an F-test with 1 and n - 1 degrees of freedom and noncentrality
    ``n D^2 / v``; a one-way analysis of variance of m systems one with m - 1 and m(n - 1), and
    ``n D^2 / (2 v)``, v the variance of a system's scores, for means of which only the best and
    the worst differ from the middle. The least n is returned for which its power, by the
    noncentral F distribution, is high enough; for a margin m that of a one-sided t-test with
    noncentrality ``m sqrt(n / v)``.

    An interval of a difference is on average ``2 t(1 - alpha/2, n - 1) E(s) / sqrt(n)`` wide, s
    the standard deviation of n normal differences.

    With repeats, a difference has the variance ``s_D^2 / T + 2 s_r^2 / R + 2 s_e^2 / (T R)`` on T
    topics and R repeats, by the `components` of the pilot, and Satterthwaite's degrees of freedom.

    All of it is a guess from a pilot. The variance of a pair that a pilot shows is below the true
    one more often than not, so that more topics are needed than are said; nor is there an interval
    of it that holds with up to 50 topics: one by chi squared did 76 to 89 times in 100 at 95%.

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
    asked = {"difference": difference, "width": width, "margin": margin, "topics": topics}
    question, wanted = _only(asked)
    decided = Significance.read(test)
    by, alpha = choice("test", decided.test, TESTS), decided.alpha
    power = number("power", power, above=alpha, below=1)
    way = by if question == "difference" else question
    options = {"baseline": baseline, "per": per, "systems": systems}
    _refuse_foreign(way, options | ({} if by in (way, "t") else {"test": by}))
    paired = scores_to_compare(scores)
    if n_repeats is not None or (paired.repeats is not None and paired.repeats.crossing):
        _refuse_foreign("n_repeats", options)
        result = topics_over_repeats(paired, way, wanted, n_repeats, power=power, alpha=alpha)
    elif way == "anova":
        result = _by_anova(paired, wanted, systems=systems, power=power, alpha=alpha)
    else:
        levels = {"alpha": alpha} if way == "width" else {"alpha": alpha, "power": power}
        answer = partial(ANSWERS[way], wanted, **levels)
        name = "difference" if way == "topics" else "topics"
        result = _of_pairs(paired, baseline, answer, name, each=per == "pair")
    guess = caution([_guess(paired.scored.sum(axis=1))])
    return result.assign_attrs(united(result.attrs, guess))


ANSWERS: dict[str, Callable[..., Array]] = {
    "t": topics_for_difference,
    "margin": topics_for_margin,
    "width": topics_for_width,
    "topics": lambda topics, variance, *, alpha, power: detectable(
        np.sqrt(variance), np.full(np.shape(variance), int(topics)), power=power, alpha=alpha
    ),
}
"""Question -> what answers it, given the variance of pairs: topics, or what so many find."""


def _only(questions: dict[str, float | None]) -> tuple[str, float]:
    """Return the question that is asked and what is wanted."""
    given = {name: value for name, value in questions.items() if value is not None}
    if len(given) != 1:
        raise ParameterError(f"one of {', '.join(questions)}", f"{len(given)}", "", given)
    ((name, value),) = given.items()
    if name == "topics":
        return name, whole(name, value, low=2)
    return name, number(name, value, above=0)


def _refuse_foreign(question: str, arguments: dict[str, Any]) -> None:
    """Raise for arguments that a question, or the test that answers it, has no use for."""
    foreign = [name for name in arguments if name not in OPTIONS.get(question, ())]
    given = [name for name in foreign if arguments[name] is not None]
    if given:
        raise ParameterError(f"arguments that {question!r} has a use for", "", "", given)


def _of_pairs(
    paired: Scores, baseline: Baselines, answer: Callable[[Array], Array], name: str, *, each: bool
) -> xr.Dataset:
    """Return what the variance of differences answers, for each pair or on average."""
    pairs = choose_pairs(paired, baseline, several=True)
    variance = _of_differences(paired, pairs, each=each)
    values = {"variance": variance, name: answer(variance)}
    if not each:
        return _labelled(paired, values)
    return paired.beyond_depth(values, PAIR).assign_coords(pair_labels(paired, pairs))


def _by_anova(
    paired: Scores, wanted: float, *, systems: int | None, power: float, alpha: float
) -> xr.Dataset:
    several = whole("systems", len(paired.systems) if systems is None else systems, low=2)
    found = analyse(paired)
    # Of a system's scores, pooled over systems.
    variance = (found.topic + (found.systems - 1) * found.residual) / found.systems
    topics = topics_for_difference(wanted, variance, systems=several, power=power, alpha=alpha)
    return _labelled(paired, {"variance": variance, "topics": topics})


def _of_differences(paired: Scores, pairs: Array, *, each: bool) -> Array:
    """Return variances of differences, of each pair, (metric, depth, pair), or on average."""
    systems = len(paired.systems)
    independent = paired.design is None or paired.design.plain
    if independent and not each and len(pairs) == systems * (systems - 1) // 2:
        return 2 * analyse(paired).residual

    def spread(scores: Array, *design: Design) -> Arrays:
        variance = describe_differences(scores, pairs, *design).sd ** 2
        return (variance if each else variance.mean(axis=0, keepdims=True),)

    (variances,) = paired.over_all(len(pairs), spread, given=True)
    return variances if each else variances[..., 0]


def _labelled(paired: Scores, values: dict[str, Array]) -> xr.Dataset:
    return xr.Dataset({name: paired.labelled(array, name) for name, array in values.items()})


def _guess(topics: Any) -> str:
    """Say that what is planned is guessed from a pilot of so many topics.

    Examples
    --------
    >>> _guess([16, 16])
    'a guess from a pilot of 16 topics'
    """
    number = low_to_high(int(np.min(topics)), int(np.max(topics)))
    return f"a guess from a pilot of {counted(number, TOPIC)}"
