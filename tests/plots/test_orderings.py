"""Tests of irframe.plots.orderings."""

import numpy as np
import pytest
from drawn import legend, names, texts
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError
from irframe.plots.orderings import hasse, orderings, ranking_grid


def test_orderings_have_a_panel_for_rankings_orderings_and_differences(cube):
    pair = cube.ireval.side_by_side("monot5", "bm25", "P", "AP", depth=10)
    ax = pair.ireval.plot.orderings()
    shown = [text.get_text() for text in ax.get_xticklabels()]
    assert shown == ["a: monot5", "b: bm25", "ordering, k = 1 to 10", "P", "AP"]
    assert names(ax) == pair["topic"].to_numpy().tolist()
    assert len(ax.images) == 5
    assert len(ax.texts) == 2 * 16
    zeros = int((pair["difference"] == 0).sum())
    assert texts(ax).count("=") == zeros
    without = orderings(cube.ireval.side_by_side("monot5", "bm25", depth=3))
    assert len(without.images) == 3
    assert not without.texts


def test_orderings_of_many_topics_have_no_labels(cube):
    pair = cube.ireval.side_by_side("monot5", "bm25", "P", depth=10)
    many = pair.isel(topic=np.tile(np.arange(16), 5))
    ax = orderings(many)
    assert ax.get_ylabel() == "80 topics"
    assert not ax.texts


def test_missing_differences_are_not_printed(cube):
    pair = cube.ireval.side_by_side("monot5", "bm25", "P", depth=10)
    pair["difference"][0, 2] = np.nan
    assert len(orderings(pair).texts) == 15


def test_explained_stacks_documents_and_marks_the_sum_per_topic(cube):
    documents = cube.ireval.explain("splade", "bm25", "AP", at=20)
    ax = documents.ireval.plot.explained()
    total = documents.groupby("topic")["difference"].sum().sort_values(ascending=False)
    assert [label.get_text() for label in ax.get_xticklabels()] == total.index.tolist()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), total, atol=1e-12)
    heights = np.array([bar.get_height() for bar in ax.patches])
    differences = documents["difference"].to_numpy()
    np.testing.assert_allclose(np.sort(heights), np.sort(differences[differences.round(12) != 0]))
    for pos, topic in enumerate(total.index):
        bars = [bar for bar in ax.patches if round(bar.get_x() + 0.4) == pos]
        ends = [bar.get_y() + bar.get_height() for bar in bars]
        of_topic = documents[documents["topic"] == topic]["difference"]
        assert max(0, *ends, 0) == pytest.approx(of_topic[of_topic > 0].sum())
        assert min(0, *ends, 0) == pytest.approx(of_topic[of_topic < 0].sum())
    assert "more by splade" in legend(ax)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_hasse_arrows_point_from_better_to_worse_rankings(k):
    grid = ir.verbs.enumerate_rankings(k, "AP", "nDCG")
    ax = grid.ireval.plot.hasse()
    assert sorted(texts(ax)) == sorted(grid["row"].to_numpy().tolist())
    assert len(ax.patches) == int(grid["covers"].sum())
    height = {text.get_text(): text.get_position()[1] for text in ax.texts}
    for row, column in np.argwhere(grid["covers"].to_numpy()):
        assert height[grid["row"].values[row]] == height[grid["column"].values[column]] + 1
    positions = [text.get_position() for text in ax.texts]
    assert len(set(positions)) == 2**k


def test_hasse_refuses_rankings_longer_than_six():
    refused(ParameterError, "length 1 to 6", lambda: hasse(ir.verbs.enumerate_rankings(7)))


def test_ranking_grid_has_a_cell_for_every_pair():
    ax = ranking_grid(ir.verbs.enumerate_rankings(3))
    assert len(ax.texts) == 64
    assert texts(ax).count("**") == 2
    assert ax.get_title().endswith("1.000")
    ax = ranking_grid(ir.verbs.enumerate_rankings(5, "AP"))
    assert not ax.texts
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lexicographic", "by AP, best first")
    assert ax.images[0].get_array().shape == (32, 32)
