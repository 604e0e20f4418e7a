"""Scores of an experiment, and where these numbers come from."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.arrays import Array, Floats, tiles
from irframe.errors import DepthError
from irframe.experiments import policy as policies
from irframe.experiments.experiment import Experiment, topics_of
from irframe.experiments.group_columns import Rel, Thresholds, told_rel
from irframe.experiments.hits import LAID, refuse_large
from irframe.experiments.judgments import Judgments
from irframe.experiments.nuggets import refuse as refuse_subtopics
from irframe.experiments.spans import TEXT, refuse_spans
from irframe.experiments.text_budgets import Budgets
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.block import by_scale
from irframe.metrics.facts import average, facts


class Plan(NamedTuple):
    """How lists are scored."""

    metrics: Sequence[Metric]
    """As asked for."""
    policy: policies.Policy
    """How rankings are decided, and where they are cut."""
    no_rel: words.NoRel | None = None
    rel: Rel = None
    """These as for `irframe.evaluate`."""
    budgets: Budgets | None = None
    """How much is read of lists, where that is told by their text."""


class Scoring:
    """Metrics, each at its depth, with what is known of judgments before there are runs."""

    def __init__(self, judgments: Judgments, plan: Plan) -> None:
        self.judgments, self._asked = judgments, plan
        metrics, policy, _, rel, self._budgets = plan
        self._thresholds = Thresholds.of(rel, metrics, policy.collection)
        self._wanted = wanted = [
            metric if self._budgets else policies.at_depth(metric, policy.depth)
            for metric in metrics
        ]
        self.metrics = self._thresholds.variants(wanted)
        self._facts = [facts(metric) for metric in self.metrics]
        self.place = np.array([self.metrics.index(metric) for metric in wanted])
        """Which of `metrics` each one that was asked for is."""
        columns, spans = judgments.table.columns, judgments.table.spans is not None
        refuse_spans(self.metrics, spans=spans)
        named = words.SUBTOPIC in columns and not spans
        refuse_subtopics(self.metrics, str(columns[words.SUBTOPIC]) if named else None)
        policies.refuse(self.metrics, judgments.levels, ties=policy.ties)
        self._fields = judgments.fields(self.metrics)
        self._prepared: dict[tuple[int, ...], dict[tuple[Any, ...], Any]] = {}
        self._indexed: tuple[Any, pd.MultiIndex] = None, pd.MultiIndex.from_arrays([[], []])
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
        shares = policies.TIE_POLICIES[self._asked.policy.ties].shares
        return [
            (None, metric)
            if shares or metric.depth is None or not metric.by_prefix
            else (metric.depth, metric.without_depth())
            for metric in self.metrics
        ]

    def values(self, found: Experiment) -> Floats:
        """Score the lists of an experiment.

        Returns
        -------
        numpy.ndarray
            Scores at the depth of each distinct metric, shape (metric, system, topic).
        """
        if found.judgments is not self.judgments:
            return Scoring(found.judgments, self._asked).values(found)
        if self._budgets is None:
            values = self._at_depths(found)
        else:
            policy = self._asked.policy
            made = replace(found, made={**found.made, "ties": policy.ties})
            values = np.moveaxis(self._budgets.values(made, self.metrics, policy.depth), -1, 1)
            values = np.ascontiguousarray(values.reshape(-1, *found.shape))
        if self._asked.no_rel == "nan":
            each = len(values) // len(self._facts)
            for row, values_of in enumerate(values):
                values_of[:, ~self.judgments.relevant(self._facts[row // each].rel)] = np.nan
        return values

    def _at_depths(self, found: Experiment) -> Floats:
        longest = max(1, found.longest)
        depth = self._asked.policy.depth or longest
        if longest > depth and any(metric.judged_only for metric in self.metrics):
            wanted = "lists that are not cut, for metrics of judged documents"
            raise DepthError(wanted, f"depth {depth} of {longest}")
        width = max(depth, policies.deepest(self._wanted))
        refuse_large(*found.shape, width)
        parts = tiles(*found.shape, width)
        if len(parts) > 1:
            found = replace(found, hits=found.hits.by_list())
        together: dict[tuple[int, bool], list[tuple[int, Metric]]] = {}
        for row, (own, metric) in enumerate(self._seen):
            kind = own or width, self._facts[row].pooled
            together.setdefault(kind, []).append((row, metric))
        base = {kind: self._fields | {"top": found.top} for kind in together}
        for (wide, pooled), fields in base.items():
            if pooled:
                fields["pool_count"] = found.pool_count(self.metrics, wide)
        values, doc = np.empty((len(self.metrics), *found.shape)), "start" in self._fields
        for tile in parts:
            cells = found.cells(tile, depth, width, doc=doc, text="timed" in self._fields)
            for kind, fields in base.items():
                rows, metrics = zip(*together[kind], strict=True)
                block = Block(**topics_of(fields, tile[1]), **_cut(cells, kind[0]))
                scores = self._scores(block, metrics, tile[1])
                for place, scored in zip(rows, scores, strict=True):
                    values[(place, *tile)] = scored[..., 0]
        return values

    def table(self, found: Experiment) -> pd.DataFrame:
        """Score the lists of an experiment, as `irframe.evaluate` gives it."""
        values = self.of_asked(self.values(found), found)
        labels = pd.Index(self.labels, name=words.METRIC)
        sides, names = (found.systems, found.judgments.topics), list(found.names)
        key = found.judgments, *found.systems, found.systems.dtype, *names
        if self._indexed[0] != key:  # one run mostly shares its labels with the run before
            self._indexed = key, pd.MultiIndex.from_product(sides, names=names)
        index = self._indexed[1].copy()
        table = pd.DataFrame(values.reshape(len(values), -1).T, index, labels)
        if found.took_part is not None:
            table = table[found.took_part.ravel()]
        table.attrs = self._attributes(found) | {
            words.RESULT: "evaluate",
            words.METRICS: list(labels),
        }
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
        each = len(self._budgets.of)
        rows = np.repeat(place * each, each, axis=0)
        return rows + np.resize(np.arange(each), len(rows)).reshape(-1, *[1] * (place.ndim - 1))

    def of_asked(self, values: Floats, found: Experiment) -> Floats:
        """Return the scores of each metric that was asked for, (metric, system, topic)."""
        if found.collection is None or self._asked.rel is None:
            return np.asarray(values[self._spread(self.place)])
        self._thresholds.refuse_unknown(found.collection.categories)
        place = self._spread(self._thresholds.places(self._wanted, found.collection))
        return values[place, :, np.arange(place.shape[1])].swapaxes(1, 2)

    def means(self, found: Experiment, repeats: words.Layout | None = None) -> list[float]:
        """Average the scores of one system over topics, as each metric asked for is.

        Where its repeats stand for systems, those are the means of each topic over repeats, of
        which lists that a topic does not have are left out if repeats are draws inside it.
        """
        values = self.values(found)
        if repeats is None:
            return self._averages(values[:, 0])
        if repeats != "topic":
            return self._averages(values.mean(axis=1))
        there = found.hits.length > 0
        known = ~np.isnan(values) & (there | ~there.any(axis=0))
        with np.errstate(invalid="ignore"):
            return self._averages(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))

    def _attributes(self, found: Experiment) -> dict[Any, Any]:
        """Return what decided the scores."""
        policy, rel = self._asked.policy, self._asked.rel
        made = policy.attributes | {"irframe": words.VERSION, "top": one_or_several(found.top)}
        made[words.JUDGMENTS] = found.judgments.digest
        if self.judgments.table.spans is not None:
            made[words.UNIT] = TEXT
        elif found.units:
            made[words.UNITS] = [[str(system), unit] for system, unit in found.units.items()]
        if self._budgets is not None:
            made[words.BUDGETS] = self._budgets.told(str(policy.length))
            made |= self._budgets.caution(found.loaded.hits, str(policy.length))
        if found.pool is not None:
            made["pool"] = found.pool.word(found.judgments)
            made["pool_depth"] = one_or_several(found.pool.depth)
        if found.collection is not None:
            labels, topics = found.collection, found.judgments.topics
            made[words.TOPICS_OF] = [
                [one, topics[labels == one].tolist()] for one in labels.unique()
            ]
        if rel is not None:
            made["rel"] = told_rel(rel)
        return made

    def _averages(self, values: Floats) -> list[float]:
        found = np.empty(len(values))
        for summary, rows in self._summaries.items():
            some = self._spread(np.asarray(rows))
            found[some] = average(values[some], summary)
        means: list[float] = found[self._spread(self.place)].tolist()
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
    found = np.unique(values).tolist()
    return found[0] if len(found) == 1 else found


def _cut(cells: dict[str, Array], width: int) -> dict[str, Array]:
    """Return cells without the ranks past the first ones."""
    if width == cells["grade"].shape[-1]:
        return dict(cells)
    cut = {
        name: np.ascontiguousarray(part[..., :width])
        for name, part in cells.items()
        if name in {"grade", "doc"} | LAID
    }
    return cut | {"retrieved": np.minimum(cells["retrieved"], width)}
