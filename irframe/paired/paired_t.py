"""Student's t-test on paired differences."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from irframe.paired.base import PairedResult, PairedTest
from irframe.paired.blocks import by_depth
from irframe.paired.differences import ratio
from irframe.paired.moments import hc2, moments
from irframe.paired.pairs import BoolArray, FloatArray, IntArray

__all__ = ["PairedT", "student"]

NEAR = 1e-6
"""Relative to its quantile: the p-value decides of t that is so close."""


@dataclass(frozen=True, kw_only=True)
class PairedT(PairedTest):
    """Whether the mean difference of two systems is larger than its topics explain.

    Returns
    -------
    PairedT
        A test whose kernel gives t and its two-sided p-value.

    Notes
    -----
    t = mean(a - b) / (sd(a - b) / sqrt(n)), sd with n - 1, against Student's distribution with
    n - 1 degrees of freedom. With weights of the topics the mean is the weighted one, and its
    standard error and degrees of freedom are those of `hc2`. All differences 0: t = 0, p = 1. As
    worked examples have it, constant other differences (to within the rounding of the scores) have
    t infinite and p = 0, and one topic t NaN and p = 1; verbs that decide pairs give no p for
    these, as `PairedResult.decided` says.

    References
    ----------
    Student (1908). The probable error of a mean. https://doi.org/10.1093/biomet/6.1.1

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.2, 0.4, 0.6, 0.1], [0.1, 0.5, 0.2, 0.1]])[:, :, None]
    >>> t, p = PairedT().kernel(scores)
    >>> round(t.item(), 4), round(p.item(), 4)
    (0.9258, 0.4228)
    """

    name: ClassVar[str] = "t"
    weighable: ClassVar[bool] = True

    def kernel(self, scores: FloatArray, pairs: IntArray | None = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""

        def compute(block: FloatArray, pairs: IntArray) -> PairedResult:
            return student(*moments(block, pairs), topics=block.shape[2])

        return PairedResult(*by_depth(compute, scores, pairs))

    def weighted(
        self, scores: FloatArray, weights: FloatArray, pairs: IntArray | None = None
    ) -> PairedResult:
        """Test with weights of the topics; see `PairedTest.weighted`."""

        def compute(block: FloatArray, pairs: IntArray) -> PairedResult:
            found = moments(block, pairs, weights)
            return student(*found, topics=block.shape[2], freedom=hc2(weights).freedom)

        return PairedResult(*by_depth(compute, scores, pairs))

    def significant(
        self, scores: FloatArray, pairs: IntArray | None = None, *, alpha: float
    ) -> BoolArray:
        """Tell which pairs differ significantly; see `PairedTest.significant`."""

        def compute(block: FloatArray, pairs: IntArray) -> tuple[BoolArray]:
            return (_beyond(*moments(block, pairs), topics=block.shape[2], alpha=alpha),)

        return by_depth(compute, scores, pairs, dtypes=(np.bool_,))[0]


def _beyond(mean: FloatArray, sd: FloatArray, *, topics: int, alpha: float) -> BoolArray:
    """Tell where p < alpha, by the quantile of t; p decides only where t is next to it."""
    if topics == 1:
        return np.zeros(mean.shape, bool)
    quantile = -scipy.special.stdtrit(topics - 1, alpha / 2)
    t = abs(ratio(mean, sd / np.sqrt(topics)))
    found: BoolArray = (t > quantile) & np.isfinite(t)
    near = abs(t - quantile) <= NEAR * quantile
    if near.any():
        found[near] = student(mean[near], sd[near], topics=topics).p < alpha
    return found


def student(
    mean: FloatArray,
    sd: FloatArray,
    *,
    topics: int | IntArray,
    freedom: FloatArray | None = None,
) -> PairedResult:
    """Give t and its two-sided p-value.

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of paired differences.
    topics
        How many differences, at least 1; of any shape that fits.
    freedom
        Degrees of freedom; by default one less.

    Returns
    -------
    PairedResult
        Of the shape of `mean`.
    """
    one = np.equal(topics, 1)
    t = ratio(mean, np.where(one & (mean == 0), 0.0, sd / np.sqrt(topics)))
    p = 2 * scipy.special.stdtr(np.subtract(topics, 1) if freedom is None else freedom, -abs(t))
    return PairedResult(t, np.where(one, 1.0, p))
