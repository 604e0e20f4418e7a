"""The significance matrix as a picture, for readers without a script."""

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.metrics.facts import facts
from irframe.paired import all_pairs
from irframe.reports.view import View

BETTER, WORSE = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)
"""Colours of a row that is better, and worse, than a column."""
FULL = 255


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
    mean = view.ranked["mean"][metric, depth] * facts(view.setting.metrics[metric]).sign
    first, second = all_pairs(len(mean)).T
    signed = view.strength[metric, depth] * np.sign(mean[first] - mean[second])
    found = np.zeros((len(mean), len(mean)), np.int8)
    found[first, second] = np.nan_to_num(signed)
    order = view.order(metric, depth)
    whole: NDArray[np.int8] = (found - found.T)[np.ix_(order, order)]
    return whole


def picture(marks: NDArray[np.int8], levels: int) -> str:
    """Return a matrix as the address of a PNG image, a pixel for every pair.

    Examples
    --------
    >>> picture(np.array([[0, 1], [-1, 0]], np.int8), 1)[:30]
    'data:image/png;base64,iVBORw0K'
    """
    pixels = np.zeros((*marks.shape, 4), np.uint8)
    pixels[marks > 0, :3], pixels[marks < 0, :3] = BETTER, WORSE
    pixels[..., 3] = np.abs(marks.astype(int)) * FULL // levels
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    height, width = marks.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = (b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    image = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)
    return f"data:image/png;base64,{base64.b64encode(image).decode('ascii')}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    check: Any = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
