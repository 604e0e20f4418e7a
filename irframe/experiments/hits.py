"""Ranked lists as what they hold of the judgments: a few numbers for every judged document."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.errors import DepthError
from irframe.experiments.judgments import Judgments
from irframe.frames.ids import Codes
from irframe.names import EMPTY, UNJUDGED

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Hits:
    """What lists hold of the judgments.

    Lists are numbered by system and judged topic, a system after the other.
    """

    length: NDArray[np.int64]
    """How long each list is, shape (system, topic)."""
    of: Codes
    """The list of every hit, which is a judged document that was retrieved."""
    rank: Codes
    """Its rank."""
    row: Codes
    """Its judgment."""
    tied: NDArray[np.bool_] | None = None
    """Whether a document has the score of the one above it, for all documents, list by list from
    the best one on. Where given, tied documents share their gain."""
    filed: Codes | None = None
    """The rank of every hit as pooling reads it, where that is wanted."""

    def cells(self, judgments: Judgments, depth: int, width: int, *, doc: bool) -> dict[str, Array]:
        """Lay lists out by rank, as fields of an `irframe.metrics.Block`.

        Parameters
        ----------
        judgments
            The judgments.
        depth
            Where lists are cut.
        width
            How many ranks there are, at least `depth`; those below it are empty.
        doc
            Whether it is wanted which document is where.
        """
        retrieved = np.minimum(self.length, depth)
        kept = self.rank <= depth
        of, rank, row = self.of[kept], self.rank[kept], self.row[kept]
        cell = of * width + (rank - 1)
        grade = np.full((*self.length.shape, width), UNJUDGED, np.int8)
        if int(retrieved.min(initial=width)) < width:
            grade[np.arange(width) >= retrieved[..., np.newaxis]] = EMPTY
        grade.ravel()[cell] = judgments.grade[row]
        found = {"grade": grade, "retrieved": retrieved}
        if doc:
            found["doc"] = np.full(grade.shape, -1, np.int32)
            found["doc"].ravel()[cell] = row - judgments.start[judgments.topic[row]]
        return found if self.tied is None else found | self._sharing(judgments, depth, width)

    def _sharing(self, judgments: Judgments, depth: int, width: int) -> dict[str, Array]:
        """Return which ranks share their gain, also with documents that were cut off."""
        flat = np.zeros(0, bool) if self.tied is None else self.tied
        length = self.length.ravel()
        start = np.cumsum(length) - length
        inside = np.arange(width) < np.minimum(length, depth)[:, np.newaxis]
        tied = np.zeros(inside.shape, bool)
        tied[inside] = flat[(start[:, np.newaxis] + np.arange(width))[inside]]
        size, tail = self._cut_off(flat, start, judgments, depth)
        if width > depth and size.any():
            found = "documents tied across its end"
            raise DepthError("lists cut between ties", found, "leave depth= out, or cut elsewhere")
        shape = self.length.shape
        return {
            "tied": tied.reshape(*shape, width),
            "tail": tail.reshape(*shape, -1),
            "tail_size": size.reshape(shape),
        }

    def _cut_off(
        self, tied: NDArray[np.bool_], start: Array, judgments: Judgments, depth: int
    ) -> tuple[Array, Array]:
        """Count the documents past a depth tied with the last one above it."""
        length = self.length.ravel()
        size = np.zeros(len(length), np.int32)
        tail = np.zeros((len(length), len(judgments.levels)), np.int32)
        long = np.flatnonzero(length > depth)
        below = start[long] + depth
        ends = np.append(np.flatnonzero(~tied), len(tied))
        size[long] = ends[np.searchsorted(ends, below)] - below
        some = (self.rank > depth) & (self.rank <= depth + size[self.of])
        level = np.searchsorted(judgments.levels, judgments.grade[self.row[some]])
        np.add.at(tail, (self.of[some], level), 1)
        return size, tail
