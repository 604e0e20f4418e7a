"""What the documents of rankings are called."""

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.cubes.view import experiment_of
from irframe.errors import InputError
from irframe.experiments.rank_table import rank
from irframe.names import DEPTH, DOC, EMPTY, RANK, SYSTEM, TOPIC, UNJUDGED, roles


def names_of(cube: xr.Dataset, depth: int, runs: pd.DataFrame | None = None) -> Array:
    """Return the names of the documents at the top of every ranking.

    Parameters
    ----------
    cube
        A cube, which knows what judged documents are called, and those that it took along from
        the frames of which it was built.
    depth
        How many ranks.
    runs
        The run frame that it was made of, which knows the names of all.

    Returns
    -------
    numpy.ndarray
        Objects (system, topic, rank), None where nothing is listed or no name is known, as of
        unjudged documents of stores, files and lists whose documents were removed.

    Raises
    ------
    InputError
        If the cube was made of other runs.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> int((names_of(cube, 3) == None).sum())
    0
    """
    experiment, grade = experiment_of(cube), cube["grade"].to_numpy()[..., :depth]
    judged = np.append(experiment.judgments.docs.astype(object), [None])[
        experiment.rows_at(grade.shape[-1])
    ]
    there = grade != EMPTY
    if runs is None:
        if experiment.listing is not None:
            others = experiment.listing.names(experiment.shape, grade.shape[-1])
            judged[grade == UNJUDGED] = others[grade == UNJUDGED]
        return np.asarray(judged)
    listed, told = _listed_names(cube, depth, runs), _is_name(judged)
    listed[~there] = None
    if (listed[told] != judged[told]).any() or not _is_name(listed[there]).all():
        raise InputError("the runs that the cube was made of", "rankings that differ from its own")
    return listed


def _is_name(names: Array) -> NDArray[np.bool_]:
    return np.asarray(names != None)  # noqa: E711 - by element


def _listed_names(cube: xr.Dataset, depth: int, runs: pd.DataFrame) -> Array:
    """Return the names that a run frame has at the ranks of a cube."""
    told = experiment_of(cube).made
    known = roles(runs.columns).get(SYSTEM)
    wanted = runs if known is None else runs[runs[known].isin(cube.indexes[SYSTEM])]
    ranked = rank(wanted, told["ties"], score_dtype=told["score_dtype"], seed=told.get("seed", 0))
    role = roles(ranked.columns)
    shape = cube.sizes[SYSTEM], cube.sizes[TOPIC], min(depth, cube.sizes[DEPTH])
    top = ranked[ranked[role[RANK]] <= shape[-1]]
    topics = cube.indexes[TOPIC].get_indexer(pd.Index(top[role[TOPIC]]))
    labels = cube.indexes[SYSTEM]
    systems = np.zeros(len(top), int) if known is None else labels.get_indexer(pd.Index(top[known]))
    inside = (topics >= 0) & (systems >= 0)
    names = np.full(shape, None, object)
    place = systems[inside], topics[inside], top[role[RANK]].to_numpy()[inside] - 1
    names[place] = top[role[DOC]].to_numpy()[inside]
    return names
