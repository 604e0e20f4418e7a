"""Length of the code path behind the main functions.

The length is measured by the numbers of files, of moves between files, and of function calls. The
limits may only be lowered. ``python tests/properties/test_paths.py`` prints the lengths.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import pytest

import irframe as ir

ROOT = str(Path(ir.__file__).parent)
METRICS = ["AP", "nDCG@10"]
LIMITS = {
    "evaluate": (36, 225, 675),
    "evaluate one metric": (34, 190, 593),
    "compare": (24, 148, 376),
    "report": (104, 3926, 30828),
}
"""Mapping from calls to the maximum numbers of files, moves between files, and function calls."""


def lengths(call: Callable[[], Any]) -> tuple[int, int, int]:
    """Return how many files, moves and calls a call needs."""
    files: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(ROOT):
            files.append(name)

    call()  # the first call fills caches
    sys.setprofile(note)
    call()
    sys.setprofile(None)
    moves = sum(before != after for before, after in zip(["", *files], files, strict=False))
    return len({*files}), moves, len(files)


def measure() -> dict[str, tuple[int, int, int]]:
    """Return the lengths of the paths of main calls."""
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


@pytest.mark.thorough
def test_paths_of_main_calls_do_not_grow():
    # a new process starts with empty caches; filled caches would shorten the path
    run = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    measured = json.loads(run.stdout)
    longer = {
        name: (lengths_now, LIMITS[name])
        for name, lengths_now in measured.items()
        if any(now > limit for now, limit in zip(lengths_now, LIMITS[name], strict=True))
    }
    assert (longer, measured.keys()) == ({}, LIMITS.keys())


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure()))
