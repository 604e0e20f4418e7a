"""Scores and orderings with runs or judgments left out.

Verbs: leave_out, robustness.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements import Kendall, Method
from irframe.agreements.base import competition_ranks
from irframe.arrays import Array, in_threads
from irframe.checks import check_int, each_once, listed, number
from irframe.cubes.score import Work, refuse_metrics, score, wanted_depths
from irframe.cubes.unjudged import pool_depth_of, sample
from irframe.cubes.verb import common_topics, drop_absent, refuse_deeper, verb
from irframe.cubes.view import experiment_of
from irframe.depth.agreement import agreement
from irframe.errors import ParameterError, warn
from irframe.evaluation.rejudged import fewer_judged
from irframe.experiments.experiment import Experiment
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.experiments.topic_design import refuse_declared
from irframe.frames.ids import beginnings
from irframe.metrics import Metric
from irframe.metrics.facts import TIE, average, facts
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.progress import tracked


@verb(reads=("together",))
def leave_out(
    cube: xr.Dataset,
    *metrics: Metrics,
    together: str | None = None,
    depth: int | None = None,
    at: int | Sequence[int] | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Score each run with a pool without its own contributions.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`. Each contributing system is left out of the pool in turn.
    metrics
        Metrics or their names.
    together
        A coordinate of the systems, such as ``"team"``. All systems with the same value are left
        out of the pool together.
    depth
        Pool depth. The default is the pool depth of the cube.
    at
        Evaluation depths of metrics without a cutoff. The default is the pool depth. A metric with
        a cutoff, such as ``"nDCG@10"``, is evaluated at its cutoff.
    progress
        Whether to show a progress bar of tqdm.

    Returns
    -------
    pandas.DataFrame
        One row per metric, evaluation depth and contributing run, with the columns

        - ``metric`` and ``depth``;
        - the group, in a column that is named after the coordinate `together`;
        - ``system``, the run that is left out;
        - ``lost`` and ``lost_relevant``, the numbers of judged and of relevant documents that only
          this run contributes to the pool, over all topics. With `together`, documents are counted
          if only the group of the run contributes them;
        - ``mean`` and ``mean_without``, the mean score of the run with the full pool, and with the
          reduced pool, which lacks the contributions of the run (or of its group);
        - ``change``, ``mean_without - mean`` in percent of ``mean``, or NaN if ``mean`` is 0;
        - ``rank``, 1 + the number of better systems with the full pool. ``rank_without`` is the
          rank with the reduced pool, and ``rank_change`` is the absolute difference between the
          two ranks;
        - ``tau``, Kendall's tau-b between the orderings of all systems with the two pools.

        Table 5 of [3]_ shows means over the rows of a metric and depth. The attribute ``judgments``
        is the number of all judgments. The attribute ``set_aside`` is the number of judgments whose
        documents no contributing run retrieved within the pool depth.

    Raises
    ------
    ParameterError
        If no system contributes to the pool, if `together` is not a coordinate of the systems, or
        if a contributing system has no value of this coordinate.
    DepthError
        If the pool depth exceeds the pool depth of the cube, or an evaluation depth exceeds the
        depth of the cube.
    InputError
        If the cube has lost its attribute ``experiment``.
    GradeError
        If grade -1 marks unjudged documents.

    Warns
    -----
    IrframeWarning
        If the attribute ``set_aside`` is above 0.

    Notes
    -----
    A document stays judged if another contributing run has the document in the first `depth` rows
    of its list in the run file. Documents that no contributing run has in these rows count as
    unjudged with both pools, because they are in neither pool. All systems are scored again on the
    topics that lose a document. The computation needs only the two best ranks of a document in
    different runs (or groups).

    References
    ----------
    .. [1] Zobel. How reliable are the results of large-scale information retrieval experiments?
       SIGIR 1998. doi:10.1145/290941.291014
    .. [2] Voorhees. The philosophy of information retrieval evaluation. CLEF 2001.
       doi:10.1007/3-540-45691-0_34
    .. [3] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 5. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> result = leave_out(cube, "AP(norm='min')", "RBP(p=0.8)")
    >>> result.groupby("metric")[["change", "rank_change", "tau"]].mean()
                    change  rank_change    tau
    metric
    AP(norm='min') -24.399          0.8  0.871
    RBP(p=0.8)     -18.428          1.0  0.914
    """
    refuse_declared(cube.attrs, "leave_out")
    chosen = parse_metrics(metrics)
    pool = pool_depth_of(cube, depth)
    depths = wanted_depths(cube, chosen, min(pool, cube.sizes[DEPTH]) if at is None else at)
    refuse_metrics(cube, chosen)
    cube = common_topics(drop_absent(cube))
    experiment = experiment_of(cube)
    groups = contributing_groups(cube, experiment.known_pool.contributing, together)
    best, leader, second = _best_ranks(experiment, groups, pool)
    pooled = best > 0
    base = _ranked(fewer_judged(experiment, pooled, pool), best[pooled])
    metric_depths = {metric.depth for metric in chosen if metric.depth is not None}
    study = _Study(base, chosen, wanted_depths(cube, chosen, sorted({*depths, *metric_depths})))
    distinct = np.unique(groups[groups >= 0])
    without = [
        study.without(best[pooled], np.where(leader == group, second, best)[pooled])
        for group in tracked(distinct, len(distinct), "run", progress=progress)
    ]
    cells = [(m, k) for m in chosen for k in (sorted(depths) if m.depth is None else [m.depth])]
    rows = _rows(cube, study, cells, groups, without)
    if together is not None:
        rows.insert(2, together, cube[together].sel({SYSTEM: rows[SYSTEM].tolist()}).to_numpy())
    total = len(best)
    set_aside = int((~pooled).sum())
    if set_aside:
        warn(
            f"{set_aside} of {total} judgments are set aside, because no contributing system "
            f"retrieved their documents within the pool depth {pool}: all means use the other "
            f"{total - set_aside} judgments"
        )
    rows.attrs |= {"judgments": total, "set_aside": set_aside}
    return rows


def contributing_groups(
    cube: xr.Dataset, contributing: NDArray[np.bool_], together: str | None
) -> Array:
    """Return the group code by system, -1 for non-contributing systems."""
    if not contributing.any():
        raise ParameterError("systems that contribute to the pool", "no such system")
    if together is None:
        return np.where(contributing, np.arange(len(contributing)), -1)
    coordinates = [str(name) for name in cube[SYSTEM].coords if name != SYSTEM]
    if together not in coordinates:
        expected = "a coordinate of the systems in together="
        raise ParameterError(expected, f"{together!r}. The coordinates are", "", coordinates)
    codes, _ = pd.factorize(cube[together].to_numpy())
    unlabelled = cube[SYSTEM].to_numpy()[contributing & (codes < 0)]
    if len(unlabelled):
        expected = f"a value of {together} for every contributing system"
        raise ParameterError(expected, "no value for", "", unlabelled)
    return np.where(contributing, codes, -1)


def _best_ranks(experiment: Experiment, groups: Array, depth: int) -> tuple[Array, Array, Array]:
    """Return the two best pool ranks of every judged document.

    The three arrays are the best rank, the group with this rank (or -1), and the best rank in all
    other groups. A rank of 0 means that no group has the document in the pool.
    """
    hits = experiment.hits
    n_documents = len(experiment.judgments.row)
    group = groups[hits.of // experiment.shape[1]]
    entries = np.flatnonzero((hits.pool_rank <= depth) & (group >= 0))
    # the entries of one document are adjacent, with the best rank first
    entries = entries[np.lexsort((hits.pool_rank[entries], hits.row[entries]))]
    best, second = (np.zeros(n_documents, np.int32) for _ in range(2))
    leader = np.full(n_documents, -1)
    top = entries[beginnings(hits.row[entries])]
    best[hits.row[top]] = hits.pool_rank[top]
    leader[hits.row[top]] = group[top]
    # the second-best rank must come from another group, because a group is left out as a whole
    behind = entries[group[entries] != leader[hits.row[entries]]]
    top = behind[beginnings(hits.row[behind])]
    second[hits.row[top]] = hits.pool_rank[top]
    return best, leader, second


def _ranked(experiment: Experiment, ranks: Array) -> Experiment:
    """Return an experiment with new pool ranks of judged documents."""
    pool = replace(experiment.known_pool, rank=ranks.astype(np.int32))
    return replace(experiment, pool=pool)


class _Study:
    """Mean scores of all systems with pools without one group."""

    def __init__(self, base: Experiment, metrics: Sequence[Metric], depths: list[int]) -> None:
        self.base = base
        self.metrics = metrics
        self.depths = depths
        self.facts = [facts(metric) for metric in metrics]
        self.scores = self._score(base)
        self.means = self._average(self.scores)

    def without(self, before: Array, ranks: Array) -> tuple[Array, int, int]:
        """Return means without a group, and numbers of lost documents.

        Mean scores have the shape (metric, depth, system). The two counts are the numbers of lost
        documents and of lost relevant documents. `before` and `ranks` are the best pool ranks of
        all judged documents with the group and without the group.
        """
        judgments = self.base.judgments
        lost = ranks == 0
        # metrics that read the pool also depend on the ranks of documents that stay judged
        moved = ranks != before if any(fact.pooled for fact in self.facts) else lost
        topics = np.unique(judgments.topic[moved])
        scores = self.scores.copy()
        if len(topics):
            rows = np.isin(judgments.topic, topics)
            judged = ~lost[rows]
            subset = self.base.select(np.arange(self.base.shape[0]), topics)
            pooled = _ranked(fewer_judged(subset, judged), ranks[rows][judged])
            scores[:, :, topics] = self._score(pooled)
        return self._average(scores), int(lost.sum()), int((judgments.grade[lost] >= 1).sum())

    def _score(self, experiment: Experiment) -> Array:
        deepest = max([*self.depths, *(metric.depth or 1 for metric in self.metrics)])
        return Work(self.metrics, self.depths).tiles(experiment, deepest, in_threads)

    def _average(self, scores: Array) -> Array:
        pairs = zip(scores, self.facts, strict=True)
        return np.stack([average(values, fact.summary, axis=1).T for values, fact in pairs])

    def rounded(self, means: Array) -> Array:
        """Return rounded means, with the means of cost metrics negated."""
        return np.round(np.array([[[fact.sign]] for fact in self.facts]) * means, TIE)


def _rows(
    cube: xr.Dataset,
    study: _Study,
    cells: list[tuple[Metric, int]],
    groups: Array,
    without: list[tuple[Array, int, int]],
) -> pd.DataFrame:
    """Return one row per metric, depth and contributing system."""
    # systems that do not contribute have the code -1 and are sorted first
    systems = np.argsort(groups, kind="stable")[(groups < 0).sum() :]
    group = np.unique(groups[systems], return_inverse=True)[1]
    after, lost, relevant = (np.array(values) for values in zip(*without, strict=True))
    # columns of indices broadcast against systems to one row per cell and one column per system
    metric = [[study.metrics.index(measure)] for measure, _ in cells]
    depth = [[study.depths.index(level)] for _, level in cells]
    mean = study.means[metric, depth, systems]
    mean_without = after[group, metric, depth, systems]
    old = study.rounded(study.means)
    new = study.rounded(after)
    rank = competition_ranks(old)[metric, depth, systems]
    rank_without = competition_ranks(new)[group, metric, depth, systems]
    tau = Kendall().kernel(*np.broadcast_arrays(old[..., np.newaxis, :], new[..., np.newaxis, :]))
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.where(mean == 0, np.nan, 100 * (mean_without - mean) / mean)
    columns = {
        METRIC: np.repeat([str(measure) for measure, _ in cells], len(systems)),
        DEPTH: np.repeat([level for _, level in cells], len(systems)),
        SYSTEM: cube.indexes[SYSTEM].take(np.tile(systems, len(cells))),
        "lost": np.tile(lost[group], len(cells)),
        "lost_relevant": np.tile(relevant[group], len(cells)),
    }
    values = {"mean": mean, "mean_without": mean_without, "change": change, "rank": rank}
    values |= {"rank_without": rank_without, "rank_change": np.abs(rank_without - rank)}
    values["tau"] = tau[..., 0, 0][group, metric, depth]
    return pd.DataFrame(columns | {name: array.ravel() for name, array in values.items()})


SHARE = "share"
SEED = "seed"
SHARES = (0.9, 0.7, 0.5, 0.3, 0.1)
MOST_SEEDS = 10_000


@verb
def robustness(
    cube: xr.Dataset,
    *metrics: Metrics,
    shares: float | Sequence[float] = SHARES,
    seeds: int | Sequence[int] = 10,
    at: int | Sequence[int] | None = None,
    coefficient: Method = "kendall",
    progress: bool = False,
) -> xr.DataArray:
    """Correlate orderings by all judgments and by samples of judgments.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metrics
        Metrics or their names.
    shares
        Shares of the judgments to keep, above 0 and at most 1.
    seeds
        Number of samples per share, or a list of random seeds. The seeds of n samples are 0, 1,
        ..., n - 1. Samples with the same seed are nested: a large sample contains all smaller ones.
    at
        Evaluation depths. The smallest depth must be at least the largest cutoff of the metrics.
        The default is the depth of the cube.
    coefficient
        A measure of agreement or its name, as for `agreement`.
    progress
        Whether to show a progress bar of tqdm.

    Returns
    -------
    xarray.DataArray
        Agreement over (metric, depth, share, seed). `irframe.plots.robustness_curves` draws the
        mean and the standard deviation over seeds.

    Raises
    ------
    ParameterError
        If a share is outside (0, 1], or a seed occurs twice.
    InputError
        If the cube has lost its attribute ``experiment``.
    GradeError
        If grade -1 marks unjudged documents.

    Notes
    -----
    `sample` draws the judgments, stratified by topic and grade.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000
    .. [2] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 13. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> tau = robustness(cube, "AP", "Bpref", shares=[1, 0.5], seeds=5)
    >>> tau.mean("seed").squeeze("depth").round(2).to_pandas()
    share   1.0   0.5
    metric
    AP        1.0  0.91
    Bpref     1.0  0.86
    """
    chosen = parse_metrics(metrics)
    depths = wanted_depths(cube, chosen, cube.sizes[DEPTH] if at is None else at)
    refuse_deeper(chosen, min(depths))
    shares = listed(shares)
    for share in shares:
        number("share", share, above=0, high=1)
    values = range(check_int("seeds", seeds, high=MOST_SEEDS)) if isinstance(seeds, int) else seeds
    seed_values = [check_int("seeds", seed) for seed in listed(values)]
    each_once("shares", shares)
    each_once("seeds", seed_values)
    deepest = max([*depths, *(metric.depth or 1 for metric in chosen)])
    base = common_topics(drop_absent(cube)).isel({DEPTH: slice(deepest)})
    complete = score(base, *chosen, at=depths)
    samples = list(product(shares, seed_values))
    results = [
        agreement(score(sample(base, share, seed=seed), *chosen, at=depths), complete, coefficient)
        for share, seed in tracked(samples, len(samples), "sample", progress=progress)
    ]
    first = results[0]
    stacked = np.stack([array.to_numpy() for array in results], axis=-1)
    stacked = stacked.reshape(*first.shape, len(shares), len(seed_values))
    labels = {name: first[name].to_numpy() for name in first.dims}
    labels |= {SHARE: np.asarray(shares), SEED: np.asarray(seed_values)}
    return xr.DataArray(stacked, labels, list(labels), name="agreement", attrs=first.attrs)
