"""The arrays of a cube, filled with the ranked and judged rows of runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.cubes.contribution import Contribution
from irframe.cubes.layout import PARTS, RANKINGS
from irframe.cubes.listing import Listing
from irframe.cubes.topics import Selection
from irframe.experiments.policy import Policy
from irframe.frames import tables
from irframe.frames.ids import Codes
from irframe.frames.joining import locate, tell_unjudged
from irframe.frames.ranking import Ranking, rank_table
from irframe.frames.tables import QrelsTable, RunTable
from irframe.names import UNJUDGED

RowSet = slice | Codes
"""Some rows of a frame, in an order."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The arrays of a cube while it is filled, chunk by chunk."""

    grade: NDArray[np.int8]
    doc: NDArray[np.int32]
    tied: NDArray[np.bool_]
    retrieved: NDArray[np.int32]
    unjudged: NDArray[np.int32]
    tail: NDArray[np.int32]
    tail_size: NDArray[np.int32]

    @classmethod
    def empty(cls, systems: int, topics: int, depth: int, levels: int) -> "Cells":
        """Return the arrays of lists that are all empty."""
        shapes: dict[str, tuple[int, ...]] = {}
        shapes |= dict.fromkeys(cls.__dataclass_fields__, (systems, topics))
        shapes |= {"tail": (systems, topics, levels)}
        shapes |= dict.fromkeys(RANKINGS, (systems, topics, depth))
        return cls(
            **{
                name: np.full(shape, PARTS[name].fill, PARTS[name].dtype)
                for name, shape in shapes.items()
            }
        )


def fill(
    table: RunTable,
    judgments: QrelsTable,
    selection: Selection,
    contribution: Contribution,
    listing: Listing,
    policy: Policy,
    depth: int,
) -> Cells:
    """Fill the arrays of a cube, and note what contributing runs put into the pool.

    Parameters
    ----------
    table, judgments
        The two frames, coded.
    selection
        The topics of the cube.
    contribution
        What is told of all judged topics, in the cube or not.
    listing
        What names the documents at the top of lists.
    policy, depth
        How rankings are decided, and how many ranks are kept.
    """
    cells = Cells.empty(len(table.systems), len(selection.labels), depth, len(selection.levels))
    judged = locate(table, judgments, selection.placed)
    tell_unjudged(table, judgments, found=bool((judged >= 0).any()))
    alike = policy.ties != "rank" and policy.score_dtype == "float64"
    for rows, chunk, ranking in fill_chunks(cells, table, judged, judgments, selection, policy):
        contribution.add(chunk, judged[rows], ranking if alike else None)
        listing.add(chunk, ranking)
    return cells


def fill_chunks(
    cells: Cells,
    table: RunTable,
    judged: Codes,
    judgments: QrelsTable,
    selection: Selection,
    policy: Policy,
) -> Iterator[tuple[RowSet, RunTable, Ranking]]:
    """Rank some lists after the other, fill their cells, and yield their rows and ranking.

    Parameters
    ----------
    cells
        The arrays to be filled.
    table
        A run frame, coded.
    judged
        Its rows in the qrels, -1 where unjudged.
    judgments, selection, policy
        As for `fill`.
    """
    decide = partial(rank_table, ties=policy.ties, score_dtype=policy.score_dtype, seed=policy.seed)
    for rows in _chunks(table, selection.placed >= 0):
        chunk = table.take(rows)
        ranking = decide(chunk)
        inside = selection.chosen[chunk.topic]
        chosen = ranking if inside.all() else ranking.take(inside)
        if len(chosen.order):
            _scatter(cells, chunk, chosen, judged[rows], judgments, selection)
        yield rows, chunk, ranking


def _chunks(table: RunTable, chosen: NDArray[np.bool_]) -> Iterator[RowSet]:
    """Yield the rows of whole lists on some topics, about `irframe.frames.tables.ROWS` a time."""
    inside = chosen[table.topic]
    rows: RowSet = slice(0, len(inside)) if inside.all() else np.flatnonzero(inside)
    system, topic = table.system[rows], table.topic[rows]
    if not len(system):
        return
    ends = _ends(system, topic)
    if _list_of(system[ends - 1], topic[ends - 1], len(chosen)).has_duplicates:
        order = np.argsort(_list_of(system, topic, len(chosen)).to_numpy(), kind="stable")
        rows = order if isinstance(rows, slice) else rows[order]
        ends = _ends(table.system[rows], table.topic[rows])
    start = 0
    while start < len(system):
        fits, least = np.searchsorted(ends, [start + tables.ROWS, start], side="right").tolist()
        stop = int(ends[max(fits - 1, least)])
        yield slice(start, stop) if isinstance(rows, slice) else rows[start:stop]
        start = stop


def _ends(system: Codes, topic: Codes) -> Codes:
    """Return where, going through rows, one list ends and the next one begins."""
    changes = (system[1:] != system[:-1]) | (topic[1:] != topic[:-1])
    return np.append(np.flatnonzero(changes) + 1, len(system))


def _list_of(system: Codes, topic: Codes, topics: int) -> pd.Index:
    lists: pd.Index = pd.Index(system.astype(np.int64) * topics + topic)
    return lists


def _scatter(
    cells: Cells,
    table: RunTable,
    ranking: Ranking,
    judged: Codes,
    judgments: QrelsTable,
    selection: Selection,
) -> None:
    """Write ranked and judged rows into their cells."""
    _, topics, depth = cells.grade.shape
    order = ranking.order
    judged = judged[order]
    topic = selection.position[selection.placed[table.topic[order]]]
    pair = table.system[order].astype(np.int64) * topics + topic
    first = np.flatnonzero(ranking.first)
    cells.retrieved.ravel()[pair[first]] = np.diff(first, append=len(order))
    cells.unjudged.ravel()[pair[first]] = np.add.reduceat(judged < 0, first, dtype=np.int32)
    inside = ranking.rank <= depth
    if inside.all():
        inside = slice(None)
    else:
        _note_tail(cells, ranking, pair, judged, judgments, selection)
    cell = (pair * depth + ranking.rank - 1)[inside]
    row = judged[inside]
    cells.grade.ravel()[cell] = np.append(judgments.grade, np.int8(UNJUDGED))[row]
    cells.doc.ravel()[cell] = np.append(selection.slot, np.int32(-1))[row]
    cells.tied.ravel()[cell] = ranking.tied[inside]


def _note_tail(
    cells: Cells,
    ranking: Ranking,
    pair: Codes,
    judged: Codes,
    judgments: QrelsTable,
    selection: Selection,
) -> None:
    """Count the documents past the last rank that are tied with it."""
    depth = cells.grade.shape[-1]
    block = np.cumsum(~ranking.tied) - 1
    ends = block[np.flatnonzero(ranking.rank == depth)]
    crossing = np.zeros(block[-1] + 2, dtype=bool)
    crossing[ends] = True
    rows = np.flatnonzero(crossing[block] & (ranking.rank > depth))
    np.add.at(cells.tail_size.ravel(), pair[rows], 1)
    rows = rows[judged[rows] >= 0]
    level = np.searchsorted(selection.levels, judgments.grade[judged[rows]])
    flat = cells.tail.reshape(-1, len(selection.levels))
    np.add.at(flat, (pair[rows], level), 1)
