"""Metrics as they are asked for: parsed, each at its depth, or refused by name."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from numpy.typing import NDArray

from irframe.errors import MetricError
from irframe.experiments.ties import TIE_POLICIES
from irframe.gains import GainMap
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import facts
from irframe.metrics.parse_metric import parse_named
from irframe.names import Ties

MetricLike = Metric | MetricType | str
"""A metric, its class, or its name."""
Metrics = Iterable[MetricLike] | MetricLike


def parse_metrics(metrics: Metrics | Iterable[Metrics]) -> list[Metric]:
    """Return metrics that are called what they were asked for, refusing none and repeated ones."""
    chosen: dict[str, Metric] = {}
    alone: list[str] = []
    for found in map(parse_named, _each(metrics)):
        named = {str(metric): metric for metric in found}
        alone += named if len(found) == 1 else ()
        chosen |= named
    repeated = sorted({label for label in alone if alone.count(label) > 1})
    if repeated or not chosen:
        again = "some again" * bool(repeated)
        raise MetricError("at least one metric, each once", again, "", repeated)
    return list(chosen.values())


def _each(metrics: Any) -> Iterator[Any]:
    """Yield metrics one by one, those of lists among them too."""
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        yield metrics
        return
    for metric in metrics:
        yield from _each(metric)


def refuse(metrics: Sequence[Metric], levels: NDArray[Any], *, ties: Ties) -> None:
    """Raise for metrics that cannot be computed.

    Parameters
    ----------
    metrics
        The metrics.
    levels
        The grades that occur.
    ties
        How rankings are decided.
    """
    if TIE_POLICIES[ties].shares:
        refused = [str(metric) for metric in metrics if not facts(metric).linear]
        if refused:
            advice = "choose another ties="
            wanted = "metrics that share gain over ties: P, Recall, DCG, RBP"
            raise MetricError(wanted, "", advice, refused)
    for metric in metrics:
        known = facts(metric)
        missing = known.gain.missing(levels) if isinstance(known.gain, GainMap) else []
        if missing:
            raise MetricError(f"a gain for every grade in {metric}", "none for", "", missing)
        if known.unit and (large := known.large_gains(levels)):
            raise MetricError(f"gains of at most 1 for {metric}", "more for grades", "", large)


def refuse_pool(metrics: Iterable[Metric]) -> NoReturn:
    """Raise for those of some metrics that ask what the pool was made of, as nobody knows it."""
    asking = [str(metric) for metric in metrics if facts(metric).pooled]
    advice = "tell the contributing= runs or the pool_depth="
    found = "judgments that these runs alone did not make, for"
    raise MetricError("a known pool", found, advice, asking)


def at_depth(metric: Metric, depth: int | None) -> Metric:
    """Return a metric at its own depth, or else at the one given, or else with nothing cut."""
    if metric.depth is not None:
        return metric
    if depth is not None:
        return replace(metric, depth=depth)
    uncut = metric.uncut()
    if uncut is None:
        advice = f"write {metric} @ 10, or pass depth="
        raise MetricError(f"a depth for {metric}, whose value depends on it", "none", advice)
    return uncut


def cut_at(metrics: list[Metric], depth: int | None) -> int | None:
    """Return where lists are cut: at the depth given, or else as deep as metrics need, or None."""
    whole = any(metric.depth is None or metric.judged_only for metric in metrics)
    return depth if depth is not None or whole else deepest(metrics)


def deepest(metrics: list[Metric]) -> int:
    """Return the greatest depth of their own that metrics have, at least 1."""
    return max([1, *(metric.depth or 1 for metric in metrics)])
