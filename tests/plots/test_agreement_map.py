"""Tests of irframe.plots.agreement_map."""

import numpy as np
import pytest
from drawn import names, texts
from matplotlib.colors import to_rgb
from refusals import refused

from irframe.errors import InputError, ParameterError
from irframe.plots.agreement_map import agreement_bars, agreement_triangle, binned_colours


class TestAgreementMap:
    def test_cells_of_agreement_map_show_the_agreement(self, three):
        matrix = three.sel(depth=[10, 50]).ireval.agreement()
        ax = matrix.ireval.plot.agreement_map(depth=10)
        chosen = matrix.sel(depth=10).to_numpy()
        assert texts(ax) == [f"{v:.2f}" for v in chosen.ravel()]
        np.testing.assert_array_equal(ax.images[0].get_array(), chosen)
        assert names(ax) == [*three["metric"].to_numpy()]

    def test_matrices_with_several_depths_or_groups_are_refused(self, three):
        matrix = three.sel(depth=[10, 50]).ireval.agreement()
        refused(ParameterError, "depth", matrix.ireval.plot.agreement_map)
        refused(ParameterError, "depth=", lambda: matrix.ireval.plot.agreement_map(depth=20))
        reference = three.ireval.agreement(10).sel(depth=[50])
        refused(InputError, "metric_other", reference.ireval.plot.agreement_map)


@pytest.fixture(scope="module")
def checked(cube):
    return cube.ireval.significance_agreement("P", "AP", test=["t", "sign"], at=[5, 10])


def test_agreement_bars_show_the_share_of_each_category(checked):
    ax = checked.ireval.plot.agreement_bars(test="sign")
    assert len(ax.patches) == 2 * 2 * 4
    heights = [patch.get_height() for patch in ax.patches]
    shares = checked["share"].sel(test="sign").transpose("category", "metric", "depth")
    np.testing.assert_allclose(heights, shares[:4].to_numpy().ravel())
    opposed = checked.assign(share=checked["share"] * 0, verdict=checked["verdict"] * 0 + 4)
    assert len(opposed.ireval.plot.agreement_bars(test="t").patches) == 2 * 2 * 5
    assert texts(ax) == ["P", "AP"]
    refused(ParameterError, r"Choose from t, sign", lambda: agreement_bars(checked))


def test_agreement_triangle_shows_the_category_of_each_pair(checked):
    ax = checked.ireval.plot.agreement_triangle(metric="P", test="t", depth=10)
    drawn = [np.asarray(dots.get_offsets()) for dots in ax.collections]
    verdict = checked["verdict"].sel(metric="P", test="t", depth=10).to_numpy()
    assert [len(dots) for dots in drawn] == [int((verdict == code).sum()) for code in range(4)]
    dots = np.concatenate(drawn)
    assert (dots[:, 0] < dots[:, 1]).all()
    assert len({tuple(dot) for dot in dots.tolist()}) == 28
    assert ax.get_xlabel() == "better system, rank by P at k = 10"
    of_those = "one of the depths in depth="
    refused(ParameterError, of_those, agreement_triangle, checked, metric="P", test="t")
    refused(ParameterError, "metric=", agreement_triangle, checked, test="t", depth=10)


class TestBins:
    def test_colours_change_from_warm_to_cool_at_nine_tenths(self):
        colours, norm = binned_colours()
        red, _, blue, _ = colours(norm(0.899))
        assert red > blue
        red, _, blue, _ = colours(norm(0.901))
        assert blue > red


class TestVolatilityMap:
    def test_volatility_map_shows_the_matrix(self, three):
        matrix = three.ireval.volatility()
        ax = matrix.ireval.plot.volatility_map(metric="nDCG")
        drawn = ax.collections[0].get_array()
        np.testing.assert_array_equal(np.ma.filled(drawn, np.nan), matrix.sel(metric="nDCG"))
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("evaluation depth of nDCG",) * 2
        assert ax.get_title(loc="left") == "dotted: pool depth 10"
        assert len(ax.lines) == 2
        assert ax.get_figure().axes[1].get_ylabel() == "Kendall's tau"

    def test_volatility_map_of_few_depths_has_integer_ticks(self, three):
        ax = three.sel(depth=[1, 2]).ireval.volatility().ireval.plot.volatility_map(metric="nDCG")
        assert {*ax.get_xticks() % 1, *ax.get_yticks() % 1} == {0}

    def test_axis_labels_name_the_metrics_of_both_sides(self, three):
        matrix = three.sel(depth=[1, 5, 50]).ireval.volatility("ASL", "tau_ap")
        ax = matrix.ireval.plot.volatility_map(metric="nDCG")
        assert ax.get_xlabel() == "evaluation depth of ASL"
        assert ax.get_ylabel() == "evaluation depth of nDCG"
        assert ax.get_xlim() == (0.5, 50.5)
        assert ax.get_figure().axes[1].get_ylabel() == "AP correlation"

    @pytest.mark.filterwarnings("ignore:.* agreements are undefined")
    def test_undefined_correlations_are_grey(self, three):
        matrix = (three[:1] * 0).sel(depth=[1, 5]).ireval.volatility()
        ax = matrix.ireval.plot.volatility_map()
        assert ax.collections[0].get_array().mask.all()
        assert to_rgb(ax.collections[0].get_cmap().get_bad()) == to_rgb("#D5D8DC")

    def test_matrices_with_several_depths_or_groups_are_refused(self, three):
        several = three.sel(depth=[1, 2]).ireval.volatility()
        refused(ParameterError, "nDCG", several.ireval.plot.volatility_map)
        grouped = three[:1].sel(depth=[1, 2]).ireval.groupby("team").volatility()
        refused(ParameterError, "team", grouped.ireval.plot.volatility_map)
        refused(InputError, "depth_other", three[:1].ireval.plot.volatility_map)
