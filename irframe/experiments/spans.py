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
"""The value of the attribute `unit` of scores if spans were judged."""


def borders(columns: Iterable[Hashable]) -> dict[str, str] | None:
    """Return the start and end columns; None without spans.

    Examples
    --------
    >>> borders(["topic", "doc", "start_index", "end_index"])
    {'start': 'start_index', 'end': 'end_index'}
    """
    present = {*columns}
    by_role = {role: [n for n in names if n in present] for role, names in BORDERS.items()}
    return {role: names[0] for role, names in by_role.items()} if all(by_role.values()) else None


def read_borders(
    frame: pd.DataFrame, columns: Mapping[str, Hashable], spans: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the validated starts and ends of spans.

    Parameters
    ----------
    frame
        A run frame or qrels frame with spans.
    columns
        Mapping from the roles of starts, ends, topics and documents to the names of columns.
    spans
        A description of the spans, for messages.

    Raises
    ------
    InputError
        If starts or ends are missing, negative or not integers, or if an end is not after its
        start.
    """
    start, end = (numbers(frame[columns[role]]) for role in (START, END))
    # Above 2**53, not every integer is a float, so larger borders may have been rounded.
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
        expected = "integers of at least 0 as start and end, and the end after the start"
        advice = "correct or drop these rows"
        got = f"{len(at_fault)} rows with invalid borders"
        raise InputError(f"{spans} with {expected}", got, advice, offenders)
    return start.astype(np.int64), end.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Items:
    """Spans in groups by topic, document and set of evidence.

    Spans of a group are disjoint. If there are sets of evidence, each span is a group of its own.
    """

    pair: Codes
    """The code of each group's topic and document. Codes are in ascending order."""
    key: Codes
    """The code of each group's set of evidence."""
    group: Codes
    """The group of each span. Spans are sorted by group and start."""
    start: Codes
    end: Codes

    @classmethod
    def of(
        cls, pair: Codes, key: Codes, start: Codes, end: Codes, *, sets: bool = False
    ) -> tuple["Items", Codes]:
        """Merge overlapping spans.

        If there are sets of evidence, only equal spans of a set are merged.

        Returns
        -------
        tuple
            The merged spans, and for each input span the position of its merged span.
        """
        order = np.lexsort((end, start, key, pair))
        separate = [start[order], end[order]] if sets else []
        pairs = np.stack([pair[order], key[order], *separate])
        new = np.append(True, (pairs[:, 1:] != pairs[:, :-1]).any(axis=0))[: len(order)]
        group = np.cumsum(new) - 1
        # Offsets by group keep the running maximum of one group below all ends of the next group.
        width = 1 + int(end.max(initial=0))
        reached = np.maximum.accumulate(group * width + end[order])
        begins = np.append(True, group[1:] * width + start[order][1:] >= reached[:-1])[: len(order)]
        first = np.flatnonzero(begins)
        last = np.append(first[1:], len(order)) - 1
        item = np.empty(len(order), np.int64)
        item[order] = np.cumsum(begins) - 1
        ends = reached[last[: len(first)]] - group[first] * width
        names = pairs[:, new]
        return cls(names[0], names[1], group[first], start[order][first], ends), item

    @property
    def columns(self) -> dict[str, Array]:
        """The spans as columns named like the parameters of `of`."""
        borders_of = {START: self.start, END: self.end}
        return {"pair": self.pair[self.group], "key": self.key[self.group]} | borders_of

    def overlapping(self, pair: Codes, start: Codes, end: Codes) -> tuple[Codes, Codes]:
        """Return all pairs of overlapping units and spans.

        Parameters
        ----------
        pair
            The code of each unit's topic and document, -1 if it has no evidence.
        start, end
            The start and end of each unit.

        Returns
        -------
        tuple
            The unit of each pair, and the span of each pair.
        """
        # The code -2 of units without evidence differs from the -1 that stands after the last pair.
        low = np.searchsorted(self.pair, pair)
        matched = np.flatnonzero(np.append(self.pair, -1)[low] == np.where(pair < 0, -2, pair))
        count = np.searchsorted(self.pair, pair[matched], side="right") - low[matched]
        row = np.repeat(matched, count)
        group = rows_of_ranges(low[matched], count)
        width = 1 + int(max(self.end.max(initial=0), end.max(initial=0)))
        # Spans of a group are disjoint, so their ends ascend as their starts do.
        first = np.searchsorted(self.group * width + self.end, group * width + start[row], "right")
        stop = np.searchsorted(self.group * width + self.start, group * width + end[row], "left")
        overlaps = np.maximum(stop - first, 0)
        return np.repeat(row, overlaps), rows_of_ranges(first, overlaps)


@dataclass(frozen=True, eq=False)
class Spans:
    """The judged spans of evidence."""

    docs: pd.Index
    """The ids of documents that contain evidence."""
    text: Items
    """The merged spans of evidence. Spans of different sets are merged, too."""
    row: Codes
    """The row of one judgment for each merged span."""
    evidence: NDArray[np.float64]
    """The total length of the evidence per topic."""
    sets: Items | None = None
    """The spans in groups by set of evidence. None if there are no sets.

    A set is complete if one of its spans is covered.
    """
    n_sets: NDArray[np.int64] | None = None
    """The number of sets of evidence per topic. None if there are no sets."""

    def of_topics(self, code: Codes) -> "Spans":
        """Return the evidence with totals of selected topics."""
        sets = None if self.n_sets is None else self.n_sets[code]
        return replace(self, evidence=self.evidence[code], n_sets=sets)

    def with_topics(self, n: int) -> "Spans":
        """Return the evidence for `n` topics; new topics have none."""
        width = 0, n - len(self.evidence)
        sets = None if self.n_sets is None else np.pad(self.n_sets, width)
        return replace(self, evidence=np.pad(self.evidence, width), n_sets=sets)

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        """The tables of spans that are saved with a cube."""
        docs: dict[str, Any] = {"doc": self.docs}
        tables = {"span_docs": docs, "span_texts": self.text.columns}
        return tables if self.sets is None else tables | {"span_sets": self.sets.columns}

    @classmethod
    def of_tables(
        cls,
        columns_of: Callable[[str], Mapping[str, Any]],
        evidence: NDArray[np.float64] | None,
        n_sets: NDArray[np.int64] | None,
    ) -> "Spans | None":
        """Return the evidence from saved tables.

        Parameters
        ----------
        columns_of
            A function that returns the columns of the table of this name.
        evidence, n_sets
            The fields of the same names. If `evidence` is None, the result is None.
        """
        if evidence is None:
            return None

        def items(kind: str, *, sets: bool) -> Items:
            """Return the spans in a saved table."""
            return Items.of(*itemgetter("pair", "key", START, END)(columns_of(kind)), sets=sets)[0]

        docs = pd.Index(columns_of("span_docs")["doc"], dtype=object)
        sets = None if n_sets is None else items("span_sets", sets=True)
        text = items("span_texts", sets=False)
        return cls(docs, text, np.zeros(0, np.int64), evidence, sets, n_sets)

    @classmethod
    def joined(cls, sources: Sequence["Spans | None"]) -> "Spans | None":
        """Concatenate the evidence of several cubes; None without evidence.

        Raises
        ------
        InputError
            If spans were judged for some cubes and documents for other cubes, or if spans differ.
        """
        spans = [source for source in sources if source is not None]
        if not spans:
            return None
        first = spans[0].tables
        are_equal = all(
            first.keys() == other.tables.keys()
            and np.array_equal(first[name][column], other.tables[name][column])
            for other in spans[1:]
            for name in first
            for column in first[name]
        )
        if len(spans) < len(sources) or not are_equal:
            advice = "concatenate the runs and the spans, and build one cube"
            expected = "cubes with the same judged spans, or with judged documents"
            raise InputError(expected, "cubes with different judged units", advice)
        sets = [source.n_sets for source in spans if source.n_sets is not None]
        evidence = np.concatenate([source.evidence for source in spans])
        return replace(spans[0], evidence=evidence, n_sets=np.concatenate(sets) if sets else None)


def merged_evidence(table: "QrelsTable") -> dict[str, Any]:
    """Merge overlapping spans; return the changed fields of `QrelsTable`."""
    columns = dict(table.columns) | (borders(table.frame.columns) or {})
    start, end = read_borders(table.frame, columns, "spans of evidence")
    doc, docs = pd.factorize(pd.Series(table.doc.to_pylist(), dtype=object))
    sets = np.zeros(len(doc), np.int64)
    labels = None
    if SET in table.frame.columns:
        sets, labels = pd.factorize(table.frame[SET].astype(str))
    relevant = np.flatnonzero(table.grade >= 1)
    pair = table.topic.astype(np.int64) * (len(docs) + 1) + doc
    items, item = Items.of(
        pair[relevant], sets[relevant], start[relevant], end[relevant], sets=labels is not None
    )
    if merged := len(relevant) - len(items.start):
        kind = "overlapping" if labels is None else "repeated"
        warn(f"merged {merged} {kind} spans of evidence with others")
    irrelevant = np.flatnonzero(table.grade < 1)
    first_rows = np.concatenate([relevant[np.unique(item, return_index=True)[1]], irrelevant])
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
    """Return the evidence in spans that `Items.of` merged by set.

    Parameters
    ----------
    items
        The spans.
    docs
        The document ids.
    topics
        The number of topics.
    sets
        Whether the evidence has sets.
    """
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
    """Raise for metrics that do not fit the judged units."""
    condensed = [str(m) for m in metrics if spans and m.judged_only]
    if condensed:
        expected = "metrics without judged_only, because spans were judged"
        raise MetricError(expected, "", "omit judged_only", condensed)
    wrong = [str(m) for m in metrics if m.spans is not None and m.spans != spans]
    if wrong and spans:
        advice = (
            "score SpanR, SpanP, SpanIoU, SpanF or All; for other metrics, judge the chunks "
            "that overlap evidence, or drop start and end if they are not the borders of spans"
        )
        raise MetricError("metrics of spans, because spans were judged", "", advice, wrong)
    if wrong:
        advice = "read judgments with irframe.as_spans: topic, doc, start, end"
        got = "judgments of documents for the metrics"
        raise MetricError("judgments of spans", got, advice, wrong)


PAIR = "text"
"""The key under which `Overlaps.along` returns the code of each unit's topic and document."""


class Coverage(NamedTuple):
    """The evidence that retrieved units cover."""

    covered: NDArray[np.float64]
    """The length of the evidence that each unit covers and that no unit above it in the list
    covers."""
    completing: Codes
    """For each completely covered span, the unit that completes it."""
    list: Codes
    """For each completely covered span, the list that covers it."""
    item: Codes
    """For each completely covered span, its position among the spans."""


def newly_covered(items: Items, of: Codes, pair: Codes, start: Codes, end: Codes) -> Coverage:
    """Return the evidence that each unit adds to its list.

    Parameters
    ----------
    items
        The spans of evidence.
    of
        The list of every unit, in ascending order. The units of a list are sorted by rank.
    pair
        The code in `items` of every unit's topic and document.
    start, end
        The start and end of every unit.
    """
    unit, item = items.overlapping(pair, start, end)
    low, high = np.maximum(start[unit], items.start[item]), np.minimum(end[unit], items.end[item])
    size = max(1, len(items.start))
    # A cell is a pair of a list and a span. Offsets by cell put all cells on one line of positions.
    cells, cell = np.unique(of[unit].astype(np.int64) * size + item, return_inverse=True)
    width = 1 + int(items.end.max(initial=0))
    low, high = cell * width + low, cell * width + high
    points = np.unique(np.concatenate([low, high]))
    first, stop = np.searchsorted(points, low), np.searchsorted(points, high)
    piece = rows_of_ranges(first, stop - first)
    first_unit = np.full(len(points), -1)
    # NumPy keeps the last of several values that are written to a cell, so the best-ranked unit
    # must come last.
    first_unit[piece[::-1]] = np.repeat(unit, stop - first)[::-1]
    pieces = np.flatnonzero(first_unit >= 0)
    length = (np.append(points, 0)[pieces + 1] - points[pieces]).astype(float)
    covered = np.bincount(first_unit[pieces], length, len(of))
    of_piece = points[pieces] // width
    total = np.bincount(of_piece, length, len(cells))
    last = np.zeros(len(cells), np.int64)
    np.maximum.at(last, of_piece, first_unit[pieces])
    lists, spans = np.divmod(cells, size)
    full = total >= (items.end - items.start)[spans]
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
    """Return the evidence fields of each retrieved unit.

    The fields are the length of the unit, the evidence that the unit adds to its list, and the sets
    of evidence that the unit completes.
    """
    where = of, units[PAIR], units[START], units[END]
    evidence = {
        "shown": (units[END] - units[START]).astype(float),
        "covered": newly_covered(spans.text, *where).covered,
    }
    return evidence if spans.sets is None else evidence | {"completed": completed(spans, *where)}
