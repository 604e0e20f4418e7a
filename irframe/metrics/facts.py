"""Properties of metrics, contributions of ranks, and averages over topics."""

import re
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats
from irframe.errors import IrframeError, MetricError
from irframe.gains import Gain, GainMap, parse_gain
from irframe.metrics.base import ALIASES, METRICS, Metric, MetricType, Summary
from irframe.metrics.parse_metric import Preset, parse_metric
from irframe.quantities.block import Block, close_up
from irframe.quantities.evidence import Evidence, parameters


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Properties that determine how scores are averaged and compared.

    Attributes
    ----------
    known
        Whether the metric is registered. The defaults of all fields describe unknown metrics.
    cost
        Whether lower scores are better.
    summary
        How scores are averaged over topics, one of `Summary`.
    depth
        The fixed depth of the metric, or None.
    rel
        Lowest relevant grade, 1 for metrics without a threshold.
    gain
        Gain map of the metric, or None if the metric has no gain map.
    pooled
        Whether the metric is normalised by the pool of each depth.
    shares
        The tie policies that the metric supports, among ``"mean"`` and ``"block"``.
    favours_short
        Whether a list may score better if its only relevant document is removed.
    extremes
        Method for bounds over labels of unjudged documents, or "" if there are no bounds.
    range
        The lowest and the highest score.
    least_topics
        Minimum number of topics for nominal coverage of confidence intervals of means.
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
        """Whether scores are between 0 and 1."""
        return self.range == (0.0, 1.0)

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is better."""
        return -1 if self.cost else 1

    @property
    def better(self) -> str:
        """``"lower"`` if lower scores are better, else ``"higher"``."""
        return "lower" if self.cost else "higher"


UNKNOWN = Facts()
GAIN_QUANTITIES = {"gain", "cumulated_gain", "rank"}
"""Names of the quantities that a kernel may read if the metric supports mean gains of ties."""
COSTS: ContextVar[frozenset[str]] = ContextVar("COSTS", default=frozenset())
"""Labels of scores that were declared as costs by the code that computed these scores."""
COST_WORDS = {
    *("latency", "seconds", "milliseconds", "ms", "secs", "duration", "runtime", "tokens"),
    *("cost", "costs", "price", "usd", "dollars", "euros", "errors"),
}
"""Words in the label of an unknown metric that mark it as a cost, so that lower is better."""
COST_LABELS = frozenset(("shown", "again", "not_retrieved", "ordered", "unjudged"))
"""Labels of costs that irframe computes, such as the number of documents shown."""
GAIN_WORDS = re.compile(
    r"\b(saved|savings?|reduction|effectiveness|per (s|secs?|second|minute|hour|dollar|usd))\b"
)
"""Pattern of words that mark a gain although a cost word occurs, as in "tokens per second"."""
AT_STOP = r" (?:in \d+|>=|after search) \S.*"
"""Pattern of the end of a label with a stopping rule, such as " in 500 tokens" or " >= 0.4"."""
AT_CUT = re.compile(rf"(@\d+|{AT_STOP})$")
"""Pattern of the end of a label with a depth or another stopping rule, such as "@10"."""
STOPPED = re.compile(rf"(.+?)({AT_STOP})")
"""Pattern that splits a label into a name and a stopping rule other than a depth."""


def index_of(metric: object, labels: Sequence[str]) -> int | None:
    """Return the index of a metric in labels, or None.

    Parameters
    ----------
    metric
        A metric or any of its names.
    labels
        Labels of scores.

    Examples
    --------
    >>> index_of("Recall@5", ["map", "R@5"]), index_of("AP", ["map", "R@5"]), index_of("x", ["AP"])
    (1, 0, None)
    """
    if str(metric) in labels:
        return labels.index(str(metric))
    parsed = _metric(metric)
    matches = (index for index, label in enumerate(labels) if parsed and _metric(label) == parsed)
    return next(matches, None)


def label_at(label: str, depth: object) -> str:
    """Return the label of a metric at a depth.

    Examples
    --------
    >>> label_at("AP", 10), label_at("ndcg_cut_20", 10), label_at("IPrec@0.1", 10)
    ('AP@10', 'ndcg_cut_20', 'IPrec@0.1')
    """
    return label if "@" in label or facts(label).depth is not None else f"{label}@{depth}"


def _metric(metric: object) -> Metric | None:
    try:
        return parse_metric(metric)
    except IrframeError:
        return None


def facts(metric: object) -> Facts:
    """Return the properties of a metric.

    Parameters
    ----------
    metric
        A metric, a metric class, a name of a metric, or any label of scores.

    Returns
    -------
    Facts
        The properties of the metric. If an unknown label contains a cost such as latency or tokens,
        lower is better.

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
    by_label = _facts_by_label(str(metric), len(ALIASES))
    declared = not COSTS.get().isdisjoint({str(metric), AT_CUT.sub("", str(metric))})
    return replace(by_label, cost=True) if declared else by_label


def class_of(name: str) -> type[Metric]:
    """Return the metric class for a name.

    Examples
    --------
    >>> class_of("MAP").__name__, class_of("GMAP").__name__
    ('AP', 'AP')
    """
    named = ALIASES[name]
    kind: type[Metric] = named.kind if isinstance(named, Preset) else named
    return kind


def names_of(kind: type[Metric]) -> list[str]:
    """Return all names of a metric class, class name first.

    Examples
    --------
    >>> names_of(class_of("GMAP"))
    ['AP', 'MAP', 'mean_average_precision', 'GMAP']
    """
    return [name for name in ALIASES if class_of(name) is kind]


@cache
def _facts_by_label(label: str, names: int) -> Facts:
    """Return properties by label.

    `names` is part of the key of the cache, because a label may become the name of a new metric.
    """
    if stopped := STOPPED.fullmatch(label):
        return _facts_by_label(stopped[1], names)
    try:
        return _of(parse_metric(label))
    except IrframeError:
        if label in ALIASES:
            return _of(class_of(label))
        return replace(UNKNOWN, cost=True) if _is_cost(label) else UNKNOWN


def _is_cost(label: str) -> bool:
    """Return whether an unknown label describes a cost."""
    bare = AT_CUT.sub("", label)
    # the pattern also splits names such as promptTokens
    names = [name.lower() for name in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", bare)]
    costs = not COST_WORDS.isdisjoint(names) and not GAIN_WORDS.search(" ".join(names))
    return bare in COST_LABELS or costs


def directions(labels: Iterable[str]) -> str:
    """Describe whether larger or smaller is better for unknown metrics.

    Examples
    --------
    >>> directions(["AP", "faithful", "latency (ms)", "tokens"])
    'larger is better for faithful; smaller is better for latency (ms), tokens'
    """
    unknown = {label: fact for label in labels if not (fact := facts(label)).known}
    named = {
        better: ", ".join(label for label, fact in unknown.items() if fact.cost == cost)
        for better, cost in (("larger", False), ("smaller", True))
    }
    return "; ".join(f"{better} is better for {names}" for better, names in named.items() if names)


@cache
def _of(metric: Any) -> Facts:
    gain = getattr(metric, "gain", None)
    method: Literal["", "ceiling", "cut", "list"] = "ceiling" if metric.ceiling else metric.fillings
    names = ("cost", "depth", "range", "least_topics")
    args = {*parameters(metric.kernel)}
    return Facts(
        **{name: getattr(metric, name) for name in names},
        known=True,
        summary=metric.average,
        rel=getattr(metric, "rel", 1),
        gain=None if gain is None else parse_gain(gain),
        pooled="pool" in {getattr(metric, name, "") for name in ("norm", "ideal")},
        shares=frozenset(
            policy
            for policy, supported in (("mean", metric.expected), ("block", args <= GAIN_QUANTITIES))
            if metric.linear or supported
        ),
        favours_short=metric.favours_short and isinstance(getattr(metric, "unretrieved", ""), str),
        extremes="" if metric.judged_only else method,
    )


def refuse_gains(metric: Metric, levels: Array) -> None:
    """Raise if a gain is missing or above the maximum.

    Examples
    --------
    >>> refuse_gains(parse_metric("ERR(gain=Linear(top=1))"), np.array([0, 1, 2]))
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: expected gains of at most 1 for ERR(gain=Linear(top=1)), but found
    larger gains of grades: 2.
    """
    gain = getattr(metric, "gain", None)
    missing = gain.missing(levels) if isinstance(gain, GainMap) else []
    if missing:
        raise MetricError(f"a gain for every grade in {metric}", "none for", "", missing)
    if not metric.unit or gain is None or not levels.size:
        return
    gains = gain.map(levels, rel=facts(metric).rel, top=max(1, int(levels.max())))
    if large := levels[gains > 1].tolist():
        raise MetricError(f"gains of at most 1 for {metric}", "larger gains of grades", "", large)


def refuse_without_terms(metrics: Iterable[Metric]) -> None:
    """Raise if any metric is not a sum over documents.

    Examples
    --------
    >>> refuse_without_terms([parse_metric("AP"), parse_metric("F")])
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: expected metrics that are sums over documents: ..., but found F...
    """
    refused = [str(metric) for metric in metrics if metric.terms is None]
    if refused:
        names = [name for name, metric in METRICS.items() if metric.terms is not None]
        expected = f"metrics that are sums over documents: {', '.join(sorted(names))}"
        raise MetricError(expected, "", "", refused)


def added_by_rank(metric: Metric, evidence: Evidence) -> Floats:
    """Return contributions of ranks to the scores of full lists."""
    added: Floats = getattr(metric, "terms")(**evidence.read(metric, "terms"))  # noqa: B009
    return added


def contributions(metric: Metric, block: Block, depth: int) -> Floats:
    """Return the contribution of the document at each rank.

    Parameters
    ----------
    metric
        A metric that defines `terms`.
    block
        Rankings of topics with the same top grade, without ties.
    depth
        Evaluation depth. If the metric has a smaller fixed depth, that depth is used.

    Returns
    -------
    numpy.ndarray
        Contributions, shape (..., depth of the block), 0 past the depth. The sum of the
        contributions over ranks is the score. The contributions are NaN for topics without a score.

    Raises
    ------
    MetricError
        If the metric is not a sum over documents.

    Examples
    --------
    >>> from irframe.metrics import AP
    >>> block = Block(
    ...     grade=np.array([[1, 0, 1]], dtype=np.int16), retrieved=np.array([3]),
    ...     levels=np.array([0, 1]), count=np.array([[1, 2]]), top=1)
    >>> contributions(AP(), block, 3).round(3)
    array([[0.5  , 0.   , 0.333]])
    """
    refuse_without_terms([metric])
    scored = block.condensed() if metric.judged_only else block
    cut = min(depth, metric.depth or depth, block.grade.shape[-1])
    # `Block.cut` removes `doc`, which metrics that read subtopics or strata need
    doc = None if scored.doc is None else scored.doc[..., :cut]
    evidence = Evidence(replace(scored.cut(cut), doc=doc))
    added = np.zeros(block.grade.shape)
    added[..., :cut] = added_by_rank(metric, evidence)
    if metric.judged_only:
        # contributions are moved from the ranks among judged documents to the original ranks
        order, *_ = close_up(block.grade, np.zeros(block.grade.shape, bool))
        np.put_along_axis(added, order, added.copy(), axis=-1)
    return added


FLOOR = 0.00001
"""Lower limit of scores in a geometric mean, as in trec_eval."""
TIE = 12
"""Number of decimals to which averages are rounded before sorting, to remove rounding errors."""
SMALL = 2**12
"""Number of scores below which `cumsum` is faster than the sum of a transposed copy."""
BLOCK_BYTES = 2**21
"""Size in bytes of the blocks of `moments`, which should fit into the processor cache."""


def average(
    values: Array,
    summary: Summary = "mean",
    axis: int = -1,
    weights: Array | None = None,
) -> Floats:
    """Return averages over the topics with a score.

    Parameters
    ----------
    values
        Scores, NaN where missing.
    summary
        One of `Summary`. The geometric mean replaces scores below 0.00001 by 0.00001.
    axis
        The axis of the topics.
    weights
        Weights of the topics in an arithmetic mean. By default all weights are equal.

    Returns
    -------
    numpy.ndarray
        Averages, NaN where all scores are NaN.

    Examples
    --------
    >>> values = np.array([1.0, 0.25, np.nan])
    >>> float(average(values)), float(average(values[:2], "harmonic"))
    (0.625, 0.4)
    """
    if weights is not None:
        weighted = np.moveaxis(values, axis, -1) * weights
        n_scores = np.where(np.isnan(weighted), 0.0, weights).sum(axis=-1)
        return np.asarray(averaged(n_scores, np.nansum(weighted, axis=-1)))[()]
    if summary in {"mean", "sum"}:
        total = _sequential_sum(values, axis)
        if np.isfinite(total).all():  # a finite total shows that no score is missing
            return np.asarray(averaged(np.float64(values.shape[axis]), total, summary))[()]
    n_scores = values.shape[axis] - np.isnan(values).sum(axis=axis, dtype=np.float64)
    total = _sequential_sum(terms(values, summary), axis)
    return np.asarray(averaged(n_scores, total, summary))[()]


def _sequential_sum(values: Array, axis: int) -> Floats:
    """Return sums over topics, added in order as in trec_eval."""
    # numpy sums an axis pairwise if no other axis has a smaller stride, which may change the fourth
    # decimal, and adds all other axes in order
    topics = values.shape[axis]
    step = abs(values.strides[axis])
    sides = zip(values.strides, values.shape, strict=True)
    if topics < 2 or any(abs(width) < step for width, size in sides if size > 1):
        return np.asarray(values.sum(axis=axis))
    if values.size < SMALL or values.size == topics:
        return np.asarray(values.cumsum(axis=axis).take(-1, axis=axis))
    return np.asarray(np.ascontiguousarray(np.moveaxis(values, axis, 0)).sum(axis=0))


def terms(values: Array, summary: Summary = "mean") -> Floats:
    """Return the summands of an average, 0 for missing scores."""
    summands: Array = values
    if summary == "harmonic":
        with np.errstate(divide="ignore"):
            summands = 1 / values
    elif summary == "geometric":
        summands = np.log(np.maximum(values, FLOOR))
    return np.where(np.isnan(values), 0.0, summands)


def averaged(n_scores: Array | float, total: Array | float, summary: Summary = "mean") -> Array:
    """Return the average, computed from the sum of `terms`."""
    n = np.where(n_scores > 0, n_scores, np.nan)
    if summary == "harmonic":
        return n / total
    if summary == "geometric":
        return np.exp(total / n)
    return np.where(n_scores > 0, total, np.nan) if summary == "sum" else total / n


def best_first(means: Array, sign: int = 1) -> NDArray[np.int64]:
    """Return positions that sort means from best to worst.

    Parameters
    ----------
    means
        Averages, sorted along the last axis, NaN last. Averages that are equal up to rounding
        errors keep their order.
    sign
        1 if higher is better, -1 if lower is better.

    Examples
    --------
    >>> best_first(np.array([0.3, np.nan, 0.5, 0.1 + 0.2])).tolist()
    [2, 0, 3, 1]
    """
    return np.argsort(-sign * np.round(means, TIE), kind="stable", axis=-1)


def moments(values: Array, summary: Summary = "mean") -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return counts, averages and sums of squared deviations over topics.

    Parameters
    ----------
    values
        Scores, shape (..., topic), with at least two dimensions. Missing scores are NaN.
    summary
        Kind of average, as for `average`.

    Returns
    -------
    tuple of numpy.ndarray
        The number of scores, the average, and the sum of squared deviations from the average.

    Examples
    --------
    >>> [array.tolist() for array in moments(np.array([[1.0, 3.0, np.nan]]))]
    [[2], [2.0], [2.0]]
    """
    shape = values.shape[:-1]
    n = np.empty(shape, np.int64)
    mean, squares = np.empty((2, *shape))
    width = max(1, BLOCK_BYTES * len(values) // max(1, values.nbytes))
    for start in range(0, len(values), width):
        rows = slice(start, start + width)
        block = values[rows]
        mean[rows] = average(block, summary)
        missing = np.isnan(block)
        n[rows] = block.shape[-1] - missing.sum(axis=-1)
        with np.errstate(invalid="ignore"):  # differences of infinite scores are NaN
            deviation = block - mean[rows, ..., np.newaxis]
        deviation *= deviation
        deviation[missing] = 0
        squares[rows] = deviation.sum(axis=-1)
    return n, mean, squares
