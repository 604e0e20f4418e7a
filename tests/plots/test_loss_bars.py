"""Tests of irframe.plots.loss_bars."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import legend, names
from refusals import refused

import irframe as ir
from irframe.errors import InputError


@pytest.fixture(scope="module")
def staged():
    """Return bm25, and a second stage that reverses five documents."""
    runs, qrels = ir.example_track()
    first = runs[runs["system"].eq("bm25")]
    second = (
        first[first["rank"] <= 5]
        .assign(system="reversed", score=lambda top: top["rank"])
        .drop(columns="rank")
    )
    return pd.concat([first.drop(columns="rank"), second]), qrels


def test_loss_bars_stack_mean_losses_up_to_the_highest_score(staged):
    runs, qrels = staged
    frame = runs.ireval.losses(qrels, "nDCG@10", stages=["bm25", "reversed"])
    cube = runs.ireval.cube(qrels).ireval.losses("nDCG@10", stages=["bm25", "reversed"])
    for losses in (frame, cube):
        ax = losses.ireval.plot.loss_bars()
        assert names(ax) == ["bm25", "reversed"]
        assert legend(ax) == ["score", "not in best order", "cut by reversed", "not retrieved"]
        widths = np.array([bar.get_width() for bar in ax.patches]).reshape(4, 2)
        columns = ["score", "ordered", "cut_by_reversed", "not_retrieved"]
        means = frame.groupby("system").mean().loc[["bm25", "reversed"], columns]
        np.testing.assert_allclose(widths, means.T)
        np.testing.assert_allclose(widths.sum(axis=0), 1)
        assert widths[2, 0] == 0 < widths[2, 1]
        assert ax.get_xlabel() == "mean nDCG@10"
        plt.close(ax.figure)


def test_scores_without_losses_are_refused():
    scores = ir.evaluate(*ir.example_track(), "AP")
    refused(InputError, "losses", ir.plots.loss_bars, scores)
