"""Effects of tied documents on scores and orderings of systems.

Verbs: tie_ranges, tie_rates, tie_agreement.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import xarray as xr

from irframe.agreements import Method
from irframe.arrays import Array
from irframe.checks import check_int, listed
from irframe.cubes.cube import cube as build
from irframe.cubes.score import Work, label_scores, refuse_metrics, score, wanted_depths
from irframe.cubes.unjudged import both_sides
from irframe.cubes.verb import refuse_deeper, verb
from irframe.depth.agreement import agreement
from irframe.errors import DepthError, ParameterError
from irframe.experiments.choices import TiesLike
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.extremes.labelled_bounds import refuse_unordered, reordered_scores
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.metrics import Block, Metric, P
from irframe.names import DEFAULT_TIES, DEPTH, METRIC
from irframe.record import recorded


@verb(bounded=True, repeats=True)
def tie_ranges(
    cube: xr.Dataset, *metrics: Metrics, at: int | Sequence[int] | None = None
) -> xr.DataArray:
    """Return the score bounds over all orders of tied documents.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube` with any tie policy except ``ties="rank"``.
    metrics
        Metrics or their names.
    at
        Evaluation depths. The default is all depths of the cube.

    Returns
    -------
    xarray.DataArray
        The lowest and the highest score over all orders of tied documents. The dimensions are
        (bound, metric, system, topic, depth), where ``bound`` is ``"lower"`` or ``"upper"``.

    Raises
    ------
    MetricError
        If no single order of tied documents is known to be best for a metric.
    ParameterError
        If the cube was ranked by a rank column, which has no ties.
    InputError
        If the cube lacks documents that are tied with the document at its last depth.

    Notes
    -----
    The bounds are exact. The value of a document is its relevance or gain. If a document is
    directly below a document with a lower value, swapping the two documents does not lower the
    score at any depth. Therefore, the score is highest if tied documents are in descending order of
    value, and lowest if tied documents are in ascending order. For Bpref, the value of unjudged
    documents is between relevant and judged non-relevant documents. For Judged, judged documents
    have the highest value. For a cost metric, the upper bound is the worst score. The upper bound
    of ESL is NaN if the worst order has no relevant document down to the depth.

    No single order is known to be best for InfAP, Twist and its components, CRP, Q with gain below
    its threshold, G, INST, and other metrics with adaptive users. Documents below the depth of the
    cube are included if they are tied with a document above this depth. The running time is
    proportional to the number of systems, topics and depths.

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
    refuse_untied(cube)
    chosen = parse_metrics(metrics)
    refuse_unordered(chosen)
    depths = wanted_depths(cube, chosen, at)
    # each order of tied documents has distinct ranks, even if the cube has ties="mean"
    refuse_metrics(cube, chosen, ties=DEFAULT_TIES)
    scores = both_sides(cube, chosen, depths, reordered_scores, ties=True)
    return label_scores(cube, scores, chosen, depths)


def refuse_untied(cube: xr.Dataset) -> None:
    """Raise if a cube was ranked by a rank column."""
    if cube.attrs["ties"] == "rank":
        raise ParameterError("a cube that is ranked by score", "a cube with ties='rank'")


@verb(bounded=True, repeats=True)
def tie_rates(cube: xr.Dataset, depth: int = 20) -> xr.DataArray:
    """Return the share of tied documents among the top documents.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube` with any tie policy except ``ties="rank"``.
    depth
        Number of top documents per list, at least 1.

    Returns
    -------
    xarray.DataArray
        The share of top documents with the same score as another top document, from 0 to 1, over
        (system, topic). The share is NaN for an empty list. Table 6 of [1]_ shows
        ``tie_rates(cube).mean("topic").median()``.

    Raises
    ------
    DepthError
        If `depth` is below 1, or if it is greater than the depth of a cube that cuts longer lists.
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
    refuse_untied(cube)
    depth = check_int("depth", depth, low=1, error=DepthError)
    # if the cube cuts a list above `depth`, tied documents may be missing
    if min(int(cube["retrieved"].to_numpy().max(initial=0)), depth) > cube.sizes[DEPTH]:
        advice = "build the cube with a greater depth="
        expected = f"depth= up to {cube.sizes[DEPTH]}, the depth of the cube"
        raise DepthError(expected, str(depth), advice)
    values = Work([P()], [depth], _rates, ties=True).over(cube)
    rates = label_scores(cube, values, [P()], [depth])
    return rates.isel({METRIC: 0, DEPTH: 0}, drop=True).rename("tie_rate")


def _rates(block: Block, _: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Yield the share of tied documents down to the depth."""
    above = np.asarray(block.tied)[..., : depths[0]]
    # a document is tied with the one above it or with the one below it
    below = np.append(above[..., 1:], np.zeros_like(above[..., :1]), axis=-1)
    number = np.minimum(block.retrieved, depths[0])
    share = np.full(number.shape, np.nan)
    np.divide((above | below).sum(axis=-1), number, out=share, where=number > 0)
    yield share[..., np.newaxis]


@recorded
def tie_agreement(
    runs: Runs,
    qrels: Qrels,
    metrics: Metrics,
    *,
    ties: Sequence[TiesLike] = ("trec", "order"),
    at: int | Sequence[int] | None = None,
    coefficient: Method = "kendall",
) -> xr.DataArray:
    """Return the agreement of orderings under two tie policies.

    Parameters
    ----------
    runs, qrels
        Runs and judgments, in any form that `as_runs` and `as_qrels` read.
    metrics
        Metrics or their names.
    ties
        Two tie policies, each a name or an `irframe.Ties`. Table 6 of [1]_ compares ``"trec"`` and
        ``"order"``.
    at
        Evaluation depths. The smallest depth must be at least the largest cutoff of the metrics.
        The default is the length of the longest list.
    coefficient
        A measure of agreement or its name, as for `agreement`.

    Returns
    -------
    xarray.DataArray
        Agreement over (metric, depth).

    Raises
    ------
    ParameterError
        If `ties` does not contain exactly two tie policies.
    IrframeError
        For the same reasons as in `cube` and `score`.

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
    if isinstance(ties, str) or len(listed(ties)) != 2:
        raise ParameterError("a list of two tie policies in ties=", repr(ties))
    chosen = parse_metrics(metrics)
    depths = None if at is None else [check_int("at", depth, low=1) for depth in listed(at)]
    if depths is not None:
        refuse_deeper(chosen, min(depths))
    deepest = None if depths is None else max(depths)
    runs = as_runs(runs)
    qrels = as_qrels(qrels)
    cubes = [build(runs, qrels, depth=deepest, ties=rule) for rule in ties]
    # both cubes contain the same lists, so they have the same depth
    depths = [cubes[0].sizes[DEPTH]] if depths is None else depths
    first, second = (score(cube, *chosen, at=depths) for cube in cubes)
    result: xr.DataArray = agreement(first, second, coefficient)
    return result.assign_attrs(ties=" against ".join(map(str, ties)))
