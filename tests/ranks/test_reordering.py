"""Tests of `reordering`, `ablation`, `best_systems` and `rrie`."""

from statistics import fmean, harmonic_mean

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from oracles.reordering import delta_sort, kendall
from ranked_topics import RankedTopic, frames_of_topics
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, InputError, IrframeWarning, ParameterError

RUNS, QRELS = ir.example_track()


def track():
    """Simulate a track in which some systems differ significantly."""
    return ir.simulate_track(systems=9, topics=30, docs=400, depth=60, pool_depth=20, seed=5)


def test_relative_margin_is_relative_to_the_mean_of_the_system():
    index = pd.MultiIndex.from_product([["a", "b"], range(4)], names=["system", "topic"])
    low = [0.5, 0.5, 0.5, 0.5]
    scores = pd.DataFrame({"P": [*low, *[0.55] * 4], "AP": [*low, *[0.549] * 4]}, index=index)
    assert scores.ireval.reordering(per="system")["delta_sort"].tolist() == [50.0, 0.0]
    strict = scores.ireval.reordering(per="system", relative_margin=0.2)
    assert strict["delta_sort"].tolist() == [0.0, 0.0]


def test_reordering_of_a_frame_equals_that_of_an_array():
    runs, qrels = track()
    cube = runs.ireval.cube(qrels)
    scores = cube.ireval.score("AP", "ASL", no_rel="nan")
    at = scores.ireval.reordering(at=20)
    frame = runs.ireval.evaluate(qrels, ["AP@20", "ASL@20"], no_rel="nan")
    numbers = ["delta_sort", "kendall", "delta_value", "n_systems", "n_topics"]
    wide = frame.ireval.reordering()
    pd.testing.assert_frame_equal(at[numbers], wide[numbers])
    by_system = scores.ireval.reordering(per="system")
    assert by_system.columns.tolist() == ["old", "new", "system", "delta_sort"]
    assert by_system["delta_sort"].abs().max() == scores.ireval.reordering()["delta_sort"].item()


def test_invalid_scores_of_reordering_are_refused():
    scores = RUNS.ireval.cube(QRELS).ireval.score("AP", "ASL")
    refused(ParameterError, "at least two", scores.isel(metric=[0]).ireval.reordering)
    refused(ParameterError, "at least two", scores.isel(system=[0]).ireval.reordering)
    margins = {"relative_margin": -1}, {"relative_margin": np.nan}
    for bad in (*margins, {"per": "x"}):
        refused(ParameterError, "expected", scores.ireval.reordering, **bad)
    refused(InputError, "none", (scores * np.nan).ireval.reordering)


def test_kendall_of_tied_systems_is_nan():
    index = pd.MultiIndex.from_product([["a", "b"], range(3)], names=["system", "topic"])
    scores = pd.DataFrame({"mine": [1, 2, 3, 2, 3, 4.0], "yours": 0.5}, index=index)
    assert np.isnan(scores.ireval.reordering()["kendall"].item())


CHAIN = ["AP", "AtomizedP", "AtomizedP(mean='harmonic')", "InverseASL", "ASL"]


def as_loops(scores, metric):
    rows = scores.sel(metric=metric).transpose("system", "topic")
    lists = {
        str(s): row.dropna("topic").to_numpy().tolist()
        for s, row in zip(rows["system"].to_numpy(), rows, strict=True)
    }
    mean = harmonic_mean if metric == "InverseASL" else fmean
    return lists, {"cost": metric == "ASL", "mean": mean}


def test_columns_of_a_step_equal_those_of_a_loop():
    runs, qrels = track()
    cube = runs.ireval.cube(qrels)
    scores = cube.ireval.score(*CHAIN, at=60, no_rel="nan")
    table = cube.ireval.ablation()
    assert table["step"].tolist()[-1] == "Cumulative"
    assert table["old"].tolist() == [*CHAIN[:-1], "AP"]
    assert table["new"].tolist() == [*CHAIN[1:], "ASL"]
    assert table["delta_sort"].max() > 0
    for row in table.to_dict("records"):
        old, new = as_loops(scores, row["old"]), as_loops(scores, row["new"])
        moved = delta_sort(old, new)
        both = cube.ireval.score(row["old"], row["new"], no_rel="nan")
        result = both.ireval.reordering(per="system")
        assert dict(zip(result["system"], result["delta_sort"], strict=True)) == pytest.approx(
            moved
        )
        assert row["delta_sort"] == pytest.approx(max(map(abs, moved.values())))
        values = [
            [facts["mean"](row) ** (-1 if facts["cost"] else 1) for row in lists.values()]
            for lists, facts in (old, new)
        ]
        assert row["kendall"] == pytest.approx(kendall(*np.round(values, 12)))
        ratios = [after / before for before, after in zip(*values, strict=True) if before]
        assert row["delta_value"] == pytest.approx(fmean(ratios))


def test_ablation_equals_the_worked_case(golden):
    case = golden["000-ablation"]
    runs, qrels = frames_of_topics([RankedTopic.read(topic) for topic in case["input"]["topics"]])
    scores = runs.ireval.evaluate(qrels, CHAIN, no_rel="nan")
    means = scores.ireval.summary()
    for metric, key in zip(CHAIN, ("map", "atomize", "docs", "queries", "asl"), strict=True):
        column = scores[metric].dropna().to_numpy()
        assert column == pytest.approx(case["expected"]["per_query"][key])
        mean = means.loc[(metric, "s"), "mean"]
        assert mean == pytest.approx(case["expected"]["value"][key])


@pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
@pytest.mark.parametrize(("test", "adjust"), [("wilcoxon", None), ("ranksum", "holm")])
def test_reordering_supports_every_test_and_correction(test, adjust):
    scores = ir.evaluate(*track(), ["AP", "RR"])
    better = []
    for metric in scores:
        pairs = scores[[metric]].ireval.compare(test, adjust=adjust)
        p, gain = pairs["p_adjusted"], pairs["difference"]
        ahead = [("a", "b", gain), ("b", "a", -gain)]
        better += [
            {
                system: sum(pairs[f"system_{loser}"].eq(system)[(p <= 0.05) & (by > 0)])
                for system in scores.index.unique("system")
            }
            for _, loser, by in ahead
        ]
    expected = {
        name: 100 / 9 * (better[0][name] + better[1][name] - better[2][name] - better[3][name])
        for name in better[0]
    }
    result = scores.ireval.reordering(
        test=ir.Significance(test, adjust=adjust), relative_margin=0, per="system"
    )
    assert dict(zip(result["system"], result["delta_sort"], strict=True)) == pytest.approx(expected)
    assert any(expected.values())


def scores_of(metric, **systems):
    values = [list(map(float, row)) for row in systems.values()]
    return xr.DataArray(values, {"system": list(systems)}, ("system", "topic"), name=metric)


def test_rrie_equals_the_worked_case(golden):
    case = golden["000-rrie"]
    rows = case["input"]["rows"]
    index = pd.MultiIndex.from_product([["old", "new"], ["1"]], names=["system", "topic"])
    for (name, kind, old, new), expected, percent in zip(
        rows, case["expected"]["rrie"], case["printed"]["percent"], strict=True
    ):
        metric = name if kind == "precision" else "ASL(first=10)" if "@" in name else "ASL"
        frame = pd.DataFrame({metric: [old, new]}, index=index)
        result = frame.ireval.rrie(baseline="old").loc[0, "rrie"]
        assert result == pytest.approx(expected)
        assert round(100 * result) == percent


@pytest.mark.parametrize(
    ("metric", "old", "new"), [("P", 1, 0.5), ("ASL", 0.5, 0.8), ("ASL", 0.5, 0.2), ("DCG", 2, 3)]
)
def test_rrie_of_a_perfect_baseline_is_nan(metric, old, new):
    result = scores_of(metric, a=[old], b=[new]).ireval.rrie(baseline="a")
    assert result["rrie"].isna().all()
    assert result[["old", "new"]].to_numpy().tolist() == [[old, new]]


def test_rrie_of_worse_systems_is_negative():
    for metric, old, new in (("ASL", 3, 5), ("P", 0.5, 0.0)):
        result = scores_of(metric, a=[old], b=[new]).ireval.rrie(baseline="a")
        assert result["rrie"].tolist() == [-1]


def test_rrie_uses_topics_of_all_systems():
    scores = scores_of("P", a=[0.5, 0.0, 0.0], b=[0.0, np.nan, np.nan], c=[0.5, 1, 1])
    with pytest.warns(IrframeWarning, match="left out: 2 for P"):
        result = scores.ireval.rrie(baseline="a")
    assert result["rrie"].tolist() == [-1, 0]
    assert result["old"].tolist() == [0.5, 0.5]
    unscored = scores_of("ASL", a=[3, np.nan], b=[2, np.nan]).ireval.rrie(baseline="a")
    assert unscored["rrie"].tolist() == [0.5]
    with pytest.raises(InputError, match="every system has a score, but found none: P"):
        scores_of("P", a=[1, np.nan], b=[np.nan, 1]).ireval.rrie(baseline="a")


def test_invalid_arguments_of_rrie_are_refused():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP", "ASL")
    refused(ParameterError, "systems to compare.*'nobody'", scores.ireval.rrie, baseline="nobody")
    with pytest.raises(ParameterError, match="systems to compare with the baseline"):
        scores.sel(system=["bm25"]).ireval.rrie(baseline="bm25")
    with pytest.raises(DepthError, match="without"):
        scores.isel(depth=0, drop=True).ireval.rrie(baseline="bm25", at=3)


def test_best_systems_have_the_best_mean():
    runs, qrels = ir.simulate_track(systems=9, topics=30, docs=400, depth=60, pool_depth=20, seed=5)
    scores = runs.ireval.cube(qrels).ireval.score("AP", "ASL")
    result = scores.ireval.best_systems()
    assert result["metric"].tolist() == ["AP", "ASL"]
    for row in result.to_dict("records"):
        means = scores.sel(metric=row["metric"], depth=60).mean("topic").to_series()
        best = means.min() if row["metric"] == "ASL" else means.max()
        assert row["value"] == pytest.approx(best)
        assert means[row["system"]] == pytest.approx(best)
    refused(DepthError, "61", lambda: scores.ireval.best_systems(at=61))


def test_best_system_by_an_unknown_metric_has_the_highest_mean():
    index = pd.MultiIndex.from_product([["a", "b"], range(3)], names=["system", "topic"])
    scores = pd.DataFrame({"mine": [1, 2, 3, 2, 3, 4.0], "yours": 0.5}, index=index)
    best = scores.ireval.best_systems()
    assert best["system"].tolist() == ["b", "a"]
    assert best["value"].tolist() == [3, 0.5]


def test_a_system_without_scores_is_never_best():
    index = pd.MultiIndex.from_product([["a", "b", "c"], range(2)], names=["system", "topic"])
    values = [np.nan, np.nan, 3, 3, 2, 2]
    scores = pd.DataFrame({"AP": values, "ASL": values}, index=index, dtype=float)
    best = scores.ireval.best_systems()
    assert best["system"].tolist() == ["b", "c"]
    assert best["value"].tolist() == [3, 2]


def test_metrics_without_scores_have_no_best_system():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "ASL", at=10) * np.nan
    scores[0, 3] = 0.25
    best = scores.ireval.best_systems()
    assert best["system"][0] == "colbert"
    assert pd.isna(best["system"][1])
    assert best["value"][0] == 0.25
    assert np.isnan(best["value"][1])


@pytest.mark.parametrize("metric", ["AP", "ASL", "GMAP"])
def test_best_of_tied_systems_does_not_depend_on_rounding_errors(metric):
    rng = np.random.default_rng(3)
    rows = np.stack([rng.permutation(np.round(rng.random(40), 2)) for _ in range(6)])
    rows[1:] = [rng.permutation(rows[0]) for _ in rows[1:]]
    labels = {"system": list("uvwxyz"), "topic": [f"t{n}" for n in range(40)]}
    scores = xr.DataArray(rows, labels, ("system", "topic"), name=metric)
    for same in (scores, scores.chunk(topic=7), scores[:, ::-1]):
        assert same.ireval.best_systems()["system"].tolist() == ["u"]
        assert same[::-1].ireval.best_systems()["system"].tolist() == ["z"]
        subset = ir.verbs.select_top(same, 0.5, metric=metric)
        assert subset["system"].values.tolist() == [*"uvw"]
