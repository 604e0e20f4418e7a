"""Inversions against loops over pairs."""

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
        check_against_loop(scores, "inversions", 10, lambda m, _: (scores, m, 2))

    def test_a_metric(self, seed, holes):
        scores = random_scores(seed, holes=holes)
        check_against_loop(scores, "inversions", "ASL", lambda _, k: (scores, 1, k))
        check_against_loop(scores, "inversions", "AP@5", lambda _m, _k: (scores, 0, 1))

    def test_other_scores(self, seed, holes):
        scores, other = random_scores(seed, holes=holes), random_scores(seed + 100)
        shuffled = other[::-1, [3, 1, 0, 2, 5, 4]]
        check_against_loop(scores, "inversions", shuffled, lambda m, k: (other, m, k))
        check_against_loop(scores, "inversions", other[1:], lambda _, k: (other, 1, k))
        check_against_loop(scores, "inversions", other[0, :, :, 2], lambda _m, _k: (other, 0, 2))


def test_worked_example(golden):
    case = golden["002-sec34-example"]
    new, reference = (
        xr.DataArray(np.array(case["input"][side], float), dims=("system", "topic"))
        for side in ("new", "ref")
    )
    expected = case["expected"]
    assert new.ireval.inversions(reference).item() == pytest.approx(expected["inversion"])


def test_a_reference_does_not_contradict_itself():
    scores = random_scores(2)
    assert (scores.ireval.inversions(10).sel(depth=10) == 0).all()


def test_turned_round_every_difference_is_contradicted():
    scores = random_scores(2)
    assert (scores.ireval.inversions(-scores) == 1).all()
    assert (scores.ireval.coverage(-scores) == 0).all()


def test_a_pair_is_confirmed_contradicted_or_neither():
    scores, reference = random_scores(5), random_scores(6)
    total = scores.ireval.inversions(reference) + scores.ireval.coverage(reference)
    assert (total <= 1 + 1e-12).all()
    assert (total < 1).any()


def test_insignificant_means_contradict_too():
    reference = xr.DataArray([[3.0, 3, 3], [1, 1, 1]], dims=("system", "topic"))
    scores = xr.DataArray([[1.0, 0, 2], [1, 2, 1]], dims=("system", "topic"))
    assert scores.ireval.discrimination().item() == 0
    assert scores.ireval.inversions(reference).item() == 1


def test_nothing_significant_in_the_reference_is_nan():
    scores = random_scores(0) * 0 + 0.5
    assert scores.ireval.inversions(1).isnull().all()


def test_rounding_of_means_is_no_inversion():
    reference = xr.DataArray([[3.0, 3.0], [1.0, 1.0]], dims=("system", "topic"))
    scores = xr.DataArray([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2 + 4e-16]], dims=("system", "topic"))
    assert scores.mean("topic").diff("system").item() != 0
    assert scores.ireval.inversions(reference).item() == 0


def test_groups_are_held_against_their_own_reference():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RR")
    half = np.where(np.arange(16) < 8, "first", "second")
    grouped = scores.assign_coords(half=("topic", half))
    for reference in (10, "RR", grouped):
        found = grouped.ireval.inversions(reference, at=[5, 50], by="half")
        assert found.dims == ("half", "metric", "depth")
        held = reference[:, :, half == "first"] if reference is grouped else reference
        alone = grouped[:, :, :8].ireval.inversions(held, at=[5, 50])
        np.testing.assert_array_equal(found.sel(half="first"), alone)


def test_blocks_of_depths_do_not_show(monkeypatch):
    scores = random_scores(3)
    options = [(1,), ("AP",), (random_scores(4),)]
    whole = [scores.ireval.inversions(*option) for option in options]
    monkeypatch.setattr("irframe.inference.matching.BLOCK_BYTES", 1)
    for option, expected in zip(options, whole, strict=True):
        xr.testing.assert_identical(scores.ireval.inversions(*option), expected)


@pytest.mark.parametrize("alpha", [0, 1, 2])
def test_levels_that_are_none(alpha):
    with pytest.raises(ParameterError, match="alpha"):
        random_scores(0).ireval.inversions(1, "t", alpha)
