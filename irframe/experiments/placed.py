"""Lists of positions: arrays that name topics and documents by where these stand."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.errors import IdError, ParameterError, RankingError
from irframe.experiments.judgments import Judgments
from irframe.experiments.listed import Listed, as_matrix
from irframe.experiments.ties import as_key
from irframe.files.ids import Codes, grouped
from irframe.names import ScoreDtype


@dataclass(frozen=True, eq=False)
class Places:
    """What positions of documents mean, and which of them are judged for which topic."""

    judgments: Judgments
    given: Iterable[Any]
    """Documents besides the judged ones."""

    @cached_property
    def docs(self) -> pd.Index:
        """The documents, judged ones first."""
        found: pd.Index = pd.Index([*self.judgments.names, *self.given]).unique()
        return found

    @cached_property
    def names(self) -> NDArray[np.object_]:
        """The same as an array."""
        return self.docs.to_numpy(object)

    @cached_property
    def _of_row(self) -> Codes:
        """The document of each judgment."""
        return np.asarray(self.docs.get_indexer(pd.Index(self.judgments.names)), np.int32)

    @cached_property
    def _first(self) -> Codes:
        """The first judgment of each document, -1 for those that have none, and for no document."""
        found = np.full(len(self.docs) + 1, -1, np.int32)
        found[self._of_row[::-1]] = np.arange(len(self._of_row), dtype=np.int32)[::-1]
        return found

    @cached_property
    def _several(self) -> NDArray[np.bool_]:
        """Whether each document is judged for several topics."""
        return np.bincount(self._of_row, minlength=len(self.docs) + 1) > 1

    @cached_property
    def _ordered(self) -> tuple[NDArray[np.int64], Codes]:
        """Documents and topics of judgments as one number, ascending, and the row of each."""
        pair = self._pair(self.judgments.topic, self._of_row)
        order = np.argsort(pair)
        return pair[order], order

    def _pair(self, topic: Codes, doc: Codes) -> NDArray[np.int64]:
        return topic.astype(np.int64) * len(self.docs) + doc

    def rows(self, topic: Codes, doc: Codes) -> Codes:
        """Return the judgments of topics and documents, -1 where there is none."""
        row = self._first[doc]
        wrong = np.flatnonzero(self.judgments.topic[row] != topic)
        others = wrong[self._several[doc[wrong]]]
        row[wrong] = -1
        if len(others):
            known, judged = self._ordered
            pair = self._pair(topic[others], doc[others])
            place = np.minimum(np.searchsorted(known, pair), len(known) - 1)
            row[others] = np.where(known[place] == pair, judged[place], -1)
        return row


@dataclass(frozen=True, eq=False)
class Placed(Listed):
    """Lists of positions."""

    found: tuple[Codes, Array]
    """The judged documents that were retrieved, and the key of each of them."""
    places: Places
    doc: Codes
    """The document of each row, list by list, as filed; -1 for one that has no name."""

    unnamed: ClassVar = True

    @property
    def judged(self) -> tuple[Codes, Array]:
        """The judged documents that were retrieved, and the key of each of them."""
        return self.found

    def documents(self, used: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Return the documents of some lists; see `Listed`."""
        doc = self.doc if used.all() else self.doc[np.repeat(used, self.length)]
        found = self.places.names[doc]
        found[doc < 0] = None
        return found


def read_places(
    places: Places, topic: Codes, doc: Codes, score: Array, dtype: ScoreDtype, systems: pd.Index
) -> Placed:
    """Read lists of positions.

    Parameters
    ----------
    places
        What positions mean.
    topic, doc, score
        Of each row, in any order; rows of topic -1 are left out, documents at -1 have no name.
    dtype
        The precision in which scores are equal.
    systems
        The label of the run.

    Raises
    ------
    ParameterError
        For positions of nothing.
    RankingError
        For missing scores.
    IdError
        For documents that a list has twice.
    """
    judgments = places.judgments
    refuse_beyond("topic", topic, len(judgments.topics))
    refuse_beyond("doc", doc, len(places.docs))
    if len(topic) and topic.min() < 0:
        kept = np.flatnonzero(topic >= 0)
        topic, doc, score = topic[kept], doc[kept], score[kept]
    if (topic[1:] < topic[:-1]).any():
        order = grouped(topic)
        topic, doc, score = topic[order], doc[order], score[order]
    _refuse_missing(places, topic, doc, score)
    length = np.bincount(topic, minlength=len(judgments.topics))
    _refuse_again(places, as_matrix(doc, length, -1))
    key = as_key(score, dtype)
    row = places.rows(topic, doc)
    hit = np.flatnonzero(row >= 0)
    keys = as_matrix(key, length)
    return Placed(judgments, systems, keys, length, (row[hit], key[hit]), places, doc)


def refuse_beyond(role: str, place: Codes, size: int) -> None:
    """Raise for positions of nothing; -1 stands for any other."""
    beyond = place[(place < -1) | (place >= size)]
    if len(beyond):
        advice = "give -1 for any other" if role == "doc" else ""
        wanted = f"{role} positions from -1 to {size - 1}, in {role}s of the scorer"
        raise ParameterError(wanted, "", advice, beyond)


def _refuse_missing(places: Places, topic: Codes, doc: Codes, score: Array) -> None:
    missing = np.flatnonzero(np.isnan(score))
    if len(missing):
        named = _described(places, topic[missing], doc[missing])
        raise RankingError("a score in every row", f"{len(missing)} missing", "", named)


def _refuse_again(places: Places, doc: Array) -> None:
    """Raise if there is a document twice in a list, given the documents by lists."""
    ordered = np.sort(doc, axis=1)
    again = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if again.any():
        named = _described(places, np.nonzero(again)[0], ordered[:, 1:][again])
        found = f"{len(named)} listed again"
        raise IdError("every document once in a list", found, "drop the duplicates", named)


def _described(places: Places, topic: Codes, doc: Codes) -> list[str]:
    """Return what identifies some rows, for messages."""
    names = np.append(places.names, "-1")[doc]
    return [f"{a} {b}" for a, b in zip(places.judgments.topics[topic], names, strict=True)]
