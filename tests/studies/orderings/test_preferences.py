"""Preferences between two systems, by how much users want to find."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tracks import cube_of

import irframe as ir
from irframe.errors import DepthError, MetricError, ParameterError

WEIGHTS = {
    "uniform": lambda i: 1.0,  # noqa: ARG005
    "dcg": lambda i: 1 / math.log2(i + 1),
    "inverse": lambda i: 1 / i,
}
serps = st.lists(st.sampled_from([0, 1, 2, None]), min_size=1, max_size=8)


def ranks(serp, k, rel, n_relevant):
    """Return the ranks of the 1st, 2nd, ... relevant document, infinite where not retrieved."""
    found = [r for r, g in enumerate(serp[:k], start=1) if g is not None and g >= rel]
    return found + [math.inf] * (n_relevant - len(found))


def slow(first, second, k, rel, weights, n_relevant):
    """Return rpp, lexirecall and lexiprecision as their authors define them."""
    if not n_relevant:
        return [math.nan] * 3
    one, two = ranks(first, k, rel, n_relevant), ranks(second, k, rel, n_relevant)
    signs = [int(x < y) - int(x > y) for x, y in zip(one, two, strict=True)]
    decided = [sign for sign in signs if sign] or [0]
    table = [WEIGHTS[weights](i) for i in range(1, n_relevant + 1)]
    share = sum(w * s for w, s in zip(table, signs, strict=True)) / sum(table)
    return [share, decided[-1], decided[0]]


@given(
    first=serps,
    second=serps,
    missed=st.lists(st.sampled_from([0, 1, 2]), max_size=4),
    rel=st.integers(1, 2),
    weights=st.sampled_from(list(WEIGHTS)),
)
def test_preferences_equal_the_slow_loop(first, second, missed, rel, weights):
    assume(any(grade is not None for grade in first + second))
    most = {g: max(first.count(g), second.count(g)) for g in (0, 1, 2)}
    judged = [g for g, n in most.items() for _ in range(n)] + missed + [0]
    cube = cube_of({"a": [first], "b": [second]}, [judged], depth=9)
    found = cube.ireval.preferences("a", "b", at=range(1, 10), weights=weights, rel=rel)
    n_relevant = sum(grade >= rel for grade in judged)
    for k in range(1, 10):
        expected = slow(first, second, k, rel, weights, n_relevant)
        here = found.sel(depth=k).to_array().to_numpy().ravel()
        assert here == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_those_who_want_more_may_prefer_the_other():
    cube = cube_of({"a": [[1, 0, 0, 0, 1]], "b": [[0, 1, 1, 0, 0]]}, [[1, 1, 0, 0, 0]])
    found = cube.ireval.preferences("a", "b", at=[1, 5]).squeeze()
    assert found["lexiprecision"].to_numpy().tolist() == [1, 1]
    assert found["lexirecall"].to_numpy().tolist() == [1, -1]
    assert found["rpp"].to_numpy().tolist() == [0.5, 0]


def test_pairs_are_those_of_the_cube():
    cube = ir.cube(*ir.example_track())
    every = cube.ireval.preferences()
    assert dict(every.sizes) == {"pair": 28, "topic": 16, "depth": 1}
    one = cube.ireval.preferences("ance", "bm25")
    row = ((every["system_a"] == "ance") & (every["system_b"] == "bm25")).to_numpy()
    sign = 1
    if not row.any():
        row = ((every["system_a"] == "bm25") & (every["system_b"] == "ance")).to_numpy()
        sign = -1
    assert row.sum() == 1
    for name in ("rpp", "lexirecall", "lexiprecision"):
        np.testing.assert_allclose(one[name], sign * every[name].to_numpy()[row][0], atol=1e-12)
    assert cube.ireval.preferences(b="bm25").sizes["pair"] == 7


def test_pieces_give_the_same(monkeypatch):
    cube = ir.cube(*ir.example_track())
    whole = cube.ireval.preferences(at=[3, 50])
    monkeypatch.setattr("irframe.studies.preferences.CELLS", 1)
    assert cube.ireval.preferences(at=[3, 50]).identical(whole)


def test_the_first_to_get_ahead_is_that_of_orderings():
    cube = ir.cube(*ir.example_track())
    found = cube.ireval.preferences()["lexiprecision"].squeeze("depth")
    np.testing.assert_array_equal(found, cube.ireval.orderings()["sign"])


def test_what_every_metric_must_agree_on_is_preferred():
    cube = ir.cube(*ir.example_track())
    label = cube.ireval.orderings(labels=True)["label"].sel(depth=50)
    found = cube.ireval.preferences().sel(depth=50)
    for sign in (1, -1):
        decided = (label == sign).to_numpy()
        assert decided.any()
        for name in found:
            assert (sign * found[name].to_numpy()[decided] > 0).all()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"weights": "log"}, ParameterError),
        ({"at": 51}, DepthError),
        ({"rel": 0}, MetricError),
        ({"a": "nobody"}, ParameterError),
    ],
)
def test_refusals(options, error):
    with pytest.raises(error):
        ir.cube(*ir.example_track()).ireval.preferences(**options)
