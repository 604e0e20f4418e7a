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
    """Kendall's tau: concordant minus discordant pairs of systems.

    Parameters
    ----------
    variant
        ``"b"`` corrects for pairs tied on either side, ``"a"`` divides by all pairs.

    Notes
    -----
    ``tau_a = (C - D) / (S(S-1)/2)`` and ``tau_b = (C - D) / sqrt(U_x U_y)``. C and D are the
    numbers of concordant and discordant pairs, and U is the number of pairs that are not tied on
    one side. For K orderings, C - D is computed by multiplying the matrix of signs, K by pairs, by
    its transpose.

    Range: -1 to 1; two orderings above 0.9 are customarily taken as equivalent. Undefined (NaN) for
    one system, and tau_b also if all systems tie.

    References
    ----------
    .. [1] Kendall. The treatment of ties in ranking problems. Biometrika 33, 1945.
       doi:10.1093/biomet/33.3.239

    Examples
    --------
    Two of three pairs are concordant, and one is tied in `x`:

    >>> from irframe.agreements import Kendall
    >>> x, y = [[0.4, 0.4, 0.1]], [[0.7, 0.5, 0.2]]
    >>> Kendall().kernel(x, y), Kendall(variant="a").kernel(x, y)
    (array([[0.81649658]]), array([[0.66666667]]))
    """

    variant: Literal["a", "b"] = "b"

    def __post_init__(self) -> None:
        choice("variant", self.variant, ("a", "b"))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return Kendall's tau of every two rows."""
        below_x = base.count_below(x)
        below_y = below_x if y is x else base.count_below(y)
        balance = _balance(below_x, below_y)
        systems = x.shape[-1]
        if self.variant == "a":
            return balance / np.float64(systems * (systems - 1) / 2)
        untied_x, untied_y = below_x.sum(axis=-1), below_y.sum(axis=-1)
        return np.asarray(balance / np.sqrt(untied_x[..., :, None] * untied_y[..., None, :]))

    def p_values(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return two-sided p-values for tau of every two rows.

        Under the null hypothesis all orders of the systems are equally likely. p is exact for up to
        33 systems without ties. Otherwise it is computed by the normal approximation corrected for
        ties.

        Examples
        --------
        >>> Kendall().p_values([[1, 2, 3, 4]], [[1, 2, 4, 3], [4, 3, 2, 1]]).round(3)
        array([[0.333, 0.083]])
        """
        tau_a = Kendall(variant="a").kernel(x, y)
        n = np.shape(x)[-1]
        pairs = n * (n - 1)
        s = np.abs(np.rint(tau_a * pairs / 2))
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
"""Largest number of systems with exact p-values, as in scipy."""


def _tie_sums(scores: ArrayLike) -> Iterator[Floats]:
    """Yield sums of t(t-1), t(t-1)(t-2) and t(t-1)(2t+5) over ties."""
    first, last = base.tied_ranks(np.asarray(scores, np.float64))
    size = last - first + 1
    for factor in (np.ones_like(size), size - 2, 2 * size + 5):
        yield ((size - 1) * factor).sum(axis=-1)


@cache
def _exact(n: int) -> Floats:
    """Return two-sided p-values of C - D for n systems."""
    inversions = np.ones(1)
    for size in range(2, n + 1):
        inversions = np.convolve(inversions, np.full(size, 1 / size))
    balance = np.abs(n * (n - 1) // 2 - 2 * np.arange(len(inversions)))
    chance = np.bincount(balance, inversions, minlength=1 + n * (n - 1) // 2)
    return np.asarray(np.minimum(chance[::-1].cumsum()[::-1], 1.0), np.float64)


def _balance(x: Floats, y: Floats) -> Floats:
    """Return concordant minus discordant pairs, from sort keys."""
    keys_x = x.astype(np.float32)
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
    """AP correlation, which weighs swaps among the best systems most.

    Parameters
    ----------
    symmetric
        Whether to average both directions; by default `x` is the reference and `y` the estimate.
    ties
        ``"a"`` is the expected value over random orders of tied systems. ``"b"`` counts tied
        systems as not ordered, corrects for them, and always averages both directions.

    Notes
    -----
    ``tau_ap = 2/(S-1) sum_{i=2..S} C(i)/(i-1) - 1``. Let s be the system at rank i of the estimate.
    C(i) is the number of systems that are above s in both the estimate and the reference. This is
    Kendall's tau with pairs weighted by 1/(i-1), where i is the rank of the lower system in the
    estimate.

    Let t and b be the first and the last possible rank of a system in its ordering. ``"a"`` weighs
    a pair by the mean of 1/(i-1) over i = t..b, and ignores pairs tied on either side. This is the
    mean over all orders of tied systems on both sides. ``"b"`` is the mean over both directions of
    ``2/m sum_{i: t_i > 1} c_i/(t_i - 1) - 1``. Here m is the number of systems below the best
    group. c_i is the number of systems in better groups that are strictly above system i on the
    other side too.

    Range: -1 to 1, equal to Kendall's tau on average if errors are spread evenly. Undefined (NaN)
    for one system, and ``"b"`` also if all systems tie.

    References
    ----------
    .. [1] Yilmaz, Aslam, Robertson. A new rank correlation coefficient for information
       retrieval. SIGIR 2008. doi:10.1145/1390334.1390435
    .. [2] Urbano, Marrero. The treatment of ties in AP correlation. ICTIR 2017.
       doi:10.1145/3121050.3121106

    Examples
    --------
    Swapping the two best of three systems costs more than swapping the two worst:

    >>> from irframe.agreements import TauAP
    >>> TauAP().kernel([[3, 2, 1]], [[2, 3, 1], [3, 1, 2]])
    array([[0. , 0.5]])

    The two best systems tie in the estimate. They may be in the right order or swapped:

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
        """Return tau_ap of every two rows, `x` being the reference."""
        one_way = _expected if self.ties == "a" else _tau_ap_below_best
        ranks_x, ranks_y = base.tied_ranks(x), base.tied_ranks(y)
        values = one_way(ranks_x, ranks_y)
        if self.symmetric or self.ties == "b":
            values = (values + one_way(ranks_y, ranks_x).swapaxes(-1, -2)) / 2
        return values


def _expected(reference: Ends, estimated: Ends) -> Floats:
    """Return the mean of tau_ap over all tied orders."""
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
    """Return tau_ap of the systems below the best group."""
    first, _ = estimated
    weights = _weights(first.shape[-1])[first.astype(np.intp) - 1]
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
    """Yield signs of the reference and weighted estimated signs."""
    row_bytes = reference[..., 0].nbytes + 2 * estimated[..., 0].nbytes
    for first, second in base.pair_blocks(estimated.shape[-1], row_bytes):
        weighted = base.signs(estimated, first, second)
        weighted *= np.minimum(weights[..., first], weights[..., second])
        yield base.signs(reference, first, second), weighted


@dataclass(frozen=True, kw_only=True)
class Pearson(base.Agreement):
    """Pearson's correlation of scores.

    Notes
    -----
    ``r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)**2 sum (y - mean y)**2)`` over the
    systems. It is the inner product of rows scaled to mean 0 and length 1.

    Range: -1 to 1. Undefined (NaN) if all systems have the same score or a score is infinite.

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
        """Return Pearson's r of every two rows."""
        return correlate(x, y)


def correlate(x: Floats, y: Floats) -> Floats:
    """Return Pearson's r of every two rows.

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
    centred[np.ptp(scores, axis=-1) == 0] = np.nan  # the mean is rounded, so they may not be 0
    centred /= np.abs(centred).max(axis=-1, keepdims=True)  # squares would underflow or overflow
    return np.asarray(centred / np.sqrt(np.square(centred).sum(axis=-1, keepdims=True)))


@dataclass(frozen=True, kw_only=True)
class Spearman(base.Agreement):
    """Spearman's rank correlation.

    Notes
    -----
    Pearson's r of the ranks, where tied systems get the mean of their ranks. Without ties
    ``rho = 1 - 6 sum (rank_x - rank_y)**2 / (S(S**2 - 1))``.

    Range: -1 to 1. Undefined (NaN) if all systems have the same score.

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
        """Return Spearman's rho of every two rows."""
        ranks_x = _mid_ranks(x)
        return correlate(ranks_x, ranks_x if y is x else _mid_ranks(y))


def _mid_ranks(scores: Floats) -> Floats:
    """Return twice the mean rank, up to a constant."""
    return base.count_below(scores) - base.count_below(-scores)


@dataclass(frozen=True, kw_only=True)
class RMSE(base.Agreement):
    """Root mean squared difference of scores.

    Notes
    -----
    ``RMSE = sqrt(sum (x - y)**2 / S)`` over the systems. It is a distance, which is 0 for equal
    scores. It is computed from the differences, which avoids cancellation.

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
        """Return the root mean squared difference of every two rows."""
        batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        left, right = (np.broadcast_to(side, (*batch, *side.shape[-2:])) for side in (x, y))
        distance = np.empty((*batch, x.shape[-2], y.shape[-2]))
        for index in np.ndindex(batch):
            distance[index] = scipy.spatial.distance.cdist(left[index], right[index])
        return np.asarray(distance / np.sqrt(x.shape[-1]))


@dataclass(frozen=True, kw_only=True)
class RBO(base.Agreement):
    """Rank-biased overlap of two orderings with persistence `p`.

    Parameters
    ----------
    p
        Probability to read the next rank, between 0 and 1. Small values emphasise the top.
    ties
        The meaning of a tie. ``"w"``: the systems are equally good, and enter the overlap at the
        same depth. ``"a"``: their order is unknown, and the value is the mean over all orders.
        ``"b"``: like ``"a"``, but corrected so that the agreement of an ordering with itself is 1.

    Notes
    -----
    ``RBO_ext = (X_S/S) p**S + ((1-p)/p) sum_{d=1..S} (X_d/d) p**d``. X_d is the number of systems
    among the first d of both orderings. Both order the same S systems, so X_S = S. A system counts
    from the larger of its two ranks on. Its contribution, the sum of the weights from there to S,
    decreases with the rank. RBO is therefore a sum over systems of the smaller of two numbers.

    With ties, let t and b be the first and the last possible rank of a system. Its contribution
    c_d to the first d is [t <= d] in ``"w"``. In ``"a"`` and ``"b"`` it is 0 above its group,
    (d-t+1)/(b-t+1) inside it, and 1 below it. X_d/d becomes ``2 sum c c' / (sum c + sum c')`` in
    ``"w"`` and ``"a"``, and ``sum c c' / sqrt(sum c**2 sum c'**2)`` in ``"b"``, with sums over the
    systems.

    Range: above 0 to 1. Equal orderings score 1, but in ``"a"`` only if there are no ties. Scores
    of reversed orderings, and the mean over random orderings, are above 0.

    References
    ----------
    .. [1] Webber, Moffat, Zobel. A similarity measure for indefinite rankings. ACM TOIS 28,
       2010. doi:10.1145/1852102.1852106
    .. [2] Corsi, Urbano. The treatment of ties in rank-biased overlap. SIGIR 2024.
       doi:10.1145/3626772.3657700

    Examples
    --------
    At p = 0.5 and for two systems, depth 1 weighs 1/2, and depth 2 and beyond weigh 1/4 + 1/4:

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
        """Return RBO of every two rows."""
        systems = x.shape[-1]
        weights: Floats = (1 - self.p) * self.p ** np.arange(systems, dtype=np.float64)
        sides = base.tied_ranks(x), base.tied_ranks(y)
        if all((first == last).all() for first, last in sides):  # no ties: all depths at once
            onward = np.cumsum((weights / np.arange(1, systems + 1))[::-1])[::-1]
            left, right = (onward[first.astype(np.intp) - 1] for first, _ in sides)
            smaller = lambda a, b: np.asarray(np.minimum(a, b).sum(axis=-1))  # noqa: E731
            overlap = base.over_rows(left, right, smaller)
        else:
            terms = (self._agree(*sides, depth) * weight for depth, weight in enumerate(weights, 1))
            overlap = np.asarray(sum(terms))
        return np.asarray(overlap + self.p**systems)

    def _agree(self, x: Ends, y: Ends, depth: int) -> Floats:
        """Return the agreement of both orderings at a depth."""
        top_x, top_y = (self._contributions(*ends, depth) for ends in (x, y))
        overlap = top_x @ top_y.swapaxes(-1, -2)
        if self.ties == "b":
            size_x, size_y = (np.linalg.norm(top, axis=-1) for top in (top_x, top_y))
            return np.asarray(overlap / (size_x[..., :, None] * size_y[..., None, :]))
        size_x, size_y = (top.sum(axis=-1) for top in (top_x, top_y))
        return np.asarray(2 * overlap / (size_x[..., :, None] + size_y[..., None, :]))

    def _contributions(self, first: Floats, last: Floats, depth: int) -> Floats:
        """Return the contribution of every system to a depth."""
        if self.ties == "w":
            return (first <= depth).astype(np.float64)
        return np.clip((depth - first + 1) / (last - first + 1), 0, 1)


AgreementName = Literal[
    "kendall", "pearson", "rbo", "rbo_a", "rbo_b", "rmse", "spearman", "tau_a", "tau_ap",
    "tau_ap_b", "tau_b",
]  # fmt: skip
Method = AgreementName | base.Agreement
"""A method of agreement, or its name."""

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
"""Name -> method of agreement."""


def parse_agreement(method: Method) -> base.Agreement:
    """Return the method of agreement for a name.

    Parameters
    ----------
    method
        A name in `AGREEMENTS`, a value such as ``RBO(p=0.8)``, or the text of a value.

    Returns
    -------
    Agreement
        The method.

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
