"""Reproductions, against repro_eval."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("AP", "RBP(p=0.8)", at=[5, 10])


PEER = json.loads(Path(__file__).with_name("_repro_eval").joinpath("values.json").read_text())


def frame_of(runs):
    """Return the scores of a system a and a baseline b."""
    parts = {name: pd.DataFrame(run).T for name, run in zip("ab", runs, strict=True)}
    return pd.concat(parts, names=["system", "topic"])


@pytest.mark.parametrize("kind", ["reproduced", "replicated"])
def test_what_repro_eval_says(kind):
    found = frame_of(PEER[kind]["scores"]).ireval.replicate(
        frame_of(PEER["original"]), baseline="b"
    )
    said = PEER[kind]["said"]
    assert ("rmse" in found) == (kind == "reproduced")
    for metric in ("map", "recip_rank"):
        here = found.sel(metric=metric)
        assert here["effect_ratio"].sel(system="a").item() == pytest.approx(said["er"][metric])
        assert here["delta_ri"].sel(system="a").item() == pytest.approx(said["dri"][metric])
        for name in ("p", "rmse")[: 1 + ("rmse" in found)]:
            for system in "ab":
                expected = said[f"{name}_{system}"][metric]
                assert here[name].sel(system=system).item() == pytest.approx(expected)


def test_the_same_again(scores):
    shuffled = scores.isel(topic=slice(None, None, -1), system=slice(None, None, -1))
    found = scores.ireval.replicate(shuffled, baseline="bm25")
    assert found["mean"].dims == ("metric", "system", "depth")
    np.testing.assert_allclose(found["mean"], scores.mean("topic").transpose(*found["mean"].dims))
    assert (found["p"] == 1).all()
    assert (found["rmse"] == 0).all()
    others = found.drop_sel(system="bm25")
    np.testing.assert_allclose(others["effect_ratio"], 1)
    np.testing.assert_allclose(others["delta_ri"], 0, atol=1e-12)


def test_every_depth_is_that_depth_alone(scores):
    other = scores.isel(topic=slice(None, None, -1)).assign_coords(topic=scores["topic"])
    whole = scores.ireval.replicate(other)
    xr.testing.assert_allclose(scores.ireval.replicate(other, at=10), whole.sel(depth=[10]))


def test_missing_scores_leave_topics_out_on_both_sides(scores):
    other = scores * 0.9
    holes = other.copy()
    holes[:, 1, 0] = np.nan
    with pytest.warns(IrframeWarning, match="1 of"):
        found = scores.ireval.replicate(holes)
    rest = (side.isel(topic=slice(1, None)) for side in (scores, other))
    xr.testing.assert_allclose(found, next(rest).ireval.replicate(next(rest)))


def test_what_is_no_reproduction(scores):
    with pytest.raises(ParameterError, match="the same topics on both sides, or none"):
        scores.ireval.replicate(scores.isel(topic=slice(1, None)))
    refused(ParameterError, "the same metrics", scores.ireval.replicate, scores.isel(metric=[0]))
    with pytest.raises(ParameterError, match="the same systems"):
        scores.ireval.replicate(scores.isel(system=slice(1, None)))
    with pytest.raises(ParameterError, match="depths that the original has"):
        scores.ireval.replicate(scores.sel(depth=[10]))
    refused(DepthError, "7", lambda: scores.ireval.replicate(scores, at=7))
