"""Figures of comparisons: what they draw as numbers, and their labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgb

import irframe as ir
from irframe.errors import DepthError, InputError, ParameterError
from irframe.plots.heat_map import LEVELS, bins


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cube():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels)


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP(norm='min')", "nDCG", "ASL")


@pytest.fixture(scope="module")
def wide():
    runs, qrels = ir.example_track()
    return runs.ireval.evaluate(qrels, ["AP", "nDCG@10"])


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


class TestBins:
    def test_nine_tenths_is_a_border_between_warm_and_cool(self):
        colours, norm = bins(LEVELS)
        red, _, blue, _ = colours(norm(0.899))
        assert red > blue
        red, _, blue, _ = colours(norm(0.901))
        assert blue > red

    def test_every_bin_has_its_colour(self):
        colours, norm = bins((0, 0.5, 0.9, 1))
        assert len({colours(norm(value)) for value in (0.1, 0.6, 0.95)}) == 3

    @pytest.mark.parametrize("levels", [(0.5,), (0.5, 0.1), (0.5, 0.5)])
    def test_levels_ascend(self, levels):
        with pytest.raises(ParameterError, match="ascend"):
            bins(levels)


class TestVolatilityMap:
    def test_the_mesh_is_the_matrix(self, scores):
        matrix = scores.ireval.volatility()
        ax = matrix.ireval.plot.volatility_map(metric="nDCG")
        drawn = ax.collections[0].get_array()
        np.testing.assert_array_equal(np.ma.filled(drawn, np.nan), matrix.sel(metric="nDCG"))
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("evaluation depth of nDCG",) * 2
        assert legend(ax) == ["pool depth"]
        assert len(ax.lines) == 2
        assert ax.get_figure().axes[1].get_ylabel() == "Kendall's tau"

    def test_two_metrics_and_uneven_depths(self, scores):
        matrix = scores.ireval.volatility("ASL", "tau_ap", at=[1, 5, 50])
        ax = matrix.ireval.plot.volatility_map(metric="nDCG", pool_depth=20)
        assert ax.get_xlabel() == "evaluation depth of ASL"
        assert ax.get_ylabel() == "evaluation depth of nDCG"
        assert ax.get_xlim() == (0.5, 50.5)
        assert ax.lines[0].get_xdata()[0] == 20
        assert ax.get_figure().axes[1].get_ylabel() == "AP correlation"

    def test_undefined_correlations_are_grey(self, scores):
        matrix = (scores[:1] * 0).ireval.volatility(at=[1, 5])
        ax = matrix.ireval.plot.volatility_map()
        assert ax.collections[0].get_array().mask.all()
        assert to_rgb(ax.collections[0].get_cmap().get_bad()) == to_rgb("#D5D8DC")

    def test_it_draws_on_given_axes(self, scores):
        _, ax = plt.subplots()
        matrix = scores[:1].ireval.volatility(at=[1, 2])
        assert matrix.ireval.plot.volatility_map(ax=ax) is ax

    def test_choices_left_open(self, scores):
        with pytest.raises(ParameterError, match="nDCG"):
            scores.ireval.volatility(at=[1, 2]).ireval.plot.volatility_map()
        grouped = scores[:1].ireval.volatility(at=[1, 2], by="team")
        with pytest.raises(ParameterError, match="team"):
            grouped.ireval.plot.volatility_map()
        with pytest.raises(ParameterError, match="depth_other"):
            scores[:1].ireval.plot.volatility_map()


class TestAgreementMap:
    def test_every_cell_has_its_value(self, scores):
        matrix = scores.ireval.agreement(at=[10, 50])
        ax = matrix.ireval.plot.agreement_map(depth=10)
        chosen = matrix.sel(depth=10).to_numpy()
        assert [text.get_text() for text in ax.texts] == [f"{v:.2f}" for v in chosen.ravel()]
        np.testing.assert_array_equal(ax.images[0].get_array(), chosen)
        assert [label.get_text() for label in ax.get_yticklabels()] == [
            *scores["metric"].to_numpy()
        ]

    def test_choices_left_open(self, scores):
        matrix = scores.ireval.agreement(at=[10, 50])
        with pytest.raises(ParameterError, match="depth"):
            matrix.ireval.plot.agreement_map()
        with pytest.raises(InputError, match="depth="):
            matrix.ireval.plot.agreement_map(depth=20)
        with pytest.raises(ParameterError, match="metric_other"):
            scores.ireval.agreement(10).ireval.plot.agreement_map()


class TestRatioCurves:
    def test_a_curve_per_metric(self, scores):
        ratios = scores.ireval.coverage(10)
        ax = ratios.ireval.plot.ratio_curves()
        assert legend(ax) == [*scores["metric"].to_numpy(), "pool depth"]
        for row in range(3):
            np.testing.assert_array_equal(ax.lines[row].get_ydata(), ratios[row])
        assert ax.get_ylabel() == "coverage ratio"
        assert ax.get_xscale() == "log"

    @pytest.mark.parametrize(
        ("verb", "label"),
        [
            ("discrimination", "discrimination ratio"),
            ("median_p", "median p-value"),
        ],
    )
    def test_other_quantities(self, scores, verb, label):
        ax = getattr(scores.ireval, verb)(at=[1, 10]).ireval.plot.ratio_curves(log=False)
        assert (ax.get_ylabel(), ax.get_xscale()) == (label, "linear")

    def test_groups_have_their_curves(self, scores):
        ax = scores.ireval.agreement(10, by="team").ireval.plot.ratio_curves()
        assert len(ax.lines) == 4 * 3 + 1
        assert "terms, nDCG" in legend(ax)

    def test_no_depths(self, wide):
        with pytest.raises(InputError, match="depth"):
            wide.ireval.discrimination().ireval.plot.ratio_curves()


class TestPValueCurves:
    def test_curves_fall(self, wide):
        power = wide.ireval.discriminative_power(samples=100)
        ax = power.ireval.plot.p_value_curves()
        for row in range(2):
            expected = np.sort(power["asl"][row])[::-1]
            np.testing.assert_array_equal(ax.lines[row].get_ydata(), expected)
        share = power["power"].sel(metric="AP").item()
        delta = power["delta"].sel(metric="AP").item()
        assert legend(ax)[0] == f"AP: {share:.0%} of pairs, difference {delta:.3f}"
        assert ax.get_ylim() == pytest.approx((0, 0.15))

    def test_alpha_is_that_of_the_data(self, wide):
        power = wide.ireval.discriminative_power(samples=50, alpha=0.1)
        assert legend(power.ireval.plot.p_value_curves())[-1] == "alpha = 0.1"
        assert legend(power.ireval.plot.p_value_curves(alpha=0.2))[-1] == "alpha = 0.2"

    def test_comparison_frames(self, wide, scores):
        frame = wide.ireval.compare("wilcoxon")
        ax = frame.ireval.plot.p_value_curves()
        share = (frame.loc[frame["metric"] == "AP", "p"] < 0.05).mean()
        assert legend(ax)[:2] == [f"AP: {share:.0%} of pairs", legend(ax)[1]]
        assert legend(ax)[1].startswith("nDCG@10:")
        assert ax.get_ylabel() == "p-value"
        by_depth = scores[:1].ireval.compare(at=[5, 10]).ireval.plot.p_value_curves()
        assert legend(by_depth)[0].startswith("AP(norm='min')@5:")

    def test_depths_and_groups_of_a_bootstrap(self, scores):
        power = scores[:1].ireval.discriminative_power(samples=20, at=[5, 10], by="team")
        ax = power.ireval.plot.p_value_curves()
        assert legend(ax)[0].startswith("terms, AP(norm='min')@5:")
        assert len(ax.lines[0].get_ydata()) == 1

    def test_bad_input(self, wide, cube):
        with pytest.raises(ParameterError, match="alpha"):
            wide.ireval.compare().ireval.plot.p_value_curves(alpha=2)
        with pytest.raises(InputError, match="comparison"):
            wide.ireval.plot.p_value_curves()
        with pytest.raises(InputError, match="discriminative_power"):
            cube.ireval.plot.p_value_curves()


class TestSystemRanking:
    def test_the_best_is_at_the_top(self, scores):
        ax = scores.ireval.plot.system_ranking(metric="nDCG", depth=10)
        means = scores.sel(metric="nDCG", depth=10).mean("topic").to_series()
        expected = means.sort_values(ascending=False)
        assert [label.get_text() for label in ax.get_yticklabels()] == [*expected.index]
        np.testing.assert_allclose(ax.lines[0].get_xdata(), expected)
        assert ax.get_ylim()[0] > ax.get_ylim()[1]
        assert ax.get_xlabel() == "mean nDCG@10 with 95% confidence interval"

    def test_intervals_are_those_of_the_summary(self, scores):
        ax = scores.ireval.plot.system_ranking(metric="nDCG", depth=10, alpha=0.2)
        found = scores.sel(metric=["nDCG"], depth=10).ireval.summary(alpha=0.2).isel(metric=0)
        ends = np.array([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
        order = np.argsort(-found["mean"].to_numpy())
        np.testing.assert_allclose(ends[:, 0], found["ci_low"][order])
        np.testing.assert_allclose(ends[:, 1], found["ci_high"][order])

    def test_the_cheapest_is_at_the_top_of_a_cost(self, scores):
        ax = scores.ireval.plot.system_ranking(metric="ASL", top=3)
        drawn = ax.lines[0].get_xdata()
        assert list(drawn) == sorted(drawn)
        assert len(drawn) == 3

    def test_frames(self, wide):
        ax = wide.ireval.plot.system_ranking(metric="nDCG@10")
        assert ax.get_xlabel().startswith("mean nDCG@10 with")

    def test_bad_input(self, scores, wide):
        with pytest.raises(ParameterError, match="ASL"):
            scores.ireval.plot.system_ranking()
        with pytest.raises(DepthError, match="from 1 to 50"):
            scores.ireval.plot.system_ranking(metric="ASL", depth=60)
        with pytest.raises(DepthError, match="without depths"):
            wide.ireval.plot.system_ranking(metric="AP", depth=10)
        with pytest.raises(ParameterError, match="top"):
            wide.ireval.plot.system_ranking(metric="AP", top=0)


class TestTopicDifferences:
    def test_bars_are_the_differences(self, scores):
        ax = scores.ireval.plot.topic_differences("splade", "bm25", metric="nDCG", depth=10)
        layer = scores.sel(metric="nDCG", depth=10)
        gaps = (layer.sel(system="splade") - layer.sel(system="bm25")).to_numpy()
        heights = [bar.get_height() for bar in ax.patches]
        np.testing.assert_allclose(np.sort(heights), np.sort(gaps), atol=1e-12)
        assert f"splade better: {(gaps > 0).sum()}" in legend(ax)
        assert f"bm25 better: {(gaps < 0).sum()}" in legend(ax)
        assert ax.lines[1].get_ydata()[0] == pytest.approx(gaps.mean())
        assert len(ax.get_xticklabels()) == 16

    def test_lower_is_better_for_a_cost(self, scores):
        ax = scores.ireval.plot.topic_differences("splade", "bm25", metric="ASL")
        layer = scores.sel(metric="ASL", depth=50)
        gaps = (layer.sel(system="splade") - layer.sel(system="bm25")).to_numpy()
        assert f"splade better: {(gaps < 0).sum()}" in legend(ax)

    def test_identical_systems_and_missing_scores(self):
        values = np.array([[1.0, 2, np.nan, 4], [1, 2, 3, 4]])
        scores = xr.DataArray(values, {"system": ["a", "b"]}, ("system", "topic"))
        ax = scores.ireval.plot.topic_differences("a", "b")
        assert "equal: 3" in legend(ax)
        assert len(ax.patches) == 0

    def test_many_topics_stay_without_names(self):
        values = np.random.default_rng(0).random((2, 100))
        scores = xr.DataArray(values, {"system": ["a", "b"]}, ("system", "topic"))
        assert not scores.ireval.plot.topic_differences("a", "b").get_xticklabels()

    def test_unknown_systems(self, scores):
        with pytest.raises(ParameterError, match="bm26"):
            scores.ireval.plot.topic_differences("bm26", "bm25", metric="ASL")
