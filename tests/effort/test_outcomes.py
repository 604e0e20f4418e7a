"""Tests of `outcomes` against worked cases and a reference implementation."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.outcomes import breakdown, verdicts
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import (
    DepthError,
    IdError,
    InputError,
    IrframeError,
    IrframeWarning,
    ParameterError,
)

GOLDEN = {
    "mrr_a": "mrr_a",
    "mrr_b": "mrr_b",
    "delta": "delta",
    "p_ranksum": "wrs",
    "p_wilcoxon": "wsr",
    "p_t": "t",
    "n_topics": "n",
    "neither": "neither",
    "a_only": "a_wins",
    "b_only": "b_wins",
    "both": "both",
    "esl_a": "esl_a",
    "esl_b": "esl_b",
    "rr_a": "rr_a",
    "rr_b": "rr_b",
    "p_esl_wilcoxon": "esl_wsr",
    "p_esl_t": "esl_t",
    "p_rr_wilcoxon": "rr_wsr",
    "p_rr_t": "rr_t",
    "p_answered": "case2_binomial",
}
"""Mapping from columns of the summary to keys of the worked cases."""
WORKED = [
    "003-q5-q6",
    "003-esl-vs-mrr",
    "003-q7-q8",
    "003-cutoff",
    "003-identical",
    "003-no-case3",
    "003-random-1",
]


def track(ranks, length=101):
    """Return runs and judgments with answers at the given ranks."""
    rows = [
        (
            system,
            f"q{query}",
            "right" if rank_of_doc == rank else f"{system}{rank_of_doc}",
            -rank_of_doc,
        )
        for system, row in ranks.items()
        for query, rank in enumerate(row)
        for rank_of_doc in range(1, length + 1)
    ]
    queries = range(len(next(iter(ranks.values()))))
    runs = pd.DataFrame(rows, columns=["system", "qid", "docno", "score"])
    qrels = pd.DataFrame([(f"q{i}", "right", 1) for i in queries], columns=["qid", "docno", "rel"])
    return runs, qrels


def both_ways(runs, qrels, depth=100, by=None, **options):
    """Return outcomes of runs, compared with those of a cube."""
    cube = runs.ireval.cube(qrels)
    of_runs, of_cube = (x.ireval if by is None else x.ireval.groupby(by) for x in (runs, cube))
    result = of_runs.outcomes(qrels, depth=depth, **options)
    expected = of_cube.outcomes(depth=min(depth, cube.sizes["depth"]), **options)
    pd.testing.assert_frame_equal(result.summary, expected.summary)
    return result


@pytest.mark.parametrize("name", WORKED)
def test_outcomes_equal_the_worked_cases(golden, name):
    case, expected = golden[name]["input"], golden[name]["expected"]
    runs, qrels = track({"A": case["ranks_a"], "B": case["ranks_b"]})
    options = {"baseline": "A", "systems": "B"}
    row = both_ways(runs, qrels, depth=case["k"], **options).summary.iloc[0]
    numbers = expected["table1"] | expected["table2"]
    for column, key in GOLDEN.items():
        value = np.nan if numbers[key] is None else numbers[key]
        assert row[column] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), column
    shares = [row[f"share_{name}"] for name in ("neither", "a_only", "b_only", "both")]
    assert shares == pytest.approx(numbers["fractions"])
    verdicts = expected["verdicts_alpha_0.05"]
    for measure, (key, test) in itertools.product(("ESL", "RR"), (("wsr", "wilcoxon"), ("t", "t"))):
        result = runs.ireval.outcomes(qrels, measure=measure, test=test, **options).summary.iloc[0]
        assert result["better"] == verdicts["better" if measure == "ESL" else "better_rr"]
        for verdict in ("significantly_better", "no_harm"):
            assert result[verdict] == verdicts[verdict][f"{measure.lower()}_{key}"]


def test_queries_have_a_row_per_comparison_and_topic():
    runs, qrels = track({"A": [1, None, 3, 5], "B": [4, 2, None, 101]})
    queries = runs.ireval.outcomes(qrels, baseline="A", systems="B").queries
    assert queries["outcome"].tolist() == ["both", "b_only", "a_only", "a_only"]
    assert queries["outcome"].cat.ordered
    assert list(queries["outcome"].cat.categories) == ["neither", "a_only", "b_only", "both"]
    assert queries["qid"].tolist() == ["q0", "q1", "q2", "q3"]
    assert queries["rank_b"].tolist() == [4, 2, pd.NA, pd.NA]
    assert queries["esl_a"].tolist() == pytest.approx([1, np.nan, np.nan, np.nan], nan_ok=True)
    assert queries["rr_b"].tolist() == [1 / 4, 1 / 2, 0, 0]


answers = st.none() | st.integers(1, 12)


@pytest.mark.filterwarnings("ignore:no retrieved document is judged:irframe.errors.IrframeWarning")
@given(
    st.lists(st.tuples(answers, answers, answers), min_size=1, max_size=25),
    st.integers(1, 12),
)
def test_outcomes_of_all_pairs_agree_with_a_reference_implementation(ranks, k):
    columns = dict(zip("ABC", map(list, zip(*ranks, strict=True)), strict=True))
    runs, qrels = track(columns, length=12)
    summary = both_ways(runs, qrels, depth=k, measure="RR", test="t").summary
    assert summary[["system_a", "system_b"]].agg("".join, axis=1).tolist() == ["AB", "AC", "BC"]
    for row in summary.to_dict("records"):
        expected = breakdown(columns[row["system_a"]], columns[row["system_b"]], k)
        for name, value in expected.items():
            assert row[name] == pytest.approx(value, rel=1e-7, abs=1e-12, nan_ok=True), name
        shown = [row[name] for name in ("better", "significantly_better", "no_harm")]
        deciding = {name: row[f"{name}_adjusted"] for name in expected if name.startswith("p_")}
        assert shown == list(verdicts(expected | deciding, "rr", "t", 0.05))


@pytest.mark.parametrize(
    ("options", "pairs"),
    [
        ({"baseline": "B"}, ["BA", "BC"]),
        ({"baseline": "C", "systems": ["A", "B"]}, ["CA", "CB"]),
        ({"systems": ["C", "A"]}, ["CA"]),
        ({"pairs": [("C", "A"), ("A", "B")]}, ["CA", "AB"]),
    ],
)
def test_baseline_systems_and_pairs_select_the_comparisons(options, pairs):
    runs, qrels = track({"A": [1, 2], "B": [2, 1], "C": [None, 1]}, length=5)
    result = both_ways(runs, qrels, **options).summary
    assert (result["system_a"] + result["system_b"]).tolist() == pairs
    sides = [[int(b == "C"), int(a == "C")] for a, b in pairs]
    assert result[["a_only", "b_only"]].to_numpy().tolist() == sides


def test_documents_judged_twice_for_a_topic_are_refused():
    runs, qrels = track({"A": [1, 2], "B": [2, 1]}, length=5)
    twice = pd.concat([qrels, qrels.head(1).assign(**{[*qrels.columns][-1]: 7})])
    for relevant in ("only", "first"):
        refused(IdError, "right", runs.ireval.outcomes, twice, relevant=relevant)


def test_order_compares_each_system_with_the_best_earlier_system():
    ranks = {"old": [4, 4], "worse": [9, 9], "new": [2, 2], "same": [2, 2], "top": [1, 1]}
    runs, qrels = track(ranks, length=10)
    result = both_ways(runs, qrels, order=["old", "worse", "new", "same", "top"]).summary
    assert result["system_a"].tolist() == ["old", "old", "new", "new"]
    assert result["system_b"].tolist() == ["worse", "new", "same", "top"]
    assert result["best_so_far"].tolist() == [False, True, False, True]


def test_p_values_of_chosen_pairs_are_corrected_together():
    rng = np.random.default_rng(8)
    ranks = {name: rng.integers(1, 30, 40).tolist() for name in "ABCD"}
    runs, qrels = track(ranks, length=35)
    pairs = [("A", "B"), ("A", "C"), ("D", "C")]
    raw = ir.Significance(adjust=None)
    result = both_ways(runs, qrels, pairs=pairs, test=ir.Significance(adjust="bonferroni")).summary
    alone = pd.concat(
        [both_ways(runs, qrels, baseline=a, systems=b, test=raw).summary for a, b in pairs],
        ignore_index=True,
    )
    pd.testing.assert_frame_equal(result[alone.columns], alone)
    assert np.allclose(result["p_rr_t_adjusted"], np.minimum(3 * alone["p_rr_t"], 1))


def test_rank_sum_p_values_equal_scipy():
    rng = np.random.default_rng(2)
    ranks = {"A": rng.integers(1, 30, 60).tolist(), "B": rng.integers(20, 60, 60).tolist()}
    runs, qrels = track(ranks, length=50)
    tests = {"tie-corrected": stats.mannwhitneyu, "plain": stats.ranksums}
    raw = ir.Significance(adjust=None)
    for name, test in tests.items():
        result = both_ways(runs, qrels, baseline="A", depth=50, rank_sum=name, test=raw).summary
        rr = [[1 / r if r <= 50 else 0.0 for r in ranks[name]] for name in "AB"]
        assert result.loc[0, "p_ranksum"] == pytest.approx(test(*rr).pvalue, rel=1e-9)


def test_a_correction_can_change_the_verdict():
    rng = np.random.default_rng(3)
    a = rng.integers(3, 30, 60)
    ranks = {"A": a, "B": a - rng.integers(-1, 3, 60), "C": a, "D": a}
    runs, qrels = track({name: row.tolist() for name, row in ranks.items()}, length=35)
    raw = runs.ireval.outcomes(qrels, baseline="A", test=ir.Significance(alpha=0.01)).summary
    p = raw.loc[0, "p_esl_wilcoxon"]
    result = runs.ireval.outcomes(
        qrels, baseline="A", test=ir.Significance(adjust="bonferroni", alpha=2 * p)
    ).summary
    assert result.loc[0, "p_esl_wilcoxon"] == p
    assert result.loc[0, "p_esl_wilcoxon_adjusted"] == pytest.approx(3 * p)
    assert not result.loc[0, "ranked_significant"]
    bare = runs.ireval.outcomes(
        qrels, baseline="A", test=ir.Significance(adjust=None, alpha=2 * p)
    ).summary
    assert bare.loc[0, "ranked_significant"]
    assert "p_esl_wilcoxon_adjusted" not in bare


def test_systems_are_compared_within_each_group():
    runs, qrels = track({"A": [1, 2], "B": [2, 1], "C": [3, 1], "D": [1, 1]}, length=5)
    team = runs[runs.columns[0]].map({"A": "x", "B": "x", "C": "y", "D": "y"})
    result = both_ways(runs.assign(team=team), qrels, by="team").summary
    assert result[["team", "system_a", "system_b"]].to_numpy().tolist() == [
        ["x", "A", "B"],
        ["y", "C", "D"],
    ]
    with pytest.warns(IrframeWarning, match=r"left out \(team\): y \(no A\)"):
        both_ways(runs.assign(team=team), qrels, baseline="A", by="team")


def test_relevant_first_accepts_several_relevant_documents():
    runs, qrels = track({"A": [3], "B": [1]}, length=5)
    more = pd.DataFrame([("q0", "A1", 2), ("q0", "never", 1)], columns=qrels.columns)
    qrels = pd.concat([qrels, more])
    refused(InputError, "relevant='first'", runs.ireval.outcomes, qrels, baseline="A", systems="B")
    result = both_ways(runs, qrels, baseline="A", systems="B", relevant="first")
    assert result.summary.loc[0, ["esl_a", "esl_b"]].tolist() == [1, 1]
    strict = both_ways(runs, qrels, baseline="A", systems="B", rel=2)
    assert strict.summary.loc[0, "a_only"] == 1


def test_topics_without_relevant_documents_are_dropped_and_counted():
    runs, qrels = track({"A": [1, 2, 3], "B": [2, 1, 4]}, length=5)
    qrels.loc[2, "rel"] = 0
    result = both_ways(runs, qrels, baseline="A", systems="B")
    assert result.summary.loc[0, ["n_topics", "n_no_relevant"]].tolist() == [2, 1]
    assert result.queries["qid"].tolist() == ["q0", "q1"]
    refused(InputError, "none among 3", runs.ireval.outcomes, qrels.assign(rel=0), baseline="A")


def test_topics_without_relevant_documents_are_counted_per_group():
    runs, qrels = track({"A": [1, 2, 3, 4], "B": [2, 1, 4, 3]}, length=5)
    runs = runs.assign(kind=runs["qid"].map({"q0": "x", "q1": "x", "q2": "y", "q3": "y"}))
    qrels.loc[1, "rel"] = 0
    result = both_ways(runs, qrels, by="kind").summary
    assert result[["kind", "n_topics", "n_no_relevant"]].to_numpy().tolist() == [
        ["x", 1, 1],
        ["y", 2, 0],
    ]


def test_queries_have_the_topic_order_of_the_cube():
    runs, qrels = track({"A": [1, 2, 3], "B": [3, 1, 2]}, length=5)
    cube = runs.ireval.cube(qrels, topics=["q2", "q0"])
    result = cube.ireval.outcomes(baseline="A", systems="B")
    assert result.queries["topic"].tolist() == ["q2", "q0"]
    assert result.queries["rank_a"].tolist() == [3, 1]


def test_outcomes_rank_runs_by_score_and_leave_frames_unchanged():
    runs = pd.DataFrame(
        {"system": list("aabb"), "topic": "1", "doc": ["x", "y", "y", "x"], "score": 1.0}
    )
    qrels = pd.DataFrame({"topic": ["1"], "doc": ["x"], "grade": [1]})
    before = runs.copy(), qrels.copy()
    trec = runs.ireval.outcomes(qrels, baseline="a", systems="b").queries
    assert trec[["rank_a", "rank_b"]].to_numpy().tolist() == [[2, 2]]
    cube = runs.ireval.cube(qrels, ties="order")
    filed = cube.ireval.outcomes(baseline="a", systems="b").queries
    assert filed[["rank_a", "rank_b"]].to_numpy().tolist() == [[1, 2]]
    pd.testing.assert_frame_equal(runs, before[0])
    pd.testing.assert_frame_equal(qrels, before[1])


def test_invalid_arguments_of_outcomes_are_refused():
    runs, qrels = track({"A": [1, 2], "B": [2, 1]}, length=5)
    cube = runs.ireval.cube(qrels)
    refused(DepthError, "at most 5", cube.ireval.outcomes, baseline="A", systems="B", depth=6)
    bad = [
        {"baseline": "A", "systems": "Z"},
        {"baseline": "Z"},
        {"baseline": ["A", "B"]},
        {"baseline": "A", "systems": "A"},
        {"baseline": "A", "systems": []},
        {"baseline": "A", "systems": ["B", "B"]},
        {"systems": "A"},
        {"systems": [["A"], "B"]},
        {"order": ["A"]},
        {"order": ["A", "B", "A"]},
        {"order": ["A", "missing"]},
        {"baseline": "A", "order": ["A", "B"]},
        {"systems": ["A"], "order": ["A", "B"]},
        *({"pairs": pairs} for pairs in ([], "AB", ("A", "B"), 5, [("A",)], [("A", "A")])),
        *({"pairs": [("A", "B"), second]} for second in (("A", "B"), ("B", "A"), ("A", "Z"))),
        *({"pairs": [("A", "B")]} | more for more in ({"baseline": "A"}, {"order": ["A", "B"]})),
    ]
    for options in bad:
        refused(ParameterError, "expected", cube.ireval.outcomes, **options)
        refused(ParameterError, "expected", runs.ireval.outcomes, qrels, **options)
    refused(ParameterError, "runs without judgments", lambda: ir.verbs.outcomes(runs))
    refused(
        InputError, "judgments.*found an object of type str", lambda: ir.verbs.outcomes(runs, "A")
    )
    refused(ParameterError, "a cube and judgments", cube.ireval.outcomes, qrels)
    refused(InputError, "rows with named columns", lambda: ir.verbs.outcomes([1], qrels))
    tied = runs.ireval.cube(qrels, ties="mean")
    refused(IrframeError, "order of tied documents", tied.ireval.outcomes, baseline="A")


def test_missing_lists_count_as_empty():
    runs, qrels = track({"A": [1, 2], "B": [2, 1]}, length=5)
    with pytest.raises(IdError, match="topics that occur in runs and qrels"):
        runs.ireval.outcomes(qrels.assign(qid=["x", "y"]), baseline="A")
    disjoint = runs[(runs["system"] == "A") == (runs["qid"] == "q0")]
    with pytest.warns(IrframeWarning, match="lack count as empty: A 1 of 2 topics, B 1 of 2"):
        result = both_ways(disjoint, qrels, baseline="A")
    cases = ["a_only", "b_only", "both", "neither"]
    assert result.summary.loc[0, cases].tolist() == [1, 1, 0, 0]
    stray = runs.assign(qid=runs["qid"].where(runs["system"] == "A", "0" + runs["qid"]))
    with (
        pytest.warns(IrframeWarning, match="2 topics of the runs have no judgments"),
        pytest.warns(
            IrframeWarning,
            match="score 0 on all judged topics: B; these systems have the topics '0q0'",
        ),
    ):
        result = stray.ireval.outcomes(qrels, baseline="A")
    assert result.summary.loc[0, cases].tolist() == [2, 0, 0, 0]


def test_topics_in_which_only_one_system_took_part_are_dropped():
    runs, qrels = track({"A": [1, 2], "B": [2, 1]}, length=5)
    cube = runs.ireval.cube(qrels)
    masked = cube.where((cube["system"] != "B") | (cube["topic"] != "q0"))
    with pytest.warns(IrframeWarning, match="1 of 2 topics are left out"):
        result = masked.ireval.outcomes(baseline="A")
    assert result.queries["rank_a"].tolist() == [2]


def test_mrr_equals_published_values(shared):
    folder = shared / "data" / "msmarco-doc-dev"
    runs = ir.read_runs(
        [*folder.glob("runs/bm25.*"), *folder.glob("runs/wordnet_all*")], system="file"
    )
    result = runs.ireval.outcomes(
        ir.read_qrels(folder / "qrels.txt"), baseline="bm25", depth=10
    ).summary
    assert round(result.loc[0, "mrr_a"], 5) == 0.21854
