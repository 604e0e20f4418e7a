"""What an object is to irframe: what was seen of it, its verbs, the chain to those of others."""

import inspect
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import pandas as pd
import xarray as xr

from irframe.names import (
    ASSIGNMENT,
    DEPTH,
    DOC,
    GRADE,
    METRIC,
    METRICS,
    NUGGET,
    RANK,
    REPEAT,
    REPEAT_NAMES,
    RESULT,
    SCORE,
    SYSTEM,
    TOPIC,
    roles,
)

RUNS, JUDGMENTS, SCORES, CUBE, SCANNED = "runs", "judgments", "scores", "cube", "scanned runs"
NUGGETS, COMPARISON, BOUNDS = "labels of nuggets", "compare", "bounds"
OTHER = "result"
"""What nothing says the kind of."""
TAKEN = {
    "runs": (RUNS, SCANNED),
    "qrels": (JUDGMENTS,),
    "cube": (CUBE,),
    "scores": (SCORES, BOUNDS),
    "comparison": (COMPARISON,),
    "nuggets": (NUGGETS,),
    "bounds": (BOUNDS,),
    "volatility": ("volatility",),
    "lengths": ("search_lengths",),
    "misplaced": ("misplacement",),
    "effect": ("judge_effect",),
    "agreement": ("robustness",),
    "best": ("best_systems",),
    "cells": ("effort_gain",),
    "checked": ("significance_agreement",),
    "compared": ("compare_judges",),
    "found": ("budget",),
    "grid": ("enumerate_rankings",),
    "growth": ("pool_growth",),
    "histogram": ("length_histogram", "difference_histogram"),
    "documents": ("explain",),
    "lined_up": ("side_by_side",),
    "queries": ("outcomes",),
    "replayed": ("replay",),
    "summary": ("outcomes",),
    "matrix": ("volatility", "agreement"),
    "ranges": ("tie_ranges",),
    "ranks": ("rank_intervals",),
    "rows": ("leave_out",),
    "values": ("discrimination", "median_p", "coverage", "inversions", "agreement"),
}
"""First parameter of a verb -> what it takes: a kind of object, or what other verbs return."""
OWN = {
    "write_run": (RUNS,),
    "write_qrels": (JUDGMENTS,),
    "to_pytrec_eval": (RUNS, JUDGMENTS),
    "to_ranx": (RUNS, JUDGMENTS),
    "as_runs": (RUNS,),
    "as_qrels": (JUDGMENTS,),
    "as_scores": (SCORES,),
    "sample": (CUBE, JUDGMENTS),
    "draw_to_judge": (CUBE, JUDGMENTS),
    "split": (RUNS, JUDGMENTS),
    "outcomes": (CUBE, RUNS),
    "report": (CUBE, RUNS),
    "round_effect": (CUBE, SCORES),
    "select_top": (CUBE, SCORES),
    "p_value_curves": (COMPARISON, "bootstrap_sensitivity"),
}
"""Verb whose first parameter does not say what it takes -> what that is."""
PAIRED = {"system_a", "system_b", "difference", "p", "p_adjusted", "significant"}
"""Columns by which a comparison is known that has lost its attributes."""
NEXT = {
    RUNS: ("check(qrels)", 'evaluate(qrels, "AP")', "cube(qrels)", "diagnose(qrels)", "pool(10)"),
    JUDGMENTS: (
        "sample(0.5)",
        "restrict(runs)",
        "write_qrels(path)",
        "to_pytrec_eval()",
        "to_ranx()",
    ),
    SCORES: ("summary()", "compare()", "leaderboard()", "sheet(system)", "styled()"),
    CUBE: ('score("AP")', 'bounds("AP")', "search_lengths()", 'report("page.html")', "save(path)"),
    SCANNED: ('evaluate(qrels, "AP")', "cube(qrels)"),
    COMPARISON: ("styled()", "plot.p_value_curves()"),
}
"""Kind -> what most people do next."""
SOURCES = {
    RUNS: "runs",
    JUDGMENTS: "qrels",
    SCANNED: "ir.scan_runs(paths)",
    NUGGETS: "nuggets",
    CUBE: "runs.ireval.cube(qrels)",
    SCORES: 'runs.ireval.evaluate(qrels, "AP")',
    "compare_judges": "ir.compare_judges(judges)",
    "enumerate_rankings": "ir.verbs.enumerate_rankings(3)",
}
"""Kind -> how it is had, in the words of the documentation."""
LACKS = {
    (RUNS, SCORES): "This is a run frame; call evaluate(qrels, ...) first",
    (RUNS, CUBE): "This is a run frame; call cube(qrels) first",
    (CUBE, SCORES): "A cube has no scores yet",
    (SCORES, CUBE): "Scores hold no rankings; make a cube of the runs",
    (SCORES, RUNS): "Scores hold no rankings; take the runs",
    (SCORES, SCORES): "A frame of scores has none by depth; score a cube",
}
"""What there is, what is wanted -> what to say."""
ARTICLES = {
    RUNS: "a run frame",
    JUDGMENTS: "a frame of judgments",
    SCORES: "a table of scores",
    CUBE: "a cube",
    SCANNED: "scanned runs",
    NUGGETS: "labels of nuggets",
}


def kind_of(subject: Any) -> str:
    """Return what an object is: a kind of table, or the name of the verb that returned it.

    Examples
    --------
    >>> kind_of(pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]}))
    'judgments'
    """
    if isinstance(subject, xr.DataTree):
        parts = [node.to_dataset() for node in subject.subtree if node.has_data]
        return kind_of(_lone(parts[0])) if parts else "tree"
    returned = str(getattr(subject, "attrs", {}).get(RESULT, ""))
    if isinstance(subject, xr.Dataset):
        return CUBE if GRADE in subject else returned or OTHER
    if isinstance(subject, xr.DataArray):
        if "bound" in subject.dims and returned in {"", BOUNDS}:
            return BOUNDS
        labels = {*subject.dims, *subject.coords}
        return SCORES if {SYSTEM, TOPIC} <= labels else returned or SCORES
    return _kind_of_frame(subject, returned) if hasattr(subject, "index") else SCANNED


def _kind_of_frame(frame: Any, returned: str) -> str:
    from irframe.cubes.as_scores import is_scores  # noqa: PLC0415 - only when asked

    if returned not in {"", "evaluate", "score", "standardise", "sample", "draw_to_judge"}:
        return returned
    if {*map(str, getattr(frame, "columns", ()))} >= PAIRED:
        return COMPARISON
    names = roles([*getattr(frame, "columns", ()), *frame.index.names])
    if {TOPIC, DOC} <= names.keys():
        return JUDGMENTS if GRADE in names and not {SCORE, RANK, SYSTEM} & names.keys() else RUNS
    if {TOPIC, NUGGET, ASSIGNMENT} <= names.keys():
        return NUGGETS
    return SCORES if is_scores(frame) else returned or OTHER


def _lone(data: xr.Dataset) -> Any:
    return (
        data if GRADE in data or len(data.data_vars) != 1 else next(iter(data.data_vars.values()))
    )


def takes(name: str, function: Callable[..., Any]) -> tuple[str, ...]:
    """Return which kinds of object a verb is of; none where it is of most results."""
    first = next(iter(inspect.signature(function).parameters))
    return OWN.get(name, TAKEN.get(first, ()))


def fits(name: str, function: Callable[..., Any], kind: str) -> bool:
    """Tell whether a verb is one of what an object is."""
    wanted = takes(name, function)
    return kind in wanted if wanted else kind not in {RUNS, JUDGMENTS, NUGGETS, CUBE, SCANNED}


Functions = Mapping[str, Callable[..., Any]]


def chain(name: str, function: Callable[..., Any], functions: Functions, kind: str) -> str:
    """Say why an object has no such verb or figure, and the chain of verbs that works.

    Examples
    --------
    >>> from irframe.comparing.compare import compare
    >>> chain("compare", compare, {}, "cube")
    'A cube has no scores yet: cube.ireval.score("AP").ireval.compare()'
    """
    wanted = (takes(name, function) or (SCORES,))[0]
    found = ARTICLES.get(kind, f"what {kind} returned" if kind in functions else f"a {kind}")
    why = LACKS.get((kind, wanted), f"This is {found}, and {name} is of {_told(wanted)}")
    door = "ireval.plot" if function.__module__.startswith("irframe.plots") else "ireval"
    return f"{why}: {_path(wanted, functions, kind)}.{door}.{name}({_given(name)})"


def _told(wanted: str) -> str:
    return ARTICLES.get(wanted, f"what {wanted} returns")


def _path(wanted: str, functions: Functions, kind: str) -> str:
    """Return how to have what a verb takes, from what there is."""
    if wanted == SCORES and kind == CUBE:
        return 'cube.ireval.score("AP")'
    if wanted == SCORES and kind == SCORES:
        return f'{SOURCES[CUBE]}.ireval.score("AP")'
    if wanted == CUBE and kind == CUBE:
        return "cube"
    if wanted in SOURCES or wanted not in functions:
        return SOURCES.get(wanted, wanted)
    source = (takes(wanted, functions[wanted]) or (SCORES,))[0]
    return f"{_path(source, functions, kind)}.ireval.{wanted}({_given(wanted)})"


def _given(name: str) -> str:
    """Return what a verb is called with in an example."""
    every = [*NEXT[RUNS], *NEXT[SCORES], *NEXT[CUBE], *NEXT[JUDGMENTS]]
    known = {each.partition("(")[0]: each.partition("(")[2][:-1] for each in every}
    return known.get(name, "")


def seen(subject: Any) -> str:
    """Say what an object was taken for, and how large it is.

    Examples
    --------
    >>> seen(pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]}))
    'judgments: 1 topic, 1 row'
    """
    kind = kind_of(subject)
    what = kind if kind in SOURCES else f"result of {kind}"
    return ": ".join(filter(None, (what, ", ".join(_counts(subject)))))


def _counts(subject: Any) -> list[str]:
    if isinstance(subject, xr.DataTree):
        return [_number(len(subject.children), "group")]
    if isinstance(subject, xr.Dataset | xr.DataArray):
        words = (METRIC, SYSTEM, REPEAT, TOPIC, DEPTH)
        return [_number(subject.sizes[dim], dim) for dim in words if dim in subject.sizes]
    if not hasattr(subject, "index"):
        return [_number(len(subject.files), "file")]
    frame = subject.to_frame() if isinstance(subject, pd.Series) else subject
    found = []
    for role, name in roles([*frame.columns, *frame.index.names]).items():
        if role in {SYSTEM, TOPIC}:
            found.append(_number(_distinct(frame, name), role))
    repeats = [name for name in REPEAT_NAMES if name in frame.index.names]
    found += [_number(_distinct(frame, name), name) for name in repeats]
    metrics = frame.attrs.get(METRICS, ())
    return [*sorted(found, key=lambda text: text.split()[1]), *_rows(len(frame), len(metrics))]


def _distinct(frame: Any, name: Any) -> int:
    """Return how many values the first column, or else level of the index, of a name has."""
    if name in frame.columns:
        return int(frame.loc[:, [name]].iloc[:, 0].nunique())
    return int(frame.index.get_level_values([*frame.index.names].index(name)).nunique())


def _rows(rows: int, metrics: int) -> list[str]:
    return [_number(metrics, "metric")] if metrics else [_number(rows, "row")]


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"


def shown(subject: Any, names: list[str]) -> str:
    """Return what an accessor prints: what it saw, and what most people do next."""
    return f"{seen(subject)}\n{_how(subject)}next: " + ", ".join(
        f".{each}" for each in _next(subject, names)
    )


def shown_as_html(subject: Any, names: list[str]) -> str:
    """Return the same for a notebook."""
    listed = ", ".join(f"<code>.{escape(each)}</code>" for each in _next(subject, names))
    how = escape(_how(subject)).replace("\n", "<br>")
    return f"<p>{escape(seen(subject))}<br>{how}next: {listed}</p>"


def _how(subject: Any) -> str:
    """Return a line that says how a result was decided, if it is one."""
    from irframe.tables.captions import told  # noqa: PLC0415 - only when shown

    attributes = getattr(subject, "attrs", {})
    return f"{told(attributes)}\n" if RESULT in attributes else ""


def _next(subject: Any, names: list[str]) -> list[str]:
    """Return five verbs: those of its kind, or the first that there are."""
    known = NEXT.get(kind_of(subject), ())
    return list(known) or [f"{name}()" for name in names if name != "plot"][:5]
