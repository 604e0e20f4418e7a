"""What `topic_differences` draws."""

import numpy as np
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import InputError, ParameterError


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP(norm='min')", "nDCG", "ASL")


@pytest.fixture(scope="module")
def cube():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels)


class TestTopicDifferences:
    def test_bars_are_the_differences(self, scores):
        ax = scores.ireval.plot.topic_differences("splade", "bm25", metric="nDCG", depth=10)
        layer = scores.sel(metric="nDCG", depth=10)
        gaps = (layer.sel(system="splade") - layer.sel(system="bm25")).to_numpy()
        heights = [bar.get_height() for bar in ax.patches]
        np.testing.assert_allclose(np.sort(heights), np.sort(gaps), atol=1e-12)
        assert f"splade better: {(gaps > 0).sum()}" in legend(ax)
        assert f"bm25 better: {(gaps < 0).sum()}" in legend(ax)
        assert ax.lines[1].get_ydata()[0] == pytest.approx(gaps.mean())
        assert len(ax.get_xticklabels()) == 16

    def test_lower_is_better_for_a_cost(self, scores):
        ax = scores.ireval.plot.topic_differences("splade", "bm25", metric="ASL")
        layer = scores.sel(metric="ASL", depth=50)
        gaps = (layer.sel(system="splade") - layer.sel(system="bm25")).to_numpy()
        assert f"splade better: {(gaps < 0).sum()}" in legend(ax)

    def test_identical_systems_and_missing_scores(self):
        values = np.array([[1.0, 2, np.nan, 4], [1, 2, 3, 4]])
        scores = xr.DataArray(values, {"system": ["a", "b"]}, ("system", "topic"))
        ax = scores.ireval.plot.topic_differences("a", "b")
        assert "equal: 3" in legend(ax)
        assert len(ax.patches) == 0

    def test_many_topics_stay_without_names(self):
        values = np.random.default_rng(0).random((2, 100))
        scores = xr.DataArray(values, {"system": ["a", "b"]}, ("system", "topic"))
        assert not scores.ireval.plot.topic_differences("a", "b").get_xticklabels()

    def test_nothing_in_common(self, scores):
        with pytest.raises(InputError, match="bm25 and ance both have a score; found none"):
            (scores * np.nan).ireval.plot.topic_differences("bm25", "ance", metric="ASL")

    def test_unknown_systems(self, scores):
        with pytest.raises(ParameterError, match="bm26"):
            scores.ireval.plot.topic_differences("bm26", "bm25", metric="ASL")
