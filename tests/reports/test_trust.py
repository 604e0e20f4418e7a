"""Tests of the sections on judgments and verdicts."""

import pytest
from dense import nameless
from paged import view_of
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError
from irframe.reports.setting import parts
from irframe.reports.trust import _next, verdicts


def next_to_judge(baseline, at=50, changed=lambda cube: cube):
    view = view_of(changed(ir.cube(*ir.example_track())), ["AP"], [at], baseline=baseline)
    (found,) = parts(view, [("next", "the documents to judge next", _next)])
    return view, found


def test_page_lists_the_most_informative_documents():
    view, found = next_to_judge("bm25")
    best = view.labels[view.ranked["order"][0, 0, 0]]
    assert found.says.startswith("Judging 10 of ")
    assert found.says.endswith(f"would tell most about the difference between {best} and bm25")
    assert found.data["priority"].is_monotonic_decreasing
    runs, qrels = ir.example_track()
    rows = runs[runs["system"].isin([best, "bm25"])].merge(found.data[["topic", "doc"]])
    assert rows["doc"].nunique() == found.data["doc"].nunique()
    assert found.data.merge(qrels, on=["topic", "doc"]).empty


def test_section_without_document_names_gives_the_reason():
    _, found = next_to_judge(None, changed=nameless)
    assert found.says == "Not known: the documents to judge next"
    assert "names of the unjudged documents" in found.how[0]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_section_without_verdicts_gives_the_reason(cube):
    asked = {"margin": 0.05, "test": "tukey", "adjust": None}
    (part,) = verdicts(view_of(cube, ["nDCG"], [10], **asked))
    assert part.says == "Not known: the verdicts"
    assert verdicts(view_of(cube, "AP", [10])) == []
    refused(ParameterError, "margin", view_of, cube, "AP", [10], margin=-1)
