"""Preferences, separability, and enumeration of rankings.

Verbs: preferences, separability, enumerate_rankings.
"""

from collections.abc import Hashable, Sequence
from itertools import product
from typing import Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements import Kendall
from irframe.agreements.innate import compare_rankings, count_labels, label_depths
from irframe.arrays import Array, Grade, Grades
from irframe.checks import check_int, choice
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.verb import common_topics, drop_absent, read_depth, verb
from irframe.errors import ParameterError
from irframe.experiments.policy import MetricLike
from irframe.experiments.topic_design import refuse_declared
from irframe.metrics import Block, Evidence
from irframe.metrics.facts import TIE, facts
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.sets import NumRel, NumRelRet
from irframe.names import DEPTH, PAIR, SYSTEM, TOPIC
from irframe.orderings.orderings import GainLike, name_pairs, pair_coordinates, ranking_gains
from irframe.paired import all_pairs
from irframe.record import recorded

CELLS = 1 << 21
"""Number of elements (pairs x topics x depths) that are compared at once, to limit memory."""
PREFERENCES = ("rpp", "lexirecall", "lexiprecision")
Weights = Literal["uniform", "dcg", "inverse"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
"""Names of weighting schemes. The weight of users depends on the number of relevant documents that
they want."""


@verb
def preferences(
    cube: xr.Dataset,
    a: Hashable | None = None,
    b: Hashable | None = None,
    *,
    at: int | Sequence[int] | None = None,
    weights: Weights = "uniform",
    rel: int = 1,
) -> xr.Dataset:
    """Return the preferences of users between systems by topic.

    Parameters
    ----------
    cube
        A cube, as returned by `irframe.cube`.
    a, b
        The systems of a pair. If only one system is given, that system is compared with every other
        system. If both are omitted, all pairs of systems are compared, in the order of the systems
        in the cube.
    at
        Depths at which lists are cut. The default is the depth of the cube.
    weights
        Weights that ``rpp`` gives to users who want i relevant documents. ``"uniform"`` means equal
        weights, ``"dcg"`` means 1/log2(i + 1), and ``"inverse"`` means 1/i.
    rel
        Lowest relevant grade, at least 1.

    Returns
    -------
    xarray.Dataset
        Variables over (topic, depth). Unless both `a` and `b` are given, all variables also have
        the dimension ``pair``, with the coordinates ``system_a`` and ``system_b``. Values are above
        0 if a is preferred, below 0 if b is preferred, and NaN for topics without relevant
        documents:

        - ``rpp``, the recall-paired preference, -1 to 1: the weighted share of users who prefer a,
          minus the weighted share of users who prefer b.
        - ``lexirecall``, -1, 0 or 1: among users with a preference, the preference of the users who
          want the most documents.
        - ``lexiprecision``, -1, 0 or 1: among users with a preference, the preference of the users
          who want the fewest documents.

    Raises
    ------
    ParameterError
        If a system or the weights are unknown, or if `a` and `b` are the same system.
    DepthError
        If a depth exceeds the depth of the cube.
    MetricError
        If tied documents of the cube share ranks (``ties="mean"``).

    Notes
    -----
    Users who want i relevant documents prefer the list in which the i-th relevant document has the
    higher rank, or the only list that contains i relevant documents. If neither list contains i
    relevant documents, or if the ranks are equal, these users have no preference. There is one kind
    of user for each number i from 1 to the number of relevant judged documents. The values are not
    differences of scores, so ``rpp`` may be intransitive.

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
    deepest = read_depth(cube, None)
    cube = drop_absent(cube)
    depths = wanted_depths(cube, [], deepest if at is None else at)
    rows, pairs = np.unique(name_pairs(cube, a, b), return_inverse=True)
    pairs = pairs.reshape(-1, 2)
    cube = common_topics(cube.isel({SYSTEM: rows}))
    metrics = NumRelRet(rel=rel), NumRel(rel=rel)
    counts = score(cube, *metrics, at=range(1, max(depths) + 1)).to_numpy().astype(np.intp)
    retrieved = counts[0]
    n_relevant = counts[1, 0, :, :1]
    values = _prefer(retrieved, pairs, n_relevant, weights, np.array(depths))
    variables = {
        name: ((PAIR, TOPIC, DEPTH), value) for name, value in zip(PREFERENCES, values, strict=True)
    }
    data = xr.Dataset(variables, pair_coordinates(cube, pairs) | {DEPTH: list(depths)})
    return data if a is None or b is None else data.isel({PAIR: 0})


def _prefer(
    retrieved: Array, pairs: Array, n_relevant: Array, weights: Weights, depths: Array
) -> list[Array]:
    """Return the three preferences, each of shape (pair, topic, depth)."""
    _, topics, deepest = retrieved.shape
    largest = int(max(n_relevant.max(initial=1), retrieved.max(initial=1)))
    counts_wanted = np.arange(1.0, largest + 1)
    all_weights = {
        "uniform": counts_wanted**0,
        "dcg": 1 / np.log2(counts_wanted + 1),
        "inverse": 1 / counts_wanted,
    }
    # item i is the weight of users who want i relevant documents
    table = np.concatenate([[0.0], all_weights[weights]])
    step = max(1, CELLS // max(1, topics * deepest))
    blocks = [
        _compare(retrieved[a], retrieved[b], table, depths)
        for a, b in (pairs[at : at + step].T for at in range(0, max(1, len(pairs)), step))
    ]
    share, most, fewest = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    has_relevant = np.where(n_relevant > 0, 1.0, np.nan)
    return [
        share / (np.cumsum(table)[n_relevant] * has_relevant),
        most * has_relevant,
        fewest * has_relevant,
    ]


def _compare(first: Array, second: Array, table: Array, depths: Array) -> tuple[Array, ...]:
    """Return the three preferences of pairs, accumulated by rank.

    The i-th relevant document is reached at the first rank at which a list has i relevant
    documents. Users who want i relevant documents prefer the list that reaches the i-th one first.
    If both lists reach the i-th relevant document at the same rank, these users have no preference.
    """
    ahead = np.maximum(first, second)
    served = np.diff(ahead, axis=-1, prepend=0) > 0
    sign = np.sign(first - second) * served
    share = np.cumsum(table[ahead] * sign, axis=-1)
    rank = np.arange(1, sign.shape[-1] + 1)
    # users who want the most documents decide lexirecall, and users who want the fewest decide
    # lexiprecision
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


OUTCOME = "outcome"
OUTCOMES = ("equal", "separable", "non-separable")


@verb
def separability(
    cube: xr.Dataset,
    *,
    depth: int | None = None,
    gain: GainLike = "binary",
    rel: int = 1,
) -> xr.DataArray:
    """Return shares of separable pairs of rankings by depth.

    Parameters
    ----------
    cube
        A cube with at least two systems, as returned by `irframe.cube`.
    depth, gain, rel
        Depth, gain map and lowest relevant grade, as for `orderings`.

    Returns
    -------
    xarray.DataArray
        Share of each outcome among all pairs of systems on all topics, with the dimensions
        (outcome, depth). The outcomes are ``equal``, ``separable`` (one ranking is not inferior to
        the other, so all metrics agree) and ``non-separable``.

    Raises
    ------
    ParameterError
        If the cube has only one system.
    DepthError
        If `depth` exceeds the depth of the cube.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Table 3. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> shares = separability(ir.cube(*ir.example_track()), depth=10)
    >>> shares.sel(depth=[1, 10]).round(3).to_numpy()
    array([[0.603, 0.027],
           [0.397, 0.752],
           [0.   , 0.221]])
    """
    refuse_declared(cube.attrs, "separability")
    deepest = read_depth(cube, depth)
    cube = common_topics(drop_absent(cube))
    systems = cube.sizes[SYSTEM]
    if systems < 2:
        raise ParameterError("at least two systems", f"{systems} system")
    gains = ranking_gains(cube, deepest, gain=gain, rel=rel)
    transitions = compare_rankings(gains, all_pairs(systems))
    counts = count_labels(transitions, deepest).sum(axis=0) / transitions.sign.size
    mixed = counts[:, [0, -1]].sum(axis=1)
    shares = np.stack([counts[:, 2], 1 - counts[:, 2] - mixed, mixed])
    coordinates = {OUTCOME: list(OUTCOMES), DEPTH: np.arange(1, deepest + 1)}
    return xr.DataArray(shares, coordinates, (OUTCOME, DEPTH), name="share")


LONGEST = 10
"""Maximum length of enumerated rankings. 2**k rankings of length k have 4**k pairs."""


@recorded
def enumerate_rankings(
    k: int,
    rows: MetricLike | None = None,
    columns: MetricLike | None = None,
    *,
    n_relevant: int | None = None,
) -> xr.Dataset:
    """Return the innate orderings of all binary rankings.

    Parameters
    ----------
    k
        Length of the rankings, 1 to 10.
    rows, columns
        Metrics by which the rankings in rows and in columns are sorted, best first. The default
        order is lexicographic, with relevant before non-relevant documents. Rankings with equal
        scores are also in lexicographic order.
    n_relevant
        Number of relevant judged documents, at least k. The default is k.

    Returns
    -------
    xarray.Dataset
        The variable ``label`` (row, column) contains the label of the row's ranking compared with
        the column's ranking, as an integer with the same meaning as in `orderings`. ``covers``
        (row, column) is True if the ranking of the row is not inferior to the ranking of the column
        and no third ranking is between them. ``tau`` is Kendall's tau between the orders of rows
        and columns. The coordinates ``row`` and ``column`` contain the rankings as text, such as
        ``"101"``.

    Raises
    ------
    ParameterError
        If k or `n_relevant` is out of range.
    MetricError
        If a metric is unknown.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 1, 2 and 3. doi:10.1002/asi.24874

    Examples
    --------
    >>> grid = enumerate_rankings(3)
    >>> int((abs(grid["label"]) == 2).sum())
    2
    >>> enumerate_rankings(6, "AP", "nDCG")["tau"].round(3).item()
    0.976
    """
    k = check_int("k", k, low=1, high=LONGEST)
    serps = np.array(list(product([1, 0], repeat=k)), Grade)  # best first
    relevant = check_int("n_relevant", k if n_relevant is None else n_relevant, low=k)
    arranged = [_arranged(serps, metric, relevant) for metric in (rows, columns)]
    spelled = np.array(["".join(map(str, serp)) for serp in serps])
    ranks = np.argsort(arranged, axis=-1)
    pairs = np.indices((len(serps), len(serps))).reshape(2, -1).T
    transitions = compare_rankings(serps[:, np.newaxis], pairs)
    labels = label_depths(transitions, k)[..., -1].reshape(len(serps), -1)
    # the product counts the rankings between two rankings; BLAS multiplies only floats
    above = (labels == 1).astype(np.float32)
    covers = (above > 0) & (above @ above == 0)
    cells = np.ix_(*arranged)
    dims = ("row", "column")
    return xr.Dataset(
        {
            "label": (dims, labels[cells]),
            "covers": (dims, covers[cells]),
            "tau": Kendall().kernel(ranks[:1], ranks[1:])[0, 0],
        },
        {name: spelled[order] for name, order in zip(dims, arranged, strict=True)},
        {"rows": str(rows or "lexicographic"), "columns": str(columns or "lexicographic")},
    )


def _arranged(serps: Grades, metric: MetricLike | None, relevant: int) -> NDArray[np.intp]:
    if metric is None:
        return np.arange(len(serps))
    number, k = serps.shape
    block = Block(
        grade=serps,
        retrieved=np.full(number, k),
        levels=np.array([0, 1]),
        count=np.tile([k, relevant], (number, 1)),
        top=1,
    )
    parsed = parse_metric(metric)
    scores = np.round(parsed.score(Evidence(block))[:, -1], TIE) * facts(parsed).sign
    return np.argsort(-scores, kind="stable")
