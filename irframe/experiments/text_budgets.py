"""Depth measured in text: metrics where a budget of it is spent.

A budget of B reads the first k(B) units of a list, as many as fit. A metric there is the metric at
depth k(B), by the whole ideal ranking: one score at every depth, and one look into it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, in_threads, tiles
from irframe.checks import choice, listed, whole
from irframe.errors import MetricError, ParameterError
from irframe.experiments.experiment import Experiment
from irframe.experiments.hits import Hits
from irframe.experiments.policy import TIE_POLICIES
from irframe.experiments.spans import PLACE, held_evidence
from irframe.files.ids import Codes
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.block import by_scale
from irframe.metrics.evidence import parameters
from irframe.names import CAUTION, END, LENGTH, START, Cut

CUTS: tuple[Cut, ...] = ("whole", "skip", "part")
ROUNDING = 1e-9
"""By how much of itself a budget may be exceeded, for lengths that are no whole numbers."""


@dataclass(frozen=True, kw_only=True)
class Budgets:
    """How much is read of every list."""

    of: tuple[int, ...]
    """How much text, ascending or not."""
    cut: Cut = "whole"

    @classmethod
    def read(cls, budget: Any, cut: Any) -> "Budgets | None":
        """Read budgets as a caller gave them, None where there are none.

        Raises
        ------
        ParameterError
            For budgets that are no whole numbers from 1, or come twice.
        """
        choice("cut", cut, CUTS)
        if budget is None:
            return None
        advice = "count in a smaller unit, such as cents or milliseconds"
        found = [whole("budget", each, low=1, advice=advice) for each in listed(budget)]
        again = sorted({each for each in found if found.count(each) > 1})
        if again or not found:
            wanted = "budget=, each once"
            raise ParameterError(wanted, f"{len(again)} again" if again else "none", "", again)
        return cls(of=tuple(found), cut=cut)

    def told(self, length: str) -> str:
        """Return what attributes say of budgets."""
        words = {"whole": "whole units", "skip": "what does not fit skipped", "part": "units cut"}
        return f"{length}, {words[self.cut]}"

    def caution(self, hits: Hits, length: str) -> dict[str, str]:
        """Return the attribute that counts lists of which nothing is read, if there are some."""
        if self.cut != "whole":
            return {}
        counts = nothing_fits(hits, self.of).sum(axis=(0, 1))
        lists = int((hits.length > 0).sum())
        told = [
            f"nothing fits into {budget} {length} in {count} of {lists} lists"
            for budget, count in zip(self.of, counts, strict=True)
            if count
        ]
        return {CAUTION: "; ".join(told)} if told else {}

    def values(self, experiment: Experiment, metrics: Sequence[Metric], depth: Any) -> Floats:
        """Score the lists of an experiment.

        Parameters
        ----------
        experiment
            Its hits have lengths along them.
        metrics
            The metrics.
        depth
            Where lists are cut, None for nowhere.

        Returns
        -------
        numpy.ndarray
            Scores, shape (metric, system, topic, budget).
        """
        experiment = experiment.loaded
        self._refuse(experiment, metrics)
        free = [metric.uncut() or metric for metric in metrics]
        if self.cut == "whole":
            read = depths_at(experiment.hits, self.of)
            return _scored(experiment, free, np.minimum(read, depth or read))
        parts = []
        for each in self.of:
            part = replace(experiment, hits=_shortened(experiment, each, self.cut, depth))
            parts.append(_scored(part, free, part.hits.length[..., np.newaxis]))
        return np.concatenate(parts, axis=-1)

    @staticmethod
    def refuse_without_lengths(hits: Hits) -> None:
        """Raise if it is not told what each unit costs."""
        if LENGTH not in (hits.along or {}):
            advice = "say what each unit costs: length='tokens', a column of the runs"
            raise ParameterError("lengths of what was retrieved, for budget=", "none", advice)

    def _refuse(self, experiment: Experiment, metrics: Sequence[Metric]) -> None:
        self.refuse_without_lengths(experiment.hits)
        if TIE_POLICIES[experiment.made.get("ties", "trec")].shares:
            raise ParameterError("one order of documents for budget=", "shared ranks, ties='mean'")
        wrong = []
        for metric in metrics:  # by whose kernel what is divided by is cut, whatever is asked
            reads = parameters(type(metric).kernel)
            is_cut = metric.uncut() is None and any("ideal" in word for word in reads)
            if metric.judged_only or is_cut:
                wrong.append(str(metric))
        if wrong:
            wanted = "metrics whose ideal is not cut and which read lists as retrieved, for budget="
            raise MetricError(wanted, "", "nDCG, AP, RBP and most others are such", wrong)
        if self.cut == "part" and experiment.judgments.table.spans is None:
            advice = "use cut='whole' or 'skip'; whether a part of a document helps is not known"
            raise ParameterError("judgments by spans for cut='part'", "documents", advice)


def read_through(hits: Hits) -> tuple[NDArray[np.float64], Codes]:
    """Return how much text there is down to each document, and which list it is of."""
    text = np.asarray((hits.along or {})[LENGTH], np.float64)
    length = hits.length.ravel()
    of = np.repeat(np.arange(len(length)), length)
    through = np.cumsum(text)
    before = np.append(0.0, through)[hits.first[of]] if len(of) else through
    return through - before, of


def depths_at(hits: Hits, budgets: Sequence[int]) -> NDArray[np.int64]:
    """Return how many units of each list fit into budgets, shape (system, topic, budget)."""
    through, of = read_through(hits)
    size = hits.length.size
    fits = [np.bincount(of[through <= b * (1 + ROUNDING)], minlength=size) for b in budgets]
    return np.stack(fits, axis=-1).reshape(*hits.length.shape, len(fits))


def _scored(experiment: Experiment, metrics: Sequence[Metric], read: Array) -> Floats:
    """Score lists down to depths, given by (system, topic, budget)."""
    width = max(1, int(read.max(initial=0)))
    found = np.empty((len(metrics), *read.shape))
    fields = experiment.fields(metrics, width)
    experiment = replace(experiment, hits=experiment.hits.by_list())

    def compute(part: Block) -> Iterator[Array]:
        evidence = Evidence(part)
        return (metric.score(evidence) for metric in metrics)

    def fill(some: tuple[slice, slice]) -> None:
        place = np.maximum(read[some] - 1, 0)
        scores = by_scale(experiment.block(fields, width, some), compute)
        for row, values in zip(found, scores, strict=True):
            row[some] = np.take_along_axis(values, place, axis=-1)

    in_threads(fill, tiles(*experiment.shape, width))
    nothing = read == 0
    if nothing.any() and width:
        empty = _scored_empty(experiment, metrics)
        found = np.where(nothing, empty[..., np.newaxis], found)
    return found


def _scored_empty(experiment: Experiment, metrics: Sequence[Metric]) -> Floats:
    """Score lists of which nothing was read, shape (metric, 1, topic)."""
    lists = experiment.part(np.arange(min(1, experiment.shape[0])), np.arange(experiment.shape[1]))
    hits = lists.hits.take(slice(0, 0))
    along = lists.hits.alongside(itemgetter(slice(0, 0)))
    length = np.zeros_like(lists.hits.length)
    empty = replace(lists, hits=replace(hits, length=length, tied=None, along=along))
    return _scored(empty, metrics, np.ones((*empty.shape, 1), np.int64))[..., 0]


def _shortened(experiment: Experiment, budget: int, cut: Cut, depth: Any) -> Hits:
    """Return the hits of what is read of lists."""
    hits = experiment.hits
    kept, along = (_skipping if cut == "skip" else _parted)(hits, budget)
    length = hits.length.ravel()
    of = np.repeat(np.arange(len(length)), length)
    rank = np.arange(len(of)) - np.repeat(hits.first, length) + 1
    if depth is not None:
        kept &= rank <= depth
    told = {name: each[kept] for name, each in along.items()}
    spans = experiment.judgments.table.spans
    if spans is not None and PLACE in told:
        told |= held_evidence(spans, of[kept], told)
    through = np.cumsum(kept)
    new = through - np.append(0, through)[hits.first[of]] if len(of) else through
    place = hits.first[hits.of] + hits.rank - 1
    some = hits.take(np.flatnonzero(kept[place]))
    counts = np.bincount(of[kept], minlength=len(length)).reshape(hits.length.shape)
    ranks = new[place[kept[place]]].astype(np.int32)
    return replace(some, length=counts, rank=ranks, tied=None, filed=None, along=told)


def _skipping(hits: Hits, budget: int) -> tuple[NDArray[np.bool_], dict[str, Any]]:
    """Return which documents are read if one that does not fit is passed over."""
    longest = int(hits.length.max(initial=0))
    text = hits.laid(LENGTH, longest, longest).reshape(-1, longest)
    inside = np.arange(longest) < hits.length.reshape(-1, 1)
    used, kept = np.zeros(len(text)), np.zeros(text.shape, bool)
    for rank in range(longest):
        fits = inside[:, rank] & (used + text[:, rank] <= budget * (1 + ROUNDING))
        used += np.where(fits, text[:, rank], 0)
        kept[:, rank] = fits
    return kept[inside], dict(hits.along or {})


def _parted(hits: Hits, budget: int) -> tuple[NDArray[np.bool_], dict[str, Any]]:
    """Return which documents are read, and their borders, if the last one may be cut."""
    through, _ = read_through(hits)
    along = dict(hits.along or {})
    own = np.asarray(along[LENGTH], np.float64)
    left = budget * (1 + ROUNDING) - (through - own)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(own > 0, np.clip(left / own, 0, 1), left >= 0)
    size = np.floor(part * (along[END] - along[START]) + ROUNDING).astype(np.int64)
    along[END] = along[START] + size
    return size > 0, along


def nothing_fits(hits: Hits, budgets: Sequence[int]) -> NDArray[np.bool_]:
    """Return of which lists the first unit is longer than budgets, (system, topic, budget)."""
    there = hits.length[..., np.newaxis] > 0
    return np.asarray((depths_at(hits, budgets) == 0) & there)
