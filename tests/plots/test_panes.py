"""Tests of irframe.plots.panes."""

import matplotlib as mpl
import numpy as np
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP", "P", at=[5, 10])


def heads(axes):
    return [ax.get_title(loc="left").splitlines()[0] for ax in axes]


def test_panes_share_one_legend(scores):
    results = {"a": scores.ireval.discrimination(), "b": scores.ireval.median_p()}
    axes = ir.plots.panes(results, ir.plots.ratio_curves, columns=1)
    assert heads(axes) == ["a", "b"]
    assert all(ax.get_legend() is None for ax in axes)
    (legend,) = axes[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["AP", "P", "pool depth"]
    np.testing.assert_array_equal(axes[1].lines[0].get_ydata(), results["b"][0])


def test_groups_are_drawn_in_one_pane_each(cube, scores):
    ratios = scores.ireval.groupby("team").discrimination()
    axes = ratios.ireval.groupby("team").plot.ratio_curves()
    assert heads(axes) == [str(team) for team in ratios["team"].to_numpy()]
    np.testing.assert_array_equal(axes[1].lines[0].get_ydata(), ratios[1, 0])
    axes = cube.ireval.groupby("team").plot.unjudged_share(columns=2, figsize=(5, 4))
    assert heads(axes) == [str(team) for team in ratios["team"].to_numpy()]
    assert axes[0].figure.get_size_inches().tolist() == [5, 4]
    frame = scores.ireval.groupby("team").compare()
    axes = frame.ireval.groupby("team").plot.p_value_curves()
    assert "paired t-test" in axes[0].get_title(loc="left")


def test_significance_tests_are_drawn_in_one_pane_each(cube):
    checked = cube.ireval.significance_agreement("P", at=[5, 10], test=["t", "sign"])
    axes = checked.ireval.groupby("test").plot.agreement_bars()
    assert heads(axes) == ["t", "sign"]
    heights = [bar.get_height() for bar in axes[1].patches]
    shares = checked["share"].sel(metric="P", test="sign").transpose("category", "depth")
    np.testing.assert_allclose(heights, shares[: len(heights) // 2].to_numpy().ravel())


def test_paper_restores_the_settings_of_matplotlib(cube, tmp_path):
    before = dict(mpl.rcParams)
    with ir.plots.paper(columns=2):
        assert mpl.rcParams["pdf.fonttype"] == 42
        assert mpl.rcParams["font.size"] == 8
        scores = cube.ireval.score("AP", at=[1, 5])
        figure = scores.ireval.plot.depth_curves().figure
        figure.savefig(tmp_path / "figure.pdf", metadata={"CreationDate": None})
    assert figure.get_size_inches().tolist() == [6.9, 3.4]
    assert b"/CIDFontType2" in (tmp_path / "figure.pdf").read_bytes()
    assert dict(mpl.rcParams) == before


def test_paper_refuses_more_than_two_columns():
    refused(ParameterError, "columns=1 or columns=2, but found 3", lambda: ir.plots.paper(3))
