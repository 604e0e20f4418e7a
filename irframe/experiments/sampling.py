"""Fewer judgments by chance: nested samples, stratified by topic and grade."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.checks import number, whole
from irframe.errors import GradeError
from irframe.files.ids import Codes, within
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import UNJUDGED

LEAST_NONRELEVANT = 10
"""Documents that stay judged on a grade that is not relevant, if there are so many."""


HIGHEST_SEED = (1 << 64) - 1


def strata_sample(
    topic: Codes, grade: NDArray[np.int8], keys: NDArray[Any], share: float
) -> NDArray[np.bool_]:
    """Return which judgments a sample keeps.

    Parameters
    ----------
    topic, grade, keys
        Topic, grade and random key of every judgment, shape (n,).
    share
        Share to keep, above 0 and at most 1.

    Returns
    -------
    numpy.ndarray
        Shape (n,).

    Examples
    --------
    Half of three documents on one grade, those with the smallest keys:

    >>> strata_sample(np.zeros(3, int), np.ones(3, np.int8), np.array([2, 9, 5]), 0.5)
    array([ True, False,  True])
    """
    order = np.lexsort((keys, grade, topic))
    new = (np.diff(topic[order], prepend=-1) != 0) | (np.diff(grade[order], prepend=UNJUDGED) != 0)
    stratum = np.cumsum(new) - 1
    # Rounded, because 0.29 * 50 is below 14.5.
    number = np.floor(np.round(share * np.bincount(stratum)[stratum], 9) + 0.5)
    least = np.where(grade[order] < 1, LEAST_NONRELEVANT, 1)
    kept = np.empty(len(order), bool)
    kept[order] = within(stratum) < np.maximum(number, least)
    return kept


def random_keys(*names: Any, seed: int) -> NDArray[np.uint64]:
    """Return a random number for every row that only the seed and its names decide.

    Parameters
    ----------
    names
        Columns of identifiers, such as topics and documents, of one length.
    seed
        A whole number from 0, below 2 to the power of 64.

    Examples
    --------
    >>> first, second = random_keys(["1", "2"], ["a", "a"], seed=0)
    >>> bool(first == random_keys(["1"], ["a"], seed=0)[0]), bool(first == second)
    (True, False)
    """
    columns = [pa.array(column).cast(pa.large_string()) for column in names]
    joined = pc.binary_join_element_wise(*columns, pa.scalar("\t", pa.large_string()))
    key = f"{whole_seed(seed):016x}"
    return pd.util.hash_array(joined.to_numpy(zero_copy_only=False), hash_key=key, categorize=False)


def whole_seed(seed: int) -> int:
    """Return a seed that `random_keys` can take."""
    return whole("seed", seed, low=0, high=HIGHEST_SEED)


def refuse_share(share: Any) -> None:
    """Raise for a share outside (0, 1].

    Examples
    --------
    >>> refuse_share(50)
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: wanted share, a number of at most 1 and above 0; found 50.
    """
    number("share", share, above=0, high=1)


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
