"""What `length_histogram` draws."""

import pytest

import irframe as ir
from irframe.errors import ParameterError


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def lengths():
    return ir.cube(*ir.example_track()).ireval.search_lengths()


def test_search_lengths_of_two_systems(lengths):
    part = lengths[lengths["system"].isin(["bm25", "monot5"])]
    histogram = part.ireval.length_histogram(width=5)
    ax = histogram.ireval.plot.length_histogram()
    heights = [patch.get_height() for patch in ax.patches]
    assert heights == histogram["documents"].tolist()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks[0] == "1-5"
    assert ticks[-1] == "not\nretrieved"
    assert legend(ax) == ["bm25", "monot5"]
    hatched = [patch for patch in ax.patches if patch.get_hatch()]
    assert len(hatched) == 2
    with pytest.raises(ParameterError, match="at most 4"):
        lengths.ireval.length_histogram().ireval.plot.length_histogram()
