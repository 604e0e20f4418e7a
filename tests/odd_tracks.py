"""Unusual tracks and options for tests of the report."""

import numpy as np
import pandas as pd
from flat import arguments

import irframe as ir

BUILT = ("collection", "ties", "pool_depth", "length")
"""Options in `TRACKS` that are passed to `cube` instead of the report."""


def cube_of(runs, qrels, options):
    """Return the cube of a track, built with its options."""
    built = arguments(ir.cube, {name: options[name] for name in BUILT if name in options})
    cube = runs.ireval.cube(qrels, **built)
    return cube.ireval.design(repeats=options["repeats"]) if "repeats" in options else cube


def write_report(runs, qrels, path, options):
    """Write the report of a track with its options."""
    of_cube = {*BUILT, "repeats"}
    data = (runs, qrels) if of_cube.isdisjoint(options) else (cube_of(runs, qrels, options),)
    of_report = {name: value for name, value in options.items() if name not in of_cube}
    return ir.report(*data, path, **arguments(ir.report, of_report))


BASE = {"metrics": ["nDCG", "AP", "nDCG@5", "ASL"], "at": [10, 1, 5], "samples": 100}


BUDGETS = {"at": None, "budget": [500, 100, 1000]}


def _only(systems=None, topics=None):
    runs, qrels = ir.example_track()
    if systems:
        runs = runs[runs["system"].isin(systems)]
    if topics:
        runs, qrels = (frame[frame["topic"].isin(topics)] for frame in (runs, qrels))
    return runs, qrels


def _copies(system, *names):
    """Return the example track with copies of a system.

    If several names are passed, the track contains only the copies.
    """
    runs, qrels = ir.example_track()
    copies = [runs[runs["system"] == system].assign(system=name) for name in names]
    return pd.concat([*copies, *([] if len(names) > 1 else [runs])], ignore_index=True), qrels


def _nothing_relevant():
    runs, qrels = ir.example_track()
    return runs, qrels.assign(grade=0)


def _nothing_judged():
    runs, qrels = ir.example_track()
    return runs.assign(doc="x" + runs["doc"]), qrels


def unequal():
    """Return three tracks that differ in systems, topics and depth."""
    runs, qrels = ir.example_track()
    track = qrels["topic"].astype(int).mod(3).map({0: "deep", 1: "shallow", 2: "alone"})
    third = runs["topic"].astype(int) % 3
    shallow = (third == 1) & (runs["rank"] <= 30) & (runs["system"] != "ance")
    listed = (third == 0) | shallow | (third == 2) & (runs["system"] == "ance")
    return runs[listed], qrels.assign(track=track)


def random_track(systems, topics=20, *, docs=12, judged=0.8, single=False, seed=0):
    """Return random judgments, and runs of increasingly good systems."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(1, 3, (topics, docs)) * (rng.random((topics, docs)) < 0.3)
    if single:
        grades = np.eye(docs, dtype=int)[rng.integers(docs, size=topics)]
    lift = grades * np.linspace(0.2, 1.2, systems)[:, np.newaxis, np.newaxis]
    scores = lift + rng.normal(size=(systems, topics, docs))
    columns = ["system", "topic", "doc", "score"]
    labels = [f"sys{n}" for n in range(systems)], range(1, topics + 1), range(docs)
    index = pd.MultiIndex.from_product(labels, names=columns[:3])
    runs = pd.DataFrame({"score": scores.ravel()}, index).reset_index()
    qrels = pd.DataFrame({"grade": grades.ravel()}, index[: grades.size].droplevel("system"))
    is_judged = rng.random(grades.size) < judged
    text = {"topic": str, "doc": str}
    return runs.astype(text), qrels.reset_index()[is_judged].astype(text)


def _texts():
    runs, qrels = ir.example_track()
    docs = {doc: f"{doc} is about this and that" for doc in runs["doc"].unique()}
    return runs, qrels, {"doc": docs, "topic": {"101": "what is asked", "112": "what else"}}


def _long_names():
    runs, qrels = ir.example_track()
    named = {name: f"{name}-{'a-very-long-name-' * 11}" for name in runs["system"].unique()[1:]}
    return runs.assign(system=runs["system"].replace(named)), qrels


def repeated(column, *single):
    """Return the example track with noisy repeats of systems.

    Systems in `single` have one repeat, and all other systems have three. Ranks are dropped,
    because the noise changes the order of documents.
    """
    runs, qrels = ir.example_track()
    runs = runs.drop(columns="rank")
    counts = {name: 1 if name in single else 3 for name in runs["system"].unique()}
    rng, repeats = np.random.default_rng(0), []
    for name, count in counts.items():
        run = runs[runs["system"] == name]
        noise = 0.3 * run["score"].std() * rng.normal(size=(count, len(run)))
        repeats += [run.assign(score=run["score"] + n, **{column: k}) for k, n in enumerate(noise)]
    return pd.concat(repeats, ignore_index=True), qrels


def staged():
    """Return the example track with two stages that rerank bm25."""
    runs, qrels = ir.example_track()
    runs = runs.drop(columns="rank").assign(reranks="")
    stages, stage = [runs], runs[runs["system"] == "bm25"]
    for name, before, most in (("ten", "bm25", 10), ("five", "ten", 5)):
        stage = stage.sort_values("score", ascending=False).groupby("topic").head(most)
        score = np.random.default_rng(most).permutation(len(stage)).astype(float)
        stage = stage.assign(system=name, reranks=before, score=score)
        stages.append(stage)
    return pd.concat(stages, ignore_index=True), qrels


def _costed():
    runs, qrels = ir.example_track()
    return runs.assign(tokens=90 + 7 * (runs["rank"] % 5)), qrels


def _one_unjudged():
    runs, qrels = _only(["bm25", "ance", "monot5"], FIVE)
    ids = runs["doc"].astype(str)
    return runs.assign(doc=ids.where(runs["system"] != "bm25", "new " + ids)), qrels


FIVE = ["101", "102", "103", "104", "105"]
TRACKS = {
    "example": (ir.example_track, {"baseline": "bm25", "at": [5, 1, 10]}),
    "nothing relevant": (_nothing_relevant, {"metrics": ["nDCG", "AP", "P"]}),
    "nothing judged": (_nothing_judged, {}),
    "one not judged": (_one_unjudged, {}),
    "all tied": (lambda: _copies("bm25", "a", "b", "c"), {"adjust": None}),
    "a copy": (lambda: _copies("monot5", "again"), {"adjust": None}),
    "two systems": (lambda: _only(["bm25", "monot5"], FIVE[:3]), {"metrics": ["RR", "nDCG"]}),
    "first of few": (lambda: _only(["bm25", "monot5"], FIVE), {"adjust": None, "alpha": 0.5}),
    "first of many": (lambda: _only(["bm25", "monot5"]), {"baseline": ["bm25", "monot5"]}),
    "one system": (lambda: random_track(1, docs=10, judged=1), {"metrics": "RBP(p=0.8)"}),
    "one topic": (lambda: _only(topics=["101"]), {}),
    "unequal tracks": (unequal, {"collection": "track"}),
    "a margin": (ir.example_track, {"baseline": "bm25", "margin": 0.05, "pool_depth": 10}),
    "texts": (_texts, {"test": "tukey"}),
    "thirty systems": (lambda: random_track(30), {"metrics": ["nDCG", "NumRet", "P"]}),
    "one answer": (lambda: random_track(4, single=True), {"baseline": "sys0", "adjust": "max-t"}),
    "a close second": (lambda: random_track(4, 12, seed=10), {}),
    "stages": (staged, {}),
    "mostly unjudged": (lambda: random_track(4, judged=0.3), {}),
    "shared ranks": (ir.example_track, {"ties": "mean", "metrics": ["RBP(p=0.8)", "DCG"]}),
    "long names": (_long_names, {}),
    "seeds": (lambda: repeated("seed", "bm25", "ance"), {"baseline": "bm25", "margin": 0.1}),
    "passes": (lambda: repeated("pass"), {"repeats": "shared"}),
    "variations": (lambda: repeated("variation"), {"repeats": "topic", "baseline": "bm25"}),
    "these seeds": (lambda: repeated("seed"), {"over": "topic", "test": "wilcoxon"}),
    "budgets": (_costed, {"metrics": ["nDCG", "AP"], "length": "tokens"} | BUDGETS),
}
"""Mapping from the name of a track to a function that returns its data, and to options that are
added to `BASE`. The data are runs, judgments and, for one track, texts.
"""
