"""Tied scores: how many there are, and what they leave to the choice of an order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.agreement import Agreement
from irframe.cube.bounds import both_sides
from irframe.cube.building import cube as build
from irframe.cube.scoring import (
    Metrics,
    label_scores,
    parse_metrics,
    recall_base,
    score,
    wanted_depths,
)
from irframe.errors import DepthError, InputError, ParameterError
from irframe.inference.agreement import agreement
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.reordering import reordered_cells
from irframe.names import DEPTH, EMPTY

Array = NDArray[Any]


def tie_rates(cube: xr.Dataset, depth: int = 20) -> xr.DataArray:
    """Say which share of the top documents has the same score as another one there.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, ranked by score.
    depth
        How many documents of every list to look at, at least 1.

    Returns
    -------
    xarray.DataArray
        Shares from 0 to 1 over (system, topic); NaN for an empty list. ``.mean("topic").median()``
        is the number of Table 6 of the paper.

    Raises
    ------
    DepthError
        If the cube was cut above that depth.
    ParameterError
        If the cube was ranked by a rank column, which has no ties.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 6. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> coarse = runs.assign(score=runs["score"].round(1)).ireval.cube(qrels)
    >>> round(float(tie_rates(coarse).mean("topic").median()), 3)
    0.722
    """
    _refuse_untied(cube, "tied")
    complete = min(int(cube.attrs.get("longest", cube.sizes[DEPTH])), depth)
    if not isinstance(depth, int | np.integer) or not 1 <= complete <= cube.sizes[DEPTH]:
        advice = "build the cube with a greater depth="
        found = f"{depth!r} in a cube of depth {cube.sizes[DEPTH]}"
        raise DepthError("a depth of at least 1 within the cube", found, advice)
    top = {DEPTH: slice(depth)}
    above = cube["tied"].isel(top)
    below = above.shift({DEPTH: -1}, fill_value=False)
    retrieved = (cube["grade"].isel(top) != EMPTY).sum(DEPTH)
    return ((above | below).sum(DEPTH) / retrieved.where(retrieved > 0)).rename("tie_rate")


def tie_agreement(
    runs: pd.DataFrame,
    qrels: pd.DataFrame,
    metrics: Metrics,
    *,
    ties: Sequence[str] = ("trec", "order"),
    at: int | Sequence[int] | None = None,
    score_dtype: str = "float64",
    method: str | Agreement = "kendall",
) -> xr.DataArray:
    """Say how alike systems are ordered under two ways to rank documents with equal scores.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame.
    metrics
        Metrics or their names.
    ties
        The two ways, as for `rank`. ``"trec"`` and ``"order"`` are those of Table 6 of the paper.
    at
        Evaluation depths, by default that of the longest list.
    score_dtype
        As for `rank`.
    method
        A method of agreement or its name, as for `agreement`.

    Returns
    -------
    xarray.DataArray
        Agreement over (metric, depth).

    Raises
    ------
    ParameterError
        For anything but two ways to break ties.
    IrframeError
        As `cube` and `score`.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 6. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> coarse = runs.assign(score=runs["score"].round())
    >>> tau = tie_agreement(coarse, qrels, ["RBP(p=0.8)", "P@5"])
    >>> tau.squeeze("depth").round(2).to_series().to_dict()
    {'RBP(p=0.8)': 0.93, 'P@5': 0.96}
    """
    if isinstance(ties, str) or len(ties) != 2:
        raise ParameterError("two ways to break ties", repr(ties))
    chosen = parse_metrics(metrics)
    depths = None if at is None else np.atleast_1d(at).tolist()
    own = [metric.depth or 1 for metric in chosen]
    deepest = None if depths is None else max([*depths, *own])
    cubes = [build(runs, qrels, depth=deepest, ties=way, score_dtype=score_dtype) for way in ties]
    depths = [cubes[0].sizes[DEPTH]] if depths is None else depths
    first, second = (score(cube, *chosen, at=depths) for cube in cubes)
    return agreement(first, second, method)


def tie_ranges(
    cube: xr.Dataset,
    *metrics: Metric | MetricType | str,
    at: int | Sequence[int] | None = None,
) -> xr.DataArray:
    """Say between which scores the order of tied documents decides.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, ranked by score, whatever its `ties`.
    metrics
        Metrics or their names.
    at
        Depths to return, within the cube; by default all.

    Returns
    -------
    xarray.DataArray
        The lowest and the highest score over all orders of the tied documents; dimensions (bound,
        metric, system, topic, depth), `bound` being ``lower`` and ``upper``.

    Raises
    ------
    MetricError
        If a ranking has more than 20,000 orders, for a metric of which it is not known which is the
        best.
    ParameterError
        If the cube was ranked by a rank column, which has no ties.
    InputError
        If documents tied across the last depth are not known any more.

    Notes
    -----
    The extremes are exact: wherever a document of more worth stands directly below one of less,
    swapping the two never lowers the score at any depth. So the highest score has every tied
    block in falling order of worth, and the lowest in rising order. Worth is relevance or gain;
    for Bpref unjudged documents stand between relevant and other judged ones, and for Judged
    the judged ones come first. For a cost the highest score is the worst one, NaN where ESL finds
    nothing then. For InfAP, Twist and its parts, CRP, and Q with gain below its threshold no one
    order is always the best, and every one is tried. Documents below the cube's depth are counted
    if they are tied with one above. Takes time in proportion to the cells, times the orders tried.

    References
    ----------
    .. [1] McSherry, Najork. Computing information retrieval performance measures efficiently in
       the presence of tied scores. ECIR 2008. doi:10.1007/978-3-540-78646-7_38
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.3. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> run = pd.DataFrame({"topic": "1", "doc": list("abc"), "score": [2.0, 1.0, 1.0]})
    >>> qrels = pd.DataFrame({"topic": "1", "doc": ["a", "c"], "grade": [0, 1]})
    >>> tie_ranges(run.ireval.cube(qrels), "RR", at=3).values.ravel()
    array([0.33333333, 0.5       ])
    """
    _refuse_untied(cube, "tied", "tail", "tail_size")
    chosen = parse_metrics(metrics)
    depths = wanted_depths(cube, chosen, at)
    cells = [cube[name] for name in ("grade", "retrieved", "tied", "tail", "tail_size")]
    sides = both_sides(cells, recall_base(cube, chosen), chosen, depths, reordered_cells)
    return label_scores(cube, sides, chosen, depths)


def _refuse_untied(cube: xr.Dataset, *names: str) -> None:
    missing = [name for name in names if name not in getattr(cube, "data_vars", ())]
    if missing:
        advice = "build the cube again, and leave its judgments and depth as they are"
        raise InputError("a cube that knows its ties", "no variable", advice, missing)
    if cube.attrs.get("ties") == "rank":
        raise ParameterError("a cube ranked by score", "ties='rank', which has no ties")
