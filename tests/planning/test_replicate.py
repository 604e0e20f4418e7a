"""Tests of `replicate` against repro_eval, and of `standardise`."""

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
    """Return the scores of system a and baseline b."""
    frames = {name: pd.DataFrame(run).T for name, run in zip("ab", runs, strict=True)}
    return pd.concat(frames, names=["system", "topic"])


@pytest.mark.parametrize("kind", ["reproduced", "replicated"])
def test_results_equal_those_of_repro_eval(kind):
    result = frame_of(PEER[kind]["scores"]).ireval.replicate(
        frame_of(PEER["original"]), baseline="b"
    )
    reference_values = PEER[kind]["values"]
    assert ("rmse" in result) == (kind == "reproduced")
    for metric in ("map", "recip_rank"):
        cell = result.sel(metric=metric)
        assert cell["effect_ratio"].sel(system="a").item() == pytest.approx(
            reference_values["er"][metric]
        )
        assert cell["delta_ri"].sel(system="a").item() == pytest.approx(
            reference_values["dri"][metric]
        )
        for name in ("p", "rmse")[: 1 + ("rmse" in result)]:
            for system in "ab":
                expected = reference_values[f"{name}_{system}"][metric]
                assert cell[name].sel(system=system).item() == pytest.approx(expected)


def test_identical_scores_are_a_perfect_reproduction(scores):
    shuffled = scores.isel(topic=slice(None, None, -1), system=slice(None, None, -1))
    result = scores.ireval.replicate(shuffled, baseline="bm25")
    assert result["mean"].dims == ("metric", "system", "depth")
    np.testing.assert_allclose(result["mean"], scores.mean("topic").transpose(*result["mean"].dims))
    assert (result["p"] == 1).all()
    assert (result["rmse"] == 0).all()
    compared = result.drop_sel(system="bm25")
    np.testing.assert_allclose(compared["effect_ratio"], 1)
    np.testing.assert_allclose(compared["delta_ri"], 0, atol=1e-12)


def test_results_at_one_depth_do_not_depend_on_other_depths(scores):
    original = scores.isel(topic=slice(None, None, -1)).assign_coords(topic=scores["topic"])
    full = scores.ireval.replicate(original)
    xr.testing.assert_allclose(scores.sel(depth=10).ireval.replicate(original), full.sel(depth=10))


def test_topics_with_missing_scores_are_dropped_from_both_experiments(scores):
    original = scores * 0.9
    holes = original.copy()
    holes[:, 1, 0] = np.nan
    with pytest.warns(IrframeWarning, match="1 of"):
        result = scores.ireval.replicate(holes)
    remaining = (side.isel(topic=slice(1, None)) for side in (scores, original))
    xr.testing.assert_allclose(result, next(remaining).ireval.replicate(next(remaining)))


def test_scores_with_different_labels_are_refused(scores):
    with pytest.raises(ParameterError, match="the same topics on both sides, or none"):
        scores.ireval.replicate(scores.isel(topic=slice(1, None)))
    refused(ParameterError, "the same metrics", scores.ireval.replicate, scores.isel(metric=[0]))
    with pytest.raises(ParameterError, match="the same systems"):
        scores.ireval.replicate(scores.isel(system=slice(1, None)))
    with pytest.raises(ParameterError, match="depths that the original has"):
        scores.ireval.replicate(scores.sel(depth=[10]))


@pytest.mark.parametrize("same_topics", [True, False])
@pytest.mark.parametrize("option", ["cluster", "task", "weight"])
def test_a_design_of_either_experiment_is_refused(scores, option, same_topics):
    if not same_topics:
        scores = scores.assign_coords(topic=[f"other {topic}" for topic in scores.topic.values])
    plain = ir.cube(*ir.example_track()).ireval.score("AP", "RBP(p=0.8)", at=[5, 10])
    labels = {topic: 1 + n // 8 for n, topic in enumerate(scores.topic.values)}
    designed = scores.ireval.design(**{option: labels})
    for side, pair in {"replicate": (designed, plain), "original=": (plain, designed)}.items():
        expected = f"equal weight for {side}, but found scores with {option}="
        refused(ParameterError, expected, ir.verbs.replicate, *pair)
    equal = scores.ireval.design(weight=dict.fromkeys(labels, 2))
    xr.testing.assert_equal(
        ir.verbs.replicate(plain, equal).drop_attrs(),
        ir.verbs.replicate(plain, scores).drop_attrs(),
    )


pytestmark = pytest.mark.filterwarnings("ignore:.*has no standardised scores")


def test_standard_scores_equal_those_of_scipy(scores):
    result = scores.ireval.standardise()
    assert (result.dims, result.shape) == (scores.dims, scores.shape)
    np.testing.assert_allclose(result, stats.zscore(scores, axis=1, ddof=1))
    assert result.attrs["standardised"] == "z"


def test_two_systems_suffice_for_standard_scores():
    scores = xr.DataArray([[0.1], [0.3]], {"system": ["a", "b"], "topic": ["1"]}, name="AP")
    np.testing.assert_allclose(scores.ireval.standardise().squeeze(), [-(0.5**0.5), 0.5**0.5])


def test_normal_and_uniform_scaling_equal_those_of_scipy(scores):
    z = scores.ireval.standardise().to_numpy()
    normal, uniform = (scores.ireval.standardise(scaling) for scaling in ("normal", "uniform"))
    np.testing.assert_allclose(normal, stats.norm.cdf(z))
    np.testing.assert_allclose(uniform, _line(z, 0.15, 0.5))


def _line(z, a, b):
    """Return the piecewise linear scaling of the original paper."""
    return stats.uniform(-b / a, 1 / a).cdf(z)


def test_uniform_scaling_equals_published_values():
    z = np.array([-4, -10 / 3, -1, 0, 1, 2, 10 / 3, 4])
    reference = pd.DataFrame({"system": ["x", "y", "z"], "topic": "1", "AP": [-1.0, 0.0, 1.0]})
    scores = pd.DataFrame({"system": [*"abcdefgh"], "topic": "1", "AP": z})
    result = scores.ireval.standardise("uniform", reference=reference)["AP"]
    np.testing.assert_allclose(result, [0, 0, 0.35, 0.5, 0.65, 0.8, 1, 1], atol=1e-12)


def test_reference_systems_can_be_names_or_other_scores(scores):
    names = ["ance", "bm25", "splade"]
    result = scores.ireval.standardise(reference=names)
    chosen = scores.sel(system=names)
    np.testing.assert_allclose(result.sel(system=names), stats.zscore(chosen, axis=1, ddof=1))
    elsewhere = chosen.isel(topic=slice(None, None, -1), metric=[1, 0]).assign_coords(
        system=["x", "y", "z"]
    )
    xr.testing.assert_allclose(scores.ireval.standardise(reference=elsewhere), result)


def test_standardised_frames_keep_their_index():
    frame = ir.evaluate(*ir.example_track(), ["AP", "nDCG@10"]).sample(frac=1, random_state=1)
    frame = frame.rename_axis(index={"system": "run"}).iloc[3:]
    result = frame.ireval.standardise()
    pd.testing.assert_index_equal(result.index, frame.index)
    by_topic = frame.groupby("topic")
    expected = (frame - by_topic.transform("mean")) / by_topic.transform("std")
    pd.testing.assert_frame_equal(result, expected)
    with pytest.warns(IrframeWarning, match="different topics"):  # three scores are missing
        summary = result.ireval.summary()
    assert len(summary) == 2 * frame.index.get_level_values("run").nunique()


def test_standard_scores_on_constant_topics_are_nan_with_a_warning():
    scores = xr.DataArray(
        [[0.1, 0.3, np.nan], [0.1, 0.5, np.nan], [0.1, 0.4, 0.2]],
        {"system": ["a", "b", "c"], "topic": ["same", "other", "alone"]},
        name="AP",
    )
    with pytest.warns(IrframeWarning, match="on 2 topics, because .*: same, alone"):
        result = scores.ireval.standardise()
    np.testing.assert_allclose(
        result[0], [[np.nan, -1, np.nan], [np.nan, 1, np.nan], [np.nan, 0, np.nan]], atol=1e-12
    )


def test_invalid_arguments_of_standardise_are_refused(scores):
    refused(ParameterError, "scaling", lambda: scores.ireval.standardise("t"))
    refused(ParameterError, "'x'", lambda: scores.ireval.standardise(reference=["bm25", "x"]))
    refused(ParameterError, "two reference systems", scores.ireval.standardise, reference="bm25")
    with pytest.raises(ParameterError, match="a topic of the reference scores"):
        scores.ireval.standardise(reference=scores.isel(topic=slice(1, None)))
    with pytest.raises(ParameterError, match="depths in the scores and in the reference scores"):
        scores.ireval.standardise(reference=scores.isel(depth=0, drop=True))
    refused(MetricError, "NumRet", ir.evaluate(*ir.example_track(), "NumRet").ireval.standardise)
    refused(InputError, "infinite", (scores / 0.0).ireval.standardise)
