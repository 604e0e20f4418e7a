"""Score bounds: what the unjudged documents of the rankings leave open."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from irframe.cubes.score import (
    Kernel,
    block_evidence,
    in_blocks,
    label_scores,
    parse_metrics,
    recall_base,
    refuse_metrics,
    wanted_depths,
)
from irframe.errors import MetricError
from irframe.extremes.bounding import labelled_bounds, refuse_unbounded
from irframe.extremes.fillings import Rankings
from irframe.extremes.labelings import Labels
from irframe.frames.sampling import refuse_marks
from irframe.metrics import Metric, Q
from irframe.metrics.base import MetricType
from irframe.metrics.evidence import Array
from irframe.names import METRIC, UNJUDGED

BOUND = "bound"
"""Dimension of a lower and an upper score."""
SIDES = ("lower", "upper")


def bounds(
    cube: xr.Dataset,
    *metrics: Metric | MetricType | str,
    at: int | Sequence[int] | None = None,
) -> xr.DataArray:
    """Say between which scores the truth must lie, whatever the unjudged documents are.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, as deep as its lists.
    metrics
        Metrics or their names: AP, DCG, ERR, F, IPrec, nDCG, NumRelRet, P, Q, RBP, Recall, Rprec,
        RR, SetF, SetP, SetR, Success.
    at
        Depths to return, within the cube; by default all.

    Returns
    -------
    xarray.DataArray
        Dimensions (bound, metric, system, topic, depth), `bound` being ``lower`` and ``upper``.

    Raises
    ------
    MetricError
        For a metric that has no known bounds, or whose bounds would take too long.
    DepthError
        For depths beyond the cube.
    GradeError
        If grade -1 marks unjudged documents.

    Notes
    -----
    Metrics without a recall base: the lower bound is the score. For the upper one the unjudged
    documents gain 1 (or the top gain if that is more) and what was not read counts as the metric
    allows: for RBP ``p**m``, for ERR ``1/(m+1) prod_{i<=m} (1 - G(i))``, with m = min(k, length of
    the list); for P the ranks missing down to k gain 1. RR, Success, SetP, DCG and NumRelRet are
    scored with the unjudged documents as relevant. This takes time in proportion to the cells.

    Metrics with a recall base: the exact extremes over all ways to grade the *retrieved* unjudged
    documents of the ranking, above and below the depth, from 0 to the top grade. Labels move the
    normaliser too, so that the highest score need not be the one with everything relevant. The
    assumption is that no document is relevant beyond the judged and the retrieved ones. Pools of
    smaller depth than the cube's (``norm="pool"``, ``ideal="pool"``) stay as they are. With u
    unjudged documents down to the deepest depth k wanted, a ranking takes time in proportion to
    k u; the upper bound of nDCG on several grades as much again for every grade and for each of
    a few rounds; and Q on g grades, for every depth k, to k u comb(u + g, g), which is refused
    where it would take minutes.

    References
    ----------
    .. [1] Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM
       TOIS 27, 2008. doi:10.1145/1416950.1416952
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Sections 2.3 and 2.5.
       doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> within = bounds(cube, "RBP(p=0.8)", "AP", at=[10, 50])
    >>> within.mean("topic").sel(system="ance", depth=50).round(3).to_pandas()
    metric  RBP(p=0.8)     AP
    bound
    lower        0.290  0.212
    upper        0.726  0.695
    """
    chosen = parse_metrics(metrics)
    depths = wanted_depths(cube, chosen, at)
    refuse_metrics(cube, chosen)
    refuse_unbounded(chosen)
    refuse_marks(cube["judged_grade"].to_numpy())
    shared = cube.attrs.get("ties") == "mean"
    refused = [str(metric) for metric in chosen if shared and metric.fillings]
    if refused:
        raise MetricError("one order of tied documents for bounds of", "ties='mean'", "", refused)
    if not cube["grade"].chunks:
        _refuse_long(cube, chosen, np.asarray(depths))
    names = ["grade", "retrieved", *(["tied", "tail", "tail_size"] if shared else [])]
    base = recall_base(cube, chosen) | {"pool_depth": int(cube.attrs["pool_depth"])}
    cells = [cube[name] for name in names]
    sides = both_sides(cells, base, chosen, depths, _bound_cells)
    return label_scores(cube, sides, chosen, depths)


def both_sides(
    cells: list[xr.DataArray],
    base: dict[str, Any],
    metrics: Sequence[Metric],
    depths: Sequence[int],
    kernel: Kernel,
) -> xr.DataArray:
    """Apply a kernel that yields a lower and an upper score for every metric.

    Parameters
    ----------
    cells, base, metrics, depths, kernel
        As for `irframe.cubes.score.in_blocks`.

    Returns
    -------
    xarray.DataArray
        Dimensions (bound, metric, system, topic, depth).
    """
    both = in_blocks(cells, base, metrics, depths, kernel=kernel, each=len(SIDES))
    sides = [both.isel({METRIC: slice(side, None, len(SIDES))}) for side in range(len(SIDES))]
    return xr.concat(sides, dim=BOUND).assign_coords({BOUND: list(SIDES)})


def _refuse_long(cube: xr.Dataset, metrics: Sequence[Metric], depths: Array) -> None:
    unjudged = np.cumsum(cube["grade"].to_numpy() == UNJUDGED, axis=-1, dtype=np.int32)
    for metric in metrics:
        if isinstance(metric, Q):
            own = np.unique(np.minimum(depths, metric.depth or depths))
            labels = Labels.of(metric, cube["level"].to_numpy(), int(cube.attrs["top"]))
            if not labels.single:
                labels.refuse_long(unjudged[..., own - 1], own)


def _bound_cells(
    cells: Sequence[Array], base: dict[str, Any], metrics: Sequence[Metric], depths: Sequence[int]
) -> Iterator[Array]:
    """Yield the lower and the upper bound of a block of rankings, metric by metric."""
    columns = np.asarray(depths)
    evidence = block_evidence(cells, {k: v for k, v in base.items() if k != "pool_depth"})
    for metric in metrics:
        if metric.ceiling:
            yield from (
                side[..., columns - 1]
                for side in (metric.score(evidence), metric.highest(evidence))
            )
            continue
        own = np.minimum(columns, metric.depth or columns)
        wanted, back = np.unique(own, return_inverse=True)
        rankings = _rows(cells, base, int(wanted[-1]))
        sides = labelled_bounds(replace(metric, depth=None), rankings, wanted)
        yield from (side[:, back].reshape(*cells[1].shape, -1) for side in sides)


def _rows(cells: Sequence[Array], base: dict[str, Any], depth: int) -> Rankings:
    """Lay a block of rankings, cut at a depth, out as rows."""
    grade, retrieved = cells[0], cells[1]
    shape = retrieved.shape
    beyond = (grade[..., depth:] == UNJUDGED).sum(axis=-1)
    topics = {name: base[name] for name in ("count", "pool_count") if base[name] is not None}
    if "pool_count" in topics:
        topics["pool_count"] = topics["pool_count"][..., :depth, :]
    wide = {
        name: np.broadcast_to(value, (*shape, *value.shape[1:])).reshape(-1, *value.shape[1:])
        for name, value in topics.items()
    }
    return Rankings(
        grade=np.ascontiguousarray(grade[..., :depth]).reshape(-1, depth),
        beyond=beyond.ravel(),
        retrieved=np.minimum(retrieved, depth).ravel(),
        levels=base["levels"],
        top=base["top"],
        pool_depth=base["pool_depth"],
        **wide,
    )
