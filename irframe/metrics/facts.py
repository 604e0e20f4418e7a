"""What is to be known of a metric, read off its class, value or name in one place."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from numpy.typing import NDArray

from irframe.errors import IrframeError
from irframe.gains import Gain, parse_gain
from irframe.metrics.base import ALIASES, Metric, MetricType, Summary
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.setting import Setting


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is to be known of a metric before its scores are read.

    Attributes
    ----------
    known
        Whether there is such a metric; the other facts of an unknown one are those below.
    cost
        Whether lower is better.
    summary
        How scores are averaged over topics, one of the words of `average`.
    depth
        The metric's own depth, or None.
    rel
        Lowest relevant grade, 1 for metrics without a threshold.
    gain
        Gain map, or None.
    pooled
        Whether it asks which judged documents a pool of every depth has.
    linear
        Whether documents that tie may share their gain.
    unit
        Whether gains must not exceed 1.
    order
        What must rank higher for the score to be highest, see `Metric`.
    extremes
        How the scores that labels of unjudged documents allow are found: ``"ceiling"``, ``"cut"``
        or ``"list"``; empty where that is not known, so that the metric has no bounds.
    share
        Whether scores are from 0 to 1, so that intervals of means are too.
    least_topics
        From how many topics on intervals of means hold as often as they say.
    """

    known: bool = False
    cost: bool = False
    summary: Summary = "mean"
    depth: int | None = None
    rel: int = 1
    gain: Gain | None = None
    pooled: bool = False
    linear: bool = False
    unit: bool = False
    order: str = ""
    extremes: Literal["", "ceiling", "cut", "list"] = ""
    share: bool = False
    least_topics: int = 2

    def large_gains(self, levels: NDArray[Any]) -> list[int]:
        """Return the grades that gain more than 1 under a metric that does not take it.

        Examples
        --------
        >>> import numpy as np
        >>> facts("ERR(gain=Linear(top=1))").large_gains(np.array([0, 1, 2]))
        [2]
        """
        if not self.unit or self.gain is None or not levels.size:
            return []
        gains = self.gain.map(levels, rel=self.rel, top=max(1, int(levels.max())))
        return [int(level) for level in levels[gains > 1]]

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is."""
        return -1 if self.cost else 1


UNKNOWN = Facts()


def place_of(metric: Any, labels: Sequence[str]) -> int | None:
    """Return where a metric stands among labels, by its very name or by another name for it.

    Parameters
    ----------
    metric
        A metric or any of its names.
    labels
        Labels of scores.

    Examples
    --------
    >>> place_of("Recall@5", ["map", "R@5"]), place_of("AP", ["map", "R@5"]), place_of("x", ["AP"])
    (1, 0, None)
    """
    if str(metric) in labels:
        return labels.index(str(metric))
    wanted = _metric(metric)
    same = (place for place, label in enumerate(labels) if _metric(label) == wanted)
    return None if wanted is None else next(same, None)


def label_at(label: str, depth: Any) -> str:
    """Return the label of a metric at a depth, unless it names its own.

    Examples
    --------
    >>> label_at("AP", 10), label_at("ndcg_cut_20", 10), label_at("IPrec@0.1", 10)
    ('AP@10', 'ndcg_cut_20', 'IPrec@0.1')
    """
    return label if "@" in label or facts(label).depth is not None else f"{label}@{depth}"


def _metric(metric: Any) -> Metric | None:
    try:
        return parse_metric(metric)
    except IrframeError:
        return None


def facts(metric: Any) -> Facts:
    """Return what is to be known of a metric.

    Parameters
    ----------
    metric
        A metric, its class, one of its names, or any label of scores.

    Returns
    -------
    Facts
        Those of the metric; for a label that names none, that higher is better and scores are
        averaged.

    Examples
    --------
    >>> facts("AtomizedSearchLength@10").cost, facts("NumRel").summary, facts("AP(rel=2)").rel
    (True, 'sum', 2)
    >>> facts("my own score").known
    False
    """
    if isinstance(metric, Metric | MetricType):
        return _of(metric)
    if isinstance(metric, Setting):
        return _of(_metric(metric) or metric.kind)
    return _named(str(metric), len(ALIASES))


def class_of(name: str) -> type[Metric]:
    """Return the metric that a name is of, which may set some of its parameters.

    Examples
    --------
    >>> class_of("MAP").__name__, class_of("GMAP").__name__
    ('AP', 'AP')
    """
    named = ALIASES[name]
    kind: type[Metric] = named.kind if isinstance(named, Setting) else named
    return kind


def names_of(kind: type[Metric]) -> list[str]:
    """Return what a metric is called, its own name first.

    Examples
    --------
    >>> names_of(class_of("GMAP"))
    ['AP', 'MAP', 'mean_average_precision', 'GMAP']
    """
    return [name for name in ALIASES if class_of(name) is kind]


@cache
def _named(label: str, names: int) -> Facts:  # noqa: ARG001
    """Look a label up, once for as long as there are as many names."""
    try:
        return _of(parse_metric(label))
    except IrframeError:
        return _of(class_of(label)) if label in ALIASES else UNKNOWN


@cache
def _of(metric: Any) -> Facts:
    gain = getattr(metric, "gain", None)
    return Facts(
        known=True,
        cost=metric.cost,
        summary=metric.average,
        depth=metric.depth,
        rel=getattr(metric, "rel", 1),
        gain=None if gain is None else parse_gain(gain),
        pooled="pool" in {getattr(metric, name, "") for name in ("norm", "ideal")},
        linear=metric.linear,
        unit=metric.unit,
        order=metric.order,
        extremes="" if metric.judged_only else "ceiling" if metric.ceiling else metric.fillings,
        share=metric.range == (0.0, 1.0),
        least_topics=metric.least_topics,
    )
