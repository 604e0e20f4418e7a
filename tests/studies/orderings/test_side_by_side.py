"""Two systems side by side: the order of the topics, the rankings, and which metrics are bound."""

import numpy as np
import pytest
from oracles import innate as oracle
from tracks import cube_of

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_display_order_of_non_separable_topics():
    a = [[1, 0, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0]]
    b = [[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0]]
    cube = cube_of({"A": a, "B": b}, depth=4)
    groups = [oracle.group(one, other) for one, other in zip(a, b, strict=True)]
    assert groups == ["**ni", "**ni", "**ns", "**ns", "**ni", "**ns"]
    for depth, order in {4: "253401", 2: "253014"}.items():
        topics = cube.ireval.side_by_side("A", "B", depth=depth)["topic"].to_numpy()
        assert "".join(topics) == order


def test_lined_up_systems_hold_the_data(cube):
    pair = cube.ireval.side_by_side("monot5", "bm25", "P", "AP", depth=10)
    plain = cube.ireval.orderings("monot5", "bm25", depth=10)
    order = plain.indexes["topic"].get_indexer(pair["topic"])
    np.testing.assert_array_equal(pair["label"], plain["label"][order])
    grade = cube["grade"].sel(system="bm25").to_numpy()[order, :10]
    np.testing.assert_array_equal(pair["gain_b"], grade >= 1)
    scores = cube.ireval.score("P", "AP", at=10)[..., 0]
    expected = scores.sel(system="monot5") - scores.sel(system="bm25")
    np.testing.assert_allclose(pair["difference"], expected[:, order], atol=1e-11)
    label = pair["label"][:, -1].to_numpy()
    assert (pair["difference"].sel(metric="P").to_numpy()[label == 1] >= 0).all()
    assert "difference" not in cube.ireval.side_by_side("monot5", "bm25", depth=10)
    graded = cube.ireval.side_by_side("monot5", "bm25", depth=10, gain="linear")
    assert set(np.unique(graded["gain_a"]).round(6)) == {0, 0.333333, 0.666667, 1}


def test_metrics_deeper_than_the_orderings_are_refused(cube):
    with pytest.raises(DepthError, match="depth=10 to reach as deep as the metrics; found P@20"):
        cube.ireval.side_by_side("monot5", "bm25", "P@20", depth=10)
    pair = cube.ireval.side_by_side("monot5", "bm25", "P@5", depth=10)
    scores = cube.ireval.score("P@5", at=10)[0, ..., 0].sel(topic=pair["topic"])
    expected = scores.sel(system="monot5") - scores.sel(system="bm25")
    np.testing.assert_allclose(pair["difference"][0], expected, atol=1e-11)


def test_metrics_that_are_not_bound_are_named(cube):
    with pytest.warns(IrframeWarning, match="not bind.*: nDCG, ERR$"):
        cube.ireval.side_by_side("monot5", "bm25", "AP", "nDCG", "ERR", depth=10)
    with pytest.warns(IrframeWarning, match="not bind.*: P, Q$"):
        cube.ireval.side_by_side("monot5", "bm25", "nDCG", "P", "Q", depth=10, gain="linear")


def test_two_systems_are_needed(cube):
    with pytest.raises(ParameterError, match="two systems to line up"):
        ir.verbs.side_by_side(cube, "bm25", None)
    with pytest.raises(ParameterError, match="'bm26'"):
        ir.verbs.side_by_side(cube, "bm25", "bm26")
