"""Metrics that compare a ranking with the ideal ranking."""

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
        Whether to divide by the overlap of the ideal ranking with itself. The highest score is then
        1 on every topic. If False, the score is the rank-biased overlap.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``RBO(list, ideal) / RBO(ideal, ideal)``, or only the numerator if `normalize` is False. Here
    ``RBO = (sum_(i<=n) p^(i-1) overlap(i) / i) / sum_(i<=n) p^(i-1)`` and n is the larger of the
    lengths of the list and the ideal ranking, as in ir_measures. overlap(i) is the number of
    documents that the list and the ideal ranking have in common down to rank i. The ideal ranking
    sorts the relevant documents by grade. Retrieved documents with equal grades are in the order of
    the list, and documents that were not retrieved follow.

    Range: 0 to 1. Needs: grades, recall base, list length. No relevant documents: 0. Unjudged: not
    relevant.

    References
    ----------
    .. [1] Clarke, Vtyurina, Smucker. Assessing top-k preferences. ACM TOIS 39, 2021.
       doi:10.1145/3451161

    Examples
    --------
    The document with the higher grade is second. At depth 2 the score is (0 + 1/2 2/2) / (1 + 1/2
    2/2):

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
        # a document is in the overlap from the larger of its two ranks on
        overlap_rank = np.maximum(_ideal_rank(grade, expected_ranks), rank).astype(np.intp)
        before = np.where(relevant, shares[np.minimum(overlap_rank - 1, len(weight))], 0.0)
        overlap = found * shares[end] - np.cumsum(before, axis=-1)
        ideal = np.minimum(n_relevant, end)
        # an ideal ranking has i relevant documents down to each rank i up to R, and then always R
        highest = total[ideal] + n_relevant * (shares[end] - shares[ideal])
        overlap /= positive(highest if self.normalize else total[end])
        # a difference of sums may be slightly negative due to rounding
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
    """Balance point: rank at which misplacements are compensated.

    Parameters
    ----------
    crossing
        Definition of the rank at which `CRP` crosses 0, as for `Twist`.
    rel
        Lowest relevant grade, at least 1. Documents with lower grades are non-relevant.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The balance point is the first rank at which the curve of `CRP` crosses 0, but at least R, the
    number of relevant judged documents. The balance point is infinite if the curve never crosses 0.
    Lower is better.

    Range: R upwards, or infinite. Needs: grades, recall base. No relevant documents: NaN. Unjudged:
    non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 3. doi:10.1002/asi.23416

    Examples
    --------
    The cumulated relative position by rank is -1, -1, 1:

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
        Lowest relevant grade, at least 1. Documents with lower grades are non-relevant.
    depth
        Fixed evaluation depth.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``CRP@k = sum_{i<=k} RP(i)``. The relative position RP(i) is the signed distance of the document
    at rank i from the ranks of documents with the same grade in the ideal ranking. If the documents
    with that grade have the ranks from first to last in the ideal ranking, RP(i) is ``i - first``
    for i < first, ``i - last`` for i > last, and 0 otherwise. CRP is 0 for an ideal ranking. CRP is
    also 0 if documents that are ranked too high and documents that are ranked too low cancel out.

    Range: -R(R+1)/2 upwards, best at 0. Needs: grades, recall base. No relevant documents: NaN.
    Unjudged: non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definitions 1 and 2.
       doi:10.1002/asi.23416

    Examples
    --------
    In the ideal ranking, the two relevant documents have the ranks 1 and 2. The one at rank 4 is
    two ranks too low:

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
    """Recovery ratio: number of relevant documents over balance point.

    Parameters
    ----------
    crossing
        Definition of the rank at which `CRP` crosses 0, as for `Twist`.
    rel
        Lowest relevant grade, at least 1. Documents with lower grades are non-relevant.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``rho = R / BalancePoint``, where R is the number of relevant judged documents. The score is 0
    if the balance point is infinite.

    Range: 0 to 1. Needs: grades, recall base. No relevant documents: NaN. Unjudged: non-relevant.

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
        """Return the recovery ratio at each depth."""
        balance = balance_points(relative_position, expected_ranks, self.crossing)
        return recall_base(expected_ranks) / balance


@dataclass(frozen=True, kw_only=True, repr=False)
class SpaceRatio(Thresholded):
    """Space ratio: one minus the relative amount of misplacement.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1. Documents with lower grades are non-relevant.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    Let s+ and s- be the absolute sums of the positive and of the negative relative positions, which
    are defined for `CRP`. Then ``sigma+ = 1 - s+ / s+_worst`` and ``sigma- = 1 - s- / s-_worst``.
    The sums of the worst ranking are those of the reversed ideal ranking of N = max(k, 2 R)
    documents, where R is the number of relevant judged documents. The score is the harmonic mean of
    sigma+ and sigma-. The score is 0 if sigma+ and sigma- are 0.

    Range: 0 to 1. Needs: grades, recall base. No relevant documents: NaN. Unjudged: non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 5. doi:10.1002/asi.23416

    Examples
    --------
    In the first list, the only relevant document is one rank too low, out of at most three. The
    non-relevant document above is one rank too high, which is the maximum. sigma- is therefore 0:

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
    """Twist: mean of recovery ratio and space ratio.

    Twist measures the effort of users who read a ranking instead of the ideal ranking. A score of
    1 means that the ranking causes no additional effort.

    Parameters
    ----------
    crossing
        Definition of the first rank at which the curve of `CRP` crosses 0. ``"sign_change"`` is the
        last rank before the curve reaches 0 from below or above. ``"definition"`` is the first of
        two neighbouring ranks that are not both above or both below 0, as in Definition 3 of the
        paper. With ``"definition"``, the curve of a list with an ideal first document crosses 0 at
        rank 1. ``"matters"`` is the first change from a value above 0 to a value of at most 0, or
        the reverse, as in the authors' software.
    rel
        Lowest relevant grade, at least 1. Documents with lower grades are non-relevant.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``Twist = (RecoveryRatio + SpaceRatio) / 2``. Lists are cut at depth k and padded with
    non-relevant documents to N = max(k, 2 R) documents, where R is the number of relevant judged
    documents. Usually k is the full depth of the runs. The score depends only on the order of the
    grades, and no gain map is used.

    Range: 0 to 1. Needs: grades, recall base. No relevant documents: NaN. Unjudged: non-relevant.

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
        """Return Twist at each depth."""
        balance = balance_points(relative_position, expected_ranks, self.crossing)
        recovery = recall_base(expected_ranks) / balance
        return (recovery + space_ratio(relative_position, expected_ranks)) / 2
