"""Score bounds: what the unjudged documents of the rankings leave open."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.cubes.blockwise import Kernel, beyond, in_blocks
from irframe.cubes.score import label_scores, refuse_metrics, wanted_depths
from irframe.cubes.verb import verb
from irframe.cubes.view import experiment_of
from irframe.errors import MetricError
from irframe.experiments.policy import Metrics, parse_metrics, refuse_marks
from irframe.extremes.labelled_bounds import labelled_bounds, refuse_long, refuse_unbounded
from irframe.metrics import Block, Evidence, Metric
from irframe.names import DEPTH, METRIC

BOUND = "bound"
"""Dimension of a lower and an upper score."""
SIDES = ("lower", "upper")


@verb(bounded=True)
def bounds(
    cube: xr.Dataset,
    *metrics: Metrics,
    at: int | Sequence[int] | None = None,
    by: str | None = None,
) -> xr.DataArray:
    """Say between which scores the truth must lie, whatever the unjudged documents are.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metrics
        Metrics or their names: AP, BinG, DCG, ERR, F, INSQ, InterpolatedAP, IPrec, nDCG,
        NumRelRet, P, Q, RBP, Recall, RelativeP, Rprec, RprecMult, RR, SDCG, SetAP, SetF, SetP,
        SetRelativeP, Success, Utility, YAAP.
    at
        Depths to return, within the cube; by default all.
    by
        A coordinate of systems or topics: bounds of each group, the group first.

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
    the list), for INSQ what its weights leave; for P and SDCG the ranks missing down to k gain 1.
    RR, Success, SetP, DCG and NumRelRet are scored with the unjudged documents as relevant. This
    takes time in proportion to the cells.

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
    experiment = experiment_of(cube)
    refuse_marks(experiment.judgments.grade)
    shared = experiment.made["ties"] == "mean"
    refused = [str(metric) for metric in chosen if shared and metric.fillings]
    if refused:
        raise MetricError("one order of tied documents for bounds of", "ties='mean'", "", refused)
    hidden = any(metric.fillings for metric in chosen)
    if hidden and not cube["grade"].chunks:
        deep = cube.sizes[DEPTH]
        whole = experiment.block(experiment.fields(chosen, deep), deep)
        every = slice(0, experiment.shape[0]), slice(0, experiment.shape[1])
        whole = replace(whole, beyond=beyond(experiment, whole, every))
        _refuse_long(whole, chosen, np.asarray(depths))
    found = both_sides(cube, chosen, depths, _bound_block, hidden=hidden)
    return label_scores(cube, found, chosen, depths)


def both_sides(
    cube: xr.Dataset,
    metrics: Sequence[Metric],
    depths: Sequence[int],
    kernel: Kernel,
    *,
    hidden: bool = False,
    ties: bool = False,
) -> xr.DataArray:
    """Apply a kernel that yields a lower and an upper score for every metric.

    Parameters
    ----------
    cube, metrics, depths, kernel, hidden, ties
        As for `irframe.cubes.blockwise.in_blocks`.

    Returns
    -------
    xarray.DataArray
        Dimensions (bound, metric, system, topic, depth).
    """
    several = len(SIDES)
    both = in_blocks(cube, metrics, depths, kernel=kernel, each=several, hidden=hidden, ties=ties)
    sides = [both.isel({METRIC: slice(side, None, len(SIDES))}) for side in range(len(SIDES))]
    return xr.concat(sides, dim=BOUND).assign_coords({BOUND: list(SIDES)})


def _refuse_long(whole: Block, metrics: Sequence[Metric], depths: Array) -> None:
    for _, block in whole.scales():
        for metric in metrics:
            refuse_long(metric, block, depths)


def _bound_block(block: Block, metrics: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Yield the lower and the upper bound of a block of rankings, metric by metric."""
    columns, evidence = np.asarray(depths), Evidence(block)
    for metric in metrics:
        if metric.ceiling:
            yield metric.score(evidence)[..., columns - 1]
            yield metric.highest(evidence)[..., columns - 1]
            continue
        own = np.minimum(columns, metric.depth or columns)
        wanted, back = np.unique(own, return_inverse=True)
        rankings = block.cut(int(wanted[-1])).rows()
        sides = labelled_bounds(replace(metric, depth=None), rankings, wanted)
        yield from (side[:, back].reshape(*block.shape, -1) for side in sides)
