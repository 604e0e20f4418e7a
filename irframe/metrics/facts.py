"""What is to be known of a metric, read off its class, value or name; its average; its terms."""

import re
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Floats
from irframe.errors import IrframeError, MetricError
from irframe.gains import Gain, GainMap, parse_gain
from irframe.metrics.base import ALIASES, METRICS, Metric, MetricType, Preset, Summary
from irframe.metrics.block import Block, close_up
from irframe.metrics.evidence import Evidence
from irframe.metrics.parse_metric import parse_metric


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
    shares
        The policies for ties under which tied documents share, ``"mean"`` or ``"block"``.
    favours_short
        Whether lists that end earlier may look better though they find less.
    extremes
        How the scores that labels of unjudged documents allow are found: ``"ceiling"``, ``"cut"``
        or ``"list"``; empty where that is not known, so that the metric has no bounds.
    range
        The lowest and the highest score.
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
    shares: frozenset[str] = frozenset()
    favours_short: bool = False
    extremes: Literal["", "ceiling", "cut", "list"] = ""
    range: tuple[float, float] = (-np.inf, np.inf)
    least_topics: int = 2

    @property
    def share(self) -> bool:
        """Whether scores are from 0 to 1, so that intervals of means are too."""
        return self.range == (0.0, 1.0)

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is."""
        return -1 if self.cost else 1

    @property
    def better(self) -> str:
        """Which scores are better, in a word."""
        return "lower" if self.cost else "higher"


UNKNOWN = Facts()

COSTS: ContextVar[frozenset[str]] = ContextVar("COSTS", default=frozenset())
"""Labels of scores that count a cost, as those who made them say."""
COST_WORDS = frozenset(
    (
        *("latency", "seconds", "milliseconds", "ms", "secs", "duration", "runtime", "tokens"),
        *("cost", "costs", "price", "usd", "dollars", "euros", "errors"),
    )
)
"""Words in the label of an unknown metric that say that it is a cost."""
COST_LABELS = frozenset(("shown", "again", "not_retrieved", "ordered", "unjudged"))
"""Labels of costs: documents that searches show, and show again; parts of losses."""
GAIN_WORDS = re.compile(
    r"\b(saved|savings?|reduction|effectiveness|per (s|secs?|second|minute|hour|dollar|usd))\b"
)
"""Words that turn a cost round, as in tokens per second."""
AT_STOP = r" (?:in \d+|>=|after search) \S.*"
"""What follows in a label of scores where reading stops at no depth."""
AT_PLACE = re.compile(rf"(@\d+|{AT_STOP})$")
"""What follows in a label at any place."""
STOPPED = re.compile(rf"(.+?)({AT_STOP})")
"""A label of scores where reading stops at no depth."""


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
        Those of the metric; for a label that names none, that scores are averaged, and that lower
        is better if the label names a cost, such as latency or tokens, else higher.

    Examples
    --------
    >>> facts("AtomizedSearchLength@10").cost, facts("NumRel").summary, facts("AP(rel=2)").rel
    (True, 'sum', 2)
    >>> facts("my own score").known
    False
    """
    if isinstance(metric, Metric | MetricType):
        return _of(metric)
    if isinstance(metric, Preset):
        return _of(_metric(metric) or metric.kind)
    known, costs = _facts_by_label(str(metric), len(ALIASES)), COSTS.get()
    stated = costs and not costs.isdisjoint({str(metric), AT_PLACE.sub("", str(metric))})
    return replace(known, cost=True) if stated else known


def class_of(name: str) -> type[Metric]:
    """Return the metric that a name is of, which may set some of its parameters.

    Examples
    --------
    >>> class_of("MAP").__name__, class_of("GMAP").__name__
    ('AP', 'AP')
    """
    named = ALIASES[name]
    kind: type[Metric] = named.kind if isinstance(named, Preset) else named
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
def _facts_by_label(label: str, names: int) -> Facts:
    """Look a label up, once for as long as there are as many names."""
    read = STOPPED.fullmatch(label)
    if read:
        return _facts_by_label(read[1], names)
    try:
        return _of(parse_metric(label))
    except IrframeError:
        if label in ALIASES:
            return _of(class_of(label))
        return replace(UNKNOWN, cost=True) if _is_cost(label) else UNKNOWN


def _is_cost(label: str) -> bool:
    """Return whether the label of an unknown metric names a cost."""
    bare = AT_PLACE.sub("", label)
    names = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", bare)]
    costs = not COST_WORDS.isdisjoint(names) and not GAIN_WORDS.search(" ".join(names))
    return bare in COST_LABELS or costs


def directions(labels: Iterable[str]) -> str:
    """Say which way the scores of unknown metrics are read; "" if all metrics are known.

    Examples
    --------
    >>> directions(["AP", "faithful", "latency (ms)", "tokens"])
    'larger is better for faithful; smaller is better for latency (ms), tokens'
    """
    unknown = {label: facts(label) for label in labels if not facts(label).known}
    named = {
        word: ", ".join(label for label, fact in unknown.items() if fact.cost == cost)
        for word, cost in (("larger", False), ("smaller", True))
    }
    return "; ".join(f"{word} is better for {names}" for word, names in named.items() if names)


@cache
def _of(metric: Any) -> Facts:
    gain = getattr(metric, "gain", None)
    names = ("cost", "depth", "range", "least_topics")
    return Facts(
        **{name: getattr(metric, name) for name in names},
        known=True,
        summary=metric.average,
        rel=getattr(metric, "rel", 1),
        gain=None if gain is None else parse_gain(gain),
        pooled="pool" in {getattr(metric, name, "") for name in ("norm", "ideal")},
        shares=frozenset(["mean"] * bool(metric.linear or metric.expected))
        | frozenset(["block"] * bool(metric.linear or metric.by_gain)),
        favours_short=metric.favours_short and isinstance(getattr(metric, "unretrieved", ""), str),
        extremes="" if metric.judged_only else "ceiling" if metric.ceiling else metric.fillings,
    )


def refuse_gains(metric: Metric, levels: NDArray[Any]) -> None:
    """Raise if some of the grades that occur have no gain, or one that is too large for a metric.

    Examples
    --------
    >>> refuse_gains(parse_metric("ERR(gain=Linear(top=1))"), np.array([0, 1, 2]))
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: wanted gains of at most 1 for ERR(gain=Linear(top=1)); found more
    for grades: 2.
    """
    gain = getattr(metric, "gain", None)
    missing = gain.missing(levels) if isinstance(gain, GainMap) else []
    if missing:
        raise MetricError(f"a gain for every grade in {metric}", "none for", "", missing)
    if not metric.unit or gain is None or not levels.size:
        return
    gains = gain.map(levels, rel=facts(metric).rel, top=max(1, int(levels.max())))
    if large := [int(level) for level in levels[gains > 1]]:
        raise MetricError(f"gains of at most 1 for {metric}", "more for grades", "", large)


def refuse_without_terms(metrics: Iterable[Metric]) -> None:
    """Raise for metrics that are no sum of what documents add.

    Examples
    --------
    >>> from irframe.metrics import AP, F
    >>> refuse_without_terms([AP(), F()])
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: wanted metrics that are sums over documents: ...; found F...
    """
    refused = [str(metric) for metric in metrics if metric.terms is None]
    if refused:
        known = [name for name, metric in METRICS.items() if metric.terms is not None]
        wanted = f"metrics that are sums over documents: {', '.join(sorted(known))}"
        raise MetricError(wanted, "", "", refused)


def added_by_rank(metric: Metric, evidence: Evidence) -> Floats:
    """Return what each rank adds to the score at the last depth of rankings; (..., depth)."""
    added: Floats = getattr(metric, "terms")(**evidence.read(metric, "terms"))  # noqa: B009
    return added


def contributions(metric: Metric, block: Block, depth: int) -> Floats:
    """Return what the document at each rank adds to a score.

    Parameters
    ----------
    metric
        A metric that has terms.
    block
        Rankings of one top grade, in the one order they have.
    depth
        Evaluation depth; that of the metric, if it has one, counts where it is smaller.

    Returns
    -------
    numpy.ndarray
        Shape (..., depth of the block), 0 where a rank is not read. The sum over ranks is the
        score at the depth; NaN where there is none.

    Raises
    ------
    MetricError
        For a metric that is no such sum.

    Examples
    --------
    >>> from irframe.metrics import AP
    >>> block = Block(
    ...     grade=np.array([[1, 0, 1]], dtype=np.int16),
    ...     retrieved=np.array([3]),
    ...     levels=np.array([0, 1]),
    ...     count=np.array([[1, 2]]),
    ...     top=1,
    ... )
    >>> contributions(AP(), block, 3).round(3)
    array([[0.5  , 0.   , 0.333]])
    """
    refuse_without_terms([metric])
    seen = block.condensed() if metric.judged_only else block
    shown = min(depth, metric.depth or depth, block.grade.shape[-1])
    doc = None if seen.doc is None else seen.doc[..., :shown]
    evidence = Evidence(replace(seen.cut(shown), doc=doc))
    added = np.zeros(block.grade.shape)
    added[..., :shown] = added_by_rank(metric, evidence)
    if metric.judged_only:
        order, *_ = close_up(block.grade, np.zeros(block.grade.shape, bool))
        np.put_along_axis(added, order, added.copy(), axis=-1)
    return added


FLOOR = 0.00001
"""What a lower score counts as in a geometric mean, as in trec_eval."""
TIE = 12
"""Decimals to which averages are rounded before one of them leads: rounding errors are ties."""


SMALL = 2**12
"""Scores that are added up faster one by one than row by row."""
BLOCK_BYTES = 2**21
"""Target size of a working array of `moments`, which should stay in a cache."""


def average(
    values: NDArray[Any],
    summary: Summary = "mean",
    axis: int = -1,
    weights: NDArray[Any] | None = None,
) -> Floats:
    """Average over topics, leaving out those without a score.

    Parameters
    ----------
    values
        Scores, NaN where there is none.
    summary
        How a metric is averaged, one of its `facts`: ``"mean"``; ``"sum"``, added up;
        ``"harmonic"``, one over the mean of one over the score, 0 if a score is 0;
        ``"geometric"``, e to the mean of the logarithms, of 0.00001 for scores below.
    axis
        That of the topics.
    weights
        Those of the topics, for a mean; by default all count alike.

    Returns
    -------
    numpy.ndarray
        Averages; NaN where there is nothing but NaN.

    Examples
    --------
    >>> values = np.array([1.0, 0.25, np.nan])
    >>> float(average(values)), float(average(values[:2], "harmonic"))
    (0.625, 0.4)
    """
    if weights is not None:
        heavy = np.moveaxis(values, axis, -1) * weights
        there = np.where(np.isnan(heavy), 0.0, weights).sum(axis=-1)
        return np.asarray(averaged(there, np.nansum(heavy, axis=-1)))[()]
    if summary in {"mean", "sum"}:
        total = _in_turn(values, axis)
        if np.isfinite(total).all():  # which no sum with NaN in it is
            return np.asarray(averaged(np.float64(values.shape[axis]), total, summary))[()]
    there = values.shape[axis] - np.isnan(values).sum(axis=axis, dtype=np.float64)
    return np.asarray(averaged(there, _in_turn(terms(values, summary), axis), summary))[()]


def _in_turn(values: NDArray[Any], axis: int) -> Floats:
    """Add up one topic after the other as trec_eval does, which numpy does unless they lie close.

    In pairs, sums differ in the last bit, and at times in the last of four decimals.
    """
    topics, step = values.shape[axis], abs(values.strides[axis])
    sides = zip(values.strides, values.shape, strict=True)
    if topics < 2 or any(abs(other) < step for other, size in sides if size > 1):
        return np.asarray(values.sum(axis=axis))
    if values.size < SMALL or values.size == topics:
        return np.asarray(values.cumsum(axis=axis).take(-1, axis=axis))
    return np.asarray(np.ascontiguousarray(np.moveaxis(values, axis, 0)).sum(axis=0))


def terms(values: NDArray[Any], summary: Summary = "mean") -> Floats:
    """Return what is added up over topics for an average: 0 where there is no score."""
    summands: NDArray[Any] = values
    if summary == "harmonic":
        with np.errstate(divide="ignore"):
            summands = 1 / values
    elif summary == "geometric":
        summands = np.log(np.maximum(values, FLOOR))
    return np.where(np.isnan(values), 0.0, summands)


def averaged(there: Any, total: Any, summary: Summary = "mean") -> Any:
    """Return the average of so many scores, whose `terms` add up to a total; NaN of none."""
    n = np.where(there > 0, there, np.nan)
    if summary == "harmonic":
        return n / total
    if summary == "geometric":
        return np.exp(total / n)
    return np.where(there > 0, total, np.nan) if summary == "sum" else total / n


def best_first(means: NDArray[Any], sign: int = 1) -> NDArray[np.int64]:
    """Return the order of means, the best first; equal ones, but for rounding, as they stand.

    Parameters
    ----------
    means
        Averages, the last axis of which is put in order; NaN comes last.
    sign
        -1 where lower is better.

    Examples
    --------
    >>> best_first(np.array([0.3, np.nan, 0.5, 0.1 + 0.2])).tolist()
    [2, 0, 3, 1]
    """
    return np.argsort(-sign * np.round(means, TIE), kind="stable", axis=-1)


def moments(
    values: NDArray[Any], summary: Summary = "mean"
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Count and average over topics, and add up squares of what the scores are off by.

    Parameters
    ----------
    values
        Scores, NaN where there is none, topics last; at least one axis before them.
    summary
        As for `average`.

    Returns
    -------
    tuple of numpy.ndarray
        The number of scores, their average, and the sum of squares about it. A block of rows is
        read at a time, so that this takes little memory beyond the scores.

    Examples
    --------
    >>> [found.tolist() for found in moments(np.array([[1.0, 3.0, np.nan]]))]
    [[2], [2.0], [2.0]]
    """
    shape = values.shape[:-1]
    n, mean, squares = np.empty(shape, np.int64), np.empty(shape), np.empty(shape)
    width = max(1, BLOCK_BYTES * len(values) // max(1, values.nbytes))
    for start in range(0, len(values), width):
        rows = slice(start, start + width)
        part = values[rows]
        mean[rows] = average(part, summary)
        missing = np.isnan(part)
        n[rows] = part.shape[-1] - missing.sum(axis=-1)
        with np.errstate(invalid="ignore"):  # of infinite scores
            deviation = part - mean[rows, ..., np.newaxis]
        deviation *= deviation
        deviation[missing] = 0
        squares[rows] = deviation.sum(axis=-1)
    return n, mean, squares
