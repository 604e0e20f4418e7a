"""Search lengths of relevant documents.

Verbs: search_lengths, length_histogram, difference_histogram, effective_top.
"""

from collections.abc import Hashable
from typing import Literal, cast, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from irframe.checks import check_int, choice, positions_of
from irframe.cubes.verb import by_topics, drop_absent, read_depth, verb
from irframe.cubes.view import experiment_of
from irframe.errors import InputError, ParameterError, caution
from irframe.evaluation.scoring import warn_uneven
from irframe.metrics.asl import ASL, Unretrieved
from irframe.metrics.facts import best_first
from irframe.names import DOC, GRADE, RANK, SYSTEM, TOPIC

LENGTH = "search_length"
PRECISION = "precision"


@verb(bounded=True)
def search_lengths(
    cube: xr.Dataset, *, depth: int | None = None, rel: int = 1, unretrieved: Unretrieved = "irrel"
) -> pd.DataFrame:
    """Return the search length of every relevant document.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depth
        Depth at which lists are cut, at least 1. The default and maximum is the depth of the cube.
    rel
        Lowest relevant grade, at least 1.
    unretrieved
        Search length of relevant documents that were not retrieved. ``"irrel"``: the number of
        irrelevant documents in the list, as in [1]_. ``"irrel+1"``: the number of irrelevant
        documents in the list plus 1. An integer of at least 1: this search length in all lists.

    Returns
    -------
    pandas.DataFrame
        One row per system and relevant document, with the columns

        - ``system``, ``topic``, ``doc``, ``grade``;
        - ``rank``, <NA> if the document was not retrieved;
        - ``search_length``;
        - ``precision``, the precision at the rank of the document as in MAP, or 0 if the document
          was not retrieved.

        The documents of a list are in rank order, with unretrieved documents last. Therefore, the
        mean search length of the first n documents of a topic is ``ASL(first=n)``. To compute ASL
        of a system, average over documents first and then over topics. The attribute ``caution``
        contains the number of documents that were not retrieved.

    Raises
    ------
    InputError
        If no topic has a relevant document.
    DepthError
        If the depth is beyond the cube.
    MetricError
        If parameters are out of range, or the cube has shared ranks (``ties="mean"``).

    Notes
    -----
    ``SL = 1 + irrelevant documents above``, and ``P = (1 + relevant documents above) / rank``.
    Unjudged documents are irrelevant.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> runs = pd.DataFrame({"topic": "1", "doc": list("abc"), "score": [3, 2, 1]})
    >>> qrels = pd.DataFrame({"topic": "1", "doc": list("acx"), "grade": 1})
    >>> search_lengths(ir.cube(runs, qrels)).drop(columns=["system", "topic", "grade"])
      doc  rank  search_length  precision
    0   a     1              1      1.000
    1   c     3              2      0.667
    2   x  <NA>              1      0.000
    <BLANKLINE>
    Beware: 1 of 3 relevant documents, counted per system, were not retrieved
    """
    depth = read_depth(cube, depth)
    cube = drop_absent(cube)
    metric = [ASL(rel=rel, unretrieved=unretrieved)]
    if not (experiment_of(cube).judgments.grade >= rel).any():
        raise InputError("topics with a relevant document", f"none among {cube.sizes[TOPIC]}")
    frames = (_of_topics(subset, depth, rel, unretrieved) for subset in by_topics(cube))
    lengths = pd.concat(frames, ignore_index=True)
    systems = pd.Index(lengths[SYSTEM])
    # frames are blocks of topics, and a stable sort by system keeps the order of topics
    order = np.argsort(cube.indexes[SYSTEM].get_indexer(systems), kind="stable")
    lengths = lengths.iloc[order].reset_index(drop=True)
    n_unretrieved = int(lengths[RANK].isna().sum())
    if n_unretrieved:
        total = f"{len(lengths):,} relevant documents"
        message = f"{n_unretrieved:,} of {total}, counted per system, were not retrieved"
        # with "irrel", unretrieved documents have lower search lengths if lists are short, which
        # favours systems with short lists
        lengths.attrs |= caution(
            [message, *warn_uneven(experiment_of(cube), metric, depth).values()]
        )
    return lengths


def _of_topics(cube: xr.Dataset, depth: int, rel: int, unretrieved: Unretrieved) -> pd.DataFrame:
    """Return the search lengths of a cube, system by system."""
    experiment = experiment_of(cube).loaded
    base = experiment.judgments
    hits = experiment.hits
    relevant_rows = np.flatnonzero(base.grade >= rel)
    column_of = np.full(base.grade.shape, -1)
    column_of[relevant_rows] = np.arange(len(relevant_rows))
    topic = base.topic[relevant_rows]
    inside = np.flatnonzero((hits.rank <= depth) & (column_of[hits.row] >= 0))
    inside = inside[np.lexsort((hits.rank[inside], hits.of[inside]))]
    rank_in_list = hits.rank[inside]
    of = hits.of[inside]
    counts = np.bincount(of, minlength=hits.length.size)
    above = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    cells = of // cube.sizes[TOPIC], column_of[hits.row[inside]]
    irrelevant = np.minimum(hits.length, depth) - counts.reshape(hits.length.shape)
    length = irrelevant[:, topic].astype(np.int32) + np.int32(unretrieved == "irrel+1")
    # retrieved documents overwrite the search length of unretrieved documents below
    length = length if isinstance(unretrieved, str) else np.full_like(length, unretrieved)
    rank = np.zeros(length.shape, np.int32)
    precision = np.zeros(length.shape)
    rank[cells] = rank_in_list
    length[cells] = rank_in_list - above
    precision[cells] = (above + 1) / rank_in_list
    row, document = np.nonzero(experiment.participated[:, topic])
    last = np.where(rank > 0, rank, depth + 1)[row, document]
    order = np.lexsort((last, topic[document], row))
    row = row[order]
    document = document[order]
    return pd.DataFrame(
        {
            SYSTEM: cube.indexes[SYSTEM].take(row),
            TOPIC: cube.indexes[TOPIC].take(topic[document]),
            DOC: base.docs[relevant_rows][document],
            GRADE: base.grade[relevant_rows][document],
            RANK: pd.arrays.IntegerArray(rank[row, document], rank[row, document] == 0),
            LENGTH: length[row, document],
            PRECISION: precision[row, document],
        }
    )


@verb
def length_histogram(
    lengths: pd.DataFrame, *, bins: int = 10, width: int | None = None
) -> pd.DataFrame:
    """Count relevant documents by search length.

    Parameters
    ----------
    lengths
        Search lengths from `search_lengths`.
    bins
        Largest number of bins for retrieved documents, at least 1.
    width
        Width of a bin, at least 1. The default is the smallest of 1, 2, 5, 10, 20, 50, ... that
        needs at most `bins` bins. If a width is passed, `bins` is ignored.

    Returns
    -------
    pandas.DataFrame
        One row per system and bin. ``low`` and ``high`` are the smallest and the largest search
        length of the bin. ``documents`` and ``share`` are the number and the share of documents in
        the bin. The last bin of a system counts the relevant documents
        that were not retrieved, and has <NA> in ``low`` and ``high``.

    Raises
    ------
    InputError
        If the frame has no search lengths.
    ParameterError
        If `bins` or `width` is below 1.

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
      system   low  high  documents  share
    0   bm25     1    50         97  0.614
    1   bm25  <NA>  <NA>         61  0.386
    <BLANKLINE>
    Beware: 329 of 1,264 relevant documents, counted per system, were not retrieved
    """
    refuse_others(lengths)
    retrieved = lengths[RANK].notna().to_numpy()
    length = lengths[LENGTH].to_numpy()
    width = bin_width(int(length[retrieved].max(initial=1)), bins, width)
    count = 1 + (int(length[retrieved].max(initial=1)) - 1) // width
    systems, names = pd.factorize(lengths[SYSTEM])
    cell = systems * (count + 1) + np.where(retrieved, (length - 1) // width, count)
    documents = np.bincount(cell, minlength=len(names) * (count + 1)).reshape(len(names), -1)
    # 0 marks the last bin, because search lengths of retrieved documents are at least 1
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
    """Return the width of the bins of a histogram.

    The default is the smallest number among 1, 2, 5, 10, ... whose bins reach the largest value.

    Examples
    --------
    >>> bin_width(130, 10, None), bin_width(130, 10, 7)
    (20, 7)
    """
    bins = check_int("bins", bins, low=1)
    if width is not None:
        return check_int("width", width, low=1)
    needed = -(-largest // bins)
    scale = int(10 ** (len(str(needed)) - 1))
    return next(scale * step for step in (1, 2, 5, 10) if scale * step >= needed)


def refuse_others(lengths: pd.DataFrame) -> None:
    """Raise unless a frame is a result of `search_lengths`."""
    columns = getattr(lengths, "columns", ())
    missing = [name for name in (SYSTEM, TOPIC, DOC, RANK, LENGTH) if name not in columns]
    if missing or not len(lengths):
        got = "a frame without the columns" if missing else "a frame without rows"
        raise InputError("search lengths from cube.ireval.search_lengths()", got, "", missing)


@verb
def difference_histogram(
    lengths: pd.DataFrame, a: Hashable, b: Hashable, *, bins: int = 5, width: int | None = None
) -> pd.DataFrame:
    """Count relevant documents by difference between two search lengths.

    Parameters
    ----------
    lengths
        Search lengths from `search_lengths`.
    a, b
        The two systems. The difference is the search length in a minus the search length in b. A
        negative difference means that a is better. ``"best"`` selects the system with the lowest
        ASL, and ``"median"`` the median system by ASL, unless a system has the name ``"best"`` or
        ``"median"``. If the number of systems is even, the median is the better of the two middle
        systems.
    bins
        Number of bins on each side of 0, at least 1.
    width
        Width of a bin, at least 1. The default is the smallest number among 1, 2, 5, 10, 20, 50,
        ... whose bins reach the largest difference.

    Returns
    -------
    pandas.DataFrame
        One row per bin, in ascending order of the difference, with the columns

        - ``system_a`` and ``system_b``;
        - ``low`` and ``high``, the smallest and the largest difference of the bin. The first bin
          has no lower limit (``-inf``), and the last bin no upper limit (``inf``);
        - ``documents`` and ``share``, the number and the share of documents in the bin;
        - ``unretrieved``, the number of documents in the bin that only one of the two systems
          retrieved.

    Raises
    ------
    InputError
        If the frame has no search lengths.
    ParameterError
        If a system is unknown, or if `bins` or `width` is below 1.

    Notes
    -----
    If only one system retrieved a document, the search length of unretrieved documents is used for
    the other system. This search length is a lower bound, because the list ended before the
    document.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Fig. 6.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> lengths = ir.cube(runs, qrels).ireval.search_lengths()
    >>> result = lengths.ireval.difference_histogram("ance", "bm25", bins=1)
    >>> result.drop(columns=["system_a", "system_b"])
       low  high  documents  share  unretrieved
    0 -inf  -1.0         96  0.608           41
    1  0.0   0.0          9  0.057            2
    2  1.0   inf         53  0.335           24
    <BLANKLINE>
    Beware: 329 of 1,264 relevant documents, counted per system, were not retrieved
    """
    refuse_others(lengths)
    a = _by_rank(lengths, a)
    b = _by_rank(lengths, b)
    difference, unretrieved = _length_differences(lengths, a, b)
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
            # `-low` would contain a negative zero
            "high": 0 - low[::-1],
            "documents": documents,
            "share": documents / len(difference),
            "unretrieved": np.bincount(step + bins, unretrieved, 2 * bins + 1).astype(int),
        }
    )


def _by_rank(lengths: pd.DataFrame, name: Hashable) -> Hashable:
    """Return `name`, or the best or median system by ASL."""
    if name not in ("best", "median") or (lengths[SYSTEM] == name).any():
        return name
    by_topic = lengths.groupby([SYSTEM, TOPIC], sort=False)[LENGTH].mean()
    means = by_topic.groupby(SYSTEM, sort=False).mean()
    pos = 0 if name == "best" else (len(means) - 1) // 2
    return cast("Hashable", means.index[best_first(means.to_numpy(), -1)[pos]])


def _length_differences(
    lengths: pd.DataFrame, a: Hashable, b: Hashable
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return differences in search length by document.

    The second array is True for documents that only one of the two systems retrieved.
    """
    positions_of("systems of the search lengths", [a, b], lengths[SYSTEM].unique().tolist())
    if a == b:
        raise ParameterError("two different systems", f"{a!r} twice")
    sides = [lengths[lengths[SYSTEM] == name].set_index([TOPIC, DOC]) for name in (a, b)]
    both = sides[0].index.intersection(sides[1].index, sort=False)
    if not len(both):
        raise InputError("topics in which both systems took part", "none")
    left, right = (side.loc[both] for side in sides)
    difference = left[LENGTH].to_numpy().astype(np.int64) - right[LENGTH].to_numpy()
    return difference, (left[RANK].isna() ^ right[RANK].isna()).to_numpy()


Precision = Literal["atomized", "map"]


def effective_count(search_lengths: ArrayLike) -> int:
    """Return how many smallest search lengths explain the mean precision.

    Parameters
    ----------
    search_lengths
        At least one search length above 0, in any order. The search length is infinite if the
        precision is 0.

    Returns
    -------
    int
        The number n for which the mean of the n smallest search lengths is nearest to the harmonic
        mean of all search lengths. If several numbers are equally near, n is the smallest. The
        result is 0 if all search lengths are infinite.

    Raises
    ------
    ParameterError
        If there are no search lengths, or if a search length is not above 0.

    Notes
    -----
    The mean of the precisions 1/SL is the reciprocal of a weighted mean of the search lengths SL
    with the weights 1/SL. The unweighted mean of the n smallest search lengths approximates this
    weighted mean.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Appendix A.1.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    The mean precision corresponds to a search length of 2.2, close to the mean of the first six:

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
    # rounding makes equally near means equal, so that `argmin` returns the smallest number
    return 1 + int(np.argmin(np.round(abs(mean - len(ordered) / total), 9)))


@verb
def effective_top(lengths: pd.DataFrame, *, precision: Precision = "map") -> pd.DataFrame:
    """Return the share of relevant documents that mean precision reflects.

    Parameters
    ----------
    lengths
        Search lengths from `search_lengths`.
    precision
        Definition of the precision of a document. ``"map"``: the precision at the rank of the
        document as in MAP, or 0 for unretrieved documents. ``"atomized"``: 1 / search length.

    Returns
    -------
    pandas.DataFrame
        One row per system. ``documents`` is the number of relevant documents over all topics.
        ``effective`` is `effective_count` of the reciprocals of the precisions: the number n for
        which the mean of the n smallest reciprocals is nearest to the reciprocal of the mean
        precision. ``share`` is ``effective`` divided by ``documents``. ``effective`` and ``share``
        are 0 for a system that retrieved no relevant document.

    Raises
    ------
    InputError
        If the frame has no search lengths.
    ParameterError
        If the precision is unknown.

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
    Beware: 329 of 1,264 relevant documents, counted per system, were not retrieved
    """
    refuse_others(lengths)
    choice("precision", precision, get_args(Precision))
    if precision == "atomized":
        # a search length of 0, which only unretrieved documents have, counts as 1 in a reciprocal
        search = np.maximum(lengths[LENGTH].to_numpy(np.float64), 1)
    else:
        values = lengths[PRECISION].to_numpy()
        search = np.where(values > 0, 1 / np.where(values > 0, values, 1), np.inf)
    systems = lengths[SYSTEM].to_numpy()
    retrieving = lengths[RANK].notna().groupby(systems).transform("any").to_numpy()
    groups = pd.Series(np.where(retrieving, search, np.inf)).groupby(systems, sort=False)
    result = groups.agg([effective_count, "size"])
    result.columns = pd.Index(["effective", "documents"])
    share = result["effective"] / result["documents"]
    return result.assign(share=share).rename_axis(SYSTEM)
