"""The cube: system x topic x depth, built once from a run frame and a qrels frame."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.collections import Collections
from irframe.cubes.contribution import Contribution
from irframe.cubes.grouping import each_group, group_coordinates
from irframe.cubes.layout import FACTS, LEVEL, PARTS, RANKINGS
from irframe.cubes.policy import Contributing, Policy, PoolDepth, Topics
from irframe.cubes.topics import Selection, count_rows, select_topics
from irframe.frames import tables
from irframe.frames.as_qrels import Qrels, as_qrels
from irframe.frames.as_runs import Runs, as_runs
from irframe.frames.ids import Codes
from irframe.frames.joining import locate, place_topics, refuse_empty_join
from irframe.frames.ranking import Ranking, rank_table
from irframe.frames.tables import QrelsTable, RunTable, read_qrels_table, read_table
from irframe.names import DEPTH, EMPTY, SYSTEM, TOPIC, UNJUDGED, VERSION, roles


@overload
def cube(
    runs: Runs,
    qrels: Qrels,
    *,
    depth: int | None = None,
    ties: str = "trec",
    score_dtype: str = "float64",
    topics: Topics = "qrels",
    contributing: Contributing = None,
    pool_depth: PoolDepth = None,
    collection: str | None = None,
    by: None = None,
    seed: int | None = None,
) -> xr.Dataset: ...
@overload
def cube(
    runs: Runs,
    qrels: Qrels,
    *,
    depth: int | None = None,
    ties: str = "trec",
    score_dtype: str = "float64",
    topics: Topics = "qrels",
    contributing: Contributing = None,
    pool_depth: PoolDepth = None,
    collection: str | None = None,
    by: str,
    seed: int | None = None,
) -> xr.DataTree: ...
def cube(
    runs: Runs,
    qrels: Qrels,
    *,
    depth: int | None = None,
    ties: str = "trec",
    score_dtype: str = "float64",
    topics: Topics = "qrels",
    contributing: Contributing = None,
    pool_depth: PoolDepth = None,
    collection: str | None = None,
    by: str | None = None,
    seed: int | None = None,
) -> xr.Dataset | xr.DataTree:
    """Build the cube of judged rankings that every metric and study reads.

    Parameters
    ----------
    runs
        Run frame, or what `as_runs` takes: topic, doc, and score or rank; usually system. Columns
        that are constant per topic or per system (track, team, ...) ride along as coordinates.
    qrels
        Qrels frame, or what `as_qrels` takes: topic, doc, grade. Columns constant per topic, too.
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
        Depth of the pool, or a mapping collection -> depth; by default the greatest depth down
        to which every document of every contributing run is judged, in each collection.
    collection
        A column of either frame that says which collection (track) a topic belongs to. A system
        takes part in a collection if it has a list there; elsewhere it has no score. Each
        collection has a pool and a top grade of its own. By default all topics are one.
    by
        A column that rides along: one cube for each of its values, with its own systems and
        topics, but judged as a part of the whole.

    Returns
    -------
    xarray.Dataset or xarray.DataTree
        Variables over (system, topic, depth): ``grade`` (int8, with the marks
        `irframe.names.UNJUDGED` and `irframe.names.EMPTY`), ``doc`` (position in the topic's
        recall base, -1 where unjudged), ``tied`` (same score as one rank above). The rest are
        coordinates. Over (system, topic): ``retrieved`` and ``unjudged``, how many documents
        the whole list has and how many of them are unjudged, and ``took_part``. Over (topic):
        ``top``, the top grade of its collection, and ``pool_depth``. Over (topic, judged), the
        recall base: ``judged_doc``, ``judged_grade`` and ``pool_rank``, the best rank in a
        contributing run, 0 where none has it; over (system, topic, filed_rank) ``filed``, the
        position in the recall base of what a contributing run put into the pool. Attributes
        say how the cube was made. With `by`, a DataTree, which has the verbs of its cubes.

    Raises
    ------
    DepthError
        For a depth below 1.
    IdError
        If no topic or no document occurs on both sides, or one does twice on one side.
    RankingError
        If scores or ranks do not decide an order.
    ParameterError
        For a collection or group that some topic or system lacks.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"system": "s", "topic": "1", "doc": list("ab"), "score": [2, 1]})
    >>> qrels = pd.DataFrame({"topic": ["1"], "doc": ["b"], "grade": [1]})
    >>> dict(cube(runs, qrels).sizes)
    {'system': 1, 'topic': 1, 'depth': 2, 'level': 1, 'filed_rank': 1, 'judged': 1}
    """
    policy = Policy(
        depth=depth,
        ties=ties,
        score_dtype=score_dtype,
        topics=topics,
        contributing=contributing,
        pool_depth=pool_depth,
        collection=collection,
        seed=seed,
    )
    if by is None:
        return build_cube(runs, qrels, policy)
    parts = {str(key): part for key, part in build_groups(runs, qrels, policy, by)}
    return xr.DataTree.from_dict(parts, name=by)


def build_groups(
    runs: Runs, qrels: Qrels, policy: Policy, by: str
) -> Iterator[tuple[Any, xr.Dataset]]:
    """Yield a cube for every group: parts of one, or, where topics share names, built apart."""
    runs, qrels = as_runs(runs), as_qrels(qrels)
    if not _share_names(qrels, by):
        yield from each_group(build_cube(runs, qrels, policy), by)
        return
    for key in pd.unique(qrels[by]):
        yield key, build_cube(runs[runs[by] == key], qrels[qrels[by] == key], policy)


def _share_names(qrels: pd.DataFrame, by: str) -> bool:
    """Return whether a topic is judged in several groups, each of which means another topic."""
    topic = roles(qrels.columns).get(TOPIC)
    if by not in qrels.columns or topic is None or by == topic:
        return False
    return len(qrels[[topic, by]].drop_duplicates()) > qrels[topic].nunique()


def build_cube(runs: Runs, qrels: Qrels, policy: Policy) -> xr.Dataset:
    """Build a cube by a policy; see `cube`."""
    table, judgments = read_table(runs), read_qrels_table(qrels)
    runs, qrels = table.frame, judgments.frame
    placed = place_topics(table, judgments)
    groups = Collections.read(runs, qrels, table, judgments, placed, policy.collection)
    selection = select_topics(table, judgments, policy.topics, groups)
    contribution = Contribution.read(runs, table, policy.contributing)
    lengths = count_rows(table)
    depth = policy.depth or selection.longest(lengths)
    cells = _fill(table, judgments, selection, contribution, policy, depth)
    took_part = selection.took_part(lengths)
    built = _label(table, judgments, selection, contribution, cells, took_part, policy)
    return built.assign_coords(group_coordinates(runs, qrels, table, selection))


@dataclass(frozen=True, eq=False)
class _Cells:
    """The arrays of a cube while it is filled, chunk by chunk."""

    grade: NDArray[np.int8]
    doc: NDArray[np.int32]
    tied: NDArray[np.bool_]
    retrieved: NDArray[np.int32]
    unjudged: NDArray[np.int32]
    tail: NDArray[np.int32]
    tail_size: NDArray[np.int32]

    @classmethod
    def empty(cls, systems: int, topics: int, depth: int, levels: int) -> "_Cells":
        shapes = {"tail": (systems, topics, levels)}
        shapes |= dict.fromkeys(RANKINGS, (systems, topics, depth))
        names = cls.__dataclass_fields__
        return cls(
            **{
                name: np.full(
                    shapes.get(name, (systems, topics)), PARTS[name].fill, PARTS[name].dtype
                )
                for name in names
            }
        )


def _fill(
    table: RunTable,
    judgments: QrelsTable,
    selection: Selection,
    contribution: Contribution,
    policy: Policy,
    depth: int,
) -> _Cells:
    cells = _Cells.empty(len(table.systems), len(selection.labels), depth, len(selection.levels))
    found = False
    for chunk in _chunks(table, selection.placed >= 0):
        row = locate(chunk, judgments, selection.placed)
        found = found or bool((row >= 0).any())
        ranking = rank_table(
            chunk, ties=policy.ties, score_dtype=policy.score_dtype, seed=policy.seed
        )
        alike = policy.ties != "rank" and policy.score_dtype == "float64"
        contribution.add(chunk, row, ranking if alike else None)
        inside = selection.chosen[chunk.topic]
        ranking = ranking if inside.all() else ranking.take(inside)
        _scatter(cells, chunk, ranking, row, judgments, selection)
    refuse_empty_join(table, judgments, found=found)
    return cells


def _chunks(table: RunTable, chosen: NDArray[np.bool_]) -> Iterator[RunTable]:
    """Yield the rows of some topics, whole systems, about `irframe.frames.tables.ROWS` a time."""
    kept = chosen[table.topic]
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
    cells.retrieved.ravel()[pair[last]] = ranking.rank[last]
    np.add.at(cells.unjudged.ravel(), pair[judged < 0], 1)
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
    took_part: NDArray[np.bool_],
    policy: Policy,
) -> xr.Dataset:
    longest = int(cells.retrieved.max(initial=0))
    pool_depth = contribution.depth(selection, longest, policy.pool_depth)
    deepest = min(int(pool_depth.max(initial=0)), longest)
    pool_rank = selection.base(contribution.rank(len(judgments.grade)), fill=0)
    values = vars(cells) | {
        "took_part": took_part,
        "judged_doc": selection.base(judgments.doc, fill=""),
        "judged_grade": selection.base(judgments.grade, fill=EMPTY),
        "pool_rank": pool_rank,
        "filed": contribution.filed(table, selection, deepest),
        "top": selection.top,
        "pool_depth": pool_depth,
        "contributing": contribution.systems,
    }
    labels = {
        SYSTEM: table.systems,
        TOPIC: selection.labels,
        DEPTH: np.arange(1, cells.grade.shape[-1] + 1),
        LEVEL: selection.levels,
    }
    judged = values["judged_grade"] != EMPTY
    known = ((pool_rank > 0) & (pool_rank <= pool_depth[:, np.newaxis]))[judged].all()
    stated = policy.pool_depth is not None or contribution.stated
    pool = "stated" if stated else "complete" if known else "unknown"
    return xr.Dataset(
        {name: (part.dims, values[name]) for name, part in RANKINGS.items()},
        labels | {name: (part.dims, values[name]) for name, part in FACTS.items()},
        policy.attributes | {"pool": pool, "irframe": VERSION},
    )
