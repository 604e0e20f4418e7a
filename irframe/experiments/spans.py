"""What retrieved spans hold of evidence: which spans overlap, and how much of it is new."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.errors import InputError
from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.experiments.judged_spans import Items, Spans, borders, read_borders
from irframe.files.columns import numbers
from irframe.files.ids import Codes, identifiers, is_text, rows_of_ranges, same_kind
from irframe.names import DOC, END, START

PLACE = "text"
"""What is told of a document beside its borders: the topic and document that it is of."""


class Found(NamedTuple):
    """What units, some lists after the other, best first, hold of evidence."""

    covered: NDArray[np.float64]
    """How much of it each one is the first to hold."""
    whole: Codes
    """The unit that completes each span which is held as a whole, by list and span."""
    list: Codes
    item: Codes


def newly_covered(items: Items, of: Codes, pair: Codes, start: Codes, end: Codes) -> Found:
    """Find what each unit of some lists is the first to hold of evidence.

    Parameters
    ----------
    items
        The evidence.
    of
        The list of every unit, ascending; of one list the best unit comes first.
    pair
        Its topic and document, as `items` number them.
    start, end
        Its borders.
    """
    unit, item = items.overlapping(pair, start, end)
    low, high = np.maximum(start[unit], items.start[item]), np.minimum(end[unit], items.end[item])
    size = max(1, len(items.start))
    cells, cell = np.unique(of[unit].astype(np.int64) * size + item, return_inverse=True)
    wide = 1 + int(items.end.max(initial=0))
    low, high = cell * wide + low, cell * wide + high
    points = np.unique(np.concatenate([low, high]))
    first, stop = np.searchsorted(points, low), np.searchsorted(points, high)
    part, by = rows_of_ranges(first, stop - first), np.repeat(unit, stop - first)
    holder = np.full(len(points), -1)
    holder[part[::-1]] = by[::-1]  # units are in order, and the last to be written stays
    held = np.flatnonzero(holder >= 0)
    length = (np.append(points, 0)[held + 1] - points[held]).astype(float)
    covered = np.bincount(holder[held], length, len(of))
    owner = points[held] // wide
    amount = np.bincount(owner, length, len(cells))
    last = np.zeros(len(cells), np.int64)
    np.maximum.at(last, owner, holder[held])
    lists, spans = cells // size, cells % size
    full = amount >= (items.end - items.start)[spans]
    return Found(np.asarray(covered, np.float64), last[full], lists[full], spans[full])


def completed(
    spans: Spans, of: Codes, pair: Codes, start: Codes, end: Codes
) -> NDArray[np.float64]:
    """Return how many sets each unit completes, as the last one needed for one of its spans."""
    items = spans.sets
    if items is None:
        return np.zeros(len(of))
    found = newly_covered(items, of, pair, start, end)
    group = items.group[found.item]
    topic = items.pair[group] // (len(spans.docs) + 1)
    key = np.unique(np.stack([found.list, topic, items.key[group]]), axis=1, return_inverse=True)[1]
    key = key.ravel()
    last = np.full(int(key.max(initial=-1)) + 1, len(of))
    np.minimum.at(last, key, found.whole)
    return np.bincount(last, minlength=len(of)).astype(float)


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The rows of runs beside evidence."""

    spans: Spans
    pair: Codes
    """Topic and document of rows that overlap evidence, as that numbers them, -1 of others."""
    start: Codes
    end: Codes
    judged: Codes
    """A row of the judgments whose span each row overlaps, -1 where there is none."""

    @classmethod
    def of(cls, table: RunTable, judgments: QrelsTable, placed: Codes) -> "Overlaps":
        """Join runs to evidence.

        Raises
        ------
        InputError
            If runs do not say where what was retrieved begins and ends, or a span is none.
        """
        spans, found = cast("Spans", judgments.spans), borders(table.frame.columns)
        if found is None:
            advice = "give runs the columns start and end, or drop those of the judgments"
            what = "runs with start and end of what was retrieved, as judgments are spans"
            raise InputError(what, "no such columns among", advice, table.frame.columns)
        start, end = read_borders(table.frame, {**table.columns, **found}, "retrieved spans")
        doc = _places(identifiers(table.frame[table.columns[DOC]], DOC), spans.docs)
        topic = placed[table.topic].astype(np.int64)
        pair = np.where((doc < 0) | (topic < 0), -1, topic * (len(spans.docs) + 1) + doc)
        judged = np.full(len(pair), -1, np.int32)
        unit, item = spans.text.overlapping(pair, start, end)
        judged[unit[::-1]] = spans.row[item[::-1]]
        return cls(spans, np.where(judged < 0, -1, pair), start, end, judged)

    def along(self, rows: Codes, length: Codes) -> dict[str, NDArray[Any]]:
        """Return what is told of the units of lists, given their rows in order.

        Parameters
        ----------
        rows
            Rows, some lists after the other, best first.
        length
            How long these are.
        """
        start, end, pair = self.start[rows], self.end[rows], self.pair[rows]
        of = np.repeat(np.arange(len(length)), length)
        told = {START: start, END: end, PLACE: pair}
        return told | held_evidence(self.spans, of, told)


def _places(doc: pa.ChunkedArray, docs: pd.Index) -> Codes:
    """Return which of the documents with evidence each one is, -1 for none."""
    known = pa.array(docs.tolist(), None if len(docs) else doc.type)
    same_kind(doc.type, known.type, DOC, ("the runs", "the spans"))
    wanted = pa.large_string() if is_text(known.type) else pa.int64()
    found = pc.index_in(doc.cast(wanted), value_set=known.cast(wanted))
    places: Codes = found.fill_null(-1).to_numpy().astype(np.int64)
    return places


def named_by_span(table: RunTable) -> RunTable:
    """Return runs in which what was retrieved is called by its document and borders."""
    found = borders(table.frame.columns)
    if found is None:
        return table
    text, borders_of = (
        pa.large_string(),
        (numbers(table.frame[found[role]]) for role in (START, END)),
    )
    parts = [table.doc.combine_chunks().cast(text)]
    parts += [pc.cast(pa.array(each), pa.int64(), safe=False).cast(text) for each in borders_of]
    signs = [pa.scalar(sign, text) for sign in (" [", ", ", ")", "")]
    joined = pc.binary_join_element_wise(*chain(*zip(parts, signs, strict=False)), *signs[3:])
    return replace(table, doc=pa.chunked_array([joined]))


def held_evidence(
    spans: Spans, of: Codes, told: dict[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """Return what metrics of spans read: how much is shown, is covered, and is completed."""
    where = of, told[PLACE], told[START], told[END]
    found = {
        "shown": (told[END] - told[START]).astype(float),
        "covered": newly_covered(spans.text, *where).covered,
    }
    return found if spans.sets is None else found | {"completed": completed(spans, *where)}
