"""Reports of systems against a baseline."""

import numpy as np
import pandas as pd
import pytest
from tracks import cube_of

import irframe as ir
from irframe.errors import DepthError, MetricError, ParameterError

TESTS = {"t": "t", "wsr": "wilcoxon", "sign": "sign"}
GROUPS = ("**ns", "ns", "=", "ni", "**ni")


def told(report):
    """Tell a report as the worked cases do, whose a is the baseline and b the system that tries."""
    row = report.iloc[0]
    return {
        "mean_a": row["mean_b"],
        "mean_b": row["mean_a"],
        "diff": row["difference"],
        "p": row["p"],
        "dagger": row["dagger"],
        "counts": {name: row[other] for name, other in zip(GROUPS, GROUPS[::-1], strict=True)},
        "ipso_p": None if np.isnan(row["p_orderings"]) else row["p_orderings"],
        "double_dagger": row["double_dagger"],
        "ipso_favours": row["favours"],
    }


def check(report, expected):
    found = told(report)
    for name, value in expected.items():
        if isinstance(value, float):
            assert found[name] == pytest.approx(value, rel=1e-6)
        else:
            assert found[name] == value


@pytest.mark.parametrize("test", TESTS)
def test_report(golden, test):
    case = golden["001-report"]
    cube = cube_of({name: case["input"][name] for name in "AB"}, depth=case["input"]["k"])
    report = cube.ireval.compare_orderings(
        baseline="A", metric="RBP(p=0.8)@10", test=TESTS[test], adjust=None
    )
    check(report, case["expected"][test])
    assert report["mark"].item() == ""


def test_significant_on_the_metric_alone(golden):
    case = golden["001-report-dagger-only"]
    cube = cube_of({name: case["input"][name] for name in "AB"}, depth=case["input"]["k"])
    report = cube.ireval.compare_orderings(baseline="A", metric="P", depth=6, adjust=None)
    check(report, case["expected"])
    assert report["mark"].item() == "†"


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_every_challenger(cube):
    report = cube.ireval.compare_orderings(baseline="bm25", metric="nDCG", depth=10, adjust=None)
    assert report["system_a"].to_list() == cube["system"].to_numpy().tolist()[1:]
    assert (report["system_b"] == "bm25").all()
    assert (report["depth"] == 10).all()
    pairs = cube.ireval.orderings(b="bm25", depth=10, gain="linear")
    np.testing.assert_array_equal(report[list(GROUPS)], pairs["count"].isel(depth=-1))
    p = pairs["p"].isel(depth=-1).to_numpy()
    np.testing.assert_array_equal(report["p_orderings"], np.where(report["dagger"], p, np.nan))
    one = cube.ireval.compare_orderings(baseline="bm25", systems="splade", metric="nDCG", depth=10)
    row = report[report["system_a"] == "splade"].reset_index(drop=True)
    pd.testing.assert_frame_equal(one, row)
    compared = cube.ireval.score("nDCG", at=10).ireval.compare(baseline="bm25")
    np.testing.assert_array_equal(report["p"], compared["p"])


def test_marks_need_both_tests_and_one_winner(cube):
    report = cube.ireval.compare_orderings(baseline="bm25", metric="RBP(p=0.8)@10")
    double = report["mark"] == "‡"
    assert double.any()
    assert (report.loc[double, "p"] < 0.05).all()
    assert (report.loc[double, "p_orderings"] < 0.05).all()
    assert (report.loc[double, "favours"] == report.loc[double, "system_a"]).all()
    strict = cube.ireval.compare_orderings(baseline="bm25", metric="RBP(p=0.8)@10", alpha=1e-9)
    assert (strict["mark"] == "").all()
    assert strict["p_orderings"].isna().all()


def test_majority_against_the_metric_is_no_corroboration():
    """The champion is ahead on most topics by a little, and far behind on a few."""
    a = [[0, 0, 0, 0, 1]] * 8 + [[0, 0, 0, 0, 0]] * 4
    b = [[0, 0, 0, 0, 0]] * 8 + [[1, 1, 1, 1, 1]] * 4
    cube = cube_of({"A": a, "B": b}, depth=5)
    report = cube.ireval.compare_orderings(baseline="A", metric="P", alpha=0.4).iloc[0]
    assert report["difference"] > 0
    assert report["dagger"]
    assert report["p_orderings"] < 0.4
    assert report["favours"] == "A"
    assert not report["double_dagger"]


@pytest.mark.filterwarnings("ignore:comparisons whose:irframe.errors.IrframeWarning")
def test_costs_favour_the_lower():
    a, b = [[0, 0, 1]] * 8, [[1, 0, 0]] * 8
    report = cube_of({"A": a, "B": b}).ireval.compare_orderings(
        baseline="A", metric="ASL", test="sign"
    )
    assert report["difference"].item() < 0
    assert report["favours"].item() == "B"
    assert report["mark"].item() == "‡"


def test_some_systems_in_the_order_named(cube):
    report = cube.ireval.compare_orderings(
        baseline="bm25", systems=["splade", "ance"], metric="AP", adjust=None
    )
    assert report["system_a"].tolist() == ["splade", "ance"]
    every = cube.ireval.compare_orderings(baseline="bm25", metric="AP", adjust=None).set_index(
        "system_a"
    )
    pd.testing.assert_frame_equal(report.set_index("system_a"), every.loc[["splade", "ance"]])


def test_a_metric_and_its_orderings_have_one_depth(cube):
    for metric in ("P@20", "P@5"):
        with pytest.raises(DepthError, match=f"depth=10; found {metric}"):
            cube.ireval.compare_orderings(baseline="bm25", metric=metric, depth=10)
    own = cube.ireval.compare_orderings(baseline="bm25", metric="P@20")
    assert own["depth"].unique().tolist() == [20]


def test_bad_input(cube):
    with pytest.raises(ParameterError, match="other than the baseline"):
        cube.ireval.compare_orderings(baseline="bm25", systems="bm25", metric="AP")
    with pytest.raises(ParameterError, match="systems to compare: bm25, .*'bm26'"):
        cube.ireval.compare_orderings(baseline="bm26", metric="AP")
    with pytest.raises(DepthError, match="at most 50"):
        cube.ireval.compare_orderings(baseline="bm25", metric="AP@60")
    with pytest.raises(MetricError):
        cube.ireval.compare_orderings(baseline="bm25", metric="unheard of")
    with pytest.raises(ParameterError, match="alpha"):
        cube.ireval.compare_orderings(baseline="bm25", metric="AP", alpha=1)
    with pytest.raises(ParameterError, match="a test such as"):
        cube.ireval.compare_orderings(baseline="bm25", metric="AP", test="z")
