import zlib

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import IdError, ParameterError

RUNS, QRELS = ir.example_track()
pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")  # of small shards


def test_shards_are_scored_as_separate_collections():
    shards = RUNS.ireval.split(3)
    pos = [zlib.crc32(doc.encode()) % 3 for doc in RUNS["doc"]]
    assert [int(label[0]) - 1 for label in shards["shard"]] == pos
    scores = shards.ireval.evaluate(QRELS, "AP", "nDCG@10")
    assert scores.attrs["repeats"] == "shared"
    here = QRELS["doc"].map(lambda doc: zlib.crc32(doc.encode()) % 3) == 1
    of_shard = RUNS[np.array(pos) == 1].ireval.evaluate(QRELS[here], "AP", "nDCG@10", no_rel="nan")
    result = scores.xs("2 of 3, seed 0", level="shard")
    pd.testing.assert_frame_equal(result.reindex(of_shard.index), of_shard, check_exact=True)


def test_shards_without_relevant_documents_score_nan():
    scores = RUNS.ireval.split(8, seed=1).ireval.evaluate(QRELS, "AP")
    relevant = QRELS[QRELS["grade"] > 0].ireval.split(8, seed=1)
    lacking = {*QRELS["topic"]} - {*relevant.loc[relevant["shard"] == "1 of 8, seed 1", "topic"]}
    of_shard = scores.xs("1 of 8, seed 1", level="shard")["AP"].dropna()
    assert lacking
    assert not lacking & {*of_shard.index.get_level_values("topic")}


def test_split_and_complete_judgments_give_the_same_scores():
    dealt = QRELS.ireval.split(2, seed=4)
    runs = RUNS.ireval.split(2, seed=4)
    scores = ir.evaluate(runs, dealt, "AP")
    pd.testing.assert_frame_equal(scores, ir.evaluate(runs, QRELS, "AP"))
    assert not RUNS.ireval.split(2, seed=5)["shard"].str[0].equals(runs["shard"].str[0])


def test_passes_of_a_judge_are_repeats_shared_by_systems():
    rng = np.random.default_rng(0)
    passes = pd.concat(
        QRELS.assign(
            **{"pass": n, "grade": np.clip(QRELS["grade"] + rng.integers(-1, 2, len(QRELS)), 0, 3)}
        )
        for n in (1, 2)
    )
    scores = ir.evaluate(RUNS, passes, "AP")
    assert scores.index.names == ["system", "pass", "topic"]
    second = passes[passes["pass"] == 2].drop(columns="pass")
    alone = ir.evaluate(RUNS, second, "AP")
    pd.testing.assert_frame_equal(scores.xs(2, level="pass"), alone, check_exact=True)
    assert scores.ireval.compare().attrs["repeats"] == "shared"


@pytest.mark.parametrize("make", [ir.cube, lambda runs, qrels: ir.scorer(qrels, "AP")(runs)])
def test_errors_about_repeated_judgments_give_advice(make):
    twice = pd.concat([QRELS, QRELS.assign(grade=1 - QRELS["grade"].clip(0, 1))])
    with pytest.raises(
        IdError, match="a judge made several passes.*column 'pass'; else drop the duplicates"
    ):
        make(RUNS, twice)
    twice["pass"] = np.repeat([1, 2], len(QRELS))
    with pytest.raises(
        IdError, match=r"scores each pass separately; or select one: qrels\[qrels\['pass'\]"
    ):
        make(RUNS, twice)


BAD = {
    "another deal": (
        lambda: ir.evaluate(RUNS.ireval.split(2), QRELS.ireval.split(3), "AP"),
        "judgments with the shards of the runs",
    ),
    "several deals": (
        lambda: ir.evaluate(pd.concat([RUNS.ireval.split(2), RUNS.ireval.split(3)]), QRELS, "AP"),
        "runs that were split once",
    ),
    "both": (
        lambda: ir.evaluate(
            pd.concat([RUNS.assign(seed=n) for n in (1, 2)]).ireval.split(2), QRELS, "AP"
        ),
        "repeats of systems, or repeats of judgments",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_fewer_than_two_shards_are_refused(name):
    call, message = BAD[name]
    refused(ParameterError, message, call)


@pytest.mark.thorough
def test_shards_of_robust_reproduce_the_published_counts(shared):
    folder = shared / "data" / "robust03"
    runs = ir.read_runs(folder / "runs", system="file")
    scores = runs.ireval.split(5).ireval.evaluate(ir.read_qrels(folder / "qrels.txt"), "AP")
    with pytest.warns(ir.errors.IrframeWarning, match="left out: 14 of 100"):
        both = scores.ireval.compare(adjust=None)
    assert (both["n_topics"] == 86).all()
    assert both["significant"].sum() == 110
    with pytest.warns(ir.errors.IrframeWarning, match="left out"):
        assert (
            scores.ireval.compare(ir.Significance(adjust=None, over="topic"))["significant"].sum()
            == 111
        )
    with pytest.warns(ir.errors.IrframeWarning, match="left out"):
        assert (
            scores.ireval.compare(ir.Significance(adjust=None, over="repeat"))["significant"].sum()
            == 120
        )
