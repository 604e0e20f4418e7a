"""Work through depths and pairs in blocks, so that memory stays bounded whatever the input.

A block of depths is copied to (depth, system, topic), where every system's scores lie side by
side; it holds as many depths as fit into `BLOCK_BYTES`, but at least one. Blocks run in threads,
as many as there are processors (eight at most). Inside a block, pairs are taken in groups whose
rows, one per depth and pair, fit into `GROUP_BYTES`. The memory a test needs beyond its input and
its result is therefore, per thread, a small multiple of `BLOCK_BYTES`, or of the scores and the
pairs of one depth where these are larger; a test by random draws keeps its draws besides.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from irframe.errors import ParameterError
from irframe.paired.pairs import FloatArray, IntArray, all_pairs
from irframe.threads import in_threads

__all__ = ["by_depth", "by_pair", "checked", "fitting", "groups"]

BLOCK_BYTES = 2 * 2**20
"""Target size of a block of depths."""
GROUP_BYTES = 2**18
"""Target size of a working array for a group of pairs; a few of them fit into a cache."""
WORKERS = min(8, os.cpu_count() or 1)

Arrays = tuple[NDArray[Any], ...]


def by_depth(
    compute: Callable[[FloatArray, IntArray], Arrays],
    scores: FloatArray,
    pairs: IntArray | None,
    *,
    dtypes: tuple[DTypeLike, ...] = (np.float64, np.float64),
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

    width = min(fitting(systems * topics, BLOCK_BYTES), -(-depths // WORKERS))
    if len(pairs) and depths:
        in_threads(fill, groups(depths, width), WORKERS)
    return tuple(result.T for result in results)


def by_pair(
    compute: Callable[[NDArray[Any], NDArray[Any]], Arrays],
    block: NDArray[Any],
    pairs: IntArray,
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


def groups(length: int, width: int) -> Iterator[slice]:
    """Cut range(length) into slices of at most width."""
    return (slice(start, start + width) for start in range(0, length, width))


def fitting(values: int, size: int = GROUP_BYTES) -> int:
    """How many rows of so many 8-byte values fit into size bytes, at least 1."""
    return max(1, size // (8 * max(1, values)))


def checked(scores: FloatArray, pairs: IntArray | None) -> tuple[FloatArray, IntArray]:
    """Return scores and pairs as arrays, or say what is wrong with their shapes."""
    scores = np.asarray(scores)
    if scores.ndim != 3 or not scores.shape[1]:
        raise ParameterError(
            "scores of shape (system, topic, depth) with at least one topic",
            f"shape {scores.shape}",
            "add the missing axes",
        )
    pairs = all_pairs(len(scores)) if pairs is None else np.asarray(pairs, dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ParameterError("pairs of shape (pair, 2)", f"shape {pairs.shape}")
    outside = pairs[((pairs < 0) | (pairs >= len(scores))).any(axis=1)]
    if len(outside):
        raise ParameterError(
            f"positions of systems from 0 to {len(scores) - 1}",
            "pairs beyond",
            offenders=outside.tolist(),
        )
    return scores, pairs
