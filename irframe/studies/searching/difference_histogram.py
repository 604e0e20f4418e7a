"""Distribution of the differences between two systems' search lengths."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import places
from irframe.cubes.verb import verb
from irframe.errors import InputError, ParameterError
from irframe.names import DOC, RANK, SYSTEM, TOPIC
from irframe.studies.searching.length_histogram import bin_width, refuse_others
from irframe.studies.searching.search_lengths import LENGTH


@verb
def difference_histogram(
    lengths: pd.DataFrame,
    a: Hashable,
    b: Hashable,
    *,
    bins: int = 5,
    width: int | None = None,
    by: str | None = None,
) -> pd.DataFrame:
    """Count the relevant documents that one system brings nearer than another, by how much.

    Parameters
    ----------
    lengths
        Search lengths from `search_lengths`.
    a, b
        Systems: the difference is the search length in a less that in b, so that negative
        differences are wins of a.
    bins
        How many bins there are on each side of 0, at least 1.
    width
        Search lengths per bin, at least 1; by default 1, 2 or 5 times a power of ten, the
        smallest with which the bins reach the largest difference.
    by
        A coordinate of systems or topics, or an index level or column, such as ``"track"``: one
        result per group, labelled with the group.

    Returns
    -------
    pandas.DataFrame
        A row per bin, from wins of a over no difference to wins of b: ``system_a`` and
        ``system_b``, ``low`` and ``high`` (both inclusive, the outer two bins infinite),
        ``documents``, their ``share``, and how many of them are ``unretrieved`` by one of the
        two systems.

    Raises
    ------
    InputError
        For another frame than one of search lengths.
    ParameterError
        For systems that are not there, and numbers below 1.

    Notes
    -----
    A document that only one system retrieved has the search length of `search_lengths` in the
    other, which is as far as that list went: how much further it would have been is unknown.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Fig. 6.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> lengths = ir.cube(runs, qrels).ireval.search_lengths()
    >>> found = lengths.ireval.difference_histogram("ance", "bm25", bins=1)
    >>> found.drop(columns=["system_a", "system_b"])
       low  high  documents     share  unretrieved
    0 -inf  -1.0         96  0.607595           41
    1  0.0   0.0          9  0.056962            2
    2  1.0   inf         53  0.335443           24
    """
    refuse_others(lengths)
    difference, unretrieved = _differences(lengths, a, b)
    width = bin_width(int(abs(difference).max(initial=1)), bins, width)
    step = np.sign(difference) * np.minimum(-(-abs(difference) // width), bins)
    edge = np.arange(1, bins + 1.0)
    low = np.concatenate([[-np.inf], -(edge[:-1] * width)[::-1], [0], (edge - 1) * width + 1])
    documents = np.bincount(step + bins, minlength=2 * bins + 1)
    return pd.DataFrame(
        {
            "system_a": a,
            "system_b": b,
            "low": low,
            "high": 0 - low[::-1],
            "documents": documents,
            "share": documents / len(difference),
            "unretrieved": np.bincount(step + bins, unretrieved, 2 * bins + 1).astype(int),
        }
    )


def _differences(
    lengths: pd.DataFrame, a: Hashable, b: Hashable
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return a - b for every relevant document, and whether one of the two lacks it."""
    places("systems of the search lengths", [a, b], lengths[SYSTEM].unique().tolist())
    if a == b:
        raise ParameterError("two different systems", f"{a!r} twice")
    sides = [lengths[lengths[SYSTEM] == name].set_index([TOPIC, DOC]) for name in (a, b)]
    both = sides[0].index.intersection(sides[1].index, sort=False)
    if not len(both):
        raise InputError("topics in which both systems took part", "none")
    left, right = (side.loc[both] for side in sides)
    difference = left[LENGTH].to_numpy().astype(np.int64) - right[LENGTH].to_numpy()
    return difference, (left[RANK].isna() ^ right[RANK].isna()).to_numpy()
