"""Mean squares, variances and reliabilities against published analyses, and how often they hold."""

import numpy as np
import pytest

from irframe.planning.components import (
    SIGNALS,
    MeanSquares,
    mean_squares,
    population,
    reliability,
    topics_for,
    variance_interval,
)

BRENNAN = """
565553456733 937775557752 343353356516 755331435335 929777372753
343533634512 737775575554 585775543211 998866655811 444335655711
"""
"""Synthetic data set 4 of Brennan (2001), table 3.2: ten persons by twelve raters."""


def synthetic():
    return np.array([[*map(int, row)] for row in BRENNAN.split()], float)[..., np.newaxis]


def reliabilities(found, kind, alpha, topics):
    signal, interval = SIGNALS[kind]
    return [reliability(end, topics).item() for end in (signal(found), *interval(found, alpha))]


def needed(found, kind, alpha):
    signal, interval = SIGNALS[kind]
    low, high = interval(found, alpha)
    return [topics_for(0.95, end).item() for end in (signal(found), high, low)]


def test_a_textbook_analysis():
    found = mean_squares(synthetic())
    squares = np.ravel([found.system, found.topic, found.residual])
    np.testing.assert_allclose(squares, [10.2962962962963, 11.6272727272727, 2.78720538720539])
    published = [0.625757575757576, 0.884006734006734, 2.78720538720539]
    np.testing.assert_allclose(found.variances.ravel(), published)


@pytest.mark.parametrize(
    ("kind", "published", "topics"),
    [
        ("erho2", [0.729300196206671, 0.541010905420649, 0.876363137240463], [85, 33, 194]),
        ("phi", [0.671635722997696, 0.456901329313964, 0.845419296231267], [112, 42, 272]),
    ],
)
def test_reliabilities_equal_those_of_gt4ireval(kind, published, topics):
    found = mean_squares(synthetic())
    np.testing.assert_allclose(reliabilities(found, kind, 0.2, 12), published, rtol=1e-12)
    assert needed(found, kind, 0.2) == topics


@pytest.mark.parametrize(
    ("kind", "published", "topics"),
    [
        ("erho2", [0.93265, 0.89311, 0.96287], [69, 37, 114]),
        ("phi", [0.78613, 0.66141, 0.88039], [259, 130, 487]),
    ],
)
def test_trec_3_as_gt4ireval_prints_it(kind, published, topics):
    squares = (np.array([square]) for square in (0.15074, 0.85296, 0.010152))
    found = MeanSquares(*squares, np.array([30]), np.array([50]))
    np.testing.assert_allclose(reliabilities(found, kind, 0.05, 50), published, atol=2e-5)
    assert needed(found, kind, 0.05) == topics


@pytest.mark.parametrize(
    ("systems", "topics", "truth"),
    [(20, 50, (0.003, 0.025, 0.01)), (5, 25, (0.003, 0.02, 0.01)), (60, 30, (0.0003, 0.03, 0.01))],
)
def test_intervals_hold_the_truth_95_times_in_100(systems, topics, truth):
    rng = np.random.default_rng(7)
    shapes = (systems, 1, 1000), (1, topics, 1000), (systems, topics, 1000)
    parts = [np.sqrt(v) * rng.standard_normal(s) for v, s in zip(truth, shapes, strict=True)]
    found = mean_squares(sum(parts))
    ends = [*zip(*variance_interval(found, 0.05), strict=True)]
    ends += [interval(found, 0.05) for _, interval in SIGNALS.values()]
    targets = [*truth, truth[0] / truth[2], truth[0] / (truth[1] + truth[2])]
    for (low, high), target in zip(ends, targets, strict=True):
        assert 0.93 <= ((low <= target) & (target <= high)).mean() <= 0.97


def test_rounding_is_no_variance():
    level = np.array([0.1, 0.3, 0.7])[:, np.newaxis, np.newaxis]
    topic = np.array([0.1, 0.2, 0.4, 0.8])[:, np.newaxis]
    found = mean_squares(level + topic)
    assert found.residual.item() == 0
    assert reliability(SIGNALS["erho2"][0](found), 1).item() == 1


def test_topics_for_is_not_misled_by_rounding():
    assert topics_for(0.95, np.array([1.0, 19.0, 100.0, 0.0])).tolist() == [19, 1, 1, np.inf]


def test_a_population_has_the_variances_that_were_estimated():
    rng = np.random.default_rng(2)
    scores = 0.1 * rng.standard_normal((9, 1, 4)) + 0.2 * rng.standard_normal((9, 7, 4))
    (of_systems, _, rest), found = mean_squares(scores).variances, population(scores)
    np.testing.assert_allclose(found.mean(axis=1).var(axis=0, ddof=1), np.maximum(of_systems, 0))
    np.testing.assert_allclose(found.mean(axis=0), scores.mean(axis=0))
    again = mean_squares(found).residual
    np.testing.assert_allclose(again * 6 / 7, rest)
