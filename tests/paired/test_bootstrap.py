"""Tests of `Bootstrap` against a worked case and a loop."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import paired_tests as oracle

from irframe.errors import ParameterError
from irframe.paired import Bootstrap, all_pairs
from irframe.paired.design import design_of

SCORES = st.tuples(st.integers(2, 4), st.integers(2, 8), st.integers(1, 2)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 0.2, 0.25, 0.5, 1.0]))
)


def test_discriminative_power_equals_that_of_the_worked_case(golden):
    case = golden["004-bootstrap"]
    scores = np.array(case["input"]["scores"])[:, :, None]
    resamples = np.array(case["input"]["resamples"])
    result = Bootstrap().discriminate(scores, alpha=0.05, resamples=resamples)
    expected = case["expected"]
    np.testing.assert_array_equal(result.asl[:, 0], [asl for *_, asl in expected["asl"]])
    deltas = [delta for *_, delta in expected["pair_deltas"]]
    np.testing.assert_allclose(result.pair_deltas[:, 0], deltas, rtol=1e-12)
    assert result.power.item() == expected["discriminative_power"]
    assert result.delta.item() == pytest.approx(expected["delta"])
    p = Bootstrap().kernel(scores, resamples=resamples).p
    np.testing.assert_array_equal(p, result.asl)


def test_p_values_of_edge_cases_equal_the_worked_case(golden):
    case = golden["004-bootstrap-edges"]
    resamples = np.array(case["input"]["resamples"])
    for name, z in case["input"]["z"].items():
        scores = np.array([z, [0.0] * len(z)])[:, :, None]
        p = Bootstrap().kernel(scores, resamples=resamples).p
        assert p.item() == case["expected"][name]


@given(scores=SCORES, seed=st.integers(0, 99))
def test_p_values_of_tied_statistics_equal_those_of_a_loop(scores, seed):
    test = Bootstrap(samples=60, seed=seed)
    t, asl = oracle.ORACLES["bootstrap"](test, scores)
    statistic, p = test.kernel(scores)
    np.testing.assert_allclose(statistic, t, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(p, np.maximum(asl, 1 / 61))


@st.composite
def balanced(draw):
    """Return random scores of two systems with equal means."""
    topics = draw(st.integers(2, 9))
    integers = st.lists(st.integers(-30, 30), min_size=topics, max_size=topics)
    base, differences = draw(integers), draw(integers)
    differences[-1] -= sum(differences)
    unit = Fraction(draw(st.sampled_from([1, 5000])), draw(st.sampled_from([3, 7, 10, 49])))
    rows = [base, [score + difference for score, difference in zip(base, differences, strict=True)]]
    return np.array([[float(value * unit) for value in row] for row in rows])[:, :, None]


@given(scores=balanced(), seed=st.integers(0, 99))
def test_mean_differences_within_rounding_errors_have_a_p_value_of_one(scores, seed):
    statistic, p = Bootstrap(samples=40, seed=seed).kernel(scores)
    assert (statistic.item(), p.item()) == (0, 1)


@pytest.mark.parametrize(("mean", "none"), [(4e-13, True), (6e-13, False)])
def test_mean_differences_below_twelve_decimals_are_zero(mean, none):
    z = np.array([0.3, -0.3, 0.1, -0.1]) + mean
    statistic, p = Bootstrap(samples=200).kernel(np.stack([z, 0 * z])[:, :, None])
    assert ((statistic == 0).item(), (p == 1).item()) == (none, none)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.07, 0.5])
def test_discriminative_power_equals_that_of_a_loop(alpha):
    scores = np.random.default_rng(0).random((4, 12, 2)) + np.arange(4)[:, None, None] / 8
    test = Bootstrap(samples=100, seed=5)
    result = test.discriminate(scores, alpha=alpha)
    resamples = test.resamples(12).tolist()
    rank = {0.01: 1, 0.05: 5, 0.07: 7, 0.5: 50}[alpha]
    for pair, (i, j) in enumerate(all_pairs(4)):
        for k in range(2):
            rows = scores[i, :, k].tolist(), scores[j, :, k].tolist()
            asl = oracle.bootstrap(*rows, resamples)[1]
            assert result.asl[pair, k] == max(asl, 1 / 101)
            delta = oracle.bootstrap_delta(*rows, resamples, rank)
            assert result.pair_deltas[pair, k] == pytest.approx(delta)
    np.testing.assert_array_equal(result.power, (result.asl < alpha).mean(axis=0))
    np.testing.assert_array_equal(result.delta, result.pair_deltas.max(axis=0))


def test_all_depths_use_the_same_bootstrap_samples():
    scores = np.random.default_rng(1).random((3, 10, 1)).repeat(4, axis=2)
    result = Bootstrap(samples=200).discriminate(scores)
    assert (result.asl == result.asl[:, :1]).all()
    np.testing.assert_allclose(result.pair_deltas, result.pair_deltas[:, :1].repeat(4, axis=1))


def test_difference_needed_for_significance_is_nan_for_one_topic():
    result = Bootstrap(samples=10).discriminate(np.array([0.2, 0.7])[:, None, None])
    assert result.asl.item() == 1
    assert np.isnan(result.delta.item())
    none = Bootstrap(samples=10).discriminate(np.zeros((1, 5, 3)))
    assert none.asl.shape == (0, 3)
    assert np.isnan(none.power).all()


@pytest.mark.parametrize(
    "resamples", [[[0, 1]], [0, 1, 2], [[0, 1, 3]], [[0, -1, 2]], np.empty((0, 3), dtype=int)]
)
def test_resamples_of_another_shape_are_refused(resamples):
    with pytest.raises(ParameterError, match=r"of topics|3 topics"):
        Bootstrap().kernel(np.zeros((2, 3, 1)), resamples=resamples)


def test_bootstrap_with_weighted_topics_equals_a_loop():
    """Topics keep their weights in each bootstrap sample."""
    random = np.random.default_rng(2)
    scores, weights = random.random((2, 9, 1)), random.random(9) + 0.1
    weights *= len(weights) / weights.sum()
    test = Bootstrap(samples=200, seed=4)
    z = scores[0, :, 0] - scores[1, :, 0]

    def t_of(z, w, about):
        mean = (w * z).sum() / w.sum()
        error = np.sqrt((w**2 * (z - mean) ** 2).sum() / w.sum() ** 2 * len(z) / (len(z) - 1))
        return (mean - about) / error

    mean = (weights * z).sum() / weights.sum()
    drawn = [t_of(z[rows], weights[rows], mean) for rows in test.resamples(9)]
    design = design_of(9, weights=weights)
    actual = test.with_design(design, scores, all_pairs(2))
    assert actual.statistic.item() == pytest.approx(t_of(z, weights, 0))
    expected = np.mean(np.abs(drawn) >= abs(t_of(z, weights, 0)) * (1 - 1e-9))
    assert actual.p.item() == max(expected, 1 / 201)
    low, high = test.interval(scores, all_pairs(2), design, alpha=0.1)
    error = mean / t_of(z, weights, 0)
    half = abs(error) * np.sort(np.abs(drawn))[-20]
    np.testing.assert_allclose([low.item(), high.item()], [mean - half, mean + half], rtol=1e-6)
