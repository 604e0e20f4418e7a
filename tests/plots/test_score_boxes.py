"""What `score_boxes` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import ParameterError


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.example_track()
    return runs.ireval.evaluate(qrels, ["AP", "ASL"])


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_boxes_are_quartiles_and_diamonds_means(scores):
    ax = scores.ireval.plot.score_boxes(metric="AP")
    means = scores["AP"].groupby("system").mean().sort_values(ascending=False)
    assert names(ax) == means.index.tolist()
    diamonds = next(line for line in ax.lines if line.get_marker() == "D")
    np.testing.assert_allclose(diamonds.get_xdata(), means)
    for box, system in zip(ax.patches, means.index, strict=True):
        ends = np.array([box.get_x(), box.get_x() + box.get_width()])
        quartiles = np.percentile(scores["AP"].xs(system, level="system"), [25, 75])
        np.testing.assert_allclose([ends.min(), ends.max()], quartiles)
    assert ax.get_title(loc="left") == "16 topics"


def test_costs_have_the_lowest_first_and_systems_may_be_chosen(scores):
    means = scores["ASL"].groupby("system").mean()
    ax = scores.ireval.plot.score_boxes(metric="ASL", systems=["bm25", "monot5"])
    assert names(ax) == means[["bm25", "monot5"]].sort_values().index.tolist()
    with pytest.raises(ParameterError, match="'tf'"):
        scores.ireval.plot.score_boxes(metric="AP", systems=["tf"])


def test_missing_scores_are_left_out(scores):
    some = scores[["AP"]].copy()
    some.loc[("bm25", "101"), "AP"] = np.nan
    ax = some.ireval.plot.score_boxes(systems=["bm25"])
    box = ax.patches[0]
    ends = np.array([box.get_x(), box.get_x() + box.get_width()])
    rest = some["AP"].xs("bm25", level="system").dropna()
    np.testing.assert_allclose([ends.min(), ends.max()], np.percentile(rest, [25, 75]))
