"""The ranking of systems as a table."""

import string
from collections.abc import Hashable, Mapping
from dataclasses import asdict, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from irframe.agreements.base import count_below
from irframe.arrays import Array
from irframe.checks import choice, places, room
from irframe.comparing.corrections import Tested
from irframe.comparing.significance import Pairing
from irframe.cubes.scores import Scores
from irframe.cubes.verb import verb
from irframe.errors import InputError, ParameterError, caution, listing, united, warn
from irframe.experiments.topic_design import MIN_CLUSTERS, TASK, DrawnTopics
from irframe.metrics.facts import TIE, facts, index_of
from irframe.names import METRICS
from irframe.paired import all_pairs
from irframe.ranks.first import FIRST, optimism
from irframe.ranks.rank_intervals import RankMethod, RankOptions
from irframe.scores.averages import Resamples, means_of_draws, moments
from irframe.scores.read_scores import Depths, by_task, choose_pairs, read_scores, select_depths
from irframe.scores.repeats import Over
from irframe.scores.resampling import Resampling
from irframe.scores.summary import Interval

LETTERS = string.ascii_lowercase + string.ascii_uppercase
"""After these, the same with a number: a2, b2, ..."""
CHANGES = ("difference", "change", "p_adjusted", "significant")
"""Columns that compare a system with the baseline."""
Order = Literal["mean", "win_rate", "borda"]
"""What systems of a board over tasks are put in order by."""
ORDERS: tuple[Order, ...] = ("mean", "win_rate", "borda")
TASK_MEANS = "task_means"
"""The attribute of a board over tasks that names the columns of their means."""


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
    task_metrics: Mapping[Any, Any] | None = None,
) -> pd.DataFrame:
    """Rank the systems from best to worst, with confidence intervals, rank intervals and tiers.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. The first metric decides
        the order.
    test
        As for `rank_intervals`, also for the comparison with the baseline, which is a family of its
        own: corrected for the number of systems compared with it, and not for all pairs. The
        families ``"metric"`` and ``"all"`` take in all depths, and metrics, that are listed.
    baseline
        A system that every other one is compared with; by default none.
    at
        Depths to list, of which the first one decides; by default the greatest.
    rank_interval, interval, resamples
        As for `rank_intervals`; with tasks `resamples` are also of how win rates spread.
    order_by
        With tasks, which `design` declares, what systems are put in order by: ``"mean"`` of task
        means; ``"win_rate"``; ``"borda"``. The intervals and letters are of means.
    task_metrics
        Task -> the metric that counts there, of those scored, as ``{"marco": "RR", "covid":
        "nDCG"}``; all are plain means of which higher is better. The board is of these alone, under
        their labels, joined.

    Returns
    -------
    pandas.DataFrame
        One row per system, which is the index, after the group if there are groups; the best first,
        systems that tie by name. With the columns

        - ``rank`` and ``tier``, as of `rank_intervals`;
        - the mean of the deciding metric, under its label, with its confidence interval
          ``ci_low``, ``ci_high``;
        - ``letters``: two systems have one in common if, and only if, the difference between them
          is not significant [2]_; after 26 small and 26 capital ones come ``a2``, ``b2``, ...;
        - ``rank_low`` and ``rank_high``, with ``rank_interval="bootstrap"`` also ``first``, and
          ``could_be_first``, as of `rank_intervals`;
        - with a baseline ``difference``, the mean less that of the baseline; ``change``, the
          same as a share of the baseline's, NaN where that is 0; ``p_adjusted`` and
          ``significant``;
        - with tasks ``win_rate``, the share of the other systems that it beats, on average over
          tasks, ties half, and ``borda``, how many it beats, likewise; ``win_rate_low``,
          ``win_rate_high``, ``borda_low``, ``borda_high``, how far these spread under resampling of
          topics within tasks, which is no confidence interval; and the mean of each task under its
          name. A system that lacks a task has no mean, and stands below the others. The spread is
          NaN where a task has a single topic, or cluster;
        - the means of the further metrics and depths, under their labels;
        - ``n_repeats`` and ``repeat_sd``, where systems have repeats, as of `summary`;
        - ``n_topics``, the topics on which the deciding metric compares them.

    Raises
    ------
    IrframeError
        As `rank_intervals`, for an unknown baseline, and for a metric that is called like
        another column.

    Warns
    -----
    IrframeWarning
        If topics are left out. A topic counts, for a metric and depth, only if every system has a
        score (not NaN) on it. And as `summary`.

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
    read = select_depths(read_tasks(scores, pairing.over, task_metrics), at)
    known = of_tasks(read) if pairing.over != "task" else None
    choice("order_by", order_by, ORDERS)
    _refuse_untold(f"order_by={order_by!r}", told=known is not None or order_by == "mean")
    if known is not None and known.lacking.any():  # for which nobody else loses a topic
        read = read.take(system=np.flatnonzero(~known.lacking))
        if len(read.systems) < 2:
            return _without_means(known, order_by, ranking)
    paired = ranking.to_rank(read)
    only = paired.take(metric=[0], depth=[0])
    family_of = only if pairing.family == "depth" else paired
    apart = ranking.apart(family_of)[:1, :1]
    ranked, attributes = ranking.of(only, apart)
    board = pd.DataFrame({name: array[0, :, 0] for name, array in ranked.items()}, paired.systems)
    means = _averages(paired)
    label, *others = columns = list(means.columns)
    there = {*board} - {"rank", "tier"}
    sought = (*ranking.columns, FIRST, "n_repeats", "repeat_sd")
    sure = [name for name in sought if name in there]
    first = board[["rank", "tier"]].assign(letters=letters_of(board["rank"], apart[0, 0]))
    parts = [first, means[[label]], board[["ci_low", "ci_high", *sure]]]
    if baseline is not None:
        parts.append(_changes(family_of, means[label], choose_pairs(paired, baseline), pairing))
    frame = pd.concat([*parts, means[others], board[["n_topics"]]], axis=1)
    frame = frame.iloc[frame.index.astype(str).argsort()].sort_values("rank", kind="stable")
    if known is not None:
        frame = with_tasks(frame, known, order_by, ranking.resamples)
        warn(*known.told)
        told = asdict(ranking.resamples) | known.attributes
        attributes = united(attributes, caution(known.told), told)
    _refuse_twice(frame.columns)
    frame.attrs.clear()
    attributes |= optimism(only, ranking.resamples)
    frame.attrs.update(attributes | {METRICS: columns})
    return frame


def _without_means(known: "OfTasks", order: Order, ranking: RankOptions) -> pd.DataFrame:
    """Return a board of systems of which at most one has a score in every task."""
    scores, pairing = known.scores, ranking.pairing
    label = scores.metrics[0]
    label = label if scores.depths is None else scores.axis.named(label, scores.depths[0])
    sure = ("ci_low", "ci_high", "rank_low", "rank_high")
    columns = ["rank", "tier", "letters", label, *sure, "n_topics"]
    empty = pd.DataFrame(columns=columns, index=scores.systems[:0], dtype=float)
    empty = empty.astype({"letters": object})
    frame = with_tasks(empty, known, order, ranking.resamples, every=True)
    message = "fewer than two systems have a score in every task: no means are compared"
    advice = "; order='win_rate' or 'borda' puts systems in order" if order == "mean" else ""
    warn(message + advice)
    drawn = {"samples": ranking.resamples.samples, "seed": ranking.resamples.seed}
    frame.attrs.clear()
    frame.attrs |= pairing.words | caution([message + advice]) | drawn | known.attributes
    frame.attrs[METRICS] = [label]
    return frame


def letters_of(ranks: pd.Series, apart: Array) -> list[str]:
    """Return the letters of systems, given which pairs of all differ significantly.

    A compact letter display: every letter stands for a group of systems no two of which differ
    significantly, and to which no further system could be added. From the best system on, the worst
    that does not differ significantly from it, and shares no letter with it yet, begins a group
    that takes in what it can from the best on; groups whose pairs all share another letter are then
    left out, the last ones first.

    Parameters
    ----------
    ranks
        By system; systems that tie are taken by name, so that letters never depend on their order.
    apart
        In the order of all pairs.
    """
    order = np.lexsort([ranks.index.astype(str).to_numpy(), ranks.to_numpy()])
    a, b = all_pairs(len(ranks)).T
    alike = np.ones((len(ranks), len(ranks)), bool)
    alike[a, b] = alike[b, a] = ~apart
    groups = letter_groups(alike[np.ix_(order, order)])
    turns = [divmod(place, len(LETTERS)) for place in range(len(groups))]
    letters = np.array([LETTERS[n] + (str(turn + 1) if turn else "") for turn, n in turns], object)
    joined = np.empty(len(ranks), object)
    joined[order] = ["".join(letters[row]) for row in groups.T]
    return joined.tolist()


def letter_groups(alike: Array) -> Array:
    """Return groups of which two systems share one if, and only if, they are alike.

    Parameters
    ----------
    alike
        Which systems are alike, shape (system, system), symmetric; the best system first.

    Returns
    -------
    numpy.ndarray
        Who belongs to each group, shape (group, system).

    Examples
    --------
    Of three systems the first and the last are not alike:

    >>> alike = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> letter_groups(alike).astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    groups: list[Array] = []
    shared = np.zeros(alike.shape, dtype=int)
    for system, friends in enumerate(alike):
        while (alone := friends & (shared[system] == 0)).any():
            group = friends & alike[np.flatnonzero(alone)[-1]]
            for place, theirs in enumerate(alike):  # the best that may stay together first
                group = group & theirs if group[place] else group
            groups.append(group)
            shared += np.outer(group, group)
    kept: list[Array] = []
    for group in reversed(groups):
        pairs = np.outer(group, group)
        if (shared[pairs] > 1).all():  # all its pairs share another one
            shared = shared - pairs
        else:
            kept.append(group)
    return np.array(sorted(kept, key=lambda group: [*np.flatnonzero(group)]))


def _averages(paired: Scores) -> pd.DataFrame:
    """Return the averages, a column per metric and depth."""
    by_depth = paired.depths is not None
    depths = [None] if paired.depths is None else paired.depths
    columns = {}
    for metric, sign, rows in zip(paired.metrics, paired.signs, paired.means, strict=True):
        for depth, row in zip(depths, rows, strict=True):
            columns[paired.axis.named(metric, depth) if by_depth else metric] = sign * row
    return pd.DataFrame(columns, paired.systems)


def _changes(scores: Scores, means: pd.Series, pairs: Array, pairing: Pairing) -> pd.DataFrame:
    """Return what `CHANGES` names, a row per system; nothing for the baseline."""
    base = means.iloc[pairs[0, 1]]
    p = np.full(len(means), np.nan)
    p[pairs[:, 0]] = pairing.p_values(scores, pairs)[0, 0]
    difference = (means - base).where(~np.isnan(p))
    change = difference / (base or np.nan)
    significant = (p < pairing.alpha) & scores.known & scores.known[pairs[0, 1]]
    return pd.DataFrame(dict(zip(CHANGES, (difference, change, p, significant), strict=True)))


def _refuse_twice(columns: pd.Index) -> None:
    twice = columns[columns.duplicated()]
    if len(twice):
        wanted = "metrics that are called like no other column"
        advice = "rename the metric, as array.assign_coords(metric=[...])"
        raise InputError(wanted, "two columns of one name", advice, twice)


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

    @property
    def attributes(self) -> dict[str, Any]:
        """The attribute that names the columns of task means."""
        return {TASK_MEANS: [str(task) for task in self.means]}

    def columns(self, resamples: Resamples) -> pd.DataFrame:
        """Return ``win_rate`` and ``borda`` of a board, and where they lie in the resamples."""
        drawn = beaten(self._resampled(resamples))
        drawn = np.where(np.isnan(drawn[0]), np.nan, drawn)
        ends = resamples.ends(np.moveaxis(drawn, 1, -1), resamples.alpha / 2)
        own = beaten(self.scores.signs[0] * self.means.to_numpy().T)
        rows = np.stack([own, *ends], axis=1).reshape(6, -1)
        return pd.DataFrame(rows.T, self.means.index, WON)

    def _resampled(self, resamples: Resamples) -> Array:
        """Return means of resamples of topics within tasks, higher is better.

        Their shape is (sample, task, system); all are NaN where some task has a single cluster.
        """
        scores, size = self.scores, (resamples.samples, *self.means.T.shape)
        what = f"means of {size[2]} systems by {size[1]} tasks over {size[0]:,} resamples"
        room(what, 8 * size[0] * size[1] * size[2], "ask for fewer resamples=")
        means = np.full(size, np.nan)
        kept = np.concatenate([topics for _, topics in self.parts])
        if scores.topic_order is not None:  # draws are in the order of names
            kept = scores.topic_order[np.isin(scores.topic_order, kept)]
        design = scores.design and scores.design.take(kept)
        if design is None or (np.diff(design.starts) < MIN_CLUSTERS).any():
            return means
        shares = design.drawn(samples=resamples.samples, seed=resamples.seed) * design.tasks
        for task, (there, topics) in enumerate(self.parts):
            own = np.isin(kept, topics)
            values = scores.values[0][there][:, kept[own]]
            drawn = shares[:, own] * own.sum()
            found = means_of_draws(drawn, values, scores.summaries[0], scores.signs[0])
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
    if scores.design is None or TASK not in scores.label_values:
        return None
    first, design = scores.take(metric=[0], depth=[0]).load(), scores.design
    labels = scores.label_values[TASK]
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
        columns[labels[own[0]]] = values
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
    _refuse_untold("task_metrics=", told=TASK in read.label_values)
    if read.repeats is not None:
        raise ParameterError("scores without repeats, for task_metrics=", "repeats")
    tasks = pd.Series(read.label_values[TASK]).astype(str)
    chosen = {str(task): label for task, label in task_metrics.items()}
    if lacking := [*dict.fromkeys(tasks[~tasks.isin([*chosen])])]:
        raise ParameterError("a metric for every task", f"none for {len(lacking)}", "", lacking)
    places("tasks there are, in task_metrics=", [*chosen], [*dict.fromkeys(tasks)])
    found = {task: index_of(label, read.metrics) for task, label in chosen.items()}
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


def _refuse_untold(what: str, *, told: bool) -> None:
    if not told:
        advice = "name them: scores.ireval.design(task=...)"
        raise ParameterError(f"tasks for {what}", "none", advice)


def with_tasks(
    board: pd.DataFrame,
    tasks: OfTasks,
    order: Order,
    resamples: Resamples,
    *,
    every: bool = False,
) -> pd.DataFrame:
    """Return a board with what tasks say, in the order asked for; systems without a mean last.

    Systems without a mean are those that lack a task, or `every` one.
    """
    rest = board.columns.difference(["rank", "tier", "letters"], sort=False)
    lost = tasks.means.index[tasks.lacking | every]
    whole = board.reindex([*board.index, *lost])
    whole.index = whole.index.rename(board.index.name)
    counts = [
        name for name in ("rank", "tier", "rank_low", "rank_high", "n_topics") if name in whole
    ]
    whole[counts] = whole[counts].astype("Int64")
    if FIRST in whole:
        whole[FIRST] = whole[FIRST].astype("boolean")
    parts = [whole[["rank", "tier", "letters"]], tasks.columns(resamples), whole[rest], tasks.means]
    joined = pd.concat([part.loc[whole.index] for part in parts], axis=1)
    if order == "mean":
        return joined
    keyed = joined[order].round(TIE)
    joined["rank"] = keyed.rank(ascending=False, method="min").astype("Int64")
    return joined.sort_values(order, ascending=False, kind="stable")
