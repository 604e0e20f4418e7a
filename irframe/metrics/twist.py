"""Twist."""

from dataclasses import dataclass

from irframe.arrays import Array, Floats
from irframe.metrics import positions
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class Twist(Metric):
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
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Twist(), [1, 0, 1, 0]).round(3)
    array([0.4  , 0.4  , 0.833, 0.833])
    """

    crossing: positions.Crossing = parameter("sign_change", choices=positions.CROSSINGS)
    rel: int = parameter(1, low=1, high=127)

    needs_depth = True

    def kernel(
        self, *, relative_position: Array, expected_ranks: positions.ExpectedRanks
    ) -> Floats:
        """Return the mean of recovery and space ratio of the list cut at each depth."""
        balance = positions.balance_points(relative_position, expected_ranks, self.crossing)
        recovery = positions.recall_base(expected_ranks) / balance
        return (recovery + positions.space_ratio(relative_position, expected_ranks)) / 2
