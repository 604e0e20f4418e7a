"""The accessor ``.ireval``, whose methods are the verbs.

Each of these methods calls the function of the same name in `irframe.verbs` with the object as
first argument.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, wraps
from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any

import pandas as pd
import xarray as xr

from irframe import kinds
from irframe import names as words
from irframe.arrays import low_to_high
from irframe.elsewhere import meant_by, suggest, suggested
from irframe.errors import DepthError, InputError, ParameterError
from irframe.escaping import html
from irframe.files.scan_runs import ScannedRuns
from irframe.printed import excerpt
from irframe.record import Step, steps_of

if TYPE_CHECKING:
    from irframe.metrics.base import Metric


def _counts(subject: kinds.Subject) -> list[str]:
    if isinstance(subject, ScannedRuns):
        return [_number(len(subject.files), "file")]
    if not isinstance(subject, pd.DataFrame):
        dims = (words.METRIC, words.SYSTEM, words.REPEAT, words.TOPIC, words.DEPTH)
        counts = [_number(subject.sizes[dim], dim) for dim in dims if dim in subject.sizes]
        return [*counts, *_judged_share(subject)]
    rows = subject.reset_index(allow_duplicates=True)
    roles = words.roles(rows.columns)
    repeats = [name for name in words.REPEAT_NAMES if name in subject.index.names]
    names = {role: roles.get(role, role) for role in (words.SYSTEM, *repeats, words.TOPIC)}
    # if two columns have the same name, the first of them is counted
    columns = {role: rows[[name]].iloc[:, 0] for role, name in names.items() if name in rows}
    counts = [_number(column.nunique(), role) for role, column in columns.items()]
    metrics = len(subject.attrs.get(words.METRICS, ()))
    return [*counts, _number(metrics, "metric") if metrics else _number(len(rows), "row")]


def _judged_share(subject: xr.Dataset | xr.DataArray) -> list[str]:
    """Describe the grades, and the share of judged documents."""
    if "experiment" not in subject.attrs or not {"retrieved", "unjudged"} <= {*subject.coords}:
        return []
    experiment = subject.attrs["experiment"]
    levels = experiment.judgments.levels
    length = subject["retrieved"].to_numpy().sum()
    share = f"{1 - subject['unjudged'].to_numpy().sum() / max(length, 1):.0%} of documents judged"
    grades = [f"grades {low_to_high(levels)}"] if len(levels) else []
    return [*grades, share]


def _number(count: int, noun: str) -> str:
    return words.counted(f"{count:,}", noun)


class Verbs:
    """Methods of an object, such as a cube."""

    _home = kinds.HOME

    def __init__(self, subject: kinds.Subject) -> None:
        self._subject = subject

    @cached_property
    def _kind(self) -> str:
        return kinds.kind_of(self._subject)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        # pickle and copy look up private names before _subject is set
        if name.startswith("_"):
            raise AttributeError(name)
        function = self._function(name)
        if function is None:
            raise AttributeError(self._unknown(name))
        # help prints the signature of a bound method, which has no parameter for the object
        return MethodType(self._leading(name, function), self._called_of())

    def _called_of(self) -> Any:
        """Return the object to pass as first argument."""
        return self._subject

    def _leading(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a verb, so that errors show a correct call."""

        @wraps(function)
        def call(*arguments: object, **options: object) -> object:
            try:
                return function(*arguments, **options)
            except (InputError, DepthError, ParameterError) as error:
                # if the verb does not fit the object, the error should say so instead
                if name in kinds.offered(self._subject, self._home):
                    raise
                improved: Exception = error.within("", self._unknown(name))
            except TypeError as error:
                if not re.match(rf"{name}\(\):? missing .*required", str(error)):
                    raise
                offered = name in kinds.offered(self._subject, self._home)
                call = f"as in .ireval.{kinds.example(name, self._subject, self._home)}"
                improved = TypeError(f"{error}, {call}" if offered else self._unknown(name))
            raise improved from None

        return call

    def _function(self, name: str) -> Callable[..., Any] | None:
        package = import_module(self._home)
        function = getattr(package, name) if name in package.__all__ else None
        if not inspect.isfunction(function) or kinds.type_of(self._subject) not in kinds.subjects(
            function
        ):
            return None
        tables = {kinds.RUNS, kinds.JUDGMENTS, kinds.SCORES}
        accepted = {*kinds.takes(name, function)}
        refused = tables - accepted if accepted & tables else set()
        refused |= {kinds.CUBE} - accepted if accepted else set()
        # pandas before 3 caches the accessor, so the cached kind of a changed frame may be wrong
        is_refused = self._kind in refused and kinds.kind_of(self._subject) in refused
        return None if is_refused else function

    def _unknown(self, name: str) -> str:
        every = kinds.verbs(self._home)
        kind = kinds.kind_of(self._subject)
        if name in every:
            return kinds.chain(name, every[name][0], kind, self._subject)
        figures = kinds.verbs(kinds.FIGURES)
        forms = dict.fromkeys(figures, "ireval.plot.{}")
        forms |= dict.fromkeys(import_module("irframe").__all__, "ir.{}")
        forms |= dict.fromkeys(kinds.verbs(kinds.HOME), "ireval.{}") | dict.fromkeys(every, "{}")
        noun = "figure" if self._home == kinds.FIGURES else "verb"
        type_name = kinds.type_of(self._subject).__name__
        message = f"{type_name} has no {noun} {name!r}"
        shown = [figure for figure in figures if name in kinds.takes(figure, figures[figure][0])]
        meant = shown if self._home == kinds.FIGURES and shown else suggested(name, forms)
        of_verbs = noun == "figure" or kinds.verbs(kinds.HOME).keys() & {*meant}
        metric = None if of_verbs else _metric(name)
        if not meant and not metric and hasattr(type(self._subject), name):
            return f"{message}, but {type_name} has a method of this name: call it without .ireval"
        if metric:
            return f"{message}, but irframe has the metric {metric}{self._scoring(metric)}"
        hint = suggest(name, forms, shown if meant is shown else ())
        if not hint and (meant := kinds.with_column(name)):
            hint = f" (a column of the result of {' or '.join(meant)})"
        return f"{message}{hint}{self._leads(meant, kind)}"

    def _leads(self, meant: list[str], kind: str) -> str:
        """Return example calls of suggested verbs for an error message."""
        of_objects = kinds.verbs(kinds.HOME) if self._home == kinds.HOME else {}
        homes = {name: kinds.HOME if name in of_objects else kinds.FIGURES for name in meant}
        defined = {name: home for name, home in homes.items() if name in kinds.verbs(home)}
        offered = [n for n, home in defined.items() if n in kinds.offered(self._subject, home)]
        if offered:
            calls = (f".ireval.{kinds.example(n, self._subject, homes[n])}" for n in offered)
            return f": {' or '.join(calls)}"
        for name, home in defined.items():
            return f". {kinds.chain(name, kinds.verbs(home)[name][0], kind, self._subject)}"
        return ""

    def _scoring(self, metric: "Metric") -> str:
        """Return an example call that computes a metric."""
        if kinds.kind_of(self._subject) not in {kinds.RUNS, kinds.SCANNED}:
            return f': cube.ireval.score("{metric}")'
        return f': .ireval.evaluate(qrels, "{metric if metric.uncut() else metric @ 10}")'

    def __dir__(self) -> list[str]:
        public = [name for name in dir(type(self)) if name[0] != "_"]
        return sorted([*kinds.offered(self._subject, self._home), *public])

    def _next(self) -> Sequence[str]:
        kind = kinds.kind_of(self._subject)
        if kind in kinds.KNOWN:
            return [kinds.example(name, self._subject) for name in kinds.KNOWN[kind].next]
        return [
            kinds.example(name, self._subject, home)
            for home in (kinds.HOME, kinds.FIGURES)
            for name in kinds.offered(self._subject, home)
            # an example of groupby is not possible, because only the user knows the groups
            if name != "groupby"
        ][:5]

    def _described(self) -> str:
        """Describe the kind, size and settings of the object."""
        from irframe.tables.captions import caption_text  # noqa: PLC0415 - only when shown

        kind = kinds.kind_of(self._subject)
        attributes = getattr(self._subject, "attrs", {})
        title = kind if kind in kinds.KNOWN else f"result of {kind}"
        size = ": ".join(filter(None, [title, ", ".join(_counts(self._subject))]))
        if words.RESULT not in attributes:
            return size
        names = getattr(self._subject, "columns", getattr(self._subject, "variables", ()))
        ends = any(str(name).endswith("_low") for name in names)
        return f"{size}\n{caption_text(attributes, interval='{}' if ends else '')}"

    def __repr__(self) -> str:
        is_result = kinds.kind_of(self._subject) not in kinds.KNOWN
        shown = excerpt(self._subject) if is_result else ""
        calls = f"next: {', '.join(f'.{call}' for call in self._next())}"
        return "\n".join(filter(None, [self._described(), shown, calls]))

    def _repr_html_(self) -> str:
        listed = ", ".join(f"<code>.{html(call)}</code>" for call in self._next())
        description = html(self._described()).replace("\n", "<br>")
        return f"<p>{description}<br>next: {listed}</p>"


class Figures(Verbs):
    """Accessor ``.ireval.plot``, whose methods draw figures of an object."""

    _home = kinds.FIGURES

    def __call__(self, kind: str | None = None) -> Any:
        """Draw a figure by its name.

        If no name is passed, an error lists the available figures.
        """
        if kind is not None:
            return getattr(self, kind)()
        calls = [f".ireval.{kinds.example(n, self._subject, kinds.FIGURES)}" for n in dir(self)]
        advice = f"draw a figure: {' or '.join(calls)}"
        raise InputError("the name of a figure", "no name", advice)


@xr.register_dataset_accessor("ireval")  # type: ignore[no-untyped-call]
@xr.register_dataarray_accessor("ireval")  # type: ignore[no-untyped-call]
class Accessor(Verbs):
    """Accessor of xarray objects: cubes, arrays of scores, and results."""

    def __init__(self, subject: object) -> None:
        super().__init__(_with_metrics(subject))

    @property
    def plot(self) -> Figures:
        """Plotting methods of this object."""
        return Figures(self._subject)

    @property
    def record(self) -> list[Step]:
        """The function calls that produced this object, with their options.

        If an option was a frame or array, the record contains a digest of its values.
        ``step.again(x)`` calls the function of a step on ``x`` with the same options.

        Examples
        --------
        >>> import irframe as ir
        >>> scores = ir.evaluate(*ir.example_track(), "AP")
        >>> step = scores.ireval.rank_intervals("bootstrap", resamples=30).ireval.record[-1]
        >>> again = step.again(scores)
        >>> step.options["rank_interval"], step.options["samples"], again.ireval.record[-1] == step
        ('bootstrap', 30, True)
        """
        return steps_of(self._subject)


ScannedRuns.access = Accessor


@pd.api.extensions.register_dataframe_accessor("ireval")
class FrameAccessor(Accessor):
    """Accessor of frames: runs, judgments, scores and results."""

    def __init__(self, subject: pd.DataFrame) -> None:
        super().__init__(subject)
        if self._kind == kinds.OTHER:
            from irframe.cubes.score_frames import advice_of  # noqa: PLC0415 - only when asked

            accepted = (f"{role}: {', '.join(names)}" for role, names in words.ALIASES.items())
            message = (
                "ireval needs a run frame (columns topic, doc and score or rank), scores (index "
                "system, topic; or columns topic, measure, value), labels of nuggets (columns "
                "topic, nugget, importance, assignment) or the result of a verb, with its attrs. "
                f"Accepted column names: {'; '.join(accepted)}. For scores: {advice_of(subject)}"
            )
            # pandas requires an AttributeError, so that hasattr and completion ignore the accessor
            raise AttributeError(message)


@pd.api.extensions.register_series_accessor("ireval")
class SeriesAccessor(FrameAccessor):
    """Accessor of a column of scores.

    A column of scores has the same methods as a frame with only this column.
    """

    def __init__(self, subject: pd.Series) -> None:
        from irframe.cubes import score_frames  # noqa: PLC0415 - only when asked
        from irframe.cubes.parse_scores import as_scores  # noqa: PLC0415

        if not score_frames.is_scores(subject):
            advice = score_frames.advice_of(score_frames.score_frame(subject))
            message = (
                f"ireval needs a column of scores, with system and topic in its index: {advice}"
            )
            raise AttributeError(message)
        super().__init__(as_scores(subject))


def _with_metrics(subject: object) -> Any:
    """Join the variables of a dataset into an array.

    If all variables contain scores, each variable becomes a metric of the array. Other objects are
    returned unchanged.
    """
    if not isinstance(subject, xr.Dataset) or {words.RESULT, "experiment"} & subject.attrs.keys():
        return subject
    variables = subject.data_vars.values()
    scored = all({words.SYSTEM, words.TOPIC} <= {*variable.dims} for variable in variables)
    numbers = all(variable.dtype.kind in "fiu" for variable in variables)
    # a dataset with grades is a cube, even if its experiment was lost
    named = words.GRADE not in subject and words.METRIC not in subject.coords
    return (
        subject.to_dataarray(words.METRIC)
        if variables and scored and numbers and named
        else subject
    )


def _metric(name: str) -> "Metric | None":
    """Return the metric with a name or synonym, or None."""
    from irframe.errors import MetricError  # noqa: PLC0415 - only when asked
    from irframe.metrics import METRICS  # noqa: PLC0415 - the same
    from irframe.metrics.parse_metric import parse_metric  # noqa: PLC0415 - the same

    for candidate in [name, *meant_by(name, METRICS)[:1]]:
        with suppress(MetricError):
            return parse_metric(candidate)
    return None
