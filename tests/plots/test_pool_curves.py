"""What `pool_curves` draws."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import irframe as ir
from irframe.plots.pool_curves import pool_curves


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_curves_of_pools(cube):
    growth = cube.ireval.pool_growth()
    left, right = growth.ireval.plot.pool_curves()
    np.testing.assert_allclose(left.lines[0].get_ydata(), growth.relevant)
    np.testing.assert_allclose(right.lines[0].get_ydata(), growth.rate)
    assert left.get_legend() is None
    several = pool_curves({"all": growth, "part": growth.sel(depth=[2, 4])})
    assert [len(pane.lines) for pane in several] == [2, 2]
    assert legend(several[1]) == ["all", "part"]
    given = plt.subplots(1, 2)[1]
    assert list(pool_curves(growth, ax=given)) == list(given)
