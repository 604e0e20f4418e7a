"""Documents of equal scores in all their orders, each as likely as any other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grades
from irframe.metrics.block import Block


@dataclass(frozen=True, kw_only=True)
class TiedBlocks:
    """Blocks of tied documents, and means over their orders; a document may be a block by itself.

    Attributes
    ----------
    place
        How many documents of its block are above each rank, shape (..., depth).
    starts
        Where blocks begin among all ranks of all rankings, shape (block,).
    shown
        How many ranks of each block are there, shape (block,).
    size
        How many documents are in each block, those past the last rank too, shape (block,).
    hidden, last
        How many of these past the last rank are at each level, shape (ranking, level), and which
        block goes on there, shape (ranking,); of no ranking where that is not told.

    References
    ----------
    .. [1] McSherry, Najork. Computing information retrieval performance measures efficiently in the
       presence of tied scores. ECIR 2008. doi:10.1007/978-3-540-78646-7_38

    Examples
    --------
    One of two tied documents is relevant, and one below:

    >>> grade = np.array([0, 1, 1], dtype=np.int16)
    >>> block = Block(
    ...     grade=grade, tied=np.array([False, True, False]), retrieved=np.array(3),
    ...     levels=np.array([0, 1]), count=np.array([1, 2]), top=1)
    >>> blocks = TiedBlocks.of(block)
    >>> blocks.precision(grade == 1, np.array([0.5, 0.5, 1])).round(3)
    array([0.5  , 0.25 , 0.667])
    >>> gain = np.array([0.0, 1.0])
    >>> blocks.stops(grade, block.levels, gain)
    array([0.5, 0.5, 0. ])
    """

    place: NDArray[np.int64]
    starts: NDArray[np.int64]
    shown: NDArray[np.int64]
    size: NDArray[np.int64]
    hidden: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, block: Block) -> "TiedBlocks":
        """Return the blocks of rankings; where no ties are told, every document by itself."""
        shape, levels = block.grade.shape, len(block.levels)
        first = np.ones(shape, bool) if block.tied is None else ~block.tied
        first[..., 0] = True
        starts = np.flatnonzero(first)
        shown = np.diff(starts, append=first.size)
        hidden, last, size = np.zeros((0, levels), np.int64), starts[:0], shown.copy()
        if block.tail is not None and block.tail_size is not None:
            last = np.cumsum(first.sum(axis=-1).ravel()) - 1
            hidden = np.broadcast_to(block.tail, (*shape[:-1], levels)).reshape(-1, levels)
            size[last] += np.broadcast_to(block.tail_size, shape[:-1]).ravel()
        place = (np.arange(first.size) - np.repeat(starts, shown)).reshape(shape)
        return cls(place=place, starts=starts, shown=shown, size=size, hidden=hidden, last=last)

    def _above(self, down_to: Array, nothing: float) -> Floats:
        """Return what there is down to the rank above each block, at each of its ranks."""
        before = np.concatenate(
            [np.full_like(down_to[..., :1], nothing), down_to[..., :-1]], axis=-1
        )
        at_start = before.ravel()[self.starts]
        return np.repeat(at_start, self.shown).reshape(down_to.shape)

    def precision(self, relevant: NDArray[np.bool_], share: Floats) -> Floats:
        """Return the mean of precision at ranks where something relevant is, and 0 at others.

        Parameters
        ----------
        relevant
            Whether the document at a rank is, shape (..., depth).
        share
            Which share of its block is relevant, likewise.

        Notes
        -----
        At place j of a block of n documents, r of them relevant, below c relevant ones, that is
        ``r/n (c + 1 + j (r - 1) / (n - 1))`` by the rank.
        """
        size = np.repeat(self.size, self.shown).reshape(share.shape)
        above = self._above(np.cumsum(relevant, axis=-1, dtype=np.float64), 0.0)
        others = self.place * (share * size - 1) / np.maximum(size - 1, 1)
        return share * (above + 1 + others) / np.arange(1.0, share.shape[-1] + 1)

    def stops(self, grade: Grades, levels: Array, table: Floats) -> Floats:
        """Return the chance to stop at each rank, where documents satisfy as likely as they gain.

        Parameters
        ----------
        grade
            Grades by rank, shape (..., depth).
        levels
            The grades that there are, shape (level,).
        table
            The gain of every grade, those below 0 from its end, and 0 for marks.

        Notes
        -----
        Of n documents that leave users unsatisfied with the chances x, those still read on after
        j documents of a random order with the chance e_j(x) / C(n, j), e_j being the elementary
        symmetric polynomial, for which a further document gives
        ``E_j = (1 - j/(n + 1)) E_j + j/(n + 1) x E_(j-1)``: nobody stops without the documents
        that gain, so that only these are added: of each block one after the other, by grade.
        """
        block, place = np.repeat(np.arange(len(self.starts)), self.shown), self.place.ravel()
        lists, below = np.nonzero(self.hidden * (table[levels] != 0))
        times, there = self.hidden[lists, below], np.flatnonzero(table[grade])
        home = np.append(block[there], np.repeat(self.last[lists], times))
        worth = np.append(grade.ravel()[there], np.repeat(np.asarray(levels)[below], times))
        order = np.lexsort((worth, home))
        home, count = home[order], np.bincount(home, minlength=len(self.starts))
        number = np.arange(len(home)) - (np.cumsum(count) - count)[home]
        known, reading, gain = self.size - count, np.ones(grade.size), np.zeros(len(self.starts))
        for done in range(int(count.max(initial=0))):
            more, now = count > done, number == done
            known += more
            gain[home[now]] = table[worth[order[now]]]
            ranks = np.flatnonzero(more[block])
            part = np.minimum((place[ranks] + 1) / known[block[ranks]], 1)
            above = np.where(place[ranks] > 0, reading[ranks - 1], 1.0)
            reading[ranks] = (1 - part) * reading[ranks] + part * (1 - gain[block[ranks]]) * above
        left = np.where(place > 0, np.roll(reading, 1), 1.0) - reading
        passed = np.cumprod(1 - table[grade], axis=-1)
        return self._above(passed, 1.0) * left.reshape(grade.shape)
