"""The permutation test against a slow loop on the same signs, and the exact share."""

import numpy as np
import pytest
from oracles import paired_tests as oracle

from irframe.paired import Permutation


@pytest.mark.parametrize("samples", [1, 50, 1000, 2500])
@pytest.mark.parametrize("topics", [1, 4, 12])
def test_slow_loop_with_the_same_signs(samples, topics):
    scores = np.random.default_rng(topics).random((4, topics, 2)).round(1)
    scores[3] = scores[2]
    test = Permutation(samples=samples, seed=3)
    signs = test.signs(topics).tolist()
    statistic, p = oracle.pairwise(lambda a, b: oracle.permutation(a, b, signs), scores)
    found = test.kernel(scores)
    np.testing.assert_allclose(found.statistic, statistic, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.p, p, rtol=1e-12)


def test_signs_are_fair_and_those_of_the_seed():
    signs = Permutation(samples=4000, seed=1).signs(5)
    assert set(signs.ravel().tolist()) == {-1, 1}
    assert abs(signs.mean(axis=0)).max() < 0.1
    np.testing.assert_array_equal(signs, Permutation(samples=4000, seed=1).signs(5))
    assert (signs != Permutation(samples=4000, seed=2).signs(5)).any()


def test_permutation_approaches_the_exact_share():
    scores = np.random.default_rng(4).random((2, 10, 1))
    difference = scores[0, :, 0] - scores[1, :, 0]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 10)).reshape(10, -1)
    exact = np.mean(abs(difference @ signs) >= abs(difference.sum()) - 1e-12)
    found = Permutation(samples=20_000).kernel(scores).p.item()
    assert found == pytest.approx(exact, abs=0.01)
