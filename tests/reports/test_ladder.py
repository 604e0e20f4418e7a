"""Tests of irframe.reports.ladder."""

import base64
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from paged import view_of
from refusals import refused

import irframe as ir
from irframe.cubes.score import score
from irframe.errors import ParameterError
from irframe.reports import ladder
from irframe.reports.beside import comparisons, top_lists
from irframe.reports.ladder import HardTopics, picture, ranks, rungs, share, span
from irframe.reports.page import Page
from irframe.reports.words import MISSING


@pytest.fixture(scope="module", params=["bm25", None])
def view(request, cube):
    return view_of(cube, ["nDCG", "ASL"], [10, 5], baseline=request.param)


def test_leaderboard_rows_equal_the_results_of_functions(view, cube):
    systems = cube["system"].to_numpy().tolist()
    rows = pd.DataFrame(rungs(view, systems)).set_index("system")
    scores = score(cube, "nDCG", at=10).isel(metric=0)
    means = scores.mean("topic").to_series().sort_values(ascending=False)
    assert rows.index.tolist() == means.index.tolist()
    assert rows["mean"].tolist() == [f"{mean:.3f}" for mean in means]
    assert [systems[pos] for pos in rows["place"]] == rows.index.tolist()
    assert rows["opens"].tolist() == [False, *(np.diff(rows["tier"]) > 0)]
    assert rows["opens"].any()
    ranked = means.rank(ascending=False, method="min").astype(int).astype(str)
    assert rows["rank"].tolist() == ranked.tolist()
    assert rows["known"].tolist() == [cube["team"].sel(system=name).item() for name in rows.index]
    judged = score(cube, "Judged", at=10).mean("topic").to_series().droplevel("metric")
    assert rows["unjudged"].tolist() == [
        f"{100 * (1 - judged[name]):.0f}\xa0%" for name in means.index
    ]
    for low, mean, high in rows["share"]:
        assert 0 <= low <= mean <= high <= 100


def test_changes_are_differences_from_the_baseline(view, cube):
    systems = cube["system"].to_numpy().tolist()
    rows = pd.DataFrame(rungs(view, systems)).set_index("system")["change"]
    if view.setting.baseline is None:
        assert set(rows) == {""}
        return
    scores = score(cube, "nDCG", at=10)
    pairs = scores.ireval.compare("t", adjust="holm").set_index(["system_a", "system_b"])
    for (a, b), row in pairs.iterrows():
        if "bm25" in (a, b):
            difference = row["difference"] * (1 if b == "bm25" else -1)
            marked = " *" * bool(row["significant"])
            assert rows[a if b == "bm25" else b] == f"{difference:+.3f}{marked}"
    assert rows["bm25"] == "0.000"
    assert rows.str.contains(r"\*").any()


def test_several_baselines_are_numbered(cube):
    named = ["bm25", "splade"]
    view, systems = view_of(cube, ["nDCG"], [10], baseline=named), cube.system.to_numpy().tolist()
    rows = pd.DataFrame(rungs(view, systems)).set_index("system")
    pairs = score(cube, "nDCG", at=10).ireval.compare().query("significant")
    sides = [{*pair} for pair in zip(pairs["system_a"], pairs["system_b"], strict=True)]
    for name in systems:
        marks = [str(n) for n, opponent in enumerate(named, 1) if {name, opponent} in sides]
        assert rows.loc[name, "marks"] == ",".join(marks)
    assert rows["marks"].nunique() > 2
    assert not rows["change"].str.contains(r"\*").any()
    page = Page("", view.setting, [view], top_lists(cube, None), [], comparisons(view), {}, "")
    assert [part.key for part in page.comparisons[:4:2]] == ["outcomes", "outcomes-2"]
    lengths = page.comparisons[4].data.set_index("system")
    asl = score(cube, "ASL", at=10).mean("topic").to_series().droplevel("metric")
    for name in named:
        assert lengths[f"change from {name}"].drop(name).round(9).tolist() == pytest.approx(
            (asl - asl[name]).reindex(lengths.index).drop(name).round(9).tolist()
        )
        assert lengths[f"p from {name} (corrected)"].notna().sum() == 7
    bare = view_of(cube, ["nDCG"], [10], baseline="bm25", adjust="none")
    assert "p" in comparisons(bare)[2].data
    refused(ParameterError, "each only once", view_of, cube, ["nDCG"], [10], baseline=2 * ["bm25"])


def test_bars_cover_all_intervals_and_zero():
    values = {"ci_low": np.array([0.2, np.nan]), "ci_high": np.array([0.6, np.nan])}
    values["mean"] = np.array([0.4, 0.7])
    assert span(values) == (0, 0.7)
    assert [share(value, 0, 0.7) for value in (0.35, np.nan)] == [50, 0]
    assert share(0.5, 0.5, 0.5) == 0
    assert ranks(np.nan, np.nan) == MISSING


@pytest.fixture(scope="module")
def hard():
    return view_of(ir.cube(*ir.example_track()), ["P(rel=3)", "ASL"], [10, 1])


@pytest.mark.parametrize(("metric", "depth"), [(0, 0), (0, 1), (1, 1)])
def test_topics_are_sorted_by_their_median_score(hard, metric, depth):
    topics = HardTopics(hard, metric, depth)
    scores = hard.scores.isel(metric=metric, depth=depth)
    table = topics.table.set_index("topic")
    for name, quantile in (("low", 0), ("q1", 0.25), ("median", 0.5), ("q3", 0.75), ("high", 1)):
        expected = scores.quantile(quantile, "system").sel(topic=table.index)
        np.testing.assert_allclose(table[name], expected)
    sign = 1 if metric == 0 else -1
    assert (sign * table["median"]).is_monotonic_increasing
    for topic, row in table.iterrows():
        of_topic = scores.sel(topic=topic)
        best = of_topic.max() if sign > 0 else of_topic.min()
        assert of_topic.sel(system=row["best"]) == row["top"] == best
    assert len(topics.rows) == 16


def test_pixel_colour_shows_sign_and_opacity_shows_significance():
    marks = np.zeros((ladder.SIGNED + 1, ladder.SIGNED + 1), np.int8)
    marks[:3, :3] = [[0, 1, 3], [-1, 0, 2], [-3, -2, 0]]
    pixels = drawn(marks, 3)
    assert pixels.shape == (*marks.shape, 4)
    np.testing.assert_array_equal(pixels[..., 3], abs(marks.astype(int)) * ladder.FULL // 3)
    for pos, mark in np.ndenumerate(marks):
        if mark:
            assert tuple(pixels[pos][:3]) == (ladder.BETTER if mark > 0 else ladder.WORSE)


def drawn(marks, levels):
    """Return the pixels that matplotlib reads from a picture."""
    head, _, data = picture(marks, levels).partition(",")
    assert head == "data:image/png;base64"
    return np.round(imread(BytesIO(base64.b64decode(data))) * 255).astype(int)


def test_small_matrices_have_signs_in_cells():
    pixels, size = drawn(np.array([[0, 2], [-2, 0]], np.int8), 2), ladder.CELL
    assert pixels.shape == (2 * size, 2 * size, 4)
    inked = (pixels == ladder.INKED).all(axis=-1).reshape(2, size, 2, size).sum(axis=(1, 3))
    assert inked.tolist() == [[0, 13], [7, 0]]
