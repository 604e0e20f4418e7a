"""F measure of the top of a ranking."""

from dataclasses import dataclass

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


def f_measure(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return the weighted harmonic mean of precision and recall, 0 where both are 0.

    Other tools are told beta squared: the square of its root is that number again, to the bit.

    Examples
    --------
    >>> import numpy as np
    >>> f_measure(np.array([0.5, 0.0]), np.array([1.0, 0.0]), 1.0).round(3)
    array([0.667, 0.   ])
    >>> f_measure(np.array([1.0]), np.array([1 / 3]), 2**0.5).tolist()
    [0.42857142857142855]
    """
    weight = float(f"{beta * beta:.15g}")
    return (1 + weight) * precision * recall / positive(weight * precision + recall)


@dataclass(frozen=True, kw_only=True, repr=False)
class F(Metric):
    """Balance of precision and recall of what the user looks at.

    Parameters
    ----------
    beta
        How many times as much recall weighs as precision, above 0.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``F @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``F = (1 + b^2) P R / (b^2 P + R)`` of precision and recall at each depth, 0 where both
    are 0. Precision divides by the depth; `SetF` divides by the documents retrieved.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] van Rijsbergen. Information Retrieval, chapter 7. Butterworths, 1979.
       doi:10.1002/asi.4630300621

    Examples
    --------
    Precision 1/2 and recall 1/4 at depth 2:

    >>> from irframe.metrics import F
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(F(), [1, 0], judged=[1, 1, 1, 1]).round(4)
    array([0.4   , 0.3333])
    """

    beta: float = parameter(1.0, above=0)
    rel: int = parameter(1, low=1, high=127)

    needs_depth = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, precision: Floats, found: Floats, n_relevant: Array) -> Floats:
        """Return F at each depth."""
        return f_measure(precision, found / positive(n_relevant), self.beta)
