"""Concatenated cubes equal one cube of all, or are refused."""

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
    """Build a cube of every track from its rows."""
    runs, qrels = frames
    parts = [(runs[runs["track"] == t], qrels[qrels["track"] == t]) for t in TRACKS]
    return [build(*part, **options) for part in parts]


def of_systems(frames, *groups, **options):
    runs, qrels = frames
    return [build(runs[runs["system"].isin(group)], qrels, **options) for group in groups]


def assert_alike(found, built):
    """Assert that two cubes agree in any order of labels."""
    found = found.sel({dim: built[dim].to_numpy() for dim in ("system", "topic")})
    assert set(found.variables) == set(built.variables)
    for name in set(built.variables) - {"system_code", "topic_code"}:
        np.testing.assert_array_equal(found[name], built[name], name)
    for name, expected in vars(dense(built)).items():
        np.testing.assert_array_equal(getattr(dense(found), name), expected, name)
    xr.testing.assert_allclose(
        found.ireval.score(*METRICS).reset_coords(drop=True),
        built.ireval.score(*METRICS).reset_coords(drop=True),
    )


@given(seed=seeds)
def test_concatenated_tracks_equal_one_cube_of_both(seed):
    frames = experiment(seed)
    found = ir.concat(of_tracks(frames))
    assert_alike(found, build(*frames, collection="track"))
    assert not dense(found.sel(system=["s0"], topic=TRACKS["web"])).took_part.any()


@given(seed=seeds, split=st.integers(1, 3))
def test_concatenated_systems_equal_one_cube_of_all(seed, split):
    frames = experiment(seed)
    parts = of_systems(frames, SYSTEMS[:split], SYSTEMS[split:], collection="track")
    assert_alike(ir.concat(parts, dim="system"), build(*frames, collection="track"))


@given(seed=seeds)
def test_judgments_in_another_order_are_the_same_judgments(seed):
    runs, qrels = experiment(seed)
    first, second = of_systems((runs, qrels), SYSTEMS[:2], SYSTEMS[2:])
    shuffled = qrels.sample(frac=1, random_state=seed)
    (moved,) = of_systems((runs, shuffled), SYSTEMS[2:])
    expected = ir.concat([first, second], dim="system")
    found = ir.concat([first, moved], dim="system")
    for cube in (found, expected):
        del cube.attrs["record"]  # which tells orders of rows from each other
    xr.testing.assert_identical(found, expected)


@pytest.mark.parametrize("cuts", [[8], [1, 2, 15], [5, 5]])
def test_concatenated_parts_equal_the_original_cube(cube, cuts):
    places = np.split(np.arange(cube.sizes["topic"]), cuts)
    parts = [cube.isel(topic=place) for place in places]
    xr.testing.assert_identical(ir.concat(part for part in parts if part.sizes["topic"]), cube)


def test_one_cube_stays_what_it_is(cube):
    for dim in ("system", "topic"):
        xr.testing.assert_identical(ir.concat([cube], dim), cube)


def test_the_order_is_that_of_the_cubes(cube):
    parts = [cube.isel(system=[4, 1]), cube.isel(system=[7])]
    found = ir.concat(parts, dim="system")
    assert found["system"].values.tolist() == cube["system"].values[[4, 1, 7]].tolist()


def test_shorter_lists_end_where_they_end():
    frames = experiment(0)
    runs, qrels = frames
    short = runs[(runs["track"] == "news") | (runs["score"] > 3)]
    parts = of_tracks((short, qrels), pool_depth=2)
    shallow = [part.sizes["depth"] for part in parts]
    assert shallow[1] < shallow[0]
    assert_alike(ir.concat(parts), build(short, qrels, collection="track", pool_depth=2))


def test_grades_and_recall_bases_of_every_width():
    runs = pd.DataFrame({"system": "s", "topic": [1, 1, 1, 2], "doc": [5, 6, 7, 5], "score": 1.0})
    qrels = pd.DataFrame({"topic": [1, 1, 1, 2], "doc": [5, 6, 7, 5], "grade": [0, 1, 4, 2]})
    for name in (str, int):
        frames = [frame.astype({"doc": name}) for frame in (runs, qrels)]
        parts = [
            build(*(frame[frame["topic"] == t] for frame in frames), pool_depth=1) for t in (1, 2)
        ]
        frames = [frame.assign(track=frame["topic"]) for frame in frames]
        built = build(*frames, collection="track", pool_depth=1).drop_vars("track")
        assert_alike(ir.concat(parts), built)
        assert_alike(ir.concat(parts[::-1]), built)


def test_a_lazy_cube_stays_lazy(cube):
    parts = [cube.isel(topic=slice(3)).chunk(system=2), cube.isel(topic=slice(3, None)).chunk()]
    found = ir.concat(parts)
    assert found["grade"].chunks
    xr.testing.assert_identical(found.compute(), cube)


class TestPool:
    def test_runs_that_did_not_contribute_leave_the_pool_alone(self):
        runs, qrels = ir.example_track()
        flag = runs["contributing"]
        parts = [build(runs[some], qrels) for some in (flag, ~flag)]
        assert not dense(parts[1]).pool_depth.any()
        assert_alike(ir.concat(parts, dim="system"), build(runs, qrels))
        assert (dense(ir.concat(parts[::-1], dim="system")).pool_depth == 10).all()

    def test_nobody_contributed(self):
        runs, qrels = ir.example_track()
        names = runs.loc[~runs["contributing"], "system"].unique()
        parts = of_systems((runs, qrels), names[:1], names[1:])
        assert not dense(ir.concat(parts, dim="system")).pool_depth.any()

    def test_the_shallowest_pool_counts_and_the_best_rank(self, cube):
        first, second = cube.isel(system=slice(3)), cube.isel(system=slice(3, None))
        experiment = experiment_of(second)
        ranks = np.maximum(experiment.pool.rank - 1, 0)
        pool = replace(experiment.pool, depth=experiment.pool.depth - 3, rank=ranks)
        first = shown_as(first, experiment_of(first))
        second = shown_as(second, replace(experiment, pool=pool))
        found = dense(ir.concat([first, second], dim="system"))
        assert (found.pool_depth == 7).all()
        ranks = dense(cube).pool_rank
        np.testing.assert_array_equal(found.pool_rank, np.where(ranks > 1, ranks - 1, ranks))


class TestGroups:
    def test_a_team_of_one_track_only(self):
        frames = experiment(1)
        news, web = of_tracks(frames)
        for parts in ([news, web.drop_vars("team")], [web.drop_vars("team"), news]):
            team = ir.concat(parts)["team"]
            found = team.sel(system=news["system"].to_numpy()).to_numpy()
            assert found.tolist() == news["team"].to_numpy().tolist()
        teams = ir.concat([news.drop_vars("team"), web])["team"]
        assert pd.isna(teams.sel(system="s0").item())
        assert teams.sel(system="s2").item() == web["team"].sel(system="s2").item()

    def test_names_are_kept_at_full_length(self):
        news, web = of_tracks(experiment(1))
        parts = [news.isel(system=[0, 1]), web.isel(system=[1, 2])]
        for part in parts:
            names = [TEAM[system] for system in part["system"].to_numpy()]
            part.coords["team"] = ("system", np.array(names))
        assert parts[0]["team"].dtype != parts[1]["team"].dtype
        team = ir.concat(parts)["team"]
        assert dict(zip(team["system"].values, team.values, strict=True)) == TEAM

    def test_what_is_one_group_per_cube_belongs_to_the_topics(self):
        runs, qrels = experiment(2)
        qrels = qrels.drop(columns="track")
        parts = [
            build(runs[runs["track"] == track], qrels[qrels["topic"].isin(topics)])
            for track, topics in TRACKS.items()
        ]
        assert all(part["track"].dims == ("system",) for part in parts)
        assert_alike(ir.concat(parts), build(runs, qrels, collection="track"))
        three = build(runs, qrels, topics=["n1", "n2", "w1"])
        (rest,) = (parts[1].sel(topic=["w2", "w3"]),)
        found = ir.concat([three, rest])["track"]
        assert found.dims == ("topic",)
        assert found.values.tolist() == ["news", "news", "web", "web", "web"]

    def test_disagreement_is_named(self):
        news, web = of_tracks(experiment(1))
        other = web.assign_coords(team=("system", ["a", "b", "b"]))
        with pytest.raises(InputError, match="one team for every system, .*several for: s1, s2"):
            ir.concat([news, other])
        first, second = of_systems(experiment(1), SYSTEMS[:2], SYSTEMS[2:])
        other = second.assign_coords(track=second["track"].str.upper())
        with pytest.raises(InputError, match="one track for every topic, .*n1, n2.* and 3 more"):
            ir.concat([first, other], dim="system")

    def test_systems_in_one_cube_and_topics_in_another(self):
        news, web = of_tracks(experiment(1))
        other = web.drop_vars("team").assign_coords(team=("topic", list("abcd")))
        refused(InputError, "two dimensions of: team", lambda: ir.concat([news, other]))

    def test_groups_of_the_topics_stand_in_every_cube(self):
        news, web = of_tracks(experiment(1))
        with pytest.raises(
            InputError, match="group coordinates in all cubes, but found cubes without: trac"
        ):
            ir.concat([news, web.drop_vars("track")])


class TestAttributes:
    def test_what_all_cubes_say_of_themselves_remains(self):
        frames = experiment(0)
        parts = of_tracks(frames, ties="random", seed=4, depth=3)
        found = {name: ir.concat(parts).attrs[name] for name in parts[0].attrs}
        others = {"experiment": None, "record": None}
        assert found | others == parts[0].attrs | others
        assert [step.verb for step in ir.concat(parts).ireval.record] == ["cube"]
        assert {"ties", "seed", "depth", "pool", "irframe"} <= set(found)

    def test_what_they_do_not_agree_on_is_left_out(self):
        runs, qrels = experiment(0)
        parts = of_tracks((runs.drop(columns="contributing"), qrels))
        differences = (
            {"collection": "track", "pool": "complete"},
            {"topics": "runs", "pool": "stated"},
        )
        parts = [
            shown_as(part, replace(built, made={**built.made, **more}))
            for part, built, more in zip(parts, map(experiment_of, parts), differences, strict=True)
        ]
        parts[0].attrs["mine"], parts[1].attrs["theirs"] = 1, 2
        found = ir.concat(parts).attrs
        assert found["pool"] == "unknown"
        assert not {"topics", "collection", "theirs"} & set(found)
        assert found["mine"] == 1


class TestRefusals:
    def test_shared_labels(self, cube):
        parts = [cube.isel(topic=slice(3)), cube.isel(topic=slice(1, 6))]
        refused(IdError, "every topic in a single cube, but found 2 in several: ", ir.concat, parts)
        with pytest.raises(IdError, match="every system in a single cube, but found 8 in several"):
            ir.concat([cube, cube], dim="system")

    @pytest.mark.parametrize(
        ("name", "options"),
        [
            ("ties", {"ties": "doc"}),
            ("score_dtype", {"score_dtype": "float32"}),
            ("seed", {"ties": "random", "seed": 2}),
        ],
    )
    def test_other_rankings(self, name, options):
        frames = experiment(0)
        common = {"ties": "random", "seed": 1} if name == "seed" else {}
        parts = of_tracks(frames, **common)[0], of_tracks(frames, **common | options)[1]
        values = [repr(part.attrs.get(name)) for part in parts]
        with pytest.raises(
            ParameterError, match=f"the same {name}, but found different values"
        ) as caught:
            ir.concat(parts)
        assert sorted(caught.value.offenders) == sorted(values)

    def test_cut_lists(self):
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

    def test_other_topics(self, cube):
        parts = [cube.isel(system=[0]), cube.isel(system=[1], topic=slice(2, None))]
        lacking = ", ".join(cube["topic"].values[:2])
        with pytest.raises(
            InputError, match=f"the same topics, but found 2 topics that some.*: {lacking}"
        ):
            ir.concat(parts, dim="system")

    @pytest.mark.parametrize("change", ["grade", "doc", "row"])
    def test_other_judgments(self, change):
        runs, qrels = experiment(0)
        row = qrels.index[qrels["topic"] == "n2"][0]
        other = qrels.copy()
        if change == "row":
            other = other.drop(index=row)
        else:
            other.loc[row, change] = {"grade": 2, "doc": "new"}[change]
        first, second = (
            of_systems((runs, each), group)[0]
            for each, group in ((qrels, SYSTEMS[:2]), (other, SYSTEMS[2:]))
        )
        with pytest.raises(
            InputError, match="the same judgments, but found different judgments on 1 topic: n2"
        ):
            ir.concat([first, second], dim="system")

    def test_cubes_with_different_top_grades_are_refused(self, cube):
        other = cube.isel(system=[1])
        higher = dense(cube).top + (cube["topic"] == "102").to_numpy()
        other = shown_as(other, replace(experiment_of(other), top=higher))
        with pytest.raises(
            InputError, match="same top grades, but found different top grades on 1 topic: 102"
        ):
            ir.concat([cube.isel(system=[0]), other], dim="system")

    def test_nothing_or_no_cubes(self):
        refused(ParameterError, "at least one cube, but found none", lambda: ir.concat([]))
        with pytest.raises(InputError, match=r"a cube made by irframe.cube, but found str"):
            ir.concat(ir.cube(*ir.example_track()))
        with pytest.raises(
            ParameterError, match="dim to be one of 'system', 'topic', but found 'dep"
        ):
            ir.concat([], dim="depth")


def test_the_cubes_that_were_given_stay_as_they_were():
    parts = of_tracks(experiment(2))
    before = [part.copy(deep=True) for part in parts]
    ir.concat(parts)
    for part, copy in zip(parts, before, strict=True):
        xr.testing.assert_identical(part, copy)
