"""Names of documents as numbers that are equal where the names are, and hardly ever otherwise.

A column of a million names is read in a few passes over its bytes, which is several times as fast
as a dictionary of them. What has equal numbers is looked at again by its names, so that nothing
depends on chance.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from irframe.files.ids import Codes, is_text

Prints = NDArray[np.uint64]

FACTORS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)
"""Odd numbers by which bits are mixed, those of splitmix64."""
HALF = np.uint64(32)
WORD = 8
"""Bytes read at a time."""
LONGEST = 256
"""Bytes of a name up to which this is done."""
ROWS = 1 << 15
"""Rows done together: a few arrays of that size fit the processor's cache."""


def fingerprints(doc: pa.ChunkedArray) -> Prints | None:
    """Return a number for every name; None for columns with very long ones.

    Parameters
    ----------
    doc
        Names, text or integers, none of them missing.

    Examples
    --------
    >>> found = fingerprints(pa.chunked_array([["a", "b"], ["a", "longer than eight bytes"]]))
    >>> bool(found[0] == found[2]), len(np.unique(found))
    (True, 3)
    """
    if not is_text(doc.type):
        return _mixed(doc.cast(pa.int64()).to_numpy().view(np.uint64), FACTORS[0])
    parts = [_of_text(chunk.cast(pa.large_string())) for chunk in doc.chunks]
    if any(part is None for part in parts):
        return None
    return np.concatenate([np.zeros(0, np.uint64), *(part for part in parts if part is not None)])


def with_number(prints: Prints, number: Codes) -> Prints:
    """Return fingerprints of names together with numbers, such as those of topics."""
    mixed: Prints = _mixed(prints + number.astype(np.uint64) * FACTORS[2], FACTORS[1])
    return mixed


def _of_text(names: pa.Array) -> Prints | None:
    """Return fingerprints of text, a word of its bytes after the other."""
    _, offsets, data = names.buffers()
    ends = np.frombuffer(offsets, np.int64)[names.offset : names.offset + len(names) + 1]
    length = np.diff(ends)
    if int(length.max(initial=0)) > LONGEST:
        return None
    first, last = (int(ends[0]), int(ends[-1])) if len(ends) else (0, 0)
    size = last - first
    text = np.zeros(size + WORD, np.uint8)
    text[:size] = np.frombuffer(data or b"", np.uint8)[first:last]
    words: Any = np.ndarray((size + 1,), "<u8", buffer=text, strides=(1,))
    found = np.empty(len(names), np.uint64)
    for row in range(0, len(names), ROWS):
        some = slice(row, row + ROWS)
        found[some] = _of_words(words, ends[:-1][some] - first, length[some])
    return found


def _of_words(words: Prints, start: Codes, length: Codes) -> Prints:
    found = _mixed(length.astype(np.uint64), FACTORS[0])
    shift = np.arange(WORD, -1, -1, dtype=np.uint64) * np.uint64(WORD)
    mask = np.where(shift < 64, np.uint64(2**64 - 1) >> np.minimum(shift, 63), 0).astype(np.uint64)
    least, most = int(length.min()), int(length.max())
    for byte in range(0, most, WORD):
        if byte + WORD <= least:
            found = _mixed(found ^ words[start + byte], FACTORS[1])
            continue
        rows = slice(None) if byte < least else np.flatnonzero(length > byte)
        left = np.minimum(length[rows] - byte, WORD)
        word = words[start[rows] + byte] & mask[left]
        found[rows] = _mixed(found[rows] ^ word, FACTORS[1])
    return found


def _mixed(values: Prints, factor: np.uint64) -> Prints:
    """Return numbers whose every bit depends on those of the values."""
    found: Prints = values * factor
    found ^= found >> HALF
    found *= FACTORS[2]
    found ^= found >> HALF
    return found
