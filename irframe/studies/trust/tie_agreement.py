"""How alike the orders of ties order the systems."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from irframe.agreements import Method
from irframe.cubes.cube import cube as build
from irframe.cubes.score import score
from irframe.cubes.verb import refuse_deeper
from irframe.depths.agreement import agreement
from irframe.errors import ParameterError
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.names import DEFAULT_DTYPE, DEPTH, ScoreDtype, Ties
from irframe.record import recorded


@recorded
def tie_agreement(
    runs: Runs,
    qrels: Qrels,
    metrics: Metrics,
    *,
    ties: Sequence[Ties] = ("trec", "order"),
    at: int | Sequence[int] | None = None,
    score_dtype: ScoreDtype = DEFAULT_DTYPE,
    method: Method = "kendall",
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
        Evaluation depths, by default that of the longest list; no shallower than a metric's own.
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
    if depths is not None:
        refuse_deeper(chosen, min(depths))
    deepest = None if depths is None else max(depths)
    runs, qrels = as_runs(runs), as_qrels(qrels)
    cubes = [build(runs, qrels, depth=deepest, ties=way, score_dtype=score_dtype) for way in ties]
    depths = [cubes[0].sizes[DEPTH]] if depths is None else depths
    first, second = (score(cube, *chosen, at=depths) for cube in cubes)
    return agreement(first, second, method)
