"""Kernels of metrics that add up what each rank adds, whatever is below it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from irframe.arrays import Array, Floats


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


def divided(
    parts: Callable[..., tuple[Array, Array]],
) -> tuple[Callable[..., Floats], Callable[..., Floats]]:
    """Return the kernel and the terms of a score that is a sum over ranks, divided at the end.

    Dividing what each rank adds would round elsewhere than trec_eval does, and at times turn the
    last of four decimals.

    Parameters
    ----------
    parts
        What each rank adds, and by what the sum is divided, for all depths or by depth; a method
        of a metric. Kernel and terms name what they read as this does.
    """

    @wraps(parts)
    def kernel(metric: Any, **words: Any) -> Floats:
        added, total = parts(metric, **words)
        return np.asarray(np.cumsum(added, axis=-1) / total)

    @wraps(parts)
    def terms(metric: Any, **words: Any) -> Floats:
        added, total = parts(metric, **words)
        return np.asarray(added / total[..., -1:])

    return kernel, terms
