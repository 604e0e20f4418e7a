"""Pairs of systems, computed in blocks: products, resamples and ranks."""

import os
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import DTypeLike, NDArray

from irframe.arrays import Array, Ends, Floats, Ints, in_threads
from irframe.checks import check_int, room
from irframe.errors import ParameterError

Pairs = Ints | None
"""Positions of systems a and b, shape (pair, 2); None for all pairs."""


def all_pairs(systems: int) -> Ints:
    """Return every unordered pair of systems, earlier system first.

    Parameters
    ----------
    systems
        Number of systems, at least 0.

    Returns
    -------
    numpy.ndarray
        Shape (systems * (systems - 1) / 2, 2): positions of a and b, in lexicographic order.

    Examples
    --------
    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.stack(np.triu_indices(systems, k=1), axis=1).astype(np.int64)


def baseline_pairs(systems: int, baseline: int) -> Ints:
    """Return the pairs of every other system with a baseline.

    Parameters
    ----------
    systems
        Number of systems, at least 1.
    baseline
        Position of the baseline, 0 to systems - 1.

    Returns
    -------
    numpy.ndarray
        Shape (systems - 1, 2): positions of a and b. The baseline is b.

    Examples
    --------
    >>> baseline_pairs(3, 1).tolist()
    [[0, 1], [2, 1]]
    """
    pos = check_int("baseline", baseline, low=0, high=systems - 1)
    others = np.delete(np.arange(systems, dtype=np.int64), pos)
    return np.stack([others, np.full_like(others, pos)], axis=1)


BLOCK_BYTES = 2 * 2**20
"""Target size of a block of depths."""
GROUP_BYTES = 2**18
"""Target size of a working array for a group of pairs. A few such arrays fit into a cache."""
WORKERS = min(8, os.cpu_count() or 1)

Arrays = tuple[Array, ...]


def in_blocks(
    compute: Callable[[Floats, Ints], Arrays],
    scores: Floats,
    pairs: Pairs,
    *,
    dtypes: tuple[DTypeLike, ...] = (np.float64, np.float64),
    least_bytes: int = 0,
) -> Arrays:
    """Compute arrays of shape (pair, depth) in blocks of depths.

    Parameters
    ----------
    compute
        Function of a block (depth, system, topic) and the pairs. It returns arrays (depth, pair).
    scores
        Shape (system, topic, depth).
    pairs
        Shape (pair, 2), positions of systems; None for all pairs.
    dtypes
        The dtypes of the arrays that `compute` returns.
    least_bytes
        Blocks of scores up to this size are not split among threads.

    Returns
    -------
    tuple of numpy.ndarray
        Each of shape (pair, depth).
    """
    scores, pairs = checked(scores, pairs)
    systems, topics, depths = scores.shape
    results = tuple(np.empty((depths, len(pairs)), dtype) for dtype in dtypes)

    def fill(block: slice) -> None:
        values = np.ascontiguousarray(np.moveaxis(scores[:, :, block], 2, 0), dtype=np.float64)
        for result, computed in zip(results, compute(values, pairs), strict=True):
            result[block] = computed

    # Few depths are split so that every thread has a block, unless blocks would be small.
    least = fitting(systems * topics, least_bytes)
    width = min(fitting(systems * topics, BLOCK_BYTES), max(least, -(-depths // WORKERS)))
    if len(pairs) and depths:
        in_threads(fill, groups(depths, width), WORKERS)
    return tuple(result.T for result in results)


def by_pair(
    compute: Callable[[Array, Array], Arrays],
    block: Array,
    pairs: Ints,
    *,
    width: int = 1,
) -> Arrays:
    """Compute on both systems of pairs in groups.

    Parameters
    ----------
    compute
        Function of the scores of a and of b, each (depth, pair, topic). It returns arrays (depth,
        pair).
    block
        Shape (depth, system, topic).
    pairs
        Shape (pair, 2), at least one pair.
    width
        Number of values that `compute` allocates per depth and pair, if above the number of topics.

    Returns
    -------
    tuple of numpy.ndarray
        Each of shape (depth, pair).
    """
    depths, _, topics = block.shape
    results = [
        compute(block.take(pairs[group, 0], axis=1), block.take(pairs[group, 1], axis=1))
        for group in groups(len(pairs), fitting(depths * max(width, topics)))
    ]
    return tuple(np.concatenate(arrays, axis=1) for arrays in zip(*results, strict=True))


def each_pair(
    compute: Callable[[Array, Array], Arrays],
    scores: Floats,
    pairs: Pairs,
    *,
    width: int = 1,
) -> Arrays:
    """Compute two arrays (pair, depth) from scores; see `in_blocks`, `by_pair`."""
    return in_blocks(partial(by_pair, compute, width=width), scores, pairs)


def groups(length: int, width: int) -> Iterator[slice]:
    """Return consecutive slices of at most `width` that cover range(length)."""
    return map(slice, range(0, length, width), range(width, length + width, width))


def fitting(values: int, size: int = GROUP_BYTES) -> int:
    """Return the number of rows of 8-byte values that fit."""
    return max(1, size // (8 * max(1, values)))


def checked(scores: Floats, pairs: Pairs) -> tuple[Floats, Ints]:
    """Return scores and pairs as arrays of valid shapes."""
    scores = np.asarray(scores)
    if scores.ndim != 3 or not scores.shape[1]:
        expected = "scores of shape (system, topic, depth) with at least one topic"
        raise ParameterError(expected, f"shape {scores.shape}", "add the missing axes")
    pairs = all_pairs(len(scores)) if pairs is None else np.asarray(pairs, dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ParameterError("pairs of shape (pair, 2)", f"shape {pairs.shape}")
    outside = pairs[((pairs < 0) | (pairs >= len(scores))).any(axis=1)]
    if len(outside):
        expected = f"positions of systems from 0 to {len(scores) - 1}"
        raise ParameterError(expected, "pairs outside", "", outside.tolist())
    return scores, pairs


UNTHREADED = 2**18
"""Number of multiplications in one matrix product, small enough that BLAS starts no threads."""
NARROWEST = 16
"""Minimum number of rows or columns of a product, which limits the number of products."""
MANY = 1024
"""Number of systems above which few pairs are multiplied one by one, without a Gram matrix."""


def products(block: Floats, pairs: Ints) -> tuple[Floats, Floats]:
    """Return inner products of rows with themselves, and of pairs.

    Parameters
    ----------
    block
        Shape (depth, system, topic).
    pairs
        Shape (pair, 2).

    Returns
    -------
    tuple of numpy.ndarray
        Shape (depth, system) and (depth, pair).
    """
    depths, systems, topics = block.shape
    if systems > MANY and 8 * len(pairs) < systems**2:
        squares = np.einsum("dst,dst->ds", block, block)
        return squares, by_pair(lambda a, b: (np.einsum("dpt,dpt->dp", a, b),), block, pairs)[0]
    gram = np.zeros((depths, systems, systems))
    for group in groups(topics, max(NARROWEST, UNTHREADED // systems**2)):
        gram += block[:, :, group] @ block[:, :, group].swapaxes(1, 2)
    a, b = pairs.T
    cross = gram.reshape(depths, systems**2).take(a * systems + b, axis=1)
    return np.diagonal(gram, axis1=1, axis2=2), cross


def product(rows: Floats, columns: Floats) -> Floats:
    """Return rows @ columns, computed in small products.

    Parameters
    ----------
    rows
        Shape (..., topic).
    columns
        Shape (topic, any number).

    Returns
    -------
    numpy.ndarray
        Shape (..., any number).
    """
    flat = rows.reshape(-1, rows.shape[-1])
    result = np.empty((len(flat), columns.shape[1]))
    for group in groups(columns.shape[1], max(NARROWEST, UNTHREADED // max(1, flat.size))):
        result[:, group] = flat @ columns[:, group]
    return result.reshape(*rows.shape[:-1], -1)


DRAWN = 32
"""Bytes per topic of a bootstrap sample while positions are counted."""
SIGNED = 2
"""Bytes per topic of a draw of signs."""


def refuse_large(samples: int, topics: int, size: int) -> None:
    """Raise if draws of topics would exceed the memory.

    `size` is the number of bytes per topic.
    """
    what = f"{samples:,} draws of {topics:,} topics"
    room(what, samples * topics * size, "ask for fewer samples=")


def draw_topics(topics: int, *, samples: int, seed: int) -> Ints:
    """Draw topics with replacement.

    Parameters
    ----------
    topics
        Number of topics, which is also the size of a bootstrap sample.
    samples
        Number of bootstrap samples.
    seed
        Seed of the draws.

    Returns
    -------
    numpy.ndarray
        Shape (samples, topics), positions of topics.
    """
    refuse_large(samples, topics, DRAWN)
    generator = np.random.default_rng(seed)
    return generator.integers(topics, size=(samples, topics), dtype=np.int64)


def draw_signs(topics: int, *, samples: int, seed: int) -> NDArray[np.int8]:
    """Draw a random sign for every topic.

    Parameters
    ----------
    topics
        Number of topics.
    samples
        Number of draws.
    seed
        Seed of the draws.

    Returns
    -------
    numpy.ndarray
        Shape (samples, topics), each -1 or 1.
    """
    refuse_large(samples, topics, SIGNED)
    drawn = np.random.default_rng(seed).integers(2, size=(samples, topics), dtype=np.int8)
    return 2 * drawn - np.int8(1)


def count_drawn(drawn: Ints) -> Floats:
    """Count how often each bootstrap sample contains each topic.

    Parameters
    ----------
    drawn
        Shape (samples, topics), positions of topics.

    Returns
    -------
    numpy.ndarray
        Shape (samples, topics).

    Examples
    --------
    >>> count_drawn(np.array([[0, 0], [1, 0]]))
    array([[2., 0.],
           [1., 1.]])
    """
    codes = drawn + drawn.shape[1] * np.arange(len(drawn))[:, None]
    counts = np.bincount(codes.ravel(), minlength=drawn.size)
    return counts.reshape(drawn.shape).astype(np.float64)


def critical(drawn: Floats, alpha: float) -> Floats:
    """Return the critical value of a resampled statistic.

    Parameters
    ----------
    drawn
        Statistics of the draws, along the first axis.
    alpha
        Significance level.

    Returns
    -------
    numpy.ndarray
        The value that a statistic must exceed for p < alpha, infinite if there are too few draws.
        The p-value is (1 + count) / (1 + draws), where count is the number of draws that are at
        least as large.

    Examples
    --------
    >>> critical(np.arange(20.0), 0.2), critical(np.arange(20.0), 0.01)
    (array(16.), array(inf))
    """
    samples = len(drawn)
    above = np.count_nonzero((1 + np.arange(samples)) / (1 + samples) < alpha)
    if not above:
        return np.full(drawn.shape[1:], np.inf)
    index = samples - above
    return np.asarray(np.partition(drawn, index, axis=0)[index])


def marked_ranks(keys: Array) -> Ends:
    """Return sums of average ranks of marked values by row.

    Parameters
    ----------
    keys
        Unsigned integers: twice the value, plus 1 if it is marked. Rows are along the last axis,
        and are sorted in place.

    Returns
    -------
    rank_sum, ties : numpy.ndarray
        The sum of the average ranks (1 to n) of marked values; and the sum of t^3 - t over groups
        of t tied values.

    Notes
    -----
    The mark is in the lowest bit, so that sorting the keys is enough, without an argsort. Among t
    tied values the m marked ones come last. Their positions therefore sum to m (t - m) / 2 more
    than their average ranks, and this excess is subtracted.
    """
    keys.sort(axis=-1)
    length = keys.shape[-1]
    marked = (keys & 1).astype(np.int32)
    ranks = np.arange(1, length + 1, dtype=np.int32)
    rank_sum = np.einsum("...i,i->...", marked, ranks, dtype=np.int64).astype(np.float64)
    fresh = np.ones((*keys.shape[:-1], length + 1), dtype=bool)
    # A new value begins where keys differ in more than the lowest bit.
    np.greater(keys[..., 1:] ^ keys[..., :-1], 1, out=fresh[..., 1:-1])
    first = np.flatnonzero(fresh[..., :-1] & ~fresh[..., 1:])
    last = np.flatnonzero(~fresh[..., :-1] & fresh[..., 1:])
    size = (last - first + 1).astype(np.float64)
    upto = np.cumsum(marked)
    inside = upto[last] - upto[first] + marked.ravel()[first]
    row = first // length
    excess = np.bincount(row, inside * (size - inside) / 2, minlength=rank_sum.size)
    cubes = np.bincount(row, size**3 - size, minlength=rank_sum.size)
    return rank_sum - excess.reshape(rank_sum.shape), cubes.reshape(rank_sum.shape)
