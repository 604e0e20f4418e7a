"""What `unjudged_share` draws."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from dense import dense
from incomplete import incomplete

import irframe as ir
from irframe.cubes.view import experiment_of, shown_as
from irframe.plots.depth_curves import unjudged_share


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_lines_of_unjudged_documents(cube):
    ax = cube.ireval.plot.unjudged_share()
    assert len(ax.lines) == 9
    shares = 100 * (1 - cube.ireval.score("Judged").isel(metric=0).mean("topic"))
    np.testing.assert_allclose(ax.lines[-2].get_ydata(), shares.sel(system="doct5query"))
    assert legend(ax) == ["contributing (5)", "not contributing (3)", "pool depth"]
    plain = cube.isel(system=dense(cube).contributing)
    held = experiment_of(plain)
    unknown = replace(held.pool, depth=np.zeros(16, np.int32))
    shown = shown_as(plain, replace(held, pool=unknown))
    assert legend(unjudged_share(shown)) == ["contributing (5)"]


@incomplete
def test_empty_lists_have_nothing_unjudged():
    runs = pd.DataFrame(
        [("a", "1", "x", 2), ("a", "1", "y", 1), ("b", "1", "x", 1), ("b", "2", "z", 1)],
        columns=["system", "topic", "doc", "score"],
    )
    qrels = pd.DataFrame({"topic": ["1", "2"], "doc": ["x", "z"], "grade": 1})
    ax = runs.ireval.cube(qrels, pool_depth=0).ireval.plot.unjudged_share()
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0, 50], [0, 0]]
