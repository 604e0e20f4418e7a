"""Scores of an experiment, at depths and where a budget of text is spent; where they come from.

A budget of B reads the first k(B) units of a list, as many as fit. A metric there is the metric at
depth k(B), by the whole ideal ranking: one score at every depth, and one look into it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import Array, Floats, in_threads, tiles
from irframe.cautions import caution
from irframe.checks import choice, listed, whole
from irframe.errors import DepthError, MetricError, ParameterError, warn
from irframe.experiments import group_columns, nuggets
from irframe.experiments import policy as policies
from irframe.experiments.experiment import Experiment, topics_of
from irframe.experiments.hits import LAID, Hits, refuse_large
from irframe.experiments.judgments import Judgments
from irframe.experiments.spans import PLACE, TEXT, held_evidence, refuse_spans
from irframe.files.ids import every_row
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.block import by_scale
from irframe.metrics.evidence import parameters
from irframe.metrics.facts import average, facts

CUTS: tuple[words.Cut, ...] = ("whole", "skip", "part")
ROUNDING = 1e-9
"""By how much of itself a budget may be exceeded, for lengths that are no whole numbers."""


@dataclass(frozen=True, kw_only=True)
class Budgets:
    """How much is read of every list."""

    of: tuple[int, ...]
    """How much text, ascending or not."""
    cut: words.Cut = "whole"

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
        budgets = [whole("budget", amount, low=1, advice=advice) for amount in listed(budget)]
        again = sorted({amount for amount in budgets if budgets.count(amount) > 1})
        if again or not budgets:
            wanted = "budget=, each once"
            raise ParameterError(wanted, f"{len(again)} again" if again else "none", "", again)
        return cls(of=tuple(budgets), cut=cut)

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
        known = [pair for pair in zip(self.of, counts, strict=True) if pair[1]]
        cautions = [f"nothing fits into {b} {length} in {n} of {lists} lists" for b, n in known]
        return caution(cautions)

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
            return _scored_at(experiment, free, np.minimum(read, depth or read))
        parts = []
        for budget in self.of:
            part = replace(experiment, hits=_shortened(experiment, budget, self.cut, depth))
            parts.append(_scored_at(part, free, part.hits.length[..., np.newaxis]))
        return np.concatenate(parts, axis=-1)

    @staticmethod
    def refuse_without_lengths(hits: Hits) -> None:
        """Raise if it is not told what each unit costs."""
        if words.LENGTH not in (hits.along or {}):
            advice = "say what each unit costs: length='tokens', a column of the runs"
            raise ParameterError("lengths of what was retrieved, for budget=", "none", advice)

    def _refuse(self, experiment: Experiment, metrics: Sequence[Metric]) -> None:
        self.refuse_without_lengths(experiment.hits)
        if policies.shares_ranks(experiment.made.get("ties")):
            raise ParameterError("one order of documents for budget=", "shared ranks")
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


EVEN = 0.9
"""Share of the longest lists from which on lists count as equally long."""


def tell_uneven(
    experiment: Experiment, metrics: Sequence[Metric], depth: int | None
) -> dict[str, str]:
    """Warn of metrics by which shorter lists look better, where lists differ; return that too."""
    asked = [m for m in metrics if facts(m).favours_short and len(experiment.systems) > 1]
    if not asked:
        return {}
    there, length = experiment.there, experiment.hits.length
    counts = np.maximum(there.sum(axis=1), 1)
    named: list[str] = []
    for metric in asked:
        cut = np.minimum(length, min(metric.depth or np.inf, depth or np.inf))
        mean = np.where(there, cut, 0).sum(axis=1) / counts
        low, high = int(mean.argmin()), int(mean.argmax())
        if mean[low] < EVEN * mean[high]:
            named.append(str(metric))
            ends = [f"{experiment.systems[row]} has {mean[row]:.4g}" for row in (low, high)]
    if not named:
        return {}
    message = (
        f"lists differ in length, on average {' and '.join(ends)} documents: by {', '.join(named)} "
        "what is not retrieved costs little, so that shorter lists look better. Cut all at one "
        f"depth, or say what it costs, as in ASL(unretrieved={int(mean[high])})"
    )
    warn(message)
    return {words.CAUTION: message}


def _text(hits: Hits) -> NDArray[np.float64]:
    """Return how long each document is."""
    return np.asarray((hits.along or {})[words.LENGTH], np.float64)


def depths_at(hits: Hits, budgets: Sequence[int]) -> NDArray[np.int64]:
    """Return how many units of each list fit into budgets, shape (system, topic, budget)."""
    through, of, size = hits.down_to(_text(hits)), hits.list_of, hits.length.size
    fits = [np.bincount(of[through <= b * (1 + ROUNDING)], minlength=size) for b in budgets]
    return np.stack(fits, axis=-1).reshape(*hits.length.shape, len(fits))


def _scored_at(experiment: Experiment, metrics: Sequence[Metric], read: Array) -> Floats:
    """Score lists down to depths, given by (system, topic, budget)."""
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
    """Score lists of which nothing was read, shape (metric, 1, topic)."""
    lists = experiment.part(np.arange(min(1, experiment.shape[0])), np.arange(experiment.shape[1]))
    hits = lists.hits.take(slice(0, 0))
    along = lists.hits.alongside(itemgetter(slice(0, 0)))
    length = np.zeros_like(lists.hits.length)
    empty = replace(lists, hits=replace(hits, length=length, tied=None, along=along))
    return _scored_at(empty, metrics, np.ones((*empty.shape, 1), np.int64))[..., 0]


def _shortened(experiment: Experiment, budget: int, cut: words.Cut, depth: Any) -> Hits:
    """Return the hits of what is read of lists."""
    hits = experiment.hits
    kept, along = (_skipping if cut == "skip" else _parted)(hits, budget)
    of, length = hits.list_of, hits.length
    if depth is not None:
        kept &= hits.down_to(np.ones(len(of), np.int64)) <= depth
    columns = {name: values[kept] for name, values in along.items()}
    spans = experiment.judgments.table.spans
    if spans is not None and PLACE in columns:
        columns |= held_evidence(spans, of[kept], columns)
    place = hits.first[hits.of] + hits.rank - 1
    shorter = hits.take(np.flatnonzero(kept[place]))
    counts = np.bincount(of[kept], minlength=length.size).reshape(length.shape)
    ranks = hits.down_to(kept)[place[kept[place]]].astype(np.int32)
    return replace(shorter, length=counts, rank=ranks, tied=None, filed=None, along=columns)


def _skipping(hits: Hits, budget: int) -> tuple[NDArray[np.bool_], dict[str, Any]]:
    """Return which documents are read if one that does not fit is passed over."""
    longest = int(hits.length.max(initial=0))
    text = hits.laid(words.LENGTH, longest, longest).reshape(-1, longest)
    inside = np.arange(longest) < hits.length.reshape(-1, 1)
    used, kept = np.zeros(len(text)), np.zeros(text.shape, bool)
    for rank in range(longest):
        fits = inside[:, rank] & (used + text[:, rank] <= budget * (1 + ROUNDING))
        used += np.where(fits, text[:, rank], 0)
        kept[:, rank] = fits
    return kept[inside], dict(hits.along or {})


def _parted(hits: Hits, budget: int) -> tuple[NDArray[np.bool_], dict[str, Any]]:
    """Return which documents are read, and their borders, if the last one may be cut."""
    along, own = dict(hits.along or {}), _text(hits)
    left = budget * (1 + ROUNDING) - (hits.down_to(own) - own)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(own > 0, np.clip(left / own, 0, 1), left >= 0)
    size = np.floor(part * (along[words.END] - along[words.START]) + ROUNDING).astype(np.int64)
    along[words.END] = along[words.START] + size
    return size > 0, along


def nothing_fits(hits: Hits, budgets: Sequence[int]) -> NDArray[np.bool_]:
    """Return of which lists the first unit is longer than budgets, (system, topic, budget)."""
    there = hits.length[..., np.newaxis] > 0
    return np.asarray((depths_at(hits, budgets) == 0) & there)


class Plan(NamedTuple):
    """How lists are scored."""

    metrics: Sequence[Metric]
    """As asked for."""
    policy: policies.Policy
    """How rankings are decided, and where they are cut."""
    no_rel: words.NoRel | None = None
    rel: group_columns.Rel = None
    """These as for `irframe.evaluate`."""
    budgets: Budgets | None = None
    """How much is read of lists, where that is told by their text."""


class Scoring:
    """Metrics, each at its depth, with what is known of judgments before there are runs."""

    def __init__(self, judgments: Judgments, plan: Plan) -> None:
        self.judgments, self._asked = judgments, plan
        metrics, policy, _, rel, self._budgets = plan
        self._thresholds = group_columns.Thresholds.of(rel, metrics, policy.collection)
        wanted = metrics if self._budgets else [policies.at_depth(m, policy.depth) for m in metrics]
        self._wanted = list(wanted)
        self.metrics = self._thresholds.variants(wanted)
        self._facts = [facts(metric) for metric in self.metrics]
        self.place = np.array([self.metrics.index(metric) for metric in wanted])
        """Which of `metrics` each one that was asked for is."""
        columns, spans = judgments.table.columns, judgments.table.spans is not None
        refuse_spans(self.metrics, spans=spans)
        named = words.SUBTOPIC in columns and not spans
        nuggets.refuse(self.metrics, str(columns[words.SUBTOPIC]) if named else None)
        policies.refuse(self.metrics, judgments.levels, ties=policy.ties)
        self._fields = judgments.fields(self.metrics)
        self._prepared: dict[tuple[int, ...], dict[tuple[Any, ...], Any]] = {}
        self._indexed: tuple[Any, Any] = None, None
        self._summaries: dict[Any, list[int]] = {}
        for row, known in enumerate(self._facts):
            self._summaries.setdefault(known.summary, []).append(row)

    @property
    def pooled(self) -> bool:
        """Whether a metric asks what the pool was made of."""
        return any(known.pooled for known in self._facts)

    @cached_property
    def _seen(self) -> list[tuple[int | None, Metric]]:
        """How many ranks every metric is to see, None for all, and the metric of these."""
        shares = policies.shares_ranks(self._asked.policy.ties)
        own = [m.depth if m.by_prefix and not shares else None for m in self.metrics]
        pairs = zip(own, self.metrics, strict=True)
        return [(depth, metric.without_depth() if depth else metric) for depth, metric in pairs]

    def values(self, experiment: Experiment) -> Floats:
        """Score the lists of an experiment.

        Returns
        -------
        numpy.ndarray
            Scores at the depth of each distinct metric, shape (metric, system, topic).
        """
        if experiment.judgments is not self.judgments:
            return Scoring(experiment.judgments, self._asked).values(experiment)
        if self._budgets is None:
            values = self._at_depths(experiment)
        else:
            policy = self._asked.policy
            made = replace(experiment, made={**experiment.made, "ties": policy.ties})
            values = np.moveaxis(self._budgets.values(made, self.metrics, policy.depth), -1, 1)
            values = np.ascontiguousarray(values.reshape(-1, *experiment.shape))
        if self._asked.no_rel == "nan":
            per_metric = len(values) // len(self._facts)
            for row, values_of in enumerate(values):
                values_of[:, ~self.judgments.relevant(self._facts[row // per_metric].rel)] = np.nan
        return values

    def _at_depths(self, experiment: Experiment) -> Floats:
        longest = max(1, experiment.longest)
        depth = self._asked.policy.depth or longest
        if longest > depth and any(metric.judged_only for metric in self.metrics):
            wanted = "lists that are not cut, for metrics of judged documents"
            raise DepthError(wanted, f"depth {depth} of {longest}")
        width = max(depth, policies.deepest(self._wanted))
        refuse_large(*experiment.shape, width)
        parts = tiles(*experiment.shape, width)
        if len(parts) > 1:
            experiment = replace(experiment, hits=experiment.hits.by_list())
        together: dict[tuple[int, bool], list[tuple[int, Metric]]] = {}
        for row, (own, metric) in enumerate(self._seen):
            kind = own or width, self._facts[row].pooled
            together.setdefault(kind, []).append((row, metric))
        base = {kind: self._fields | {"top": experiment.top} for kind in together}
        for (wide, pooled), fields in base.items():
            if pooled:
                fields["pool_count"] = experiment.pool_count(self.metrics, wide)
        values, doc = np.empty((len(self.metrics), *experiment.shape)), "start" in self._fields
        for tile in parts:
            cells = experiment.cells(tile, depth, width, doc=doc, text="timed" in self._fields)
            for kind, fields in base.items():
                rows, metrics = zip(*together[kind], strict=True)
                laid = topics_of(fields, tile[1]) | _cut_cells(cells, kind[0])
                block = Block(**laid, leveled=self._asked.policy.ties == "block")
                scores = self._scores(block, metrics, tile[1])
                for place, scored in zip(rows, scores, strict=True):
                    values[(place, *tile)] = scored[..., 0]
        return values

    def table(self, experiment: Experiment) -> pd.DataFrame:
        """Score the lists of an experiment, as `irframe.evaluate` gives it."""
        values = self.of_asked(self.values(experiment), experiment)
        labels = pd.Index(self.labels, name=words.METRIC)
        sides, names = (experiment.systems, experiment.judgments.topics), list(experiment.names)
        key = experiment.judgments, *experiment.systems, experiment.systems.dtype, *names
        if self._indexed[0] != key:  # one run mostly shares its labels with the run before
            self._indexed = key, every_row(sides, names)
        index = self._indexed[1].copy()
        table = pd.DataFrame(values.reshape(len(values), -1).T, index, labels)
        if experiment.took_part is not None:
            table = table[experiment.took_part.ravel()]
        attributes = {words.RESULT: "evaluate", words.METRICS: list(labels)}
        table.attrs = self._attributes(experiment) | attributes
        return table

    @property
    def labels(self) -> list[str]:
        """What the columns of scores are called."""
        if self._budgets is None:
            return [str(metric) for metric in self._asked.metrics]
        length = self._asked.policy.length
        return [f"{m} in {b} {length}" for m in self._asked.metrics for b in self._budgets.of]

    def _spread(self, place: Array) -> Array:
        """Return where the scores of metrics are, at each budget, given the place of each."""
        if self._budgets is None:
            return place
        size = len(self._budgets.of)
        rows = np.repeat(place * size, size, axis=0)
        return rows + np.resize(np.arange(size), len(rows)).reshape(-1, *[1] * (place.ndim - 1))

    def of_asked(self, values: Floats, experiment: Experiment) -> Floats:
        """Return the scores of each metric that was asked for, (metric, system, topic)."""
        if experiment.collection is None or self._asked.rel is None:
            return np.asarray(values[self._spread(self.place)])
        self._thresholds.refuse_unknown(experiment.collection.categories)
        place = self._spread(self._thresholds.places(self._wanted, experiment.collection))
        return values[place, :, np.arange(place.shape[1])].swapaxes(1, 2)

    def means(self, experiment: Experiment, repeats: words.Layout | None = None) -> list[float]:
        """Average the scores of one system over topics, as each metric asked for is.

        Where its repeats stand for systems, those are the means of each topic over repeats, of
        which lists that a topic does not have are left out if repeats are draws inside it.
        """
        values = self.values(experiment)
        if repeats is None:
            return self._averages(values[:, 0])
        known = ~np.isnan(values)
        if repeats == "topic":
            there = experiment.hits.length > 0
            known &= there | ~there.any(axis=0)
            with np.errstate(invalid="ignore"):
                means = np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1)
        else:
            means = values.mean(axis=1)
        for summary, rows in self._summaries.items():
            if summary not in {"mean", "sum"}:  # over repeats as over topics
                places = self._spread(np.asarray(rows))
                own = np.where(known[places], values[places], np.nan)
                averages = average(own, summary, axis=1)
                means[places] = np.where(np.isnan(means[places]), np.nan, averages)
        return self._averages(means)

    def _attributes(self, experiment: Experiment) -> dict[Any, Any]:
        """Return what decided the scores."""
        policy, rel = self._asked.policy, self._asked.rel
        made = policy.attributes | {"irframe": words.VERSION, "top": one_or_several(experiment.top)}
        made[words.JUDGMENTS] = experiment.judgments.digest
        made |= {words.UNKNOWN: unknown} if (unknown := experiment.unknown) else {}
        if self.judgments.table.spans is not None:
            made[words.UNIT] = TEXT
        elif experiment.units:
            made[words.UNITS] = [[str(system), unit] for system, unit in experiment.units.items()]
        if self._budgets is not None:
            made[words.BUDGETS] = self._budgets.told(str(policy.length))
            made |= self._budgets.caution(experiment.loaded.hits, str(policy.length))
        else:
            made |= tell_uneven(experiment, self.metrics, policy.depth)
        if experiment.pool is not None:
            made["pool"] = experiment.pool.word(experiment.judgments)
            made["pool_depth"] = one_or_several(experiment.pool.depth)
        if experiment.collection is not None:
            labels, topics = experiment.collection, experiment.judgments.topics
            made[words.TOPICS_OF] = [
                [one, topics[labels == one].tolist()] for one in labels.unique()
            ]
        if rel is not None:
            made["rel"] = group_columns.told_rel(rel)
        return made

    def _averages(self, values: Floats) -> list[float]:
        averages = np.empty(len(values))
        for summary, rows in self._summaries.items():
            places = self._spread(np.asarray(rows))
            averages[places] = average(values[places], summary)
        means: list[float] = averages[self._spread(self.place)].tolist()
        return means

    def _scores(self, block: Block, metrics: Sequence[Metric], topics: slice) -> Iterator[Floats]:
        """Yield the scores of some lists by each metric, given their topics."""
        memory: dict[tuple[Any, ...], Any] | None = None
        if not getattr(block.top, "shape", ()) and block.pool_count is None:
            key = block.grade.shape[-1], topics.start, topics.stop
            memory = self._prepared.setdefault(key, {})

        def compute(part: Block) -> Iterator[Floats]:
            evidence = Evidence(part, memory)
            return (metric.score_last(evidence) for metric in metrics)

        return compute(block) if memory is not None else by_scale(block, compute)


def one_or_several(values: Any) -> Any:
    """Return the value that all have, or the list of those that there are."""
    distinct = np.unique(values).tolist()
    return distinct[0] if len(distinct) == 1 else distinct


def _cut_cells(cells: dict[str, Array], width: int) -> dict[str, Array]:
    """Return cells without the ranks past the first ones."""
    if width == cells["grade"].shape[-1]:
        return dict(cells)
    laid = {name: cells[name] for name in cells.keys() & {"grade", "doc", *LAID}}
    cut = {name: np.ascontiguousarray(part[..., :width]) for name, part in laid.items()}
    return cut | {"retrieved": np.minimum(cells["retrieved"], width)}
