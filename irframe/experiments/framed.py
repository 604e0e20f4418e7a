"""Run frames, of any number of systems and any size, read into hits."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.experiments.hits import Hits
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import Policy
from irframe.experiments.pool import Pool
from irframe.frames.as_runs import Runs
from irframe.frames.contributing import (
    CONTRIBUTING,
    contributing_systems,
    filed_rank,
    pooling_rank,
)
from irframe.frames.ids import Codes, grouped
from irframe.frames.joining import locate, place_topics
from irframe.frames.ranking import Ranking, rank_table
from irframe.frames.tables import RunTable, read_table
from irframe.frames.ties import TIE_POLICIES

NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Framed:
    """A run frame, joined to judgments and ranked."""

    table: RunTable
    judgments: Judgments
    policy: Policy
    placed: Codes
    """For every topic of the runs its code in the qrels, -1 where it is not judged."""
    judged: Codes
    """For every row of the runs its row in the qrels, -1 where it is unjudged."""
    ranking: Ranking

    @classmethod
    def of(cls, runs: Runs, judgments: Judgments, policy: Policy, seed: int) -> "Framed":
        """Read, join and rank a run frame."""
        table = read_table(runs)
        placed = place_topics(table, judgments.table)
        judged = locate(table, judgments.table, placed)
        ranking = rank_table(table, ties=policy.ties, score_dtype=policy.score_dtype, seed=seed)
        return cls(table, judgments, policy, placed, judged, ranking)

    @property
    def unjudged_topics(self) -> pd.Index:
        """Topics of the runs without judgments."""
        labels: pd.Index = self.table.topics[self.placed < 0]
        return labels

    def hits(self) -> Hits:
        """Return what the lists of the topics that are scored hold of the judgments."""
        topics, systems = len(self.judgments.topics), len(self.table.systems)
        place = np.append(self.judgments.place_of, -1)[self.placed][self.table.topic]
        of = (self.table.system.astype(np.int64) * topics + place)[self.ranking.order]
        kept = np.flatnonzero(place[self.ranking.order] >= 0)
        kept = kept[grouped(of[kept])]
        length = np.bincount(of[kept], minlength=systems * topics).reshape(systems, topics)
        row = self._rows(self.judged[self.ranking.order][kept])
        hit = np.flatnonzero(row >= 0)
        shares = TIE_POLICIES[self.policy.ties].shares
        tied = self.ranking.tied[kept] if shares else None
        return Hits(length, of[kept][hit], self.ranking.rank[kept][hit], row[hit], tied)

    def _rows(self, judged: Codes) -> Codes:
        """Return rows of the judgments, given those of the qrels, -1 for none."""
        return np.append(self.judgments.here, -1)[judged]

    def pool(self, longest: int) -> tuple[Pool, bool]:
        """Return what contributing runs put into the pool, and whether that was stated.

        Parameters
        ----------
        longest
            The length of the longest list.
        """
        frame, policy = self.table.frame, self.policy
        systems = contributing_systems(frame, self.table, policy.contributing)
        alike = policy.ties != "rank" and policy.score_dtype == "float64"
        filed = filed_rank(self.ranking) if alike else pooling_rank(self.table)
        known = systems[self.table.system] & (self.placed[self.table.topic] >= 0)
        rank = self._best(filed, known & (self.judged >= 0))
        gap = filed[known & (self.judged < 0)].min(initial=longest + 1)
        complete = min(int(gap) - 1, longest) if systems.any() else 0
        given: Any = policy.pool_depth
        stated = policy.contributing is not None or CONTRIBUTING in frame.columns
        return Pool(rank, complete if given is None else given), stated or given is not None

    def _best(self, filed: Codes, some: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return the best rank of each judged document among some rows, 0 for none."""
        best: NDArray[Any] = np.full(len(self.judgments.row) + 1, NEVER, np.int32)
        np.minimum.at(best, self._rows(self.judged[some]), filed[some].astype(np.int32))
        best[best == NEVER] = 0
        return best[:-1]
