"""Discounted cumulated gain."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import DISCOUNTS, discounts


@dataclass(frozen=True, kw_only=True, repr=False)
class DCG(Metric):
    """Gain collected on the way down, worth less at every rank.

    A document gains by its grade, divided by a number that grows with the logarithm of the rank. It
    is not bound by 1: topics with many relevant documents weigh more than in nDCG.

    Parameters
    ----------
    gain
        Gain map.
    discount
        ``"log2"``: gain divided by log2(1 + i). ``"zipf"``: by i. ``"jk"``: from rank `base`
        on by log_base(i), undiscounted above.
    base
        Base of ``"jk"``, above 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth, usually written ``DCG @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``DCG@k = sum_{i<=k} G(i) D(i)``.

    Range: 0 upwards. Needs: grades. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Jarvelin, Kekalainen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 20,
       2002. doi:10.1145/582415.582418

    Examples
    --------
    >>> from irframe.metrics import DCG
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(DCG(discount="zipf"), [2, 0, 1])
    array([1.        , 1.        , 1.16666667])
    """

    gain: Gain = parameter("linear")
    discount: str = parameter("log2", choices=DISCOUNTS)
    base: float = parameter(2, above=1)
    rel: int = parameter(1, low=1, high=127)

    additive = True
    linear = True
    range = (0.0, np.inf)
    order = "gain"

    def kernel(self, *, gain: Floats) -> Floats:
        """Return the discounted gain down to each depth."""
        return np.cumsum(gain * discounts(self.discount, self.base, gain.shape[-1]), axis=-1)

    def terms(self, *, gain: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        return gain * discounts(self.discount, self.base, gain.shape[-1])

    def ceiling(self, *, filled_gain: Floats) -> Floats:
        """Return the discounted gain if unjudged documents gained the most."""
        return self.kernel(gain=filled_gain)
