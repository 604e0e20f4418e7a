"""Leaderboards of systems over topics and tasks."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from irframe.agreements.base import count_below
from irframe.arrays import Array
from irframe.checks import choice, positions_of, room
from irframe.comparing.corrections import Tested
from irframe.comparing.significance import Pairing
from irframe.cubes.parse_scores import ScoreLike
from irframe.cubes.scores import Scores
from irframe.cubes.verb import verb
from irframe.errors import InputError, ParameterError, caution, listing, united, warn
from irframe.experiments.policy import MetricLike
from irframe.experiments.topic_design import MIN_CLUSTERS, TASK, DrawnTopics
from irframe.metrics.facts import TIE, facts, index_of
from irframe.names import METRICS
from irframe.ranks.first import FIRST, optimism
from irframe.ranks.letters import letters_of
from irframe.ranks.rank_intervals import RankMethod, RankOptions
from irframe.scores.averages import Resamples, Resampling, means_of_draws, moments
from irframe.scores.read_scores import Depths, by_task, choose_pairs, read_scores, select_depths
from irframe.scores.repeats import Over
from irframe.scores.summary import Interval

CHANGES = ("difference", "change", "p_adjusted", "significant")
"""Columns that a baseline adds to a leaderboard."""
Order = Literal["mean", "win_rate", "borda"]
"""Type of the column by which a leaderboard over tasks is sorted."""
ORDERS: tuple[Order, ...] = ("mean", "win_rate", "borda")
TaskMetrics = Mapping[Any, MetricLike]
TASK_MEANS = "task_means"
"""Attribute of leaderboards that contains the names of the columns with task means."""


@verb(repeats=True)
def leaderboard(
    scores: xr.DataArray | pd.DataFrame,
    *,
    test: Tested = "t",
    baseline: Hashable | None = None,
    at: Depths = None,
    rank_interval: RankMethod = "pairs",
    interval: Interval = "logit",
    resamples: Resampling | int = 1000,
    order_by: Order = "mean",
    task_metrics: TaskMetrics | None = None,
) -> pd.DataFrame:
    """Rank systems by their mean, with rank intervals and tiers.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. The first metric
        determines the ranking.
    test
        See `rank_intervals`. The test also compares systems with the baseline. The comparisons
        with the baseline are a separate family, so p-values are adjusted for the number of these
        comparisons only. The families ``"metric"`` and ``"all"`` include all depths and metrics of
        the leaderboard.
    baseline
        A system with which every other system is compared. By default there are no such
        comparisons.
    at
        Depths of the leaderboard. The first depth determines the ranking. By default only the
        greatest depth is used.
    rank_interval, interval, resamples
        See `rank_intervals`. If scores have tasks, the intervals of win rates and Borda counts
        also use `resamples`.
    order_by
        The column by which systems are sorted, if topics have tasks declared by `design`.
        ``"mean"`` is the mean of task means. ``"win_rate"`` and ``"borda"`` are the columns below.
        Rank intervals and letters always refer to means.
    task_metrics
        Mapping from task to metric, such as ``{"marco": "RR", "covid": "nDCG"}``. For each task,
        only the scores of its metric are then used. All metrics must have arithmetic means, and
        higher scores must be better. The name of the column of means contains the names of all
        these metrics.

    Returns
    -------
    pandas.DataFrame
        One row per system, sorted from the best to the worst system. Tied systems are sorted by
        name. The index is the system, or, after `groupby`, the group and the system. The columns
        are

        - ``rank`` and ``tier``, see `rank_intervals`;
        - the mean of the first metric, in a column named after the metric, and its confidence
          interval, ``ci_low`` and ``ci_high``;
        - ``letters``. Two systems share a letter if, and only if, their difference is not
          significant [2]_. The letters are a to z, A to Z, and then ``a2``, ``b2``, ...;
        - ``rank_low``, ``rank_high`` and ``could_be_first``, see `rank_intervals`. With
          ``rank_interval="bootstrap"`` there is also ``first``;
        - with a baseline, ``difference``, the mean minus the mean of the baseline; ``change``, the
          difference divided by the mean of the baseline, NaN if that mean is 0; ``p_adjusted`` and
          ``significant``, as in `compare`;
        - with tasks, ``win_rate`` and ``borda``, the share and the number of other systems with a
          lower mean on a task, averaged over tasks. A tie counts as one half;
        - with tasks, ``win_rate_low``, ``win_rate_high``, ``borda_low`` and ``borda_high``, the
          quantiles of win rates and Borda counts over bootstrap samples of topics within tasks.
          These quantiles are not the ends of a confidence interval, and are NaN if a task has a
          single topic or cluster;
        - with tasks, the mean on each task, in a column named after the task. A system without
          scores on some task has no overall mean, and is listed last;
        - the means of further metrics and depths, in columns named after the metric and depth;
        - if systems have repeats (were run several times), ``n_repeats`` and ``repeat_sd``, see
          `summary`;
        - ``n_topics``, the number of topics compared by the first metric.

    Raises
    ------
    IrframeError
        See `rank_intervals`. An error is also raised if the baseline is unknown, or if a metric
        has the name of another column.

    Warns
    -----
    IrframeWarning
        If topics are left out. For each metric and depth, only topics with scores of all systems
        are used. See also `summary`.

    References
    ----------
    .. [1] Goldstein, Spiegelhalter. League tables and their limitations. Journal of the Royal
       Statistical Society A 159, 1996. doi:10.2307/2983325
    .. [2] Piepho. An algorithm for a letter-based representation of all-pairwise comparisons.
       Journal of Computational and Graphical Statistics 13, 2004. doi:10.1198/1061860043515

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> board = runs.ireval.evaluate(qrels, ["nDCG@10", "RR"]).ireval.leaderboard(baseline="bm25")
    >>> board[["rank", "tier", "nDCG@10", "rank_low", "rank_high", "change", "RR"]]
                rank  tier  nDCG@10  rank_low  rank_high  change     RR
    system
    monot5         1     1    0.558         1          3   1.741  0.755
    duot5          2     1    0.527         1          5   1.588  0.799
    splade         3     1    0.482         1          5   1.367  0.797
    doct5query     4     2    0.346         2          8   0.698  0.677
    bm25+rm3       5     2    0.332         2          8   0.627  0.672
    ance           6     2    0.273         4          8   0.340  0.474
    colbert        7     2    0.214         4          8   0.052  0.588
    bm25           8     2    0.204         4          8     NaN  0.412
    """
    pairing = Pairing(test)
    ranking = RankOptions(rank_interval, interval, Resamples.of(pairing.alpha, resamples), pairing)
    selected = select_depths(read_tasks(scores, pairing.over, task_metrics), at)
    tasks = means_by_task(selected) if pairing.over != "task" else None
    choice("order_by", order_by, ORDERS)
    if order_by != "mean":
        _refuse_without_tasks(f"order_by={order_by!r}", tasks is not None)
    # a system without scores on a task would remove all topics of the task for every system
    if tasks is not None and tasks.lacking.any():
        selected = selected.take(system=np.flatnonzero(~tasks.lacking))
        if len(selected.systems) < 2:
            return _without_means(tasks, order_by, ranking)
    paired = ranking.to_rank(selected)
    first = paired.take(metric=[0], depth=[0])
    # the ranking needs only one depth, but in a wider family its p-values are corrected together
    # with the p-values of all depths and metrics
    family_of = first if pairing.family == "depth" else paired
    significant = ranking.significant(family_of)[:1, :1]
    ranked, attributes = ranking.rank(first, significant)
    board = pd.DataFrame({name: array[0, :, 0] for name, array in ranked.items()}, paired.systems)
    means = _averages(paired)
    label, *further = columns = list(means.columns)
    optional = (*ranking.columns, FIRST, "n_repeats", "repeat_sd")
    present = [name for name in optional if name in {*board} - {"rank", "tier"}]
    letters = letters_of(board["rank"], significant[0, 0])
    blocks = [board[["rank", "tier"]].assign(letters=letters), means[[label]]]
    blocks.append(board[["ci_low", "ci_high", *present]])
    if baseline is not None:
        blocks.append(_changes(family_of, means[label], choose_pairs(paired, baseline), pairing))
    frame = pd.concat([*blocks, means[further], board[["n_topics"]]], axis=1)
    # a stable sort by rank after a sort by name orders tied systems by name
    frame = frame.iloc[frame.index.astype(str).argsort()].sort_values("rank", kind="stable")
    if tasks is not None:
        frame = with_tasks(frame, tasks, order_by, ranking.resamples)
        warn(*tasks.cautions)
        options = asdict(ranking.resamples) | tasks.attributes
        attributes = united(attributes, caution(tasks.cautions), options)
    _refuse_twice(frame.columns)
    frame.attrs.clear()
    attributes |= optimism(first, ranking.resamples)
    frame.attrs.update(attributes | {METRICS: columns})
    return frame


def _without_means(tasks: "TaskMeans", order: Order, ranking: RankOptions) -> pd.DataFrame:
    """Return a leaderboard of tasks without overall means."""
    scores = tasks.scores
    label = scores.metrics[0]
    label = label if scores.depths is None else scores.axis.named(label, scores.depths[0])
    intervals = ("ci_low", "ci_high", "rank_low", "rank_high")
    columns = ["rank", "tier", "letters", label, *intervals, "n_topics"]
    empty = pd.DataFrame(columns=columns, index=scores.systems[:0], dtype=float)
    empty = empty.astype({"letters": object})
    frame = with_tasks(empty, tasks, order, ranking.resamples, every=True)
    message = "fewer than two systems have scores on every task, so no means are compared"
    message += ": pass order_by='win_rate' or 'borda' to sort systems" if order == "mean" else ""
    warn(message)
    drawn = {"samples": ranking.resamples.samples, "seed": ranking.resamples.seed}
    frame.attrs.clear()
    frame.attrs |= ranking.pairing.described | caution([message]) | drawn | tasks.attributes
    frame.attrs[METRICS] = [label]
    return frame


def _averages(paired: Scores) -> pd.DataFrame:
    """Return the means, one column per metric and depth."""
    by_depth = paired.depths is not None
    depths = [None] if paired.depths is None else paired.depths
    columns = {}
    for metric, sign, rows in zip(paired.metrics, paired.signs, paired.means, strict=True):
        for depth, row in zip(depths, rows, strict=True):
            columns[paired.axis.named(metric, depth) if by_depth else metric] = sign * row
    return pd.DataFrame(columns, paired.systems)


def _changes(scores: Scores, means: pd.Series, pairs: Array, pairing: Pairing) -> pd.DataFrame:
    """Return the columns `CHANGES`."""
    base = means.iloc[pairs[0, 1]]
    p = np.full(len(means), np.nan)
    p[pairs[:, 0]] = pairing.p_values(scores, pairs)[0, 0]
    difference = (means - base).where(~np.isnan(p))
    change = difference / (base or np.nan)
    significant = (p < pairing.alpha) & scores.has_judged & scores.has_judged[pairs[0, 1]]
    return pd.DataFrame(dict(zip(CHANGES, (difference, change, p, significant), strict=True)))


def _refuse_twice(columns: pd.Index) -> None:
    twice = columns[columns.duplicated()]
    if len(twice):
        expected = "metrics whose names differ from the names of other columns"
        advice = "rename the metric, as in array.assign_coords(metric=[...])"
        raise InputError(expected, "duplicate names", advice, twice)


class TaskMeans(NamedTuple):
    """Mean of each system on each task."""

    means: pd.DataFrame
    """One row per system and one column per task, NaN if a system has no score on a task."""
    scores: Scores
    """Scores by the first metric at the first depth, from which the means are computed."""
    compared: list[tuple[Array, Array]]
    """For each task, a mask of the systems with scores, and positions of the topics compared."""

    @property
    def lacking(self) -> Array:
        """Mask of systems without scores on some task."""
        return self.means.isna().any(axis=1).to_numpy()

    @property
    def cautions(self) -> list[str]:
        """Cautions about systems without scores on some task."""
        n_missing = self.means.isna().sum(axis=1)
        systems = [f"{system} ({n})" for system, n in n_missing[n_missing > 0].items()]
        message = "systems without scores on some tasks have no mean, and are listed last"
        return [f"{message}: {listing(systems)}"] if systems else []

    @property
    def attributes(self) -> dict[str, object]:
        """The attribute `TASK_MEANS` of a leaderboard."""
        return {TASK_MEANS: [str(task) for task in self.means]}

    def columns(self, resamples: Resamples) -> pd.DataFrame:
        """Return the columns `WON`."""
        drawn = beaten(self._resampled(resamples))
        drawn = np.where(np.isnan(drawn[0]), np.nan, drawn)
        ends = resamples.ends(np.moveaxis(drawn, 1, -1), resamples.alpha / 2)
        observed = beaten(self.scores.signs[0] * self.means.to_numpy().T)
        rows = np.stack([observed, *ends], axis=1).reshape(6, -1)
        return pd.DataFrame(rows.T, self.means.index, WON)

    def _resampled(self, resamples: Resamples) -> Array:
        """Return task means over bootstrap samples of topics.

        Topics are resampled within tasks. The result has the shape (sample, task, system), and
        higher means are better. All means are NaN if some task has a single topic or cluster.
        """
        scores = self.scores
        size = (resamples.samples, *self.means.T.shape)
        noun = f"means of {size[2]} systems on {size[1]} tasks in {size[0]:,} bootstrap samples"
        room(noun, 8 * size[0] * size[1] * size[2], "ask for fewer resamples=")
        means = np.full(size, np.nan)
        compared = np.concatenate([topics for _, topics in self.compared])
        if scores.topic_order is not None:  # samples must not depend on the order of topics
            compared = scores.topic_order[np.isin(scores.topic_order, compared)]
        design = scores.design and scores.design.take(compared)
        if design is None or (np.diff(design.starts) < MIN_CLUSTERS).any():
            return means
        shares = design.drawn(samples=resamples.samples, seed=resamples.seed) * design.tasks
        for task, (present, topics) in enumerate(self.compared):
            in_task = np.isin(compared, topics)
            values = scores.values[0][present][:, compared[in_task]]
            # shares sum to 1, but `means_of_draws` divides by the number of topics
            drawn = shares[:, in_task] * in_task.sum()
            drawn_means = means_of_draws(drawn, values, scores.summaries[0], scores.signs[0])
            means[:, task, present] = drawn_means[:, 0]
        return means


WON = [f"{name}{end}" for name in ("win_rate", "borda") for end in ("", "_low", "_high")]
"""Columns of win rates and of Borda counts. The two ends of the interval follow each column."""


def beaten(means: Array) -> Array:
    """Return win rates and Borda counts, given task means.

    The means have the shape (..., task, system). Win rates and Borda counts have the shape (...,
    system), and are stacked along a first axis.

    Notes
    -----
    A system beats another system on a task if it has the higher mean after rounding to 12 decimals,
    or if the other system has no scores on the task. A tie counts as one half. The Borda count is
    the number of systems beaten, averaged over all tasks. A task without scores of the system
    counts as 0. The win rate on a task is the share of systems beaten among all other systems with
    scores on the task. Win rates are averaged over the tasks on which the system has scores.

    Examples
    --------
    >>> beaten(np.array([[0.2, 0.5, 0.5], [0.1, 0.4, np.nan]]))
    array([[0.  , 0.875, 0.75 ],
           [0.5 , 1.75 , 0.75 ]])
    """
    has_mean = ~np.isnan(means)
    # a system without a mean is below all others, and is subtracted from the wins for win rates
    values = np.where(has_mean, np.round(means, TIE), -np.inf)
    # wins and half of the ties follow from the numbers of lower and higher means, without pairs
    won = (values.shape[-1] - 1 + count_below(values) - count_below(-values)) / 2
    n_systems = has_mean.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        n_lacking = values.shape[-1] - n_systems
        share = np.where(has_mean, (won - n_lacking) / (n_systems - 1), np.nan)
        rates = np.nansum(share, axis=-2) / (~np.isnan(share)).sum(axis=-2)
    return np.stack([rates, np.where(has_mean, won, 0.0).mean(axis=-2)])


def means_by_task(scores: Scores) -> TaskMeans | None:
    """Return task means, or None if there are no tasks.

    The means are those of the first metric at the first depth. A topic is used if every system with
    any score on the task has a score on the topic.
    """
    if scores.design is None or TASK not in scores.label_values:
        return None
    first = scores.take(metric=[0], depth=[0]).load()
    labels = scores.label_values[TASK]
    columns: dict[Hashable, Array] = {}
    compared: list[tuple[Array, Array]] = []
    for task in range(scores.design.tasks):
        in_task = np.flatnonzero(scores.design.task == task)
        subset = first.take(topic=in_task)
        present = ~np.isnan(subset.values).all(axis=(0, 2, 3))
        means = np.full(len(present), np.nan)
        topics = in_task[:0]
        if present.any():
            subset = subset.take(system=np.flatnonzero(present))
            means[present] = moments(subset.where(subset.scored))[1][0, :, 0]
            topics = in_task[subset.scored[0, :, 0]]
        compared.append((present, topics))
        columns[labels[in_task[0]]] = means
    return TaskMeans(pd.DataFrame(columns, scores.systems), first, compared)


def read_tasks(scores: ScoreLike, over: Over, task_metrics: TaskMetrics | None) -> Scores:
    """Read scores, with a separate metric for each task.

    Raises
    ------
    ParameterError
        If `task_metrics` is passed, and the scores have repeats or no tasks, a task has no metric,
        or a task or metric is unknown. An error is also raised if a metric is a cost or not an
        arithmetic mean.
    """
    if task_metrics is None:
        return read_scores(scores, over)
    if not isinstance(task_metrics, Mapping):
        got = type(task_metrics).__name__
        raise ParameterError("task_metrics= to be a mapping from task to metric", got)
    # over="task" averages the scores on each task, so the metric of each task is selected before
    averaged = read_scores(scores, "both" if over == "task" else over).load()
    _refuse_without_tasks("task_metrics=", TASK in averaged.label_values)
    if averaged.repeats is not None:
        raise ParameterError("scores without repeats for task_metrics=", "repeats")
    tasks = pd.Series(averaged.label_values[TASK]).astype(str)
    chosen = {str(task): label for task, label in task_metrics.items()}
    if lacking := [*dict.fromkeys(tasks[~tasks.isin([*chosen])])]:
        raise ParameterError(
            "a metric for every task", f"none for {len(lacking)} tasks", "", lacking
        )
    positions_of("existing tasks in task_metrics=", [*chosen], [*dict.fromkeys(tasks)])
    row_of = {task: index_of(label, averaged.metrics) for task, label in chosen.items()}
    if unknown := sorted({str(chosen[task]) for task, row in row_of.items() if row is None}):
        expected = f"metrics of the scores in task_metrics= ({', '.join(averaged.metrics)})"
        raise ParameterError(expected, f"{len(unknown)} metrics that were not scored", "", unknown)
    labels = [averaged.metrics[row] for row in dict.fromkeys(row_of.values()) if row is not None]
    odd = [label for label in labels if (facts(label).summary, facts(label).sign) != ("mean", 1)]
    if len(labels) > 1 and odd:
        expected = "metrics in task_metrics= that are arithmetic means, with higher scores better"
        raise ParameterError(expected, f"{len(odd)} other metrics", "", odd)
    rows = tasks.map(row_of).to_numpy(int)
    values = np.stack([averaged.values[row, :, topic] for topic, row in enumerate(rows)], axis=1)
    selected = replace(averaged, values=values[np.newaxis], metrics=[" or ".join(labels)])
    if over != "task" or selected.design is None:
        return selected
    return by_task(selected, DrawnTopics(np.arange(len(selected.topics)), selected.design))


def _refuse_without_tasks(purpose: str, has_tasks: bool) -> None:  # noqa: FBT001 - the question itself
    if not has_tasks:
        advice = "declare tasks with scores.ireval.design(task=...)"
        raise ParameterError(f"tasks for {purpose}", "none", advice)


def with_tasks(
    board: pd.DataFrame,
    tasks: TaskMeans,
    order: Order,
    resamples: Resamples,
    *,
    every: bool = False,
) -> pd.DataFrame:
    """Add a column per task, and sort systems.

    Systems without scores on some task have no mean and are listed last. If `every` is true, no
    system has a comparable mean, and every system is treated as if it lacked scores on a task.
    """
    leading = ["rank", "tier", "letters"]
    remaining = board.columns.difference(leading, sort=False)
    lost = tasks.means.index[tasks.lacking | every]
    table = board.reindex([*board.index, *lost])
    table.index = table.index.rename(board.index.name)
    counts = ["rank", "tier", "rank_low", "rank_high", "n_topics"]
    counts = [name for name in counts if name in table]
    # systems that lack a task have no rank, and integers of numpy cannot be missing
    table[counts] = table[counts].astype("Int64")
    if FIRST in table:
        table[FIRST] = table[FIRST].astype("boolean")
    blocks = [table[leading], tasks.columns(resamples), table[remaining], tasks.means]
    joined = pd.concat([block.loc[table.index] for block in blocks], axis=1)
    if order == "mean":
        return joined
    # rounded, because averages over tasks may differ by rounding errors where systems tie
    keyed = joined[order].round(TIE)
    joined["rank"] = keyed.rank(ascending=False, method="min").astype("Int64")
    # a stable sort by rank after a sort by name orders tied systems by name
    by_name = joined.iloc[joined.index.astype(str).argsort()]
    return by_name.sort_values("rank", kind="stable")
