"""Rankings by each tie rule, contributing systems, and pools."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from listed import TEAMED
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError, RankingError
from irframe.experiments.coded_tables import read_table
from irframe.experiments.policy import Policy
from irframe.experiments.rank_table import (
    contributing_systems,
    filed_rank,
    pooling,
    rank_table,
)

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


def test_lists_are_ranked_separately():
    ranking = rank_table(read_table(RUNS), Policy(ties="trec"))
    assert RUNS["doc"].to_numpy()[ranking.order].tolist() == list("bdaca")
    assert ranking.rank.tolist() == [1, 2, 3, 1, 1]
    assert ranking.tied.tolist() == [False, False, True, False, False]


def test_scores_above_the_range_of_float32_are_tied():
    large = RUNS.assign(score=[1e39, 1e300, 1.0, 2.0, 1.0])
    ranking = rank_table(read_table(large), Policy(ties="order", score_dtype="float32"))
    assert ranking.order.tolist() == [0, 1, 3, 2, 4]


def test_scores_are_ignored_if_ranks_decide():
    ranked = RUNS.assign(rank=[3, 7, 1, 0, 1], score=np.nan)
    assert rank_table(read_table(ranked), Policy(ties="rank")).order.tolist() == [3, 0, 1, 2, 4]
    with pytest.raises(RankingError, match="a column 'rank' for ties='rank', but found none"):
        rank_table(read_table(RUNS), Policy(ties="rank"))


def test_text_in_place_of_scores_is_refused_even_if_ranks_decide(tmp_path):
    runs = pd.DataFrame({"topic": "1", "doc": [*"ab"], "rank": [1, 2], "score": ["high", "2"]})
    qrels = {"1": {"a": 1}}
    path = tmp_path / "run.csv"
    runs.to_csv(path, index=False)
    for read in (
        lambda: ir.verbs.rank(runs, ties="rank"),
        lambda: ir.scorer(qrels, "AP", ties="rank")(runs),
        lambda: ir.evaluate(runs, qrels, "AP", ties="rank"),
        lambda: ir.cube(runs, qrels, ties="rank"),
        lambda: ir.read_runs(path),
    ):
        refused(InputError, "expected numbers in column 'score', but found", read)


def test_errors_count_all_invalid_rows():
    lacking = pd.DataFrame({"topic": "1", "doc": [f"d{i}" for i in range(9)], "score": np.nan})
    with pytest.raises(
        RankingError, match="found 9 rows without a score: run 1 d0, .*, run 1 d4 and 4 more"
    ):
        rank_table(read_table(lacking), Policy(ties="trec"))
    ranks = lacking.drop(columns="score").assign(rank=1)
    with pytest.raises(
        RankingError, match="found 8 rows with repeated ranks: run 1 d1, .* and 3 more"
    ):
        rank_table(read_table(ranks), Policy(ties="trec"))


CONTRIBUTING_RUNS = pd.DataFrame(
    {"system": list("abab"), "topic": list("1112"), "doc": list("xyyx"), "score": [1, 5, 2, 5]}
)


def who(runs, contributing=None):
    return contributing_systems(read_table(runs), contributing).tolist()


def test_contributing_systems_are_named_or_marked_in_a_column():
    assert who(CONTRIBUTING_RUNS) == who(CONTRIBUTING_RUNS, ["b", "a"]) == [True, True]
    assert who(CONTRIBUTING_RUNS, ["b"]) == [False, True]
    flagged = CONTRIBUTING_RUNS.assign(
        contributing=CONTRIBUTING_RUNS["system"] == "a", other=CONTRIBUTING_RUNS["system"] == "b"
    )
    assert who(flagged) == [True, False]
    assert who(flagged, "other") == [False, True]
    assert who(flagged, ["b"]) == [False, True]
    assert who(flagged.iloc[:2]) == [True, False]
    assert who(CONTRIBUTING_RUNS.assign(contributing=False)) == [False, False]


def test_invalid_columns_of_contributing_systems_are_refused():
    with pytest.raises(
        ParameterError, match="per system, but found 1 system with True and False: b"
    ):
        who(CONTRIBUTING_RUNS.assign(contributing=[True, True, True, False]))
    lacking = CONTRIBUTING_RUNS.assign(
        contributing=pd.array([True, None, True, True], dtype="boolean")
    )
    refused(
        ParameterError,
        "a boolean column without missing values, but found 'contributing' of dtype boolean",
        lambda: who(lacking),
    )
    with pytest.raises(
        ParameterError,
        match="a boolean column without missing values, but found 'contributing' of dtype int64",
    ):
        who(CONTRIBUTING_RUNS.assign(contributing=1))
    with pytest.raises(ParameterError, match="contributes, but found no system with True in 'x'"):
        who(CONTRIBUTING_RUNS.assign(x=False), "x")


def test_pooling_ranks_follow_scores_or_ranks_and_break_ties_by_row():
    assert filed_rank(pooling(read_table(CONTRIBUTING_RUNS))).tolist() == [2, 1, 1, 1]
    assert filed_rank(pooling(read_table(CONTRIBUTING_RUNS.assign(score=0)))).tolist() == [
        1,
        1,
        2,
        1,
    ]
    filed = CONTRIBUTING_RUNS.drop(columns="score").assign(rank=[2, 0, 1, 7])
    assert filed_rank(pooling(read_table(filed))).tolist() == [2, 1, 1, 1]


def test_pooling_ranks_do_not_depend_on_the_tie_rule():
    table = read_table(CONTRIBUTING_RUNS.assign(score=0))
    for ties in ("trec", "doc", "order", "random", "mean"):
        ranking = rank_table(table, Policy(ties=ties, seed=1))
        assert filed_rank(ranking).tolist() == filed_rank(pooling(table)).tolist()


def test_pools_agree_with_a_reference_implementation():
    result = TEAMED.ireval.pool(2)
    assert list(result.columns) == ["name", "qid", "docno", "rank", "unique"]
    rows = result.drop(columns="qid").to_records(index=False).tolist()
    assert rows[:4] == [
        ("a", "d1", 1, False),
        ("a", "d2", 2, False),
        ("b", "d2", 2, False),
        ("b", "d4", 1, False),
    ]
    assert rows[4:] == [("c", "d4", 1, False), ("c", "d1", 2, False), ("c", "d1", 1, True)]
    assert TEAMED.ireval.pool(3)["unique"].sum() == 2


def contributed(runs, depth):
    result = runs.ireval.pool(depth)
    rows = result[["system", "topic", "doc", "rank", "unique"]]
    return set(rows.itertuples(index=False, name=None))


@given(order=st.randoms(use_true_random=False), depth=st.integers(1, 12))
def test_pools_do_not_depend_on_row_order(order, depth):
    runs, _ = ir.example_track()
    runs = runs[runs["topic"].isin(["101", "102"])].drop(columns="score")
    rows = list(range(len(runs)))
    order.shuffle(rows)
    for frame in (runs, runs.assign(score=-runs["rank"]).drop(columns="rank")):
        assert contributed(frame.iloc[rows], depth) == contributed(frame, depth)


def test_systems_of_a_team_count_as_one_contributor():
    result = TEAMED.ireval.pool(2, together="team")
    assert list(result.columns[:2]) == ["name", "team"]
    team = result[result["unique"]]
    assert team[["team", "docno", "qid"]].to_records(index=False).tolist() == [
        ("x", "d2", "1"),
        ("x", "d2", "1"),
        ("y", "d1", "2"),
    ]


def test_contributing_systems_without_a_team_are_refused():
    lacking = TEAMED.assign(team=TEAMED["team"].where(TEAMED["name"] == "a"))
    with pytest.raises(
        ParameterError, match="'team' for every system.*2 systems without a value: b, c"
    ):
        lacking.ireval.pool(2, together="team")
    assert len(lacking.ireval.pool(ir.Pool(2, contributing=["a"]), together="team")) == 2


def test_only_contributing_systems_are_pooled():
    assert set(TEAMED.ireval.pool(ir.Pool(1, contributing=["b"]))["name"]) == {"b"}
    alone = TEAMED.drop(columns="name").iloc[:3].ireval.pool(2)
    assert alone["unique"].all()
    assert "name" not in alone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"contributing": ["a", "z"]}, "contributing systems .a, b, c., but found 'z'"),
        ({"contributing": []}, "empty list"),
        ({"contributing": "team"}, "a boolean column"),
    ],
)
def test_invalid_contributing_systems_are_refused(options, message):
    refused(ParameterError, message, lambda: TEAMED.ireval.pool(ir.Pool(1, **options)))


def test_unknown_team_columns_are_refused():
    message = "together to be a column"
    refused(ParameterError, message, lambda: TEAMED.ireval.pool(1, together=["team"]))


def frame(rows, **extra):
    return pd.DataFrame(rows, columns=["doc", "score"]).assign(topic="1", **extra)


def ranked(rows, ties="trec", **options):
    return list(frame(rows).ireval.rank(ties=ties, **options)["doc"])


@pytest.mark.parametrize("name", ["002-ties", "002-ties-unsorted-file"])
def test_rankings_with_ties_equal_a_worked_example(golden, name):
    case = golden[name]
    run = [tuple(row) for row in case["input"]["run"]]
    assert ranked(run) == case["expected"]["trec"]
    assert ranked(run, "order") == case["expected"]["score_stable"]
    filed = frame(run).assign(rank=range(len(run)))
    assert list(filed.ireval.rank(ties="rank")["doc"]) == case["expected"]["file"]


def test_ties_in_single_precision_equal_a_worked_example(golden):
    case = golden["002-ties-float32"]
    run = [tuple(row) for row in case["input"]["run"]]
    assert ranked(run) == case["expected"]["double precision"]
    assert ranked(run, ties=ir.Ties(dtype="float32")) == case["expected"]["single precision"]


def shuffled_ties(runs, **options):
    result = runs.ireval.rank(ir.Ties("random", **options)).groupby("system", observed=True)
    return {
        system: subset[["topic", "rank", "doc"]].to_numpy().tolist() for system, subset in result
    }


@given(seed=st.integers(0, 2**64 - 1), order=st.randoms(use_true_random=False))
def test_random_ties_depend_only_on_ids_and_seed(seed, order):
    lists = [(s, t, f"d{i}", float(i // 9)) for s in "abc" for t in "xy" for i in range(18)]
    runs = pd.DataFrame(lists, columns=["system", "topic", "doc", "score"])
    expected = shuffled_ties(runs, seed=seed)
    rows = list(range(len(runs)))
    order.shuffle(rows)
    result = shuffled_ties(runs.iloc[rows], seed=seed)
    assert all(sorted(result[system]) == sorted(expected[system]) for system in "abc")
    assert shuffled_ties(runs[runs["system"] == "b"], seed=seed)["b"] == expected["b"]
    as_text, as_categories = runs.astype({"doc": "str"}), runs.astype({"system": "category"})
    assert shuffled_ties(as_text, seed=seed)["b"] == expected["b"]
    assert shuffled_ties(as_categories, seed=seed)["b"] == expected["b"]


def test_random_ties_differ_between_systems_topics_and_seeds():
    lists = [(s, t, f"d{i}") for s in "ab" for t in "xy" for i in range(30)]
    runs = pd.DataFrame(lists, columns=["system", "topic", "doc"]).assign(score=0)
    ranked = [runs.ireval.rank(ties=ir.Ties("random", seed=seed)) for seed in (1, 2, 3, 4)]
    orders = [
        tuple(group["doc"]) for frame in ranked for _, group in frame.groupby(["system", "topic"])
    ]
    assert len(set(orders)) == 16


@pytest.mark.thorough
def test_random_ties_are_uniform():
    runs = pd.DataFrame({"topic": "1", "doc": list("abcd"), "score": 0})
    first = [runs.ireval.rank(ties=ir.Ties("random", seed=seed))["doc"][0] for seed in range(400)]
    assert all(70 < first.count(doc) < 130 for doc in "abcd")


def test_rank_keeps_columns_and_does_not_change_the_frame():
    runs = pd.DataFrame({"qid": [7, 7], "docno": ["a", "b"], "score": [1.0, 2.0], "text": "x"})
    before = runs.copy()
    out = runs.ireval.rank()
    assert list(out.columns) == ["qid", "docno", "score", "text", "rank"]
    assert out["qid"].dtype == np.int64
    assert list(out["docno"]) == ["b", "a"]
    pd.testing.assert_frame_equal(runs, before)


@pytest.mark.parametrize("kind", ["object", "category", "string", "int64", "string[pyarrow]"])
def test_ids_may_have_any_dtype(kind):
    docs = pd.Series([3, 1, 20] if kind == "int64" else ["3", "1", "20"]).astype(kind)
    runs = pd.DataFrame({"topic": "1", "doc": docs, "score": 1.0})
    out = runs.ireval.rank()
    assert [str(doc) for doc in out["doc"]] == ["3", "20", "1"]
    assert out["doc"].dtype == docs.dtype


def test_equal_ranks_are_refused_if_ranks_decide():
    runs = pd.DataFrame({"topic": "1", "doc": list("abc"), "rank": [1, 1, 2], "score": 0.0})
    assert len(runs.ireval.rank()) == 3
    refused(
        RankingError, "1 row with repeated ranks: run 1 b", lambda: runs.ireval.rank(ties="rank")
    )


def test_frames_without_columns_of_ids_have_no_accessor():
    with pytest.raises(AttributeError, match="docno"):
        _ = pd.DataFrame({"x": [1]}).ireval
    assert not hasattr(pd.DataFrame({"x": [1]}), "ireval")
