"""Tests of two real tracks in one cube."""

import pandas as pd
import pytest
from dense import dense
from properties.test_groups import GROUPED, assert_groups
from properties.verbs import VERBS, assert_same, outcome

import irframe as ir

DEPTH = 30
RUNS = {
    "robust03": ["THUIRr0301", "aplrob03a", "uwmtCR0", "Sel50", "fub03IeOLKe3"],
    "trec-covid-round1": ["10x20.prf.unipd.it", "BERT", "BITEM_df", "10x10.prf.unipd.it"],
}
"""Mapping from tracks to names of runs, which the tests rename to s0, s1 and so on. The run s3
does not contribute to the pool."""


def read_track(folder, track):
    paths = [next((folder / "runs").glob(f"*{name}.gz")) for name in RUNS[track]]
    frames = [ir.read_runs([path]).assign(system=f"s{i}") for i, path in enumerate(paths)]
    runs = pd.concat(frames, ignore_index=True)
    qrels = ir.read_qrels(folder / "qrels.txt")
    return runs.assign(track=track, contributing=runs["system"] != "s3"), qrels.assign(track=track)


@pytest.fixture(scope="module")
def alone(shared):
    """Return the run and qrels frames of every track."""
    return {track: read_track(shared / "data" / track, track) for track in RUNS}


@pytest.fixture(scope="module")
def cubes(alone):
    """Return the cube of every track from its rows alone."""
    return {track: ir.cube(*frames, depth=DEPTH) for track, frames in alone.items()}


@pytest.fixture(scope="module")
def merged(alone):
    """Return a cube of the rows of all tracks."""
    runs, qrels = (
        pd.concat(frames, ignore_index=True) for frames in zip(*alone.values(), strict=True)
    )
    return ir.cube(runs, qrels, depth=DEPTH, collection="track")


@pytest.mark.thorough
@pytest.mark.property
@pytest.mark.parametrize("name", GROUPED)
def test_results_by_real_track_equal_results_on_each_track(name, merged, cubes):
    joined = outcome(name, merged, by="track")
    assert_groups(joined, {track: outcome(name, cube) for track, cube in cubes.items()})


@pytest.mark.thorough
@pytest.mark.property
@pytest.mark.parametrize("name", sorted(VERBS))
def test_results_on_a_real_track_do_not_depend_on_another_track(name, merged, cubes):
    for track, cube in cubes.items():
        track_cube = merged.sel(topic=merged["track"] == track)
        track_cube = track_cube.isel(system=dense(track_cube).took_part.any(axis=1).nonzero()[0])
        assert_same(outcome(name, track_cube), outcome(name, cube))
