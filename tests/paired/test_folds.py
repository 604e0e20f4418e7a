"""States of blocks of topics, put together in any order, against all topics at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from irframe.paired import PairedT, Sign, Wilcoxon, all_pairs, describe_differences
from irframe.paired.folds import COMOMENTS, SIDES, Comoments, describe_folded, pool_moments


@st.composite
def experiments(draw):
    """Draw scores with systems that are the same, shifted, or nearly so, and a cut into blocks."""
    topics = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    scores = rng.random((7, topics, 3)) * draw(st.sampled_from([1.0, 1e-6, 1e6]))
    scores[1] = scores[0]
    scores[2] = scores[0] + scores.max() / 3
    scores[3] = scores[0] * (1 + 1e-15)
    scores[4] = scores[0] + scores.max() * rng.normal(0, 1e-9, scores[0].shape)
    scores[5, :, 1:] = scores[6, :, 1:] = 0.1
    cuts = draw(st.lists(st.integers(0, topics), max_size=4).map(sorted))
    return scores, [slice(*ends) for ends in zip([0, *cuts], [*cuts, topics], strict=True)]


def gathered(fold, scores, blocks, pairs=None):
    """Return the state of all topics, merged one block after the other from the last on."""
    rows = len(all_pairs(len(scores)) if pairs is None else pairs)
    state = np.broadcast_to(
        np.reshape(fold.nothing, (-1, 1, 1)), (len(fold.nothing), rows, scores.shape[2])
    )
    for block in reversed(blocks):
        if block.start < block.stop:
            state = fold.merge(np.stack([state, fold.measure(scores[:, block], pairs)]), 0)
    return state


@given(experiments())
@pytest.mark.parametrize("test", [PairedT(), Sign()], ids=lambda test: test.name)
def test_a_test_concludes_from_blocks_what_it_does_from_all_topics(test, experiment):
    scores, blocks = experiment
    whole = test.kernel(scores)
    found = test.conclude(gathered(test.fold, scores, blocks))
    assert_allclose(found.p, whole.p, rtol=1e-9, atol=1e-12)
    assert_array_equal(found.p == 1, whole.p == 1)
    assert_array_equal(np.isinf(found.statistic), np.isinf(whole.statistic))


@given(experiments())
def test_differences_are_described_alike(experiment):
    scores, blocks = experiment
    whole = describe_differences(scores)
    found = describe_folded(*(gathered(fold, scores, blocks) for fold in (COMOMENTS, SIDES)))
    scale = abs(scores).max()
    assert_allclose(found.mean, whole.mean, rtol=1e-12, atol=1e-15 * scale)
    assert_array_equal(found.mean == 0, whole.mean == 0)
    assert_allclose(found.sd, whole.sd, rtol=1e-9, atol=1e-16 * scale)
    assert_array_equal(found.sd == 0, whole.sd == 0)
    for name in ("wins", "ties", "losses"):
        assert_array_equal(getattr(found, name), getattr(whole, name))
    assert (found.topics == whole.topics).all()


def test_all_blocks_at_once_are_the_blocks_one_by_one():
    scores = np.random.default_rng(0).random((4, 9, 2))
    blocks = [slice(0, 2), slice(2, 3), slice(3, 9)]
    for fold in (COMOMENTS, SIDES):
        states = np.stack([fold.measure(scores[:, block], None) for block in blocks], axis=2)
        assert_allclose(fold.merge(states, 2), gathered(fold, scores, blocks), rtol=1e-13)


def test_depths_may_have_topics_of_their_own():
    scores = np.random.default_rng(1).random((3, 6, 2))
    whole, one = (COMOMENTS.measure(scores[:, :n], None) for n in (6, 1))
    state = np.concatenate([whole[..., :1], one[..., 1:]], axis=2)
    found = PairedT().conclude(state)
    assert_array_equal(found.p[:, 0], PairedT().kernel(scores).p[:, 0])
    assert np.isnan(found.statistic[:, 1]).all()
    assert (found.p[:, 1] == 1).all()


def test_only_pairs_that_may_be_constant_have_ends():
    scores = np.random.default_rng(2).random((3, 30, 1))
    scores[1] = scores[0] + 0.5
    state = Comoments(*COMOMENTS.measure(scores, None))
    assert_array_equal(np.isinf(state.highest[:, 0]), [False, True, True])
    assert state.highest[0, 0] - state.lowest[0, 0] < 1e-15


def test_moments_of_nothing_and_of_something():
    n, mean, squares = pool_moments(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3)))
    assert n.tolist() == mean.tolist() == squares.tolist() == [0, 0, 0]
    values = np.random.default_rng(3).random((5, 8)) + 1e6
    found = pool_moments(
        np.full(5, 8.0), values.mean(axis=1), ((values.T - values.mean(axis=1)) ** 2).sum(axis=0)
    )
    assert_allclose(found, (40, values.mean(), values.var() * 40), rtol=1e-9)


def test_a_test_of_ranks_needs_all_topics():
    assert Wilcoxon().fold is None
    with pytest.raises(NotImplementedError, match="all topics at once"):
        Wilcoxon().conclude(np.zeros((1, 1, 1)))
