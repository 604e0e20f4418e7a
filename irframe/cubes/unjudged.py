"""Bounds over unjudged documents, and cubes with other judgments.

Verbs: bounds, condense, pooled, sample, rejudge.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import overload

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import check_int, number
from irframe.cubes.estimate import read_to_draw
from irframe.cubes.score import Kernel, Work, beyond, label_scores, read_metrics
from irframe.cubes.verb import verb
from irframe.cubes.view import Cube, experiment_of, shown_as
from irframe.errors import DepthError, IdError, InputError, warn
from irframe.evaluation.rejudged import condensed, fewer_judged, judged_anew
from irframe.experiments import policy
from irframe.experiments.hits import refuse_open
from irframe.experiments.judgments import Judgments
from irframe.extremes.labelled_bounds import labelled_bounds, refuse_long, refuse_unbounded
from irframe.files.as_runs import Qrels
from irframe.frames.ids import shown
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.facts import TIE
from irframe.names import BOUND, DEPTH, METRIC, REPEAT, TOPIC, UNJUDGED
from irframe.quantities.evidence import parameters
from irframe.record import steps_of

SIDES = ("lower", "upper")
SHARED = ("Judged", "NumRet")
"""Names of the metrics from which shares of unjudged documents are computed."""


def unjudged_shares(scored: xr.DataArray) -> xr.DataArray:
    """Return the share of retrieved documents that are unjudged.

    Parameters
    ----------
    scored
        Scores of the metrics in `SHARED` and possibly of other metrics.

    Returns
    -------
    xarray.DataArray
        Shares with all dimensions of the scores except topics and repeats. Shares are NaN for
        systems that retrieved no document.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube({"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}, {"1": {"a": 1}, "2": {"c": 1}})
    >>> unjudged_shares(cube.ireval.score(*SHARED, at=2)).round(3).item()
    0.333
    """
    judged, retrieved = (scored.sel({METRIC: name}, drop=True) for name in SHARED)
    over = [dim for dim in (REPEAT, TOPIC) if dim in scored.dims]
    total = retrieved.sum(over)
    return (((1 - judged) * retrieved).sum(over) / total.where(total > 0)).round(TIE)


@verb(bounded=True, repeats=True)
def bounds(
    cube: xr.Dataset,
    *metrics: policy.Metrics,
    at: int | Sequence[int] | None = None,
) -> xr.DataArray:
    """Compute lower and upper bounds of scores over unjudged documents.

    The score lies between the bounds, whatever the grades of the retrieved unjudged documents are.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metrics
        Metrics or their names: All, AP, BinG, DCG, ERR, F, INSQ, InterpolatedAP, IPrec, nDCG,
        NumRelRet, P, Q, RBP, Recall, RelativeP, Rprec, RprecMult, RR, SDCG, SetAP, SetF, SetP,
        SetRelativeP, Success, Utility, YAAP.
    at
        Depths to return, at most the depth of the cube. The default is all depths of the cube.

    Returns
    -------
    xarray.DataArray
        Bounds with the dimensions (bound, metric, system, topic, depth). The labels of `bound` are
        ``lower`` and ``upper``.

    Raises
    ------
    MetricError
        If irframe cannot bound a metric, or the computation would take too long.
    DepthError
        If depths are beyond the cube.
    GradeError
        If the judgments mark unjudged documents by grade -1.

    Notes
    -----
    For metrics without a recall base, the lower bound is the score with unjudged documents treated
    as not relevant. For the upper bound, unjudged documents have gain 1, or the top gain if that is
    higher. The largest possible contribution of ranks beyond the end of the list is added. With m =
    min(k, length of the list), this contribution is ``p**m`` for RBP and ``1/(m+1) prod_{i<=m} (1 -
    G(i))`` for ERR. For INSQ this contribution is the sum of the remaining weights. For P and SDCG
    the missing ranks down to k have gain 1. The upper bounds of RR, Success, SetP, DCG and
    NumRelRet treat unjudged documents as relevant. The running time is proportional to the number
    of cells of the cube.

    The bounds of metrics with a recall base are the lowest and the highest score over all possible
    grades of the *retrieved* unjudged documents. Possible grades are 0 to the top grade. Unjudged
    documents below the depth are included. For All, the lower bound is the score, and the upper
    bound is 1 if an unjudged document was read. Grades also change the normaliser, so the score is
    not always highest if all unjudged documents are relevant. Grades for which the score is NaN are
    ignored. The bounds assume that no further unjudged document is relevant. With ``norm="pool"``
    or ``ideal="pool"``, pools that are shallower than the cube do not change.

    With u unjudged documents down to the deepest depth k, the running time per ranking is
    proportional to k u. For nDCG with several grades, this time is multiplied by the number of
    grades and by a small number of iterations. The running time of Q with g grades is proportional
    to k u comb(u + g, g) for every depth k. An error is raised if the computation would take
    minutes.

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
    chosen, depths = read_metrics(cube, metrics, at)
    refuse_unbounded(chosen)
    experiment = experiment_of(cube)
    policy.refuse_marks(experiment.judgments.grade)
    uneven = [metric for metric in chosen if not _linear_both(metric)]
    policy.refuse_shared(uneven, experiment.options["ties"], "bounds")
    hidden = any(metric.fillings for metric in chosen)
    # all metrics are checked before any is scored, so that a slow metric raises an error at once
    if hidden and not cube["grade"].chunks:
        deep = cube.sizes[DEPTH]
        block = experiment.block(experiment.fields(chosen, deep), deep)
        block = replace(block, beyond=beyond(experiment, block, np.s_[:, :]))
        for _, scale in block.scales():
            for metric in chosen:
                refuse_long(metric, scale, np.asarray(depths))
    values = both_sides(cube, chosen, depths, bound_block, hidden=hidden)
    return label_scores(cube, values, chosen, depths)


def _linear_both(metric: Metric) -> bool:
    """Return whether both bounds are linear in gains.

    Tied documents may then share their gain.
    """
    ceiling = type(metric).ceiling
    return metric.linear and bool(ceiling) and "unjudged" not in parameters(ceiling)


def both_sides(
    cube: xr.Dataset,
    metrics: Sequence[Metric],
    depths: Sequence[int],
    kernel: Kernel,
    *,
    hidden: bool = False,
    ties: bool = False,
) -> xr.DataArray:
    """Compute lower and upper scores of every metric.

    Parameters
    ----------
    cube, metrics, depths, kernel, hidden, ties
        See `irframe.cubes.score.Work`.

    Returns
    -------
    xarray.DataArray
        Dimensions (bound, metric, system, topic, depth).
    """
    both = Work(metrics, depths, kernel, 2, hidden=hidden, ties=ties).over(cube)
    # the kernel yields the lower and the upper scores of each metric in turn
    sides = [both.isel({METRIC: slice(side, None, 2)}) for side in range(2)]
    return xr.concat(sides, dim=BOUND).assign_coords({BOUND: list(SIDES)})


def bound_block(block: Block, metrics: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Yield the lower and upper bounds of each metric."""
    columns = np.asarray(depths)
    evidence = Evidence(block)
    for metric in metrics:
        if metric.ceiling:
            yield metric.score(evidence)[..., columns - 1]
            yield metric.highest(evidence)[..., columns - 1]
            continue
        # bounds are constant below the depth of a metric
        depth = np.minimum(columns, metric.depth or columns)
        # the upper bound is 1, because an unjudged document may make the set complete
        if block.subtopic_grade is not None:
            score = metric.score(evidence)[..., columns - 1]
            has_unjudged = np.cumsum(block.grade == UNJUDGED, axis=-1)[..., depth - 1] > 0
            yield from (score, np.where(has_unjudged & (score < 1), 1.0, score))
            continue
        expected, back = np.unique(depth, return_inverse=True)
        rankings = block.cut(int(expected[-1])).rows()
        sides = labelled_bounds(replace(metric, depth=None), rankings, expected)
        yield from (side[:, back].reshape(*block.shape, -1) for side in sides)


@verb(bounded=True, repeats=True)
def condense(cube: xr.Dataset) -> Cube:
    """Remove the unjudged documents from every ranking.

    Documents at lower ranks move up.

    Documents with negative grades are also removed, because trec_eval treats these documents as
    pooled but not judged.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, as deep as its lists. The result can be scored at any depth.

    Returns
    -------
    xarray.Dataset
        The cube with shorter lists. Metrics still divide by their nominal depths: P@10 divides by
        10.

    Raises
    ------
    DepthError
        If lists were cut when the cube was built, because documents below the cut would move up.

    References
    ----------
    .. [1] Sakai. Alternatives to Bpref. SIGIR 2007. doi:10.1145/1277741.1277756
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 2.5. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> int(cube.retrieved.max()), int(condense(cube).retrieved.max())
    (50, 27)
    """
    experiment = experiment_of(cube).loaded
    refuse_open(experiment.longest, cube.sizes[DEPTH])
    return shown_as(cube, condensed(experiment))


@verb(bounded=True, repeats=True)
def pooled(cube: xr.Dataset, depth: int) -> Cube:
    """Return the cube with the judgments of a shallower pool.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depth
        Depth of the simulated pool, from 1 to the pool depth of the cube.

    Returns
    -------
    xarray.Dataset
        The cube with fewer judgments. A document is judged only if a list of a contributing run
        contains it among the first `depth` rows in file order. Documents that no contributing run
        retrieved are unjudged at every depth.

    Raises
    ------
    DepthError
        If the depth is below 1, or above the pool depth of the cube.
    InputError
        If the cube has no document identifiers.
    GradeError
        If the judgments mark unjudged documents by grade -1.

    References
    ----------
    .. [1] Zobel. How reliable are the results of large-scale information retrieval experiments?
       SIGIR 1998. doi:10.1145/290941.291014
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> shallow = pooled(cube, 2)
    >>> int(cube.unjudged.sum()), int(shallow.unjudged.sum())
    (3720, 5631)
    """
    depth = pool_depth_of(cube, depth)
    experiment = experiment_of(cube).loaded
    rank = experiment.known_pool.rank
    # rank 0 marks documents that no contributing run retrieved
    return shown_as(cube, fewer_judged(experiment, (rank > 0) & (rank <= depth), depth))


def pool_depth_of(cube: xr.Dataset, depth: int | None = None) -> int:
    """Return the pool depth, by default that of the cube.

    Raises
    ------
    DepthError
        If the depth is below 1 or above the pool depth of the cube.
    InputError
        If the cube has no topics.
    """
    depths = experiment_of(cube).known_pool.depth
    if not depths.size:
        raise InputError("a cube with topics", "none")
    deepest = int(depths.min())
    expected = deepest if depth is None else depth
    advice = "pass the depth to which runs were judged: cube(..., pool=ir.Pool(depth=100))"
    if deepest < 1:
        raise DepthError("a known pool depth", "an unknown pool depth", advice)
    return check_int("pool depth", expected, low=1, high=deepest, error=DepthError, advice=advice)


@overload
def sample(data: xr.Dataset, share: float, *, seed: int = 0) -> Cube: ...
@overload
def sample(data: pd.DataFrame, share: float, *, seed: int = 0) -> pd.DataFrame: ...
@verb(bounded=True, repeats=True)
def sample(data: xr.Dataset | Qrels, share: float, *, seed: int = 0) -> Cube | pd.DataFrame:
    """Draw a random sample of judgments by topic and grade.

    The sample simulates the judgments of smaller pools. To choose documents for people to judge,
    call `draw_to_judge`, which ignores grades.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`, or a qrels frame with columns for topic, doc and grade.
    share
        Share of the judgments to keep, above 0 and at most 1.
    seed
        Seed of the random order of the documents. The order depends only on the seed and on the
        identifiers of topics and documents. Therefore a smaller sample is a subset of every larger
        sample with the same seed. The sample of a cube contains the same judgments as the sample of
        its qrels frame.

    Returns
    -------
    xarray.Dataset or pandas.DataFrame
        If `data` is a cube, the same cube with all documents outside the sample unjudged. If `data`
        is a frame, the sampled rows.

    Raises
    ------
    ParameterError
        If the share is outside (0, 1], or the seed is negative.
    InputError
        If the cube has no document identifiers.
    GradeError
        If the judgments mark unjudged documents by grade -1.

    Notes
    -----
    The sample contains ``max(1, floor(share n + 1/2))`` of the n documents of a topic with the same
    grade. For each grade below 1, the sample contains at least 10 documents. If there are fewer
    than 10 documents, the sample contains all of them.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000
    .. [2] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> [len(sample(qrels, share)) for share in (1, 0.5, 0.1)]
    [523, 282, 206]
    >>> cube = runs.ireval.cube(qrels)
    >>> [int(sample(cube, share).unjudged.sum()) for share in (1, 0.5, 0.1)]
    [3720, 4953, 5371]
    """
    number("share", share, above=0, high=1)
    if not isinstance(data, xr.Dataset):
        table = read_to_draw(data)
        keys = policy.random_keys(table.topics[table.topic], table.doc.combine_chunks(), seed=seed)
        return table.judging(policy.strata_sample(table.topic, table.grade, keys, share))
    experiment = experiment_of(data).loaded
    base = experiment.judgments
    keys = policy.random_keys(base.topics[base.topic], base.docs, seed=seed)
    chosen = policy.strata_sample(base.topic, base.grade, keys, share)
    return shown_as(data, fewer_judged(experiment, chosen))


@verb(repeats=True)
def rejudge(cube: xr.Dataset, qrels: Qrels) -> Cube:
    """Return the cube of the same runs with other judgments.

    For example, the judgments of a new assessment round can replace the earlier judgments.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    qrels
        All current judgments, including the judgments of earlier rounds: a qrels frame, or any
        input of `as_qrels`.

    Returns
    -------
    xarray.Dataset
        The cube that `irframe.cube` builds from the runs and these judgments.

    Raises
    ------
    InputError
        If the cube was condensed. If a newly judged document may occur in a list at a rank whose
        document is unknown. The message names the system and the topic.
    IdError
        If no topic of the cube is judged, or a document is judged twice.

    Warns
    -----
    IrframeWarning
        If topics of the cube have no judgments, or judged topics have no lists in the cube. Topics
        that lack judgments or lists are left out.

    Notes
    -----
    A cube contains the judged documents of its lists, and the identifiers of unjudged documents
    down to rank 100. Grades can therefore be changed or removed in any cube. If lists are longer
    than 100 documents, newly judged documents must be among the first 100. If `cube` was called
    without a pool depth, the pool depth is computed again from the new judgments. The pool depth
    becomes unknown if lists contain newly judged documents.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> first = runs.ireval.cube(ir.verbs.sample(qrels, 0.5))
    >>> second = first.ireval.rejudge(qrels)
    >>> [int(each.unjudged.sum()) for each in (first, second)]
    [4953, 3720]
    """
    steps = steps_of(cube)
    if any(step.verb == "condense" for step in steps):
        raise InputError(
            "a cube that is not condensed", "a condensed cube", "condense the result instead"
        )
    experiment = experiment_of(cube).loaded
    new = Judgments.of(qrels, ())
    topics = experiment.judgments.topics
    positions = new.topics.get_indexer(topics)
    judged = np.flatnonzero(positions >= 0)
    if not len(judged):
        sides = [shown(labels[:3]) for labels in (topics, new.topics)]
        message = f"none: the cube has {sides[0]}, and the judgments have {sides[1]}"
        raise IdError("judgments of topics of the cube", message)
    beyond = new.topics.difference(topics, sort=False)
    lacking = {
        "topics of the cube have no judgments any more and are left out": topics[positions < 0],
        "topics of the judgments have no lists in the cube and are left out": beyond,
    }
    warn(*(f"{len(lost)} {reason}: {shown(lost)}" for reason, lost in lacking.items() if len(lost)))
    selected = experiment.select(np.arange(experiment.shape[0]), judged)
    judgments = Judgments.chosen(new.table, positions[judged])
    pool_stated = any("pool_depth" in step.options for step in steps)
    changed = judged_anew(selected, judgments, pool_stated=pool_stated, all_judged=not len(beyond))
    return shown_as(cube.isel({TOPIC: judged}), changed)
