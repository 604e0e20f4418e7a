"""Numbers of relevant documents in pools and runs by depth.

Verbs: pool_growth.
"""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import check_int, listed
from irframe.cubes.unjudged import pool_depth_of
from irframe.cubes.verb import by_topics, drop_absent, verb
from irframe.cubes.view import experiment_of
from irframe.errors import ParameterError, warn
from irframe.experiments.experiment import Experiment
from irframe.names import DEPTH, HIGHEST_GRADE, SYSTEM, UNJUDGED


@verb(bounded=True)
def pool_growth(
    cube: xr.Dataset,
    *,
    at: int | Sequence[int] | None = None,
    rel: int = 1,
) -> xr.Dataset:
    """Count the relevant documents in pools of increasing depth.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    at
        Pool depths in ascending order, at most the pool depth of the cube. The default is all
        depths from 1 to the pool depth of the cube.
    rel
        Lowest relevant grade, at least 1.

    Returns
    -------
    xarray.Dataset
        The first variables describe the pool of each depth:

        - ``judged`` and ``relevant``, the mean number of judged and of relevant documents per
          topic;
        - ``rate``, the share of relevant documents among the documents that are not in the pool of
          the previous depth, or NaN if no document is new.

        The next variables describe the contributing runs by pool depth. Each variable is a mean
        over runs and topics, and has a standard deviation in a variable that ends in ``_sd``:

        - ``relevant_in_pool``, the number of relevant documents of the pool that the run retrieved
          within the pool depth;
        - ``relevant_past``, the number of all other relevant documents of the pool;
        - ``first_unjudged``, the rank of the first document of the run outside the pool, or the
          length of the list plus one if all its documents are in the pool.

        Means over runs are NaN if no run contributes to the pool, or if the lists of the cube are
        cut above the first unjudged document.

        ``first_unjudged_all`` and ``first_unjudged_all_sd`` have no dimension. They are the mean
        and the standard deviation of the rank of the first document without a judgment. Judged
        documents outside the pool count as judged.

    Raises
    ------
    DepthError
        If a depth is above the pool depth.
    ParameterError
        If depths are not ascending, or `rel` is out of range.
    InputError
        If the cube has lost its attribute ``experiment``.

    Warns
    -----
    IrframeWarning
        If no system contributes, or if means are NaN because the lists of the cube are cut. The
        warning contains the number of depths without means.

    Notes
    -----
    The pool of depth k contains each document that a contributing run ranks at k or above. Ranks
    are positions of rows in the run file.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Fig. 1 and Table 4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> growth = pool_growth(cube, at=[1, 5, 10])
    >>> growth[["judged", "relevant", "rate"]].to_dataframe().round(2)
           judged  relevant  rate
    depth
    1        4.38      2.06  0.47
    5       18.19      6.56  0.33
    10      32.69      9.88  0.23
    >>> of_runs = growth[["relevant_in_pool", "relevant_past", "first_unjudged"]]
    >>> of_runs.sel(depth=10).to_array().values
    array([ 3.825,  6.05 , 11.625])
    """
    depths = [*range(1, pool_depth_of(cube) + 1)] if at is None else listed(at)
    pool_depths = rising_pool_depths(cube, depths)
    rel = check_int("rel", rel, low=1, high=HIGHEST_GRADE)
    cube = drop_absent(cube)
    experiment = experiment_of(cube)
    judged, relevant, rate = count_pools(experiment, rel, pool_depths)
    columns = {"judged": judged.mean(axis=0), "relevant": relevant.mean(axis=0), "rate": rate}
    runs = cube.isel({SYSTEM: np.flatnonzero(experiment.known_pool.contributing)})
    if not runs.sizes[SYSTEM]:
        warn("no system of the cube contributes to the pool: means over runs are missing")
    columns |= _of_runs(runs, rel, pool_depths)
    arrays = {name: (DEPTH if array.ndim else (), array) for name, array in columns.items()}
    return xr.Dataset(arrays, {DEPTH: pool_depths})


def count_pools(experiment: Experiment, rel: int, depths: Array) -> tuple[Array, Array, Array]:
    """Count judged and relevant documents of pools by depth.

    Parameters
    ----------
    experiment
        An experiment with judgments and a pool.
    rel
        Lowest relevant grade.
    depths
        Pool depths in ascending order.

    Returns
    -------
    judged, relevant : numpy.ndarray
        Numbers of judged documents and of relevant documents, shape (topic, depth).
    rate : numpy.ndarray
        Share of relevant documents among the documents that the pool of the previous depth lacks,
        shape (depth,).
    """
    judgments = experiment.judgments
    rank = experiment.known_pool.rank
    pooled = rank > 0
    judged, relevant = (
        _count_within(judgments.topic[selected], rank[selected], len(judgments.count), depths)
        for selected in (pooled, pooled & (judgments.grade >= rel))
    )
    n_new = np.diff(judged.sum(axis=0), prepend=0)
    with np.errstate(invalid="ignore"):
        return judged, relevant, np.diff(relevant.sum(axis=0), prepend=0) / n_new


def rising_pool_depths(cube: xr.Dataset, depths: Sequence[int]) -> Array:
    """Return pool depths as an array, or raise unless ascending."""
    pool_depths = np.array([pool_depth_of(cube, depth) for depth in depths], np.int64)
    if not len(pool_depths) or (np.diff(pool_depths) <= 0).any():
        raise ParameterError("pool depths in ascending order", repr(depths))
    return pool_depths


def _of_runs(runs: xr.Dataset, rel: int, depths: Array) -> dict[str, Array]:
    """Return means and standard deviations over runs and topics.

    A mean is NaN if there are no lists. A standard deviation is NaN for fewer than two lists.
    """
    lists: dict[str, list[Array]] = {}
    unknown = np.zeros(len(depths), bool)
    for block in by_topics(runs):
        values, unmet = _of_lists(block, rel, depths)
        unknown |= unmet
        exists = experiment_of(block).participated
        for name, array in values.items():
            lists.setdefault(name, []).append(array[exists].astype(np.float64))
    if unknown.any():
        warn(
            f"means over runs are unknown at {unknown.sum()} of {len(unknown)} depths, because "
            f"lists were cut at {runs.sizes[DEPTH]}: build the cube with a greater depth="
        )
    columns = {}
    for name, blocks in lists.items():
        by_list = np.concatenate(blocks)
        missing = np.full(by_list.shape[1:], np.nan)
        columns[name] = by_list.mean(axis=0) if len(by_list) else missing
        columns[f"{name}_sd"] = by_list.std(axis=0, ddof=1) if len(by_list) > 1 else missing
    return columns


def _of_lists(runs: xr.Dataset, rel: int, depths: Array) -> tuple[dict[str, Array], Array]:
    """Return values by list, and whether they are unknown.

    The second array is True at a depth if a list is cut before its value is known.
    """
    experiment = experiment_of(runs)
    relevant = experiment.judgments.grade >= rel
    pooled = count_pools(experiment, rel, depths)[1]
    grade = runs["grade"].to_numpy()
    length = runs["retrieved"].to_numpy()[..., np.newaxis]
    deepest = grade.shape[-1]
    rank = np.arange(1, deepest + 1, dtype=np.int32)
    retrieved = rank <= length
    # documents outside all pools get a depth that no pool has
    beyond = int(depths[-1]) + 1
    row = experiment.rows_at(deepest)
    # unjudged documents have row -1, which selects the appended 0
    pool_depth = np.append(experiment.known_pool.rank, 0)[row]
    entry = np.where(pool_depth > 0, np.minimum(pool_depth, beyond), beyond)
    hit = retrieved & (row >= 0) & np.append(relevant, False)[row]
    # a hit is counted from the smallest depth at which both the pool and the cut list contain it
    inside = _count_lists(np.where(hit, np.maximum(entry, rank), beyond), depths)
    # the running maximum is at most k at the ranks above the first document outside the pool of
    # depth k, and only at these ranks
    highest = np.maximum.accumulate(np.where(retrieved, entry, beyond), axis=-1)
    ahead = _count_lists(highest, depths)
    judged = np.minimum.accumulate((grade != UNJUDGED) & retrieved, axis=-1).sum(axis=-1)
    ahead = np.concatenate([ahead, judged[..., np.newaxis]], axis=-1)
    cut = length > deepest
    unread = cut & (depths > deepest)
    unmet = cut & (ahead >= deepest)
    first = np.where(unmet, np.nan, ahead + 1.0)
    values = {
        "relevant_in_pool": np.where(unread, np.nan, inside),
        "relevant_past": np.where(unread, np.nan, pooled - inside),
        "first_unjudged": first[..., :-1],
        "first_unjudged_all": first[..., -1],
    }
    return values, (unread | unmet[..., :-1]).any(axis=(0, 1))


def _count_lists(values: Array, limits: Array) -> Array:
    """Count values up to each limit along the last axis."""
    lists = values.reshape(-1, values.shape[-1])
    of_value = np.repeat(np.arange(len(lists)), lists.shape[1])
    within = _count_within(of_value, lists.ravel(), len(lists), limits)
    return within.reshape(*values.shape[:-1], len(limits))


def _count_within(groups: Array, values: Array, number: int, limits: Array) -> Array:
    """Count the values of each group up to each limit.

    The shape is (group, limit). `groups` contains the group of each value, from 0 to `number` - 1.
    """
    # the last column counts the values above all limits, and no limit selects it
    width = int(limits[-1]) + 2
    cell = groups.astype(np.int64) * width + np.minimum(values, width - 1)
    counts = np.bincount(cell, minlength=number * width).reshape(number, width)
    return np.asarray(np.cumsum(counts, axis=1)[:, limits])
