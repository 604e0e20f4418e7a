"""Tests of progress bars and elapsed seconds."""

import sys
from types import SimpleNamespace

import pytest
from refusals import refused

import irframe as ir
from irframe import progress
from irframe.errors import InputError
from irframe.progress import elapsed, tracked


def test_progress_is_hidden_by_default(capsys):
    assert list(tracked(iter("abc"), 3, "run", progress=False)) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


def test_progress_is_shown_by_tqdm(capsys):
    pytest.importorskip("tqdm", reason="progress is shown by tqdm")
    assert list(tracked(iter("abc"), 3, "run", progress=True)) == ["a", "b", "c"]
    assert "3/3" in capsys.readouterr().err


def test_progress_without_tqdm_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    refused(InputError, "pip install tqdm", lambda: list(tracked("abc", 3, "run", progress=True)))


@pytest.mark.parametrize(
    ("verb", "options"),
    [("leave_out", {}), ("robustness", {"seeds": 2, "shares": [0.5]}), ("compare", {})],
)
def test_progress_bars_do_not_change_results(cube, capsys, verb, options):
    pytest.importorskip("tqdm", reason="progress is shown by tqdm")
    subject, metrics = (cube.ireval.score("AP"), ()) if verb == "compare" else (cube, ("AP",))
    plain, shown = (
        getattr(subject.ireval, verb)(*metrics, **options, progress=shows)
        for shows in (False, True)
    )
    assert shown.equals(plain)
    assert "100%" in capsys.readouterr().err


@pytest.fixture
def clock(monkeypatch):
    """Replace the clock, which shows two and then three seconds."""
    waits = iter([False, False, True])
    event = SimpleNamespace(wait=lambda _: next(waits), set=lambda: None)
    monkeypatch.setattr(progress, "Event", lambda: event)


SHOWN = "\r{0}: 2 s \r{0}: 3 s \r\x1b[K"


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.usefixtures("clock")
def test_seconds_are_shown_on_a_terminal_until_the_end(capsys, monkeypatch, is_terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    with elapsed("compare"), elapsed("report"):  # the second context is nested in the first
        pass
    assert capsys.readouterr().err == (SHOWN.format("compare") if is_terminal else "")


@pytest.mark.usefixtures("clock")
def test_seconds_are_shown_in_a_notebook(capsys, monkeypatch):
    stream = type("OutStream", (), {"__module__": "ipykernel.iostream", "flush": lambda _: None})()
    stream.write = sys.stderr.write
    monkeypatch.setattr(sys, "stderr", stream)
    with elapsed("report"):
        pass
    assert capsys.readouterr().err == SHOWN.format("report")


@pytest.mark.thorough
@pytest.mark.usefixtures("clock")
def test_a_report_shows_its_seconds_on_a_terminal(cube, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ir.report(cube, tmp_path / "page.html", metrics=["AP"], at=5, resamples=100)
    assert capsys.readouterr().err == SHOWN.format("report")


def test_an_error_ends_the_display_of_seconds(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for _ in range(2):
        with pytest.raises(KeyError), elapsed("report"):
            raise KeyError
    assert not progress._COUNTING.locked()
