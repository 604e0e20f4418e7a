"""Rank discounts, ideal rankings and relative positions."""

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats

DISCOUNTS = ("log2", "zipf", "jk")


def positive(denominator: Array) -> Floats:
    """Replace 0 in a denominator by infinity.

    A quotient with this denominator is then 0 instead of NaN.

    Examples
    --------
    >>> 3 / positive(np.array([0, 6]))
    array([0. , 0.5])
    """
    return np.where(denominator > 0, denominator, np.inf)


def read_only(values: Floats) -> Floats:
    """Make an array read-only, and return it."""
    values.flags.writeable = False
    return values


@lru_cache(maxsize=32)
def discounts(kind: str, base: float, ranks: int) -> Floats:
    """Return a read-only array of discount factors by rank.

    Parameters
    ----------
    kind
        ``"log2"`` for 1/log2(1 + i), ``"zipf"`` for 1/i, or ``"none"`` for 1. ``"jk"`` means 1 for
        ranks smaller than `base`, and 1/log_base(i) for all other ranks, as in Jarvelin and
        Kekalainen.
    base
        Base of the logarithm of ``"jk"``.
    ranks
        Number of ranks.

    Returns
    -------
    numpy.ndarray
        Discount factors, shape (ranks,).

    Examples
    --------
    >>> discounts("zipf", 2, 3).round(3), discounts("jk", 2, 4).round(3)
    (array([1.   , 0.5  , 0.333]), array([1.   , 1.   , 0.631, 0.5  ]))
    """
    # the result is cached and shared by all callers, so it is read-only
    rank = np.arange(1.0, ranks + 1)
    if kind == "log2":
        return read_only(1 / np.log2(1 + rank))
    if kind == "zipf":
        return read_only(1 / rank)
    if kind == "none":
        return read_only(np.ones(ranks))
    logs = np.log(rank) / np.log(base)
    # rank 1 has no discount, so its logarithm of 0 is replaced to avoid a division by 0
    return read_only(1 / np.where(rank < base, 1, np.maximum(logs, 1)))


def ideal_ranking(gains: Floats, counts: Array, ranks: int) -> Floats:
    """Return the gain at each rank of the ideal ranking.

    Parameters
    ----------
    gains, counts
        The distinct gains in descending order, shape (step,), and the number of documents with at
        least each gain, shape (..., step).
    ranks
        Number of ranks.

    Returns
    -------
    numpy.ndarray
        Gains, shape (..., ranks).

    Examples
    --------
    >>> ideal_ranking(np.array([1.0, 0.5]), np.array([1, 3]), 4)
    array([1. , 0.5, 0.5, 0. ])
    """
    by_rank = np.zeros((*counts.shape[:-1], ranks))
    rank = np.arange(1, ranks + 1)
    # the loop ends with the highest gain, which overwrites the first ranks
    for step in reversed(range(len(gains))):
        np.copyto(by_rank, gains[step], where=rank <= counts[..., step, np.newaxis])
    return by_rank


def ideal_sum(
    gains: Floats, counts: Array, rank: Array, kind: str = "log2", base: float = 2
) -> Floats:
    """Return the DCG of the ideal ranking at each depth.

    Parameters
    ----------
    gains, counts
        The ideal ranking as described in `ideal_ranking`, shapes (step,) and (..., 1, step).
    rank
        Depths, shape (..., 1 or depth), or ``numpy.inf`` for the full ranking.
    kind, base
        Arguments of `discounts`.

    Returns
    -------
    numpy.ndarray
        The DCG, shape (..., depth). The ideal gains are summed in the same order as the gains of
        lists, so that an ideal list has an nDCG of exactly 1.

    Examples
    --------
    >>> ideal_sum(np.array([1.0]), np.array([[2]]), np.array([1, 2, 3]), "zipf")
    array([1. , 1.5, 1.5])
    """
    last = counts[..., -1] if len(gains) else np.zeros(counts.shape[:-1], int)
    length = np.minimum(last, rank).astype(np.intp)
    ranks = int(length.max(initial=0))
    added = ideal_ranking(gains, counts[..., 0, :], ranks) * discounts(kind, base, ranks)
    sums = np.cumsum(np.insert(added, 0, 0.0, axis=-1), axis=-1)
    return np.take_along_axis(sums, length, axis=-1)


Crossing = Literal["sign_change", "definition", "matters"]
CROSSINGS: tuple[Crossing, ...] = get_args(Crossing)
"""Names of the definitions of a crossing. The definitions are described in `crosses`."""


class ExpectedRanks(NamedTuple):
    """Ranks of each relevant grade in an ideal ranking.

    Parameters
    ----------
    level
        Relevant grades in descending order, shape (level,).
    first, last
        First and last rank of each grade in the ideal ranking, shape (..., 1, level). If a topic
        has no document with the grade, `last` is smaller than `first`.
    """

    level: Array
    first: Array
    last: Array


def expected_ranks(levels: Array, count: Array, rel: int) -> ExpectedRanks:
    """Return the ranks of each relevant grade in ideal rankings.

    Parameters
    ----------
    levels
        Distinct judged grades in ascending order, shape (level,).
    count
        Number of judged documents of each topic per grade, shape (..., level).
    rel
        Lowest relevant grade.

    Returns
    -------
    ExpectedRanks
        The ranks of the grades of at least `rel`.

    Examples
    --------
    >>> ranks = expected_ranks(np.array([0, 1, 2, 3]), np.array([5, 3, 2, 2]), 1)
    >>> ranks.level.tolist(), ranks.first.tolist(), ranks.last.tolist()
    ([3, 2, 1], [[1, 3, 5]], [[2, 4, 7]])
    """
    relevant = np.flatnonzero(np.asarray(levels) >= rel)[::-1]
    counts = np.asarray(count)[..., np.newaxis, relevant].astype(np.int64)
    last = np.cumsum(counts, axis=-1)
    return ExpectedRanks(np.asarray(levels)[relevant], last - counts + 1, last)


def relative_position(grade: Array, expected: ExpectedRanks) -> Array:
    """Return the relative position of each document.

    Parameters
    ----------
    grade
        Grades by rank, shape (..., depth). Unjudged and missing documents are treated as
        non-relevant.
    expected
        Ranks of the grades in the ideal ranking of each topic.

    Returns
    -------
    numpy.ndarray
        Signed distances from the ranks of the grade in the ideal ranking, int32, shape (...,
        depth). Distances are negative for documents that are ranked too high, and positive for
        documents that are ranked too low.

    Examples
    --------
    >>> expected = expected_ranks(np.array([0, 1, 2]), np.array([9, 1, 1]), 1)
    >>> relative_position(np.array([0, 1, 0, 2]), expected).tolist()
    [-2, 0, 0, 3]
    """
    rank = np.arange(1, grade.shape[-1] + 1, dtype=np.int32)
    nearest = np.empty(grade.shape, np.int32)
    nearest[...] = np.maximum(rank, recall_base(expected) + 1)
    for number, level in enumerate(expected.level):
        inside = np.clip(rank, expected.first[..., number], expected.last[..., number])
        np.copyto(nearest, inside, where=grade == level, casting="same_kind")
    return np.subtract(rank, nearest, out=nearest)


def recall_base(expected: ExpectedRanks) -> Array:
    """Return the number of relevant documents, shape (..., 1)."""
    return np.asarray((expected.last - expected.first + 1).sum(axis=-1))


def crosses(curve: Array, crossing: Crossing) -> NDArray[np.bool_]:
    """Return where a curve crosses 0 between neighbouring ranks.

    Parameters
    ----------
    curve
        Values by rank, shape (..., depth).
    crossing
        Definition of a crossing. ``"sign_change"`` is a change from a value other than 0 to 0 or to
        a value of the opposite sign. ``"definition"`` is any pair of neighbouring values that are
        not both above or both below 0. ``"matters"`` is a change from a value above 0 to a value of
        at most 0, or the reverse.

    Returns
    -------
    numpy.ndarray
        Whether the curve crosses 0 between each rank and the next, shape (..., depth - 1).

    Examples
    --------
    >>> crosses(np.array([0, -1, 0, 1]), "sign_change").tolist()
    [False, True, False]
    """
    current, following = curve[..., :-1], curve[..., 1:]
    if crossing == "matters":
        return np.asarray((current > 0) != (following > 0))
    if crossing == "definition":
        return np.asarray(((current <= 0) & (following >= 0)) | ((current >= 0) & (following <= 0)))
    return np.asarray(((current < 0) & (following >= 0)) | ((current > 0) & (following <= 0)))


def first_crossing(crossed: NDArray[np.bool_]) -> Floats:
    """Return the rank of the first crossing, or infinity."""
    if not crossed.shape[-1]:
        return np.full((*crossed.shape[:-1], 1), np.inf)
    first = np.where(crossed.any(axis=-1), crossed.argmax(axis=-1) + 1.0, np.inf)
    return np.asarray(first[..., np.newaxis])


def balance_points(position: Array, expected: ExpectedRanks, crossing: Crossing) -> Floats:
    """Return the balance point at each depth.

    Parameters
    ----------
    position
        Relative positions, shape (..., depth).
    expected
        Ranks of the grades in the ideal ranking of each topic.
    crossing
        Definition of a crossing, one of `CROSSINGS`.

    Returns
    -------
    numpy.ndarray
        Balance points, shape (..., depth). A balance point is at least R, the number of relevant
        documents. The balance point is infinite if the curve never crosses 0, and NaN if there are
        no relevant documents.

    Notes
    -----
    Past the end of a cut list, the curve of relative positions can only fall, and it falls only
    down to rank R. A crossing past the end of the list is therefore counted at rank R. With
    ``"definition"``, a curve that stays at 0 crosses 0 at the end of its list.
    """
    R = recall_base(expected)
    rank = np.arange(1, position.shape[-1] + 1)
    curve = np.cumsum(position, axis=-1, dtype=np.int64)
    first = first_crossing(crosses(curve, crossing))
    point = np.where(first < rank, np.maximum(first, R), np.inf)
    missing = np.maximum(R - rank, 0)
    # if the ranks up to R that the list lacks are non-relevant, the curve falls by 1 + 2 + ... +
    # missing
    fallen = curve - missing * (missing + 1) // 2 <= 0
    if crossing == "definition":
        # lists of fewer than 2R ranks are padded, and a curve that is 0 stays 0 in the padding
        later = (curve >= 0) & fallen & (rank < 2 * R)
        np.minimum(point, np.maximum(rank, R), out=point, where=later)
    else:
        # the curve of an ideal list never changes its sign, but its balance point is R
        ideal = (np.cumsum(position != 0, axis=-1) == 0) & (missing == 0)
        np.minimum(point, R, out=point, where=((curve > 0) & fallen & (missing > 0)) | ideal)
    return np.where(R > 0, point, np.nan)


def full_scale(expected: ExpectedRanks, length: Array) -> tuple[Array, Array]:
    """Return the total misplacement of the reversed ideal ranking.

    Parameters
    ----------
    expected
        Ranks of the grades in the ideal ranking of each topic.
    length
        Length of the ranking, at least twice the number of relevant documents, shape (..., 1 or
        depth).

    Returns
    -------
    forward, backward
        Absolute sums of the positive and of the negative relative positions.

    Examples
    --------
    >>> expected = expected_ranks(np.array([0, 1, 2, 3]), np.array([5, 3, 2, 2]), 1)
    >>> [int(space.item()) for space in full_scale(expected, np.array([15]))]
    [51, 28]
    """
    R = recall_base(expected)
    triangle = R * (R + 1) // 2
    ideal = ((expected.last - expected.first + 1) * expected.last).sum(axis=-1)
    return R * (length - R) + triangle - ideal, triangle


def space_ratios(
    forward: Array, backward: Array, worst: tuple[Array, Array]
) -> tuple[Floats, Floats, Floats]:
    """Return space ratios for amounts of misplacement.

    Parameters
    ----------
    forward, backward
        Absolute sums of the positive and of the negative relative positions.
    worst
        `forward` and `backward` of the reversed ideal ranking, or 0 if there are no relevant
        documents.

    Returns
    -------
    forward, backward, combined
        `forward` and `backward` are 1 - amount / worst for the amounts of the same names.
        `combined` is the harmonic mean of both ratios, or 0 if both ratios are 0.
    """
    with np.errstate(all="ignore"):
        plus, minus = 1 - forward / worst[0], 1 - backward / worst[1]
        combined = 2 * plus * minus / (plus + minus)
    return plus, minus, np.where(plus + minus == 0, 0.0, combined)


def space_ratio(position: Array, expected: ExpectedRanks) -> Floats:
    """Return the space ratio at each depth."""
    R = recall_base(expected)
    rank = np.arange(1, position.shape[-1] + 1)
    missing = np.maximum(R - rank, 0)
    forward = np.cumsum(np.maximum(position, 0), axis=-1, dtype=np.int64)
    backward = forward - np.cumsum(position, axis=-1, dtype=np.int64)
    backward += missing * (missing + 1) // 2
    return space_ratios(forward, backward, full_scale(expected, np.maximum(rank, 2 * R)))[2]
