"""One result per group of systems or topics."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pandas as pd
import xarray as xr

from irframe.cubes.tables import score_groups
from irframe.errors import ParameterError
from irframe.names import SYSTEM

Scores = xr.DataArray | pd.DataFrame
Labelled = TypeVar("Labelled", xr.DataArray, xr.Dataset)


def each_group(scores: Scores, by: str | None, other: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    """Split scores, and another array or frame of scores with them, by a group.

    Parameters
    ----------
    scores
        Scores.
    by
        An index level, column or coordinate; None for one group of everything.
    other
        Scores that are split alike, or anything else, which every group gets as it is.

    Yields
    ------
    key, scores, other
        A group.

    Raises
    ------
    ParameterError
        If there is no such group, a group has fewer than two systems, or the two sides have
        different groups.
    """
    if by is None:
        yield None, scores, other
        return
    parts = dict(score_groups(scores, by))
    small = [str(key) for key, part in parts.items() if part.sizes[SYSTEM] < 2]
    if small:
        wanted = f"at least two systems in every group ({by})"
        raise ParameterError(wanted, "fewer in", "leave these groups out", small)
    if not isinstance(other, xr.DataArray | pd.DataFrame):
        yield from ((key, part, other) for key, part in parts.items())
        return
    others = dict(score_groups(other, by))
    differing = sorted(map(str, set(parts) ^ set(others)))
    if differing:
        raise ParameterError(f"the same groups ({by}) on both sides", "others", "", differing)
    yield from ((key, part, others[key]) for key, part in parts.items())


def per_group(
    compute: Callable[[Any, Any], Labelled], scores: Scores, by: str | None, other: Any = None
) -> Labelled:
    """Compute a labelled result for every group, the group's name as first dimension."""
    results = {key: compute(part, rest) for key, part, rest in each_group(scores, by, other)}
    if by is None:
        return results[None]
    joined: Labelled = xr.concat(
        list(results.values()), dim=pd.Index(list(results), name=by), join="outer"
    )
    return joined
