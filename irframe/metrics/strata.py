"""Strata of a pool, of each of which a random sample was judged."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.metrics.block import Block
from irframe.metrics.flags import count_above, count_to
from irframe.names import UNJUDGED

__all__ = ["EPSILON", "Strata"]


EPSILON = 0.00001
"""Smoothing of a share of relevant documents, as in trec_eval and sample_eval.pl."""
LONGEST = 1000
"""How many ranks of a list, and of the ideal ranking, sample_eval.pl reads."""


@dataclass(frozen=True, eq=False)
class Strata:
    """From which stratum of the pool the documents of rankings are, and how many there are.

    Parameters
    ----------
    code
        The stratum of the document at a rank, -1 outside the pool and past the ranks that are
        read, shape (..., depth).
    size, judged
        How many documents of a stratum were pooled, and judged, shape (..., stratum).
    level_count
        How many were judged at each level, none at levels below 0, shape (..., stratum, level).
    levels
        The grades that occur, ascending.
    given
        Whether strata were told; if not, the pool is one.
    """

    code: Array
    size: Array
    judged: Array
    level_count: Array
    levels: Array
    given: bool

    @classmethod
    def of(cls, block: Block) -> "Strata":
        """Read the strata of a block of rankings."""
        pooled = block.grade > UNJUDGED
        stratum, count = block.stratum, block.stratum_count
        given = stratum is not None and count is not None
        if stratum is None or count is None:
            code, count = pooled.astype(np.int32) - 1, block.count[..., np.newaxis, :]
        elif block.doc is None or block.start is None:
            wanted = "lists as they are ranked, for metrics that read strata"
            raise MetricError(wanted, "changed or shared ranks")
        else:
            place = np.asarray(block.start)[..., np.newaxis] + np.where(pooled, block.doc, 0)
            padded = np.append(np.asarray(stratum, np.int32), np.int32(-1))
            code = np.where(pooled, padded[place], np.int32(-1))
        code[..., LONGEST:] = -1
        known = np.where(np.asarray(block.levels) >= 0, count, 0)
        return cls(
            code, count.sum(axis=-1), known.sum(axis=-1), known, np.asarray(block.levels), given
        )

    @property
    def worth(self) -> Floats:
        """How many documents of a stratum each judged one stands for; shape (..., stratum)."""
        judged = np.asarray(self.judged)
        return np.where(judged > 0, self.size / np.maximum(judged, 1), 0.0)

    @property
    def estimated_count(self) -> Floats:
        """How many documents there are at each level, as estimated; shape (..., level)."""
        judged = np.where(self.judged > 0, self.judged, 1)[..., np.newaxis]
        found: Floats = (self.level_count * self.size[..., np.newaxis] / judged).sum(axis=-2)
        return found

    def ideal(self, gain: Floats) -> tuple[Floats, Array]:
        """Walk down the ideal ranking of as many documents of each level as are expected.

        Parameters
        ----------
        gain
            What a document of each level gains, shape (level,).

        Returns
        -------
        tuple of numpy.ndarray
            Discounted gain of the first 0, 1, ... documents, shape (..., 1 + documents), and how
            many documents there are, shape (..., 1).

        Notes
        -----
        As sample_eval.pl does: numbers of documents are no whole ones, so that the ranks of a level
        may begin anywhere, and a level ends at the first rank from 1000 on.
        """
        counts, begun = self.estimated_count, np.zeros((*self.size.shape[:-1], 1))
        steps = np.ones((*begun.shape[:-1], int(min(LONGEST, counts.max(initial=0) + 1))))
        terms, there = [np.zeros((*begun.shape[:-1], 0))], [np.zeros((*begun.shape[:-1], 0), bool)]
        for level in np.argsort(gain, kind="stable")[::-1]:
            if gain[level] <= 0:
                break
            rank = np.cumsum(np.concatenate([begun, steps], axis=-1), axis=-1)
            before, rank = rank[..., :-1], rank[..., 1:]
            end = begun + counts[..., level, np.newaxis]
            there.append((rank <= end) & ((before < LONGEST) | (before == begun)))
            terms.append(gain[level] / np.log2(rank + 1))
            begun = end
        inside = np.concatenate(there, axis=-1)
        order = np.argsort(~inside, axis=-1, kind="stable")
        gained = np.take_along_axis(np.concatenate(terms, axis=-1) * inside, order, axis=-1)
        gained = np.concatenate([np.zeros(begun.shape), gained], axis=-1)
        return np.cumsum(gained, axis=-1), inside.sum(axis=-1, keepdims=True)

    def estimated_relevant(self, rel: int) -> Floats:
        """Return how many relevant documents there are, as estimated; shape (..., 1)."""
        found: Floats = self.estimated_count[..., self.levels >= rel].sum(axis=-1, keepdims=True)
        return found

    def at_rank(self, values: Floats) -> Floats:
        """Return what strata have for the document at each rank, 0 outside the pool."""
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
        wide = np.broadcast_to(padded, (*self.code.shape[:-1], padded.shape[-1]))
        return np.take_along_axis(wide, self.code % padded.shape[-1], axis=-1)

    def members(self) -> Iterator[NDArray[np.bool_]]:
        """Yield, stratum by stratum, whether the document at a rank is of it."""
        for stratum in range(self.size.shape[-1]):
            yield self.code == stratum

    def relevant_above(self, relevant: Array, assessed: Array) -> Floats:
        """Return how many relevant documents are expected above each rank, shape (..., depth)."""
        total = np.zeros(self.code.shape)
        for inside in self.members():
            pooled, seen, found = (
                count_above(inside & part) for part in (True, assessed, relevant)
            )
            total += pooled * (found + EPSILON) / (seen + 3 * EPSILON)
        return total

    def inflated(self, gain: Floats, assessed: Array) -> Floats:
        """Return gain down to each depth, that of what was not judged as of what was beside it."""
        total = np.zeros(self.code.shape)
        for inside in self.members():
            pooled, seen = (count_to(inside & part) for part in (True, assessed))
            gained = np.cumsum(gain * inside, axis=-1)
            total += np.divide(pooled * gained, seen, out=np.zeros(seen.shape), where=seen > 0)
        return total
