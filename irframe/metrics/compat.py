"""Compatibility with an ideal ranking."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.checks import whole
from irframe.errors import MetricError
from irframe.metrics.base import Graded, parameter
from irframe.metrics.positions import ExpectedRanks, positive


@dataclass(frozen=True, kw_only=True, repr=False)
class Compat(Graded):
    """How much a ranking overlaps with the ideal one that is most like it, rank by rank.

    Parameters
    ----------
    p
        Persistence of rank-biased overlap, between 0 and 1.
    normalize
        Whether to divide by the overlap of the ideal ranking with itself, so that the highest
        score is 1 for short ideal rankings too; else the score is the rank-biased overlap itself.
    horizon
        Rank down to which overlap is summed, at least 1: 1000 in the script of the authors. By
        default the end of the longer list, as in ir_measures.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``RBO(list, ideal) / RBO(ideal, ideal)``, or the first of the two alone, with
    ``RBO = (sum_(i<=n) p^(i-1) overlap(i) / i) / sum_(i<=n) p^(i-1)`` and n the horizon, else the
    length of the longer of list and ideal. The ideal ranking has the relevant documents by grade,
    those of a grade in the order of the list, what is not retrieved last. Past the end of both
    lists overlap stays what it is, so that more of a horizon is a higher score for short lists.

    Range: 0 to 1. Needs: grades, the recall base, list length. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Clarke, Vtyurina, Smucker. Assessing top-k preferences. ACM TOIS 39, 2021.
       doi:10.1145/3451161

    Examples
    --------
    The better document second: down to rank 2, (0 + 1/2 2/2) / (1 + 1/2 2/2).

    >>> from irframe.metrics import Compat
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Compat(p=0.5), [1, 2]).round(3)
    array([0.167, 0.333])
    """

    p: float = parameter(0.95, above=0, below=1, shown=True)
    normalize: bool = parameter(True)  # noqa: FBT003
    horizon: int | None = None

    sees_length = True
    order = "gain"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.horizon is not None:
            whole("horizon of Compat", self.horizon, low=1, error=MetricError)

    def kernel(
        self,
        *,
        grade: Array,
        relevant: Array,
        found: Floats,
        rank: Floats,
        seen: Array,
        n_relevant: Array,
        expected_ranks: ExpectedRanks,
    ) -> Floats:
        """Return the overlap with the ideal ranking of the list cut at each depth."""
        longer = np.maximum(seen, n_relevant).astype(np.intp)
        end = longer if self.horizon is None else np.full_like(longer, self.horizon)
        weight = self.p ** np.arange(max(1, int(end.max(initial=0))))
        total = np.concatenate([[0.0], np.cumsum(weight)])
        shares = np.concatenate([[0.0], np.cumsum(weight / np.arange(1, len(weight) + 1))])
        shared = np.maximum(_ideal_rank(grade, expected_ranks), rank).astype(np.intp)
        before = np.where(relevant, shares[np.minimum(shared - 1, len(weight))], 0.0)
        overlap = found * shares[end] - np.cumsum(before, axis=-1)
        ideal = np.minimum(n_relevant, end)
        own = total[ideal] + n_relevant * (shares[end] - shares[ideal])
        overlap /= positive(own if self.normalize else total[end])
        return np.asarray(np.maximum(overlap, 0.0))


def _ideal_rank(grade: Array, expected: ExpectedRanks) -> Array:
    """Return where the ideal ranking that is most like a list has each relevant document."""
    place = np.zeros(grade.shape, np.intp)
    for number, level in enumerate(expected.level):
        there = grade == level
        nth = np.cumsum(there, axis=-1) - 1
        np.copyto(place, expected.first[..., number] + nth, where=there)
    return place
