"""One result per group is what the group alone gives, judged as a part of the whole."""

import inspect
from functools import cache

import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from incomplete import incomplete
from laws.experiments import TRACKS, experiment, few, seeds
from laws.verbs import VERBS, assert_same, bare, outcome

import irframe as ir

pytestmark = incomplete
GROUPED = sorted(name for name, verb in VERBS.items() if "by" in inspect.signature(verb).parameters)


def alone(frames, track):
    """Build the cube of one track from its rows."""
    runs, qrels = (frame[frame["track"] == track] for frame in frames)
    return ir.cube(runs.reset_index(drop=True), qrels, contributing="contributing")


@cache
def told_alone(name, seed):
    """Return what a verb gives on every track alone."""
    frames = experiment(seed)
    return {track: outcome(name, alone(frames, track)) for track in TRACKS}


def branch(result, track):
    """Return what a joined result says of one group."""
    if isinstance(result, xr.DataTree):
        return result[track].to_dataset()
    if isinstance(result, pd.DataFrame):
        if "track" in result.columns:
            rows = result[result["track"] == track]
            return rows.drop(columns="track").reset_index(drop=True)
        if "track" not in result.index.names:
            return result
        return result.xs(track, level="track")
    if hasattr(result, "summary"):
        return {name: branch(getattr(result, name), track) for name in ("summary", "queries")}
    return result.sel(track=track, drop=True)


def assert_groups(joined, expected):
    """Assert that a joined result is what every group alone gives, or an error if one is."""
    refused = any(isinstance(each, type) for each in expected.values())
    assert isinstance(joined, type) == refused
    if not refused:
        for track, each in expected.items():
            assert_group(joined, each, track)


def assert_group(joined, expected, track):
    """Assert that one group of a joined result is what the group alone gives."""
    found = branch(joined, track)
    if isinstance(expected, xr.Dataset | xr.DataArray):
        if isinstance(found, xr.Dataset) and isinstance(expected, xr.DataArray):
            found = next(iter(found.data_vars.values()))
        found, expected = bare(found), bare(expected)
        labels = {dim: expected[dim] for dim in expected.dims if dim in expected.coords}
        found = found.sel({dim: label for dim, label in labels.items() if dim in found.dims})
        sizes = {dim: slice(size) for dim, size in expected.sizes.items() if dim not in labels}
        found = found.isel(sizes).transpose(*expected.dims)
        if isinstance(expected, xr.Dataset):
            for name in expected.data_vars:
                assert_values(found[name], expected[name])
        else:
            assert_values(found, expected)
    elif isinstance(expected, pd.DataFrame):
        assert_same(found, expected)
    else:
        for name in ("summary", "queries"):
            assert_same(found[name], getattr(expected, name))


def assert_values(found, expected):
    found = found.transpose(*expected.dims).drop_vars([*found.coords])
    expected = expected.drop_vars([*expected.coords])
    if expected.dtype.kind in "fiub" and found.dtype.kind in "fiub":
        xr.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-10)
    else:
        assert (found.to_numpy() == expected.to_numpy()).all()


def test_every_verb_has_groups():
    without = sorted(set(VERBS) - set(GROUPED))
    assert without == []


@pytest.mark.law
@pytest.mark.parametrize("name", GROUPED)
@few
@given(seed=seeds)
def test_groups_are_like_the_group_alone(name, seed):
    joined = outcome(name, ir.cube(*experiment(seed), collection="track"), by="track")
    assert_groups(joined, told_alone(name, seed))


@pytest.mark.law
@pytest.mark.parametrize("name", GROUPED)
@few
@given(seed=seeds)
def test_branches_of_a_tree_are_like_the_group_alone(name, seed):
    joined = outcome(name, ir.cube(*experiment(seed), collection="track", by="track"))
    assert_groups(joined, told_alone(name, seed))


@pytest.mark.law
@few
@given(seed=seeds)
def test_no_number_depends_on_the_other_track(seed):
    whole = ir.cube(*experiment(seed), collection="track")
    for track, topics in TRACKS.items():
        part = ir.concat([whole.sel(topic=topics)])
        listed = part["took_part"].any("topic")
        part = part.isel(system=listed.to_numpy().nonzero()[0])
        for name in sorted(VERBS):
            assert_same(outcome(name, part), told_alone(name, seed)[track])
