"""Scores of real runs equal those of trec_eval."""

from dataclasses import replace
from functools import cache

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from measures import measure_of

import irframe as ir

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TREC = {
    "map": ["map"],
    "map_cut": [f"map_cut_{k}" for k in CUTS],
    "P": [f"P_{k}" for k in CUTS],
    "recall": [f"recall_{k}" for k in CUTS],
    "recip_rank": ["recip_rank"],
    "Rprec": ["Rprec"],
    "ndcg": ["ndcg"],
    "ndcg_cut": [f"ndcg_cut_{k}" for k in CUTS],
    "bpref": ["bpref"],
    "infAP": ["infAP"],
    "success": ["success_1", "success_5", "success_10"],
    "iprec_at_recall": [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)],
    "set_P": ["set_P"],
    "set_recall": ["set_recall"],
    "set_F": ["set_F"],
    "num_ret": ["num_ret"],
    "num_rel": ["num_rel"],
    "num_rel_ret": ["num_rel_ret"],
    "num_q": ["num_q"],
    "num_nonrel_judged_ret": ["num_nonrel_judged_ret"],
    "relative_P": [f"relative_P_{k}" for k in CUTS],
    "set_map": ["set_map"],
    "set_relative_P": ["set_relative_P"],
    "G": ["G"],
    "binG": ["binG"],
    "utility": ["utility"],
    "11pt_avg": ["11pt_avg"],
    "Rprec_mult": [f"Rprec_mult_{tenths / 10:.2f}" for tenths in range(2, 22, 2)],
    "ndcg_rel": ["ndcg_rel"],
    "Rndcg": ["Rndcg"],
}
NAMES = [name for names in TREC.values() for name in names]


def with_level(name, level):
    """Parse a metric, and set its lowest relevant grade."""
    metric = ir.parse_metric(name)
    fields = {**vars(metric), "rel": level}
    return type(metric)(**fields) if hasattr(metric, "rel") else metric


def by_trec_name(frame):
    return frame.set_axis(NAMES, axis="columns")


TRACKS = {"robust03": (1, "tag", 17 * 90), "trec-covid-round1": (3, "file", 48 * 29)}
"""Mapping from the folder of a track to the step between the files that are read, the source of the
names of systems, and the minimum number of lists."""


@cache
def read_track(shared, track):
    """Read the runs and the judgments of a track."""
    step, system, _ = TRACKS[track]
    folder = shared / "data" / track
    paths = sorted(folder.glob("runs/*.gz"))[::step]
    return ir.read_runs(paths, system=system), ir.read_qrels(folder / "qrels.txt")


def by_pytrec_eval(runs, qrels, measures, **options):
    """Yield the scores that pytrec_eval computes for each system."""
    nested = {
        topic: dict(zip(subset["doc"], subset["grade"].astype(int), strict=True))
        for topic, subset in qrels.groupby("topic")
    }
    peer = pytrec_eval.RelevanceEvaluator(nested, set(measures), **options)
    for system, run in runs.groupby("system"):
        lists = {
            topic: dict(zip(subset["doc"], subset["score"], strict=True))
            for topic, subset in run.groupby("topic")
        }
        yield system, pd.DataFrame(peer.evaluate(lists)).T


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:scores rise with the ranks:irframe.errors.IrframeWarning")
@pytest.mark.parametrize("track", TRACKS)
def test_scores_equal_pytrec_eval(shared, track):
    runs, qrels = read_track(shared, track)
    ours = by_trec_name(
        runs.ireval.evaluate(qrels, NAMES, ties=ir.Ties(dtype="float32"), topics="runs")
    )
    compared = 0
    for system, theirs in by_pytrec_eval(runs, qrels, TREC):
        result = ours.loc[system].loc[theirs.index, NAMES]
        np.testing.assert_allclose(
            result.to_numpy(), theirs[NAMES].to_numpy(float), rtol=1e-6, atol=1e-6
        )
        compared += len(result)
    assert compared > TRACKS[track][-1]


@pytest.mark.thorough
def test_judged_only_scores_equal_pytrec_eval(shared):
    runs, qrels = read_track(shared, "robust03")
    metrics = [replace(ir.parse_metric(name), judged_only=True) for name in NAMES]
    cube = runs.ireval.cube(qrels, ties=ir.Ties(dtype="float32"))
    ours = cube.ireval.score(*metrics, at=1000)
    for system, theirs in by_pytrec_eval(runs, qrels, TREC, judged_docs_only_flag=True):
        result = ours.sel(system=system, topic=theirs.index.to_numpy()).transpose("topic", "metric")
        np.testing.assert_allclose(result, theirs[NAMES].to_numpy(float), rtol=1e-6, atol=1e-6)


@pytest.mark.thorough
def test_geometric_means_equal_pytrec_eval(shared):
    runs, qrels = read_track(shared, "robust03")
    runs = runs[runs["system"].isin(runs["system"].unique()[::4])]
    names = ["gm_map", "gm_bpref"]
    scores = runs.ireval.evaluate(qrels, names, ties=ir.Ties(dtype="float32"), topics="runs")
    means = scores.ireval.summary()["mean"].unstack("metric")
    for system, theirs in by_pytrec_eval(runs, qrels, names):
        expected = np.exp(theirs[names].astype(float).mean())
        np.testing.assert_allclose(means.loc[system, names], expected, rtol=1e-6)


@pytest.mark.thorough
def test_scores_equal_ir_measures(shared):
    runs, qrels = read_track(shared, "robust03")
    runs = runs[runs["system"] == min(runs["system"])].copy()
    runs["score"] += 1 - runs.groupby("topic")["score"].transform(
        "min"
    )  # ir_measures assigns the score 0 to missing documents
    metrics = ["Compat(p=0.95)", "Compat(p=0.8, normalize=False)", "Accuracy(rel=2)@30"]
    ours = runs.ireval.evaluate(qrels, metrics, ties="doc", topics="runs")
    peer = [measure_of(name.replace(" ", "")) for name in metrics]
    names = {"topic": "query_id", "doc": "doc_id", "grade": "relevance"}
    judged = qrels.rename(columns=names)[list(names.values())]
    for system, run in runs.groupby("system"):
        listed = run.rename(columns=names)[["query_id", "doc_id", "score"]]
        result = [
            *ir_measures.compat.iter_calc(peer[:2], judged, listed),
            *ir_measures.accuracy.iter_calc(peer[2:], judged, listed),
        ]
        theirs = pd.DataFrame(result)
        for metric, name in zip(peer, metrics, strict=True):
            subset = theirs[theirs["measure"] == metric].set_index("query_id")["value"]
            scores = ours.loc[system][str(ir.parse_metric(name))].loc[subset.index]
            np.testing.assert_allclose(scores, subset, atol=1e-9)
            assert len(subset) > 30


@pytest.mark.thorough
def test_covid_scores_equal_published_scores(shared):
    folder = shared / "data" / "trec-covid-round1"
    board = pd.read_csv(folder / "leaderboard.csv").set_index("run")
    runs = ir.read_runs(str(folder / "runs" / "*.gz"), system="file")
    qrels = ir.read_qrels(folder / "qrels.txt")
    metrics = {
        "ndcg@10": ir.metrics.nDCG() @ 10,
        "p@5": ir.metrics.P() @ 5,
        "RBP(p=.5)": ir.metrics.RBP(p=0.5, gain={0: 0, 1: 0.5, 2: 1}),
        "bpref": ir.metrics.Bpref(),
        "MAP": ir.metrics.AP(),
    }
    with pytest.warns(ir.errors.IrframeWarning, match="scores rise with the ranks.* and 6 more"):
        scores = runs.ireval.evaluate(qrels, metrics.values(), ties=ir.Ties(dtype="float32"))
    ours = scores.groupby("system").mean()
    assert set(ours.index) == set(board.index)
    assert len(ours) == 143
    for column, metric in metrics.items():
        difference = (ours[str(metric)] - board[column]).abs()
        assert difference.max() < 0.5001e-4, (column, difference.nlargest(3))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["doc", "passage"])
def test_dl_hard_scores_equal_published_files(shared, kind):
    folder = shared / "data" / "dl-hard"
    qrels = ir.read_qrels(folder / f"dl_hard-{kind}.qrels")
    filed_names = [name for name in NAMES if name != "num_q"]
    metrics = [with_level(name, 2) for name in filed_names]
    paths = sorted((folder / "baselines" / kind).glob("*.run.gz"))
    assert len(paths) == {"doc": 14, "passage": 6}[kind]
    for path in paths:
        ours = ir.read_run(path).ireval.evaluate(qrels, metrics, ties=ir.Ties(dtype="float32"))
        result = ours.set_axis(filed_names, axis="columns").droplevel(0)
        filed = pd.read_csv(
            path.with_suffix("").with_suffix(".run.eval"),
            sep="\t",
            names=["name", "topic", "value"],
            dtype=str,
        )
        filed["name"] = filed["name"].str.strip()
        filed = filed[(filed["topic"] != "all") & filed["name"].isin(filed_names)]
        theirs = filed.set_index(["topic", "name"])["value"].unstack()[filed_names].astype(float)
        barren = theirs["num_rel"] == 0  # trec_eval reports no Rndcg without relevant documents
        result.loc[barren[barren].index, "Rndcg"] = 0
        np.testing.assert_allclose(
            result.loc[theirs.index].to_numpy(), theirs.to_numpy(), atol=0.5001e-4
        )
