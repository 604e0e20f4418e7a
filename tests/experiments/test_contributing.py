"""Which systems contribute, and at which ranks."""

import pandas as pd
import pytest

from irframe.errors import ParameterError
from irframe.experiments.coded_tables import read_table
from irframe.experiments.rank_table import (
    contributing_systems,
    filed_rank,
    pooling_rank,
    rank_table,
)

RUNS = pd.DataFrame(
    {"system": list("abab"), "topic": list("1112"), "doc": list("xyyx"), "score": [1, 5, 2, 5]}
)


def who(runs, contributing=None):
    return contributing_systems(runs, read_table(runs), contributing).tolist()


def test_systems_by_name_or_column():
    assert who(RUNS) == who(RUNS, ["b", "a"]) == [True, True]
    assert who(RUNS, ["b"]) == [False, True]
    flagged = RUNS.assign(contributing=RUNS["system"] == "a", other=RUNS["system"] == "b")
    assert who(flagged) == [True, False]
    assert who(flagged, "other") == [False, True]
    assert who(flagged, ["b"]) == [False, True]
    assert who(flagged.iloc[:2]) == [True, False]
    assert who(RUNS.assign(contributing=False)) == [False, False]


def test_columns_that_do_not_tell():
    with pytest.raises(ParameterError, match="per system; found 1 system with both: b"):
        who(RUNS.assign(contributing=[True, True, True, False]))
    lacking = RUNS.assign(contributing=pd.array([True, None, True, True], dtype="boolean"))
    with pytest.raises(ParameterError, match="True and False; found boolean"):
        who(lacking)
    with pytest.raises(ParameterError, match="True and False; found int64"):
        who(RUNS.assign(contributing=1))
    with pytest.raises(ParameterError, match="contributes; found none by 'x'"):
        who(RUNS.assign(x=False), "x")


def test_ranks_row_by_row():
    assert pooling_rank(read_table(RUNS)).tolist() == [2, 1, 1, 1]
    assert pooling_rank(read_table(RUNS.assign(score=0))).tolist() == [1, 1, 2, 1]
    filed = RUNS.drop(columns="score").assign(rank=[9, 0, 8, 7])
    assert pooling_rank(read_table(filed)).tolist() == [2, 1, 1, 1]


def test_ranks_as_filed_come_with_any_order_by_score():
    table = read_table(RUNS.assign(score=0))
    for ties in ("trec", "doc", "order", "random", "mean"):
        ranking = rank_table(table, ties=ties, seed=1)
        assert filed_rank(ranking).tolist() == pooling_rank(table).tolist()
