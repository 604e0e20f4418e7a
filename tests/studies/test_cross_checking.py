"""Agreement of significance with and without a metric."""

import numpy as np
import pytest
from irframe.studies.orderings.orderings.cross_check import CATEGORIES, categorise

import irframe as ir
from irframe.errors import DepthError, ParameterError


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_categories(golden):
    case = golden["001-fig7-categories"]
    p = np.array(case["input"]["p_metric_p_ipso"])
    assert [CATEGORIES[code] for code in categorise(*p.T, 0.05)] == case["expected"]["labels"]


def test_all_pairs(cube):
    found = cube.ireval.cross_check("P", "RBP(p=0.8)", test=["t", "sign"], at=[5, 10])
    assert found["verdict"].shape == (2, 2, 2, 28)
    compared = cube.ireval.score("P", "RBP(p=0.8)", at=[5, 10]).ireval.compare("sign")
    np.testing.assert_allclose(
        found["p"].sel(test="sign"), compared["p"].to_numpy().reshape(2, 2, 28)
    )
    pairs = cube.ireval.orderings(depth=10)
    np.testing.assert_array_equal(found["p_orderings"], pairs["p"].sel(depth=[5, 10]).T)
    np.testing.assert_array_equal(found["system_a"], pairs["system_a"])
    both = (found["p"] < 0.05) & (found["p_orderings"] < 0.05)
    np.testing.assert_array_equal(both.transpose(*found["verdict"].dims), found["verdict"] == 0)
    np.testing.assert_allclose(found["share"].sum("category"), 1)
    np.testing.assert_allclose(
        found["share"].sel(category="Both: Yes"),
        both.mean("pair").transpose("metric", "test", "depth"),
    )


def test_ranks_of_systems(cube):
    rank = cube.ireval.cross_check("P", at=10)["rank"].isel(metric=0, depth=0)
    means = cube.ireval.score("P", at=10).mean("topic")[0, :, 0]
    assert rank.to_series().sort_values().index[0] == means.to_series().idxmax()
    assert rank.min() == 1


def test_bad_input(cube):
    with pytest.raises(ParameterError, match="each once"):
        cube.ireval.cross_check("P", test=["t", "t"])
    with pytest.raises(ParameterError, match="at least one test"):
        cube.ireval.cross_check("P", test=[])
    with pytest.raises(DepthError, match="1 to 50"):
        cube.ireval.cross_check("P", at=51)
    with pytest.raises(ParameterError, match="two systems"):
        cube.isel(system=[0]).ireval.cross_check("P")
    with pytest.raises(ParameterError, match="alpha"):
        cube.ireval.cross_check("P", alpha=0)
