"""The rows of runs beside evidence: which spans of documents they overlap."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.errors import InputError
from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.experiments.spans import PLACE, Spans, borders, held_evidence, read_borders
from irframe.files.ids import Codes, identifiers, labels_of_one_kind
from irframe.files.values import numbers
from irframe.names import DOC, END, START


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
        spans, columns = cast("Spans", judgments.spans), borders(table.frame.columns)
        if columns is None:
            advice = "give runs the columns start and end, or drop those of the judgments"
            what = "runs with start and end of what was retrieved, as judgments are spans"
            raise InputError(what, "no such columns among", advice, table.frame.columns)
        start, end = read_borders(table.frame, {**table.columns, **columns}, "retrieved spans")
        named = identifiers(table.frame[table.columns[DOC]], DOC)
        docs, own = labels_of_one_kind(spans.docs, pd.Index(named.to_numpy(), dtype=object))
        doc = docs.get_indexer(own)
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
        units = {START: start, END: end, PLACE: pair}
        return units | held_evidence(self.spans, of, units)


def named_by_span(table: RunTable) -> RunTable:
    """Return runs in which what was retrieved is called by its document and borders."""
    columns = borders(table.frame.columns)
    if columns is None:
        return table
    text, parts = pa.large_string(), [table.doc.combine_chunks().cast(pa.large_string())]
    for role in (START, END):
        border = pa.array(numbers(table.frame[columns[role]]))
        parts.append(pc.cast(border, pa.int64(), safe=False).cast(text))
    signs = [pa.scalar(sign, text) for sign in (" [", ", ", ")", "")]
    joined = pc.binary_join_element_wise(*chain(*zip(parts, signs, strict=False)), *signs[3:])
    return replace(table, doc=pa.chunked_array([joined]))
