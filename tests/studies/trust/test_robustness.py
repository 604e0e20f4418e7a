"""Orderings of systems on fewer judgments."""

import numpy as np
import pytest
from scipy import stats

import irframe as ir
from irframe.errors import DepthError, GradeError, ParameterError

METRICS = ["AP", "Bpref", "nDCG@10", "RBP(p=0.8)", "Twist"]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_as_if_built_on_a_sample(cube):
    runs, qrels = ir.example_track()
    found = cube.ireval.robustness(*METRICS, shares=[0.5, 0.1], seeds=[4, 7])
    whole = cube.ireval.score(*METRICS, at=50).mean("topic").isel(depth=0)
    for share in (0.5, 0.1):
        for seed in (4, 7):
            sampled = qrels.ireval.sample(share, seed=seed)
            assert sampled["grade"].max() == 3
            scores = runs.ireval.cube(sampled).ireval.score(*METRICS, at=50)
            means = scores.mean("topic").isel(depth=0)
            for metric in METRICS:
                tau = stats.kendalltau(*(m.sel(metric=metric).round(12) for m in (means, whole)))
                value = found.sel(metric=metric, share=share, seed=seed).item()
                assert value == pytest.approx(tau.statistic, abs=1e-12)


def test_all_judgments_change_nothing(cube):
    found = cube.ireval.robustness(*METRICS, shares=[1], seeds=2, at=[10, 50])
    assert found.dims == ("metric", "depth", "share", "seed")
    np.testing.assert_allclose(found, 1)


@pytest.mark.thorough
def test_fewer_judgments_change_more(cube):
    by_seed = cube.ireval.robustness("AP", seeds=20)
    found = by_seed.mean("seed").squeeze()
    assert found.share.values.tolist() == [0.9, 0.7, 0.5, 0.3, 0.1]
    assert found.sel(share=0.9) > found.sel(share=0.1)
    assert by_seed.attrs["method"]


def test_other_agreement(cube):
    found = cube.ireval.robustness("AP", shares=[0.5], seeds=1, method="pearson")
    assert 0 < found.item() < 1


def test_refusals(cube):
    for shares in ([0], [0.5, 1.01], [-1], [50]):
        with pytest.raises(ParameterError, match="share, a number of at most 1 and above 0"):
            cube.ireval.robustness("AP", shares=shares)
    for options in ({"shares": []}, {"seeds": 0}, {"seeds": [1, 1]}):
        with pytest.raises(ParameterError, match="distinct seeds"):
            cube.ireval.robustness("AP", **options)
    with pytest.raises(DepthError, match="found 51"):
        cube.ireval.robustness("AP", at=51)
    with pytest.raises(DepthError, match="depth=5 to reach as deep as the metrics; found nDCG@10"):
        cube.ireval.robustness("AP", "nDCG@10", at=[20, 5])
    with pytest.raises(ParameterError, match="seed, a whole number"):
        cube.ireval.robustness("AP", seeds=["x"])
    runs, qrels = ir.example_track()
    marked = runs.ireval.cube(qrels.assign(grade=qrels["grade"].replace(0, -1)))
    with pytest.raises(GradeError, match="grade -1"):
        marked.ireval.robustness("AP")
