"""Innate orderings and misplacement of submitted runs against the slow loops."""

import numpy as np
import pytest
from dense import dense
from oracles import Topic, innate, misplacement

import irframe as ir
from irframe.agreements.innate import LABELS

RUNS = ("MU03rob01", "SABIR03BASE", "humR03dc", "pircRBa1")


@pytest.fixture(scope="module")
def cube(shared):
    folder = shared / "data" / "robust03"
    if not folder.is_dir():
        pytest.skip("needs the runs of the TREC 2003 Robust track")
    runs = ir.read_runs([folder / "runs" / f"input.{run}.gz" for run in RUNS])
    return runs.ireval.cube(ir.read_qrels(folder / "qrels.txt"), depth=1000)


@pytest.mark.thorough
def test_orderings(cube):
    found = cube.ireval.orderings(depth=100, labels=True)
    rng = np.random.default_rng(5)
    for pair, topic in zip(rng.integers(6, size=60), rng.integers(100, size=60), strict=True):
        one = found.isel(pair=pair, topic=topic)
        serps = [
            (cube["grade"].sel(system=one[name].item())[topic, :100] >= 1).to_numpy().astype(int)
            for name in ("system_a", "system_b")
        ]
        labels = one["label"].to_numpy()
        for k in (1, 2, 5, 10, 20, 50, 100):
            assert LABELS[labels[k - 1]][:2] == innate.compare_whole(*(s[:k] for s in serps))
        assert LABELS[labels[-1]] == innate.group(*(s.tolist() for s in serps))


@pytest.mark.thorough
@pytest.mark.parametrize("crossing", ["sign_change", "definition", "matters"])
def test_misplacement(cube, crossing):
    moved = cube.ireval.misplacement(crossing=crossing)
    scores = cube.ireval.score(f"Twist(crossing={crossing!r})")[0]
    for system, topic in ((0, 7), (1, 42), (3, 99)):
        grades = cube["grade"][system, topic].to_numpy().tolist()
        judged = dense(cube).judged_grade[dense(cube).judged_topic == topic]
        told = Topic(
            serp=tuple(grade if grade >= 0 else None for grade in grades),
            judged=tuple(judged[judged >= 1].tolist()),
            gmax=2,
        )
        for k in (10, 300, 1000):
            twist = misplacement.twist(told, k, crossing=crossing)
            assert scores[system, topic, k - 1].item() == pytest.approx(twist, rel=1e-12)
        assert moved["twist"][system, topic].item() == pytest.approx(twist, rel=1e-12)
        kind = misplacement.archetype(told, 1000, crossing=crossing)
        assert moved["archetype"][system, topic].item() == kind
