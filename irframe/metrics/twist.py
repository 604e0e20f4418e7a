"""Misplacement against, and overlap with, the ideal ranking."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Thresholded, parameter
from irframe.quantities.positions import (
    CROSSINGS,
    Crossing,
    ExpectedRanks,
    balance_points,
    positive,
    recall_base,
    space_ratio,
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Compat(Thresholded):
    """Compatibility: rank-biased overlap with the most similar ideal ranking.

    Parameters
    ----------
    p
        Persistence of rank-biased overlap, between 0 and 1.
    normalize
        Whether to divide by the overlap of the ideal ranking with itself, so that the highest
        score is 1 for short ideal rankings too. Otherwise the score is the rank-biased overlap.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``RBO(list, ideal) / RBO(ideal, ideal)``, or only the numerator without `normalize`. Here
    ``RBO = (sum_(i<=n) p^(i-1) overlap(i) / i) / sum_(i<=n) p^(i-1)`` and n is the larger of the
    lengths of list and ideal, as in ir_measures. The ideal ranking sorts the relevant documents by
    grade. Documents with equal grades keep the order of the list. Documents that were not retrieved
    come last.

    Range: 0 to 1. Needs: grades, the recall base, list length. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Clarke, Vtyurina, Smucker. Assessing top-k preferences. ACM TOIS 39, 2021.
       doi:10.1145/3451161

    Examples
    --------
    The better document is second. At depth 2 the score is (0 + 1/2 2/2) / (1 + 1/2 2/2):

    >>> from irframe.metrics import Compat
    >>> Compat(p=0.5).curve([1, 2]).round(3)
    array([0.167, 0.333])
    """

    p: float = parameter(0.95, above=0, below=1, shown=True)
    normalize: bool = parameter(True)  # noqa: FBT003

    sees_length = True
    order = "gain"

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
        """Return the overlap with the ideal ranking at each depth."""
        end = np.maximum(seen, n_relevant).astype(np.intp)
        weight = self.p ** np.arange(max(1, int(end.max(initial=0))))
        total = np.concatenate([[0.0], np.cumsum(weight)])
        shares = np.concatenate([[0.0], np.cumsum(weight / np.arange(1, len(weight) + 1))])
        both = np.maximum(_ideal_rank(grade, expected_ranks), rank).astype(np.intp)
        before = np.where(relevant, shares[np.minimum(both - 1, len(weight))], 0.0)
        overlap = found * shares[end] - np.cumsum(before, axis=-1)
        ideal = np.minimum(n_relevant, end)
        highest = total[ideal] + n_relevant * (shares[end] - shares[ideal])
        overlap /= positive(highest if self.normalize else total[end])
        return np.asarray(np.maximum(overlap, 0.0))


def _ideal_rank(grade: Array, expected: ExpectedRanks) -> Array:
    """Return ranks of documents in the most similar ideal ranking."""
    ideal = np.zeros(grade.shape, np.intp)
    for number, level in enumerate(expected.level):
        at_level = grade == level
        nth = np.cumsum(at_level, axis=-1) - 1
        np.copyto(ideal, expected.first[..., number] + nth, where=at_level)
    return ideal


@dataclass(frozen=True, kw_only=True, repr=False)
class BalancePoint(Thresholded):
    """Rank at which a ranking has recovered from its misplacements.

    Parameters
    ----------
    crossing
        The definition of recovery, as for `Twist`.
    rel
        Lowest relevant grade, at least 1. Grades below it are non-relevant.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    The balance point is the first rank of at least R at which `CRP` has crossed 0. R is the rank at
    which the ideal ranking is complete. The balance point is infinite if the curve never crosses 0.
    Lower is better.

    Range: R upwards, or infinite. Needs: grades, the recall base. No relevant documents: NaN.
    Unjudged: non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 3. doi:10.1002/asi.23416

    Examples
    --------
    The cumulated relative position is -1, -1, 1:

    >>> from irframe.metrics import BalancePoint
    >>> BalancePoint().curve([0, 0, 1])
    array([inf, inf,  2.])
    """

    crossing: Crossing = parameter("sign_change", choices=CROSSINGS)

    cost = True
    range = (1.0, np.inf)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the balance point at each depth."""
        return balance_points(relative_position, expected_ranks, self.crossing)


@dataclass(frozen=True, kw_only=True, repr=False)
class CRP(Thresholded):
    """Cumulated relative position of documents.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1. Grades below it are non-relevant.
    depth
        Fixed evaluation depth.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``CRP@k = sum_{i<=k} RP(i)``. RP(i) is the signed distance of the document at rank i from the
    ranks [first, last] of its grade in the ideal ranking. It is ``i - first`` above them,
    ``i - last`` below them, and 0 inside. CRP is 0 for an ideal ranking, or where later documents
    compensate for misplaced ones.

    Range: -R(R+1)/2 upwards; the farther from 0, the worse. Needs: grades, the recall base. No
    relevant documents: NaN. Unjudged: non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definitions 1 and 2.
       doi:10.1002/asi.23416

    Examples
    --------
    The ideal ranks of the two relevant documents are 1 and 2. The one at rank 4 is two ranks too
    low:

    >>> from irframe.metrics import CRP
    >>> CRP().curve([0, 1, 0, 1])
    array([-2., -2., -2.,  0.])
    """

    needs_depth = True
    range = (-np.inf, np.inf)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the summed relative position down to each depth."""
        curve = np.cumsum(relative_position, axis=-1, dtype=np.float64)
        return np.where(recall_base(expected_ranks) > 0, curve, np.nan)

    def terms(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.where(recall_base(expected_ranks) > 0, relative_position, np.nan)


@dataclass(frozen=True, kw_only=True, repr=False)
class RecoveryRatio(Thresholded):
    """Recovery ratio: R divided by the balance point.

    Parameters
    ----------
    crossing
        The definition of recovery, as for `Twist`.
    rel
        Lowest relevant grade, at least 1. Grades below it are non-relevant.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``rho = R / BalancePoint``. It is 0 if the list never recovers.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: NaN. Unjudged:
    non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 3. doi:10.1002/asi.23416

    Examples
    --------
    The only relevant document is at rank 3, and the balance point is 2:

    >>> from irframe.metrics import RecoveryRatio
    >>> RecoveryRatio().curve([0, 0, 1])
    array([0. , 0. , 0.5])
    """

    crossing: Crossing = parameter("sign_change", choices=CROSSINGS)

    aliases = ("rho",)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return R over the balance point at each depth."""
        balance = balance_points(relative_position, expected_ranks, self.crossing)
        return recall_base(expected_ranks) / balance


@dataclass(frozen=True, kw_only=True, repr=False)
class SpaceRatio(Thresholded):
    """Space ratio: one minus misplacement relative to its maximum.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1. Grades below it are non-relevant.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    Let s+ and s- be the absolute sums of the positive and of the negative relative positions. Then
    ``sigma+ = 1 - s+ / s+_worst`` and ``sigma- = 1 - s- / s-_worst``. Here the worst ranking is
    the ideal ranking reversed over N = max(k, 2 R) ranks. The score is the harmonic mean of sigma+
    and sigma-, and 0 if both are 0.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: NaN. Unjudged:
    non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 5. doi:10.1002/asi.23416

    Examples
    --------
    The only relevant document is one rank too low. Over four ranks it can move down by at most 3.
    The non-relevant document moved up as far as possible:

    >>> from irframe.metrics import SpaceRatio
    >>> SpaceRatio().curve([0, 1, 0, 0])
    array([0., 0., 0., 0.])
    >>> SpaceRatio().curve([1, 0, 1, 0]).round(3)
    array([0.8  , 0.8  , 0.667, 0.667])
    """

    needs_depth = True
    aliases = ("sigma",)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the space ratio at each depth."""
        return space_ratio(relative_position, expected_ranks)


@dataclass(frozen=True, kw_only=True, repr=False)
class Twist(Thresholded):
    """Mean of recovery ratio and space ratio.

    Twist measures the user effort that a ranking causes beyond that of the ideal ranking. A score
    of 1 means no additional effort.

    Parameters
    ----------
    crossing
        Definition of the rank at which the cumulated relative position crosses 0. The ranking has
        recovered there. ``"sign_change"``: the last rank before the curve reaches 0 from one side.
        ``"definition"``: the first of any two ranks that are not strictly on the same side of 0. A
        ranking that is correct at rank 1 recovers there. ``"matters"``: a change from above 0 to at
        most 0, or the reverse, as in the authors' software.
    rel
        Lowest relevant grade, at least 1. Grades below it are non-relevant.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``Twist = (RecoveryRatio + SpaceRatio) / 2``. At depth k the list is cut at k. Its nominal
    length is N = max(k, 2 R), and missing documents count as non-relevant. Usually k is the full
    depth of the runs. Only the order of the grades counts, not their gain.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: NaN. Unjudged:
    non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. doi:10.1002/asi.23416

    Examples
    --------
    The second of two relevant documents is one rank too low:

    >>> from irframe.metrics import Twist
    >>> Twist().curve([1, 0, 1, 0]).round(3)
    array([0.4  , 0.4  , 0.833, 0.833])
    """

    crossing: Crossing = parameter("sign_change", choices=CROSSINGS)

    needs_depth = True

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the mean of recovery and space ratio."""
        balance = balance_points(relative_position, expected_ranks, self.crossing)
        recovery = recall_base(expected_ranks) / balance
        return (recovery + space_ratio(relative_position, expected_ranks)) / 2
