"""What `difference_histogram` draws."""

import numpy as np
import pytest

import irframe as ir


@pytest.fixture(scope="module")
def lengths():
    return ir.cube(*ir.example_track()).ireval.search_lengths()


def test_wins_and_losses(lengths):
    histogram = lengths.ireval.difference_histogram("monot5", "bm25", bins=3)
    ax = histogram.ireval.plot.difference_histogram()
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, -1)
    assert heights.sum(axis=0).tolist() == histogram["documents"].tolist()
    assert heights[1].tolist() == histogram["unretrieved"].tolist()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks[0].startswith("≤ -")
    assert ticks[3] == "0"
    assert ax.get_xlabel() == "search length in monot5 less that in bm25"
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert told == ["nearer in monot5", "nearer in bm25", "retrieved by one only"]
