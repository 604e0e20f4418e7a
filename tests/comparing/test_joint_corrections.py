"""Corrections that see the scores behind the p-values."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from known_truth import simulate

import irframe as ir
from irframe.comparing.corrections import parse_correction
from irframe.errors import IrframeWarning, ParameterError

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


def test_lazy_scores_are_loaded(scores):
    lazy = scores.chunk(topic=5).ireval.compare(adjust=MAX_T)
    np.testing.assert_allclose(p_of(lazy), p_of(scores.ireval.compare(adjust=MAX_T)))


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
        with pytest.raises(ParameterError, match="max-t corrects"):
            scores.ireval.compare(test, adjust="max-t")
    with pytest.raises(ParameterError, match="adjust"):
        scores.ireval.compare(adjust="max")
    told = scores.ireval.rank_intervals(adjust=MAX_T).attrs
    assert told["adjust"] == "MaxT(samples=200, seed=1)"
