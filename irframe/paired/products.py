"""Matrix products in pieces that leave threads to the caller.

Blocks of depths already run in threads. A linear algebra library that starts threads of its own
for every small product makes them wait for each other, which costs more than they save, many
times so on a busy machine. OpenBLAS starts none for products as small as these.
"""

import numpy as np

from irframe.paired.blocks import groups
from irframe.paired.pairs import FloatArray

__all__ = ["gram", "product"]

UNTHREADED = 2**18
"""Multiplications in one piece."""
NARROWEST = 16
"""A piece has at least as many rows or columns, so that very large arrays take few pieces."""


def gram(block: FloatArray) -> FloatArray:
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


def product(rows: FloatArray, columns: FloatArray) -> FloatArray:
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
