"""Tests of the GitHub action and the pre-commit hooks."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import irframe as ir
from irframe.__main__ import main

ROOT = Path(__file__).resolve().parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
PYTHON = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n'
RECORDS = '#!/bin/sh\nprintf "%s\\n" "$*" >> "$RUNNER_TEMP/called"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with judgments, runs and a frozen baseline."""
    runs, qrels = ir.example_track()
    ir.verbs.write_qrels(qrels, tmp_path / "qrels.txt")
    for system, name in (("ance", "worse run.txt"), ("splade", "base.txt"), ("monot5", "new.txt")):
        ir.verbs.write_run(runs[runs["system"] == system], tmp_path / name)
    scores = ir.evaluate(runs[runs["system"] == "splade"], qrels, ["nDCG@10", "RR@10"])
    scores.ireval.freeze(tmp_path / "main.irframe")
    executable(tmp_path / "temp/irframe/bin/python", PYTHON)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def in_bash(lines, folder, further=()):
    """Run lines of bash, and stop at the first failure."""
    return subprocess.run(
        [shutil.which("bash"), "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", lines],
        env=os.environ | dict(further),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def act(folder, step, **options):
    """Run a step of the action with inputs.

    Return a tuple of the finished process, the outputs and the summary.
    """
    inputs = {
        name: declared.get("default") for name, declared in ACTION["inputs"].items()
    } | options
    named = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda reference: inputs[reference[1]], text)
        for name, text in step.get("env", {}).items()
    }
    assert "${{" not in step["run"]
    files = {name: folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    server = {"GITHUB_SERVER_URL": "https://example.org", "GITHUB_REPOSITORY": "a/b"}
    temp = {"RUNNER_TEMP": str(folder / "temp"), "GITHUB_ACTION_PATH": str(ROOT)}
    files = {name: str(file) for name, file in files.items()}
    process = in_bash(step["run"], folder, named | server | temp | {"GITHUB_RUN_ID": "7"} | files)
    contents = [Path(file).read_text() if Path(file).exists() else "" for file in files.values()]
    return process, dict(line.split("=", 1) for line in contents[0].splitlines()), contents[1]


USUAL = {"qrels": "qrels.txt", "metrics": "nDCG@10 RR@10", "baseline": "main.irframe"}


STATUS = {"passed": 0, "failed": 1, "error": 2}
STAND_IN = """#!/bin/sh
printf "%s\\n" "$*" >> "$RUNNER_TEMP/called"
while [ "$1" != --output ]; do shift; done
echo "irframe: what was wrong" >&2
[ {status} = 2 ] || echo "## The comment" > "$2"
exit {status}
"""


@pytest.mark.parametrize("verdict", STATUS)
def test_the_action_prints_the_messages_of_irframe(folder, verdict):
    text = STAND_IN.format(status=STATUS[verdict])
    executable(folder / "temp/irframe/bin/python", text)
    inputs = {"runs": "worse run.txt\nnew.txt\n\n", "margin": ".05", "fail-on": "worse"}
    process, outputs, summary = act(folder, STEPS[1], **USUAL, **inputs, options="--adjust holm")
    assert (process.returncode, outputs["verdict"]) == (STATUS[verdict], verdict)
    wrong = "# FAILED: no comparison with the baseline\n\n    irframe: what was wrong\n"
    assert summary == (wrong if verdict == "error" else "## The comment\n")
    assert Path(outputs["comment"]).read_text() == summary
    here = "https://example.org/a/b/actions/runs/7"
    assert (folder / "temp/called").read_text() == (
        "-m irframe compare qrels.txt worse run.txt new.txt --metric=nDCG@10 --metric=RR@10 "
        f"--baseline-file=main.irframe --margin=.05 --fail-on=worse --adjust holm --link {here} "
        f"--format markdown --output {folder}/temp/irframe-comment.md\n"
    )


@pytest.mark.thorough
def test_the_action_writes_its_verdict_to_the_summary(folder):
    further = {"options": "--adjust holm --family all", "report": "page.html"}
    further |= {"runs": "new.txt\nbase.txt", "margin": ".5", "link": "https://x.y"}
    process, outputs, summary = act(folder, STEPS[1], **USUAL, **further)
    assert process.returncode == 0, process.stderr
    assert "Holm per metric" not in summary
    assert "Holm" in summary
    assert "(https://x.y)" in summary
    assert len(summary) <= 10_000
    assert Path(outputs["comment"]).read_text() == summary
    assert "monot5" in (folder / "page.html").read_text()


def test_the_action_installs_irframe_from_its_own_folder(folder):
    (folder / "temp/irframe/bin/python").write_text(RECORDS)
    executable(folder / "bin/python3", RECORDS)
    process, *_ = act(folder, STEPS[0])
    assert process.returncode == 0, process.stderr
    called = (folder / "temp/called").read_text().splitlines()
    assert called == [f"-m venv {folder}/temp/irframe", f"-m pip install --quiet {ROOT}[report]"]


@pytest.mark.thorough
def test_the_action_fails_if_nothing_is_compared(folder):
    for inputs in ({"runs": "--help"}, {"runs": "new.txt", "options": "--help"}):
        process, outputs, summary = act(folder, STEPS[1], **USUAL | {"margin": ".5"} | inputs)
        assert (process.returncode, outputs["verdict"]) == (2, "error"), process.stderr
        assert summary.startswith("# FAILED: no comparison with the baseline\n\n    ")
        Path(folder / "github_step_summary").unlink()
        Path(folder / "github_output").unlink()


@pytest.mark.thorough
def test_the_action_prints_its_verdict_if_the_report_cannot_be_written(folder):
    inputs = {"runs": "new.txt", "margin": ".5", "report": "none/page.html"}
    process, outputs, summary = act(folder, STEPS[1], **USUAL | inputs)
    assert (process.returncode, outputs["verdict"]) == (0, "passed"), process.stderr
    assert summary.startswith("# PASSED: not-not-worse, margin 0.5, baseline splade frozen ")
    assert "The report could not be written:\n\n    irframe: none/page.html" in summary


def test_compare_prints_its_verdict_if_the_comment_cannot_be_written(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for run, status, verdict in (("new.txt", 0, "PASSED"), ("worse run.txt", 1, "FAILED")):
        line = ["compare", "qrels.txt", run, "--baseline-file=main.irframe", "--margin=.05"]
        line += ["-m", "nDCG@10", "--fail-on=drop"]
        assert main([*line, "--format=markdown", "-o", "none/x.md"]) == status
        out, err = capsys.readouterr()
        assert out.startswith(f"# {verdict}: ")
        assert "none/x.md" in err


GATE = "--baseline-file main.irframe --margin .05 -m nDCG@10 --fail-on"


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("irframe-check", "qrels.txt new.txt", 0),
        ("irframe-check", "qrels.txt qrels.txt", 1),
        ("irframe-gate", f"qrels.txt new.txt {GATE} worse", 0),
        ("irframe-gate", f"qrels.txt 'worse run.txt' {GATE} drop", 1),
    ],
)
def test_pre_commit_hooks_return_the_status_of_the_command(
    folder, monkeypatch, name, arguments, status
):
    monkeypatch.chdir(folder)
    [entry] = [hook["entry"] for hook in HOOKS if hook["id"] == name]
    program, *args = shlex.split(f"{entry} {arguments}")
    assert program == "irframe"
    assert main(args) == status
