"""Figures of innate orderings: what they say, and how many things they draw."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.plots.agreement_bars import agreement_bars
from irframe.plots.agreement_triangle import agreement_triangle
from irframe.plots.hasse import hasse
from irframe.plots.orderings import orderings
from irframe.plots.ranking_grid import ranking_grid


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


@pytest.fixture(scope="module")
def checked(cube):
    return cube.ireval.cross_check("P", "AP", test=["t", "sign"], at=[5, 10])


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_topics_side_by_side(cube):
    pair = cube.ireval.line_up("monot5", "bm25", "P", "AP", depth=10)
    ax = pair.ireval.plot.orderings()
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert names == ["a: monot5", "b: bm25", "ordering, k = 1 to 10", "P", "AP"]
    assert [text.get_text() for text in ax.get_yticklabels()] == pair["topic"].to_numpy().tolist()
    assert len(ax.images) == 5
    assert len(ax.texts) == 2 * 16
    zeros = int((pair["difference"] == 0).sum())
    assert texts(ax).count("=") == zeros
    without = orderings(cube.ireval.line_up("monot5", "bm25", depth=3))
    assert len(without.images) == 3
    assert not without.texts


def test_many_topics_are_not_spelled(cube):
    pair = cube.ireval.line_up("monot5", "bm25", "P", depth=10)
    many = pair.isel(topic=np.tile(np.arange(16), 5))
    ax = orderings(many)
    assert ax.get_ylabel() == "80 topics"
    assert not ax.texts


def test_scores_that_are_missing_stay_blank(cube):
    pair = cube.ireval.line_up("monot5", "bm25", "P", depth=10)
    pair["difference"][0, 2] = np.nan
    assert len(orderings(pair).texts) == 15


def test_grid_of_rankings():
    ax = ranking_grid(ir.enumerate_rankings(3))
    assert len(ax.texts) == 64
    assert texts(ax).count("**") == 2
    assert ax.get_title().endswith("1.000")
    ax = ranking_grid(ir.enumerate_rankings(5, "AP"))
    assert not ax.texts
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lexicographic", "by AP, best first")
    assert ax.images[0].get_array().shape == (32, 32)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_partial_order(k):
    grid = ir.enumerate_rankings(k, "AP", "nDCG")
    ax = grid.ireval.plot.hasse()
    assert sorted(texts(ax)) == sorted(grid["row"].to_numpy().tolist())
    assert len(ax.patches) == int(grid["covers"].sum())
    height = {text.get_text(): text.get_position()[1] for text in ax.texts}
    for row, column in np.argwhere(grid["covers"].to_numpy()):
        assert height[grid["row"].values[row]] == height[grid["column"].values[column]] + 1
    places = [text.get_position() for text in ax.texts]
    assert len(set(places)) == 2**k


def test_partial_order_of_long_rankings_is_refused():
    with pytest.raises(ParameterError, match="length 1 to 6"):
        hasse(ir.enumerate_rankings(7))


def test_bars(checked):
    ax = checked.ireval.plot.agreement_bars(test="sign")
    assert len(ax.patches) == 2 * 2 * 4
    heights = [patch.get_height() for patch in ax.patches]
    shares = checked["share"].sel(test="sign").transpose("category", "metric", "depth")
    np.testing.assert_allclose(heights, shares.to_numpy().ravel())
    assert texts(ax) == ["P", "AP"]
    with pytest.raises(ParameterError, match=r"none chosen: t, sign"):
        agreement_bars(checked)


def test_triangle(checked):
    ax = checked.ireval.plot.agreement_triangle(metric="P", test="t", depth=10)
    drawn = [np.asarray(dots.get_offsets()) for dots in ax.collections]
    verdict = checked["verdict"].sel(metric="P", test="t", depth=10).to_numpy()
    assert [len(dots) for dots in drawn] == [int((verdict == code).sum()) for code in range(4)]
    dots = np.concatenate(drawn)
    assert (dots[:, 0] < dots[:, 1]).all()
    assert len({tuple(dot) for dot in dots.tolist()}) == 28
    assert ax.get_xlabel() == "better system, rank by P at k = 10"
    with pytest.raises(ParameterError, match="depth= to be one of those checked"):
        agreement_triangle(checked, metric="P", test="t")
    with pytest.raises(ParameterError, match="metric="):
        agreement_triangle(checked, test="t", depth=10)


@pytest.mark.parametrize(
    "figure", [orderings, ranking_grid, hasse, agreement_bars, agreement_triangle]
)
def test_other_data_are_refused(cube, figure):
    with pytest.raises(InputError):
        figure(cube)


def test_axes_given_are_used(checked):
    ax = plt.figure().add_subplot()
    assert agreement_bars(checked, test="t", ax=ax) is ax
