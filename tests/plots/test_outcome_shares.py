"""What `outcome_shares` draws, and what goes with it.

What `difference_histogram` draws; What `length_histogram` draws; What `rank_scatter` draws.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import legend, names
from refusals import refused

from irframe.errors import ParameterError


def test_shares_of_outcomes(outcomes):
    ax = outcomes.summary.ireval.plot.outcome_shares()
    bars = np.array([patch.get_width() for patch in ax.patches]).reshape(4, 7)
    shown = ["share_both", "share_a_only", "share_b_only", "share_neither"]
    np.testing.assert_allclose(bars.T, 100 * outcomes.summary[shown])
    ticks = names(ax)
    assert ticks == outcomes.summary["system_b"].tolist()
    assert ax.get_legend().get_title().get_text() == "a: bm25"
    assert legend(ax) == ["both", "a only", "b only", "neither"]
    label, stars = ax.get_xlabel().splitlines()
    assert label == "share of topics in percent"
    assert stars == "* significantly lower ESL: Wilcoxon's signed-rank test, Holm, alpha = 0.05"
    first = outcomes.summary.iloc[0]
    assert f"{first['esl_a']:.2f}" in ax.texts[0].get_text()


def test_shares_of_any_pairs_and_groups(outcomes):
    summary = outcomes.summary.assign(system_a=list("abcdefg"), ranked=1, ranked_significant=True)
    summary.insert(0, "kind", "x")
    summary.loc[0, "esl_a"] = np.nan
    ax = summary.ireval.plot.outcome_shares()
    assert ax.get_yticklabels()[0].get_text() == "x: a → bm25+rm3"
    assert ax.texts[0].get_text() == "none"
    assert ax.texts[1].get_text().endswith("*")


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
    told = legend(ax)
    assert told == ["nearer in monot5", "nearer in bm25", "retrieved by one only"]


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


def test_rank_against_rank(outcomes):
    _, given = plt.subplots()
    ax = outcomes.queries.ireval.plot.rank_scatter(b="ance", ax=given)
    assert ax is given
    part = outcomes.queries.query("system_b == 'ance'")
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


def test_one_comparison_must_be_chosen(outcomes):
    refused(ParameterError, "bm25 and ance", outcomes.queries.ireval.plot.rank_scatter)
    refused(ParameterError, "found 0", outcomes.queries.ireval.plot.rank_scatter, a="nobody")


def test_topics_that_nobody_answers(outcomes):
    part = outcomes.queries.query("system_b == 'ance'")
    nothing = part.assign(outcome=part["outcome"].where(part["outcome"] == "neither", "neither"))
    for side in "ab":
        nothing[f"rank_{side}"] = pd.array([pd.NA] * len(part), dtype="Int32")
    ax = nothing.ireval.plot.rank_scatter()
    assert legend(ax) == [f"neither: {len(part)}"]
