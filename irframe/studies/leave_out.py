"""Leaving runs and judgments out: how much a collection favours the systems that made it.

Verbs: leave_out, robustness.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements import Kendall, Method
from irframe.arrays import Array
from irframe.checks import listed, tracked, whole
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.unjudged import pool_depth_of, sample
from irframe.cubes.verb import attended, refuse_deeper, shared, verb
from irframe.cubes.view import experiment_of, shown_as
from irframe.depths.agreement import agreement
from irframe.errors import ParameterError, warn
from irframe.experiments.experiment import Experiment
from irframe.experiments.group_columns import GroupBy
from irframe.experiments.judged_otherwise import fewer_judged
from irframe.experiments.policy import Metrics, parse_metrics, refuse_share
from irframe.metrics import Metric
from irframe.metrics.facts import TIE, average, facts
from irframe.names import DEPTH, METRIC, SYSTEM


@verb
def leave_out(
    cube: xr.Dataset,
    *metrics: Metrics,
    together: str | None = None,
    depth: int | None = None,
    at: int | Sequence[int] | None = None,
    by: GroupBy | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Say what each contributing run would have scored had it not helped to make the pool.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`. Leave one run out for every contributing system of it.
    metrics
        Metrics or their names.
    together
        A coordinate of the systems such as ``"team"``: leave out one group of runs at a time.
    depth
        Depth of the pool, by default the cube's.
    at
        Evaluation depths of metrics without their own, by default the depth of the pool. A metric
        with a depth of its own is evaluated there.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group, labelled with the group.
    progress
        Whether to show how many runs have been left out, by tqdm.

    Returns
    -------
    pandas.DataFrame
        One row per metric, evaluation depth and contributing run, with the columns

        - ``metric``, ``depth``, the group if `together` is given, ``system``: the run left out;
        - ``lost`` and ``lost_relevant``: judged documents that no other run (or group) had in the
          pool, and those of them with a grade of 1 or more, over all topics;
        - ``mean`` and ``mean_without``: its mean score by all judgments of the pool, and by those
          of a pool without it (without its group);
        - ``change``: the difference in percent of ``mean``, NaN where that is 0;
        - ``rank``, ``rank_without``, ``rank_change``: 1 + the number of better systems of the
          cube, before and after, and the absolute difference;
        - ``tau``: Kendall's tau-b between the orders of all systems before and after.

        Means over the rows of a metric and depth are those of Table 5 of the paper. Attributes
        ``judgments`` and ``set_aside`` say how many judgments the cube has, and how many of them
        are of documents that no contributing run has in the pool.

    Raises
    ------
    ParameterError
        If no system contributes, `together` is no coordinate of the systems, or some
        contributing system has no value there.
    DepthError
        For a pool deeper than the cube's, or depths beyond the cube.
    InputError
        If the cube does not say which documents it holds.
    GradeError
        If grade -1 marks unjudged documents.

    Warns
    -----
    IrframeWarning
        If judgments are set aside.

    Notes
    -----
    A document stays judged if a contributing run that is not left out has it at rank `depth` or
    above, rows in file order; those that no contributing run has there are not, before or after,
    or no run could lose them. All systems are scored again, on the topics that lose a document.
    What is read for it are the two best ranks of a document in different runs (or groups), so
    nothing is built again.

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
    >>> left = leave_out(cube, "AP(norm='min')", "RBP(p=0.8)")
    >>> left.groupby("metric")[["change", "rank_change", "tau"]].mean()
                    change  rank_change    tau
    metric
    AP(norm='min') -24.399          0.8  0.871
    RBP(p=0.8)     -18.428          1.0  0.914
    """
    chosen, pool = parse_metrics(metrics), pool_depth_of(cube, depth)
    depths = wanted_depths(cube, chosen, min(pool, cube.sizes[DEPTH]) if at is None else at)
    cube = shared(attended(cube))
    experiment = experiment_of(cube)
    groups = contributing_groups(cube, experiment.known_pool.contributing, together)
    contributions = _Contributions.read(experiment, groups, pool)
    own = {metric.depth for metric in chosen if metric.depth is not None}
    study = _Study(cube, chosen, sorted({*depths, *own}), contributions, pool)
    left = np.unique(groups[groups >= 0])
    turns = tracked(left, len(left), "run", progress=progress)
    frames = [_rows(study, groups, group, together) for group in turns]
    rows = pd.concat(frames, ignore_index=True)
    wanted = [
        (str(m), k) for m in chosen for k in (sorted(depths) if m.depth is None else [m.depth])
    ]
    place = {pair: number for number, pair in enumerate(wanted)}
    order = pd.Series([place.get(pair, -1) for pair in zip(rows[METRIC], rows[DEPTH], strict=True)])
    told = rows.loc[order[order >= 0].sort_values(kind="stable").index].reset_index(drop=True)
    return _tell_set_aside(told, contributions, pool)


def _tell_set_aside(rows: pd.DataFrame, contributions: "_Contributions", pool: int) -> pd.DataFrame:
    """Say how many judgments no contributing run has in the pool, and note it in the attributes."""
    total, aside = len(contributions.best), int((contributions.best == 0).sum())
    if aside:
        warn(
            f"{aside} of {total} judgments are set aside: no contributing run has their documents "
            f"in the pool, down to depth {pool}; all means are by the other {total - aside}"
        )
    rows.attrs |= {"judgments": total, "set_aside": aside}
    return rows


def contributing_groups(
    cube: xr.Dataset, contributing: NDArray[np.bool_], together: str | None
) -> Array:
    """Return the group of every contributing system, -1 for the others."""
    if not contributing.any():
        raise ParameterError("systems that contribute to the pool", "none")
    if together is None:
        return np.where(contributing, np.arange(len(contributing)), -1)
    known = [str(name) for name in cube[SYSTEM].coords if name != SYSTEM]
    if together not in known:
        wanted = "together to be a coordinate of the systems"
        raise ParameterError(wanted, repr(together), "", known)
    codes, _ = pd.factorize(cube[together].to_numpy())
    nameless = cube[SYSTEM].to_numpy()[contributing & (codes < 0)]
    if len(nameless):
        wanted = f"a value of {together} for every contributing system"
        raise ParameterError(wanted, "none for", "", nameless)
    return np.where(contributing, codes, -1)


@dataclass(frozen=True, eq=False)
class _Contributions:
    """The two best ranks of every judged document in different groups, 0 where there is none."""

    best: Array
    group: Array
    second: Array

    @classmethod
    def read(cls, experiment: Experiment, groups: Array, depth: int) -> "_Contributions":
        hits, documents = experiment.hits, len(experiment.judgments.row)
        group = groups[hits.of // experiment.shape[1]]
        some = np.flatnonzero((hits.pool_rank <= depth) & (group >= 0))
        some = some[np.lexsort((hits.pool_rank[some], hits.row[some]))]
        document, rank, group = hits.row[some], hits.pool_rank[some], group[some]
        best, first = (np.zeros(documents, np.int32) for _ in range(2))
        leader = np.full(documents, -1)
        top = np.flatnonzero(np.diff(document, prepend=-1))
        first[document[top]], leader[document[top]] = rank[top], group[top]
        others = group != leader[document]
        document, rank = document[others], rank[others]
        top = np.flatnonzero(np.diff(document, prepend=-1))
        best[document[top]] = rank[top]
        return cls(first, leader, best)

    def without(self, group: int) -> Array:
        """Return the best rank of every document outside a group."""
        return np.where(self.group == group, self.second, self.best)


class _Study:
    """The scores of all systems with the whole pool, and without one group after the other."""

    def __init__(
        self,
        cube: xr.Dataset,
        metrics: Sequence[Metric],
        depths: Sequence[int],
        contributions: _Contributions,
        pool: int,
    ) -> None:
        self.metrics, self.depths, self.contributions = metrics, list(depths), contributions
        deepest = max([*depths, *(metric.depth or 1 for metric in metrics)])
        kept = contributions.best > 0
        fewer = fewer_judged(experiment_of(cube), kept, pool)
        self.base = shown_as(
            cube.isel({DEPTH: slice(deepest)}), _ranked(fewer, contributions.best[kept])
        )
        self.systems, self.topics = cube.indexes[SYSTEM], fewer.judgments.topic
        self.scores = score(self.base, *metrics, at=self.depths).to_numpy()
        self.means = self._average(self.scores)
        self.by_pool = any(facts(metric).pooled for metric in metrics)

    def without(self, group: int) -> tuple[Array, Array, Array]:
        """Return means over (metric, depth, system), and the documents lost, relevant ones last."""
        ranks = self.contributions.without(group)
        lost = (self.contributions.best > 0) & (ranks == 0)
        moved = ranks != self.contributions.best if self.by_pool else lost
        kept = self.contributions.best > 0  # which documents `base` has
        ranks, lost, moved = ranks[kept], lost[kept], moved[kept]
        topics = np.unique(self.topics[moved])
        scores = self.scores
        if len(topics):
            part = self.base.isel(topic=topics)
            rows = np.isin(self.topics, topics)
            held = ~lost[rows]
            fewer = _ranked(fewer_judged(experiment_of(part), held), ranks[rows][held])
            scores = scores.copy()
            found = score(shown_as(part, fewer), *self.metrics, at=self.depths)
            scores[:, :, topics] = found.to_numpy()
        grades = experiment_of(self.base).judgments.grade[lost]
        return self._average(scores), np.array(len(grades)), np.array((grades >= 1).sum())

    def ranks(self, means: Array) -> Array:
        """Return competition ranks, shape (metric, depth, system)."""
        sign = np.array([-facts(metric).sign for metric in self.metrics])
        rounded = np.round(sign[:, np.newaxis, np.newaxis] * means, TIE)
        better = rounded[..., np.newaxis, :] < rounded[..., :, np.newaxis]
        return 1 + np.asarray(better.sum(axis=-1))

    def _average(self, scores: Array) -> Array:
        kinds = [facts(metric).summary for metric in self.metrics]
        rows = [average(part, kind, axis=1) for part, kind in zip(scores, kinds, strict=True)]
        return np.moveaxis(np.stack(rows), 1, 2)


def _ranked(experiment: Experiment, ranks: Array) -> Experiment:
    """Return an experiment whose judged documents have these best ranks in the pool."""
    pool = replace(experiment.known_pool, rank=ranks.astype(np.int32))
    return replace(experiment, pool=pool)


def _rows(study: _Study, groups: Array, group: int, together: str | None) -> pd.DataFrame:
    left = np.flatnonzero(groups == group)
    means, lost, relevant = study.without(group)
    before, after = study.ranks(study.means), study.ranks(means)
    rounded = [np.round(values, TIE)[..., np.newaxis, :] for values in (study.means, means)]
    tau = Kendall().kernel(*rounded)[..., 0, 0]
    shape = (*tau.shape, len(left))
    with np.errstate(divide="ignore", invalid="ignore"):
        change = 100 * (means - study.means) / study.means
    change = np.where(study.means == 0, np.nan, change)
    columns: dict[str, Any] = {
        METRIC: np.repeat([str(m) for m in study.metrics], shape[1] * shape[2]),
        DEPTH: np.tile(np.repeat(study.depths, shape[2]), shape[0]),
    }
    if together is not None:
        columns[together] = study.base[together].to_numpy()[left[0]]
    columns |= {
        SYSTEM: study.systems.take(np.tile(left, shape[0] * shape[1])),
        "lost": int(lost),
        "lost_relevant": int(relevant),
        "mean": study.means[..., left].ravel(),
        "mean_without": means[..., left].ravel(),
        "change": change[..., left].ravel(),
        "rank": before[..., left].ravel(),
        "rank_without": after[..., left].ravel(),
        "rank_change": np.abs(after - before)[..., left].ravel(),
        "tau": np.broadcast_to(tau[..., np.newaxis], shape).ravel(),
    }
    return pd.DataFrame(columns)


SHARE, SEED = "share", "seed"
SHARES, MOST_SEEDS = (0.9, 0.7, 0.5, 0.3, 0.1), 10_000


@verb
def robustness(
    cube: xr.Dataset,
    *metrics: Metrics,
    shares: float | Sequence[float] = SHARES,
    seeds: int | Sequence[int] = 10,
    at: int | Sequence[int] | None = None,
    method: Method = "kendall",
    by: GroupBy | None = None,
    progress: bool = False,
) -> xr.DataArray:
    """Say how alike systems are ordered on random shares of the judgments and on all of them.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metrics
        Metrics or their names.
    shares
        Shares of the judgments to keep, above 0 and at most 1.
    seeds
        How many times to draw, with seeds 0, 1, ..., or the seeds themselves. The samples of one
        seed are nested.
    at
        Evaluation depths, by default the greatest; no shallower than a metric's own.
    method
        A method of agreement or its name, as for `agreement`.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group, labelled with the group.
    progress
        Whether to show how many samples have been scored, by tqdm.

    Returns
    -------
    xarray.DataArray
        Agreement over (metric, depth, share, seed). Means and spreads over the dimension
        ``seed`` are what a curve shows.

    Raises
    ------
    ParameterError
        For a share outside (0, 1] or repeated seeds.
    InputError
        If the cube does not say which documents it holds.
    GradeError
        If grade -1 marks unjudged documents.

    Notes
    -----
    Samples are those of `sample`, stratified by topic and grade.

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
        refuse_share(share)
    several = range(whole("seeds", seeds, high=MOST_SEEDS)) if isinstance(seeds, int) else seeds
    drawn = [whole("seed", seed) for seed in several]
    if not drawn or len(set(drawn)) < len(drawn) or not len(shares):
        raise ParameterError("shares and distinct seeds", f"{shares!r}, {drawn!r}")
    deepest = max([*depths, *(metric.depth or 1 for metric in chosen)])
    base = shared(attended(cube)).isel({DEPTH: slice(deepest)})
    complete = score(base, *chosen, at=depths)
    samples = list(product(shares, drawn))
    results = [
        agreement(score(sample(base, share, seed=seed), *chosen, at=depths), complete, method)
        for share, seed in tracked(samples, len(samples), "sample", progress=progress)
    ]
    first = results[0]
    stacked = np.stack([array.to_numpy() for array in results], axis=-1)
    values = stacked.reshape(*first.shape, len(shares), len(drawn))
    labels = {name: first[name].to_numpy() for name in first.dims}
    labels |= {SHARE: np.asarray(shares), SEED: np.asarray(drawn)}
    return xr.DataArray(values, labels, list(labels), name="agreement", attrs=first.attrs)
