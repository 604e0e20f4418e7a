"""Kernels of metrics that add up what each rank adds, whatever is below it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from irframe.arrays import Floats


def summed(terms: Callable[..., Floats]) -> Callable[..., Floats]:
    """Return the kernel whose score at each depth is the sum of the terms of the ranks so far.

    Parameters
    ----------
    terms
        What each rank adds to the score of the list, where that is the same at every depth; a
        method of a metric. The kernel names what it reads as this does.
    """

    @wraps(terms)
    def kernel(metric: Any, **words: Any) -> Floats:
        return np.asarray(np.cumsum(terms(metric, **words), axis=-1))

    return kernel
