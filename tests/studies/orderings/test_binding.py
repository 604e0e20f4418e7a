"""Which metrics innate orderings bind, against every pair of short rankings."""

import itertools

import numpy as np
import pytest
from tracks import cube_of

import irframe as ir
from irframe.metrics import METRICS
from irframe.metrics.parse_metric import parse_metric
from irframe.studies.orderings import is_bound

BASE = [2, 2, 1, 1, 0, 0, 0]
"""Grades of the judged documents of every topic."""
DEEP = 4
GRADED = [
    "nDCG",
    "DCG",
    "RBP(p=0.8)",
    "RBP(p=0.5, gain='linear')",
    "P(gain='linear')",
    "SDCG",
    "INSQ(T=2)",
]
BINARY = [
    "P",
    "AP",
    "RR",
    "Recall",
    "Success",
    "Rprec",
    "F",
    "IPrec@0.5",
    "NumRelRet",
    "SetR",
    "ESL",
    "BinG",
    "InterpolatedAP",
    "RelativeP",
    "RprecMult@0.6",
    "SDCG(gain='binary')",
    "YAAP",
    "nDCGRel(gain='binary')",
]


@pytest.fixture(scope="module")
def cube():
    """Every ranking of four grades against every other: two systems, a topic per pair."""
    serps = [s for s in itertools.product((0, 1, 2), repeat=DEEP) if max(map(s.count, (1, 2))) <= 2]
    pairs = list(itertools.combinations(serps, 2))
    a, b = (list(map(list, side)) for side in zip(*pairs, strict=True))
    return cube_of({"a": a, "b": b}, judged=[BASE + [0] * 4] * len(pairs))


def contradicted(cube, metric, **options):
    """Say whether the scores of some pair contradict its ordering."""
    label = cube.ireval.orderings("a", "b", **options)["label"].to_numpy()
    scores = cube.ireval.score(metric)[0]
    ahead = (scores.sel(system="a") - scores.sel(system="b")).to_numpy().round(12)
    ahead = -ahead if metric.cost else ahead
    return bool(((label == 1) & (ahead < 0) | (label == -1) & (ahead > 0)).any())


@pytest.mark.parametrize("gain", ["binary", "linear"])
def test_what_is_bound_is_never_contradicted(cube, gain):
    names = [*GRADED, *BINARY, "Q", "ERR", "Q(gain='binary')", "ERR(gain='linear')", "AP(rel=2)"]
    for metric in map(parse_metric, names):
        if is_bound(cube, metric, gain=gain, rel=1):
            assert not contradicted(cube, metric, gain=gain), metric


def test_sums_of_the_same_gain_are_bound(cube):
    bound = [is_bound(cube, parse_metric(name), gain="linear", rel=1) for name in ("nDCG", "DCG")]
    assert bound == [True, True]
    assert all(is_bound(cube, parse_metric(name), gain="binary", rel=1) for name in BINARY)
    assert is_bound(cube, ir.metrics.AP(rel=2), gain="binary", rel=2)


def test_other_gains_and_graded_q_and_err_are_contradicted(cube):
    for name, gain in {
        "nDCG": "binary",
        "Q": "linear",
        "ERR(gain='linear')": "linear",
        "AP": "linear",
    }.items():
        metric = parse_metric(name)
        assert not is_bound(cube, metric, gain=gain, rel=1)
        assert contradicted(cube, metric, gain=gain), name


def test_the_unit_of_a_gain_is_no_matter(cube):
    assert is_bound(cube, ir.metrics.DCG(gain="linear"), gain={1: 5, 2: 10}, rel=1)
    two_levels = cube_of({"a": [[1, 0]], "b": [[0, 1]]})
    assert is_bound(two_levels, ir.metrics.ERR(), gain="binary", rel=1)


def test_metrics_of_other_things_are_never_bound(cube):
    named = {"ASL", "AtomizedP", "InverseASL", "SetP", "SetF", "Judged", "NumRet", "NumQ", "NumRel"}
    named |= {"Bpref", "InfAP", "CRP", "Twist", "BalancePoint", "SpaceRatio", "RecoveryRatio"}
    assert not any(is_bound(cube, METRICS[name](), gain="binary", rel=1) for name in named)
    assert np.isin(list(named), list(METRICS)).all()
