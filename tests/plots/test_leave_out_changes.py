"""What `leave_out_changes` draws."""

import numpy as np
import pytest
from matplotlib.collections import PathCollection

import irframe as ir
from irframe.plots.pool_curves import leave_out_changes


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_changes_of_runs_left_out(cube):
    rows = cube.ireval.leave_out("AP", "P", at=[5, 10])
    ax = rows.ireval.plot.leave_out_changes(depth=10)
    points = [part for part in ax.collections if isinstance(part, PathCollection)]
    assert [len(part.get_offsets()) for part in points] == [5, 5]
    chosen = rows[(rows["metric"] == "AP") & (rows["depth"] == 10)]
    np.testing.assert_allclose(points[0].get_offsets()[:, 1], chosen["change"])
    assert legend(ax)[0] == f"AP, mean {chosen['change'].mean():.1f}%"
    alone = leave_out_changes(rows[(rows["metric"] == "P") & (rows["depth"] == 5)])
    assert alone.get_title(loc="left") == "depth 5"
