"""What is to be said of numbers that rest on few topics, when they are made and wherever shown."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
import xarray as xr

from irframe.cubes.provenance import CAUTION
from irframe.errors import warn
from irframe.metrics.facts import facts

Labelled = TypeVar("Labelled", xr.Dataset, xr.DataArray)


def cautious(result: Labelled, messages: Iterable[str]) -> Labelled:
    """Warn of what a result is to be read with, once each, and say it in its attributes."""
    told = list(dict.fromkeys(messages))
    for message in told:
        warn(message)
    return noted(result, told)


def noted(result: Labelled, messages: Iterable[str]) -> Labelled:
    """Say in a result's attributes what it is to be read with.

    Examples
    --------
    >>> noted(xr.Dataset(), ["one", "another"]).attrs
    {'caution': 'one; another'}
    """
    return result.assign_attrs(caution([*cautions_of(result.attrs), *messages]))


def caution(messages: Iterable[str]) -> dict[str, str]:
    """Return the attribute that says what a result is to be read with, if there is something."""
    told = "; ".join(dict.fromkeys(messages))
    return {CAUTION: told} if told else {}


def cautions_of(attributes: Mapping[Any, Any]) -> list[str]:
    """Return what a result says it is to be read with, if it says something."""
    return [str(attributes[CAUTION])] if CAUTION in attributes else []


def few_topics(topics: Mapping[str, Any]) -> list[str]:
    """Say of which metrics means over so few topics have intervals that hold less often.

    Examples
    --------
    >>> few_topics({"AP": np.array([5]), "RR": np.array([5, 6])})
    ['intervals of a mean RR hold less often than they say below 8 topics: 5']
    """
    found = []
    for label, counted in topics.items():
        least = facts(label).least_topics
        few = counted[(counted > 1) & (counted < least)]
        if few.size:
            what = f"intervals of a mean {label} hold less often than they say"
            found.append(f"{what} below {least} topics: {few.min()}")
    return found


def guess(topics: Any) -> str:
    """Say that what is planned is guessed from a pilot of so many topics.

    Examples
    --------
    >>> guess([16, 16])
    'a guess from a pilot of 16 topics'
    """
    low, high = int(np.min(topics)), int(np.max(topics))
    counted = f"{high}" if low == high else f"{low} to {high}"
    return f"a guess from a pilot of {counted} topics"
