"""Tests of difference statistics against scipy and reference implementations."""

import numpy as np
import pytest
from oracles import paired_tests as oracle
from scipy import stats

import irframe.paired
from irframe.paired import (
    TESTS,
    Bootstrap,
    Permutation,
    RankSum,
    TukeyHSD,
    Wilcoxon,
    all_pairs,
    describe_differences,
)
from irframe.paired.differences import exact_moments


def cube():
    rng = np.random.default_rng(0)
    scores = rng.random((6, 25, 4)) + rng.random((1, 25, 1))
    scores[2] = scores[1]
    scores[3] = scores[1] + 0.1
    scores[4] = (scores[1] * 2).round() / 2
    return scores


def test_statistics_of_differences_equal_those_of_a_loop():
    scores = cube()
    differences = describe_differences(scores)
    assert differences.topics == 25
    for pair, (i, j) in enumerate(all_pairs(6)):
        for k in range(4):
            a, b = scores[i, :, k], scores[j, :, k]
            assert differences.mean[pair, k] == pytest.approx((a - b).mean(), abs=1e-14)
            assert differences.sd[pair, k] == pytest.approx(
                (a - b).std(ddof=1), rel=1e-9, abs=1e-15
            )
            counts = (
                differences.wins[pair, k],
                differences.ties[pair, k],
                differences.losses[pair, k],
            )
            assert counts == oracle.sides(a.tolist(), b.tolist())


def test_intervals_and_effect_sizes_equal_those_of_scipy():
    scores = cube()[[0, 1, 4, 5]]
    differences = describe_differences(scores)
    low, high = differences.interval(alpha=0.1)
    a, b = all_pairs(4).T
    expected = stats.ttest_rel(scores[a], scores[b], axis=1)
    interval = expected.confidence_interval(0.9)
    np.testing.assert_allclose(low, interval.low, rtol=1e-9)
    np.testing.assert_allclose(high, interval.high, rtol=1e-9)
    np.testing.assert_allclose(differences.effect_size * 5, expected.statistic, rtol=1e-9)


def test_constant_differences_have_no_interval():
    differences = describe_differences(cube(), np.array([[1, 2], [3, 1], [1, 3]]))
    assert (differences.sd == 0).all()
    assert (differences.ties[0] == 25).all()
    assert (differences.wins[1] == 25).all()
    single_topic = describe_differences(np.array([0.7, 0.2])[:, None, None])
    assert single_topic.mean.item() == pytest.approx(0.5)
    assert (single_topic.wins.item(), single_topic.ties.item(), single_topic.losses.item()) == (
        1,
        0,
        0,
    )
    for unknown in (
        differences.effect_size,
        *differences.interval(),
        single_topic.sd,
        single_topic.effect_size,
        *single_topic.interval(),
    ):
        assert np.isnan(unknown).all()


def test_single_precision_and_strided_arrays_give_equal_statistics():
    scores = cube().astype(np.float32)
    plain = describe_differences(scores.astype(np.float64))
    strided = np.asfortranarray(np.repeat(scores, 2, axis=2))[:, :, ::2]
    for differences, expected in zip(describe_differences(strided)[:5], plain[:5], strict=True):
        np.testing.assert_array_equal(differences, expected)


@pytest.mark.parametrize(("difference", "counted"), [(0.4e-12, "ties"), (0.6e-12, "wins")])
def test_differences_below_twelve_decimals_are_ties(difference, counted):
    scores = np.array([[difference], [0.0]])[:, :, None]
    one_way = describe_differences(scores, np.array([[0, 1]]))
    other_way = describe_differences(scores, np.array([[1, 0]]))
    assert getattr(one_way, counted).item() == 1
    assert getattr(other_way, counted.replace("wins", "losses")).item() == 1
    assert one_way.wins + one_way.ties + one_way.losses == 1


@pytest.mark.parametrize(("units", "constant"), [(7, True), (8, True), (9, False)])
@pytest.mark.parametrize("turn", [1, -1])
def test_differences_within_eight_units_of_rounding_are_constant(units, constant, turn):
    spread = units * 2.0**-52
    large, none = np.array([[1.0, 1.0 - spread]]), np.zeros((1, 2))
    assert (exact_moments(*(large, none)[::turn])[1] == 0) == constant
    mean, _ = exact_moments(*(none + 1, none + 1 - spread)[::turn])
    assert mean == (0 if constant else turn * spread)
    assert exact_moments(none + spread, none)[0] == spread


VALUES = [
    *(cls() for cls in TESTS.values()),
    Wilcoxon(correction=True),
    Wilcoxon(exact=True),
    RankSum(correction=False),
    Bootstrap(samples=10, seed=3),
    Permutation(samples=1),
    TukeyHSD(seed=4),
]


@pytest.mark.parametrize("test", VALUES, ids=repr)
def test_tests_are_hashable_frozen_and_rebuilt_from_their_repr(test):
    repeated = eval(repr(test), vars(irframe.paired))  # noqa: S307 - our own text
    assert repeated == test
    assert hash(repeated) == hash(test)
    with pytest.raises(AttributeError):
        test.samples = 5
