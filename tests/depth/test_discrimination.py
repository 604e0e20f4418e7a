"""Discrimination, coverage and inversions, against loops over pairs."""

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
    pytest.mark.filterwarnings(f"ignore:{each}:irframe.errors.IrframeWarning")
    for each in ("topics on which some", "comparisons whose", "tukey assumes")
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
def test_every_metric_and_depth_against_the_loop(verb, options, loop, seed, holes):
    scores = random_scores(seed, holes=holes)
    found = getattr(scores.ireval, verb)(**options)
    assert found.dims == ("metric", "depth")
    expected = looped(scores, lambda m, k: loop(rows(scores, m, k)))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("verb", ["discrimination", "coverage", "inversions"])
def test_worked_example(golden, verb):
    case = golden["002-sec34-example"]
    new, reference = (
        xr.DataArray(np.array(case["input"][side], float), dims=("system", "topic"))
        for side in ("new", "ref")
    )
    given = (reference,) if verb == "discrimination" else (new, reference)
    found = getattr(ir.verbs, verb)(*given, test=ir.Significance(adjust=None))
    assert found.item() == pytest.approx(case["expected"][verb.removesuffix("s")])
    if verb == "coverage":
        assert np.isnan(ir.verbs.coverage(*given))  # without spread nothing is shown


@pytest.mark.parametrize(
    ("test", "adjust"),
    few_of(product(TESTS, [{}, {"adjust": "none"}, {"adjust": "fdr_by", "family": "all"}]), 2),
)
@pytest.mark.filterwarnings("ignore:no outcome on:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
def test_it_is_the_share_of_significant_rows_of_the_comparison_frame(test, adjust):
    if TESTS[test].joint:
        adjust = {}
    scores, asked = random_scores(1)[:, :4, :, :2], {"test": test, "alpha": ALPHA, **adjust}
    decided = ir.Significance(**asked)
    groups = scores.ireval.compare(decided).groupby(["metric", "depth"], sort=False)
    share = groups["significant"].mean().to_xarray().sel(metric=scores["metric"])
    for given in (scores, scores.chunk(topic=3)):
        found = given.ireval.discrimination(decided)
        np.testing.assert_allclose(found, share)
        usual = "none" if TESTS[test].joint else "holm"
        recorded = {"family": "depth", "adjust": usual, **asked}
        recorded["test"] = scores.ireval.compare(recorded["test"]).attrs["test"]
        assert found.attrs | recorded == found.attrs


@pytest.mark.parametrize(
    ("verb", "given", "value"),
    [
        ("discrimination", (), 0),
        ("median_p", (), 1),
        ("coverage", (1,), np.nan),
        ("inversions", (1,), np.nan),
    ],
)
def test_systems_that_are_the_same_do_not_differ(verb, given, value):
    found = getattr((random_scores(0) * 0 + 0.5).ireval, verb)(*given)
    np.testing.assert_array_equal(found, np.full(found.shape, value))


def test_missing_scores_are_counted():
    with pytest.warns(IrframeWarning, match="1 of 7 for AP .2.; 1 of 7 for ASL .4."):
        random_scores(0, holes=True).ireval.discrimination()


@pytest.mark.filterwarnings("ignore:no outcome on:irframe.errors.IrframeWarning")
def test_a_p_value_of_alpha_is_not_significant():
    scores = xr.DataArray([[2.0, 3, 4, 5], [1.0, 2, 3, 4]], dims=("system", "topic"))
    p = scores.ireval.compare("sign")["p"].item()
    assert p == 0.125
    assert scores.ireval.discrimination(ir.Significance("sign", alpha=p)) == 0
    assert scores.ireval.discrimination(ir.Significance("sign", alpha=np.nextafter(p, 1))) == 1
    assert np.isnan(scores.ireval.coverage(scores, ir.Significance("sign", alpha=p)))
    assert not scores.ireval.compare("sign", alpha=p)["significant"].item()


def test_alpha_of_a_hedge_is_not_significant_either(cube):
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
    ("verb", "options", "words"),
    [
        ("discrimination", {"test": "z"}, "a test such as"),
        ("median_p", {"test": "z-test"}, "z-test"),
    ],
)
def test_bad_input(scores, verb, options, words):
    refused(ParameterError, words, getattr(scores.ireval, verb), **options)
    refused(
        ParameterError, "two systems to compare, but found 1", getattr(scores[:, :1].ireval, verb)
    )


def test_a_reference_covers_itself_and_does_not_contradict_itself():
    scores = random_scores(2)
    for own in ({"depth": 10}, {"metric": "AP"}):
        (reference,) = own.values()
        assert (scores.ireval.coverage(reference).sel(own) == 1).all()
        assert (scores.ireval.inversions(reference).sel(own) == 0).all()


def test_references_of_several_depths_are_compared_depth_by_depth():
    scores = random_scores(2)
    for at in (scores["depth"].values[:1], scores["depth"].values[:2]):
        selected = scores.sel(depth=at)
        assert (selected.ireval.coverage(selected) == 1).all()
    found = scores.sel(depth=[5, 10]).ireval.coverage(
        scores.sel(depth=[10]), ir.Significance(adjust=None)
    )
    np.testing.assert_array_equal(
        found, scores.ireval.coverage(10, test=ir.Significance(adjust=None)).sel(depth=[5, 10])
    )
    shallow, deep = (scores.sel(depth=pair) for pair in ([1, 5], [10, 20]))
    other = deep.assign_coords(depth=[1, 5])
    both = shallow.ireval.coverage(other, ir.Significance(adjust=None))
    for depth in (1, 5):
        one = shallow.sel(depth=[depth]).ireval.coverage(
            other.sel(depth=[depth]), ir.Significance(adjust=None)
        )
        np.testing.assert_array_equal(both.sel(depth=[depth]), one)


def test_turned_round_every_difference_is_contradicted():
    scores = random_scores(2)
    assert (scores.ireval.inversions(-scores) == 1).all()
    assert (scores.ireval.coverage(-scores) == 0).all()


def test_a_pair_is_confirmed_contradicted_or_neither():
    scores, reference = random_scores(5), random_scores(6)
    total = sum(
        getattr(scores.ireval, verb)(reference, ir.Significance(adjust=None))
        for verb in ("inversions", "coverage")
    )
    assert (total <= 1 + 1e-12).all()
    assert (total < 1).any()


def test_insignificant_means_contradict_too():
    reference = xr.DataArray([[3.0, 3, 3.1], [1, 1, 1]], dims=("system", "topic"))
    scores = xr.DataArray([[1.0, 0, 2], [1, 2, 1]], dims=("system", "topic"))
    assert scores.ireval.discrimination().item() == 0
    assert scores.ireval.inversions(reference).item() == 1


def test_rounding_of_means_is_no_inversion():
    reference = xr.DataArray([[3.0, 3.01], [1.0, 1.0]], dims=("system", "topic"))
    scores = xr.DataArray([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2 + 4e-16]], dims=("system", "topic"))
    assert scores.mean("topic").diff("system").item() != 0
    assert scores.ireval.inversions(reference).item() == 0


def test_an_even_number_of_pairs_has_the_mean_of_two():
    scores = random_scores(2, systems=4)
    p = np.sort(scores.sel(depth=5).ireval.compare().query("metric == 'AP'")["p"])
    assert len(p) == 6
    found = scores.sel(depth=5).ireval.median_p().sel(metric="AP").item()
    assert found == pytest.approx((p[2] + p[3]) / 2)


@pytest.mark.parametrize("options", [{}, {"adjust": None, "alpha": 0.2}, {"test": "sign"}], ids=str)
def test_ratios_are_those_of_the_verbs_and_say_whether_p_values_are_corrected(cube, options):
    scores = cube.ireval.score("AP", "RBP(p=0.8)")
    decided = ir.Significance(**options)
    scores = scores.sel(depth=[1, 10, 50])
    found = scores.ireval.ratios(10, decided)
    table = found.set_index(["metric", "depth"]).to_xarray()
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
    assert found.attrs["p_values"].startswith(beginning + decided + ending)
    assert f"[p-values {beginning}{decided}{ending}" in repr(found).replace("\n", " ")
    assert "p_values" in [*expected["coverage"].attrs][:2]


@pytest.mark.parametrize("family", ["depth", "metric", "all"])
@pytest.mark.parametrize("adjust", ["holm", "fdr_bh", "max-t"])
@pytest.mark.parametrize("at", [None, [1, 5]])
def test_a_reference_is_corrected_in_the_family_of_the_scores(family, adjust, at):
    scores = random_scores(3, holes=False)
    scores = scores + xr.DataArray(np.linspace(0, 0.5, scores.sizes["system"]), dims="system")
    how = ir.Significance(adjust=adjust, family=family, alpha=0.3)
    last = scores["depth"].to_numpy()[-1].item()
    for reference in (last, scores.sel(depth=last)):
        coverage = scores.ireval.coverage(reference, how)
        assert (coverage.sel(depth=last) == 1).all()
        assert (scores.ireval.inversions(reference, how).sel(depth=last) == 0).all()
    scores = scores if at is None else scores.sel(depth=[*at, last])
    rows_ = scores.ireval.compare(how)
    rows_["sign"] = np.sign(rows_["difference"].round(12)) * rows_["significant"]
    signs = rows_.pivot(index=["system_a", "system_b"], columns=["metric", "depth"], values="sign")
    found = scores.ireval.ratios(last, how)
    for row in found.itertuples():
        new, at_last = signs[row.metric, row.depth], signs[row.metric, last]
        assert row.coverage == pytest.approx((new == at_last)[at_last != 0].mean())
    np.testing.assert_allclose(
        found["coverage"],
        scores.ireval.coverage(last, how)
        .to_series()
        .loc[pd.MultiIndex.from_frame(found[["metric", "depth"]])],
    )
