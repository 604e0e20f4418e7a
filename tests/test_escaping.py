"""Tests that every output format escapes hostile names."""

import csv
import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from turns import few_of

import irframe as ir
from irframe.__main__ import main
from irframe.errors import IrframeError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
HOSTILE = (
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "c1\x9b2J",
    "bidi\u202etxt.exe",
    "nul\x00",
    "@octocat",
    "https://evil.example/x",
    "~~gone~~",
    "=HYPERLINK(1)",
    "-1+1",
    "a|b</td>",
    "<img src=x>",
    "![i](http://evil.example)",
    "\\input{x}%$&",
)
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Pattern that matches control characters, which no output may contain."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write runs and judgments with hostile names.

    Document ids contain no zero byte, because pandas before 3 compares texts only up to the first
    zero byte.
    """
    monkeypatch.chdir(tmp_path)
    rows = [
        (s, t, f"{s}{t}{rank}"[:60].replace("\0", ""), -rank, (pos + len(t) + rank) % 3)
        for pos, s in enumerate(HOSTILE)
        for t in HOSTILE
        for rank in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["system", "topic", "doc", "score", "grade"])
    frame[["system", "topic", "doc", "score"]].to_parquet("runs.parquet")
    judged = frame[frame["score"].eq(0) | frame["topic"].eq("nul\x00")]
    judged[["topic", "doc", "grade"]].drop_duplicates(["topic", "doc"]).to_parquet("q.parquet")
    return tmp_path


LINES = (
    ("evaluate", "-m", "AP", "-q"),
    ("compare", "-m", "AP", "--baseline=~~gone~~"),
    ("leaderboard", "-m", "AP"),
    ("diagnose",),
    ("check",),
    ("risk-coverage",),
    ("judge-next", "-n", "5"),
)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("form", ["table", "tsv", "latex", "markdown"])
@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_commands_escape_hostile_names_in_every_format(line, form, capsys):
    command, *options = line
    assert main([command, "q.parquet", "runs.parquet", *options, "--format", form]) in {0, 1}
    out, err = capsys.readouterr()
    assert not RAW.search(out), repr(RAW.search(out))
    assert not RAW.search(err)
    if form == "tsv":
        for row in csv.reader(StringIO(out), delimiter="\t"):
            assert not any(text[:1] in tuple("=+-@") and not number(text) for text in row), row
    if form == "markdown":
        assert_inert(out)


def number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def assert_inert(markdown):
    """Assert that Markdown mentions, links and embeds nothing."""
    assert not re.search(
        r"(?<![\w;])@octocat|://evil|(?<!\\)!\[i\]\(|(?<!\\)~~|<img|</td>", markdown
    )


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("baseline", few_of(HOSTILE[4:7], 3))
def test_markdown_of_compare_escapes_hostile_baseline_names(baseline, capsys):
    inputs = ["q.parquet", "runs.parquet", "-m", "AP"]
    line = ["compare", *inputs, f"--baseline={baseline}", "--format", "markdown"]
    assert main(line) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    assert not RAW.search(out)
    assert_inert(out)


@pytest.mark.usefixtures("files")
def test_notebooks_error_messages_and_reports_escape_hostile_names(tmp_path):
    runs, qrels = ir.read_runs("runs.parquet"), ir.read_qrels("q.parquet")
    scores = runs.ireval.evaluate(qrels, "AP")
    board = scores.ireval.leaderboard()
    shown = [repr(board), board._repr_html_(), board.ireval.styled().to_html()]
    shown += [board.ireval.styled().to_latex(), board.ireval.styled().to_string()]
    shown += [repr(scores.ireval.compare()), repr(scores.ireval)]
    ir.report(runs, qrels, tmp_path / "page.html", metrics="AP")
    shown.append((tmp_path / "page.html").read_text(encoding="utf-8"))
    with pytest.raises(IrframeError) as raised:
        scores.ireval.compare(baseline="\x1b[31m")
    for text in (*shown, str(raised.value)):
        assert not RAW.search(text), repr(RAW.search(text))


@pytest.mark.thorough
def test_verbs_work_if_users_set_numpy_to_raise_errors(tmp_path):
    runs, qrels = ir.example_track()
    with np.errstate(all="raise"):
        scores = runs.ireval.evaluate(qrels, ["AP", "RR", "ASL"])
        scores.ireval.compare(margin=0.05, effects=True)
        ir.report(runs, qrels, tmp_path / "page.html")
    assert (tmp_path / "page.html").exists()
