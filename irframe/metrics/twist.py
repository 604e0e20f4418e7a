"""How far a ranking is from the ideal one: misplacement, and overlap."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Thresholded, parameter
from irframe.metrics.positions import (
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
    """How much a ranking overlaps with the ideal one that is most like it, rank by rank.

    Parameters
    ----------
    p
        Persistence of rank-biased overlap, between 0 and 1.
    normalize
        Whether to divide by the overlap of the ideal ranking with itself, so that the highest
        score is 1 for short ideal rankings too; else the score is the rank-biased overlap itself.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``RBO(list, ideal) / RBO(ideal, ideal)``, or the first of the two alone, with
    ``RBO = (sum_(i<=n) p^(i-1) overlap(i) / i) / sum_(i<=n) p^(i-1)`` and n the length of the
    longer of list and ideal, as in ir_measures. The ideal ranking has the relevant documents by
    grade, those of a grade in the order of the list, what is not retrieved last.

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
        """Return the overlap with the ideal ranking of the list cut at each depth."""
        end = np.maximum(seen, n_relevant).astype(np.intp)
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


@dataclass(frozen=True, kw_only=True, repr=False)
class BalancePoint(Thresholded):
    """At which rank a ranking has made up for its misplacements, infinite if it never does.

    Parameters
    ----------
    crossing
        When it has recovered, as for `Twist`.
    rel
        Lowest relevant grade, at least 1; grades below it are non-relevant.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The first rank at which `CRP` crosses 0, and at least R, where the ideal ranking has found
    everything. Lower is better.

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

    needs_depth = True
    cost = True
    range = (1.0, np.inf)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the balance point of the list cut at each depth."""
        return balance_points(relative_position, expected_ranks, self.crossing)


@dataclass(frozen=True, kw_only=True, repr=False)
class CRP(Thresholded):
    """How far a ranking has strayed from the ideal one; 0 is not at all, or made up for.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1; grades below it are non-relevant.
    depth
        Fixed evaluation depth.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``CRP@k = sum_{i<=k} RP(i)``, RP the signed number of ranks by which the document at rank i
    misses the ranks [first, last] of its grade in the ideal ranking: ``i - first`` above them,
    ``i - last`` below them, 0 inside.

    Range: -R(R+1)/2 upwards; the farther from 0, the worse. Needs: grades, the recall base. No
    relevant documents: NaN. Unjudged: non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definitions 1 and 2.
       doi:10.1002/asi.23416

    Examples
    --------
    Two relevant documents belong to ranks 1 and 2; the one at rank 4 stands 2 too low:

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
        """Return what each rank adds to the score of the list."""
        return np.where(recall_base(expected_ranks) > 0, relative_position, np.nan)


@dataclass(frozen=True, kw_only=True, repr=False)
class RecoveryRatio(Thresholded):
    """How soon a ranking has made up for its misplacements; 1 is as soon as the ideal could.

    Parameters
    ----------
    crossing
        When it has recovered, as for `Twist`.
    rel
        Lowest relevant grade, at least 1; grades below it are non-relevant.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``rho = R / BalancePoint``, 0 if the list never recovers.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: NaN. Unjudged:
    non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 3. doi:10.1002/asi.23416

    Examples
    --------
    The only relevant document comes at rank 3; the balance point is 2:

    >>> from irframe.metrics import RecoveryRatio
    >>> RecoveryRatio().curve([0, 0, 1])
    array([0. , 0. , 0.5])
    """

    crossing: Crossing = parameter("sign_change", choices=CROSSINGS)

    needs_depth = True
    aliases = ("rho",)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return R over the balance point of the list cut at each depth."""
        balance = balance_points(relative_position, expected_ranks, self.crossing)
        return recall_base(expected_ranks) / balance


@dataclass(frozen=True, kw_only=True, repr=False)
class SpaceRatio(Thresholded):
    """How little a ranking moves documents away from their ideal ranks; 1 is not at all.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1; grades below it are non-relevant.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    With s+ and s- the sums of the positive and of the negative relative positions,
    ``sigma+ = 1 - s+ / s+_worst``, ``sigma- = 1 - s- / s-_worst``, worst being the ideal ranking
    reversed over N = max(k, 2 R) ranks; sigma is their harmonic mean, 0 if both are 0.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: NaN. Unjudged:
    non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 5. doi:10.1002/asi.23416

    Examples
    --------
    One relevant document, a rank too low. Of four ranks, it moved 1 out of at most 3, and the
    non-relevant document moved as far as it can:

    >>> from irframe.metrics import SpaceRatio
    >>> SpaceRatio().curve([0, 1, 0, 0])
    array([0., 0., 0., 0.])
    >>> SpaceRatio().curve([1, 0, 1, 0]).round(3)
    array([0.8  , 0.8  , 0.667, 0.667])
    """

    needs_depth = True
    aliases = ("sigma",)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the space ratio of the list cut at each depth."""
        return space_ratio(relative_position, expected_ranks)


@dataclass(frozen=True, kw_only=True, repr=False)
class Twist(Thresholded):
    """How little avoidable effort a ranking costs against the ideal one; 1 is no effort wasted.

    Parameters
    ----------
    crossing
        When the cumulated relative position has recovered: ``"sign_change"``, at the last rank
        before it reaches 0 from one side; ``"definition"``, at any two ranks that are not
        strictly on the same side of 0, so that a ranking right at rank 1 has recovered there;
        ``"matters"``, between above 0 and not above it, as the authors' software has it.
    rel
        Lowest relevant grade, at least 1; grades below it are non-relevant.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Twist = (RecoveryRatio + SpaceRatio) / 2``. At depth k the list is cut at k and its nominal
    length is N = max(k, 2 R), what is missing counting as non-relevant. Usually k is the full
    depth of the runs. The order of the grades is all that counts, not their gain.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: NaN. Unjudged:
    non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. doi:10.1002/asi.23416

    Examples
    --------
    The second of two relevant documents stands one rank too low:

    >>> from irframe.metrics import Twist
    >>> Twist().curve([1, 0, 1, 0]).round(3)
    array([0.4  , 0.4  , 0.833, 0.833])
    """

    crossing: Crossing = parameter("sign_change", choices=CROSSINGS)

    needs_depth = True

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the mean of recovery and space ratio of the list cut at each depth."""
        balance = balance_points(relative_position, expected_ranks, self.crossing)
        recovery = recall_base(expected_ranks) / balance
        return (recovery + space_ratio(relative_position, expected_ranks)) / 2
