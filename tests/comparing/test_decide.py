"""Tests of `decide`."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import InputError, IrframeWarning


@pytest.fixture(scope="module")
def within():
    return ir.cube(*ir.example_track()).ireval.bounds("RBP(p=0.5)", "AP", at=[5, 50])


def test_pairs_are_decided_if_their_ranges_do_not_overlap(within):
    rows = within.ireval.decide()
    means = within.mean("topic")
    assert len(rows) == 2 * 2 * 28
    for row in rows.itertuples():
        a, b = (
            means.sel(metric=row.metric, depth=row.depth, system=system)
            for system in (row.system_a, row.system_b)
        )
        low_a, low_b = (float(x.sel(bound="lower")) for x in (a, b))
        high_a, high_b = (float(x.sel(bound="upper")) for x in (a, b))
        assert row.lowest == pytest.approx(low_a - high_b)
        assert row.highest == pytest.approx(high_a - low_b)
        assert row.decided == (low_a > high_b or low_b > high_a)
        if row.decided:
            assert row.better == (row.system_a if low_a > high_b else row.system_b)
    assert rows["better"].isna().sum() == (~rows["decided"]).sum() > 0
    assert rows["decided"].any()


def test_rows_of_decide_are_in_the_order_of_compare(within):
    keys = ["metric", "depth", "system_a", "system_b"]
    for scores, baseline in ((within, None), (within.sel(depth=5), "splade")):
        compared = scores.sel(bound="lower", drop=True).ireval.compare(baseline=baseline)
        decided = scores.ireval.decide(baseline=baseline)
        pd.testing.assert_frame_equal(decided[keys], compared[keys])


def test_system_with_lower_costs_is_better():
    values = [[[2.0, 2.0], [5.0, 6.0], [3.0, 9.0]], [[3.0, 3.0], [6.0, 7.0], [4.0, 9.5]]]
    labels = {"bound": ["lower", "upper"], "system": list("abc"), "topic": ["1", "2"]}
    costs = xr.DataArray(values, labels, list(labels)).expand_dims(metric=["ESL"], axis=1)
    rows = costs.ireval.decide()
    assert rows["better"].fillna("").tolist() == ["a", "a", ""]
    assert rows["depth"].isna().all()
    gains = costs.assign_coords(metric=["AP"])
    assert gains.ireval.decide()["better"].fillna("").tolist() == ["b", "c", ""]


@pytest.mark.parametrize("metric", ["AP", "ESL"])
def test_pairs_are_undecided_if_their_ranges_touch(metric):
    values = [[[2.0], [4.0], [4.5]], [[4.0], [4.0], [5.0]]]
    labels = {"bound": ["lower", "upper"], "system": list("abc"), "topic": ["1"]}
    scores = xr.DataArray(values, labels, list(labels)).expand_dims(metric=[metric], axis=1)
    with pytest.warns(IrframeWarning, match="a single topic"):
        rows = scores.ireval.decide()
    assert rows["highest"].tolist() == [0, -0.5, -0.5]
    assert rows["decided"].tolist() == [False, True, True]
    with pytest.warns(IrframeWarning, match="a single topic"):
        turned = scores[:, :, ::-1].ireval.decide()
    assert turned["lowest"].tolist() == [0.5, 0.5, 0]
    assert turned["decided"].tolist() == [True, True, False]


def test_scores_without_bounds_are_refused(within):
    refused(InputError, "dimension bound", within.sel(bound="lower").ireval.decide)
    refused(InputError, "DataFrame", lambda: ir.verbs.decide(pd.DataFrame({"x": np.zeros(3)})))


def test_comparisons_of_bounds_contain_the_columns_of_decide(cube):
    within = cube.ireval.bounds("RBP(p=0.5)", "AP", at=[10, 50])
    frame = within.sel(depth=50).ireval.compare(adjust="holm")
    plain = within.sel(bound="lower", drop=True).sel(depth=50).ireval.compare(adjust="holm")
    pd.testing.assert_frame_equal(frame[plain.columns], plain)
    decided = within.sel(depth=50).ireval.decide()
    names = ["lowest", "highest", "decided", "better"]
    pd.testing.assert_frame_equal(frame[names], decided[names])
    assert frame["decided"].any()
    assert (
        (frame["lowest"] <= frame["difference"]) & (frame["difference"] <= frame["highest"])
    ).all()
    versus = within.ireval.compare(baseline="bm25")
    assert len(versus) == 2 * 2 * 7
    assert (versus["system_b"] == "bm25").all()
