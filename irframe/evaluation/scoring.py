"""Scores of an experiment at depths or at other stops."""

import dataclasses
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from irframe import names as words
from irframe.arrays import Array, Floats, tiles
from irframe.checks import check_int
from irframe.errors import DepthError, MetricError, ParameterError, inside_group, listing, warn
from irframe.evaluation.collapse import UNCHANGED, Preparation
from irframe.evaluation.stopping import Stops, nothing_read, without_relevant
from irframe.experiments import policy as policies
from irframe.experiments.choices import SearchLike, Stop, Threshold, Ties, TiesLike, UnitsLike
from irframe.experiments.experiment import Experiment, topics_of
from irframe.experiments.hits import PER_DOCUMENT, refuse_large
from irframe.experiments.judgments import Judgments, refuse_subtopics
from irframe.experiments.ranked_runs import refuse_unread_searches
from irframe.experiments.spans import TEXT, refuse_spans
from irframe.files.as_runs import Qrels, Runs
from irframe.files.scan_runs import ScannedRuns
from irframe.frames.ids import every_row
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.facts import average, facts
from irframe.quantities.block import by_scale

EVEN = 0.9
"""Minimum ratio of the shortest to the longest mean list length of systems. A warning is issued for
lower ratios."""


def warn_uneven(
    experiment: Experiment, metrics: Sequence[Metric], depth: int | None
) -> dict[str, str]:
    """Warn of metrics that favour systems with shorter lists.

    The warning is also returned, for the attributes of results.
    """
    favouring = [m for m in metrics if facts(m).favours_short and len(experiment.systems) > 1]
    if not favouring:
        return {}
    participated = experiment.participated
    length = experiment.hits.length
    counts = np.maximum(participated.sum(axis=1), 1)
    named: list[str] = []
    for metric in favouring:
        cut = np.minimum(length, min(metric.depth or np.inf, depth or np.inf))
        mean = np.where(participated, cut, 0).sum(axis=1) / counts
        low, high = int(mean.argmin()), int(mean.argmax())
        if mean[low] < EVEN * mean[high]:
            named.append(str(metric))
            ends = [f"{experiment.systems[row]} has {mean[row]:.4g}" for row in (low, high)]
    if not named:
        return {}
    message = (
        f"lists differ in length: on average {' and '.join(ends)} documents. Documents that are "
        f"not retrieved cost little under {', '.join(named)}, so shorter lists look better. Cut "
        "all lists at one depth, or set the cost of documents that are not retrieved, as in "
        f"ASL(unretrieved={int(mean[high])})"
    )
    warn(message)
    return {words.CAUTION: message}


Rel = Mapping[Hashable, int] | None
"""A mapping from collections to lowest relevant grades."""


def describe_rel(rel: Mapping[Hashable, int]) -> str:
    """Return the lowest relevant grades as text for attributes.

    Examples
    --------
    >>> describe_rel({"dl21": 2, "dl22": 2})
    '2 in dl21, 2 in dl22'
    """
    return ", ".join(f"{grade} in {key}" for key, grade in rel.items())


@dataclass(frozen=True)
class Thresholds:
    """The lowest relevant grade per collection.

    Examples
    --------
    >>> from irframe.metrics import AP, RR
    >>> metrics = [AP(), RR(rel=3)]
    >>> thresholds = Thresholds.of({"dl21": 2}, metrics, "track")
    >>> thresholds.variants(metrics)
    [AP(), AP(rel=2), RR(rel=3)]
    >>> thresholds.positions(metrics, ["dl21", "news"]).tolist()
    [[1, 0], [2, 2]]
    """

    by_collection: Mapping[Hashable, int]
    left_open: Sequence[bool]
    """Whether the lowest relevant grade of each metric depends on the collection."""

    @classmethod
    def of(cls, rel: Rel, metrics: Sequence[Metric], collection: str | None) -> "Thresholds":
        """Return the validated thresholds.

        Raises
        ------
        ParameterError
            If `rel` is not a mapping to positive integers, or if there are no collections.
        MetricError
            If every metric has a lowest relevant grade in its name, or does not use one.
        """
        if rel is None:
            return cls({}, [False] * len(metrics))
        if not isinstance(rel, Mapping):
            advice = f"for the same grade in all collections, name it in metrics: AP(rel={rel!r})"
            raise ParameterError("rel to be a mapping collection -> grade", repr(rel), advice)
        if collection is None:
            advice = "pass collection= to evaluate or cube"
            raise ParameterError("a collection for every topic, for rel=", "none", advice)
        chosen = {key: check_int(f"rel of {key}", grade, low=1) for key, grade in rel.items()}
        left_open = [leaves_open(metric) for metric in metrics]
        if not any(left_open):
            expected = "a metric with a lowest relevant grade that is not in its name, such as AP"
            raise MetricError(expected, "", "", map(str, metrics))
        return cls(chosen, left_open)

    def refuse_unknown(self, collections: Iterable[Hashable]) -> None:
        """Raise if keys of ``rel`` are not collections.

        While a group is scored, no error is raised, because a group need not contain all
        collections.
        """
        named = list(dict.fromkeys(collections))
        unknown = [str(key) for key in self.by_collection if key not in named]
        if unknown and not inside_group():
            expected = f"the keys of rel to be collections ({listing(named)})"
            raise ParameterError(expected, "", "", unknown)

    def _at(self, metrics: Sequence[Metric], grade: int | None) -> list[Metric]:
        """Return metrics with the lowest relevant grade of a collection."""
        pairs = zip(metrics, self.left_open, strict=True)
        return [replace(m, rel=grade) if grade and free else m for m, free in pairs]  # type: ignore[call-arg]

    def variants(self, metrics: Sequence[Metric]) -> list[Metric]:
        """Return the distinct metrics over all collections."""
        every = [self._at(metrics, g) for g in (None, *sorted({*self.by_collection.values()}))]
        return list(dict.fromkeys(chain(*zip(*every, strict=True))))

    def positions(
        self, metrics: Sequence[Metric], collections: Iterable[Hashable]
    ) -> NDArray[np.int64]:
        """Return the position in `variants` of each metric and topic."""
        keys = [*collections]
        variants = self.variants(metrics)
        positions = {
            key: [*map(variants.index, self._at(metrics, self.by_collection.get(key)))]
            for key in dict.fromkeys(keys)
        }
        return np.array([positions[key] for key in keys]).T


def leaves_open(metric: Metric) -> bool:
    """Return whether a metric's name omits its lowest relevant grade.

    Examples
    --------
    >>> from irframe.metrics.parse_metric import parse_metric
    >>> [leaves_open(parse_metric(name)) for name in ("AP", "AP(rel=2)", "NumRet")]
    [True, False, False]
    """
    default = {field.name: field.default for field in dataclasses.fields(metric)}.get("rel")
    is_set = "rel=" in str(metric) or getattr(metric, "rel", None) != default
    return default is not None and not is_set


class Plan(NamedTuple):
    """The options that decide how lists are ranked and scored."""

    metrics: Sequence[Metric]
    """The requested metrics."""
    policy: policies.Policy
    """The options that rank documents and cut lists."""
    no_rel: words.NoRel | None = None
    """The rule for topics without relevant documents, as in `irframe.evaluate`."""
    rel: Rel = None
    """The lowest relevant grade by collection, as in `irframe.evaluate`."""
    stops: Stops | None = None
    """The stops at which reading ends. None if lists are read to a depth."""
    prepared: Preparation = UNCHANGED
    """The options that change runs and judgments before they are joined."""

    @classmethod
    def read(
        cls,
        fields: dict[str, Any],
        metrics: policies.Metrics | Iterable[policies.Metrics] | None,
        ties: TiesLike,
        units: UnitsLike,
        search: SearchLike,
        stop: Stop | None = None,
        *,
        scores: bool = False,
    ) -> "Plan":
        """Check the options of `irframe.evaluate`, `irframe.scorer` or `irframe.cube`.

        Parameters
        ----------
        fields
            Other fields of the `Policy`.
        metrics
            Metrics or their names, and names of costs if `search` is passed. None for a cube, which
            has no metrics.
        ties, units, search, stop
            As in `irframe.evaluate`.
        scores
            Whether to keep the scores of documents, which thresholds need.
        """
        # Default options are not parsed, because parsing would slow down every call.
        prepared = UNCHANGED
        stops = None
        scores = scores or isinstance(stop, Threshold)
        if units is not None or search is not None or scores:
            prepared = Preparation.read(units, search, scores=scores)
            fields = fields | prepared.decided
        if stop is not None:
            stops = Stops.read(stop, fields)
        chosen = []
        if metrics is not None:
            if search is None:
                chosen = policies.parse_metrics(metrics)
            else:
                chosen, prepared = prepared.with_costs(metrics)
            # at stops, lists end where reading ends, so cutoffs of metrics do not cut them
            if stops is None:
                fields = fields | {"depth": policies.cut_at(chosen, fields["depth"])}
        if not isinstance(ties, str) or ties != words.DEFAULT_TIES:
            fields = fields | Ties.read(ties).plain
        return cls(chosen, policies.Policy(**fields), stops=stops, prepared=prepared)

    def inputs(self, runs: Runs | ScannedRuns, qrels: Qrels, by: Any) -> tuple[Any, Qrels]:
        """Return prepared runs and judgments; `by` is the group column."""
        if self.prepared is UNCHANGED:
            refuse_unread_searches(runs)
            return runs, qrels
        return self.prepared.runs(runs, self.policy, by), self.prepared.qrels(qrels, by)


class Scoring:
    """Metrics with their cutoffs, prepared for judgments."""

    def __init__(self, judgments: Judgments, plan: Plan) -> None:
        self.judgments = judgments
        self._plan = plan
        metrics, policy, _, rel, self._stops, _ = plan
        self._thresholds = Thresholds.of(rel, metrics, policy.collection)
        expected = metrics if self._stops else [policies.at_depth(m, policy.depth) for m in metrics]
        self._requested = list(expected)
        self._deepest = policies.deepest(self._requested)
        self.metrics = (
            [*dict.fromkeys(expected)] if rel is None else self._thresholds.variants(expected)
        )
        self._facts = [facts(metric) for metric in self.metrics]
        self.position = np.array([self.metrics.index(metric) for metric in expected])
        """The position in `metrics` of each requested metric."""
        columns = judgments.table.columns
        spans = judgments.table.spans is not None
        refuse_spans(self.metrics, spans=spans)
        named = words.SUBTOPIC in columns and not spans
        refuse_subtopics(self.metrics, str(columns[words.SUBTOPIC]) if named else None)
        levels = judgments.levels
        shares = policies.shares_ranks(policy.ties)
        policies.refuse(self.metrics, levels, ties=policy.ties)
        self._fields = judgments.fields(self.metrics)
        self._prepared: dict[tuple[int, ...], dict[tuple[Any, ...], Any]] = {}
        self._indexed: tuple[object, Any] = None, None
        self._summaries: dict[Any, list[int]] = {}
        for row, fact in enumerate(self._facts):
            self._summaries.setdefault(fact.summary, []).append(row)
        self._seen: list[tuple[int | None, Metric]] = []
        """For each metric, its cutoff (or None), and the metric without a cutoff."""
        for metric in self.metrics:
            # Metrics with the same cutoff share the quantities of lists that are cut there. If tied
            # documents share their gain, lists are not cut, because documents below the cutoff may
            # be tied with documents above it.
            is_cut = metric.depth and metric.by_prefix and not shares
            self._seen.append((metric.depth, metric.without_depth()) if is_cut else (None, metric))

    @property
    def pooled(self) -> bool:
        """Whether any metric needs the pool."""
        return any(fact.pooled for fact in self._facts)

    def values(self, experiment: Experiment) -> Floats:
        """Score the lists of an experiment.

        Returns
        -------
        numpy.ndarray
            Scores of the distinct metrics at their cutoffs, shape (metric, system, topic).
        """
        # the prepared quantities are valid for all topics, but the runs may select only some topics
        if experiment.judgments is not self.judgments:
            return Scoring(experiment.judgments, self._plan).values(experiment)
        if self._stops is None:
            values = self._at_depths(experiment)
        else:
            policy = self._plan.policy
            # the stops read the rule for ties from the options of the experiment
            stamped = replace(experiment, options={**experiment.options, "ties": policy.ties})
            stops = self._stops.of_systems(experiment.systems)
            values = np.moveaxis(stops.values(stamped, self.metrics, policy.depth), -1, 1)
            values = np.ascontiguousarray(values.reshape(-1, *experiment.shape))
        if self._plan.no_rel not in {None, "zero"}:
            by_stop = values.reshape(len(self.metrics), -1, *experiment.shape)
            relevant = [self.judgments.relevant(fact.rel) for fact in self._facts]
            nothing = nothing_read(experiment, self._stops, self._plan.policy.depth)
            unchanged, replacements = without_relevant(
                self.metrics, np.array(relevant), nothing, self._plan.no_rel
            )
            np.copyto(
                by_stop, np.moveaxis(replacements, -1, 1), where=~np.moveaxis(unchanged, -1, 1)
            )
        return values

    def _at_depths(self, experiment: Experiment) -> Floats:
        """Score lists at cutoffs, shape (metric, system, topic)."""
        shape = experiment.shape
        longest = max(1, experiment.longest)
        depth = self._plan.policy.depth or longest
        if longest > depth and any(metric.judged_only for metric in self.metrics):
            expected = "lists that are not cut, for metrics that ignore unjudged documents"
            raise DepthError(expected, f"lists of {longest} documents cut at depth {depth}")
        width = max(depth, self._deepest)
        refuse_large(*shape, width)
        blocks = tiles(*shape, width)
        # the hits of a block are a slice if hits are sorted by list
        if len(blocks) > 1:
            experiment = replace(experiment, hits=experiment.hits.by_list())
        by_kind: dict[tuple[int, bool], list[tuple[int, Metric]]] = {}
        for row, (own_depth, metric) in enumerate(self._seen):
            kind = own_depth or width, self._facts[row].pooled
            by_kind.setdefault(kind, []).append((row, metric))
        base = {kind: self._fields | {"top": experiment.top} for kind in by_kind}
        for (wide, pooled), fields in base.items():
            if pooled:
                fields["pool_count"] = experiment.pool_count(self.metrics, wide)
        values = np.empty((len(self.metrics), *shape))
        options = {"doc": "start" in self._fields, "text": "timed" in self._fields}
        for tile in blocks:
            cells = experiment.cells(tile, depth, width, **options)
            for kind, fields in base.items():
                rows, metrics = zip(*by_kind[kind], strict=True)
                block_fields = topics_of(fields, tile[1]) | _cut_cells(cells, kind[0])
                block = Block(**block_fields, leveled=self._plan.policy.ties == "block")
                scores = self._scores(block, metrics, tile[1])
                for row_of_metric, scored in zip(rows, scores, strict=True):
                    values[(row_of_metric, *tile)] = scored[..., 0]
        return values

    def table(self, experiment: Experiment) -> pd.DataFrame:
        """Return scores in the form of `irframe.evaluate`."""
        values = self.of_requested(self.values(experiment), experiment)
        labels = pd.Index(self.labels, name=words.METRIC)
        sides = experiment.systems, experiment.judgments.topics
        names = list(experiment.names)
        key = experiment.judgments, *experiment.systems, experiment.systems.dtype, *names
        # The index is cached, because a scorer usually scores runs with the same labels.
        if self._indexed[0] != key:
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
        """The names of the columns of the score frame."""
        if self._stops is None:
            return [str(metric) for metric in self._plan.metrics]
        named = self._stops.axis.named
        return [named(metric, stop) for metric in self._plan.metrics for stop in self._stops.of]

    def _spread(self, positions: Array) -> Array:
        """Return positions of metric-stop pairs for positions of metrics."""
        if self._stops is None:
            return positions
        size = len(self._stops.of)
        rows = np.repeat(positions * size, size, axis=0)
        return rows + np.resize(np.arange(size), len(rows)).reshape(-1, *[1] * (positions.ndim - 1))

    def of_requested(self, values: Floats, experiment: Experiment) -> Floats:
        """Return scores by requested metric instead of distinct metric."""
        if experiment.collection is None or self._plan.rel is None:
            return np.asarray(values[self._spread(self.position)])
        self._thresholds.refuse_unknown(experiment.collection.categories)
        positions = self._spread(self._thresholds.positions(self._requested, experiment.collection))
        return values[positions, :, np.arange(positions.shape[1])].swapaxes(1, 2)

    def means(self, experiment: Experiment, repeats: words.Layout | None = None) -> list[float]:
        """Average the scores of one system over topics.

        If `repeats` is not None, systems are repeats of one system. Scores are then first averaged
        over repeats within each topic. If topics have different numbers of repeats, missing lists
        are left out.
        """
        values = self.values(experiment)
        if repeats is None:
            return self._averages(values[:, 0])
        scored = ~np.isnan(values)
        if repeats == "topic":
            listed = experiment.hits.length > 0
            # a topic without any list is kept, and its lists count as empty
            scored &= listed | ~listed.any(axis=0)
            with np.errstate(invalid="ignore"):
                means = np.where(scored, values, 0.0).sum(axis=1) / scored.sum(axis=1)
        else:
            means = values.mean(axis=1)
        for summary, rows in self._summaries.items():
            # Repeats are averaged like topics, for example by the geometric mean.
            if summary not in {"mean", "sum"}:
                positions = self._spread(np.asarray(rows))
                group = np.where(scored[positions], values[positions], np.nan)
                averages = average(group, summary, axis=1)
                means[positions] = np.where(np.isnan(means[positions]), np.nan, averages)
        return self._averages(means)

    def _attributes(self, experiment: Experiment) -> dict[Any, Any]:
        """Return the attributes of a score frame."""
        policy = self._plan.policy
        top = one_or_several(experiment.top)
        attrs = policy.attributes | {"irframe": words.VERSION, "top": top}
        attrs[words.JUDGMENTS] = experiment.judgments.digest
        attrs |= {words.UNKNOWN: unknown} if (unknown := experiment.unknown) else {}
        if self.judgments.table.spans is not None:
            attrs[words.UNIT] = TEXT
        elif experiment.units:
            attrs[words.UNITS] = [[str(system), unit] for system, unit in experiment.units.items()]
        if self._stops is not None:
            attrs |= self._stops.of_systems(experiment.systems).attributes(experiment)
        elif any(fact.favours_short for fact in self._facts):
            attrs |= warn_uneven(experiment, self.metrics, policy.depth)
        if experiment.pool is not None:
            attrs["pool"] = experiment.pool.kind(experiment.judgments)
            attrs["pool_depth"] = one_or_several(experiment.pool.depth)
        if experiment.collection is not None:
            labels = experiment.collection
            topics = experiment.judgments.topics
            attrs[words.TOPICS_OF] = [
                [label, topics[labels == label].tolist()] for label in labels.unique()
            ]
        if self._plan.rel is not None:
            attrs["rel"] = describe_rel(self._plan.rel)
        return attrs

    def _averages(self, values: Floats) -> list[float]:
        averages = np.empty(len(values))
        for summary, rows in self._summaries.items():
            positions = self._spread(np.asarray(rows))
            averages[positions] = average(values[positions], summary)
        means: list[float] = averages[self._spread(self.position)].tolist()
        return means

    def _scores(self, block: Block, metrics: Sequence[Metric], topics: slice) -> Iterator[Floats]:
        """Yield the scores of a block for each metric."""
        memory: dict[tuple[Any, ...], Any] | None = None
        # ideal gains are kept for later runs, unless topics have different top grades, or runs have
        # different pools
        if not getattr(block.top, "shape", ()) and block.pool_count is None:
            key = block.grade.shape[-1], topics.start, topics.stop
            memory = self._prepared.setdefault(key, {})

        def compute(block: Block) -> Iterator[Floats]:
            evidence = Evidence(block, memory)
            return (metric.score(evidence)[..., -1:] for metric in metrics)

        return compute(block) if memory is not None else by_scale(block, compute)


def one_or_several(values: ArrayLike) -> Any:
    """Return the only distinct value, or all distinct values."""
    distinct = np.unique(values).tolist()
    return distinct[0] if len(distinct) == 1 else distinct


def _cut_cells(cells: dict[str, Array], width: int) -> dict[str, Array]:
    """Return arrays of lists, cut to their first `width` ranks."""
    if width == cells["grade"].shape[-1]:
        return dict(cells)
    fields = {name: cells[name] for name in cells.keys() & {"grade", "doc", *PER_DOCUMENT}}
    cut = {name: np.ascontiguousarray(field[..., :width]) for name, field in fields.items()}
    return cut | {"retrieved": np.minimum(cells["retrieved"], width)}
