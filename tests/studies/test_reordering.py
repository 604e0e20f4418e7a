"""Steps from one metric to another, headroom, and the best system of every group."""

from statistics import fmean, harmonic_mean

import numpy as np
import pandas as pd
import pytest
from oracles.reordering import delta_sort, kendall
from told import Told, frames

import irframe as ir
from irframe.errors import DepthError, InputError, ParameterError

CHAIN = ["AP", "AtomizedP", "AtomizedP(mean='harmonic')", "InverseASL", "ASL"]


def track():
    """Simulate enough systems that some are significantly apart."""
    return ir.simulate_track(systems=9, topics=30, docs=400, depth=60, pool_depth=20, seed=5)


def as_loops(scores, metric):
    rows = scores.sel(metric=metric).transpose("system", "topic")
    lists = {
        str(s): row.dropna("topic").to_numpy().tolist()
        for s, row in zip(rows["system"].to_numpy(), rows, strict=True)
    }
    mean = harmonic_mean if metric == "InverseASL" else fmean
    return lists, {"cost": metric == "ASL", "mean": mean}


def test_every_step_equals_a_loop():
    runs, qrels = track()
    cube = runs.ireval.cube(qrels)
    scores = cube.ireval.score(*CHAIN, at=60, no_rel="nan").isel(depth=0)
    table = cube.ireval.ablation()
    assert table["step"].tolist()[-1] == "Cumulative"
    assert table["old"].tolist() == [*CHAIN[:-1], "AP"]
    assert table["new"].tolist() == [*CHAIN[1:], "ASL"]
    assert table["delta_sort"].max() > 0
    for row in table.to_dict("records"):
        old, new = as_loops(scores, row["old"]), as_loops(scores, row["new"])
        moved = delta_sort(old, new)
        found = cube.ireval.score(*CHAIN, no_rel="nan").ireval.delta_sort(row["old"], row["new"])
        assert found.to_dict() == pytest.approx(moved)
        assert row["delta_sort"] == pytest.approx(max(map(abs, moved.values())))
        values = [
            [facts["mean"](row) ** (-1 if facts["cost"] else 1) for row in lists.values()]
            for lists, facts in (old, new)
        ]
        assert row["kendall"] == pytest.approx(kendall(*np.round(values, 12)))
        ratios = [after / before for before, after in zip(*values, strict=True) if before]
        assert row["delta_value"] == pytest.approx(fmean(ratios))


def test_worked_ablation(golden):
    case = golden["000-ablation"]
    runs, qrels = frames([Told.read(topic) for topic in case["input"]["topics"]])
    scores = runs.ireval.evaluate(qrels, CHAIN, no_rel="nan")
    means = scores.ireval.summary()
    for metric, key in zip(CHAIN, ("map", "atomize", "docs", "queries", "asl"), strict=True):
        column = scores[metric].dropna().to_numpy()
        assert column == pytest.approx(case["expected"]["per_query"][key])
        mean = means.loc[(metric, "s"), "mean"]
        assert mean == pytest.approx(case["expected"]["value"][key])


def test_relative_reduction_in_error(golden):
    case = golden["000-rrie"]
    rows = case["input"]["rows"]
    index = pd.MultiIndex.from_product([["old", "new"], ["1"]], names=["system", "topic"])
    for (name, kind, old, new), expected, percent in zip(
        rows, case["expected"]["rrie"], case["printed"]["percent"], strict=True
    ):
        metric = name if kind == "precision" else "ASL(first=10)" if "@" in name else "ASL"
        frame = pd.DataFrame({metric: [old, new]}, index=index)
        found = frame.ireval.rrie("old").loc[0, "rrie"]
        assert found == pytest.approx(expected)
        assert round(100 * found) == percent


def test_error_of_a_perfect_baseline_is_undefined():
    index = pd.MultiIndex.from_product([["a", "b"], ["1"]], names=["system", "topic"])
    found = pd.DataFrame({"P": [1.0, 0.5]}, index=index).ireval.rrie("a")
    assert found["rrie"].isna().all()


def test_margin_counts_from_the_system_itself():
    index = pd.MultiIndex.from_product([["a", "b"], range(4)], names=["system", "topic"])
    low = [0.5, 0.5, 0.5, 0.5]
    scores = pd.DataFrame({"P": [*low, *[0.55] * 4], "AP": [*low, *[0.549] * 4]}, index=index)
    assert scores.ireval.delta_sort().to_dict() == {"a": 50.0, "b": 0.0}
    assert scores.ireval.delta_sort(margin=0.2).to_dict() == {"a": 0.0, "b": 0.0}


def test_depths_frames_and_groups():
    runs, qrels = track()
    runs = runs.assign(track=np.where(runs["topic"].isin(runs["topic"].unique()[:15]), "x", "y"))
    cube = runs.ireval.cube(qrels)
    scores = cube.ireval.score("AP", "ASL", no_rel="nan")
    at = scores.ireval.reordering(at=20)
    frame = runs.ireval.evaluate(qrels, ["AP@20", "ASL@20"], no_rel="nan")
    numbers = ["delta_sort", "kendall", "delta_value", "n_systems", "n_topics"]
    wide = frame.ireval.reordering()
    pd.testing.assert_frame_equal(at[numbers], wide[numbers])
    groups = scores.ireval.reordering(by="track")
    assert groups["track"].tolist() == ["x", "y"]
    assert groups["n_topics"].sum() == scores.ireval.reordering()["n_topics"].item()
    ablated = cube.ireval.ablation(by="track", depth=20)
    assert ablated.columns[:3].tolist() == ["track", "step", "old"]
    assert len(ablated) == 10


def test_best_systems():
    runs, qrels = track()
    runs = runs.assign(track=np.where(runs["topic"].isin(runs["topic"].unique()[:15]), "x", "y"))
    scores = runs.ireval.cube(qrels).ireval.score("AP", "ASL")
    found = scores.ireval.best_systems(by="track")
    assert found.columns.tolist() == ["track", "metric", "system", "value"]
    for row in found.to_dict("records"):
        part = scores.sel(metric=row["metric"], depth=60).where(scores["track"] == row["track"])
        means = part.mean("topic").to_series()
        best = means.min() if row["metric"] == "ASL" else means.max()
        assert row["value"] == pytest.approx(best)
        assert means[row["system"]] == pytest.approx(best)
    one = scores.ireval.best_systems(at=10)
    assert one["metric"].tolist() == ["AP", "ASL"]


def test_what_cannot_be_reordered():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP", "ASL")
    with pytest.raises(ParameterError, match="at least two"):
        scores.isel(metric=[0]).ireval.reordering()
    with pytest.raises(ParameterError, match="at least two"):
        scores.isel(system=[0]).ireval.reordering()
    for bad in ({"margin": -1}, {"alpha": 0}, {"margin": np.nan}, {"by": "nothing"}):
        with pytest.raises(ParameterError):
            scores.ireval.reordering(**bad)
    with pytest.raises(ParameterError, match="'P'"):
        scores.ireval.delta_sort("P", "AP")
    with pytest.raises(ParameterError, match="baseline"):
        scores.ireval.rrie("nobody")
    with pytest.raises(DepthError):
        scores.ireval.best_systems(at=51)
    with pytest.raises(DepthError, match="without"):
        scores.isel(depth=0, drop=True).ireval.rrie("bm25", at=3)
    with pytest.raises(InputError, match="none"):
        (scores * np.nan).ireval.reordering()
    with pytest.raises(InputError, match="cube"):
        ir.ablation(scores.to_dataset(dim="metric").isel(depth=0))
    with pytest.raises(DepthError):
        runs.ireval.cube(qrels).ireval.ablation(depth=99)


def test_unknown_metrics_are_averaged_and_higher_is_better():
    index = pd.MultiIndex.from_product([["a", "b"], range(3)], names=["system", "topic"])
    scores = pd.DataFrame({"mine": [1, 2, 3, 2, 3, 4.0], "AP": 0.5}, index=index)
    best = scores.ireval.best_systems()
    assert best["system"].tolist() == ["b", "a"]
    assert best["value"].tolist() == [3, 0.5]
    assert np.isnan(scores.ireval.reordering()["kendall"].item())
