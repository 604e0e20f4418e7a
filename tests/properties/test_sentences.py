"""Numbers in captions, Markdown and console output equal recomputed ones."""

import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from turns import few_of

import irframe as ir
from irframe.reports.markdown import markdown
from irframe.tables.captions import caption_text

RUNS, QRELS = ir.example_track()
pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")


def judged_down_to(runs, qrels):
    """Return the depth to which every list is judged."""
    judged = {*zip(qrels["topic"], qrels["doc"], strict=True)}
    ranked = runs.sort_values("score", ascending=False, kind="stable")
    gaps = [
        next(
            (n for n, doc in enumerate(ranking["doc"]) if (topic, doc) not in judged), len(ranking)
        )
        for (_, topic), ranking in ranked.groupby(["system", "topic"])
    ]
    return min(gaps)


READERS = {
    "frame": lambda runs, qrels: ir.evaluate(runs, qrels, "AP"),
    "array": lambda runs, qrels: ir.cube(runs, qrels).ireval.score("AP", at=10),
}


@pytest.mark.parametrize("lost", [1, 5, 10, 51])
@pytest.mark.parametrize("helping", [True, False])
@pytest.mark.parametrize("reader", READERS)
def test_judged_depth_is_that_of_the_shallowest_list(reader, helping, lost):
    runs = RUNS if helping else RUNS.drop(columns="contributing")
    first = RUNS[(RUNS["system"] == "bm25") & (RUNS["topic"] == "101") & (RUNS["rank"] == lost)]
    qrels = QRELS[~(QRELS["doc"].isin(first["doc"]) & (QRELS["topic"] == "101"))]
    caption = caption_text(READERS[reader](runs, qrels).ireval.summary().attrs)
    match = re.search(r"as filed, judged to depth (\d+)", caption)
    deep = judged_down_to(RUNS[RUNS["contributing"]] if helping else RUNS, qrels)
    assert (int(match[1]) if match else 0) == deep
    assert lost < 51 or not helping or deep == 10


@pytest.mark.parametrize("metric", ["AP", "NumRelRet", "GMAP", "InverseASL"])
def test_tables_name_the_averages_that_they_show(metric):
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


def test_margins_are_one_sided_and_equal_systems_share_first_place():
    scores = ir.evaluate(RUNS, QRELS, "AP")
    comparison = scores.ireval.compare(baseline="bm25", margin=0.05, adjust=None)
    assert "margin 0.05, not worse and equivalent by one-sided t-tests" in caption_text(
        comparison.attrs
    )
    column = scores["AP"].unstack()
    for row in comparison.itertuples():
        differences = column.loc[row.system_a] - column.loc["bm25"]
        p_not_worse = stats.ttest_1samp(differences, -0.05, alternative="greater").pvalue
        p_not_better = stats.ttest_1samp(differences, 0.05, alternative="less").pvalue
        np.testing.assert_allclose(
            (row.p_not_worse, row.p_equivalent), (p_not_worse, max(p_not_worse, p_not_better))
        )
    spread = scores.ireval.rank_intervals(rank_interval="bootstrap", resamples=50)
    assert "first in equal parts where means tie" in caption_text(spread.attrs)
    assert spread["first"].sum() == pytest.approx(1)


def power_of(effect, n, alpha):
    """Return the power of a two-sided t-test on n topics.

    The effect is the mean difference divided by the standard deviation of the differences.
    """
    end, shift = stats.t.ppf(1 - alpha / 2, n - 1), effect * np.sqrt(n)
    return stats.nct.sf(end, n - 1, shift) + stats.nct.cdf(-end, n - 1, shift)


GEOMETRIC = "AP(average='geometric')"


@pytest.mark.parametrize("metric", few_of(["nDCG@10", "ASL", "NumRelRet@10", GEOMETRIC], 2))
def test_numbers_in_comments_on_changes_equal_recomputed_numbers(metric):
    scores, cube = ir.evaluate(RUNS, QRELS, [metric]), ir.cube(RUNS, QRELS)
    comparison = scores.ireval.compare(baseline="bm25", power=0.8, alpha=0.1)
    page = markdown(comparison, cube, [ir.parse_metric(metric)], scores=scores, runs=RUNS)
    wide, depth = scores[metric].unstack("system"), 10 if "10" in metric else 50
    ranked = RUNS.sort_values(["score", "doc"], ascending=False).groupby(["system", "topic"])
    judged = ranked.head(depth).merge(QRELS, how="left").groupby("system")["grade"]
    shares = 100 * judged.apply(lambda grades: grades.isna().mean())
    sign = -1 if metric == "ASL" else 1
    geometric = pd.Series(stats.gmean(wide.clip(lower=1e-5)), wide.columns)
    averages = {"NumRelRet@10": wide.sum(), GEOMETRIC: geometric}
    shown = averages.get(metric, wide.mean())
    assert "an uncorrected two-sided t-test detects with power 0.8" in page
    sections = page.split("\n## ")[1:]
    assert len(sections) > 3
    for section in sections:
        system = re.match(r"(\S+) against bm25", section)[1]
        cells = re.search(r"^\| (?!metric|---)(.*) \|$", section, re.MULTILINE)[1].split(" | ")[1:]
        differences = wide[system] - wide["bm25"]
        assert cells[1] == f"{shown[system] - shown['bm25']:+.4f}"
        assert cells[3] == "16"
        assert cells[5] == f"{shares[system]:.1f}%, {shares['bm25']:.1f}%"
        if metric in averages:
            assert cells[2] == cells[4] == "-"
        else:
            ends = stats.t.interval(0.9, 15, differences.mean(), stats.sem(differences))
            assert cells[2] == f"[{ends[0]:+.4f}, {ends[1]:+.4f}]"
            assert power_of(float(cells[4]) / differences.std(), 16, 0.1) == pytest.approx(
                0.8, abs=1e-3
            )
        lost = differences[(sign * differences).round(12) < 0]
        assert f"on {len(lost)} of 16 topics" in section
        for topic, before, after in re.findall(
            r"^\| (\d+) \| (\S+) \| (\S+) \|", section, re.MULTILINE
        ):
            assert [before, after] == [f"{wide.loc[topic, s]:.4f}" for s in ("bm25", system)]
            assert topic in lost.index


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_plans_reach_the_power_in_their_caption(alpha):
    scores = ir.evaluate(RUNS, QRELS, "AP").loc[["bm25", "splade"]]
    differences = scores["AP"].unstack("system").diff(axis=1).iloc[:, 1]
    plan = scores.ireval.topics_needed(
        difference=0.05, power=0.7, test=ir.Significance(alpha=alpha)
    )
    caption = caption_text(plan.attrs)
    assert f"paired t-test, alpha = {alpha}, power 0.7; true difference 0.05" in caption
    assert f"from a pilot of {len(differences)} topics" in caption
    n = int(plan["topics"].item())
    least = [power_of(0.05 / differences.std(), topics, alpha) for topics in (n - 1, n)]
    assert least[0] < 0.7 <= least[1]
    plan = scores.ireval.topics_needed(width=0.1, test=ir.Significance(alpha=alpha))
    assert (
        f"{1 - alpha:.0%} Student's interval of a difference, 0.1 wide on average"
        in caption_text(plan.attrs)
    )
    n, widths = int(plan["topics"].item()), []
    drawn = np.random.default_rng(0).normal(0, differences.std(), size=(4000, n))
    for topics in (n - 1, n):
        reach = stats.t.ppf(1 - alpha / 2, topics - 1) / np.sqrt(topics)
        widths.append(2 * reach * drawn[:, :topics].std(axis=1, ddof=1).mean())
    assert widths[1] < 0.1 * 1.005
    assert widths[0] > 0.1 * 0.995


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_captions_contain_the_sample_and_the_confidence_level(share):
    drawn = QRELS.ireval.draw_to_judge(share)
    estimates = ir.cube(RUNS, drawn).ireval.estimate("P", at=10, alpha=0.2)
    level, label = re.match(
        r"(\d+)% interval \(arcsine\); (.*?);", caption_text(estimates.attrs)
    ).groups()
    assert label == f"documents drawn to be judged, share {share}, seed 0"
    sizes = drawn.groupby("topic")["grade"].agg(["size", lambda grades: (grades >= 0).sum()])
    assert (sizes.iloc[:, 1] == np.floor(share * sizes["size"] + 0.5)).all()
    narrow = ir.cube(RUNS, drawn).ireval.estimate("P", at=10, alpha=0.02)
    assert int(level) == 80
    assert (estimates["ci_low"] > narrow["ci_low"]).all()


CHANGED = (lambda s: s * 2, lambda s: s + 1, lambda s: s - 0.5, lambda s: np.log(s + 0.01))
KEPT = (lambda s: s, lambda s: s.round(2), lambda s: s.ireval.standardise())


@pytest.mark.parametrize("change", CHANGED + KEPT)
@pytest.mark.parametrize("reader", READERS)
def test_scores_outside_their_range_are_refused(reader, change):
    with xr.set_options(keep_attrs=True):  # xarray before 2025.11 drops attributes by default
        changed = change(READERS[reader](RUNS, QRELS))
    caption = caption_text(changed.ireval.summary().attrs)
    assert ("outside the range of their metric" in caption) == (change in CHANGED)
