"""Tests of irframe.plots.depth_curves."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from dense import dense
from drawn import legend
from incomplete import incomplete
from refusals import refused

import irframe as ir
from irframe.cubes.view import experiment_of, shown_as
from irframe.errors import InputError, ParameterError
from irframe.plots.depth_curves import unjudged_share


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP", "P")


def test_depth_curves_draw_all_systems_and_name_five(scores):
    ax = scores.ireval.plot.depth_curves(metric="P")
    lines = [line for line in ax.lines if len(line.get_xdata()) == 50]
    assert len(lines) == 8
    means = scores.sel(metric="P").mean("topic")
    for line in lines:
        system = line.get_label().removeprefix("_")
        np.testing.assert_allclose(line.get_ydata(), means.sel(system=system))
    labels = legend(ax)
    assert len(labels) == 7
    final = means.sel(depth=50).to_series().sort_values()
    assert labels[:2] == final.index[::-1][:2].tolist()
    assert "named: best two, worst" in ax.get_title(loc="left")
    assert labels[4:] == [final.index[0], "3 other systems", "pool depth"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("evaluation depth k", "mean P")


def test_systems_without_a_mean_are_not_named_on_depth_curves(scores):
    final = scores.sel(metric="P").mean("topic").sel(depth=50).to_series().sort_values()
    without = final.index[[0, -1]]
    ax = scores.where(~scores["system"].isin(without)).ireval.plot.depth_curves(metric="P")
    labels = legend(ax)
    assert labels[:2] == final.index[::-1][1:3].tolist()
    assert labels[4:] == [final.index[1], "3 other systems", "pool depth"]
    ax = scores.where(scores["system"] == without[0]).ireval.plot.depth_curves(metric="P")
    assert legend(ax) == [without[0], "7 other systems", "pool depth"]
    assert "named" not in ax.get_title(loc="left")
    ax = scores.where(scores > 1).ireval.plot.depth_curves(metric="P")
    assert legend(ax) == ["8 other systems", "pool depth"]


def test_depth_curves_are_drawn_on_passed_axes(scores):
    _, passed = plt.subplots()
    ax = scores.ireval.plot.depth_curves(metric="AP", ax=passed)
    assert ax is passed
    assert ax.lines[-1].get_xdata()[0] == 10


def test_metric_curves_show_means_and_intervals_of_a_system(scores):
    ax = scores.ireval.plot.metric_curves("bm25")
    table = ir.verbs.summary(scores.sel(system=["bm25"])).isel(system=0)
    assert legend(ax) == ["AP", "P", "pool depth"]
    for line, band, name in zip(ax.lines[:2], ax.collections, ["AP", "P"], strict=True):
        of_metric = table.sel(metric=name)
        np.testing.assert_array_equal(line.get_ydata(), of_metric["mean"])
        ends = band.get_paths()[0].vertices[:, 1]
        assert (ends.min(), ends.max()) == (of_metric["ci_low"].min(), of_metric["ci_high"].max())
    assert ax.get_xlabel() == "evaluation depth k"
    assert ax.get_ylabel() == "mean with 95% confidence interval"
    refused(ParameterError, "one of the systems in system=", scores.ireval.plot.metric_curves)


def test_curves_at_a_single_depth_are_drawn_as_points(scores):
    for ax in (
        scores.sel(depth=[10]).ireval.plot.depth_curves(metric=scores["metric"].to_numpy()[0]),
        scores.sel(depth=[10]).ireval.discrimination().ireval.plot.ratio_curves(),
    ):
        drawn = [line for line in ax.lines if len(line.get_xdata()) == 1]
        assert drawn
        assert {line.get_marker() for line in drawn} == {"o"}


def test_figures_by_budget_do_not_mark_the_pool_depth():
    runs, qrels = ir.example_track()
    cube = runs.assign(tokens=1).ireval.cube(qrels, units=ir.Units(length="tokens"))
    scores = cube.ireval.score("AP", stop=ir.Budget([5, 10, 20]))
    assert "pool depth" not in legend(scores.ireval.plot.depth_curves())
    tau = scores.ireval.volatility().ireval.plot.volatility_map()
    assert not tau.lines
    assert tau.get_title(loc="left") == ""


class TestPValueCurves:
    def test_p_values_are_drawn_in_descending_order(self, wide):
        power = wide.ireval.bootstrap_sensitivity(resamples=100)
        ax = power.ireval.plot.p_value_curves()
        for row in range(2):
            expected = np.sort(power["asl"][row])[::-1]
            np.testing.assert_array_equal(ax.lines[row].get_ydata(), expected)
        share = power["power"].sel(metric="AP").item()
        delta = power["delta"].sel(metric="AP").item()
        assert legend(ax)[0] == f"AP: {share:.0%} of pairs, difference {delta:.3f}"
        assert ax.get_ylim() == pytest.approx((0, 0.15))

    def test_alpha_defaults_to_the_level_of_the_result(self, wide):
        power = wide.ireval.bootstrap_sensitivity(resamples=50, alpha=0.1)
        assert legend(power.ireval.plot.p_value_curves())[-1] == "alpha = 0.1"
        assert legend(power.ireval.plot.p_value_curves(alpha=0.2))[-1] == "alpha = 0.2"

    def test_comparisons_have_a_curve_per_metric(self, wide, three):
        frame = wide.ireval.compare("wilcoxon")
        ax = frame.ireval.plot.p_value_curves()
        share = frame.loc[frame["metric"] == "AP", "significant"].mean()
        assert legend(ax)[:2] == [f"AP: {share:.0%} of pairs", legend(ax)[1]]
        assert legend(ax)[1].startswith("nDCG@10:")
        assert ax.get_ylabel() == "adjusted p-value"
        by_depth = three[:1].sel(depth=[5, 10]).ireval.compare().ireval.plot.p_value_curves()
        assert legend(by_depth)[0].startswith("AP(norm='min')@5:")

    def test_single_pair_is_drawn_as_a_point(self, three):
        pair = three[:1].sel(depth=[10]).isel(system=[0, 1])
        for alpha in (0.9, 1e-9):
            ax = pair.ireval.compare().ireval.plot.p_value_curves(alpha=alpha)
            (x,), (y,) = ax.lines[0].get_data()
            assert ax.lines[0].get_marker() == "o"
            assert x < ax.get_xlim()[1]
            assert 0 <= y <= ax.get_ylim()[1]

    def test_bootstrap_has_a_curve_per_depth_and_group(self, three):
        power = (
            three[:1].sel(depth=[5, 10]).ireval.groupby("team").bootstrap_sensitivity(resamples=20)
        )
        ax = power.ireval.plot.p_value_curves()
        assert legend(ax)[0].startswith("terms, AP(norm='min')@5:")
        assert len(ax.lines[0].get_ydata()) == 1


class TestRatioCurves:
    def test_ratio_curves_have_a_curve_per_metric(self, three):
        ratios = three.ireval.coverage(10)
        ax = ratios.ireval.plot.ratio_curves()
        assert legend(ax) == [*three["metric"].to_numpy(), "pool depth"]
        for row in range(3):
            np.testing.assert_array_equal(ax.lines[row].get_ydata(), ratios[row])
        assert ax.get_ylabel() == "coverage ratio"
        assert ax.get_xscale() == "log"

    def test_axis_label_of_ratio_curves_names_the_quantity(self, three):
        ax = three.sel(depth=[1, 10]).ireval.median_p().ireval.plot.ratio_curves()
        assert ax.get_ylabel() == "median p-value"

    def test_ratio_curves_have_a_curve_per_group_and_metric(self, three, wide):
        refused(InputError, "depth", wide.ireval.discrimination().ireval.plot.ratio_curves)
        ax = three.ireval.groupby("team").agreement(10).ireval.plot.ratio_curves()
        assert len(ax.lines) == 4 * 3 + 1
        assert "terms, nDCG" in legend(ax)


def test_unjudged_share_has_a_line_per_system(cube):
    ax = cube.ireval.plot.unjudged_share()
    assert len(ax.lines) == 9
    shares = 100 * (1 - cube.ireval.score("Judged").isel(metric=0).mean("topic"))
    np.testing.assert_allclose(ax.lines[-2].get_ydata(), shares.sel(system="doct5query"))
    assert legend(ax) == ["contributing (5)", "not contributing (3)", "pool depth"]
    plain = cube.isel(system=dense(cube).contributing)
    experiment = experiment_of(plain)
    unknown = replace(experiment.pool, depth=np.zeros(16, np.int32))
    shown = shown_as(plain, replace(experiment, pool=unknown))
    assert legend(unjudged_share(shown)) == ["contributing (5)"]


@incomplete
def test_empty_lists_have_no_unjudged_documents():
    runs = pd.DataFrame(
        [("a", "1", "x", 2), ("a", "1", "y", 1), ("b", "1", "x", 1), ("b", "2", "z", 1)],
        columns=["system", "topic", "doc", "score"],
    )
    qrels = pd.DataFrame({"topic": ["1", "2"], "doc": ["x", "z"], "grade": 1})
    ax = runs.ireval.cube(qrels, pool=0).ireval.plot.unjudged_share()
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0, 50], [0, 0]]
