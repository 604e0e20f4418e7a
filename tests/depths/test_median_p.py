"""The median p-value against loops over pairs."""

import numpy as np
import pytest
import xarray as xr
from looped import looped, random_scores, rows, t_test
from oracles import comparing

import irframe as ir
from irframe.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("holes", [False, True])
def test_every_metric_and_depth_against_the_loop(seed, holes):
    scores = random_scores(seed, holes=holes)
    expected = looped(scores, lambda m, k: comparing.median_p(rows(scores, m, k), t_test))
    found = scores.ireval.median_p()
    assert found.dims == ("metric", "depth")
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "ranksum"])
def test_it_is_the_median_of_the_comparison_frame(test):
    scores = random_scores(1)
    groups = scores.ireval.compare(test).groupby(["metric", "depth"], sort=False)
    median = groups["p"].median().to_xarray().sel(metric=scores["metric"])
    np.testing.assert_allclose(scores.ireval.median_p(test), median)


def test_systems_that_are_the_same_have_the_highest():
    scores = random_scores(0) * 0 + 0.5
    assert (scores.ireval.median_p() == 1).all()


def test_an_even_number_of_pairs_has_the_mean_of_two():
    scores = random_scores(2, systems=4)
    p = np.sort(scores.ireval.compare(at=5).query("metric == 'AP'")["p"])
    assert len(p) == 6
    found = scores.ireval.median_p(at=5).sel(metric="AP").item()
    assert found == pytest.approx((p[2] + p[3]) / 2)


def test_groups_and_depths_asked_for():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP", "RR")
    half = scores.assign_coords(half=("topic", np.arange(16) // 8))
    found = half.ireval.median_p("wilcoxon", at=[50, 5], by="half")
    assert found.dims == ("half", "metric", "depth")
    alone = scores[:, :, 8:].ireval.median_p("wilcoxon")
    np.testing.assert_array_equal(found.sel(half=1), alone.sel(depth=[50, 5]))


def test_blocks_of_depths_do_not_show(monkeypatch):
    scores = random_scores(3)
    options = [("t",), ("sign",)]
    whole = [scores.ireval.median_p(*option) for option in options]
    monkeypatch.setattr("irframe.scores.scores.BLOCK_BYTES", 1)
    for option, expected in zip(options, whole, strict=True):
        xr.testing.assert_identical(scores.ireval.median_p(*option), expected)


def test_tests_that_are_none():
    with pytest.raises(ParameterError, match="z-test"):
        random_scores(0).ireval.median_p("z-test")
    with pytest.raises(ParameterError, match="at least two systems to compare; found 1"):
        random_scores(0)[:, :1].ireval.median_p()
