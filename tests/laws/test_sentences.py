"""What captions, Markdown and the console say is recomputed, as the quantity that they name."""

import re

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import irframe as ir
from irframe.tables.captions import told

RUNS, QRELS = ir.example_track()
pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")


def judged_down_to(runs, qrels):
    """Return the depth to which every list is judged, in the order of its rows."""
    known = {*zip(qrels["topic"], qrels["doc"], strict=True)}
    ranked = runs.sort_values("score", ascending=False, kind="stable")
    gaps = [
        next((n for n, doc in enumerate(own["doc"]) if (topic, doc) not in known), len(own))
        for (_, topic), own in ranked.groupby(["system", "topic"])
    ]
    return min(gaps)


ROADS = {
    "frame": lambda runs, qrels: ir.evaluate(runs, qrels, "AP"),
    "array": lambda runs, qrels: ir.cube(runs, qrels).ireval.score("AP", at=10),
}


@pytest.mark.parametrize("lost", [1, 5, 10, 51])
@pytest.mark.parametrize("helping", [True, False])
@pytest.mark.parametrize("road", ROADS)
def test_how_deep_lists_are_judged_is_that_of_the_shallowest_or_not_said(road, helping, lost):
    runs = RUNS if helping else RUNS.drop(columns="contributing")
    first = RUNS[(RUNS["system"] == "bm25") & (RUNS["topic"] == "101") & (RUNS["rank"] == lost)]
    qrels = QRELS[~(QRELS["doc"].isin(first["doc"]) & (QRELS["topic"] == "101"))]
    words = told(ROADS[road](runs, qrels).ireval.summary().attrs)
    said = re.search(r"as filed, judged to depth (\d+)", words)
    deep = judged_down_to(RUNS[RUNS["contributing"]] if helping else RUNS, qrels)
    assert (int(said[1]) if said else 0) == deep
    assert lost < 51 or not helping or deep == 10


@pytest.mark.parametrize("metric", ["AP", "NumRelRet", "GMAP", "InverseASL"])
def test_a_table_says_which_averages_it_shows(metric):
    scores = ir.evaluate(RUNS, QRELS, metric)
    column = scores[metric].unstack()
    by_hand = {
        "totals": column.sum(axis=1),
        "geometric means": np.exp(np.log(column.clip(lower=1e-5)).mean(axis=1)),
        "harmonic means": column.shape[1] / (1 / column).sum(axis=1),
        "means": column.mean(axis=1),
    }
    for result, mean in ((scores.ireval.summary(), "mean"), (scores.ireval.compare(), "mean_a")):
        kind, topics = re.match(
            r"([a-z ]+) over (\d+) topics", result.ireval.styled().notes
        ).groups()
        assert int(topics) == column.shape[1]
        shown = result.reset_index().rename(columns={"system_a": "system"}).set_index("system")
        expected = by_hand[kind].reindex(shown.index)
        np.testing.assert_allclose(shown[mean], expected, rtol=1e-9)


def test_a_margin_is_tested_on_one_side_and_shares_of_first_are_equal_parts():
    scores = ir.evaluate(RUNS, QRELS, "AP")
    found = scores.ireval.compare(baseline="bm25", margin=0.05, adjust=None)
    assert "margin 0.05, not worse and equivalent by one-sided t-tests" in told(found.attrs)
    column = scores["AP"].unstack()
    for row in found.itertuples():
        apart = column.loc[row.system_a] - column.loc["bm25"]
        one = stats.ttest_1samp(apart, -0.05, alternative="greater").pvalue
        two = stats.ttest_1samp(apart, 0.05, alternative="less").pvalue
        np.testing.assert_allclose((row.p_not_worse, row.p_equivalent), (one, max(one, two)))
    spread = scores.ireval.rank_intervals(method="bootstrap", samples=50)
    assert "first in equal parts where means tie" in told(spread.attrs)
    assert spread["first"].sum() == pytest.approx(1)


CHANGED = (lambda s: s * 2, lambda s: s + 1, lambda s: s - 0.5, lambda s: np.log(s + 0.01))
KEPT = (lambda s: s, lambda s: s.round(2), lambda s: s.ireval.standardise())


@pytest.mark.parametrize("change", CHANGED + KEPT)
@pytest.mark.parametrize("road", ROADS)
def test_scores_that_were_changed_beyond_their_range_are_not_taken_for_scores(road, change):
    with xr.set_options(keep_attrs=True):  # as is usual since 2025.11
        made = change(ROADS[road](RUNS, QRELS))
    words = told(made.ireval.summary().attrs)
    assert ("outside what a metric can be" in words) == (change in CHANGED)
