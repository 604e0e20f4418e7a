"""Tests of `judge_next` and `replay`."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense, nameless
from oracles.judging import ORACLES
from refusals import refused
from scipy import stats
from turns import few_of

import irframe as ir
from irframe.__main__ import main
from irframe.errors import DepthError, IdError, InputError, IrframeWarning, ParameterError
from irframe.judging.turns import METHODS

RUNS, QRELS = ir.example_track()

pytestmark = pytest.mark.filterwarnings("ignore:.* judgments are set aside")


def test_judge_next_returns_distinct_unjudged_documents_of_the_pool(cube):
    result = cube.ireval.judge_next(300, "pool")
    pairs = result[["topic", "doc"]].merge(QRELS[["topic", "doc"]])
    assert len(result) == 300
    assert pairs.empty
    assert not result.duplicated(["topic", "doc"]).any()
    ranked = RUNS[
        RUNS["system"].isin(cube.system.to_numpy()[dense(cube).contributing])
    ].ireval.rank()
    stats = ranked.groupby(["topic", "doc"])["rank"].agg(["min", "size"])
    expected = stats.loc[pd.MultiIndex.from_frame(result[["topic", "doc"]])]
    assert result["best_rank"].tolist() == expected["min"].tolist()
    assert result["runs"].tolist() == expected["size"].tolist()
    assert result["probability"].between(0, 1).all()
    assert result.groupby("topic").size().max() - result.groupby("topic").size().min() <= 1


def test_integer_ids_stay_integers_in_judge_next():
    runs, qrels = (
        frame.assign(doc=frame["doc"].str[1:].astype(int), topic=frame["topic"].astype(int))
        for frame in ir.example_track()
    )
    result = ir.cube(runs, qrels).ireval.judge_next(9)
    assert result["doc"].dtype.kind == result["topic"].dtype.kind == "i"
    assert len(result.merge(runs[["topic", "doc"]].drop_duplicates())) == 9


def test_documents_with_dropped_judgments_or_grade_minus_one_are_chosen(cube):
    pooled = cube.ireval.pooled(2)
    subset = dense(pooled).judged_doc
    result = pooled.ireval.judge_next(50)
    fewer = QRELS[QRELS["doc"].isin(subset)]
    assert len(subset) < len(fewer)  # names of documents also occur in other topics
    marked = QRELS.assign(grade=np.where(np.arange(len(QRELS)) % 3, QRELS["grade"], -1))
    repeated = ir.cube(RUNS, marked).ireval.judge_next(400, "pool")[["topic", "doc"]]
    assert len(repeated.merge(marked[marked["grade"] == -1])) > 100
    assert repeated.merge(marked[marked["grade"] != -1]).empty
    assert len(result.merge(QRELS, on=["topic", "doc"])) > 0


def test_priorities_are_multiplied_by_the_prior(cube):
    every = cube.ireval.judge_next(1200)
    prior = every[["topic", "doc"]].assign(grade=np.arange(1200) % 4)
    result = cube.ireval.judge_next(1200, ir.JudgingMethod("pool", prior=prior))
    by_grade = result.merge(prior).groupby("grade")["probability"]
    assert by_grade.nunique().tolist() == [1, 1, 1, 1]
    assert np.allclose(by_grade.first(), [0.05, 0.2, 0.5, 0.8])  # judged documents have no prior
    likely = prior.drop(columns="grade").assign(probability=0.5)
    half = cube.ireval.judge_next(5, ir.JudgingMethod(prior=likely))
    assert np.allclose(half["priority"], cube.ireval.judge_next(5)["priority"] / 2)
    with pytest.warns(IrframeWarning, match="1190 of 1200 documents have no prior"):
        cube.ireval.judge_next(3, ir.JudgingMethod(prior=prior[:10]))


def test_invalid_arguments_of_judge_next_are_refused(cube):
    every = cube.ireval.judge_next(1200)[["topic", "doc"]].assign(grade=1)
    prior = every[:2].drop(columns="grade").assign(probability=[0.5, 1.5])
    wrong = {
        "n to be at most 1200 .* but found 1201": (ParameterError, {"n": 1201}),
        "depth": (DepthError, {"depth": 51}),
        "probabilities from 0 to 1 .* 1.5 for": (
            ParameterError,
            {"method": ir.JudgingMethod(prior=prior)},
        ),
        "accepts a prior": (ParameterError, {"method": ir.JudgingMethod("mtf", prior=every)}),
        "grade or probability": (
            InputError,
            {"method": ir.JudgingMethod(prior=prior[["topic", "doc"]])},
        ),
        "one prior per document": (
            IdError,
            {"method": ir.JudgingMethod(prior=pd.concat([prior, prior]))},
        ),
    }
    for pattern, (error, options) in wrong.items():
        refused(error, pattern, cube.ireval.judge_next, **{"n": 1} | options)


def test_concatenated_cubes_keep_ids_of_documents(cube):
    half = RUNS["topic"] < "108"
    cubes = [
        ir.cube(RUNS[some], QRELS[QRELS["topic"].isin(RUNS[some]["topic"])])
        for some in (half, ~half)
    ]
    expected = cube.ireval.explain("bm25", "ance", "AP", at=50)
    pd.testing.assert_frame_equal(
        ir.concat(cubes).ireval.explain("bm25", "ance", "AP", at=50), expected
    )
    result = ir.concat([cubes[0], nameless(cubes[1])]).ireval.explain("bm25", "ance", "AP", at=50)
    unknown = result[result["doc"].isna()]
    assert set(unknown["topic"]) >= set(RUNS[~half]["topic"])


def test_judge_next_needs_runs_if_the_cube_lacks_ids(cube, tmp_path):
    RUNS.drop(columns=["team", "contributing"], errors="ignore").to_parquet(
        tmp_path / "runs.parquet"
    )
    expected = cube.ireval.judge_next(300)
    pool = ir.Pool(contributing=cube.system.to_numpy()[dense(cube).contributing].tolist())
    scanned = ir.scan_runs(tmp_path / "runs.parquet").ireval.cube(QRELS, pool=pool)
    repeated = cube.ireval.save(tmp_path / "cube")
    for named in (cube.where(cube["retrieved"] > 0), repeated, scanned):
        result = named.ireval.judge_next(300)
        pd.testing.assert_frame_equal(result, expected, check_dtype=False)
    with pytest.raises(InputError, match=r"ids of the unjudged .* Pass the runs .* runs="):
        nameless(cube).ireval.judge_next(1)
    result = nameless(cube).ireval.judge_next(300, runs=RUNS)
    pd.testing.assert_frame_equal(result, expected, check_dtype=False)
    reversed_runs = RUNS.drop(columns="rank").assign(score=-RUNS["score"])
    with pytest.raises(InputError, match="runs that the cube was made from"):
        cube.ireval.judge_next(1, runs=reversed_runs)
    with pytest.raises(
        ParameterError, match="n to be at most 0 .the number of unjudged documents in the pool"
    ):
        cube.ireval.condense().ireval.judge_next(1)


def test_command_judge_next_writes_documents_to_a_file(cube, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ir.verbs.write_run(RUNS, "runs.txt")
    ir.verbs.write_qrels(QRELS, "qrels.txt")
    judged = ir.cube(
        RUNS.drop(columns="contributing"), QRELS, pool=ir.Pool(contributing=cube.system.to_numpy())
    )
    expected = judged.ireval.judge_next(4, "mtf", seed=1)
    pd.DataFrame({"docno": expected["doc"][:1], "text": ["<b>"]}).to_csv("texts.csv", index=False)
    line = ["judge-next", "qrels.txt", "runs.txt", "-n", "4", "--method", "mtf", "--seed", "1"]
    assert main([*line, "-o", "next.tsv", "--texts", "texts.csv"]) == 0
    result = pd.read_csv("next.tsv", sep="\t", dtype={"topic": str}, keep_default_na=False)
    pd.testing.assert_frame_equal(result.drop(columns="text"), expected, check_dtype=False)
    assert result["text"].tolist() == ["<b>", "", "", ""]
    assert main([*line, "--format", "qrels", "-o", "next.txt"]) == 0
    assert ir.read_qrels("next.txt")["doc"].tolist() == expected["doc"].tolist()
    assert "all 8 systems are assumed to contribute to the pool" in capsys.readouterr().err


@pytest.fixture(scope="module")
def shallow():
    return ir.cube(RUNS, QRELS, depth=10)


def judged_by_hand(cube, name, budget):
    """Return an oracle's first judgments per topic, and all judgments."""
    ranked = RUNS[
        RUNS["system"].isin(cube.system.to_numpy()[dense(cube).contributing])
    ].ireval.rank()
    judged = ranked[ranked["rank"] <= 10].merge(QRELS, on=["topic", "doc"])
    rows = []
    for topic, rows_of_topic in judged.groupby("topic"):
        lists = {
            s: list(run.sort_values("rank")["doc"]) for s, run in rows_of_topic.groupby("system")
        }
        ranks = rows_of_topic.set_index(["system", "doc"])["rank"]
        order = ORACLES[name](
            padded(lists, ranks), {*rows_of_topic["doc"][rows_of_topic["grade"] > 0]}, None
        )
        chosen = [doc for doc in order if doc in {*rows_of_topic["doc"]}][:budget]
        rows.append(QRELS[(QRELS["topic"] == topic) & QRELS["doc"].isin(chosen)])
    pool = judged[["topic", "doc", "grade"]].drop_duplicates()
    return pd.concat(rows), pool


def padded(lists, ranks):
    """Return lists with a unique name at every unjudged rank."""
    wide = {s: [f"{s} {rank}" for rank in range(1, 11)] for s in lists}
    for (system, doc), rank in ranks.items():
        wide[system][rank - 1] = doc
    return wide


def test_conclusions_and_tau_of_replay_equal_those_of_judge_effect(shallow):
    fewer, full = judged_by_hand(shallow, "pool", 4)
    result = shallow.ireval.replay("pool", 4, "AP", "nDCG@5")
    effect = shallow.ireval.judge_effect(
        {"full": full, "few": fewer}, ["AP", "nDCG@5"], at=10, pairs="own"
    )
    counts = result["conclusions"].squeeze(["strategy", "budget"])
    np.testing.assert_allclose(counts, effect["conclusions"].squeeze("judge").squeeze("depth"))
    agreed = effect["agreement"].squeeze("judge").squeeze("depth")
    for name, method in {"tau": "kendall", "tau_ap": "tau_ap"}.items():
        np.testing.assert_allclose(result[name].squeeze(), agreed.sel(coefficient=method))
    assert result["judged"].item() == len(fewer) / 16
    assert result["found"].item() == (fewer["grade"] > 0).sum() / 16


@pytest.mark.parametrize("unjudged", few_of(["nonrelevant", "condensed"], 2))
def test_replay_with_all_judgments_changes_no_conclusion(cube, unjudged):
    result = cube.ireval.replay([*METHODS], [2, 1000], "AP", resamples=2, unjudged=unjudged)
    full = result.sel(budget=1000)
    assert full["tau"].min() == full["tau_ap"].min() == 1
    assert full["conclusions"].sel(conclusion=["lost", "new", "reversed"]).sum() == 0
    assert (result["found"].diff("budget") > 0).all()
    assert (result["conclusions"].sum("conclusion") == 8 * 7 / 2).all()
    assert (full["change"] == 0).all()
    every = cube.isel(system=dense(cube).contributing).ireval.replay("pool", 2, "AP")
    assert np.isnan(every["change"]).all()


def test_replay_is_reproducible_and_returns_students_intervals(shallow):
    options = [["mtf", "leverage"], [3, 6], "AP"]
    result = shallow.ireval.replay(*options, resamples=4)
    xr.testing.assert_identical(result, shallow.ireval.replay(*options, resamples=4))
    width = result["found_interval"].diff("bound").squeeze("bound")
    np.testing.assert_allclose(width.sel(strategy="leverage"), 0, atol=1e-12)
    assert width.sel(strategy="mtf").max() > 0.1
    single = shallow.ireval.replay(*options, resamples=1)
    assert np.isnan(single["found_interval"]).all()
    two = shallow.ireval.replay(*options, resamples=2)
    second = 2 * two["found"] - single["found"]
    reach = stats.t.ppf(0.975, 1) * abs(second - single["found"]) / 2
    assert float(reach.max()) > 0
    np.testing.assert_allclose(two["found_interval"].isel(bound=1), two["found"] + reach)
    half = shallow.ireval.replay(*options, resamples=4, contributing_share=0.5)
    assert half["change"].notnull().all()
    assert (half["found_interval"].diff("bound") > 0).any()


def test_replay_draws_all_contributing_systems_of_a_group_together(shallow):
    grouped = shallow.assign_coords(team=("system", [*"aabbccdd"]))
    result = grouped.ireval.replay(
        "pool", 3, "AP", contributing_share=0.25, together="team", resamples=2
    )
    assert result["change"].notnull().all()
    with pytest.raises(ParameterError, match="coordinate of the systems"):
        shallow.ireval.replay("pool", 3, "AP", together="club")


def test_invalid_arguments_of_replay_are_refused(shallow):
    wrong = {
        "at least one value in methods": ([], [3], {}),
        "methods without duplicates": (["pool", "pool"], [3], {}),
        "budget to be a whole number": (["pool"], [0], {}),
        "at least one value in budgets": (["pool"], [], {}),
        "accepts a prior": (ir.JudgingMethod("mtf", prior=PRIOR), [3], {}),
    }
    for pattern, (methods, budgets, options) in wrong.items():
        refused(ParameterError, pattern, shallow.ireval.replay, methods, budgets, "AP", **options)
    with pytest.raises(DepthError, match="as deep as its lists"):
        shallow.ireval.replay("pool", 3, "AP", unjudged="condensed")
    refused(DepthError, "expected", shallow.ireval.replay, "pool", 3, "AP@11")


PRIOR = ir.example_track()[1][["topic", "doc", "grade"]]


def test_a_perfect_prior_finds_more_relevant_documents(shallow):
    with_prior, plain = (
        shallow.ireval.replay(
            [ir.JudgingMethod(name, prior=prior) for name in ("pool", "maxmean", "leverage")],
            4, "AP", resamples=2,
        )["found"].to_numpy()
        for prior in (PRIOR, None)
    )  # fmt: skip
    assert (with_prior > plain).all()


def test_methods_can_be_passed_as_strings(cube):
    texts = ["maxmean(credit='run', batch=3)", "JudgingMethod('maxmean', credit='run', batch=3)"]
    value = ir.JudgingMethod("maxmean", credit="run", batch=3)
    assert [str(value), repr(value)] == texts
    expected = cube.ireval.judge_next(9, value)
    for text in texts:
        pd.testing.assert_frame_equal(cube.ireval.judge_next(9, text), expected)
    refused(ParameterError, "'maxmean' with credit", ir.JudgingMethod, "pool", credit="run")
    step = expected.ireval.record[-1]
    assert {"method": "maxmean", "credit": "run", "batch": 3}.items() <= step.options.items()
    pd.testing.assert_frame_equal(step.again(cube), expected)


def test_all_systems_contribute_to_an_unknown_pool():
    bare = ir.cube(RUNS.drop(columns="contributing"), QRELS, depth=10)
    pattern = "is unknown, so all 8 systems are assumed to contribute to the pool"
    with pytest.warns(IrframeWarning, match=pattern):
        assert len(bare.ireval.judge_next(5)) == 5
    with (
        pytest.warns(IrframeWarning, match=pattern),
        pytest.warns(IrframeWarning, match="judgments are set aside"),
    ):
        bare.ireval.replay("pool", 3, "AP")
