"""What a study asks of what it reads: how deep rankings are, one order, and which systems."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import places, whole
from irframe.cubes.dask_tasks import slices_of
from irframe.cubes.verb import LOADED
from irframe.cubes.view import experiment_of
from irframe.errors import (
    DepthError,
    InputError,
    IrframeError,
    MetricError,
    ParameterError,
    warn,
)
from irframe.metrics import Metric
from irframe.names import DEPTH, SYSTEM, TOPIC


def read_depth(cube: xr.Dataset, depth: int | None) -> int:
    """Return how deep lists are read, by default as deep as the cube.

    Parameters
    ----------
    cube
        A cube.
    depth
        The depth asked for.

    Raises
    ------
    DepthError
        For a depth beyond the cube.
    MetricError
        If tied documents share their ranks, so that there is no one order to read.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> read_depth(cube, None), read_depth(cube, 10)
    (50, 10)
    """
    if cube.attrs["ties"] == "mean":
        advice = "build the cube with another ties="
        raise MetricError("one order of tied documents", "shared ranks, ties='mean'", advice)
    deepest = cube.sizes[DEPTH]
    if depth is None:
        return deepest
    advice = "build the cube with a greater depth=; missing ranks are empty"
    return whole("depth", depth, low=1, high=deepest, error=DepthError, advice=advice)


def attended(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube without systems and topics of which nothing is there, warning of them.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> dict(attended(cube).sizes) == dict(cube.sizes)
    True
    """
    there = experiment_of(cube).there
    kept = {SYSTEM: there.any(axis=1), TOPIC: there.any(axis=0)}
    for dim, some in kept.items():
        if not some.any():
            raise InputError(f"{dim}s of which something is there", "none")
        if not some.all():
            warn(f"{(~some).sum()} {dim}s of which nothing is there are left out")
            cube = cube.isel({dim: np.flatnonzero(some)})
    return cube


def loaded(values: xr.Variable, what: str) -> NDArray[Any]:
    """Return values in memory, refusing to load more of a lazy cube than a verb may.

    Parameters
    ----------
    values
        Some rankings of a cube.
    what
        What they are wanted for.
    """
    if values.chunks and values.nbytes > LOADED:
        wanted = f"at most {LOADED / 2**30:.3g} GiB of rankings for {what}"
        advice = "name two systems, select topics, or ask for less depth="
        raise InputError(wanted, f"{values.nbytes / 2**30:.3g} GiB", advice)
    return np.asarray(values.to_numpy())


def by_topics(cube: xr.Dataset) -> Iterator[xr.Dataset]:
    """Yield a cube in memory: whole, or where it is lazy one block of topics after the other.

    Parameters
    ----------
    cube
        A cube.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> [part.sizes["topic"] for part in by_topics(cube.chunk(topic=6))]
    [6, 6, 4]
    """
    grade = cube["grade"].variable
    if not grade.chunks:
        yield cube
        return
    for topics in slices_of(grade.chunksizes[TOPIC]):
        yield cube.isel({TOPIC: topics}).compute()


def shared(cube: xr.Dataset) -> xr.Dataset:
    """Return the topics of a cube in which all of its systems took part, warning of others.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> shared(cube).sizes["topic"]
    16
    """
    there = experiment_of(cube).there
    return cube if there.all() else cube.isel({TOPIC: shared_topics(there)})


def shared_topics(
    there: NDArray[np.bool_], error: type[IrframeError] = InputError
) -> NDArray[np.intp]:
    """Return the places of the topics in which all systems took part, warning of others.

    Parameters
    ----------
    there
        Whether a system took part in a topic, shape (system, topic).
    error
        What to raise if there is no such topic.

    Examples
    --------
    >>> shared_topics(np.ones((2, 3), bool))
    array([0, 1, 2])
    """
    kept = np.flatnonzero(there.all(axis=0))
    topics = there.shape[1]
    if not len(kept):
        advice = "compare fewer systems, or those of every collection apart with by="
        raise error("topics in which every system took part", "none", advice)
    if len(kept) < topics:
        left = topics - len(kept)
        warn(f"{left} of {topics} topics are left out: not all systems took part there")
    return kept


def refuse_deeper(metrics: Iterable[Metric], depth: int) -> None:
    """Raise for metrics whose own depth is beyond the one that lists are read to.

    Examples
    --------
    >>> from irframe.metrics import P
    >>> refuse_deeper([P() @ 20], 10)
    Traceback (most recent call last):
    ...
    irframe.errors.DepthError: wanted depth=10 to reach as deep as the metrics; found P@20.
    """
    deeper = [str(metric) for metric in metrics if (metric.depth or 1) > depth]
    if deeper:
        raise DepthError(f"depth={depth} to reach as deep as the metrics", ", ".join(deeper))


def against(
    labels: Sequence[Any], baseline: Hashable, systems: Hashable | Sequence[Hashable] | None
) -> tuple[int, list[int]]:
    """Return where a baseline stands, and the systems to hold against it, by default all others.

    Examples
    --------
    >>> against(["bm25", "ance", "splade"], "ance", None)
    (1, [0, 2])
    """
    (yardstick,) = places("systems to compare", [baseline], labels)
    if systems is None:
        others = [row for row in range(len(labels)) if row != yardstick]
    else:
        others = places("systems to compare", systems, labels)
    if yardstick in others:
        raise ParameterError("systems other than the baseline", repr(baseline))
    if not others or len(set(others)) < len(others):
        found = "none" if not others else "some again"
        raise ParameterError("at least one system beside the baseline, each once", found)
    return yardstick, others
