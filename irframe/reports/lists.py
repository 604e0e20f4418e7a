"""The top of every ranking, document by document."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.frames.rank import rank
from irframe.names import DEPTH, DOC, EMPTY, RANK, SYSTEM, TOPIC, UNJUDGED, roles
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
    named = _judged_names(cube)
    if runs is not None:
        listed, known = _listed_names(cube, runs), named != None  # noqa: E711 - by element
        named = listed if (listed[known] == named[known]).all() else named
    there = grade != EMPTY
    codes, names = pd.factorize(named[there])
    doc = np.full(grade.shape, -1, np.int32)
    doc[there] = codes
    return Lists([text(name) for name in names], doc, grade)


def _judged_names(cube: xr.Dataset) -> NDArray[Any]:
    """Return the names of judged documents, None for others."""
    slot = cube["doc"].to_numpy()[..., :SHOWN]
    judged = cube["judged_doc"].to_numpy().astype(object)
    names = np.concatenate([judged, np.array([None], object)])
    start = cube["judged_start"].to_numpy()[:, np.newaxis]
    return np.asarray(names[np.where(slot < 0, -1, slot + start)])


def _listed_names(cube: xr.Dataset, runs: pd.DataFrame) -> NDArray[Any]:
    """Return the names that a run frame has at the ranks of a cube."""
    told = cube.attrs
    ranked = rank(runs, told["ties"], score_dtype=told["score_dtype"], seed=told.get("seed", 0))
    role = roles(ranked.columns)
    top = ranked[ranked[role[RANK]] <= min(SHOWN, cube.sizes[DEPTH])]
    topics = cube.indexes[TOPIC].get_indexer(pd.Index(top[role[TOPIC]]))
    known = role.get(SYSTEM)
    systems = (
        cube.indexes[SYSTEM].get_indexer(pd.Index(top[known])) if known else np.zeros(len(top), int)
    )
    inside = (topics >= 0) & (systems >= 0)
    shape = cube.sizes[SYSTEM], cube.sizes[TOPIC], min(SHOWN, cube.sizes[DEPTH])
    names = np.full(shape, None, object)
    place = systems[inside], topics[inside], top[role[RANK]].to_numpy()[inside] - 1
    names[place] = top[role[DOC]].to_numpy()[inside]
    return names


def mark(grade: int) -> str:
    """Return how a grade is written beside a document.

    Examples
    --------
    >>> mark(2), mark(UNJUDGED), mark(EMPTY)
    ('2', '?', '')
    """
    return {UNJUDGED: "?", EMPTY: ""}.get(grade, str(grade))
