"""What metrics say of systems: their order, and what changes it; the best; errors removed.

Verbs: reordering, ablation, best_systems, rrie.
"""

from collections.abc import Hashable
from functools import partial
from typing import Any, Literal

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
    """Say how changing the metric step by step reorders systems and rescales their scores.

    Parameters
    ----------
    scores
        Scores per system and topic by two metrics or more, in the order of the steps: an array,
        or a frame, wide or long.
    test
        When another is significantly better, as for `compare`: an `irframe.Significance`, or the
        name of a test. By default p-values are not corrected, as in the paper; with a correction,
        for the number of pairs, but not by max-T. An alpha is the largest p-value that counts.
    at
        Depth, of those scored, or several, named in a column ``depth``; by default the
        greatest.
    relative_margin
        By what part of a system's mean another must be better to count, at least 0.
    per
        ``"step"``: a row per step. ``"system"``: a row per step and system.

    Returns
    -------
    pandas.DataFrame
        A row per step from one metric to the next, and with more than two metrics a last one
        from the first to the last: the group, after `groupby`; ``old``, ``new``;
        ``delta_sort``, the largest absolute value over systems, and ``system``, the one that
        moves so; ``kendall``, tau-b between the orders of systems; ``delta_value``, the mean over
        systems of new/old score; ``n_systems``, ``n_topics``.

        Per system: the group, ``old``, ``new``, ``system``, and its ``delta_sort`` in percent of
        the systems, positive where fewer are better than the system by the new metric than by the
        old one.

    Raises
    ------
    ParameterError
        For fewer than two metrics or systems, an unknown group, and numbers out of range.
    InputError
        If no topic has a score by every metric.
    DepthError
        For a depth that was not scored.

    Notes
    -----
    ``delta_sort = 100 (n_old - n_new) / S`` with n the number of systems that are better than the
    system: by a mean that is better by at least `relative_margin` of the system's own, and by a
    two-sided paired test with p <= alpha. The paper has a t-test, and does not say whether it is
    paired.

    Topics count on which every system has a score by every metric. The score of a cost, such as
    ASL, is one over it in ``delta_value``; systems with an old score of 0 are left out there.

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
    >>> each = scores.ireval.reordering(per="system")
    >>> each[each["delta_sort"] != 0].to_dict("list")["system"]
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


def _reordered(array: xr.DataArray, *, better: Any, per: str) -> pd.DataFrame:
    labels, systems = metric_labels(array), array.indexes[SYSTEM]
    if len(labels) < 2 or len(systems) < 2:
        found = f"{len(labels)} and {len(systems)}"
        raise ParameterError("at least two metrics and two systems", found)
    drawn = drawn_topics(declared_labels_of(array), array.indexes[TOPIC])
    if drawn is not None and not drawn.design.plain:
        refuse_declared(array.attrs, "reordering")
    values = _complete(array)
    steps = [(row, row + 1) for row in range(len(labels) - 1)]
    steps += [(0, len(labels) - 1)] if len(labels) > 2 else []
    metrics = [
        (label, average(part, facts(label).summary), better(part, label))
        for label, part in zip(labels, values, strict=True)
    ]
    if per == "system":
        moves = [
            {"old": metrics[old][0], "new": metrics[new][0], SYSTEM: systems}
            | {"delta_sort": 100 * (metrics[old][2] - metrics[new][2]) / len(systems)}
            for old, new in steps
        ]
        return pd.concat(map(pd.DataFrame, moves), ignore_index=True)
    rows = [_step(metrics[old], metrics[new], systems) for old, new in steps]
    return pd.DataFrame(rows).assign(n_systems=len(systems), n_topics=values.shape[2])


def _complete(array: xr.DataArray) -> Floats:
    """Return the scores of topics on which nothing is missing, (metric, system, topic)."""
    values = array.transpose(METRIC, SYSTEM, TOPIC).to_numpy()
    there = ~np.isnan(values).any(axis=(0, 1))
    if not there.any():
        raise InputError("topics with a score by every metric and system", "none")
    return np.asarray(values[:, :, there])


def _count_better(
    values: Floats,
    metric: str,
    *,
    test: PairedTest,
    adjust: Correction | None,
    margin: float,
    alpha: float,
) -> NDArray[np.int64]:
    """Return for every system how many are better by the margin and the test."""
    systems = len(values)
    pairs = all_pairs(systems)
    significant = np.zeros((systems, systems), bool)
    p = test.kernel(values[:, :, np.newaxis], pairs).p[:, 0]
    significant[tuple(pairs.T)] = adjust_rows(p, adjust, alpha) <= alpha
    mean = average(values, facts(metric).summary)
    sign = facts(metric).sign
    ahead = np.round(sign * (mean - mean[:, np.newaxis]), 12)
    enough = (ahead > 0) & (ahead >= np.round(margin * abs(mean[:, np.newaxis]), 12))
    return np.asarray((enough & (significant | significant.T)).sum(axis=1))


def _step(old: Any, new: Any, systems: pd.Index) -> dict[str, Any]:
    """Compare two metrics, each told as its name, means and numbers of better systems."""
    moved = abs(old[2] - new[2])
    known = [(mean, facts(name)) for name, mean, _ in (old, new)]
    before, after = (np.round(fact.sign * mean, 12)[np.newaxis] for mean, fact in known)
    return {
        "old": old[0],
        "new": new[0],
        "delta_sort": 100 * moved.max() / len(systems),
        "system": systems[int(np.argmax(moved))],
        "kendall": float(Kendall().kernel(before, after)[0, 0]),
        "delta_value": _delta_value(known),
    }


def _delta_value(means: Any) -> float:
    """Return the mean of new/old, both as values of which more is better."""
    with np.errstate(divide="ignore"):
        before, after = (1 / mean if fact.cost else mean for mean, fact in means)
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
    """Say what each step on the way from MAP to ASL does to the order of systems.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    test
        As for `reordering`.
    depth
        Where lists are cut; by default at the cube's depth.
    rel
        Lowest relevant grade, at least 1.
    unretrieved
        Search length of a document that was not retrieved, as for `ASL`.
    relative_margin
        As for `reordering`.

    Returns
    -------
    pandas.DataFrame
        As from `reordering`, with the column ``step`` in front of ``old``: ``"Atomize P"``, from
        AP to `AtomizedP`; ``"Aggregate documents within query"`` and ``"Aggregate rates across
        queries"``, by harmonic instead of arithmetic means; ``"ASL itself"``, the same without
        the reciprocal; ``"Cumulative"``, from AP to ASL.

    Raises
    ------
    IrframeError
        As `reordering` and `irframe.verbs.score`.

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
    shared: dict[str, Any] = {"unretrieved": unretrieved, "rel": rel}
    chain = [
        AP(rel=rel),
        AtomizedP(**shared),
        AtomizedP(mean="harmonic", **shared),
        InverseASL(**shared),
        ASL(**shared),
    ]
    scores = score(cube, *chain, at=[read_depth(cube, depth)], no_rel="nan")
    table = reordering(scores, test=test, relative_margin=relative_margin)
    steps = np.tile(list(STEPS.values()), len(table) // len(STEPS))
    table.insert(list(table.columns).index("old"), "step", steps)
    return table


@verb
def best_systems(scores: xr.DataArray | pd.DataFrame, *, at: Depths = None) -> pd.DataFrame:
    """Name the best system by every metric, and its score: how well the task is solved.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    at
        Depth, of those scored, or several, named in a column ``depth``; by default the
        greatest.

    Returns
    -------
    pandas.DataFrame
        A row per group and metric: the group, after `groupby`; ``metric``; ``system``, the
        first one if several are best, equal but for rounding; ``value``, its mean over the topics
        on which every system has a score that has any; ``could_be_first``, which other systems
        could be best, as of `leaderboard` at the level .05, by name; ``n_topics``, how many topics
        these are. Without any score system and value are missing.

    Raises
    ------
    ParameterError
        If there is no such group.
    DepthError
        For a depth that was not scored.

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
    there = scores.notnull()
    common = there.any(SYSTEM) & (there | ~there.any(TOPIC)).all(SYSTEM)
    left_out, topics = (
        part.sum(TOPIC).to_numpy() for part in (there.any(SYSTEM) & ~common, common)
    )
    means, rows = averages(scores.where(common)), []
    labels, read = means.indexes[SYSTEM], read_scores(scores.where(common)).load()
    for place, (row, n) in enumerate(zip(means.to_numpy(), topics, strict=True)):
        name, known = metric_labels(means)[place], np.flatnonzero(~np.isnan(row))
        best = int(best_first(row, facts(name).sign)[0])
        others = read.take(metric=[place], system=known) if n else None
        first = None if others is None else could_be_first(others, Resamples(0.05, 1000, 0))
        also = (
            [] if first is None else labels[known[first[0, 0]]].drop(labels[best], errors="ignore")
        )
        rows.append((name, labels[best] if n else None, row[best], listing(also), n))
    tell_left_out(metric_labels(scores), left_out)
    return pd.DataFrame(rows, columns=[METRIC, SYSTEM, "value", FIRST, "n_topics"])


@verb
def rrie(
    scores: xr.DataArray | pd.DataFrame,
    *,
    baseline: Hashable,
    at: Depths = None,
) -> pd.DataFrame:
    """Say what share of a baseline's error every other system removes.

    Parameters
    ----------
    scores
        Scores per system and topic by metrics for which 1 is perfect, be it the highest score
        (P, AP, nDCG, RR, ...) or the lowest cost (ASL, ESL): an array, or a frame, wide or long.
    baseline
        The system whose error counts.
    at
        Depth, of those scored, or several, named in a column ``depth``; by default the
        greatest.

    Returns
    -------
    pandas.DataFrame
        A row per metric and other system: ``metric``, ``baseline``, ``system``, their means
        ``old`` and ``new`` over the topics on which every system has a score, and ``rrie``, the
        relative reduction in error: 1 if the system is perfect, 0 if it is as good as the
        baseline, negative if it is worse, NaN if the baseline leaves no error to reduce: if it
        is perfect, or beyond (an ASL below 1, as empty lists have it; a gain above 1).

    Raises
    ------
    ParameterError
        If the baseline is not among the systems, or is the only one.
    InputError
        If there is no topic on which every system has a score.
    DepthError
        For a depth that was not scored.

    Warns
    -----
    IrframeWarning
        If topics are left out because only some systems have a score on them.

    Notes
    -----
    ``RRIE = (old error - new error) / old error`` with the error ``1 - M`` for a metric M that
    is highest at 1 and ``M - 1`` for a cost, that is ``(new - old) / (1 - old)`` for either.

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
    array = _on_shared_topics(scores)
    systems, metrics = array.indexes[SYSTEM], metric_labels(array)
    row, others = against(systems.tolist(), baseline, None)
    means = averages(array).to_numpy()
    old, new = np.repeat(means[:, row], len(others)), means[:, others].ravel()
    cost = np.repeat([facts(metric).cost for metric in metrics], len(others))
    error = np.where(cost, old - 1, 1 - old)
    removed = np.where(cost, old - new, new - old)
    return pd.DataFrame(
        {
            METRIC: np.repeat(metrics, len(others)),
            "baseline": baseline,
            SYSTEM: systems.take(np.tile(others, len(metrics))),
            "old": old,
            "new": new,
            "rrie": removed / np.where(error > 0, error, np.nan),
        }
    )


def _on_shared_topics(scores: xr.DataArray) -> xr.DataArray:
    """Return scores, NaN on topics on which some system has none, by metric."""
    there = scores.notnull()
    shared = there.all(SYSTEM)
    labels, kept = metric_labels(scores), shared.any(TOPIC).to_numpy()
    without = [label for label, keep in zip(labels, kept, strict=True) if not keep]
    if without:
        raise InputError("topics on which every system has a score", "none", "", without)
    tell_left_out(labels, (there.any(SYSTEM) & ~shared).sum(TOPIC).to_numpy())
    return scores.where(shared)
