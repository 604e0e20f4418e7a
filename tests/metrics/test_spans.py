"""Metrics of spans agree with reference implementations over characters."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import spans as slow
from properties.experiments import experiment
from properties.verbs import VERBS, asked
from turns import few_of

import irframe as ir
from irframe.errors import InputError, IrframeWarning, MetricError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")

DOCS = ["a", "b"]
TEXTS = {
    "SpanR": slow.recall,
    "SpanP": slow.precision,
    "SpanIoU": slow.union,
    "SpanF": slow.f_measure,
    "SpanF(beta=2.0)": lambda e, r, k: slow.f_measure(e, r, k, beta=2.0),
    "All": slow.everything,
    "All(share=0.5)": lambda e, r, k: slow.everything(e, r, k, share=0.5),
}


@st.composite
def borders(draw, *more, least=0):
    """Draw spans of two documents."""
    start = st.integers(0, 12)
    span = st.tuples(st.sampled_from(DOCS), start, st.integers(1, 9), *more)
    rows = draw(st.lists(span, min_size=least, max_size=7))
    return [(doc, low, low + size, *set_name) for doc, low, size, *set_name in rows]


def judged(evidence, names=("doc", "start", "end")):
    frame = pd.DataFrame(evidence, columns=[*names]).assign(topic="1")
    return ir.as_spans(frame)


def runs_of(lists):
    rows = [
        (system, "1", *span, rank)
        for system, spans in enumerate(lists)
        for rank, span in enumerate(spans)
    ]
    names = ["system", "topic", "doc", "start", "end", "rank"]
    return pd.DataFrame(rows, columns=names).assign(system=lambda frame: frame["system"].map(str))


LISTS = st.lists(borders(least=1), min_size=1, max_size=3)


@given(evidence=borders(least=1), lists=LISTS)
def test_scores_at_every_depth_agree_with_the_reference_implementation(evidence, lists):
    scores = ir.cube(runs_of(lists), judged(evidence)).ireval.score(*TEXTS)
    for system, spans in enumerate(lists):
        for text, oracle in TEXTS.items():
            actual = scores.sel(metric=text, system=str(system)).to_numpy().ravel()
            expected = [oracle(evidence, spans, k) for k in range(1, len(actual) + 1)]
            np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)


@given(evidence=borders(st.sampled_from("xyz"), least=1), lists=LISTS)
def test_one_complete_span_of_each_set_suffices(evidence, lists):
    spans = judged(evidence, ("doc", "start", "end", "set"))
    scores = ir.cube(runs_of(lists), spans).ireval.score("All", "SpanR")
    for system, retrieved in enumerate(lists):
        actual = scores.sel(system=str(system)).to_numpy().reshape(2, -1)
        depths = range(1, actual.shape[1] + 1)
        expected = [slow.every_set(evidence, retrieved, k) for k in depths]
        np.testing.assert_array_equal(actual[0], expected)
        plain = [span[:3] for span in evidence]
        np.testing.assert_allclose(actual[1], [slow.recall(plain, retrieved, k) for k in depths])


def test_alternatives_of_a_set_may_overlap(tmp_path):
    spans = judged([("a", 0, 10, "x"), ("a", 5, 30, "x")], ("doc", "start", "end", "set"))
    cube = ir.cube(runs_of([[("a", 0, 12)], [("a", 4, 30)], [("a", 2, 29)]]), spans)
    cube.ireval.save(tmp_path / "cube")
    for same in (cube, ir.open_cube(tmp_path / "cube")):
        scores = same.ireval.score("All", "SpanR")[..., 0].squeeze().to_numpy()
        np.testing.assert_allclose(scores, [[1, 1, 0], [12 / 30, 26 / 30, 27 / 30]])


def _complete(spans, budget):
    read_spans = []
    for doc, start, end in spans:
        budget -= end - start
        if budget < 0:
            break
        read_spans.append((doc, start, end))
    return read_spans


def _skipped(spans, budget):
    read_spans = []
    for doc, start, end in spans:
        if end - start <= budget:
            budget -= end - start
            read_spans.append((doc, start, end))
    return read_spans


def _cut(spans, budget):
    read_spans = []
    for doc, start, end in spans:
        stop = min(end, start + budget)
        budget -= stop - start
        if stop > start:
            read_spans.append((doc, start, stop))
    return read_spans


CUTS = {"whole": _complete, "skip": _skipped, "part": _cut}


@pytest.mark.parametrize("cut", CUTS)
@given(evidence=borders(least=1), lists=LISTS)
def test_scores_at_every_budget_agree_with_the_reference_implementation(cut, evidence, lists):
    runs = runs_of(lists).assign(characters=lambda frame: frame["end"] - frame["start"])
    budget = [1, 3, 7, 20]
    cube = ir.cube(runs, judged(evidence), units=ir.Units(length="characters"))
    scores = cube.ireval.score(*TEXTS, stop=ir.Budget(budget, cut=cut))
    assert scores.dims == ("metric", "system", "topic", "budget")
    options = {"units": ir.Units(length="characters"), "stop": ir.Budget(budget, cut=cut)}
    table = ir.evaluate(runs, judged(evidence), list(TEXTS), **options)
    for system, spans in enumerate(lists):
        for text, oracle in TEXTS.items():
            actual = scores.sel(metric=text, system=str(system)).to_numpy().ravel()
            cut_lists = [CUTS[cut](spans, limit) for limit in budget]
            expected = [oracle(evidence, some, len(some)) for some in cut_lists]
            np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)
            names = [f"{text} in {limit} characters" for limit in budget]
            np.testing.assert_array_equal(table.loc[str(system), names].to_numpy().ravel(), actual)


def test_adjacent_spans_do_not_overlap():
    spans = judged([("a", 10, 20)])
    runs = runs_of([[("a", 0, 10), ("a", 20, 30)], [("a", 9, 21)]])
    scores = ir.evaluate(runs, spans, "SpanR")["SpanR"].tolist()
    assert scores == [0.0, 1.0]


def test_overlapping_evidence_is_merged_and_counted():
    with pytest.warns(IrframeWarning, match="merged 1 overlapping span of evidence"):
        ir.evaluate(runs_of([[("a", 0, 9)]]), judged([("a", 0, 5), ("a", 3, 9)]), "SpanR")


def test_scores_of_topics_without_evidence_are_0_or_nan():
    spans = judged([("a", 0, 5)])
    none = spans.assign(topic="2", grade=0)
    runs = pd.concat([runs_of([[("a", 0, 9)]]), runs_of([[("a", 0, 9)]]).assign(topic="2")])
    table = ir.evaluate(runs, pd.concat([spans, none]), ["SpanR", "SpanP", "All"])
    np.testing.assert_allclose(table.to_numpy(), [[1, 5 / 9, 1], [0, 0, np.nan]])


def test_metrics_refuse_judgments_of_another_kind():
    spans, runs = judged([("a", 0, 5)]), runs_of([[("a", 0, 9)]])
    for metric in ("AP", "nDCG@5", "SpanR(judged_only=True)"):
        with pytest.raises(MetricError):
            ir.evaluate(runs, spans, metric)
    qrels = pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]})
    with pytest.raises(MetricError, match="SpanR"):
        ir.evaluate(runs[["system", "topic", "doc", "rank"]], qrels, "SpanR")


def test_all_requires_every_document_or_one_per_set():
    run = pd.DataFrame({"topic": "1", "doc": list("abc"), "score": [3, 2, 1]})
    qrels = pd.DataFrame({"topic": "1", "doc": list("abz"), "grade": 1})
    assert ir.cube(run, qrels).ireval.score("All").to_numpy().ravel().tolist() == [0, 0, 0]
    assert ir.cube(run, qrels[:2]).ireval.score("All").to_numpy().ravel().tolist() == [0, 1, 1]
    sets = qrels.assign(set=["x", "y", "y"])
    assert ir.cube(run, sets).ireval.score("All").to_numpy().ravel().tolist() == [0, 1, 1]


def test_metrics_with_different_depths_are_scored_together():
    spans, runs = judged([("a", 0, 5), ("a", 20, 30)]), runs_of([[("a", 0, 9), ("a", 20, 40)]])
    table = ir.evaluate(runs, spans, ["SpanR@1", "SpanR", "SpanP@1", "All@2"])
    np.testing.assert_allclose(table.to_numpy(), [[1 / 3, 1, 5 / 9, 1]])


GRADES = st.lists(st.integers(0, 3), min_size=1, max_size=8).filter(any)


@given(grades=GRADES, data=st.data())
def test_u_measure_and_time_biased_gain_agree_with_the_reference_implementation(grades, data):
    size = len(grades)
    lengths = data.draw(st.lists(st.integers(0, 900), min_size=size, max_size=size))
    docs = [f"d{number}" for number in range(size)]
    run = pd.DataFrame({"topic": "1", "doc": docs, "score": range(size, 0, -1), "words": lengths})
    qrels = {"1": dict(zip(docs, grades, strict=True))}
    texts = {
        "U": lambda k: slow.decayed(grades, lengths, k),
        "U(patience=1000.0, norm=2.0)": lambda k: slow.decayed(grades, lengths, k, 1000.0, 2.0),
        "TBG": lambda k: slow.time_biased(grades, lengths, k),
        "TBG(half_life=60.0)": lambda k: slow.time_biased(grades, lengths, k, 60.0),
    }
    scores = ir.cube(run, qrels, units=ir.Units(length="words")).ireval.score(*texts)
    table = ir.evaluate(run, qrels, list(texts), units=ir.Units(length="words"))
    for text, oracle in texts.items():
        expected = [oracle(k) for k in range(1, size + 1)]
        np.testing.assert_allclose(scores.sel(metric=text).to_numpy().ravel(), expected)
        np.testing.assert_allclose(table[text].to_numpy(), expected[-1:])


def test_metrics_of_time_need_lengths():
    run = pd.DataFrame({"topic": "1", "doc": ["a"], "score": 1.0})
    with pytest.raises(MetricError, match="lengths"):
        ir.evaluate(run, {"1": {"a": 1}}, "TBG")


def cube_of_spans():
    runs, qrels = experiment(1)
    listed = runs[["system", "topic", "score"]].assign(doc="a", start=range(len(runs)))
    spans = {"topic": qrels["topic"].unique(), "doc": "a", "start": 0, "end": 5}
    runs = listed.assign(end=listed["start"] + 3)
    return runs, ir.as_spans(pd.DataFrame(spans))


OF_CUBES = [
    name
    for name, function in VERBS.items()
    if next(iter(signature(function).parameters)) in {"cube", "data"}
]


@pytest.mark.parametrize("name", few_of(sorted({*OF_CUBES} - {"score", "select_top"}), 3))
def test_errors_about_spans_name_the_function(name):
    runs, spans = cube_of_spans()
    cube = runs.ireval.cube(spans)
    _, options = asked(name, ir.cube(*experiment(1)))
    with pytest.raises(InputError, match=f"for {name}, but found spans"):
        VERBS[name](cube, **options)


def test_functions_that_read_documents_refuse_spans():
    runs, spans = cube_of_spans()
    cube = runs.ireval.cube(spans)
    for refused in (
        cube.ireval.outcomes,
        lambda: runs.ireval.outcomes(spans),
        lambda: runs.ireval.check(spans),
        lambda: runs.ireval.judge(spans),
        lambda: spans.ireval.sample(0.5),
        lambda: cube.ireval.sample(0.5),
        lambda: cube.ireval.bounds("All"),
    ):
        with pytest.raises(InputError, match="spans"):
            refused()


def test_columns_of_spans_are_not_topic_coordinates():
    runs, spans = cube_of_spans()
    judged = spans.assign(end=5 + np.arange(len(spans)), set=list("ab" * 4), kind=list("xy" * 4))
    coords = {*runs.ireval.cube(judged).coords}
    assert "kind" in coords
    assert not coords & {"start", "end", "set"}


def test_selected_and_concatenated_cubes_give_the_same_scores_of_spans():
    runs, spans = cube_of_spans()
    cube = runs.ireval.cube(spans)
    full = cube.ireval.score("SpanR", "All")
    selected = cube.isel(topic=[2, 0], system=[1, 3]).ireval.score("SpanR", "All")
    np.testing.assert_array_equal(selected, full.isel(topic=[2, 0], system=[1, 3]))
    lazy = cube.chunk(topic=2).ireval.score("SpanR", "All").compute()
    np.testing.assert_array_equal(lazy, full)
    single = [cube.isel(system=[number]) for number in range(4)]
    joined = ir.concat(single, dim="system").ireval.score("SpanR", "All")
    np.testing.assert_array_equal(joined, full)
    judged = ir.scorer(spans, "SpanR@2").mean(runs[runs["system"] == "s1"])
    table = ir.evaluate(runs, spans, "SpanR@2")
    assert judged["SpanR@2"] == table.loc["s1", "SpanR@2"].mean()


@pytest.mark.parametrize("sets", few_of([True, False], 2))
def test_cubes_of_spans_are_saved_and_concatenated(tmp_path, sets):
    random, lists = np.random.default_rng(1), np.arange(120) // 10
    start, low = random.integers(0, 30, 120) * 10, random.integers(0, 290, 25)
    runs = pd.DataFrame(
        {"system": lists // 4, "topic": lists % 4, "doc": random.integers(0, 2, 120),
         "start": start, "end": start + 10, "rank": np.arange(120) % 10 + 1, "tokens": start % 7}
    )  # fmt: skip
    spans = pd.DataFrame(
        {"topic": np.arange(25) % 4, "doc": random.integers(0, 2, 25), "start": low, "end": low + 7}
    )
    spans = ir.as_spans(spans.assign(set=low % 3) if sets else spans)
    cube = runs.ireval.cube(spans, units=ir.Units(length="tokens"))

    def assert_equal_scores(got, expected):
        for stop in (None, ir.Budget([5, 20], cut="part"), ir.Budget(20, cut="skip")):
            pair = (
                source.ireval.score("SpanR", "SpanF", "All", stop=stop)
                for source in (got, expected)
            )
            np.testing.assert_array_equal(*pair)

    some = cube.isel(topic=[3, 1], system=[2, 0])
    for name, saved in {"whole": cube, "some": some}.items():
        opened = saved.ireval.save(tmp_path / name)
        assert_equal_scores(opened, saved)
        topics = [opened.isel(topic=[0]), saved.isel(topic=[1])]
        assert_equal_scores(ir.concat(topics), saved.isel(topic=[0, 1]))
        systems = [opened.isel(system=[0]), saved.isel(system=[1])]
        assert_equal_scores(ir.concat(systems, dim="system"), saved.isel(system=[0, 1]))
    second = runs[runs["system"] == 1].ireval.cube(spans[::-1], units=ir.Units(length="tokens"))
    with pytest.raises(InputError, match="cubes with the same judged spans"):
        ir.concat([cube.isel(system=[0]), second], dim="system")


@pytest.mark.parametrize("named", [False, True])
def test_empty_lists_score_1_on_topics_without_evidence(named):
    spans = pd.DataFrame({"topic": "1", "doc": ["x", "x"], "start": [0, 9], "end": [4, 12]})
    spans = spans.assign(grade=1, **({"set": [0, 1]} if named else {}))
    runs = pd.DataFrame({"topic": ["1", "2"], "doc": "x", "start": 0, "end": 4, "score": 1.0})
    runs = runs.assign(system="s")
    topics, options = ["1", "2", "3"], {"no_rel": "silence"}
    with pytest.warns(IrframeWarning, match="topics without judgments have no relevant documents"):
        scores = ir.evaluate(runs, spans, ["SpanR", "SpanP"], topics=topics, **options)
    assert scores["SpanP"].tolist() == [1.0, 0.0, 1.0]
    with pytest.warns(IrframeWarning, match="topics without judgments have no relevant documents"):
        prepared = ir.scorer(spans, ["SpanR", "SpanP"], topics=topics, **options)
    pd.testing.assert_frame_equal(prepared(runs), scores, check_like=True)
