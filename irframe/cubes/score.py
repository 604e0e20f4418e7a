"""Metrics on cubes: labels off, compute, labels on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, listed
from irframe.cubes.blockwise import in_blocks
from irframe.cubes.layout import CODES, LIST, labels, variable
from irframe.cubes.verb import verb
from irframe.cubes.view import experiment_of
from irframe.errors import DepthError
from irframe.experiments.group_columns import Rel, Thresholds, told_rel
from irframe.experiments.nuggets import refuse as refuse_subtopics
from irframe.experiments.policy import Metrics, parse_metrics, refuse, refuse_pool
from irframe.metrics import Metric
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SUBTOPIC, TOPIC, NoRel, Ties


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
    values = in_blocks(cube, variants, depths)
    if no_rel == "nan":
        values = values.where(has_relevant(cube, variants))
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
    hidden = {DEPTH, "unjudged", *CODES.values()}
    kept = {name: each.variable for name, each in cube.coords.items() if name not in hidden}
    there = experiment_of(cube).there
    kept["took_part"] = variable(LIST, there)
    if not there.all():
        values = values.where(xr.DataArray(there, dims=LIST))
    return values.reset_coords(drop=True).assign_coords(kept | known).rename("score")


def refuse_metrics(
    cube: xr.Dataset, metrics: Sequence[Metric], *, ties: Ties | None = None
) -> None:
    """Raise for metrics that cannot be computed on this cube, or if its ties were decided so."""
    experiment = experiment_of(cube)
    judgments = experiment.judgments
    columns = judgments.table.columns
    refuse_subtopics(metrics, str(columns[SUBTOPIC]) if SUBTOPIC in columns else None)
    refuse(metrics, judgments.levels, ties=ties or experiment.made["ties"])
    if experiment.pool_word == "unknown" and any(facts(metric).pooled for metric in metrics):
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


def has_relevant(cube: xr.Dataset, metrics: list[Metric]) -> xr.DataArray:
    """Return whether topics have documents that metrics take for relevant, (metric, topic)."""
    judgments = experiment_of(cube).judgments
    rows = [judgments.relevant(facts(metric).rel) for metric in metrics]
    return xr.DataArray(np.stack(rows), dims=(METRIC, TOPIC))
