"""One average of a system, whoever reports it."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import DepthError
from irframe.scores.averages import averages
from irframe.scores.read_scores import scores_to_compare


@pytest.fixture(scope="module")
def scores():
    metrics = ("AP", "InverseASL", "NumRelRet", "ASL", "GMAP")
    return ir.cube(*ir.example_track()).ireval.score(*metrics, at=[5, 50])


def reported(scores, metric):
    """Return the mean of bm25 at depth 50 as every verb tells it."""
    one = scores.sel(metric=[metric])
    compared = one.ireval.compare(baseline="bm25", at=50)
    paired = scores_to_compare(one)
    sign, place = paired.towards[0], paired.systems.get_loc("bm25")
    axes = one.ireval.plot.depth_curves()
    (line,) = (line for line in axes.lines if line.get_label().strip("_") == "bm25")
    return [
        one.ireval.summary()["mean"].sel(system="bm25", depth=50).item(),
        one.sel(system=["bm25"]).ireval.best_systems()["value"].item(),
        *compared["mean_b"].unique(),
        sign * paired.means[0, -1, place],
        line.get_ydata()[-1],
    ]


def test_the_mean_of_a_system_is_the_same_everywhere(scores):
    values = scores.sel(system="bm25", depth=50)
    harmonic = 1 / (1 / values.sel(metric="InverseASL")).mean().item()
    assert round(harmonic, 4) == 0.0358
    assert reported(scores, "InverseASL") == pytest.approx([harmonic] * 5, rel=1e-12)
    logs = np.log(np.maximum(values.sel(metric="GMAP"), 1e-5))
    assert reported(scores, "GMAP") == pytest.approx([np.exp(logs.mean()).item()] * 5, rel=1e-12)
    total = values.sel(metric="NumRelRet").sum().item()
    assert reported(scores, "NumRelRet") == [total] * 5
    for metric in ("AP", "ASL"):
        mean = values.sel(metric=metric).mean().item()
        assert reported(scores, metric) == pytest.approx([mean] * 5, rel=1e-12)


def test_a_difference_is_that_of_the_means_with_an_interval_only_if_they_are_means(scores):
    compared = scores.ireval.compare(at=50)
    difference = compared["mean_a"] - compared["mean_b"]
    np.testing.assert_allclose(compared["difference"], difference, atol=1e-12)
    averaged = compared["metric"].isin(["AP", "ASL"])
    assert (compared["ci_low"].notna() == averaged).all()
    assert (compared["ci_high"].notna() == averaged).all()
    assert compared["p"].notna().all()


def test_missing_scores_and_other_dimensions(scores):
    bounds = xr.concat([scores, scores + 1], dim="bound").where(scores["topic"] != "101")
    found = averages(bounds)
    assert found.dims == ("bound", "metric", "system", "depth")
    rest = bounds.isel(topic=slice(1, None))
    for side in (0, 1):
        xr.testing.assert_allclose(found[side], averages(rest[side]))
        xr.testing.assert_allclose(found[side, 0], averages(bounds[side, 0]))
    assert np.isnan(averages(bounds * np.nan)).all()


@pytest.mark.parametrize("at", [[1, 10], [99], 99, True, "x", [], [5, 5]])
def test_depths_that_were_not_scored(at):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RR", at=[5, 10])
    for ask in (scores.ireval.best_systems, scores.ireval.reordering):
        refused(DepthError, "depths scored", ask, at=at)


@pytest.mark.parametrize("at", [[10, 5], (10,), np.array([5])])
def test_several_depths_are_told_apart_by_a_column(at):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RR", at=[5, 10])
    scores = scores.assign_coords(half=("topic", list("ab") * 8))
    for verb, options in {
        "best_systems": {},
        "reordering": {},
        "rrie": {"baseline": "bm25"},
    }.items():
        for by in (None, "half"):
            ask = getattr(scores.ireval, verb)
            found = ask(at=at, by=by, **options)
            for depth in at:
                part = found[found["depth"] == depth].drop(columns="depth").reset_index(drop=True)
                pd.testing.assert_frame_equal(part, ask(at=int(depth), by=by, **options))
