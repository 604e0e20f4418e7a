"""Tukey's test against a slow loop on the same shuffles."""

import numpy as np
import pytest
from oracles import paired_tests as oracle

from irframe.paired import Permutation, TukeyHSD, randomisation


@pytest.mark.parametrize("systems", [2, 3, 5])
@pytest.mark.parametrize("topics", [1, 2, 7])
@pytest.mark.parametrize("budget", [1, 2**21])
def test_slow_loop_with_the_same_shuffles(systems, topics, budget, monkeypatch):
    monkeypatch.setattr(randomisation, "BLOCK_BYTES", budget)
    scores = np.random.default_rng(systems).random((systems, topics, 2)).round(1)
    test = TukeyHSD(samples=40, seed=2)
    shuffles = np.concatenate(list(test.shuffles(systems, topics))).tolist()
    looped = [oracle.tukey(scores[:, :, k].tolist(), shuffles) for k in range(2)]
    found = test.kernel(scores)
    wanted = np.array([list(values.values()) for values in looped]).T
    np.testing.assert_allclose(found.p, wanted, rtol=1e-12)
    means = oracle.pairwise(lambda a, b: [oracle.mean(a) - oracle.mean(b)], scores)[0]
    np.testing.assert_allclose(found.statistic, means, rtol=0, atol=1e-12)


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
