"""How often random rankings leave a metric no choice."""

from math import comb

from irframe.agreements.innate import Separability
from irframe.checks import whole


def random_separability(k: int) -> Separability:
    """Count how many of all pairs of binary rankings of length k have an innate order.

    Parameters
    ----------
    k
        Length of the rankings, at least 1.

    Returns
    -------
    Separability
        Exact numbers of ordered pairs, 4**k in all.

    Raises
    ------
    ParameterError
        If k is no whole number of at least 1.

    Notes
    -----
    ``2**k`` pairs are equal and ``2 (C(2k+1, k) - 2**k)`` separable: the difference of gathered
    gain is a walk of 2k fair steps that must not go below 0.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Table 2. doi:10.1002/asi.24874

    Examples
    --------
    >>> random_separability(3)
    Separability(equal=8, separable=54, nonseparable=2)
    """
    k = whole("k", k, low=1)
    separable = 2 * (comb(2 * k + 1, k) - 2**k)
    return Separability(2**k, separable, 4**k - 2**k - separable)
