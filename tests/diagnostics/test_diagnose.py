"""Tests of `diagnose` on tracks with one problem each."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.diagnostics.findings import SEVERITIES
from irframe.errors import InputError, MetricError, ParameterError, RankingError

RUNS, QRELS = ir.example_track()

COLUMNS = ["severity", "what", "where", "how_many", "advice", "reference"]


def clean(runs, qrels):
    """Return a track in which `diagnose` finds no problem."""
    distinct = runs.assign(score=-runs["rank"].astype(float)).drop(columns="contributing")
    docs = distinct[["topic", "doc"]].drop_duplicates()
    return distinct, docs.merge(qrels, how="left").fillna({"grade": 0})


def find(findings, text):
    rows = findings[findings["what"].str.contains(text)]
    assert len(rows) == 1, findings["what"].tolist()
    return rows.iloc[0]


@pytest.mark.parametrize("tied", [False, True])
def test_only_findings_about_tied_pools_depend_on_the_order_of_rows(tied):
    rng, docs = np.random.default_rng(3), [f"d{n:02}" for n in range(30)]
    rows = [
        (system, topic, doc, rank)
        for topic in "123"
        for system in "abcde"
        for rank, doc in enumerate(rng.permutation(docs)[:12])
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    qrels = runs[runs["score"] < 4][["topic", "doc"]].drop_duplicates()
    qrels = qrels.assign(grade=rng.integers(0, 3, len(qrels)))
    runs["score"] = -(runs["score"] // 3.0 if tied else runs["score"])
    shuffled = [frame.sample(frac=1, random_state=1) for frame in (runs, qrels)]
    first, second = (
        ir.verbs.diagnose(*frames, ["AP", "nDCG@5"]) for frames in ((runs, qrels), shuffled)
    )
    depends = [
        result["advice"].str.contains("the order of rows with equal scores")
        for result in (first, second)
    ]
    pd.testing.assert_frame_equal(
        first[~depends[0]].reset_index(drop=True), second[~depends[1]].reset_index(drop=True)
    )
    assert [mask.any() for mask in depends] == [tied, tied]
    assert first.equals(second) is not tied


def test_tracks_without_problems_have_a_single_finding(track):
    runs, qrels = clean(*track)
    findings = runs.ireval.diagnose(qrels)
    assert list(findings.columns) == COLUMNS
    assert findings["what"].tolist() == ["policies that affect the scores"]
    assert (
        findings["where"].item().startswith("ties trec; scores as float64; topics qrels; top grade")
    )


def test_findings_on_the_example_track_have_the_expected_counts():
    findings = RUNS.ireval.diagnose(QRELS, ["AP", "nDCG@10"])
    order = findings["severity"].map(SEVERITIES.index)
    assert order.is_monotonic_increasing
    assert findings["reference"].str.contains("http|doi").all()
    row = find(findings, "top 10 ")
    top = RUNS.ireval.rank().query("rank <= 10").merge(QRELS, how="left")
    assert row["how_many"] == top["grade"].isna().sum()
    assert row["where"].startswith("colbert (54%), ance")
    assert find(findings, "did not contribute")["where"] == "ance, colbert, doct5query"
    assert find(findings, "deeper than the pool")["where"] == "depth 50"
    pairs = ir.cube(RUNS, QRELS).ireval.bounds("RBP(p=0.8)", at=50).ireval.decide()
    assert find(findings, "depends on unjudged documents")["how_many"] == (~pairs["decided"]).sum()
    assert find(findings, "only metrics with")["where"] == "AP, nDCG@10"


def test_findings_depend_on_the_reported_metrics():
    mixed = RUNS.ireval.diagnose(QRELS, ["AP@10", "RBP(p=0.8)@10"])
    assert not mixed["what"].str.contains("only metrics with|deeper than").any()
    assert find(mixed, "at the last pool depth are relevant")["where"] == "AP@10"
    utility = RUNS.ireval.diagnose(QRELS, "RBP(p=0.8)@7")
    assert not utility["what"].str.contains("recall base|last pool depth").any()
    assert find(utility, "unusual depths")["where"] == "RBP(p=0.8)@7"
    refused(MetricError, "expected", RUNS.ireval.diagnose, QRELS, ["nonsense"])


def test_topics_in_only_one_frame_are_reported():
    first = RUNS["topic"].iloc[0]
    less = RUNS.ireval.diagnose(QRELS[QRELS["topic"] != first])
    assert find(less, "without judgments")[["where", "how_many"]].tolist() == [first, 1]
    missing = RUNS[(RUNS["topic"] != first) | (RUNS["system"] != "ance")].ireval.diagnose(QRELS)
    row = find(missing, "missing from a run")
    assert row["where"] == "ance (1)"
    assert "ASL" in row["advice"]
    none = RUNS.assign(topic="0" + RUNS["topic"]).ireval.diagnose(QRELS)
    assert none.iloc[0]["severity"] == "error"
    assert find(none, "no topic in common")["where"].startswith("runs: '0101'")
    assert len(none[none["severity"] == "error"]) == 1
    first = RUNS.assign(topic=RUNS["topic"].where(RUNS["system"] != "bm25", "0" + RUNS["topic"]))
    result = find(first.ireval.diagnose(QRELS), "systems without a list for any judged topic")
    assert (result["severity"], result["where"], result["how_many"]) == ("warning", "bm25", 1)
    typed = RUNS.assign(topic=RUNS["topic"].astype(int)).ireval.diagnose(QRELS)
    assert find(typed, "topics of two types")["how_many"] == 16


def test_document_ids_that_match_no_judged_id_are_reported():
    none = RUNS.ireval.diagnose(QRELS.assign(doc="x" + QRELS["doc"]))
    assert find(none, "no judged document is retrieved")["severity"] == "warning"
    assert "100%" in find(none, "unjudged documents in the top 10")["what"]
    typed = RUNS.ireval.diagnose(QRELS.assign(doc=range(len(QRELS))))
    assert find(typed, "documents of two types")["severity"] == "error"


def test_duplicate_documents_are_reported():
    twice = pd.concat([RUNS, RUNS.iloc[:3]]).ireval.diagnose(QRELS)
    row = find(twice, "listed twice")
    assert row["how_many"] == 3
    assert row["where"].startswith("bm25 101 d158, ")
    judged = RUNS.ireval.diagnose(pd.concat([QRELS, QRELS.iloc[[5]]]))
    assert find(judged, "judged twice")["how_many"] == 1


def test_missing_and_contradicting_scores_are_reported():
    missing = RUNS.assign(score=RUNS["score"].mask(np.arange(len(RUNS)) < 2))
    assert find(missing.ireval.diagnose(QRELS), "missing scores")["how_many"] == 2
    turned = RUNS.assign(score=RUNS["score"].where(RUNS["system"] != "ance", RUNS["rank"]))
    refused(RankingError, "in every list of: ance", turned.ireval.diagnose, QRELS)
    row = find(turned.ireval.diagnose(QRELS, errors="report"), "contradict their scores")
    assert row[["where", "how_many"]].tolist() == ["ance", 16]
    assert not RUNS.ireval.diagnose(QRELS)["what"].str.contains("contradict").any()
    ranked = RUNS.drop(columns="score").ireval.cube(QRELS, ties="rank").ireval.diagnose()
    assert not ranked["what"].str.contains("tie").any()


def test_gaps_in_ranks_are_reported(track):
    runs, qrels = clean(*track)
    lost = runs[(runs["system"] != "bm25") | ~runs["rank"].isin([3, 4, 5])]
    row = find(lost.ireval.diagnose(qrels), "ranks have gaps")
    assert row[["severity", "where", "how_many"]].tolist() == ["warning", "bm25", 16]
    closed = lost.drop(columns="rank").ireval.diagnose(qrels)
    assert not closed["what"].str.contains("ranks").any()


def test_missing_and_short_lists_are_reported():
    cut = RUNS[(RUNS["system"] != "splade") | (RUNS["rank"] <= 20)]
    row = find(cut.ireval.diagnose(QRELS), "shorter than 50")
    assert row[["where", "how_many"]].tolist() == ["splade (16)", 16]
    assert not cut.ireval.diagnose(QRELS, depth=20)["what"].str.contains("shorter").any()
    assert find(cut.ireval.diagnose(QRELS, depth=60), "shorter than 60")["how_many"] == 128


def test_topics_without_relevant_documents_and_grade_minus_one_are_reported():
    first = QRELS["topic"] == QRELS["topic"].iloc[0]
    bare = QRELS.assign(grade=QRELS["grade"].mask(first, 0))
    row = find(RUNS.ireval.diagnose(bare), "without relevant")
    assert row["where"] == QRELS["topic"].iloc[0]
    marked = QRELS.assign(grade=QRELS["grade"].replace(0, -1))
    result = RUNS.ireval.diagnose(marked)
    assert find(result, "grade -1")["how_many"] == (QRELS["grade"] == 0).sum()


def test_ties_are_reported():
    coarse = RUNS.assign(score=RUNS["score"].round(1)).ireval.diagnose(QRELS)
    row = find(coarse, "ties in the top 20")
    assert row["severity"] == "warning"
    assert "median rate 72%" in row["what"]
    repeated = RUNS.ireval.cube(QRELS, ties="mean").ireval.diagnose()
    assert not repeated["what"].str.contains("depends on unjudged documents").any()


def test_depth_and_pool_change_the_findings():
    nominal = RUNS.ireval.diagnose(QRELS, depth=10, pool=50)
    assert not nominal["what"].str.contains("deeper").any()
    chosen = RUNS.ireval.diagnose(QRELS, pool=ir.Pool(contributing=["bm25", "splade"]))
    assert find(chosen, "did not contribute")["how_many"] == 6


def test_a_pool_of_depth_zero_is_reported():
    result = RUNS.drop(columns="contributing").ireval.diagnose(QRELS)
    text = find(result, "deeper than the pool")["what"]
    assert text.endswith("runs to depth 0; the median list is judged to depth 10")
    single = RUNS[RUNS["system"] == "ance"].drop(columns=["system", "team"]).ireval.diagnose(QRELS)
    assert not single["what"].str.contains("depends on unjudged documents").any()


def test_errors_report_lists_every_location():
    twice = pd.concat([RUNS, RUNS.head(9)], ignore_index=True)
    short = find(twice.ireval.diagnose(QRELS), "documents listed twice in a ranking")
    assert short["where"].endswith(", ...")
    finding = find(twice.ireval.diagnose(QRELS, errors="report"), "listed twice in a ranking")
    assert len(finding["where"].split(", ")) == finding["how_many"] == 9


def test_errors_report_returns_unreadable_frames_as_findings():
    result = ir.verbs.diagnose(RUNS.drop(columns="doc"), QRELS.assign(grade=0.5), errors="report")
    assert result["severity"].tolist() == ["error", "error"]
    assert result["what"].str.contains("column for doc|whole numbers").all()
    assert result["how_many"].iloc[1] == len(QRELS)
    assert len(result["where"].iloc[1].split(", ")) == len(QRELS)
    refused(InputError, "expected", ir.verbs.diagnose, RUNS.drop(columns="doc"), QRELS)


def test_errors_report_returns_a_raised_error_as_a_finding():
    ranks = RUNS.drop(columns="score").assign(rank=1)
    result = ir.verbs.diagnose(ranks, QRELS, errors="report")
    assert result["what"].iloc[0].startswith("expected distinct ranks")
    assert result["how_many"].iloc[0] > 5
    calm = ir.verbs.diagnose(RUNS, QRELS, errors="report")
    assert calm["what"].tolist() == ir.verbs.diagnose(RUNS, QRELS)["what"].tolist()


def test_outliers_and_single_repeats_are_reported():
    runs, qrels = ir.example_track()
    rng = np.random.default_rng(1)
    base_run = runs[runs["system"] == "monot5"]
    frames = [runs[runs["system"] == "bm25"].assign(seed=1)]
    for seed in range(1, 7):
        noise = rng.normal(0, 0.1 * base_run["score"].std(), len(base_run))
        scores = rng.normal(size=len(base_run)) if seed == 4 else base_run["score"] + noise
        frames.append(base_run.assign(score=scores, seed=seed))
    runs = pd.concat(frames, ignore_index=True)
    result = runs.ireval.diagnose(qrels, "nDCG@10").set_index("what")
    far = result.loc["seeds whose mean nDCG@10 is an outlier within their system"]
    assert far["where"].startswith("monot5 [seed 4] (")
    assert far["how_many"] == 1
    assert result.loc["systems with one seed, while others have up to 6", "where"] == "bm25"
    repeated = result.loc["seeds with the same label in several systems"]
    assert (repeated["severity"], repeated["where"]) == ("note", "1")


@pytest.mark.parametrize(
    ("names", "where"),
    [
        (["31_1", "31_2", "32_1", "32_2", "33_1"], "31 (2), 32 (2)"),
        (["a-b/1", "a-b/2", "c/1", "c/2", "c/3"], "c (3), a-b (2)"),
        (["q_1", "q_2", "q_3", "q_4", "q_5"], None),
        (["a_1", "b_1", "c_1", "d_1", "e_1"], None),
        ([101, 102, 103, 104, 105], None),
    ],
)
def test_topic_ids_with_common_prefixes_are_reported(names, where):
    qrels = pd.DataFrame({"topic": names, "doc": list("vwxyz"), "grade": 1})
    run = qrels.drop(columns="grade").assign(system="s", score=1.0)
    result = ir.verbs.diagnose(run, qrels)
    clustered = result[result["what"].str.contains("sampled in clusters")]
    assert clustered["where"].tolist() == ([where] if where else [])
    assert clustered["advice"].str.contains("cluster=").all()


def test_topics_with_evidence_in_the_same_document_are_reported():
    runs = pd.DataFrame({"topic": [*"1234"] * 2, "doc": "d", "system": [*"aaaabbbb"], "score": 1.0})
    runs = runs.assign(start=0, end=50)
    spans = pd.DataFrame({"topic": [*"1234"], "doc": [*"xxxy"], "start": 10, "end": 20, "grade": 1})
    row = find(runs.ireval.diagnose(spans), "evidence of other topics")
    assert (row["where"], row["how_many"]) == ("x (3)", 3)
    unclustered = runs.ireval.diagnose(spans.assign(doc=[*"xxyz"]))
    assert not unclustered["what"].str.contains("evidence of other topics").any()


def test_columns_that_explain_variance_are_reported():
    topics = pd.Series(QRELS["topic"].unique())
    means = RUNS.ireval.evaluate(QRELS, "AP")["AP"].groupby("topic").mean()
    columns = {"halves": means > means.median(), "each": means, "chance": topics.index % 2 == 0}
    of_topic = pd.DataFrame(
        {name: dict(zip(topics, v, strict=True)) for name, v in columns.items()}
    )
    runs = RUNS.join(of_topic, "topic")
    values, halves = means.to_numpy(), columns["halves"].to_numpy()
    slopes = np.polyfit(halves, values, 1)
    unexplained = (
        np.square(values - np.polyval(slopes, halves)).sum()
        / np.square(values - values.mean()).sum()
    )
    row = find(runs.ireval.diagnose(QRELS, "AP"), "explain the variance of AP over topics")
    assert row["where"] == f"halves ({1 - unexplained * 15 / 14:.0%})"


@pytest.mark.parametrize("option", [{"pool": 5}, {"units": "doc"}, {"search": "turn"}])
def test_options_of_runs_are_refused_with_a_cube(option):
    cube = ir.cube(*ir.example_track())
    message = f"no options of runs with a cube, but found {next(iter(option))}=. Pass these"
    refused(ParameterError, message, cube.ireval.diagnose, **option)
