"""Addition from left to right, to the last bit the same on every Python."""

from functools import reduce
from operator import add


def add_up(numbers):
    """Return the sum of numbers; the builtin one of floats is compensated from Python 3.12 on."""
    return reduce(add, numbers, 0)
