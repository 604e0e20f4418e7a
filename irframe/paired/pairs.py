"""Pairs of systems, and how work on them is cut: blocks, matrix products, resamples, ranks."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from irframe.arrays import Ends, Floats, Ints, in_threads
from irframe.checks import room, whole
from irframe.errors import ParameterError

Pairs = Ints | None
"""Positions of systems a and b, shape (pair, 2); None for all pairs."""


def all_pairs(systems: int) -> Ints:
    """Every unordered pair of systems, the earlier system first.

    Parameters
    ----------
    systems
        The number of systems, at least 0.

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
    """Every other system against one baseline, which is b of each pair.

    Parameters
    ----------
    systems
        The number of systems, at least 1.
    baseline
        Position of the baseline, 0 to systems - 1.

    Returns
    -------
    numpy.ndarray
        Shape (systems - 1, 2): positions of a and b.

    Examples
    --------
    >>> baseline_pairs(3, 1).tolist()
    [[0, 1], [2, 1]]
    """
    place = whole("baseline", baseline, low=0, high=systems - 1)
    others = np.delete(np.arange(systems, dtype=np.int64), place)
    return np.stack([others, np.full_like(others, place)], axis=1)


BLOCK_BYTES = 2 * 2**20
"""Target size of a block of depths."""
GROUP_BYTES = 2**18
"""Target size of a working array for a group of pairs; a few of them fit into a cache."""
WORKERS = min(8, os.cpu_count() or 1)

Arrays = tuple[NDArray[Any], ...]


def in_blocks(
    compute: Callable[[Floats, Ints], Arrays],
    scores: Floats,
    pairs: Pairs,
    *,
    dtypes: tuple[DTypeLike, ...] = (np.float64, np.float64),
    least_bytes: int = 0,
) -> Arrays:
    """Fill arrays of shape (pair, depth), a block of depths at a time.

    Parameters
    ----------
    compute
        Takes a block (depth, system, topic) and the pairs, gives arrays (depth, pair).
    scores
        Shape (system, topic, depth).
    pairs
        Shape (pair, 2), positions of systems; None for all pairs.
    dtypes
        One for each array that `compute` gives.
    least_bytes
        Size up to which a block of scores is not split among threads.

    Returns
    -------
    tuple of numpy.ndarray
        Each of shape (pair, depth).
    """
    scores, pairs = checked(scores, pairs)
    systems, topics, depths = scores.shape
    results = tuple(np.empty((depths, len(pairs)), dtype) for dtype in dtypes)

    def fill(block: slice) -> None:
        part = np.ascontiguousarray(np.moveaxis(scores[:, :, block], 2, 0), dtype=np.float64)
        for result, values in zip(results, compute(part, pairs), strict=True):
            result[block] = values

    # A block for each thread where one would hold all depths, unless it is small.
    least = fitting(systems * topics, least_bytes)
    width = min(fitting(systems * topics, BLOCK_BYTES), max(least, -(-depths // WORKERS)))
    if len(pairs) and depths:
        in_threads(fill, groups(depths, width), WORKERS)
    return tuple(result.T for result in results)


def by_pair(
    compute: Callable[[NDArray[Any], NDArray[Any]], Arrays],
    block: NDArray[Any],
    pairs: Ints,
    *,
    width: int = 1,
) -> Arrays:
    """Compute on both sides of the pairs, a group of pairs at a time.

    Parameters
    ----------
    compute
        Takes the scores of a and of b, each (depth, pair, topic), gives arrays (depth, pair).
    block
        Shape (depth, system, topic).
    pairs
        Shape (pair, 2), at least one pair.
    width
        How many values `compute` holds per depth and pair, where that is more than topics.

    Returns
    -------
    tuple of numpy.ndarray
        Each of shape (depth, pair).
    """
    depths, _, topics = block.shape
    parts = [
        compute(block.take(pairs[group, 0], axis=1), block.take(pairs[group, 1], axis=1))
        for group in groups(len(pairs), fitting(depths * max(width, topics)))
    ]
    return tuple(np.concatenate(part, axis=1) for part in zip(*parts, strict=True))


def each_pair(
    compute: Callable[[NDArray[Any], NDArray[Any]], Arrays],
    scores: Floats,
    pairs: Pairs,
    *,
    width: int = 1,
) -> Arrays:
    """Compute two numbers of both sides of every pair at every depth; see `by_depth`, `by_pair`."""
    return in_blocks(partial(by_pair, compute, width=width), scores, pairs)


def groups(length: int, width: int) -> Iterator[slice]:
    """Cut range(length) into slices of at most width."""
    return (slice(start, start + width) for start in range(0, length, width))


def fitting(values: int, size: int = GROUP_BYTES) -> int:
    """How many rows of so many 8-byte values fit into size bytes, at least 1."""
    return max(1, size // (8 * max(1, values)))


def checked(scores: Floats, pairs: Pairs) -> tuple[Floats, Ints]:
    """Return scores and pairs as arrays, or say what is wrong with their shapes."""
    scores = np.asarray(scores)
    if scores.ndim != 3 or not scores.shape[1]:
        wanted = "scores of shape (system, topic, depth) with at least one topic"
        raise ParameterError(wanted, f"shape {scores.shape}", "add the missing axes")
    pairs = all_pairs(len(scores)) if pairs is None else np.asarray(pairs, dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ParameterError("pairs of shape (pair, 2)", f"shape {pairs.shape}")
    outside = pairs[((pairs < 0) | (pairs >= len(scores))).any(axis=1)]
    if len(outside):
        wanted = f"positions of systems from 0 to {len(scores) - 1}"
        raise ParameterError(wanted, "pairs beyond", "", outside.tolist())
    return scores, pairs


UNTHREADED = 2**18
"""Multiplications in one piece."""
NARROWEST = 16
"""A piece has at least as many rows or columns, so that very large arrays take few pieces."""


def gram(block: Floats) -> Floats:
    """Inner products of all rows: block @ block.T for every depth.

    Parameters
    ----------
    block
        Shape (depth, system, topic).

    Returns
    -------
    numpy.ndarray
        Shape (depth, system, system).
    """
    depths, systems, topics = block.shape
    total = np.zeros((depths, systems, systems))
    for group in groups(topics, max(NARROWEST, UNTHREADED // systems**2)):
        piece = block[:, :, group]
        total += piece @ piece.swapaxes(1, 2)
    return total


MANY = 1024
"""Systems from which on few pairs are multiplied one by one, not each system with each."""


def products(block: Floats, pairs: Ints) -> tuple[Floats, Floats]:
    """Inner products of every row with itself, and of both rows of every pair.

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
    systems, (a, b) = block.shape[1], pairs.T
    if systems > MANY and 8 * len(pairs) < systems**2:
        own = np.einsum("dst,dst->ds", block, block)
        return own, by_pair(lambda a, b: (np.einsum("dpt,dpt->dp", a, b),), block, pairs)[0]
    inner = gram(block)
    cross = inner.reshape(len(block), -1).take(a * systems + b, axis=1)
    return np.diagonal(inner, axis1=1, axis2=2), cross


def product(rows: Floats, columns: Floats) -> Floats:
    """Inner products of rows and columns: rows @ columns.

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


DRAWN, SIGNED = 32, 2
"""Bytes for every topic of a resample: its position, while it is counted; its sign, while drawn."""


def refuse_large(samples: int, topics: int, size: int) -> None:
    """Raise for so many draws of topics, of so many bytes each, that memory has no room."""
    what = f"{samples:,} draws of {topics:,} topics"
    room(what, samples * topics * size, "ask for fewer samples=")


def draw_topics(topics: int, *, samples: int, seed: int) -> Ints:
    """Draw topics with replacement.

    Parameters
    ----------
    topics
        How many topics there are, and how many a resample has.
    samples
        How many resamples.
    seed
        Of the generator of the draws.

    Returns
    -------
    numpy.ndarray
        Shape (samples, topics), positions of topics.
    """
    refuse_large(samples, topics, DRAWN)
    generator = np.random.default_rng(seed)
    return generator.integers(topics, size=(samples, topics), dtype=np.int64)


def draw_signs(topics: int, *, samples: int, seed: int) -> NDArray[np.int8]:
    """Draw signs.

    Parameters
    ----------
    topics
        How many topics there are.
    samples
        How many draws.
    seed
        Of the generator of the draws.

    Returns
    -------
    numpy.ndarray
        Shape (samples, topics), each -1 or 1.
    """
    refuse_large(samples, topics, SIGNED)
    drawn = np.random.default_rng(seed).integers(2, size=(samples, topics), dtype=np.int8)
    return 2 * drawn - np.int8(1)


def count_drawn(drawn: Ints) -> Floats:
    """Count how often each resample has each topic.

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
    """Return what statistics must exceed for p < alpha.

    Parameters
    ----------
    drawn
        Statistics of draws, which come first.
    alpha
        Significance level.

    Returns
    -------
    numpy.ndarray
        Largest statistic with p = (1 + count of draws as large) / (1 + draws) not below alpha;
        infinite where draws are too few for any such p.

    Examples
    --------
    >>> critical(np.arange(20.0), 0.2), critical(np.arange(20.0), 0.01)
    (array(16.), array(inf))
    """
    samples = len(drawn)
    beyond = np.count_nonzero((1 + np.arange(samples)) / (1 + samples) < alpha)
    if not beyond:
        return np.full(drawn.shape[1:], np.inf)
    place = samples - beyond
    return np.asarray(np.partition(drawn, place, axis=0)[place])


def marked_ranks(keys: NDArray[Any]) -> Ends:
    """Sum the average ranks of the marked values of every row.

    Parameters
    ----------
    keys
        Unsigned integers, twice the value plus 1 if it is marked; rows along the last axis.
        Sorted in place.

    Returns
    -------
    tuple of numpy.ndarray
        The sum of the ranks 1..n of marked values, tied values sharing their average rank;
        and the sum of t^3 - t over the groups of t tied values.

    Notes
    -----
    The mark rides along in the lowest bit, so that a plain sort does for an argsort. Among t
    tied values the m marked ones come last, and so take m (t - m) / 2 more than m average
    ranks; only groups of tied values are corrected for it.
    """
    keys.sort(axis=-1)
    length = keys.shape[-1]
    marked = (keys & 1).astype(np.int32)
    ranks = np.arange(1, length + 1, dtype=np.int32)
    rank_sum = np.einsum("...i,i->...", marked, ranks, dtype=np.int64).astype(np.float64)
    fresh = np.ones((*keys.shape[:-1], length + 1), dtype=bool)
    # Where more than the mark differs, in the lowest bit, another value begins.
    np.greater(keys[..., 1:] ^ keys[..., :-1], 1, out=fresh[..., 1:-1])
    first = np.flatnonzero(fresh[..., :-1] & ~fresh[..., 1:])
    last = np.flatnonzero(~fresh[..., :-1] & fresh[..., 1:])
    size = (last - first + 1).astype(np.float64)
    upto = np.cumsum(marked)
    inside = upto[last] - upto[first] + marked.ravel()[first]
    shape, row = rank_sum.shape, first // length
    excess = np.bincount(row, inside * (size - inside) / 2, minlength=rank_sum.size)
    cubes = np.bincount(row, size**3 - size, minlength=rank_sum.size)
    return rank_sum - excess.reshape(shape), cubes.reshape(shape)
