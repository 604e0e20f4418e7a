"""What the report says of judgments, and what goes with it.

Verdicts of a report are those of a comparison with a margin.
"""

import pytest
from dense import nameless
from paged import view_of
from refusals import refused

import irframe as ir
from irframe.cubes.score import score
from irframe.errors import ParameterError
from irframe.reports.setting import parts
from irframe.reports.trust import _next, verdicts


def next_to_judge(baseline, at=50, changed=lambda cube: cube):
    view = view_of(changed(ir.cube(*ir.example_track())), ["AP"], [at], baseline=baseline)
    (found,) = parts(view, [("next", "what should be judged next", _next)])
    return view, found


def test_documents_that_would_settle_most_are_named():
    view, found = next_to_judge("bm25")
    best = view.labels[view.ranked["order"][0, 0, 0]]
    assert found.says.startswith("10 of ")
    assert found.says.endswith(f"would settle most between {best} and bm25")
    assert found.data["priority"].is_monotonic_decreasing
    runs, qrels = ir.example_track()
    rows = runs[runs["system"].isin([best, "bm25"])].merge(found.data[["topic", "doc"]])
    assert rows["doc"].nunique() == found.data["doc"].nunique()
    assert found.data.merge(qrels, on=["topic", "doc"]).empty


def test_nothing_left_to_judge_is_said():
    view, found = next_to_judge(None, at=1)
    a, b = view.labels[list(view.pair)]
    assert found.says == f"Every document of {a} and {b} is judged down to depth 1"


def test_a_cube_without_names_says_so():
    _, found = next_to_judge(None, changed=nameless)
    assert found.says == "Not known: what should be judged next"
    assert "names of the unjudged documents" in found.how[0]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


@pytest.mark.parametrize("baseline", ["bm25", None])
def test_systems_are_held_against_the_baseline_or_the_first(cube, baseline):
    asked = {"margin": 0.05, "baseline": baseline}
    (part,) = verdicts(view_of(cube, ["nDCG", "AP"], [5, 10], 10, **asked))
    against = baseline or "monot5"
    expected = score(cube, "nDCG", "AP", at=10).ireval.compare(
        "t", adjust="holm", baseline=against, margin=0.05
    )
    assert part.data["verdict"].tolist() == expected["verdict"].tolist()
    own = expected.query("metric == 'nDCG'")["verdict"].value_counts()
    assert part.says.startswith(f"By nDCG at depth 10, against {against} with a margin of 0.05: ")
    for word, count in own.items():
        assert f"{count} {word}" in part.says
    assert "each for its pair alone" in part.how[0]
    assert "Verdicts by paired t-test, Holm per metric and depth (7 comparisons)" in part.how[0]
    assert "p_adjusted" in part.data
    bare = verdicts(view_of(cube, ["nDCG"], [10], adjust=None, **asked))[0]
    assert "p" in bare.data
    assert "p_adjusted" not in bare.data


def test_what_has_no_verdict_says_why(cube):
    asked = {"margin": 0.05, "test": "tukey", "adjust": None}
    (part,) = verdicts(view_of(cube, ["nDCG"], [10], **asked))
    assert part.says == "Not known: the verdicts"
    assert verdicts(view_of(cube, "AP", [10])) == []
    refused(ParameterError, "margin", view_of, cube, "AP", [10], margin=-1)
