"""The documents that may be judged, topic by topic, and who retrieved them at which rank."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import memory, room


@dataclass(frozen=True, eq=False)
class Pool:
    """The documents that may be judged, of each topic in the order of their names."""

    rank: Array
    """Rank in every list, 0 where it is not there; shape (topic, document, system)."""
    took_part: Array
    """Which systems took part, shape (topic, system)."""
    keys: Array
    """Random words of the systems, by which ties are decided; shape (topic, system)."""

    @cached_property
    def listed(self) -> Array:
        """Whether a document is in a list, shape (topic, document, system)."""
        return self.rank > 0

    @cached_property
    def there(self) -> Array:
        """Where there is a document at all, shape (topic, document)."""
        return np.asarray(self.listed.any(axis=-1))

    @cached_property
    def best_rank(self) -> Array:
        """The best rank of every document, 0 where there is none; shape (topic, document)."""
        far = np.where(self.listed, self.rank, np.iinfo(self.rank.dtype).max)
        return np.where(self.there, far.min(axis=-1, initial=np.iinfo(self.rank.dtype).max), 0)

    @cached_property
    def runs(self) -> Array:
        """How many lists have a document, shape (topic, document)."""
        return np.asarray(self.listed.sum(axis=-1))

    @cached_property
    def runs_there(self) -> Array:
        """How many lists have a document at its best rank, shape (topic, document)."""
        return np.asarray((self.rank == self.best_rank[..., np.newaxis]).sum(axis=-1))

    @cached_property
    def weight(self) -> Array:
        """One over the square root of the rank, 0 where it is not there; as `rank`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(self.listed, 1 / np.sqrt(self.rank), 0.0))

    @cached_property
    def leverage(self) -> Array:
        """Standard deviation of the weights over systems that took part, (topic, document)."""
        inside = self.took_part[:, np.newaxis]
        number = np.maximum(inside.sum(axis=-1), 1)
        mean = self.weight.sum(axis=-1) / number
        apart = np.where(inside, self.weight - mean[..., np.newaxis], 0.0)
        return np.asarray(np.sqrt((apart**2).sum(axis=-1) / number))

    def lot(self, turn: Array) -> Array:
        """Return random words of the systems at some turn of each topic, the smallest first."""
        return scrambled(self.keys + turn.astype(np.uint64)[:, np.newaxis])

    def likely(self, precision: Array) -> Array:
        """Return how likely documents are relevant, given the precision of the systems.

        Parameters
        ----------
        precision
            Of every system so far, shape (topic, system).

        Returns
        -------
        numpy.ndarray
            The precision of the systems that have a document, by its weight in their lists, 0
            where there is no document; shape (topic, document).
        """
        total = self.weight.sum(axis=-1)
        summed = np.matmul(self.weight, precision[..., np.newaxis])[..., 0]
        shares: Array = np.divide(summed, total, out=np.zeros_like(total), where=total > 0)
        return shares

    def tally(self, judged: Array, relevant: Array) -> tuple[Array, Array]:
        """Return the weight of what is relevant, and of all that is judged, in every list.

        Parameters
        ----------
        judged, relevant
            Which documents are judged, and how relevant they are; shape (topic, document).

        Returns
        -------
        tuple of numpy.ndarray
            Two of shape (topic, system).
        """
        rows = np.stack([judged * relevant, judged.astype(float)], axis=1)
        found, seen = np.moveaxis(np.matmul(rows, self.weight), 1, 0)
        return found, seen


def pool_of(listed: Array, took_part: Array, keys: Array) -> tuple[Pool, Array]:
    """Return the pool of some lists, and which document is at every place of it.

    Parameters
    ----------
    listed
        The document at each rank, numbered in the order of names within its topic, -1 where there
        is none that may be judged; shape (system, topic, rank).
    took_part, keys
        As of a `Pool`.

    Returns
    -------
    tuple of Pool and numpy.ndarray
        The pool; and the number of every document of it, -1 where there is none, shape (topic,
        document).
    """
    system, topic, rank = np.nonzero(listed >= 0)
    numbers = 1 + int(listed.max(initial=0))
    pairs, where = np.unique(
        topic.astype(np.int64) * numbers + listed[system, topic, rank], return_inverse=True
    )
    owner, number = np.divmod(pairs, numbers)
    count = np.bincount(owner, minlength=listed.shape[1])
    place = np.arange(len(pairs)) - np.repeat(np.cumsum(count) - count, count)
    shape = (listed.shape[1], int(count.max(initial=0)), listed.shape[0])
    refuse_large(*shape)
    ranks = np.zeros(shape, np.int32)
    ranks[topic, place[where], system] = rank + 1
    document = np.full(shape[:2], -1, np.int64)
    document[owner, place] = number
    return Pool(ranks, took_part, keys), document


def refuse_large(topics: int, documents: int, systems: int) -> None:
    """Raise if the ranks and weights of a pool would not fit into the memory of this machine."""
    what = f"a pool of {topics:,} topics, up to {documents:,} documents and {systems:,} systems"
    advice = "select topics, contributing systems or a smaller depth="
    room(what, topics * documents * systems * 24, advice, most=memory())


def scrambled(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random, always the same for the same words.

    Examples
    --------
    >>> scrambled(np.array([1], np.uint64)).item()
    16294208416658607535
    """
    words = words * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))
