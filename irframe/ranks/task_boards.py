"""What boards over tasks say: means of tasks, and who beats how many others on how many of them."""

from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe.agreements.base import count_below
from irframe.arrays import Array
from irframe.checks import choice, room
from irframe.errors import ParameterError
from irframe.experiments.topic_design import FEWEST, TASKS, labels_of, names_said
from irframe.metrics.facts import TIE
from irframe.scores.averages import Resamples, means_of_draws, moments
from irframe.scores.scores import Scores
from irframe.warned import listing

Order = Literal["mean", "win_rate", "borda"]
"""What systems of a board over tasks are put in order by."""
ORDERS: tuple[Order, ...] = ("mean", "win_rate", "borda")


class OfTasks(NamedTuple):
    """What is known of systems by task."""

    means: pd.DataFrame
    """A row for each system, a column for each task; NaN where it has no score."""
    sign: int
    """-1 where lower is better."""
    drawn: Array
    """Means of resamples, (sample, task, system), higher is better; NaN where means are."""

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
        drawn = beaten(self.drawn)
        ends = resamples.ends(np.moveaxis(drawn, 1, -1), resamples.alpha / 2)
        parts = zip(WON, beaten(self.sign * self.means.to_numpy().T), *ends, strict=True)
        found = {
            f"{name}{end}": row
            for name, *rows in parts
            for end, row in zip(ENDS, rows, strict=True)
        }
        return pd.DataFrame(found, self.means.index)


WON, ENDS = ("win_rate", "borda"), ("", "_low", "_high")


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


def of_tasks(scores: Scores, resamples: Resamples) -> OfTasks | None:
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
    means = pd.DataFrame(columns, scores.systems)
    return OfTasks(means, first.towards[0], _resampled(first, parts, resamples))


def _resampled(scores: Scores, parts: list[tuple[Array, Array]], resamples: Resamples) -> Array:
    """Return means by task of resamples, higher is better, (sample, task, system).

    Parameters
    ----------
    scores
        Of one metric and depth.
    parts
        By task the systems that have it, and the topics on which these are compared.
    resamples
        Topics are drawn within tasks, in the order of their names.
    """
    size = (resamples.samples, len(parts), len(scores.systems))
    what = f"means of {size[2]} systems by {size[1]} tasks over {size[0]:,} resamples"
    room(what, 8 * np.prod(size), "ask for fewer samples=")
    means = np.full(size, np.nan)
    order = scores.topic_order
    order = np.arange(len(scores.topics)) if order is None else order
    kept = order[np.isin(order, np.concatenate([topics for _, topics in parts]))]
    design = scores.design and scores.design.take(kept)
    if design is None or (np.diff(design.starts) < FEWEST).any():  # nothing is told of others
        return means
    shares = design.drawn(samples=resamples.samples, seed=resamples.seed) * design.tasks
    for task, (there, topics) in enumerate(parts):
        own = np.isin(kept, topics)
        values = scores.values[0][there][:, kept[own]]
        counts = shares[:, own] * own.sum()
        found = means_of_draws(counts, values, scores.summaries[0], scores.towards[0])
        means[:, task, there] = found[:, 0]
    return means


def check_order(order: Order, tasks: OfTasks | None) -> None:
    """Raise for an order that needs tasks, without these."""
    choice("order", order, ORDERS)
    if tasks is None and order != "mean":
        advice = "name them with tasks=, a column, level or coordinate of topics"
        raise ParameterError(f"tasks for order={order!r}", "none", advice)


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
