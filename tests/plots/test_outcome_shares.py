"""What `outcome_shares` draws."""

import numpy as np
import pytest

import irframe as ir


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def found():
    runs, qrels = ir.example_track()
    return runs.ireval.outcomes(qrels, baseline="bm25", relevant="first", rel=3, depth=20)


def test_shares_of_outcomes(found):
    ax = found.summary.ireval.plot.outcome_shares()
    bars = np.array([patch.get_width() for patch in ax.patches]).reshape(4, 7)
    names = ["share_both", "share_a_only", "share_b_only", "share_neither"]
    np.testing.assert_allclose(bars.T, 100 * found.summary[names])
    ticks = [label.get_text() for label in ax.get_yticklabels()]
    assert ticks == found.summary["system_b"].tolist()
    assert ax.get_legend().get_title().get_text() == "a: bm25"
    assert legend(ax) == ["both", "a only", "b only", "neither"]
    label, stars = ax.get_xlabel().splitlines()
    assert label == "share of topics in percent"
    assert stars == "* significantly lower ESL: Wilcoxon's signed-rank test, Holm, alpha = 0.05"
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
