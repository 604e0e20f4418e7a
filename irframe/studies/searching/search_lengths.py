"""How far a user has to search for every single relevant document."""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.cubes.verb import attended, by_topics, read_depth, verb
from irframe.cubes.view import experiment_of
from irframe.errors import InputError
from irframe.metrics.asl import ASL, Unretrieved
from irframe.names import DOC, GRADE, RANK, SYSTEM, TOPIC

__all__ = ["search_lengths"]


LENGTH = "search_length"
PRECISION = "precision"


@verb(bounded=True)
def search_lengths(
    cube: xr.Dataset,
    *,
    depth: int | None = None,
    rel: int = 1,
    unretrieved: Unretrieved = "irrel",
    by: str | None = None,
) -> pd.DataFrame:
    """Say for every relevant document how many documents a user reads to find it.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depth
        Where lists are cut, at least 1 and at most the cube's depth, the default.
    rel
        Lowest relevant grade, at least 1.
    unretrieved
        Search length of a relevant document that was not retrieved: ``"irrel"``, the number of
        irrelevant documents retrieved, as published; ``"irrel+1"``, one more.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

    Returns
    -------
    pandas.DataFrame
        A row per system and relevant document: ``system``, ``topic``, ``doc``, ``grade``;
        ``rank``, <NA> where not retrieved; ``search_length``; ``precision``, that of the list
        down to the document as MAP has it, 0 where not retrieved. The documents of a list come
        in rank order, those not retrieved last, so that the mean of the first n of a topic is
        its ``ASL(first=n)``, and the mean over topics of the mean over documents is ASL.

    Raises
    ------
    InputError
        If no topic has a relevant document.
    DepthError
        For a depth beyond the cube.
    MetricError
        For parameters out of range, and cubes with shared ranks (``ties="mean"``).

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
    0   a     1              1   1.000000
    1   c     3              2   0.666667
    2   x  <NA>              1   0.000000
    """
    depth, cube = read_depth(cube, depth), attended(cube)
    ASL(rel=rel, unretrieved=unretrieved)
    if not (experiment_of(cube).judgments.grade >= rel).any():
        raise InputError("topics with a relevant document", f"none among {cube.sizes[TOPIC]}")
    frames = [_of_topics(part, depth, rel, unretrieved) for part in by_topics(cube)]
    if len(frames) == 1:
        return frames[0]
    found = pd.concat(frames, ignore_index=True)
    systems = pd.Index(found[SYSTEM])
    order = np.argsort(cube.indexes[SYSTEM].get_indexer(systems), kind="stable")
    return found.iloc[order].reset_index(drop=True)


def _of_topics(cube: xr.Dataset, depth: int, rel: int, unretrieved: Unretrieved) -> pd.DataFrame:
    """Return the search lengths of relevant documents, by system and topic."""
    experiment = experiment_of(cube)
    base = experiment.judgments
    grade = base.grade
    rows = np.flatnonzero(grade >= rel)
    topic = base.topic[rows]
    place = np.full(grade.shape, -1)
    place[rows] = np.arange(len(rows))
    parts, there = [], experiment.there
    for row in range(cube.sizes[SYSTEM]):
        some = slice(row, row + 1), slice(0, experiment.shape[1])
        cells = experiment.cells(some, depth, doc=True, ties=False)
        lists = {name: cells[name][0] for name in ("grade", "doc", "retrieved")}
        rank, length, precision = _measure(lists, base.start, place, topic, rel)
        missing = rank == 0
        length[missing] += unretrieved == "irrel+1"
        order = np.lexsort((np.where(missing, depth + 1, rank), topic))
        order = order[there[row, topic[order]]]
        columns = {"row": np.full(len(order), row, np.int32), "of": order, RANK: rank[order]}
        parts.append(columns | {LENGTH: length[order], PRECISION: precision[order]})
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = found["of"]
    ranks = pd.arrays.IntegerArray(found[RANK], found[RANK] == 0)
    return pd.DataFrame(
        {
            SYSTEM: cube.indexes[SYSTEM].take(found["row"]),
            TOPIC: cube.indexes[TOPIC].take(topic[order]),
            DOC: base.docs[rows][order],
            GRADE: grade[rows][order],
            RANK: ranks,
            LENGTH: found[LENGTH],
            PRECISION: found[PRECISION],
        }
    )


def _measure(
    lists: dict[str, Array], start: Array, place: Array, topic: Array, rel: int
) -> tuple[Array, Array, Array]:
    """Return rank (0 where not retrieved), search length and precision of relevant documents."""
    relevant = lists["grade"] >= rel
    row, column = np.nonzero(relevant)
    found = relevant.sum(axis=1)
    above = np.arange(len(row)) - np.repeat(np.cumsum(found) - found, found)
    document = place[start[row] + lists["doc"][row, column]]
    rank = np.zeros(len(topic), np.int32)
    length = (lists["retrieved"] - found)[topic].astype(np.int32)
    precision = np.zeros(len(topic))
    rank[document] = column + 1
    length[document] = column + 1 - above
    precision[document] = (above + 1) / (column + 1)
    return rank, length, precision
