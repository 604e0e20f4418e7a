"""Outcomes, ranks and search lengths, drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.plots.best_systems import EDGES, _count


@pytest.fixture(scope="module")
def found():
    runs, qrels = ir.example_track()
    return runs.ireval.outcomes(qrels, "bm25", relevant="first", rel=3, depth=20)


@pytest.fixture(scope="module")
def lengths():
    return ir.cube(*ir.example_track()).ireval.search_lengths()


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_shares_of_outcomes(found):
    ax = found.summary.ireval.plot.outcome_shares()
    bars = np.array([patch.get_width() for patch in ax.patches]).reshape(4, 7)
    names = ["share_both", "share_a_only", "share_b_only", "share_neither"]
    np.testing.assert_allclose(bars.T, 100 * found.summary[names])
    ticks = [label.get_text() for label in ax.get_yticklabels()]
    assert ticks == found.summary["system_b"].tolist()
    assert ax.get_legend().get_title().get_text() == "a: bm25"
    assert legend(ax) == ["both", "a only", "b only", "neither"]
    assert ax.get_xlabel() == "share of topics in percent"
    first = found.summary.iloc[0]
    assert f"{first['esl_a']:.2f}" in ax.texts[0].get_text()


def test_shares_of_any_pairs_and_groups(found):
    summary = found.summary.assign(system_a=list("abcdefg"), ranked=1, ranked_significant=True)
    summary.insert(0, "kind", "x")
    summary.loc[0, "esl_a"] = np.nan
    ax = summary.ireval.plot.outcome_shares()
    assert ax.get_yticklabels()[0].get_text() == "x: a → bm25+rm3"
    assert ax.texts[0].get_text() == "none"
    assert ax.texts[1].get_text().endswith("*")


def test_rank_against_rank(found):
    _, given = plt.subplots()
    ax = found.queries.ireval.plot.rank_scatter(b="ance", ax=given)
    assert ax is given
    part = found.queries.query("system_b == 'ance'")
    counts = part["outcome"].value_counts()
    labels = dict(text.split(": ") for text in legend(ax))
    for name, number in counts[counts > 0].items():
        assert labels[name.replace("_", " ")] == str(number)
    both = part[part["outcome"] == "both"]
    points = ax.collections[0].get_offsets()
    drawn = {(round(10**x), round(10**y)) for x, y in points}
    assert drawn == set(zip(both["rank_a"], both["rank_b"], strict=True))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rank in bm25 (a)", "rank in ance (b)")
    assert ax.get_xticklabels()[-1].get_text() == "none"


def test_one_comparison_must_be_chosen(found):
    with pytest.raises(ParameterError, match="bm25 and ance"):
        found.queries.ireval.plot.rank_scatter()
    with pytest.raises(ParameterError, match="found 0"):
        found.queries.ireval.plot.rank_scatter(a="nobody")


def test_search_lengths_of_two_systems(lengths):
    part = lengths[lengths["system"].isin(["bm25", "monot5"])]
    histogram = part.ireval.length_histogram(width=5)
    ax = histogram.ireval.plot.length_histogram()
    heights = [patch.get_height() for patch in ax.patches]
    assert heights == histogram["documents"].tolist()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks[0] == "1-5"
    assert ticks[-1] == "not\nretrieved"
    assert legend(ax) == ["bm25", "monot5"]
    hatched = [patch for patch in ax.patches if patch.get_hatch()]
    assert len(hatched) == 2
    with pytest.raises(ParameterError, match="at most 4"):
        lengths.ireval.length_histogram().ireval.plot.length_histogram()


def test_wins_and_losses(lengths):
    histogram = lengths.ireval.difference_histogram("monot5", "bm25", bins=3)
    ax = histogram.ireval.plot.difference_histogram()
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, -1)
    assert heights.sum(axis=0).tolist() == histogram["documents"].tolist()
    assert heights[1].tolist() == histogram["unretrieved"].tolist()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks[0].startswith("≤ -")
    assert ticks[3] == "0"
    assert ax.get_xlabel() == "search length in monot5 less that in bm25"


def test_best_systems_on_one_scale():
    best = pd.DataFrame(
        {
            "track": ["x", "y", "x", "y"],
            "metric": ["P@20", "P@20", "ASL", "ASL"],
            "system": "s",
            "value": [1.0, 0.35, 1.0, 400.0],
        }
    )
    ax = best.ireval.plot.best_systems()
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, -1)
    assert heights[0].nonzero()[0].tolist() == [0, 6]
    assert heights[1].nonzero()[0].tolist() == [0, len(EDGES) - 2]
    assert ax.get_ylabel() == "best systems, one per track"
    assert legend(ax) == ["P@20", "ASL"]


def test_every_score_falls_into_a_bin():
    assert _count(np.array([0.0, 0.1, 0.9, 1.0, np.nan]), "mine").tolist() == [
        *(1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1)
    ]
    assert _count(np.array([10.0, 11.0, 0.5]), "ASL").sum() == 3


def test_other_frames_are_refused(found, lengths):
    best = pd.DataFrame({"metric": ["AP"], "system": ["s"], "value": [0.5]})
    figures = ("outcome_shares", "rank_scatter", "length_histogram", "difference_histogram")
    for figure in figures:
        with pytest.raises(InputError):
            getattr(best.ireval.plot, figure)()
    with pytest.raises(InputError):
        lengths.ireval.plot.best_systems()
    with pytest.raises(InputError, match="no rows"):
        found.summary[:0].ireval.plot.outcome_shares()
