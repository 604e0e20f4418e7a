"""How much an average of precision looks at the top alone."""

from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from irframe.checks import choice
from irframe.cubes.verb import verb
from irframe.errors import ParameterError
from irframe.names import RANK, SYSTEM
from irframe.studies.searching.length_histogram import refuse_others
from irframe.studies.searching.search_lengths import LENGTH, PRECISION

Precision = Literal["atomized", "map"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)


def effective_count(search_lengths: ArrayLike) -> int:
    """Return how many of the shortest search lengths average like all precisions together.

    Parameters
    ----------
    search_lengths
        Search lengths, above 0, infinite for a precision of 0; any order, at least one.

    Returns
    -------
    int
        The n for which the mean of the n smallest is nearest to the number of search lengths
        over the sum of their reciprocals; the smallest such n. 0 if all are infinite.

    Raises
    ------
    ParameterError
        For no search lengths, or one that is not above 0.

    Notes
    -----
    The arithmetic mean of precisions 1/SL is the mean of search lengths weighted by 1/SL; this
    count is what is left of them if every weight is either 0 or 1.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Appendix A.1.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    The mean precision stands for a search length of 2.2, as the first six have on average:

    >>> effective_count([1, 1, 1, 2, 4, 5, 10, 10000, 10000])
    6
    """
    ordered = np.sort(_checked(search_lengths))
    mean = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    total = (1 / ordered).sum()
    if total == 0:
        return 0
    return 1 + int(np.argmin(np.round(abs(mean - len(ordered) / total), 9)))


def reweight(search_lengths: ArrayLike) -> NDArray[np.float64]:
    """Return the search lengths that an average of precision behaves as if it had seen.

    Parameters
    ----------
    search_lengths
        Search lengths, above 0, infinite for a precision of 0; at least one.

    Returns
    -------
    numpy.ndarray
        Values whose plain mean is the number of search lengths over the sum of their
        reciprocals, in the order given.

    Raises
    ------
    ParameterError
        For no search lengths, or one that is not above 0.

    Notes
    -----
    ``w SL + (1 - w) A`` with ``w = 1 / SL`` and ``A = n / sum(1 / SL)``: a long search keeps
    almost nothing of its length.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Appendix A.1.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> reweight([1, 1, 1, 2, 4, 5, 10, 10000, 10000]).round(1)
    array([1. , 1. , 1. , 2.1, 2.7, 2.8, 3. , 3.2, 3.2])
    """
    weight = 1 / _checked(search_lengths)
    if not weight.any():
        return np.full(len(weight), np.inf)
    return np.asarray(1 + (1 - weight) * len(weight) / weight.sum())


@verb
def effective_top(
    lengths: pd.DataFrame,
    *,
    precision: Precision = "map",
    by: str | None = None,
) -> pd.DataFrame:
    """Say what share of the relevant documents an average of precision takes notice of.

    Parameters
    ----------
    lengths
        Search lengths from `search_lengths`.
    precision
        ``"map"``: precision as MAP has it, 0 for documents not retrieved. ``"atomized"``: one
        over the search length.
    by
        A coordinate of systems or topics, or an index level or column, such as ``"track"``: one
        result per group, labelled with the group.

    Returns
    -------
    pandas.DataFrame
        A row per system, its index: ``effective``, how many of the shortest search lengths of all
        topics average like all precisions together; ``documents``, how many relevant ones there
        are; ``share``, one over the other. A system that retrieved none takes notice of 0.

    Raises
    ------
    InputError
        For another frame than one of search lengths.
    ParameterError
        For an unknown precision.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Appendix A.1.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> lengths = ir.cube(runs, qrels).ireval.search_lengths()
    >>> lengths.ireval.effective_top().head(1).round(2)
            effective  documents  share
    system
    bm25           97        158   0.61
    """
    refuse_others(lengths)
    choice("precision", precision, PRECISIONS)
    if precision == "atomized":
        search = np.maximum(lengths[LENGTH].to_numpy(np.float64), 1)
    else:
        seen = lengths[PRECISION].to_numpy()
        search = np.where(seen > 0, 1 / np.where(seen > 0, seen, 1), np.inf)
    systems = lengths[SYSTEM].to_numpy()
    found = lengths[RANK].notna().groupby(systems).transform("any").to_numpy()
    groups = pd.Series(np.where(found, search, np.inf)).groupby(systems, sort=False)
    result = groups.agg([effective_count, "size"])
    result.columns = pd.Index(["effective", "documents"])
    share = result["effective"] / result["documents"]
    return result.assign(share=share).rename_axis(SYSTEM)


def _checked(search_lengths: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(search_lengths, np.float64).ravel()
    wrong = values[~(values > 0)]
    if len(wrong) or not len(values):
        raise ParameterError("search lengths above 0", "", "", wrong.tolist())
    return values
