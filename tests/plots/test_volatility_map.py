"""What `volatility_map` draws."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import irframe as ir
from irframe.errors import ParameterError


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP(norm='min')", "nDCG", "ASL")


@pytest.fixture(scope="module")
def cube():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels)


class TestVolatilityMap:
    def test_the_mesh_is_the_matrix(self, scores):
        matrix = scores.ireval.volatility()
        ax = matrix.ireval.plot.volatility_map(metric="nDCG")
        drawn = ax.collections[0].get_array()
        np.testing.assert_array_equal(np.ma.filled(drawn, np.nan), matrix.sel(metric="nDCG"))
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("evaluation depth of nDCG",) * 2
        assert ax.get_title(loc="left") == "dotted: pool depth 10"
        assert len(ax.lines) == 2
        assert ax.get_figure().axes[1].get_ylabel() == "Kendall's tau"

    def test_small_depths_may_have_more_room(self, scores):
        matrix = scores.ireval.volatility(at=[1, 2, 5, 50])
        ax = matrix.ireval.plot.volatility_map(metric="nDCG", log=True)
        assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
        assert ax.get_xlim() == (0.5, 50.5)

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
