"""How much of the relevant documents an average of precisions sees."""

from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from irframe.checks import choice
from irframe.cubes.verb import verb
from irframe.errors import ParameterError
from irframe.experiments.group_columns import GroupBy
from irframe.names import RANK, SYSTEM
from irframe.studies.search_lengths import LENGTH, PRECISION, refuse_others

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
    ordered = np.sort(np.asarray(search_lengths, np.float64).ravel())
    wrong = ordered[~(ordered > 0)]
    if len(wrong) or not len(ordered):
        raise ParameterError("search lengths above 0", "", "", wrong.tolist())
    mean = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    total = (1 / ordered).sum()
    if total == 0:
        return 0
    return 1 + int(np.argmin(np.round(abs(mean - len(ordered) / total), 9)))


@verb
def effective_top(
    lengths: pd.DataFrame, *, precision: Precision = "map", by: GroupBy | None = None
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
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group, labelled with the group.

    Returns
    -------
    pandas.DataFrame
        A row per system, its index: ``effective``, how many of the lowest reciprocals of
        precision of all topics, which are search lengths where it is ``"atomized"``, average like
        one over the mean precision; ``documents``, how many relevant ones there
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
    >>> lengths.ireval.effective_top().head(1)
            effective  documents  share
    system
    bm25           97        158  0.614
    <BLANKLINE>
    Beware: 329 of 1,264 relevant documents of lists were never retrieved
    """
    refuse_others(lengths)
    choice("precision", precision, PRECISIONS)
    if precision == "atomized":
        search = np.maximum(lengths[LENGTH].to_numpy(np.float64), 1)
    else:
        seen = lengths[PRECISION].to_numpy()
        search = np.where(seen > 0, 1 / np.where(seen > 0, seen, 1), np.inf)
    systems = lengths[SYSTEM].to_numpy()
    retrieving = lengths[RANK].notna().groupby(systems).transform("any").to_numpy()
    groups = pd.Series(np.where(retrieving, search, np.inf)).groupby(systems, sort=False)
    result = groups.agg([effective_count, "size"])
    result.columns = pd.Index(["effective", "documents"])
    share = result["effective"] / result["documents"]
    return result.assign(share=share).rename_axis(SYSTEM)
