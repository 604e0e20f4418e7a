"""What studies ask of the cubes and systems that they are given."""

import pytest

import irframe as ir
from irframe.cubes.verb import against, read_depth, refuse_deeper
from irframe.errors import DepthError, MetricError, ParameterError


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track(), depth=20)


def test_the_depth_is_that_of_the_cube_or_less(cube):
    assert [read_depth(cube, depth) for depth in (None, 20, 1)] == [20, 20, 1]
    for depth in (0, 21, 2.5, True, "5"):
        with pytest.raises(DepthError, match="depth, a whole number of at least 1 and at most 20"):
            read_depth(cube, depth)


def test_what_has_no_order_is_refused(cube):
    with pytest.raises(MetricError, match="shared ranks, ties='mean'"):
        read_depth(cube.assign_attrs(ties="mean"), None)


def test_metrics_are_no_deeper_than_the_lists_that_are_read():
    refuse_deeper([ir.metrics.P(), ir.metrics.P() @ 10], 10)
    with pytest.raises(DepthError, match="P@10, AP@7"):
        refuse_deeper([ir.metrics.P() @ 10, ir.metrics.AP() @ 7, ir.metrics.AP() @ 6], 6)


def test_systems_to_hold_against_a_baseline():
    labels = ["a", "b", 3]
    assert against(labels, "b", None) == (1, [0, 2])
    assert against(labels, "b", [3, "a"]) == (1, [2, 0])
    assert against(labels, 3, "a") == (2, [0])
    for baseline, systems in (("z", None), ("a", "z"), ("a", "a"), ("a", []), ("a", ["b", "b"])):
        with pytest.raises(ParameterError):
            against(labels, baseline, systems)
    with pytest.raises(ParameterError, match="beside the baseline"):
        against(["a"], "a", None)
