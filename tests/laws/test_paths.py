"""Through how many files, moves and calls the main calls pass: each limit may only fall."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import irframe as ir

ROOT = str(Path(ir.__file__).parent)
METRICS = ["AP", "nDCG@10"]
LIMITS = {
    "evaluate": (43, 276, 762),
    "evaluate one metric": (41, 245, 679),
    "compare": (31, 231, 606),
}
"""Call -> most files, moves from one file to another, and calls of functions."""


def lengths(call: Callable[[], Any]) -> tuple[int, int, int]:
    """Return the files, moves and calls of irframe that a call passes through."""
    files: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(ROOT):
            files.append(name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    moves = sum(before != after for before, after in zip(["", *files], files, strict=False))
    return len({*files}), moves, len(files)


@pytest.mark.parametrize("name", LIMITS)
def test_paths_of_main_calls_do_not_grow(name, monkeypatch):
    runs, qrels = ir.example_track()
    scores = ir.evaluate(runs, qrels, METRICS)
    calls = {
        "evaluate": lambda: ir.evaluate(runs, qrels, METRICS),
        "evaluate one metric": lambda: ir.evaluate(runs, qrels, "nDCG@10"),
        "compare": lambda: scores.ireval.compare(),  # noqa: PLW0108 - finding the verb counts
    }
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # calls in threads are not seen
    calls[name]()  # the first call fills caches
    found = lengths(calls[name])
    allowed = zip(found, LIMITS[name], strict=True)
    assert all(length <= limit for length, limit in allowed), (found, LIMITS[name])
