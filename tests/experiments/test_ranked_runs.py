"""Runs in files, scored a few files at a time."""

import gc
import warnings
import weakref
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import FileFormatError, IdError, IrframeError
from irframe.files import scan_runs
from irframe.files.scan_runs import ScannedRuns

METRICS = ["AP", "nDCG@5", "P@3", "bpref", "Judged@5"]
POLICIES = [
    {},
    {"ties": "mean"},
    {"ties": ir.Ties("random", seed=7)},
    {"ties": "order"},
    {"ties": "doc"},
    {"ties": "rank"},
    {"ties": ir.Ties(dtype="float32")},
    {"depth": 3},
    {"topics": "runs"},
    {"topics": "common"},
    {"topics": ["1", "2"]},
    {"no_rel": "nan"},
]


@pytest.fixture(autouse=True, params=[1, 1 << 24], ids=["a file at a time", "at once"])
def _batch(request, monkeypatch):
    """Limit the bytes that are read at a time."""
    monkeypatch.setattr(scan_runs, "BATCH", request.param)


A_FILE_AT_A_TIME = pytest.mark.parametrize("_batch", [1], indirect=True)


def drawn(seed=0):
    """Return runs with ties and missing lists, and judgments."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{system}", str(topic), f"d{doc}", pos + 1, float(rng.integers(4)))
        for system in range(5)
        for topic in range(1, 8)
        if (system + topic) % 6
        for pos, doc in enumerate(rng.permutation(12)[: rng.integers(1, 9)])
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "rank", "score"])
    judged = [(str(t), f"d{d}", int(rng.integers(-1, 3))) for t in range(1, 7) for d in range(8)]
    return runs, pd.DataFrame(judged, columns=["topic", "doc", "grade"])


def filed(runs, folder):
    """Write a file for each system, and scan the files."""
    for system, group in runs.groupby("system", sort=False):
        group.to_parquet(folder / f"{system}.parquet")
    return ir.scan_runs(folder / "*.parquet")


def with_warnings(call):
    """Return a call's result and warnings, or its error message."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            result = call()
        except IrframeError as error:
            return str(error), None
    return result, [str(warning.message) for warning in caught]


def same(result, expected):
    """Assert that scores are equal; types of ids may differ."""
    pd.testing.assert_frame_equal(result, expected, check_exact=True, check_index_type=False)


@pytest.mark.parametrize("policy", few_of(POLICIES, 4), ids=str)
def test_files_and_frames_have_the_same_scores(policy, tmp_path):
    runs, qrels = drawn()
    metrics = ["P@3", "RBP", "DCG@4"] if policy.get("ties") == "mean" else METRICS
    expected, warned = with_warnings(lambda: ir.evaluate(runs, qrels, metrics, **policy))
    scanned = filed(runs, tmp_path)
    scores, messages = with_warnings(lambda: scanned.ireval.evaluate(qrels, metrics, **policy))
    assert messages == warned
    same(scores, expected)
    assert scores.attrs == expected.attrs


@pytest.mark.parametrize(("column", "options"), [
    ("team", {"by": "team"}),
    ("track", {"by": "track"}),
    ("track", {"collection": "track"}),
    ("contributing", {}),
], ids=str)  # fmt: skip
def test_files_and_frames_with_group_columns_have_the_same_scores(column, options, tmp_path):
    options = dict(options)
    runs, qrels = drawn()
    runs["team"] = runs["system"].isin(["s1", "s3"]).map({True: "ours", False: "theirs"})
    runs["chosen"] = runs["team"] == "ours"
    if column == "contributing":
        runs["contributing"] = runs["chosen"]
    for frame in (runs, qrels):
        frame["track"] = np.where(frame["topic"].isin(["1", "2", "3"]), "web", "news")
    scanned = filed(runs, tmp_path)
    by = options.pop("by", None)

    def evaluated(x):
        return (x.ireval if by is None else x.ireval.groupby(by)).evaluate(
            qrels, METRICS, **options
        )

    expected = with_warnings(lambda: evaluated(runs))
    result = with_warnings(lambda: evaluated(scanned))
    same(result[0], expected[0])
    assert result[0].attrs == expected[0].attrs
    assert result[1] == expected[1]


@A_FILE_AT_A_TIME
def test_only_a_few_files_are_in_memory_at_a_time(monkeypatch, tmp_path):
    runs, qrels = drawn()
    scanned, frames, alive = filed(runs, tmp_path), [], []
    all_frames = ScannedRuns.frames

    def watched(self):
        for frame in all_frames(self):
            frames.append(weakref.ref(frame))
            gc.collect()
            alive.append(sum(reference() is not None for reference in frames))
            yield frame

    monkeypatch.setattr(ScannedRuns, "frames", watched)
    with_warnings(lambda: scanned.ireval.evaluate(qrels, "AP"))
    assert len(alive) == 5
    assert max(alive) <= 2


@pytest.mark.filterwarnings("ignore")
def test_a_system_without_judged_topics_is_not_an_error(tmp_path):
    runs, qrels = drawn()
    runs.loc[runs["system"] == "s2", "topic"] += "x"
    expected = ir.evaluate(runs, qrels, "AP")
    same(filed(runs, tmp_path).ireval.evaluate(qrels, "AP"), expected)
    runs["topic"] += "x"
    with pytest.raises(IdError, match="topics that occur in runs and qrels"):
        filed(runs, tmp_path).ireval.evaluate(qrels, "AP")


def test_invalid_files_are_refused_or_skipped(tmp_path):
    runs, qrels = drawn()
    scanned = filed(runs, tmp_path)
    twice = pd.concat([runs, runs.iloc[-1:]])
    filed(twice, tmp_path)
    refused(IdError, "s4 7", lambda: scanned.ireval.evaluate(qrels, "AP"))
    filed(runs, tmp_path)
    runs[runs["system"] == "s3"].drop(columns="score").to_parquet(tmp_path / "s3.parquet")
    with pytest.raises(
        FileFormatError, match="a score in every file or in none, but found 1 file in conflict"
    ):
        scanned.ireval.evaluate(qrels, "AP")
    (tmp_path / "s3.parquet").write_bytes(b"none\n")
    refused(FileFormatError, r"s3.parquet", lambda: scanned.ireval.evaluate(qrels, "AP"))
    skipping = ir.scan_runs(tmp_path / "*.parquet", on_error="skip")
    scores, messages = with_warnings(lambda: skipping.ireval.evaluate(qrels, "AP"))
    expected, usual = with_warnings(lambda: ir.evaluate(runs[runs["system"] != "s3"], qrels, "AP"))
    same(scores, expected)
    skipped, *further = sorted(messages, key=lambda message: "s3.parquet" not in message)
    assert sorted(further) == sorted(usual)
    assert skipped.startswith("files of runs are left out (1)")
    none = ir.scan_runs(tmp_path / "s3.parquet", on_error="skip")
    for act in (lambda: none.ireval.evaluate(qrels, "AP"), lambda: none.ireval.groupby("topic")):
        message, _ = with_warnings(act)
        assert message.startswith(
            "expected a run that can be read, but found 1 file that cannot be read"
        )


def test_a_system_in_two_separate_files_is_refused(tmp_path):
    runs, qrels = drawn()
    scanned = filed(runs, tmp_path)
    runs[runs["system"] == "s1"].to_parquet(tmp_path / "s4.parquet")
    with pytest.raises(
        IdError, match=r"each system in one file, but found 1 file in conflict .*'s1', which is in"
    ):
        scanned.ireval.evaluate(qrels, "AP")


@pytest.mark.filterwarnings("ignore")
def test_files_in_the_folder_of_a_run_form_one_system(tmp_path):
    runs, qrels = drawn()
    for system, group in runs.groupby("system"):
        (tmp_path / system).mkdir()
        for pos in range(3):
            group.iloc[pos::3].to_parquet(tmp_path / system / f"part-{pos}.parquet")
    scanned = ir.scan_runs(tmp_path / "*" / "*.parquet")
    scores = scanned.ireval.evaluate(qrels, METRICS, ties="doc")
    same(scores, ir.evaluate(runs, qrels, METRICS, ties="doc"))


@A_FILE_AT_A_TIME
@pytest.mark.filterwarnings("ignore")
def test_partitioned_data_sets_are_read_system_by_system(tmp_path):
    runs, qrels = drawn()
    for (system, topic), group in runs.groupby(["system", "topic"]):
        folder = tmp_path / "runs" / f"system={system}" / f"topic={topic}"
        folder.mkdir(parents=True)
        group.drop(columns=["system"]).to_parquet(folder / "x.parquet")
    scanned = ir.scan_runs(tmp_path / "runs")
    assert [frame["system"].nunique() for frame in scanned.frames()] == [1] * 5
    scores = scanned.ireval.evaluate(qrels, METRICS)
    same(scores, ir.evaluate(runs, qrels, METRICS))
    single = ir.scan_runs(tmp_path / "runs" / "system=s1", system="file").files
    of_s2 = [name.replace("system=s1", "system=s2") for name in single]
    selected = [name for name in of_s2 if Path(name).exists()]
    by_file = ir.scan_runs([*single, *selected], system="file")
    assert [set(frame["system"]) for frame in by_file.frames()] == [{"runs"}]


@pytest.mark.filterwarnings("ignore")
def test_scorers_accept_scanned_files(tmp_path):
    runs, qrels = drawn()
    scanned = filed(runs, tmp_path)
    scorer = ir.scorer(qrels, METRICS)
    same(scorer(scanned), scorer(runs))
