"""Two lists side by side."""

import irframe as ir
from irframe.reports.beside import Duel, top_lists
from irframe.reports.setting import Setting
from irframe.reports.view import View

ASKED = {"test": "t", "adjust": "holm", "alpha": 0.05, "samples": 100, "seed": 0}


def test_two_lists_part_where_they_first_differ():
    runs = {"a": {"1": {"x": 3, "y": 2, "u": 1}}, "b": {"1": {"x": 3, "v": 2, "y": 1}}}
    cube = ir.cube(runs, {"1": {"x": 1, "y": 2}})
    setting = Setting.read(cube, ["nDCG"], [3], None, {"baseline": None, **ASKED})
    duel = Duel(View("all", setting, cube), top_lists(cube, None), 0, 1)
    assert duel.parting == 2
    assert [list(row["sides"]) for row in duel.rows] == [
        [("x", "1"), ("x", "1")],
        [("y", "2"), ("v", "?")],
        [("u", "?"), ("y", "2")],
    ]
    same = Duel(View("all", setting, cube), top_lists(cube, None), 0, 0)
    assert same.parting is None
    assert same.says == "a and a score the same on all 1 topic"
