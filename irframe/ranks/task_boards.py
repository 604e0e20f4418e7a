"""What boards over tasks say: means of tasks, and who beats how many others on how many of them."""

from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.checks import choice
from irframe.errors import ParameterError
from irframe.experiments.topic_design import TASKS, labels_of, names_said
from irframe.metrics.facts import TIE
from irframe.scores.averages import moments
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

    def beaten(self) -> pd.DataFrame:
        """Return the columns ``win_rate`` and ``borda`` of a board.

        Notes
        -----
        A system beats another on a task by a better mean, to 12 decimals, and one that lacks it; a
        tie is half. Borda's count is how many it beats, on average over tasks, of which those that
        it lacks count as none; the win rate is the share that it beats of the others there, on
        average over the tasks that it has.
        """
        values = np.round(self.sign * self.means.to_numpy(), TIE)
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            ahead = values[:, np.newaxis] > values[np.newaxis]
            tied = values[:, np.newaxis] == values[np.newaxis]
        # Each ties with itself, which counts for nothing.
        beaten = ahead.sum(axis=1) + tied.sum(axis=1) / 2 - known / 2
        others = known.sum(axis=0) - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(known & (others > 0), beaten / others, np.nan)
        absent = (~known).sum(axis=0)
        counted = np.where(known, beaten + absent, 0.0)
        rates = pd.DataFrame(share).mean(axis=1).to_numpy()
        columns = {"win_rate": rates, "borda": counted.mean(axis=1)}
        return pd.DataFrame(columns, self.means.index)


def of_tasks(scores: Scores) -> OfTasks | None:
    """Return means by task of the first metric, at the first depth; None without tasks.

    Each is over the topics of a task on which every system has a score that has any there.
    """
    if scores.design is None or TASKS not in names_said(scores.attrs):
        return None
    first, design = scores.take(metric=[0], depth=[0]).load(), scores.design
    labels = labels_of(scores.attrs, TASKS, scores.topics)
    columns: dict[Any, Array] = {}
    for task in range(design.tasks):
        own = np.flatnonzero(design.task == task)
        part = first.take(topic=own)
        there = ~np.isnan(part.values).all(axis=(0, 2, 3))
        values = np.full(len(there), np.nan)
        if there.any():
            taking = part.take(system=np.flatnonzero(there))
            values[there] = moments(taking.where(taking.scored))[1][0, :, 0]
        columns[labels.iloc[own[0]]] = values
    return OfTasks(pd.DataFrame(columns, scores.systems), first.towards[0])


def check_order(order: Order, tasks: OfTasks | None) -> None:
    """Raise for an order that needs tasks, without these."""
    choice("order", order, ORDERS)
    if tasks is None and order != "mean":
        advice = "name them with tasks=, a column, level or coordinate of topics"
        raise ParameterError(f"tasks for order={order!r}", "none", advice)


def with_tasks(board: pd.DataFrame, tasks: OfTasks, order: Order) -> pd.DataFrame:
    """Return a board with what tasks say, in the order asked for; systems without a mean last."""
    beaten = tasks.beaten()
    rest = board.columns.difference(["rank", "tier", "letters"], sort=False)
    lost = tasks.means.index[tasks.lacking]
    whole = board.reindex([*board.index, *lost])
    whole.index = whole.index.rename(board.index.name)
    counts = [
        name for name in ("rank", "tier", "rank_low", "rank_high", "n_topics") if name in whole
    ]
    whole[counts] = whole[counts].astype("Int64")
    parts = [whole[["rank", "tier", "letters"]], beaten, whole[rest], tasks.means]
    joined = pd.concat([part.loc[whole.index] for part in parts], axis=1)
    if order == "mean":
        return joined
    keyed = joined[order].round(TIE)
    joined["rank"] = keyed.rank(ascending=False, method="min").astype("Int64")
    return joined.sort_values(order, ascending=False, kind="stable")
