"""Agreement methods: Kendall, TauAP, Pearson, Spearman, RMSE and RBO."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from irframe.agreements import base
from irframe.arrays import Ends, Floats
from irframe.checks import as_written, choice, number
from irframe.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class Kendall(base.Agreement):
    """Kendall's tau, a rank correlation.

    Parameters
    ----------
    variant
        ``"b"`` is tau-b, which corrects for ties. ``"a"`` is tau-a, which divides by the number of
        all pairs.

    Notes
    -----
    ``tau_a = (C - D) / (S(S-1)/2)`` and ``tau_b = (C - D) / sqrt(U_x U_y)``. C and D are the
    numbers of concordant and discordant pairs of the S systems. U_x and U_y are the numbers of
    pairs that are not tied in `x` and in `y`.

    Range: -1 to 1. Two orderings with a value above 0.9 are usually considered equivalent. The
    value is NaN for a single system. tau_b is also NaN if all systems are tied.

    References
    ----------
    .. [1] Kendall. The treatment of ties in ranking problems. Biometrika 33, 1945.
       doi:10.1093/biomet/33.3.239

    Examples
    --------
    Two of the three pairs are concordant. One pair is tied in `x`:

    >>> from irframe.agreements import Kendall
    >>> x, y = [[0.4, 0.4, 0.1]], [[0.7, 0.5, 0.2]]
    >>> Kendall().kernel(x, y), Kendall(variant="a").kernel(x, y)
    (array([[0.81649658]]), array([[0.66666667]]))
    """

    variant: Literal["a", "b"] = "b"

    def __post_init__(self) -> None:
        choice("variant", self.variant, ("a", "b"))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return Kendall's tau for each pair of rows."""
        below_x = base.count_below(x)
        below_y = below_x if y is x else base.count_below(y)
        balance = _balance(below_x, below_y)
        systems = x.shape[-1]
        if self.variant == "a":
            return balance / np.float64(systems * (systems - 1) / 2)
        untied_x, untied_y = below_x.sum(axis=-1), below_y.sum(axis=-1)
        return np.asarray(balance / np.sqrt(untied_x[..., :, None] * untied_y[..., None, :]))

    def p_values(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return two-sided p-values of tau for each pair of rows.

        Under the null hypothesis, all orders of the systems are equally likely. p-values are exact
        for up to 33 systems without ties. All other p-values use a normal approximation that is
        corrected for ties.

        Examples
        --------
        >>> Kendall().p_values([[1, 2, 3, 4]], [[1, 2, 4, 3], [4, 3, 2, 1]]).round(3)
        array([[0.333, 0.083]])
        """
        tau_a = Kendall(variant="a").kernel(x, y)
        n = np.shape(x)[-1]
        pairs = n * (n - 1)
        s = np.abs(np.rint(tau_a * pairs / 2))  # tau_a has rounding errors, but C - D is an integer
        t2, t3, t5 = (tied[..., :, None] for tied in _tie_sums(x))
        u2, u3, u5 = (tied[..., None, :] for tied in _tie_sums(y))
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = (pairs * (2 * n + 5) - t5 - u5) / 18 + t2 * u2 / (2 * pairs)
            variance = variance + t3 * u3 / (9 * pairs * max(n - 2, 1))
            p = 2 * scipy.special.ndtr(-s / np.sqrt(variance))
        if n <= EXACT:
            p = np.where(t2 + u2 == 0, _exact(n)[np.nan_to_num(s).astype(int)], p)
        return np.asarray(np.where(np.isnan(self.kernel(x, y)), np.nan, p), np.float64)


EXACT = 33
"""Largest number of systems for which p-values are exact, as in scipy."""


def _tie_sums(scores: ArrayLike) -> Iterator[Floats]:
    """Yield sums of t(t-1), t(t-1)(t-2), t(t-1)(2t+5) over tie sizes t."""
    first, last = base.tied_ranks(np.asarray(scores, np.float64))
    size = last - first + 1
    for factor in (np.ones_like(size), size - 2, 2 * size + 5):
        yield ((size - 1) * factor).sum(axis=-1)


@cache
def _exact(n: int) -> Floats:
    """Return exact two-sided p-values, indexed by ``|C - D|``."""
    inversions = np.ones(1)
    for size in range(2, n + 1):  # a new system adds 0 to size - 1 inversions, equally likely
        inversions = np.convolve(inversions, np.full(size, 1 / size))
    balance = np.abs(n * (n - 1) // 2 - 2 * np.arange(len(inversions)))
    chance = np.bincount(balance, inversions, minlength=1 + n * (n - 1) // 2)
    return np.asarray(np.minimum(chance[::-1].cumsum()[::-1], 1.0), np.float64)


def _balance(x: Floats, y: Floats) -> Floats:
    """Return the number of concordant minus discordant pairs."""
    keys_x = x.astype(np.float32)  # counts of systems below 2**24 are exact in single precision
    keys_y = keys_x if y is x else y.astype(np.float32)
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    total = np.zeros((*batch, x.shape[-2], y.shape[-2]))
    for first, second in base.pair_blocks(
        x.shape[-1], keys_x[..., 0].nbytes + keys_y[..., 0].nbytes
    ):
        signs_x = base.signs(keys_x, first, second)
        signs_y = signs_x if keys_y is keys_x else base.signs(keys_y, first, second)
        total += signs_x @ signs_y.swapaxes(-1, -2)
    return total


@dataclass(frozen=True, kw_only=True)
class TauAP(base.Agreement):
    """AP correlation, a rank correlation that emphasises the top.

    Parameters
    ----------
    symmetric
        Whether to average over both choices of the reference. The default reference is `x`.
    ties
        ``"a"`` is the mean over all orders of tied systems. ``"b"`` treats ties as missing
        information and corrects for them. ``"b"`` implies `symmetric`.

    Notes
    -----
    ``tau_ap = 2/(S-1) sum_{i=2..S} C(i)/(i-1) - 1``. C(i) is the number of systems that are above
    the system at rank i of the estimate in both orderings. tau_ap is Kendall's tau with the weight
    1/(i-1) for each pair, where i is the rank of the lower system in the estimate. Swaps among the
    best systems therefore lower tau_ap most.

    Let t and b be the first and the last possible rank of a system in an ordering with ties. With
    ``ties="a"``, the weight of a pair is the mean of 1/(i-1) over i = t..b, and pairs that are tied
    in the estimate or in the reference are ignored. The result is the mean over all possible orders
    of the tied systems. ``"b"`` is the mean over both directions of ``2/m sum_{i: t_i > 1} c_i/(t_i
    - 1) - 1``. Here m is the number of systems that are not tied for the first rank. c_i is the
    number of systems that are strictly above system i in both orderings.

    Range: -1 to 1. tau_ap equals Kendall's tau on average if errors are distributed uniformly over
    the ranks. The value is NaN for a single system. ``"b"`` is also NaN if all systems are tied.

    References
    ----------
    .. [1] Yilmaz, Aslam, Robertson. A new rank correlation coefficient for information
       retrieval. SIGIR 2008. doi:10.1145/1390334.1390435
    .. [2] Urbano, Marrero. The treatment of ties in AP correlation. ICTIR 2017.
       doi:10.1145/3121050.3121106

    Examples
    --------
    Swapping the two best of three systems lowers the value more than swapping the two worst:

    >>> from irframe.agreements import TauAP
    >>> TauAP().kernel([[3, 2, 1]], [[2, 3, 1], [3, 1, 2]])
    array([[0. , 0.5]])

    The two best systems are tied in the estimate. The value is the mean over both orders, 1 and 0:

    >>> TauAP().kernel([[3, 2, 1]], [[2, 2, 1]])
    array([[0.5]])
    """

    symmetric: bool = False
    ties: Literal["a", "b"] = "a"

    def __post_init__(self) -> None:
        if not isinstance(self.symmetric, bool):
            raise ParameterError("symmetric to be True or False", repr(self.symmetric))
        choice("ties", self.ties, ("a", "b"))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return tau_ap per pair of rows; `x` is the reference."""
        one_way = _expected if self.ties == "a" else _tau_ap_below_best
        ranks_x, ranks_y = base.tied_ranks(x), base.tied_ranks(y)
        values = one_way(ranks_x, ranks_y)
        if self.symmetric or self.ties == "b":
            values = (values + one_way(ranks_y, ranks_x).swapaxes(-1, -2)) / 2
        return values


def _expected(reference: Ends, estimated: Ends) -> Floats:
    """Return the mean of tau_ap over all orders of ties."""
    first, last = (rank.astype(np.intp) for rank in estimated)
    systems = first.shape[-1]
    upto = np.append(0, np.cumsum(_weights(systems)))
    weights = (upto[last] - upto[first - 1]) / (last - first + 1)
    total = sum(
        side @ weighted.swapaxes(-1, -2)
        for side, weighted in _pairs(reference[0], estimated[0], weights)
    )
    return np.asarray(total / np.float64(systems - 1))


def _tau_ap_below_best(reference: Ends, estimated: Ends) -> Floats:
    """Return tau_ap over the systems that are not ranked first."""
    first, _ = estimated
    weights = _weights(first.shape[-1])[first.astype(np.intp) - 1]
    # a product plus its absolute value is 0 for discordant pairs, and doubled for concordant pairs
    total = sum(
        side @ weighted.swapaxes(-1, -2) + abs(side) @ abs(weighted).swapaxes(-1, -2)
        for side, weighted in _pairs(reference[0], first, weights)
    )
    return np.asarray(total / (first > 1).sum(axis=-1)[..., None, :] - 1)


def _weights(systems: int) -> Floats:
    """Return the weight 1/(i-1) of every rank i."""
    return 1 / np.maximum(np.arange(systems), 1.0)


def _pairs(
    reference: Floats, estimated: Floats, weights: Floats
) -> Iterator[tuple[NDArray[np.floating], NDArray[np.floating]]]:
    """Yield signs by reference, and weighted signs by estimate."""
    row_bytes = reference[..., 0].nbytes + 2 * estimated[..., 0].nbytes
    for first, second in base.pair_blocks(estimated.shape[-1], row_bytes):
        weighted = base.signs(estimated, first, second)
        # the weight of a pair is that of the lower system, and weights fall with the rank
        weighted *= np.minimum(weights[..., first], weights[..., second])
        yield base.signs(reference, first, second), weighted


@dataclass(frozen=True, kw_only=True)
class Pearson(base.Agreement):
    """Pearson's correlation coefficient of scores.

    Notes
    -----
    ``r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)**2 sum (y - mean y)**2)`` over the
    systems. r is the inner product of two rows that are scaled to mean 0 and length 1.

    Range: -1 to 1. The value is NaN if all systems have the same score, or if a score is infinite.

    References
    ----------
    .. [1] Pearson. Note on regression and inheritance in the case of two parents. Proceedings
       of the Royal Society of London 58, 1895. doi:10.1098/rspl.1895.0041

    Examples
    --------
    >>> from irframe.agreements import Pearson
    >>> Pearson().kernel([[1, 2, 3]], [[2, 4, 6], [3, 1, 2]])
    array([[ 1. , -0.5]])
    """

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return Pearson's r for each pair of rows."""
        return correlate(x, y)


def correlate(x: Floats, y: Floats) -> Floats:
    """Return Pearson's r for each pair of rows.

    Parameters
    ----------
    x, y
        Scores, shapes (..., K1, S) and (..., K2, S).

    Returns
    -------
    numpy.ndarray
        Correlations, shape (..., K1, K2).

    Examples
    --------
    >>> correlate(np.array([[1.0, 2.0, 3.0]]), np.array([[3.0, 1.0, 2.0]]))
    array([[-0.5]])
    """
    unit_x = _standardise(x)
    unit_y = unit_x if y is x else _standardise(y)
    return np.asarray(np.clip(unit_x @ unit_y.swapaxes(-1, -2), -1, 1))


def _standardise(scores: Floats) -> Floats:
    """Return rows scaled to mean 0 and length 1."""
    centred = scores - scores.mean(axis=-1, keepdims=True)
    centred[np.ptp(scores, axis=-1) == 0] = np.nan  # equal scores have an undefined r
    centred /= np.abs(centred).max(axis=-1, keepdims=True)  # prevents overflow of squares
    return np.asarray(centred / np.sqrt(np.square(centred).sum(axis=-1, keepdims=True)))


@dataclass(frozen=True, kw_only=True)
class Spearman(base.Agreement):
    """Spearman's rank correlation.

    Notes
    -----
    Spearman's rho is Pearson's r of the ranks. Each tied system has the mean rank of the systems
    tied with it. Without ties ``rho = 1 - 6 sum (rank_x - rank_y)**2 / (S(S**2 - 1))``.

    Range: -1 to 1. The value is NaN if all systems have the same score.

    References
    ----------
    .. [1] Spearman. The proof and measurement of association between two things. American
       Journal of Psychology 15, 1904. doi:10.2307/1412159

    Examples
    --------
    >>> from irframe.agreements import Spearman
    >>> Spearman().kernel([[1, 2, 3]], [[1, 10, 100], [3, 1, 2]])
    array([[ 1. , -0.5]])
    """

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return Spearman's rho for each pair of rows."""
        ranks_x = _mid_ranks(x)
        return correlate(ranks_x, ranks_x if y is x else _mid_ranks(y))


def _mid_ranks(scores: Floats) -> Floats:
    """Return twice each system's mean rank, plus a constant."""
    return base.count_below(scores) - base.count_below(-scores)


@dataclass(frozen=True, kw_only=True)
class RMSE(base.Agreement):
    """Root mean squared difference of scores.

    Notes
    -----
    ``RMSE = sqrt(sum (x - y)**2 / S)`` over the systems. RMSE is a distance, not a correlation.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from irframe.agreements import RMSE
    >>> RMSE().kernel([[0, 0]], [[0, 0], [3, 3], [1, 7]])
    array([[0., 3., 5.]])
    """

    distance = True

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return root mean squared differences for each pair of rows."""
        batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        left, right = (np.broadcast_to(side, (*batch, *side.shape[-2:])) for side in (x, y))
        distance = np.empty((*batch, x.shape[-2], y.shape[-2]))
        for index in np.ndindex(batch):  # cdist subtracts the scores, which avoids cancellation
            distance[index] = scipy.spatial.distance.cdist(left[index], right[index])
        return np.asarray(distance / np.sqrt(x.shape[-1]))


@dataclass(frozen=True, kw_only=True)
class RBO(base.Agreement):
    """Rank-biased overlap (RBO) of two orderings.

    Parameters
    ----------
    p
        Persistence, between 0 and 1. Small values emphasise the top ranks.
    ties
        Treatment of ties. With ``"w"``, tied systems are equally good and enter the overlap at
        the same depth. With ``"a"``, the order of tied systems is unknown, and RBO is the mean over
        all orders. ``"b"`` corrects ``"a"``, so that the agreement of an ordering with itself is 1.

    Notes
    -----
    ``RBO_ext = (X_S/S) p**S + ((1-p)/p) sum_{d=1..S} (X_d/d) p**d``. X_d is the number of systems
    that are among the first d in both orderings, so X_S = S. A system is part of the overlap from
    the larger of its two ranks on. The system contributes the sum of the weights from the larger
    rank to S. RBO is therefore computed as a sum over systems of the smaller of two contributions.

    With ties, let t and b be the first and the last possible rank of a system. In ``"w"``, the
    contribution c_d of the system at depth d is [t <= d]. In ``"a"`` and ``"b"``, c_d is 0 for d <
    t, (d-t+1)/(b-t+1) for t <= d <= b, and 1 for d > b. X_d/d is replaced by ``2 sum c c' / (sum c
    + sum c')`` in ``"w"`` and ``"a"``, and by ``sum c c' / sqrt(sum c**2 sum c'**2)`` in ``"b"``.
    The sums are over the systems, and c and c' are the contributions in the two orderings.

    Range: above 0 to 1. Equal orderings have the value 1, except if ``ties="a"`` and there are
    ties. The value of reversed orderings, and the mean over random orderings, are above 0.

    References
    ----------
    .. [1] Webber, Moffat, Zobel. A similarity measure for indefinite rankings. ACM TOIS 28,
       2010. doi:10.1145/1852102.1852106
    .. [2] Corsi, Urbano. The treatment of ties in rank-biased overlap. SIGIR 2024.
       doi:10.1145/3626772.3657700

    Examples
    --------
    For two systems and p = 0.5, the weight of depth 1 is 1/2, like that of all further depths:

    >>> from irframe.agreements import RBO
    >>> RBO(p=0.5).kernel([[2, 1]], [[2, 1], [1, 2]])
    array([[1. , 0.5]])
    """

    p: float = 0.9
    ties: Literal["w", "a", "b"] = "w"

    def __post_init__(self) -> None:
        number("p", self.p, above=0, below=1)
        choice("ties", self.ties, ("w", "a", "b"))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return RBO for each pair of rows."""
        systems = x.shape[-1]
        weights: Floats = (1 - self.p) * self.p ** np.arange(systems, dtype=np.float64)
        sides = base.tied_ranks(x), base.tied_ranks(y)
        if all((first == last).all() for first, last in sides):  # without ties, no loop is needed
            onward = np.cumsum((weights / np.arange(1, systems + 1))[::-1])[::-1]
            left, right = (onward[first.astype(np.intp) - 1] for first, _ in sides)
            smaller = lambda a, b: np.asarray(np.minimum(a, b).sum(axis=-1))  # noqa: E731
            overlap = base.over_rows(left, right, smaller)
        else:
            terms = (self._agree(*sides, depth) * weight for depth, weight in enumerate(weights, 1))
            overlap = np.asarray(sum(terms))
        return np.asarray(overlap + self.p**systems)

    def _agree(self, x: Ends, y: Ends, depth: int) -> Floats:
        """Return agreements of each pair of orderings at a depth."""
        top_x, top_y = (self._contributions(*ends, depth) for ends in (x, y))
        overlap = top_x @ top_y.swapaxes(-1, -2)
        if self.ties == "b":
            size_x, size_y = (np.linalg.norm(top, axis=-1) for top in (top_x, top_y))
            return np.asarray(overlap / (size_x[..., :, None] * size_y[..., None, :]))
        size_x, size_y = (top.sum(axis=-1) for top in (top_x, top_y))
        return np.asarray(2 * overlap / (size_x[..., :, None] + size_y[..., None, :]))

    def _contributions(self, first: Floats, last: Floats, depth: int) -> Floats:
        """Return the contribution of every system at a depth."""
        if self.ties == "w":
            return (first <= depth).astype(np.float64)
        return np.clip((depth - first + 1) / (last - first + 1), 0, 1)


AgreementName = Literal[
    "kendall", "pearson", "rbo", "rbo_a", "rbo_b", "rmse", "spearman", "tau_a", "tau_ap",
    "tau_ap_b", "tau_b",
]  # fmt: skip
Method = AgreementName | base.Agreement
"""An agreement method, or its name."""

AGREEMENTS: dict[str, base.Agreement] = {
    "kendall": Kendall(),
    "pearson": Pearson(),
    "rbo": RBO(),
    "rbo_a": RBO(ties="a"),
    "rbo_b": RBO(ties="b"),
    "rmse": RMSE(),
    "spearman": Spearman(),
    "tau_a": Kendall(variant="a"),
    "tau_ap": TauAP(),
    "tau_ap_b": TauAP(ties="b"),
    "tau_b": Kendall(),
}
"""Mapping from name to agreement method."""


def parse_agreement(method: Method) -> base.Agreement:
    """Return the agreement method for a name.

    Parameters
    ----------
    method
        Name in `AGREEMENTS`, a method such as ``RBO(p=0.8)``, or the repr of a method.

    Returns
    -------
    Agreement
        The agreement method.

    Examples
    --------
    >>> from irframe.agreements import RBO, parse_agreement
    >>> parse_agreement("kendall"), parse_agreement(RBO(p=0.8))
    (Kendall(variant='b'), RBO(p=0.8, ties='w'))
    """
    if isinstance(method, base.Agreement):
        return method
    kinds = {type(agreement).__name__: type(agreement) for agreement in AGREEMENTS.values()}
    written: base.Agreement | None = as_written(method, kinds)
    if written is not None:
        return written
    return AGREEMENTS[choice("a coefficient such as RBO(p=0.8), or its name", method, AGREEMENTS)]
