"""Metrics prepared once for judgments, for as many runs as there are: ir.scorer."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, tiles
from irframe.checks import choice
from irframe.errors import DepthError, InputError, singular
from irframe.experiments.experiment import Experiment, topics_of
from irframe.experiments.group_columns import Rel, Thresholds, told_rel
from irframe.experiments.hits import refuse_large
from irframe.experiments.judgments import Judgments
from irframe.experiments.nuggets import refuse as refuse_subtopics
from irframe.experiments.policy import (
    TIE_POLICIES,
    Contributing,
    Metrics,
    Policy,
    Topics,
    at_depth,
    cut_at,
    deepest,
    parse_metrics,
    refuse,
)
from irframe.experiments.scorer_input import Reader
from irframe.files.as_runs import Qrels, Runs
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.block import by_scale
from irframe.metrics.facts import average, facts
from irframe.names import (
    DEFAULT_DTYPE,
    DEFAULT_TIES,
    METRIC,
    METRICS,
    RESULT,
    SUBTOPIC,
    TOPICS_OF,
    VERSION,
    NoRel,
    ScoreDtype,
    Ties,
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
    """

    def __init__(
        self,
        judgments: Judgments,
        metrics: Sequence[Metric],
        policy: Policy,
        no_rel: NoRel | None = None,
        rel: Rel = None,
    ) -> None:
        self._asked, self._no_rel, self._rel = metrics, no_rel, rel
        self._thresholds = Thresholds.of(rel, metrics, policy.collection)
        self._wanted = wanted = [at_depth(metric, policy.depth) for metric in metrics]
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
        self._summaries: dict[Any, list[int]] = {}
        for row, known in enumerate(self._facts):
            self._summaries.setdefault(known.summary, []).append(row)

    @property
    def pooled(self) -> bool:
        """Whether a metric asks what the pool was made of."""
        return any(known.pooled for known in self._facts)

    def _refuse(self) -> None:
        columns = self.judgments.table.columns
        refuse_subtopics(self.metrics, str(columns[SUBTOPIC]) if SUBTOPIC in columns else None)
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
                found.judgments, self._asked, self.policy, self._no_rel, self._rel
            ).values(found)
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
            cells = found.cells(tile, depth, width, doc=doc)
            for fields, (wide, _), (rows, metrics) in zip(
                base, groups, groups.values(), strict=True
            ):
                block = Block(**topics_of(fields, tile[1]), **_cut(cells, wide))
                scores = self._scores(block, metrics, tile[1])
                for place, scored in zip(rows, scores, strict=True):
                    values[(place, *tile)] = scored[..., 0]
        if self._no_rel == "nan":
            for row, known in zip(values, self._facts, strict=True):
                row[:, ~self.judgments.relevant(known.rel)] = np.nan
        return values

    def table(self, found: Experiment) -> pd.DataFrame:
        """Score the lists of an experiment, as `irframe.evaluate` gives it."""
        values = self._of_asked(self.values(found), found)
        labels = pd.Index([str(metric) for metric in self._asked], name=METRIC)
        sides = found.systems, found.judgments.topics
        index = pd.MultiIndex.from_product(sides, names=list(found.names))
        table = pd.DataFrame(values.reshape(len(values), -1).T, index, labels)
        if found.took_part is not None:
            table = table[found.took_part.ravel()]
        table.attrs = self._attributes(found) | {RESULT: "evaluate", METRICS: list(labels)}
        return table

    def _of_asked(self, values: Floats, found: Experiment) -> Floats:
        """Return the scores of each metric that was asked for, (metric, system, topic)."""
        if found.collection is None or self._rel is None:
            return np.asarray(values[self.place])
        self._thresholds.refuse_unknown(found.collection.categories)
        place = self._thresholds.places(self._wanted, found.collection)
        return values[place, :, np.arange(place.shape[1])].swapaxes(1, 2)

    def means(self, found: Experiment) -> list[float]:
        """Average the scores of one system over topics, as each metric asked for is."""
        return self._averages(self.values(found)[:, 0])

    def _attributes(self, found: Experiment) -> dict[Any, Any]:
        """Return what decided the scores."""
        made = self.policy.attributes | {"irframe": VERSION, "top": one_or_several(found.top)}
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
            found[rows] = average(values[rows], summary)
        means: list[float] = found[self.place].tolist()
        return means

    def _scores(self, block: Block, metrics: Sequence[Metric], topics: slice) -> Iterator[Floats]:
        """Yield the scores of some lists by each metric, given their topics."""
        memory: dict[tuple[Any, ...], Any] | None = None
        if np.ndim(block.top) == 0 and block.pool_count is None:
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
        if name in {"grade", "doc"}
    }
    return cut | {"retrieved": np.minimum(cells["retrieved"], width)}


class Scorer:
    """Judgments and metrics, prepared; made by `scorer`.

    Attributes
    ----------
    metrics
        The metrics, as they were asked for.
    topics
        The topics that are scored.
    docs
        The judged documents of all topics, and those that `docs` named besides, each once.

    Examples
    --------
    Documents by their positions, of which the second is no judged one:

    >>> import irframe as ir
    >>> judged = ir.scorer({"q1": {"a": 1, "b": 0}}, "RR")
    >>> judged
    <Scorer: RR; 1 topic, 2 judgments>
    >>> judged.docs.get_indexer(["b", "x", "a"])
    array([ 1, -1,  0])
    >>> judged.mean(topic=[0, 0, 0], doc=[1, -1, 0], score=[0.3, 0.2, 0.1])
    {'RR': 0.3333333333333333}
    """

    def __init__(
        self,
        judgments: Judgments,
        metrics: list[Metric],
        policy: Policy,
        docs: Iterable[Any],
        no_rel: NoRel | None,
    ) -> None:
        self.metrics = metrics
        self._scoring = Scoring(judgments, metrics, policy, no_rel)
        self._reader = Reader(judgments, policy, docs, pooled=self._scoring.pooled)
        self._judgments, self._names = judgments, [str(metric) for metric in metrics]

    @property
    def topics(self) -> pd.Index:
        """The topics that are scored, to which positions refer."""
        return self._judgments.topics

    @property
    def docs(self) -> pd.Index:
        """The documents to which positions refer."""
        return self._reader.places.docs

    def __repr__(self) -> str:
        named = ", ".join(self._names)
        topics, judgments = len(self.topics), len(self._judgments.row)
        return singular(f"<Scorer: {named}; {topics} topics, {judgments} judgments>")

    def __call__(
        self, run: Runs | None = None, *, topic: Any = None, doc: Any = None, score: Any = None
    ) -> pd.DataFrame:
        """Score a run, or runs, per system and topic.

        Parameters
        ----------
        run
            What `irframe.as_runs` takes: ``{topic: {doc: score}}``, a run frame, ...
        topic, doc, score
            In its place, three arrays of one length: ids, or positions in `topics` and `docs`
            where these are integers and judged ids are text. A document at -1 is one of which no
            more is known than that it is not judged; among equal scores it is the last.

        Returns
        -------
        pandas.DataFrame
            What `irframe.evaluate` gives.
        """
        return self._scoring.table(self._read(run, topic, doc, score))

    def mean(
        self, run: Runs | None = None, *, topic: Any = None, doc: Any = None, score: Any = None
    ) -> dict[str, float]:
        """Score one run, averaged over topics as each metric is.

        Parameters
        ----------
        run, topic, doc, score
            The run, as for a call.

        Returns
        -------
        dict
            Metric, as printed -> average, as `irframe.verbs.summary` has it.

        Raises
        ------
        InputError
            For several systems.
        """
        found = self._read(run, topic, doc, score)
        if len(found.systems) > 1:
            advice = "scorer(runs).ireval.summary() has the averages of each"
            raise InputError("one run", f"{len(found.systems)}", advice, found.systems)
        return dict(zip(self._names, self._scoring.means(found), strict=True))

    def values(self, run: Runs) -> tuple[list[Any], NDArray[np.float64]]:
        """Score one run without labels.

        Parameters
        ----------
        run
            The run, as for a call.

        Returns
        -------
        topics, scores
            The topics, and the scores of each metric as it was asked for, shape (metric, topic).
        """
        found = self._reader.read(run)
        scores = self._scoring.values(found)[self._scoring.place, 0]
        return found.judgments.topics.tolist(), scores

    def _read(self, run: Runs | None, topic: Any, doc: Any, score: Any) -> Experiment:
        arrays = [part is not None for part in (topic, doc, score)]
        if any(arrays) if run is not None else not all(arrays):
            given = ["a run"] * (run is not None)
            given += [
                f"{name}="
                for name, there in zip(("topic", "doc", "score"), arrays, strict=True)
                if there
            ]
            found = "" if given else "nothing"
            raise InputError("a run, or three arrays: topic=, doc= and score=", found, "", given)
        return (
            self._reader.read_arrays(topic, doc, score) if all(arrays) else self._reader.read(run)
        )


def scorer(
    qrels: Qrels,
    metrics: Metrics,
    *,
    docs: Iterable[Any] | None = None,
    depth: int | None = None,
    ties: Ties = DEFAULT_TIES,
    score_dtype: ScoreDtype = DEFAULT_DTYPE,
    topics: Topics = "qrels",
    contributing: Contributing = None,
    pool_depth: int | None = None,
    seed: int = 0,
    no_rel: NoRel | None = None,
) -> Scorer:
    """Prepare judgments and metrics once, to score one run after the other.

    Parameters
    ----------
    qrels
        Qrels frame, or what `as_qrels` takes, such as ``{topic: {doc: grade}}``.
    metrics
        Metrics or their names, as for `evaluate`.
    docs
        Documents that arrays may name by their position, besides the judged ones.
    depth, ties, score_dtype, contributing, pool_depth, seed, no_rel
        As for `evaluate`.
    topics
        ``"qrels"``: every judged topic, those that a run lacks as an empty list. ``"runs"``: those
        for which some run has a list; ``"common"``: those for which every run has one. Or a list
        of judged topics.

    Returns
    -------
    Scorer
        ``scorer(run)`` is what `evaluate` gives for the run, to the last bit; ``scorer.mean(run)``
        is a dictionary metric -> average. A run is a dictionary, a frame, whatever `as_runs` takes,
        or three arrays ``scorer(topic=, doc=, score=)``.

    Raises
    ------
    IrframeError
        As `evaluate`, as far as judgments and metrics alone are at fault; the rest when called.

    Warns
    -----
    IrframeWarning
        When called, if the run lacks topics, has others, or none of its documents is judged.

    Notes
    -----
    Of a dictionary of dictionaries only the judged documents are looked up, and others only where
    their scores tie with one of these. So ids and scores are checked for their types by the first
    of each list alone; that no score is missing is checked for all.

    Examples
    --------
    >>> import irframe as ir
    >>> judged = ir.scorer({"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}, ["AP", "nDCG@10"])
    >>> run = {"q1": {"b": 2.5, "a": 1.5}, "q2": {"c": 0.1}}
    >>> judged.mean(run)
    {'AP': 0.75, 'nDCG@10': 0.8154648767857288}
    >>> judged(run)
    metric         AP  nDCG@10
    system topic
    run    q1     0.5  0.63093
           q2     1.0  1.00000
    """
    chosen = parse_metrics(metrics)
    choice("no_rel", "zero" if no_rel is None else no_rel, ("nan", "zero"))
    policy = Policy(
        depth=cut_at(chosen, depth),
        ties=ties,
        score_dtype=score_dtype,
        topics=topics,
        contributing=contributing,
        pool_depth=pool_depth,
        seed=seed,
    )
    judgments = Judgments.of(qrels, chosen, topics)
    return Scorer(judgments, chosen, policy, docs or (), no_rel)
