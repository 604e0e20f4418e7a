"""What a round changed is what `judge_effect` says of two judges, and which topics moved."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import IdError, InputError, MetricError, ParameterError

RUNS, QRELS = ir.example_track()
FIRST = ir.verbs.sample(QRELS, 0.3, seed=1)
METRICS = ["nDCG", "ASL"]


def rounds(at):
    cubes = [ir.cube(RUNS, FIRST)]
    cubes.append(cubes[0].ireval.rejudge(QRELS))
    return [cube.ireval.score(*METRICS, at=at) for cube in cubes]


@pytest.mark.parametrize("options", [{}, {"test": "sign", "adjust": None, "alpha": 0.1}])
def test_it_is_the_effect_of_two_judges(options):
    before, after = rounds([5, 10])
    found = after.ireval.round_effect(before, **options)
    judges = {"before": FIRST, "after": QRELS}
    same = ir.judge_effect(RUNS, judges, METRICS, at=[5, 10], pairs="own", **options)
    for name in ("mean", "rank", "reference_mean", "reference_rank", "conclusions"):
        expected = same[name].isel(judge=0) if "judge" in same[name].dims else same[name]
        np.testing.assert_allclose(
            found[name].sel(system=RUNS["system"].unique())
            if "system" in found[name].dims
            else found[name],
            expected,
        )
    assert found["conclusions"].sum("conclusion").to_numpy().tolist() == [[28, 28], [28, 28]]
    assert found.ireval.record[-1].options["alpha"] == options.get("alpha", 0.05)


def test_topics_are_those_that_moved():
    before, after = rounds(10)
    found = after.ireval.round_effect(before)
    expected = abs(after - before).mean("system").squeeze("depth")
    change = found["change"].squeeze("depth")
    np.testing.assert_allclose(change.sel(topic=expected.topic), expected)
    frames = [ir.evaluate(RUNS, qrels, "nDCG@10") for qrels in (FIRST, QRELS)]
    flat = frames[1].ireval.round_effect(frames[0])
    assert "depth" not in flat.dims
    np.testing.assert_allclose(flat["change"].sel(metric="nDCG@10"), change.sel(metric="nDCG"))
    kind = frames[1].index.get_level_values("topic").map(lambda topic: int(topic) % 2)
    sides = [frame.assign(kind=kind) for frame in frames]
    parts = sides[1].ireval.round_effect(sides[0], by="kind")
    assert parts.sizes["kind"] == 2
    means = parts["mean"].mean("kind").squeeze()
    np.testing.assert_allclose(means.sel(system=flat.system), flat["mean"].squeeze())


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        (lambda: ir.evaluate(RUNS, FIRST, "AP"), "the metrics"),
        (lambda: ir.evaluate(RUNS[RUNS["system"] != "bm25"], FIRST, METRICS), "bm25"),
        (lambda: 10, "scores of an earlier round, a frame or an array; found 10"),
    ],
)
def test_other_sides_are_refused(reference, words):
    scores = ir.evaluate(RUNS, QRELS, METRICS)
    refused(ParameterError, words, lambda: scores.ireval.round_effect(reference()))


@pytest.mark.parametrize("labels", [[1, 2, 10], ["first", "again", "last"]])
def test_a_column_says_which_round_each_judgment_is_of(labels):
    handed = QRELS.assign(round=np.random.default_rng(0).choice(labels, len(QRELS)))
    handed = handed.sort_values("round", key=lambda round_: round_.map(labels.index), kind="stable")
    changed = handed[handed["round"] == labels[0]].head(20).assign(grade=0, round=labels[2])
    cube = ir.cube(RUNS, QRELS)
    found = cube.ireval.round_effect(pd.concat([handed, changed]), "nDCG", "AP", at=10, alpha=0.1)
    held = [handed[handed["round"].isin(labels[:n])] for n in (1, 2, 3)]
    kept = pd.concat([held[2], changed]).drop_duplicates(["topic", "doc"], keep="last")
    scores = [
        cube.ireval.rejudge(each).ireval.score("nDCG", "AP", at=10) for each in (*held[:2], kept)
    ]
    for n in (1, 2):
        expected = scores[n].ireval.round_effect(scores[n - 1], alpha=0.1)
        one = found.sel(round=labels[n], drop=True)
        xr.testing.assert_equal(one, expected)
    assert found["round"].to_numpy().tolist() == labels[1:]


def test_rounds_that_are_none_are_refused():
    cube, handed = ir.cube(RUNS, QRELS), QRELS.assign(round=1)
    handed.loc[:9, "round"] = 2
    for error, words, call in (
        (InputError, "found no round", lambda: cube.ireval.round_effect(QRELS, "AP")),
        (InputError, "gaps", lambda: cube.ireval.round_effect(handed.replace(2, np.nan), "AP")),
        (InputError, "several rounds; found 1", lambda: cube.ireval.round_effect(handed[:9], "AP")),
        (MetricError, "at least one metric", lambda: cube.ireval.round_effect(handed)),
        (ParameterError, "metrics= of a cube", lambda: rounds(5)[1].ireval.round_effect(5, "AP")),
        (IdError, "again", lambda: cube.ireval.round_effect(pd.concat([handed, handed]), "AP")),
    ):
        refused(error, words, call)
