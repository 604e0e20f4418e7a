"""The order of every ranking, by each policy for ties."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.errors import IdError, InputError, ParameterError, RankingError


def frame(rows, **extra):
    return pd.DataFrame(rows, columns=["doc", "score"]).assign(topic="1", **extra)


def ranked(rows, ties="trec", **options):
    return list(frame(rows).ireval.rank(ties=ties, **options)["doc"])


def test_worked_ties(golden):
    case = golden["002-ties"]
    run = [tuple(row) for row in case["input"]["run"]]
    assert ranked(run) == case["expected"]["trec"]
    assert ranked(run, "order") == case["expected"]["score_stable"]
    filed = frame(run).assign(rank=range(len(run)))
    assert list(filed.ireval.rank(ties="rank")["doc"]) == case["expected"]["file"]


def test_worked_ties_of_an_unsorted_file(golden):
    case = golden["002-ties-unsorted-file"]
    run = [tuple(row) for row in case["input"]["run"]]
    assert ranked(run) == case["expected"]["trec"]
    assert ranked(run, "order") == case["expected"]["score_stable"]
    filed = frame(run).assign(rank=range(1, 1 + len(run)))
    assert list(filed.ireval.rank(ties="rank")["doc"]) == case["expected"]["file"]


def test_worked_ties_in_single_precision(golden):
    case = golden["002-ties-float32"]
    run = [tuple(row) for row in case["input"]["run"]]
    assert ranked(run) == case["expected"]["double precision"]
    assert ranked(run, score_dtype="float32") == case["expected"]["single precision"]


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["s1", "s2"]),
        st.sampled_from(["1", "2", "10"]),
        st.text("abAB01é", min_size=1, max_size=3),
        st.sampled_from([0.0, -0.0, 1.0, 2.5, -3.0]),
    ),
    min_size=1,
    max_size=25,
    unique_by=lambda row: row[:3],
)


@given(rows=ROWS, ties=st.sampled_from(["trec", "doc", "order"]))
def test_order_equals_a_plain_sort(rows, ties):
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    lists = {}
    for position, (system, topic, doc, score) in enumerate(rows):
        key = {"doc": doc.encode(), "order": position}.get(ties)
        negated = (*tuple(-byte for byte in doc.encode()), 1)
        lists.setdefault((system, topic), []).append(
            ((-score, negated if key is None else key), doc)
        )
    expected = {
        (system, topic, rank, doc)
        for (system, topic), docs in lists.items()
        for rank, (_, doc) in enumerate(sorted(docs), start=1)
    }
    found = runs.ireval.rank(ties=ties)[["system", "topic", "rank", "doc"]]
    assert set(found.itertuples(index=False, name=None)) == expected


@given(rows=ROWS, seed=st.integers(0, 99))
def test_row_order_does_not_matter_for_trec_ties(rows, seed):
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    shuffled = runs.sample(frac=1, random_state=seed)
    keys = ["system", "topic", "rank"]
    a, b = (x.ireval.rank().sort_values(keys).reset_index(drop=True) for x in (runs, shuffled))
    pd.testing.assert_frame_equal(a, b)


def test_random_ties_follow_the_seed_and_the_scores():
    run = [(f"d{i}", float(i // 10)) for i in range(40)]
    first, again, other = (ranked(run, "random", seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    scores = dict(run)
    assert [scores[doc] for doc in first] == sorted(scores.values(), reverse=True)


def shuffled_ties(runs, **options):
    found = runs.ireval.rank(ties="random", **options).groupby("system", observed=True)
    return {system: part[["topic", "rank", "doc"]].to_numpy().tolist() for system, part in found}


@given(seed=st.integers(0, 2**64 - 1), order=st.randoms(use_true_random=False))
def test_random_ties_depend_on_nothing_but_names_and_seed(seed, order):
    lists = [(s, t, f"d{i}", float(i // 9)) for s in "abc" for t in "xy" for i in range(18)]
    runs = pd.DataFrame(lists, columns=["system", "topic", "doc", "score"])
    expected = shuffled_ties(runs, seed=seed)
    rows = list(range(len(runs)))
    order.shuffle(rows)
    found = shuffled_ties(runs.iloc[rows], seed=seed)
    assert all(sorted(found[system]) == sorted(expected[system]) for system in "abc")
    assert shuffled_ties(runs[runs["system"] == "b"], seed=seed)["b"] == expected["b"]
    as_text, as_categories = runs.astype({"doc": "str"}), runs.astype({"system": "category"})
    assert shuffled_ties(as_text, seed=seed)["b"] == expected["b"]
    assert shuffled_ties(as_categories, seed=seed)["b"] == expected["b"]


def test_random_ties_differ_between_systems_topics_and_draws():
    lists = [(s, t, f"d{i}") for s in "ab" for t in "xy" for i in range(30)]
    runs = pd.DataFrame(lists, columns=["system", "topic", "doc"]).assign(score=0)
    ranked = [runs.ireval.rank(ties="random", seed=seed) for seed in (1, 2, 3, 4)]
    orders = [
        tuple(part["doc"]) for frame in ranked for _, part in frame.groupby(["system", "topic"])
    ]
    assert len(set(orders)) == 16


@pytest.mark.thorough
def test_random_ties_are_even():
    runs = pd.DataFrame({"topic": "1", "doc": list("abcd"), "score": 0})
    first = [runs.ireval.rank(ties="random", seed=seed)["doc"][0] for seed in range(400)]
    assert all(70 < first.count(doc) < 130 for doc in "abcd")


@pytest.mark.parametrize("seed", ["x", -1, 1.5, True, 1 << 64])
def test_seeds_that_are_none(seed):
    with pytest.raises(ParameterError, match="seed, a whole number of at least 0"):
        ranked([("a", 1.0)], "random", seed=seed)


def test_the_callers_columns_come_back_and_the_frame_stays():
    runs = pd.DataFrame({"qid": [7, 7], "docno": ["a", "b"], "score": [1.0, 2.0], "text": "x"})
    before = runs.copy()
    out = runs.ireval.rank()
    assert list(out.columns) == ["qid", "docno", "score", "text", "rank"]
    assert out["qid"].dtype == np.int64
    assert list(out["docno"]) == ["b", "a"]
    pd.testing.assert_frame_equal(runs, before)


def test_without_scores_the_rank_column_decides():
    runs = pd.DataFrame({"topic": "1", "doc": list("abc"), "rank": [2, 0, 1]})
    out = runs.ireval.rank()
    assert list(out["doc"]) == ["b", "c", "a"]
    assert list(out["rank"]) == [1, 2, 3]


@pytest.mark.parametrize("kind", ["object", "category", "string", "int64", "string[pyarrow]"])
def test_ids_of_every_type(kind):
    docs = pd.Series([3, 1, 20] if kind == "int64" else ["3", "1", "20"]).astype(kind)
    runs = pd.DataFrame({"topic": "1", "doc": docs, "score": 1.0})
    out = runs.ireval.rank()
    assert [str(doc) for doc in out["doc"]] == ["3", "20", "1"]
    assert out["doc"].dtype == docs.dtype


@pytest.mark.parametrize(
    ("runs", "error", "words"),
    [
        (frame([("a", np.nan), ("b", 1.0)]), RankingError, "1 missing: run 1 a"),
        (frame([("a", 1.0), ("a", 2.0)]), IdError, "1 listed again: run 1 a"),
        (frame([]), InputError, "an empty one"),
        (frame([("a", "high")]), InputError, "numbers in column 'score'"),
        (frame([("a", 1.0), (None, 2.0)]), IdError, "1 missing at row positions: 1"),
        (frame([("a", 1.0), (2, 2.0)]), IdError, "int and str in column 'doc'"),
        (frame([(0.5, 1.0)]), IdError, "float64 in column 'doc'"),
        (pd.DataFrame({"topic": ["1"], "doc": ["a"]}), InputError, "score"),
    ],
)
def test_bad_runs(runs, error, words):
    with pytest.raises(error, match=words):
        runs.ireval.rank()


def test_equal_ranks_are_refused_where_ranks_decide():
    runs = pd.DataFrame({"topic": "1", "doc": list("abc"), "rank": [1, 1, 2], "score": 0.0})
    assert len(runs.ireval.rank()) == 3
    with pytest.raises(RankingError, match="1 equal: run 1 b"):
        runs.ireval.rank(ties="rank")


def test_unknown_policies_are_refused():
    with pytest.raises(ParameterError, match="'trec', 'doc', 'order'"):
        ranked([("a", 1.0)], "alphabetical")
    with pytest.raises(ParameterError, match="float32"):
        ranked([("a", 1.0)], score_dtype="float16")


def test_a_frame_without_roles_has_no_accessor():
    with pytest.raises(AttributeError, match="docno"):
        _ = pd.DataFrame({"x": [1]}).ireval
    assert not hasattr(pd.DataFrame({"x": [1]}), "ireval")
