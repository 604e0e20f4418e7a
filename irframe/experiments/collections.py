"""Collections of topics in one cube: tracks that were judged apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import one_column
from irframe.errors import IdError, ParameterError
from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.files.ids import Codes


@dataclass(frozen=True, eq=False)
class Collections:
    """Which collection every topic of a qrels frame belongs to."""

    of_topic: Codes
    """Code of the collection of each topic, -1 where it is not known."""
    labels: pd.Index
    """The collections."""
    name: str = ""
    """The column that names them."""
    told: NDArray[np.bool_] | None = None
    """Of every system and collection, whether rows of the runs are said to be of it."""

    @classmethod
    def one(cls, topics: int) -> "Collections":
        """Put all topics into one collection."""
        return cls(np.zeros(topics, np.intp), pd.Index(["all"]))

    @classmethod
    def of_qrels(cls, judgments: QrelsTable, name: str | None) -> "Collections":
        """Read a column of the qrels alone, without one put all topics together."""
        if name is None:
            return cls.one(len(judgments.topics))
        nobody = np.zeros(0, np.int64)
        return cls.read(
            judgments.frame.iloc[:0, :0], judgments.frame, None, judgments, nobody, name
        )

    @classmethod
    def read(
        cls,
        runs: pd.DataFrame,
        qrels: pd.DataFrame,
        table: RunTable | None,
        judgments: QrelsTable,
        placed: Codes,
        name: str | None,
    ) -> "Collections":
        """Read a column of the runs, the qrels, or both.

        Parameters
        ----------
        runs, qrels
            The frames as the caller gave them.
        table, judgments
            The frames, coded; no runs where none of their columns counts.
        placed
            Code in the qrels of each topic of the runs, -1 where it is not judged.
        name
            The column; None for one collection of everything.

        Raises
        ------
        ParameterError
            If neither frame has the column.
        IdError
            If a topic belongs to several collections.
        """
        if name is None:
            return cls.one(len(judgments.topics))
        one_column("collection", name)
        sides = []
        if name in qrels.columns:
            sides.append((qrels[name], judgments.topic))
        if table is not None and name in runs.columns:
            sides.append((runs[name], placed[table.topic]))
        if not sides:
            known = map(str, [*runs.columns, *qrels.columns])
            raise ParameterError("collection to be a column of the frames", repr(name), "", known)
        values, topic = (pd.concat([s for s, _ in sides]), np.concatenate([t for _, t in sides]))
        codes, labels = pd.factorize(values)
        told = None
        if table is not None and name in runs.columns:
            told = np.zeros((len(table.systems), len(labels)), bool)
            ours, known = codes[-len(runs) :], codes[-len(runs) :] >= 0
            told[table.system[known], ours[known]] = True
        known_rows = (codes >= 0) & (topic >= 0)
        pairs = np.unique(np.stack([topic[known_rows], codes[known_rows]]), axis=1)
        again = judgments.topics[np.unique(pairs[0][1:][np.diff(pairs[0]) == 0])]
        if len(again):
            advice = "make topic ids unique, for example by putting the name in front"
            wanted = f"every topic in one collection ({name})"
            raise IdError(wanted, f"{len(again)} in several", advice, again)
        of_topic = np.full(len(judgments.topics), -1)
        of_topic[pairs[0]] = pairs[1]
        return cls(of_topic, pd.Index(labels), name, told)

    def told_of(self, codes: Codes) -> pd.CategoricalIndex | None:
        """Return the collection of some topics, among all that there are, where they are told."""
        if not self.name:
            return None
        of_topic = pd.Categorical.from_codes(self.of_topic[codes], self.labels)
        return pd.CategoricalIndex(of_topic)

    def tops(self, topic: Codes, grade: Any) -> NDArray[np.int64]:
        """Return the highest grade of the collection of every topic, at least 1."""
        return self.reduce(np.maximum, topic, grade, 1)

    def refuse_unknown(self, labels: pd.Index, codes: Codes) -> None:
        """Raise if chosen topics belong to no known collection."""
        unknown = labels[self.of_topic[codes] < 0]
        if len(unknown):
            wanted = f"a collection ({self.name}) for every topic"
            advice = f"add the column {self.name!r} to the qrels"
            raise ParameterError(wanted, f"none for {len(unknown)}", advice, unknown)

    def reduce(self, best: np.ufunc, topic: Codes, values: Any, start: int) -> NDArray[np.int64]:
        """Reduce values of topics over collections, and return the result for each topic.

        Parameters
        ----------
        best
            ``numpy.maximum`` or ``numpy.minimum``.
        topic
            Topic of each value.
        values
            Values.
        start
            Result of a collection without any.
        """
        total = np.full(len(self.labels) + 1, start, np.int64)
        best.at(total, self.of_topic[topic], np.asarray(values, np.int64))
        total[-1] = start
        return total[self.of_topic]
