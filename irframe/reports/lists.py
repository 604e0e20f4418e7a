"""The top of every ranking, document by document."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.comparing.explain import names_of
from irframe.errors import InputError
from irframe.names import EMPTY, UNJUDGED
from irframe.reports.setting import text

SHOWN = 20
"""Ranks that are shown."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Documents and grades at the top of every ranking.

    Parameters
    ----------
    names
        The documents that occur, by name.
    doc
        Their positions there, -1 where a name is not known or nothing is listed;
        (system, topic, rank).
    grade
        Their grades, with the marks `UNJUDGED` and `EMPTY`; (system, topic, rank).
    """

    names: list[str]
    doc: NDArray[np.int32]
    grade: NDArray[np.int16]


def top_lists(cube: xr.Dataset, runs: pd.DataFrame | None) -> Lists:
    """Return the top of every ranking of a cube.

    Parameters
    ----------
    cube
        The cube.
    runs
        The run frame it was built from, which alone knows what unjudged documents are called;
        without one they have no name.
    """
    grade = cube["grade"].to_numpy()[..., :SHOWN].astype(np.int16)
    shown = grade.shape[-1]
    try:
        named = names_of(cube, shown, runs)
    except InputError:
        named = names_of(cube, shown)
    there = grade != EMPTY
    codes, names = pd.factorize(named[there])
    doc = np.full(grade.shape, -1, np.int32)
    doc[there] = codes
    return Lists([text(name) for name in names], doc, grade)


def mark(grade: int) -> str:
    """Return how a grade is written beside a document.

    Examples
    --------
    >>> mark(2), mark(UNJUDGED), mark(EMPTY)
    ('2', '?', '')
    """
    return {UNJUDGED: "?", EMPTY: ""}.get(grade, str(grade))
