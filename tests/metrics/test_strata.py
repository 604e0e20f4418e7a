"""Samples of strata: xinfAP and infNDCG against slow loops, on every road that judgments take."""

import numpy as np
import pandas as pd
import pytest
from oracles.sampled import stratified_average_precision, stratified_ndcg

import irframe as ir
from irframe.errors import GradeError, InputError, IrframeWarning, MetricError

METRICS = {
    "infAP": stratified_average_precision,
    "xinfAP(rel=2)": lambda ranking, pool, k: stratified_average_precision(ranking, pool, k, rel=2),
    "infNDCG": lambda ranking, pool, k: stratified_ndcg(ranking, pool, k, 3),
    "infNDCG(gain='exp', ideal='judged')": lambda ranking, pool, k: stratified_ndcg(
        ranking, pool, k, 3, gain="exp", ideal="judged"
    ),
}


def sampled(seed, *, share=0.5):
    """Return runs and judgments of pools with up to three strata, of each a part judged."""
    rng = np.random.default_rng(seed)
    judged, runs = [], []
    for topic in "1234":
        pool = [f"d{place}" for place in rng.permutation(30)[: rng.integers(4, 20)]]
        frame = pd.DataFrame({"topic": topic, "doc": pool})
        frame["stratum"] = rng.choice(["low", "mid", "top"], len(pool))
        frame["grade"] = rng.choice([0, 0, 1, 2, 3], len(pool))
        for rows in frame.groupby("stratum").groups.values():
            kept = max(1, round(share * len(rows)))
            frame.loc[rng.permutation(rows)[kept:], "grade"] = -1
        judged.append(frame)
        for system in "ab":
            docs = [f"d{place}" for place in rng.permutation(35)[: rng.integers(5, 25)]]
            scores = -np.arange(len(docs), dtype=float)
            run = {"system": system, "topic": topic, "doc": docs, "score": scores}
            runs.append(pd.DataFrame(run))
    qrels = pd.concat(judged, ignore_index=True)
    qrels.loc[qrels.index[0], "grade"] = 3
    return pd.concat(runs, ignore_index=True), qrels


def expected(runs, qrels, k):
    """Score every list slowly, shape (metric, system, topic)."""
    found = []
    for oracle in METRICS.values():
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
        found.append(rows)
    return np.array(found)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2))
def test_every_road_gives_what_the_slow_loop_gives(seed, tmp_path):
    runs, qrels = sampled(seed)
    qrels.ireval.write_qrels(tmp_path / "sample.txt")
    read = ir.read_qrels(tmp_path / "sample.txt")
    assert (
        read[["topic", "doc", "stratum", "grade"]]
        .astype(str)
        .equals(qrels[["topic", "doc", "stratum", "grade"]].astype(str))
    )
    cube = runs.ireval.cube(read)
    cube.ireval.save(tmp_path / "cube")
    whole = cube.sizes["depth"]
    columns = runs.ireval.evaluate(read.sample(frac=1, random_state=seed), [*METRICS], depth=5)
    scorer = ir.scorer(qrels.assign(stratum=qrels["stratum"].astype("category")), [*METRICS])
    for k in (1, 5, whole):
        slow = expected(runs, qrels, k)
        roads = [cube, ir.open_cube(tmp_path / "cube"), cube.isel(topic=[2, 0, 3, 1])]
        roads += [ir.concat([cube.isel(topic=[0, 1]), cube.isel(topic=[2, 3])])]
        roads += [ir.concat([cube.isel(system=[0]), cube.isel(system=[1])], dim="system")]
        for road in roads:
            found = road.ireval.score(*METRICS, at=k).sel(topic=cube.topic, system=["a", "b"])
            np.testing.assert_allclose(found.squeeze("depth"), slow, rtol=1e-9, atol=1e-12)
        if k == 5:
            values = columns.sort_index().to_numpy().T.reshape(slow.shape)
            np.testing.assert_allclose(values, slow, rtol=1e-9, atol=1e-12)
    uncut = {name: name.replace(", ideal='judged'", "") for name in METRICS}
    found = cube.ireval.score(*uncut.values(), at=whole).squeeze("depth")
    np.testing.assert_allclose(
        scorer(runs).to_numpy().T.reshape(found.shape), found, rtol=1e-9, atol=1e-12
    )


def test_complete_judgments_give_ap_and_ndcg():
    runs, qrels = sampled(1, share=1)
    cube = runs.ireval.cube(qrels)
    pairs = {"infAP": "AP", "infNDCG": "nDCG(ideal='full')", "infNDCG(ideal='judged')": "nDCG"}
    one, other = (cube.ireval.score(*names) for names in (pairs.keys(), pairs.values()))
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_strata_without_judged_documents_are_named():
    runs, qrels = sampled(0)
    lost = qrels.assign(
        grade=qrels["grade"].where((qrels["stratum"] != "mid") | (qrels["topic"] != "2"), -1)
    )
    told = "a judged document in every stratum; found 1 strata without: mid of topic 2"
    for score in (
        lambda: runs.ireval.evaluate(lost, "infNDCG"),
        lambda: ir.scorer(lost, "infAP"),
        lambda: runs.ireval.cube(lost).ireval.score("xinfAP", at=3),
    ):
        with pytest.raises(GradeError, match=told):
            score()
    assert runs.ireval.evaluate(lost, "AP@2").notna().all(axis=None)


def test_a_stratum_of_one_document_needs_its_judgment_whatever_that_is():
    runs = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "score": [2.0, 1.0]})
    qrels = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "stratum": ["one", "two"]})
    assert runs.ireval.evaluate(qrels.assign(grade=[1, 0]), "infAP")["infAP"].item() == 1
    with pytest.raises(GradeError, match="found 1 strata without: two of topic 1"):
        runs.ireval.evaluate(qrels.assign(grade=[1, -1]), "infAP")


def test_what_does_not_fit_strata_is_refused(tmp_path):
    runs, qrels = sampled(0)
    cube = runs.ireval.cube(qrels)
    one, other = (each.assign(topic=each["topic"] + "x") for each in (runs, qrels))
    plain = one.ireval.cube(other.drop(columns="stratum"))
    with pytest.raises(InputError, match="cubes that all have stratum, or none"):
        ir.concat([cube, plain])
    with pytest.raises(InputError, match="a cube as it was built"):
        cube.assign_coords(stratum=cube.stratum.roll(judged=1)).ireval.score("AP")
    with pytest.raises(MetricError, match="lists as they are ranked"):
        cube.ireval.tie_ranges("infAP")
    with pytest.warns(IrframeWarning, match="probability, which the TREC format lacks"):
        qrels.assign(probability=0.3).ireval.write_qrels(tmp_path / "drawn.txt")
