"""Tests of exit conditions and Markdown summaries of `irframe compare`."""

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
import yaml

import irframe as ir
from irframe.__main__ import main

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "continuous-integration.md"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write judgments, a baseline run and two new runs."""
    monkeypatch.chdir(tmp_path)
    runs, qrels = ir.example_track()
    Path("track/runs").mkdir(parents=True)
    ir.verbs.write_qrels(qrels, "track/qrels.txt")
    for name, system in (("main", "splade"), ("new", "ance"), ("same", "splade")):
        run = runs[runs["system"] == system].assign(system=name)
        ir.verbs.write_run(run, f"track/runs/{name}.txt")
    return tmp_path


def gate(capsys, *options, new="new"):
    line = ["compare", "track/qrels.txt", "track/runs/main.txt", f"track/runs/{new}.txt"]
    status = main([*line, "-m", "nDCG@10", "AP", "--baseline", "main", *options])
    return status, *capsys.readouterr()


@pytest.mark.usefixtures("files")
def test_exit_status_depends_on_the_verdict(capsys):
    for new, options, status in (
        ("new", ("--fail-on", "worse"), 1),
        ("new", ("--fail-on", "undecided", "--margin", ".05"), 1),
        ("new", ("--margin", ".05"), 0),
        ("new", ("--fail-on", "worse", "--margin", "9"), 0),
        ("same", ("--fail-on", "undecided", "--margin", ".01"), 1),
        ("same", ("--fail-on", "undecided"), 1),
        ("new", ("--margin", "-1"), 2),
        ("new", ("--power", "1"), 2),
    ):
        assert gate(capsys, *options, new=new)[0] == status, (new, options)
    _, out, _ = gate(capsys, "--margin", ".05", "--format", "csv")
    assert "verdict" in out.partition("\n")[0]
    line = ["compare", "track/qrels.txt", "track/runs", "-m", "AP", "--fail-on", "worse"]
    assert main(line) == 2
    assert "expected --baseline" in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_summary_shows_verdicts_and_documents_behind_losses(capsys):
    runs, qrels = ir.example_track()
    cube = runs.ireval.cube(qrels)
    judged = qrels["doc"].unique()
    pd.DataFrame({"doc": judged, "text": ["a | *b* <i>" + "x" * 400] * len(judged)}).to_parquet(
        "d.pq"
    )
    topics = qrels["topic"].unique()
    pd.DataFrame({"topic": topics, "query": [f"query of {t}" for t in topics]}).to_parquet("q.pq")
    options = ("--format", "markdown", "--texts", "d.pq", "--texts", "q.pq")
    status, out, _ = gate(capsys, "--margin", ".05", *options)
    assert status == 0
    assert out.startswith("# Comparison: margin 0.05, baseline main\n")
    assert "\n## new against main, worse\n" in out
    assert "\nBy nDCG@10, 1 of 2 systems could be first (95 %): main.\n" in out
    (line,) = [line for line in out.splitlines() if line.startswith("| nDCG@10 |")]
    scores = cube.ireval.score("nDCG@10", at=10).squeeze()
    differences = (scores.sel(system="ance") - scores.sel(system="splade")).to_series()
    assert line.split(" | ")[1:3] == ["**worse**", f"{differences.mean():+.4f}"]
    rows = [line for line in out.splitlines() if "query of" in line]
    fallen = differences[differences < 0].sort_values().head(10)
    assert [row.split(":")[0].removeprefix("| ") for row in rows] == fallen.index.tolist()[:8]
    assert 9_000 < len(out) <= 10_000
    documents = cube.ireval.explain("ance", "splade", "nDCG", at=10, topics=[fallen.index[0]])
    first = documents.sort_values("difference").iloc[0]
    assert f"{first['doc']} (grade {first['grade']}), rank {first['rank_b']} to" in rows[0]
    snippet = re.search(r"<i>(.*?)</i>", rows[0]).group(1)
    assert snippet.startswith("a \\| \\*b\\* &lt;i&gt;x")
    assert snippet.endswith("…")
    assert "interval, for its pair alone" in out
    same = gate(capsys, "--margin", ".05", "--format", "markdown", new="same")[1]
    assert "Worse by nDCG@10 on 0 of 16 topics." in same
    assert "## same against main, undecided" in same
    assert gate(capsys, "--texts", "none.pq", *options[:2])[0] == 2


FLAGS = re.MULTILINE | re.DOTALL
ACTION = yaml.safe_load(PAGE.parents[2].joinpath("action.yml").read_text(encoding="utf-8"))


@pytest.mark.usefixtures("files")
def test_summary_omits_documents_of_metrics_that_are_not_sums(capsys):
    line = ["compare", "track/qrels.txt", "track/runs/main.txt", "track/runs/new.txt"]
    options = ["--baseline", "main", "--format", "markdown", "-m", "Compat@10", "Bpref"]
    assert main([*line, *options]) == 0
    out = capsys.readouterr().out
    assert "not a sum over documents" in out
    assert out.count("not known") == 2


def test_commands_of_the_documented_workflow_run(files):
    text = PAGE.read_text(encoding="utf-8")
    freezes = re.search(r"^\$ (irframe freeze .*)$", text, re.MULTILINE)
    workflow, hooks = map(yaml.safe_load, re.findall(r"^```yaml\n(.*?)^```", text, FLAGS))
    [gate] = [step for step in workflow["jobs"]["gate"]["steps"] if step.get("id") == "gate"]
    assert gate["with"].keys() <= ACTION["inputs"].keys()
    compare = re.search(r"^```sh\n(irframe compare .*?)^```", text, FLAGS)[1].replace("\\\n", " ")
    [before_push] = [step for step in hooks["repos"][0]["hooks"] if step["id"] == "irframe-gate"]
    lines = [shlex.split(line) for line in (freezes[1], compare)]
    lines.append(["irframe", "compare", *before_push["args"]])
    (files / "track" / "runs" / "new.txt").rename(files / "new.txt")
    for command, status in zip(lines, [0, 1, 1], strict=True):
        assert command[0] == "irframe"
        assert main(command[1:]) == status
    assert (
        (files / "summary.md")
        .read_text()
        .startswith("# FAILED: not-not-worse, margin 0.05, baseline main frozen ")
    )
