"""Reading of scores for comparisons, and pairs of systems."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, is_integer, listed, positions_of
from irframe.cubes.parse_scores import ScoreLike, parse_scores
from irframe.cubes.score import refuse_repeated_depths
from irframe.cubes.scores import Scores, in_memory
from irframe.errors import DepthError, InputError, ParameterError, listing, warn
from irframe.experiments.topic_design import TASK, DrawnTopics, drawn_topics, names_declared
from irframe.metrics.base import Metric
from irframe.metrics.facts import facts, index_of
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DRAWN, METRIC, OF_REFERENCE, PAIR, SIDES, plural
from irframe.paired import all_pairs, baseline_pairs
from irframe.paired.design import Design
from irframe.record import steps_of
from irframe.scores.averages import moments
from irframe.scores.repeats import OVERS, Over, read_repeats, refuse_crossed_design

SCORING = {"evaluate", "score"}
"""Names of functions that return scores within the range of the metric."""
SLACK = 1e-9
"""Tolerance for rounding errors at the ends of the range of a metric."""
LARGEST = 1e100
"""Largest score that is accepted, because squares of larger scores overflow."""


def warn_left_out(scores: Scores) -> None:
    """Warn if topics are omitted, or only one remains.

    Raises
    ------
    ParameterError
        If a metric has no topic on which all systems have a score.
    """
    counted = scores.scored.sum(axis=1).min(axis=1, initial=len(scores.topics))
    without = [label for label, count in zip(scores.metrics, counted, strict=True) if not count]
    if without:
        advice = "leave out the systems that lack scores, or these metrics"
        raise ParameterError("topics on which every system has a score", "none", advice, without)
    dropped = [
        f"{lost.sum()} of {len(scores.topics)} for {label} ({listing(scores.topics[lost])})"
        for label, lost in zip(scores.metrics, np.asarray(~scores.scored.all(axis=2)), strict=True)
        if lost.any()
    ]
    if scores.design is not None and scores.design.tasks > 1:
        _refuse_lost_tasks(scores, scores.design)
    messages = []
    if dropped:
        details = "; ".join(dropped)
        messages.append(f"topics on which some system has no score are left out: {details}")
    if len(counted) and counted.min() == 1:
        messages.append("systems are compared on a single topic, which cannot show a difference")
    if messages:
        warn(*messages)


def _refuse_lost_tasks(scores: Scores, design: Design) -> None:
    """Raise for tasks without any remaining topic."""
    for scored in scores.scored:
        present = np.isin(np.arange(design.tasks), design.task[scored.any(axis=1)])
        if not present.all():
            lost = pd.Series(scores.label_values[TASK])[~present[design.task]]
            advice = "leave out the systems that lack a task, or these tasks"
            expected = "a topic of every task on which all systems have scores"
            raise ParameterError(expected, "none", advice, map(str, pd.unique(lost)))


def refuse_infinite(metrics: list[str], scores: Array) -> None:
    """Raise if scores of any metric are infinite or huge."""
    rows = zip(metrics, scores, strict=True)
    infinite = [metric for metric, values in rows if np.isinf(values).any()]
    if infinite:
        raise InputError("finite scores", "infinite scores of", "", infinite)
    refuse_huge(metrics, scores)


def refuse_huge(metrics: list[str], scores: Array) -> None:
    """Raise for finite scores whose squares overflow."""
    rows = zip(metrics, scores, strict=True)
    huge = [metric for metric, values in rows if LARGEST < _size(values) < np.inf]
    if huge:
        raise InputError(f"scores from -{LARGEST:g} to {LARGEST:g}", "larger scores of", "", huge)


def _size(values: Array) -> float:
    # the minimum and the maximum need no copy of the scores, unlike abs()
    ends = (ends.reduce(values, axis=None, initial=0.0) for ends in (np.fmax, np.fmin))
    return float(max(map(abs, ends)))


Depths = int | Sequence[int] | None


def read_scores(scores: ScoreLike, over: Over = "both") -> Scores:
    """Read scores and average over repeats.

    Lazy scores remain lazy until `Scores.load`.

    Parameters
    ----------
    scores
        An array or a frame of scores, or a `Scores` object.
    over
        The population that differences are generalised to, if systems have repeats.

    Returns
    -------
    Scores
        The means over repeats. The attribute `repeats` contains the scores of every repeat.
    """
    if isinstance(scores, Scores) and scores.averaged:
        return scores
    result = scores if isinstance(scores, Scores) else parse_scores(scores)
    if result.bounds is not None:
        result.refuse_bounds()
    if over not in OVERS:
        choice("over", over, OVERS)
    steps = steps_of(result.source.attrs)
    # scoring verbs return values in range, so values out of range were changed afterwards
    if steps and steps[-1].verb in SCORING:
        _beware_of_arithmetic(result.metrics, result.values)
    result = replace(result, source=None, rows=None, by=None, keys=None, averaged=True)
    if result.repeats is not None:
        # if tasks are sampled, repeats are only averaged, as with over="topic"
        result = read_repeats(result.load(), "topic" if over == "task" else over)
    labels = result.topic_labels
    drawn = None if labels is None else drawn_topics(labels, result.topics)
    if over == "task":
        return by_task(result, drawn)
    if drawn is None:
        return result
    selected = (
        result if len(drawn.topics) == len(result.topics) else result.take(topic=drawn.topics)
    )
    return refuse_crossed_design(replace(selected, design=drawn.design))


def _beware_of_arithmetic(metrics: Iterable[object], scores: Iterable[Array]) -> None:
    """Warn about values outside the range of their metric."""
    changed = []
    for metric, values in zip(map(str, metrics), scores, strict=True):
        fact = facts(metric)
        low, high = fact.range
        # scores normalised by the pool exceed 1 for some runs that did not contribute to the pool
        if fact.pooled or not isinstance(values, np.ndarray) or not values.size:
            continue
        lowest = np.fmin.reduce(values, None)
        if lowest < low - SLACK or np.fmax.reduce(values, None) > high + SLACK:
            changed.append(f"{metric} ({low:g} to {high:g})")
    if changed:
        reason = "scores are outside the range of their metric, and were changed after scoring"
        warn(f"{reason}: {listing(changed)}")


def by_task(scores: Scores, drawn: DrawnTopics | None) -> Scores:
    """Return scores in which every task is one topic.

    The score on a task is the mean over the topics of this task.
    """
    if drawn is None or TASK not in scores.label_values:
        advice = "declare tasks: scores.ireval.design(task=...)"
        raise ParameterError("tasks for over='task'", "none", advice)
    loaded = scores.load().take(topic=drawn.topics)
    labels = loaded.label_values[TASK]
    design = drawn.design
    values = []
    named = []
    for task in range(design.tasks):
        topics = np.flatnonzero(design.task == task)
        of_task = replace(loaded.take(topic=topics), design=design.take(topics), repeats=None)
        values.append(moments(of_task)[1])
        named.append(labels[topics[0]])
    attrs = {name: value for name, value in loaded.attrs.items() if name != DRAWN}
    index = pd.Index(named, name=names_declared(loaded.attrs)[TASK])
    means = np.stack(values, axis=2)
    result = replace(loaded, values=means, topics=index, attrs=attrs)
    return replace(result, repeats=None, design=None, topic_labels=None)


def scores_to_compare(scores: ScoreLike, *, quiet: bool = False) -> Scores:
    """Read scores for a comparison of systems.

    Parameters
    ----------
    scores
        An array or a frame of scores, or a `Scores` object.
    quiet
        Whether to omit the warning about topics that are left out.

    Returns
    -------
    Scores
        Finite scores of at least two systems, in memory.

    Raises
    ------
    ParameterError
        If there are fewer than two systems. If a metric has no topic on which all systems have a
        score.
    InputError
        If scores are infinite (the message lists the metrics), or if lazy scores are too large to
        load.

    Warns
    -----
    IrframeWarning
        If topics are left out, because some system has no score on these topics. A warning is also
        issued if only one topic remains.
    """
    result = read_scores(scores)
    if len(result.systems) < 2:
        raise ParameterError("at least two systems to compare", f"{len(result.systems)}")
    result = result.load()
    refuse_infinite(result.metrics, result.values)
    if not quiet:
        warn_left_out(result)
    return result


def select_depths(scores: Scores, at: Depths) -> Scores:
    """Select scores at depths, by default at the greatest depth."""
    index = scores.depths
    if at is None:
        return scores if index is None else scores.take(depth=[int(index.argmax())])
    if index is None:
        advice = "omit at=, because the name of each metric contains its depth"
        raise DepthError("scores by depth", "scores without depths", advice)
    depths = listed(at)
    unit = plural(scores.axis.dim)
    expected = f"different {unit} of the scores, from {index.min()} to {index.max()}"
    missing = [depth for depth in depths if depth not in index]
    if missing or not depths:
        numbers = [depth for depth in missing if isinstance(depth, int | float | np.number)]
        deeper = any(depth > index.max() for depth in numbers)
        advice = "score to a greater depth" if deeper else f"score at more {unit}, or select others"
        message = f"{len(missing)} not scored" if missing else "none"
        raise DepthError(expected, message, advice, missing)
    refuse_repeated_depths(depths, expected)
    return scores.take(depth=index.get_indexer(pd.Index(depths)))


Reference = int | str | Metric | xr.DataArray | pd.DataFrame
Sides = Literal["common", "own"]
"""Which topics of two sets of scores are used; see `share_topics`."""


def match_reference(
    scores: ScoreLike, reference: Any, topics: Sides | None = None
) -> tuple[Scores, Scores]:
    """Read scores and their reference.

    Parameters
    ----------
    scores
        Scores.
    reference
        A depth or a metric of the scores, or other scores of the same systems. ``"AP"`` stands for
        the metric at each depth, and ``"AP@10"`` for the metric at depth 10.
    topics
        See `share_topics`.

    Returns
    -------
    new, reference : Scores
        The scores and the reference, with the same systems in the same order. The reference has a
        single metric or the metrics of the scores. The reference has a single depth or the depths
        of the scores.

    Raises
    ------
    ParameterError
        If the metric is unknown, or the reference has other systems or metrics than the scores.
    DepthError
        If the scores lack a depth.
    """
    new = read_scores(scores)
    if isinstance(reference, ScoreLike):
        other = same_systems(new, read_scores(reference))
        if len(other.metrics) > 1:
            missing = [metric for metric in new.metrics if metric not in other.metrics]
            if missing:
                expected = "a reference with a single metric, or with all metrics of the scores"
                raise ParameterError(expected, "a reference without", "choose one metric", missing)
            other = other.take(metric=[other.metrics.index(metric) for metric in new.metrics])
    elif is_integer(reference) or (isinstance(reference, float) and not new.axis.integer):
        other = select_depths(new, reference)
    else:
        other = pick_metric(new, reference)
    if other.values.shape[3] > 1:
        if new.depths is None:
            raise DepthError(
                "a reference without depths, because the scores have none", "several depths"
            )
        other = select_depths(other, new.depths.tolist())
    return share_topics(new, other, topics)


def share_topics(
    scores: Scores, other: Scores, topics: Sides | None = None, *, at_every_depth: bool = False
) -> tuple[Scores, Scores]:
    """Restrict two sets of scores to their common topics.

    Parameters
    ----------
    scores, other
        Scores of the same systems. `other` has a single metric or the metrics of `scores`. `other`
        has a single depth or the depths of `scores`.
    topics
        The topics to use: common topics of both sides, or all topics of each side (``"own"``). By
        default both sides must have the same topics or no common topic. Without common topics all
        topics of each side are used.
    at_every_depth
        Whether to use only topics on which every system has scores at all depths of both sides.

    Returns
    -------
    scores, other : Scores
        Both sides. Scores are NaN on topics on which any system lacks a score on either side. If
        `topics` is passed, or no topic is common, attributes contain the number of topics of each
        side.

    Raises
    ------
    ParameterError
        If only some topics are common to both sides and `topics` is not passed. If
        ``topics="common"`` is passed and no topic is common.
    """
    scores, other = in_memory(scores, other)
    both = scores.topics.intersection(other.topics, sort=False)
    differing = scores.topics.symmetric_difference(other.topics)
    if topics is None and len(both):
        advice = "pass topics='common' for common topics, or topics='own' for all topics"
        refuse_unshared("the same topics on both sides, or none", differing, advice)
    if topics == "common" and not len(both):
        advice = "pass topics='own' for all topics of each side"
        raise ParameterError("topics in common with the reference", "none", advice)
    if topics == "own" or not len(both):
        sides = [scores_to_compare(scores), scores_to_compare(other)]
        return _with_topic_counts(*sides) if topics or len(differing) else (sides[0], sides[1])
    sides = [
        side if side.topics.equals(both) else side.take(topic=side.topics.get_indexer(both))
        for side in (scores, other)
    ]
    if topics:
        sides = [*_with_topic_counts(*sides)]
    if at_every_depth:
        everywhere: Any = [side.scored.all(axis=2, keepdims=True) for side in sides]
        common = everywhere[0] & everywhere[1]
        # a reference with a single metric is used for all metrics, so it needs their common topics
        of_other = common if len(sides[1].metrics) > 1 else common.all(axis=0, keepdims=True)
        sides = [sides[0].where(common), sides[1].where(of_other)]
    else:
        common = sides[0].scored & sides[1].scored
        if not all((common == side.scored).all() for side in sides):
            sides = [_repeat_single(side, common).where(common) for side in sides]
    paired = scores_to_compare(sides[0])
    # scores that are their own reference are read only once
    return paired, paired if other is scores else scores_to_compare(sides[1], quiet=True)


def _with_topic_counts(scores: Scores, other: Scores) -> tuple[Scores, Scores]:
    """Record the number of topics of each side in attributes."""
    counts = zip(OF_REFERENCE, (len(scores.topics), len(other.topics)), strict=True)
    attrs = scores.attrs | dict(counts)
    return replace(scores, attrs=attrs), replace(other, attrs=attrs)


def refuse_unshared(expected: str, differing: Iterable[object], advice: str) -> None:
    """Raise for labels that only one side has."""
    if offenders := [*differing]:
        raise ParameterError(expected, f"{len(offenders)} on one side only", advice, offenders)


def _repeat_single(side: Scores, common: Array) -> Scores:
    """Repeat a single metric or depth to match a mask."""
    metrics, _, depths = common.shape
    if side.depths is None and depths > 1:
        # repeated depths need labels, which scores without depths lack
        side = replace(side, depths=pd.RangeIndex(1, 2))
    return side.take(
        metric=[0] * metrics if len(side.metrics) < metrics else None,
        depth=[0] * depths if side.values.shape[3] < depths else None,
    )


def pick_metric(scores: Scores, metric: str | Metric) -> Scores:
    """Return the scores of one metric.

    A label such as ``"AP@10"`` selects the scores at depth 10.

    Parameters
    ----------
    scores
        Scores by several metrics.
    metric
        A metric or its label. A label can end with a depth of the scores.

    Returns
    -------
    Scores
        Scores of a single metric.
    """
    pos = index_of(metric, scores.metrics)
    if pos is not None:
        return scores.take(metric=[pos])
    name: str | Metric
    if (named := facts(metric).depth) is not None:
        name = replace(parse_metric(metric), depth=None)
        depth = str(named)
    else:
        name, _, depth = metric.rpartition("@") if isinstance(metric, str) else ("", "", "")
    pos = index_of(name, scores.metrics)
    if pos is not None and scores.depths is not None:
        depths = scores.depths.astype(str)
        if depth not in depths:
            raise DepthError("a depth of the scores", repr(metric))
        return scores.take(metric=[pos], depth=depths.get_indexer(pd.Index([depth])))
    expected = "reference to be a depth of the scores, one of their metrics or other scores"
    raise ParameterError(expected, repr(metric), f"the metrics are {listing(scores.metrics)}")


def same_systems(scores: Scores, other: Scores) -> Scores:
    """Sort the systems of `other` in the order of `scores`.

    Raise if the systems differ.
    """
    systems = scores.systems
    lacking = other.systems.difference(systems, sort=False)
    differing = [*systems.difference(other.systems, sort=False), *lacking]
    advice = "select the systems that have both scores"
    refuse_unshared("the same systems in both scores", differing, advice)
    return other.take(system=other.systems.get_indexer(systems))


Baselines = Hashable | Sequence[Hashable] | None
"""One system, or a list of systems, with which all other systems are compared."""


def choose_pairs(scores: Scores, baseline: Baselines, *, several: bool = False) -> Array:
    """Return all pairs of systems, or pairs with a baseline.

    The result contains the positions of both systems, shape (pair, 2).

    Parameters
    ----------
    scores
        The scores.
    baseline
        The baseline, or None for all pairs.
    several
        Whether `baseline` may be a list of baselines. The result contains each pair of baselines
        only once.
    """
    systems = scores.systems.tolist()
    if baseline is None:
        return all_pairs(len(systems))
    named = [baseline]
    expected = "baseline to be one of the systems"
    if several and isinstance(baseline, list):
        named = baseline
        expected = "baselines to be some of the systems"
    rows = positions_of(expected, named, systems)
    if not rows or len(set(rows)) < len(rows):
        raise ParameterError("different baselines", "duplicates" if rows else "none")
    sides = [baseline_pairs(len(systems), row) for row in rows]
    return np.concatenate([side[~np.isin(side[:, 0], rows[:n])] for n, side in enumerate(sides)])


def label_pairs(scores: Scores, pairs: Array) -> dict[str, object]:
    """Return the columns that label comparisons of pairs.

    Rows are ordered by metric, depth and pair.

    If scores have no depths, the depth is the one in the name of the metric, or missing.
    """
    metrics, _, _, depths = scores.values.shape
    depth: Any = [fact.depth for fact in scores.metric_facts]
    depth = depth if scores.depths is None else np.tile(scores.depths, metrics)
    labels = {
        METRIC: pd.Index(scores.metrics).array.repeat(depths * len(pairs)),
        scores.axis.dim: scores.axis.column(depth).repeat(len(pairs)),
    }
    sides = zip(SIDES, pairs.T, strict=True)
    systems = scores.systems.array
    return labels | {name: systems.take(np.tile(p, metrics * depths)) for name, p in sides}


def pair_labels(scores: Scores, pairs: Array) -> dict[str, tuple[str, pd.Index]]:
    """Return the two systems of each pair as coordinates."""
    sides = zip(SIDES, pairs.T, strict=True)
    return {name: (PAIR, scores.systems.take(side)) for name, side in sides}
