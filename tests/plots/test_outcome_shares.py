"""Tests of irframe.plots.outcome_shares."""

import numpy as np
import pytest
from drawn import legend, names


def test_outcome_shares_show_the_share_of_each_outcome(outcomes):
    ax = outcomes.summary.ireval.plot.outcome_shares()
    bars = np.array([patch.get_width() for patch in ax.patches]).reshape(4, 7)
    shown = ["share_both", "share_a_only", "share_b_only", "share_neither"]
    np.testing.assert_allclose(bars.T, 100 * outcomes.summary[shown])
    ticks = names(ax)
    assert ticks == outcomes.summary["system_b"].tolist()
    assert ax.get_legend().get_title().get_text() == "a: bm25"
    assert legend(ax) == ["both", "a only", "b only", "neither"]
    assert ax.get_xlabel() == "share of topics in percent"
    first = outcomes.summary.iloc[0]
    assert f"{first['esl_a']:.2f}" in ax.texts[0].get_text()


@pytest.mark.parametrize("significant", [False, True])
def test_axis_label_explains_stars_only_if_stars_are_drawn(outcomes, significant):
    summary = outcomes.summary.assign(ranked=1, ranked_significant=significant)
    summary.attrs = outcomes.summary.attrs
    ax = summary.ireval.plot.outcome_shares()
    _, *stars = ax.get_xlabel().splitlines()
    explanation = "* significantly lower ESL: Wilcoxon's signed-rank test, Holm, alpha = 0.05"
    assert stars == [explanation] * significant
    assert any("*" in text.get_text() for text in ax.texts) == significant


def test_labels_of_outcome_shares_name_pairs_and_groups(outcomes):
    summary = outcomes.summary.assign(system_a=list("abcdefg"), ranked=1, ranked_significant=True)
    summary.insert(0, "kind", "x")
    summary.loc[0, "esl_a"] = np.nan
    ax = summary.ireval.plot.outcome_shares()
    assert ax.get_yticklabels()[0].get_text() == "x: a → bm25+rm3"
    assert ax.texts[0].get_text() == "none"
    assert ax.texts[1].get_text().endswith("*")


def test_difference_histogram_draws_the_documents_of_each_bin(lengths):
    histogram = lengths.ireval.difference_histogram("monot5", "bm25", bins=3)
    ax = histogram.ireval.plot.difference_histogram()
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, -1)
    assert heights.sum(axis=0).tolist() == histogram["documents"].tolist()
    assert heights[1].tolist() == histogram["unretrieved"].tolist()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks[0].startswith("≤ -")
    assert ticks[3] == "0"
    assert ax.get_xlabel() == "search length in monot5 less that in bm25"
    labels = legend(ax)
    assert labels == ["nearer in monot5", "nearer in bm25", "retrieved by one only"]


def test_length_histogram_draws_the_documents_of_each_bin(lengths):
    of_two = lengths[lengths["system"].isin(["bm25", "monot5"])]
    histogram = of_two.ireval.length_histogram(width=5)
    ax = histogram.ireval.plot.length_histogram()
    heights = [patch.get_height() for patch in ax.patches]
    assert heights == histogram["documents"].tolist()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks[0] == "1-5"
    assert ticks[-1] == "not\nretrieved"
    assert legend(ax) == ["bm25", "monot5"]
    hatched = [patch for patch in ax.patches if patch.get_hatch()]
    assert len(hatched) == 2
    ax = lengths.ireval.length_histogram().ireval.plot.length_histogram()
    assert len(legend(ax)) == 4
    assert ax.get_title(loc="left") == "4 of 8 systems"
