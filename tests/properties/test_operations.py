"""Results on changed cubes equal results on newly built cubes."""

import copy
import os
import pickle
import re
import subprocess
import sys
from functools import cache, reduce
from operator import and_
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from hypothesis import given
from incomplete import incomplete, though_incomplete
from properties.experiments import DEPTH, SYSTEMS, THOROUGH, TRACKS, experiment, few, seeds
from properties.overwriting import operations
from properties.verbs import VERBS, assert_same, outcome
from turns import few_of

import irframe as ir
from irframe.errors import IrframeError
from irframe.experiments.group_columns import RESERVED
from irframe.paired import TESTS

pytestmark = incomplete
TOPICS = [topic for topics in TRACKS.values() for topic in topics]
LAWFUL = sorted(VERBS)
TURNS = 8 if THOROUGH else 30
"""Number of groups into which verbs are split. A test calls the verbs of one group."""
RARELY = 20 if THOROUGH else len(VERBS)
"""Number of groups into which tests of overwritten values split the verbs.

These tests try far more operations.
"""


class Built(NamedTuple):
    """Systems, topics and depth from which a cube is built."""

    systems: tuple
    topics: tuple
    depth: int | None = None


def built(systems=SYSTEMS, topics=TOPICS, depth=None):
    return Built(tuple(systems), tuple(topics), depth)


COMPLETE = built()
SOME = built(topics=TOPICS[1:6])
SHALLOW = built(depth=3)


@cache
def names_of_results():
    """Return the variable names of all results."""
    cube = ir.cube(*experiment(0))
    results = [outcome(name, cube) for name in VERBS]
    names = {str(name) for result in results if isinstance(result, xr.Dataset) for name in result}
    return sorted(names - {*RESERVED, "system", "topic"})


def build(frames, how=COMPLETE, **options):
    """Build a cube with systems and topics in given order."""
    runs, qrels = frames
    rows = runs.set_index("system", drop=False).loc[[*how.systems]].reset_index(drop=True)
    return ir.cube(
        rows, qrels, topics=[*how.topics], depth=how.depth, collection="track", **options
    )


def tracks_of(cube):
    """Return a cube per track with its participating systems."""
    cubes = [cube.isel(topic=cube["track"].to_numpy() == track) for track in TRACKS]
    return [track_cube.isel(system=dense(track_cube).took_part.any(axis=1)) for track_cube in cubes]


RESTORED = {
    "as it is": (lambda c: c, COMPLETE),
    "isel of topics": (lambda c: c.isel(topic=slice(1, 6)), SOME),
    "sel of topics": (lambda c: c.sel(topic=TOPICS[1:6]), SOME),
    "a boolean mask": (lambda c: c.isel(topic=c.topic.isin(TOPICS[1:6])), SOME),
    "topics by a coordinate": (
        lambda c: c.sel(topic=c.track == "web"),
        built(topics=TRACKS["web"]),
    ),
    "topics reversed": (lambda c: c.isel(topic=slice(None, None, -1)), built(topics=TOPICS[::-1])),
    "sorted topics": (lambda c: c.sortby("topic", ascending=False), built(topics=TOPICS[::-1])),
    "a system left out": (lambda c: c.isel(system=slice(3)), built(SYSTEMS[:3])),
    "a system dropped": (lambda c: c.drop_sel(system="s3"), built(SYSTEMS[:3])),
    "systems in another order": (
        lambda c: c.sel(system=["s2", "s0", "s3", "s1"]),
        built(["s2", "s0", "s3", "s1"]),
    ),
    "every other system": (lambda c: c.isel(system=slice(None, None, 2)), None),
    "transposed": (lambda c: c.transpose("depth", "topic", "system", ...), COMPLETE),
    "transposed in part": (lambda c: c.transpose("topic", "system", ...), COMPLETE),
    "wide integers": (lambda c: c.astype("int64"), COMPLETE),
    "floats": (lambda c: c.astype("float64"), COMPLETE),
    "pickled": (lambda c: pickle.loads(pickle.dumps(c)), COMPLETE),  # noqa: S301
    "copied": (copy.deepcopy, COMPLETE),
    "chunked": (lambda c: c.chunk(topic=3, system=2), COMPLETE),
    "topics dropped by where": (lambda c: c.where(c.topic.isin(TOPICS[1:6]), drop=True), SOME),
    "depths sorted downwards": (lambda c: c.sortby("depth", ascending=False), COMPLETE),
    "the first depths": (lambda c: c.isel(depth=slice(3)), SHALLOW),
    "the head": (lambda c: c.head(depth=3), SHALLOW),
    "depths by label": (lambda c: c.sel(depth=slice(None, 3)), SHALLOW),
    "depths dropped by where": (lambda c: c.where(c.depth <= 3, drop=True), SHALLOW),
    "another coordinate": (
        lambda c: c.assign_coords(year=("topic", np.arange(c.sizes["topic"]))),
        COMPLETE,
    ),
    "coordinates that results have names for": (
        lambda c: c.assign_coords(
            {name: ("topic", np.arange(c.sizes["topic"])) for name in names_of_results()[::2]}
            | {name: ("system", np.arange(c.sizes["system"])) for name in names_of_results()[1::2]}
        ),
        COMPLETE,
    ),
    "reindexed to what is there": (
        lambda c: c.reindex(topic=TOPICS[::-1]),
        built(topics=TOPICS[::-1]),
    ),
    "put together again by topics": (
        lambda c: ir.concat([c.isel(topic=slice(3)), c.isel(topic=slice(3, None))]),
        COMPLETE,
    ),
    "tracks apart and together again": (lambda c: ir.concat(tracks_of(c)), COMPLETE),
    "put together again by systems": (
        lambda c: ir.concat([c.isel(system=[0, 1]), c.isel(system=[2, 3])], dim="system"),
        COMPLETE,
    ),
}
"""Mapping from a name to an operation, and to the systems, topics and depth of the operation's
result.
"""

REFUSED = {
    "some depths": lambda c: c.sel(depth=[1, 3, 5]),
    "deep depths": lambda c: c.isel(depth=slice(2, None)),
    "one depth": lambda c: c.sel(depth=3),
    "depths masked": lambda c: c.where(c.depth <= 3),
    "one document masked": lambda c: c.where((c.depth != 2) | (c.topic != "n1")),
    "unknown topics": lambda c: c.reindex(topic=[*TOPICS, "x1"]),
    "unknown systems": lambda c: c.reindex(system=[*SYSTEMS, "x"]),
    "without codes": lambda c: c.drop_vars("topic_code"),
    "another experiment": lambda c: xr.concat(
        [c.isel(topic=[0]), build(experiment(9)).isel(topic=[1])],
        "topic",
        coords="minimal",
        compat="override",
    ),
    "without attributes": lambda c: c.drop_attrs(),
    "the same topics twice": lambda c: xr.concat([c, c], dim="topic"),
    "no topic labels": lambda c: c.drop_vars("topic"),
}


def test_every_verb_of_the_accessor_is_registered():
    from irframe.kinds import verbs
    from irframe.record import FRAME_VERBS

    labelled = {xr.Dataset, xr.DataArray}
    registered = {
        name for name, (_, kinds) in verbs("irframe.verbs").items() if labelled & set(kinds)
    }
    numberless = {"cite", "design", "freeze", "groupby", "styled", "save", "report"}
    of_runs_too = {"diagnose", "judge_effect", "risk_coverage"}  # tested in test_records.py
    assert registered - set(VERBS) == numberless | of_runs_too
    assert of_runs_too <= {*FRAME_VERBS}


@pytest.mark.property
@pytest.mark.parametrize("operation", few_of(RESTORED, 8, 1, drawn=False))
@few
@given(seed=seeds)
def test_results_on_changed_cubes_equal_results_on_built_cubes(operation, seed):
    act, how = RESTORED[operation]
    changed = act(build(experiment(seed)))
    if how is None:
        for name in LAWFUL if THOROUGH else taken(seed):
            outcome(name, changed)
        return
    for name in taken(list(RESTORED).index(operation) + seed):
        assert_same(outcome(name, changed), as_built(name, seed, how))


def taken(turn, turns=TURNS):
    """Return the verbs of one group, by its number."""
    return LAWFUL[turn % turns :: turns]


@cache
def cube_of(seed, how):
    return build(experiment(seed), how)


@cache
def as_built(name, seed, how=COMPLETE):
    """Return the outcome of a verb on a new cube."""
    return outcome(name, cube_of(seed, how))


@pytest.mark.property
def test_results_on_a_saved_cube_are_unchanged(tmp_path):
    reopened = build(experiment(0)).ireval.save(tmp_path / "cube")
    for name in taken(0):
        assert_same(outcome(name, reopened), as_built(name, 0))


@pytest.mark.property
@pytest.mark.parametrize("operation", few_of(REFUSED, 4, drawn=False))
def test_cubes_that_do_not_match_their_experiment_are_refused(operation):
    changed = REFUSED[operation](build(experiment(1)))
    for name in LAWFUL:
        result = outcome(name, changed)
        assert isinstance(result, type), name
        assert issubclass(result, IrframeError), name


with though_incomplete():
    CUBE = build(experiment(0))
OVERWRITTEN = operations(CUBE)


@pytest.mark.property
@pytest.mark.parametrize("operation", few_of(OVERWRITTEN, 6, drawn=False))
def test_overwritten_values_are_refused_or_harmless(operation):
    changed = OVERWRITTEN[operation](CUBE)
    for name in taken(list(OVERWRITTEN).index(operation), RARELY):
        assert_harmless(outcome(name, changed), as_built(name, 0))


CHANGED = {
    "cut": ("score", lambda c: c.isel(depth=slice(5))),
    "chunked": ("condense", lambda c: c.chunk(topic=3, system=2, depth=4)),
    "chunked, by rank": ("search_lengths", lambda c: c.chunk(topic=3)),
    "chunked, by pair": ("orderings", lambda c: c.chunk(system=2)),
    "condensed": ("condense", lambda c: c.ireval.condense()),
}


@pytest.mark.property
@pytest.mark.parametrize("before", CHANGED)
def test_overwritten_values_of_changed_cubes_are_refused_or_harmless(before):
    verb, change = CHANGED[before]
    cube = change(CUBE)
    expected = outcome(verb, cube)
    tried = {name: act for name, act in operations(cube).items() if name not in EAGER}
    for act in list(tried.values())[:: 4 if THOROUGH else 40 if "chunked" in before else 8]:
        assert_harmless(outcome(verb, act(cube)), expected)


EAGER = ("signs", "divided by nothing")
"""Operations that xarray cannot do lazily, or that make numpy warn."""


def assert_harmless(found, expected):
    """Assert that an outcome is an irframe error or unchanged."""
    if not (isinstance(found, type) and issubclass(found, IrframeError)):
        assert_same(found, expected)


MASKED = {
    "topics": (lambda c: c.where(c.topic.isin(TOPICS[1:6])), SOME),
    "systems": (lambda c: c.where(c.system != SYSTEMS[-1]), built(SYSTEMS[:-1])),
}


@pytest.mark.property
@pytest.mark.parametrize("what", MASKED)
@few
@given(seed=seeds)
def test_masked_lists_are_absent(what, seed):
    mask, how = MASKED[what]
    masked = mask(build(experiment(seed)))
    for name in taken(3 + (what == "systems")):
        result = outcome(name, masked)
        # verbs may refuse systems without scores
        if what == "topics" or not isinstance(result, type):
            assert_equal_where_present(result, as_built(name, seed, how))


def assert_equal_where_present(found, expected):
    """Assert equal results for existing lists, and none for others."""
    if not isinstance(found, xr.Dataset | xr.DataArray) or isinstance(expected, type):
        assert_same(found, expected)
        return
    listed = {dim: expected[dim] for dim in ("system", "topic") if dim in found.dims}
    depths = {"depth": expected["depth"]} if "depth" in found.dims else {}
    assert_same(found.sel(listed | depths), expected)
    inside = [found[dim].isin(label) for dim, label in listed.items()]
    if isinstance(found, xr.DataArray) and inside:
        assert not found.where(~reduce(and_, inside)).count()


def test_masked_lists_may_be_longer_than_the_depth_of_the_cube():
    cube = build(experiment(0))
    short_enough = cube["retrieved"] <= 3
    assert 0 < short_enough.sum() < short_enough.size
    short = cube.where(short_enough).isel(depth=slice(3))
    for metric in ("AP", "nDCG(judged_only=True)"):
        expected = cube.ireval.score(metric, at=[1, 3]).where(short_enough)
        assert_same(short.ireval.score(metric, at=[1, 3]), expected)
    condensed = cube.ireval.condense().ireval.score("AP", at=[1, 3]).where(short_enough)
    assert_same(short.ireval.condense().ireval.score("AP", at=[1, 3]), condensed)


@pytest.mark.property
@pytest.mark.parametrize("storage", ["as it is", "chunked"])
@few
@given(seed=seeds)
def test_one_topic_is_a_scalar_coordinate(storage, seed):
    cube = RESTORED[storage][0](build(experiment(seed)))
    scalar, alike = cube.sel(topic="n2"), cube.sel(topic=["n2"])
    for name in taken(0):
        result, expected = outcome(name, scalar), outcome(name, alike)
        if isinstance(expected, xr.Dataset | xr.DataArray) and "topic" in expected.dims:
            assert result["topic"].item() == "n2"
            expected = expected.isel(topic=0)
        assert_same(result, expected)


@pytest.mark.property
@few
@given(seed=seeds)
def test_labels_do_not_change_results(seed):
    runs, qrels = experiment(seed)
    cube = build((runs, qrels))
    renamed = [frame.assign(topic="q" + frame["topic"]) for frame in (runs, qrels)]
    names = ["q" + topic for topic in TOPICS]
    alike = build(renamed, built(topics=names))
    for name in taken(1):
        assert_same(outcome(name, cube.assign_coords(topic=names)), outcome(name, alike))


@pytest.mark.thorough
def test_hash_seeds_and_threads_do_not_change_results():
    code = (
        "from properties.experiments import experiment\nimport irframe as ir\n"
        "from properties.verbs import VERBS, outcome\n"
        "cube = ir.cube(*experiment(0), collection='track')\n"
        "for name in sorted(VERBS): print(name, outcome(name, cube))"
    )
    path = os.pathsep.join(
        [*map(str, Path(__file__).parents[1:3]), os.environ.get("PYTHONPATH", "")]
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": n, "OMP_NUM_THREADS": n, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for n in ("1", "2")
    ]
    assert printed[0].count("\n") > len(VERBS)
    assert without_addresses(printed[0]) == without_addresses(printed[1])


def without_addresses(text):
    return re.sub(r"0x[0-9a-f]+", "", text)


@pytest.mark.property
@few
@given(seed=seeds)
def test_row_order_does_not_change_results(seed):
    runs, qrels = experiment(seed)
    shuffled = runs.sample(frac=1, random_state=seed), qrels.sample(frac=1, random_state=seed)
    reordered = build(shuffled).sel(system=SYSTEMS, topic=TOPICS)
    for name in taken(5):
        assert_same(outcome(name, reordered), as_built(name, seed))


DRAWN = [
    *(("compare", {"test": test, "adjust": "auto"}) for test in TESTS),
    *(("rank_intervals", {"rank_interval": method}) for method in ("pairs", "max-t", "bootstrap")),
    *(("agreement", {"interval_of": of}) for of in ("expected", "averages")),
    ("compare", {"adjust": "max-t"}),
    ("volatility", {"interval_of": "expected"}),
]
"""Pairs of a verb and options. With these options, the verb draws random numbers."""


@pytest.mark.property
@few
@given(seed=seeds)
def test_topic_order_does_not_change_results(seed):
    cube = build(experiment(seed))
    shuffled = cube.isel(topic=np.random.default_rng(seed).permutation(len(TOPICS)))
    plain = [(name, {}) for name in taken(2) if name != "judge_next"]
    for name, options in plain + DRAWN:
        result, expected = (outcome(name, version, **options) for version in (shuffled, cube))
        assert_same(by_label(result), by_label(expected))


def by_label(result):
    """Return a result sorted by topic or by text columns."""
    if isinstance(result, xr.Dataset | xr.DataArray):
        return result.sortby("topic") if "topic" in result.indexes else result
    if not isinstance(result, pd.DataFrame):
        return by_label(result.summary) if hasattr(result, "summary") else result
    frame = result if isinstance(result.index, pd.RangeIndex) else result.reset_index()
    keys = [*frame.select_dtypes(exclude="number"), *{"depth", "rank"} & {*frame}]
    return frame.sort_values(keys, kind="stable", ignore_index=True) if keys else frame


def test_changed_cubes_keep_their_depth():
    runs, qrels = ir.example_track()
    cut, uncut = ir.cube(runs, qrels, depth=10), ir.cube(runs, qrels)
    for cube in (cut, uncut.isel(depth=slice(10))):
        np.testing.assert_allclose(
            cube.ireval.bounds("AP", "RBP(p=0.8)", at=10),
            uncut.ireval.bounds("AP", "RBP(p=0.8)", at=10),
        )
    assert DEPTH < 10
