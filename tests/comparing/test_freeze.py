"""Tests of frozen baselines."""

import json
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.__main__ import main
from irframe.comparing import freeze as freezing
from irframe.comparing.freeze import failing
from irframe.errors import (
    IdError,
    InputError,
    IrframeError,
    IrframeWarning,
    MetricError,
    ParameterError,
    StoreError,
)
from irframe.names import JUDGMENTS
from irframe.reports.markdown import GRAVEST

RUNS, QRELS = ir.example_track()
METRICS = ["nDCG@10", "AP", "RR"]


def scores_of(qrels=QRELS, metrics=METRICS, **options):
    return ir.evaluate(RUNS, qrels, metrics, **options)


def without_splade(scores):
    return scores[scores.index.get_level_values("system") != "splade"]


@pytest.fixture
def file(tmp_path):
    scores_of().ireval.freeze(tmp_path / "main.irframe", baseline="splade")
    return tmp_path / "main.irframe"


def test_comparison_with_a_file_equals_comparison_with_the_system(file, tmp_path):
    scores = scores_of()
    weights = pd.Series(range(1, 17), scores.index.unique("topic"))
    kind = dict(zip(weights.index, "ab" * 8, strict=True))
    grouped = scores.assign(kind=scores.index.get_level_values("topic").map(kind))
    deep = ir.cube(RUNS, QRELS).ireval.score("nDCG", "AP", at=[5, 10, 20])
    deep.ireval.freeze(tmp_path / "deep.irframe", baseline="splade")
    for complete, path, options in (
        (scores, file, {}),
        (scores, str(file), {"margin": 0.05, "adjust": "fdr_bh", "test": "permutation"}),
        (scores.ireval.design(weight=weights), file, {}),
        (grouped, file, {}),
        (deep, tmp_path / "deep.irframe", {}),
        (deep.sel(depth=[20, 5]), tmp_path / "deep.irframe", {}),
    ):
        by_depth = not isinstance(complete, pd.DataFrame)
        alone = complete.drop_sel(system="splade") if by_depth else without_splade(complete)
        by = "kind" if complete is grouped else None
        of_alone, of_complete = (
            x.ireval if by is None else x.ireval.groupby(by) for x in (alone, complete)
        )
        result = of_alone.compare(baseline=path, **options)
        expected = of_complete.compare(baseline="splade", **options)
        columns = [*result.columns]
        pd.testing.assert_frame_equal(result, expected[columns], check_dtype=False, rtol=1e-12)
        assert result.attrs["baselines"] == ["splade"]
        repeated = of_alone.compare(**options, baseline=result.ireval.record[-1][1]["baseline"])
        pd.testing.assert_frame_equal(repeated, result)


def test_scores_of_one_topic_are_compared_with_a_file(file):
    scores = without_splade(scores_of())
    first = scores[scores.index.get_level_values("topic") == scores.index.unique("topic").min()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)  # a single topic raises a warning
        result = first.ireval.compare(baseline=file)
    assert set(result["n_topics"]) == {1}


def test_file_may_contain_more_metrics_than_the_scores(file, tmp_path):
    some = ir.scorer(QRELS, "nDCG@10")(RUNS[RUNS["system"] == "ance"])
    result = some.ireval.compare(baseline=file)
    expected = scores_of().loc[["ance", "splade"]].ireval.compare()
    assert result["p"].item() == pytest.approx(expected["p"][0])
    scores_of(metrics=["nDCG@10", "P@5"]).ireval.freeze(tmp_path / "a.irframe", baseline="splade")
    assert len(some.ireval.compare(baseline=tmp_path / "a.irframe")) == 1


@pytest.mark.filterwarnings("ignore:comparisons whose differences are the same")
def test_label_of_a_baseline_differs_from_the_names_of_systems(file):
    result = scores_of().ireval.compare(baseline=file)
    assert set(result["system_b"]) == {"splade (main.irframe)"}
    same = result[result["system_a"] == "splade"]
    assert (same["difference"] == 0).all()
    assert f"baseline splade frozen {freezing.today()} by irframe" in repr(result.ireval)


@pytest.mark.parametrize(
    ("change", "error", "pattern"),
    [
        (lambda: scores_of(QRELS.iloc[1:]), ParameterError, "judgments: 523 judgments of 16 topi"),
        (
            lambda: scores_of(QRELS.assign(grade=QRELS["grade"].where(QRELS.index > 0, 3))),
            ParameterError,
            "523 judgments of 16 topics, .* in the file, 523 judgments of 16 topics, .* here",
        ),
        (lambda: scores_of(ties="doc"), ParameterError, "found ties: trec in the file, doc here"),
        (
            lambda: scores_of(ties=ir.Ties(dtype="float32"), no_rel="nan"),
            ParameterError,
            "score_dtype: float64 in the file, float32 here, no_rel: not set in the file, nan",
        ),
        (lambda: scores_of(depth=20), ParameterError, "depth: not set in the file, 20 here"),
        (
            lambda: scores_of(metrics=["AP", "P@5"]),
            MetricError,
            "metrics in .* .nDCG@10, AP, RR., but found P@5",
        ),
        (
            lambda: ir.cube(RUNS, QRELS).ireval.sample(0.5).ireval.score("AP", at=10),
            ParameterError,
            "judgments: .*made by: not set in the file",
        ),
        (lambda: bare(scores_of()), ParameterError, "in the file, not set here, ties: trec in"),
        (lambda: ir.cube(RUNS, QRELS).ireval.bounds("nDCG", at=10), ParameterError, "found bounds"),
    ],
)
def test_scores_with_other_policies_are_refused(file, change, error, pattern):
    with pytest.raises(error, match=pattern):
        ir.verbs.compare(change(), baseline=file)


def bare(scores):
    scores.attrs = {}
    return scores


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (None, "No such file"),
        ("{", "no JSON"),
        ("[1]", "a file of another kind"),
        ('{"system": "a"}', "a file of another kind"),
        ('{"irframe baseline": 9}', "format 9"),
        (lambda text: text.replace("0.5800515545610756", "0.5900515545610756"), "edited"),
        (lambda text: text.replace('"trec"', '"doc"'), "edited"),
    ],
)
def test_damaged_files_are_refused(file, text, pattern):
    if text is None:
        file.unlink()
    else:
        file.write_text(text(file.read_text()) if callable(text) else text)
    with pytest.raises(StoreError, match=pattern):
        scores_of().ireval.compare(baseline=file)


@pytest.mark.parametrize(
    ("freeze", "error", "pattern"),
    [
        (
            lambda: scores_of().ireval.freeze("x.irframe"),
            InputError,
            "one system to freeze, but fou",
        ),
        (lambda: scores_of().ireval.freeze("x.json", baseline="bm25"), ParameterError, "ends in"),
        (lambda: scores_of().ireval.freeze("x.irframe", baseline="bm26"), ParameterError, "bm26"),
        (
            lambda: (
                RUNS.ireval.groupby("team")
                .evaluate(QRELS, METRICS)
                .ireval.freeze("x.irframe", baseline="bm25")
            ),
            IrframeError,
            "3 index levels",
        ),
        (
            lambda: scores_of().ireval.compare(baseline=["a.irframe", "bm25"]),
            ParameterError,
            "several baselines",
        ),
    ],
)
def test_invalid_arguments_of_freeze_are_refused(freeze, error, pattern, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=pattern):
        freeze()
    assert not list(tmp_path.iterdir())


def test_old_files_and_missing_topics_raise_warnings(file, monkeypatch):
    monkeypatch.setattr(freezing, "today", lambda: date(2200, 1, 1))
    with pytest.warns(
        IrframeWarning, match="main.irframe was frozen on .* days ago: freeze it again"
    ):
        result = without_splade(scores_of()).ireval.compare(baseline=file)
    assert "days ago" in result.attrs["caution"]
    monkeypatch.undo()
    some = without_splade(scores_of()).drop(index=["101", "102"], level="topic")
    with pytest.warns(IrframeWarning, match="2 topics of main.irframe are left out"):
        assert (some.ireval.compare(baseline=file)["n_topics"] == 14).all()


def test_scores_without_attributes_raise_a_warning(tmp_path):
    bare = pd.DataFrame({"AP": [0.1, 0.4, 0.3, 0.5]})
    bare.index = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["system", "topic"])
    bare.ireval.freeze(tmp_path / "a.irframe", baseline="a")
    with pytest.warns(
        IrframeWarning, match="the judgments of a.irframe and of the scores are unknown"
    ):
        result = bare.loc[["b"]].ireval.compare(baseline=tmp_path / "a.irframe")
    assert result["difference"].item() == pytest.approx(0.15)


def test_digest_of_judgments_depends_only_on_their_content():
    def digest(qrels):
        return ir.evaluate(RUNS, qrels, "AP").attrs[JUDGMENTS]

    plain = digest(QRELS)
    assert plain == digest(QRELS.sample(frac=1, random_state=1))
    assert plain == digest(QRELS.ireval.to_pytrec_eval())
    assert plain == ir.cube(RUNS, QRELS).ireval.score("AP").attrs[JUDGMENTS]
    assert plain == ir.scorer(QRELS, "AP")(RUNS).attrs[JUDGMENTS]
    rng = np.random.default_rng(0)
    digests = {plain}
    for row in rng.choice(len(QRELS), 20, replace=False):
        changed = QRELS.copy()
        changed.loc[changed.index[row], "grade"] += 1
        digests |= {digest(changed), digest(QRELS.drop(index=QRELS.index[row]))}
    first = QRELS[QRELS["topic"] == "101"].drop_duplicates("grade").index[:2]
    swapped = QRELS.copy()
    swapped.loc[first, "grade"] = QRELS.loc[first, "grade"].to_numpy()[::-1]
    assert len(digests | {digest(swapped)}) == 42
    long = QRELS.assign(doc=QRELS["doc"] + "x" * 300)
    with pytest.warns(IrframeWarning):
        assert digest(long) == digest(long.iloc[::-1]) != plain


@pytest.mark.filterwarnings("ignore:comparisons whose differences are the same")
def test_rows_that_fail_a_check_are_selected_by_condition():
    scores = scores_of(metrics=["nDCG@10", "ASL"])
    same = scores.loc[["splade"]].rename({"splade": "same"})
    result = pd.concat([scores, same]).ireval.compare(baseline="splade", margin=0.05)
    failed = {
        condition: {
            *failing(result, condition, 0.05)[["metric", "system_a"]].itertuples(index=False)
        }
        for condition in freezing.CONDITIONS
    }
    by_pair = result.set_index(["metric", "system_a"])
    expected = {
        "never": [],
        "worse": by_pair.index[by_pair["verdict"] == "worse"],
        "undecided": by_pair.index[by_pair["verdict"].isin(["worse", "undecided"])],
        "drop": [
            *by_pair.index[(by_pair["difference"] < -0.05) & (by_pair.index.map(by_ndcg))],
            *by_pair.index[(by_pair["difference"] > 0.05) & ~by_pair.index.map(by_ndcg)],
        ],
    }
    for condition, pairs in expected.items():
        assert {*map(tuple, failed[condition])} == {*pairs}, condition
    unchanged = {("nDCG@10", "same"), ("ASL", "same")}
    assert {*map(tuple, failed["undecided"] - failed["not-not-worse"])} == unchanged
    with pytest.raises(ParameterError, match="a margin for fail_on='drop'"):
        failing(result, "drop")


def by_ndcg(pair):
    return pair[0] == "nDCG@10"


@pytest.fixture
def files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--files", "track"]) == 0
    line = ["freeze", "track/qrels.txt", "track/runs/splade.gz", "-m", "nDCG@10", "AP"]
    assert main([*line, "-o", "main.irframe"]) == 0
    capsys.readouterr()
    return Path("main.irframe")


def gate(capsys, system, *options):
    line = ["compare", "track/qrels.txt", f"track/runs/{system}.gz", "-m", "nDCG@10", "AP"]
    status = main([*line, "--baseline-file", "main.irframe", *options])
    return status, *capsys.readouterr()


def test_update_replaces_the_file_only_if_the_check_passes(files, capsys):
    before = files.read_bytes()
    worse = gate(capsys, "ance", "--margin", ".02", "--fail-on", "worse", "--update")
    assert worse[0] == 1
    assert files.read_bytes() == before
    status, _, printed = gate(capsys, "monot5", "--margin", ".05", "--fail-on", "drop", "--update")
    assert status == 0
    moved = "main.irframe now contains monot5: nDCG@10 0.4823 to 0.5584, AP 0.4106 to 0.4754"
    assert moved in printed
    assert json.loads(files.read_text())["system"] == "monot5"
    assert gate(capsys, "splade", "--margin", ".02", "--fail-on", "drop")[0] == 1
    assert gate(capsys, "monot5", "--margin", ".02", "--fail-on", "not-not-worse")[0] == 0
    for options, printed in (
        (
            ["--update"],
            "found no --fail-on, but expected --baseline-file and --fail-on together with --update",
        ),
        (["--baseline", "bm25"], "found both, but expected either --baseline or --baseline-file"),
        (["--fail-on", "drop"], "--margin together with --fail-on drop"),
        (["--ties", "doc"], "ties: trec in the file, doc here"),
        (
            ["track/runs/bm25.gz", "--fail-on", "drop", "--margin", "9", "--update"],
            "one run to freeze in main.irframe, but found 2 runs: splade, bm25",
        ),
    ):
        status, _, error = gate(capsys, "splade", *options)
        assert (status, printed in error) == (2, True), error
    assert json.loads(files.read_text())["system"] == "monot5"


def test_help_explains_each_condition(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "--help"])
    printed = " ".join(capsys.readouterr().out.split())
    for name, text in freezing.CONDITIONS.items():
        assert f" {name} {' '.join(text.split())} " in printed


@pytest.mark.usefixtures("files")
def test_report_of_a_file_with_documents_equals_that_of_the_run(capsys):
    for system, path in {"ance": "ance.txt", "splade": "main.txt"}.items():
        ir.verbs.write_run(RUNS[RUNS["system"] == system], path)
    line = "freeze track/qrels.txt main.txt -m nDCG@10 -o d.irframe --documents 10"
    assert main(line.split()) == 0
    tables = []
    for options in ("--baseline-file d.irframe", "main.txt --baseline splade"):
        line = f"compare track/qrels.txt ance.txt {options} -m nDCG@10 --format markdown"
        assert main(line.split()) == 0
        tables.append([row for row in capsys.readouterr().out.splitlines() if row[:1] == "|"])
    assert tables[0] == tables[1] != []


@pytest.mark.usefixtures("files")
def test_markdown_report_is_short_and_names_documents(capsys):
    line = ["compare", "track/qrels.txt", "track/runs", "-m", "nDCG@10", "AP", "--margin", ".05"]
    options = ["--baseline-file", "main.irframe", "--format", "markdown", "--link", "https://x/y"]
    assert main([*line, *options]) == 0
    page = capsys.readouterr().out
    assert 9_000 < len(page) <= 10_000
    heads = [line for line in page.splitlines() if line[:3] == "## "]
    verdicts = [head.partition("), ")[2] or head.partition(", ")[2] for head in heads]
    assert len(verdicts) == 8
    assert verdicts[0] == "worse"
    gravest = [min(map(GRAVEST.index, verdict.split(", "))) for verdict in verdicts]
    assert gravest == sorted(gravest)
    assert page.endswith("[The whole report](https://x/y).\n")
    assert "documents behind it, against the best ranking" in page
    scores = ir.evaluate(RUNS, QRELS, "nDCG@10")["nDCG@10"].unstack("system")
    worst = (scores["ance"] - scores["splade"]).idxmin()
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {worst} | ")][:1]
    before, after = (f"{scores.loc[worst, name]:.4f}" for name in ("splade", "ance"))
    named = row.split(" | ")[3].split(" ")[0]
    best = QRELS[(QRELS["topic"] == worst) & (QRELS["doc"] == named)]["grade"].item()
    assert row.split(" | ")[1:3] == [before, after]
    assert best == QRELS[QRELS["topic"] == worst]["grade"].max()


def test_systems_with_the_label_of_the_baseline_are_refused(file):
    scores = scores_of().rename({"bm25": "splade (main.irframe)"}, level="system")
    with pytest.raises(IdError, match="a name for the baseline that no system has"):
        scores.ireval.compare(baseline=file)


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_update_keeps_metrics_clusters_and_documents(files, capsys):
    topics = sorted(QRELS["topic"].unique())
    pd.DataFrame({"topic": topics, "source": [n // 2 for n in range(16)]}).to_csv(
        "c.csv", index=False
    )
    line = ["freeze", "track/qrels.txt", "track/runs/splade.gz", "-m", "nDCG@10", "AP", "RR"]
    more = ["--cluster", "c.csv", "--documents", "3"]
    assert main([*line, *more, "-o", "main.irframe"]) == 0
    before = json.loads(files.read_text())
    update = ["compare", "track/qrels.txt", "track/runs/monot5.gz", "-m", "AP", "--update"]
    update += ["--baseline-file", "main.irframe", "--margin", ".05", "--fail-on", "drop"]
    assert main([*update, "--format", "markdown"]) == 0
    page = capsys.readouterr().out
    after = json.loads(files.read_text())
    assert after.keys() == before.keys()
    assert after["system"] == "monot5"
    assert {*map(tuple, after["columns"])} == {*map(tuple, before["columns"])}
    assert after["drawn"] == before["drawn"]
    assert {len(docs) for _, docs in after["documents"]} == {3}
    assert "0.4106" in page or "+0.06" in page  # the old file is the baseline
