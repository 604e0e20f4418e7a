"""What `rank_scatter` draws."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import ParameterError


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def found():
    runs, qrels = ir.example_track()
    return runs.ireval.outcomes(qrels, baseline="bm25", relevant="first", rel=3, depth=20)


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


def test_topics_that_nobody_answers(found):
    part = found.queries.query("system_b == 'ance'")
    nothing = part.assign(outcome=part["outcome"].where(part["outcome"] == "neither", "neither"))
    for side in "ab":
        nothing[f"rank_{side}"] = pd.array([pd.NA] * len(part), dtype="Int32")
    ax = nothing.ireval.plot.rank_scatter()
    assert legend(ax) == [f"neither: {len(part)}"]
