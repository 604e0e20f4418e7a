"""Scores at budgets, thresholds and numbers of searches."""

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
from irframe.experiments.spans import PAIR, retrieved_evidence
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.facts import facts
from irframe.quantities.block import by_scale
from irframe.quantities.evidence import parameters
from irframe.stops import AXES, ROUNDING, Axis

OWN = "own threshold"
"""The name of the stop if each system has its own threshold."""
MOST = 200
"""The maximum number of thresholds that ``"all"`` selects."""


@dataclass(frozen=True, kw_only=True)
class Stops:
    """The points at which users stop reading each list."""

    axis: Axis
    of: tuple[Any, ...]
    """The stops in any order. For ``"all"``, empty until thresholds are read from the lists."""
    cut: words.Cut = "whole"
    by_system: Mapping[Hashable, float] | None = None
    """A mapping from systems to thresholds. None if all systems have the same thresholds."""

    @classmethod
    def read(cls, stop: Stop, attributes: Mapping[str, object]) -> "Stops":
        """Read the parameter `stop`.

        Parameters
        ----------
        stop
            A stop rule.
        attributes
            The fields of a policy or the attributes of a cube, which name the columns of lengths
            and searches.

        Raises
        ------
        ParameterError
            If `stop` is any other object.
        """
        if not isinstance(stop, Stop):
            expected = "stop to be ir.Budget(...) or ir.Threshold(...) or ir.AfterSearches(...)"
            raise ParameterError(expected, shortened(stop))
        axis = AXES[stop.ALONG]
        axis = replace(axis, unit=str(attributes.get(axis.along)))
        values: object = getattr(stop, axis.option)
        if isinstance(values, Mapping):
            by_system = {system: float(least) for system, least in values.items()}
            return cls(axis=axis, of=(OWN,), by_system=by_system)
        number = int if axis.integer else float
        of = () if isinstance(values, str) else tuple(map(number, listed(values)))
        return cls(axis=axis, of=of, cut=getattr(stop, "cut", "whole"))

    def all_of(self, values: Array | None) -> "Stops":
        """Return stops at distinct scores, at most `MOST`."""
        if values is None:
            expected, advice = self.axis.missing
            raise ParameterError(expected, "none", advice)
        steps = np.unique(values)
        # thresholds are evenly spaced among the sorted scores, so that ranges with many scores get
        # many thresholds
        positions = np.linspace(0, len(steps) - 1, min(MOST, len(steps))).round().astype(int)
        return replace(self, of=tuple(steps[positions].tolist()))

    def of_systems(self, systems: pd.Index) -> "Stops":
        """Return the stops of selected systems; raise if missing."""
        if self.by_system is None:
            return self
        lacking = [system for system in systems if system not in self.by_system]
        expected = f"a {self.axis.dim} for every system"
        refuse_any(ParameterError, lacking, expected, "none for {} systems")
        return replace(self, by_system={system: self.by_system[system] for system in systems})

    def attributes(self, experiment: Experiment) -> dict[str, str]:
        """Return the attributes of scores: unit of stops, and cautions."""
        fits = {"whole": "whole units", "skip": "what does not fit skipped", "part": "units cut"}
        hits = experiment.loaded.hits
        if not self.axis.integer:
            return {self.axis.attribute: self.axis.unit} | caution(
                self._scales_differ(experiment.systems, hits)
            )
        cut_text = f", {fits[self.cut]}" if self.axis.cuts else ""
        attributes = {self.axis.attribute: self.axis.unit + cut_text}
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
        """Warn of systems with disjoint ranges of scores.

        The warning is also returned, in a list that is empty if there is no warning.
        """
        score = (hits.along or {})[self.axis.along]
        counts = hits.length.sum(axis=1)
        nonempty = np.flatnonzero(counts)
        if self.by_system is not None or not len(nonempty):
            return []
        # for an empty range, `reduceat` would return the first score of the next system
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
            f"scores of systems have disjoint ranges, {' and '.join(ranges)}: one {self.axis.dim} "
            f"does not treat all systems alike; pass {self.axis.dim}={{system: value}}"
        )
        warn(message)
        return [message]

    def reads(self, hits: Hits) -> NDArray[np.int64]:
        """Return the number of units read, shape (system, topic, stop).

        Raises
        ------
        ParameterError
            If runs have no lengths, scores or searches.
        """
        if self.axis.count_read is None or self.axis.along not in (hits.along or {}):
            expected, advice = self.axis.missing
            raise ParameterError(expected, "none", advice)
        stops = (
            self.of if self.by_system is None else np.reshape([*self.by_system.values()], (-1, 1))
        )
        return self.axis.count_read(hits, stops)

    def nothing_read(self, hits: Hits) -> NDArray[np.bool_]:
        """Return which nonempty lists are not read at all."""
        return np.asarray((self.reads(hits) == 0) & (hits.length[..., np.newaxis] > 0))

    def values(
        self, experiment: Experiment, metrics: Sequence[Metric], depth: int | None
    ) -> Floats:
        """Score the lists of an experiment.

        Parameters
        ----------
        experiment
            Ranked runs with the lengths, scores or searches of all documents.
        metrics
            The metrics to compute.
        depth
            Depth at which lists are cut. None if lists are not cut.

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
        scores = [
            _scored_down(at_budget, metrics, at_budget.hits.length[..., np.newaxis], length)
            for at_budget in self._at_budgets(experiment, depth)
        ]
        return np.concatenate(scores, axis=-1)

    def counts(self, experiment: Experiment, depth: int | None = None) -> NDArray[np.int64]:
        """Return the number of units read among the first `depth`."""
        if self.cut == "whole":
            n_read = self.reads(experiment.loaded.hits)
            return n_read if depth is None else np.minimum(n_read, depth)
        lengths = [
            at_budget.hits.length for at_budget in self._at_budgets(experiment.loaded, depth)
        ]
        return np.stack(lengths, axis=-1)

    def _at_budgets(self, experiment: Experiment, depth: int | None) -> Iterator[Experiment]:
        """Yield an experiment with the documents that each budget reads."""
        for budget in self.of:
            yield replace(experiment, hits=_shortened(experiment, budget, self.cut, depth))

    def _refuse(self, experiment: Experiment, metrics: Sequence[Metric]) -> None:
        """Raise if lists or metrics do not allow these stops."""
        self.reads(experiment.hits)
        asking = f"at a {self.axis.dim}"
        # Thresholds need no check of ties, because they never separate documents with equal scores.
        if not self.axis.integer:
            _refuse_rising(experiment, self.axis.along, asking)
        elif policies.shares_ranks(experiment.options.get("ties")):
            raise ParameterError(f"distinct ranks of documents {asking}", "shared ranks")
        wrong = []
        # A metric without an uncut variant would cut its ideal ranking where the user stops.
        for metric in metrics:
            reads = parameters(type(metric).kernel)
            is_cut = metric.uncut() is None and any("ideal" in name for name in reads)
            if metric.judged_only or is_cut:
                wrong.append(str(metric))
        expected = f"metrics of all retrieved documents with an uncut ideal ranking, {asking}"
        refuse_any(MetricError, wrong, expected, "", "choose nDCG, AP, RBP or another such metric")
        if self.cut == "part" and experiment.judgments.table.spans is None:
            advice = "pass cut='whole' or 'skip'; the gain of a part of a document is unknown"
            raise ParameterError("judgments of spans for cut='part'", "documents", advice)


def _refuse_rising(experiment: Experiment, along: str, asking: str) -> None:
    """Raise for lists in which scores rise along the ranks."""
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
        expected = f"{along}s that do not rise along the ranks, {asking}"
        raise InputError(
            expected, f"{len(lists)} lists with rising {along}s", "rank by score", lists
        )


def nothing_read(
    experiment: Experiment, stops: Stops | None, depth: int | None = None
) -> NDArray[np.bool_]:
    """Return at which stops no document is read.

    The shape is (system, topic, stop).
    """
    if stops is None:
        return np.asarray(experiment.loaded.hits.length == 0)[..., np.newaxis]
    return np.asarray(stops.of_systems(experiment.systems).counts(experiment, depth) == 0)


def without_relevant(
    metrics: Sequence[Metric], relevant: Array, nothing: Array, no_rel: str
) -> tuple[NDArray[np.bool_], Floats]:
    """Return which scores to keep, and replacements for other scores.

    Parameters
    ----------
    metrics
        The scored metrics.
    relevant
        Whether a topic has relevant documents, shape (metric, topic).
    nothing
        Whether no document of a list is read, shape (system, topic, stop).
    no_rel
        ``"nan"`` or ``"silence"``.

    Returns
    -------
    tuple of numpy.ndarray
        Whether to keep scores, shape (metric, 1, topic, 1), and the replacements, shape (metric,
        system, topic, stop). With ``"silence"``, counts are kept, and metrics between 0 and 1 are
        replaced by 1 if nothing is read and by 0 otherwise. All other replacements are NaN.
    """
    silent = no_rel == "silence"
    every = [facts(metric) for metric in metrics]
    counts = np.array([[silent and fact.summary == "sum"] for fact in every])
    shares = np.array([silent and fact.share and not fact.cost for fact in every])
    replacements = np.where(shares.reshape(-1, 1, 1, 1), nothing, np.nan)
    return (relevant | counts)[:, np.newaxis, :, np.newaxis], replacements


def _scored_down(
    experiment: Experiment, metrics: Sequence[Metric], depths: Array, length: Array
) -> Floats:
    """Score each list down to the last unit read.

    A metric without a cutoff uses the full ideal ranking. A metric with a cutoff is scored at the
    cutoff, or at the last unit read if this unit comes earlier. The ideal ranking of a metric with
    a cutoff is cut at the cutoff. A list that is read to its end has the score of the complete
    list.
    """
    has_depth = np.array([metric.depth is not None for metric in metrics])
    # The scores of a metric without an uncut variant depend on the depth that is read, so such a
    # metric is scored at each depth.
    varies = np.array([metric.uncut() is None for metric in metrics])
    deepest = policies.deepest(list(metrics))
    down = np.where(depths < length, depths, np.maximum(depths, deepest))
    scored = np.empty((len(metrics), *depths.shape))
    if not has_depth.all():
        free = [m.uncut() or m for m in metrics if m.depth is None]
        scored[~has_depth] = _scored_at(experiment, free, depths)
    if (has_depth & varies).any():
        scored[has_depth & varies] = _scored_at(
            experiment, [*compress(metrics, has_depth & varies)], down
        )
    fixed = [*compress(metrics, has_depth & ~varies)]
    # these ideal rankings are cut at the cutoff and not at the stop, so lists are shortened instead
    for stop in range(depths.shape[-1]) if fixed else ():
        at_stop = replace(experiment, hits=_ended(experiment.hits, depths[..., stop]))
        full = np.full((*experiment.shape, 1), deepest)
        scored[has_depth & ~varies, ..., stop] = _scored_at(at_stop, fixed, full)[..., 0]
    return scored


def _scored_at(experiment: Experiment, metrics: Sequence[Metric], depths: Array) -> Floats:
    """Score lists at one depth per system, topic and stop."""
    width = max(1, int(depths.max(initial=0)))
    scored = np.empty((len(metrics), *depths.shape))
    fields = experiment.fields(metrics, width)
    experiment = replace(experiment, hits=experiment.hits.by_list())

    def compute(block: Block) -> Iterator[Array]:
        evidence = Evidence(block)
        return (metric.score(evidence) for metric in metrics)

    def fill(tile: tuple[slice, slice]) -> None:
        # lists of which nothing is read get a valid position here, and their score below
        last = np.maximum(depths[tile] - 1, 0)
        scores = by_scale(experiment.block(fields, width, tile), compute)
        for row, values in zip(scored, scores, strict=True):
            row[tile] = np.take_along_axis(values, last, axis=-1)

    in_threads(fill, tiles(*experiment.shape, width))
    nothing = depths == 0
    if nothing.any() and width:
        empty = _scored_empty(experiment, metrics)
        scored = np.where(nothing, empty[..., np.newaxis], scored)
    return scored


def _scored_empty(experiment: Experiment, metrics: Sequence[Metric]) -> Floats:
    """Return the scores of empty lists, shape (metric, 1, topic)."""
    systems, topics = experiment.shape
    lists = experiment.select(np.arange(min(1, systems)), np.arange(topics))
    hits = lists.hits.take(slice(0, 0))
    along = lists.hits.alongside(itemgetter(slice(0, 0)))
    length = np.zeros_like(lists.hits.length)
    empty = replace(lists, hits=replace(hits, length=length, tied=None, along=along))
    return _scored_at(empty, metrics, np.ones((*empty.shape, 1), np.int64))[..., 0]


def _ended(hits: Hits, length: Array) -> Hits:
    """Return the hits of lists cut to given lengths."""
    length = np.minimum(hits.length, length)
    inside = hits.down_to(np.ones(len(hits.list_of), np.int64)) <= length.ravel()[hits.list_of]
    tied = None if hits.tied is None else hits.tied[inside]
    ended = hits.take(np.flatnonzero(hits.rank <= length.ravel()[hits.of]))
    return replace(ended, length=length, tied=tied, along=hits.alongside(itemgetter(inside)))


def _shortened(experiment: Experiment, budget: int, cut: words.Cut, depth: int | None) -> Hits:
    """Return the hits among the documents read within a budget."""
    hits = experiment.hits
    is_read, along = (_skipping if cut == "skip" else _parted)(hits, budget)
    of = hits.list_of
    length = hits.length
    if depth is not None:
        is_read &= hits.down_to(np.ones(len(of), np.int64)) <= depth
    columns = {name: values[is_read] for name, values in along.items()}
    spans = experiment.judgments.table.spans
    if spans is not None and PAIR in columns:
        columns |= retrieved_evidence(spans, of[is_read], columns)
    document = hits.first[hits.of] + hits.rank - 1
    shorter = hits.take(np.flatnonzero(is_read[document]))
    counts = np.bincount(of[is_read], minlength=length.size).reshape(length.shape)
    ranks = hits.down_to(is_read)[document[is_read[document]]].astype(np.int32)
    return replace(shorter, length=counts, rank=ranks, tied=None, filed=None, along=columns)


def _skipping(hits: Hits, budget: int) -> tuple[NDArray[np.bool_], dict[str, Array]]:
    """Return which documents are read if documents may be skipped."""
    longest = int(hits.length.max(initial=0))
    text = hits.dense(words.LENGTH, longest, longest).reshape(-1, longest)
    inside = np.arange(longest) < hits.length.reshape(-1, 1)
    used = np.zeros(len(text))
    is_read = np.zeros(text.shape, bool)
    # whether a document fits depends on the documents above it, so the loop is over ranks, and each
    # step covers all lists
    for rank in range(longest):
        fits = inside[:, rank] & (used + text[:, rank] <= budget * (1 + ROUNDING))
        used += np.where(fits, text[:, rank], 0)
        is_read[:, rank] = fits
    return is_read[inside], dict(hits.along or {})


def _parted(hits: Hits, budget: int) -> tuple[NDArray[np.bool_], dict[str, Array]]:
    """Return the documents read if the last one is cut.

    The end of the last document's span is moved to the point where reading ends.
    """
    along = dict(hits.along or {})
    lengths = np.asarray(along[words.LENGTH], np.float64)
    remaining = budget * (1 + ROUNDING) - (hits.down_to(lengths) - lengths)
    # documents of length 0 are read completely while anything remains
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(lengths > 0, np.clip(remaining / lengths, 0, 1), remaining >= 0)
    size = np.floor(share * (along[words.END] - along[words.START]) + ROUNDING).astype(np.int64)
    along[words.END] = along[words.START] + size
    return size > 0, along
