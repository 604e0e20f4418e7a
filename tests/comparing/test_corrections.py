"""Corrections of p-values against their definitions, and what goes with it.

Corrections that see the scores behind the p-values.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from known_truth import simulate
from refusals import refused
from statsmodels.stats.multitest import multipletests

import irframe as ir
from irframe.comparing.significance import CORRECTIONS, FAMILIES, adjust_p, parse_correction
from irframe.errors import IrframeWarning, ParameterError

ps = st.lists(st.floats(1e-9, 1), min_size=1, max_size=8)


@pytest.mark.parametrize("adjust", CORRECTIONS)
def test_every_correction_is_that_of_statsmodels_in_every_family(adjust):
    random = np.random.default_rng(3)
    p = np.round(random.random((3, 4, 7)) ** 4, 3)  # some tie
    p[0, 0, 2], p[0, 1, 3], p[1, 2] = 0, 1, 0.01
    with np.errstate(divide="ignore"):
        wanted = [multipletests(row, 0.05, adjust)[1] for row in p.reshape(-1, 7)]
    (found,) = adjust_p([p], adjust, family="depth", alpha=0.05)
    np.testing.assert_array_equal(found, np.reshape(wanted, p.shape))
    assert adjust_p([p[:1, :1, :1]], adjust, family="all", alpha=0.05)[0] == p[0, 0, 0]


@pytest.mark.parametrize("adjust", CORRECTIONS)
@given(p=ps, data=st.data())
def test_corrected_values_are_in_order_and_no_smaller(adjust, p, data):
    shuffle = data.draw(st.permutations(range(len(p))))
    (found,) = adjust_p([np.array([[p]])], adjust, family="all", alpha=0.05)
    (again,) = adjust_p([np.array([[p]])[..., shuffle]], adjust, family="all", alpha=0.05)
    np.testing.assert_allclose(again, found[..., shuffle])
    sortable = found[0, 0][np.argsort(p, kind="stable")]
    assert (np.diff(sortable) >= -1e-12).all()
    if not adjust.startswith("fdr_ts"):
        assert (found[0, 0] >= np.array(p) - 1e-12).all()
    assert (found <= 1).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_corrected_together(family):
    random = np.random.default_rng(0)
    groups = [random.random((2, 3, 4)) / 50, random.random((2, 1, 5)) / 50]
    sizes = {
        "depth": [group.shape[2] for group in groups],
        "metric": [group[0].size for group in groups],
        "all": [sum(group.size for group in groups)] * 2,
    }[family]
    found = adjust_p(groups, "bonferroni", family=family, alpha=0.05)
    for p, adjusted, size in zip(groups, found, sizes, strict=True):
        np.testing.assert_allclose(adjusted, np.minimum(1, p * size))


def test_without_a_correction_there_is_a_copy():
    p = np.array([[[0.5, 0.1]]])
    (found,) = adjust_p([p], None, family="depth", alpha=0.05)
    assert (found == p).all()
    assert not np.shares_memory(found, p)


def test_words_that_are_none():
    words = "or a correction, one of 13 words; found 'bonf' .in irframe: 'bonferroni'.. It may be"
    refused(ParameterError, words, lambda: parse_correction("bonf"))
    with pytest.raises(ParameterError, match="family to be one of 'depth', 'metric', 'all'"):
        parse_correction("holm", family="pair")


@pytest.mark.parametrize("adjust", CORRECTIONS)
def test_what_has_no_p_value_counts_as_a_comparison_that_shows_nothing(adjust):
    p = np.array([[[0.01, np.nan, 0.002, 0.3, np.nan]]])
    (found,) = adjust_p([p], adjust, family="depth", alpha=0.05)
    (filled,) = adjust_p([np.nan_to_num(p, nan=1.0)], adjust, family="depth", alpha=0.05)
    np.testing.assert_array_equal(found, np.where(np.isnan(p), np.nan, filled))


MAX_T = ir.paired.MaxT(samples=200, seed=1)


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", at=[5, 10])


def p_of(frame):
    return frame["p_adjusted"].to_numpy()


def test_pairs_of_a_depth_are_a_family(scores):
    frame = scores.ireval.compare(adjust=MAX_T)
    for (metric, depth), part in frame.groupby(["metric", "depth"]):
        alone = scores.sel(metric=[metric], depth=[depth]).ireval.compare(adjust=MAX_T)
        np.testing.assert_array_equal(p_of(part), p_of(alone))
    assert (frame["p_adjusted"] >= frame["p"]).all()
    assert (frame["significant"] == (frame["p_adjusted"] < 0.05)).all()


def test_more_comparisons_cost_more_but_depths_that_are_alike_little(scores):
    by_depth, by_metric, all_in_all = (
        p_of(scores.ireval.compare(adjust=MAX_T, family=family))
        for family in ("depth", "metric", "all")
    )
    assert (by_depth <= by_metric).all()
    assert (by_metric <= all_in_all).all()
    twice = xr.concat([scores[:1, ..., :1], scores[:1, ..., :1].assign_coords(depth=[6])], "depth")
    doubled = p_of(twice.ireval.compare(adjust=MAX_T, family="metric"))
    np.testing.assert_array_equal(doubled, np.tile(by_depth[:28], 2))


def test_groups_are_corrected_together_by_topic_name(scores):
    layer = scores[:1, ..., :1]
    teams = layer.ireval.compare(adjust=MAX_T, by="team", family="all")
    pairs = layer.ireval.compare(adjust=MAX_T).set_index(["system_a", "system_b"])
    assert (
        teams["p_adjusted"].to_numpy()
        <= pairs.loc[teams.set_index(["system_a", "system_b"]).index, "p_adjusted"].to_numpy()
    ).all()
    apart = layer.ireval.compare(adjust=MAX_T, by="team")
    assert (p_of(apart) <= p_of(teams)).all()


def test_topics_left_out_are_as_if_they_had_never_been(scores):
    holes = scores.where((scores["topic"] != "101") | (scores["system"] != "bm25"))
    with pytest.warns(IrframeWarning, match="left out"):
        found = holes.ireval.compare(adjust=MAX_T, family="all")
    rest = scores.sel(topic=scores["topic"] != "101").ireval.compare(adjust=MAX_T, family="all")
    pd.testing.assert_frame_equal(found, rest)


def test_discrimination_counts_what_is_left_after_correction(scores):
    for adjust in ("holm", MAX_T):
        frame = scores.ireval.compare("permutation", adjust=adjust)
        expected = frame.groupby(["metric", "depth"], sort=False)["significant"].mean()
        found = scores.ireval.discrimination("permutation", adjust=adjust)
        np.testing.assert_allclose(found.values.ravel(), expected)


def test_no_false_claim_more_often_than_promised():
    scores, truth = simulate(8, 20, 300, spread=2, seed=0)
    scores[:5] -= truth[:5, np.newaxis]
    frame = scores.ireval.compare(adjust=ir.paired.MaxT(samples=199))
    null = frame[(frame["system_a"] <= 5) & (frame["system_b"] <= 5)]
    false = null.groupby("depth")["significant"].any().mean()
    assert 0.01 <= false <= 0.07
    holm = scores.ireval.compare(adjust="holm")
    assert (frame.drop(null.index)["significant"].mean()) > holm.drop(null.index)[
        "significant"
    ].mean()


def test_names_and_values(scores):
    assert parse_correction("max-t", ir.paired.PairedT()) == ir.paired.MaxT(samples=10_000, seed=0)
    assert parse_correction(MAX_T, ir.paired.Permutation()) is MAX_T
    for test in ("wilcoxon", "bootstrap"):
        refused(ParameterError, "max-t corrects", scores.ireval.compare, test, adjust="max-t")
    refused(ParameterError, "adjust", lambda: scores.ireval.compare(adjust="max"))
    told = scores.ireval.rank_intervals(adjust=MAX_T).attrs
    assert told["adjust"] == "MaxT(samples=200, seed=1)"
