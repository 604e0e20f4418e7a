"""What `bound_bands` draws."""

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

import irframe as ir


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def within(cube):
    return cube.ireval.bounds("RBP(p=0.8)", "P")


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_bands_by_depth(within):
    ax = within.ireval.plot.bound_bands(metric="P", systems=["ance", "bm25"])
    means = within.sel(metric="P", bound="lower").mean("topic")
    assert legend(ax) == ["ance", "bm25", "pool depth"]
    for line in ax.lines[:2]:
        np.testing.assert_allclose(line.get_ydata(), means.sel(system=line.get_label()))
    bands = [part for part in ax.collections if isinstance(part, PolyCollection)]
    assert len(bands) == 2
    highest = within.sel(metric="P", bound="upper", system="ance").mean("topic").max()
    assert bands[0].get_paths()[0].vertices[:, 1].max() == pytest.approx(float(highest))
    assert "mean P" in ax.get_ylabel()
    assert ax.lines[-1].get_xdata()[0] == 10


def test_bands_of_three_by_default(within):
    ax = within.ireval.plot.bound_bands(metric="RBP(p=0.8)", pool_depth=7)
    final = within.sel(metric="RBP(p=0.8)", bound="lower", depth=50).mean("topic").to_series()
    order = final.sort_values(ascending=False).index
    assert legend(ax)[0] == order[0]
    assert legend(ax)[2:] == [order[-1], "pool depth"]
    assert ax.lines[-1].get_xdata()[0] == 7
