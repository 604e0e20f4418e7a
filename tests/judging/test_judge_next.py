"""Tests of irframe.judging.judge_next."""

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


def test_documents_are_unjudged_each_once_and_what_the_lists_say(cube):
    found = cube.ireval.judge_next(300, "pool")
    pairs = found[["topic", "doc"]].merge(QRELS[["topic", "doc"]])
    assert len(found) == 300
    assert pairs.empty
    assert not found.duplicated(["topic", "doc"]).any()
    ranked = RUNS[
        RUNS["system"].isin(cube.system.to_numpy()[dense(cube).contributing])
    ].ireval.rank()
    stats = ranked.groupby(["topic", "doc"])["rank"].agg(["min", "size"])
    expected = stats.loc[pd.MultiIndex.from_frame(found[["topic", "doc"]])]
    assert found["best_rank"].tolist() == expected["min"].tolist()
    assert found["runs"].tolist() == expected["size"].tolist()
    assert found["probability"].between(0, 1).all()
    assert found.groupby("topic").size().max() - found.groupby("topic").size().min() <= 1


def test_whole_numbers_stay_whole_numbers():
    runs, qrels = (
        frame.assign(doc=frame["doc"].str[1:].astype(int), topic=frame["topic"].astype(int))
        for frame in ir.example_track()
    )
    found = ir.cube(runs, qrels).ireval.judge_next(9)
    assert found["doc"].dtype.kind == found["topic"].dtype.kind == "i"
    assert len(found.merge(runs[["topic", "doc"]].drop_duplicates())) == 9


def test_forgotten_judgments_and_marks_are_judged_again(cube):
    pooled = cube.ireval.pooled(2)
    kept = dense(pooled).judged_doc
    found = pooled.ireval.judge_next(50)
    fewer = QRELS[QRELS["doc"].isin(kept)]
    assert len(kept) < len(fewer)  # names that another topic has, too
    marked = QRELS.assign(grade=np.where(np.arange(len(QRELS)) % 3, QRELS["grade"], -1))
    again = ir.cube(RUNS, marked).ireval.judge_next(400, "pool")[["topic", "doc"]]
    assert len(again.merge(marked[marked["grade"] == -1])) > 100
    assert again.merge(marked[marked["grade"] != -1]).empty
    assert len(found.merge(QRELS, on=["topic", "doc"])) > 0


def test_a_prior_is_learned_and_multiplies(cube):
    every = cube.ireval.judge_next(1200)
    prior = every[["topic", "doc"]].assign(grade=np.arange(1200) % 4)
    found = cube.ireval.judge_next(1200, ir.JudgingMethod("pool", prior=prior))
    by_grade = found.merge(prior).groupby("grade")["probability"]
    assert by_grade.nunique().tolist() == [1, 1, 1, 1]
    assert np.allclose(by_grade.first(), [0.05, 0.2, 0.5, 0.8])  # of judged ones it says nothing
    likely = prior.drop(columns="grade").assign(probability=0.5)
    half = cube.ireval.judge_next(5, ir.JudgingMethod(prior=likely))
    assert np.allclose(half["priority"], cube.ireval.judge_next(5)["priority"] / 2)
    with pytest.warns(IrframeWarning, match="1190 of 1200 documents have no prior"):
        cube.ireval.judge_next(3, ir.JudgingMethod(prior=prior[:10]))


def test_what_cannot_be_is_refused(cube):
    every = cube.ireval.judge_next(1200)[["topic", "doc"]].assign(grade=1)
    prior = every[:2].drop(columns="grade").assign(probability=[0.5, 1.5])
    wrong = {
        "found 1201, and 1200 in the pool are unjudged": (ParameterError, {"n": 1201}),
        "depth": (DepthError, {"depth": 51}),
        "probabilities from 0 to 1 .* 1.5 for": (
            ParameterError,
            {"method": ir.JudgingMethod(prior=prior)},
        ),
        "a prior can weigh": (
            ParameterError,
            {"method": ir.JudgingMethod("mtf", prior=every)},
        ),
        "grade or probability": (
            InputError,
            {"method": ir.JudgingMethod(prior=prior[["topic", "doc"]])},
        ),
        "once for every document": (
            IdError,
            {"method": ir.JudgingMethod(prior=pd.concat([prior, prior]))},
        ),
    }
    for told, (error, options) in wrong.items():
        refused(error, told, cube.ireval.judge_next, **{"n": 1} | options)


def test_names_of_cubes_built_apart_are_those_of_the_whole(cube):
    half = RUNS["topic"] < "108"
    parts = [
        ir.cube(RUNS[some], QRELS[QRELS["topic"].isin(RUNS[some]["topic"])])
        for some in (half, ~half)
    ]
    expected = cube.ireval.explain("bm25", "ance", "AP", at=50)
    pd.testing.assert_frame_equal(
        ir.concat(parts).ireval.explain("bm25", "ance", "AP", at=50), expected
    )
    found = ir.concat([parts[0], nameless(parts[1])]).ireval.explain("bm25", "ance", "AP", at=50)
    unknown = found[found["doc"].isna()]
    assert set(unknown["topic"]) >= set(RUNS[~half]["topic"])


def test_cubes_that_do_not_name_what_they_hold_take_runs(cube, tmp_path):
    RUNS.drop(columns=["team", "contributing"], errors="ignore").to_parquet(
        tmp_path / "runs.parquet"
    )
    expected = cube.ireval.judge_next(300)
    pool = ir.Pool(contributing=cube.system.to_numpy()[dense(cube).contributing].tolist())
    scanned = ir.scan_runs(tmp_path / "runs.parquet").ireval.cube(QRELS, pool=pool)
    again = cube.ireval.save(tmp_path / "cube")
    for named in (cube.where(cube["retrieved"] > 0), again, scanned):
        found = named.ireval.judge_next(300)
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    with pytest.raises(InputError, match=r"names of the unjudged .* runs with runs="):
        nameless(cube).ireval.judge_next(1)
    found = nameless(cube).ireval.judge_next(300, runs=RUNS)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    others = RUNS.drop(columns="rank").assign(score=-RUNS["score"])
    with pytest.raises(InputError, match="runs that the cube was made of"):
        cube.ireval.judge_next(1, runs=others)
    with pytest.raises(ParameterError, match="0 in the pool are unjudged"):
        cube.ireval.condense().ireval.judge_next(1)


def test_the_command_hands_out_documents(cube, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ir.verbs.write_run(RUNS, "runs.txt")
    ir.verbs.write_qrels(QRELS, "qrels.txt")
    known = ir.cube(
        RUNS.drop(columns="contributing"), QRELS, pool=ir.Pool(contributing=cube.system.to_numpy())
    )
    expected = known.ireval.judge_next(4, "mtf", seed=1)
    pd.DataFrame({"docno": expected["doc"][:1], "text": ["<b>"]}).to_csv("texts.csv", index=False)
    line = ["judge-next", "qrels.txt", "runs.txt", "-n", "4", "--method", "mtf", "--seed", "1"]
    assert main([*line, "-o", "next.tsv", "--texts", "texts.csv"]) == 0
    found = pd.read_csv("next.tsv", sep="\t", dtype={"topic": str}, keep_default_na=False)
    pd.testing.assert_frame_equal(found.drop(columns="text"), expected, check_dtype=False)
    assert found["text"].tolist() == ["<b>", "", "", ""]
    assert main([*line, "--format", "qrels", "-o", "next.txt"]) == 0
    assert ir.read_qrels("next.txt")["doc"].tolist() == expected["doc"].tolist()
    assert "all 8 systems make it" in capsys.readouterr().err


@pytest.fixture(scope="module")
def shallow():
    return ir.cube(RUNS, QRELS, depth=10)


def judged_by_hand(cube, name, budget):
    """Return the qrels that a method gets from so many judgments of each topic."""
    ranked = RUNS[
        RUNS["system"].isin(cube.system.to_numpy()[dense(cube).contributing])
    ].ireval.rank()
    known = ranked[ranked["rank"] <= 10].merge(QRELS, on=["topic", "doc"])
    rows = []
    for topic, part in known.groupby("topic"):
        lists = {s: list(each.sort_values("rank")["doc"]) for s, each in part.groupby("system")}
        ranks = part.set_index(["system", "doc"])["rank"]
        order = ORACLES[name](padded(lists, ranks), {*part["doc"][part["grade"] > 0]}, None)
        chosen = [doc for doc in order if doc in {*part["doc"]}][:budget]
        rows.append(QRELS[(QRELS["topic"] == topic) & QRELS["doc"].isin(chosen)])
    pool = known[["topic", "doc", "grade"]].drop_duplicates()
    return pd.concat(rows), pool


def padded(lists, ranks):
    """Return lists in which documents that are not judged keep their ranks, and are no one's."""
    wide = {s: [f"{s} {rank}" for rank in range(1, 11)] for s in lists}
    for (system, doc), rank in ranks.items():
        wide[system][rank - 1] = doc
    return wide


def test_a_budget_is_what_judge_effect_says_of_its_judgments(shallow):
    fewer, full = judged_by_hand(shallow, "pool", 4)
    found = shallow.ireval.replay("pool", 4, "AP", "nDCG@5")
    held = shallow.ireval.judge_effect(
        {"full": full, "few": fewer}, ["AP", "nDCG@5"], at=10, pairs="own"
    )
    counts = found["conclusions"].squeeze(["strategy", "budget"])
    np.testing.assert_allclose(counts, held["conclusions"].squeeze("judge").squeeze("depth"))
    agreed = held["agreement"].squeeze("judge").squeeze("depth")
    for name, method in {"tau": "kendall", "tau_ap": "tau_ap"}.items():
        np.testing.assert_allclose(found[name].squeeze(), agreed.sel(coefficient=method))
    assert found["judged"].item() == len(fewer) / 16
    assert found["found"].item() == (fewer["grade"] > 0).sum() / 16


@pytest.mark.parametrize("unjudged", few_of(["nonrelevant", "condensed"], 2))
def test_all_judgments_change_nothing(cube, unjudged):
    found = cube.ireval.replay([*METHODS], [2, 1000], "AP", resamples=2, unjudged=unjudged)
    full = found.sel(budget=1000)
    assert full["tau"].min() == full["tau_ap"].min() == 1
    assert full["conclusions"].sel(conclusion=["lost", "new", "reversed"]).sum() == 0
    assert (found["found"].diff("budget") > 0).all()
    assert (found["conclusions"].sum("conclusion") == 8 * 7 / 2).all()
    assert (full["change"] == 0).all()
    every = cube.isel(system=dense(cube).contributing).ireval.replay("pool", 2, "AP")
    assert np.isnan(every["change"]).all()


def test_samples_have_intervals_and_repeat(shallow):
    asked = [["mtf", "leverage"], [3, 6], "AP"]
    found = shallow.ireval.replay(*asked, resamples=4)
    xr.testing.assert_identical(found, shallow.ireval.replay(*asked, resamples=4))
    width = found["found_interval"].diff("bound").squeeze("bound")
    np.testing.assert_allclose(width.sel(strategy="leverage"), 0, atol=1e-12)
    assert width.sel(strategy="mtf").max() > 0.1
    lone = shallow.ireval.replay(*asked, resamples=1)
    assert np.isnan(lone["found_interval"]).all()
    two = shallow.ireval.replay(*asked, resamples=2)
    other = 2 * two["found"] - lone["found"]
    reach = stats.t.ppf(0.975, 1) * abs(other - lone["found"]) / 2
    assert float(reach.max()) > 0
    np.testing.assert_allclose(two["found_interval"].isel(bound=1), two["found"] + reach)
    half = shallow.ireval.replay(*asked, resamples=4, contributing_share=0.5)
    assert half["change"].notnull().all()
    assert (half["found_interval"].diff("bound") > 0).any()


def test_who_helps_goes_by_group(shallow):
    grouped = shallow.assign_coords(team=("system", [*"aabbccdd"]))
    found = grouped.ireval.replay(
        "pool", 3, "AP", contributing_share=0.25, together="team", resamples=2
    )
    assert found["change"].notnull().all()
    with pytest.raises(ParameterError, match="coordinate of the systems"):
        shallow.ireval.replay("pool", 3, "AP", together="club")


def test_replay_what_cannot_be_is_refused(shallow):
    wrong = {
        "methods, at least one": ([], [3], {}),
        "methods, at least one, each once": (["pool", "pool"], [3], {}),
        "budget, a whole number": (["pool"], [0], {}),
        "budgets, at least one": (["pool"], [], {}),
        "a prior can weigh": (ir.JudgingMethod("mtf", prior=PRIOR), [3], {}),
    }
    for told, (methods, budgets, options) in wrong.items():
        refused(ParameterError, told, shallow.ireval.replay, methods, budgets, "AP", **options)
    with pytest.raises(DepthError, match="as deep as its lists"):
        shallow.ireval.replay("pool", 3, "AP", unjudged="condensed")
    refused(DepthError, "wanted", shallow.ireval.replay, "pool", 3, "AP", at=11)


PRIOR = ir.example_track()[1][["topic", "doc", "grade"]]


def test_a_prior_that_knows_finds_more(shallow):
    told, plain = (
        shallow.ireval.replay(
            [ir.JudgingMethod(name, prior=prior) for name in ("pool", "maxmean", "leverage")],
            4, "AP", resamples=2,
        )["found"].to_numpy()
        for prior in (PRIOR, None)
    )  # fmt: skip
    assert (told > plain).all()


def test_a_method_is_a_name_a_value_or_its_text(cube):
    texts = ["maxmean(credit='run', batch=3)", "JudgingMethod('maxmean', credit='run', batch=3)"]
    value = ir.JudgingMethod("maxmean", credit="run", batch=3)
    assert [str(value), repr(value)] == texts
    expected = cube.ireval.judge_next(9, value)
    for text in texts:
        pd.testing.assert_frame_equal(cube.ireval.judge_next(9, text), expected)
    refused(ParameterError, "'maxmean' for credit", ir.JudgingMethod, "pool", credit="run")
    step = expected.ireval.record[-1]
    assert {"method": "maxmean", "credit": "run", "batch": 3}.items() <= step.options.items()
    pd.testing.assert_frame_equal(step.again(cube), expected)


def test_a_pool_that_is_not_known_is_that_of_all_runs():
    bare = ir.cube(RUNS.drop(columns="contributing"), QRELS, depth=10)
    told = "not known: the lists of all 8 systems make it"
    with pytest.warns(IrframeWarning, match=told):
        assert len(bare.ireval.judge_next(5)) == 5
    with (
        pytest.warns(IrframeWarning, match=told),
        pytest.warns(IrframeWarning, match="judgments are set aside"),
    ):
        bare.ireval.replay("pool", 3, "AP")
