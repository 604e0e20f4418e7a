"""The command line, as a person would call it."""

import json
import subprocess
import sys
from io import StringIO

import pandas as pd
import pytest

import irframe as ir
from irframe.__main__ import main


@pytest.fixture
def files(tmp_path):
    runs, qrels = ir.example_track()
    ir.write_qrels(qrels, tmp_path / "qrels.txt")
    paths = []
    for (team, system), run in runs.groupby(["team", "system"], sort=False):
        (tmp_path / team).mkdir(exist_ok=True)
        paths.append(str(tmp_path / team / f"{system}.gz"))
        ir.write_run(run, paths[-1])
    return str(tmp_path / "qrels.txt"), paths


def run(capsys, *words):
    status = main([*words])
    return status, *capsys.readouterr()


def test_table_of_means(files, capsys):
    runs, qrels = ir.example_track()
    status, out, _ = run(capsys, "evaluate", files[0], *files[1], "-m", "AP", "nDCG@10")
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split() == ["AP", "nDCG@10"]
    means = runs.ireval.evaluate(qrels, ["AP", "nDCG@10"]).groupby("system", sort=False).mean()
    assert lines[2].split() == ["bm25", *(f"{x:.4f}" for x in means.loc["bm25"])]
    assert len(lines) == 2 + len(means)


def test_csv_of_every_topic(files, capsys):
    _, out, _ = run(
        capsys, "evaluate", files[0], files[1][0], "-m", "map", "-m", "P_5", "--per-topic",
        "--format", "csv",
    )  # fmt: skip
    frame = pd.read_csv(StringIO(out))
    assert list(frame.columns) == ["system", "topic", "AP", "P@5"]
    assert len(frame) == 16


def test_json_and_latex(files, capsys):
    _, out, _ = run(capsys, "evaluate", *files[:1], files[1][0], "-m", "RR", "--format", "json")
    assert json.loads(out)[0]["system"] == "bm25"
    _, out, _ = run(capsys, "evaluate", files[0], files[1][0], "-m", "P_5", "--format", "latex")
    assert r"\toprule" in out
    assert "P@5" in out


def test_grouped_by_folder(files, capsys):
    _, out, _ = run(
        capsys, "evaluate", files[0], *files[1], "-m", "AP", "--by", "folder", "--format", "csv"
    )
    frame = pd.read_csv(StringIO(out))
    assert list(frame.columns) == ["folder", "system", "AP"]
    assert dict(zip(frame["system"], frame["folder"], strict=True))["bm25"] == "terms"


def test_errors_are_one_line_and_status_2(files, capsys, tmp_path):
    status, out, error = run(capsys, "evaluate", files[0], files[1][0], "-m", "nDGC")
    assert (status, out) == (2, "")
    assert error.startswith("irframe: wanted one of AP")
    assert error.count("\n") == 1
    status, _, error = run(capsys, "evaluate", files[0], str(tmp_path / "none"), "-m", "AP")
    assert status == 2
    assert "none" in error


def test_demo_runs_as_a_process():
    done = subprocess.run(
        [sys.executable, "-m", "irframe", "demo"], capture_output=True, text=True, check=True
    )
    assert "simulated track" in done.stdout
    assert done.stderr == ""
