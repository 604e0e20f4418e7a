"""The documents at the top of lists by name, judged or not, seen while a cube is built."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr

from irframe.cubes.layout import NAMED, OPEN, Array
from irframe.experiments.framed import Framed
from irframe.experiments.judgments import Judgments
from irframe.frames.documents import Side, code_documents
from irframe.frames.ids import Codes
from irframe.frames.ranking import Ranking
from irframe.names import DOC, TOPIC


@dataclass(eq=False)
class Listing:
    """Which document stands at each of the first ranks of every list."""

    judgments: Judgments
    """Those of the topics of the cube."""
    ranks: int
    """How many ranks are named."""
    _cells: list[tuple[Codes, Codes, Codes]] = field(default_factory=list)
    _judged: list[Codes] = field(default_factory=list)
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
        top = ranking.rank <= self.ranks
        rows, rank = rows[ranking.order[top]], ranking.rank[top]
        table = framed.table
        place = self.judgments.place_of[framed.lists.placed[table.topic[rows]]]
        inside = place >= 0
        rows, rank, place = rows[inside], rank[inside], place[inside]
        judged = framed.judged[rows]
        self._cells.append((table.system[rows], place, rank - 1))
        self._judged.append(judged)
        self._docs += table.doc.take(pa.array(rows[judged < 0])).chunks

    def laid(self, systems: int) -> dict[str, Array]:
        """Return the coordinates that name what the lists of so many systems have at the top."""
        topics, part = len(self.judgments.code), NAMED["listed"]
        listed = np.full((systems, topics, self.ranks), part.fill, part.dtype)
        if not self._docs:
            return {"listed": listed, "open_doc": np.full((topics, 0), "", object)}
        system, topic, rank = (np.concatenate(part) for part in zip(*self._cells, strict=True))
        judged = np.concatenate(self._judged)
        open_ = judged < 0
        places, names = _named(topic[open_], pa.chunked_array(self._docs), topics)
        slot = self.judgments.slot[self.judgments.here[judged]]
        slot[open_] = -2 - places
        listed[system, topic, rank] = slot
        return {"listed": listed, "open_doc": names}


def _named(topic: Codes, doc: pa.ChunkedArray, topics: int) -> tuple[Codes, Array]:
    """Return the place of every row's document among those of its topic, and their names.

    Documents of a topic stand in the order of their names as text.
    """
    (codes,) = code_documents(Side(topic, doc))
    _, first, where = np.unique(codes, return_index=True, return_inverse=True)
    names = doc.take(pa.array(first)).cast(pa.large_string()).to_numpy(zero_copy_only=False)
    return in_order(topic[first], names, where, topics)


def in_order(topic: Codes, names: Array, where: Codes, topics: int) -> tuple[Codes, Array]:
    """Return where rows stand among the documents of their topics, and a table of these.

    Parameters
    ----------
    topic, names
        Of every document.
    where
        The document of every row.
    topics
        How many topics there are.

    Examples
    --------
    >>> in_order(np.array([0, 0]), np.array(["b", "a"], object), np.array([0, 1, 0]), 1)
    (array([1, 0, 1]), array([['a', 'b']], dtype=object))
    """
    order = np.lexsort((names.astype(str), topic))
    count = np.bincount(topic, minlength=topics)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.repeat(np.cumsum(count) - count, count)
    table = np.full((topics, int(count.max(initial=0))), "", object)
    table[topic, place] = names
    return place[where], table


def same_names(cubes: list[xr.Dataset]) -> list[xr.Dataset]:
    """Return cubes of the same topics in which unjudged documents have the same places.

    Parameters
    ----------
    cubes
        Cubes with room for as many unjudged documents, or none that names them.
    """
    if OPEN not in cubes[0].dims:
        return cubes
    names = np.concatenate([cube["open_doc"].to_numpy() for cube in cubes], axis=1)
    topic, column = np.nonzero(names != "")
    pairs = pd.DataFrame({TOPIC: topic, DOC: names[topic, column]})
    known, group = pairs.drop_duplicates(), pairs.groupby([TOPIC, DOC], sort=False).ngroup()
    owner, doc = known[TOPIC].to_numpy(), known[DOC].to_numpy(object)
    place, table = in_order(owner, doc, group.to_numpy(), len(names))
    new = np.zeros((len(names), names.shape[1] + 1), np.int32)
    new[topic, column] = -2 - place
    moved, size = [], cubes[0].sizes[OPEN]
    row = np.arange(len(names))[:, np.newaxis]
    for number, cube in enumerate(cubes):
        old = cube["listed"].to_numpy()
        open_ = new[row, np.where(old < -1, number * size - 2 - old, -1)]
        listed = cube["listed"].variable.copy(data=np.where(old < -1, open_, old))
        facts = {"listed": listed, "open_doc": ((TOPIC, OPEN), table)}
        moved.append(cube.drop_vars(NAMED).assign_coords(facts))
    return moved
