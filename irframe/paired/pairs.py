"""Inner products, random draws and ranks for pairs of systems."""

import os
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import DTypeLike, NDArray

from irframe.arrays import Array, Ends, Floats, Ints, in_threads
from irframe.checks import check_int, room
from irframe.errors import ParameterError

Pairs = Ints | None
"""Type of the indices of the systems a and b of each pair, shape (pair, 2). None means all
pairs."""


def all_pairs(systems: int) -> Ints:
    """Return every unordered pair of systems, smaller index first.

    Parameters
    ----------
    systems
        Number of systems, at least 0.

    Returns
    -------
    numpy.ndarray
        Indices of a and b in lexicographic order, shape (systems * (systems - 1) / 2, 2).

    Examples
    --------
    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.stack(np.triu_indices(systems, k=1), axis=1).astype(np.int64)


def baseline_pairs(systems: int, baseline: int) -> Ints:
    """Return the pairs of the baseline with every other system.

    Parameters
    ----------
    systems
        Number of systems, at least 1.
    baseline
        Index of the baseline, 0 to systems - 1.

    Returns
    -------
    numpy.ndarray
        Indices of a and b, shape (systems - 1, 2). The baseline is b.

    Examples
    --------
    >>> baseline_pairs(3, 1).tolist()
    [[0, 1], [2, 1]]
    """
    pos = check_int("baseline", baseline, low=0, high=systems - 1)
    compared = np.delete(np.arange(systems, dtype=np.int64), pos)
    return np.stack([compared, np.full_like(compared, pos)], axis=1)


BLOCK_BYTES = 2 * 2**20
"""Target size in bytes of the scores in a block of depths."""
GROUP_BYTES = 2**18
"""Target size in bytes of an array over a group of pairs. A few arrays of this size fit into the
cache of a processor."""
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
        Function of two arguments, a block of scores of shape (depth, system, topic) and the pairs.
        The function returns arrays of shape (depth, pair).
    scores
        Scores, shape (system, topic, depth).
    pairs
        Indices of systems, shape (pair, 2). None means all pairs.
    dtypes
        dtypes of the arrays that `compute` returns.
    least_bytes
        Minimum size in bytes of the blocks of scores if the depths are divided among threads.

    Returns
    -------
    tuple of numpy.ndarray
        The arrays of `compute`, each of shape (pair, depth).
    """
    scores, pairs = checked(scores, pairs)
    systems, topics, depths = scores.shape
    # threads write to different rows, so no lock is needed
    results = tuple(np.empty((depths, len(pairs)), dtype) for dtype in dtypes)

    def fill(block: slice) -> None:
        values = np.ascontiguousarray(np.moveaxis(scores[:, :, block], 2, 0), dtype=np.float64)
        for result, computed in zip(results, compute(values, pairs), strict=True):
            result[block] = computed

    # every thread gets a block, unless the blocks would be smaller than `least_bytes`
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
    """Compute arrays of shape (depth, pair) in groups of pairs.

    Parameters
    ----------
    compute
        Function of the scores of a and the scores of b, both of shape (depth, pair, topic). The
        function returns arrays of shape (depth, pair).
    block
        Shape (depth, system, topic).
    pairs
        Indices of systems, shape (pair, 2), with at least one pair.
    width
        Number of values that `compute` allocates per depth and pair, if `compute` allocates more
        values than there are topics.

    Returns
    -------
    tuple of numpy.ndarray
        The arrays of `compute`, each of shape (depth, pair).
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
    """Compute arrays of shape (pair, depth) in blocks and groups."""
    return in_blocks(partial(by_pair, compute, width=width), scores, pairs)


def groups(length: int, width: int) -> Iterator[slice]:
    """Split range(length) into slices of at most `width`."""
    return map(slice, range(0, length, width), range(width, length + width, width))


def fitting(values: int, size: int = GROUP_BYTES) -> int:
    """Return how many rows of floats fit into `size` bytes."""
    return max(1, size // (8 * max(1, values)))


def checked(scores: Floats, pairs: Pairs) -> tuple[Floats, Ints]:
    """Convert scores and pairs to arrays, or raise if invalid."""
    scores = np.asarray(scores)
    if scores.ndim != 3 or not scores.shape[1]:
        expected = "scores of shape (system, topic, depth) with at least one topic"
        raise ParameterError(expected, f"shape {scores.shape}", "add the missing axes")
    pairs = all_pairs(len(scores)) if pairs is None else np.asarray(pairs, dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ParameterError("pairs as an array of shape (pair, 2)", f"shape {pairs.shape}")
    outside = pairs[((pairs < 0) | (pairs >= len(scores))).any(axis=1)]
    if len(outside):
        expected = f"pairs of indices of systems from 0 to {len(scores) - 1}"
        raise ParameterError(expected, "other indices", "", outside.tolist())
    return scores, pairs


# blocks of depths already run in threads, and threads of BLAS would wait for each other
UNTHREADED = 2**18
"""Maximum number of multiplications per matrix product, so that BLAS starts no threads."""
NARROWEST = 16
"""Minimum number of topics or columns per matrix product, which limits the number of products."""
MANY = 1024
"""Number of systems above which inner products of few pairs are computed without the full Gram
matrix."""


def products(block: Floats, pairs: Ints) -> tuple[Floats, Floats]:
    """Return the inner products of systems and of pairs.

    Parameters
    ----------
    block
        Shape (depth, system, topic).
    pairs
        Shape (pair, 2).

    Returns
    -------
    tuple of numpy.ndarray
        Inner product of each system with itself, shape (depth, system), and of the two systems of
        each pair, shape (depth, pair).
    """
    depths, systems, topics = block.shape
    # pairs with a baseline need only a small part of the Gram matrix, whose size is quadratic
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
    """Return ``rows @ columns``, computed in small matrix products.

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
"""Memory for counting drawn topics, in bytes per topic and bootstrap sample."""
SIGNED = 2
"""Memory for random signs, in bytes per topic and draw."""


def refuse_large(samples: int, topics: int, size: int) -> None:
    """Raise if random draws would need too much memory.

    `size` is the number of bytes per topic and draw.
    """
    draws = f"{samples:,} draws of {topics:,} topics"
    room(draws, samples * topics * size, "ask for fewer samples=")


def draw_topics(topics: int, *, samples: int, seed: int) -> Ints:
    """Draw topics with replacement.

    Parameters
    ----------
    topics
        Number of topics, which is also the size of each bootstrap sample.
    samples
        Number of bootstrap samples.
    seed
        Seed of the random number generator.

    Returns
    -------
    numpy.ndarray
        Indices of topics, shape (samples, topics).
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
        Seed of the random number generator.

    Returns
    -------
    numpy.ndarray
        Signs -1 and 1, shape (samples, topics).
    """
    refuse_large(samples, topics, SIGNED)
    drawn = np.random.default_rng(seed).integers(2, size=(samples, topics), dtype=np.int8)
    return 2 * drawn - np.int8(1)


def count_drawn(drawn: Ints) -> Floats:
    """Count how often each bootstrap sample contains each topic.

    Parameters
    ----------
    drawn
        Indices of topics, shape (samples, topics).

    Returns
    -------
    numpy.ndarray
        Numbers of draws, shape (samples, topics).

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
        Statistics of the draws, shape (draw, ...).
    alpha
        Significance level.

    Returns
    -------
    numpy.ndarray
        Critical values, shape (...). A statistic above its critical value has p < alpha. The
        p-value is (1 + count) / (1 + draws), and count is the number of draws that are at least as
        large as the statistic. A critical value is infinite if there are too few draws.

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
    """Return the rank sum of marked values in each row.

    Parameters
    ----------
    keys
        Unsigned integers, which are twice the value, plus 1 if the value is marked. Rows are along
        the last axis, and are sorted in place.

    Returns
    -------
    rank_sum, ties : numpy.ndarray
        Sum of the average ranks (1 to n) of marked values, and sum of t^3 - t over groups of t tied
        values.

    Notes
    -----
    The mark is in the lowest bit, so that sorting the keys replaces a slower argsort. Among t tied
    values, the m marked values come last. The sum of their positions therefore exceeds the sum of
    their average ranks by m (t - m) / 2, and this excess is subtracted.
    """
    keys.sort(axis=-1)
    length = keys.shape[-1]
    marked = (keys & 1).astype(np.int32)
    ranks = np.arange(1, length + 1, dtype=np.int32)
    # int32 holds every rank, but not every sum of ranks
    rank_sum = np.einsum("...i,i->...", marked, ranks, dtype=np.int64).astype(np.float64)
    fresh = np.ones((*keys.shape[:-1], length + 1), dtype=bool)
    # a new value begins where keys differ in more than the lowest bit
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
