"""Scores as they come, an array or a frame, as `Scores`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import listed
from irframe.cubes.score import refuse_repeated_depths
from irframe.cubes.score_arrays import arrays_of, to_scores
from irframe.errors import DepthError, ParameterError, warn
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.scores.scores import Scores
from irframe.scores.topics_left_out import left_out, refuse_infinite

Depths = int | Sequence[int] | None


def read_scores(scores: xr.DataArray | pd.DataFrame | Scores) -> Scores:
    """Read scores; those that are lazy are so until `Scores.load`.

    Parameters
    ----------
    scores
        An array or a frame of scores, as `to_scores` takes them; or such as were read.

    Returns
    -------
    Scores
        All of them, with a label for everything.
    """
    if isinstance(scores, Scores):
        return scores
    if isinstance(scores, xr.DataArray):
        return scores_of(to_scores(scores))
    values, metrics, systems, topics = arrays_of(scores)
    return Scores(values[..., np.newaxis], metrics, systems, topics, None)


def scores_of(array: xr.DataArray) -> Scores:
    """Return an array over (metric, system, topic) and, if there is one, depth as scores."""
    lazy = array.chunks is not None
    values: Any = array.data if lazy else array.to_numpy()
    return Scores(
        values if DEPTH in array.dims else values[..., np.newaxis],
        [str(label) for label in array.indexes[METRIC]],
        array.indexes[SYSTEM],
        array.indexes[TOPIC],
        array.indexes[DEPTH] if DEPTH in array.dims else None,
        dict(array.attrs),
    )


def scores_to_compare(
    scores: xr.DataArray | pd.DataFrame | Scores, at: Depths = None, *, quiet: bool = False
) -> Scores:
    """Read scores for a comparison of systems.

    Parameters
    ----------
    scores
        An array or a frame of scores; or such as were read, labels of which may be repeated.
    at
        Depths to keep; by default all.
    quiet
        Whether topics left out are nobody's news, because the other side has told of them.

    Returns
    -------
    Scores
        Those of at least two systems, finite, in memory.

    Raises
    ------
    ParameterError
        If there are fewer than two systems, or a metric has no topic on which all have a score.
    InputError
        For infinite scores, listing the metrics; for lazy ones that are too large.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them, or only one remains.
    """
    read = read_scores(scores)
    if at is not None:
        read = select_depths(read, at)
    if len(read.systems) < 2:
        raise ParameterError("at least two systems to compare", f"{len(read.systems)}")
    read = read.load()
    refuse_infinite(read.metrics, read.values)
    if not quiet:
        warn_left_out(read)
    return read


def select_depths(scores: Scores, at: int | Sequence[int]) -> Scores:
    """Return scores at some depths, in the order asked for; those not scored are named."""
    index = scores.depths
    if index is None:
        advice = "leave at= out; each metric stands for the depth in its name"
        raise DepthError("scores by depth", "scores without depths", advice)
    asked = listed(at)
    wanted = f"depths scored, each once, from {index.min()} to {index.max()}"
    missing = [depth for depth in asked if depth not in index]
    if missing or not asked:
        deeper = any(np.isreal(depth) and depth > index.max() for depth in missing)
        advice = "score deeper, or ask for less" if deeper else "ask for some of those scored"
        found = f"{len(missing)} not scored" if missing else "none"
        raise DepthError(wanted, found, advice, missing)
    refuse_repeated_depths(asked, wanted)
    return scores.take(depth=index.get_indexer(pd.Index(asked)))


def warn_left_out(scores: Scores) -> None:
    """Raise if a metric has no topics to compare systems on, and warn of those it leaves out."""
    for message in left_out(scores):
        warn(message)
