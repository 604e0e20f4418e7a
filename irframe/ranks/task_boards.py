"""What boards over tasks say: means of tasks, and who beats how many others on how many of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe.agreements.base import count_below
from irframe.arrays import Array
from irframe.checks import choice, places, room
from irframe.errors import ParameterError
from irframe.experiments.topic_design import FEWEST, TASKS, DrawnTopics, labels_of, names_said
from irframe.metrics.facts import TIE, facts, place_of
from irframe.scores.averages import Resamples, means_of_draws, moments
from irframe.scores.read_scores import by_task, read_scores
from irframe.scores.repeats import Over
from irframe.scores.scores import Scores
from irframe.warned import listing

Order = Literal["mean", "win_rate", "borda"]
"""What systems of a board over tasks are put in order by."""
ORDERS: tuple[Order, ...] = ("mean", "win_rate", "borda")


class OfTasks(NamedTuple):
    """What is known of systems by task."""

    means: pd.DataFrame
    """A row for each system, a column for each task; NaN where it has no score."""
    scores: Scores
    """Of the metric, at the depth."""
    parts: list[tuple[Array, Array]]
    """By task which systems have it, and the topics on which these are compared."""

    @property
    def lacking(self) -> Array:
        """Which systems have no score in some task."""
        return self.means.isna().any(axis=1).to_numpy()

    @property
    def told(self) -> list[str]:
        """What is to be said of systems that lack tasks."""
        without = self.means.isna().sum(axis=1)
        named = [f"{system} ({n})" for system, n in without[without > 0].items()]
        message = "systems without a score in some tasks have no mean, and stand below the others"
        return [f"{message}: {listing(named)}"] if named else []

    def columns(self, resamples: Resamples) -> pd.DataFrame:
        """Return ``win_rate`` and ``borda`` of a board, and where they lie in the resamples."""
        drawn = beaten(self._resampled(resamples))
        drawn = np.where(np.isnan(drawn[0]), np.nan, drawn)
        ends = resamples.ends(np.moveaxis(drawn, 1, -1), resamples.alpha / 2)
        own = beaten(self.scores.towards[0] * self.means.to_numpy().T)
        rows = np.stack([own, *ends], axis=1).reshape(6, -1)
        return pd.DataFrame(rows.T, self.means.index, WON)

    def _resampled(self, resamples: Resamples) -> Array:
        """Return means of resamples of topics within tasks, higher is better.

        Their shape is (sample, task, system); all are NaN where some task has a single cluster.
        """
        scores, size = self.scores, (resamples.samples, *self.means.T.shape)
        what = f"means of {size[2]} systems by {size[1]} tasks over {size[0]:,} resamples"
        room(what, 8 * size[0] * size[1] * size[2], "ask for fewer samples=")
        means = np.full(size, np.nan)
        kept = np.concatenate([topics for _, topics in self.parts])
        if scores.topic_order is not None:  # draws are in the order of names
            kept = scores.topic_order[np.isin(scores.topic_order, kept)]
        design = scores.design and scores.design.take(kept)
        if design is None or (np.diff(design.starts) < FEWEST).any():
            return means
        shares = design.drawn(samples=resamples.samples, seed=resamples.seed) * design.tasks
        for task, (there, topics) in enumerate(self.parts):
            own = np.isin(kept, topics)
            values = scores.values[0][there][:, kept[own]]
            drawn = shares[:, own] * own.sum()
            found = means_of_draws(drawn, values, scores.summaries[0], scores.towards[0])
            means[:, task, there] = found[:, 0]
        return means


WON = [f"{name}{end}" for name in ("win_rate", "borda") for end in ("", "_low", "_high")]
"""Columns of a board over tasks, with the ends of their spread."""


def beaten(means: Array) -> Array:
    """Return win rates and Borda counts, (2, ..., system), of means (..., task, system).

    Notes
    -----
    A system beats another on a task by a higher mean, to 12 decimals, and one that lacks it; a tie
    is half. Borda's count is how many it beats, on average over tasks, of which those that it lacks
    count as none; the win rate is the share that it beats of the others there, on average over the
    tasks that it has.

    Examples
    --------
    >>> beaten(np.array([[0.2, 0.5, 0.5], [0.1, 0.4, np.nan]]))
    array([[0.  , 0.875, 0.75 ],
           [0.5 , 1.75 , 0.75 ]])
    """
    known = ~np.isnan(means)
    values = np.where(known, np.round(means, TIE), -np.inf)
    won = (values.shape[-1] - 1 + count_below(values) - count_below(-values)) / 2
    there = known.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(known, (won - (values.shape[-1] - there)) / (there - 1), np.nan)
        rates = np.nansum(share, axis=-2) / (~np.isnan(share)).sum(axis=-2)
    return np.stack([rates, np.where(known, won, 0.0).mean(axis=-2)])


def of_tasks(scores: Scores) -> OfTasks | None:
    """Return means by task of the first metric, at the first depth; None without tasks.

    Each is over the topics of a task on which every system has a score that has any there.
    """
    if scores.design is None or TASKS not in names_said(scores.attrs):
        return None
    first, design = scores.take(metric=[0], depth=[0]).load(), scores.design
    labels = labels_of(scores.attrs, TASKS, scores.topics)
    columns: dict[Any, Array] = {}
    parts: list[tuple[Array, Array]] = []
    for task in range(design.tasks):
        own = np.flatnonzero(design.task == task)
        part = first.take(topic=own)
        there = ~np.isnan(part.values).all(axis=(0, 2, 3))
        values, topics = np.full(len(there), np.nan), own[:0]
        if there.any():
            taking = part.take(system=np.flatnonzero(there))
            values[there] = moments(taking.where(taking.scored))[1][0, :, 0]
            topics = own[taking.scored[0, :, 0]]
        parts.append((there, topics))
        columns[labels.iloc[own[0]]] = values
    return OfTasks(pd.DataFrame(columns, scores.systems), first, parts)


def read_tasks(scores: Any, over: Over, task_metrics: Mapping[Any, Any] | None) -> Scores:
    """Read scores; where metrics are given by task, those of each topic by that of its task.

    Raises
    ------
    ParameterError
        For scores without tasks, or with repeats; for tasks without a metric, tasks and metrics
        that are not there, and metrics of which lower is better or which are no plain means.
    """
    if task_metrics is None:
        return read_scores(scores, over)
    if not isinstance(task_metrics, Mapping):
        found = type(task_metrics).__name__
        raise ParameterError("task_metrics, a mapping of tasks to metrics", found)
    read = read_scores(scores, "both" if over == "task" else over).load()
    _refuse_without_tasks("task_metrics=", read)
    if read.repeats is not None:
        raise ParameterError("scores without repeats, for task_metrics=", "repeats")
    tasks = labels_of(read.attrs, TASKS, read.topics).astype(str)
    chosen = {str(task): label for task, label in task_metrics.items()}
    if lacking := [*dict.fromkeys(tasks[~tasks.isin([*chosen])])]:
        raise ParameterError("a metric for every task", f"none for {len(lacking)}", "", lacking)
    places("tasks there are, in task_metrics=", [*chosen], [*dict.fromkeys(tasks)])
    found = {task: place_of(label, read.metrics) for task, label in chosen.items()}
    if unknown := sorted({str(chosen[task]) for task, at in found.items() if at is None}):
        wanted = f"task_metrics of those scored, {', '.join(read.metrics)}"
        raise ParameterError(wanted, f"{len(unknown)} not scored", "", unknown)
    labels = [read.metrics[place] for place in dict.fromkeys(found.values()) if place is not None]
    odd = [label for label in labels if (facts(label).summary, facts(label).sign) != ("mean", 1)]
    if len(labels) > 1 and odd:
        wanted = "metrics that are plain means of which higher is better, for task_metrics="
        raise ParameterError(wanted, f"{len(odd)} that are not", "", odd)
    rows = tasks.map(found).to_numpy(int)
    values = np.stack([read.values[row, :, topic] for topic, row in enumerate(rows)], axis=1)
    own = replace(read, values=values[np.newaxis], metrics=[" or ".join(labels)])
    if over != "task" or own.design is None:
        return own
    return by_task(own, DrawnTopics(np.arange(len(own.topics)), own.design))


def _refuse_without_tasks(what: str, scores: Scores | None) -> None:
    if scores is None or scores.design is None or TASKS not in names_said(scores.attrs):
        advice = "name them with tasks=, a column, level or coordinate of topics"
        raise ParameterError(f"tasks for {what}", "none", advice)


def check_order(order: Order, tasks: OfTasks | None) -> None:
    """Raise for an order that needs tasks, without these."""
    choice("order", order, ORDERS)
    if tasks is None and order != "mean":
        _refuse_without_tasks(f"order={order!r}", None)


def with_tasks(
    board: pd.DataFrame, tasks: OfTasks, order: Order, resamples: Resamples
) -> pd.DataFrame:
    """Return a board with what tasks say, in the order asked for; systems without a mean last."""
    rest = board.columns.difference(["rank", "tier", "letters"], sort=False)
    lost = tasks.means.index[tasks.lacking]
    whole = board.reindex([*board.index, *lost])
    whole.index = whole.index.rename(board.index.name)
    counts = [
        name for name in ("rank", "tier", "rank_low", "rank_high", "n_topics") if name in whole
    ]
    whole[counts] = whole[counts].astype("Int64")
    parts = [whole[["rank", "tier", "letters"]], tasks.columns(resamples), whole[rest], tasks.means]
    joined = pd.concat([part.loc[whole.index] for part in parts], axis=1)
    if order == "mean":
        return joined
    keyed = joined[order].round(TIE)
    joined["rank"] = keyed.rank(ascending=False, method="min").astype("Int64")
    return joined.sort_values(order, ascending=False, kind="stable")
