"""Users as the C/W/L framework has them."""

import numpy as np
import pytest
import xarray as xr
from refusals import refused
from tracks import cube_of

from irframe.errors import MetricError
from irframe.metrics.reading import QUANTITIES


def test_quantities_of_a_list():
    cube = cube_of({"a": [[1, 0, 2]]}, depth=3)
    found = cube.ireval.cwl("P", "RBP(p=0.5)").squeeze()
    assert set(found) == {*QUANTITIES}
    at_3 = found.sel(depth=3)
    assert at_3.sel(metric="P").to_array().values == pytest.approx([2 / 3, 2, 1, 3, 3])
    assert at_3.sel(metric="RBP(p=0.5)").to_array().values == pytest.approx([0.625, 1.25, 1, 2, 2])


def test_utility_is_the_score(cube):
    metrics = ["AP", "INST(T=2)", "NERR9@10", "SDCG", "RR"]
    found = cube.ireval.cwl(*metrics, at=[5, 50])
    score = cube.ireval.score(*metrics, at=[5, 50])
    np.testing.assert_allclose(found["expected_utility"], score, atol=1e-12)
    assert found["expected_depth"].sel(metric="SDCG", depth=5).mean() < 5
    xr.testing.assert_equal(found.coords.to_dataset(), score.coords.to_dataset())


def test_lists_that_are_not_there_have_none():
    cube = cube_of({"a": [[1]], "b": [[0, 1]]}, depth=2)
    found = cube.where(cube["system"] == "a").ireval.cwl("INST(T=1)")
    assert np.isnan(found["expected_depth"].sel(system="b")).all()
    assert found["expected_depth"].sel(system="a").notnull().all()


def test_others_are_refused_by_name(cube):
    refused(MetricError, "INST.*found nDCG", lambda: cube.ireval.cwl("AP", "nDCG"))
    refused(MetricError, "at most 1.*3", lambda: cube.ireval.cwl("INST(T=1, gain=Linear(top=2))"))
