"""The accessor ``.ireval``: every verb is one call to the function of the same name.

A function is a verb of the kinds of object that its first argument may be. Functions are
found when first called, so that registering the accessor costs nothing.
"""

import inspect
import re
import typing
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from importlib import import_module
from types import MethodType, UnionType
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.elsewhere import suggest, suggested
from irframe.escaping import html
from irframe.files.read_run import ScannedRuns
from irframe.record import Step, steps_of

KINDS = (pd.DataFrame, xr.Dataset, xr.DataArray, xr.DataTree, ScannedRuns)
"""What has an accessor. A tree has the verbs of its branches."""
HOME, FIGURES = "irframe.verbs", "irframe.plots"

RUNS, JUDGMENTS, SCORES, CUBE, SCANNED = "runs", "judgments", "scores", "cube", "scanned runs"
NUGGETS, COMPARISON, BOUNDS = "labels of nuggets", "compare", "bounds"
OTHER = "result"
"""What nothing says the kind of."""


class Known(NamedTuple):
    """What messages call a kind of object, how it is had, and what most people do next."""

    what: str
    source: str
    next: tuple[str, ...] = ()


KNOWN = {
    RUNS: Known(
        "a run frame",
        "runs",
        ("check(qrels)", 'evaluate(qrels, "AP")', "cube(qrels)", "diagnose(qrels)", "pool(10)"),
    ),
    JUDGMENTS: Known(
        "a frame of judgments",
        "qrels",
        ("sample(0.5)", "restrict(runs)", "write_qrels(path)", "to_pytrec_eval()", "to_ranx()"),
    ),
    SCORES: Known(
        "a table of scores",
        'runs.ireval.evaluate(qrels, "AP")',
        ("summary()", "compare()", "leaderboard()", "sheet(system)", "styled()"),
    ),
    CUBE: Known(
        "a cube",
        "runs.ireval.cube(qrels)",
        ('score("AP")', 'bounds("AP")', "search_lengths()", 'report("page.html")', "save(path)"),
    ),
    SCANNED: Known("scanned runs", "ir.scan_runs(paths)", ('evaluate(qrels, "AP")', "cube(qrels)")),
    NUGGETS: Known("labels of nuggets", "nuggets", ("score_nuggets()",)),
}
"""The kinds of object that are known by what they hold, not by the verb that returned them."""
ELSEWHERE = {
    "compare_judges": "ir.compare_judges(judges)",
    "enumerate_rankings": "ir.verbs.enumerate_rankings(3)",
}
"""What is no verb of an object, but returns one -> how it is called."""
EXAMPLES = {
    call.partition("(")[0]: call.partition("(")[2][:-1]
    for kind in (JUDGMENTS, CUBE, SCORES, RUNS)
    for call in KNOWN[kind].next
}
"""Verb -> what it is called with in an example."""
TAKEN = {
    "runs": (RUNS, SCANNED),
    "qrels": (JUDGMENTS,),
    "cube": (CUBE,),
    "scores": (SCORES, BOUNDS),
    "comparison": (COMPARISON,),
    "nuggets": (NUGGETS,),
    "result": (),
}
"""First parameter of a verb -> what it takes; of others their docstring says what returns it."""
OWN = {
    "write_run": (RUNS,),
    "write_qrels": (JUDGMENTS,),
    "to_pytrec_eval": (RUNS, JUDGMENTS),
    "to_ranx": (RUNS, JUDGMENTS),
    "sample": (CUBE, JUDGMENTS),
    "draw_to_judge": (CUBE, JUDGMENTS),
    "split": (RUNS, JUDGMENTS),
    "outcomes": (CUBE, RUNS),
    "report": (CUBE, RUNS),
    "select_top": (CUBE, SCORES),
    "p_value_curves": (COMPARISON, "bootstrap_sensitivity"),
}
"""Verb that takes one of several kinds -> these."""
PAIRED = {"system_a", "system_b", "difference", "p", "p_adjusted", "significant"}
"""Columns by which a comparison is known that has lost its attributes."""


def kind_of(subject: Any) -> str:
    """Return what an object is: a kind of table, or the name of the verb that returned it.

    Examples
    --------
    >>> kind_of(pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]}))
    'judgments'
    """
    if isinstance(subject, xr.DataTree):
        data = next((node.to_dataset() for node in subject.subtree if node.has_data), None)
        if data is None:
            return "tree"
        lone = words.GRADE not in data and len(data.data_vars) == 1
        return kind_of(next(iter(data.data_vars.values())) if lone else data)
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
    columns = [*getattr(frame, "columns", ())]
    if {*map(str, columns)} >= PAIRED:
        return COMPARISON
    names = words.roles([*columns, *frame.index.names])
    if {words.TOPIC, words.DOC} <= names.keys():
        ranked = {words.SCORE, words.RANK, words.SYSTEM} & names.keys()
        return JUDGMENTS if words.GRADE in names and not ranked else RUNS
    if {words.TOPIC, words.NUGGET, words.ASSIGNMENT} <= names.keys():
        return NUGGETS
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
    wanted = takes(name, function)
    return kind in wanted if wanted else kind not in KNOWN.keys() - {SCORES}


def chain(name: str, function: Callable[..., Any], kind: str) -> str:
    """Say why an object has no such verb or figure, and the chain of verbs that works.

    Examples
    --------
    >>> from irframe.verbs import pool
    >>> chain("pool", pool, "cube")
    'This is a cube, and pool is of a run frame: runs.ireval.pool(10)'
    """
    wanted = (takes(name, function) or (SCORES,))[0]
    returned = f"what {kind} returned" if kind in verbs(HOME) else f"a {kind}"
    subject = KNOWN[kind].what if kind in KNOWN else returned
    of = KNOWN[wanted].what if wanted in KNOWN else f"what {wanted} returns"
    of = "scores by depth" if kind == wanted == SCORES else of
    door = "ireval.plot" if function.__module__.startswith(FIGURES) else "ireval"
    call = f"{_path(wanted, kind)}.{door}.{name}({EXAMPLES.get(name, '')})"
    return f"This is {subject}, and {name} is of {of}: {call}"


def _path(wanted: str, kind: str) -> str:
    """Return how to have what a verb takes, from what there is."""
    if wanted == CUBE == kind:
        return "cube"
    if wanted == SCORES and kind in {CUBE, SCORES}:
        return f'{_path(CUBE, kind)}.ireval.score("AP")'
    if wanted in KNOWN:
        return KNOWN[wanted].source
    if wanted not in verbs(HOME):
        return ELSEWHERE[wanted]
    source = (takes(wanted, verbs(HOME)[wanted][0]) or (SCORES,))[0]
    return f"{_path(source, kind)}.ireval.{wanted}({EXAMPLES.get(wanted, '')})"


def _counts(subject: Any) -> list[str]:
    if isinstance(subject, xr.DataTree):
        return [_number(len(subject.children), "group")]
    if isinstance(subject, ScannedRuns):
        return [_number(len(subject.files), "file")]
    if not isinstance(subject, pd.DataFrame):
        dims = (words.METRIC, words.SYSTEM, words.REPEAT, words.TOPIC, words.DEPTH)
        return [_number(subject.sizes[dim], dim) for dim in dims if dim in subject.sizes]
    rows: Any = subject.reset_index(allow_duplicates=True)
    known = words.roles(rows.columns)
    repeats = [name for name in words.REPEAT_NAMES if name in subject.index.names]
    sides = {word: known.get(word, word) for word in (words.SYSTEM, *repeats, words.TOPIC)}
    present = {word: rows[[name]].iloc[:, 0] for word, name in sides.items() if name in rows}
    counts = [_number(column.nunique(), word) for word, column in present.items()]
    metrics = len(subject.attrs.get(words.METRICS, ()))
    return [*counts, _number(metrics, "metric") if metrics else _number(len(rows), "row")]


def _number(count: int, word: str) -> str:
    return words.counted(f"{count:,}", word)


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
    package, taken = import_module(home), dict[str, Any]()
    for name in package.__all__:
        function = getattr(package, name)
        if inspect.isfunction(function) and (kinds := subjects(function)):
            taken[name] = function, kinds
    return taken


def subjects(function: Callable[..., Any]) -> tuple[type, ...]:
    """Return the kinds of object, among those with an accessor, that a first argument may be."""
    from irframe.cubes.verb import VERBS  # noqa: PLC0415 - who asks has imported it

    first = next(iter(inspect.signature(function).parameters.values()), None)
    kind = None if first is None else first.annotation
    members = typing.get_args(kind) if isinstance(kind, UnionType) else (kind,)
    kinds = tuple(member for member in members if member in KINDS)
    of_trees = VERBS.get(function.__name__) is function and kinds != (pd.DataFrame,)
    return (*kinds, xr.DataTree) if of_trees else kinds


def offered(subject: Any, home: str) -> list[str]:
    """Return the verbs, or figures, of what an object is."""
    kind, every = kind_of(subject), verbs(home).items()
    return [n for n, (f, types) in every if _type(subject) in types and fits(n, f, kind)]


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
        if name in every:
            return chain(name, every[name][0], kind)
        door, figures = import_module("irframe").__all__, import_module(FIGURES).__all__
        known = dict.fromkeys(figures, "ireval.plot.{}") | dict.fromkeys(door, "ir.{}")
        known |= dict.fromkeys(verbs(HOME), "ireval.{}") | dict.fromkeys(every, "{}")
        meant = suggested(name, known)
        message = f"{_type(self._subject).__name__} has no verb {name!r}{suggest(name, known)}"
        if len(meant) != 1 or meant[0] not in every or self._function(meant[0]):
            return message
        return f"{message}. {chain(meant[0], every[meant[0]][0], kind)}"

    def __dir__(self) -> list[str]:
        own = [name for name in dir(type(self)) if name[0] != "_"]
        return sorted([*offered(self._subject, self._home), *own])

    def _next(self) -> Sequence[str]:
        kind = kind_of(self._subject)
        if kind in KNOWN:
            return KNOWN[kind].next
        figures = [f"plot.{name}" for name in offered(self._subject, FIGURES)]
        return [f"{name}()" for name in [*offered(self._subject, HOME), *figures][:5]]

    def _seen(self) -> str:
        """Say what the object was taken for, how large it is, and how it was decided."""
        from irframe.tables.captions import told  # noqa: PLC0415 - only when shown

        kind, attributes = kind_of(self._subject), getattr(self._subject, "attrs", {})
        what = kind if kind in KNOWN else f"result of {kind}"
        size = ": ".join(filter(None, [what, ", ".join(_counts(self._subject))]))
        if words.RESULT not in attributes:
            return size
        names = getattr(self._subject, "columns", getattr(self._subject, "variables", ()))
        ends = any(str(name).endswith("_low") for name in names)
        return f"{size}\n{told(attributes, interval='{}' if ends else '')}"

    def __repr__(self) -> str:
        return f"{self._seen()}\nnext: {', '.join(f'.{call}' for call in self._next())}"

    def _repr_html_(self) -> str:
        listed = ", ".join(f"<code>.{html(call)}</code>" for call in self._next())
        how = html(self._seen()).replace("\n", "<br>")
        return f"<p>{how}<br>next: {listed}</p>"


class Figures(Verbs):
    """The figures of one object."""

    _home = FIGURES


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
