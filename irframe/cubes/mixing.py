"""Odd numbers that look random and are always the same, by which checksums weigh their parts."""

from functools import cache

import numpy as np
from numpy.typing import NDArray


@cache
def mixed(number: int, salt: int = 0) -> NDArray[np.uint64]:
    """Return so many numbers, others for every salt.

    Examples
    --------
    >>> bool((mixed(2) & np.uint64(1)).all()), bool(mixed(1)[0] == mixed(1, 1)[0])
    (True, False)
    """
    words = np.arange(1 + (salt << 32), 1 + (salt << 32) + number, dtype=np.uint64)
    return scrambled(words) | np.uint64(1)


def scrambled(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random, always the same for the same words.

    Examples
    --------
    >>> int(scrambled(np.array([1], np.uint64))[0])
    16294208416658607535
    """
    words = words * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


@cache
def narrow(number: int, salt: int = 0) -> NDArray[np.uint32]:
    """Return such numbers of half the width."""
    return (mixed(number, salt) >> np.uint64(32)).astype(np.uint32) | np.uint32(1)
