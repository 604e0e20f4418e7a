"""What pooling found: relevant documents by pool depth, and what single runs owe to the pool."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.judgments import pool_depth_of, require_documents
from irframe.errors import ParameterError
from irframe.names import DEPTH, EMPTY, UNJUDGED

Array = NDArray[Any]
RANK_VARIABLES = ("doc", "judged_grade", "pool_rank")


def pool_growth(
    cube: xr.Dataset, depths: Sequence[int] | None = None, *, rel: int = 1
) -> xr.Dataset:
    """Say how many relevant documents pools of growing depth find, and how fast they dry up.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depths
        Depths of the pool, rising, at most the cube's; by default all from 1.
    rel
        Lowest relevant grade, at least 1.

    Returns
    -------
    xarray.Dataset
        Over depth: ``judged`` and ``relevant``, documents of the pool per topic, and ``rate``, the
        share of relevant ones among those that are new since the depth before; NaN where none
        is new.

    Raises
    ------
    DepthError
        For depths outside the pool.
    InputError
        If the cube does not say which documents it holds.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Fig. 1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> pool_growth(cube, [1, 5, 10]).to_dataframe().round(2)
           judged  relevant  rate
    depth
    1        4.38      2.06  0.47
    5       18.19      6.56  0.33
    10      32.69      9.88  0.23
    """
    require_documents(cube, *RANK_VARIABLES)
    wanted = _depths(cube, depths)
    rank, relevant = cube["pool_rank"].to_numpy(), cube["judged_grade"].to_numpy() >= rel
    pooled = rank > 0
    topics = len(rank)
    deepest = wanted[-1] + 1
    judged, found = (
        np.cumsum(np.bincount(rank[kept], minlength=deepest))[wanted]
        for kept in (pooled, pooled & relevant)
    )
    new = np.diff(judged, prepend=0)
    with np.errstate(invalid="ignore"):
        rate = np.diff(found, prepend=0) / new
    variables = {"judged": judged / topics, "relevant": found / topics, "rate": rate}
    attributes = {"pool_depth": int(cube.attrs["pool_depth"])}
    arrays = {name: (DEPTH, values) for name, values in variables.items()}
    return xr.Dataset(arrays, {DEPTH: wanted}, attributes)


def pool_statistics(
    cube: xr.Dataset, depths: Sequence[int] | None = None, *, rel: int = 1
) -> pd.DataFrame:
    """Say what a contributing run finds within the pool, and what others find beyond it.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depths
        Depths of the pool, rising, at most the cube's; by default that itself.
    rel
        Lowest relevant grade, at least 1.

    Returns
    -------
    pandas.DataFrame
        Indexed by depth, the last row (<NA>) standing for all judgments as they are. Means over
        the contributing runs and the topics, and their standard deviations (``_sd``), of

        - ``relevant_in_pool``: relevant documents in the top `depth` of the run;
        - ``first_unjudged``: rank of its first unjudged document, one more than its length if
          all are judged;
        - ``relevant_past``: relevant documents of the topic's pool of that depth which the run
          does not have there.

    Raises
    ------
    DepthError
        For depths outside the pool.
    ParameterError
        If no system contributes.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> pool_statistics(cube, [5, 10])[["relevant_in_pool", "first_unjudged", "relevant_past"]]
           relevant_in_pool  first_unjudged  relevant_past
    depth
    5                2.1875          6.5875          4.375
    10               3.8250         11.6250          6.050
    <NA>                NaN         11.6250            NaN
    """
    require_documents(cube, *RANK_VARIABLES)
    contributing = np.flatnonzero(cube["contributing"].to_numpy())
    if not len(contributing):
        raise ParameterError("systems that contribute to the pool", "none")
    wanted = _depths(cube, [pool_depth_of(cube)] if depths is None else depths)
    runs = cube.isel(system=contributing)
    grade, retrieved = runs["grade"].to_numpy(), runs["retrieved"].to_numpy()
    rank, graded = runs["pool_rank"].to_numpy(), runs["judged_grade"].to_numpy()
    entry = _entry_depth(runs["doc"].to_numpy(), rank)
    rows = []
    for depth in wanted.tolist():
        inside = (entry > 0) & (entry <= depth)
        found = (inside & (grade >= rel))[..., :depth].sum(axis=-1)
        pool = ((rank > 0) & (rank <= depth) & (graded >= rel)).sum(axis=-1)
        rows.append([found, _first(~inside & (grade != EMPTY), retrieved), pool - found])
    rows.append([None, _first(grade == UNJUDGED, retrieved), None])
    names = ["relevant_in_pool", "first_unjudged", "relevant_past"]
    table = {
        name + suffix: [np.nan if row[column] is None else measure(row[column]) for row in rows]
        for column, name in enumerate(names)
        for suffix, measure in (("", np.mean), ("_sd", _sd))
    }
    index = pd.Index(pd.array([*wanted.tolist(), pd.NA], dtype="Int64"), name=DEPTH)
    return pd.DataFrame(table, index)


def _depths(cube: xr.Dataset, depths: Sequence[int] | None) -> Array:
    deepest = pool_depth_of(cube)
    wanted = range(1, deepest + 1) if depths is None else depths
    checked = np.array([pool_depth_of(cube, depth) for depth in np.atleast_1d(wanted).tolist()])
    if not len(checked) or (np.diff(checked) <= 0).any():
        raise ParameterError("pool depths that rise", repr(list(wanted)))
    return checked


def _entry_depth(doc: Array, rank: Array) -> Array:
    """Return the pool depth at which every retrieved document is judged, 0 for never."""
    wide = np.broadcast_to(rank, (*doc.shape[:-1], rank.shape[-1]))
    return np.where(doc >= 0, np.take_along_axis(wide, np.maximum(doc, 0), axis=-1), 0)


def _first(unjudged: Array, retrieved: Array) -> Array:
    found = unjudged.any(axis=-1)
    return np.where(found, 1 + np.argmax(unjudged, axis=-1), retrieved + 1)


def _sd(values: Array) -> float:
    return float(np.std(values, ddof=1)) if values.size > 1 else np.nan
