"""Tests of groups of cubes, and of provenance."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from incomplete import incomplete
from refusals import refused

import irframe as ir
from irframe.cubes.by_group import groups
from irframe.cubes.groups import each_group, own_rows, read_groups
from irframe.cubes.view import OURS
from irframe.errors import IrframeWarning, ParameterError
from irframe.experiments.group_columns import RESERVED
from irframe.tables.captions import origin_text

pytestmark = incomplete


ROWS = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "3"), ("c", "2"), ("c", "3")]
RUNS = pd.DataFrame(ROWS, columns=["system", "topic"]).assign(doc="d", score=1.0)
QRELS = pd.DataFrame({"topic": list("3214"), "doc": "d", "grade": [1, 2, 1, 1]})


def cube_of(runs=RUNS, qrels=QRELS, **options):
    return ir.cube(runs, qrels, **options)


class TestCoordinates:
    def test_columns_constant_per_topic_or_system_become_coordinates(self):
        runs = RUNS.assign(
            length=RUNS["topic"].map({"1": 3, "2": 5, "3": 3}),
            team=RUNS["system"].map({"a": "x", "b": "x", "c": "y"}),
            campaign="2020",
            row=range(6),
        )
        cube = cube_of(runs, QRELS.assign(year=[3, 2, 1, 4]), topics=["1", "3", "2"])
        assert cube["length"].dims == cube["year"].dims == ("topic",)
        assert cube["length"].values.tolist() == [3, 3, 5]
        assert cube["year"].values.tolist() == [1, 3, 2]
        assert cube["team"].dims == cube["campaign"].dims == ("system",)
        assert cube["team"].values.tolist() == ["x", "x", "y"]
        assert "row" not in cube.coords

    def test_topics_without_runs_have_no_group(self):
        cube = cube_of(RUNS.assign(kind=RUNS["topic"].map({"1": "p", "2": "q", "3": "p"})))
        kinds = cube["kind"].to_series()
        assert kinds[["1", "2", "3"]].tolist() == ["p", "q", "p"]
        assert pd.isna(kinds["4"])

    def test_tracks_with_disjoint_systems_are_groups_of_topics(self):
        rows = [("a", "1"), ("a", "2"), ("b", "3"), ("b", "4")]
        runs = pd.DataFrame(rows, columns=["system", "topic"]).assign(doc="d", score=1.0)
        cube = cube_of(runs.assign(track=["x", "x", "y", "y"]))
        assert cube["track"].to_series().to_dict() == {"1": "x", "2": "x", "3": "y", "4": "y"}

    def test_groups_of_unjudged_topics_are_dropped(self):
        runs = RUNS.assign(kind=RUNS["topic"].map({"1": "p", "2": "q", "3": "r"}))
        with (
            pytest.warns(IrframeWarning, match="2 topics of the runs have no judgments"),
            pytest.warns(
                IrframeWarning,
                match="score 0 on all judged topics: b; these systems have the topics '1'",
            ),
        ):
            cube = cube_of(runs, QRELS[QRELS["topic"] == "2"])
        assert cube["kind"].to_series().to_dict() == {"2": "q"}

    def test_group_columns_of_judgments_take_precedence_over_those_of_runs(self):
        kinds = {"1": "p", "2": "q", "3": "p", "4": "r"}
        cube = cube_of(
            RUNS.assign(kind=RUNS["topic"].map(kinds)), QRELS.assign(kind=QRELS["topic"].map(kinds))
        )
        assert cube["kind"].to_series().to_dict() == kinds

    def test_columns_of_fractions_or_with_reserved_names_are_not_groups(self):
        assert OURS - {"system", "topic"} <= RESERVED
        names = sorted(RESERVED - {"contributing", "doc", "grade"})
        runs = RUNS.assign(weight=0.5, **dict.fromkeys(names, 7))
        cube = cube_of(runs)
        assert "weight" not in cube.coords
        xr.testing.assert_equal(cube, cube_of())

    def test_missing_values_in_group_columns_are_treated_as_a_value(self):
        runs = RUNS.assign(team=RUNS["system"].map({"a": "x", "b": None, "c": "y"}))
        team = cube_of(runs)["team"].to_series()
        assert team[["a", "c"]].tolist() == ["x", "y"]
        assert pd.isna(team["b"])
        runs.loc[3, "team"] = "z"
        assert "team" not in cube_of(runs).coords

    @pytest.mark.parametrize("dtype", ["category", "string", "object", "string[pyarrow]"])
    def test_groups_have_numpy_dtypes(self, dtype):
        runs = RUNS.assign(team=RUNS["system"].str.upper()).astype({"team": dtype})
        team = cube_of(runs)["team"]
        assert isinstance(team.dtype, np.dtype)
        assert team.values.tolist() == ["A", "B", "C"]


class TestParts:
    @pytest.fixture
    def cube(self):
        cube = cube_of(RUNS.assign(team=RUNS["system"].map({"a": "x", "b": "y", "c": "x"})))
        return cube.assign_coords(kind=("topic", ["p", "q", "p", "q"]))

    def test_groups_of_topics_contain_the_participating_systems(self):
        tracks = {"1": "news", "2": "web", "3": "web", "4": "news"}
        qrels = QRELS.assign(track=QRELS["topic"].map(tracks))
        cube = cube_of(RUNS[RUNS["topic"] != "4"], qrels, collection="track")
        subsets = dict(each_group(cube, "track"))
        assert list(subsets) == ["web", "news"]
        assert subsets["web"]["system"].values.tolist() == ["a", "b", "c"]
        assert subsets["news"]["system"].values.tolist() == ["a", "b"]
        assert subsets["web"]["topic"].values.tolist() == ["3", "2"]
        single = dict(each_group(cube_of().assign_coords(kind=("topic", list("ppqr"))), "kind"))
        assert {key: subset.sizes["system"] for key, subset in single.items()} == dict.fromkeys(
            "pqr", 3
        )

    def test_groups_of_systems_contain_the_topics_of_their_collections(self):
        tracks = {"1": "news", "2": "web", "3": "web", "4": "news"}
        qrels = QRELS.assign(track=QRELS["topic"].map(tracks))
        runs = RUNS.assign(team=RUNS["system"].map({"a": "x", "b": "y", "c": "z"}))
        cube = cube_of(runs, qrels, collection="track")
        topics = {k: subset["topic"].values.tolist() for k, subset in each_group(cube, "team")}
        assert topics == {"x": list("3214"), "y": list("3214"), "z": list("32")}

    def test_groups_of_rows_are_as_deep_as_their_lists(self):
        runs = pd.concat([RUNS, RUNS[:1].assign(doc="e", score=0.5)])
        runs["team"] = runs["system"].str.upper()
        for options, depth, longest in (({}, 2, 1), ({"depth": 3}, 3, 3)):
            depths = {k: p.sizes["depth"] for k, p in each_group(cube_of(runs, **options), "team")}
            assert depths == dict.fromkeys("ABC", depth)
            depths = {k: p.sizes["depth"] for k, p in own_rows(cube_of(runs, **options), "team")}
            assert depths == {"A": depth, "B": longest, "C": longest}

    def test_systems_without_rows_in_a_group_raise_a_warning(self):
        cube = cube_of().assign_coords(kind=("topic", ["p", "p", "p", "q"]))
        with pytest.warns(IrframeWarning, match=r"rows in a group of kind .* q \(a, b, c\); pass"):
            alone = dict(own_rows(cube, "kind"))["q"]
        assert (alone.sizes["system"], alone.sizes["topic"], alone.sizes["depth"]) == (0, 1, 1)

    def test_groups_keep_the_judgments_of_the_cube(self, cube):
        for _, subset in each_group(cube, "team"):
            selected = cube.sel(topic=subset["topic"].to_numpy())
            for name in ("top", "pool_rank", "pool_depth", "judged_doc"):
                result, expected = (getattr(dense(item), name) for item in (subset, selected))
                np.testing.assert_array_equal(result, expected)

    def test_only_user_coordinates_can_be_groups(self, cube):
        assert read_groups(cube, "team")[0] == "system"
        assert read_groups(cube, "kind")[1].tolist() == ["p", "q", "p", "q"]
        for wrong in ("year", "topic", "topic_code"):
            with pytest.raises(
                ParameterError, match=f"found '{wrong}'; the coordinates are: "
            ) as caught:
                read_groups(cube, wrong)
            assert sorted(caught.value.offenders) == ["kind", "team"]
        refused(
            ParameterError,
            "found 'team', and there are no coordinates",
            read_groups,
            cube_of(),
            "team",
        )

    def test_topics_without_a_group_are_refused(self, cube):
        some = cube.assign_coords(kind=("topic", np.array(["p", None, "p", np.nan], object)))
        with pytest.raises(ParameterError, match=r"group \(kind\) for every topic.*2: 2, 4\. Add"):
            dict(each_group(some, "kind"))


DECIDED = {
    "ties": "doc",
    "score_dtype": "float32",
    "topics": "runs",
    "pool": "stated",
    "top": 3,
    "pool_depth": 10,
    "irframe": ir.__version__,
}


@pytest.fixture(scope="module")
def provenance_cube(track):
    return ir.cube(*track, ties=ir.Ties("doc", dtype="float32"), topics="runs")


def assert_recorded(attributes, result):
    assert attributes.items() >= (DECIDED | {"result": result}).items()


def test_results_record_how_the_cube_was_made(provenance_cube, track):
    scores = provenance_cube.ireval.score("AP", "P")
    assert_recorded(scores.attrs, "score")
    assert_recorded(scores.ireval.compare().attrs, "compare")
    assert_recorded(scores.ireval.summary().attrs, "summary")
    assert_recorded(scores.ireval.groupby("team").coverage("AP").attrs, "coverage")
    result = provenance_cube.ireval.outcomes(relevant="first", baseline="bm25")
    assert_recorded(result.summary.attrs, "outcomes")
    assert_recorded(result.queries.attrs, "outcomes")
    options = {"ties": ir.Ties("doc", dtype="float32"), "topics": "runs"}
    built = track[0].ireval.evaluate(track[1], ["AP", "P@5"], **options)
    assert_recorded(built.attrs, "evaluate")
    assert built.attrs["metrics"] == ["AP", "P@5"]


def test_files_keep_provenance(provenance_cube, tmp_path):
    scores = provenance_cube.ireval.score("AP")
    scores.to_netcdf(tmp_path / "scores.nc", engine="h5netcdf")
    repeated = xr.load_dataarray(tmp_path / "scores.nc", engine="h5netcdf")
    xr.testing.assert_equal(repeated.drop_vars("team"), scores.drop_vars("team"))
    assert_recorded(repeated.ireval.summary().attrs, "summary")
    comparison = scores.sel(depth=10).ireval.compare()
    comparison.to_parquet(tmp_path / "comparison.parquet")
    reread = pd.read_parquet(tmp_path / "comparison.parquet")
    assert reread.attrs == comparison.attrs
    assert reread.ireval.styled().to_latex() == comparison.ireval.styled().to_latex()


def test_captions_state_provenance(provenance_cube):
    line = "ties doc; scores as float32; topics runs; top grade 3; "
    line += f"every pooled list, as filed, judged to depth 10; irframe {ir.__version__}"
    scores = provenance_cube.ireval.score("AP").sel(depth=[10])
    for result in (scores.ireval.compare(), scores.ireval.summary()):
        assert origin_text(result.attrs) == line
        assert line in result.ireval.styled().to_html()
        assert f"; {line}}}" in result.ireval.styled().to_latex()


def test_captions_list_the_top_grades_of_collections():
    caption = origin_text({"top": [2, 3], "collection": "track"})
    assert caption == "collections by track; top grade 2 and 3"
    assert origin_text({"units": "m"}) == ""


@pytest.mark.parametrize("array", [False, True])
def test_results_of_groups_keep_cautions(array):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=10)
    scores = scores.assign_coords(half=("topic", ["a"] * 5 + ["b"] * 11))
    scores[:, 0, 5:] = 0.5  # scores are constant only in the second group
    frame = scores.squeeze("metric", drop=True).to_dataframe(name="AP")
    frame = frame.set_index("half", append=True)[["AP"]]
    with pytest.warns(IrframeWarning, match="all scores are the same: AP of bm25 .half b"):
        result = (scores if array else frame).ireval.groupby("half").summary()
    assert result.attrs["caution"] == (
        "no interval if all scores are the same: AP of bm25 (half b)"
    )
    assert result.attrs["interval"] == "logit"


def test_attributes_that_differ_between_groups_are_listed(cube):
    halves = cube.assign_coords(half=("topic", ["a"] * 5 + ["b"] * 11))
    ungrouped = cube.ireval.leave_out("AP", at=5)
    subsets = halves.ireval.groupby("half").leave_out("AP", at=5)
    assert len(subsets.attrs["judgments"]) == 2
    assert sum(subsets.attrs["judgments"]) == ungrouped.attrs["judgments"]


def test_each_group_of_a_result_has_its_own_systems():
    result = cube_of().ireval.score("AP", at=1).to_dataset(name="mean")
    result = result.assign_coords(team=("system", ["x", "y", "x"]))
    actual = dict(groups(result, "team"))
    assert [*actual] == ["x", "y"]
    for team, systems in (("x", ["a", "c"]), ("y", ["b"])):
        assert actual[team]["mean"].indexes["system"].tolist() == systems
