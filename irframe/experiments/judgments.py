"""Judgments sorted by topic, and the `Block` fields they determine."""

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count, pairwise, repeat
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array, Grades
from irframe.errors import GradeError, MetricError, listing, singular, warn
from irframe.experiments import coded_tables
from irframe.experiments.joining import fingerprints, with_number
from irframe.experiments.lists import judged_topics
from irframe.experiments.policy import Topics
from irframe.files.as_runs import Qrels, by_role, without_documents
from irframe.frames.ids import Codes
from irframe.frames.kinds import QRELS, ByRole
from irframe.metrics import Metric
from irframe.names import EMPTY, ITERATION, SUBTOPIC
from irframe.quantities.evidence import parameters
from irframe.quantities.subtopics import ideal_gains, stretch


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judged documents of selected topics, sorted by topic."""

    table: coded_tables.QrelsTable
    """All judgments that the caller passed."""
    code: Codes
    """The code of each selected topic in `table`."""
    row: Codes
    """The row of each judged document in `table`."""
    count: NDArray[np.int64]
    """The number of judged documents per selected topic."""
    original_levels: Grades | None = None
    """The distinct grades before judgments were removed from `table`; None if none were removed."""

    @classmethod
    def of(
        cls,
        qrels: Qrels,
        metrics: Sequence[Metric],
        topics: Topics = "qrels",
        *,
        unjudged: bool = False,
    ) -> "Judgments":
        """Read judgments, with subtopics if the metrics need them.

        Parameters
        ----------
        qrels
            A qrels frame, or any object that `as_qrels` converts.
        metrics
            The metrics to compute. Metrics such as alpha_nDCG need subtopics.
        topics
            The topics as in `irframe.cube`. If `topics` is a choice that depends on the runs, all
            judged topics are read.
        unjudged
            Whether `topics` may contain topics without judgments, which have no relevant documents.

        Raises
        ------
        IdError
            If a document is judged twice for a topic.
        ParameterError
            If a listed topic is not judged.
        """
        table = coded_tables.read_qrels_dictionary(qrels)
        if table is None:
            table = coded_tables.read_qrels_table(
                _with_subtopics(by_role(qrels, QRELS), metrics), spans=bool(metrics)
            )
            table = coded_tables.once_judged(table)
            if not isinstance(qrels, pd.DataFrame):
                table = table.with_topics(without_documents(qrels))
        if unjudged and not isinstance(topics, str) and isinstance(topics, Iterable):
            listed = pd.Index([*topics])
            added = listed.difference(table.topics, sort=False)
            if len(added):
                warn(f"topics without judgments have no relevant documents: {listing(added)}")
                table = table.with_topics(added)
        return cls.chosen(table, judged_topics(table.topics, topics))

    @classmethod
    def chosen(
        cls, table: coded_tables.QrelsTable, code: Codes, levels: Grades | None = None
    ) -> "Judgments":
        """Return the judgments of selected topics.

        Parameters
        ----------
        table
            All judgments.
        code
            The codes of the topics in `table`.
        levels
            The value of the field `original_levels` of the result.
        """
        position = np.full(len(table.topics), -1)
        position[code] = np.arange(len(code))
        of_row = position[table.topic]
        # Rows of other topics have position -1, so they are sorted first and cut off. A stable sort
        # keeps the caller's order within a topic.
        order = np.argsort(of_row, kind="stable")[np.count_nonzero(of_row < 0) :]
        return cls(table, code, order, np.bincount(of_row[order], minlength=len(code)), levels)

    def only(self, rows: Codes) -> "Judgments":
        """Return the judgments of selected documents.

        The result does not contain the caller's frame.
        """
        table = self.table
        topic = self.topic[rows].astype(np.int32)
        selected = replace(
            table.take(self.row[rows]),
            frame=coded_tables.NO_OTHERS,
            topic=topic,
            topics=self.topics,
            subtopic_frame=None,
            row=None,
            spans=None if table.spans is None else table.spans.of_topics(self.code),
        )
        count = np.bincount(topic, minlength=len(self.topics))
        return Judgments(selected, np.arange(len(count)), np.arange(len(topic)), count, self.levels)

    def named(self, topics: pd.Index) -> "Judgments":
        """Return the judgments with other topic labels."""
        labels = self.table.topics.to_numpy(object).copy()
        labels[self.code] = topics.to_numpy(object)
        changed = pd.Index(labels, dtype=object)
        # Topics that are not selected keep their old labels, which may have another type.
        with suppress(TypeError, ValueError):
            changed = changed.astype(topics.dtype)
        return replace(self, table=replace(self.table, topics=changed))

    @cached_property
    def topics(self) -> pd.Index:
        """The labels of the selected topics."""
        labels: pd.Index = self.table.topics[self.code]
        return labels

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """The position of each topic's first judged document."""
        return np.asarray(np.cumsum(self.count) - self.count)

    @cached_property
    def topic(self) -> Codes:
        """The position of each judged document's topic in `topics`."""
        return np.repeat(np.arange(len(self.count)), self.count)

    @cached_property
    def slot(self) -> NDArray[np.int32]:
        """The position of each judged document within its topic."""
        return np.asarray(np.arange(len(self.topic)) - self.start[self.topic], np.int32)

    @cached_property
    def grade(self) -> Grades:
        """The grade of each judged document."""
        return self.table.grade[self.row]

    @cached_property
    def docs(self) -> Array:
        """The id of each judged document, text or integer."""
        return np.asarray(self.table.doc.take(pa.array(self.row)).to_numpy())

    @cached_property
    def digest(self) -> str:
        """A digest of the judgments, independent of row order."""
        of_docs = self.table.doc.take(pa.array(self.row))
        labels = pa.chunked_array([pa.array([str(topic) for topic in self.topics], pa.string())])
        columns: list[Array] = [self.grade]
        if self.table.subtopic_grade is not None:
            columns += [*self.table.subtopic_grade[self.row].T]
        if self.strata is not None:
            columns.append(pd.util.hash_array(self.strata))
        if self.probability is not None:
            columns.append(self.probability.view(np.int64))
        marks = fingerprints(of_docs) ^ fingerprints(labels)[self.topic]
        for column in columns:
            marks = with_number(marks, column)
        # A sum does not depend on the order of the rows.
        total = int(marks.sum(dtype=np.uint64)) if len(marks) else 0
        counted = f"{len(self.row)} judgments of {len(self.topics)} topics"
        return f"{singular(counted)}, {total:016x}"

    @cached_property
    def strata(self) -> NDArray[np.object_] | None:
        """The stratum of each judged document; None if not sampled."""
        if self.table.stratum is None:
            return None
        labels = self.table.stratum.take(pa.array(self.row)).to_numpy()
        return np.asarray(labels.astype(str).astype(object))

    @property
    def probability(self) -> NDArray[np.float64] | None:
        """The sampling probability of each judged document.

        None if probabilities are unknown.
        """
        return None if self.table.probability is None else self.table.probability[self.row]

    def count_by_topic(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the selected documents of every topic."""
        return np.asarray(np.bincount(self.topic[chosen], minlength=len(self.count)), np.int64)

    @cached_property
    def names(self) -> NDArray[np.object_]:
        """The id of each judged document as a Python object."""
        names = self.table.names
        labels = np.empty(len(self.table.topic), object)
        labels[:] = names if isinstance(names, list) else names.to_pylist()
        return labels[self.row]

    @cached_property
    def lists(self) -> list[list[Hashable]]:
        """The ids of the judged documents, one list per topic."""
        names = self.names.tolist()
        ends = [*self.start.tolist(), len(names)]
        return [names[start:end] for start, end in pairwise(ends)]

    @cached_property
    def topic_positions(self) -> dict[Hashable, int]:
        """A dictionary from selected topics to their positions."""
        return {topic: pos for pos, topic in enumerate(self.topics.tolist())}

    @cached_property
    def _rows(self) -> list[dict[Hashable, int]]:
        """Dictionaries by topic that map document ids to positions."""
        # `zip` must read a name before a number, or the end of each topic would use up a number.
        rows = count()
        return [dict(zip(names, rows, strict=False)) for names in self.lists]

    def rows_among(self, lists: Iterable[tuple[int, Iterable[Hashable]]], size: int) -> Codes:
        """Return the positions of documents, -1 if they are unjudged.

        Parameters
        ----------
        lists
            Pairs of a topic's position and document ids.
        size
            The number of documents in all lists.
        """
        rows = [map(self._rows[topic].get, names, repeat(-1)) for topic, names in lists]
        return np.fromiter(chain.from_iterable(rows), np.int64, size)

    @cached_property
    def position_of_code(self) -> Codes:
        """The position of each topic code in `code`, or -1."""
        position = np.full(len(self.table.topics), -1, np.int32)
        position[self.code] = np.arange(len(self.code), dtype=np.int32)
        return position

    @cached_property
    def position_of_row(self) -> Codes:
        """The position of each table row in `row`, or -1."""
        row = np.full(len(self.table.topic), -1, np.int32)
        row[self.row] = np.arange(len(self.row), dtype=np.int32)
        return row

    @cached_property
    def levels(self) -> Grades:
        """The distinct grades of all judged topics, in ascending order."""
        return self.table.levels if self.original_levels is None else self.original_levels

    @cached_property
    def top(self) -> int:
        """The highest grade over all judged topics, at least 1."""
        return max(1, int(self.table.grade.max(initial=1)))

    @cached_property
    def levels_of(self) -> NDArray[np.int64]:
        """The number of documents per topic and grade."""
        shape = len(self.count), len(self.levels)
        cell = self.topic * shape[1] + np.searchsorted(self.levels, self.grade)
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)

    def relevant(self, rel: int) -> NDArray[np.bool_]:
        """Return whether each topic has a document of this grade."""
        return np.asarray(self.levels_of[:, self.levels >= rel].any(axis=1))

    def fields(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the fields of `irframe.metrics.Block` that depend on judgments alone."""
        fields = {"levels": self.levels, "count": self.levels_of, "top": self.top}
        if self.strata is not None or self.probability is not None:
            warn_sampled(metrics, self.grade, self.probability)
        if self.strata is not None and reads_strata(metrics):
            strata = strata_of(self.strata, self.grade, self.topic, self.topics, self.levels)
            fields |= {"start": self.start} | strata
        spans = self.table.spans
        if spans is not None:
            sets = {} if spans.n_sets is None else {"n_sets": spans.n_sets[self.code]}
            return fields | {"evidence": spans.evidence[self.code]} | sets
        if any(metric.timed for metric in metrics):
            fields["timed"] = True
        by_subtopic = [metric for metric in metrics if metric.subtopics is not False]
        if not by_subtopic or self.table.subtopic_grade is None:
            return fields
        novelty = [m for m in by_subtopic if "ideal_novelty" in parameters(type(m).kernel)]
        variants = sorted({(vars(metric)["alpha"], vars(metric)["rel"]) for metric in novelty})
        grade = self.table.subtopic_grade[self.row]
        return fields | {
            "start": self.start,
            "subtopic_grade": grade,
            "subtopic_count": self._count_by_subtopic(grade),
            "ideal": self._ideals(grade, variants),
            "ideal_of": np.reshape(variants, (-1, 2)).astype(float),
        }

    def _count_by_subtopic(self, grade: Grades) -> NDArray[np.int64]:
        """Count documents by topic, subtopic and grade.

        The array `grade` has the shape (document, subtopic).
        """
        shape = len(self.count), grade.shape[1], len(self.levels)
        row, subtopic = np.nonzero(grade != EMPTY)
        cell = self.topic[row], subtopic, np.searchsorted(self.levels, grade[row, subtopic])
        counts = np.bincount(np.ravel_multi_index(cell, shape), minlength=prod(shape))
        return counts.reshape(shape)

    def _ideals(self, grade: Grades, variants: list[tuple[float, int]]) -> NDArray[np.float64]:
        """Return the gains of ideal rankings for novelty metrics.

        Documents with equal gains are in descending order of ids, as with ``ties="trec"``.

        Parameters
        ----------
        grade
            Grades, shape (document, subtopic).
        variants
            Pairs of the parameters `alpha` and `rel` of the metrics.

        Returns
        -------
        numpy.ndarray
            Gains, shape (topic, variant, rank).
        """
        topics = len(self.count)
        by_variant = []
        for alpha, rel in variants:
            rows = np.flatnonzero((grade >= rel).any(axis=1))
            rows = rows[np.argsort(self.names[rows].astype(str), kind="stable")[::-1]]
            by_variant.append(ideal_gains(grade[rows] >= rel, self.topic[rows], topics, alpha))
        longest = max((gains.shape[1] for gains in by_variant), default=0)
        ideal = [stretch(gains, longest) for gains in by_variant]
        return np.stack(ideal, axis=1) if ideal else np.zeros((topics, 0, 0))


def refuse_subtopics(metrics: Iterable[Metric], column: str | None) -> None:
    """Raise if only the metrics or only judgments have subtopics.

    Parameters
    ----------
    metrics
        The metrics to check.
    column
        The column of the qrels with subtopics. None if judgments have no subtopics.
    """
    wrong = [str(m) for m in metrics if m.subtopics not in {None, column is not None}]
    if wrong and column is not None:
        advice = (
            f"score IA(metric={wrong[0]!r}), the mean over subtopics; or keep the best grade of "
            "each document, qrels.groupby([topic, doc])[grade].max(); or rename the column "
            f"{column!r} if it does not contain subtopics"
        )
        got = f"subtopics in {column!r} for the metrics"
        raise MetricError("judgments without subtopics", got, advice, wrong)
    if wrong:
        advice = (
            "name the column of subtopics subtopic, intent or aspect, or read the second column of "
            "a TREC file with read_qrels(path, subtopics=True)"
        )
        got = "judgments without subtopics for the metrics"
        raise MetricError("judgments with subtopics", got, advice, wrong)


def reads_strata(metrics: Iterable[Metric]) -> bool:
    """Return whether any metric uses the strata of a sample."""
    return any("strata" in parameters(type(metric).kernel) for metric in metrics)


def reads_unjudged(metric: Metric) -> bool:
    """Return whether a metric distinguishes unjudged from non-relevant documents."""
    return not {"assessed", "judged", "strata"}.isdisjoint(parameters(type(metric).kernel))


def warn_sampled(
    metrics: Iterable[Metric], grade: Grades, probability: NDArray[np.float64] | None
) -> None:
    """Warn of metrics that count unsampled documents as not relevant.

    Parameters
    ----------
    metrics
        The metrics to compute.
    grade
        The grade of every document in the pool, below 0 if the document is unjudged.
    probability
        The sampling probability of every document, or None if unknown.
    """
    is_certain = probability is None or not (probability < 1).any()
    if is_certain and not ((grade < 0) & (grade > EMPTY)).any():
        return
    # A sample does not bias metrics that ignore unjudged documents or estimate from the sample, and
    # sums such as `num_rel` only count what was judged.
    misled = [
        str(metric)
        for metric in metrics
        if not (metric.judged_only or reads_unjudged(metric) or metric.average == "sum")
    ]
    if misled:
        warn(
            "only a sample of the pool was judged, and unjudged documents count as not relevant "
            f"for {listing(misled)}; to estimate from the sample, use infAP, infNDCG, or the verb "
            "estimate for P, DCG and RBP"
        )


def strata_of(
    label: NDArray[np.object_],
    grade: Grades,
    topic: Codes,
    topics: pd.Index,
    levels: Grades,
    *,
    complete: bool = False,
) -> dict[str, Array]:
    """Return the fields of a `Block` that describe strata.

    Parameters
    ----------
    label, grade, topic
        The stratum, grade and topic of every pooled document. Documents with topic -1 are left out.
    topics
        The labels of the topics.
    levels
        The grades that occur, in ascending order.
    complete
        Whether strata without a judged document raise an error instead of a warning.

    Returns
    -------
    dict
        ``stratum`` contains the number of each document's stratum within its topic.
        ``stratum_count`` counts documents by grade, shape (topic, stratum, level).

    Raises
    ------
    GradeError
        If no document of a stratum was judged, and `complete` is True.
    """
    # Strata are sorted, because sample_eval.pl adds their estimates in this order.
    code, labels = pd.factorize(label, sort=True)
    inside = np.flatnonzero((grade != EMPTY) & (topic >= 0))
    rows = pd.DataFrame({"topic": topic[inside], "code": code[inside]})
    stratum = np.full(len(grade), -1, np.int32)
    stratum[inside] = rows.groupby("topic")["code"].rank("dense") - 1
    count = np.zeros((len(topics), int(stratum.max(initial=0)) + 1, len(levels)), np.int64)
    cell = topic[inside], stratum[inside]
    np.add.at(count, (*cell, np.searchsorted(levels, grade[inside])), 1)
    lacking = rows[count[..., levels >= 0].sum(axis=-1)[cell] == 0].drop_duplicates()
    pairs = lacking.sort_values(["topic", "code"]).itertuples(index=False)
    named = [f"{labels[code]} of topic {topics[topic]}" for topic, code in pairs]
    if named and complete:
        advice = "judge a document of each stratum, merge strata, or drop the documents in them"
        got = f"{len(named)} strata without judged documents"
        raise GradeError("a judged document in every stratum", got, advice, named)
    if named:
        warn(
            "infAP and infNDCG leave out strata without judged documents, which occur in "
            f"{lacking['topic'].nunique()} topics: {listing(named)}"
        )
    return {"stratum": stratum, "stratum_count": count}


def _with_subtopics(qrels: ByRole, metrics: Sequence[Metric]) -> ByRole:
    """Rename the iteration column to subtopic if metrics need subtopics.

    In most TREC files, the iteration column has the same value in all rows, so it contains no
    subtopics and is not renamed.
    """
    frame, columns = qrels
    needed = any(metric.subtopics for metric in metrics) and SUBTOPIC not in columns
    name = columns.get(ITERATION)
    if not needed or name is None or (frame[name] == frame[name].iloc[0]).all():
        return qrels
    other_columns = {role: column for role, column in columns.items() if role != ITERATION}
    return ByRole(frame.rename(columns={name: SUBTOPIC}), other_columns | {SUBTOPIC: SUBTOPIC})
