"""At which rank every system answers every topic: the first relevant document within a depth."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import choice, places, whole
from irframe.cubes.recall_base import count_by_topic
from irframe.cubes.topics import Selection, select_topics
from irframe.errors import DepthError, IdError, InputError, ParameterError
from irframe.experiments.absence import tell_missing
from irframe.experiments.collections import Collections
from irframe.experiments.grouping import riding_columns
from irframe.experiments.lists import Lists, count_rows
from irframe.frames.as_qrels import Qrels
from irframe.frames.as_runs import Runs
from irframe.frames.documents import Side, code_documents
from irframe.frames.ids import repeated
from irframe.frames.joining import locate, place_topics, tell_unjudged
from irframe.frames.ranking import rank_table
from irframe.frames.tables import (
    QrelsTable,
    RunTable,
    read_qrels_table,
    read_table,
    refuse_twice_judged,
)
from irframe.metrics.esl import ESL
from irframe.names import DEPTH, SYSTEM, TOPIC, UNJUDGED
from irframe.studies.reading import attended, read_depth, shared_topics

ROWS = 1 << 20
"""Rows of a run frame ranked and joined at a time, whole topics, to bound memory."""

DEEPEST = 100
"""Rank below which a document counts as not returned, if nobody says otherwise."""

Relevant = Literal["only", "first"]
RELEVANT: tuple[Relevant, ...] = get_args(Relevant)
"""What a topic with several relevant documents is: an error, or answered by the first."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The ranks at which systems answer topics, for the topics with a relevant document."""

    rank: NDArray[np.int32]
    """Rank of the first relevant document, 0 where not returned; shape (system, topic)."""
    listed: NDArray[np.bool_]
    """Whether the system has any document for the topic; shape (system, topic)."""
    systems: pd.Index
    topics: pd.Index
    depth: int
    skipped: int
    """How many topics are left out because they have no relevant document."""
    there: NDArray[np.bool_] | None = None
    """Whether the system took part in the topic, shape (system, topic); by default everywhere."""
    topic_name: str = TOPIC
    """What the caller calls topics."""

    def position(self, system: Hashable) -> int:
        """Return the position of a system, or raise listing those there are."""
        (place,) = places("systems of the runs compared", [system], list(self.systems))
        return place

    def shared(self, rows: NDArray[Any]) -> "Answers":
        """Return the answers on the topics in which some systems took part, warning of others."""
        if self.there is None or (there := self.there[rows]).all():
            return self
        return self.part(shared_topics(there, IdError))

    def part(self, topics: NDArray[Any], skipped: int | None = None) -> "Answers":
        """Return the answers on some topics."""
        return replace(
            self,
            rank=self.rank[:, topics],
            listed=self.listed[:, topics],
            topics=self.topics[topics],
            there=None if self.there is None else self.there[:, topics],
            skipped=self.skipped if skipped is None else skipped,
        )

    def groups(self, group: NDArray[Any], kept: NDArray[Any]) -> Iterator[tuple[Any, "Answers"]]:
        """Yield the answers of every group with the systems that have a list there.

        Parameters
        ----------
        group
            Group of every topic, left out or not.
        kept
            Which topics are not left out.
        """
        of_answer = group[kept]
        for key in pd.unique(of_answer):
            skipped = int((group == key).sum() - (of_answer == key).sum())
            part = self.part(np.flatnonzero(of_answer == key), skipped)
            rows = np.flatnonzero(part.listed.any(axis=1))
            yield (
                key,
                replace(
                    part, rank=part.rank[rows], listed=part.listed[rows], systems=part.systems[rows]
                ),
            )


def answers_of_cube(
    cube: xr.Dataset, *, depth: int | None, rel: int, relevant: Relevant
) -> Answers:
    """Read answers off a cube; `depth` is by default 100 or the cube's, whichever is less."""
    deepest = read_depth(cube, depth)
    depth = min(DEEPEST, deepest) if depth is None else deepest
    _refuse_options(rel, relevant)
    cube = attended(cube)
    count = count_by_topic(cube, cube["judged_grade"].to_numpy() >= rel)
    kept = _kept(count, cube.indexes[TOPIC], relevant)
    grade = cube["grade"].variable[:, kept, :depth]
    first = xr.apply_ufunc(
        _first,
        grade,
        input_core_dims=[[DEPTH]],
        kwargs={"rel": rel},
        dask="parallelized",
        output_dtypes=[np.int32],
        dask_gufunc_kwargs={"allow_rechunk": True},
    )
    return Answers(
        rank=first.to_numpy(),
        listed=cube["retrieved"][:, kept].to_numpy() > 0,
        systems=cube.indexes[SYSTEM],
        topics=cube.indexes[TOPIC][kept],
        depth=depth,
        skipped=len(count) - len(kept),
        there=cube["took_part"][:, kept].to_numpy(),
    )


def answers_of_runs(
    runs: Runs,
    qrels: Qrels,
    *,
    depth: int | None,
    rel: int,
    relevant: Relevant,
    by: str | None,
    systems: Sequence[Hashable] | None,
    ranking: dict[str, Any],
    topics: str | Sequence[Hashable],
) -> dict[Any, Answers]:
    """Find the answers in frames, a block of topics at a time; `depth` is by default 100.

    Those of every group, or under the key None those of all topics.
    """
    _refuse_options(rel, relevant)
    if ranking["ties"] == "mean":
        raise ParameterError("ties that give every document one rank", "ties='mean'")
    depth = DEEPEST if depth is None else whole("depth", depth, low=1, error=DepthError)
    table, judgments = read_table(runs), read_qrels_table(qrels)
    selection, group = _selected(table, judgments, topics, by)
    place = selection.position[judgments.topic[judgments.grade >= rel]]
    count = np.bincount(place[place >= 0], minlength=len(selection.labels))
    if (count > 1).any():
        (codes,) = code_documents(Side(judgments.topic, judgments.doc))
        refuse_twice_judged(judgments, repeated(codes))
    kept = _kept(count, selection.labels, relevant)
    answers = Answers(
        rank=np.zeros((len(table.systems), len(kept)), np.int32),
        listed=np.zeros((len(table.systems), len(kept)), bool),
        systems=table.systems,
        topics=selection.labels[kept],
        depth=depth,
        skipped=len(count) - len(kept),
        topic_name=str(table.columns[TOPIC]),
    )
    wanted = [
        answers.position(system) for system in (table.systems if systems is None else systems)
    ]
    _search(answers, table, judgments, selection, np.unique(wanted), kept, rel, ranking)
    return {None: answers} if group is None else dict(answers.groups(group, kept))


def _selected(
    table: RunTable,
    judgments: QrelsTable,
    topics: str | Sequence[Hashable],
    by: str | None,
) -> tuple[Selection, NDArray[Any] | None]:
    """Return the topics and the group of each, telling of lists that are missing."""
    one = Collections.one(len(judgments.topics))
    placed = place_topics(table, judgments)
    lists = Lists(table.systems, table.topics, placed, count_rows(table), one)
    selection = select_topics(lists, judgments, topics)
    group = None if by is None else _group(table, judgments, selection, by)
    tell_missing(lists, selection.labels, selection.codes, group)
    return selection, group


def _search(
    answers: Answers,
    table: RunTable,
    judgments: QrelsTable,
    selection: Selection,
    systems: NDArray[Any],
    kept: NDArray[Any],
    rel: int,
    ranking: dict[str, Any],
) -> None:
    """Write the ranks of answers, a block of topics at a time."""
    index = np.full(len(selection.labels) + 1, -1)
    index[kept] = np.arange(len(kept))
    column = index[selection.position]
    found = False
    for part, judged in _blocks(table, judgments, column >= 0, selection.placed, systems):
        order = rank_table(part, **ranking)
        row = locate(part, judged, selection.placed)[order.order]
        found = found or bool((row >= 0).any())
        list_of = part.system.astype(np.int64) * len(kept) + column[selection.placed[part.topic]]
        list_of = list_of[order.order]
        answers.listed.ravel()[list_of[order.first]] = True
        grade = np.where(row >= 0, judged.grade[np.maximum(row, 0)], UNJUDGED)
        hit = np.flatnonzero((grade >= rel) & (order.rank <= answers.depth))[::-1]
        answers.rank.ravel()[list_of[hit]] = order.rank[hit]
    tell_unjudged(table, judgments, found=found)


def _blocks(
    table: RunTable,
    judgments: QrelsTable,
    chosen: NDArray[np.bool_],
    placed: NDArray[Any],
    systems: NDArray[Any],
) -> Iterator[tuple[RunTable, QrelsTable]]:
    """Yield rows of some systems and the judgments of the same topics, some topics at a time."""
    topics = len(chosen)
    size = np.bincount(placed[placed >= 0], np.bincount(table.topic)[placed >= 0], topics)
    block = np.where(chosen, np.cumsum(size * chosen) // ROWS, -1).astype(np.int16)
    of_row = np.append(block, np.int16(-1))[placed][table.topic]
    if len(systems) < len(table.systems):
        of_row[~np.isin(table.system, systems)] = -1
    of_judgment = block[judgments.topic]
    for number in np.unique(block[block >= 0]):
        rows = np.flatnonzero(of_row == number)
        judged = np.flatnonzero(of_judgment == number)
        if len(rows):
            yield (
                table.take(rows),
                replace(
                    judgments,
                    topic=judgments.topic[judged],
                    doc=judgments.doc.take(pa.array(judged)),
                    grade=judgments.grade[judged],
                ),
            )


def _first(grade: NDArray[np.int8], rel: int) -> NDArray[np.int32]:
    """Return the rank of the first relevant document of every list, 0 where there is none."""
    found = np.zeros(grade.shape[:-1], np.int32)
    for row, lists in zip(found, grade, strict=True):
        relevant = lists >= rel
        row[...] = np.where(relevant.any(axis=-1), np.argmax(relevant, axis=-1) + 1, 0)
    return found


def _kept(count: NDArray[Any], topics: pd.Index, relevant: Relevant) -> NDArray[Any]:
    """Return the topics that have a relevant document, refusing several by default."""
    several = np.flatnonzero(count > 1)
    if len(several) and relevant == "only":
        raise InputError(
            "one relevant document per topic",
            f"several for {len(several)} of {len(count)} topics",
            "pass relevant='first' to count the first one that a run returns",
            topics[several],
        )
    kept = np.flatnonzero(count)
    if not len(kept):
        raise InputError("topics with a relevant document", f"none among {len(count)}")
    return kept


def _group(table: RunTable, judgments: QrelsTable, selection: Selection, by: str) -> NDArray[Any]:
    known = riding_columns(table, judgments, selection.placed, selection.codes)
    groups = {name: keys for name, (dim, keys) in known.items() if dim == TOPIC}
    if by not in groups:
        _refuse_group(by, sorted(groups))
    missing = selection.labels[pd.isna(groups[by])]
    if len(missing):
        raise ParameterError("a group for every topic", "none for", "", missing)
    return np.asarray(groups[by])


def _refuse_group(by: str, known: list[str]) -> None:
    found = f"{by!r}; there are" if known else f"{by!r}, and there is none"
    raise ParameterError("by to be a coordinate of the topics", found, "", known)


def _refuse_options(rel: int, relevant: Relevant) -> None:
    ESL(rel=rel)
    choice("relevant", relevant, RELEVANT)
