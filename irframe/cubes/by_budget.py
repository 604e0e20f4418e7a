"""Scores at budgets of text, which verbs read as they read depths."""

import inspect
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

import pandas as pd
import xarray as xr

from irframe.checks import listed
from irframe.cubes.view import Labelled
from irframe.errors import InputError, ParameterError
from irframe.files.tables import with_own_levels
from irframe.metrics.facts import COSTS, READ_IN
from irframe.names import BUDGET, BUDGETS, DEPTH, LOWER, METRICS, RESULT, SYSTEM, UNIT, UNITS, roles
from irframe.record import Function
from irframe.warned import during

COMPARING = {"compare", "discrimination", "rank_intervals", "risk"}
"""Verbs that hold systems against each other."""
REPLAYED = "replay"
"""The verb whose budgets are of judgments."""
OTHER = "_other"
NAMES: dict[Hashable, str] = {BUDGET: DEPTH, BUDGET + OTHER: DEPTH + OTHER}


def at_budgets(subject: Any) -> bool:
    """Tell whether something is by budget of text, as scores and results are that say so."""
    attributes = getattr(subject, "attrs", {})
    if BUDGETS not in attributes or attributes.get(RESULT) == REPLAYED:
        return False
    if isinstance(subject, pd.DataFrame):
        return BUDGET in {*subject.columns, *subject.index.names}
    return isinstance(subject, Labelled) and BUDGET in {*subject.dims, *subject.coords}


def as_depths(subject: Any) -> Any:
    """Return the same by depth, where it is by budget of text.

    Examples
    --------
    >>> scores = xr.DataArray([1.0], {"budget": [500]}, attrs={"budgets": "tokens, whole units"})
    >>> as_depths(scores).dims
    ('depth',)
    """
    return _renamed(subject, NAMES) if at_budgets(subject) else subject


def as_budgets(result: Any) -> Any:
    """Return what a verb gave for depths that stand for budgets, by budget."""
    if isinstance(result, xr.DataTree):
        return result.map_over_datasets(as_budgets)
    return _renamed(result, {depth: str(budget) for budget, depth in NAMES.items()})


def _renamed(subject: Any, names: Mapping[Any, str]) -> Any:
    if isinstance(subject, pd.DataFrame):
        levels: Any = [names.get(name, name) for name in subject.index.names]
        metrics = subject.attrs.get(METRICS, ())
        renamed = subject.rename(columns={k: v for k, v in names.items() if k not in metrics})
        renamed.index = renamed.index.set_names(levels)
        renamed.attrs = dict(subject.attrs)
        return renamed
    if isinstance(subject, Labelled):
        held = {*subject.dims, *subject.coords, *getattr(subject, "data_vars", ())}
        return subject.rename({k: v for k, v in names.items() if k in held})
    return subject


def counting_costs(subject: Any) -> AbstractContextManager[None]:
    """Know inside which scores count a cost, where an object says so of its own."""
    costs = getattr(subject, "attrs", {}).get(LOWER, ())
    return during(COSTS, COSTS.get() | set(map(str, listed(costs))))


def counted_in(subject: Any) -> AbstractContextManager[None]:
    """Call depths inside what they are counted in, where they stand for budgets of text."""
    unit = str(subject.attrs[BUDGETS]).rpartition(",")[0] if at_budgets(subject) else READ_IN.get()
    return during(READ_IN, unit)


def asked_at(subject: Any, options: dict[str, Any], signature: inspect.Signature) -> dict[str, Any]:
    """Return keywords in which ``budget=`` of scores at budgets is what stands for their depths."""
    known = signature.parameters
    name = next((word for word in ("at", DEPTH) if word in known), None)
    if "budget" not in options or "budget" in known or name is None:
        return options
    if not isinstance(subject, xr.DataTree) and not at_budgets(subject):
        advice = "score(..., budget=) of a cube made with length= gives them"
        raise InputError("scores at budgets of text for budget=", "none", advice)
    if options.get(name) is not None:
        raise ParameterError(f"{name}= or budget=", "both", "leave one of them out")
    return {name if word == "budget" else word: value for word, value in options.items()}


def read_at_budgets(function: Function) -> Function:
    """Let a function of scores or results read those at budgets of text as it reads depths.

    Axes that it draws have their names.
    """
    signature = inspect.signature(function)
    first = next(iter(signature.parameters))

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if not arguments and first not in options:
            return function(**options)  # which raises
        subject, *arguments = arguments or (options.pop(first),)  # type: ignore[assignment]
        options = asked_at(subject, options, signature)
        with counting_costs(subject), counted_in(subject):
            drawn = function(as_depths(subject), *arguments, **options)
            unit = READ_IN.get()
        axes = drawn if isinstance(drawn, tuple | list) else [drawn]
        for ax in axes if at_budgets(subject) else ():
            for side in ("x", "y"):
                if hasattr(ax, f"get_{side}label"):
                    label = getattr(ax, f"get_{side}label")()
                    text = label.replace("evaluation depth k", f"budget, {unit}")
                    getattr(ax, f"set_{side}label")(text.replace("evaluation depth", "budget"))
        return drawn

    call.__signature__ = signature  # type: ignore[attr-defined]
    del call.__wrapped__  # so that it may be told of keywords that it lacks
    return call  # type: ignore[return-value]


def by_budget(
    answer: Callable[[inspect.BoundArguments], Any], bound: inspect.BoundArguments, verb: str
) -> Any:
    """Return what a verb answers, by budget where its scores are at budgets of text."""
    values = list(bound.arguments.values())
    if verb in COMPARING:
        refuse_units(values[0])
    given = [value for value in values if at_budgets(value)]
    with counting_costs(values[0]):
        if not given:
            return answer(bound)
        refuse_mixed(values, given)
        bound.arguments.update({name: as_depths(v) for name, v in bound.arguments.items()})
        with counted_in(given[0]):
            return as_budgets(answer(bound))


def refuse_units(scores: Any) -> None:
    """Raise for scores of systems whose lists are of different units, such as two chunkings.

    Those by spans of text, or of lists collapsed to documents, are on one footing.
    """
    attributes = getattr(scores, "attrs", {})
    if not isinstance(scores, xr.DataArray | pd.DataFrame) or isinstance(attributes.get(UNIT), str):
        return
    units = dict(attributes.get(UNITS, ()))
    if isinstance(scores, xr.DataArray) and UNIT in scores.coords:
        coordinate = scores[UNIT]
        if coordinate.dims == (SYSTEM,):
            units = dict(zip(scores[SYSTEM].to_numpy(), coordinate.to_numpy(), strict=True))
    elif units and isinstance(scores, pd.DataFrame):
        index = with_own_levels(scores).index
        present = {*index.unique(roles(index.names).get(SYSTEM)).astype(str)}
        units = {system: unit for system, unit in units.items() if system in present}
    if len({*units.values()}) > 1:
        offenders = [f"{system} of {unit}" for system, unit in units.items()]
        advice = "collapse to documents with of=, or judge spans of text"
        raise InputError("systems whose lists are of one unit", "several", advice, offenders)


def refuse_mixed(values: list[Any], given: list[Any]) -> None:
    """Raise if scores given at budgets are held against others at depths, or in another unit."""
    units = {str(side.attrs[BUDGETS]) for side in given}
    scores = [value for value in values if isinstance(value, xr.DataArray)]
    if any(DEPTH in array.dims and not at_budgets(array) for array in scores):
        units.add("depths")
    if len(units) > 1:
        raise InputError("scores at budgets in one unit on both sides", " and ".join(sorted(units)))
