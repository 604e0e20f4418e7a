"""Metrics on cubes: labels off, compute, labels on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, listed
from irframe.cubes.blockwise import in_blocks
from irframe.cubes.cube_strata import stratum_fields
from irframe.cubes.cube_subtopics import refuse_subtopics, subtopic_fields
from irframe.cubes.layout import LEVEL, PARTS, SOMETIMES, labels
from irframe.cubes.pool_count import pool_count
from irframe.cubes.recall_base import count_by_topic
from irframe.cubes.verb import verb
from irframe.errors import DepthError
from irframe.experiments.metrics import Metrics, parse_metrics, refuse, refuse_pool
from irframe.experiments.relevance import Rel, Thresholds, told_rel
from irframe.metrics import Block, Metric
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, TOPIC, NoRel, Ties


@verb(bounded=True)
def score(
    cube: xr.Dataset,
    *metrics: Metrics,
    at: int | Sequence[int] | None = None,
    no_rel: NoRel | None = None,
    rel: Rel = None,
    by: str | None = None,
) -> xr.DataArray:
    """Score every ranking of a cube with some metrics, at every depth in one pass.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`; may be backed by dask, and then nothing is computed.
    metrics
        Metrics or their names, as arguments or as a list, such as ``"AP"``,
        ``"nDCG@10"``, ``RBP(p=0.8)``.
    at
        Depths to return, within the cube; by default all.
    no_rel
        ``"nan"``: topics without relevant documents score NaN, whatever the metric.
    rel
        Lowest relevant grade by collection, as for `irframe.evaluate`, on a cube made with
        ``collection=``.
    by
        A coordinate of systems or topics: scores of each group, the group first, at every depth
        of the cube.

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
    collection = cube.attrs.get("collection")
    thresholds = Thresholds.of(rel, chosen, collection if collection in cube.coords else None)
    variants = chosen if rel is None else thresholds.variants(chosen)
    values = in_blocks(block_of(cube, variants), variants, depths)
    if no_rel == "nan":
        values = values.where(_has_relevant(cube, variants))
    if rel is not None:
        collections = cube[collection].to_numpy()
        values = _on_topics(values, thresholds.places(chosen, collections))
    told = {} if rel is None else {"rel": told_rel(rel)}
    return label_scores(cube, values, chosen, depths).assign_attrs(told)


def _on_topics(values: xr.DataArray, place: Array) -> xr.DataArray:
    """Return for every metric and topic the scores that stand at a place, (metric, topic)."""
    every = []
    for places in place:
        found = values.isel({METRIC: places[0]})
        for other in np.unique(places):
            elsewhere = xr.DataArray(places != other, dims=TOPIC)
            found = found.where(elsewhere, values.isel({METRIC: other}))
        every.append(found)
    return xr.concat(every, METRIC)


def label_scores(
    cube: xr.Dataset, values: xr.DataArray, metrics: Sequence[Metric], depths: Sequence[int]
) -> xr.DataArray:
    """Return scores with the labels of their metrics, depths and cube, NaN where none is."""
    indexes = {METRIC: np.array([str(metric) for metric in metrics]), DEPTH: np.array(depths)}
    known = {dim: labels(dim, index) for dim, index in indexes.items()}
    ours = {DEPTH, LEVEL, *PARTS, *SOMETIMES}
    named = [name for name in cube.coords if name not in ours]
    kept = {name: cube[name].variable for name in (*named, "retrieved", "took_part")}
    took_part = cube["took_part"].variable
    if took_part.chunks or not took_part.to_numpy().all():
        values = values.where(xr.DataArray(took_part))
    return values.reset_coords(drop=True).assign_coords(kept | known).rename("score")


def refuse_metrics(
    cube: xr.Dataset, metrics: Sequence[Metric], *, ties: Ties | None = None
) -> None:
    """Raise for metrics that cannot be computed on this cube, or if its ties were decided so."""
    refuse_subtopics(cube, metrics)
    refuse(metrics, cube["level"].to_numpy(), ties=ties or cube.attrs["ties"])
    unknown = cube.attrs.get("pool", "unknown") == "unknown"
    if unknown and any(facts(metric).pooled for metric in metrics):
        refuse_pool(metrics)


def wanted_depths(
    cube: xr.Dataset, metrics: Sequence[Metric], at: int | Sequence[int] | None
) -> list[int]:
    """Return the depths asked for, all by default, refusing those that the cube lacks."""
    deepest = cube.sizes[DEPTH]
    asked = list(range(1, deepest + 1)) if at is None else listed(at)
    beyond = [repr(depth) for depth in asked if not _within(depth, deepest)]
    beyond += [str(metric) for metric in metrics if (metric.depth or 1) > deepest]
    wanted = f"depths from 1 to {deepest}, the depth of the cube"
    if beyond or not asked:
        advice = "build the cube with a greater depth=; missing ranks are empty"
        raise DepthError(wanted, "" if beyond else "none", advice, beyond)
    refuse_repeated_depths(asked, wanted)
    return [int(depth) for depth in asked]


def refuse_repeated_depths(depths: Iterable[Any], wanted: str) -> None:
    """Raise if a depth is asked for twice."""
    counts = Counter(depths)
    again = [depth for depth, count in counts.items() if count > 1]
    if again:
        raise DepthError(wanted, f"{len(again)} again", "name each depth once in at=", again)


def _within(depth: Any, deepest: int) -> bool:
    whole = isinstance(depth, int | np.integer) and not isinstance(depth, bool)
    return whole and bool(1 <= depth <= deepest)


def block_of(cube: xr.Dataset, metrics: Iterable[Metric] = (), *, ties: bool = False) -> Block:
    """Return the rankings of a cube without labels, of lazy arrays where the cube is lazy.

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
    Block
        Arrays over system, topic, depth and level.
    """
    metrics = list(metrics)
    if any(metric.judged_only for metric in metrics):
        refuse_open(cube)
    base = judged_levels(cube) | subtopic_fields(cube, metrics) | stratum_fields(cube, metrics)
    if any(facts(metric).pooled for metric in metrics):
        base["pool_count"] = pool_count(cube, base)
    base["retrieved"] = np.minimum(cube["retrieved"].variable.data, cube.sizes[DEPTH])
    if ties or cube.attrs["ties"] == "mean":
        base |= {name: cube[name].variable.data for name in ("tied", "tail")}
        base["tail_size"] = known_ties(cube).data
    if cube["grade"].chunks:
        return Block(grade=cube["grade"].variable.data, **base)
    return Block(grade=cube["grade"].to_numpy(), **{k: np.asarray(v) for k, v in base.items()})


def refuse_open(cube: xr.Dataset) -> None:
    """Raise if it is not known what lists are without their unjudged documents."""
    longest = int(cube["retrieved"].max()) if cube["retrieved"].size else 0
    if longest > cube.sizes[DEPTH]:
        advice = "build the cube without depth=, and choose depths when scoring"
        found = f"depth {cube.sizes[DEPTH]} of {longest}"
        raise DepthError("a cube as deep as its lists", found, advice)


def known_ties(cube: xr.Dataset) -> xr.Variable:
    """Return how many documents are tied with the last ones of lists, refusing not to know.

    Of a lazy cube that is found out when it is computed.
    """
    size: xr.Variable = xr.apply_ufunc(
        _refuse_lost, cube["tail_size"].variable, dask="parallelized", output_dtypes=[np.int32]
    )
    return size


def _refuse_lost(size: Array) -> Array:
    if (size < 0).any():
        advice = "build the cube to this depth, or leave it whole and ask with at="
        found = "lists that were cut, or lost judgments, afterwards"
        raise DepthError("a cube that knows its ties", found, advice)
    return size


def judged_levels(cube: xr.Dataset) -> dict[str, Array]:
    """Count the judged documents of every topic by grade, as fields of a `Block`.

    Returns
    -------
    dict
        ``levels`` (level,), ``count`` (topic, level), ``top`` and ``pool_depth`` (topic,).
    """
    levels, grade = cube["level"].to_numpy(), cube["judged_grade"].to_numpy()
    count = np.stack([count_by_topic(cube, grade == level) for level in levels], axis=-1)
    shared = {name: cube[name].variable.data for name in ("top", "pool_depth")}
    return {"levels": levels, "count": count} | shared


def _has_relevant(cube: xr.Dataset, metrics: list[Metric]) -> xr.DataArray:
    grade = cube["judged_grade"].to_numpy()
    rows = [count_by_topic(cube, grade >= facts(metric).rel) > 0 for metric in metrics]
    return xr.DataArray(np.stack(rows), dims=(METRIC, TOPIC))
