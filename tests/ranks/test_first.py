"""Tests of the hypothesis that a system is first."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.paired.design import design_of
from irframe.ranks.first import first_p, least_first_p


def slow_p(values, signs):
    """Return p-values by loops over systems and draws."""
    result = []
    for pos, scores in enumerate(values):
        competitors = np.delete(values, pos, axis=0)
        drawn = []
        for turned in [np.ones(values.shape[1]), *signs]:
            leads = [turned * (row - scores) for row in competitors]
            drawn.append(max(statistic(lead) for lead in leads))
        count = sum(value >= drawn[0] - 1e-9 for value in drawn[1:])
        result.append((1 + count) / (1 + len(signs)))
    return result


def statistic(lead):
    sd = np.std(lead, ddof=1) / np.sqrt(len(lead))
    return (
        np.inf * np.sign(lead.mean()) if sd < 1e-9 < abs(lead.mean()) else lead.mean() / (sd or 1)
    )


@given(seed=st.integers(0, 99), topics=st.integers(2, 6))
def test_all_assignments_of_signs_are_used_for_few_topics(seed, topics):
    values = np.random.default_rng(seed).random((4, topics)).round(1 + seed % 2)
    signs = np.array([*itertools.product([1, -1], repeat=topics)])
    assert first_p(values[..., np.newaxis])[:, 0] == pytest.approx(slow_p(values, signs))


def test_p_is_one_for_a_single_system_or_topic():
    assert first_p(np.ones((1, 4, 1))).tolist() == [[1.0]]
    assert first_p(np.array([0.1, 0.9])[:, np.newaxis, np.newaxis]).min() > 0.5
    assert least_first_p(1, samples=1000) == pytest.approx(2 / 3)


def test_p_is_one_for_systems_that_cannot_be_compared():
    rng = np.random.default_rng(0)
    scores = np.stack([rng.random(20), 0.2 + rng.random(20), 2 + rng.random(20)])[..., np.newaxis]
    assert (first_p(scores)[:2] < 0.05).all()
    comparable = np.array([[True], [True], [False]])
    p = first_p(scores, comparable)
    np.testing.assert_array_equal(p[:2], first_p(scores[:2]))
    assert p[2] == 1


def test_signs_are_flipped_by_cluster():
    scores = np.random.default_rng(1).random((5, 12, 2))
    alone = design_of(12, cluster=np.arange(12))
    np.testing.assert_array_equal(first_p(scores, None, alone), first_p(scores))
    twice = np.repeat(scores[:, :6], 2, axis=1)
    pairs = design_of(12, cluster=np.repeat(np.arange(6), 2))
    np.testing.assert_allclose(first_p(twice, None, pairs), first_p(scores[:, :6]))


@pytest.mark.parametrize(
    ("name", "count"), [("adhoc8_ap", 3), ("adhoc8_p10", 6), ("web2011_ndcg20", 28)]
)
def test_numbers_of_systems_that_could_be_first_on_trec_tracks_are_unchanged(shared, name, count):
    table = pd.read_csv(shared / "data" / "score-matrices" / f"{name}.csv")
    p = first_p(table.to_numpy(float).T[..., np.newaxis], samples=999)
    assert (p > 0.05).sum() == count


@pytest.mark.thorough
def test_truly_first_system_is_rarely_excluded():
    rng, subset = np.random.default_rng(2), 0
    for draw in range(200):
        scores = rng.normal(size=(10, 12, 1))
        subset += first_p(scores, samples=199, seed=draw)[0, 0] > 0.05
    assert subset >= 182
