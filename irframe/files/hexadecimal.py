"""Whole numbers that are written in hexadecimal, which the parser would let pass."""

import re

import numpy as np

CACHED = 1 << 18
"""Bytes that are looked at a time, to stay in the processor's cache."""

_HEXADECIMAL = re.compile(rb"(?<![^\s-])0[xX][0-9a-fA-F]+(?!\S)")
_BEFORE = np.isin(np.arange(256), [*b"- \t\n\v\f\r"])
"""Whether a byte may be before such a number, which is never the first of a file."""


def has_hexadecimal(text: bytes) -> bool:
    """Tell whether any column holds such a number, in a fraction of the time of a search."""
    codes = np.frombuffer(text, np.uint8)
    for start in range(0, len(codes), CACHED):
        part = codes[start : start + CACHED + 1]
        marked = np.flatnonzero((part[1:] | 32) == ord("x"))
        places = start + marked[part[marked] == ord("0")]
        places = places[_BEFORE[codes[places - 1]]]
        if any(_HEXADECIMAL.match(text, place) for place in places.tolist()):
            return True
    return False
