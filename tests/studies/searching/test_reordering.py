"""Steps from one metric to another, and how far every system moves."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


def track():
    """Simulate enough systems that some are significantly apart."""
    return ir.simulate_track(systems=9, topics=30, docs=400, depth=60, pool_depth=20, seed=5)


def test_margin_counts_from_the_system_itself():
    index = pd.MultiIndex.from_product([["a", "b"], range(4)], names=["system", "topic"])
    low = [0.5, 0.5, 0.5, 0.5]
    scores = pd.DataFrame({"P": [*low, *[0.55] * 4], "AP": [*low, *[0.549] * 4]}, index=index)
    assert scores.ireval.reordering(per="system")["delta_sort"].tolist() == [50.0, 0.0]
    strict = scores.ireval.reordering(per="system", margin=0.2)
    assert strict["delta_sort"].tolist() == [0.0, 0.0]


def test_depths_frames_and_groups():
    runs, qrels = track()
    runs = runs.assign(track=np.where(runs["topic"].isin(runs["topic"].unique()[:15]), "x", "y"))
    cube = runs.ireval.cube(qrels)
    scores = cube.ireval.score("AP", "ASL", no_rel="nan")
    at = scores.ireval.reordering(at=20)
    frame = runs.ireval.evaluate(qrels, ["AP@20", "ASL@20"], no_rel="nan")
    numbers = ["delta_sort", "kendall", "delta_value", "n_systems", "n_topics"]
    wide = frame.ireval.reordering()
    pd.testing.assert_frame_equal(at[numbers], wide[numbers])
    groups = scores.ireval.reordering(by="track")
    assert groups["track"].tolist() == ["x", "y"]
    assert groups["n_topics"].sum() == scores.ireval.reordering()["n_topics"].item()
    each = scores.ireval.reordering(by="track", per="system")
    assert each.columns.tolist() == ["track", "old", "new", "system", "delta_sort"]
    assert each.groupby("track")["delta_sort"].apply(lambda moved: moved.abs().max()).tolist() == (
        groups["delta_sort"].tolist()
    )


def test_what_cannot_be_reordered():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP", "ASL")
    with pytest.raises(ParameterError, match="at least two"):
        scores.isel(metric=[0]).ireval.reordering()
    with pytest.raises(ParameterError, match="at least two"):
        scores.isel(system=[0]).ireval.reordering()
    for bad in ({"margin": -1}, {"alpha": 0}, {"margin": np.nan}, {"by": "nothing"}, {"per": "x"}):
        with pytest.raises(ParameterError):
            scores.ireval.reordering(**bad)
    with pytest.raises(InputError, match="none"):
        (scores * np.nan).ireval.reordering()


def test_systems_that_tie_have_no_correlation():
    index = pd.MultiIndex.from_product([["a", "b"], range(3)], names=["system", "topic"])
    scores = pd.DataFrame({"mine": [1, 2, 3, 2, 3, 4.0], "yours": 0.5}, index=index)
    assert np.isnan(scores.ireval.reordering()["kendall"].item())
