"""Numbers out of values, and weights that look random, of which checksums are made."""

from functools import cache
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Words = NDArray[np.uint64]


def numbers(values: NDArray[Any]) -> Words:
    """Return a whole number for every value: itself, or a hash of text and fractions.

    Examples
    --------
    >>> numbers(np.array([3, 0])), numbers(np.array(["a"])) == numbers(np.array(["b"]))
    (array([3, 0], dtype=uint64), array([False]))
    """
    if values.dtype.kind in "biu":
        return values.astype(np.uint64)
    flat = values.ravel() if values.dtype.kind == "f" else values.ravel().astype(object)
    hashed: Words = pd.util.hash_array(flat, categorize=False).reshape(values.shape)
    return hashed


def runs_of(values: NDArray[Any], start: NDArray[Any], count: NDArray[Any]) -> Words:
    """Return a number for every run of values that changes with them and with their order.

    Examples
    --------
    >>> docs = np.array(["a", "b", "a", "b", "b", "a"], object)
    >>> found = runs_of(docs, np.array([0, 2, 4]), np.array([2, 2, 2]))
    >>> (found == found[0]).tolist()
    [True, True, False]
    """
    listed = values.astype(object).tolist()
    ends = zip(start.tolist(), (start + count).tolist(), strict=True)
    found = [crc32(_bytes(listed[begin:end])) for begin, end in ends]
    return np.array(found, np.uint64) * mixed(1, 14)


def _bytes(values: list[Any]) -> bytes:
    try:
        text = "\n".join(values)
    except TypeError:  # numbers, say
        text = repr(values)
    return text.encode(errors="surrogatepass")


@cache
def mixed(number: int, salt: int = 0) -> Words:
    """Return odd numbers that look random and are always the same."""
    words = np.arange(1 + (salt << 32), 1 + (salt << 32) + number, dtype=np.uint64)
    return scrambled(words) | np.uint64(1)


def scrambled(words: Words) -> Words:
    """Return numbers that look random, always the same for the same words.

    Examples
    --------
    >>> scrambled(np.array([1], np.uint64)).item()
    16294208416658607535
    """
    words = words * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


@cache
def narrow(number: int, salt: int = 0) -> NDArray[np.uint32]:
    """Return the same in half as many bits."""
    return (mixed(number, salt) >> np.uint64(32)).astype(np.uint32) | np.uint32(1)
