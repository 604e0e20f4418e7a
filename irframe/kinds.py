"""What kinds of object there are, which verbs each has, and how these are called.

A function is a verb of the kinds of object that its first argument may be. Functions are found
when first called, so that registering the accessor costs nothing.
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
from irframe.files.tables import is_matrix
from irframe.stops import axis_of

KINDS = (pd.DataFrame, xr.Dataset, xr.DataArray, ScannedRuns)
"""What has an accessor."""
HOME, FIGURES = "irframe.verbs", "irframe.plots"

RUNS, JUDGMENTS, SCORES, CUBE, SCANNED = "runs", "judgments", "scores", "cube", "scanned runs"
NUGGETS, COMPARISON, BOUNDS, LOSSES = "labels of nuggets", "compare", "bounds", "losses"
OTHER = "result"
"""What nothing says the kind of."""


class Known(NamedTuple):
    """What messages call a kind of object, how it is had, and what most people do next."""

    what: str
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
"""The kinds of object that are known by what they hold, not by the verb that returned them."""
ELSEWHERE = {
    "compare_judges": "ir.compare_judges(judges)",
    "enumerate_rankings": "ir.verbs.enumerate_rankings(3)",
}
"""What is no verb of an object, but returns one -> how it is called."""
ASKED = {
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
"""Parameter that is asked for, of any verb or of one -> what it is called with in an example.

Others are called with their names.
"""
LABELLED = dict.fromkeys(("a", "baseline", "system"), (words.SYSTEM, 0)) | {
    "b": (words.SYSTEM, 1),
    "topic": (words.TOPIC, 0),
    "reference": (words.DEPTH, -1),
}
"""Parameter that is a label -> of what, and which of these stands in an example."""
TAKEN = {
    "runs": (RUNS, SCANNED),
    "qrels": (JUDGMENTS,),
    "cube": (CUBE,),
    "scores": (SCORES, LOSSES),
    "comparison": (COMPARISON,),
    "nuggets": (NUGGETS,),
    "result": (),
}
"""First parameter of a verb -> what it takes; of others their docstring says what returns it."""
BY_DEPTH = {"coverage", "inversions", "volatility", "depth_curves"}
"""Verbs and figures of scores by depth, which tables of scores are not."""
SCORED = {"effort_gain": '"Twist", "AP"', "reordering": '"AP", "ASL"'}
"""Verb that needs several metrics -> some of these."""
CHAINED = {"agreement_map": "plot.agreement_map(depth=10)"}
"""Figure that shows one depth -> how it is called of what scores by depth give."""
OWN = {
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
"""Verb that takes one of several kinds -> these."""
LEFT_OUT = {"groupby": (JUDGMENTS, NUGGETS)}
"""Verb of everything but some kinds -> these."""
PAIRED = {"system_a", "system_b", "difference", "p", "p_adjusted", "significant"}
"""Columns by which a comparison is known that has lost its attributes."""


def kind_of(subject: Any) -> str:
    """Return what an object is: a kind of table, or the name of the verb that returned it.

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
        labels = {*subject.dims, *subject.coords}
        scored = (
            returned in {"", *words.SCORE_VERBS} - {LOSSES}
            and {words.SYSTEM, words.TOPIC} <= labels
        )
        return SCORES if scored else returned or SCORES
    return _kind_of_frame(subject, returned) if hasattr(subject, "index") else SCANNED


def _kind_of_frame(frame: Any, returned: str) -> str:
    from irframe.cubes.as_scores import is_scores  # noqa: PLC0415 - only when asked

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
    if {names.get(words.SYSTEM), names.get(words.TOPIC)} <= {*frame.index.names} - {None}:
        return SCORES
    return SCORES if is_scores(frame) else returned or OTHER


def takes(name: str, function: Callable[..., Any]) -> tuple[str, ...]:
    """Return which kinds of object a verb is of; none where it is of most results.

    Examples
    --------
    >>> from irframe.plots import robustness_curves
    >>> takes("robustness_curves", robustness_curves)
    ('robustness',)
    """
    first = next(iter(inspect.signature(function).parameters))
    if (known := OWN.get(name, TAKEN.get(first))) is not None:
        return known
    said = re.search(rf"\n{first}\n((?: .*\n)+)", inspect.getdoc(function) or "")
    return tuple(re.findall(r"(?<!`)`(?:irframe\.(?:verbs\.)?)?(\w+)`", said[1] if said else ""))


def fits(name: str, function: Callable[..., Any], kind: str) -> bool:
    """Tell whether a verb is one of what an object is."""
    if name in LEFT_OUT:
        return kind not in LEFT_OUT[name]
    wanted = takes(name, function)
    return kind in wanted if wanted else kind not in KNOWN.keys() - {SCORES, LOSSES}


def example(name: str, subject: Any, home: str = HOME, *, chained: bool = False) -> str:
    """Return how a verb or figure is called, with an argument for all that it asks for.

    Arguments are labels and depths of the object, which may be far up the chain, or names of what
    only the caller has.

    Examples
    --------
    >>> import irframe as ir
    >>> example("explain", ir.cube(*ir.example_track()))
    'explain("bm25", "bm25+rm3", "AP")'
    """
    _, *parameters = inspect.signature(verbs(home)[name][0]).parameters.values()
    choices = {} if home == HOME or chained else _shown_choices(subject)
    judged = {"qrels"} if kind_of(subject) == RUNS else set()
    given = []
    for each in parameters:
        own = ASKED.get(f"{name} {each.name}", "")
        if own or each.default is each.empty or each.name in {*choices, *judged}:
            value = own or choices.get(each.name) or _argument(each.name, subject)
            given.append(f"{each.name}={value}" if each.kind is each.KEYWORD_ONLY else value)
    door = "plot." if home == FIGURES else ""
    return f"{door}{name}({', '.join(given)})"


def _shown_choices(subject: Any) -> dict[str, str]:
    """Return what a figure shows of an object with several metrics, tests or depths: the last."""
    board = kind_of(subject) == "leaderboard"  # whose ranks are by one metric, others beside it
    dims = ("test", words.DEPTH) if board else (words.METRIC, "test", words.DEPTH)
    labels = {dim: _labels(subject, dim) for dim in dims}
    return {d: json.dumps(known[-1], default=str) for d, known in labels.items() if len(known) > 1}


def _argument(name: str, subject: Any) -> str:
    role, place = LABELLED.get(name, ("", 0))
    labels = _labels(subject, role) if role else []
    return json.dumps(labels[place], default=str) if labels[place:] else ASKED.get(name, name)


def _labels(subject: Any, role: str) -> list[Any]:
    """Return the labels of a dimension, or in a column, such as the names of systems."""
    role = axis_of(subject).dim if role == words.DEPTH else role
    if isinstance(subject, pd.DataFrame):
        rows: Any = subject.reset_index(allow_duplicates=True)
        column = words.roles(rows.columns).get(role, role)
        column = "system_a" if role == words.SYSTEM and role == column not in rows else column
        if column not in rows:
            return [*subject.attrs.get(words.METRICS, ())] if role == words.METRIC else []
        return [*rows[[column]].iloc[:, 0].drop_duplicates()]
    return np.atleast_1d(subject[role]).tolist() if role in getattr(subject, "coords", ()) else []


def chain(name: str, function: Callable[..., Any], kind: str, subject: Any = None) -> str:
    """Say why an object has no such verb or figure, and the chain of verbs that works.

    Examples
    --------
    >>> from irframe.verbs import pool
    >>> chain("pool", pool, "cube")
    'This is a cube, and pool is of a run frame: runs.ireval.pool(10)'
    """
    wanted = (takes(name, function) or (SCORES,))[0]
    returned = f"what {kind} returned" if kind in verbs(HOME) else f"a {kind}"
    what = KNOWN[kind].what if kind in KNOWN else returned
    of = KNOWN[wanted].what if wanted in KNOWN else f"what {wanted} returns"
    of = "scores by depth" if kind == wanted == SCORES else of
    home = FIGURES if function.__module__.startswith(FIGURES) else HOME
    call = CHAINED.get(name) or example(name, subject, home, chained=True)
    call = f"{_path(wanted, kind, subject, name)}.ireval.{call}"
    return f"This is {what}, and {name} is of {of}: {call}"


def _path(wanted: str, kind: str, subject: Any, of: str = "") -> str:
    """Return how to have what a verb takes, from what there is."""
    if wanted == CUBE == kind:
        return "cube"
    if wanted == SCORES and (kind in {CUBE, SCORES} or of in {*BY_DEPTH, *SCORED}):
        return f"{_path(CUBE, kind, subject)}.ireval.score({SCORED.get(of, ASKED['metrics'])})"
    if wanted in KNOWN:
        return KNOWN[wanted].source
    if wanted not in verbs(HOME):
        return ELSEWHERE[wanted]
    source = (takes(wanted, verbs(HOME)[wanted][0]) or (SCORES,))[0]
    return f"{_path(source, kind, subject, wanted)}.ireval.{example(wanted, subject)}"


@cache
def verbs(home: str) -> dict[str, tuple[Callable[..., Any], tuple[type, ...]]]:
    """Return the verbs of a package, and the kinds of object that have them.

    Parameters
    ----------
    home
        ``"irframe.verbs"`` or ``"irframe.plots"``.

    Returns
    -------
    dict
        Name -> function, kinds.

    Examples
    --------
    >>> verbs("irframe.verbs")["score"][1]
    (<class 'xarray.core.dataset.Dataset'>,)
    """
    package, taken = import_module(home), dict[str, Any]()
    for name in package.__all__:
        function = getattr(package, name)
        if inspect.isfunction(function) and (kinds := subjects(function)):
            taken[name] = function, kinds
    return taken


def with_column(name: str) -> list[str]:
    """Return up to three verbs whose result has a column or variable of this name.

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


def subjects(function: Callable[..., Any]) -> tuple[type, ...]:
    """Return the kinds of object, among those with an accessor, that a first argument may be."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    kind = None if first is None else first.annotation
    members = typing.get_args(kind) if isinstance(kind, UnionType) else (kind,)
    return tuple(member for member in members if member in KINDS)


def offered(subject: Any, home: str) -> list[str]:
    """Return the verbs, or figures, of what an object is."""
    kind, every = kind_of(subject), verbs(home).items()
    names = [n for n, (f, types) in every if type_of(subject) in types and fits(n, f, kind)]
    frame = isinstance(subject, pd.DataFrame)
    held = {*subject, *subject.index.names} if frame else {*getattr(subject, "dims", ())}
    flat = kind == SCORES and axis_of(subject).dim not in held
    return [name for name in names if not (flat and name in BY_DEPTH)]


def type_of(subject: Any) -> type:
    """Return which of `KINDS` an object is."""
    return next(kind for kind in KINDS if isinstance(subject, kind))
