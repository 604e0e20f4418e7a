"""Reproductions, against repro_eval; and standard scores."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import InputError, IrframeWarning, MetricError, ParameterError


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
    xr.testing.assert_allclose(scores.sel(depth=10).ireval.replicate(other), whole.sel(depth=10))


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


pytestmark = pytest.mark.filterwarnings("ignore:.*has no standard scores")


def test_standard_scores_are_those_of_scipy(scores):
    found = scores.ireval.standardise()
    assert (found.dims, found.shape) == (scores.dims, scores.shape)
    np.testing.assert_allclose(found, stats.zscore(scores, axis=1, ddof=1))
    assert found.attrs["standardised"] == "z"


def test_two_systems_have_a_standard_deviation():
    scores = xr.DataArray([[0.1], [0.3]], {"system": ["a", "b"], "topic": ["1"]}, name="AP")
    np.testing.assert_allclose(scores.ireval.standardise().squeeze(), [-(0.5**0.5), 0.5**0.5])


def test_shares_of_systems_that_score_less(scores):
    z = scores.ireval.standardise().to_numpy()
    normal, uniform = (scores.ireval.standardise(how) for how in ("normal", "uniform"))
    np.testing.assert_allclose(normal, stats.norm.cdf(z))
    np.testing.assert_allclose(uniform, _line(z, 0.15, 0.5))


def _line(z, a, b):
    """Return the share of systems that score less if uniformly distributed, as first published."""
    return stats.uniform(-b / a, 1 / a).cdf(z)


def test_a_standard_deviation_is_worth_what_its_authors_say():
    z = np.array([-4, -10 / 3, -1, 0, 1, 2, 10 / 3, 4])
    reference = pd.DataFrame({"system": ["x", "y", "z"], "topic": "1", "AP": [-1.0, 0.0, 1.0]})
    scores = pd.DataFrame({"system": [*"abcdefgh"], "topic": "1", "AP": z})
    found = scores.ireval.standardise("uniform", reference=reference)["AP"]
    np.testing.assert_allclose(found, [0, 0, 0.35, 0.5, 0.65, 0.8, 1, 1], atol=1e-12)


def test_reference_systems_by_name_and_from_elsewhere(scores):
    names = ["ance", "bm25", "splade"]
    found = scores.ireval.standardise(reference=names)
    chosen = scores.sel(system=names)
    np.testing.assert_allclose(found.sel(system=names), stats.zscore(chosen, axis=1, ddof=1))
    elsewhere = chosen.isel(topic=slice(None, None, -1), metric=[1, 0]).assign_coords(
        system=["x", "y", "z"]
    )
    xr.testing.assert_allclose(scores.ireval.standardise(reference=elsewhere), found)


def test_frames_stay_frames_with_their_index():
    frame = ir.evaluate(*ir.example_track(), ["AP", "nDCG@10"]).sample(frac=1, random_state=1)
    frame = frame.rename_axis(index={"system": "run"}).iloc[3:]
    found = frame.ireval.standardise()
    pd.testing.assert_index_equal(found.index, frame.index)
    by_topic = frame.groupby("topic")
    expected = (frame - by_topic.transform("mean")) / by_topic.transform("std")
    pd.testing.assert_frame_equal(found, expected)
    with pytest.warns(IrframeWarning, match="different topics"):  # three rows are missing
        summary = found.ireval.summary()
    assert len(summary) == 2 * frame.index.get_level_values("run").nunique()


def test_constant_topics_are_named_and_have_no_score():
    scores = xr.DataArray(
        [[0.1, 0.3, np.nan], [0.1, 0.5, np.nan], [0.1, 0.4, 0.2]],
        {"system": ["a", "b", "c"], "topic": ["same", "other", "alone"]},
        name="AP",
    )
    with pytest.warns(IrframeWarning, match="on 2 topics, where .*: same, alone"):
        found = scores.ireval.standardise()
    np.testing.assert_allclose(
        found[0], [[np.nan, -1, np.nan], [np.nan, 1, np.nan], [np.nan, 0, np.nan]], atol=1e-12
    )


def test_what_cannot_be_standardised(scores):
    refused(ParameterError, "scaling", lambda: scores.ireval.standardise("t"))
    refused(ParameterError, "'x'", lambda: scores.ireval.standardise(reference=["bm25", "x"]))
    refused(ParameterError, "two reference systems", scores.ireval.standardise, reference="bm25")
    with pytest.raises(ParameterError, match="a topic of the reference scores"):
        scores.ireval.standardise(reference=scores.isel(topic=slice(1, None)))
    with pytest.raises(ParameterError, match="by depth"):
        scores.ireval.standardise(reference=scores.isel(depth=0, drop=True))
    refused(MetricError, "NumRet", ir.evaluate(*ir.example_track(), "NumRet").ireval.standardise)
    refused(InputError, "infinite", (scores / 0.0).ireval.standardise)
