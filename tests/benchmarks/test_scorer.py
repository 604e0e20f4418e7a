"""Speed of prepared scorers, compared with a reused pytrec_eval evaluator.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_scorer.py``. Calls of pytrec_eval
and of irframe alternate, and the ratio of the shortest times is reported. The means of
pytrec_eval's scores are computed in Python, as users of pytrec_eval do.
"""

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from measures import measure_of
from timed import race

import irframe as ir

METRICS = {"nDCG@10": "ndcg_cut_10", "AP": "map", "RR": "recip_rank"}
SIZES = {(1, 10): 300, (50, 100): 150, (1000, 100): 12, (1000, 1000): 5, (6980, 1000): 2}
"""Mapping from numbers of topics and documents to rounds."""
LEAST = dict(zip(SIZES, (0.01, 1.3, 2.2, 3.3, 4), strict=True))
"""Mapping from numbers of topics and documents to the lowest ratio of times, pytrec_eval to
irframe."""


def drawn(topics, docs, lists="even", judged=20):
    """Return judgments and even, ragged or tied lists."""
    rng = np.random.default_rng(0)
    run = {}
    for topic in range(topics):
        length = int(rng.integers(docs // 2, docs + 1)) if lists == "ragged" else docs
        names = [f"d{number}" for number in rng.choice(100_000, length, replace=False)]
        scores = rng.normal(size=length)
        scores = scores.round(1) if lists == "tied" else scores
        run[f"q{topic}"] = dict(zip(names, scores.tolist(), strict=True))
    qrels = {
        topic: {doc: int(rng.integers(0, 3)) for doc in list(retrieved)[:judged]}
        for topic, retrieved in run.items()
    }
    return run, qrels


def evaluator(qrels):
    """Return a function that averages pytrec_eval's scores."""
    peer = pytrec_eval.RelevanceEvaluator(qrels, set(METRICS.values()))

    def mean(run):
        scores = peer.evaluate(run).values()
        return {
            name: sum(values[name] for values in scores) / len(scores) for name in METRICS.values()
        }

    return mean


@pytest.mark.parametrize("lists", ["even", "ragged", "tied"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_dictionaries(benchmark, size, lists):
    run, qrels = drawn(*size, lists)
    scorer, peer = ir.scorer(qrels, METRICS), evaluator(qrels)
    if lists != "tied":
        expected = {name: peer(run)[theirs] for name, theirs in METRICS.items()}
        assert scorer.mean(run) == pytest.approx(expected, abs=1e-6)
    calls = lambda: scorer.mean(run), lambda: peer(run)
    ratio = race(benchmark, *calls, "pytrec_eval", SIZES[size])
    assert ratio > LEAST[size] / (1 if lists == "even" else 2)


def by_hand(labels, scores):
    """Return nDCG@10 of arrays by a few lines of numpy."""
    weights = 1 / np.log2(np.arange(2, 12))
    order = np.argsort(-scores, axis=-1, kind="stable")[..., :10]
    gained = np.take_along_axis(labels, order, axis=-1) @ weights
    return gained / (-np.sort(-labels, axis=-1)[..., :10] @ weights)


@pytest.mark.parametrize("shape", [(64, 100), (10,)], ids=str)
def test_a_metric_on_arrays(benchmark, shape):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, shape).astype(float), rng.normal(size=shape)
    ours, theirs = ir.metrics.nDCG(depth=10), lambda: by_hand(labels, scores)
    np.testing.assert_allclose(ours(labels, scores), theirs(), rtol=1e-12)
    calls = lambda: ours(labels, scores), theirs
    assert race(benchmark, *calls, "numpy by hand", 300) > 1 / (3 if len(shape) > 1 else 7)


@pytest.mark.parametrize("shuffled", [False, True], ids=["sorted", "shuffled"])
def test_arrays_by_position(benchmark, shuffled):
    run, qrels = drawn(8000, 40, judged=10)
    scorer, peer, frame = ir.scorer(qrels, METRICS), evaluator(qrels), ir.as_runs(run)
    frame = frame.sort_values(["topic", "score"], ascending=False)
    frame = frame.sample(frac=1, random_state=0) if shuffled else frame
    topic, doc = (
        index.get_indexer(frame[name])
        for index, name in ((scorer.topics, "topic"), (scorer.docs, "doc"))
    )
    score = frame["score"].to_numpy()
    assert scorer.mean(topic=topic, doc=doc, score=score) == scorer.mean(run)
    ours = lambda: scorer.mean(topic=topic, doc=doc, score=score)  # noqa: E731
    assert race(benchmark, ours, lambda: peer(run), "pytrec_eval on dictionaries", 10) > 1


@pytest.mark.parametrize("prepared", [True, False], ids=["prepared", "evaluate"])
@pytest.mark.parametrize("size", [(50, 100), (1000, 100)], ids=str)
def test_frames(benchmark, size, prepared):
    run, qrels = drawn(*size)
    frame, judged = ir.as_runs(run).assign(system="run"), ir.as_qrels(qrels)
    named = {"topic": "query_id", "doc": "doc_id", "grade": "relevance"}
    theirs = frame.rename(columns=named), judged.rename(columns=named)
    measures = [measure_of(name) for name in METRICS]
    scorer = ir.scorer(judged, METRICS)
    ours = lambda: scorer(frame) if prepared else ir.evaluate(frame, judged, METRICS)  # noqa: E731
    peer = lambda: pd.DataFrame(ir_measures.iter_calc(measures, *theirs[::-1]))  # noqa: E731
    ratio = race(benchmark, ours, peer, "ir_measures", 20 if size[0] == 50 else 4)
    assert ratio > (1 if prepared else 0.1)


@pytest.mark.parametrize("size", [(50, 100), (250, 1000)], ids=str)
def test_inside_ir_measures(benchmark, size):
    """No measure is slower with irframe as a provider."""
    providers = ir_measures.DefaultPipeline.providers
    providers_before = providers[:]
    import irframe.interop  # noqa: F401 - puts itself among the providers

    every = providers[:]
    run, qrels = drawn(*size)
    measures = [measure_of(name) for name in METRICS]

    def by(some):
        providers[:] = some
        return ir_measures.calc_aggregate(measures, qrels, run)

    calls = lambda: by(every), lambda: by(providers_before)
    ratio = race(benchmark, *calls, "without irframe", 100 if size[0] == 50 else 5)
    providers[:] = providers_before
    assert ratio > 1 / 1.5
