"""Rankings of coded frames: ranks, first rows and ties, list by list."""

import numpy as np
import pandas as pd
import pytest

from irframe.errors import RankingError
from irframe.experiments.coded_tables import read_table
from irframe.experiments.rank_table import rank_table

RUNS = pd.DataFrame(
    [
        ("s", "1", "a", 1.0),
        ("s", "1", "b", 2.0),
        ("s", "2", "c", 1.0),
        ("s", "1", "d", 1.0),
        ("t", "1", "a", 1.0),
    ],
    columns=["system", "topic", "doc", "score"],
)


def test_lists_one_by_one():
    ranking = rank_table(read_table(RUNS), ties="trec")
    assert RUNS["doc"].to_numpy()[ranking.order].tolist() == list("bdaca")
    assert ranking.rank.tolist() == [1, 2, 3, 1, 1]
    assert ranking.first.tolist() == [True, False, False, True, True]
    assert ranking.tied.tolist() == [False, False, True, False, False]


def test_equal_scores_of_neighbouring_lists_are_no_tie():
    scores = RUNS.assign(score=1.0, doc=list("abcde"))
    docs = {
        ties: scores["doc"].to_numpy()[rank_table(read_table(scores), ties=ties).order].tolist()
        for ties in ("trec", "doc", "order")
    }
    assert docs == {"trec": list("dbace"), "doc": list("abdce"), "order": list("abdce")}


def test_single_precision_ties_more():
    close = RUNS.assign(score=np.array([1, 1 + 1e-12, 1, 1, 1]))
    tied = [
        rank_table(read_table(close), ties="order", score_dtype=kind).tied.sum()
        for kind in ("float64", "float32")
    ]
    assert tied == [1, 2]


def test_scores_beyond_single_precision():
    large = RUNS.assign(score=[1e39, 1e300, 1.0, 2.0, 1.0])
    ranking = rank_table(read_table(large), ties="order", score_dtype="float32")
    assert ranking.order.tolist() == [0, 1, 3, 2, 4]


def test_ranks_decide_alone_where_asked():
    ranked = RUNS.assign(rank=[3, 7, 1, 0, 1], score=np.nan)
    assert rank_table(read_table(ranked), ties="rank").order.tolist() == [3, 0, 1, 2, 4]
    with pytest.raises(RankingError, match="a column 'rank' for ties='rank'; found none"):
        rank_table(read_table(RUNS), ties="rank")


def test_offenders_are_all_counted():
    lacking = pd.DataFrame({"topic": "1", "doc": [f"d{i}" for i in range(9)], "score": np.nan})
    with pytest.raises(RankingError, match="found 9 missing: run 1 d0, .*, run 1 d4 and 4 more"):
        rank_table(read_table(lacking), ties="trec")
    ranks = lacking.drop(columns="score").assign(rank=1)
    with pytest.raises(RankingError, match="found 8 equal: run 1 d1, .* and 3 more"):
        rank_table(read_table(ranks), ties="trec")
