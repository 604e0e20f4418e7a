"""Kinds of objects, their verbs, and example calls.

A function is a verb of all kinds of objects that the function accepts as first argument. The kind
of a result is the name of the verb that returned the result. Functions are imported at the first
use, so that registering the accessor is fast.
"""

import inspect
import json
import re
import typing
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import UnionType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.files.scan_runs import ScannedRuns
from irframe.frames.tables import is_matrix
from irframe.stops import axis_of

KINDS = (pd.DataFrame, xr.Dataset, xr.DataArray, ScannedRuns)
"""Types of objects that have the accessor ``.ireval``."""
Subject = pd.DataFrame | xr.Dataset | xr.DataArray | ScannedRuns
"""Type of an object that has the accessor ``.ireval``."""
HOME = "irframe.verbs"
FIGURES = "irframe.plots"

RUNS = "runs"
JUDGMENTS = "judgments"
SCORES = "scores"
CUBE = "cube"
SCANNED = "scanned runs"
NUGGETS = "labels of nuggets"
COMPARISON = "compare"
BOUNDS = "bounds"
LOSSES = "losses"
OTHER = "result"
"""Kind of objects that no verb returned and that are of no known kind."""


class Known(NamedTuple):
    """Noun phrase, example code and suggested verbs for a kind."""

    noun: str
    source: str
    next: tuple[str, ...] = ()


KNOWN = {
    RUNS: Known("a run frame", "runs", ("check", "evaluate", "cube", "diagnose", "pool")),
    JUDGMENTS: Known(
        "a frame of judgments",
        "qrels",
        ("sample", "restrict", "write_qrels", "to_pytrec_eval", "to_ranx"),
    ),
    SCORES: Known(
        "a table of scores",
        'runs.ireval.evaluate(qrels, "AP")',
        ("summary", "compare", "leaderboard", "sheet", "styled"),
    ),
    CUBE: Known(
        "a cube", "runs.ireval.cube(qrels)", ("score", "bounds", "search_lengths", "report", "save")
    ),
    SCANNED: Known("scanned runs", "ir.scan_runs(paths)", ("evaluate", "cube")),
    NUGGETS: Known("labels of nuggets", "nuggets", ("score_nuggets",)),
    LOSSES: Known(
        "a table of losses",
        'runs.ireval.losses(qrels, "nDCG@10")',
        ("summary", "compare", "styled"),
    ),
}
"""Kinds of objects that are recognised by their content, and not by the verb that returned them."""
ELSEWHERE = {
    "compare_judges": "ir.compare_judges(judges)",
    "enumerate_rankings": "ir.verbs.enumerate_rankings(3)",
}
"""Mapping from functions that return results but are not verbs of any object to example calls."""
EXAMPLES = {
    "metrics": '"AP"',
    "metric": '"AP"',
    "by": '"track"',
    "share": "0.5",
    "depth": "10",
    "pool": "10",
    "n": "2",
    "documents": "runs",
    "methods": '["pool", "leverage"]',
    "budgets": "[5, 10]",
    "reference": "10",
    "outcomes relevant": '"first"',
    "report path": "path",
}
"""Mapping from required parameters to arguments in example calls.

A key of two words, a verb and a parameter, applies only to the verb in the key. The argument of a
parameter without a key is the name of the parameter.
"""
LABELLED = dict.fromkeys(("a", "baseline", "system"), (words.SYSTEM, 0)) | {
    "b": (words.SYSTEM, 1),
    "topic": (words.TOPIC, 0),
    "reference": (words.DEPTH, -1),
}
"""Mapping from parameters that take a label to the dimension of the label, and the position of the
label in example calls."""
KINDS_BY_PARAMETER = {
    "runs": (RUNS, SCANNED),
    "qrels": (JUDGMENTS,),
    "cube": (CUBE,),
    "scores": (SCORES, LOSSES),
    "comparison": (COMPARISON,),
    "nuggets": (NUGGETS,),
    "result": (),
}
"""Mapping from the name of the first parameter of a verb to the kinds that the verb accepts.

If the first parameter has another name, its docstring names the accepted kinds.
"""
BY_DEPTH = {"coverage", "inversions", "ratios", "volatility", "depth_curves"}
"""Verbs and figures that need scores at several depths."""
SCORED = {"effort_gain": '"Twist", "AP"', "reordering": '"AP", "ASL"'}
"""Mapping from verbs that need several metrics to the metrics in example calls."""
CHAINED = {"agreement_map": "plot.agreement_map(depth=10)"}
"""Mapping from figures that show a single depth to example calls for scores at several depths."""
ACCEPTED = {
    "compare": (SCORES, BOUNDS, LOSSES, "tie_ranges"),
    "decide": (BOUNDS, "tie_ranges"),
    "write_run": (RUNS,),
    "write_qrels": (JUDGMENTS,),
    "to_pytrec_eval": (RUNS, JUDGMENTS),
    "to_ranx": (RUNS, JUDGMENTS),
    "sample": (CUBE, JUDGMENTS),
    "split": (RUNS, JUDGMENTS),
    "design": (SCORES, BOUNDS, LOSSES, "tie_ranges", CUBE),
    "outcomes": (CUBE, RUNS),
    "risk_coverage": (CUBE, RUNS),
    "diagnose": (CUBE, RUNS),
    "judge_effect": (CUBE, RUNS),
    "report": (CUBE, RUNS),
    "losses": (CUBE, RUNS),
    "select_top": (CUBE, SCORES),
    "predict_powered": (SCORES, CUBE),
    "p_value_curves": (COMPARISON, "bootstrap_sensitivity"),
}
"""Mapping from verbs that accept several kinds of objects to the accepted kinds."""
LEFT_OUT = {"groupby": (JUDGMENTS, NUGGETS)}
"""Mapping from verbs that accept most kinds of objects to the refused kinds."""
PAIRED = {"system_a", "system_b", "difference", "p", "p_adjusted", "significant"}
"""Columns that identify a result of `compare` that has lost its attributes."""


def kind_of(subject: object) -> str:
    """Return the kind of an object.

    Examples
    --------
    >>> kind_of(pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]}))
    'judgments'
    """
    returned = str(getattr(subject, "attrs", {}).get(words.RESULT, ""))
    if isinstance(subject, xr.Dataset):
        return CUBE if words.GRADE in subject else returned or OTHER
    if isinstance(subject, xr.DataArray):
        if words.BOUND in subject.dims:
            return returned or BOUNDS
        # sel(topic="101") turns the dimension into a scalar coordinate
        labels = {*subject.dims, *subject.coords}
        scored = (
            returned in {"", *words.SCORE_VERBS} - {LOSSES}
            and {words.SYSTEM, words.TOPIC} <= labels
        )
        return SCORES if scored else returned or SCORES
    return _kind_of_frame(subject, returned) if hasattr(subject, "index") else SCANNED


def _kind_of_frame(frame: Any, returned: str) -> str:
    from irframe.cubes.score_frames import is_scores  # noqa: PLC0415 - only when asked

    # scores and judgments are kinds of their own, whichever verb returned them
    if returned not in {"", "evaluate", "score", "standardise", "sample", "draw_to_judge"}:
        return returned
    columns = [*getattr(frame, "columns", ())]
    if {*map(str, columns)} >= PAIRED:
        return COMPARISON
    names = words.roles([*columns, *frame.index.names])
    if is_matrix(frame) or {words.TOPIC, words.DOC} <= names.keys():
        ranked = {words.SCORE, words.RANK, words.SYSTEM} & names.keys()
        return JUDGMENTS if words.GRADE in names and not ranked else RUNS
    if {words.TOPIC, words.NUGGET, words.ASSIGNMENT} <= names.keys():
        return NUGGETS
    # None stands for a missing role, but an index without a name has the name None as well
    if {names.get(words.SYSTEM), names.get(words.TOPIC)} <= {*frame.index.names} - {None}:
        return SCORES
    return SCORES if is_scores(frame) else returned or OTHER


def takes(name: str, function: Callable[..., object]) -> tuple[str, ...]:
    """Return the kinds of objects that a verb accepts.

    The result is empty if the verb accepts all or most kinds.

    Examples
    --------
    >>> from irframe.plots import robustness_curves
    >>> takes("robustness_curves", robustness_curves)
    ('robustness',)
    """
    first = next(iter(inspect.signature(function).parameters))
    if (accepted := ACCEPTED.get(name, KINDS_BY_PARAMETER.get(first))) is not None:
        return accepted
    described = re.search(rf"\n{first}\n((?: .*\n)+)", inspect.getdoc(function) or "")
    text = described[1] if described else ""
    return tuple(re.findall(r"(?<!`)`(?:irframe\.(?:verbs\.)?)?(\w+)`", text))


def fits(name: str, function: Callable[..., object], kind: str) -> bool:
    """Return whether a verb accepts objects of a kind."""
    if name in LEFT_OUT:
        return kind not in LEFT_OUT[name]
    accepted = takes(name, function)
    return kind in accepted if accepted else kind not in KNOWN.keys() - {SCORES, LOSSES}


def example(name: str, subject: object, home: str = HOME, *, chained: bool = False) -> str:
    """Return an example call of a verb or figure.

    Arguments are labels and depths of the object, or names of variables such as ``qrels``. If
    `chained` is True, the call is applied to the result of another verb.

    Examples
    --------
    >>> import irframe as ir
    >>> example("explain", ir.cube(*ir.example_track()))
    'explain("bm25", "bm25+rm3", "AP")'
    """
    _, *parameters = inspect.signature(verbs(home)[name][0]).parameters.values()
    choices = {} if home == HOME or chained else _shown_choices(subject)
    judged = {"qrels"} if kind_of(subject) == RUNS else set()
    arguments = []
    for param in parameters:
        special = EXAMPLES.get(f"{name} {param.name}", "")
        if special or param.default is param.empty or param.name in {*choices, *judged}:
            value = special or choices.get(param.name) or _argument(param.name, subject)
            arguments.append(f"{param.name}={value}" if param.kind is param.KEYWORD_ONLY else value)
    prefix = "plot." if home == FIGURES else ""
    return f"{prefix}{name}({', '.join(arguments)})"


def _shown_choices(subject: object) -> dict[str, str]:
    """Return the arguments in the example call of a figure.

    The arguments are the last metric, the last test and the last depth. Figures need no choice for
    a dimension with a single label, so such dimensions are omitted.
    """
    # figures of a leaderboard take no metric, because a leaderboard ranks by one metric
    ranked = kind_of(subject) == "leaderboard"
    dims = ("test", words.DEPTH) if ranked else (words.METRIC, "test", words.DEPTH)
    labels = {dim: _labels(subject, dim) for dim in dims}
    several = {dim: names[-1] for dim, names in labels.items() if len(names) > 1}
    return {dim: json.dumps(last, default=str) for dim, last in several.items()}


def _argument(name: str, subject: object) -> str:
    role, pos = LABELLED.get(name, ("", 0))
    labels = _labels(subject, role) if role else []
    return json.dumps(labels[pos], default=str) if labels[pos:] else EXAMPLES.get(name, name)


def _labels(subject: Any, role: str) -> list[object]:
    """Return the distinct labels of a dimension or column."""
    role = axis_of(subject).dim if role == words.DEPTH else role
    if isinstance(subject, pd.DataFrame):
        rows = subject.reset_index(allow_duplicates=True)
        column = words.roles(rows.columns).get(role, role)
        # comparisons have two columns of systems, of which the first provides the labels
        column = "system_a" if role == words.SYSTEM and role == column not in rows else column
        if column not in rows:
            return [*subject.attrs.get(words.METRICS, ())] if role == words.METRIC else []
        labels: list[object] = rows[[column]].iloc[:, 0].drop_duplicates().tolist()
        return labels
    return np.atleast_1d(subject[role]).tolist() if role in getattr(subject, "coords", ()) else []


def chain(name: str, function: Callable[..., object], kind: str, subject: object = None) -> str:
    """Explain why an object lacks a verb, and suggest code.

    Examples
    --------
    >>> from irframe.verbs import pool
    >>> chain("pool", pool, "cube")
    'This is a cube, and pool needs a run frame: runs.ireval.pool(10)'
    """
    accepted = (takes(name, function) or (SCORES,))[0]
    returned = f"a result of {kind}" if kind in verbs(HOME) else f"a {kind}"
    noun = KNOWN[kind].noun if kind in KNOWN else returned
    needed = KNOWN[accepted].noun if accepted in KNOWN else f"the result of {accepted}"
    needed = "scores by depth" if kind == accepted == SCORES else needed
    home = FIGURES if function.__module__.startswith(FIGURES) else HOME
    call = CHAINED.get(name) or example(name, subject, home, chained=True)
    call = f"{_path(accepted, kind, subject, name)}.ireval.{call}"
    return f"This is {noun}, and {name} needs {needed}: {call}"


def _path(expected: str, kind: str, subject: object, of: str = "") -> str:
    """Return code that makes an object of the expected kind."""
    if expected == CUBE == kind:
        return "cube"
    if expected == SCORES and (kind in {CUBE, SCORES} or of in {*BY_DEPTH, *SCORED}):
        return f"{_path(CUBE, kind, subject)}.ireval.score({SCORED.get(of, EXAMPLES['metrics'])})"
    if expected in KNOWN:
        return KNOWN[expected].source
    if expected not in verbs(HOME):
        return ELSEWHERE[expected]
    source = (takes(expected, verbs(HOME)[expected][0]) or (SCORES,))[0]
    return f"{_path(source, kind, subject, expected)}.ireval.{example(expected, subject)}"


@cache
def verbs(home: str) -> dict[str, tuple[Callable[..., Any], tuple[type, ...]]]:
    """Return the verbs or figures of a package, with types.

    Parameters
    ----------
    home
        ``"irframe.verbs"`` for verbs, or ``"irframe.plots"`` for figures.

    Returns
    -------
    dict
        Mapping from each name to the function and to the types that its first argument may have.

    Examples
    --------
    >>> verbs("irframe.verbs")["score"][1]
    (<class 'xarray.core.dataset.Dataset'>,)
    """
    package = import_module(home)
    typed: dict[str, tuple[Callable[..., Any], tuple[type, ...]]] = {}
    for name in package.__all__:
        function = getattr(package, name)
        if inspect.isfunction(function) and (kinds := subjects(function)):
            typed[name] = function, kinds
    return typed


def with_column(name: str) -> list[str]:
    """Return up to three verbs whose results have a column.

    Examples
    --------
    >>> with_column("win_rate")
    ['leaderboard']
    """
    named = re.compile(rf"\nReturns\n-+\n(?:(?!\n\w+\n--)[\s\S])*?`{re.escape(name)}`")
    documents = {
        verb: inspect.getdoc(function) or "" for verb, (function, _) in verbs(HOME).items()
    }
    return [verb for verb, document in documents.items() if named.search(document)][:3]


def subjects(function: Callable[..., object]) -> tuple[type, ...]:
    """Return the types in `KINDS` that the first argument accepts."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    kind = None if first is None else first.annotation
    # `from __future__ import annotations` would turn the annotations of verbs into strings
    members = typing.get_args(kind) if isinstance(kind, UnionType) else (kind,)
    return tuple(member for member in members if member in KINDS)


def offered(subject: Any, home: str) -> list[str]:
    """Return the names of verbs or figures for an object."""
    kind = kind_of(subject)
    every = verbs(home).items()
    names = [n for n, (f, types) in every if type_of(subject) in types and fits(n, f, kind)]
    frame = isinstance(subject, pd.DataFrame)
    labels = {*subject, *subject.index.names} if frame else {*getattr(subject, "dims", ())}
    flat = kind in {SCORES, LOSSES} and axis_of(subject).dim not in labels
    return [name for name in names if not (flat and name in BY_DEPTH)]


def type_of(subject: object) -> type:
    """Return the type in `KINDS` that an object has."""
    return next(kind for kind in KINDS if isinstance(subject, kind))
