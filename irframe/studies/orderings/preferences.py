"""Which of two systems users prefer, by how much they want to find."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Literal, get_args

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.verb import attended, read_depth, shared, verb
from irframe.metrics.counts import NumRel, NumRelRet
from irframe.names import DEPTH, PAIR, SYSTEM, TOPIC
from irframe.studies.orderings.orderings import name_pairs

CELLS = 1 << 21
"""Cells of pairs, topics and depths that are compared at a time."""
PREFERENCES = ("rpp", "lexirecall", "lexiprecision")
Weights = Literal["uniform", "dcg", "inverse"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
"""How much users count who want the 1st, 2nd, ... relevant document."""


@verb
def preferences(
    cube: xr.Dataset,
    a: Hashable | None = None,
    b: Hashable | None = None,
    *,
    at: int | Sequence[int] | None = None,
    weights: Weights = "uniform",
    rel: int = 1,
    by: str | None = None,
) -> xr.Dataset:
    """Say on every topic which of two systems users prefer who want one, two, ... documents.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    a, b
        The systems of a pair. Where one is left out, every other system takes its place; where
        both are, all pairs are compared, in the order of the cube.
    at
        Depths at which lists are cut, within the cube; by default its depth alone.
    weights
        How much users count in ``rpp`` who want i relevant documents: ``"uniform"``, all the
        same; ``"dcg"``, 1/log2(i + 1); ``"inverse"``, 1/i.
    rel
        Lowest relevant grade, at least 1.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

    Returns
    -------
    xarray.Dataset
        Over (topic, depth), and (pair, topic, depth) if there may be several pairs, with
        coordinates ``system_a`` and ``system_b``; above 0 where a is preferred, below where b is,
        NaN for topics without relevant documents:

        - ``rpp``, recall-paired preference, -1 to 1: the share of users who prefer a, less that
          of those who prefer b;
        - ``lexirecall``, -1, 0 or 1: what those prefer who want the most documents, of all who
          prefer anything;
        - ``lexiprecision``, -1, 0 or 1: what those prefer who want the fewest.

    Raises
    ------
    ParameterError
        For an unknown system, or the same one twice, or unknown weights.
    DepthError
        For depths beyond the cube.
    MetricError
        For cubes with shared ranks (``ties="mean"``).

    Notes
    -----
    Users who want i relevant documents prefer the list that has the i-th of them higher up, or
    has it at all; they do not mind where neither has. There are as many kinds of user as relevant
    judged documents. These are preferences, not scores: no score of a system by itself orders any
    two systems as ``rpp`` does, which may go in circles.

    References
    ----------
    .. [1] Diaz, Ferraro. Offline retrieval evaluation without evaluation metrics. SIGIR 2022.
       doi:10.1145/3477495.3532033
    .. [2] Diaz, Ekstrand, Mitra. Recall, robustness, and lexicographic evaluation. 2023.
       doi:10.48550/arXiv.2302.11370
    .. [3] Diaz. Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with
       lexicographic precision. 2023. doi:10.48550/arXiv.2306.07908

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> preferences(cube, "monot5", "bm25").mean().round(3).to_array().values.tolist()
    [0.677, 0.625, 0.75]
    """
    choice("weights", weights, WEIGHTS)
    deepest, cube = read_depth(cube, None), attended(cube)
    depths = wanted_depths(cube, [], deepest if at is None else at)
    pairs = name_pairs(cube, a, b)
    rows, places = np.unique(pairs, return_inverse=True)
    cube = shared(cube.isel({SYSTEM: rows}))
    metrics = NumRelRet(rel=rel), NumRel(rel=rel)
    counts = score(cube, *metrics, at=range(1, max(depths) + 1)).to_numpy().astype(np.intp)
    found, n_relevant = counts[0], counts[1, 0, :, :1]
    values = _prefer(found, places.reshape(-1, 2), n_relevant, weights, np.array(depths))
    data = _label(cube, pairs, dict(zip(PREFERENCES, values, strict=True)), depths)
    return data if a is None or b is None else data.isel({PAIR: 0})


def _prefer(
    found: Array, pairs: Array, n_relevant: Array, weights: Weights, depths: Array
) -> Iterator[Array]:
    """Return the three preferences of pairs of systems, shape (pair, topic, depth) each."""
    _, topics, deepest = found.shape
    table = _weights(weights, int(max(n_relevant.max(initial=1), found.max(initial=1))))
    whole_weight = np.where(n_relevant > 0, np.cumsum(table)[n_relevant], np.nan)
    step = max(1, CELLS // max(1, topics * deepest))
    parts = [
        _compare(found[first], found[second], table, depths)
        for first, second in (
            pairs[start : start + step].T for start in range(0, max(1, len(pairs)), step)
        )
    ]
    share, most, fewest = (np.concatenate(part) for part in zip(*parts, strict=True))
    known = np.where(n_relevant > 0, 1.0, np.nan)
    return iter((share / whole_weight, most * known, fewest * known))


def _weights(kind: str, most: int) -> Array:
    """Return the weights of users who want 0, 1, 2, ... documents."""
    wanted = np.arange(1.0, most + 1)
    known = {"uniform": np.ones(most), "dcg": 1 / np.log2(wanted + 1), "inverse": 1 / wanted}
    return np.concatenate([[0.0], known[kind]])


def _compare(first: Array, second: Array, table: Array, depths: Array) -> tuple[Array, ...]:
    """Compare lists by what they have found down to each rank.

    Those who want one document more than either list had are served at the first rank where one of
    them has it, and prefer that list, or neither if both do.
    """
    ahead = np.maximum(first, second)
    served = np.diff(ahead, axis=-1, prepend=0) > 0
    sign = np.sign(first - second) * served
    share = np.cumsum(table[ahead] * sign, axis=-1)
    rank = np.arange(1, sign.shape[-1] + 1)
    last = np.maximum.accumulate(np.where(sign != 0, rank, 0), axis=-1)
    first_rank = np.argmax(sign != 0, axis=-1)[..., np.newaxis]
    padded = np.concatenate([np.zeros_like(sign[..., :1]), sign], axis=-1)
    leader = np.take_along_axis(sign, first_rank, axis=-1) * (rank > first_rank)
    columns = depths - 1
    return (
        share[..., columns],
        np.take_along_axis(padded, last[..., columns], axis=-1),
        leader[..., columns],
    )


def _label(
    cube: xr.Dataset, pairs: Array, values: dict[str, Array], depths: Sequence[int]
) -> xr.Dataset:
    systems = cube[SYSTEM].to_numpy()
    named = np.unique(pairs, return_inverse=True)[1].reshape(-1, 2)
    coordinates = {
        "system_a": (PAIR, systems[named[:, 0]]),
        "system_b": (PAIR, systems[named[:, 1]]),
        DEPTH: list(depths),
    }
    topics = {name: cube[name] for name in cube.coords if cube[name].dims == (TOPIC,)}
    variables = {name: ((PAIR, TOPIC, DEPTH), value) for name, value in values.items()}
    return xr.Dataset(variables, topics | coordinates)
