"""Agreement of significance with and without a metric."""

import numpy as np
import pytest
from tracks import cube_of

import irframe as ir
from irframe.errors import DepthError, ParameterError
from irframe.studies.compare_orderings import CATEGORIES, categorise


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_categories(golden):
    case = golden["001-fig7-categories"]
    p = np.array(case["input"]["p_metric_p_ipso"])
    assert [CATEGORIES[code] for code in categorise(*p.T, 0.05)] == case["expected"]["labels"]


def test_all_pairs(cube):
    found = cube.ireval.significance_agreement(
        "P", "RBP(p=0.8)", test=["t", "sign"], at=[5, 10], gain="binary", adjust=None
    )
    assert found["verdict"].shape == (2, 2, 2, 28)
    compared = cube.ireval.score("P", "RBP(p=0.8)", at=[5, 10]).ireval.compare("sign")
    np.testing.assert_allclose(
        found["p"].sel(test="sign"), compared["p"].to_numpy().reshape(2, 2, 28)
    )
    pairs = cube.ireval.orderings(depth=10)
    np.testing.assert_array_equal(found["p_orderings"], [pairs["p"].sel(depth=[5, 10]).T] * 2)
    np.testing.assert_array_equal(found["system_a"], pairs["system_a"])
    both = (found["p"] < 0.05) & (found["p_orderings"] < 0.05)
    assert not (found["verdict"] == CATEGORIES.index("Both: Opposed")).any()
    np.testing.assert_array_equal(both.transpose(*found["verdict"].dims), found["verdict"] == 0)
    np.testing.assert_allclose(found["share"].sum("category"), 1)
    np.testing.assert_allclose(
        found["share"].sel(category="Both: Yes"),
        both.mean("pair").transpose("metric", "test", "depth"),
    )


def test_opposed_verdicts_are_no_agreement():
    """One system is ahead on most topics by a little, the other far ahead on a few."""
    a = [[0, 0, 0, 0, 1]] * 10 + [[0, 0, 0, 0, 0]] * 4
    b = [[0, 0, 0, 0, 0]] * 10 + [[1, 1, 1, 1, 1]] * 4
    cube = cube_of({"A": a, "B": b}, depth=5)
    found = cube.ireval.significance_agreement("P", alpha=0.4).squeeze()
    assert found["p"] < 0.4
    assert found["p_orderings"] < 0.4
    assert found["share"].sel(category="Both: Opposed") == 1
    report = cube.ireval.compare_orderings(baseline="A", metric="P", alpha=0.4)
    assert not report["double_dagger"].item()
    more = [[0, 0, 0, 1, 1], *a[1:10]]  # as differences that are all the same show nothing
    alike = cube_of({"A": more, "B": b[:10]}, depth=5).ireval.significance_agreement("P")
    assert alike["share"].squeeze().sel(category="Both: Yes") == 1
    cheaper = cube_of({"A": [[0, 1]] * 9, "B": [[1, 0]] * 9}).ireval.significance_agreement(
        "ESL", test="sign"
    )
    assert cheaper["share"].squeeze().sel(category="Both: Yes") == 1


def test_orderings_have_the_gains_of_each_metric(cube):
    found = cube.ireval.significance_agreement("nDCG", "AP(rel=2)", at=10).sel(depth=10)
    for metric, options in {"nDCG": {"gain": "linear"}, "AP(rel=2)": {"rel": 2}}.items():
        pairs = cube.ireval.orderings(depth=10, **options).isel(depth=-1)
        np.testing.assert_array_equal(found["p_orderings"].sel(metric=metric), pairs["p"])
    report = cube.ireval.compare_orderings(baseline="bm25", metric="nDCG", depth=10, alpha=0.999)
    inside = found.sel(metric="nDCG").isel(pair=slice(7))
    np.testing.assert_array_equal(inside["p_orderings"], report["p_orderings"])


def test_ranks_of_systems(cube):
    rank = cube.ireval.significance_agreement("P", at=10)["rank"].isel(metric=0, depth=0)
    means = cube.ireval.score("P", at=10).mean("topic")[0, :, 0]
    assert rank.to_series().sort_values().index[0] == means.to_series().idxmax()
    assert rank.min() == 1


def test_bad_input(cube):
    with pytest.raises(ParameterError, match="each once"):
        cube.ireval.significance_agreement("P", test=["t", "t"])
    with pytest.raises(ParameterError, match="at least one test"):
        cube.ireval.significance_agreement("P", test=[])
    with pytest.raises(DepthError, match="1 to 50"):
        cube.ireval.significance_agreement("P", at=51)
    with pytest.raises(ParameterError, match="two systems"):
        cube.isel(system=[0]).ireval.significance_agreement("P")
    with pytest.raises(ParameterError, match="alpha"):
        cube.ireval.significance_agreement("P", alpha=0)
