"""The accessor ``.ireval``: every verb is one call to the function of the same name.

A function is a verb of the kinds of object that its first argument may be. Functions are
found when first called, so that registering the accessor costs nothing.
"""

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from html import escape
from importlib import import_module
from types import MethodType, UnionType
from typing import Any

import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.elsewhere import suggest, suggested
from irframe.files.read_run import ScannedRuns
from irframe.record import Step, steps_of

KINDS = (pd.DataFrame, xr.Dataset, xr.DataArray, xr.DataTree, ScannedRuns)
"""What has an accessor. A tree has the verbs of its branches."""
HOME = "irframe.verbs"


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
        data = next((node.to_dataset() for node in subject.subtree if node.has_data), None)
        if data is not None and words.GRADE not in data and len(data.data_vars) == 1:
            return kind_of(next(iter(data.data_vars.values())))
        return "tree" if data is None else kind_of(data)
    returned = str(getattr(subject, "attrs", {}).get(words.RESULT, ""))
    if isinstance(subject, xr.Dataset):
        return CUBE if words.GRADE in subject else returned or OTHER
    if isinstance(subject, xr.DataArray):
        if "bound" in subject.dims and returned in {"", BOUNDS}:
            return BOUNDS
        labels = {*subject.dims, *subject.coords}
        return SCORES if {words.SYSTEM, words.TOPIC} <= labels else returned or SCORES
    return _kind_of_frame(subject, returned) if hasattr(subject, "index") else SCANNED


def _kind_of_frame(frame: Any, returned: str) -> str:
    from irframe.cubes.as_scores import is_scores  # noqa: PLC0415 - only when asked

    if returned not in {"", "evaluate", "score", "standardise", "sample", "draw_to_judge"}:
        return returned
    if {*map(str, getattr(frame, "columns", ()))} >= PAIRED:
        return COMPARISON
    names = words.roles([*getattr(frame, "columns", ()), *frame.index.names])
    if {words.TOPIC, words.DOC} <= names.keys():
        return (
            JUDGMENTS
            if words.GRADE in names and not {words.SCORE, words.RANK, words.SYSTEM} & names.keys()
            else RUNS
        )
    if {words.TOPIC, words.NUGGET, words.ASSIGNMENT} <= names.keys():
        return NUGGETS
    return SCORES if is_scores(frame) else returned or OTHER


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
    subject = ARTICLES.get(kind, f"what {kind} returned" if kind in functions else f"a {kind}")
    of = ARTICLES.get(wanted, f"what {wanted} returns")
    why = LACKS.get((kind, wanted), f"This is {subject}, and {name} is of {of}")
    door = "ireval.plot" if function.__module__.startswith("irframe.plots") else "ireval"
    return f"{why}: {_path(wanted, functions, kind)}.{door}.{name}({_given(name)})"


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
    known = {call.partition("(")[0]: call.partition("(")[2][:-1] for call in every}
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
        dims = (words.METRIC, words.SYSTEM, words.REPEAT, words.TOPIC, words.DEPTH)
        return [_number(subject.sizes[dim], dim) for dim in dims if dim in subject.sizes]
    if not hasattr(subject, "index"):
        return [_number(len(subject.files), "file")]
    frame = subject.to_frame() if isinstance(subject, pd.Series) else subject
    known = words.roles([*frame.columns, *frame.index.names])
    sides = [role for role in known if role in {words.SYSTEM, words.TOPIC}]
    counts = [_number(_distinct(frame, known[role]), role) for role in sides]
    repeats = [name for name in words.REPEAT_NAMES if name in frame.index.names]
    counts += [_number(_distinct(frame, name), name) for name in repeats]
    metrics = len(frame.attrs.get(words.METRICS, ()))
    last = _number(metrics, "metric") if metrics else _number(len(frame), "row")
    return [*sorted(counts, key=lambda text: text.split()[1]), last]


def _distinct(frame: Any, name: Any) -> int:
    """Return how many values the first column, or else level of the index, of a name has."""
    if name in frame.columns:
        return int(frame.loc[:, [name]].iloc[:, 0].nunique())
    return int(frame.index.get_level_values([*frame.index.names].index(name)).nunique())


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"


def shown(subject: Any, names: list[str], *, html: bool = False) -> str:
    """Return what an accessor prints: what it saw, how it was decided, and five verbs to go on."""
    from irframe.tables.captions import told  # noqa: PLC0415 - only when shown

    attributes = getattr(subject, "attrs", {})
    lines = [seen(subject), *([told(attributes)] if words.RESULT in attributes else [])]
    known = NEXT.get(kind_of(subject)) or [f"{name}()" for name in names if name != "plot"][:5]
    if not html:
        return "\n".join([*lines, "next: " + ", ".join(f".{call}" for call in known)])
    listed = ", ".join(f"<code>.{escape(call)}</code>" for call in known)
    how = escape("\n".join(lines)).replace("\n", "<br>")
    return f"<p>{how}<br>next: {listed}</p>"


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
    (<class 'xarray.core.dataset.Dataset'>, <class 'xarray.core.datatree.DataTree'>)
    """
    package = import_module(home)
    members = {name: getattr(package, name) for name in package.__all__}
    functions = {name: value for name, value in members.items() if inspect.isfunction(value)}
    taken = {name: subjects(function) for name, function in functions.items()}
    return {name: (functions[name], kinds) for name, kinds in taken.items() if kinds}


def subjects(function: Callable[..., Any]) -> tuple[type, ...]:
    """Return the kinds of object, among those with an accessor, that a first argument may be."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    kind = None if first is None else first.annotation
    union = isinstance(kind, UnionType)
    kinds = tuple(
        member for member in (typing.get_args(kind) if union else (kind,)) if member in KINDS
    )
    from irframe.cubes.verb import VERBS  # noqa: PLC0415 - who asks has imported it

    of_trees = VERBS.get(function.__name__) is function and kinds != (pd.DataFrame,)
    return (*kinds, xr.DataTree) if of_trees else kinds


class Verbs:
    """The verbs of one object."""

    _home = HOME

    def __init__(self, subject: Any) -> None:
        self._subject = subject

    @cached_property
    def _kind(self) -> str:
        return kind_of(self._subject)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):  # asked for by pickle and copy before there is a subject
            raise AttributeError(name)
        function = self._function(name)
        if function is None:
            raise AttributeError(self._unknown(name))
        return MethodType(function, self._subject)

    def _function(self, name: str) -> Callable[..., Any] | None:
        package = import_module(self._home)
        function = getattr(package, name) if name in package.__all__ else None
        if not inspect.isfunction(function) or _type(self._subject) not in subjects(function):
            return None
        clear, wanted = {RUNS, JUDGMENTS, SCORES}, set(takes(name, function))
        others = clear - wanted if wanted & clear else set()
        # What is kept by an old pandas may have been changed since.
        of_another = self._kind in others and kind_of(self._subject) in others
        return None if of_another else function

    def _unknown(self, name: str) -> str:
        every, kind = verbs(self._home), kind_of(self._subject)
        functions = {verb: function for verb, (function, _) in verbs(HOME).items()}
        if name in every:
            return chain(name, every[name][0], functions, kind)
        door, figures = import_module("irframe").__all__, import_module("irframe.plots").__all__
        known = dict.fromkeys(every, "{}")
        homes = {"ireval.{}": functions, "ir.{}": door, "ireval.plot.{}": figures}
        for form, names in homes.items():
            known |= {verb: form for verb in names if verb not in known}
        meant = suggested(name, known)
        message = f"{_type(self._subject).__name__} has no verb {name!r}{suggest(name, known)}"
        if len(meant) != 1 or meant[0] not in every or self._function(meant[0]):
            return message
        return f"{message}. {chain(meant[0], every[meant[0]][0], functions, kind)}"

    def _names(self) -> list[str]:
        type_, kind = _type(self._subject), kind_of(self._subject)
        every = verbs(self._home).items()
        return [name for name, (f, types) in every if type_ in types and fits(name, f, kind)]

    def __dir__(self) -> list[str]:
        return sorted([*self._names(), *(name for name in dir(type(self)) if name[0] != "_")])

    def __repr__(self) -> str:
        return shown(self._subject, self._names())

    def _repr_html_(self) -> str:
        return shown(self._subject, self._names(), html=True)


class Figures(Verbs):
    """The figures of one object."""

    _home = "irframe.plots"


@xr.register_datatree_accessor("ireval")  # type: ignore[no-untyped-call]
@xr.register_dataset_accessor("ireval")  # type: ignore[no-untyped-call]
@xr.register_dataarray_accessor("ireval")  # type: ignore[no-untyped-call]
class Accessor(Verbs):
    """Verbs of cubes, of scores, and of what the verbs return."""

    @property
    def plot(self) -> Figures:
        """Figures of this object."""
        return Figures(self._subject)

    @property
    def record(self) -> list[Step]:
        """The verbs that led to this object, in order, each with its options as they were applied.

        Of data among the options there is a digest. With the rest of them a verb of the same
        object gives the same result.

        Examples
        --------
        >>> import irframe as ir
        >>> scores = ir.evaluate(*ir.example_track(), "AP")
        >>> name, options = scores.ireval.rank_intervals("bootstrap", seed=3).ireval.record[-1]
        >>> again = getattr(ir.verbs, name)(scores, **options)
        >>> options["method"], options["seed"], again.ireval.record[-1].options == options
        ('bootstrap', 3, True)
        """
        return steps_of(self._subject)


ScannedRuns.access = Accessor


@pd.api.extensions.register_dataframe_accessor("ireval")
class FrameAccessor(Accessor):
    """Verbs of run frames, score frames and the frames that verbs return."""

    def __init__(self, subject: pd.DataFrame) -> None:
        super().__init__(subject)
        if self._kind == OTHER:
            wanted = "; ".join(
                f"{role}: {', '.join(names)}" for role, names in words.ALIASES.items()
            )
            message = (
                "ireval needs a run frame (columns topic, doc and score or rank), scores (index "
                "system, topic; or columns topic, measure, value), labels of nuggets (columns "
                "topic, nugget, importance, assignment) or what a verb returned, as its "
                f"attrs say. Names per role: {wanted}. A matrix of scores is read by "
                "ir.as_scores(frame, metric='AP')"
            )
            raise AttributeError(message)


@pd.api.extensions.register_series_accessor("ireval")
class SeriesAccessor(FrameAccessor):
    """Verbs of a column of scores, which are those of a frame with this column."""

    def __init__(self, subject: pd.Series) -> None:
        from irframe.cubes.as_scores import as_scores, is_scores  # noqa: PLC0415 - only when asked

        if not is_scores(subject):
            message = "ireval needs a column of scores, with system and topic in its index"
            raise AttributeError(message)
        super().__init__(as_scores(subject))


def _type(subject: Any) -> type:
    return next(kind for kind in KINDS if isinstance(subject, kind))
