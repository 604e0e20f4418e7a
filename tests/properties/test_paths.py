"""Through how many files, moves and calls the main calls pass: each limit may only fall.

``python tests/properties/test_paths.py`` prints the numbers.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import pytest

import irframe as ir

ROOT = str(Path(ir.__file__).parent)
METRICS = ["AP", "nDCG@10"]
LIMITS = {
    "evaluate": (42, 282, 742),
    "evaluate one metric": (40, 247, 659),
    "compare": (27, 161, 397),
    "report": (112, 4423, 32530),
}
"""Call -> most files, moves from one file to another, and calls of functions."""


def lengths(call: Callable[[], Any]) -> tuple[int, int, int]:
    """Return the files, moves and calls of irframe that a call passes through."""
    files: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(ROOT):
            files.append(name)

    call()  # fills caches
    sys.setprofile(note)
    call()
    sys.setprofile(None)
    moves = sum(before != after for before, after in zip(["", *files], files, strict=False))
    return len({*files}), moves, len(files)


def measure() -> dict[str, tuple[int, int, int]]:
    """Return the lengths of the main calls."""
    runs, qrels = ir.example_track()
    scores = ir.evaluate(runs, qrels, METRICS)
    calls = {
        "evaluate": partial(ir.evaluate, runs, qrels, METRICS),
        "evaluate one metric": partial(ir.evaluate, runs, qrels, "nDCG@10"),
        "compare": lambda: scores.ireval.compare(),  # noqa: PLW0108 - finding the verb counts
    }
    with TemporaryDirectory() as folder:
        calls["report"] = partial(ir.report, runs, qrels, Path(folder, "page.html"))
        return {name: lengths(call) for name, call in calls.items()}


@cache
def measured() -> dict[str, tuple[int, int, int]]:
    """Return the lengths in a new process, in which no other test has run."""
    run = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    return {name: tuple(found) for name, found in json.loads(run.stdout).items()}


@pytest.mark.parametrize("name", LIMITS)
def test_paths_of_main_calls_do_not_grow(name):
    found = measured()[name]
    allowed = zip(found, LIMITS[name], strict=True)
    assert all(length <= limit for length, limit in allowed), (found, LIMITS[name])


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure()))
