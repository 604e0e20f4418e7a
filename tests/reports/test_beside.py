"""Tests of lists and texts of two systems."""

import numpy as np
import pytest
from paged import Page, view_of

import irframe as ir
from irframe.comparing.explain import TextsById
from irframe.errors import IdError
from irframe.reports import report as reporting
from irframe.reports.beside import (
    OPENING_BYTES,
    Duel,
    TopLists,
    _lengths,
    by_spread,
    choose,
    top_lists,
)


def test_lists_part_at_the_first_rank_with_different_documents():
    runs = {"a": {"1": {"x": 3, "y": 2, "u": 1}}, "b": {"1": {"x": 3, "v": 2, "y": 1}}}
    cube = ir.cube(runs, {"1": {"x": 1, "y": 2}})
    view, lists = view_of(cube, ["nDCG"], [3]), top_lists(cube, None)
    duel = Duel(view, lists, 0, 1)
    assert duel.parting == 2
    assert [list(row["sides"]) for row in duel.rows] == [
        [("x", "1"), ("x", "1")],
        [("y", "2"), ("v", "?")],
        [("u", "?"), ("y", "2")],
    ]
    same = Duel(view, lists, 0, 0)
    assert same.parting is None
    assert same.says == "a and a score the same on all 1 topic"


def found_at(*ranks):
    """Return a cube of systems with relevant documents at ranks."""
    runs = {
        system: {
            str(topic): {"rel" if n == rank else f"d{n}": -n for n in range(1, 8)}
            for topic, rank in enumerate(of_system)
        }
        for system, of_system in zip("ab", ranks, strict=True)
    }
    return ir.cube(runs, {str(topic): {"rel": 1} for topic in range(len(ranks[0]))})


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_rounding_errors_do_not_sort_the_page():
    shown = view_of(found_at((1, 3, 5, 7), (3, 5, 7, 1)), ["RR"], [7])
    assert shown.ranked["order"].ravel().tolist() == [0, 1]
    section = _lengths(view_of(found_at((2, 4, 1), (1, 2, 4)), ["RR"], [7]), "Twist")
    assert section.data["system"].tolist() == ["a", "b"]
    duel = Duel(view_of(found_at((3, 2), (6, 3)), ["RR"], [7]), None, 0, 1)
    # 1/2 - 1/3 is above 1/3 - 1/6 in floating point
    assert duel.bars["topic"].tolist() == ["0", "1"]


SHOWN = {"metrics": ["nDCG"], "at": [10, 5], "resamples": 100, "baseline": "bm25"}


def texts_of(qrels):
    docs = {doc: f"<b>text</b> of {doc} " + "word " * 100 for doc in qrels["doc"].unique()}
    return {"doc": docs, "topic": {topic: f"query & {topic}" for topic in qrels["topic"].unique()}}


def test_queries_and_snippets_are_escaped_and_shortened(tmp_path, path):
    runs, qrels = ir.example_track()
    texts = texts_of(qrels)
    path_of_page = ir.report(runs, qrels, tmp_path / "page.html", texts=texts, **SHOWN)
    html = path_of_page.read_text(encoding="utf-8")
    page = Page(html)
    shown = page.texts
    assert shown["queries"] == {str(n): f"query & {t}" for n, t in enumerate(page.facts["topics"])}
    names = shown["documents"]
    assert {names[int(doc)] for doc in shown["snippets"]} == {*names} & {*texts["doc"]}
    assert {len(text) for text in shown["snippets"].values()} == {300}
    static = html.partition('id="lists"')[2].partition("</table>")[0]
    assert "&lt;b&gt;text&lt;/b&gt; of d" in static
    assert "<b>" not in static
    assert ": query &amp; 1" in html
    assert "Texts are shown for the" not in html
    assert 'class="snippet"' not in path.read_text(encoding="utf-8")


@pytest.mark.thorough
def test_texts_are_added_up_to_the_page_size(tmp_path, monkeypatch):
    runs, qrels = ir.example_track()
    bare = ir.report(runs, qrels, tmp_path / "bare.html", **SHOWN)
    most = bare.stat().st_size + 27_000
    monkeypatch.setattr(reporting, "PAGE_BYTES", most)
    path = ir.report(runs, qrels, tmp_path / "page.html", texts=texts_of(qrels), **SHOWN)
    assert bare.stat().st_size < path.stat().st_size <= most
    html = path.read_text(encoding="utf-8")
    number = int(html.partition("Texts are shown for the ")[2].partition(" ")[0])
    assert 0 < number < 16


def test_texts_are_chosen_topic_by_topic_until_no_more_fit():
    lists = TopLists(["a", "b", "c"], np.array([[[0, 1], [2, -1]]]), np.zeros((1, 2, 2), np.int16))
    texts = TextsById({"a": "A", "b": "B", "c": "C"}, {"2": "two"})
    all_texts = choose(texts, lists, ["1", "2"], np.array([1, 0]), 40_000)
    assert (all_texts.documents, all_texts.queries, all_texts.topics) == (
        {2: "C", 0: "A", 1: "B"},
        {1: "two"},
        2,
    )
    some = choose(texts, lists, ["1", "2"], np.array([1, 0]), OPENING_BYTES + 90)
    assert (some.documents, some.topics) == ({2: "C"}, 1)
    assert by_spread(np.array([[1, 0, np.nan], [0.5, 1, 1]])).tolist() == [1, 0, 2]


def test_texts_without_a_retrieved_document_are_refused(tmp_path):
    with pytest.raises(IdError, match="texts of docs in the results"):
        ir.report(*ir.example_track(), tmp_path / "page.html", texts={"x": "y"}, **SHOWN)
    assert not (tmp_path / "page.html").exists()
