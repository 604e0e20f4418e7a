"""Fewer judgments by chance: nested samples, stratified by topic and grade."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import GradeError, ParameterError
from irframe.frames.ids import Codes
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import UNJUDGED

LEAST_NONRELEVANT = 10
"""Documents that stay judged on a grade that is not relevant, if there are so many."""


def strata_sample(
    topic: Codes, grade: NDArray[np.int8], keys: NDArray[Any], percent: float
) -> NDArray[np.bool_]:
    """Return which judgments a sample keeps.

    Parameters
    ----------
    topic, grade, keys
        Topic, grade and random key of every judgment, shape (n,).
    percent
        Share to keep, above 0 and at most 100.

    Returns
    -------
    numpy.ndarray
        Shape (n,).

    Examples
    --------
    Half of three documents on one grade, those with the smallest keys:

    >>> strata_sample(np.zeros(3, int), np.ones(3, np.int8), np.array([2, 9, 5]), 50)
    array([ True, False,  True])
    """
    order = np.lexsort((keys, grade, topic))
    new = (np.diff(topic[order], prepend=-1) != 0) | (np.diff(grade[order], prepend=UNJUDGED) != 0)
    starts = np.flatnonzero(new)
    sizes = np.diff(starts, append=len(order))
    wanted = np.maximum(1, np.floor(percent * sizes / 100 + 0.5))
    least = np.where(grade[order][starts] < 1, LEAST_NONRELEVANT, 1)
    wanted = np.minimum(np.maximum(wanted, least), sizes)
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    kept = np.empty(len(order), bool)
    kept[order] = place < np.repeat(wanted, sizes)
    return kept


def random_keys(topics: Any, docs: Any, seed: int) -> NDArray[np.uint64]:
    """Return a random number for every judgment that only the seed and its names decide.

    Examples
    --------
    >>> first, second = random_keys(["1", "2"], ["a", "a"], 0)
    >>> bool(first == random_keys(["1"], ["a"], 0)[0]), bool(first == second)
    (True, False)
    """
    if not isinstance(seed, int | np.integer) or seed is True or not 0 <= seed < 1 << 64:
        raise ParameterError("a seed that is a whole number from 0", repr(seed))
    names = np.array([f"{t}\t{d}" for t, d in zip(topics, docs, strict=True)], dtype=object)
    return pd.util.hash_array(names, hash_key=f"{int(seed):016x}", categorize=False)


def refuse_percent(percent: float) -> None:
    """Raise for a share outside (0, 100].

    Examples
    --------
    >>> refuse_percent(0)
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: wanted a percentage above 0 and at most 100; found 0.
    """
    number = isinstance(percent, int | float | np.number) and not isinstance(percent, bool)
    if not number or not 0 < percent <= 100:
        raise ParameterError("a percentage above 0 and at most 100", repr(percent))


def refuse_marks(grades: NDArray[Any]) -> None:
    """Raise for grade -1, which marks documents that were pooled and left unjudged.

    Examples
    --------
    >>> refuse_marks(np.array([0, 1, -1]))
    Traceback (most recent call last):
    ...
    irframe.errors.GradeError: wanted judged documents only; found 1 of grade -1...
    """
    marked = int((grades == POOLED_UNJUDGED).sum())
    if marked:
        raise GradeError(
            "judged documents only",
            f"{marked} of grade {POOLED_UNJUDGED}, which marks documents pooled but not judged",
            "drop these rows of the qrels, or give them grade 0 if they were judged",
        )
