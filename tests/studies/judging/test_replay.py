import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from oracles.judging import ORACLES

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError
from irframe.studies.turns import METHODS

pytestmark = pytest.mark.filterwarnings("ignore:.* judgments are set aside")


@pytest.fixture(scope="module")
def cube():
    runs, qrels = ir.example_track()
    return ir.cube(runs, qrels, depth=10)


def judged_by_hand(cube, name, budget):
    """Return the qrels that a method gets from so many judgments of each topic."""
    runs, qrels = ir.example_track()
    ranked = runs[
        runs["system"].isin(cube.system.to_numpy()[dense(cube).contributing])
    ].ireval.rank()
    known = ranked[ranked["rank"] <= 10].merge(qrels, on=["topic", "doc"])
    rows = []
    for topic, part in known.groupby("topic"):
        lists = {s: list(each.sort_values("rank")["doc"]) for s, each in part.groupby("system")}
        ranks = part.set_index(["system", "doc"])["rank"]
        order = ORACLES[name](padded(lists, ranks), {*part["doc"][part["grade"] > 0]}, None)
        chosen = [doc for doc in order if doc in {*part["doc"]}][:budget]
        rows.append(qrels[(qrels["topic"] == topic) & qrels["doc"].isin(chosen)])
    pool = known[["topic", "doc", "grade"]].drop_duplicates()
    return pd.concat(rows), pool


def padded(lists, ranks):
    """Return lists in which documents that are not judged keep their ranks, and are no one's."""
    wide = {s: [f"{s} {rank}" for rank in range(1, 11)] for s in lists}
    for (system, doc), rank in ranks.items():
        wide[system][rank - 1] = doc
    return wide


def test_a_budget_is_what_judge_effect_says_of_its_judgments(cube):
    fewer, full = judged_by_hand(cube, "pool", 4)
    runs, _ = ir.example_track()
    found = cube.ireval.replay("pool", 4, "AP", "nDCG@5")
    held = ir.judge_effect(
        runs, {"full": full, "few": fewer}, ["AP", "nDCG@5"], at=10, pairs="own", depth=10
    )
    counts = found["conclusions"].squeeze(["method", "budget"])
    np.testing.assert_allclose(counts, held["conclusions"].squeeze("judge").squeeze("depth"))
    agreed = held["agreement"].squeeze("judge").squeeze("depth")
    for name, method in {"tau": "kendall", "tau_ap": "tau_ap"}.items():
        np.testing.assert_allclose(found[name].squeeze(), agreed.sel(coefficient=method))
    assert found["judged"].item() == len(fewer) / 16
    assert found["found"].item() == (fewer["grade"] > 0).sum() / 16


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_all_judgments_change_nothing(unjudged):
    cube = ir.cube(*ir.example_track())
    found = cube.ireval.replay([*METHODS], [2, 1000], "AP", samples=2, unjudged=unjudged)
    full = found.sel(budget=1000)
    assert full["tau"].min() == full["tau_ap"].min() == 1
    assert full["conclusions"].sel(conclusion=["lost", "new", "reversed"]).sum() == 0
    assert (found["found"].diff("budget") > 0).all()
    assert (found["conclusions"].sum("conclusion") == 8 * 7 / 2).all()
    assert (full["change"] == 0).all()
    every = cube.isel(system=dense(cube).contributing).ireval.replay("pool", 2, "AP")
    assert np.isnan(every["change"]).all()


def test_samples_have_intervals_and_repeat(cube):
    asked = [["mtf", "leverage"], [3, 6], "AP"]
    found = cube.ireval.replay(*asked, samples=4)
    xr.testing.assert_identical(found, cube.ireval.replay(*asked, samples=4))
    width = found["found_interval"].diff("bound").squeeze("bound")
    np.testing.assert_allclose(width.sel({"method": "leverage"}), 0, atol=1e-12)
    assert width.sel({"method": "mtf"}).max() > 0.1
    lone = cube.ireval.replay(*asked, samples=1)
    assert np.isnan(lone["found_interval"]).all()
    half = cube.ireval.replay(*asked, samples=4, share=0.5)
    assert half["change"].notnull().all()
    assert (half["found_interval"].diff("bound") > 0).any()


def test_who_helps_goes_by_group(cube):
    grouped = cube.assign_coords(team=("system", [*"aabbccdd"]))
    found = grouped.ireval.replay("pool", 3, "AP", share=0.25, together="team", samples=2)
    assert found["change"].notnull().all()
    with pytest.raises(ParameterError, match="coordinate of the systems"):
        cube.ireval.replay("pool", 3, "AP", together="club")


def test_what_cannot_be_is_refused(cube):
    refused = {
        "method to be one of": (["x"], [3], {}),
        "methods, at least one": ([], [3], {}),
        "methods, at least one, each once": (["pool", "pool"], [3], {}),
        "budget, a whole number": (["pool"], [0], {}),
        "budgets, at least one": (["pool"], [], {}),
        "share, a number": (["pool"], [3], {"share": 1.5}),
        "samples, a whole number": (["pool"], [3], {"samples": 0}),
        "unjudged to be one of": (["pool"], [3], {"unjudged": "no"}),
        "a prior can weigh": (["mtf"], [3], {"prior": PRIOR}),
    }
    for told, (methods, budgets, options) in refused.items():
        with pytest.raises(ParameterError, match=told):
            cube.ireval.replay(methods, budgets, "AP", **options)
    with pytest.raises(DepthError, match="as deep as its lists"):
        cube.ireval.replay("pool", 3, "AP", unjudged="condensed")
    with pytest.raises(DepthError):
        cube.ireval.replay("pool", 3, "AP", at=11)


PRIOR = ir.example_track()[1][["topic", "doc", "grade"]]


def test_a_prior_that_knows_finds_more(cube):
    asked = [["pool", "maxmean", "leverage"], 4, "AP"]
    told, plain = (cube.ireval.replay(*asked, prior=p, samples=2) for p in (PRIOR, None))
    assert (told["found"] > plain["found"]).all()


def test_pools_that_are_not_known_are_said():
    runs, qrels = ir.example_track()
    bare = ir.cube(runs.drop(columns="contributing"), qrels, depth=10)
    with pytest.warns(IrframeWarning) as told:
        bare.ireval.replay("pool", 3, "AP")
    texts = " ".join(str(each.message) for each in told)
    assert "all 8 systems make it" in texts
    assert "judgments are set aside" in texts
