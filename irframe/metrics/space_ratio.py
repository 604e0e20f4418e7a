"""Space ratio, the part of Twist that asks how far."""

from dataclasses import dataclass

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import ExpectedRanks, space_ratio


@dataclass(frozen=True, kw_only=True, repr=False)
class SpaceRatio(Metric):
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
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(SpaceRatio(), [0, 1, 0, 0])
    array([0., 0., 0., 0.])
    >>> score_ranking(SpaceRatio(), [1, 0, 1, 0]).round(3)
    array([0.8  , 0.8  , 0.667, 0.667])
    """

    rel: int = parameter(1, low=1, high=127)

    needs_depth = True
    aliases = ("sigma",)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the space ratio of the list cut at each depth."""
        return space_ratio(relative_position, expected_ranks)
