"""Repeated runs of systems, and the sampling design of topics.

Repeats are, for example, seeds, passes of a judge, or variations of a query. `Scores` contains the
means over repeats. `Repeats` contains the scores of every repeat. `Repeats` also computes the
variance and the degrees of freedom of means.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy

from irframe.arrays import Array, at_positions, low_to_high
from irframe.checks import check_int, choice, listed
from irframe.cubes.groups import repeat_name
from irframe.cubes.scores import Scores, patterns
from irframe.errors import ParameterError, listing, warn
from irframe.evaluation.repeats import layout_of
from irframe.experiments.topic_design import (
    CLUSTER,
    TASK,
    WEIGHT,
    names_declared,
    options_declared,
)
from irframe.metrics.facts import average
from irframe.names import REPEATED, REPEATS, Layout, plural
from irframe.paired.crossed import Crossed, crossed, one_sample, table_of
from irframe.paired.design import Design

Over = Literal["both", "topic", "repeat", "task"]
"""The population that differences are generalised to."""
OVERS: tuple[Over, ...] = ("both", "topic", "repeat", "task")
OTHER_COLUMNS = ("n_repeats_a", "n_repeats_b", "df", "repeat_share")
"""Columns of comparisons that describe repeats."""
ENOUGH: dict[str, int] = {"system": 3, "shared": 5}
"""Mapping from the sampling unit of repeats to the smallest number of repeats at which the crossed
test is reliable.

In simulations of equal systems, up to 13 % of differences were significant with 2 shared
repeats. The share was up to 8 % with 3 shared repeats, and up to 7 % with 2 repeats of each
system."""


@dataclass(frozen=True, eq=False)
class Repeats:
    """The scores of every repeat of every system.

    Parameters
    ----------
    values
        Scores, shape (metric, list, topic, depth). A list is one repeat of one system. The repeats
        of a system are adjacent.
    owner
        Position of the system of each list, shape (list,).
    counts
        Number of repeats of each system.
    layout
        The sampling unit of a repeat: ``"system"``, ``"shared"`` or ``"topic"``; see `design`.
    name
        Name of the repeats in the input, such as ``seed``.
    over
        The population that differences are generalised to.
    """

    values: Any
    owner: Array
    counts: Array
    layout: Layout
    name: str
    over: Over = "both"

    @property
    def crossing(self) -> bool:
        """Whether intervals and tests include the variance of repeats."""
        return self.layout != "topic" and self.over != "topic"

    def take(
        self,
        metric: Sequence[int] | None,
        system: Array | None,
        topic: Array | None,
        depth: Sequence[int] | Array | None,
    ) -> "Repeats":
        """Select scores by position along each dimension."""
        lists = None
        owner = self.owner
        counts = self.counts
        if system is not None:
            rows = [np.flatnonzero(owner == pos) for pos in system]
            # the empty array keeps the dtype integer if no system is selected
            lists = np.concatenate([np.zeros(0, int), *rows])
            owner = np.repeat(np.arange(len(rows)), [*map(len, rows)])
            counts = counts[system]
        values = at_positions(self.values, metric, lists, topic, depth)
        return replace(self, values=values, owner=owner, counts=counts)

    def crossed(self, scores: Scores, row: int, depths: slice, pairs: Array) -> Crossed:
        """Return paired differences with standard errors, shape (pair, depth)."""

        def compute(lists: Array, *_: Array) -> tuple[Array, ...]:
            is_shared = self.layout == "shared"
            return crossed(lists, self.owner, pairs, shared=is_shared, over=self.over)

        return Crossed(*self.flat(scores, row, depths).over_terms(0, slice(None), compute))

    def flat(self, scores: Scores, row: int, depths: slice) -> Scores:
        """Return the scores of one metric with repeats as systems."""
        values = self.values[row : row + 1, :, :, depths]
        labels = scores.metrics[row : row + 1]
        return replace(scores, values=values, metrics=labels, repeats=None, design=None)

    def variances(self, scores: Scores) -> tuple[Array, Array, Array]:
        """Return the variance of means, and its degrees of freedom.

        The third array is the standard deviation of the means of repeats. All three arrays have the
        shape (metric, system, depth). Means are over the topics on which the system has a score.
        """
        shape = (*scores.values.shape[:2], scores.values.shape[3])
        variance, freedom, spread = (np.full(shape, np.nan) for _ in range(3))
        for index, lists in self.by_topics(scores):
            table = table_of(lists, np.zeros(len(lists), int))
            variance[index], freedom[index] = (array[0] for array in one_sample(table, self.over))
            if len(lists) > 1:
                spread[index] = np.sqrt(table.repeat[0] * len(lists))
        return variance, freedom, spread

    def by_topics(self, scores: Scores) -> Iterator[tuple[tuple[int, int, Array], Array]]:
        """Yield positions of scores, and the scores of the repeats."""
        for row, system in np.ndindex(scores.values.shape[:2]):
            lists = self.values[row, self.owner == system]
            for topics, depths in patterns(~np.isnan(scores.values[row, system])):
                if topics.any():
                    yield (row, system, depths), lists[:, topics][:, :, depths]


def read_repeats(scores: Scores, over: Over = "both") -> Scores:
    """Average scores over repeats.

    Parameters
    ----------
    scores
        Scores with a dimension of repeats. The attribute `repeats` of the result contains these
        scores.
    over
        The population that differences are generalised to.

    Raises
    ------
    ParameterError
        If the sampling unit of repeats is unknown, or if shared repeats have no repeat that all
        systems have.

    Warns
    -----
    IrframeWarning
        If shared repeats are left out because some system lacks them, or if repeats lack topics.
    """
    choice("over", over, OVERS)
    values, repeats = scores.values, scores.repeats
    scores = replace(scores, repeats=None)
    scored = ~np.isnan(values)
    has_scores = np.asarray(scored.any(axis=(0, 3, 4)))
    # with one repeat of each system, results must equal those of scores without repeats
    if has_scores.sum(axis=1).max(initial=0) <= 1:
        first = has_scores.argmax(axis=1)
        return replace(scores, values=values[:, np.arange(len(first)), first])
    name = repeat_name(scores)
    layout = layout_of(scores.attrs, name)
    if layout == "topic" and over == "repeat":
        expected = f"over='topic' or 'both' for {plural(name)} that are drawn inside topics"
        raise ParameterError(expected, repr(over))
    if layout == "shared":
        values, has_scores = _shared_by_all(values, has_scores, name)
        if values.shape[2] == 1:
            return replace(scores, values=values[:, :, 0])
    # a system without scores has one repeat, whose scores are NaN
    has_scores[~has_scores.any(axis=1), 0] = True
    owner, columns = np.nonzero(has_scores)
    flat = values.reshape(len(values), -1, *values.shape[3:])
    lists = flat if has_scores.all() else values[:, owner, columns]
    # topics have different numbers of repeats, so means are computed per topic
    if layout == "topic":
        cells = scored.sum(axis=2)
        counts = cells.max(axis=(0, 2, 3), initial=0)
        # `np.nanmean` would warn about topics without scores
        with np.errstate(invalid="ignore"):
            means = np.where(scored, values, 0.0).sum(axis=2) / cells
        by_system = [values]
    else:
        counts = np.bincount(owner)
        by_system = [lists[:, owner == system] for system in range(len(counts))]
        # the mean is NaN on topics that some repeat lacks, about which `_warn_short` warns
        means = np.stack([group.mean(axis=1) for group in by_system], axis=1)
        by_system = [np.expand_dims(group, 1) for group in by_system]
        _warn_short(scores, lists, owner, repeats.take(columns), name)
    for row, summary in enumerate(scores.summaries):
        # repeats have the same kind of mean as topics, such as the geometric mean
        if summary not in {"mean", "sum"}:
            averages = np.concatenate([average(group[row], summary, axis=1) for group in by_system])
            means[row] = np.where(np.isnan(means[row]), np.nan, averages)
    attached = Repeats(lists, owner, counts, layout, name, over)
    return replace(scores, values=means, repeats=attached)


def _shared_by_all(values: Array, has_scores: Array, name: str) -> tuple[Array, Array]:
    """Select the repeats that every system has."""
    taking_part = has_scores.any(axis=1)
    # systems without any score do not restrict the repeats that all systems share
    common = np.asarray(has_scores[taking_part].all(axis=0))
    if not common.any():
        expected = f"{plural(name)} that all systems have in common, because repeats='shared'"
        advice = "pass repeats='system' if each system has its own repeats"
        raise ParameterError(expected, "none", advice)
    lost = np.count_nonzero(has_scores.any(axis=0) & ~common)
    if lost:
        warn(f"{plural(name)} that some system lacks are left out: {lost} of {len(common)}")
    return values if common.all() else values[:, :, common], has_scores[:, common]


def _warn_short(scores: Scores, lists: Array, owner: Array, labels: pd.Index, name: str) -> None:
    """Warn about repeats that lack topics of their system."""
    scored = np.asarray(~np.isnan(lists).all(axis=(0, 3)))
    expected = np.stack([scored[owner == system].any(axis=0) for system in owner])
    lacking = (expected & ~scored).sum(axis=1)
    rows = zip(scores.systems[owner], labels, lacking, strict=True)
    if lacking.any():
        warn(
            "topics without scores of every repeat are left out; repeats that lack topics of their "
            f"system: {listing(f'{system} {name} {label} ({n})' for system, label, n in rows if n)}"
        )


def draw_attributes(sides: Sequence[Scores]) -> dict[str, object]:
    """Return attributes that describe topics and repeats."""
    every = [side.repeats for side in sides if side.repeats is not None]
    attributes = design_attributes(sides)
    if not every:
        return attributes
    counts = np.concatenate([first.counts for first in every])
    first = every[0]
    return attributes | {
        REPEATS: first.layout,
        REPEATED: first.name,
        "n_repeats": low_to_high(counts),
        "over": "topic" if first.layout == "topic" else first.over,
    }


def refuse_crossed_design(scores: Scores) -> Scores:
    """Raise for scores with both a design and sampled repeats."""
    if scores.repeats is not None and scores.repeats.crossing and scores.design is not None:
        name = scores.repeats.name
        named = options_declared(scores.attrs)
        advice = f"pass over='topic', which averages over {plural(name)}"
        raise ParameterError(f"{named} or sampled {plural(name)}", "both", advice)
    return scores


def beware_of_repeats(scores: Scores, subject: str = "this interval") -> list[str]:
    """Return cautions about intervals with too few repeats."""
    repeats = scores.repeats
    if repeats is None or not repeats.crossing:
        return []
    messages = []
    labels = plural(repeats.name)
    several = repeats.counts[repeats.counts > 1]
    if (repeats.counts == 1).any():
        single = listing(scores.systems[repeats.counts == 1])
        absent = f"the variance between {labels} is not in {subject} for systems with one"
        messages.append(f"{absent} {repeats.name}: {single}")
    enough = ENOUGH[repeats.layout]
    if repeats.over == "both" and several.min(initial=enough) < enough:
        unreliable = f"tests and intervals are unreliable with fewer than {enough} {labels}"
        messages.append(f"{unreliable}: {several.min()}")
    return messages


def spread_of_repeats(scores: Scores) -> dict[str, Array]:
    """Return the number and the standard deviation of repeats."""
    repeats = scores.repeats
    shape = (*scores.values.shape[:2], scores.values.shape[3])
    columns = {"n_repeats": np.broadcast_to(repeats.counts[:, np.newaxis], shape)}
    if repeats.layout != "topic":
        columns["repeat_sd"] = repeats.variances(scores)[2]
    return columns


def drawn_repeats(
    scores: Scores, sizes: Mapping[str, int | Sequence[int] | None]
) -> dict[str, Array]:
    """Return the expected best and worst of k repeats.

    Columns have names such as ``best_of_3``.
    """
    drawn = {}
    for name, numbers in sizes.items():
        if numbers is None:
            continue
        if scores.repeats is None:
            advice = "add a column of repeats, such as repeat or seed"
            raise ParameterError(
                f"several repeats for {name}=", "one repeat of each system", advice
            )
        for k in listed(numbers):
            number = check_int(name, k, low=1)
            drawn[f"{name}_{number}"] = best_of(scores, number, worst=name == "worst_of")
    return drawn


def best_of(scores: Scores, k: int, *, worst: bool = False) -> Array:
    """Return the expected best, or worst, of k repeats.

    The best repeat is the repeat with the best mean over topics. If repeats are drawn inside
    topics, the result is the mean over topics of the expected best score.

    Parameters
    ----------
    scores
        Scores with repeats.
    k
        The number of repeats that are drawn from the available repeats, at least 1.
    worst
        Whether to return the expected worst instead of the expected best.
    """
    expected = np.full((*scores.values.shape[:2], scores.values.shape[3]), np.nan)
    inside = scores.repeats.layout == "topic"
    for index, lists in scores.repeats.by_topics(scores):
        # the best cost is the lowest
        lowest = worst == (scores.signs[index[0]] > 0)
        drawn = of_draws(lists if inside else lists.mean(axis=1), k, lowest=lowest)
        expected[index] = drawn.mean(axis=0) if inside else drawn
    return expected


def of_draws(values: Array, k: int, *, lowest: bool = False) -> Array:
    """Return the expected maximum of k randomly drawn values.

    The k values are drawn without replacement from the n values along the first dimension.

    Notes
    -----
    The result is ``sum y_(i) C(i - 1, k - 1) / C(n, k)``, with values y in ascending order and
    without NaN. The result is NaN if k is above n.

    References
    ----------
    .. [1] Chen et al. Evaluating large language models trained on code. 2021. arXiv:2107.03374

    Examples
    --------
    >>> passed = np.array([1.0] * 9 + [0.0] * 3)
    >>> [round(float(of_draws(passed, k, lowest=True)), 3) for k in (1, 2, 4, 8, 12)]
    [0.75, 0.545, 0.255, 0.018, 0.0]
    """
    # `np.sort` puts NaN last, so the first n values are scores
    rising = np.sort(-values if lowest else values, axis=0)
    n = np.count_nonzero(~np.isnan(rising), axis=0)
    rank = np.arange(len(values)).reshape(-1, *(1,) * np.ndim(n))
    shares = scipy.special.comb(rank, k - 1) * (rank < n)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (shares * np.where(rank < n, rising, 0)).sum(axis=0) / scipy.special.comb(n, k)
    # unlike the negative of 0.0, which prints as -0.0, the difference 0 - 0.0 is 0.0
    return np.where(n < k, np.nan, (0 - expected) if lowest else expected)


LEAST = 5
"""Effective number of topics below which tests of weighted means are unreliable."""
LEAST_DRAWN = 10
"""Effective number of topics below which resampling is unreliable."""


def effective(scores: Scores) -> Array:
    """Return the effective number of topics, shape (metric, depth)."""
    return _of_designs(scores, lambda design: design.effective)


def clusters(scores: Scores) -> Array:
    """Return the number of clusters, shape (metric, depth)."""
    return _of_designs(scores, lambda design: design.clusters).astype(int)


def _of_designs(scores: Scores, compute: Callable[[Design], float]) -> Array:
    design: Any = scores.design
    result = np.zeros((len(scores.scored), scores.scored.shape[2]))
    for row, scored in enumerate(scores.scored):
        for topics, depths in patterns(scored):
            result[row, depths] = compute(design.take(topics))
    return result


def beware_of_design(
    scores: Scores, topics: Array, freedom: Array, *, drawn: bool = False
) -> list[str]:
    """Return cautions about few topics, clusters or tasks.

    Parameters
    ----------
    scores
        The scores. The result is empty if the topics have no design.
    topics
        The effective number of topics.
    freedom
        Degrees of freedom of the means or differences.
    drawn
        Whether topics are resampled with replacement. Resampling needs more topics than other
        methods.
    """
    design = scores.design
    declared = names_declared(scores.attrs)
    if design is None or not np.isfinite(topics).any():
        return []
    least, methods = (LEAST_DRAWN, "resamples") if drawn else (LEAST, "tests and intervals")
    hold = f"{methods} are unreliable if"
    messages = []
    if WEIGHT in declared:
        fewest = np.nanmin(topics)
        heaviest = design.shares.max()
        if fewest < least:
            messages.append(
                f"{hold} weighted topics are worth fewer than "
                f"{least} topics of equal weight: {fewest:.3g}"
            )
        if heaviest > 0.5:
            messages.append(f"one topic has {100 * heaviest:.3g}% of the weight")
    if CLUSTER in declared and design.clusters < LEAST_DRAWN:
        messages.append(f"{hold} there are fewer than {LEAST_DRAWN} clusters: {design.clusters}")
    alone = int((np.diff(design.starts) == 1).sum())
    if TASK in declared and alone:
        messages.append(
            "no interval, because the variance within tasks of a single topic is unknown: "
            f"{alone} of {design.tasks}"
        )
    elif {CLUSTER, TASK} & {*declared} and np.nanmin(freedom, initial=np.inf) < LEAST:
        fewest = np.nanmin(freedom)
        messages.append(f"{hold} there are fewer than {LEAST} degrees of freedom: {fewest:.3g}")
    return messages


def refuse_design(scores: Scores, method: str) -> None:
    """Raise for a design that a method cannot use."""
    if scores.design is not None and not scores.design.plain:
        named = options_declared(scores.attrs)
        expected = f"independent topics of equal weight for {method}"
        raise ParameterError(expected, f"scores with {named}")


def design_attributes(sides: Sequence[Scores]) -> dict[str, object]:
    """Return attributes that describe the design of topics."""
    designs = [side.design for side in sides if side.design is not None]
    if not designs:
        return {}
    attributes: dict[str, object] = {**names_declared(sides[0].attrs)}
    for label, counts in (
        (CLUSTER, [design.clusters for design in designs]),
        (TASK, [design.tasks for design in designs]),
    ):
        if label in attributes:
            attributes[f"n_{label}s"] = low_to_high(counts)
    return attributes
