"""Scores as they come, arrays or frames, read as `Scores`; and what is said of topics left out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import listed
from irframe.cubes.score import refuse_repeated_depths
from irframe.cubes.score_arrays import lay_out, to_scores
from irframe.errors import DepthError, InputError, ParameterError, warn
from irframe.metrics.facts import READ_IN
from irframe.names import DEPTH, METRIC, REPEAT, SYSTEM, TOPIC
from irframe.scores.repeats import Over, read_repeats
from irframe.scores.scores import Scores, refuse_large
from irframe.warned import listing


def warn_left_out(scores: Scores) -> None:
    """Warn of topics that are left out, and where only one remains.

    Raises
    ------
    ParameterError
        If a metric has no topics to compare systems on.
    """
    counted = scores.scored.sum(axis=1).min(axis=1, initial=len(scores.topics))
    without = [label for label, count in zip(scores.metrics, counted, strict=True) if not count]
    if without:
        advice = "leave out the systems that lack scores, or these metrics"
        raise ParameterError("topics on which every system has a score", "none", advice, without)
    dropped = [
        f"{lost.sum()} of {len(scores.topics)} for {label} ({listing(scores.topics[lost])})"
        for label, lost in zip(scores.metrics, np.asarray(~scores.scored.all(axis=2)), strict=True)
        if lost.any()
    ]
    messages = []
    if dropped:
        details = "; ".join(dropped)
        messages.append(f"topics on which some system has no score are left out: {details}")
    if len(counted) and counted.min() == 1:
        messages.append("systems are compared on a single topic, which cannot show a difference")
    warn(*messages)


def refuse_infinite(metrics: list[str], scores: Array) -> None:
    """Raise if scores, metrics first, are infinite."""
    rows = zip(metrics, scores, strict=True)
    infinite = [metric for metric, values in rows if np.isinf(values).any()]
    if infinite:
        raise InputError("finite scores to compare systems by", "infinite ones", "", infinite)


Depths = int | Sequence[int] | None


def read_scores(scores: xr.DataArray | pd.DataFrame | Scores, over: Over = "both") -> Scores:
    """Read scores; those that are lazy are so until `Scores.load`.

    Parameters
    ----------
    scores
        An array or a frame of scores, as `to_scores` takes them; or such as were read.
    over
        What is generalised over where systems were run several times.

    Returns
    -------
    Scores
        All of them, with a label for everything; repeats are averaged and kept beside.
    """
    if isinstance(scores, Scores):
        return scores
    if isinstance(scores, xr.DataArray):
        return _of_array(to_scores(scores), over)
    values, metrics, labels, attrs = lay_out(scores)
    result = Scores(values[..., np.newaxis], metrics, labels[SYSTEM], labels[TOPIC], None, attrs)
    return read_repeats(result, labels[REPEAT], over) if REPEAT in labels else result


def _of_array(array: xr.DataArray, over: Over) -> Scores:
    several = REPEAT in array.dims
    if several and array.chunks is not None:
        refuse_large(array.nbytes)
        array = array.compute()
    lazy = array.chunks is not None
    values: Any = array.data if lazy else array.to_numpy()
    scores = Scores(
        values if DEPTH in array.dims else values[..., np.newaxis],
        [str(label) for label in array.indexes[METRIC]],
        array.indexes[SYSTEM],
        array.indexes[TOPIC],
        array.indexes[DEPTH] if DEPTH in array.dims else None,
        dict(array.attrs),
    )
    return read_repeats(scores, array.indexes[REPEAT], over) if several else scores


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
    depths = listed(at)
    what = "budgets" if READ_IN.get() else "depths"
    wanted = f"{what} scored, each once, from {index.min()} to {index.max()}"
    missing = [depth for depth in depths if depth not in index]
    if missing or not depths:
        deeper = any(np.isreal(depth) and depth > index.max() for depth in missing)
        advice = "score deeper, or ask for less" if deeper else "ask for some of those scored"
        found = f"{len(missing)} not scored" if missing else "none"
        raise DepthError(wanted, found, advice, missing)
    refuse_repeated_depths(depths, wanted)
    return scores.take(depth=index.get_indexer(pd.Index(depths)))
