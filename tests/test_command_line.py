"""The command line, as a person would call it."""

import json
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import irframe as ir
from irframe.__main__ import main

ROOT = str(Path(ir.__file__).parents[1])


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
    assert list(frame.columns) == ["system", "topic", "map", "P_5"]
    assert len(frame) == 16


def test_json_and_latex(files, capsys):
    _, out, _ = run(capsys, "evaluate", *files[:1], files[1][0], "-m", "RR", "--format", "json")
    assert json.loads(out)[0]["system"] == "bm25"
    _, out, _ = run(capsys, "evaluate", files[0], files[1][0], "-m", "P_5", "--format", "latex")
    assert r"\toprule" in out
    assert r"P\_5" in out


def test_grouped_by_folder(files, capsys):
    _, out, _ = run(
        capsys, "evaluate", files[0], *files[1], "-m", "AP", "--by", "folder", "--format", "csv"
    )
    frame = pd.read_csv(StringIO(out))
    assert list(frame.columns) == ["folder", "system", "AP"]
    assert dict(zip(frame["system"], frame["folder"], strict=True))["bm25"] == "terms"


@pytest.fixture
def odd(files, tmp_path, monkeypatch):
    """Stand in a folder with sound and with unsound files."""
    monkeypatch.chdir(tmp_path)
    sound = ir.read_run(files[1][0])
    ir.write_run(sound, "a.run")
    sound.assign(team="x").to_parquet("team.parquet")
    lines = Path("a.run").read_text()
    texts = {
        "empty": "", "text": "not a run\n", "two\nlines": "not\n", "twice.run": lines * 2,
        "nan.run": lines.replace("101 Q0", "101 Q0 x", 1), "other": "999 0 d1 1\n",
        "ranks": "101 d158 1\n",
        "steep": "101 0 d1 999\n",
    }  # fmt: skip
    for name, text in texts.items():
        Path(name).write_text(text)
    Path("binary").write_bytes(bytes(range(256)))
    Path("cut.gz").write_bytes(Path(files[1][0]).read_bytes()[:99])
    Path("cut.parquet").write_bytes(b"PAR1PAR1")
    Path("folder").mkdir()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("none a.run -m AP", "No such file.*none"),
        ("qrels.txt none -m AP", "No such file.*none"),
        ("qrels.txt *.none -m AP", "wanted files that match"),
        ("folder a.run -m AP", "found the folder folder"),
        ("qrels.txt a.run folder -m AP", "files that match 'folder'; found none"),
        ("qrels.txt empty -m AP", "empty without a single row"),
        ("empty a.run -m AP", "empty without a single row"),
        ("qrels.txt text -m AP", "line 1 has the rank 'run'"),
        ("qrels.txt two\nlines -m AP", "two lines with lines that do not fit"),
        ("qrels.txt binary -m AP", "binary with lines that do not fit"),
        ("qrels.txt cut.gz -m AP", "cut.gz damaged"),
        ("qrels.txt cut.parquet -m AP", "cut.parquet damaged"),
        ("a.run qrels.txt -m AP", "line 1 has 4 columns, not 6"),
        ("qrels.txt nan.run -m AP", "line 1 has the rank|line 2 has 6 columns"),
        ("qrels.txt a.run a.run -m AP", "'bm25' in a.run and a.run"),
        ("qrels.txt twice.run -m AP", "800 listed again: .* and 795 more"),
        ("qrels.txt a.run ranks -m AP", "a score in every file"),
        ("other a.run -m AP", "topics that occur in runs and qrels"),
        ("steep a.run -m AP", "grades that are whole numbers"),
        ("qrels.txt a.run -m nDGC", "wanted one of Accuracy, alpha_DCG"),
        ("qrels.txt a.run -m AP(", "wanted a metric"),
        ("qrels.txt a.run -m RBP(p=2)", "below 1"),
        ("qrels.txt a.run -m AP AP", "each once"),
        ("qrels.txt a.run -m AP@0", "wanted depth of AP, a whole number of at least 1; found 0"),
        ("qrels.txt a.run -m AP --depth 0", "--depth, a whole number of at least 1"),
        ("qrels.txt a.run -m AP --depth -7", "--depth, a whole number of at least 1"),
        ("qrels.txt a.run -m AP --depth 99999999999999999999", "at most 2147483647"),
        ("qrels.txt a.run -m AP@99999999999999999999", "down to depth 2147483647 at most"),
        ("qrels.txt a.run -m P@5 P@20 nDCG@6 AP --depth 5", "depth 5 at most; .*: P@20, nDCG@6"),
        ("qrels.txt a.run -m AP --ties mean", "metrics that share gain"),
        ("qrels.txt a.run -m AP --by team", "--by to be one of 'folder'; found 'team'"),
        ("qrels.txt team.parquet -m AP --by name", "'folder', 'team'; found 'name'"),
        ("qrels.txt team.parquet -m AP --by system", "'folder', 'team'; found 'system'"),
        ("qrels.txt team.parquet -m AP --by topic", "'folder', 'team'; found 'topic'"),
        ("qrels.txt team.parquet -m AP --by doc", "'folder', 'team'; found 'doc'"),
    ],
)
@pytest.mark.usefixtures("odd")
def test_errors_are_one_line_and_status_2(capsys, words, told):
    status, out, error = run(capsys, "evaluate", *words.split(" "))
    assert (status, out) == (2, "")
    assert re.match(f"irframe: .*({told})", error)
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "required: COMMAND; see irframe --help"),
        ("rate", "invalid choice: 'rate'"),
        ("evaluate", "required: .*-m/--metric; see irframe evaluate --help"),
        ("evaluate -m AP", "required: QRELS, RUN; see irframe evaluate --help"),
        ("evaluate q r -m AP --depth x", "invalid int value: 'x'"),
        ("evaluate q r -m AP --ties best", "invalid choice: 'best'"),
        ("evaluate q r -m AP --format xml", "invalid choice: 'xml'"),
        ("evaluate q r -m AP --two\nlines", "unrecognized arguments: --two lines"),
    ],
)
def test_words_that_are_no_command(capsys, words, told):
    with pytest.raises(SystemExit) as left:
        main(words.split(" ") if words else [])
    assert left.value.code == 2
    error = capsys.readouterr().err
    assert re.match(f"irframe: .*{told}", error)
    assert error.count("\n") == 1


@pytest.mark.usefixtures("odd")
def test_warnings_are_one_line(capsys):
    judged = ir.read_qrels("qrels.txt")
    ir.write_qrels(judged[judged["topic"] == "101"], "some.txt")
    status, out, error = run(capsys, "evaluate", "some.txt", "a.run", "-m", "AP")
    assert status == 0
    assert "bm25" in out
    assert re.fullmatch(r"irframe: warning: 15 topics of the runs have no judgments.*\n", error)
    status, _, error = run(capsys, "evaluate", "some.txt", "a.run", "-m", "AP", "--ties", "mean")
    assert (status, error.count("\n")) == (2, 1)


@pytest.mark.usefixtures("odd")
def test_too_little_memory(capsys, monkeypatch):
    def fail(*_, **__):
        raise MemoryError("too many ranks")

    monkeypatch.setattr(ir, "evaluate", fail)
    assert run(capsys, "evaluate", "qrels.txt", "a.run", "-m", "AP") == (
        2, "", "irframe: too many ranks\n",
    )  # fmt: skip


@pytest.mark.usefixtures("odd")
def test_output_that_cannot_be_written():
    ir.write_run(ir.read_run("a.run", system="bm\u00e9"), "accent.run")
    command = [sys.executable, "-m", "irframe", "evaluate", "qrels.txt", "accent.run", "-m", "AP"]
    told = {"stderr": subprocess.PIPE, "text": True, "env": {**os.environ, "PYTHONPATH": ROOT}}
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, check=False, **told)
    os.close(writing)
    assert (done.returncode, done.stderr) == (2, "irframe: [Errno 32] Broken pipe\n")
    told["env"]["PYTHONIOENCODING"] = "ascii"
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False, **told)
    assert done.returncode == 2
    assert re.fullmatch("irframe: 'ascii' codec can't encode .*\n", done.stderr)


@pytest.mark.usefixtures("odd")
def test_a_file_that_may_not_be_read(capsys, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied", "a.run")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    status, _, error = run(capsys, "evaluate", "qrels.txt", "a.run", "-m", "AP")
    assert (status, error) == (2, "irframe: [Errno 13] Permission denied: 'a.run'\n")


def test_demo_runs_as_a_process():
    done = subprocess.run(
        [sys.executable, "-m", "irframe", "demo"], capture_output=True, text=True, check=True
    )
    assert "simulated track" in done.stdout
    assert done.stderr == ""
