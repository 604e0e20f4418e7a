"""Coverage against loops over pairs."""

import numpy as np
import pytest
import xarray as xr
from looped import random_scores

import irframe as ir
from irframe.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")


def test_worked_example(golden):
    case = golden["002-sec34-example"]
    new, reference = (
        xr.DataArray(np.array(case["input"][side], float), dims=("system", "topic"))
        for side in ("new", "ref")
    )
    expected = case["expected"]
    assert new.ireval.coverage(reference, adjust=None).item() == pytest.approx(expected["coverage"])
    assert np.isnan(new.ireval.coverage(reference))  # without spread nothing is shown


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


def test_a_reference_of_one_depth_or_two_is_held_against_each_of_its_own():
    scores = random_scores(2)
    for at in (scores["depth"].values[:1], scores["depth"].values[:2]):
        held = scores.sel(depth=at)
        assert (held.ireval.coverage(held) == 1).all()
    found = scores.sel(depth=[5, 10]).ireval.coverage(scores.sel(depth=[10]), adjust=None)
    np.testing.assert_array_equal(found, scores.ireval.coverage(10, at=[5, 10], adjust=None))
    shallow, deep = (scores.sel(depth=pair) for pair in ([1, 5], [10, 20]))
    other = deep.assign_coords(depth=[1, 5])
    both = shallow.ireval.coverage(other, adjust=None)
    for depth in (1, 5):
        one = shallow.sel(depth=[depth]).ireval.coverage(other.sel(depth=[depth]), adjust=None)
        np.testing.assert_array_equal(both.sel(depth=[depth]), one)


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
