"""How far long work is."""

import sys

import pytest
from refusals import refused

from irframe.checks import tracked
from irframe.errors import InputError


def test_progress_is_hidden_by_default(capsys):
    assert list(tracked(iter("abc"), 3, "run", progress=False)) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


def test_progress_is_shown_by_tqdm(capsys):
    pytest.importorskip("tqdm", reason="progress is shown by tqdm")
    assert list(tracked(iter("abc"), 3, "run", progress=True)) == ["a", "b", "c"]
    assert "3/3" in capsys.readouterr().err


def test_progress_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    refused(InputError, "pip install tqdm", lambda: list(tracked("abc", 3, "run", progress=True)))


@pytest.mark.parametrize(
    ("verb", "options"),
    [("leave_out", {}), ("robustness", {"seeds": 2, "shares": [0.5]}), ("compare", {})],
)
def test_long_verbs_show_it_and_give_the_same(cube, capsys, verb, options):
    pytest.importorskip("tqdm", reason="progress is shown by tqdm")
    subject, metrics = (cube.ireval.score("AP"), ()) if verb == "compare" else (cube, ("AP",))
    plain, shown = (
        getattr(subject.ireval, verb)(*metrics, **options, progress=progress)
        for progress in (False, True)
    )
    assert shown.equals(plain)
    assert "100%" in capsys.readouterr().err
