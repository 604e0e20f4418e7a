"""What the report says of judgments."""

from functools import partial

from dense import nameless

import irframe as ir
from irframe.reports.setting import Setting, parts
from irframe.reports.trust import _next
from irframe.reports.view import View

ASKED = {"test": "t", "adjust": "holm", "alpha": 0.05, "samples": 100, "seed": 0}


def next_to_judge(baseline, at=50, changed=lambda cube: cube):
    cube = changed(ir.cube(*ir.example_track()))
    setting = Setting.read(cube, ["AP"], [at], None, {"baseline": baseline, **ASKED})
    view = View("all", setting, cube)
    (found,) = parts([("next", "What should be judged next", partial(_next, view))])
    return view, found


def test_documents_that_would_settle_most_are_named():
    view, found = next_to_judge("bm25")
    best = view.systems[view.order(0, 0)[0]]
    assert found.says.startswith("10 of ")
    assert found.says.endswith(f"would settle most between {best} and bm25")
    assert found.data["priority"].is_monotonic_decreasing
    runs, qrels = ir.example_track()
    rows = runs[runs["system"].isin([best, "bm25"])].merge(found.data[["topic", "doc"]])
    assert rows["doc"].nunique() == found.data["doc"].nunique()
    assert found.data.merge(qrels, on=["topic", "doc"]).empty


def test_nothing_left_to_judge_is_said():
    view, found = next_to_judge(None, at=1)
    a, b = view.names(view.pair)
    assert found.says == f"Every document of {a} and {b} is judged down to depth 1"


def test_a_cube_without_names_says_so():
    _, found = next_to_judge(None, changed=nameless)
    assert found.says == "What should be judged next cannot be told"
    assert "names of the unjudged documents" in found.how[0]
