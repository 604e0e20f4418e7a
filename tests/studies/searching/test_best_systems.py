"""The best system of every group."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import DepthError


def track():
    """Simulate enough systems that some are significantly apart."""
    return ir.simulate_track(systems=9, topics=30, docs=400, depth=60, pool_depth=20, seed=5)


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
    with pytest.raises(DepthError):
        scores.ireval.best_systems(at=61)


def test_unknown_metrics_are_averaged_and_higher_is_better():
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


def test_nobody_is_best_without_scores():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "ASL", at=10) * np.nan
    scores[0, 3] = 0.25
    best = scores.ireval.best_systems()
    assert best["system"][0] == "colbert"
    assert pd.isna(best["system"][1])
    assert best["value"][0] == 0.25
    assert np.isnan(best["value"][1])


@pytest.mark.parametrize("metric", ["AP", "ASL", "GMAP"])
def test_exact_ties_are_ties_however_they_are_added_up(metric):
    rng = np.random.default_rng(3)
    rows = np.stack([rng.permutation(np.round(rng.random(40), 2)) for _ in range(6)])
    rows[1:] = [rng.permutation(rows[0]) for _ in rows[1:]]
    labels = {"system": list("uvwxyz"), "topic": [f"t{n}" for n in range(40)]}
    scores = xr.DataArray(rows, labels, ("system", "topic"), name=metric)
    for given in (scores, scores.chunk(topic=7), scores[:, ::-1]):
        assert given.ireval.best_systems()["system"].tolist() == ["u"]
        assert given[::-1].ireval.best_systems()["system"].tolist() == ["z"]
        kept = ir.verbs.select_top(given, 0.5, metric=metric)
        assert kept["system"].values.tolist() == [*"uvw"]
