"""The significance matrix as a picture, for readers without a script."""

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.paired import all_pairs
from irframe.reports.view import View

BETTER, WORSE = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)
"""Colours of a row that is better, and worse, than a column."""
FULL = 255
SIGNED = 40
"""Up to so many systems each cell has its sign."""
CELL, ARM = 15, 3
"""Pixels of such a cell, and half the length of a sign's lines."""
INKED = (0x10, 0x16, 0x1E, FULL)
"""Colour of the signs."""


def matrix(view: View, metric: int, depth: int) -> NDArray[np.int8]:
    """Return who differs significantly from whom: positive where the row is better.

    Parameters
    ----------
    view
        The numbers.
    metric, depth
        Positions of a metric and a depth.

    Returns
    -------
    numpy.ndarray
        In the order of the ladder; how many levels the p-value is below, negative where the row
        is worse; (system, system).
    """
    order = view.order(metric, depth)
    first, second = all_pairs(len(order)).T
    found = np.zeros((len(order), len(order)), np.int8)
    found[first, second] = view.signed[metric, depth]
    whole: NDArray[np.int8] = (found - found.T)[np.ix_(order, order)]
    return whole


def picture(marks: NDArray[np.int8], levels: int) -> str:
    """Return a matrix as the address of a PNG image, a pixel for every pair of many systems.

    Pairs of up to `SIGNED` systems have a cell of `CELL` pixels each way, with a plus or a minus.

    Examples
    --------
    >>> picture(np.array([[0, 1], [-1, 0]], np.int8), 1)[:30]
    'data:image/png;base64,iVBORw0K'
    """
    pixels = np.zeros((*marks.shape, 4), np.uint8)
    pixels[marks > 0, :3], pixels[marks < 0, :3] = BETTER, WORSE
    pixels[..., 3] = np.abs(marks.astype(int)) * FULL // levels
    if len(marks) <= SIGNED:
        pixels = _signed(pixels, marks)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    height, width = pixels.shape[:2]
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = (b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    image = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)
    return f"data:image/png;base64,{base64.b64encode(image).decode('ascii')}"


def _signed(pixels: NDArray[np.uint8], marks: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Return the picture with larger cells that have signs."""
    large = pixels.repeat(CELL, axis=0).repeat(CELL, axis=1)
    cells = large.reshape(len(marks), CELL, len(marks), CELL, 4).swapaxes(1, 2)
    middle, arms = CELL // 2, slice(CELL // 2 - ARM, CELL // 2 + ARM + 1)
    cells[marks != 0, middle, arms] = INKED
    cells[marks > 0, arms, middle] = INKED
    return cells.swapaxes(1, 2).reshape(large.shape)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check: Any = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
