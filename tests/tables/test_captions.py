"""Tests of captions."""

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IrframeWarning
from irframe.names import RESULT
from irframe.reports.report import policies
from irframe.tables.captions import caption_text

RUNS, QRELS = ir.example_track()
CUBE = ir.cube(RUNS, QRELS)
SAMPLED = "a sample of judgments, share 0.5, seed 0"
NEWER = CUBE.ireval.sample(0.5).ireval.rejudge(QRELS)


def half_sampled():
    first, second = CUBE.isel(topic=slice(8)), CUBE.isel(topic=slice(8, None))
    return ir.concat([first.ireval.sample(0.5), second])


@pytest.mark.parametrize(
    ("scored", "text"),
    [
        (lambda: CUBE.ireval.sample(0.5).ireval.score("AP"), SAMPLED),
        (lambda: ir.cube(RUNS, ir.verbs.sample(QRELS, 0.5)).ireval.score("AP"), SAMPLED),
        (lambda: ir.evaluate(RUNS, ir.verbs.sample(QRELS, 0.5), "AP"), SAMPLED),
        (
            lambda: ir.evaluate(RUNS, ir.verbs.draw_to_judge(QRELS, 0.5, seed=4), "infAP"),
            "documents drawn to be judged, share 0.5, seed 4",
        ),
        (lambda: half_sampled().ireval.score("AP"), f"in a part of the cubes {SAMPLED}"),
        (lambda: CUBE.ireval.rejudge(ir.verbs.sample(QRELS, 0.5)).ireval.score("AP"), SAMPLED),
        (
            lambda: ir.evaluate(RUNS, QRELS, "AP", no_rel="nan"),
            "topics without relevant documents left out",
        ),
        (
            lambda: CUBE.ireval.score("AP", no_rel="nan"),
            "topics without relevant documents left out",
        ),
        (
            lambda: ir.evaluate(RUNS, QRELS, "AP").ireval.standardise(reference=["bm25", "ance"]),
            "scores standardised, z, against bm25, ance",
        ),
        (lambda: CUBE.ireval.bounds("P"), "bounds of scores under unjudged documents"),
    ],
)
def test_captions_name_changes_of_judgments_and_scores(scored, text):
    assert f"{text}; ties trec" in caption_text(scored().attrs)


def test_captions_omit_samples_that_rejudge_replaced():
    assert "sample" not in caption_text(NEWER.ireval.score("AP").attrs)
    chosen = CUBE.ireval.select_top(share=0.5).ireval.rejudge(QRELS).ireval.score("AP")
    assert "the best 0.5 of systems by AP" in caption_text(chosen.attrs)


def test_report_lists_changes_of_judgments():
    assert ("runs and judgments", SAMPLED) in policies(CUBE.ireval.sample(0.5))
    assert ("runs and judgments", SAMPLED) not in policies(NEWER)
    assert ("runs and judgments", SAMPLED) in policies(ir.cube(RUNS, ir.verbs.sample(QRELS, 0.5)))
    cited = ir.evaluate(RUNS, ir.verbs.sample(QRELS, 0.5), "AP").ireval.cite()["used"]
    assert "sample" in cited.tolist()


def test_captions_distinguish_options_of_scores_and_comparisons():
    scores = CUBE.ireval.score("AP", at=[10, 20]).ireval.standardise(scaling="uniform")
    for result in (scores.ireval.discrimination(), scores.sel(depth=10).ireval.compare()):
        assert "alpha = 0.05; " in f"{caption_text(result.attrs, interval='')}; "
        assert caption_text(result.attrs).count("uniform") == 1


@pytest.mark.parametrize(
    "compute",
    [
        lambda *data: ir.judge_effect(data[0], {"a": QRELS, "b": QRELS}, "AP"),
        lambda *data: ir.verbs.outcomes(*data, baseline="bm25", relevant="first").summary,
    ],
)
def test_captions_name_the_tie_policy(compute):
    cube = ir.cube(RUNS, QRELS, ties="doc")
    assert "ties doc; scores as float64; topics qrels" in caption_text(compute(cube).attrs)
    assert "ties trec; scores as float64; topics qrels" in caption_text(compute(RUNS, QRELS).attrs)


def test_captions_of_tie_agreement_name_both_tie_policies():
    agreement = RUNS.ireval.tie_agreement(QRELS, "AP", ties=["trec", "doc"])
    assert "ties trec against doc" in caption_text(agreement.attrs)


@pytest.mark.parametrize(
    ("compute", "text"),
    [
        (lambda s: s.ireval.leaderboard(baseline="bm25"), "with bm25, a family of its own"),
        (lambda s: s.ireval.topics_needed(difference=0.1, test="anova"), "analysis of variance"),
        (lambda s: s.ireval.compare(baseline="bm25").iloc[:1], "Holm per metric and depth (7"),
        (lambda s: s[["AP"]].loc[["bm25", "ance"]].ireval.compare(), "(1 comparison)"),
        (lambda s: s.ireval.compare(power=0.9), "power 0.9"),
    ],
)
def test_captions_name_options_that_determine_results(compute, text):
    result = compute(ir.evaluate(RUNS, QRELS, ["AP", "RR"]))
    assert text in caption_text(result.attrs)
    assert text in repr(result.ireval)


def test_captions_omit_methods_that_results_do_not_use():
    scores = CUBE.ireval.score("AP", at=[5, 10])
    assert "interval" not in repr(scores.ireval.discrimination().ireval)
    assert "interval" not in repr(scores.ireval.agreement(10).ireval)
    assert "95% logit interval" in repr(scores.ireval.summary().ireval)
    preferred = CUBE.ireval.preferences("bm25", "ance", weights="inverse")
    assert "topics weighted" not in caption_text(preferred.attrs)
    assert "weights inverse" in caption_text(preferred.attrs)
    replayed = CUBE.ireval.replay("pool", 5, "AP@10")
    assert "per metric and depth" in caption_text(replayed.attrs)
    with pytest.warns(IrframeWarning, match="no interval"):
        judged = ir.compare_judges({"a": QRELS, "b": QRELS}, resamples=ir.Resampling(20, seed=3))
    assert "20 samples, seed 3" in caption_text(judged.attrs)


def test_results_by_group_keep_their_record():
    cubes = RUNS.assign(half=RUNS["topic"] > "108").ireval.groupby("half").cube(QRELS)
    scores = cubes.score("AP")
    assert [step.verb for step in scores.ireval.record] == ["cube", "score"]
    assert [step.options["by"] for step in scores.ireval.record] == ["half", "half"]
    summary = scores.ireval.groupby("half").summary()
    assert summary.ireval.record[:2] == scores.ireval.record
    assert summary.ireval.record[2].options["by"] == summary.attrs["by"] == "half"
    assert "AP" in summary.ireval.cite()["used"].tolist()
    assert "ties trec" in repr(scores.ireval)


def test_captions_distinguish_tie_seeds_from_resampling_seeds():
    plain = ir.evaluate(RUNS, QRELS, "AP")
    drawn = ir.evaluate(RUNS, QRELS, "AP", ties=ir.Ties("random", seed=7))
    assert "seed" not in caption_text(plain.ireval.compare().attrs)
    for options in ({}, {"rank_interval": "bootstrap"}):
        options["resamples"] = ir.Resampling(seed=4)
        caption = caption_text(plain.ireval.leaderboard(**options).attrs)
        assert (caption.count("seed"), caption.count("1,000 samples, seed 4; ")) == (1, 1)
        caption = caption_text(drawn.ireval.leaderboard(**options).attrs)
        assert (caption.count("seed"), caption.count("1,000 samples, seed 4; ")) == (2, 1)
        assert "ties random; seed 7; " in caption


def test_captions_name_the_unit_of_a_reference():
    at_budgets = RUNS.assign(tokens=50).ireval.cube(QRELS, units=ir.Units(length="tokens"))
    scores = at_budgets.ireval.score("AP", stop=ir.Budget([200, 400]))
    for result in (scores.ireval.coverage(reference=400), scores.ireval.agreement(400)):
        assert "against 400 tokens; " in caption_text(result.attrs)
        assert "against 400 tokens; " in result.ireval.styled().notes
    assert "against depth 9; " in caption_text(CUBE.ireval.score("AP").ireval.inversions(9).attrs)
    numbers = {name: number for number, name in enumerate(RUNS["system"].unique())}
    scores_by_number = RUNS.assign(system=RUNS["system"].map(numbers)).ireval.evaluate(QRELS, "AP")
    assert "z, against 1, 2; " in caption_text(
        scores_by_number.ireval.standardise(reference=[1, 2]).attrs
    )


@pytest.mark.filterwarnings("ignore:no interval of:irframe.errors.IrframeWarning")
def test_captions_write_one_topic_in_the_singular():
    scores = ir.evaluate(RUNS, QRELS, "AP", topics=["101"])
    with pytest.warns(IrframeWarning, match="no interval for systems with a single score: "):
        summary = scores.ireval.summary()
    assert "means over 1 topic;" in summary.ireval.styled().notes


@pytest.mark.filterwarnings("ignore:tests and intervals are unreliable")
def test_captions_name_systems_with_one_repeat():
    runs = RUNS.drop(columns="rank")
    more = runs.assign(seed=1, score=-runs["score"])
    runs = pd.concat([runs.assign(seed=0), more[more["system"] != "bm25"]])
    scores = ir.evaluate(runs, QRELS, "AP")
    for verb in (ir.verbs.discrimination, ir.verbs.median_p):
        with pytest.warns(IrframeWarning, match="one seed"):
            result = verb(scores)
        caution = "the variance between seeds is not in these tests for systems with one seed: bm25"
        assert caution in caption_text(result.attrs)
        assert "one seed" not in caption_text(verb(scores, ir.Significance(over="topic")).attrs)


def test_captions_name_the_tested_bounds():
    bounds = CUBE.ireval.bounds("P", at=[10])
    caution = "means and tests are of the lower bounds"
    assert caution in caption_text(bounds.ireval.compare().attrs)
    assert caution not in caption_text(bounds.sel(bound="upper").ireval.compare().attrs)


def test_captions_state_that_attributes_are_lost():
    frame = ir.evaluate(RUNS, QRELS, "AP").ireval.compare()
    frame.attrs.pop(RESULT)
    assert caption_text(frame.attrs).startswith("how these numbers were decided is not recorded")


@pytest.mark.parametrize("label", ["record", "attrs"])
def test_names_of_attributes_can_be_ids(label):
    runs, qrels = {label: {label: 2.0, "d": 1.0}}, {label: {label: 1}}
    assert ir.evaluate(runs, qrels, "RR")["RR"].tolist() == [1]
