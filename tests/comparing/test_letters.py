"""Letters of groups of systems that do not differ significantly."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.comparing.letters import LETTERS, letter_groups
from irframe.errors import InputError


@pytest.fixture(scope="module")
def comparison():
    scores = ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", at=[5, 10])
    return scores.ireval.compare(adjust="holm", alpha=0.2)


def draw_alike(seed, systems, share):
    """Return which systems are alike, by chance, symmetric."""
    drawn = np.triu(np.random.default_rng(seed).random((systems, systems)) < share, 1)
    return drawn | drawn.T | np.eye(systems, dtype=bool)


@given(seed=st.integers(0, 9999), systems=st.integers(1, 12), share=st.floats(0, 1))
def test_pairs_share_a_letter_exactly_if_they_are_alike(seed, systems, share):
    alike = draw_alike(seed, systems, share)
    groups = letter_groups(alike)
    assert (((groups.T.astype(int) @ groups) > 0) == alike).all()
    assert groups[0, 0]
    for place, group in enumerate(groups):
        assert not alike[group].all(axis=0)[~group].any()  # nobody could be added
        rest = np.delete(groups, place, axis=0).astype(int)
        assert (((rest.T @ rest) > 0) != alike).any()  # and no group left out


def test_letters_of_a_ranking_are_runs():
    place = np.arange(200)
    alike = abs(place[:, np.newaxis] - place) < 40
    groups = letter_groups(alike)
    assert [(group.argmax(), group.sum()) for group in groups] == [(n, 40) for n in range(161)]


@pytest.mark.parametrize("order", [[7, 6, 5, 4, 3, 2, 1, 0], [3, 1, 4, 0, 5, 7, 2, 6]])
def test_letters_never_depend_on_the_order_of_systems(order):
    rng = np.random.default_rng(5)
    index = pd.MultiIndex.from_product([list("abcdefgh"), range(6)], names=["system", "topic"])
    scores = pd.DataFrame(
        {"AP": (rng.integers(0, 4, 48) + np.repeat([0, 0, 1, 1, 2, 2, 3, 3], 6))}, index
    )
    expected = scores.ireval.compare().ireval.letters()
    turned = scores.loc[[list("abcdefgh")[place] for place in order]]
    pd.testing.assert_frame_equal(turned.ireval.compare().ireval.letters(), expected)
    assert expected["letters"].nunique() > 3


def test_a_frame_says_what_the_comparison_says(comparison):
    found = comparison.ireval.letters()
    assert [*found] == ["metric", "depth", "system", "mean", "letters"]
    told = found.set_index(["metric", "depth", "system"])["letters"]
    for row in comparison.itertuples():
        a, b = (told[row.metric, row.depth, side] for side in (row.system_a, row.system_b))
        assert bool(set(a) & set(b)) == (not row.significant)
    for (metric, _), part in found.groupby(["metric", "depth"], sort=False):
        assert part["mean"].is_monotonic_increasing == (metric == "ASL")
        assert part["letters"].iloc[0].startswith("a")


def test_groups_of_a_comparison_have_letters_of_their_own():
    runs, qrels = ir.example_track()
    scores = runs.ireval.evaluate(qrels, ["nDCG@10"])
    scores["half"] = np.arange(len(scores)) % 2
    compared = scores.ireval.compare(by="half")
    found = compared.ireval.letters()
    pd.testing.assert_frame_equal(found, compared.ireval.letters(by="half"))
    alone = scores[scores["half"] == 1][["nDCG@10"]].ireval.compare().ireval.letters()
    one = found[found["half"] == 1].drop(columns="half").reset_index(drop=True)
    pd.testing.assert_frame_equal(one, alone)


def test_there_are_letters_after_the_last():
    systems, last = 110, len(LETTERS)
    names = [f"s{number:03}" for number in range(systems)]
    index = pd.MultiIndex.from_product([names, range(4)], names=["system", "topic"])
    noise = np.random.default_rng(0).random(4 * systems) / 1000
    scores = pd.DataFrame({"AP": np.repeat(np.arange(systems)[::-1], 4) + noise}, index)
    found = scores.ireval.compare().ireval.letters()["letters"]
    assert found[[0, last - 1, last, 2 * last]].tolist() == ["a", "Z", "a2", "a3"]
    assert found.is_unique


def test_bad_input(comparison):
    with pytest.raises(InputError, match="1 that are missing .*bm25\\+rm3 and bm25"):
        comparison.query("metric == 'nDCG' and depth == 5")[1:].ireval.letters()
    with pytest.raises(InputError, match="again"):
        pd.concat([comparison, comparison]).ireval.letters()
    with pytest.raises(InputError, match="none"):
        comparison[:0].ireval.letters()
    with pytest.raises(InputError, match="significant"):
        ir.verbs.letters(comparison.drop(columns="significant"))
