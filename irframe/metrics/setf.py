"""F measure of the retrieved set."""

from dataclasses import dataclass

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.f import f_measure
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SetF(Metric):
    """Balance of precision and recall of what was retrieved.

    Parameters
    ----------
    beta
        How many times as much recall weighs as precision, above 0.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``F = (1 + b^2) P R / (b^2 P + R)`` of `SetP` and `Recall`, 0 where both are 0. trec_eval's
    parameter of ``set_F`` is b squared: ``set_F_4`` is ``SetF(beta=2)``.

    Range: 0 to 1. Needs: grades, R, list length. No relevant documents: 0. Unjudged: not
    relevant.

    References
    ----------
    .. [1] van Rijsbergen. Information Retrieval, chapter 7. Butterworths, 1979.
       doi:10.1002/asi.4630300621

    Examples
    --------
    Precision 1 and recall 1/3, then precision 1/2:

    >>> from irframe.metrics import SetF
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(SetF(), [1, 0], judged=[1, 1, 1])
    array([0.5, 0.4])
    """

    beta: float = parameter(1.0, above=0)
    rel: int = parameter(1, low=1, high=127)

    sees_length = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return F of the list cut at each depth."""
        return f_measure(found / positive(seen), found / positive(n_relevant), self.beta)
