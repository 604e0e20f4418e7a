"""Innate orderings of pairs of systems, without a metric.

Verbs: orderings, side_by_side.
"""

from collections.abc import Hashable, Mapping

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements import innate
from irframe.arrays import Array
from irframe.checks import check_int, positions_of, room
from irframe.cubes.score import score
from irframe.cubes.verb import LOADED, common_topics, drop_absent, read_depth, refuse_deeper, verb
from irframe.cubes.view import CODES, experiment_of
from irframe.errors import MetricError, ParameterError, warn
from irframe.experiments.judgments import reads_unjudged
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.experiments.topic_design import refuse_declared
from irframe.gains import Binary, Gain, GainMap, parse_gain
from irframe.metrics import Metric
from irframe.metrics.facts import TIE
from irframe.names import DEPTH, HIGHEST_GRADE, METRIC, PAIR, SIDES, SYSTEM, TOPIC
from irframe.paired import all_pairs, sign_p

GainLike = Gain | type[Gain] | str | Mapping[int, float]

GROUP = "group"


@verb(bounded=True)
def orderings(
    cube: xr.Dataset,
    a: Hashable | None = None,
    b: Hashable | None = None,
    *,
    depth: int | None = None,
    gain: GainLike = "binary",
    rel: int = 1,
    labels: bool | None = None,
) -> xr.Dataset:
    """Return innate orderings of systems by topic.

    All metrics must agree on the innate ordering of two rankings.

    Parameters
    ----------
    cube
        A cube, as returned by `irframe.cube`.
    a, b
        The systems of a pair. If only `a` or `b` is given, this system is compared with every other
        system. If `a` and `b` are omitted, all pairs of systems are compared, in the order of the
        systems in the cube.
    depth
        Depth at which rankings are cut. The default is the depth of the cube.
    gain
        Gain map, which assigns a gain to each grade. The orderings compare cumulated gains.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    labels
        Whether to return the variable ``label``. By default, ``label`` is omitted if all pairs are
        compared, because ``sign`` and the first depths contain the same information and need less
        memory.

    Returns
    -------
    xarray.Dataset
        The variables describe how system a compares with system b. Unless both `a` and `b` are
        given, all variables also have the dimension ``pair``, with the coordinates ``system_a`` and
        ``system_b``:

        - ``label`` (topic, depth), int8: 0 if the rankings are equal, 1 (*ni*) if a is not inferior
          to b, and -1 (*ns*) if a is not superior to b. If the rankings are non-separable, the
          label is 2 if they were ni at smaller depths, and -2 if they were ns.
        - ``sign`` (topic): 1 if a has more cumulated gain at the first depth at which the cumulated
          gains differ, -1 if b has more, and 0 if the rankings are equal.
        - ``first_decided`` and ``first_nonseparable`` (topic): the first depth at which the
          rankings are not equal, and the first depth at which they are non-separable, or 0 if no
          such depth exists. ``label`` can be computed from ``sign``, ``first_decided`` and
          ``first_nonseparable``.
        - ``count`` (depth, group): the number of topics in the groups ``**ns ns = ni **ni``, where
          ``**`` means non-separable.
        - ``p`` (depth): the p-value of the sign test, which compares the numbers of ni and ns
          topics.

    Raises
    ------
    ParameterError
        If a system is unknown, or if `a` and `b` are the same system.
    DepthError
        If `depth` exceeds the depth of the cube.
    MetricError
        If a gain map lacks a relevant grade, or if tied documents of the cube share ranks
        (``ties="mean"``).

    Notes
    -----
    System a is not inferior to b at depth k if, at every rank i <= k, the cumulated gain of a is at
    least the cumulated gain of b. With binary gain, this ordering follows from two rules: raising a
    grade never lowers a score, and moving a better document up never lowers a score. With graded
    gain, this ordering orders more pairs of rankings than the two rules do, because gains of
    documents are added. Cumulated gains are compared in exact arithmetic. Unjudged documents and
    ranks past the end of a list have gain 0.

    The sign test is an exact two-sided binomial test. The null hypothesis is that a topic with the
    label ni or ns has either label with equal probability. A small p-value says nothing about a
    particular metric, because systems may have equal scores on ni and ns topics, and either system
    may have the higher score on non-separable topics. Moreover, the ni and ns topics are not a
    random sample of all topics.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> pair = orderings(ir.cube(runs, qrels), "monot5", "bm25", depth=10)
    >>> pair["count"].sel(depth=10).to_series().to_dict()
    {'**ns': 2, 'ns': 0, '=': 0, 'ni': 13, '**ni': 1}
    >>> pair["p"].sel(depth=10).round(5).item()
    0.00024
    """
    refuse_declared(cube.attrs, "orderings")
    deepest = read_depth(cube, depth)
    cube = drop_absent(cube)
    pairs = name_pairs(cube, a, b)
    with_labels = not (a is None and b is None) if labels is None else labels
    data = order_pairs(cube, pairs, depth=deepest, gain=gain, rel=rel, labels=with_labels)
    return data if a is None or b is None else data.isel({PAIR: 0})


def order_pairs(
    cube: xr.Dataset, pairs: Array, *, depth: int, gain: GainLike, rel: int, labels: bool
) -> xr.Dataset:
    """Return the innate orderings of pairs of systems.

    `pairs` contains indices of systems, shape (pair, 2). All other arguments are those of
    `orderings`.
    """
    rows, pairs = np.unique(pairs, return_inverse=True)
    selected = cube if len(rows) == cube.sizes[SYSTEM] else cube.isel({SYSTEM: rows})
    pairs = pairs.reshape(-1, 2)
    # topics are dropped only if one of the compared systems lacks them
    cube = common_topics(selected)
    gains = ranking_gains(cube, depth, gain=gain, rel=rel)
    data = _labelled_pairs(
        cube, pairs, innate.compare_rankings(gains, pairs), depth, with_labels=labels
    )
    return data.assign_attrs(gain=repr(parse_gain(gain)), rel=rel)


def name_pairs(cube: xr.Dataset, a: Hashable | None, b: Hashable | None) -> Array:
    """Return the indices of the systems of each pair.

    The result contains one pair, all pairs that contain one system, or all pairs of systems.
    """
    systems = cube.indexes[SYSTEM]
    named = [system for system in (a, b) if system is not None]
    rows = positions_of("systems of the cube", named, systems.tolist())
    if len(systems) < 2:
        raise ParameterError("at least two systems", f"{systems[0]!r} alone")
    if not named:
        return all_pairs(len(systems))
    if len(rows) == 2:
        if rows[0] == rows[1]:
            raise ParameterError("two different systems", f"{a!r} twice")
        return np.array([rows])
    remaining = np.delete(np.arange(len(systems)), rows[0])
    fixed = np.full_like(remaining, rows[0])
    return np.stack([remaining, fixed] if a is None else [fixed, remaining], axis=1)


def ranking_gains(cube: xr.Dataset, depth: int, *, gain: GainLike, rel: int) -> Array:
    """Return exact integer gains by rank, shape (system, topic, depth)."""
    rel = check_int("rel", rel, low=1, high=HIGHEST_GRADE)
    gain_map = parse_gain(gain)
    experiment = experiment_of(cube)
    levels = experiment.judgments.levels
    missing = gain_map.missing(levels) if isinstance(gain_map, GainMap) else []
    if missing:
        raise MetricError("a gain for every relevant grade", "none for", "", missing)
    # collections may differ in their top grade, which scales the gains of their topics
    tops, scale = np.unique(experiment.tops, return_inverse=True)
    worth = np.stack([gain_map.map(levels, rel=rel, top=int(top)) for top in tops])
    numbers = innate.integer_gains(worth.ravel().tolist())
    if max(numbers, default=0) > np.iinfo(np.int64).max:
        raise MetricError("gains that can be summed exactly", repr(gain), "use fewer decimals")
    # gains get a signed dtype, because their differences may be negative
    table = np.zeros((len(tops), 1 << 16), np.min_scalar_type(-1 - max(numbers, default=0)))
    # negative codes such as UNJUDGED are indices from the end of the table, where gains are 0
    table[:, levels] = np.reshape(numbers, worth.shape)
    lazy = cube["grade"].variable[..., :depth]
    if lazy.chunks:
        advice = "pass two systems, select fewer topics, or pass a smaller depth="
        room("rankings for orderings of so many systems", lazy.nbytes, advice, most=LOADED)
    grade = lazy.to_numpy()
    return np.asarray(table[0][grade] if len(tops) == 1 else table[scale[:, np.newaxis], grade])


def _labelled_pairs(
    cube: xr.Dataset,
    pairs: Array,
    transitions: innate.Transitions,
    depth: int,
    *,
    with_labels: bool,
) -> xr.Dataset:
    counts = innate.count_labels(transitions, depth)
    behind, ahead = np.moveaxis(counts[..., [1, 3]].astype(np.int64), -1, 0)
    by_topic = (PAIR, TOPIC)
    variables: dict[str, object] = {
        "sign": (by_topic, transitions.sign),
        "first_decided": (by_topic, transitions.decided),
        "first_nonseparable": (by_topic, transitions.split),
        "count": ((PAIR, DEPTH, GROUP), counts),
        "p": ((PAIR, DEPTH), sign_p(ahead, behind)),
    }
    if with_labels:
        codes = {
            "flag_values": list(innate.LABELS),
            "flag_meanings": " ".join(innate.LABELS.values()),
        }
        variables["label"] = ((*by_topic, DEPTH), innate.label_depths(transitions, depth), codes)
    depths = {DEPTH: np.arange(1, depth + 1), GROUP: list(innate.LABELS.values())}
    return xr.Dataset(variables, pair_coordinates(cube, pairs) | depths)


def pair_coordinates(cube: xr.Dataset, pairs: Array) -> dict[Hashable, object]:
    """Return the coordinates of topics and of pairs of systems."""
    systems = cube[SYSTEM].to_numpy()
    by_topic = [name for name in cube.coords if cube[name].dims == (TOPIC,)]
    topics: dict[Hashable, object] = {
        name: cube[name] for name in by_topic if name not in CODES.values()
    }
    return topics | {name: (PAIR, systems[side]) for name, side in zip(SIDES, pairs.T, strict=True)}


def is_bound(cube: xr.Dataset, metric: Metric, *, gain: GainLike, rel: int) -> bool:
    """Return whether a metric always agrees with innate orderings.

    A metric agrees if the score of ranking a is at least that of ranking b whenever a is not
    inferior to b.

    Parameters
    ----------
    cube
        A cube, which contains the grades.
    metric
        The metric.
    gain, rel
        Gain map and lowest relevant grade of the orderings.

    Notes
    -----
    The metric and the orderings must have the same gains, up to a factor. Metrics that are weighted
    sums of gain agree with the orderings if no weight exceeds the weight of the rank above. Metrics
    of the ranks of relevant documents, ERR, INST, NERR and Q agree only with binary gain. With
    graded gain, an ordering depends on sums of gain, which these metrics do not compute. Metrics
    that depend on the length of a list, on unjudged documents or on ideal positions may disagree
    with the orderings.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> metrics = ir.metrics.nDCG(), ir.metrics.ERR(gain="linear")
    >>> [is_bound(cube, metric, gain="linear", rel=1) for metric in metrics]
    [True, False]
    """
    if metric.judged_only:
        return False
    monotone = metric.order in {"gain", "relevance"} and not metric.sees_length
    monotone = monotone and not reads_unjudged(metric)
    experiment = experiment_of(cube)
    levels = experiment.judgments.levels
    for top in np.unique(experiment.tops):
        of_metric = _worth(levels[levels <= top], int(top), *gains_of(metric))
        ordered = _worth(levels[levels <= top], int(top), gain, rel)
        binary = bool(np.isin(ordered, (0, 1)).all())
        if not np.allclose(of_metric, ordered) or not (metric.additive or (monotone and binary)):
            return False
    return True


def gains_of(
    metric: Metric, gain: GainLike | None = None, rel: int | None = None
) -> tuple[GainLike, int]:
    """Return gain map and relevance threshold of orderings.

    For a metric without gain map and threshold, the defaults are binary gain and 1.

    Examples
    --------
    >>> import irframe as ir
    >>> gains_of(ir.metrics.AP(rel=2))
    (Binary(), 2)
    """
    metric_gain = getattr(metric, "gain", Binary())
    metric_rel = getattr(metric, "rel", 1)
    return metric_gain if gain is None else gain, metric_rel if rel is None else rel


def _worth(levels: Array, top: int, gain: GainLike, rel: int) -> NDArray[np.float64]:
    """Return the gains of grades, divided by the highest gain."""
    worth = parse_gain(gain).map(levels, rel=rel, top=top)
    return np.asarray(worth / max(worth.max(initial=0), np.finfo(float).tiny))


@verb
def side_by_side(
    cube: xr.Dataset,
    a: Hashable,
    b: Hashable,
    *metrics: Metrics,
    depth: int | None = None,
    gain: GainLike = "binary",
    rel: int = 1,
) -> xr.Dataset:
    """Return rankings, innate orderings and score differences by topic.

    Parameters
    ----------
    cube
        A cube, as returned by `irframe.cube`.
    a, b
        The two systems to compare.
    metrics
        Metrics, or names of metrics, for the differences of scores. A metric with a fixed depth is
        scored at that depth.
    depth
        Evaluation depth of orderings and metrics. The default is the depth of the cube.
    gain, rel
        Gain map and lowest relevant grade of the orderings. Only metrics with the same gains must
        agree with the orderings. For example, nDCG with linear gain may contradict an ordering with
        binary gain.

    Returns
    -------
    xarray.Dataset
        The result of `orderings` for the pair, with topics sorted as described in the notes. The
        variables ``gain_a`` and ``gain_b`` (topic, depth) contain the gains by rank, divided by the
        highest gain. ``difference`` (metric, topic) is the score of a minus the score of b.

    Raises
    ------
    DepthError
        If the fixed depth of a metric exceeds `depth`.
    IrframeError
        As for `orderings` and `score`.

    Warns
    -----
    IrframeWarning
        If a metric may contradict the orderings.

    Notes
    -----
    Topics are sorted into the five groups ``**ns``, ``ns``, ``=``, ``ni`` and ``**ni``. Within
    ``**ns``, topics are sorted by the first depth at which the rankings are non-separable. Within
    ``ns``, topics are sorted by the first depth at which the rankings are not equal. Within
    ``**ni`` and ``ni``, topics are sorted by the same depths in descending order. Tied topics of
    ``**ns`` and ``**ni`` are sorted like the topics of ``ns`` and ``ni``. All other tied topics are
    in the order of the cube.

    Metrics that are weighted sums of gains (P, Recall, RBP, DCG, nDCG) cannot contradict orderings
    with the same gains. Metrics of the ranks of relevant documents (AP, RR, ...), ERR, INST, NERR
    and Q cannot contradict orderings with binary gain. Metrics that depend on the length of a list
    can contradict orderings with any gain.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 5 and 6. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> pair = side_by_side(ir.cube(*ir.example_track()), "monot5", "bm25", "P", "RR", depth=5)
    >>> pair["difference"][:, -3:].round(2).to_numpy().tolist()
    [[0.8, 0.4, 0.0], [0.75, 1.0, 0.67]]
    """
    deepest = read_depth(cube, depth)
    chosen = parse_metrics(metrics) if metrics else []
    refuse_deeper(chosen, deepest)
    if a is None or b is None:
        raise ParameterError("two systems to compare", f"{a!r} and {b!r}")
    pair = orderings(cube, a, b, depth=deepest, gain=gain, rel=rel)
    selected = cube.sel({SYSTEM: [a, b], TOPIC: pair[TOPIC]})
    gains = ranking_gains(selected, deepest, gain=gain, rel=rel).astype(np.float64)
    gains /= max(gains.max(), 1.0)
    pair = pair.assign(gain_a=((TOPIC, DEPTH), gains[0]), gain_b=((TOPIC, DEPTH), gains[1]))
    if chosen:
        unbound = [metric for metric in chosen if not is_bound(cube, metric, gain=gain, rel=rel)]
        if unbound:
            named = ", ".join(map(str, unbound))
            warn(f"metrics that may contradict the orderings: {named}")
        scores = score(selected, *chosen, at=deepest).to_numpy()
        # adding 0.0 turns -0.0 into 0.0, which prints without a sign
        difference = np.round(scores[:, 0] - scores[:, 1], TIE) + 0.0
        labels = [str(metric) for metric in chosen]
        pair = pair.assign(difference=((METRIC, TOPIC), difference)).assign_coords({METRIC: labels})
    return pair.isel({TOPIC: _display_order(pair)})


def _display_order(pair: xr.Dataset) -> NDArray[np.intp]:
    """Return the indices of topics in the order of `side_by_side`.

    The closest comparisons are in the middle.
    """
    last = pair.sizes[DEPTH]
    decided, split = (
        np.where(first > 0, first, last + 1)
        for first in (pair["first_decided"].to_numpy(), pair["first_nonseparable"].to_numpy())
    )
    sign = pair["sign"].to_numpy().astype(np.int64)
    group = sign * (1 + (split <= last))
    # the last key is the primary one, and the sign reverses the order of depths for ni
    return np.lexsort([-decided * sign, -split * sign, group])
