"""The accessor ``.ireval``: every verb is one call to the function of the same name.

A function is a verb of the kinds of object that its first argument may be. Functions are
found when first called, so that registering the accessor costs nothing.
"""

import inspect
import typing
from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from types import MethodType, UnionType
from typing import Any

import pandas as pd
import xarray as xr

from irframe.elsewhere import suggest, suggested
from irframe.files.read_run import ScannedRuns
from irframe.kinds import (
    JUDGMENTS,
    OTHER,
    RUNS,
    SCORES,
    chain,
    fits,
    kind_of,
    shown,
    shown_as_html,
    takes,
)
from irframe.names import ALIASES
from irframe.record import Step, steps_of

KINDS = (pd.DataFrame, xr.Dataset, xr.DataArray, xr.DataTree, ScannedRuns)
"""What has an accessor. A tree has the verbs of its branches."""
HOME = "irframe.verbs"


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
    found = tuple(each for each in (typing.get_args(kind) if union else (kind,)) if each in KINDS)
    from irframe.cubes.verb import VERBS  # noqa: PLC0415 - who asks has imported it

    of_trees = VERBS.get(function.__name__) is function and found != (pd.DataFrame,)
    return (*found, xr.DataTree) if of_trees else found


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
        return None if self._is_of_another(name, function) else function

    def _is_of_another(self, name: str, function: Callable[..., Any]) -> bool:
        """Tell whether runs and judgments are asked for a verb of scores, and the like."""
        clear, wanted = {RUNS, JUDGMENTS, SCORES}, set(takes(name, function))
        others = clear - wanted if wanted & clear else set()
        # what is kept by an old pandas may have been changed since
        return self._kind in others and kind_of(self._subject) in others

    def _unknown(self, name: str) -> str:
        every, kind = verbs(self._home), kind_of(self._subject)
        functions = {verb: function for verb, (function, _) in verbs(HOME).items()}
        if name in every:
            return chain(name, every[name][0], functions, kind)
        door, figures = import_module("irframe").__all__, import_module("irframe.plots").__all__
        known = dict.fromkeys(every, "{}")
        homes = {"ireval.{}": functions, "ir.{}": door, "ireval.plot.{}": figures}
        for form, names in homes.items():
            known |= {each: form for each in names if each not in known}
        meant = suggested(name, known)
        told = f"{_type(self._subject).__name__} has no verb {name!r}{suggest(name, known)}"
        if len(meant) != 1 or meant[0] not in every or self._function(meant[0]):
            return told
        return f"{told}. {chain(meant[0], every[meant[0]][0], functions, kind)}"

    def _names(self) -> list[str]:
        type_, kind = _type(self._subject), kind_of(self._subject)
        every = verbs(self._home).items()
        return [name for name, (f, types) in every if type_ in types and fits(name, f, kind)]

    def __dir__(self) -> list[str]:
        return sorted([*self._names(), *(name for name in dir(type(self)) if name[0] != "_")])

    def __repr__(self) -> str:
        return shown(self._subject, self._names())

    def _repr_html_(self) -> str:
        return shown_as_html(self._subject, self._names())


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
            wanted = "; ".join(f"{role}: {', '.join(names)}" for role, names in ALIASES.items())
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
