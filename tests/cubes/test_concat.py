"""Concatenated cubes equal one cube of all rows."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from flat import arguments
from hypothesis import given
from hypothesis import strategies as st
from properties.experiments import SYSTEMS, TRACKS, experiment, seeds
from refusals import refused

import irframe as ir
from irframe.cubes.view import experiment_of, shown_as
from irframe.errors import DepthError, IdError, InputError, IrframeWarning, ParameterError

METRICS = ["AP", "nDCG", "ERR", "Q", "Bpref", "AP(norm='pool')", "nDCG(ideal='pool')"]
TEAM = {"s0": "x", "s1": "x", "s2": "yellow", "s3": "yellow"}


def build(runs, qrels, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        return ir.cube(runs.reset_index(drop=True), qrels, **arguments(ir.cube, options))


def of_tracks(frames, **options):
    """Build a cube of each track from its own rows."""
    runs, qrels = frames
    subsets = [(runs[runs["track"] == t], qrels[qrels["track"] == t]) for t in TRACKS]
    return [build(*subset, **options) for subset in subsets]


def of_systems(frames, *groups, **options):
    runs, qrels = frames
    return [build(runs[runs["system"].isin(group)], qrels, **options) for group in groups]


def assert_alike(concatenated, built):
    """Assert that two cubes are equal after sorting labels."""
    concatenated = concatenated.sel({dim: built[dim].to_numpy() for dim in ("system", "topic")})
    assert set(concatenated.variables) == set(built.variables)
    for name in set(built.variables) - {"system_code", "topic_code"}:
        np.testing.assert_array_equal(concatenated[name], built[name], name)
    for name, expected in vars(dense(built)).items():
        np.testing.assert_array_equal(getattr(dense(concatenated), name), expected, name)
    xr.testing.assert_allclose(
        concatenated.ireval.score(*METRICS).reset_coords(drop=True),
        built.ireval.score(*METRICS).reset_coords(drop=True),
    )


@given(seed=seeds)
def test_concatenated_tracks_equal_one_cube_of_both(seed):
    frames = experiment(seed)
    result = ir.concat(of_tracks(frames))
    assert_alike(result, build(*frames, collection="track"))
    assert not dense(result.sel(system=["s0"], topic=TRACKS["web"])).took_part.any()


@given(seed=seeds, split=st.integers(1, 3))
def test_concatenated_systems_equal_one_cube_of_all(seed, split):
    frames = experiment(seed)
    subsets = of_systems(frames, SYSTEMS[:split], SYSTEMS[split:], collection="track")
    assert_alike(ir.concat(subsets, dim="system"), build(*frames, collection="track"))


@given(seed=seeds)
def test_the_order_of_judgments_does_not_change_concatenated_cubes(seed):
    runs, qrels = experiment(seed)
    first, second = of_systems((runs, qrels), SYSTEMS[:2], SYSTEMS[2:])
    shuffled = qrels.sample(frac=1, random_state=seed)
    (moved,) = of_systems((runs, shuffled), SYSTEMS[2:])
    expected = ir.concat([first, second], dim="system")
    result = ir.concat([first, moved], dim="system")
    for cube in (result, expected):
        # The records name judgments in different orders, so records are not compared.
        del cube.attrs["record"]
    xr.testing.assert_identical(result, expected)


@pytest.mark.parametrize("cuts", [[8], [1, 2, 15], [5, 5]])
def test_concatenated_parts_equal_the_original_cube(cube, cuts):
    positions = np.split(np.arange(cube.sizes["topic"]), cuts)
    subsets = [cube.isel(topic=pos) for pos in positions]
    xr.testing.assert_identical(
        ir.concat(subset for subset in subsets if subset.sizes["topic"]), cube
    )


def test_a_single_cube_is_unchanged(cube):
    for dim in ("system", "topic"):
        xr.testing.assert_identical(ir.concat([cube], dim), cube)


def test_systems_keep_the_order_of_the_cubes(cube):
    subsets = [cube.isel(system=[4, 1]), cube.isel(system=[7])]
    result = ir.concat(subsets, dim="system")
    assert result["system"].values.tolist() == cube["system"].values[[4, 1, 7]].tolist()


def test_cubes_of_different_depths_are_concatenated():
    frames = experiment(0)
    runs, qrels = frames
    short = runs[(runs["track"] == "news") | (runs["score"] > 3)]
    subsets = of_tracks((short, qrels), pool_depth=2)
    shallow = [subset.sizes["depth"] for subset in subsets]
    assert shallow[1] < shallow[0]
    assert_alike(ir.concat(subsets), build(short, qrels, collection="track", pool_depth=2))


def test_cubes_with_different_grades_are_concatenated():
    runs = pd.DataFrame({"system": "s", "topic": [1, 1, 1, 2], "doc": [5, 6, 7, 5], "score": 1.0})
    qrels = pd.DataFrame({"topic": [1, 1, 1, 2], "doc": [5, 6, 7, 5], "grade": [0, 1, 4, 2]})
    for name in (str, int):
        frames = [frame.astype({"doc": name}) for frame in (runs, qrels)]
        subsets = [
            build(*(frame[frame["topic"] == t] for frame in frames), pool_depth=1) for t in (1, 2)
        ]
        frames = [frame.assign(track=frame["topic"]) for frame in frames]
        built = build(*frames, collection="track", pool_depth=1).drop_vars("track")
        assert_alike(ir.concat(subsets), built)
        assert_alike(ir.concat(subsets[::-1]), built)


def test_lazy_cubes_give_a_lazy_cube(cube):
    subsets = [cube.isel(topic=slice(3)).chunk(system=2), cube.isel(topic=slice(3, None)).chunk()]
    result = ir.concat(subsets)
    assert result["grade"].chunks
    xr.testing.assert_identical(result.compute(), cube)


class TestPool:
    def test_runs_that_did_not_contribute_do_not_change_the_pool(self):
        runs, qrels = ir.example_track()
        flag = runs["contributing"]
        subsets = [build(runs[some], qrels) for some in (flag, ~flag)]
        assert not dense(subsets[1]).pool_depth.any()
        assert_alike(ir.concat(subsets, dim="system"), build(runs, qrels))
        assert (dense(ir.concat(subsets[::-1], dim="system")).pool_depth == 10).all()

    def test_pool_depth_is_unknown_without_contributing_runs(self):
        runs, qrels = ir.example_track()
        names = runs.loc[~runs["contributing"], "system"].unique()
        subsets = of_systems((runs, qrels), names[:1], names[1:])
        assert not dense(ir.concat(subsets, dim="system")).pool_depth.any()

    def test_pool_has_the_smallest_depth_and_the_best_ranks(self, cube):
        first, second = cube.isel(system=slice(3)), cube.isel(system=slice(3, None))
        experiment = experiment_of(second)
        ranks = np.maximum(experiment.pool.rank - 1, 0)
        pool = replace(experiment.pool, depth=experiment.pool.depth - 3, rank=ranks)
        first = shown_as(first, experiment_of(first))
        second = shown_as(second, replace(experiment, pool=pool))
        result = dense(ir.concat([first, second], dim="system"))
        assert (result.pool_depth == 7).all()
        ranks = dense(cube).pool_rank
        np.testing.assert_array_equal(result.pool_rank, np.where(ranks > 1, ranks - 1, ranks))


class TestGroups:
    def test_groups_of_systems_may_be_missing_in_a_cube(self):
        frames = experiment(1)
        news, web = of_tracks(frames)
        for subsets in ([news, web.drop_vars("team")], [web.drop_vars("team"), news]):
            team = ir.concat(subsets)["team"]
            result = team.sel(system=news["system"].to_numpy()).to_numpy()
            assert result.tolist() == news["team"].to_numpy().tolist()
        teams = ir.concat([news.drop_vars("team"), web])["team"]
        assert pd.isna(teams.sel(system="s0").item())
        assert teams.sel(system="s2").item() == web["team"].sel(system="s2").item()

    def test_long_group_names_are_not_truncated(self):
        news, web = of_tracks(experiment(1))
        subsets = [news.isel(system=[0, 1]), web.isel(system=[1, 2])]
        for subset in subsets:
            names = [TEAM[system] for system in subset["system"].to_numpy()]
            subset.coords["team"] = ("system", np.array(names))
        assert subsets[0]["team"].dtype != subsets[1]["team"].dtype
        team = ir.concat(subsets)["team"]
        assert dict(zip(team["system"].values, team.values, strict=True)) == TEAM

    def test_groups_that_are_constant_per_cube_become_groups_of_topics(self):
        runs, qrels = experiment(2)
        qrels = qrels.drop(columns="track")
        subsets = [
            build(runs[runs["track"] == track], qrels[qrels["topic"].isin(topics)])
            for track, topics in TRACKS.items()
        ]
        assert all(subset["track"].dims == ("system",) for subset in subsets)
        assert_alike(ir.concat(subsets), build(runs, qrels, collection="track"))
        three = build(runs, qrels, topics=["n1", "n2", "w1"])
        (remainder,) = (subsets[1].sel(topic=["w2", "w3"]),)
        result = ir.concat([three, remainder])["track"]
        assert result.dims == ("topic",)
        assert result.values.tolist() == ["news", "news", "web", "web", "web"]

    def test_systems_and_topics_in_several_groups_are_refused(self):
        news, web = of_tracks(experiment(1))
        changed = web.assign_coords(team=("system", ["a", "b", "b"]))
        with pytest.raises(InputError, match="one team for every system, .*several for: s1, s2"):
            ir.concat([news, changed])
        first, second = of_systems(experiment(1), SYSTEMS[:2], SYSTEMS[2:])
        changed = second.assign_coords(track=second["track"].str.upper())
        with pytest.raises(InputError, match="one track for every topic, .*n1, n2.* and 3 more"):
            ir.concat([first, changed], dim="system")

    def test_groups_of_different_dimensions_are_refused(self):
        news, web = of_tracks(experiment(1))
        by_topic = web.drop_vars("team").assign_coords(team=("topic", list("abcd")))
        refused(InputError, "groups of both: team", lambda: ir.concat([news, by_topic]))

    def test_groups_of_topics_missing_in_a_cube_are_refused(self):
        news, web = of_tracks(experiment(1))
        with pytest.raises(
            InputError,
            match="group coordinates in all cubes, but found coordinates of some cubes only: trac",
        ):
            ir.concat([news, web.drop_vars("track")])


class TestAttributes:
    def test_equal_attributes_are_kept(self):
        frames = experiment(0)
        subsets = of_tracks(frames, ties="random", seed=4, depth=3)
        result = {name: ir.concat(subsets).attrs[name] for name in subsets[0].attrs}
        without = {"experiment": None, "record": None}
        assert result | without == subsets[0].attrs | without
        assert [step.verb for step in ir.concat(subsets).ireval.record] == ["cube"]
        assert {"ties", "seed", "depth", "pool", "irframe"} <= set(result)

    def test_different_attributes_are_dropped(self):
        runs, qrels = experiment(0)
        subsets = of_tracks((runs.drop(columns="contributing"), qrels))
        differences = (
            {"collection": "track", "pool": "complete"},
            {"topics": "runs", "pool": "stated"},
        )
        subsets = [
            shown_as(subset, replace(built, options={**built.options, **more}))
            for subset, built, more in zip(
                subsets, map(experiment_of, subsets), differences, strict=True
            )
        ]
        subsets[0].attrs["mine"], subsets[1].attrs["theirs"] = 1, 2
        result = ir.concat(subsets).attrs
        assert result["pool"] == "unknown"
        assert not {"topics", "collection", "theirs"} & set(result)
        assert result["mine"] == 1


class TestRefusals:
    def test_duplicate_labels_are_refused(self, cube):
        subsets = [cube.isel(topic=slice(3)), cube.isel(topic=slice(1, 6))]
        refused(
            IdError,
            "every topic in a single cube, but found topics in several cubes: ",
            ir.concat,
            subsets,
        )
        with pytest.raises(
            IdError, match="every system in a single cube, but found systems in several cubes: "
        ):
            ir.concat([cube, cube], dim="system")

    @pytest.mark.parametrize(
        ("name", "options"),
        [
            ("ties", {"ties": "doc"}),
            ("score_dtype", {"score_dtype": "float32"}),
            ("seed", {"ties": "random", "seed": 2}),
        ],
    )
    def test_different_ranking_options_are_refused(self, name, options):
        frames = experiment(0)
        common = {"ties": "random", "seed": 1} if name == "seed" else {}
        subsets = of_tracks(frames, **common)[0], of_tracks(frames, **common | options)[1]
        values = [repr(subset.attrs.get(name)) for subset in subsets]
        with pytest.raises(
            ParameterError, match=f"the same {name}, but found different values"
        ) as caught:
            ir.concat(subsets)
        assert sorted(caught.value.offenders) == sorted(values)

    def test_lists_cut_at_different_depths_are_refused(self):
        frames = experiment(0)
        deep, shallow = of_tracks(frames)[0], of_tracks(frames, depth=2)[1]
        with pytest.raises(
            DepthError, match="reach depth 6, but found lists cut at depth: 2.*same depth"
        ):
            ir.concat([deep, shallow])
        with pytest.raises(DepthError, match="reach depth 6"):
            ir.concat([deep.isel(depth=slice(4)), of_tracks(frames)[1]])
        both = ir.concat(of_tracks(frames, depth=2))
        assert both.sizes["depth"] == 2

    def test_different_topics_are_refused(self, cube):
        subsets = [cube.isel(system=[0]), cube.isel(system=[1], topic=slice(2, None))]
        lacking = ", ".join(cube["topic"].values[:2])
        with pytest.raises(
            InputError, match=f"the same topics, but found 2 topics that some.*: {lacking}"
        ):
            ir.concat(subsets, dim="system")

    @pytest.mark.parametrize("change", ["grade", "doc", "row"])
    def test_different_judgments_are_refused(self, change):
        runs, qrels = experiment(0)
        row = qrels.index[qrels["topic"] == "n2"][0]
        changed = qrels.copy()
        if change == "row":
            changed = changed.drop(index=row)
        else:
            changed.loc[row, change] = {"grade": 2, "doc": "new"}[change]
        first, second = (
            of_systems((runs, item), group)[0]
            for item, group in ((qrels, SYSTEMS[:2]), (changed, SYSTEMS[2:]))
        )
        with pytest.raises(
            InputError, match="the same judgments, but found different judgments on 1 topic: n2"
        ):
            ir.concat([first, second], dim="system")

    def test_cubes_with_different_top_grades_are_refused(self, cube):
        changed = cube.isel(system=[1])
        higher = dense(cube).top + (cube["topic"] == "102").to_numpy()
        changed = shown_as(changed, replace(experiment_of(changed), top=higher))
        with pytest.raises(
            InputError, match="same top grades, but found different top grades on 1 topic: 102"
        ):
            ir.concat([cube.isel(system=[0]), changed], dim="system")

    def test_input_without_cubes_is_refused(self):
        refused(ParameterError, "at least one cube, but found none", lambda: ir.concat([]))
        with pytest.raises(InputError, match=r"a cube made by irframe.cube, but found str"):
            ir.concat(ir.cube(*ir.example_track()))
        with pytest.raises(
            ParameterError, match="dim to be one of 'system', 'topic', but found 'dep"
        ):
            ir.concat([], dim="depth")


def test_input_cubes_are_unchanged():
    subsets = of_tracks(experiment(2))
    before = [subset.copy(deep=True) for subset in subsets]
    ir.concat(subsets)
    for subset, copy in zip(subsets, before, strict=True):
        xr.testing.assert_identical(subset, copy)
