"""At which rank every system answers every topic: the first relevant document within a depth."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import choice, places, whole
from irframe.cubes.verb import attended, read_depth, shared_topics
from irframe.cubes.view import experiment_of
from irframe.errors import DepthError, IdError, InputError, ParameterError
from irframe.experiments.group_columns import Groups
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import TIE_POLICIES, Policy
from irframe.experiments.scorer_input import Reader
from irframe.files.as_runs import Qrels, Runs
from irframe.metrics.esl import ESL
from irframe.names import DEPTH, SYSTEM, TOPIC

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

    def of_systems(self, rows: NDArray[Any]) -> "Answers":
        """Return the answers of some systems."""
        return replace(
            self, rank=self.rank[rows], listed=self.listed[rows], systems=self.systems[rows]
        )

    def groups(self, groups: Groups, kept: NDArray[Any]) -> Iterator[tuple[Any, "Answers"]]:
        """Yield the answers of every group: of topics with the systems that have a list there.

        Parameters
        ----------
        groups
            The groups of systems, or of topics, left out or not.
        kept
            Which topics are not left out.
        """
        if groups.dim == SYSTEM:
            for key in pd.unique(groups.keys):
                yield key, self.of_systems(np.flatnonzero(groups.keys == key))
            return
        of_answer = groups.keys[kept]
        for key in pd.unique(of_answer):
            skipped = int((groups.keys == key).sum() - (of_answer == key).sum())
            part = self.part(np.flatnonzero(of_answer == key), skipped)
            yield key, part.of_systems(np.flatnonzero(part.listed.any(axis=1)))


def answers_of_cube(
    cube: xr.Dataset, *, depth: int | None, rel: int, relevant: Relevant
) -> Answers:
    """Read answers off a cube; `depth` is by default 100 or the cube's, whichever is less."""
    deepest = read_depth(cube, depth)
    depth = min(DEEPEST, deepest) if depth is None else deepest
    _refuse_options(rel, relevant)
    cube = attended(cube)
    experiment = experiment_of(cube)
    count = experiment.judgments.count_by_topic(experiment.judgments.grade >= rel)
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
        there=experiment.there[:, kept],
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
    policy: Policy,
) -> dict[Any, Answers]:
    """Find the answers in frames; `depth` is by default 100.

    Those of every group, or under the key None those of all topics.
    """
    _refuse_options(rel, relevant)
    if TIE_POLICIES[policy.ties].shares:
        raise ParameterError("ties that give every document one rank", f"ties={policy.ties!r}")
    depth = DEEPEST if depth is None else whole("depth", depth, low=1, error=DepthError)
    judgments = Judgments.of(qrels, (), policy.topics)
    reader = Reader(judgments, policy, (), pooled=False)
    found, groups = reader.read_table(runs, by, systems)
    judgments, hits = found.judgments, found.hits
    count = judgments.levels_of[:, judgments.levels >= rel].sum(axis=1)
    kept = _kept(count, judgments.topics, relevant)
    some = np.flatnonzero((hits.rank <= depth) & (judgments.grade[hits.row] >= rel))
    rank = np.full(hits.length.shape, depth + 1, np.int32)
    np.minimum.at(rank.ravel(), hits.of[some], hits.rank[some])
    rank[rank > depth] = 0
    answers = Answers(
        rank=np.ascontiguousarray(rank[:, kept]),
        listed=hits.length[:, kept] > 0,
        systems=found.systems,
        topics=judgments.topics[kept],
        depth=depth,
        skipped=len(count) - len(kept),
        topic_name=str(found.names[1]),
    )
    return {None: answers} if groups is None else dict(answers.groups(groups, kept))


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


def _refuse_options(rel: int, relevant: Relevant) -> None:
    ESL(rel=rel)
    choice("relevant", relevant, RELEVANT)
