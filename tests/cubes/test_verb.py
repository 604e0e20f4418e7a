"""Tests of irframe.cubes.verb.

What every verb does alike: groups, trees, labels that ride along, where numbers come from; What
studies ask of the cubes and systems that they are given.
"""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.cubes.by_group import groups, join
from irframe.cubes.groups import provenance
from irframe.cubes.parse_scores import as_scores, parse_scores, to_scores
from irframe.cubes.verb import VERBS, against, read_depth, refuse_deeper, verb
from irframe.cubes.view import experiment_of, shown_as
from irframe.errors import DepthError, InputError, IrframeWarning, MetricError, ParameterError
from irframe.record import InGroups


@pytest.fixture
def shapes():
    """Return verbs that are registered during a test alone."""
    known = set(VERBS)

    @verb
    def shape_of(cube):
        """Return how many systems and topics there are."""
        return pd.DataFrame({"systems": [cube.sizes["system"]], "topics": [cube.sizes["topic"]]})

    @verb
    def means_of(scores, other=None):
        """Return means over topics."""
        return (to_scores(scores) - (0 if other is None else to_scores(other))).mean("topic")

    yield shape_of, means_of
    for name in set(VERBS) - known:
        del VERBS[name]


@pytest.fixture(scope="module")
def cube():
    cube = ir.cube(*ir.example_track())
    return cube.assign_coords(half=("topic", np.repeat(["first", "second"], [6, 10])))


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP", "RR", at=[5, 10])


class TestCalls:
    def test_a_verb_is_registered_by_its_name(self, shapes):
        assert VERBS["shape_of"] is shapes[0]
        assert shapes[0].__doc__ == "Return how many systems and topics there are."

    def test_a_cube_is_read_through_the_gate(self, shapes, cube):
        found = shapes[0](cube.transpose().astype(float))
        assert found.to_numpy().tolist() == [[8, 16]]
        refused(DepthError, "at=", lambda: shapes[0](cube.sel(depth=[5, 10])))
        refused(InputError, "irframe.cube, but found DataFrame", lambda: shapes[0](pd.DataFrame()))

    def test_arguments_are_those_of_the_function(self, shapes, cube):
        with pytest.raises(TypeError, match=r"shape_of\(\): .*unexpected keyword argument 'at'"):
            shapes[0](cube, at=5)
        refused(TypeError, "positional", lambda: shapes[0](cube, "half"))

    def test_a_selected_label_is_a_scalar_coordinate_of_the_result(self, cube):
        found = cube.sel(system="ance").ireval.score("AP")
        assert found.dims == ("metric", "topic", "depth")
        assert found["system"].item() == "ance"
        assert found["team"].item() == "vectors"

    def test_so_is_one_of_scores(self, shapes, scores):
        found = shapes[1](scores.sel(system="ance"))
        assert found.dims == ("metric", "depth")
        assert found["system"].item() == "ance"
        np.testing.assert_array_equal(found, shapes[1](scores).sel(system="ance"))
        one = scores.sel(topic="104")
        np.testing.assert_array_equal(shapes[1](one), one)

    def test_the_subject_stays_as_it_was(self, cube, scores):
        before = cube.copy(deep=True), scores.copy(deep=True)
        cube.ireval.groupby("half").condense()
        scores.ireval.groupby("team").summary()
        xr.testing.assert_identical(cube, before[0])
        xr.testing.assert_identical(scores, before[1])


class TestGroups:
    def test_systems_of_other_groups_have_no_number(self, shapes, scores):
        found = shapes[1](InGroups(scores, "team"))
        inside = found["team"].to_numpy()[:, np.newaxis] == scores["team"].to_numpy()
        assert (found.isel(metric=0, depth=0).notnull().to_numpy() == inside).all()
        assert found["system"].values.tolist() == scores["system"].values.tolist()

    @pytest.mark.parametrize("known", ["nothing", "retrieved", "took_part"])
    def test_a_group_has_the_systems_with_a_score_in_it_or_in_no_group(self, known):
        labels = {"metric": ["AP", "RR"], "system": list("abcd"), "topic": list("1234")}
        scores = xr.DataArray(np.zeros((2, 4, 4)), labels, list(labels))
        scores = scores.assign_coords(half=("topic", list("xxyy")))
        scores[:, 1, 0] = scores[0, 1, 1] = scores[:, 2, :2] = scores[:, 3] = np.nan
        scored = scores.notnull().any("metric")
        if known != "nothing":
            scores = scores.assign_coords({known: scored})
        with warnings.catch_warnings(action="ignore", category=IrframeWarning):
            parts = dict(parse_scores(scores, by="half").groups())
        systems = {key: "".join(part.systems) for key, part in parts.items()}
        assert systems == {"x": "abd", "y": "abcd"}
        nobody = scores.where(scores["half"] == "y")
        assert len(dict(parse_scores(nobody, by="half").groups())["x"].systems) == 4

    def test_a_system_that_took_part_without_any_score_is_named(self, scores):
        absent = (scores["half"] == "first") & (scores["system"] == "ance")
        masked = scores.where(~absent)
        frame = as_scores(masked.sel(depth=10)).reindex(as_scores(scores.sel(depth=10)).index)
        frame = frame.join(scores["half"].to_series())
        for subject in (masked.sel(depth=10), frame):
            with pytest.warns(IrframeWarning, match=r"left out of it \(half\): first \(ance\)"):
                found = subject.ireval.groupby("half").compare()
            assert len(found) == 2 * (21 + 28)
        declared = masked.sel(depth=[10]).assign_coords(took_part=~absent)
        frames = [one.ireval.groupby("half").compare() for one in (frame.dropna(), declared)]
        assert [len(each) for each in frames] == [2 * (21 + 28)] * 2

    def test_other_scores_are_split_alike(self, shapes, scores):
        found = shapes[1](InGroups(scores, "half"), scores.isel(topic=slice(None, None, -1)))
        np.testing.assert_allclose(found, 0, atol=1e-15)
        other = scores.assign_coords(half=scores["half"].str.replace("second", "third"))
        with pytest.raises(ParameterError, match=r"groups \(half\) on both.*: second, third"):
            shapes[1](InGroups(scores, "half"), other)

    def test_an_error_says_in_which_group(self):
        runs, qrels = ir.example_track()
        depths = runs["rank"] <= np.where(runs["team"] == "terms", 50, 20)
        cube = runs[depths].ireval.cube(qrels, depth=30)
        with pytest.raises(DepthError, match=r"depth 30 of 50 in the group terms \(team\)\. Build"):
            cube.ireval.groupby("team").condense()

    @pytest.mark.parametrize("by", ["year", ["half"], 3])
    def test_groups_that_are_none(self, cube, scores, by):
        frame = scores.sel(depth=10).to_series().unstack("metric")
        several = "by to be one column, but found .*half" if isinstance(by, list) else ""
        with pytest.raises(
            ParameterError, match=several or "by to be an index level .*: system, topic, AP"
        ):
            dict(groups(frame, by))
        for subject in (cube, scores):
            with pytest.raises(
                ParameterError, match=several or "by to be a coordinate.*there are: .*half"
            ):
                dict(groups(subject, by))

    def test_rows_without_a_group_are_named(self, scores):
        frame = scores.sel(depth=10).to_series().unstack("metric").reset_index()
        frame["kind"] = frame["topic"].where(frame["topic"] != "103")
        with pytest.raises(
            ParameterError, match=r"group \(kind\) in every row, but found none in 8"
        ):
            dict(groups(frame, "kind"))

    def test_something_without_groups(self):
        refused(
            InputError,
            "a cube, scores or a result to group, but found list",
            lambda: dict(groups([1], "half")),
        )


class TestCubesInGroups:
    def test_overwritten_cubes_are_refused(self, shapes, cube):
        cubes = cube.ireval.groupby("half").pooled(10)
        more = {key: part.assign(grade=part["grade"] + 1) for key, part in cubes}
        refused(InputError, "unchanged grades", shapes[0], InGroups(more, "half"))


class TestLabels:
    def test_names_of_results_come_before_those_of_users(self, cube):
        marked = cube.assign_coords(n=("system", np.arange(8)), mean=("topic", np.arange(16)))
        found, plain = (each.ireval.score("AP", at=10).ireval.summary() for each in (marked, cube))
        for name in plain:
            np.testing.assert_array_equal(found[name], plain[name])

    def test_user_coordinates_follow_their_labels(self, cube):
        cell = np.arange(8 * 16).reshape(8, 16)
        marked = cube.assign_coords(cell=(("system", "topic"), cell))
        turned = marked.isel(system=slice(None, None, -1))
        found = turned.ireval.score("AP", at=10)
        for name in ("team", "half", "cell"):
            assert found[name].to_series().to_dict() == marked[name].to_series().to_dict()


class TestProvenance:
    def test_results_say_what_decided_their_numbers(self):
        runs, qrels = ir.example_track()
        cube = runs.ireval.cube(qrels, ties=ir.Ties("random", seed=4), depth=20)
        chain = [cube.ireval.score("AP"), cube.ireval.score("AP", at=10).ireval.summary()]
        for found, name in zip(chain, ("score", "summary"), strict=True):
            wanted = {"ties": "random", "seed": 4, "depth": 20, "top": 3, "pool_depth": 10}
            assert found.attrs.items() >= (wanted | {"result": name}).items()
            assert found.attrs["irframe"] == ir.__version__

    def test_several_top_grades_and_pools_are_listed(self, cube):
        experiment = experiment_of(cube)
        uneven = shown_as(cube, replace(experiment, top=np.array([1, 3] * 8)))
        assert provenance(uneven)["top"] == [1, 3]
        assert provenance(uneven.isel(topic=[1, 3]))["top"] == 3
        assert provenance([1]) == {}


def test_groups_keep_the_order_of_labels_and_lack_values_elsewhere():
    arrays = {
        "a": xr.DataArray([1.0, 2], {"system": ["s", "t"]}),
        "b": xr.DataArray([3.0], {"system": ["t"]}),
    }
    found = join(arrays, "half", xr.DataArray(np.zeros(2), {"system": ["t", "s"]}))
    assert found.sel(half="b", system="t") == 3
    assert np.isnan(found.sel(half="b", system="s"))
    assert found["system"].values.tolist() == ["t", "s"]


def test_groups_are_called_like_nothing_in_the_result():
    cube = ir.cube(*ir.example_track())
    named = cube.assign_coords(p=("system", list("aabbccdd")))
    scores = named.ireval.score("AP", at=10)
    assert scores.ireval.groupby("p").discrimination().dims == ("p", "metric")
    with pytest.raises(ParameterError, match="that is no column of the result, but found 'p'"):
        scores.ireval.groupby("p").compare()
    for by in ("system", "topic", "metric", "depth"):
        with pytest.raises(ParameterError, match="by to be a coordinate of systems or topics"):
            scores.ireval.groupby(by).summary()


@pytest.fixture(scope="module")
def requirements_cube():
    return ir.cube(*ir.example_track(), depth=20)


def test_the_depth_is_that_of_the_cube_or_less(requirements_cube):
    assert [read_depth(requirements_cube, depth) for depth in (None, 20, 1)] == [20, 20, 1]
    for depth in (0, 21, 2.5, True, "5"):
        with pytest.raises(
            DepthError, match="depth to be a whole number of at least 1 and at most 20"
        ):
            read_depth(requirements_cube, depth)


def test_what_has_no_order_is_refused(requirements_cube):
    with pytest.raises(MetricError, match="found ties='mean'"):
        read_depth(requirements_cube.assign_attrs(ties="mean"), None)


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
    refused(
        ParameterError,
        "different systems to compare with the baseline",
        lambda: against(["a"], "a", None),
    )
