"""Scores of an experiment, and where these numbers come from."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd

from irframe.arrays import Array, Floats, tiles
from irframe.errors import DepthError
from irframe.experiments.experiment import Experiment, topics_of
from irframe.experiments.group_columns import Rel, Thresholds, told_rel
from irframe.experiments.hits import LAID, refuse_large
from irframe.experiments.judged_spans import TEXT, refuse_spans
from irframe.experiments.judgments import Judgments
from irframe.experiments.nuggets import refuse as refuse_subtopics
from irframe.experiments.policy import (
    TIE_POLICIES,
    Policy,
    at_depth,
    deepest,
    refuse,
)
from irframe.experiments.text_budgets import Budgets
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.block import by_scale
from irframe.metrics.facts import average, facts
from irframe.names import (
    BUDGETS,
    JUDGMENTS,
    METRIC,
    METRICS,
    RESULT,
    SUBTOPIC,
    TOPICS_OF,
    UNIT,
    UNITS,
    VERSION,
    Layout,
    NoRel,
)


class Scoring:
    """Metrics, each at its depth, with what is known of judgments before there are runs.

    Parameters
    ----------
    judgments
        The judgments.
    metrics
        The metrics, as asked for.
    policy
        How rankings are decided, and where they are cut.
    no_rel, rel
        As for `irframe.evaluate`.
    budgets
        How much is read of lists, where that is told by their text.
    """

    def __init__(
        self,
        judgments: Judgments,
        metrics: Sequence[Metric],
        policy: Policy,
        no_rel: NoRel | None = None,
        rel: Rel = None,
        budgets: Budgets | None = None,
    ) -> None:
        self._budgets = budgets
        self._asked, self._no_rel, self._rel = metrics, no_rel, rel
        self._thresholds = Thresholds.of(rel, metrics, policy.collection)
        self._wanted = wanted = [
            metric if budgets else at_depth(metric, policy.depth) for metric in metrics
        ]
        self.metrics = self._thresholds.variants(wanted)
        self._facts = [facts(metric) for metric in self.metrics]
        self.place = np.array([self.metrics.index(metric) for metric in wanted])
        """Which of `metrics` each one that was asked for is."""
        self.judgments, self.policy = judgments, policy
        self._deepest = deepest(wanted)
        self._refuse()
        self._fields = judgments.fields(self.metrics)
        self._prepared: dict[tuple[int, ...], dict[tuple[Any, ...], Any]] = {}
        self._plan = self._planned()
        self._indexed: tuple[Any, pd.MultiIndex] = None, pd.MultiIndex.from_arrays([[], []])
        self._summaries: dict[Any, list[int]] = {}
        for row, known in enumerate(self._facts):
            self._summaries.setdefault(known.summary, []).append(row)

    @property
    def pooled(self) -> bool:
        """Whether a metric asks what the pool was made of."""
        return any(known.pooled for known in self._facts)

    def _refuse(self) -> None:
        columns = self.judgments.table.columns
        spans = self.judgments.table.spans is not None
        refuse_spans(self.metrics, spans=spans)
        named = SUBTOPIC in columns and not spans
        refuse_subtopics(self.metrics, str(columns[SUBTOPIC]) if named else None)
        refuse(self.metrics, self.judgments.levels, ties=self.policy.ties)

    def _planned(self) -> list[tuple[int | None, Metric]]:
        """Return how many ranks every metric is to see, None for all, and the metric of these."""
        if TIE_POLICIES[self.policy.ties].shares:
            return [(None, metric) for metric in self.metrics]
        own = [metric.depth if metric.by_prefix else None for metric in self.metrics]
        return [
            (depth, metric if depth is None else metric.without_depth())
            for depth, metric in zip(own, self.metrics, strict=True)
        ]

    def _at_width(self, width: int) -> dict[tuple[int, bool], tuple[list[int], list[Metric]]]:
        """Return which metrics are scored together on lists of so many ranks, and their rows."""
        together: dict[tuple[int, bool], tuple[list[int], list[Metric]]] = {}
        for row, (own, metric) in enumerate(self._plan):
            kind = own or width, self._facts[row].pooled
            rows, metrics = together.setdefault(kind, ([], []))
            rows.append(row)
            metrics.append(metric)
        return together

    def values(self, found: Experiment) -> Floats:
        """Score the lists of an experiment.

        Returns
        -------
        numpy.ndarray
            Scores at the depth of each distinct metric, shape (metric, system, topic).
        """
        if found.judgments is not self.judgments:
            return Scoring(
                found.judgments,
                self._asked,
                self.policy,
                self._no_rel,
                self._rel,
                self._budgets,
            ).values(found)
        values = self._at_budgets(found) if self._budgets else self._at_depths(found)
        if self._no_rel == "nan":
            each = len(values) // len(self._facts)
            for row, values_of in enumerate(values):
                values_of[:, ~self.judgments.relevant(self._facts[row // each].rel)] = np.nan
        return values

    def _at_budgets(self, found: Experiment) -> Floats:
        """Return scores at budgets, those of a metric side by side."""
        budgets = cast("Budgets", self._budgets)
        made = replace(found, made={**found.made, "ties": self.policy.ties})
        values = np.moveaxis(budgets.values(made, self.metrics, self.policy.depth), -1, 1)
        return np.ascontiguousarray(values.reshape(-1, *found.shape))

    def _at_depths(self, found: Experiment) -> Floats:
        hits = found.hits
        longest = max(1, int(hits.length.max(initial=0)))
        depth = self.policy.depth or longest
        self._refuse_cut(longest, depth)
        width = max(depth, self._deepest)
        refuse_large(*found.shape, width)
        parts = tiles(*found.shape, width)
        if len(parts) > 1:
            found = replace(found, hits=hits.by_list())
        groups, doc = self._at_width(width), "start" in self._fields
        base = [self._fields | {"top": found.top} for _ in groups]
        for fields, (wide, pooled) in zip(base, groups, strict=True):
            if pooled:
                fields["pool_count"] = found.pool_count(self.metrics, wide)
        values = np.empty((len(self.metrics), *found.shape))
        for tile in parts:
            cells = found.cells(tile, depth, width, doc=doc, text="timed" in self._fields)
            for fields, (wide, _), (rows, metrics) in zip(
                base, groups, groups.values(), strict=True
            ):
                block = Block(**topics_of(fields, tile[1]), **_cut(cells, wide))
                scores = self._scores(block, metrics, tile[1])
                for place, scored in zip(rows, scores, strict=True):
                    values[(place, *tile)] = scored[..., 0]
        return values

    def table(self, found: Experiment) -> pd.DataFrame:
        """Score the lists of an experiment, as `irframe.evaluate` gives it."""
        values = self.of_asked(self.values(found), found)
        labels = pd.Index(self.labels, name=METRIC)
        table = pd.DataFrame(values.reshape(len(values), -1).T, self._index(found), labels)
        if found.took_part is not None:
            table = table[found.took_part.ravel()]
        table.attrs = self._attributes(found) | {RESULT: "evaluate", METRICS: list(labels)}
        return table

    def _index(self, found: Experiment) -> pd.MultiIndex:
        """Return the labels of lists, which one run mostly shares with the run before."""
        sides, names = (found.systems, found.judgments.topics), list(found.names)
        if len(found.systems) > 1:
            return pd.MultiIndex.from_product(sides, names=names)
        key = found.judgments, *found.systems, found.systems.dtype, *names
        if self._indexed[0] != key:
            self._indexed = key, pd.MultiIndex.from_product(sides, names=names)
        return self._indexed[1].copy()

    @property
    def labels(self) -> list[str]:
        """What the columns of scores are called."""
        if self._budgets is None:
            return [str(metric) for metric in self._asked]
        length = str(self.policy.length)
        return [label for m in self._asked for label in self._budgets.labels(m, length)]

    def _spread(self, place: Array) -> Array:
        """Return where the scores of metrics are, at each budget, given the place of each."""
        if self._budgets is None:
            return place
        each = len(self._budgets.of)
        rows = np.repeat(place * each, each, axis=0)
        return rows + np.resize(np.arange(each), len(rows)).reshape(-1, *[1] * (place.ndim - 1))

    def of_asked(self, values: Floats, found: Experiment) -> Floats:
        """Return the scores of each metric that was asked for, (metric, system, topic)."""
        if found.collection is None or self._rel is None:
            return np.asarray(values[self._spread(self.place)])
        self._thresholds.refuse_unknown(found.collection.categories)
        place = self._spread(self._thresholds.places(self._wanted, found.collection))
        return values[place, :, np.arange(place.shape[1])].swapaxes(1, 2)

    def means(self, found: Experiment, repeats: Layout | None = None) -> list[float]:
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
        made = self.policy.attributes | {"irframe": VERSION, "top": one_or_several(found.top)}
        made[JUDGMENTS] = found.judgments.digest
        if self.judgments.table.spans is not None:
            made[UNIT] = TEXT
        elif found.units:
            made[UNITS] = [[str(system), unit] for system, unit in found.units.items()]
        if self._budgets is not None:
            length = str(self.policy.length)
            made[BUDGETS] = self._budgets.told(length)
            made |= self._budgets.caution(found.loaded.hits, length)
        if found.pool is not None:
            made["pool"] = found.pool.word(found.judgments)
            made["pool_depth"] = one_or_several(found.pool.depth)
        if found.collection is not None:
            labels, topics = found.collection, found.judgments.topics
            made[TOPICS_OF] = [[one, topics[labels == one].tolist()] for one in labels.unique()]
        if self._rel is not None:
            made["rel"] = told_rel(self._rel)
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
            memory = self._prepared.setdefault(
                (block.grade.shape[-1], topics.start, topics.stop), {}
            )

        def compute(part: Block) -> Iterator[Floats]:
            evidence = Evidence(part, memory)
            return (metric.score_last(evidence) for metric in metrics)

        return compute(block) if memory is not None else by_scale(block, compute)

    def _refuse_cut(self, longest: int, depth: int) -> None:
        if longest > depth and any(metric.judged_only for metric in self.metrics):
            found = f"depth {depth} of {longest}"
            raise DepthError("lists that are not cut, for metrics of judged documents", found)


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
