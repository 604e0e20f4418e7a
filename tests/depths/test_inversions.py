"""Inversions against loops over pairs."""

import numpy as np
import pytest
import xarray as xr
from looped import random_scores

pytestmark = pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")


def test_worked_example(golden):
    case = golden["002-sec34-example"]
    new, reference = (
        xr.DataArray(np.array(case["input"][side], float), dims=("system", "topic"))
        for side in ("new", "ref")
    )
    expected = case["expected"]
    found = new.ireval.inversions(reference, adjust=None)
    assert found.item() == pytest.approx(expected["inversion"])


def test_a_reference_does_not_contradict_itself():
    scores = random_scores(2)
    assert (scores.ireval.inversions(10).sel(depth=10) == 0).all()


def test_turned_round_every_difference_is_contradicted():
    scores = random_scores(2)
    assert (scores.ireval.inversions(-scores) == 1).all()
    assert (scores.ireval.coverage(-scores) == 0).all()


def test_a_pair_is_confirmed_contradicted_or_neither():
    scores, reference = random_scores(5), random_scores(6)
    total = sum(
        getattr(scores.ireval, verb)(reference, adjust=None) for verb in ("inversions", "coverage")
    )
    assert (total <= 1 + 1e-12).all()
    assert (total < 1).any()


def test_insignificant_means_contradict_too():
    reference = xr.DataArray([[3.0, 3, 3.1], [1, 1, 1]], dims=("system", "topic"))
    scores = xr.DataArray([[1.0, 0, 2], [1, 2, 1]], dims=("system", "topic"))
    assert scores.ireval.discrimination().item() == 0
    assert scores.ireval.inversions(reference).item() == 1


def test_nothing_significant_in_the_reference_is_nan():
    scores = random_scores(0) * 0 + 0.5
    assert scores.ireval.inversions(1).isnull().all()


def test_rounding_of_means_is_no_inversion():
    reference = xr.DataArray([[3.0, 3.01], [1.0, 1.0]], dims=("system", "topic"))
    scores = xr.DataArray([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2 + 4e-16]], dims=("system", "topic"))
    assert scores.mean("topic").diff("system").item() != 0
    assert scores.ireval.inversions(reference).item() == 0
