"""The documents at the top of lists by name, judged or not, seen while a cube is built.

A cube takes them along beside its variables, in its encoding, as they concern neither arrays nor
attributes: what xarray selects keeps them, what it computes anew, and files, do not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr

from irframe.arrays import Array
from irframe.experiments.framed import Framed
from irframe.experiments.judgments import Judgments
from irframe.experiments.rank_table import Ranking
from irframe.files.ids import Codes
from irframe.names import SYSTEM, TOPIC

LISTED = "listed"
"""Where the encoding of a cube has them."""
RANKS = 100
"""How many ranks of every list are named, as many as pools are deep."""


@dataclass(frozen=True, eq=False)
class Listed:
    """The documents at the first ranks of lists, in no order."""

    systems: pd.Index
    topics: pd.Index
    system: Codes
    """Of each document, the place of its system among `systems`."""
    topic: Codes
    rank: Codes
    """From 0."""
    doc: pa.ChunkedArray

    def names(self, cube: xr.Dataset, depth: int) -> Array:
        """Return what is called so in the lists of a cube; objects (system, topic, rank)."""
        wanted = cube.indexes[SYSTEM], cube.indexes[TOPIC]
        row, column = self._places(*wanted)
        found = np.full((len(wanted[0]), len(wanted[1]), depth), None, object)
        there = np.flatnonzero((row >= 0) & (column >= 0) & (self.rank < depth))
        names = self.doc.take(pa.array(there)).to_numpy(zero_copy_only=False)
        found[row[there], column[there], self.rank[there]] = names
        return found

    def _places(self, systems: pd.Index, topics: pd.Index) -> tuple[Codes, Codes]:
        """Return of each document where its system and topic stand among others, -1 for nowhere."""
        sides = (systems, self.systems, self.system), (topics, self.topics, self.topic)
        row, column = (labels.get_indexer(own)[code] for labels, own, code in sides)
        return row, column

    def within(self, systems: pd.Index, topics: pd.Index) -> "Listed":
        """Return the same by the places of other systems and topics, without those not there."""
        row, column = self._places(systems, topics)
        there = np.flatnonzero((row >= 0) & (column >= 0))
        doc = self.doc.take(pa.array(there))
        return Listed(systems, topics, row[there], column[there], self.rank[there], doc)


@dataclass(eq=False)
class Listing:
    """Takes in the lists of a cube while it is built."""

    judgments: Judgments
    """Those of the topics of the cube."""
    _rows: list[tuple[Codes, Codes, Codes]] = field(default_factory=list)
    _docs: list[pa.Array] = field(default_factory=list)

    def add(self, framed: Framed, rows: Codes, ranking: Ranking) -> None:
        """Take in some lists.

        Parameters
        ----------
        framed
            Runs and judgments.
        rows
            The rows of the lists.
        ranking
            The ranking of these.
        """
        top, table = ranking.rank <= RANKS, framed.table
        rows, rank = rows[ranking.order[top]], ranking.rank[top].astype(np.int16)
        place = self.judgments.place_of[framed.lists.placed][table.topic[rows]]
        inside = place >= 0
        if not inside.all():
            rows, rank, place = rows[inside], rank[inside], place[inside]
        self._rows.append((table.system[rows], place, rank - 1))
        self._docs += table.doc.take(pa.array(rows)).chunks

    def listed(self, systems: pd.Index) -> Listed | None:
        """Return the documents of the lists of systems, if there are any."""
        if not self._docs:
            return None
        system, topic, rank = (np.concatenate(part) for part in zip(*self._rows, strict=True))
        doc = pa.chunked_array(self._docs)
        return Listed(systems, self.judgments.topics, system, topic, rank, doc)


def listed_in(cubes: Sequence[xr.Dataset], whole: xr.Dataset) -> Listed | None:
    """Return the documents by name of the lists of a cube that some cubes make together."""
    known = [(cube, found) for cube in cubes if (found := cube.encoding.get(LISTED)) is not None]
    if not known or len({found.doc.type for _, found in known}) > 1:
        return None
    labels = whole.indexes[SYSTEM], whole.indexes[TOPIC]
    own = [found.within(cube.indexes[SYSTEM], cube.indexes[TOPIC]) for cube, found in known]
    parts = [part.within(*labels) for part in own]
    system, topic, rank = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("system", "topic", "rank")
    )
    doc = [chunk for part in parts for chunk in part.doc.chunks]
    return Listed(*labels, system, topic, rank, pa.chunked_array(doc, parts[0].doc.type))
