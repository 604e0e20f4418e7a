"""What decides among documents of equal scores: a policy for every word of `irframe.names.Ties`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.experiments.sampling import random_keys
from irframe.files.ids import Codes
from irframe.names import RANK, SCORE, Ties


@dataclass(frozen=True, eq=False)
class Tied:
    """Documents with scores that equal those of others, wherever they come from."""

    systems: pd.Index
    topics: pd.Index
    system: Codes | int
    """The system of each document, by its place among all."""
    topic: Codes
    """Its topic, likewise."""
    doc: pa.Array | NDArray[np.object_]
    """Its name, text or an integer."""
    seed: int
    """The seed of what is left to chance."""


Keys = Any
"""Names, which are compared as text by its bytes, or numbers."""


@dataclass(frozen=True, kw_only=True)
class TiePolicy:
    """How documents of equal scores are put in an order.

    Attributes
    ----------
    keys
        Gives what is compared of each document, the smaller the earlier; equal ones stay in the
        order of rows. None where that order decides by itself.
    descending
        Whether names come from the last one on.
    shares
        Whether documents of equal scores share their gain, so that their order does not count.
    column
        What is ranked by: where it is the rank column there are no ties, and equal ranks are
        refused.
    """

    keys: Callable[[Tied], Keys] | None = None
    descending: bool = False
    shares: bool = False
    column: str = SCORE


def by_name(tied: Tied) -> Keys:
    """Return the names of documents."""
    return tied.doc


def by_chance(tied: Tied) -> Keys:
    """Return a random number for every document that its identifiers and the seed decide."""
    system = np.broadcast_to(tied.system, tied.topic.shape)
    names = tied.systems[system], tied.topics[tied.topic]
    return random_keys(*names, tied.doc, seed=tied.seed)


TIE_POLICIES: dict[Ties, TiePolicy] = {
    "trec": TiePolicy(keys=by_name, descending=True),
    "doc": TiePolicy(keys=by_name),
    "order": TiePolicy(),
    "rank": TiePolicy(column=RANK),
    "random": TiePolicy(keys=by_chance),
    "mean": TiePolicy(keys=by_name, descending=True, shares=True),
}
"""The policy of every word."""


def as_key(score: NDArray[np.floating[Any]], dtype: Any) -> NDArray[np.floating[Any]]:
    """Return what is sorted of scores, in a precision: the smaller it is the earlier they are.

    Examples
    --------
    >>> as_key(np.array([2.5, 1e300]), "float32").tolist()
    [-2.5, -inf]
    """
    if score.dtype == dtype:
        return -score
    with np.errstate(over="ignore"):
        return -score.astype(dtype)
