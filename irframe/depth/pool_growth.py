"""What pooling found: relevant documents by pool depth, and what single runs owe to the pool."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import listed, whole
from irframe.cubes.unjudged import pool_depth_of
from irframe.cubes.verb import attended, by_topics, verb
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
    """Say what pools of growing depth find, how fast they dry up, and what single runs owe them.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    at
        Depths of the pool, rising, at most the cube's; by default all from 1.
    rel
        Lowest relevant grade, at least 1.

    Returns
    -------
    xarray.Dataset
        Over depth, of the pool: ``judged`` and ``relevant``, its documents per topic, and
        ``rate``, the share of relevant ones among those that are new since the depth before; NaN
        where none is new.

        Over depth, means over the contributing runs and the topics, and standard deviations
        (``_sd``): ``relevant_in_pool``, relevant documents of the pool of that depth that the run
        ranks no lower; ``relevant_past``, the others of that pool; ``first_unjudged``, the rank of
        its first document outside that pool, one more than the length of a list without any. NaN
        without contributing runs, and where lists were cut before it can be known.

        Scalars: ``first_unjudged_all`` and ``first_unjudged_all_sd``, the same by all judgments as
        they are.

    Raises
    ------
    DepthError
        For depths outside the pool.
    ParameterError
        For depths that do not rise, and `rel` out of range.
    InputError
        If the cube does not say which documents it holds.

    Warns
    -----
    IrframeWarning
        If lists were cut before all this can be known, with the number of depths; and if no
        system of the cube contributes.

    Notes
    -----
    A document is in the pool from its best rank in a contributing run on, rows in file order.

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
    >>> owed = growth[["relevant_in_pool", "relevant_past", "first_unjudged"]]
    >>> owed.sel(depth=10).to_array().values
    array([ 3.825,  6.05 , 11.625])
    """
    depths = [*range(1, pool_depth_of(cube) + 1)] if at is None else listed(at)
    wanted = rising_pool_depths(cube, depths)
    rel = whole("rel", rel, low=1, high=HIGHEST_GRADE)
    cube = attended(cube)
    experiment = experiment_of(cube)
    judged, relevant, rate = count_pools(experiment, rel, wanted)
    columns = {"judged": judged.mean(axis=0), "relevant": relevant.mean(axis=0), "rate": rate}
    runs = cube.isel({SYSTEM: np.flatnonzero(experiment.known_pool.contributing)})
    if not runs.sizes[SYSTEM]:
        warn("no system of the cube contributes to the pool: nothing is said of single runs")
    columns |= _of_runs(runs, rel, wanted)
    arrays = {name: (DEPTH if array.ndim else (), array) for name, array in columns.items()}
    return xr.Dataset(arrays, {DEPTH: wanted})


def count_pools(experiment: Experiment, rel: int, wanted: Array) -> tuple[Array, Array, Array]:
    """Count the documents of pools of some depths, and the relevant ones among them.

    Parameters
    ----------
    experiment
        The judgments and the pool.
    rel
        Lowest relevant grade.
    wanted
        Depths of the pool, rising.

    Returns
    -------
    judged, found : numpy.ndarray
        Documents and relevant ones, shape (topic, depth).
    rate : numpy.ndarray
        The share of relevant ones among those new since the depth before, shape (depth,).
    """
    base, rank = experiment.judgments, experiment.known_pool.rank
    pooled = rank > 0
    judged, relevant = (
        _count_within(base.topic[kept], rank[kept], len(base.count), wanted)
        for kept in (pooled, pooled & (base.grade >= rel))
    )
    new = np.diff(judged.sum(axis=0), prepend=0)
    with np.errstate(invalid="ignore"):
        return judged, relevant, np.diff(relevant.sum(axis=0), prepend=0) / new


def rising_pool_depths(cube: xr.Dataset, wanted: Sequence[int]) -> Array:
    """Return pool depths of a cube, refusing others and those that do not rise."""
    checked = np.array([pool_depth_of(cube, depth) for depth in wanted], np.int64)
    if not len(checked) or (np.diff(checked) <= 0).any():
        raise ParameterError("pool depths that rise", repr(wanted))
    return checked


def _of_runs(runs: xr.Dataset, rel: int, wanted: Array) -> dict[str, Array]:
    """Return means over runs and topics, and standard deviations, NaN where there are too few."""
    lists: dict[str, list[Array]] = {}
    unknown = np.zeros(len(wanted), bool)
    for part in by_topics(runs):
        values, unmet = _of_lists(part, rel, wanted)
        there, unknown = experiment_of(part).participated, unknown | unmet
        for name, array in values.items():
            lists.setdefault(name, []).append(array[there].astype(np.float64))
    if unknown.any():
        warn(
            f"what single runs owe to the pool is not known at {unknown.sum()} of {len(unknown)} "
            f"depths: lists were cut at {runs.sizes[DEPTH]}; build the cube with a greater depth="
        )
    columns = {}
    for name, parts in lists.items():
        every = np.concatenate(parts)
        none = np.full(every.shape[1:], np.nan)
        columns[name] = every.mean(axis=0) if len(every) else none
        columns[f"{name}_sd"] = every.std(axis=0, ddof=1) if len(every) > 1 else none
    return columns


def _of_lists(runs: xr.Dataset, rel: int, wanted: Array) -> tuple[dict[str, Array], Array]:
    """Return what is said of every list, and which depths it does not reach."""
    experiment = experiment_of(runs)
    relevant = experiment.judgments.grade >= rel
    pooled = count_pools(experiment, rel, wanted)[1]
    grade, length = runs["grade"].to_numpy(), runs["retrieved"].to_numpy()[..., np.newaxis]
    deepest = grade.shape[-1]
    rank = np.arange(1, deepest + 1, dtype=np.int32)
    listed_ = rank <= length
    beyond = int(wanted[-1]) + 1
    place = experiment.rows_at(deepest)
    pool_depth = np.append(experiment.known_pool.rank, 0)[place]
    entry = np.where(pool_depth > 0, np.minimum(pool_depth, beyond), beyond)
    hit = listed_ & (place >= 0) & np.append(relevant, False)[place]
    inside = _count_lists(np.where(hit, np.maximum(entry, rank), beyond), wanted)
    highest = np.maximum.accumulate(np.where(listed_, entry, beyond), axis=-1)
    ahead = _count_lists(highest, wanted)
    judged = np.minimum.accumulate((grade != UNJUDGED) & listed_, axis=-1).sum(axis=-1)
    ahead = np.concatenate([ahead, judged[..., np.newaxis]], axis=-1)
    cut = (length >= deepest) & (runs["retrieved"].to_numpy().max(initial=0) > deepest)
    unread, unmet = cut & (wanted > deepest), cut & (ahead >= deepest)
    first = np.where(unmet, np.nan, ahead + 1.0)
    values = {
        "relevant_in_pool": np.where(unread, np.nan, inside),
        "relevant_past": np.where(unread, np.nan, pooled - inside),
        "first_unjudged": first[..., :-1],
        "first_unjudged_all": first[..., -1],
    }
    return values, (unread | unmet[..., :-1]).any(axis=(0, 1))


def _count_lists(values: Array, wanted: Array) -> Array:
    """Count the values up to some numbers along the last axis, shape (..., number)."""
    lists = values.reshape(-1, values.shape[-1])
    of_value = np.repeat(np.arange(len(lists)), lists.shape[1])
    within = _count_within(of_value, lists.ravel(), len(lists), wanted)
    return within.reshape(*values.shape[:-1], len(wanted))


def _count_within(groups: Array, values: Array, number: int, wanted: Array) -> Array:
    """Count the values of each group up to some numbers, shape (group, number)."""
    width = int(wanted[-1]) + 2
    place = groups.astype(np.int64) * width + np.minimum(values, width - 1)
    counts = np.bincount(place, minlength=number * width).reshape(number, width)
    return np.asarray(np.cumsum(counts, axis=1)[:, wanted])
