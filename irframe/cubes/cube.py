"""The cube: system x topic x depth, built once from a run frame and a qrels frame."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.contribution import Contribution
from irframe.cubes.grouping import group_coordinates, split
from irframe.cubes.topics import Selection, select_topics
from irframe.errors import DepthError
from irframe.frames import tables
from irframe.frames.ids import Codes
from irframe.frames.joining import locate, refuse_empty_join
from irframe.frames.ranking import Ranking, rank_table
from irframe.frames.tables import QrelsTable, RunTable, read_qrels_table, read_table
from irframe.names import DEPTH, EMPTY, GRADE, SYSTEM, TOPIC, UNJUDGED

CELL = (SYSTEM, TOPIC, DEPTH)
JUDGED = "judged"
"""Dimension along the recall base of a topic: its judged documents."""


def cube(
    runs: pd.DataFrame,
    qrels: pd.DataFrame,
    *,
    depth: int | None = None,
    ties: str = "trec",
    score_dtype: str = "float64",
    topics: str | Sequence[Hashable] = "qrels",
    contributing: str | Sequence[Hashable] | None = None,
    pool_depth: int | None = None,
    by: str | None = None,
    seed: int | None = None,
) -> Any:
    """Build the cube of judged rankings that every metric and study reads.

    Parameters
    ----------
    runs
        Run frame: topic, doc, and score or rank; usually system. Further columns that are
        constant per system or per topic (track, team, ...) ride along as coordinates.
    qrels
        Qrels frame: topic, doc, grade.
    depth
        Ranks to keep, at least 1; by default as many as the longest list. A depth beyond the
        lists leaves the missing ranks empty.
    ties, score_dtype, seed
        How rankings are decided, as for `rank`.
    topics
        ``"qrels"``: every judged topic, those a run lacks as an empty list. ``"both"``: only
        those that some run has. Or a list of judged topics.
    contributing
        The systems whose runs made the pool: a list, or the name of a boolean column of
        `runs`; by default the column ``contributing`` if there is one, else all systems.
    pool_depth
        Depth of the pool; by default the greatest depth down to which every document of every
        contributing run is judged.
    by
        A column of `runs`: one cube for each of its values, with the topics of that group.

    Returns
    -------
    xarray.Dataset or xarray.DataTree
        Variables over (system, topic, depth): ``grade`` (int8, with the marks
        `irframe.names.UNJUDGED` and `irframe.names.EMPTY`), ``doc`` (position in the topic's
        recall base, -1 where unjudged), ``tied`` (same score as one rank above). Over (system,
        topic): ``retrieved``, the length of the list. Over (topic, judged), the recall base:
        ``judged_doc``, ``judged_grade`` and ``pool_rank``, the best rank in a contributing run,
        0 where none has it; over (system, topic, filed_rank) ``filed``, the position in the recall
        base of what a contributing run put into the pool. With `by`, a DataTree:
        ``tree[group].to_dataset()`` is the cube of a group.

    Raises
    ------
    DepthError
        For a depth below 1.
    IdError
        If no topic or no document occurs on both sides, or one does twice on one side.
    RankingError
        If scores or ranks do not decide an order.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"system": "s", "topic": "1", "doc": list("ab"), "score": [2, 1]})
    >>> qrels = pd.DataFrame({"topic": ["1"], "doc": ["b"], "grade": [1]})
    >>> dict(cube(runs, qrels).sizes)
    {'system': 1, 'topic': 1, 'depth': 2, 'judged': 1, 'filed_rank': 1, 'level': 1}
    """
    options: dict[str, Any] = {
        "depth": depth,
        "ties": ties,
        "score_dtype": score_dtype,
        "topics": topics,
        "contributing": contributing,
        "pool_depth": pool_depth,
        "seed": seed,
    }
    if by is not None:
        groups = split(runs, qrels, by)
        cubes = {str(key): cube(run, qrel, **options) for key, run, qrel in groups}
        return xr.DataTree.from_dict(cubes, name=by)
    for name, value in (("depth", depth), ("pool_depth", pool_depth)):
        whole = value is None or (isinstance(value, int | np.integer) and value is not True)
        if not whole or (value is not None and value < (name == "depth")):
            raise DepthError(f"a {name} that is a whole number of at least 1", repr(value))
    table, judgments = read_table(runs), read_qrels_table(qrels)
    selection = select_topics(table, judgments, topics)
    contribution = Contribution.read(runs, table, contributing)
    cells = _fill(table, judgments, selection, contribution, options)
    return _label(table, judgments, selection, contribution, cells).assign_coords(
        group_coordinates(runs, qrels, table, selection)
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """The arrays of a cube while it is filled, chunk by chunk."""

    grade: NDArray[np.int8]
    doc: NDArray[np.int32]
    tied: NDArray[np.bool_]
    retrieved: NDArray[np.int32]
    tail: NDArray[np.int32]
    tail_size: NDArray[np.int32]
    attributes: dict[str, Any]


def _fill(
    table: RunTable,
    judgments: QrelsTable,
    selection: Selection,
    contribution: Contribution,
    options: dict[str, Any],
) -> _Cells:
    longest = selection.longest(table)
    depth = int(options["depth"] or max(longest, 1))
    shape = (len(table.systems), len(selection.labels), depth)
    cells = _Cells(
        grade=np.full(shape, EMPTY, np.int8),
        doc=np.full(shape, -1, np.int32),
        tied=np.zeros(shape, bool),
        retrieved=np.zeros(shape[:2], np.int32),
        tail=np.zeros((*shape[:2], len(selection.levels)), np.int32),
        tail_size=np.zeros(shape[:2], np.int32),
        attributes={name: options[name] for name in ("ties", "score_dtype")},
    )
    found = False
    for part in _chunks(table, selection):
        ranking = rank_table(
            part, ties=options["ties"], score_dtype=options["score_dtype"], seed=options["seed"]
        )
        judged = locate(part, judgments, selection.placed)
        found = found or bool((judged >= 0).any())
        contribution.add(part, judged)
        _scatter(cells, part, ranking, judged, judgments, selection)
    refuse_empty_join(table, judgments, found=found)
    nominal = options["pool_depth"]
    cells.attributes["pool_depth"] = contribution.depth(longest) if nominal is None else nominal
    cells.attributes["top"] = selection.top
    cells.attributes["longest"] = longest
    return cells


def _chunks(table: RunTable, selection: Selection) -> Any:
    """Yield the selected rows, whole systems, about `irframe.frames.tables.ROWS` at a time."""
    kept = selection.chosen[table.topic]
    if not kept.all():
        table = table.take(np.flatnonzero(kept))
    if len(table.system) <= tables.ROWS:
        yield table
        return
    if (np.diff(table.system) < 0).any():
        table = table.take(np.argsort(table.system, kind="stable"))
    ends = np.cumsum(np.bincount(table.system, minlength=len(table.systems)))
    start = 0
    while start < len(table.system):
        fits = int(np.searchsorted(ends, start + tables.ROWS, side="right"))
        beyond = int(np.searchsorted(ends, start, side="right"))
        stop = int(ends[max(fits - 1, beyond)])
        yield table.take(slice(start, stop))
        start = stop


def _scatter(
    cells: _Cells,
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
    last = np.flatnonzero(np.append(ranking.first[1:], True))
    cells.retrieved.ravel()[pair[last]] = np.minimum(ranking.rank[last], depth)
    inside = ranking.rank <= depth
    if inside.all():
        inside = slice(None)
    else:
        _note_tail(cells, ranking, pair, judged, judgments, selection)
    cell = (pair * depth + ranking.rank - 1)[inside]
    row = judged[inside]
    known = row >= 0
    grade = np.where(known, judgments.grade[np.maximum(row, 0)], UNJUDGED)
    cells.grade.ravel()[cell] = grade
    cells.doc.ravel()[cell] = np.where(known, selection.slot[np.maximum(row, 0)], -1)
    cells.tied.ravel()[cell] = ranking.tied[inside]


def _note_tail(
    cells: _Cells,
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


def _label(
    table: RunTable,
    judgments: QrelsTable,
    selection: Selection,
    contribution: Contribution,
    cells: _Cells,
) -> xr.Dataset:
    base = (TOPIC, JUDGED)
    pool_depth = min(cells.attributes["pool_depth"], cells.attributes["longest"])
    variables = {
        GRADE: (CELL, cells.grade),
        "doc": (CELL, cells.doc),
        "tied": (CELL, cells.tied),
        "retrieved": (CELL[:2], cells.retrieved),
        "judged_doc": (base, selection.base(judgments.doc, fill="")),
        "judged_grade": (base, selection.base(judgments.grade, fill=EMPTY)),
        "pool_rank": (base, selection.base(contribution.rank(len(judgments.grade)), fill=0)),
        "filed": ((*CELL[:2], "filed_rank"), contribution.filed(table, selection, pool_depth)),
        "tail": ((*CELL[:2], "level"), cells.tail),
        "tail_size": (CELL[:2], cells.tail_size),
    }
    coordinates = {
        SYSTEM: table.systems,
        TOPIC: selection.labels,
        DEPTH: np.arange(1, cells.grade.shape[-1] + 1),
        "level": selection.levels,
        "contributing": (SYSTEM, contribution.systems),
    }
    return xr.Dataset(variables, coordinates, cells.attributes)
