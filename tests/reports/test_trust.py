"""Tests of the sections on judgments and verdicts."""

import pytest
from dense import nameless
from paged import view_of
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError
from irframe.reports.setting import computed_sections
from irframe.reports.trust import _next, verdicts


def next_to_judge(baseline, at=50, changed=lambda cube: cube):
    view = view_of(changed(ir.cube(*ir.example_track())), ["AP"], [at], baseline=baseline)
    (section,) = computed_sections(view, [("next", "the documents to judge next", _next)])
    return view, section


def test_page_lists_the_most_informative_documents():
    view, section = next_to_judge("bm25")
    best = view.labels[view.ranked["order"][0, 0, 0]]
    assert section.says.startswith("Judging 10 of ")
    assert section.says.endswith(f"would tell most about the difference between {best} and bm25")
    assert section.data["priority"].is_monotonic_decreasing
    runs, qrels = ir.example_track()
    rows = runs[runs["system"].isin([best, "bm25"])].merge(section.data[["topic", "doc"]])
    assert rows["doc"].nunique() == section.data["doc"].nunique()
    assert section.data.merge(qrels, on=["topic", "doc"]).empty


def test_section_without_document_names_gives_the_reason():
    _, section = next_to_judge(None, changed=nameless)
    assert section.says == "Not known: the documents to judge next"
    assert "ids of the unjudged documents" in section.how[0]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_section_without_verdicts_gives_the_reason(cube):
    options = {"margin": 0.05, "test": "tukey", "adjust": None}
    (section,) = verdicts(view_of(cube, ["nDCG"], [10], **options))
    assert section.says == "Not known: the verdicts"
    assert verdicts(view_of(cube, "AP", [10])) == []
    refused(ParameterError, "margin", view_of, cube, "AP", [10], margin=-1)
