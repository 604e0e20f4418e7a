"""What `system_ranking` draws."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import DepthError, ParameterError


@pytest.fixture(scope="module")
def wide():
    runs, qrels = ir.example_track()
    return runs.ireval.evaluate(qrels, ["AP", "nDCG@10"])


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP(norm='min')", "nDCG", "ASL")


@pytest.fixture(scope="module")
def cube():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels)


class TestSystemRanking:
    def test_the_best_is_at_the_top(self, scores):
        ax = scores.ireval.plot.system_ranking(metric="nDCG", depth=10)
        means = scores.sel(metric="nDCG", depth=10).mean("topic").to_series()
        expected = means.sort_values(ascending=False)
        assert [label.get_text() for label in ax.get_yticklabels()] == [*expected.index]
        np.testing.assert_allclose(ax.lines[0].get_xdata(), expected)
        assert ax.get_ylim()[0] > ax.get_ylim()[1]
        assert ax.get_xlabel() == "mean nDCG@10 with 95% confidence interval"

    def test_intervals_are_those_of_the_summary(self, scores):
        ax = scores.ireval.plot.system_ranking(metric="nDCG", depth=10, alpha=0.2)
        found = scores.sel(metric=["nDCG"], depth=10).ireval.summary(alpha=0.2).isel(metric=0)
        ends = np.array([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
        order = np.argsort(-found["mean"].to_numpy())
        np.testing.assert_allclose(ends[:, 0], found["ci_low"][order])
        np.testing.assert_allclose(ends[:, 1], found["ci_high"][order])

    def test_the_cheapest_is_at_the_top_of_a_cost(self, scores):
        ax = scores.ireval.plot.system_ranking(metric="ASL", top=3)
        drawn = ax.lines[0].get_xdata()
        assert list(drawn) == sorted(drawn)
        assert len(drawn) == 3

    def test_frames(self, wide):
        ax = wide.ireval.plot.system_ranking(metric="nDCG@10")
        assert ax.get_xlabel().startswith("mean nDCG@10 with")

    def test_bad_input(self, scores, wide):
        with pytest.raises(ParameterError, match="ASL"):
            scores.ireval.plot.system_ranking()
        with pytest.raises(DepthError, match="from 1 to 50"):
            scores.ireval.plot.system_ranking(metric="ASL", depth=60)
        with pytest.raises(DepthError, match="without depths"):
            wide.ireval.plot.system_ranking(metric="AP", depth=10)
        with pytest.raises(ParameterError, match="top"):
            wide.ireval.plot.system_ranking(metric="AP", top=0)


def test_as_many_systems_as_there_is_room_for_and_it_says_so():
    names = [f"run-{n:02d}" for n in range(60)]
    rows = pd.MultiIndex.from_product([names, ["1", "2"]], names=["system", "topic"])
    scores = pd.DataFrame({"AP": np.linspace(0, 1, 120)}, index=rows)
    for figures in ("system_ranking", "score_boxes"):
        draw = getattr(scores.ireval.plot, figures)
        ax = draw()
        assert len(ax.get_yticks()) == 40
        assert "40 of 60 systems" in ax.get_title(loc="left")
        small = draw(figsize=(3.3, 2.4))
        shown = len(small.get_yticks())
        assert 5 < shown < 12
        assert f"{shown} of 60 systems" in small.get_title(loc="left")
    assert len(scores.ireval.plot.system_ranking(top=50).get_yticks()) == 50
    with ir.plots.paper():
        asked = scores.ireval.plot.system_ranking(top=20)
    assert len(asked.get_yticks()) == 20
    assert asked.figure.get_size_inches()[1] > 5


def test_repeats_are_dots_beside_means():
    rng = np.random.default_rng(0)
    values = rng.uniform(0.2, 0.6, (1, 2, 3, 8))
    values[0, 1, 2] = np.nan  # one system has a repeat less
    labels = {"metric": ["AP"], "system": ["a", "b"], "repeat": [1, 2, 3], "topic": range(8)}
    scores = xr.DataArray(values, labels, tuple(labels))
    ax = scores.ireval.plot.system_ranking()
    dots = next(line for line in ax.lines if line.get_marker() == ".")
    order = scores.mean(("repeat", "topic"))[0].to_numpy().argsort()[::-1]
    expected = scores.mean("topic")[0].to_numpy()[order]
    np.testing.assert_allclose(dots.get_xdata(), expected.ravel())
    assert "2 to 3 repeats of each system" in ax.get_title(loc="left")
