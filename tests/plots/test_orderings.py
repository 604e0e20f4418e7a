"""What `orderings` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.plots.orderings import orderings


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_topics_side_by_side(cube):
    pair = cube.ireval.side_by_side("monot5", "bm25", "P", "AP", depth=10)
    ax = pair.ireval.plot.orderings()
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert names == ["a: monot5", "b: bm25", "ordering, k = 1 to 10", "P", "AP"]
    assert [text.get_text() for text in ax.get_yticklabels()] == pair["topic"].to_numpy().tolist()
    assert len(ax.images) == 5
    assert len(ax.texts) == 2 * 16
    zeros = int((pair["difference"] == 0).sum())
    assert texts(ax).count("=") == zeros
    without = orderings(cube.ireval.side_by_side("monot5", "bm25", depth=3))
    assert len(without.images) == 3
    assert not without.texts


def test_many_topics_are_not_spelled(cube):
    pair = cube.ireval.side_by_side("monot5", "bm25", "P", depth=10)
    many = pair.isel(topic=np.tile(np.arange(16), 5))
    ax = orderings(many)
    assert ax.get_ylabel() == "80 topics"
    assert not ax.texts


def test_scores_that_are_missing_stay_blank(cube):
    pair = cube.ireval.side_by_side("monot5", "bm25", "P", depth=10)
    pair["difference"][0, 2] = np.nan
    assert len(orderings(pair).texts) == 15
