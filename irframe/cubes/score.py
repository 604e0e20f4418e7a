"""Metrics on cubes: labels off, compute, labels on."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.cube import CELL, JUDGED
from irframe.cubes.gate import require_cube
from irframe.errors import DepthError, MetricError, ParameterError
from irframe.gains import GainMap
from irframe.metrics import Evidence, Metric, parse_metric
from irframe.metrics.base import MetricType
from irframe.names import DEPTH, EMPTY, METRIC, SYSTEM, TOPIC

BLOCK = 1 << 17
"""Cells scored at a time by a thread: a few arrays of that size fit the processor's cache."""

Array = NDArray[Any]
Metrics = Iterable[Metric | MetricType | str] | Metric | MetricType | str
Kernel = Callable[
    [Sequence[Array], dict[str, Any], Sequence[Metric], Sequence[int]], Iterator[Array]
]


def score(
    cube: xr.Dataset,
    *metrics: Metric | MetricType | str,
    at: int | Sequence[int] | None = None,
    no_rel: str | None = None,
) -> xr.DataArray:
    """Score every ranking of a cube with some metrics, at every depth in one pass.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`; may be backed by dask, and then nothing is computed.
    metrics
        Metrics or their names, such as ``"AP"``, ``"nDCG@10"``, ``RBP(p=0.8)``.
    at
        Depths to return, within the cube; by default all.
    no_rel
        ``"nan"``: topics without relevant documents score NaN, whatever the metric.

    Returns
    -------
    xarray.DataArray
        Scores, dimensions (metric, system, topic, depth), float64. A metric with a depth of
        its own is constant from there on.

    Raises
    ------
    MetricError
        For an unknown metric, or one that the cube's ties do not allow.
    DepthError
        For depths beyond the cube.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> cube = ir.cube(runs, qrels)
    >>> score(cube, "AP", "RBP(p=0.5)", at=[5, 10]).sizes["depth"]
    2
    """
    chosen = parse_metrics(metrics)
    depths = wanted_depths(cube, chosen, at)
    refuse_metrics(cube, chosen)
    if no_rel not in {None, "nan"}:
        raise ParameterError("no_rel None or 'nan'", repr(no_rel))
    base = recall_base(cube, chosen)
    cells = [cube["grade"], cube["retrieved"]]
    if cube.attrs.get("ties") == "mean":
        cells += [cube["tied"], cube["tail"], cube["tail_size"]]
    result = label_scores(cube, in_blocks(cells, base, chosen, depths), chosen, depths)
    return result.where(_has_relevant(cube, chosen)) if no_rel == "nan" else result


def label_scores(
    cube: xr.Dataset, values: xr.DataArray, metrics: Sequence[Metric], depths: Sequence[int]
) -> xr.DataArray:
    """Return scores with the labels of their metrics, depths and cube."""
    labels = {METRIC: [str(metric) for metric in metrics], DEPTH: np.array(depths)}
    kept = {name: cube[name] for name in cube.coords if name not in {DEPTH, "level"}}
    attributes = {name: cube.attrs[name] for name in ("pool_depth",) if name in cube.attrs}
    return values.assign_coords(kept | labels).assign_attrs(attributes).rename("score")


def in_blocks(
    cells: list[xr.DataArray],
    base: dict[str, Any],
    metrics: Sequence[Metric],
    depths: Sequence[int],
    *,
    kernel: Kernel | None = None,
    each: int = 1,
) -> xr.DataArray:
    """Apply a function to all rankings, a block at a time, lazily where the cube is.

    Parameters
    ----------
    cells, base, metrics, depths
        What `kernel` takes.
    kernel
        A function like `score_cells`, which is the default.
    each
        How many arrays it yields for a metric.

    Returns
    -------
    xarray.DataArray
        Dimensions (metric, system, topic, depth), the arrays of a metric side by side.
    """
    scores = _lazy if cells[0].chunks else _eager
    return scores(cells, base, metrics, depths, kernel or score_cells, each)


def parse_metrics(metrics: Metrics) -> list[Metric]:
    """Return metrics from names, refusing none and repeated ones."""
    if isinstance(metrics, str | Metric | MetricType):
        metrics = [metrics]
    chosen = [parse_metric(metric) for metric in metrics]
    repeated = {str(metric) for metric in chosen if chosen.count(metric) > 1}
    if repeated or not chosen:
        raise MetricError("at least one metric, each once", "otherwise", "", sorted(repeated))
    return chosen


def refuse_metrics(cube: xr.Dataset, metrics: Sequence[Metric]) -> None:
    """Raise for metrics that cannot be computed on this cube."""
    if cube.attrs.get("ties") == "mean":
        refused = [str(metric) for metric in metrics if not metric.linear]
        if refused:
            advice = "choose another ties= when building the cube"
            raise MetricError(
                "metrics that share gain over ties: P, Recall, DCG, RBP", "others", advice, refused
            )
    for metric in metrics:
        gain = getattr(metric, "gain", None)
        missing = gain.missing(cube["level"].to_numpy()) if isinstance(gain, GainMap) else []
        if missing:
            raise MetricError(f"a gain for every grade in {metric}", "none for", "", missing)


def wanted_depths(
    cube: xr.Dataset, metrics: Sequence[Metric], at: int | Sequence[int] | None
) -> list[int]:
    """Return the depths asked for, all by default, refusing those that the cube lacks."""
    require_cube(cube)
    deepest = cube.sizes[DEPTH]
    depths = np.atleast_1d(np.arange(1, deepest + 1) if at is None else at).tolist()
    beyond = [str(depth) for depth in depths if not 1 <= depth <= deepest or depth != int(depth)]
    beyond += [str(metric) for metric in metrics if (metric.depth or 1) > deepest]
    if beyond or not depths:
        advice = "build the cube with a greater depth=; missing ranks are empty"
        raise DepthError(
            f"depths from 1 to {deepest}, the depth of the cube", "others", advice, beyond
        )
    return [int(depth) for depth in depths]


def recall_base(cube: xr.Dataset, metrics: Iterable[Metric] = ()) -> dict[str, Any]:
    """Count the judged documents of every topic by grade, and by pool depth if asked for.

    Parameters
    ----------
    cube
        A cube.
    metrics
        The metrics to be scored, which may ask for counts by pool depth.

    Returns
    -------
    dict
        ``levels`` (level,), ``count`` (topic, level), ``pool_count`` (topic, depth, level) or
        None, ``top``.
    """
    levels = cube["level"].to_numpy()
    grade = cube["judged_grade"].to_numpy()
    count = np.stack([(grade == level).sum(axis=-1) for level in levels], axis=-1)
    asks = any("pool" in {getattr(m, "norm", ""), getattr(m, "ideal", "")} for m in metrics)
    pool_count = _pool_count(cube, grade, levels, count) if asks else None
    top = int(cube.attrs["top"])
    return {"levels": levels, "count": count, "pool_count": pool_count, "top": top}


def _pool_count(cube: xr.Dataset, grade: Array, levels: Array, count: Array) -> Array:
    depths, topics = cube.sizes[DEPTH], len(grade)
    shallow = min(int(cube.attrs["pool_depth"]) - 1, depths)
    pooled = np.repeat(count[:, np.newaxis, :], depths, axis=1)
    if shallow < 1:
        return pooled
    rank = cube["pool_rank"].to_numpy()
    topic, slot = np.nonzero((rank > 0) & (rank <= shallow) & (grade != EMPTY))
    first = np.zeros((topics, shallow, len(levels)), np.int64)
    level = np.searchsorted(levels, grade[topic, slot])
    np.add.at(first, (topic, rank[topic, slot] - 1, level), 1)
    pooled[:, :shallow] = np.cumsum(first, axis=1)
    return pooled


def score_cells(
    cells: Sequence[Array], base: dict[str, Any], metrics: Sequence[Metric], depths: Sequence[int]
) -> Iterator[Array]:
    """Score a block of rankings, one metric after the other.

    Parameters
    ----------
    cells
        ``grade`` (..., topic, depth) and ``retrieved`` (..., topic), and to share gain over
        ties ``tied`` (..., topic, depth), ``tail`` (..., topic, level) and ``tail_size``
        (..., topic).
    base
        The recall base, from `recall_base`.
    metrics
        The metrics.
    depths
        Depths to return.

    Yields
    ------
    numpy.ndarray
        Scores of a metric, shape (..., topic, depth).
    """
    evidence = block_evidence(cells, base)
    columns = np.asarray(depths) - 1
    every = slice(None) if len(columns) == cells[0].shape[-1] else columns
    for metric in metrics:
        yield metric.score(evidence)[..., every]


def block_evidence(cells: Sequence[Array], base: dict[str, Any]) -> Evidence:
    """Return a block of rankings as the kernels read it; arguments as for `score_cells`."""
    grade, retrieved, *ties = cells
    return Evidence(
        grade=np.ascontiguousarray(grade),
        retrieved=retrieved,
        tied=ties[0] if ties else None,
        tail=(ties[1], ties[2]) if ties else None,
        **base,
    )


def _eager(
    cells: list[xr.DataArray],
    base: dict[str, Any],
    metrics: Sequence[Metric],
    depths: Sequence[int],
    kernel: Kernel,
    each: int,
) -> xr.DataArray:
    arrays = [cell.to_numpy() for cell in cells]
    systems, topics, ranks = arrays[0].shape
    result = np.empty((len(metrics) * each, systems, topics, len(depths)))
    step = max(1, BLOCK // max(ranks * topics, 1))
    inner = topics if step > 1 else max(1, BLOCK // max(ranks, 1))

    def fill(start: tuple[int, int]) -> None:
        some = slice(start[0], start[0] + step), slice(start[1], start[1] + inner)
        part = {
            name: value[some[1]] if name in {"count", "pool_count"} and value is not None else value
            for name, value in base.items()
        }
        scored = kernel([array[some] for array in arrays], part, metrics, depths)
        for row, values in zip(result, scored, strict=True):
            row[some] = values

    starts = [(s, t) for s in range(0, systems, step) for t in range(0, topics, inner)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, starts))
    return xr.DataArray(result, dims=(METRIC, *CELL))


def _lazy(
    cells: list[xr.DataArray],
    base: dict[str, Any],
    metrics: Sequence[Metric],
    depths: Sequence[int],
    kernel: Kernel,
    each: int,
) -> xr.DataArray:
    topics = {
        name: xr.DataArray(base[name], dims=(TOPIC, *dims))
        for name, dims in _BASE.items()
        if base[name] is not None
    }
    core = [[dim for dim in cell.dims if dim not in {SYSTEM, TOPIC}] for cell in cells]
    core += [list(array.dims[1:]) for array in topics.values()]

    def block(*arrays: Array) -> Array:
        part = base | dict(zip(topics, arrays[len(cells) :], strict=True))
        return np.stack(list(kernel(arrays[: len(cells)], part, metrics, depths)), axis=-2)

    scored = xr.apply_ufunc(
        block,
        *cells,
        *topics.values(),
        input_core_dims=core,
        output_core_dims=[[METRIC, DEPTH]],
        exclude_dims={DEPTH},
        dask="parallelized",
        output_dtypes=[np.float64],
        dask_gufunc_kwargs={
            "output_sizes": {METRIC: len(metrics) * each, DEPTH: len(depths)},
            "allow_rechunk": True,
        },
    )
    return xr.DataArray(scored.transpose(METRIC, *CELL))


_BASE = {"count": ("level",), "pool_count": (DEPTH, "level")}


def _has_relevant(cube: xr.Dataset, metrics: list[Metric]) -> xr.DataArray:
    grade = cube["judged_grade"]
    rows = [(grade >= getattr(metric, "rel", 1)).any(JUDGED) for metric in metrics]
    return xr.concat(rows, dim=METRIC).assign_coords({METRIC: [str(m) for m in metrics]})
