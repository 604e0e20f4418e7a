"""Metrics on cubes: labels off, compute, labels on."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import choice, listed
from irframe.cubes.layout import CELL, JUDGED, LEVEL, PARTS
from irframe.cubes.verb import verb
from irframe.errors import DepthError, MetricError
from irframe.frames.sampling import refuse_marks
from irframe.gains import GainMap
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.base import MetricType
from irframe.metrics.block import by_scale
from irframe.metrics.facts import facts, large_gains
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DEPTH, EMPTY, METRIC, SYSTEM, TOPIC

BLOCK = 1 << 17
"""Cells scored at a time by a thread: a few arrays of that size fit the processor's cache."""

Array = NDArray[Any]
Metrics = Iterable[Metric | MetricType | str] | Metric | MetricType | str
Fields = dict[str, xr.DataArray]
"""The fields of a block of rankings with their labels."""
Kernel = Callable[[Block, Sequence[Metric], Sequence[int]], Iterator[Array]]


@verb
def score(
    cube: xr.Dataset,
    *metrics: Metric | MetricType | str,
    at: int | Sequence[int] | None = None,
    no_rel: str | None = None,
    by: str | None = None,
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
    by
        A coordinate of systems or topics: scores of each group, the group first.

    Returns
    -------
    xarray.DataArray
        Scores, dimensions (metric, system, topic, depth), float64. A metric with a depth of
        its own is constant from there on. NaN where a system did not take part.

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
    choice("no_rel", "zero" if no_rel is None else no_rel, ("nan", "zero"))
    values = in_blocks(block_fields(cube, chosen), chosen, depths)
    result = label_scores(cube, values, chosen, depths)
    return result.where(_has_relevant(cube, chosen)) if no_rel == "nan" else result


def label_scores(
    cube: xr.Dataset, values: xr.DataArray, metrics: Sequence[Metric], depths: Sequence[int]
) -> xr.DataArray:
    """Return scores with the labels of their metrics, depths and cube, NaN where none is."""
    labels = {METRIC: [str(metric) for metric in metrics], DEPTH: np.array(depths)}
    named = [name for name in cube.coords if name not in {DEPTH, LEVEL, *PARTS}]
    kept = {name: cube[name].variable for name in (*named, "retrieved")}
    took_part = cube["took_part"].variable
    if took_part.chunks or not took_part.to_numpy().all():
        values = values.where(xr.DataArray(took_part))
    return values.reset_coords(drop=True).assign_coords(kept | labels).rename("score")


def in_blocks(
    fields: Fields,
    metrics: Sequence[Metric],
    depths: Sequence[int],
    *,
    kernel: Kernel | None = None,
    each: int = 1,
) -> xr.DataArray:
    """Apply a function to all rankings, a block at a time, lazily where the cube is.

    Parameters
    ----------
    fields
        The rankings, from `block_fields`.
    metrics, depths
        What `kernel` takes.
    kernel
        A function like `score_block`, which is the default. It sees one top grade at a time.
    each
        How many arrays it yields for a metric.

    Returns
    -------
    xarray.DataArray
        Dimensions (metric, system, topic, depth), the arrays of a metric side by side.
    """

    def compute(block: Block) -> Iterator[Array]:
        return by_scale(block, lambda part: (kernel or score_block)(part, metrics, depths))

    shape = len(metrics) * each, len(depths)
    return (_lazy if fields["grade"].chunks else _eager)(fields, compute, *shape)


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
    asking = [str(metric) for metric in metrics if facts(metric).pooled]
    if asking and cube.attrs.get("pool", "unknown") == "unknown":
        advice = "tell cube() the contributing= runs or the pool_depth="
        found = "judgments that these runs alone did not make, for"
        raise MetricError("a cube that knows its pool", found, advice, asking)
    if cube.attrs["ties"] == "mean":
        refused = [str(metric) for metric in metrics if not facts(metric).linear]
        if refused:
            advice = "choose another ties= when building the cube"
            raise MetricError(
                "metrics that share gain over ties: P, Recall, DCG, RBP", "others", advice, refused
            )
    for metric in metrics:
        gain = facts(metric).gain
        missing = gain.missing(cube["level"].to_numpy()) if isinstance(gain, GainMap) else []
        if missing:
            raise MetricError(f"a gain for every grade in {metric}", "none for", "", missing)
        if large := large_gains(metric, cube["level"].to_numpy()):
            raise MetricError(f"gains of at most 1 for {metric}", "more for grades", "", large)


def wanted_depths(
    cube: xr.Dataset, metrics: Sequence[Metric], at: int | Sequence[int] | None
) -> list[int]:
    """Return the depths asked for, all by default, refusing those that the cube lacks."""
    deepest = cube.sizes[DEPTH]
    asked = list(range(1, deepest + 1)) if at is None else listed(at)
    beyond = [repr(depth) for depth in asked if not _within(depth, deepest)]
    beyond += [str(metric) for metric in metrics if (metric.depth or 1) > deepest]
    if beyond or not asked:
        advice = "build the cube with a greater depth=; missing ranks are empty"
        raise DepthError(
            f"depths from 1 to {deepest}, the depth of the cube", "others", advice, beyond
        )
    return [int(depth) for depth in asked]


def _within(depth: Any, deepest: int) -> bool:
    whole = isinstance(depth, int | np.integer) and not isinstance(depth, bool)
    return whole and bool(1 <= depth <= deepest)


def block_fields(cube: xr.Dataset, metrics: Iterable[Metric] = (), *, ties: bool = False) -> Fields:
    """Return the rankings of a cube as the fields of a `Block`, lazily where the cube is.

    Parameters
    ----------
    cube
        A cube.
    metrics
        The metrics to be scored, which may ask for counts by pool depth.
    ties
        Whether ties are needed though the cube does not share gain over them.

    Returns
    -------
    dict
        The fields by name, over system, topic, depth and level.
    """
    metrics = list(metrics)
    if any(metric.judged_only for metric in metrics):
        refuse_open(cube)
    base = judged_levels(cube)
    if any(facts(metric).pooled for metric in metrics):
        base["pool_count"] = _pool_count(cube, base)
    base["retrieved"] = cube["retrieved"].clip(max=cube.sizes[DEPTH])
    names = ["grade"]
    if ties or cube.attrs["ties"] == "mean":
        refuse_lost_ties(cube)
        names += ["tied", "tail", "tail_size"]
    return {name: cube[name].reset_coords(drop=True) for name in (*names,)} | base


def refuse_open(cube: xr.Dataset) -> None:
    """Raise if it is not known what lists are without their unjudged documents."""
    refuse_marks(cube["judged_grade"].to_numpy())
    longest = int(cube["retrieved"].max())
    if longest > cube.sizes[DEPTH]:
        advice = "build the cube without depth=, and choose depths when scoring"
        found = f"depth {cube.sizes[DEPTH]} of {longest}"
        raise DepthError("a cube as deep as its lists", found, advice)


def refuse_lost_ties(cube: xr.Dataset) -> None:
    """Raise if it is not known what is tied with the last documents of lists."""
    if bool((cube["tail_size"] < 0).any()):
        advice = "build the cube to this depth, or leave it whole and ask with at="
        found = "lists that were cut, or lost judgments, afterwards"
        raise DepthError("a cube that knows its ties", found, advice)


def judged_levels(cube: xr.Dataset) -> Fields:
    """Count the judged documents of every topic by grade, as fields of a `Block`.

    Returns
    -------
    dict
        ``levels`` (level,), ``count`` (topic, level), ``top`` and ``pool_depth`` (topic,).
    """
    levels, grade = cube["level"].to_numpy(), cube["judged_grade"].to_numpy()
    count = np.stack([(grade == level).sum(axis=-1) for level in levels], axis=-1)
    counted = {"levels": xr.Variable(LEVEL, levels), "count": xr.Variable((TOPIC, LEVEL), count)}
    shared = {name: cube[name].variable for name in ("top", "pool_depth")}
    return {name: xr.DataArray(part) for name, part in (counted | shared).items()}


def _pool_count(cube: xr.Dataset, base: Fields) -> xr.DataArray:
    """Count the judged documents in the pool of every depth, (topic, depth, level)."""
    levels, count = base["levels"].to_numpy(), base["count"].to_numpy()
    grade, rank = cube["judged_grade"].to_numpy(), cube["pool_rank"].to_numpy()
    shallow = np.minimum(base["pool_depth"].to_numpy() - 1, cube.sizes[DEPTH])
    shallow = np.broadcast_to(shallow, len(grade))[:, np.newaxis]
    pooled = np.repeat(count[:, np.newaxis, :], cube.sizes[DEPTH], axis=1)
    topic, slot = np.nonzero((rank > 0) & (rank <= shallow) & (grade != EMPTY))
    first = np.zeros((len(grade), max(0, shallow.max(initial=0)), len(levels)), np.int64)
    level = np.searchsorted(levels, grade[topic, slot])
    np.add.at(first, (topic, rank[topic, slot] - 1, level), 1)
    inside = np.arange(1, first.shape[1] + 1) <= shallow
    np.copyto(pooled[:, : first.shape[1]], np.cumsum(first, axis=1), where=inside[..., np.newaxis])
    return xr.DataArray(pooled, dims=(TOPIC, DEPTH, LEVEL))


def score_block(block: Block, metrics: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Score a block of rankings, one metric after the other.

    Parameters
    ----------
    block
        Rankings of one top grade.
    metrics
        The metrics.
    depths
        Depths to return.

    Yields
    ------
    numpy.ndarray
        Scores of a metric, shape (..., topic, depth).
    """
    evidence = Evidence(block)
    columns = np.asarray(depths) - 1
    every = slice(None) if len(columns) == block.grade.shape[-1] else columns
    for metric in metrics:
        yield metric.score(evidence)[..., every]


def whole_block(fields: Fields) -> Block:
    """Return fields as one block in memory."""
    return Block(**{name: field.to_numpy() for name, field in fields.items()})


def _eager(
    fields: Fields, compute: Callable[[Block], Iterator[Array]], rows: int, depths: int
) -> xr.DataArray:
    whole = whole_block(fields)
    systems, topics, ranks = whole.grade.shape
    result = np.empty((rows, systems, topics, depths))
    step = max(1, BLOCK // max(ranks * topics, 1))
    inner = topics if step > 1 else max(1, BLOCK // max(ranks, 1))

    def fill(start: tuple[int, int]) -> None:
        some = slice(start[0], start[0] + step), slice(start[1], start[1] + inner)
        for row, values in zip(result, compute(whole.take(*some)), strict=True):
            row[some] = values

    starts = [(s, t) for s in range(0, systems, step) for t in range(0, topics, inner)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, starts))
    return xr.DataArray(result, dims=(METRIC, *CELL))


def _lazy(
    fields: Fields, compute: Callable[[Block], Iterator[Array]], rows: int, depths: int
) -> xr.DataArray:
    levels = fields["levels"].to_numpy()
    spread = {name: field for name, field in fields.items() if name != "levels"}

    def block(*arrays: Array) -> Array:
        part = Block(levels=levels, **dict(zip(spread, arrays, strict=True)))
        return np.stack(list(compute(part)), axis=-2)

    scored = xr.apply_ufunc(
        block,
        *spread.values(),
        input_core_dims=[
            [dim for dim in field.dims if dim not in {SYSTEM, TOPIC}] for field in spread.values()
        ],
        output_core_dims=[[METRIC, DEPTH]],
        exclude_dims={DEPTH},
        dask="parallelized",
        output_dtypes=[np.float64],
        dask_gufunc_kwargs={
            "output_sizes": {METRIC: rows, DEPTH: depths},
            "allow_rechunk": True,
        },
    )
    return xr.DataArray(scored.transpose(METRIC, *CELL))


def _has_relevant(cube: xr.Dataset, metrics: list[Metric]) -> xr.DataArray:
    grade = cube["judged_grade"]
    rows = [(grade >= facts(metric).rel).any(JUDGED) for metric in metrics]
    return xr.concat(rows, dim=METRIC).assign_coords({METRIC: [str(m) for m in metrics]})
