"""Lists as callers have them, read into keys to be sorted and the judged documents among them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, repeat
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.experiments.judgments import Judgments
from irframe.experiments.ties import as_key
from irframe.files.ids import Codes
from irframe.names import ScoreDtype

Dictionaries = Sequence[Mapping[Any, Any]]
NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Listed:
    """Lists by the judged topics, none of them ranked yet."""

    judgments: Judgments
    systems: pd.Index
    """The label of the run."""
    key: NDArray[np.floating[Any]]
    """What is sorted, the smaller the earlier, as filed; infinite past the end of a list, shape
    (topic, longest)."""
    length: NDArray[np.int64]
    """How long each list is, shape (topic,)."""

    @property
    def judged(self) -> tuple[Codes, Array]:
        """The judged documents that were retrieved, and the key of each of them."""
        raise NotImplementedError

    @property
    def row(self) -> Codes:
        """The judged documents that were retrieved."""
        return self.judged[0]

    @property
    def key_of_row(self) -> Array:
        """The key of each of them."""
        return self.judged[1]

    @property
    def of(self) -> Codes:
        """The list of every judged document."""
        return self.judgments.topic[self.row]

    unnamed: ClassVar = False
    """Whether there are documents without a name, which are the last of those of equal scores."""

    def documents(self, used: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Return the documents of some lists, list by list as filed; None for one unnamed."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Named(Listed):
    """Lists of names: a dictionary document -> score for each topic."""

    lists: Dictionaries
    again: bool
    """Whether runs were read before, and so more are to be expected."""

    @cached_property
    def judged(self) -> tuple[Codes, Array]:
        """The judged documents that were retrieved, and the key of each of them.

        A list is asked for the judged documents, unless there are so many more of these that it is
        less to number them, once for all runs, and to ask for those of the list.
        """
        lists, judgments, length = self.lists, self.judgments, self.length
        short = (judgments.count > 2 * length) & self.again
        if not short.any():
            return _asked(lists, judgments, self.key.dtype)
        some = ((place, lists[place]) for place in np.flatnonzero(short).tolist())
        code = judgments.rows_among(some, int(length[short].sum()))
        hit = code >= 0
        key = self.key[np.arange(self.key.shape[1]) < (length * short)[:, np.newaxis]][hit]
        if short.all():
            return code[hit], key
        row, mine = _asked(lists, judgments, key.dtype, ~short)
        return np.concatenate([row, code[hit]]), np.concatenate([mine, key])

    def documents(self, used: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Return the documents of some lists; see `Listed`."""
        names = chain.from_iterable([self.lists[place] for place in np.flatnonzero(used).tolist()])
        return np.fromiter(names, object, int(self.length[used].sum()))


def read_lists(
    lists: Dictionaries,
    judgments: Judgments,
    dtype: ScoreDtype,
    systems: pd.Index,
    *,
    again: bool = False,
) -> Named | None:
    """Read a dictionary of scores for each topic; None if something in them is not as it should be.

    Parameters
    ----------
    lists
        Document -> score, for every judged topic.
    judgments
        The judgments.
    dtype
        The precision in which scores are equal.
    systems
        The label of the run.
    again
        Whether runs were read before.
    """
    length = np.fromiter(map(len, lists), np.int64, len(lists))
    values = chain.from_iterable([each.values() for each in lists])
    try:
        score = np.fromiter(values, np.float64, int(length.sum()))
    except (TypeError, ValueError, OverflowError):
        return None
    if np.isnan(score.min(initial=np.inf)):
        return None
    key = as_key(score, dtype)
    return Named(judgments, systems, as_matrix(key, length), length, lists, again)


def as_matrix(values: Array, length: NDArray[np.int64], past: float = np.inf) -> Array:
    """Return values with a row for every list, and what stands past the end of one."""
    longest = int(length.max(initial=0))
    if len(values) == longest * len(length):
        return values.reshape(len(length), longest)
    inside = np.arange(longest) < length[:, np.newaxis]
    found = np.full(inside.shape, past, values.dtype)
    found[inside] = values
    return found


def _asked(
    lists: Dictionaries, judgments: Judgments, dtype: Any, chosen: NDArray[np.bool_] | None = None
) -> tuple[Codes, Array]:
    """Ask lists for their judged documents, all or those chosen."""
    pairs: Iterable[tuple[Mapping[Any, Any], list[Any]]]
    pairs, size = zip(lists, judgments.lists, strict=True), len(judgments.row)
    if chosen is not None:
        pairs, size = compress(pairs, chosen.tolist()), int(judgments.count[chosen].sum())
    scores = chain.from_iterable([map(each.get, names, repeat(NAN)) for each, names in pairs])
    found = np.fromiter(scores, np.float64, size)
    there = np.flatnonzero(found == found)  # noqa: PLR0124 - those that are a number
    row = there if chosen is None else np.flatnonzero(chosen[judgments.topic])[there]
    return row, as_key(found[there], dtype)
