from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.repeats import crossed_by_loops, worked

from irframe.paired.crossed import crossed, one_sample, table_of


def scores(seed, repeats, topics=8, depths=2, spread=0.1):
    """Return scores (list, topic, depth), and each list's system."""
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(len(repeats)), repeats)
    base = rng.normal(0.4, 0.2, (1, topics, depths)) + rng.normal(
        0, 0.1, (len(repeats), topics, depths)
    )
    noise = rng.normal(0, spread, (len(owner), 1, depths))
    return base[owner] + noise + rng.normal(0, 0.05, (len(owner), topics, depths)), owner


PAIRS = np.array([[1, 0], [2, 0], [2, 1]])
WORKED = {
    "both": [0.29818, 0.00757, 0.05860],
    "topic": [0.19028, 0.00150, 0.02724],
    "repeat": [0.17604, 0.00805, 0.02686],
}


@pytest.mark.parametrize("over", ["both", "topic"])
def test_crossed_variances_equal_the_worked_case(over):
    lists = worked().transpose(0, 2, 1).reshape(9, 20, 1)
    difference = crossed(lists, np.repeat(np.arange(3), 3), PAIRS, over=over)
    np.testing.assert_allclose(difference.mean.ravel(), [0.036636, 0.112460, 0.075824], atol=5e-7)
    np.testing.assert_allclose(difference.test().p.ravel(), WORKED[over], atol=5e-6)
    if over == "both":
        np.testing.assert_allclose(
            np.sqrt(difference.variance).ravel(), [0.033974, 0.036895, 0.037433], atol=5e-7
        )
        np.testing.assert_allclose(difference.freedom.ravel(), [14.760, 16.224, 17.209], atol=5e-4)
        low, high = difference.interval(alpha=0.05)
        np.testing.assert_allclose(low.ravel(), [-0.03588, 0.03433, -0.00308], atol=5e-6)
        np.testing.assert_allclose(high.ravel(), [0.10915, 0.19059, 0.15473], atol=5e-6)


@given(st.integers(0, 99), st.sampled_from([(2, 3, 1), (4, 4, 4), (1, 2, 5), (3, 3, 3)]))
@pytest.mark.parametrize("over", ["both", "topic", "repeat"])
def test_variances_of_all_pairs_and_depths_follow_the_definition(over, seed, repeats):
    lists, owner = scores(seed, repeats)
    for shared in {False, repeats == (3, 3, 3)}:
        difference = crossed(lists, owner, PAIRS, shared=shared, over=over)
        arrays = (
            difference.mean,
            np.sqrt(difference.variance),
            difference.freedom,
            difference.test().p,
        )
        for (row, (a, b)), depth in product(enumerate(PAIRS), range(2)):
            sides = lists[owner == a, :, depth], lists[owner == b, :, depth]
            expected = crossed_by_loops(*sides, shared=shared, over=over)
            row_values = [values[row, depth] for values in arrays]
            np.testing.assert_allclose(row_values, expected, rtol=1e-7)


def test_identical_systems_with_shared_repeats_do_not_differ():
    lists, owner = scores(1, (3, 3, 3))
    lists[3:6] = lists[:3]
    difference = crossed(lists, owner, PAIRS, shared=True)
    assert (difference.variance[0] == 0).all()
    assert (difference.mean[0] == 0).all()
    assert (difference.test().p[0] == 1).all()
    assert np.isnan(difference.interval(alpha=0.05)[0][0]).all()


def test_identical_repeats_add_no_variance():
    lists, owner = scores(2, (1, 1, 1))
    alone = crossed(lists, owner, PAIRS, over="topic")
    copied = crossed(np.repeat(lists, 4, axis=0), np.repeat(owner, 4), PAIRS)
    np.testing.assert_allclose(copied.variance, alone.variance)
    np.testing.assert_allclose(copied.freedom, alone.freedom)


def test_variance_of_a_mean_equals_that_of_its_difference_from_a_constant():
    lists, owner = scores(3, (3, 1))
    lists[3] = 0.25
    difference = crossed(lists, owner, np.array([[0, 1]]))
    variance, freedom = one_sample(table_of(lists, owner))
    np.testing.assert_allclose(variance[0], difference.variance[0])
    np.testing.assert_allclose(freedom[0], difference.freedom[0])


@pytest.mark.parametrize(("shared", "spread"), [(False, 0.0), (False, 0.04), (True, 0.04)])
def test_type_i_error_rate_of_equal_systems_is_near_alpha(shared, spread):
    rng = np.random.default_rng(7)
    topics, repeats, draws = 20, 3, 2000
    crossing = rng.normal(0, 0.15 / np.sqrt(2), (2, 1, topics, draws))
    seeds = rng.normal(0, spread, (2, repeats, 1, draws))
    cells = crossing + seeds + rng.normal(0, 0.08, (2, repeats, topics, draws))
    lists = cells.reshape(2 * repeats, topics, draws)
    owner = np.repeat([0, 1], repeats)
    difference = crossed(lists, owner, np.array([[0, 1]]), shared=shared)
    assert 0.025 < (difference.test().p < 0.05).mean() < 0.075
    pooled = lists.reshape(2, repeats * topics, draws)
    z = (pooled[0] - pooled[1]).mean(axis=0) / (pooled[0] - pooled[1]).std(axis=0, ddof=1)
    # The error rate is too high if every repeat of a topic counts as an independent topic.
    assert (abs(z) * np.sqrt(repeats * topics) > 2).mean() > 0.1
