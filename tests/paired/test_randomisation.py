"""Tests of randomisation p-values against reference implementations with loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import paired_tests as oracle

from irframe.paired import MaxT, Permutation, TukeyHSD, all_pairs, randomisation
from irframe.paired.pairs import draw_signs


def t_of(differences):
    """Return |t| of differences, infinite if they are constant."""
    n, mean = len(differences), sum(differences) / len(differences)
    squares = sum((d - mean) ** 2 for d in differences)
    if squares < 1e-12:
        return math.inf if abs(mean) > 1e-12 and n > 1 else 0.0
    return abs(mean) / math.sqrt(squares / (n - 1) / n)


def stepped_down(families, signs):
    """Return step-down corrected p-values, computed by a loop."""

    def sizes(sign):
        return [
            t_of([s * d for s, d in zip(sign, row, strict=True) if d is not None])
            for row in families
        ]

    observed = sizes([1] * len(families[0]))
    order = sorted(range(len(observed)), key=lambda index: -observed[index])
    result, highest, drawn = [0.0] * len(observed), 0.0, [sizes(sign) for sign in signs.tolist()]
    for step, index in enumerate(order):
        least = observed[index] * (1 - 1e-9)
        count = sum(max(draw[later] for later in order[step:]) >= least for draw in drawn)
        highest = max(highest, (1 + count) / (1 + len(drawn)))
        result[index] = highest
    return result


@given(seed=st.integers(0, 9999), grades=st.sampled_from([2, 4, 1000]))
def test_max_t_p_values_equal_those_of_a_loop(seed, grades):
    scores = np.random.default_rng(seed).integers(0, grades, (7, 5)) / grades
    pairs = all_pairs(5)
    actual = MaxT(samples=30, seed=seed).kernel(scores, pairs)
    differences = (scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]).T.tolist()
    expected = stepped_down(differences, draw_signs(7, samples=30, seed=seed))
    np.testing.assert_allclose(actual, expected)


@given(seed=st.integers(0, 9999))
def test_pairs_on_different_topics_are_compared_by_t(seed):
    rng = np.random.default_rng(seed)
    scores = rng.random((8, 4))
    scores[5:, 2:] = 0
    actual = MaxT(samples=40, seed=1).kernel(scores, np.array([[0, 1], [2, 3]]), np.array([8, 5]))
    first, second = (scores[:, a] - scores[:, a + 1] for a in (0, 2))
    differences = [first.tolist(), [*second[:5].tolist(), None, None, None]]
    expected = stepped_down(differences, draw_signs(8, samples=40, seed=1))
    np.testing.assert_allclose(actual, expected)


def test_max_t_of_one_pair_equals_the_permutation_test():
    scores = np.random.default_rng(2).random((2, 12, 1))
    alone = MaxT(samples=500, seed=4).kernel(scores[..., 0].T, all_pairs(2))
    assert alone == Permutation(samples=500, seed=4).kernel(scores).p[:, 0]


def test_max_t_does_not_depend_on_the_order_of_systems():
    scores = np.random.default_rng(3).integers(0, 4, (9, 8)) / 4
    order = np.random.default_rng(4).permutation(8)
    pairs = all_pairs(8)
    p = {
        frozenset(pair): p_value
        for pair, p_value in zip(
            pairs.tolist(), MaxT(samples=200).kernel(scores, pairs), strict=True
        )
    }
    turned = MaxT(samples=200).kernel(scores[:, order], pairs)
    assert [p[frozenset(order[pair].tolist())] for pair in pairs] == turned.tolist()


def test_large_families_are_computed_in_groups():
    scores = np.random.default_rng(5).random((6, 60))
    actual = MaxT(samples=1500).kernel(scores, all_pairs(60))
    reversed_pairs = MaxT(samples=1500).kernel(scores, all_pairs(60)[::-1])[::-1]
    np.testing.assert_array_equal(actual, reversed_pairs)
    assert actual.min() > 1 / 1501


def test_max_t_supports_constant_differences():
    constant = np.array([[0.5, 0.25, 0.25, 0.1]] * 9)
    result = MaxT(samples=999).kernel(constant, np.array([[0, 1], [1, 2]]))
    assert result[0] < 0.02
    assert result[1] == 1
    assert MaxT(samples=99).kernel(constant[:1], all_pairs(4)).tolist() == [1] * 6


@pytest.mark.parametrize("samples", [1, 50, 1000, 2500])
@pytest.mark.parametrize("topics", [1, 4, 12])
def test_permutation_p_values_equal_those_of_a_loop_with_the_same_signs(samples, topics):
    scores = np.random.default_rng(topics).random((4, topics, 2)).round(1)
    scores[3] = scores[2]
    test = Permutation(samples=samples, seed=3)
    statistic, p = oracle.ORACLES["permutation"](test, scores)
    actual = test.kernel(scores)
    np.testing.assert_allclose(actual.statistic, statistic, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(actual.p, p, rtol=1e-12)


def test_signs_are_fair_and_depend_on_the_seed():
    signs = Permutation(samples=4000, seed=1).signs(5)
    assert set(signs.ravel().tolist()) == {-1, 1}
    assert abs(signs.mean(axis=0)).max() < 0.1
    np.testing.assert_array_equal(signs, Permutation(samples=4000, seed=1).signs(5))
    assert (signs != Permutation(samples=4000, seed=2).signs(5)).any()


def test_permutation_tests_approach_the_exact_p_value():
    scores = np.random.default_rng(4).random((2, 10, 1))
    difference = scores[0, :, 0] - scores[1, :, 0]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 10)).reshape(10, -1)
    exact = np.mean(abs(difference @ signs) >= abs(difference.sum()) - 1e-12)
    actual = Permutation(samples=20_000).kernel(scores).p.item()
    assert actual == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("systems", [2, 3, 5])
@pytest.mark.parametrize("topics", [1, 2, 7])
@pytest.mark.parametrize("budget", [1, 2**21])
def test_tukey_p_values_equal_those_of_a_loop_with_the_same_shuffles(
    systems, topics, budget, monkeypatch
):
    monkeypatch.setattr(randomisation, "BLOCK_BYTES", budget)
    scores = np.random.default_rng(systems).random((systems, topics, 2)).round(1)
    test = TukeyHSD(samples=40, seed=2)
    means, p = oracle.ORACLES["tukey"](test, scores)
    actual = test.kernel(scores)
    np.testing.assert_allclose(actual.p, p, rtol=1e-12)
    np.testing.assert_allclose(actual.statistic, means, rtol=0, atol=1e-12)


def test_a_shuffle_gives_every_system_one_score_of_each_topic():
    drawn = np.concatenate(list(TukeyHSD(samples=30, seed=1).shuffles(4, 5)))
    assert drawn.shape == (30, 5, 4)
    np.testing.assert_array_equal(np.sort(drawn, axis=-1), np.broadcast_to(range(4), drawn.shape))
    assert len({tuple(row) for row in drawn.reshape(-1, 4).tolist()}) == 24


def test_tukey_approaches_the_permutation_test_of_two_systems():
    scores = np.random.default_rng(5).random((2, 30, 1))
    tukey = TukeyHSD(samples=5000).kernel(scores).p.item()
    signs = Permutation(samples=5000).kernel(scores).p.item()
    assert tukey == pytest.approx(signs, abs=0.03)
