"""Distribution of search lengths."""

import numpy as np
import pandas as pd

from irframe.checks import whole
from irframe.cubes.verb import verb
from irframe.errors import InputError
from irframe.names import DOC, RANK, SYSTEM, TOPIC
from irframe.studies.searching.search_lengths import LENGTH


@verb
def length_histogram(
    lengths: pd.DataFrame,
    *,
    bins: int = 10,
    width: int | None = None,
    by: str | None = None,
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
    by
        A coordinate of systems or topics, or an index level or column, such as ``"track"``: one
        result per group, labelled with the group.

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
    width = bin_width(int(length[retrieved].max(initial=1)), bins, width)
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


def bin_width(largest: int, bins: int, width: int | None) -> int:
    """Return the width given, or the least of 1, 2, 5, 10, ... with which bins reach the largest.

    Examples
    --------
    >>> bin_width(130, 10, None), bin_width(130, 10, 7)
    (20, 7)
    """
    bins = whole("bins", bins, low=1)
    if width is not None:
        return whole("width", width, low=1)
    needed = -(-largest // bins)
    scale = int(10 ** (len(str(needed)) - 1))
    return next(scale * step for step in (1, 2, 5, 10) if scale * step >= needed)


def refuse_others(lengths: pd.DataFrame) -> None:
    """Raise for another frame than one of search lengths."""
    wanted = {SYSTEM, TOPIC, DOC, RANK, LENGTH}
    missing = wanted - set(getattr(lengths, "columns", ()))
    if missing or not len(lengths):
        found = "columns missing" if missing else "no rows"
        raise InputError("search lengths, from cube.ireval.search_lengths()", found, "", missing)
