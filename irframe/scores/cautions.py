"""What a result is to be read with, in its attributes."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import xarray as xr

from irframe.errors import warn
from irframe.names import CAUTION

Labelled = TypeVar("Labelled", xr.Dataset, xr.DataArray)


def cautious(result: Labelled, messages: Iterable[str]) -> Labelled:
    """Warn of what a result is to be read with, once each, and say it in its attributes."""
    distinct = list(dict.fromkeys(messages))
    warn(*distinct)
    return noted(result, distinct)


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
    text = "; ".join(dict.fromkeys(messages))
    return {CAUTION: text} if text else {}


def united(*attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes as one, later ones first, with what each says to beware of.

    Examples
    --------
    >>> united({"n": 3, "caution": "few"}, {"caution": "old"})
    {'n': 3, 'caution': 'few; old'}
    """
    joined = {name: value for part in attributes for name, value in part.items()}
    return joined | caution(message for part in attributes for message in cautions_of(part))


def cautions_of(attributes: Mapping[Any, Any]) -> list[str]:
    """Return what a result says it is to be read with, if it says something."""
    return [str(attributes[CAUTION])] if CAUTION in attributes else []
