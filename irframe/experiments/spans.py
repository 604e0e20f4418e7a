"""Spans of evidence, and their overlap with retrieved spans."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.errors import InputError, MetricError, warn
from irframe.frames.ids import Codes, rows_of_ranges
from irframe.frames.values import numbers
from irframe.metrics import Metric
from irframe.names import BORDERS, DOC, END, SET, START, TOPIC

if TYPE_CHECKING:
    from irframe.experiments.coded_tables import QrelsTable

TEXT = "spans of text"
"""Value of the attribute `unit` of scores if judgments are spans."""


def borders(columns: Iterable[Hashable]) -> dict[str, str] | None:
    """Return the start and end columns of spans, if any.

    Examples
    --------
    >>> borders(["topic", "doc", "start_index", "end_index"])
    {'start': 'start_index', 'end': 'end_index'}
    """
    present = {*columns}
    by_role = {role: [n for n in names if n in present] for role, names in BORDERS.items()}
    return {role: names[0] for role, names in by_role.items()} if all(by_role.values()) else None


def read_borders(
    frame: pd.DataFrame, columns: Mapping[str, Any], what: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the validated borders of spans.

    Parameters
    ----------
    frame
        A frame.
    columns
        The result of `borders`, and the columns of topics and documents.
    what
        A description of the spans, for messages.

    Raises
    ------
    InputError
        If borders are missing, negative or not whole numbers, or if an end is not after its start.
    """
    start, end = (numbers(frame[columns[role]]) for role in (START, END))
    with np.errstate(invalid="ignore"):
        are_integers = (
            (start >= 0) & (start == np.floor(start)) & (end == np.floor(end)) & (end < 2**53)
        )
        wrong = ~(are_integers & (end > start))
    if wrong.any():
        at_fault = np.flatnonzero(wrong)
        names = [columns[role] for role in (TOPIC, DOC) if role in columns]
        rows = frame[names].iloc[at_fault].astype(str).agg(" ".join, axis=1)
        invalid = zip(rows, start[at_fault], end[at_fault], strict=True)
        offenders = [f"{row} [{a:g}, {b:g})" for row, a, b in invalid]
        expected = f"{what} with whole numbers from 0 as start and end, the end after the start"
        advice = "correct or drop these rows"
        raise InputError(expected, f"{len(at_fault)} rows with invalid borders", advice, offenders)
    return start.astype(np.int64), end.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Items:
    """Disjoint spans per topic and document.

    Spans are grouped by topic, document and set of evidence.
    """

    pair: Codes
    """The number of the topic and document of each group, in ascending order."""
    key: Codes
    """The number of the set of evidence of each group."""
    group: Codes
    """The group of each span. Spans are sorted by group and start."""
    start: Codes
    end: Codes

    @classmethod
    def of(
        cls, pair: Codes, key: Codes, start: Codes, end: Codes, *, sets: bool = False
    ) -> tuple["Items", Codes]:
        """Merge overlapping spans; return merged spans and their positions.

        If there are sets of evidence, only equal spans are merged.
        """
        order = np.lexsort((end, start, key, pair))
        separate = [start[order], end[order]] if sets else []
        pairs = np.stack([pair[order], key[order], *separate])
        new = np.append(True, (pairs[:, 1:] != pairs[:, :-1]).any(axis=0))[: len(order)]
        group = np.cumsum(new) - 1
        wide = 1 + int(end.max(initial=0))
        reached = np.maximum.accumulate(group * wide + end[order])
        begins = np.append(True, group[1:] * wide + start[order][1:] >= reached[:-1])[: len(order)]
        first = np.flatnonzero(begins)
        last = np.append(first[1:], len(order)) - 1
        item = np.empty(len(order), np.int64)
        item[order] = np.cumsum(begins) - 1
        ends = reached[last[: len(first)]] - group[first] * wide
        names = pairs[:, new]
        return cls(names[0], names[1], group[first], start[order][first], ends), item

    @property
    def columns(self) -> dict[str, Array]:
        """The spans as columns, which `of` reads again."""
        borders_of = {START: self.start, END: self.end}
        return {"pair": self.pair[self.group], "key": self.key[self.group]} | borders_of

    def overlapping(self, pair: Codes, start: Codes, end: Codes) -> tuple[Codes, Codes]:
        """Return the pairs of unit and span that overlap."""
        low = np.searchsorted(self.pair, pair)
        near = np.flatnonzero(np.append(self.pair, -1)[low] == np.where(pair < 0, -2, pair))
        count = np.searchsorted(self.pair, pair[near], side="right") - low[near]
        row = np.repeat(near, count)
        group = rows_of_ranges(low[near], count)
        wide = 1 + int(max(self.end.max(initial=0), end.max(initial=0)))
        first = np.searchsorted(self.group * wide + self.end, group * wide + start[row], "right")
        stop = np.searchsorted(self.group * wide + self.start, group * wide + end[row], "left")
        overlaps = np.maximum(stop - first, 0)
        return np.repeat(row, overlaps), rows_of_ranges(first, overlaps)


@dataclass(frozen=True, eq=False)
class Spans:
    """The spans of evidence in judgments."""

    docs: pd.Index
    """Names of documents that contain evidence."""
    text: Items
    """The spans of all sets of evidence, merged."""
    row: Codes
    """A row of the judgments for each span."""
    evidence: NDArray[np.float64]
    """The total length of the evidence per topic."""
    sets: Items | None = None
    """The spans by set of evidence. None if there are no sets. A set is complete if one of its
    spans is covered."""
    n_sets: NDArray[np.int64] | None = None
    """The number of sets per topic. None if there are no sets."""

    def of_topics(self, code: Codes) -> "Spans":
        """Return the evidence of some topics."""
        sets = None if self.n_sets is None else self.n_sets[code]
        return replace(self, evidence=self.evidence[code], n_sets=sets)

    def with_topics(self, n: int) -> "Spans":
        """Return the evidence extended to `n` topics."""
        width = 0, n - len(self.evidence)
        sets = None if self.n_sets is None else np.pad(self.n_sets, width)
        return replace(self, evidence=np.pad(self.evidence, width), n_sets=sets)

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        """The tables to save, without the evidence per topic."""
        docs: dict[str, Any] = {"doc": self.docs}
        tables = {"span_docs": docs, "span_texts": self.text.columns}
        return tables if self.sets is None else tables | {"span_sets": self.sets.columns}

    @classmethod
    def of_tables(
        cls,
        read: Callable[[str], Mapping[str, Any]],
        evidence: NDArray[np.float64] | None,
        n_sets: NDArray[np.int64] | None,
    ) -> "Spans | None":
        """Return the evidence from saved tables, if any."""
        if evidence is None:
            return None

        def items(kind: str, *, sets: bool) -> Items:
            return Items.of(*itemgetter("pair", "key", START, END)(read(kind)), sets=sets)[0]

        docs = pd.Index(read("span_docs")["doc"], dtype=object)
        sets = None if n_sets is None else items("span_sets", sets=True)
        text = items("span_texts", sets=False)
        return cls(docs, text, np.zeros(0, np.int64), evidence, sets, n_sets)

    @classmethod
    def joined(cls, sources: Sequence["Spans | None"]) -> "Spans | None":
        """Concatenate the evidence of topics; None if there is none.

        Raises
        ------
        InputError
            If some judgments are spans and others are documents, or if spans differ.
        """
        spans = [source for source in sources if source is not None]
        if not spans:
            return None
        first = spans[0].tables
        alike = all(
            first.keys() == other.tables.keys()
            and np.array_equal(first[name][column], other.tables[name][column])
            for other in spans[1:]
            for name in first
            for column in first[name]
        )
        if len(spans) < len(sources) or not alike:
            advice = "concatenate the runs and the spans, and build one cube"
            raise InputError("cubes of the same spans, or of documents", "several", advice)
        sets = [source.n_sets for source in spans if source.n_sets is not None]
        evidence = np.concatenate([source.evidence for source in spans])
        return replace(spans[0], evidence=evidence, n_sets=np.concatenate(sets) if sets else None)


def merged_evidence(table: "QrelsTable") -> dict[str, Any]:
    """Merge overlapping spans; return the changed fields of the table."""
    columns = dict(table.columns) | (borders(table.frame.columns) or {})
    start, end = read_borders(table.frame, columns, "spans of evidence")
    doc, docs = pd.factorize(pd.Series(table.doc.to_pylist(), dtype=object))
    sets = np.zeros(len(doc), np.int64)
    labels = None
    if SET in table.frame.columns:
        sets, labels = pd.factorize(table.frame[SET].astype(str))
    good = np.flatnonzero(table.grade >= 1)
    pair = table.topic.astype(np.int64) * (len(docs) + 1) + doc
    items, item = Items.of(pair[good], sets[good], start[good], end[good], sets=labels is not None)
    if merged := len(good) - len(items.start):
        note = "overlap other spans and are merged with them"
        warn(f"{merged} spans of evidence {note if labels is None else 'are repeated in a set'}")
    irrelevant = np.flatnonzero(table.grade < 1)
    first_rows = np.concatenate([good[np.unique(item, return_index=True)[1]], irrelevant])
    low, high = np.append(items.start, start[irrelevant]), np.append(items.end, end[irrelevant])
    names = [f"{d} [{a}, {b})" for d, a, b in zip(docs[doc[first_rows]], low, high, strict=True)]
    if labels is not None:
        names = [f"{name} {labels[sets[row]]}" for name, row in zip(names, first_rows, strict=True)]
    once = np.flatnonzero(~pd.MultiIndex.from_arrays([table.topic[first_rows], names]).duplicated())
    rows = first_rows[once]
    return {
        "frame": table.frame.iloc[rows],
        "topic": table.topic[rows],
        "names": pa.chunked_array([pa.array([names[row] for row in once], pa.large_string())]),
        "grade": table.grade[rows],
        "stratum": None,
        "probability": None,
        "spans": _evidence_of(items, pd.Index(docs), len(table.topics), sets=labels is not None),
    }


def _evidence_of(items: Items, docs: pd.Index, topics: int, *, sets: bool) -> Spans:
    """Return the evidence that merged spans contain."""
    nothing = np.zeros(len(items.start), np.int64)
    text, item = Items.of(items.pair[items.group], nothing, items.start, items.end)
    topic = text.pair[text.group] // (len(docs) + 1)
    evidence = np.bincount(topic, text.end - text.start, topics)
    row = np.unique(item, return_index=True)[1]
    spans = Spans(docs, text, row, np.asarray(evidence, np.float64))
    if not sets:
        return spans
    topics_of_sets = np.unique(np.stack([items.pair // (len(docs) + 1), items.key]), axis=1)[0]
    return replace(spans, sets=items, n_sets=np.bincount(topics_of_sets, minlength=topics))


def refuse_spans(metrics: Sequence[Metric], *, spans: bool) -> None:
    """Raise if only metrics or only judgments have spans."""
    condensed = [str(m) for m in metrics if spans and m.judged_only]
    if condensed:
        raise MetricError(
            "metrics without judged_only, for spans", "", "omit judged_only", condensed
        )
    wrong = [str(m) for m in metrics if m.spans is not None and m.spans != spans]
    if wrong and spans:
        advice = (
            "score SpanR, SpanP, SpanIoU, SpanF or All; for other metrics, judge the chunks "
            "that overlap evidence, or drop the columns of borders if they hold something else"
        )
        raise MetricError("metrics of spans, because judgments are spans", "", advice, wrong)
    if wrong:
        advice = "read them with irframe.as_spans: topic, doc, start, end"
        raise MetricError("judgments of spans", "judgments of documents, for", advice, wrong)


PLACE = "text"
"""Name of the value per unit that numbers its topic and document."""


class Coverage(NamedTuple):
    """The evidence that retrieved units cover."""

    covered: NDArray[np.float64]
    """The length of the evidence in each unit that no unit above it in the list covers."""
    completing: Codes
    """The unit that completes each covered span."""
    list: Codes
    """The list of each covered span."""
    item: Codes
    """The position of each covered span among the spans."""


def newly_covered(items: Items, of: Codes, pair: Codes, start: Codes, end: Codes) -> Coverage:
    """Return the evidence that each unit newly covers.

    Parameters
    ----------
    items
        The evidence.
    of
        The list of every unit, in ascending order. The units of a list are in ranked order.
    pair
        The topic and document of every unit, numbered as in `items`.
    start, end
        The borders of every unit.
    """
    unit, item = items.overlapping(pair, start, end)
    low, high = np.maximum(start[unit], items.start[item]), np.minimum(end[unit], items.end[item])
    size = max(1, len(items.start))
    cells, cell = np.unique(of[unit].astype(np.int64) * size + item, return_inverse=True)
    wide = 1 + int(items.end.max(initial=0))
    low, high = cell * wide + low, cell * wide + high
    points = np.unique(np.concatenate([low, high]))
    first, stop = np.searchsorted(points, low), np.searchsorted(points, high)
    piece = rows_of_ranges(first, stop - first)
    first_unit = np.full(len(points), -1)
    # NumPy keeps the last value that is written, so the best-ranked unit must come last.
    first_unit[piece[::-1]] = np.repeat(unit, stop - first)[::-1]
    pieces = np.flatnonzero(first_unit >= 0)
    length = (np.append(points, 0)[pieces + 1] - points[pieces]).astype(float)
    covered = np.bincount(first_unit[pieces], length, len(of))
    of_piece = points[pieces] // wide
    amount = np.bincount(of_piece, length, len(cells))
    last = np.zeros(len(cells), np.int64)
    np.maximum.at(last, of_piece, first_unit[pieces])
    lists, spans = np.divmod(cells, size)
    full = amount >= (items.end - items.start)[spans]
    return Coverage(np.asarray(covered, np.float64), last[full], lists[full], spans[full])


def completed(
    spans: Spans, of: Codes, pair: Codes, start: Codes, end: Codes
) -> NDArray[np.float64]:
    """Count the sets of evidence that each unit completes."""
    items = spans.sets
    if items is None:
        return np.zeros(len(of))
    cover = newly_covered(items, of, pair, start, end)
    group = items.group[cover.item]
    topic = items.pair[group] // (len(spans.docs) + 1)
    key = np.unique(np.stack([cover.list, topic, items.key[group]]), axis=1, return_inverse=True)[1]
    key = key.ravel()
    last = np.full(int(key.max(initial=-1)) + 1, len(of))
    np.minimum.at(last, key, cover.completing)
    return np.bincount(last, minlength=len(of)).astype(float)


def retrieved_evidence(spans: Spans, of: Codes, units: dict[str, Array]) -> dict[str, Array]:
    """Return each unit's length, newly covered evidence and completed sets."""
    where = of, units[PLACE], units[START], units[END]
    evidence = {
        "shown": (units[END] - units[START]).astype(float),
        "covered": newly_covered(spans.text, *where).covered,
    }
    return evidence if spans.sets is None else evidence | {"completed": completed(spans, *where)}
