"""Tests of `compare_orderings` and `significance_agreement`."""

import numpy as np
import pytest
from refusals import refused
from tracks import cube_of

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError
from irframe.orderings.compare_orderings import CATEGORIES, categorise

TESTS = {"t": "t", "wsr": "wilcoxon", "sign": "sign"}
GROUPS = ("**ns", "ns", "=", "ni", "**ni")


def as_worked_case(report):
    """Return a report in the format of the worked cases."""
    row = report.iloc[0]
    return {
        "mean_a": row["mean_b"],
        "mean_b": row["mean_a"],
        "diff": row["difference"],
        "p": row["p"],
        "dagger": row["dagger"],
        "counts": {
            name: row[opposite] for name, opposite in zip(GROUPS, GROUPS[::-1], strict=True)
        },
        "ipso_p": None if np.isnan(row["p_orderings"]) else row["p_orderings"],
        "double_dagger": row["double_dagger"],
        "ipso_favours": row["favours"],
    }


def check(report, expected):
    result = as_worked_case(report)
    for name, value in expected.items():
        if isinstance(value, float):
            assert result[name] == pytest.approx(value, rel=1e-6)
        else:
            assert result[name] == value


@pytest.mark.parametrize("test", TESTS)
def test_reports_agree_with_the_worked_cases(golden, test):
    case = golden["001-report"]
    cube = cube_of({name: case["input"][name] for name in "AB"}, depth=case["input"]["k"])
    report = cube.ireval.compare_orderings(
        baseline="A", metric="RBP(p=0.8)@10", test=ir.Significance(TESTS[test], adjust=None)
    )
    check(report, case["expected"][test])
    assert report["mark"].item() == ""


def test_significance_by_the_metric_alone_is_marked_with_one_dagger(golden):
    case = golden["001-report-dagger-only"]
    cube = cube_of({name: case["input"][name] for name in "AB"}, depth=case["input"]["k"])
    report = cube.ireval.compare_orderings(
        baseline="A", metric="P", depth=6, test=ir.Significance(adjust=None)
    )
    check(report, case["expected"])
    assert report["mark"].item() == "†"


def test_every_other_system_is_compared_by_default(cube):
    report = cube.ireval.compare_orderings(
        baseline="bm25", metric="nDCG", depth=10, test=ir.Significance(adjust=None)
    )
    assert report["system_a"].to_list() == cube["system"].to_numpy().tolist()[1:]
    assert (report["system_b"] == "bm25").all()
    assert (report["depth"] == 10).all()
    pairs = cube.ireval.orderings(b="bm25", depth=10, gain="linear")
    np.testing.assert_array_equal(report[list(GROUPS)], pairs["count"].isel(depth=-1))
    p = pairs["p"].isel(depth=-1).to_numpy()
    np.testing.assert_array_equal(report["p_orderings"], np.where(report["dagger"], p, np.nan))
    compared = cube.ireval.score("nDCG", at=10).ireval.compare(baseline="bm25")
    np.testing.assert_array_equal(report["p"], compared["p"])


def test_double_daggers_need_both_tests_to_favour_the_same_system(cube):
    report = cube.ireval.compare_orderings(baseline="bm25", metric="RBP(p=0.8)@10")
    double = report["mark"] == "‡"
    assert double.any()
    assert (report.loc[double, "p"] < 0.05).all()
    assert (report.loc[double, "p_orderings"] < 0.05).all()
    assert (report.loc[double, "favours"] == report.loc[double, "system_a"]).all()
    strict = cube.ireval.compare_orderings(
        baseline="bm25", metric="RBP(p=0.8)@10", test=ir.Significance(alpha=1e-9)
    )
    assert (strict["mark"] == "").all()
    assert strict["p_orderings"].isna().all()


def test_a_majority_against_the_metric_gives_no_double_dagger():
    """The baseline is often slightly better, and rarely much worse."""
    a = [[0, 0, 0, 0, 1]] * 8 + [[0, 0, 0, 0, 0]] * 4
    b = [[0, 0, 0, 0, 0]] * 8 + [[1, 1, 1, 1, 1]] * 4
    cube = cube_of({"A": a, "B": b}, depth=5)
    report = cube.ireval.compare_orderings(
        baseline="A", metric="P", test=ir.Significance(alpha=0.4)
    ).iloc[0]
    assert report["difference"] > 0
    assert report["dagger"]
    assert report["p_orderings"] < 0.4
    assert report["favours"] == "A"
    assert not report["double_dagger"]


@pytest.mark.filterwarnings("ignore:comparisons whose:irframe.errors.IrframeWarning")
def test_for_costs_the_lower_mean_is_favoured():
    a, b = [[0, 0, 1]] * 8, [[1, 0, 0]] * 8
    report = cube_of({"A": a, "B": b}).ireval.compare_orderings(
        baseline="A", metric="ASL", test="sign"
    )
    assert report["difference"].item() < 0
    assert report["favours"].item() == "B"
    assert report["mark"].item() == "‡"


def test_metric_and_orderings_must_have_the_same_depth(cube):
    for metric in ("P@20", "P@5"):
        with pytest.raises(DepthError, match=f"depth=10, but found {metric}"):
            cube.ireval.compare_orderings(baseline="bm25", metric=metric, depth=10)
    by_metric_depth = cube.ireval.compare_orderings(baseline="bm25", metric="P@20")
    assert by_metric_depth["depth"].unique().tolist() == [20]


def test_categories_agree_with_the_worked_cases(golden):
    case = golden["001-fig7-categories"]
    p = np.array(case["input"]["p_metric_p_ipso"])
    assert [CATEGORIES[code] for code in categorise(*p.T, 0.05)] == case["expected"]["labels"]


def test_agreement_over_all_pairs_equals_single_comparisons(cube):
    result = cube.ireval.significance_agreement(
        "P",
        "RBP(p=0.8)",
        test=ir.Significance(["t", "sign"], adjust=None),
        at=[5, 10],
        gain="binary",
    )
    assert result["verdict"].shape == (2, 2, 2, 28)
    scores = cube.ireval.score("P", "RBP(p=0.8)", at=[5, 10])
    with pytest.warns(IrframeWarning, match="no outcome on at most 6 differences that are not 0"):
        compared = scores.ireval.compare("sign")
    np.testing.assert_allclose(
        result["p"].sel(test="sign"), compared["p"].to_numpy().reshape(2, 2, 28)
    )
    pairs = cube.ireval.orderings(depth=10)
    np.testing.assert_array_equal(result["p_orderings"], [pairs["p"].sel(depth=[5, 10]).T] * 2)
    np.testing.assert_array_equal(result["system_a"], pairs["system_a"])
    both = (result["p"] < 0.05) & (result["p_orderings"] < 0.05)
    assert not (result["verdict"] == CATEGORIES.index("Both: Opposed")).any()
    np.testing.assert_array_equal(both.transpose(*result["verdict"].dims), result["verdict"] == 0)
    np.testing.assert_allclose(result["share"].sum("category"), 1)
    np.testing.assert_allclose(
        result["share"].sel(category="Both: Yes"),
        both.mean("pair").transpose("metric", "test", "depth"),
    )


def test_opposed_verdicts_have_the_category_opposed():
    """One system wins more topics, the other wins by more."""
    a = [[0, 0, 0, 0, 1]] * 10 + [[0, 0, 0, 0, 0]] * 4
    b = [[0, 0, 0, 0, 0]] * 10 + [[1, 1, 1, 1, 1]] * 4
    cube = cube_of({"A": a, "B": b}, depth=5)
    result = cube.ireval.significance_agreement("P", test=ir.Significance(alpha=0.4)).squeeze()
    assert result["p"] < 0.4
    assert result["p_orderings"] < 0.4
    assert result["share"].sel(category="Both: Opposed") == 1
    report = cube.ireval.compare_orderings(
        baseline="A", metric="P", test=ir.Significance(alpha=0.4)
    )
    assert not report["double_dagger"].item()
    more = [[0, 0, 0, 1, 1], *a[1:10]]  # constant differences have no p-value
    alike = cube_of({"A": more, "B": b[:10]}, depth=5).ireval.significance_agreement("P")
    assert alike["share"].squeeze().sel(category="Both: Yes") == 1
    cheaper = cube_of({"A": [[0, 1]] * 9, "B": [[1, 0]] * 9}).ireval.significance_agreement(
        "ESL", test="sign"
    )
    assert cheaper["share"].squeeze().sel(category="Both: Yes") == 1


def test_orderings_use_the_gains_of_each_metric(cube):
    result = cube.ireval.significance_agreement("nDCG", "AP(rel=2)", at=10).sel(depth=10)
    for metric, options in {"nDCG": {"gain": "linear"}, "AP(rel=2)": {"rel": 2}}.items():
        pairs = cube.ireval.orderings(depth=10, **options).isel(depth=-1)
        np.testing.assert_array_equal(result["p_orderings"].sel(metric=metric), pairs["p"])
    report = cube.ireval.compare_orderings(
        baseline="bm25", metric="nDCG", depth=10, test=ir.Significance(alpha=0.999)
    )
    inside = result.sel(metric="nDCG").isel(pair=slice(7))
    np.testing.assert_array_equal(inside["p_orderings"], report["p_orderings"])


def test_invalid_arguments_of_significance_agreement_are_refused(cube):
    refused(
        ParameterError,
        "tests without duplicates",
        cube.ireval.significance_agreement,
        "P",
        test=["t", "t"],
    )
    refused(
        ParameterError,
        "at least one value in tests",
        cube.ireval.significance_agreement,
        "P",
        test=[],
    )
    refused(DepthError, "1 to 50", lambda: cube.ireval.significance_agreement("P", at=51))
    refused(ParameterError, "two systems", cube.isel(system=[0]).ireval.significance_agreement, "P")
