"""Tests of the pytest fixture `irframe`."""

import json
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from refusals import refused

import irframe as ir
from irframe.errors import IrframeError
from irframe.reports.gate import Gate

ROOT = Path(__file__).parents[2]
FILE = """
import sys


def test_the_plugin_alone_imports_nothing():
    assert not {"irframe", "numpy", "pandas", "xarray"} & {*sys.modules}


def check(irframe, system):
    import irframe as ir

    runs, qrels = ir.example_track()
    run = runs[runs["system"] == system]
    irframe.assert_not_worse(run, qrels, "nDCG@10", baseline="main.irframe", margin=0.05)


def test_first(irframe):
    check(irframe, "splade")


def test_worse(irframe):
    check(irframe, "ance")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def gate(system, metrics="nDCG@10", *, update=False, judged=slice(None), **options):
    """Check systems of the example against a baseline file."""
    runs, qrels = ir.example_track()
    arguments = {"baseline": "main.irframe", "margin": 0.05} | options
    run = runs[runs["system"].isin(system.split())]
    Gate(update=update).assert_not_worse(run, qrels[judged], metrics, **arguments)


def test_importing_the_plugin_imports_no_other_module():
    entry_points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert entry_points == {"pytest11": {"irframe": "irframe_pytest"}}
    plugin = import_module("irframe_pytest")
    assert {*vars(plugin)} & {"pandas", "pd", "xr", "ir"} == set()
    assert callable(plugin.pytest_addoption)


@pytest.mark.thorough
def test_fixture_writes_baselines_on_request_and_reports_failures(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    pytester.makepyfile(FILE)
    plugins = ["-p", "irframe_pytest", "-p", "no:cacheprovider"]
    ran = pytester.runpytest_subprocess(*plugins, "--irframe-update")
    ran.assert_outcomes(passed=2, failed=1)
    ran.stdout.fnmatch_lines(["E * ance fails the gate 'not-not-worse' against splade*"])
    ran.stdout.no_fnmatch_line("*markdown.py*")


def test_baseline_files_change_only_on_request():
    refused(IrframeError, "frozen baseline in main.irframe, but found No", gate, "splade")
    gate("splade", update=True)
    first = Path("main.irframe").read_text()
    gate("splade")
    refused(AssertionError, "ance fails the gate", gate, "ance", update=True)
    gate("monot5")
    assert Path("main.irframe").read_text() == first
    gate("monot5", update=True)
    assert json.loads(Path("main.irframe").read_text())["system"] == "monot5"


def test_failures_show_verdicts_and_documents():
    runs, qrels = ir.example_track()
    scores = ir.evaluate(runs, qrels, ["nDCG@10", "AP", "RR"])
    scores.ireval.freeze("main.irframe", baseline="splade")
    with pytest.raises(AssertionError) as failed:
        gate("ance", ["nDCG@10", "AP"], fail_on="worse")
    assert re.match(
        r"ance fails the gate 'worse' against splade\n.*metric.*difference.*verdict.*\n"
        r".*nDCG@10.*-0\.2093.*worse.*\n.*paired t-test.*baseline splade frozen .*\n"
        r"documents behind the loss in nDCG@10 against the best ranking.*\n"
        r" *topic +doc +grade +rank in the best ranking +rank in ance ",
        str(failed.value),
        re.DOTALL,
    )
    shown = [line.split() for line in str(failed.value).splitlines()[-5:]]
    losses = [float(row[-1]) for row in shown]
    assert losses == sorted(losses)
    assert losses[-1] < 0
    grades = qrels.set_index(["topic", "doc"])["grade"]
    assert [int(row[2]) for row in shown] == [grades[row[0], row[1]] for row in shown]
    refused(AssertionError, "ance fails the gate 'drop'", gate, "ance", "RR", fail_on="drop")


def test_systems_can_be_baselines():
    options = {"baseline": "splade", "policy": {"ties": "doc", "no_rel": "nan"}}
    message = "(?s)ance fails the gate 'not-not-worse' against splade.*in nDCG@5 against splade"
    refused(AssertionError, message, gate, "splade ance", "nDCG@5", margin=0.02, **options)


def test_runs_and_judgments_can_be_files():
    runs, qrels = ir.example_track()
    runs[runs["system"] == "splade"].ireval.write_run("a.run")
    qrels.ireval.write_qrels("q.txt")
    options = {"baseline": "splade", "margin": 9}
    message = "expected at least two systems to compare, but found 1"
    refused(IrframeError, message, Gate().assert_not_worse, Path("a.run"), "q.txt", "AP", **options)


def test_baseline_files_with_other_judgments_are_refused():
    ir.evaluate(*ir.example_track(), "AP").ireval.freeze("main.irframe", baseline="bm25")
    message = "expected scores made with the policies of main.irframe, but found judgments"
    refused(IrframeError, message, gate, "bm25", "AP", judged=slice(3, None))
