"""What numbers say of where they come from."""

import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import IrframeWarning
from irframe.tables.captions import told_origin

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
def frames():
    return ir.example_track()


@pytest.fixture(scope="module")
def cube(frames):
    return ir.cube(*frames, ties="doc", score_dtype="float32", topics="runs")


def assert_told(attributes, result):
    assert attributes.items() >= (DECIDED | {"result": result}).items()


def test_scores_and_what_comes_of_them_say_how_they_were_made(cube, frames):
    scores = cube.ireval.score("AP", "P")
    assert_told(scores.attrs, "score")
    assert_told(scores.ireval.compare().attrs, "compare")
    assert_told(scores.ireval.summary().attrs, "summary")
    assert_told(scores.ireval.coverage("AP", by="team").attrs, "coverage")
    found = cube.ireval.outcomes(relevant="first", baseline="bm25")
    assert_told(found.summary.attrs, "outcomes")
    assert_told(found.queries.attrs, "outcomes")
    options = {"ties": "doc", "score_dtype": "float32", "topics": "runs"}
    made = frames[0].ireval.evaluate(frames[1], ["AP", "P@5"], **options)
    assert_told(made.attrs, "evaluate")
    assert made.attrs["metrics"] == ["AP", "P@5"]


def test_files_keep_where_numbers_come_from(cube, tmp_path):
    scores = cube.ireval.score("AP")
    scores.to_netcdf(tmp_path / "scores.nc", engine="h5netcdf")
    again = xr.load_dataarray(tmp_path / "scores.nc", engine="h5netcdf")
    xr.testing.assert_equal(again.drop_vars("team"), scores.drop_vars("team"))
    assert_told(again.ireval.summary().attrs, "summary")
    comparison = scores.ireval.compare(at=10)
    comparison.to_parquet(tmp_path / "comparison.parquet")
    read = pd.read_parquet(tmp_path / "comparison.parquet")
    assert read.attrs == comparison.attrs
    assert read.ireval.styled().to_latex() == comparison.ireval.styled().to_latex()


def test_captions_tell_what_decided_the_numbers(cube):
    line = "ties doc; scores as float32; topics runs; top grade 3; judged to depth 10 by these runs"
    line += f"; irframe {ir.__version__}"
    scores = cube.ireval.score("AP").sel(depth=[10])
    for result in (scores.ireval.compare(), scores.ireval.summary()):
        assert told_origin(result.attrs) == line
        assert line in result.ireval.styled().to_html()
        assert f"; {line}}}" in result.ireval.styled().to_latex()


def test_collections_of_several_scales_are_told_apart():
    told = told_origin({"top": [2, 3], "collection": "track"})
    assert told == "collections by track; top grade 2 and 3"
    assert told_origin({"units": "m"}) == ""


@pytest.mark.parametrize("array", [False, True])
def test_what_results_of_groups_say_is_kept(array):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=10)
    scores = scores.assign_coords(half=("topic", ["a"] * 5 + ["b"] * 11))
    scores[:, 0, 5:] = 0.5  # all the same in the second group alone
    frame = scores.squeeze(["metric", "depth"], drop=True).to_dataframe(name="AP")
    frame = frame.set_index("half", append=True)[["AP"]]
    with pytest.warns(IrframeWarning, match="all scores are the same: AP of bm25 .half b"):
        found = (scores if array else frame).ireval.summary(by="half")
    assert found.attrs["caution"] == "no interval where all scores are the same: AP of bm25"
    assert found.attrs["interval"] == "logit"


def test_what_differs_between_groups_is_told_of_each():
    cube = ir.cube(*ir.example_track())
    halves = cube.assign_coords(half=("topic", ["a"] * 5 + ["b"] * 11))
    whole = cube.ireval.leave_out("AP", at=5)
    parts = halves.ireval.leave_out("AP", at=5, by="half")
    assert len(parts.attrs["judgments"]) == 2
    assert sum(parts.attrs["judgments"]) == whole.attrs["judgments"]
