"""Fixtures shared by the tests of cubes."""

import pytest

import irframe as ir


@pytest.fixture
def track():
    """Return the run and qrels frames of the example track."""
    return ir.example_track()


@pytest.fixture
def cube(track):
    """Return the cube of the example track."""
    return ir.cube(*track)
