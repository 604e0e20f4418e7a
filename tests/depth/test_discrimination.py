"""Tests of discrimination, coverage and inversions against loops."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from looped import ALPHA, looped, random_scores, rows, t_test
from oracles import comparing
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError
from irframe.paired import TESTS

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}:irframe.errors.IrframeWarning")
    for text in ("topics on which some", "comparisons whose", "tukey assumes")
]


RATIO = partial(comparing.discrimination, test=t_test, alpha=ALPHA)
MEDIAN = partial(comparing.median_p, test=t_test)


@pytest.mark.parametrize(
    ("verb", "options", "loop"),
    [
        ("discrimination", {"test": ir.Significance(adjust=None, alpha=ALPHA)}, RATIO),
        ("median_p", {}, MEDIAN),
    ],
)
@pytest.mark.parametrize("seed", few_of(range(5), 3))
@pytest.mark.parametrize("holes", [False, True])
def test_discrimination_and_median_p_agree_with_a_loop(verb, options, loop, seed, holes):
    scores = random_scores(seed, holes=holes)
    result = getattr(scores.ireval, verb)(**options)
    assert result.dims == ("metric", "depth")
    expected = looped(scores, lambda m, k: loop(rows(scores, m, k)))
    np.testing.assert_allclose(result, expected, rtol=1e-9)


@pytest.mark.parametrize("verb", ["discrimination", "coverage", "inversions"])
def test_ratios_equal_the_worked_example(golden, verb):
    case = golden["002-sec34-example"]
    new, reference = (
        xr.DataArray(np.array(case["input"][side], float), dims=("system", "topic"))
        for side in ("new", "ref")
    )
    arguments = (reference,) if verb == "discrimination" else (new, reference)
    result = getattr(ir.verbs, verb)(*arguments, test=ir.Significance(adjust=None))
    assert result.item() == pytest.approx(case["expected"][verb.removesuffix("s")])
    if verb == "coverage":
        # with a correction, no reference difference is significant: they are equal on all topics
        assert np.isnan(ir.verbs.coverage(*arguments))


@pytest.mark.parametrize(
    ("test", "adjust"),
    few_of(product(TESTS, [{}, {"adjust": "none"}, {"adjust": "fdr_by", "family": "all"}]), 2),
)
@pytest.mark.filterwarnings("ignore:no outcome on:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
def test_discrimination_is_the_share_of_significant_comparisons(test, adjust):
    if TESTS[test].joint:
        adjust = {}
    scores, options = random_scores(1)[:, :4, :, :2], {"test": test, "alpha": ALPHA, **adjust}
    decided = ir.Significance(**options)
    groups = scores.ireval.compare(decided).groupby(["metric", "depth"], sort=False)
    share = groups["significant"].mean().to_xarray().sel(metric=scores["metric"])
    for array in (scores, scores.chunk(topic=3)):
        result = array.ireval.discrimination(decided)
        np.testing.assert_allclose(result, share)
        usual = "none" if TESTS[test].joint else "holm"
        recorded = {"family": "depth", "adjust": usual, **options}
        recorded["test"] = scores.ireval.compare(recorded["test"]).attrs["test"]
        assert result.attrs | recorded == result.attrs


@pytest.mark.parametrize(
    ("verb", "arguments", "value"),
    [
        ("discrimination", (), 0),
        ("median_p", (), 1),
        ("coverage", (1,), np.nan),
        ("inversions", (1,), np.nan),
    ],
)
def test_systems_with_equal_scores_have_no_significant_difference(verb, arguments, value):
    result = getattr((random_scores(0) * 0 + 0.5).ireval, verb)(*arguments)
    np.testing.assert_array_equal(result, np.full(result.shape, value))


def test_a_warning_counts_topics_without_a_score_of_some_system():
    with pytest.warns(IrframeWarning, match="1 of 7 for AP .2.; 1 of 7 for ASL .4."):
        random_scores(0, holes=True).ireval.discrimination()


@pytest.mark.filterwarnings("ignore:no outcome on:irframe.errors.IrframeWarning")
def test_p_values_equal_to_alpha_are_not_significant():
    scores = xr.DataArray([[2.0, 3, 4, 5], [1.0, 2, 3, 4]], dims=("system", "topic"))
    p = scores.ireval.compare("sign")["p"].item()
    assert p == 0.125
    assert scores.ireval.discrimination(ir.Significance("sign", alpha=p)) == 0
    assert scores.ireval.discrimination(ir.Significance("sign", alpha=np.nextafter(p, 1))) == 1
    assert np.isnan(scores.ireval.coverage(scores, ir.Significance("sign", alpha=p)))
    assert not scores.ireval.compare("sign", alpha=p)["significant"].item()


def test_p_values_equal_to_alpha_have_no_dagger(cube):
    report = cube.ireval.compare_orderings(baseline="bm25", metric="P", depth=10)
    p = report["p"].min()
    strict = cube.ireval.compare_orderings(
        baseline="bm25", metric="P", depth=10, test=ir.Significance(alpha=p)
    )
    assert not strict["dagger"].any()


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels).ireval.score("AP", "RR", at=[5, 50])


@pytest.mark.parametrize(
    ("verb", "options", "message"),
    [
        ("discrimination", {"test": "z"}, "a test such as"),
        ("median_p", {"test": "z-test"}, "z-test"),
    ],
)
def test_unknown_tests_and_single_systems_are_refused(scores, verb, options, message):
    refused(ParameterError, message, getattr(scores.ireval, verb), **options)
    refused(
        ParameterError, "two systems to compare, but found 1", getattr(scores[:, :1].ireval, verb)
    )


def test_coverage_of_scores_by_themselves_is_one_without_inversions():
    scores = random_scores(2)
    for selection in ({"depth": 10}, {"metric": "AP"}):
        (reference,) = selection.values()
        assert (scores.ireval.coverage(reference).sel(selection) == 1).all()
        assert (scores.ireval.inversions(reference).sel(selection) == 0).all()


def test_scores_are_compared_with_a_reference_at_the_same_depth():
    scores = random_scores(2)
    for at in (scores["depth"].values[:1], scores["depth"].values[:2]):
        selected = scores.sel(depth=at)
        assert (selected.ireval.coverage(selected) == 1).all()
    result = scores.sel(depth=[5, 10]).ireval.coverage(
        scores.sel(depth=[10]), ir.Significance(adjust=None)
    )
    np.testing.assert_array_equal(
        result, scores.ireval.coverage(10, test=ir.Significance(adjust=None)).sel(depth=[5, 10])
    )
    shallow, deep = (scores.sel(depth=pair) for pair in ([1, 5], [10, 20]))
    relabelled = deep.assign_coords(depth=[1, 5])
    both = shallow.ireval.coverage(relabelled, ir.Significance(adjust=None))
    for depth in (1, 5):
        single = shallow.sel(depth=[depth]).ireval.coverage(
            relabelled.sel(depth=[depth]), ir.Significance(adjust=None)
        )
        np.testing.assert_array_equal(both.sel(depth=[depth]), single)


def test_negated_scores_invert_every_difference():
    scores = random_scores(2)
    assert (scores.ireval.inversions(-scores) == 1).all()
    assert (scores.ireval.coverage(-scores) == 0).all()


def test_coverage_and_inversions_add_up_to_at_most_one():
    scores, reference = random_scores(5), random_scores(6)
    total = sum(
        getattr(scores.ireval, verb)(reference, ir.Significance(adjust=None))
        for verb in ("inversions", "coverage")
    )
    assert (total <= 1 + 1e-12).all()
    assert (total < 1).any()


def test_inversions_count_differences_that_are_not_significant():
    reference = xr.DataArray([[3.0, 3, 3.1], [1, 1, 1]], dims=("system", "topic"))
    scores = xr.DataArray([[1.0, 0, 2], [1, 2, 1]], dims=("system", "topic"))
    assert scores.ireval.discrimination().item() == 0
    assert scores.ireval.inversions(reference).item() == 1


def test_rounding_errors_of_means_do_not_count_as_inversions():
    reference = xr.DataArray([[3.0, 3.01], [1.0, 1.0]], dims=("system", "topic"))
    scores = xr.DataArray([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2 + 4e-16]], dims=("system", "topic"))
    assert scores.mean("topic").diff("system").item() != 0
    assert scores.ireval.inversions(reference).item() == 0


def test_median_p_of_six_pairs_is_the_mean_of_the_two_middle_p_values():
    scores = random_scores(2, systems=4)
    p = np.sort(scores.sel(depth=5).ireval.compare().query("metric == 'AP'")["p"])
    assert len(p) == 6
    result = scores.sel(depth=5).ireval.median_p().sel(metric="AP").item()
    assert result == pytest.approx((p[2] + p[3]) / 2)


@pytest.mark.parametrize("options", [{}, {"adjust": None, "alpha": 0.2}, {"test": "sign"}], ids=str)
def test_ratios_equal_the_single_verbs_and_describe_the_p_values(cube, options):
    scores = cube.ireval.score("AP", "RBP(p=0.8)")
    decided = ir.Significance(**options)
    scores = scores.sel(depth=[1, 10, 50])
    result = scores.ireval.ratios(10, decided)
    table = result.set_index(["metric", "depth"]).to_xarray()
    expected = {
        "discrimination": scores.ireval.discrimination(decided),
        "coverage": scores.ireval.coverage(10, decided),
        "inversions": scores.ireval.inversions(10, decided),
        "median_p": scores.ireval.median_p(replace(decided, adjust=None)),
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(table[name].sel(metric=values.metric), values)
    ending = "not corrected, as in" if "adjust" in options else "corrected for the number of pairs"
    for name in ("discrimination", "coverage", "inversions"):
        assert expected[name].attrs["p_values"].startswith(ending)
    decided = "" if "adjust" in options else "of discrimination, coverage and inversions "
    beginning = "" if "adjust" in options else "of median_p not corrected; "
    assert result.attrs["p_values"].startswith(beginning + decided + ending)
    assert f"[p-values {beginning}{decided}{ending}" in repr(result).replace("\n", " ")
    assert "p_values" in [*expected["coverage"].attrs][:2]


@pytest.mark.parametrize("family", ["depth", "metric", "all"])
@pytest.mark.parametrize("adjust", ["holm", "fdr_bh", "max-t"])
@pytest.mark.parametrize("at", [None, [1, 5]])
def test_p_values_of_scores_and_reference_are_corrected_together(family, adjust, at):
    scores = random_scores(3, holes=False)
    scores = scores + xr.DataArray(np.linspace(0, 0.5, scores.sizes["system"]), dims="system")
    test = ir.Significance(adjust=adjust, family=family, alpha=0.3)
    last = scores["depth"].to_numpy()[-1].item()
    for reference in (last, scores.sel(depth=last)):
        coverage = scores.ireval.coverage(reference, test)
        assert (coverage.sel(depth=last) == 1).all()
        assert (scores.ireval.inversions(reference, test).sel(depth=last) == 0).all()
    scores = scores if at is None else scores.sel(depth=[*at, last])
    rows_ = scores.ireval.compare(test)
    rows_["sign"] = np.sign(rows_["difference"].round(12)) * rows_["significant"]
    signs = rows_.pivot(index=["system_a", "system_b"], columns=["metric", "depth"], values="sign")
    result = scores.ireval.ratios(last, test)
    for row in result.itertuples():
        new, at_last = signs[row.metric, row.depth], signs[row.metric, last]
        assert row.coverage == pytest.approx((new == at_last)[at_last != 0].mean())
    np.testing.assert_allclose(
        result["coverage"],
        scores.ireval.coverage(last, test)
        .to_series()
        .loc[pd.MultiIndex.from_frame(result[["metric", "depth"]])],
    )
