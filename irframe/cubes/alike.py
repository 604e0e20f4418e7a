"""What verbs and figures of scores ask before they read: stops by name, costs, sides alike."""

import inspect
from collections.abc import Collection
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

import pandas as pd
import xarray as xr

from irframe.checks import listed
from irframe.errors import InputError, ParameterError
from irframe.files.tables import with_own_levels
from irframe.metrics.facts import COSTS
from irframe.names import DEPTH, LOWER, SYSTEM, UNIT, UNITS, plural, roles
from irframe.record import Function
from irframe.stops import AXES, DEPTHS, axis_of
from irframe.warned import during

COMPARING = {"compare", "discrimination", "rank_intervals", "risk"}
"""Verbs that hold systems against each other."""


def counting_costs(subject: Any) -> AbstractContextManager[None]:
    """Know inside which scores count a cost, where an object says so of its own."""
    costs = getattr(subject, "attrs", {}).get(LOWER, ())
    return during(COSTS, COSTS.get() | set(map(str, listed(costs))))


def asked_at(subject: Any, options: dict[str, Any], signature: inspect.Signature) -> dict[str, Any]:
    """Return keywords in which that of stops, such as ``budget=``, is what says where."""
    known = signature.parameters
    name = next((word for word in ("at", DEPTH) if word in known), None)
    word = next((word for word in options.keys() & AXES.keys() if word not in known), None)
    if word is None or name is None:
        return options
    if not isinstance(subject, xr.DataTree) and axis_of(subject).dim != word:
        wanted = f"scores at {plural(word)} for {word}="
        raise InputError(wanted, "none", f"score(..., {word}=) of a cube gives them")
    if options.get(name) is not None:
        raise ParameterError(f"{name}= or {word}=", "both", "leave one of them out")
    return {name if key == word else key: value for key, value in options.items()}


def reading(function: Function) -> Function:
    """Let a function of scores or results that is no verb take stops by name, and know costs."""
    signature = inspect.signature(function)
    first = next(iter(signature.parameters))

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if not arguments and first not in options:
            return function(**options)  # which raises
        subject = arguments[0] if arguments else options[first]
        with counting_costs(subject):
            return function(*arguments, **asked_at(subject, options, signature))

    call.__signature__ = signature  # type: ignore[attr-defined]
    del call.__wrapped__  # so that it may be told of keywords that it lacks
    return call  # type: ignore[return-value]


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


def refuse_mixed(values: Collection[Any]) -> None:
    """Raise if scores at stops are held against others at depths, or in another unit."""
    sides = {plural(DEPTH) for value in values if DEPTH in getattr(value, "dims", ())}
    for value in values:
        if (axis := axis_of(value)) is not DEPTHS:
            sides.add(str(value.attrs[axis.told]))
            wanted = f"scores at {plural(axis.dim)} in one unit on both sides"
    if len(sides) > 1:
        raise InputError(wanted, " and ".join(sorted(sides)))
