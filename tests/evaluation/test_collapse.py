"""Lists of chunks collapsed to lists of documents."""

import warnings

import pandas as pd
import pytest
from flat import arguments
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.cubes.score_arrays import refuse_units
from irframe.errors import IdError, InputError, IrframeWarning, ParameterError

CHUNKS = pd.DataFrame(
    {
        "system": "s",
        "topic": "1",
        "chunk_id": ["b#1", "a#1", "b#2", "a#2", "c#1"],
        "doc_id": ["b", "a", "b", "a", "c"],
        "score": [5.0, 4.0, 3.0, 2.0, 1.0],
    }
)
QRELS = pd.DataFrame({"topic": "1", "doc": ["a", "c"], "grade": [1, 1]})
PATTERN = r"(.+)#\d+"


@st.composite
def lists(draw):
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from("pq"), st.sampled_from("12"), st.sampled_from("abc"),
                      st.integers(0, 3)),
            min_size=1, max_size=20, unique=True,
        )
    )  # fmt: skip
    scores = draw(
        st.lists(st.sampled_from([0.0, 1.0, 2.5, -1.0]), min_size=len(rows), max_size=len(rows))
    )
    names = ["system", "topic", "doc", "place"]
    frame = pd.DataFrame(rows, columns=names).assign(score=scores)
    return frame.assign(chunk=frame["doc"] + "#" + frame["place"].astype(str))


def slow(runs, by):
    """Return the ranked documents by system and topic."""
    result = {}
    for key, group in runs.drop(columns="doc").ireval.rank().groupby(["system", "topic"]):
        order, scores = [], {}
        for chunk, score in zip(group["chunk"], group["score"], strict=True):
            doc = chunk[0]
            order += [doc] * (doc not in order)
            scores.setdefault(doc, []).append(score)
        ways = {"max": max, "sum": sum, "mean": lambda scores: sum(scores) / len(scores)}
        value = {doc: ways[by](of_doc) if by in ways else 0 for doc, of_doc in scores.items()}
        result[key] = sorted(order, key=lambda doc: -value[doc])
    return result


@pytest.mark.parametrize("by", ["first", "max", "sum", "mean"])
@given(runs=lists())
def test_documents_are_ranked_by_their_chunks(by, runs):
    collapsed = ir.verbs.collapse(runs, rank_by=by)
    result = {
        key: group.sort_values("rank")["doc"].tolist()
        for key, group in collapsed.groupby(["system", "topic"])
    }
    assert result == slow(runs, by)
    assert collapsed["chunks"].sum() == len(runs)


@given(runs=lists(), seed=st.integers(0, 9))
def test_evaluate_with_units_equals_evaluate_of_collapsed_runs(runs, seed):
    qrels = runs[["topic", "doc"]].drop_duplicates().sample(frac=0.5, random_state=seed)
    judged = pd.concat([qrels, runs[["topic", "doc"]][:1]]).drop_duplicates().assign(grade=1)
    chunks = runs.drop(columns=["place"]).rename(columns={"doc": "doc_id"})
    collapsed = chunks.ireval.collapse("doc_id").rename(columns={"doc_id": "doc"})
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        expected = chunks.ireval.evaluate(judged, ["RR", "AP"], units="doc_id")
        scores = collapsed.ireval.evaluate(judged, ["RR", "AP"])
        pd.testing.assert_frame_equal(scores, expected)


def test_documents_with_equal_scores_keep_the_order_of_their_chunks():
    run = pd.DataFrame({"topic": "1", "chunk": ["z#1", "c#1", "b#1"], "score": 1.0})
    of = {"z#1": "a", "c#1": "c", "b#1": "b"}
    collapsed = run.ireval.collapse(of=of)
    assert collapsed["doc"].tolist() == ["a", "c", "b"]
    assert ir.evaluate(collapsed, {"1": {"a": 1}}, "RR").iloc[0, 0] == 1
    at = ir.evaluate(collapsed, {"1": {"a": 1}}, "RR", stop=ir.Threshold(1.0))
    assert at.iloc[0, 0] == 1


WAYS = {
    "a column": {"of": "doc_id"},
    "a pattern": {"of": PATTERN},
    "a dictionary": {"of": {chunk: chunk[0] for chunk in CHUNKS["chunk_id"]}},
    "a frame": {"of": CHUNKS[["chunk_id", "doc_id"]]},
    "a series": {"of": CHUNKS.set_index("chunk_id")["doc_id"]},
}


@pytest.mark.filterwarnings("ignore:no interval for:irframe.errors.IrframeWarning")
@pytest.mark.parametrize("form", WAYS)
def test_evaluate_scorer_and_cube_count_each_document_once(form):
    runs = CHUNKS if form == "a column" else CHUNKS.drop(columns="doc_id")
    expected = {"AP": (1 / 2 + 2 / 3) / 2, "Recall@2": 0.5, "Recall": 1.0}
    metrics = list(expected)
    table = runs.ireval.evaluate(QRELS, metrics, **arguments(ir.evaluate, WAYS[form]))
    assert table.iloc[0].to_dict() == pytest.approx(expected)
    judged = ir.scorer(QRELS, metrics, **arguments(ir.evaluate, WAYS[form]))
    assert judged.mean(runs) == pytest.approx(expected)
    scores = runs.ireval.cube(QRELS, **arguments(ir.cube, WAYS[form])).ireval.score("AP", "Recall")
    assert scores.isel(depth=-1).to_numpy().ravel().tolist() == pytest.approx([expected["AP"], 1.0])
    for result in (table, scores):
        assert result.attrs["unit"] == "doc, at its first chunk"
    assert "units: doc, at its first chunk" in table.ireval.styled().to_latex()


def test_scorers_collapse_arrays_and_dictionaries():
    judged = ir.scorer(QRELS, "AP", units=ir.Units(PATTERN))
    arrays = {"topic": ["1", "1"], "doc": ["b#1", "a#1"], "score": [2.0, 1.0]}
    run = {"1": {"b#1": 2.0, "a#1": 1.0}}
    assert judged.mean(**arrays) == judged.mean(run) == {"AP": 0.25}


def test_ties_between_chunks_are_broken_before_collapsing():
    tied = pd.DataFrame({"topic": "1", "chunk": ["z#1", "a#9", "b#1"], "score": 1.0})
    of = {"z#1": "a", "a#9": "c", "b#1": "b"}
    scores = tied.ireval.cube(QRELS, units=ir.Units(of)).ireval.score("RR").to_numpy().ravel()
    assert scores.tolist() == [1.0, 1.0, 1.0]


READERS = {
    "evaluate": lambda runs, _: ir.evaluate(runs, QRELS, "AP"),
    "cube": lambda runs, _: ir.cube(runs, QRELS),
    "scorer": lambda runs, _: ir.scorer(QRELS, "AP").mean(runs),
    "scanned": lambda _, file: ir.scan_runs(file).ireval.evaluate(QRELS, "AP"),
    "a scanned cube": lambda _, file: ir.scan_runs(file).ireval.cube(QRELS),
    "a scanned scorer": lambda _, file: ir.scorer(QRELS, "AP")(ir.scan_runs(file)),
    "read": lambda _, file: ir.read_runs(file).ireval.evaluate(QRELS, "AP"),
    "judge": lambda runs, _: ir.verbs.judge(runs, QRELS),
    "written": lambda runs, file: ir.verbs.write_run(runs, file.with_suffix(".run")),
    "pytrec_eval": lambda runs, _: ir.verbs.to_pytrec_eval(runs),
}


@pytest.mark.parametrize("rows", [5, 2])
@pytest.mark.parametrize("reader", READERS)
def test_runs_with_columns_of_chunks_and_documents_are_refused(reader, rows, tmp_path):
    CHUNKS[:rows].to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="chunks in 'chunk_id' and documents in '(doc_id|doc)'"):
        READERS[reader](CHUNKS[:rows], tmp_path / "a.parquet")


def test_runs_with_only_chunks_are_scored_by_chunk():
    chunks = QRELS.assign(doc=["a#1", "c#1"])
    judged = CHUNKS.drop(columns="doc_id").ireval.evaluate(chunks, "RR")
    assert judged.iloc[0, 0] == 0.5


def test_collapsed_runs_have_a_column_with_their_unit():
    several = pd.concat([CHUNKS.assign(system=s, unit=f"{s} words") for s in ("100", "200")])
    scores = ir.verbs.collapse(several, "doc_id")
    assert set(scores["unit"]) == {"doc_id"}
    refuse_units(scores.ireval.evaluate(QRELS, "AP"))


def test_chunks_of_judged_documents_raise_a_warning():
    chunks = CHUNKS.drop(columns="doc_id")
    advice = "collapse chunks to documents with units="
    with pytest.warns(IrframeWarning, match=f"no retrieved document is judged: .*{advice}"):
        chunks.ireval.evaluate(QRELS, "AP")
    docs = (
        ir.verbs.collapse(chunks, of=PATTERN)
        .assign(system="docs")
        .rename(columns={"doc": "chunk_id"})
    )
    with pytest.warns(
        IrframeWarning, match=rf"look like chunks of judged documents \(s\); {advice}"
    ):
        cube = pd.concat([chunks, docs]).ireval.cube(QRELS)
    with pytest.warns(IrframeWarning, match="chunks of judged documents"):
        table = pd.concat([chunks, docs]).ireval.evaluate(QRELS, "AP")
    for scores in (cube.ireval.score("AP", at=2), table):
        refused(InputError, "s of chunks, docs of doc", scores.ireval.compare)
    refuse_units(table.loc[["docs"]])


REFUSED = {
    "an unknown chunk": (
        IdError,
        "no value for: c#1",
        {"of": {"a#1": "a", "a#2": "a", "b#1": "b", "b#2": "b"}},
    ),
    "a pattern without a group": (ParameterError, "one group", {"of": r".+#\d+"}),
    "no pattern": (ParameterError, "pattern", {"of": "(a"}),
    "a pattern that misses names": (IdError, "no document for: b#1", {"of": r"(.+)_\d+"}),
    "two documents for a chunk": (
        IdError,
        "several values for the names: a#1",
        {"of": pd.DataFrame({"chunk_id": ["a#1", "a#1"], "doc": ["a", "b"]})},
    ),
    "a number": (ParameterError, "a dictionary", {"of": 3}),
    "ties that share ranks": (
        ParameterError,
        "orders chunks with equal scores",
        {"of": PATTERN, "ties": "mean"},
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_chunks_are_refused(case):
    error, message, options = REFUSED[case]
    with pytest.raises(error, match=message):
        CHUNKS.drop(columns="doc_id").ireval.evaluate(
            QRELS, "P@2", **arguments(ir.evaluate, options)
        )


def test_repeated_chunks_and_missing_scores_are_refused():
    twice = pd.concat([CHUNKS, CHUNKS[:1]])
    refused(IdError, "1 document listed again", ir.verbs.collapse, twice, "doc_id")
    ranked = CHUNKS.drop(columns="score").assign(rank=range(5))
    assert ir.verbs.collapse(ranked, "doc_id")["doc_id"].tolist() == ["b", "a", "c"]
    refused(InputError, "scores", ir.verbs.collapse, ranked, "doc_id", rank_by="sum")
    listed = CHUNKS.rename(columns={"score": "listed_score"}).assign(rank=range(5))
    summed = [ir.verbs.collapse(x, "doc_id", rank_by="sum") for x in (CHUNKS, listed)]
    assert summed[0]["doc_id"].tolist() == summed[1]["doc_id"].tolist()
    assert summed[0]["listed_score"].tolist() == summed[1]["listed_score"].tolist()
    rising = listed.assign(listed_score=-listed["listed_score"])
    refused(
        InputError,
        "lists in which 'listed_score' rises",
        ir.verbs.collapse,
        rising,
        "doc_id",
        rank_by="sum",
    )
    with pytest.raises(ParameterError, match="the document of each chunk"):
        ir.verbs.collapse(CHUNKS[["topic", "chunk_id", "score"]])


def test_budgets_count_every_chunk_that_is_read():
    chunks = ["a#0", "a#1", "b#0", "c#0", "a#2", "d#0"]
    run = pd.DataFrame(
        {"topic": "q", "chunk_id": chunks, "doc_id": [*"aabcad"], "rank": range(1, 7)}
    ).assign(tokens=[100, 50, 30, 20, 60, 10])
    qrels = {"q": dict.fromkeys("abcd", 1)}
    budgets = [99, 100, 179, 180, 200, 269, 270]
    scores = ir.evaluate(
        run, qrels, ["Recall"], units=ir.Units("doc_id", length="tokens"), stop=ir.Budget(budgets)
    )
    assert scores.iloc[0].tolist() == [0, 0.25, 0.25, 0.5, 0.75, 0.75, 1]


def test_columns_of_sections_are_not_read_as_systems():
    chunks = pd.DataFrame({"topic": "1", "doc": [*"ababcc"], "score": range(6, 0, -1)})
    sections = chunks.assign(section=[*"xxyyxy"])
    scores, expected = (
        runs.ireval.evaluate({"1": {"b": 1}}, "RR", units="doc") for runs in (sections, chunks)
    )
    pd.testing.assert_frame_equal(scores, expected)
    unordered = sections.sort_values("section", kind="stable")
    message = r"different values in 'section' .*If 'section' names systems"
    refused(InputError, message, unordered.ireval.evaluate, QRELS, "RR", units="doc")
