"""What the figures of a cross-check share: its categories and the choice of a test."""

from collections.abc import Iterator

import xarray as xr

from irframe.errors import InputError, ParameterError
from irframe.tables.captions import told_test

CATEGORY_COLOURS = ("#00684C", "#8FD3B6", "#E69F00", "#9AA5B1", "#D55E00")
"""Both, neither, metric only, orderings only, both but opposed."""
ALWAYS = 4
"""Categories drawn whether they occur or not; an opposed verdict is drawn where there is one."""


def categories(verdict: xr.DataArray) -> Iterator[tuple[int, str, str]]:
    """Yield code, name and colour of the categories to draw.

    Parameters
    ----------
    verdict
        The verdicts drawn.
    """
    last = max(ALWAYS, 1 + int(verdict.max()))
    names = verdict.attrs["categories"]
    yield from zip(range(last), names, CATEGORY_COLOURS, strict=False)


def told_check(checked: xr.Dataset) -> str:
    """Say which tests were made of the metric and of the orderings, and at which level."""
    told = {**checked.attrs, "test": checked["test"].item()}
    return f"{told_test(told)}; orderings by the sign test"


def only_test(checked: xr.Dataset, test: str | None) -> xr.Dataset:
    """Return what was found by one test, which need not be named where there is only one."""
    if not {"verdict", "share", "rank"} <= set(checked.data_vars):
        raise InputError("what significance_agreement returned", "other data")
    names = [str(name) for name in checked["test"].to_numpy()]
    place = 0 if test is None and len(names) == 1 else None
    if place is None and test not in names:
        found = "none chosen" if test is None else repr(test)
        raise ParameterError("test= to be one of those checked", found, "", names)
    one = checked.isel(test=names.index(str(test)) if place is None else place)
    named = [str(name) for name in checked["category"].to_numpy()]
    return one.assign(verdict=one["verdict"].assign_attrs(categories=named))
