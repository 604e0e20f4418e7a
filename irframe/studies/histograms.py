"""Distributions of search lengths: of one system, and of the difference between two."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import InputError, ParameterError
from irframe.names import DOC, RANK, SYSTEM, TOPIC
from irframe.studies.search_lengths import LENGTH

__all__ = ["difference_histogram", "length_histogram"]


def length_histogram(
    lengths: pd.DataFrame, *, bins: int = 10, width: int | None = None
) -> pd.DataFrame:
    """Count relevant documents by how far a user has to search for them.

    Parameters
    ----------
    lengths
        Search lengths from `search_lengths`.
    bins
        How many bins there are at most for retrieved documents, at least 1.
    width
        Search lengths per bin, at least 1; by default 1, 2 or 5 times a power of ten, the
        smallest that does. With a width given there are as many bins as it takes.

    Returns
    -------
    pandas.DataFrame
        A row per system and bin: ``system``, ``low`` and ``high`` (both inclusive),
        ``documents`` and their ``share``. The last bin of a system, with <NA> for its ends,
        counts the relevant documents that were not retrieved.

    Raises
    ------
    InputError
        For another frame than one of search lengths.
    ParameterError
        For a number below 1.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Fig. 5.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> lengths = ir.cube(runs, qrels).ireval.search_lengths()
    >>> lengths.ireval.length_histogram(bins=2).head(2)
      system   low  high  documents     share
    0   bm25     1    50         97  0.613924
    1   bm25  <NA>  <NA>         61  0.386076
    """
    refuse_others(lengths)
    retrieved = lengths[RANK].notna().to_numpy()
    length = lengths[LENGTH].to_numpy()
    width = _width(int(length[retrieved].max(initial=1)), bins, width)
    count = 1 + (int(length[retrieved].max(initial=1)) - 1) // width
    systems, names = pd.factorize(lengths[SYSTEM])
    cell = systems * (count + 1) + np.where(retrieved, (length - 1) // width, count)
    documents = np.bincount(cell, minlength=len(names) * (count + 1)).reshape(len(names), -1)
    low = np.tile(np.append(np.arange(count) * width + 1, 0), len(names))
    unknown = low == 0
    return pd.DataFrame(
        {
            SYSTEM: np.repeat(np.asarray(names), count + 1),
            "low": pd.arrays.IntegerArray(low, unknown),
            "high": pd.arrays.IntegerArray(low + width - 1, unknown),
            "documents": documents.ravel(),
            "share": (documents / documents.sum(axis=1, keepdims=True)).ravel(),
        }
    )


def difference_histogram(
    lengths: pd.DataFrame,
    a: Hashable,
    b: Hashable,
    *,
    bins: int = 5,
    width: int | None = None,
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
    width = _width(int(abs(difference).max(initial=1)), bins, width)
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
    known = lengths[SYSTEM].unique()
    unknown = [repr(name) for name in (a, b) if name not in known]
    if unknown or a == b:
        raise ParameterError("two of the systems " + ", ".join(map(str, known)), f"{a!r}, {b!r}")
    sides = [lengths[lengths[SYSTEM] == name].set_index([TOPIC, DOC]) for name in (a, b)]
    left, right = sides[0], sides[1].reindex(sides[0].index)
    difference = left[LENGTH].to_numpy().astype(np.int64) - right[LENGTH].to_numpy()
    return difference, (left[RANK].isna() ^ right[RANK].isna()).to_numpy()


def _width(largest: int, bins: int, width: int | None) -> int:
    wrong = [
        f"{name}={value!r}"
        for name, value in (("bins", bins), ("width", 1 if width is None else width))
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1
    ]
    if wrong:
        raise ParameterError("whole numbers of at least 1", "others", "", wrong)
    if width is not None:
        return int(width)
    needed = -(-largest // bins)
    scale = 10 ** (len(str(needed)) - 1)
    return int(next(scale * step for step in (1, 2, 5, 10) if scale * step >= needed))


def refuse_others(lengths: pd.DataFrame) -> None:
    """Raise for another frame than one of search lengths."""
    wanted = {SYSTEM, TOPIC, DOC, RANK, LENGTH}
    missing = wanted - set(getattr(lengths, "columns", ()))
    if missing or not len(lengths):
        found = "columns missing" if missing else "no rows"
        raise InputError("search lengths, from cube.ireval.search_lengths()", found, "", missing)
