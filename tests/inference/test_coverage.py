"""Coverage against loops over pairs."""

import numpy as np
import pytest
import xarray as xr
from looped import check_against_loop, random_scores

import irframe as ir
from irframe.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("holes", [False, True])
class TestLoops:
    def test_a_depth(self, seed, holes):
        scores = random_scores(seed, holes=holes)
        check_against_loop(scores, "coverage", 10, lambda m, _: (scores, m, 2))

    def test_a_metric(self, seed, holes):
        scores = random_scores(seed, holes=holes)
        check_against_loop(scores, "coverage", "ASL", lambda _, k: (scores, 1, k))
        check_against_loop(scores, "coverage", "AP@5", lambda _m, _k: (scores, 0, 1))

    def test_other_scores(self, seed, holes):
        scores, other = random_scores(seed, holes=holes), random_scores(seed + 100)
        shuffled = other[::-1, [3, 1, 0, 2, 5, 4]]
        check_against_loop(scores, "coverage", shuffled, lambda m, k: (other, m, k))
        check_against_loop(scores, "coverage", other[1:], lambda _, k: (other, 1, k))
        check_against_loop(scores, "coverage", other[0, :, :, 2], lambda _m, _k: (other, 0, 2))


def test_worked_example(golden):
    case = golden["002-sec34-example"]
    new, reference = (
        xr.DataArray(np.array(case["input"][side], float), dims=("system", "topic"))
        for side in ("new", "ref")
    )
    expected = case["expected"]
    assert new.ireval.coverage(reference).item() == pytest.approx(expected["coverage"])


def test_a_reference_covers_itself():
    scores = random_scores(2)
    assert (scores.ireval.coverage(10).sel(depth=10) == 1).all()
    assert (scores.ireval.coverage("AP").sel(metric="AP") == 1).all()


def test_nothing_significant_in_the_reference_is_nan():
    scores = random_scores(0) * 0 + 0.5
    assert scores.ireval.coverage(1).isnull().all()


def test_metrics_of_a_frame():
    runs, qrels = ir.example_track()
    wide = runs.ireval.evaluate(qrels, ["AP", "nDCG@10", "RR"])
    found = wide.ireval.coverage("AP")
    assert found.dims == ("metric",)
    assert found.sel(metric="AP").item() == 1
    assert 0 < found.sel(metric="RR").item() < 1
    same = wide.ireval.coverage(wide[["AP"]])
    np.testing.assert_array_equal(found, same)
    assert wide.ireval.coverage("ndcg_cut_10").sel(metric="nDCG@10").item() == 1


def test_groups_are_held_against_their_own_reference():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RR")
    half = np.where(np.arange(16) < 8, "first", "second")
    grouped = scores.assign_coords(half=("topic", half))
    for reference in (10, "RR", grouped):
        found = grouped.ireval.coverage(reference, at=[5, 50], by="half")
        assert found.dims == ("half", "metric", "depth")
        held = reference[:, :, half == "first"] if reference is grouped else reference
        alone = grouped[:, :, :8].ireval.coverage(held, at=[5, 50])
        np.testing.assert_array_equal(found.sel(half="first"), alone)


def test_blocks_of_depths_do_not_show(monkeypatch):
    scores = random_scores(3)
    options = [(10,), ("AP",)]
    whole = [scores.ireval.coverage(*option) for option in options]
    monkeypatch.setattr("irframe.inference.matching.BLOCK_BYTES", 1)
    for option, expected in zip(options, whole, strict=True):
        xr.testing.assert_identical(scores.ireval.coverage(*option), expected)


def test_lazy_scores_give_the_same():
    scores = random_scores(4)
    lazy = scores.chunk({"system": 2})
    xr.testing.assert_identical(lazy.ireval.coverage(10), scores.ireval.coverage(10))


def test_other_groups_are_named():
    scores = random_scores(0)
    left = scores.assign_coords(half=("topic", list("xxxyyyy")))
    right = scores.assign_coords(half=("topic", list("xxxzzzz")))
    with pytest.raises(ParameterError, match="same groups.*y, z"):
        left.ireval.coverage(right, by="half")


@pytest.mark.parametrize("alpha", [0, 1, 2])
def test_levels_that_are_none(alpha):
    with pytest.raises(ParameterError, match="alpha"):
        random_scores(0).ireval.coverage(1, "t", alpha)
