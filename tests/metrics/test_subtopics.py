"""Metrics of subtopics and strata agree with references and tools.

Metrics of subtopics agree with reference implementations and ndeval. xinfAP and infNDCG agree with
reference implementations on every input path of judgments.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.novelty import ORACLES
from oracles.sampled import counts, stratified_average_precision, stratified_ndcg
from refusals import refused
from strategies import scored
from turns import few_of

import irframe as ir
from irframe.errors import GradeError, InputError, IrframeWarning, MetricError
from irframe.metrics import METRICS, Block, Evidence
from irframe.metrics.facts import added_by_rank
from irframe.quantities.subtopics import ideal_gains

PEER = json.loads(Path(__file__).with_name("_pyndeval").joinpath("values.json").read_text())
TEXTS = [
    *("AP_IA", "ERR_IA", "ERR_IA(alpha=0.2, bound=False)", "ERR_IA(alpha=1.0)", "NRBP"),
    *("NRBP(alpha=0.9, beta=0.3)", "P_IA", "StRecall", "alpha_DCG", "alpha_DCG(bound=False)"),
    *("alpha_DCG(alpha=0.0)", "alpha_nDCG", "alpha_nDCG(alpha=0.7)", "alpha_nDCG(alpha=1.0)"),
    *("nERR_IA", "nERR_IA(alpha=0.3)", "nNRBP", "nNRBP(alpha=0.1, beta=0.8)"),
]
GAINS = ("AP", "P", "RR", "nDCG", "Recall", "RBP(p=0.8)", "ERR")
"""Names of metrics that `IA` averages over subtopics."""
UNBOUND = ("alpha_DCG(bound=False)", "ERR_IA(alpha=0.2, bound=False)")

documents = st.lists(st.sets(st.integers(0, 4), max_size=3), max_size=9)


def subtopic_evidence(metric, ranking, missed=()):
    """Return evidence for one list of documents with subtopics."""
    every = [*ranking, *missed]
    names = list(dict.fromkeys(name for document in every for name in document))
    grade = np.array([[name in document for name in names] for document in every], np.int16)
    grade = grade.reshape(len(every), len(names))
    relevant, alpha = grade.any(axis=1), getattr(metric, "alpha", 0.0)
    block = Block(
        grade=relevant[: len(ranking)].astype(np.int16),
        retrieved=np.array(len(ranking)),
        levels=np.array([0, 1]),
        count=np.bincount(relevant, minlength=2),
        top=1,
        doc=np.arange(len(ranking)),
        start=np.array(0),
        subtopic_grade=grade,
        subtopic_count=np.stack([(grade == level).sum(axis=0) for level in (0, 1)], axis=-1),
        ideal=ideal_gains(grade > 0, np.zeros(len(grade), int), 1, alpha),
        ideal_of=np.array([[alpha, 1.0]]),
    )
    return Evidence(block)


def score_subtopics(metric, ranking, missed=()):
    return metric.score(subtopic_evidence(metric, ranking, missed))


def fields(metric):
    return {
        name: value
        for name, value in vars(metric).items()
        if name in {"alpha", "beta", "bound", "metric"}
    }


def test_every_metric_of_subtopics_is_tested():
    named = {name for name, kind in METRICS.items() if kind.subtopics}
    assert named == set(ORACLES)
    assert {type(ir.parse_metric(text)).__name__ for text in TEXTS} == ORACLES.keys()


@pytest.mark.parametrize("text", TEXTS)
@given(ranking=documents.filter(bool), missed=documents)
def test_scores_agree_with_the_reference_implementation(text, ranking, missed):
    metric = ir.parse_metric(text)
    scores = score_subtopics(metric, ranking, missed)
    oracle = ORACLES[type(metric).__name__]
    expected = [oracle(ranking, missed, k, **fields(metric)) for k in range(1, len(ranking) + 1)]
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)
    if text not in UNBOUND:
        assert (scores >= 0).all()
        assert (scores <= 1.2).all()
    if type(metric).terms is not None:
        added = added_by_rank(metric, subtopic_evidence(metric, ranking, missed))
        np.testing.assert_allclose(added.sum(), scores[-1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("text", few_of(TEXTS, 3))
@given(ranking=documents.filter(bool), missed=documents, names=st.permutations(range(5)))
def test_the_order_of_subtopics_and_later_ranks_do_not_change_scores(text, ranking, missed, names):
    metric = ir.parse_metric(text)
    scores = score_subtopics(metric, ranking, missed)
    renamed = [
        [{names[subtopic] for subtopic in covered} for covered in side]
        for side in (ranking, missed)
    ]
    np.testing.assert_allclose(score_subtopics(metric, *renamed), scores, rtol=1e-12)
    half = 1 + len(ranking) // 2
    cut = score_subtopics(metric, ranking[:half], [*ranking[half:], *missed])
    np.testing.assert_allclose(cut, scores[:half], rtol=1e-12)


@pytest.mark.parametrize("text", GAINS)
@given(ranking=documents.filter(bool), missed=documents)
def test_intent_aware_scores_are_means_over_subtopics(text, ranking, missed):
    scores = score_subtopics(ir.metrics.IA(metric=text), ranking, missed)
    names = sorted(set().union(*ranking, *missed))
    by_subtopic = [
        scored(
            ir.parse_metric(text),
            [int(name in covered) for covered in ranking],
            [int(name in covered) for covered in (*ranking, *missed)],
        )
        for name in names
    ]
    expected = np.mean(by_subtopic, axis=0) if names else np.zeros(len(ranking))
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


def test_ideal_rankings_score_one():
    ranking = [{0, 1, 2}, {3}, {0, 1}, {2}]
    for name in ("alpha_nDCG", "nERR_IA"):
        np.testing.assert_allclose(score_subtopics(ir.parse_metric(name), ranking), 1)
    assert score_subtopics(ir.metrics.nNRBP(), ranking)[-1] == pytest.approx(1)


@pytest.mark.parametrize("setting", PEER["values"], ids=lambda setting: str(setting["alpha"]))
def test_scores_agree_with_ndeval(setting):
    """Scores equal those of ndeval except for two errors.

    ndeval does not divide by the bound at rank 1, and nNRBP of ndeval divides 0 by 0.
    """
    peer = pd.DataFrame(setting["scores"]).T.drop(columns=["ERR-IA@1", "alpha-DCG@1"])
    assert peer.columns[peer.isna().any()].tolist() in (["nNRBP"], [])
    peer = peer.fillna(0.0)
    parameters = {name: setting[name] for name in ("alpha", "beta")}
    metrics = []
    for name in peer.columns:
        metric = ir.parse_metric(name)
        changes = {field: value for field, value in parameters.items() if hasattr(metric, field)}
        metrics.append(replace(metric, **changes).named(name))
    qrels = pd.DataFrame(PEER["qrels"], columns=["topic", "subtopic", "doc", "grade"])
    run = pd.DataFrame(PEER["run"], columns=["topic", "doc", "score"])
    scores = run.ireval.evaluate(qrels, metrics).droplevel("system")
    assert len(scores) == 12
    np.testing.assert_allclose(scores, peer.loc[scores.index], rtol=1e-9, atol=1e-12)


def test_texts_of_intent_aware_metrics_are_parsed_to_equal_metrics():
    metric = ir.metrics.IA(metric=ir.metrics.nDCG(gain="exp") @ 10)
    assert str(metric) == "IA(metric=\"nDCG(gain='exp')\")@10"
    assert ir.parse_metric(str(metric)) == metric == ir.metrics.IA(metric="nDCG(gain='exp')") @ 10
    assert str(ir.metrics.AP_IA(rel=2)) == "IA(metric='AP', rel=2)"
    assert ir.parse_metric("IA(metric='P(rel=2)')@5") == ir.metrics.P_IA(rel=2) @ 5
    refused(
        MetricError, "a metric with a parameter rel", lambda: ir.metrics.IA(metric="Judged", rel=2)
    )


@pytest.mark.parametrize("text", ["ASL", "NumRet", "alpha_nDCG", "AP(judged_only=True)", "GMAP"])
def test_metrics_without_a_mean_over_subtopics_are_refused(text):
    refused(MetricError, "a metric of gain", lambda: ir.metrics.IA(metric=text))


STRATA_METRICS = {
    "infAP": stratified_average_precision,
    "xinfAP(rel=2)": lambda ranking, pool, k: stratified_average_precision(ranking, pool, k, rel=2),
    "infNDCG": lambda ranking, pool, k: stratified_ndcg(ranking, pool, k, 3),
    "infNDCG(gain='exp', ideal='judged')": lambda ranking, pool, k: stratified_ndcg(
        ranking, pool, k, 3, gain="exp", ideal="judged"
    ),
}


def sampled(seed, *, share=0.5):
    """Return runs, and judgments sampled from up to three strata."""
    rng = np.random.default_rng(seed)
    judged, runs = [], []
    for topic in "1234":
        pool = [f"d{number}" for number in rng.permutation(30)[: rng.integers(4, 20)]]
        frame = pd.DataFrame({"topic": topic, "doc": pool})
        frame["stratum"] = rng.choice(["low", "mid", "top"], len(pool))
        frame["grade"] = rng.choice([0, 0, 1, 2, 3], len(pool))
        for rows in frame.groupby("stratum").groups.values():
            n_judged = max(1, round(share * len(rows)))
            frame.loc[rng.permutation(rows)[n_judged:], "grade"] = -1
        judged.append(frame)
        for system in "ab":
            docs = [f"d{number}" for number in rng.permutation(35)[: rng.integers(5, 25)]]
            scores = -np.arange(len(docs), dtype=float)
            run = {"system": system, "topic": topic, "doc": docs, "score": scores}
            runs.append(pd.DataFrame(run))
    qrels = pd.concat(judged, ignore_index=True)
    qrels.loc[qrels.index[0], "grade"] = 3
    return pd.concat(runs, ignore_index=True), qrels


def expected(runs, qrels, k):
    """Return scores of reference implementations, shape (metric, system, topic)."""
    result = []
    for oracle in STRATA_METRICS.values():
        rows = []
        for system in "ab":
            scores = []
            for topic, pool in qrels.groupby("topic"):
                by_doc = dict(
                    zip(pool["doc"], zip(pool["stratum"], pool["grade"], strict=True), strict=True)
                )
                run = runs[(runs["system"] == system) & (runs["topic"] == topic)]
                ranking = [by_doc.get(doc) for doc in run["doc"]]
                scores.append(oracle(ranking, list(by_doc.values()), k))
            rows.append(scores)
        result.append(rows)
    return np.array(result)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2))
def test_scores_of_every_input_path_agree_with_the_reference_implementation(seed, tmp_path):
    runs, qrels = sampled(seed)
    qrels.ireval.write_qrels(tmp_path / "sample.txt")
    loaded = ir.read_qrels(tmp_path / "sample.txt")
    same = ["topic", "doc", "stratum", "grade"]
    assert loaded[same].astype(str).equals(qrels[same].astype(str))
    cube = runs.ireval.cube(loaded)
    cube.ireval.save(tmp_path / "cube")
    deepest = cube.sizes["depth"]
    columns = runs.ireval.evaluate(
        loaded.sample(frac=1, random_state=seed), [*STRATA_METRICS], depth=5
    )
    scorer = ir.scorer(qrels.assign(stratum=qrels["stratum"].astype("category")), [*STRATA_METRICS])
    for k in (1, 5, deepest):
        slow = expected(runs, qrels, k)
        cubes = [cube, ir.open_cube(tmp_path / "cube"), cube.isel(topic=[2, 0, 3, 1])]
        cubes += [ir.concat([cube.isel(topic=[0, 1]), cube.isel(topic=[2, 3])])]
        cubes += [ir.concat([cube.isel(system=[0]), cube.isel(system=[1])], dim="system")]
        for cube_of_path in cubes:
            scores = cube_of_path.ireval.score(*STRATA_METRICS, at=k).sel(
                topic=cube.topic, system=["a", "b"]
            )
            np.testing.assert_allclose(scores, slow, rtol=1e-9, atol=1e-12)
        if k == 5:
            values = columns.sort_index().to_numpy().T.reshape(slow.shape)
            np.testing.assert_allclose(values, slow, rtol=1e-9, atol=1e-12)
    uncut = {name: name.replace(", ideal='judged'", "") for name in STRATA_METRICS}
    scores = cube.ireval.score(*uncut.values(), at=deepest)
    np.testing.assert_allclose(
        scorer(runs).to_numpy().T.reshape(scores.shape), scores, rtol=1e-9, atol=1e-12
    )


def test_inferred_metrics_of_complete_judgments_are_ap_and_ndcg():
    runs, qrels = sampled(1, share=1)
    cube = runs.ireval.cube(qrels)
    pairs = {"infAP": "AP", "infNDCG": "nDCG(ideal='full')", "infNDCG(ideal='judged')": "nDCG"}
    inferred, complete = (cube.ireval.score(*names) for names in (pairs.keys(), pairs.values()))
    np.testing.assert_allclose(inferred, complete, atol=1e-4)


def test_scores_agree_with_sample_eval(shared):
    cases = json.loads((shared / "golden" / "inferred_strata.json").read_text())["cases"]
    runs = {str(n): {doc: -rank for rank, doc in enumerate(c["run"])} for n, c in enumerate(cases)}
    qrels = pd.concat(
        pd.DataFrame(case["qrels"], columns=["doc", "stratum", "grade"]).assign(topic=str(n))
        for n, case in enumerate(cases)
    )
    scores = ir.evaluate({"run": runs}, qrels, ["infAP", "infNDCG"]).loc["run"]
    assert len(cases) == 22
    for name, values in scores.items():
        expected = pd.Series({str(n): case[name] for n, case in enumerate(cases)})
        pd.testing.assert_series_equal(values.round(12), expected.round(12), check_names=False)


def large(rng):
    """Return a list, and a pool with many relevant documents."""
    grade = rng.choice([0, 1, 2, 3], 1800, p=[0.05, 0.15, 0.4, 0.4])
    stratum = rng.choice(["1", "2", "3"], 1800)
    grade[(rng.random(1800) < 0.5) | (stratum == "3")] = -1
    grade[0], stratum[0] = 3, "1"
    docs = [f"d{n}" for n in range(1800)]
    return rng.permutation([*docs, "x", "y"])[:1500], {"doc": docs, "stratum": stratum}, grade


@pytest.mark.parametrize("seed", range(2))
def test_lists_and_ideal_rankings_are_cut_at_rank_1000(seed):
    docs, pool, grade = large(np.random.default_rng(seed))
    qrels = pd.DataFrame(pool).assign(topic="1", grade=grade)
    run = {"1": dict(zip(docs, -np.arange(1500.0), strict=True))}
    by_doc = dict(zip(pool["doc"], zip(pool["stratum"], grade.tolist(), strict=True), strict=True))
    ranking = [by_doc.get(doc) for doc in docs]
    names = ["infAP", "infNDCG", "infNDCG(ideal='judged')@1200"]
    with pytest.warns(IrframeWarning, match="without judged documents, .*in 1 topic: 3 of topic 1"):
        scores = ir.evaluate(run, qrels, names).iloc[0]
    documents = list(by_doc.values())
    assert sum(r * N / n for N, n, r in counts(documents).values() if n) > 1000
    assert scores["infAP"] == pytest.approx(stratified_average_precision(ranking, documents, 1500))
    ideals = ((1500, "full"), (1200, "judged"))
    slow = [stratified_ndcg(ranking, documents, k, 3, ideal=ideal) for k, ideal in ideals]
    assert scores.tolist()[1:] == pytest.approx(slow)


def test_strata_without_judged_documents_are_named_in_a_warning():
    runs, qrels = sampled(0)
    lost = qrels.assign(
        grade=qrels["grade"].where((qrels["stratum"] != "mid") | (qrels["topic"] > "2"), -1)
    )
    message = (
        "leave out strata without judged documents, .*in 2 topics: mid of topic 1, mid of topic"
    )
    cube = runs.ireval.cube(lost)
    for score in (
        lambda: runs.ireval.evaluate(lost, ["infNDCG", "infAP"]),
        lambda: ir.scorer(lost, "infAP"),
        lambda: cube.ireval.score("xinfAP", "infNDCG", at=3),
    ):
        with pytest.warns(IrframeWarning, match=message) as caught:
            score()
        assert len(caught) == 1
    with pytest.warns(IrframeWarning, match=message):
        scores = cube.ireval.score(*STRATA_METRICS).isel(depth=-1)
    np.testing.assert_allclose(scores, expected(runs, lost, 99), atol=1e-12)
    with pytest.raises(
        GradeError, match="2 strata without judged documents: mid of topic 1, mid of topic 2"
    ):
        cube.ireval.estimate("P", at=3)


MISLED = ("AP", "nDCG@3", "P@3", "RBP(p=0.8)", "RR", "Rprec", "SetF")
INFER = ("infAP", "infNDCG", "bpref", "Judged@3", "num_rel_ret", "nDCG(judged_only=True)")


@pytest.mark.parametrize("drawn", ["stratum", "probability", "both", "kept"])
def test_other_metrics_warn_about_sampled_judgments(drawn):
    runs, qrels = sampled(0)
    qrels = qrels.assign(probability=np.where(qrels["grade"] < 0, 0.5, 1.0))
    qrels = {
        "stratum": qrels.drop(columns="probability"),
        "probability": qrels.drop(columns="stratum"),
        "both": qrels,
        "kept": qrels[qrels["grade"] >= 0].assign(probability=0.4),
    }[drawn]
    cube = runs.ireval.cube(qrels)
    message = (
        "a sample of the pool was judged, .* not relevant for {}; to estimate from the sample, use"
    )
    for score in (
        lambda: runs.ireval.evaluate(qrels, [*INFER, *MISLED[:2]]),
        lambda: ir.scorer(qrels, [*INFER, *MISLED[:2]]),
        lambda: cube.ireval.score(*INFER, *MISLED[:2]),
    ):
        with pytest.warns(IrframeWarning, match=message.format("AP, nDCG@3")) as caught:
            score()
        assert len(caught) == 1
    for metric in MISLED:
        with pytest.warns(IrframeWarning, match="a sample of the pool"):
            cube.ireval.score(metric)
    cube.ireval.score(*INFER)


def test_complete_judgments_with_strata_do_not_warn():
    runs, qrels = sampled(1, share=1)
    runs.ireval.evaluate(qrels.assign(probability=1.0), [*MISLED])


def test_operations_that_would_lose_strata_raise_or_warn(tmp_path):
    runs, qrels = sampled(0)
    cube = runs.ireval.cube(qrels)
    more_runs, more_qrels = (frame.assign(topic=frame["topic"] + "x") for frame in (runs, qrels))
    plain = more_runs.ireval.cube(more_qrels.drop(columns="stratum"))
    refused(InputError, "stratum in all cubes or in none", lambda: ir.concat([cube, plain]))
    refused(MetricError, "a best order of ties", lambda: cube.ireval.tie_ranges("infAP"))
    with pytest.warns(IrframeWarning, match="probability, which the TREC format lacks"):
        qrels.assign(probability=0.3).ireval.write_qrels(tmp_path / "drawn.txt")
