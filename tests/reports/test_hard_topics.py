"""Topics, the hardest first."""

import numpy as np
import pytest

import irframe as ir
from irframe.reports.ladder import HardTopics
from irframe.reports.setting import Setting
from irframe.reports.view import View

ASKED = {"test": "t", "adjust": "holm", "alpha": 0.05, "samples": 100, "seed": 0}


@pytest.fixture(scope="module")
def view():
    cube = ir.cube(*ir.example_track())
    setting = Setting.read(cube, ["P(rel=3)", "ASL"], [1, 10], 10, ASKED | {"baseline": None})
    return View("all", setting, cube)


@pytest.mark.parametrize(("metric", "depth"), [(0, 0), (0, 1), (1, 1)])
def test_topics_stand_by_their_median(view, metric, depth):
    found = HardTopics(view, metric, depth)
    scores = view.scores.isel(metric=metric, depth=depth)
    table = found.table.set_index("topic")
    for name, share in (("low", 0), ("q1", 0.25), ("median", 0.5), ("q3", 0.75), ("high", 1)):
        expected = scores.quantile(share, "system").sel(topic=table.index)
        np.testing.assert_allclose(table[name], expected)
    sign = 1 if metric == 0 else -1
    assert (sign * table["median"]).is_monotonic_increasing
    for topic, row in table.iterrows():
        best = scores.sel(topic=topic)
        assert (
            best.sel(system=row["best"]) == row["top"] == (best.max() if sign > 0 else best.min())
        )
    assert len(found.rows) == 16


def test_topics_on_which_nobody_finds_are_counted(view):
    found = HardTopics(view, 0, 0)
    nothing = (view.scores.isel(metric=0, depth=0).max("system") == 0).sum().item()
    assert nothing > 0
    assert found.says.startswith(f"All systems score 0 on {nothing} of 16 topics: ")
    assert "score 0" not in HardTopics(view, 1, 0).says
