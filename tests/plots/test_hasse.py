"""What `hasse` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import ParameterError
from irframe.plots.orderings import hasse


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("k", [1, 3, 5])
def test_partial_order(k):
    grid = ir.verbs.enumerate_rankings(k, "AP", "nDCG")
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
        hasse(ir.verbs.enumerate_rankings(7))
