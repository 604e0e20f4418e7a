"""Declared ceilings and least numbers of topics equal enumerated values."""

import itertools
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy
from strategies import block_of, judged_of
from turns import few_of
from variants import BY_NAME, changed

import irframe as ir
from irframe.errors import MetricError
from irframe.gains import GainMap
from irframe.metrics import METRICS, Evidence, Success
from irframe.metrics.facts import facts
from irframe.names import UNJUDGED

pytestmark = pytest.mark.property
STEP = 1e-9
DEPTH = 4
LISTS = [codes for n in range(4) for codes in itertools.product((UNJUDGED, 0, 1, 3), repeat=n)]
LABELS = [
    (index, labels)
    for index, codes in enumerate(LISTS)
    for labels in itertools.product(*((0, 1, 2, 3) if c == UNJUDGED else (c,) for c in codes))
]
"""Each item contains the index of a list, and this list with grades for its unjudged documents.

All combinations of grades occur.
"""
ENDLESS = 1000
"""Length of the list that represents an infinite list."""
UNREAD = {"ERR": "endless", "INSQ": "endless", "RBP": "endless", "P": "cut", "SDCG": "cut"}
"""Mapping from metrics to the ranks after a list that upper bounds fill with relevant documents.

With ``"cut"``, bounds fill the ranks down to the depth. With ``"endless"``, bounds also fill all
ranks past the depth. The upper bounds of all other metrics depend only on the documents of the
list.
"""
WITHOUT_FORMULA = ("DynamicBPM", "IFT", "INST", "NERR")
"""Metrics without a formula for bounds, because their users stop depending on the gain."""


def best_grade_of(metric):
    if not hasattr(metric, "gain"):
        return 3
    gains = metric.gain.map(np.arange(4), rel=metric.rel, top=3)
    return 3 - int(np.argmax(gains[::-1]))


def with_full_gain(metric):
    """Return the metric with full gain for its best grade.

    Bounds assume that an unjudged document may have a gain of 1.
    """
    if not hasattr(metric, "gain"):
        return metric
    gains = dict(enumerate(metric.gain.map(np.arange(4), rel=metric.rel, top=3).tolist()))
    best = best_grade_of(metric)
    return changed(metric, gain=GainMap(gains | {best: max(1.0, gains[best])}))


def scores(metric, lists, missed=(), width=DEPTH):
    with np.errstate(all="ignore"):
        block = block_of(lists, [judged_of(codes, missed) for codes in lists], width)
        return metric.score(Evidence(block))


def highest_of(values):
    """Return the highest score of each list over all labelings."""
    highest = np.full((len(LISTS), values.shape[1]), -np.inf)
    np.fmax.at(highest, [index for index, _ in LABELS], values)
    return highest


@cache
def labelled_extremes(metric):
    """Return the lowest and highest scores over all labelings."""
    values = scores(metric, [labels for _, labels in LABELS])
    return -highest_of(-values), highest_of(values)


def longer_extremes(metric, width):
    """Return the highest scores when the best documents are appended.

    Lists are cut at each depth if they are longer.
    """
    best = best_grade_of(metric)
    columns = []
    for depth in range(1, DEPTH + 1):
        cut = [labels[:depth] for _, labels in LABELS]
        distinct = sorted(set(cut))
        ranks = max(width, depth)
        values = scores(
            metric, [(*codes, *[best] * ranks)[:ranks] for codes in distinct], (), ranks
        )
        last = dict(zip(distinct, values[:, -1], strict=True))
        columns.append([last[codes] for codes in cut])
    return highest_of(np.array(columns).T)


def may_have_a_ceiling(metric):
    """Return whether the highest grades maximise the score.

    Also check that the lowest score is the score of the unchanged list, and does not depend on the
    recall base.
    """
    full = with_full_gain(metric)
    low, high = labelled_extremes(full)
    best = best_grade_of(metric)
    filled = [tuple(best if code == UNJUDGED else code for code in codes) for codes in LISTS]
    unlabelled = scores(full, LISTS)
    return (
        np.allclose(low, unlabelled, equal_nan=True)
        and np.allclose(high, scores(full, filled), equal_nan=True)
        and np.allclose(unlabelled, scores(full, LISTS, (0, 2, 3)), equal_nan=True)
        and bool((high > low + STEP).any())
    )


@pytest.mark.parametrize("name", few_of(sorted(BY_NAME), 6, drawn=False))
def test_metrics_with_a_ceiling_are_those_that_the_best_labels_maximise(name):
    possible = all(map(may_have_a_ceiling, BY_NAME[name])) and name not in WITHOUT_FORMULA
    assert (METRICS[name].ceiling is not None) == possible
    for metric in BY_NAME[name]:
        assert (facts(metric).extremes == "ceiling") == (possible and not metric.judged_only)


@pytest.mark.parametrize(
    "name",
    few_of([name for name in sorted(BY_NAME) if METRICS[name].ceiling], 3, drawn=False),
)
def test_ceilings_equal_the_highest_scores_over_labels(name):
    for metric in BY_NAME[name]:
        if getattr(metric, "horizon", ENDLESS) is None:
            continue  # enumerated lists are finite, but the horizon of this metric is infinite
        full = with_full_gain(metric)
        expected = {
            "list": lambda full=full: labelled_extremes(full)[1],
            "cut": lambda full=full: longer_extremes(full, 0),
            "endless": lambda full=full: longer_extremes(full, ENDLESS),
        }[UNREAD.get(name, "list")]()
        block = block_of(LISTS, [judged_of(codes) for codes in LISTS], DEPTH)
        np.testing.assert_allclose(full.highest(Evidence(block)), expected, rtol=0, atol=1e-3)


CHANCE = 0.7
"""Probability that a document of an enumerated ranking is relevant."""
COVERED = 0.89
"""Lowest accepted coverage of intervals with a nominal coverage of 95 %."""
PROPORTIONS = ("Success",)
"""Metrics whose only scores are 0 and 1.

If all topics have the same score, their means have no intervals, whatever the number of topics.
"""
BINARY = list(itertools.product((0, 1), repeat=3))


@cache
def coverage(metric, topics):
    """Return the exact coverage of the intervals of `summary`.

    Topics are independent, and each document at three ranks is relevant with probability `CHANCE`.
    A missing interval does not cover the mean.
    """
    unjudged = type(metric).__name__ == "Judged"
    lists = [tuple(UNJUDGED if unjudged and not code else code for code in row) for row in BINARY]
    judged = [[1, 1, 1, 0, 0, 0]] * len(lists)
    values = metric.score(Evidence(block_of(lists, judged, 3)))[:, -1].round(12)
    scored = ~np.isnan(values)
    relevant = np.sum(BINARY, axis=1)[scored]
    distinct, index = np.unique(values[scored], return_inverse=True)
    chance = np.bincount(index, CHANCE**relevant * (1 - CHANCE) ** (3 - relevant))
    chance /= chance.sum()
    draws = list(itertools.combinations_with_replacement(range(len(distinct)), topics))
    times = np.array([np.bincount(draw, minlength=len(distinct)) for draw in draws])
    orders = scipy.special.gammaln(topics + 1) - scipy.special.gammaln(times + 1).sum(axis=1)
    weights = np.exp(orders) * np.prod(chance**times, axis=1)
    rows = pd.MultiIndex.from_product([range(len(draws)), range(topics)], names=["system", "topic"])
    frame = pd.DataFrame({str(metric): distinct[np.ravel(draws)]}, rows)
    limits = ir.verbs.summary(frame).sort_values("system")
    mean = distinct @ chance
    inside = ((limits["ci_low"] <= mean) & (mean <= limits["ci_high"])).to_numpy()
    missing = limits["ci_low"].isna().to_numpy()
    certain = type(metric).__name__ in PROPORTIONS
    return weights[inside].sum() / (1 - weights[missing].sum() * certain)


def plain_metric(name):
    """Return the metric with default options, or its first variant."""
    at = {"IPrec": 0.5, "RprecMult": 1.0}.get(name)
    try:
        return METRICS[name]() if at is None else METRICS[name] @ at
    except MetricError:  # IFT has no default options
        return BY_NAME[name][0]


MEANS = [name for name in sorted(BY_NAME) if facts(name).share and facts(name).summary == "mean"]
"""Metrics whose means have intervals on the log-odds scale if `least_topics` is 2."""


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize("name", few_of(MEANS, 6, drawn=False))
def test_intervals_cover_means_from_the_declared_number_of_topics_on(name):
    least = 2 if coverage(plain_metric(name), 6) >= COVERED else 8
    assert METRICS[name].least_topics == least
    assert coverage(plain_metric(name), 8) >= COVERED


def test_metrics_without_such_intervals_declare_no_number_of_topics():
    others = [kind for name, kind in METRICS.items() if name not in MEANS]
    assert {kind.least_topics for kind in others} == {2}


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize(
    ("name", "fact", "value", "check"),
    [
        ("RR", "least_topics", 2, test_intervals_cover_means_from_the_declared_number_of_topics_on),
        ("AP", "least_topics", 8, test_intervals_cover_means_from_the_declared_number_of_topics_on),
        (
            "DCG",
            "ceiling",
            None,
            test_metrics_with_a_ceiling_are_those_that_the_best_labels_maximise,
        ),
        (
            "Recall",
            "ceiling",
            Success.ceiling,
            test_metrics_with_a_ceiling_are_those_that_the_best_labels_maximise,
        ),
        (
            "P",
            "ceiling",
            lambda self, filled_gain, rank: filled_gain.cumsum(-1) / rank,  # noqa: ARG005
            test_ceilings_equal_the_highest_scores_over_labels,
        ),
    ],
)
def test_wrong_facts_are_found(name, fact, value, check, declare, request):
    request.addfinalizer(coverage.cache_clear)
    declare(name, fact, value)
    coverage.cache_clear()
    with pytest.raises(AssertionError):
        check(name)
