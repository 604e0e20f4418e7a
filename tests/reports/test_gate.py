"""The fixture of pytest: what passes, what fails and what it says, and what is written when."""

import json
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import irframe as ir

ROOT = Path(__file__).parents[2]
HEAD = """
import irframe as ir

RUNS, QRELS = ir.example_track()


def run(system):
    return RUNS[RUNS["system"] == system]
"""


@pytest.fixture
def tests(pytester, monkeypatch):
    """Run a file of tests in a process of its own, as a user of irframe would."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\nfilterwarnings = error\n")

    def run(body, *options, head=HEAD):
        pytester.makepyfile(head + body)
        plugins = ["-p", "irframe_pytest", "-p", "no:cacheprovider"]
        return pytester.runpytest_subprocess(*plugins, *options)

    return run


BODY = """
def test_ranker(irframe):
    irframe.assert_not_worse(
        run({system!r}), QRELS, {metrics!r}, baseline="main.irframe", margin=0.05, **{options!r}
    )
"""


def asked(system, metrics="nDCG@10", **options):
    return BODY.format(system=system, metrics=metrics, options=options)


def test_the_plugin_is_installed_by_its_name_and_imports_nothing():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert told == {"pytest11": {"irframe": "irframe_pytest"}}
    plugin = import_module("irframe_pytest")
    assert {*vars(plugin)} & {"pandas", "pd", "xr", "ir"} == set()
    assert callable(plugin.pytest_addoption)


def test_nothing_heavy_is_imported_where_no_test_asks(tests):
    body = """
import sys

def test_nothing():
    assert not {"irframe", "numpy", "pandas", "xarray"} & {*sys.modules}
"""
    tests(body, head="").assert_outcomes(passed=1)


def test_a_baseline_is_frozen_and_moves_only_on_request(tests):
    failed = tests(asked("splade"))
    failed.stdout.fnmatch_lines(
        ["*wanted a baseline that irframe froze in main.irframe; found No*"]
    )
    tests(asked("splade"), "--irframe-update").assert_outcomes(passed=1)
    first = Path("main.irframe").read_text()
    tests(asked("splade")).assert_outcomes(passed=1)
    tests(asked("ance"), "--irframe-update").assert_outcomes(failed=1)
    tests(asked("monot5")).assert_outcomes(passed=1)
    assert Path("main.irframe").read_text() == first
    tests(asked("monot5"), "--irframe-update").assert_outcomes(passed=1)
    assert json.loads(Path("main.irframe").read_text())["system"] == "monot5"


def test_a_failure_shows_verdicts_and_documents(tests):
    scores = ir.evaluate(*ir.example_track(), ["nDCG@10", "AP", "RR"])
    scores.ireval.freeze("main.irframe", baseline="splade")
    found = tests(asked("ance", ["nDCG@10", "AP"], fail_on="worse"))
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        [
            "*ance fails the gate 'worse' against splade*",
            "*metric*difference*verdict*",
            "*nDCG@10*-0.2093*worse*",
            "*paired t-test*baseline splade frozen *",
            "*documents that did it, by nDCG@10 against the best ranking*",
            "*topic*doc*grade*rank in the best ranking*rank in ance*",
        ]
    )
    lines = found.outlines
    start = next(n for n, line in enumerate(lines) if "rank in ance" in line)
    shown = [line.removeprefix("E").split() for line in lines[start + 1 : start + 6]]
    losses = [float(row[-1]) for row in shown]
    assert losses == sorted(losses)
    assert losses[-1] < 0
    qrels = ir.example_track()[1].set_index(["topic", "doc"])["grade"]
    assert [int(row[2]) for row in shown] == [qrels[row[0], row[1]] for row in shown]
    found = tests(asked("ance", "RR", fail_on="drop").replace("test_ranker", "test_no_sum"))
    found.stdout.fnmatch_lines(["*ance fails the gate 'drop'*"])


def test_a_system_may_be_the_baseline_and_policies_are_given(tests):
    body = """
def test_both(irframe):
    both = RUNS[RUNS["system"].isin(["splade", "ance"])]
    options = {"ties": "doc", "no_rel": "nan"}
    irframe.assert_not_worse(both, QRELS, "nDCG@5", baseline="splade", margin=.02, policy=options)


def test_files(irframe, tmp_path):
    run("splade").ireval.write_run(tmp_path / "a.run")
    QRELS.ireval.write_qrels(tmp_path / "q.txt")
    irframe.assert_not_worse(
        tmp_path / "a.run", str(tmp_path / "q.txt"), "AP", baseline="splade", margin=9
    )
"""
    found = tests(body)
    found.assert_outcomes(failed=2)
    found.stdout.fnmatch_lines(
        ["*ance fails the gate 'not-not-worse' against splade*", "*by nDCG@5 against splade*"]
    )
    found.stdout.fnmatch_lines(["*wanted at least two systems to compare; found 1*"])


def test_a_file_by_other_judgments_is_an_error(tests):
    ir.evaluate(*ir.example_track(), "AP").ireval.freeze("main.irframe", baseline="bm25")
    found = tests(asked("bm25", "AP").replace("QRELS,", "QRELS.iloc[3:],"))
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        ["*wanted scores decided as those of main.irframe; found judgments*"]
    )
