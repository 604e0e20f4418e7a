"""Pools depend on contributing runs, not on row order."""

import numpy as np
import pandas as pd
import pytest
from dense import dense
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.experiments import coded_tables

TRACK = ir.example_track()


def pooled(cube):
    """Return the pooled documents, and the depth of the pool."""
    arrays = dense(cube)
    rows = zip(arrays.judged_topic, arrays.judged_doc, arrays.pool_rank, strict=True)
    return sorted(map(str, rows)), arrays.pool_depth.tolist()


def shuffled(frame, seed):
    return frame.sample(frac=1, random_state=seed)


def in_order(cube):
    return cube.sortby(["system", "topic"])


@given(seed=st.integers(0, 99), ties=st.sampled_from(["trec", "order", "rank", "random"]))
def test_the_pool_does_not_depend_on_row_order(seed, ties):
    runs, qrels = TRACK
    # Scores are distinct, because the order of rows would break ties.
    runs = runs.assign(score=-runs["rank"])
    expected = in_order(ir.cube(runs, qrels, ties=ir.Ties(ties, seed=1)))
    result = in_order(ir.cube(shuffled(runs, seed), qrels, ties=ir.Ties(ties, seed=1)))
    np.testing.assert_array_equal(result["grade"], expected["grade"])
    assert pooled(result) == pooled(expected)
    assert (dense(result).pool_depth == 10).all()


def test_runs_without_scores_are_pooled_by_rank():
    runs, qrels = TRACK
    ranked = runs.drop(columns="score")
    expected = in_order(ir.cube(ranked, qrels))
    result = in_order(ir.cube(shuffled(ranked, 3), qrels))
    assert pooled(result) == pooled(expected)


def test_pools_use_scores_rather_than_ranks_or_row_order():
    rows = [("1", "a", 3, 1.0), ("1", "b", 2, 3.0), ("1", "c", 1, 2.0)]
    runs = pd.DataFrame(rows, columns=["topic", "doc", "rank", "score"])
    qrels = pd.DataFrame({"topic": "1", "doc": list("abc"), "grade": 1})
    assert dense(ir.cube(runs, qrels)).pool_rank.tolist() == [3, 1, 2]
    unscored = runs.drop(columns="score")
    assert dense(ir.cube(unscored, qrels)).pool_rank.tolist() == [3, 2, 1]


@pytest.mark.parametrize("rows", [1, 3, 99])
@pytest.mark.parametrize("turned", [False, True])
def test_the_least_judged_run_determines_the_pool_depth(monkeypatch, rows, turned):
    lists = {"a": "vwx", "b": "vxy", "c": "wvy"}
    cells = [(s, "1", doc, -n) for s, docs in lists.items() for n, doc in enumerate(docs)]
    runs = pd.DataFrame(cells[::-1] if turned else cells)
    runs.columns = ["system", "topic", "doc", "score"]
    qrels = pd.DataFrame({"topic": "1", "doc": list("vw"), "grade": 1})
    monkeypatch.setattr(coded_tables, "ROWS", rows)
    assert dense(ir.cube(runs, qrels)).pool_depth.tolist() == [1]


@pytest.mark.parametrize("options", [{"ties": "rank"}, {"ties": ir.Ties(dtype="float32")}])
def test_pools_use_scores_in_double_precision(options):
    runs = pd.DataFrame({"topic": "1", "doc": list("abc"), "rank": [1, 2, 3]})
    runs["score"] = [1.0, 1 + 2e-12, 1 + 1e-12]
    qrels = pd.DataFrame({"topic": "1", "doc": list("abc"), "grade": 1})
    assert dense(ir.cube(runs, qrels, **options)).pool_rank.tolist() == [3, 1, 2]
