"""The files that a command line names, as frames."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd

import irframe as ir
from irframe.checks import whole
from irframe.commands.options import given
from irframe.commands.systems import with_systems
from irframe.errors import DepthError, FileFormatError, InputError
from irframe.experiments.policy import parse_metrics
from irframe.files.compression import Source, name_of
from irframe.files.read_file import find_files
from irframe.files.scan_runs import ScannedRuns

FOLDER = "folder"
"""Column that says in which folder the file of a run is."""
DEEPEST = 2**31 - 1
"""The greatest rank that a cube can hold."""
STDIN = "-"


def source_of(word: str) -> Source:
    """Return what a word names: a path, or standard input."""
    return sys.stdin.buffer if word == STDIN else word


def sources_of(words: Sequence[str], *others: str) -> list[Source]:
    """Return the files that words name: paths, patterns, folders, standard input."""
    times = [*words, *others].count(STDIN)
    if times > 1:
        raise InputError("standard input (-) once", f"it {times} times")
    found = [[source_of(word)] if word == STDIN else [*find_files(word)] for word in words]
    return [source for sources in found for source in sources]


def read_judgments(options: Namespace) -> pd.DataFrame:
    """Read the file of judgments."""
    return ir.read_qrels(source_of(options.qrels))


def read_all(options: Namespace, *, every: bool = False) -> pd.DataFrame:
    """Read all runs, with the columns asked for: the folder, or those of a table of systems."""
    system: Literal["tag", "file"] = options.system
    named = sources_of(options.runs, options.qrels)
    if getattr(options, "by", None) != FOLDER:
        return with_systems(ir.read_runs(named, system=system), options, every=every)
    folders: dict[str, list[Source]] = {}
    for source in named:
        folders.setdefault(Path(name_of(source)).resolve().parent.name, []).append(source)
    parts = [
        ir.read_runs(sources, system=system).assign(**{FOLDER: folder})
        for folder, sources in folders.items()
    ]
    return with_systems(pd.concat(parts, ignore_index=True), options)


def runs_of(options: Namespace, *, rows: bool = False) -> pd.DataFrame | ScannedRuns:
    """Return the runs: their files, to be read some at a time, or their rows if these count.

    Parameters
    ----------
    options
        Those of a line; where columns are asked for that runs do not have, their rows count.
    rows
        Whether they are wanted in any case.
    """
    asked = (getattr(options, name, None) for name in ("by", "contributing", "systems"))
    if rows or any(asked) or STDIN in options.runs:
        return read_all(options)
    paths = tuple(map(str, sources_of(options.runs, options.qrels)))
    return ScannedRuns(paths, options.system == "file")


def read_sound(options: Namespace) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the runs that can be read, and what is wrong with the files of others."""
    named = sources_of(options.runs, options.qrels)
    return ir.read_runs(named, system=options.system, on_error="skip")


def metrics_of(options: Namespace) -> list[ir.metrics.Metric]:
    """Return the metrics, if none of them looks deeper than lists are read."""
    metrics = parse_metrics(options.metric)
    deepest = DEEPEST if options.depth is None else options.depth
    whole("--depth", deepest, low=1, high=DEEPEST, error=DepthError)
    deeper = [metric for metric in metrics if (metric.depth or 0) > deepest]
    if deeper:
        advice = "leave --depth out or make it deeper" if deepest < DEEPEST else ""
        raise DepthError(f"metrics down to depth {deepest} at most", "", advice, deeper)
    return metrics


def scores_of(options: Namespace, by: str | None = None) -> pd.DataFrame:
    """Score the runs that a line names."""
    metrics = metrics_of(options)
    return score(options, runs_of(options), read_judgments(options), metrics, by)


def score(
    options: Namespace,
    runs: pd.DataFrame | ScannedRuns,
    qrels: pd.DataFrame,
    metrics: Any,
    by: str | None,
) -> pd.DataFrame:
    """Score runs by the options of a line."""
    if isinstance(runs, ScannedRuns):
        try:
            return _evaluated(options, runs, qrels, metrics, by)
        except FileFormatError:  # of some files; what is wrong is said of all
            runs = read_all(options)
    return _evaluated(options, runs, qrels, metrics, by)


def _evaluated(
    options: Namespace, runs: Any, qrels: pd.DataFrame, metrics: Any, by: str | None
) -> pd.DataFrame:
    return ir.evaluate(
        runs,
        qrels,
        metrics,
        contributing=options.contributing,
        by=by,
        **given(options, ir.evaluate),
    )
