"""The unjudged documents at the top of lists by name, which judgments cannot tell."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from irframe.arrays import Array
from irframe.experiments.framed import Framed
from irframe.experiments.rank_table import Ranking
from irframe.files.ids import Codes

RANKS = 100
"""How many ranks of every list are named, as many as pools are deep."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Unjudged documents at the first ranks of lists, in no order."""

    of: Codes
    """The list of each document, by system and topic."""
    rank: Codes
    """From 0."""
    doc: pa.ChunkedArray

    def names(self, shape: tuple[int, int], depth: int) -> Array:
        """Return what is called so in lists; objects (system, topic, rank)."""
        found = np.full((*shape, depth), None, object)
        there = np.flatnonzero(self.rank < depth)
        names = self.doc.take(pa.array(there)).to_numpy(zero_copy_only=False)
        found.ravel()[self.of[there].astype(np.int64) * depth + self.rank[there]] = names
        return found

    def onto(self, place: Codes) -> "Listed":
        """Return the same by other numbers of the lists, without those at -1."""
        of = place[self.of]
        there = np.flatnonzero(of >= 0)
        if len(there) == len(of):
            return Listed(of, self.rank, self.doc)
        return Listed(of[there], self.rank[there], self.doc.take(pa.array(there)))


def together(parts: Sequence[Listed | None]) -> Listed | None:
    """Return documents of several sources as one, None where one of them does not know its own."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or len({part.doc.type for part in known}) != 1:
        return None
    of, rank = (np.concatenate([getattr(part, name) for part in known]) for name in ("of", "rank"))
    doc = [chunk for part in known for chunk in part.doc.chunks]
    return Listed(of, rank, pa.chunked_array(doc, known[0].doc.type))


def top_documents(framed: Framed, rows: Codes, ranking: Ranking, lists: int = 0) -> Listed:
    """Return the unjudged documents at the top of some lists, by system and topic of the qrels.

    Parameters
    ----------
    framed
        Runs and judgments.
    rows
        The rows of the lists.
    ranking
        The ranking of these.
    lists
        How many lists of other runs come first.
    """
    top = np.flatnonzero(ranking.rank <= RANKS)
    rows, rank = rows[ranking.order[top]], ranking.rank[top].astype(np.int16) - np.int16(1)
    kept = np.flatnonzero(framed.judged[rows] < 0)
    rows = rows[kept]
    topic = framed.lists.placed[framed.table.topic[rows]]
    of = lists + framed.table.system[rows].astype(np.int64) * len(framed.judgments.topics) + topic
    return Listed(of, rank[kept], framed.table.doc.take(pa.array(rows)))
