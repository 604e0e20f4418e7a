"""Scorers in training loops, and frames for pytrec_eval and ranx."""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval
from refusals import refused

import irframe as ir
from irframe.errors import IdError, InputError, ParameterError

RUNS, QRELS = ir.example_track()
RUN = RUNS[RUNS["system"] == "bm25"]
METRICS = ["nDCG@10", "AP", "RBP(p=0.8)"]
PLAIN = ["nDCG_at_10", "AP", "RBP.p-0.8"]


@pytest.fixture(scope="module")
def scorer():
    return ir.scorer(QRELS, METRICS)


def rows():
    """Return topics, and arrays of documents and scores by rank."""
    deep = RUN.groupby("topic").head(20).groupby("topic", sort=False)
    groups = [
        (topic, subset["doc"].to_numpy(), subset["score"].to_numpy()) for topic, subset in deep
    ]
    topics, docs, scores = zip(*groups, strict=True)
    return np.array(topics), np.stack(docs), np.stack(scores)


def test_labelled_checkpoints_can_be_compared(scorer):
    steps = [
        scorer(RUNS[RUNS["system"] == name], system=f"step-{n}")
        for n, name in enumerate(["bm25", "splade", "monot5"])
    ]
    frame = pd.concat(steps)
    scores = frame.ireval.compare(baseline="step-0")
    expected = ir.evaluate(RUNS, QRELS, METRICS).loc[["bm25", "splade", "monot5"]]
    expected = expected.ireval.compare(baseline="bm25")
    assert scores["p"].tolist() == pytest.approx(expected["p"].tolist(), rel=1e-9)
    assert [*frame.index.unique("system")] == ["step-0", "step-1", "step-2"]
    refused(InputError, "a run of one system, but found 8 systems", scorer, RUNS, system="all")


def test_means_over_batches_equal_means_of_the_complete_run(scorer):
    expected = scorer.mean(RUN.groupby("topic").head(20))
    topic, doc, score = rows()
    batches = scorer.batches()
    for _epoch in range(2):  # `compute` removes all batches
        for some in np.array_split(np.arange(len(topic)), 3):
            batches.update(topic[some], doc[some], score[some])
        assert batches.compute() == dict(zip(PLAIN, expected.values(), strict=True))
    batches.update(topic[:1], doc[:1], score[:1])
    refused(IdError, "again", batches.update, topic[:1], doc[:1], score[:1])


def test_invalid_batches_are_refused(scorer):
    batches = scorer.batches()
    for lists, error in (
        ([], InputError),
        ([(["101"], [["a", "a"]], [[1, 2]])], IdError),
        ([(["101"], [["a"]], [["high"]])], InputError),
        ([(["101"], [["a"]], [[1]]), (["102"], [[3]], [[1]])], IdError),
    ):
        batches.reset()
        for batch in lists:
            batches.update(*batch)
        with pytest.raises(error):
            batches.compute()


def test_batches_accept_positions_and_tensors(scorer):
    topic, doc, score = rows()
    positions = scorer.docs.get_indexer(doc.ravel()).reshape(doc.shape)
    assert (positions == -1).sum() > len(topic)
    batches = scorer.batches()
    for some in np.array_split(np.arange(len(topic)), 3):
        tensors = map(
            Tensor, (scorer.topics.get_indexer(topic[some]), positions[some], score[some])
        )
        batches.update(*tensors)
    expected = scorer.mean(topic=topic, doc=positions, score=score)
    assert [*batches.compute().values()] == [*expected.values()]


class Tensor:
    """A stand-in for a torch tensor."""

    def __init__(self, values):
        self.values = values
        self.dtype = "torch.bfloat16" if values.dtype.kind == "f" else "torch.int64"

    def detach(self):
        return self

    def cpu(self):
        return self if self.dtype == "torch.bfloat16" else self.values

    def float(self):
        return self.values


class Model:
    def __init__(self, vectors):
        self.vectors = vectors

    def encode(self, texts):
        return Tensor(np.array([self.vectors[text] for text in texts]))


class SplitModel(Model):
    """A model with separate methods for queries and documents."""

    encode = None

    def encode_query(self, texts):
        return Model.encode(self, texts)

    encode_document = encode_query


@pytest.mark.parametrize("kind", [Model, SplitModel])
@pytest.mark.parametrize("similarity", [None, lambda a, b: a @ b.T])
def test_an_evaluator_searches_and_scores(kind, similarity, scorer):
    rng = np.random.default_rng(0)
    topics, docs = QRELS["topic"].unique(), QRELS["doc"].unique()
    vectors = {name: rng.normal(size=4) for name in [*(f"q{t}" for t in topics), *docs]}
    queries, corpus = {t: f"q{t}" for t in topics}, {doc: doc for doc in docs}
    evaluator = scorer.evaluator(queries, corpus, k=15, name="dev", similarity=similarity)
    result = evaluator(kind(vectors), output_path="x", epoch=1, steps=3)
    run = {}
    for topic in topics:
        scores = {}
        for doc in docs:
            a, b = vectors[f"q{topic}"], vectors[doc]
            length = 1 if similarity else np.linalg.norm(a) * np.linalg.norm(b)
            scores[doc] = float(a @ b / length)
        best = sorted(scores, key=scores.get, reverse=True)[:15]
        run[topic] = {doc: scores[doc] for doc in best}
    expected = scorer.mean(run)
    assert [*result] == [f"dev_{name}" for name in PLAIN]
    assert [*result.values()] == pytest.approx([*expected.values()], rel=1e-12)
    assert evaluator.primary_metric == "dev_nDCG_at_10"
    assert evaluator.greater_is_better
    assert [*evaluator] == [evaluator]
    assert not ir.scorer(QRELS, "ASL").evaluator(queries, corpus).greater_is_better


def test_invalid_options_of_evaluators_are_refused(scorer):
    refused(InputError, "at least one query and one document", scorer.evaluator, {}, {"d": "x"})
    refused(ParameterError, "k to be a whole number", scorer.evaluator, {"q": "x"}, {"d": "x"}, k=0)
    refused(ParameterError, "names to be one of", scorer.mean, RUN, names="short")


def test_pytrec_eval_returns_the_same_scores():
    runs, qrels = ir.example_track()
    judged = ir.verbs.to_pytrec_eval(qrels)
    converted = ir.verbs.to_pytrec_eval(runs)
    assert list(converted) == runs["system"].unique().tolist()
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map"})
    expected = ir.evaluate(runs, qrels, "map")["map"]
    for system, run in converted.items():
        scores = {topic: row["map"] for topic, row in evaluator.evaluate(run).items()}
        assert scores == pytest.approx(expected.loc[system].to_dict(), abs=1e-9)


def test_converted_dictionaries_give_the_same_scores():
    runs, qrels = ir.example_track()
    pd.testing.assert_frame_equal(
        ir.evaluate(runs, qrels, "AP"),
        ir.evaluate(runs.ireval.to_pytrec_eval(), qrels.ireval.to_pytrec_eval(), "AP"),
    )


def test_ids_are_converted_to_text():
    run = pd.DataFrame({"qid": [1, 1], "docno": [7, 3], "score": [2, 5]})
    assert ir.verbs.to_pytrec_eval(run) == {"1": {"3": 5.0, "7": 2.0}}
    assert ir.verbs.to_pytrec_eval(run.set_index("qid")) == {"1": {"3": 5.0, "7": 2.0}}
    assert ir.verbs.to_pytrec_eval(pa.table(run)) == {"1": {"3": 5.0, "7": 2.0}}
    qrels = pd.DataFrame({"qid": [1], "docno": [7], "label": np.int8([2])})
    assert ir.verbs.to_pytrec_eval(qrels) == {"1": {"7": 2}}
    assert type(ir.verbs.to_pytrec_eval(qrels)["1"]["7"]) is int


def test_ranks_are_converted_to_scores():
    run = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "rank": [5, 2]})
    assert ir.verbs.to_pytrec_eval(run) == {"1": {"b": -1, "a": -2}}


def test_runs_of_one_system_have_no_level_of_systems():
    run = pd.DataFrame({"run": "x", "topic": "1", "doc": ["a"], "score": 1.0})
    assert ir.verbs.to_pytrec_eval(run) == {"1": {"a": 1.0}}


def test_invalid_frames_are_refused():
    run = pd.DataFrame({"topic": "1", "doc": ["a", "a"], "score": 1.0})
    refused(IdError, "every document once", lambda: ir.verbs.to_pytrec_eval(run))
    qrels = pd.DataFrame({"topic": "1", "doc": ["a", "a"], "grade": [0, 1]})
    refused(IdError, "one judgment per topic", lambda: ir.verbs.to_pytrec_eval(qrels))
    refused(
        InputError, "a run as a pandas DataFrame, but found int", lambda: ir.verbs.to_pytrec_eval(3)
    )


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:unsafe cast")
def test_frames_are_converted_to_ranx():
    ranx = pytest.importorskip("ranx")
    runs, qrels = ir.example_track()
    judged, result = ir.verbs.to_ranx(qrels), runs.ireval.to_ranx()
    assert isinstance(judged, ranx.Qrels)
    assert [run.name for run in result] == runs["system"].unique().tolist()
    expected = ir.evaluate(runs, qrels, "AP")
    pd.testing.assert_frame_equal(
        ir.evaluate({run.name: run for run in result}, judged, "AP").reindex_like(expected),
        expected,
    )
    single = ir.verbs.to_ranx(runs[runs["system"] == "bm25"])
    assert single.name == "bm25"
    assert ir.verbs.to_ranx(runs[runs["system"] == "bm25"].drop(columns="system")).name is None


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ranx", None)
    refused(InputError, "pip install ranx", lambda: ir.verbs.to_ranx(ir.example_track()[0]))
