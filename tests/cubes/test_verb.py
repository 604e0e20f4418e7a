"""Verbs check arguments, and keep groups, user coordinates and provenance."""

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
    """Yield two verbs that are registered only during a test."""
    registered = set(VERBS)

    @verb
    def shape_of(cube):
        """Return the numbers of systems and topics."""
        return pd.DataFrame({"systems": [cube.sizes["system"]], "topics": [cube.sizes["topic"]]})

    @verb
    def means_of(scores, minus=None):
        """Return means over topics."""
        return (to_scores(scores) - (0 if minus is None else to_scores(minus))).mean("topic")

    yield shape_of, means_of
    for name in set(VERBS) - registered:
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
        assert shapes[0].__doc__ == "Return the numbers of systems and topics."

    def test_cubes_are_validated(self, shapes, cube):
        result = shapes[0](cube.transpose().astype(float))
        assert result.to_numpy().tolist() == [[8, 16]]
        refused(DepthError, "at=", lambda: shapes[0](cube.sel(depth=[5, 10])))
        refused(InputError, "irframe.cube, but found DataFrame", lambda: shapes[0](pd.DataFrame()))

    def test_verbs_refuse_unknown_and_positional_arguments(self, shapes, cube):
        with pytest.raises(TypeError, match=r"shape_of\(\): .*unexpected keyword argument 'at'"):
            shapes[0](cube, at=5)
        refused(TypeError, "positional", lambda: shapes[0](cube, "half"))

    def test_a_selected_label_is_a_scalar_coordinate_of_the_result(self, cube):
        result = cube.sel(system="ance").ireval.score("AP")
        assert result.dims == ("metric", "topic", "depth")
        assert result["system"].item() == "ance"
        assert result["team"].item() == "vectors"

    def test_a_selected_label_of_scores_is_a_scalar_coordinate_of_the_result(self, shapes, scores):
        result = shapes[1](scores.sel(system="ance"))
        assert result.dims == ("metric", "depth")
        assert result["system"].item() == "ance"
        np.testing.assert_array_equal(result, shapes[1](scores).sel(system="ance"))
        single = scores.sel(topic="104")
        np.testing.assert_array_equal(shapes[1](single), single)

    def test_input_objects_are_unchanged(self, cube, scores):
        before = cube.copy(deep=True), scores.copy(deep=True)
        cube.ireval.groupby("half").condense()
        scores.ireval.groupby("team").summary()
        xr.testing.assert_identical(cube, before[0])
        xr.testing.assert_identical(scores, before[1])


class TestGroups:
    def test_scores_are_nan_for_systems_of_other_groups(self, shapes, scores):
        result = shapes[1](InGroups(scores, "team"))
        inside = result["team"].to_numpy()[:, np.newaxis] == scores["team"].to_numpy()
        assert (result.isel(metric=0, depth=0).notnull().to_numpy() == inside).all()
        assert result["system"].values.tolist() == scores["system"].values.tolist()

    @pytest.mark.parametrize("coordinate", ["nothing", "retrieved", "took_part"])
    def test_groups_contain_their_scored_systems_and_systems_without_any_scores(self, coordinate):
        labels = {"metric": ["AP", "RR"], "system": list("abcd"), "topic": list("1234")}
        scores = xr.DataArray(np.zeros((2, 4, 4)), labels, list(labels))
        scores = scores.assign_coords(half=("topic", list("xxyy")))
        scores[:, 1, 0] = scores[0, 1, 1] = scores[:, 2, :2] = scores[:, 3] = np.nan
        scored = scores.notnull().any("metric")
        if coordinate != "nothing":
            scores = scores.assign_coords({coordinate: scored})
        with warnings.catch_warnings(action="ignore", category=IrframeWarning):
            subsets = dict(parse_scores(scores, by="half").groups())
        systems = {key: "".join(subset.systems) for key, subset in subsets.items()}
        assert systems == {"x": "abd", "y": "abcd"}
        nobody = scores.where(scores["half"] == "y")
        assert len(dict(parse_scores(nobody, by="half").groups())["x"].systems) == 4

    def test_systems_without_scores_in_a_group_raise_a_warning(self, scores):
        absent = (scores["half"] == "first") & (scores["system"] == "ance")
        masked = scores.where(~absent)
        frame = as_scores(masked.sel(depth=10)).reindex(as_scores(scores.sel(depth=10)).index)
        frame = frame.join(scores["half"].to_series())
        for subject in (masked.sel(depth=10), frame):
            with pytest.warns(IrframeWarning, match=r"left out \(half\): first \(ance\)"):
                result = subject.ireval.groupby("half").compare()
            assert len(result) == 2 * (21 + 28)
        declared = masked.sel(depth=[10]).assign_coords(took_part=~absent)
        frames = [single.ireval.groupby("half").compare() for single in (frame.dropna(), declared)]
        assert [len(item) for item in frames] == [2 * (21 + 28)] * 2

    def test_scores_among_arguments_are_split_by_group(self, shapes, scores):
        result = shapes[1](InGroups(scores, "half"), scores.isel(topic=slice(None, None, -1)))
        np.testing.assert_allclose(result, 0, atol=1e-15)
        regrouped = scores.assign_coords(half=scores["half"].str.replace("second", "third"))
        with pytest.raises(ParameterError, match=r"groups \(half\) in both.*: second, third"):
            shapes[1](InGroups(scores, "half"), regrouped)

    def test_errors_name_the_group(self):
        runs, qrels = ir.example_track()
        depths = runs["rank"] <= np.where(runs["team"] == "terms", 50, 20)
        cube = runs[depths].ireval.cube(qrels, depth=30)
        with pytest.raises(DepthError, match=r"depth 30 .* in the group terms \(team\)\. Build"):
            cube.ireval.groupby("team").condense()

    @pytest.mark.parametrize("by", ["year", ["half"], 3])
    def test_unknown_groups_are_refused(self, cube, scores, by):
        frame = scores.sel(depth=10).to_series().unstack("metric")
        several = "by to be one column, but found .*half" if isinstance(by, list) else ""
        with pytest.raises(
            ParameterError, match=several or "by to be an index level .*system, topic, AP"
        ):
            dict(groups(frame, by))
        for subject in (cube, scores):
            with pytest.raises(
                ParameterError,
                match=several or "by to be a coordinate.*the coordinates are: .*half",
            ):
                dict(groups(subject, by))

    def test_rows_without_a_group_are_refused(self, scores):
        frame = scores.sel(depth=10).to_series().unstack("metric").reset_index()
        frame["kind"] = frame["topic"].where(frame["topic"] != "103")
        with pytest.raises(
            ParameterError, match=r"group \(kind\) in every row, but found 8 rows without a group"
        ):
            dict(groups(frame, "kind"))

    def test_objects_that_cannot_be_grouped_are_refused(self):
        refused(
            InputError,
            "a cube, scores or a result to group, but found list",
            lambda: dict(groups([1], "half")),
        )


class TestCubesInGroups:
    def test_groups_with_changed_grades_are_refused(self, shapes, cube):
        cubes = cube.ireval.groupby("half").pooled(10)
        more = {key: subset.assign(grade=subset["grade"] + 1) for key, subset in cubes}
        refused(InputError, "unchanged grades", shapes[0], InGroups(more, "half"))


class TestLabels:
    def test_user_coordinates_do_not_replace_results(self, cube):
        marked = cube.assign_coords(n=("system", np.arange(8)), mean=("topic", np.arange(16)))
        result, plain = (item.ireval.score("AP", at=10).ireval.summary() for item in (marked, cube))
        for name in plain:
            np.testing.assert_array_equal(result[name], plain[name])

    def test_user_coordinates_keep_their_values_after_reordering(self, cube):
        cell = np.arange(8 * 16).reshape(8, 16)
        marked = cube.assign_coords(cell=(("system", "topic"), cell))
        turned = marked.isel(system=slice(None, None, -1))
        result = turned.ireval.score("AP", at=10)
        for name in ("team", "half", "cell"):
            assert result[name].to_series().to_dict() == marked[name].to_series().to_dict()


class TestProvenance:
    def test_results_record_options_of_the_cube(self):
        runs, qrels = ir.example_track()
        cube = runs.ireval.cube(qrels, ties=ir.Ties("random", seed=4), depth=20)
        chain = [cube.ireval.score("AP"), cube.ireval.score("AP", at=10).ireval.summary()]
        for result, name in zip(chain, ("score", "summary"), strict=True):
            expected = {"ties": "random", "seed": 4, "depth": 20, "top": 3, "pool_depth": 10}
            assert result.attrs.items() >= (expected | {"result": name}).items()
            assert result.attrs["irframe"] == ir.__version__

    def test_several_top_grades_are_listed(self, cube):
        experiment = experiment_of(cube)
        uneven = shown_as(cube, replace(experiment, top=np.array([1, 3] * 8)))
        assert provenance(uneven)["top"] == [1, 3]
        assert provenance(uneven.isel(topic=[1, 3]))["top"] == 3
        assert provenance([1]) == {}


def test_joined_groups_keep_the_order_of_systems():
    arrays = {
        "a": xr.DataArray([1.0, 2], {"system": ["s", "t"]}),
        "b": xr.DataArray([3.0], {"system": ["t"]}),
    }
    result = join(arrays, "half", xr.DataArray(np.zeros(2), {"system": ["t", "s"]}))
    assert result.sel(half="b", system="t") == 3
    assert np.isnan(result.sel(half="b", system="s"))
    assert result["system"].values.tolist() == ["t", "s"]


def test_groups_named_like_a_column_of_the_result_are_refused():
    cube = ir.cube(*ir.example_track())
    named = cube.assign_coords(p=("system", list("aabbccdd")))
    scores = named.ireval.score("AP", at=10)
    assert scores.ireval.groupby("p").discrimination().dims == ("p", "metric")
    with pytest.raises(ParameterError, match="that no column of the result has, but found 'p'"):
        scores.ireval.groupby("p").compare()
    for by in ("system", "topic", "metric", "depth"):
        with pytest.raises(ParameterError, match="by to be a coordinate of systems or topics"):
            scores.ireval.groupby(by).summary()


@pytest.fixture(scope="module")
def requirements_cube():
    return ir.cube(*ir.example_track(), depth=20)


def test_depths_beyond_the_cube_are_refused(requirements_cube):
    assert [read_depth(requirements_cube, depth) for depth in (None, 20, 1)] == [20, 20, 1]
    for depth in (0, 21, 2.5, True, "5"):
        with pytest.raises(
            DepthError, match="depth to be a whole number of at least 1 and at most 20"
        ):
            read_depth(requirements_cube, depth)


def test_reading_depths_are_refused_with_ties_mean(requirements_cube):
    with pytest.raises(MetricError, match="found ties='mean'"):
        read_depth(requirements_cube.assign_attrs(ties="mean"), None)


def test_metrics_deeper_than_the_reading_depth_are_refused():
    refuse_deeper([ir.metrics.P(), ir.metrics.P() @ 10], 10)
    with pytest.raises(DepthError, match="P@10, AP@7"):
        refuse_deeper([ir.metrics.P() @ 10, ir.metrics.AP() @ 7, ir.metrics.AP() @ 6], 6)


def test_baselines_are_compared_with_the_named_or_all_other_systems():
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
