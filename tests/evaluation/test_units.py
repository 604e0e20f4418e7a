"""Copies and lengths of retrieved documents."""

import numpy as np
import pandas as pd
import pytest
from flat import arguments
from refusals import refused

import irframe as ir
from irframe.errors import (
    DepthError,
    IdError,
    InputError,
    IrframeWarning,
    MetricError,
    ParameterError,
)

RUN = pd.DataFrame(
    {"system": "s", "topic": "1", "doc": ["b", "x", "a", "c"], "score": [4.0, 3.0, 2.0, 1.0],
     "tokens": [30, 10, 20, 5]}
)  # fmt: skip
QRELS = pd.DataFrame({"topic": "1", "doc": ["a", "c"], "grade": [1, 1]})
COPIES = {"b": "a"}


def at_every_depth(metric, **options):
    return (
        RUN.ireval.cube(QRELS, **arguments(ir.cube, options))
        .ireval.score(metric)
        .to_numpy()
        .ravel()
        .tolist()
    )


@pytest.mark.parametrize(
    "copies", [COPIES, pd.Series(COPIES), pd.DataFrame({"doc": ["b"], "canonical": ["a"]})]
)
def test_later_copies_keep_their_ranks_or_are_removed(copies):
    assert at_every_depth("Recall") == [0, 0, 0.5, 1]
    assert at_every_depth("Recall", units=ir.Units(copies=copies)) == [0.5, 0.5, 0.5, 1]
    assert at_every_depth("Recall", units=ir.Units(copies=copies, later_copies="skip")) == [
        0.5,
        0.5,
        1,
    ]
    assert at_every_depth("nDCG", units=ir.Units(copies=copies))[-1] < 1
    spent = RUN.ireval.cube(QRELS, units=ir.Units(copies=copies))
    assert spent["unjudged"].item() == 1
    assert ir.evaluate(RUN, QRELS, "P@3", units=ir.Units(copies=copies)).iloc[0, 0] == 1 / 3
    assert ir.scorer(QRELS, "AP", units=ir.Units(copies=copies)).mean(RUN) == {"AP": 0.75}


def test_copies_get_the_highest_grade_of_any_copy():
    qrels = pd.concat([QRELS, QRELS[:1].assign(doc="b", grade=3)])
    with pytest.warns(IrframeWarning, match="1 document"):
        scores = ir.evaluate(RUN, qrels, "nDCG", units=ir.Units(copies=COPIES))
    assert scores.attrs["top"] == 3


def test_scores_at_a_budget_equal_scores_at_the_depth_that_fits():
    cube = RUN.ireval.cube(QRELS, units=ir.Units(length="tokens"))
    scores = cube.ireval.score("Recall", "P", "nDCG", stop=ir.Budget([29, 30, 60, 65, 999]))
    by_depth = cube.ireval.score("Recall", "P", "nDCG(ideal='full')")
    for budget, depth in {30: 1, 60: 3, 65: 4, 999: 4}.items():
        result = scores.sel(budget=budget).to_numpy().ravel()
        np.testing.assert_array_equal(result, by_depth.sel(depth=depth).to_numpy().ravel())
    assert scores.sel(budget=29).to_numpy().ravel().tolist() == [0, 0, 0]
    assert scores.attrs["budgets"] == "tokens, whole units"
    assert scores.attrs["caution"] == "nothing fits into 29 tokens in 1 of 1 list"


def test_documents_that_do_not_fit_may_be_skipped():
    cube = RUN.ireval.cube(QRELS, units=ir.Units(length={"b": 30, "x": 10, "a": 20, "c": 5}))
    scores = cube.ireval.score("Recall", "P", stop=ir.Budget([5, 25, 34], cut="skip"))
    np.testing.assert_allclose(scores.to_numpy()[:, 0, 0], [[0.5, 0.5, 0], [1, 0.5, 0]])
    # The sum of the lengths exceeds the budget only because of rounding.
    groups = [665230006.6862088, 21254131.078561813, 313515862.23522955]
    assert sum(groups) > 10**9
    cube = RUN[1:].assign(size=groups).ireval.cube(QRELS, units=ir.Units(length="size"))
    assert cube.ireval.score("Recall", stop=ir.Budget(10**9, cut="skip")).item() == 1


LENGTHS = pd.Series({"b": 30, "x": 10, "a": 20, "c": 5}, name="tokens")


@pytest.mark.parametrize("length", ["tokens", LENGTHS, LENGTHS.to_frame()])
def test_all_inputs_and_forms_of_lengths_give_equal_scores(length, tmp_path):
    runs = RUN if isinstance(length, str) else RUN.drop(columns="tokens")
    options = {"length": length, "budget": [30, 60]}
    table = ir.evaluate(runs, QRELS, ["AP", "ESL"], **arguments(ir.evaluate, options))
    assert table.columns.tolist() == [
        f"{metric} in {budget} tokens" for metric in ("AP", "ESL") for budget in (30, 60)
    ]
    cube = ir.cube(runs, QRELS, units=ir.Units(length=length))
    scores = cube.ireval.score("AP", "ESL", stop=ir.Budget([30, 60]))
    np.testing.assert_array_equal(table.to_numpy().ravel(), scores.to_numpy().ravel())
    mean = ir.scorer(QRELS, ["AP", "ESL"], **arguments(ir.scorer, options)).mean(runs)
    assert list(mean.values()) == pytest.approx(table.iloc[0].tolist(), nan_ok=True)
    cube.ireval.save(tmp_path / "cube")
    reopened = ir.open_cube(tmp_path / "cube").ireval.score("AP", "ESL", stop=ir.Budget([30, 60]))
    np.testing.assert_array_equal(reopened, scores)


def test_cost_metrics_at_a_budget_are_costs():
    from irframe.metrics.facts import facts

    assert facts("ASL in 500 tokens").cost
    assert not facts("AP in 500 tokens").cost


def two_systems():
    random = np.random.default_rng(0)
    rows = [
        (system, str(topic), f"d{doc}", random.random(), int(random.integers(1, 30)))
        for system in "pqr"
        for topic in range(6)
        for doc in range(8)
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score", "tokens"])
    qrels = pd.DataFrame([(str(t), f"d{d}", 1) for t in range(6) for d in range(3)],
                         columns=["topic", "doc", "grade"])  # fmt: skip
    return runs, qrels


def test_budgets_are_selected_with_sel():
    runs, qrels = two_systems()
    cube = runs.ireval.cube(qrels, units=ir.Units(length="tokens"))
    scores = cube.ireval.score("AP", "nDCG", stop=ir.Budget([20, 60, 90]))
    pd.testing.assert_frame_equal(
        scores.sel(budget=[20, 90]).ireval.compare(),
        scores.ireval.compare().query("budget != 60").reset_index(drop=True),
    )
    with pytest.raises(TypeError, match="unexpected keyword argument 'budget'"):
        scores.ireval.compare(budget=60)
    with pytest.raises(TypeError, match=r"write scores\.sel\(budget=60\)\.ireval\.compare\(\)"):
        scores.ireval.compare(at=60)
    with pytest.raises(DepthError, match="different budgets of the scores, from 20 to 90"):
        scores.ireval.leaderboard(at=50)
    with pytest.raises(InputError, match="budgets in one unit"):
        scores.ireval.coverage(reference=cube.ireval.score("AP", "nDCG"))


def test_scores_of_a_selected_cube_equal_selected_scores():
    runs, qrels = two_systems()
    cube = runs.assign(team=runs["system"].map({"p": 1, "q": 1, "r": 2})).ireval.cube(
        qrels, units=ir.Units(length="tokens")
    )
    scores = cube.ireval.score("AP", stop=ir.Budget([20, 60]))
    some = cube.isel(system=[2, 0], topic=[4, 1, 3]).ireval.score("AP", stop=ir.Budget([20, 60]))
    np.testing.assert_array_equal(some, scores.isel(system=[2, 0], topic=[4, 1, 3]))
    groups = cube.ireval.groupby("team").score("AP", stop=ir.Budget([20, 60]))
    np.testing.assert_array_equal(groups.sel(team=1, system="q"), scores.sel(system="q"))
    masked = cube.where(cube["topic"] != "2").ireval.score("AP", stop=ir.Budget([20]))
    assert np.isnan(masked).sum() == 3
    both = ir.concat([cube.isel(topic=slice(0, 2)), cube.isel(topic=slice(2, None))])
    np.testing.assert_array_equal(both.ireval.score("AP", stop=ir.Budget([20, 60])), scores)
    ranks = scores.ireval.record[-1].options
    assert ranks == {"metrics": ["AP"], "budget": [20, 60], "cut": "whole"}


REFUSED = {
    "a missing length": (
        InputError,
        "1 row with missing, negative",
        {"tokens": [30, None, 20, 5]},
        {},
    ),
    "a negative length": (
        InputError,
        "1 row with missing, negative or infinite lengths: s 1 x",
        {"tokens": [30, -1, 20, 5]},
        {},
    ),
    "no such column": (ParameterError, "'words'", {}, {"length": "words"}),
    "a document without a length": (
        IdError,
        "no value for: c",
        {},
        {"length": {"a": 1, "b": 1, "x": 1}},
    ),
    "no lengths": (ParameterError, "lengths", {}, {"length": None}),
    "half a token": (ParameterError, "smaller unit", {}, {"budget": 0.5}),
    "a budget twice": (ParameterError, "repeated values: 5", {}, {"budget": [5, 5]}),
    "parts of documents": (ParameterError, "spans", {}, {"cut": "part"}),
    "shared ranks": (ParameterError, "distinct ranks of documents", {}, {"ties": "mean"}),
    "a chain of copies": (
        ParameterError,
        "that are not copies themselves",
        {},
        {"copies": {"a": "b", "b": "c"}},
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_lengths_are_refused(case):
    error, message, columns, options = REFUSED[case]
    with pytest.raises(error, match=message):
        RUN.assign(**columns).ireval.evaluate(
            QRELS, "P", **arguments(ir.evaluate, {"length": "tokens", "budget": 30} | options)
        )


def test_metrics_with_a_cut_ideal_ranking_are_refused_at_budgets():
    subtopics = QRELS.assign(subtopic=["x", "y"])
    for metric, qrels in {"alpha_nDCG": subtopics, "AP(judged_only=True)": QRELS}.items():
        with pytest.raises(MetricError, match="with an uncut ideal ranking"):
            RUN.ireval.evaluate(qrels, metric, units=ir.Units(length="tokens"), stop=ir.Budget(30))


def test_systems_with_different_units_are_not_compared():
    runs, qrels = two_systems()
    declared = runs.assign(unit=runs["system"].map({"p": "800", "q": "800", "r": "1600"}))
    scores = declared.ireval.cube(qrels).ireval.score("AP", at=5)
    table = declared.ireval.evaluate(qrels, "AP")
    for result in (scores, table):
        refused(InputError, "r of 1600", result.ireval.compare)
    assert len(scores.sel(system=["p", "q"]).ireval.compare()) == 1
    collapsed = declared.ireval.evaluate(qrels, "AP", units=r"(.+)")
    assert len(collapsed.ireval.compare()) == 3


def test_lists_whose_first_document_exceeds_the_budget_are_counted():
    runs = pd.concat([RUN, RUN.assign(system="t", tokens=[5, 10, 20, 30])])
    result = runs.ireval.diagnose(
        QRELS, units=ir.Units(length="tokens"), stop=ir.Budget([29, 30, 4])
    )
    rows = result[result["what"].str.contains("first document is longer")]
    assert rows["what"].str.extract(r"(\d+ tokens)")[0].tolist() == ["29 tokens", "4 tokens"]
    assert rows[["where", "how_many"]].to_numpy().tolist() == [["s (1)", 1], ["s (1), t (1)", 2]]
    scores = ir.evaluate(
        runs, QRELS, "AP", units=ir.Units(length="tokens"), stop=ir.Budget([29, 30, 4])
    )
    assert scores.attrs["caution"] == (
        "nothing fits into 29 tokens in 1 of 2 lists\nnothing fits into 4 tokens in 2 of 2 lists"
    )
    refused(
        ParameterError,
        "the length of each retrieved document",
        runs.ireval.diagnose,
        QRELS,
        stop=ir.Budget(4),
    )


def test_check_counts_copies_and_chunk_ids():
    chunks = pd.DataFrame({"topic": "1", "doc": ["a#3", "a_0003", "c-1", "z#1"], "score": 1.0})
    result = chunks.ireval.check(QRELS, units=ir.Units(copies={"z#1": "c-1"})).iloc[0]
    assert result["chunks"] == ("1 a#3", "1 a_0003", "1 c-1")
    assert result["copies"] == ("1 c-1",)
    assert result["severity"] == "error"
    findings = chunks.ireval.diagnose(QRELS, [])
    finding = findings[findings["what"].str.contains("chunks")].iloc[0]
    assert finding["how_many"] == 3
    assert r"units=r'(.+?)[#_:.-]+\d+'" in finding["advice"]
    twice = pd.concat([RUN, RUN[:1].assign(score=0.5)])
    refused(IdError, "units='doc'", twice.ireval.evaluate, QRELS, "AP")
    assert twice.ireval.evaluate(QRELS, "Recall", units="doc").iloc[0, 0] == 1


OWN_DEPTHS = [
    f"{name}@5"
    for name in ("nDCG", "AP", "AP(norm='min')", "Q", "P", "F", "R", "RR", "RBP", "ERR", "ASL")
]


def short_and_long_lists():
    runs, qrels = ir.example_track()
    random = np.random.default_rng(0)
    runs = runs.assign(tokens=random.integers(1, 50, len(runs)))
    return runs[random.random(len(runs)) < 0.1], qrels


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize(
    "options",
    [
        {"length": "tokens", "budget": 10**6},
        {"length": "tokens", "budget": 10**6, "cut": "skip"},
        {"threshold": -1e9},
    ],
)
def test_stops_beyond_the_end_of_a_list_do_not_change_scores_at_a_depth(options):
    runs, qrels = short_and_long_lists()
    expected = ir.evaluate(runs, qrels, OWN_DEPTHS)
    scores = ir.evaluate(runs, qrels, OWN_DEPTHS, **arguments(ir.evaluate, options))
    np.testing.assert_array_equal(scores.to_numpy(), expected.to_numpy())


@pytest.mark.parametrize("cut", ["whole", "skip"])
def test_stops_do_not_change_the_ideal_ranking_of_metrics_with_a_cutoff(cut):
    runs = pd.DataFrame({"topic": "1", "doc": list("xabc"), "score": [4, 3, 2, 1], "tokens": 10})
    qrels = pd.DataFrame({"topic": "1", "doc": list("abcde"), "grade": 1})
    metrics = ["nDCG@3", "AP(norm='min')@3", "P@3"]
    scores = ir.evaluate(
        runs, qrels, metrics, units=ir.Units(length="tokens"), stop=ir.Budget([20, 40], cut=cut)
    )
    second, ideal = 1 / np.log2(3), 1 + 1 / np.log2(3) + 1 / 2
    ndcg = [second / ideal, (second + 1 / 2) / ideal]
    expected = [*ndcg, 1 / 2 / 3, (1 / 2 + 2 / 3) / 3, 1 / 2, 2 / 3]
    np.testing.assert_allclose(scores.iloc[0], expected, rtol=1e-12)
    cube = ir.cube(runs, qrels, units=ir.Units(length="tokens"))
    of_cube = cube.ireval.score(metrics, stop=ir.Budget([20, 40], cut=cut))
    np.testing.assert_array_equal(of_cube.to_numpy().ravel(), scores.iloc[0])


@pytest.mark.filterwarnings("ignore:no retrieved document:irframe.errors.IrframeWarning")
def test_silence_scores_one_only_if_no_document_is_read():
    runs = RUN.assign(tokens=[900, 100, 600, 600])
    qrels = pd.DataFrame({"topic": "1", "doc": ["z"], "grade": [0]})
    options = {"length": "tokens", "budget": [50, 500], "no_rel": "silence"}
    scores = ir.evaluate(runs, qrels, ["P", "NumRet"], **arguments(ir.evaluate, options))
    options["cut"] = "skip"
    skipped = ir.evaluate(runs, qrels, ["P", "NumRet"], **arguments(ir.evaluate, options))
    assert scores.iloc[0].tolist() == [1, 1, 0, 0]
    assert skipped.iloc[0].tolist() == [1, 0, 0, 1]
