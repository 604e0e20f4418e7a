"""Scores at stops: budgets, thresholds and numbers of searches."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import Array, Floats, in_threads, tiles
from irframe.checks import listed, refuse_any
from irframe.errors import InputError, MetricError, ParameterError, caution, shortened, warn
from irframe.experiments import policy as policies
from irframe.experiments.choices import Stop
from irframe.experiments.experiment import Experiment
from irframe.experiments.hits import Hits
from irframe.experiments.spans import PLACE, retrieved_evidence
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.facts import facts
from irframe.quantities.block import by_scale
from irframe.quantities.evidence import parameters
from irframe.stops import AXES, ROUNDING, Axis

OWN = "own threshold"
"""The label of a stop that differs by system."""
MOST = 200
"""The most stops for ``"all"`` scores in the lists."""


@dataclass(frozen=True, kw_only=True)
class Stops:
    """The stops at which reading of each list ends."""

    axis: Axis
    of: tuple[Any, ...]
    """Values on the axis in any order; empty if they are read from the lists."""
    cut: words.Cut = "whole"
    own: Mapping[Hashable, float] | None = None
    """The stop of each system, labelled `OWN`."""

    @classmethod
    def read(cls, stop: Stop | None, made: Mapping[str, object]) -> "Stops | None":
        """Read the caller's stop; None if there is none.

        Parameters
        ----------
        stop
            A stop, or None.
        made
            Axis -> the column of the runs with its values.

        Raises
        ------
        ParameterError
            For any object that is not a stop.
        """
        if stop is None:
            return None
        if not isinstance(stop, Stop):
            expected = "stop=, an ir.Budget, ir.Threshold or ir.AfterSearches"
            raise ParameterError(expected, shortened(stop))
        axis = AXES[stop.ALONG]
        axis = replace(axis, unit=str(made.get(axis.along)))
        places: Any = getattr(stop, axis.option)
        if isinstance(places, Mapping):
            own = {system: float(least) for system, least in places.items()}
            return cls(axis=axis, of=(OWN,), own=own)
        number = int if axis.integer else float
        of = () if isinstance(places, str) else tuple(map(number, listed(places)))
        return cls(axis=axis, of=of, cut=getattr(stop, "cut", "whole"))

    def all_of(self, values: Array | None) -> "Stops":
        """Return the distinct scores, at most `MOST`, evenly by rank."""
        if values is None:
            expected, advice = self.axis.missing
            raise ParameterError(expected, "none", advice)
        steps = np.unique(values)
        kept = np.linspace(0, len(steps) - 1, min(MOST, len(steps))).round().astype(int)
        return replace(self, of=tuple(steps[kept].tolist()))

    def of_systems(self, systems: pd.Index) -> "Stops":
        """Return the stops of some systems; all need one."""
        if self.own is None:
            return self
        lacking = [system for system in systems if system not in self.own]
        refuse_any(ParameterError, lacking, f"a {self.axis.dim} of every system", "{} without")
        return replace(self, own={system: self.own[system] for system in systems})

    def attributes(self, experiment: Experiment) -> dict[str, str]:
        """Return the unit of stops and cautions as attributes."""
        fits = {"whole": "whole units", "skip": "what does not fit skipped", "part": "units cut"}
        hits = experiment.loaded.hits
        if not self.axis.integer:
            return {self.axis.attribute: self.axis.unit} | caution(
                self._scales_differ(experiment.systems, hits)
            )
        how = f", {fits[self.cut]}" if self.axis.cuts else ""
        attributes = {self.axis.attribute: self.axis.unit + how}
        if self.cut != "whole" or not self.axis.empty_text:
            return attributes
        counts = self.nothing_read(hits).sum(axis=(0, 1))
        lists = int((hits.length > 0).sum())
        cautions = [
            f"{self.axis.describe(self.axis.empty_text, stop)} in {count} of {lists} lists"
            for stop, count in zip(self.of, counts, strict=True)
            if count
        ]
        return attributes | caution(cautions)

    def _scales_differ(self, systems: pd.Index, hits: Hits) -> list[str]:
        """Warn of systems with incomparable scores; return the warning."""
        score = (hits.along or {})[self.axis.along]
        counts = hits.length.sum(axis=1)
        nonempty = np.flatnonzero(counts)
        if self.own is not None or not len(nonempty):
            return []
        first = (np.cumsum(counts) - counts)[nonempty]
        least, most = (reduce.reduceat(score, first) for reduce in (np.minimum, np.maximum))
        high, low = int(least.argmax()), int(most.argmin())
        if least[high] <= most[low]:
            return []
        ranges = [
            f"{systems[nonempty[row]]} from {least[row]:.4g} to {most[row]:.4g}"
            for row in (low, high)
        ]
        message = (
            f"scores of systems lie apart, {' and '.join(ranges)}: one {self.axis.dim} for all "
            f"compares nothing; give each its own, {self.axis.dim}={{system: value}}"
        )
        warn(message)
        return [message]

    def reads(self, hits: Hits) -> NDArray[np.int64]:
        """Return how many units of each list are read.

        Raises
        ------
        ParameterError
            If runs lack the values of the axis.
        """
        if self.axis.count_read is None or self.axis.along not in (hits.along or {}):
            expected, advice = self.axis.missing
            raise ParameterError(expected, "none", advice)
        stops = self.of if self.own is None else np.reshape([*self.own.values()], (-1, 1))
        return self.axis.count_read(hits, stops)

    def nothing_read(self, hits: Hits) -> NDArray[np.bool_]:
        """Return which lists have documents but none are read."""
        return np.asarray((self.reads(hits) == 0) & (hits.length[..., np.newaxis] > 0))

    def values(
        self, experiment: Experiment, metrics: Sequence[Metric], depth: int | None
    ) -> Floats:
        """Score the lists of an experiment.

        Parameters
        ----------
        experiment
            Ranked runs whose hits carry the values of the axis.
        metrics
            The metrics.
        depth
            Depth at which lists are cut, or None.

        Returns
        -------
        numpy.ndarray
            Scores, shape (metric, system, topic, stop).
        """
        experiment = experiment.loaded
        self._refuse(experiment, metrics)
        length = np.minimum(experiment.hits.length, depth or np.inf)[..., np.newaxis]
        if self.cut == "whole":
            return _scored_down(experiment, metrics, self.counts(experiment, depth), length)
        parts = [
            _scored_down(part, metrics, part.hits.length[..., np.newaxis], length)
            for part in self._parts(experiment, depth)
        ]
        return np.concatenate(parts, axis=-1)

    def counts(self, experiment: Experiment, depth: int | None = None) -> NDArray[np.int64]:
        """Return how many units are read within a depth."""
        if self.cut == "whole":
            read = self.reads(experiment.loaded.hits)
            return read if depth is None else np.minimum(read, depth)
        parts = [part.hits.length for part in self._parts(experiment.loaded, depth)]
        return np.stack(parts, axis=-1)

    def _parts(self, experiment: Experiment, depth: int | None) -> Iterator[Experiment]:
        """Yield the experiment as read at each budget."""
        for budget in self.of:
            yield replace(experiment, hits=_shortened(experiment, budget, self.cut, depth))

    def _refuse(self, experiment: Experiment, metrics: Sequence[Metric]) -> None:
        self.reads(experiment.hits)
        asking = f"at a {self.axis.dim}"
        if not self.axis.integer:  # thresholds never cut a block of equal scores
            _refuse_rising(experiment, self.axis.along, asking)
        elif policies.shares_ranks(experiment.made.get("ties")):
            raise ParameterError(f"one order of documents {asking}", "shared ranks")
        wrong = []
        for metric in metrics:  # metrics whose kernel cuts the ideal ranking are refused
            reads = parameters(type(metric).kernel)
            is_cut = metric.uncut() is None and any("ideal" in word for word in reads)
            if metric.judged_only or is_cut:
                wrong.append(str(metric))
        expected = f"metrics whose ideal is not cut and which read lists as retrieved, {asking}"
        refuse_any(MetricError, wrong, expected, "", "nDCG, AP, RBP and most others are such")
        if self.cut == "part" and experiment.judgments.table.spans is None:
            advice = "pass cut='whole' or 'skip'; the gain of a part of a document is unknown"
            raise ParameterError("judgments by spans for cut='part'", "documents", advice)


def _refuse_rising(experiment: Experiment, along: str, asking: str) -> None:
    """Raise for lists whose scores or searches are not monotone."""
    hits = experiment.hits
    values = (hits.along or {})[along]
    of = hits.list_of
    rises = (values[1:] > values[:-1]) & (of[1:] == of[:-1])
    if rises.any():
        system, topic = np.divmod(np.unique(of[1:][rises]), hits.length.shape[1])
        topics = experiment.judgments.topics
        lists = [
            f"{experiment.systems[row]} {topics[at]}" for row, at in zip(system, topic, strict=True)
        ]
        expected = f"lists in which {along}s do not rise, {asking}"
        raise InputError(expected, f"{len(lists)} in which they do", "rank them by score", lists)


def nothing_read(
    experiment: Experiment, stops: Stops | None, depth: int | None = None
) -> NDArray[np.bool_]:
    """Return which lists are unread, shape (system, topic, stop)."""
    if stops is None:
        return np.asarray(experiment.loaded.hits.length == 0)[..., np.newaxis]
    return np.asarray(stops.of_systems(experiment.systems).counts(experiment, depth) == 0)


def without_relevant(
    metrics: Sequence[Metric], relevant: Array, nothing: Array, no_rel: str
) -> tuple[NDArray[np.bool_], Floats]:
    """Return which scores stay, and the replacements.

    Parameters
    ----------
    metrics
        The metrics.
    relevant
        Whether a topic has relevant documents, (metric, topic).
    nothing
        Whether no document of a list is read, (system, topic, stop).
    no_rel
        ``"nan"`` or ``"silence"``.

    Returns
    -------
    tuple of numpy.ndarray
        Whether scores stay, (metric, 1, topic, 1), and the replacements, (metric, system, topic,
        stop). With ``"silence"``, counts stay, and shares are 1 if nothing is read, else 0. Costs
        and unbounded gains are NaN.
    """
    silent = no_rel == "silence"
    every = [facts(metric) for metric in metrics]
    counts = np.array([[silent and fact.summary == "sum"] for fact in every])
    shares = np.array([silent and fact.share and not fact.cost for fact in every])
    others = np.where(shares.reshape(-1, 1, 1, 1), nothing, np.nan)
    return (relevant | counts)[:, np.newaxis, :, np.newaxis], others


def _scored_down(
    experiment: Experiment, metrics: Sequence[Metric], read: Array, length: Array
) -> Floats:
    """Score lists down to the units read.

    A metric without a depth uses the full ideal ranking. A metric with a depth is scored at the
    smaller of the two depths, with the ideal of its own depth. Uncut lists keep their scores.
    """
    own = np.array([metric.depth is not None for metric in metrics])
    # The values of these metrics depend on the depth that is read.
    varies = np.array([metric.uncut() is None for metric in metrics])
    deepest = policies.deepest(list(metrics))
    down = np.where(read < length, read, np.maximum(read, deepest))
    scored = np.empty((len(metrics), *read.shape))
    if not own.all():
        free = [m.uncut() or m for m in metrics if m.depth is None]
        scored[~own] = _scored_at(experiment, free, read)
    if (own & varies).any():
        scored[own & varies] = _scored_at(experiment, [*compress(metrics, own & varies)], down)
    fixed = [*compress(metrics, own & ~varies)]
    for stop in range(read.shape[-1]) if fixed else ():
        part = replace(experiment, hits=_ended(experiment.hits, read[..., stop]))
        full = np.full((*experiment.shape, 1), deepest)
        scored[own & ~varies, ..., stop] = _scored_at(part, fixed, full)[..., 0]
    return scored


def _scored_at(experiment: Experiment, metrics: Sequence[Metric], read: Array) -> Floats:
    """Score lists down to depths, given by (system, topic, stop)."""
    width = max(1, int(read.max(initial=0)))
    scored = np.empty((len(metrics), *read.shape))
    fields = experiment.fields(metrics, width)
    experiment = replace(experiment, hits=experiment.hits.by_list())

    def compute(part: Block) -> Iterator[Array]:
        evidence = Evidence(part)
        return (metric.score(evidence) for metric in metrics)

    def fill(tile: tuple[slice, slice]) -> None:
        place = np.maximum(read[tile] - 1, 0)
        scores = by_scale(experiment.block(fields, width, tile), compute)
        for row, values in zip(scored, scores, strict=True):
            row[tile] = np.take_along_axis(values, place, axis=-1)

    in_threads(fill, tiles(*experiment.shape, width))
    nothing = read == 0
    if nothing.any() and width:
        empty = _scored_empty(experiment, metrics)
        scored = np.where(nothing, empty[..., np.newaxis], scored)
    return scored


def _scored_empty(experiment: Experiment, metrics: Sequence[Metric]) -> Floats:
    """Score unread lists, shape (metric, 1, topic)."""
    lists = experiment.part(np.arange(min(1, experiment.shape[0])), np.arange(experiment.shape[1]))
    hits = lists.hits.take(slice(0, 0))
    along = lists.hits.alongside(itemgetter(slice(0, 0)))
    length = np.zeros_like(lists.hits.length)
    empty = replace(lists, hits=replace(hits, length=length, tied=None, along=along))
    return _scored_at(empty, metrics, np.ones((*empty.shape, 1), np.int64))[..., 0]


def _ended(hits: Hits, length: Array) -> Hits:
    """Return the hits of lists cut after some documents."""
    length = np.minimum(hits.length, length)
    kept = hits.down_to(np.ones(len(hits.list_of), np.int64)) <= length.ravel()[hits.list_of]
    tied = None if hits.tied is None else hits.tied[kept]
    ended = hits.take(np.flatnonzero(hits.rank <= length.ravel()[hits.of]))
    return replace(ended, length=length, tied=tied, along=hits.alongside(itemgetter(kept)))


def _shortened(experiment: Experiment, budget: int, cut: words.Cut, depth: int | None) -> Hits:
    """Return the hits among the documents that are read."""
    hits = experiment.hits
    kept, along = (_skipping if cut == "skip" else _parted)(hits, budget)
    of = hits.list_of
    length = hits.length
    if depth is not None:
        kept &= hits.down_to(np.ones(len(of), np.int64)) <= depth
    columns = {name: values[kept] for name, values in along.items()}
    spans = experiment.judgments.table.spans
    if spans is not None and PLACE in columns:
        columns |= retrieved_evidence(spans, of[kept], columns)
    place = hits.first[hits.of] + hits.rank - 1
    shorter = hits.take(np.flatnonzero(kept[place]))
    counts = np.bincount(of[kept], minlength=length.size).reshape(length.shape)
    ranks = hits.down_to(kept)[place[kept[place]]].astype(np.int32)
    return replace(shorter, length=counts, rank=ranks, tied=None, filed=None, along=columns)


def _skipping(hits: Hits, budget: int) -> tuple[NDArray[np.bool_], dict[str, Array]]:
    """Return the documents read when misfits are skipped."""
    longest = int(hits.length.max(initial=0))
    text = hits.dense(words.LENGTH, longest, longest).reshape(-1, longest)
    inside = np.arange(longest) < hits.length.reshape(-1, 1)
    used = np.zeros(len(text))
    kept = np.zeros(text.shape, bool)
    for rank in range(longest):
        fits = inside[:, rank] & (used + text[:, rank] <= budget * (1 + ROUNDING))
        used += np.where(fits, text[:, rank], 0)
        kept[:, rank] = fits
    return kept[inside], dict(hits.along or {})


def _parted(hits: Hits, budget: int) -> tuple[NDArray[np.bool_], dict[str, Array]]:
    """Return the documents read, and their borders, when cut."""
    along = dict(hits.along or {})
    own = np.asarray(along[words.LENGTH], np.float64)
    left = budget * (1 + ROUNDING) - (hits.down_to(own) - own)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(own > 0, np.clip(left / own, 0, 1), left >= 0)
    size = np.floor(part * (along[words.END] - along[words.START]) + ROUNDING).astype(np.int64)
    along[words.END] = along[words.START] + size
    return size > 0, along
