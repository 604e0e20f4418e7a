"""Tests of irframe.plots.pool_curves."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn import legend, texts
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.plots.pool_curves import pool_curves


def test_pool_curves_show_pool_growth(cube):
    growth = cube.ireval.pool_growth()
    left, right = growth.ireval.plot.pool_curves()
    np.testing.assert_allclose(left.lines[0].get_ydata(), growth.relevant)
    np.testing.assert_allclose(right.lines[0].get_ydata(), growth.rate)
    assert left.get_legend() is None
    several = pool_curves({"all": growth, "part": growth.sel(depth=[2, 4])})
    assert [len(pane.lines) for pane in several] == [2, 2]
    assert legend(several[1]) == ["all", "part"]
    passed = plt.subplots(1, 2)[1]
    assert list(pool_curves(growth, ax=passed)) == list(passed)


def test_budget_curves_show_the_values_of_replay(cube):
    replayed = cube.ireval.replay(["mtf", "leverage"], [2, 8], "AP", "P", resamples=2)
    ax = replayed.ireval.plot.budget_curves(metric="P")
    expected = 100 * replayed["kept"].sel(metric="P").to_numpy()
    np.testing.assert_allclose([line.get_ydata() for line in ax.lines], expected)
    assert [line.get_label() for line in ax.lines] == ["mtf", "leverage"]
    assert len(ax.collections) == 2
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["2", "8"]
    relevant = replayed.ireval.plot.budget_curves("found", ax=plt.subplots()[1])
    np.testing.assert_allclose(relevant.lines[0].get_ydata(), replayed["found"][0])
    refused(ParameterError, "one of the metrics in metric=", replayed.ireval.plot.budget_curves)
    draw = replayed.ireval.plot.budget_curves
    refused(ParameterError, "value to be one of", draw, "cost", metric="P")
    refused(InputError, "a result of replay", lambda: ir.plots.budget_curves(cube))


def test_robustness_curves_show_the_mean_over_seeds(cube):
    tau = cube.ireval.robustness("AP", "Bpref", shares=[0.1, 0.5], seeds=3)
    ax = tau.ireval.plot.robustness_curves()
    line = ax.lines[1]
    assert line.get_xdata().tolist() == [1, 0.5, 0.1]
    expected = [1, *tau.sel(metric="AP").mean("seed").squeeze().sel(share=[0.5, 0.1]).values]
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert legend(ax) == ["AP", "Bpref"]
    assert "Kendall's tau" in ax.get_ylabel()
    tied = tau.where(tau > 2).ireval.plot.robustness_curves()
    assert np.isnan(tied.lines[1].get_ydata()).all()
    result = cube.ireval.robustness("AP", shares=[1, 0.3], seeds=2, coefficient="rbo", at=[5, 9])
    ax = result.ireval.plot.robustness_curves(depth=9)
    assert ax.lines[1].get_xdata().tolist() == [1, 0.3]
    assert "rank-biased overlap" in ax.get_ylabel()


pytestmark = pytest.mark.filterwarnings(
    "ignore:the coverage of intervals of kappa", "ignore:no interval of kappa"
)


def effect_of(*metrics, **options):
    runs, qrels = ir.example_track()
    random = np.random.default_rng(1)
    guess = qrels.assign(grade=random.permutation(qrels["grade"].to_numpy()))
    return ir.judge_effect(runs, {"people": qrels, "guess": guess}, metrics, **options)


@pytest.fixture(scope="module")
def effect():
    return effect_of("AP", "nDCG", at=[5, 10])


def test_points_of_judge_ranks_are_ranks_under_two_judges(effect):
    ax = effect.ireval.plot.judge_ranks(metric="AP", depth=5)
    cell = effect.sel(metric="AP", depth=5).squeeze("judge")
    points = np.asarray(ax.collections[0].get_offsets())
    np.testing.assert_array_equal(points, np.stack([cell["reference_rank"], cell["rank"]], 1))
    moved = abs(cell["rank"] - cell["reference_rank"]).to_series().sort_values(ascending=False)
    assert 0 < len(ax.texts) <= 5
    named = [moved[text.get_text()] for text in ax.texts]
    assert sorted(named, reverse=True) == moved.iloc[: len(named)].tolist()
    assert ax.get_ylabel() == "rank by AP@5 under guess"


def test_marked_systems_have_a_different_colour(effect):
    ax = effect.ireval.plot.judge_ranks(metric="nDCG", marked=["bm25", "ance"])
    assert [len(points.get_offsets()) for points in ax.collections] == [6, 2]
    assert ax.get_xlabel() == "rank by nDCG@10 under people"


def test_judge_ranks_accept_a_result_for_one_metric_and_depth(effect):
    refused(InputError, "a result of judge_effect", effect[["bias"]].ireval.plot.judge_ranks)
    ax = effect.sel(metric="AP", depth=5, judge="guess").ireval.plot.judge_ranks()
    assert ax.get_xlabel() == "rank by AP@5 under people"


JUDGES = {
    "people": {"1": {"a": 0, "b": 0, "c": 0, "d": 1}, "2": {"a": 0, "b": 1}},
    "model": {"1": {"a": 0, "b": 0, "c": 1, "d": 1}, "2": {"a": 0, "b": 1}},
    "other": {"1": {"a": 1, "b": 0, "c": 1, "d": 1}, "2": {"a": 0, "b": 1}},
}


def test_confusion_map_shows_shares_of_rows_and_counts():
    compared = ir.compare_judges({name: JUDGES[name] for name in ("people", "model")})
    ax = compared.ireval.plot.confusion_map()
    np.testing.assert_allclose(ax.images[0].get_array(), [[0.75, 0.25], [0, 1]])
    assert texts(ax) == ["75%\n3", "25%\n1", "0%\n0", "100%\n2"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("grade by model", "grade by people")


def test_confusion_map_refuses_several_pairs_of_judges():
    compared = ir.compare_judges(JUDGES)
    refused(ParameterError, "several labels.*: pair", ir.plots.confusion_map, compared)
    ax = ir.plots.confusion_map(compared.isel(pair=1))
    assert ax.get_xlabel() == "grade by other"
