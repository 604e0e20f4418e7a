"""The accessor ``.ireval``: every verb is one call to the function of the same name."""

from collections.abc import Callable
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import pandas as pd
import xarray as xr

from irframe.cube.building import cube
from irframe.cube.evaluating import evaluate
from irframe.cube.scoring import score
from irframe.cube.tables import is_scores
from irframe.frames.judging import judge
from irframe.frames.ranking import rank
from irframe.inference.summary import summary
from irframe.names import ALIASES, DOC, TOPIC, roles
from irframe.plots.depth_curves import depth_curves
from irframe.studies.archetypes import archetypes
from irframe.studies.effort import effort_gain
from irframe.studies.misplacement import misplacement
from irframe.studies.orderings import display_order, orderings, separability
from irframe.studies.selection import select_top

P = ParamSpec("P")
R = TypeVar("R")


class Verb(Generic[P, R]):
    """A function offered as a method of an accessor, with the object as its first argument."""

    def __init__(self, function: Callable[Concatenate[Any, P], R]) -> None:
        self.function = function
        self.__doc__ = f"See `irframe.{function.__name__}`."

    def __get__(self, accessor: Any, owner: type) -> Callable[P, R]:
        if accessor is None:
            return self.function  # type: ignore[return-value]
        return MethodType(self.function, accessor.subject)


class _Accessor:
    def __init__(self, subject: Any) -> None:
        self.subject = subject


class ScoresPlots(_Accessor):
    """Figures of scores."""

    depth_curves = Verb(depth_curves)


@pd.api.extensions.register_dataframe_accessor("ireval")
class FrameAccessor(_Accessor):
    """Verbs of run frames, score frames and comparison frames."""

    def __init__(self, subject: pd.DataFrame) -> None:
        found = roles(subject.columns)
        if not ({TOPIC, DOC} <= set(found) or is_scores(subject)):
            wanted = "; ".join(f"{role}: {', '.join(names)}" for role, names in ALIASES.items())
            message = (
                "ireval needs a run frame (columns topic, doc and score or rank) or scores "
                f"(index system, topic; or columns topic, measure, value). Names per role: {wanted}"
            )
            raise AttributeError(message)
        super().__init__(subject)

    cube = Verb(cube)
    effort_gain = Verb(effort_gain)
    evaluate = Verb(evaluate)
    judge = Verb(judge)
    rank = Verb(rank)
    summary = Verb(summary)


@xr.register_dataset_accessor("ireval")  # type: ignore[no-untyped-call]
class CubeAccessor(_Accessor):
    """Verbs of cubes."""

    archetypes = Verb(archetypes)
    display_order = Verb(display_order)
    misplacement = Verb(misplacement)
    orderings = Verb(orderings)
    score = Verb(score)
    select_top = Verb(select_top)
    separability = Verb(separability)


@xr.register_dataarray_accessor("ireval")  # type: ignore[no-untyped-call]
class ScoresAccessor(_Accessor):
    """Verbs of arrays of scores."""

    effort_gain = Verb(effort_gain)
    select_top = Verb(select_top)
    summary = Verb(summary)

    @property
    def plot(self) -> ScoresPlots:
        """Figures of these scores."""
        return ScoresPlots(self.subject)
