"""Changes of the ranking of systems between metrics.

Verbs: reordering, ablation, best_systems, rrie.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements import Kendall
from irframe.arrays import Floats
from irframe.checks import choice, number
from irframe.comparing.corrections import (
    Correction,
    Significance,
    TestedMeansByMetric,
    adjust_rows,
    parse_stepwise,
)
from irframe.cubes.parse_scores import declared_labels_of
from irframe.cubes.score import score
from irframe.cubes.verb import against, read_depth, verb
from irframe.errors import InputError, ParameterError, listing
from irframe.experiments.topic_design import drawn_topics, refuse_declared
from irframe.metrics.ap import AP
from irframe.metrics.asl import ASL, AtomizedP, InverseASL, Unretrieved
from irframe.metrics.facts import average, best_first, facts
from irframe.names import METRIC, SYSTEM, TOPIC
from irframe.paired import PairedTest, all_pairs
from irframe.ranks.first import FIRST, could_be_first
from irframe.record import NONE
from irframe.scores.averages import Resamples, averages, by_depth, metric_labels, tell_left_out
from irframe.scores.read_scores import Depths, read_scores


@verb
def reordering(
    scores: xr.DataArray | pd.DataFrame,
    *,
    test: TestedMeansByMetric = "t",
    at: Depths = None,
    relative_margin: float = 0.1,
    per: Literal["step", "system"] = "step",
) -> pd.DataFrame:
    """Measure how systems are reordered by a change of metric.

    Parameters
    ----------
    scores
        Scores per system, topic and metric, with at least two metrics: an array, or a frame, wide
        or long. Each metric is compared with the next metric in `scores`.
    test
        The significance test that decides which systems are better: an `irframe.Significance`, or
        the name of a test, as in `compare`. By default p-values are not corrected, as in the paper
        [1]_. All corrections except max-T are supported. A p-value equal to alpha counts as
        significant.
    at
        A depth, or several depths; by default the greatest. For several depths the result has a
        column ``depth``.
    relative_margin
        Minimum relative difference of the means of a better and a worse system, at least 0.
    per
        ``"step"``: one row per step. ``"system"``: one row per step and system.

    Returns
    -------
    pandas.DataFrame
        One row per step. A step is a change from one metric to the next. With more than two
        metrics, the last row is the step from the first to the last metric. The columns are

        - the group, after `groupby`;
        - ``old`` and ``new``, the metrics;
        - ``delta_sort``, the largest change of a system's position, in percent of the number of
          systems (see the notes), and ``system``, the system with the largest change;
        - ``kendall``, Kendall's tau-b between the rankings by the two metrics;
        - ``delta_value``, the mean by the new metric divided by the mean by the old metric,
          averaged over systems;
        - ``n_systems``, ``n_topics``.

        With ``per="system"`` the columns are the group, ``old``, ``new``, ``system`` and
        ``delta_sort`` of the system. This ``delta_sort`` has a sign. The sign is positive if fewer
        systems are better than the system by the new metric than by the old metric.

    Raises
    ------
    ParameterError
        If there are fewer than two metrics or systems, the group is unknown, or a number is out of
        range.
    InputError
        If no topic has a score by every metric.
    DepthError
        If the scores lack one of the depths.

    Notes
    -----
    ``delta_sort = 100 (n_old - n_new) / S``, where n is the number of systems that are better than
    the system, and S is the number of systems. System a is better than b if a two-sided paired test
    has p <= alpha, and if its mean is better by at least `relative_margin` times the mean of b. The
    paper uses a t-test, and does not state whether the test is paired.

    A topic is used if every system has a score by every metric on the topic. For ``delta_value``,
    means of costs such as ASL are replaced by their reciprocals, and systems with an old mean of 0
    are omitted.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Section 4.4
       and Table 2. doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["P@20", "ASL(first=10)"])
    >>> scores.ireval.reordering().drop(columns=["n_systems", "n_topics"])
        old            new  delta_sort   system  kendall  delta_value
    0  P@20  ASL(first=10)        12.5  colbert    0.857        0.243
    >>> by_system = scores.ireval.reordering(per="system")
    >>> by_system[by_system["delta_sort"] != 0].to_dict("list")["system"]
    ['colbert', 'doct5query']
    """
    choice("per", per, ("step", "system"))
    number("relative_margin", relative_margin, low=0)
    chosen = Significance.read(test)
    parsed = chosen.only_test
    correction = parse_stepwise(chosen.adjust, parsed, auto=None)
    decided = partial(_count_better, test=parsed, adjust=correction)
    better = partial(decided, margin=relative_margin, alpha=chosen.alpha)
    table = by_depth(partial(_reordered, better=better, per=per), scores, at)
    table.attrs["adjust"] = correction or NONE
    return table


class SystemOrder(NamedTuple):
    """Mean of each system, and number of better systems."""

    metric: str
    mean: Floats
    n_better: NDArray[np.int64]


def _reordered(
    array: xr.DataArray, *, better: Callable[[Floats, str], NDArray[np.int64]], per: str
) -> pd.DataFrame:
    labels = metric_labels(array)
    systems = array.indexes[SYSTEM]
    if len(labels) < 2 or len(systems) < 2:
        got = f"{len(labels)} metrics and {len(systems)} systems"
        raise ParameterError("at least two metrics and at least two systems", got)
    drawn = drawn_topics(declared_labels_of(array), array.indexes[TOPIC])
    if drawn is not None and not drawn.design.plain:
        refuse_declared(array.attrs, "reordering")
    values = _complete(array)
    steps = [(row, row + 1) for row in range(len(labels) - 1)]
    steps += [(0, len(labels) - 1)] if len(labels) > 2 else []
    orders = [
        SystemOrder(label, average(scores, facts(label).summary), better(scores, label))
        for label, scores in zip(labels, values, strict=True)
    ]
    rows = [_step(orders[old], orders[new], systems, per) for old, new in steps]
    if per == "system":
        return pd.concat(map(pd.DataFrame, rows), ignore_index=True)
    return pd.DataFrame(rows).assign(n_systems=len(systems), n_topics=values.shape[2])


def _complete(array: xr.DataArray) -> Floats:
    """Return scores on complete topics, (metric, system, topic)."""
    values = array.transpose(METRIC, SYSTEM, TOPIC).to_numpy()
    complete = ~np.isnan(values).any(axis=(0, 1))
    if not complete.any():
        raise InputError("topics with a score by every metric and system", "none")
    return np.asarray(values[:, :, complete])


def _count_better(
    values: Floats,
    metric: str,
    *,
    test: PairedTest,
    adjust: Correction | None,
    margin: float,
    alpha: float,
) -> NDArray[np.int64]:
    """Count, for each system, the systems that are better."""
    systems = len(values)
    pairs = all_pairs(systems)
    significant = np.zeros((systems, systems), bool)
    p = test.kernel(values[:, :, np.newaxis], pairs).p[:, 0]
    significant[tuple(pairs.T)] = adjust_rows(p, adjust, alpha) <= alpha  # as printed in the paper
    mean = average(values, facts(metric).summary)
    sign = facts(metric).sign
    # rounded, because a lead of exactly the margin, such as 0.22 to 0.2, counts as better
    ahead = np.round(sign * (mean - mean[:, np.newaxis]), 12)
    enough = (ahead > 0) & (ahead >= np.round(margin * abs(mean[:, np.newaxis]), 12))
    return np.asarray((enough & (significant | significant.T)).sum(axis=1))


def _step(old: SystemOrder, new: SystemOrder, systems: pd.Index, per: str) -> dict[str, object]:
    """Return the columns of a step, or of its systems."""
    change = 100 * (old.n_better - new.n_better) / len(systems)
    columns: dict[str, object] = {"old": old.metric, "new": new.metric}
    if per == "system":
        return columns | {SYSTEM: systems, "delta_sort": change}
    largest = int(np.argmax(abs(change)))
    # means of costs change their sign, because Kendall's tau takes the higher value as the better
    signed = (np.round(facts(by.metric).sign * by.mean, 12)[np.newaxis] for by in (old, new))
    return columns | {
        "delta_sort": abs(change[largest]),
        "system": systems[largest],
        "kendall": float(Kendall().kernel(*signed)[0, 0]),
        "delta_value": _delta_value(old, new),
    }


def _delta_value(old: SystemOrder, new: SystemOrder) -> float:
    """Return the mean ratio of new to old means."""
    # costs are replaced by reciprocals, because the cumulative step of Table 2 is (1 / ASL) / MAP
    with np.errstate(divide="ignore"):
        before, after = (1 / by.mean if facts(by.metric).cost else by.mean for by in (old, new))
    usable = (before != 0) & np.isfinite(before) & np.isfinite(after)
    return float((after[usable] / before[usable]).mean()) if usable.any() else np.nan


STEPS = {
    "atomize": "Atomize P",
    "documents": "Aggregate documents within query",
    "queries": "Aggregate rates across queries",
    "asl": "ASL itself",
    "cumulative": "Cumulative",
}


@verb
def ablation(
    cube: xr.Dataset,
    *,
    test: TestedMeansByMetric = "t",
    depth: int | None = None,
    rel: int = 1,
    unretrieved: Unretrieved = "irrel",
    relative_margin: float = 0.1,
) -> pd.DataFrame:
    """Measure how each step from MAP to ASL reorders systems.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    test
        See `reordering`.
    depth
        Depth at which lists are cut. The default is the depth of the cube.
    rel
        Lowest relevant grade, at least 1.
    unretrieved
        Search length of a document that was not retrieved, see `ASL`.
    relative_margin
        See `reordering`.

    Returns
    -------
    pandas.DataFrame
        The result of `reordering`, with the column ``step`` before ``old``. ``"Atomize P"`` is the
        step from AP to `AtomizedP`. ``"Aggregate documents within query"`` and ``"Aggregate rates
        across queries"`` replace arithmetic means by harmonic means. ``"ASL itself"`` replaces the
        reciprocal of ASL by ASL. ``"Cumulative"`` is the change from AP to ASL in one step.

    Raises
    ------
    IrframeError
        See `reordering` and `irframe.verbs.score`.

    Notes
    -----
    Topics without relevant documents are left out.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Table 2.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> table = ir.cube(runs, qrels).ireval.ablation()
    >>> table[["step", "delta_sort", "kendall", "delta_value"]]
                                   step  delta_sort  kendall  delta_value
    0                         Atomize P        25.0    1.000        0.643
    1  Aggregate documents within query        25.0    0.929        0.297
    2    Aggregate rates across queries         0.0    1.000        0.871
    3                        ASL itself        12.5    1.000        1.000
    4                        Cumulative        12.5    0.929        0.167
    """
    options: dict[str, Any] = {"unretrieved": unretrieved, "rel": rel}
    metrics = [
        AP(rel=rel),
        AtomizedP(**options),
        AtomizedP(mean="harmonic", **options),
        InverseASL(**options),
        ASL(**options),
    ]
    # "nan" leaves out topics without relevant documents from AP too, as from ASL
    scores = score(cube, *metrics, at=[read_depth(cube, depth)], no_rel="nan")
    table = reordering(scores, test=test, relative_margin=relative_margin)
    # reordering returns a row per step and one for all steps together, in the order of STEPS
    steps = np.tile(list(STEPS.values()), len(table) // len(STEPS))
    table.insert(list(table.columns).index("old"), "step", steps)
    return table


@verb
def best_systems(scores: xr.DataArray | pd.DataFrame, *, at: Depths = None) -> pd.DataFrame:
    """Return the best system by each metric, with the mean.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    at
        A depth, or several depths; by default the greatest. For several depths the result has a
        column ``depth``.

    Returns
    -------
    pandas.DataFrame
        One row per group and metric, with the columns

        - the group, after `groupby`, and ``metric``;
        - ``system``, the system with the best mean. If several systems tie, up to rounding errors,
          the first of the tied systems is returned;
        - ``value``, the mean of this system. A topic is used if every system with any scores has a
          score on the topic;
        - ``could_be_first``, the names of all other systems that could truly be the best, at
          significance level .05, see `rank_intervals`;
        - ``n_topics``, the number of topics compared.

        ``system`` and ``value`` are missing if there are no scores.

    Raises
    ------
    ParameterError
        If the group is unknown.
    DepthError
        If the scores lack one of the depths.

    Warns
    -----
    IrframeWarning
        If topics are left out.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Figs. 1-4.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["AP", "ASL"])
    >>> scores.ireval.best_systems()
      metric  system   value could_be_first  n_topics
    0     AP  monot5   0.475  splade, duot5        16
    1    ASL  monot5  14.150  splade, duot5        16
    """
    return by_depth(_best, scores, at)


def _best(scores: xr.DataArray) -> pd.DataFrame:
    scored = scores.notnull()
    # a system without any score would leave no common topic, so it is ignored
    common = scored.any(SYSTEM) & (scored | ~scored.any(TOPIC)).all(SYSTEM)
    left_out, topics = (
        mask.sum(TOPIC).to_numpy() for mask in (scored.any(SYSTEM) & ~common, common)
    )
    means = averages(scores.where(common))
    labels = means.indexes[SYSTEM]
    averaged = read_scores(scores.where(common)).load()
    rows = []
    for metric, (row, n) in enumerate(zip(means.to_numpy(), topics, strict=True)):
        name = metric_labels(means)[metric]
        scored_systems = np.flatnonzero(~np.isnan(row))
        best = int(best_first(row, facts(name).sign)[0])
        compared = averaged.take(metric=[metric], system=scored_systems) if n else None
        first = None if compared is None else could_be_first(compared, Resamples(0.05, 1000, 0))
        candidates = labels[:0]
        if first is not None:
            candidates = labels[scored_systems[first[0, 0]]].drop(labels[best], errors="ignore")
        rows.append((name, labels[best] if n else None, row[best], listing(candidates), n))
    tell_left_out(metric_labels(scores), left_out)
    return pd.DataFrame(rows, columns=[METRIC, SYSTEM, "value", FIRST, "n_topics"])


@verb
def rrie(
    scores: xr.DataArray | pd.DataFrame, *, baseline: Hashable, at: Depths = None
) -> pd.DataFrame:
    """Return the relative reduction in error from a baseline.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long. A perfect score must be 1.
        This is true of P, AP, nDCG and RR, whose highest score is 1, and of the costs ASL and ESL,
        whose lowest score is 1.
    baseline
        The system whose error is compared with the errors of all other systems.
    at
        A depth, or several depths; by default the greatest. For several depths the result has a
        column ``depth``.

    Returns
    -------
    pandas.DataFrame
        One row per metric and system other than the baseline, with the columns ``metric``,
        ``baseline`` and ``system``. ``old`` is the mean of the baseline and ``new`` the mean of the
        system, over the topics with scores of all systems. ``rrie`` is the relative reduction in
        error (RRIE). RRIE is 1 for a perfect system, 0 for a system with the mean of the baseline,
        and negative for a worse system. RRIE is NaN if the mean of the baseline is perfect, or
        better than perfect. A mean ASL can be better than perfect if some lists are empty.

    Raises
    ------
    ParameterError
        If the baseline is not one of the systems, or is the only system.
    InputError
        If no topic has scores of all systems.
    DepthError
        If the scores lack one of the depths.

    Warns
    -----
    IrframeWarning
        If topics are left out, because some system has no score on these topics.

    Notes
    -----
    ``RRIE = (old error - new error) / old error``. The error is ``1 - M`` for a metric M with
    maximum 1, and ``M - 1`` for a cost. For metrics and for costs, RRIE is ``(new - old) / (1 -
    old)``.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Eqs. 11, 12.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import pandas as pd
    >>> index = pd.MultiIndex.from_product([["bm25", "neural"], ["1"]], names=["system", "topic"])
    >>> scores = pd.DataFrame({"P@20": [0.456, 0.594], "ASL": [39, 27]}, index=index)
    >>> rrie(scores, baseline="bm25")
      metric baseline  system     old     new   rrie
    0   P@20     bm25  neural   0.456   0.594  0.254
    1    ASL     bm25  neural  39.000  27.000  0.316
    """
    return by_depth(partial(_removed, baseline=baseline), scores, at)


def _removed(scores: xr.DataArray, baseline: Hashable) -> pd.DataFrame:
    array = _on_common_topics(scores)
    systems = array.indexes[SYSTEM]
    metrics = metric_labels(array)
    row, compared = against(systems.tolist(), baseline, None)
    means = averages(array).to_numpy()
    old = np.repeat(means[:, row], len(compared))
    new = means[:, compared].ravel()
    cost = np.repeat([facts(metric).cost for metric in metrics], len(compared))
    error = np.where(cost, old - 1, 1 - old)
    removed = np.where(cost, old - new, new - old)
    return pd.DataFrame(
        {
            METRIC: np.repeat(metrics, len(compared)),
            "baseline": baseline,
            SYSTEM: systems.take(np.tile(compared, len(metrics))),
            "old": old,
            "new": new,
            "rrie": removed / np.where(error > 0, error, np.nan),
        }
    )


def _on_common_topics(scores: xr.DataArray) -> xr.DataArray:
    """Return the scores, NaN on topics that some system lacks."""
    scored = scores.notnull()
    common = scored.all(SYSTEM)
    labels = metric_labels(scores)
    without = [
        label for label, n in zip(labels, common.sum(TOPIC).to_numpy(), strict=True) if not n
    ]
    if without:
        raise InputError("topics on which every system has a score", "none", "", without)
    tell_left_out(labels, (scored.any(SYSTEM) & ~common).sum(TOPIC).to_numpy())
    return scores.where(common)
