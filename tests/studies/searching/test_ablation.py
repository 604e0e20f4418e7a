"""The steps from MAP to ASL, against loops."""

from statistics import fmean, harmonic_mean

import numpy as np
import pytest
from oracles.reordering import delta_sort, kendall
from told import Told, frames

import irframe as ir
from irframe.errors import DepthError, InputError

CHAIN = ["AP", "AtomizedP", "AtomizedP(mean='harmonic')", "InverseASL", "ASL"]


def track():
    """Simulate enough systems that some are significantly apart."""
    return ir.simulate_track(systems=9, topics=30, docs=400, depth=60, pool_depth=20, seed=5)


def as_loops(scores, metric):
    rows = scores.sel(metric=metric).transpose("system", "topic")
    lists = {
        str(s): row.dropna("topic").to_numpy().tolist()
        for s, row in zip(rows["system"].to_numpy(), rows, strict=True)
    }
    mean = harmonic_mean if metric == "InverseASL" else fmean
    return lists, {"cost": metric == "ASL", "mean": mean}


def test_every_step_equals_a_loop():
    runs, qrels = track()
    cube = runs.ireval.cube(qrels)
    scores = cube.ireval.score(*CHAIN, at=60, no_rel="nan").isel(depth=0)
    table = cube.ireval.ablation()
    assert table["step"].tolist()[-1] == "Cumulative"
    assert table["old"].tolist() == [*CHAIN[:-1], "AP"]
    assert table["new"].tolist() == [*CHAIN[1:], "ASL"]
    assert table["delta_sort"].max() > 0
    for row in table.to_dict("records"):
        old, new = as_loops(scores, row["old"]), as_loops(scores, row["new"])
        moved = delta_sort(old, new)
        both = cube.ireval.score(row["old"], row["new"], no_rel="nan")
        found = both.ireval.reordering(per="system")
        assert dict(zip(found["system"], found["delta_sort"], strict=True)) == pytest.approx(moved)
        assert row["delta_sort"] == pytest.approx(max(map(abs, moved.values())))
        values = [
            [facts["mean"](row) ** (-1 if facts["cost"] else 1) for row in lists.values()]
            for lists, facts in (old, new)
        ]
        assert row["kendall"] == pytest.approx(kendall(*np.round(values, 12)))
        ratios = [after / before for before, after in zip(*values, strict=True) if before]
        assert row["delta_value"] == pytest.approx(fmean(ratios))


def test_worked_ablation(golden):
    case = golden["000-ablation"]
    runs, qrels = frames([Told.read(topic) for topic in case["input"]["topics"]])
    scores = runs.ireval.evaluate(qrels, CHAIN, no_rel="nan")
    means = scores.ireval.summary()
    for metric, key in zip(CHAIN, ("map", "atomize", "docs", "queries", "asl"), strict=True):
        column = scores[metric].dropna().to_numpy()
        assert column == pytest.approx(case["expected"]["per_query"][key])
        mean = means.loc[(metric, "s"), "mean"]
        assert mean == pytest.approx(case["expected"]["value"][key])


def test_groups_and_depths():
    runs, qrels = track()
    runs = runs.assign(track=np.where(runs["topic"].isin(runs["topic"].unique()[:15]), "x", "y"))
    cube = runs.ireval.cube(qrels)
    ablated = cube.ireval.ablation(by="track", depth=20)
    assert ablated.columns[:3].tolist() == ["track", "step", "old"]
    assert len(ablated) == 10
    for depth in (99, 0):
        with pytest.raises(DepthError, match="at most 60"):
            cube.ireval.ablation(depth=depth)
    with pytest.raises(InputError, match="cube"):
        ir.verbs.ablation(cube.drop_vars("grade"))
