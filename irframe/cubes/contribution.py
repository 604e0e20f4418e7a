"""What contributing runs put into the pool, seen while a cube is built."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.cubes.topics import Selection
from irframe.errors import ParameterError
from irframe.frames.contributing import (
    CONTRIBUTING,
    contributing_systems,
    filed_rank,
    pooling_rank,
)
from irframe.frames.ids import Codes
from irframe.frames.ranking import Ranking
from irframe.frames.tables import RunTable


@dataclass(eq=False)
class Contribution:
    """Ranks of judged documents in the contributing runs, as pooling reads them."""

    systems: NDArray[np.bool_]
    """Whether each system contributes."""
    stated: bool
    """Whether that was said, rather than taken for granted."""
    _judged: list[Codes] = field(default_factory=list)
    _ranks: list[Codes] = field(default_factory=list)
    _lists: list[Codes] = field(default_factory=list)
    _gap: Codes = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def read(
        cls, runs: pd.DataFrame, table: RunTable, contributing: str | Sequence[Hashable] | None
    ) -> "Contribution":
        """Find out which systems contribute; argument as for `cube`."""
        gap = np.full(len(table.topics), np.iinfo(np.int64).max)
        stated = contributing is not None or CONTRIBUTING in runs.columns
        return cls(contributing_systems(runs, table, contributing), stated, _gap=gap)

    def with_rows(
        self, judged: Codes, ranks: Codes, lists: Codes, gap: Codes | None = None
    ) -> "Contribution":
        """Return what is told of pooled rows that were seen before.

        Parameters
        ----------
        judged, ranks, lists
            Of every judged row its row in the qrels, its rank as pooling reads it, and its list,
            numbered by system and topic.
        gap
            For every topic of the runs the rank at which pooling first meets an unjudged document.
        """
        some = self._gap if gap is None else gap
        return replace(self, _judged=[judged], _ranks=[ranks], _lists=[lists], _gap=some)

    def add(self, table: RunTable, judged: Codes, ranking: Ranking | None = None) -> None:
        """Take in the rows of some systems.

        Parameters
        ----------
        table
            The rows.
        judged
            Their rows in the qrels, -1 where unjudged.
        ranking
            Their ranking, if it is by scores as pooling reads them.
        """
        if not self.systems[table.system].any():
            return
        filed = pooling_rank(table) if ranking is None else filed_rank(ranking)
        contributes = self.systems[table.system]
        pooled = contributes & (judged >= 0)
        self._judged.append(judged[pooled])
        self._ranks.append(filed[pooled].astype(np.int32))
        self._lists.append(table.group[pooled])
        open_ = contributes & (judged < 0)
        np.minimum.at(self._gap, table.topic[open_], filed[open_])

    def rank(self, judgments: int) -> NDArray[np.int32]:
        """Return the best rank of every row of the qrels, 0 where no contributing run has it."""
        best = np.full(judgments, np.iinfo(np.int32).max, np.int32)
        for judged, ranks in zip(self._judged, self._ranks, strict=True):
            np.minimum.at(best, judged, ranks)
        best[best == np.iinfo(np.int32).max] = 0
        return best

    def filed(self, topics: int, selection: Selection, depth: int) -> NDArray[np.int32]:
        """Return where the documents that runs put into a pool are in the recall base.

        Parameters
        ----------
        topics
            How many topics the runs have, by which their lists are numbered.
        selection
            The topics of the cube.
        depth
            Depth of the pool.

        Returns
        -------
        numpy.ndarray
            Slot of the document filed at each rank, -1 where it is not judged or the run does not
            contribute; shape (system, topic, filed rank).
        """
        laid = np.full((len(self.systems), len(selection.labels), max(depth, 1)), -1, np.int32)
        for judged, ranks, lists in zip(self._judged, self._ranks, self._lists, strict=True):
            inside = ranks <= depth
            system, topic = np.divmod(lists[inside], topics)
            place = selection.position[selection.placed[topic]]
            rank, slot, there = ranks[inside] - 1, selection.slot[judged[inside]], place >= 0
            laid[system[there], place[there], rank[there]] = slot[there]
        return laid

    def depth(
        self, selection: Selection, longest: int, given: int | Mapping[Hashable, int] | None
    ) -> NDArray[np.int32]:
        """Return the depth of the pool of each topic's collection, as given or as found.

        Parameters
        ----------
        selection
            The topics of the cube.
        longest
            The length of the longest list, which stands where no document is unjudged.
        given
            As for `irframe.cube`; None for the greatest depth down to which every contributing
            run is judged, on all judged topics of the collection, in the cube or not.

        Raises
        ------
        ParameterError
            If there is none for some collection.
        """
        if given is None:
            return self._found(selection, longest)
        part = selection.collections.of_topic[selection.codes]
        if not isinstance(given, Mapping):
            return np.full(len(part), given, np.int32)
        labels = selection.collections.labels
        missing = [str(label) for label in labels[np.unique(part)] if label not in given]
        if missing:
            raise ParameterError("a pool_depth for every collection", "none for", "", missing)
        return np.array([given.get(label, 0) for label in labels], np.int32)[part]

    def _found(self, selection: Selection, longest: int) -> NDArray[np.int32]:
        if not self.systems.any():
            return np.zeros(len(selection.labels), np.int32)
        inside = np.flatnonzero(selection.placed >= 0)
        complete = np.minimum(self._gap[inside] - 1, longest)
        depths = selection.collections.reduce(
            np.minimum, selection.placed[inside], complete, longest
        )
        return depths[selection.codes].astype(np.int32)
