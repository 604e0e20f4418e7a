"""Checked options of experiments: ties, topics, pool and metrics."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, DTypeLike, NDArray

from irframe import names as words
from irframe.arrays import AnyFloats, Array, Grades
from irframe.checks import check_int, refuse_any
from irframe.errors import DepthError, GradeError, MetricError, ParameterError
from irframe.experiments.choices import HIGHEST_SEED, Contributing, PoolDepth
from irframe.frames.ids import Codes, within
from irframe.metrics import Metric
from irframe.metrics.base import METRICS, MetricType
from irframe.metrics.facts import facts, refuse_gains
from irframe.metrics.parse_metric import parse_named
from irframe.quantities.subtopics import POOLED_UNJUDGED

LEAST_NONRELEVANT = 10
"""The minimum number of sampled judgments per topic and non-relevant grade.

If a topic has fewer judgments of a non-relevant grade, all of them are sampled.
"""


def strata_sample(topic: Codes, grade: Grades, keys: Array, share: float) -> NDArray[np.bool_]:
    """Return which judgments are in a stratified sample.

    Each pair of topic and grade is a stratum. The judgments with the smallest keys in each stratum
    are sampled.

    Parameters
    ----------
    topic, grade, keys
        Arrays with the topic, grade and random key of every judgment, each of shape (n,).
    share
        Share of each stratum that is sampled, above 0 and at most 1.

    Returns
    -------
    numpy.ndarray
        Whether each judgment is sampled, shape (n,).

    Examples
    --------
    Half of three documents with equal grades is rounded to two:

    >>> strata_sample(np.zeros(3, int), np.ones(3, np.int16), np.array([2, 9, 5]), 0.5)
    array([ True, False,  True])
    """
    order = np.lexsort((keys, grade, topic))
    new = (np.diff(topic[order], prepend=-1) != 0) | (
        np.diff(grade[order], prepend=words.UNJUDGED) != 0
    )
    stratum = np.cumsum(new) - 1
    # The product is rounded first, because 0.29 * 50 is below 14.5 in floating point.
    number = np.floor(np.round(share * np.bincount(stratum)[stratum], 9) + 0.5)
    least = np.where(grade[order] < 1, LEAST_NONRELEVANT, 1)
    sampled = np.empty(len(order), bool)
    sampled[order] = within(stratum) < np.maximum(number, least)
    return sampled


def random_keys(*names: ArrayLike, seed: int) -> NDArray[np.uint64]:
    """Return a reproducible random 64-bit integer per row of ids.

    Parameters
    ----------
    names
        Columns of ids, such as topics and documents, all of the same length.
    seed
        An integer from 0 to 2**64 - 1.

    Examples
    --------
    >>> first, second = random_keys(["1", "2"], ["a", "a"], seed=0)
    >>> bool(first == random_keys(["1"], ["a"], seed=0)[0]), bool(first == second)
    (True, False)
    """
    columns = [pa.array(column).cast(pa.large_string()) for column in names]
    joined = pc.binary_join_element_wise(*columns, pa.scalar("\t", pa.large_string()))
    # pandas accepts only hash keys of 16 bytes. Without `categorize`, it hashes the joined ids
    # directly, which is faster because hardly any of them repeats.
    key = f"{check_seed(seed):016x}"
    return pd.util.hash_array(joined.to_numpy(zero_copy_only=False), hash_key=key, categorize=False)


def mixed(integers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash 64-bit integers with the mixing function of SplitMix64."""
    bits = integers
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def check_seed(seed: int) -> int:
    """Return the seed; raise if it is invalid for `random_keys`."""
    return check_int("seed", seed, low=0, high=HIGHEST_SEED)


def refuse_marks(grades: Array) -> None:
    """Raise for grade -1, which marks pooled but unjudged documents.

    Examples
    --------
    >>> refuse_marks(np.array([0, 1, -1]))
    Traceback (most recent call last):
    ...
    irframe.errors.GradeError: expected judged documents only, but found 1 document with grade...
    """
    if marked := int((grades == POOLED_UNJUDGED).sum()):
        got = (
            f"{marked} documents with grade {POOLED_UNJUDGED}, "
            "which marks pooled but unjudged documents"
        )
        advice = "drop these rows of the qrels, or set the grade to 0 if they were judged"
        raise GradeError("judged documents only", got, advice)


@dataclass(frozen=True, eq=False)
class Tied:
    """Documents with tied scores, as input of `TiePolicy.keys`."""

    systems: pd.Index
    topics: pd.Index
    system: Codes | int
    """The position of each document's system in `systems`."""
    topic: Codes
    """The position of each document's topic in `topics`."""
    doc: pa.Array | NDArray[np.object_]
    """The id of each document, a string or an integer."""
    seed: int
    """The seed of random tie-breaking."""


Keys = Any
"""Sort keys of documents, either numbers or document ids that are compared by bytes."""


@dataclass(frozen=True, kw_only=True)
class TiePolicy:
    """The rule that orders documents with equal scores.

    Attributes
    ----------
    keys
        Function that returns a sort key per tied document. Documents with smaller keys come first,
        and documents with equal keys stay in the order of rows. If `keys` is None, tied documents
        stay in row order.
    descending
        Whether documents with greater keys come first.
    shares
        Whether documents with equal scores share their gain. If documents share their gain, the
        order of tied documents does not matter.
    column
        The column that ranks documents, either the scores or the ranks. Equal ranks raise an error.
    """

    keys: Callable[[Tied], Keys] | None = None
    descending: bool = False
    shares: bool = False
    column: str = words.SCORE


def by_name(tied: Tied) -> Keys:
    """Return the document ids as sort keys."""
    return tied.doc


def by_chance(tied: Tied) -> Keys:
    """Return random sort keys that depend on ids and seed."""
    system = np.broadcast_to(tied.system, tied.topic.shape)
    names = tied.systems[system], tied.topics[tied.topic]
    return random_keys(*names, tied.doc, seed=tied.seed)


TIE_POLICIES: dict[words.TieRule, TiePolicy] = {
    "trec": TiePolicy(keys=by_name, descending=True),
    "doc": TiePolicy(keys=by_name),
    "order": TiePolicy(),
    "rank": TiePolicy(column=words.RANK),
    "random": TiePolicy(keys=by_chance),
    "mean": TiePolicy(keys=by_name, descending=True, shares=True),
    "block": TiePolicy(keys=by_name, descending=True, shares=True),
}
"""Mapping from the name of each tie rule to its `TiePolicy`."""


def in_precision(score: AnyFloats, dtype: DTypeLike) -> AnyFloats:
    """Return scores in a precision; scores that overflow become infinite.

    Examples
    --------
    >>> in_precision(np.array([2.5, 1e300]), "float32").tolist()
    [2.5, inf]
    """
    if score.dtype == dtype:
        return score
    with np.errstate(over="ignore"):
        return score.astype(dtype)


def as_key(score: AnyFloats, dtype: DTypeLike) -> AnyFloats:
    """Return scores with reversed signs, for sorting in ascending order.

    Examples
    --------
    >>> as_key(np.array([2.5, 1e300]), "float32").tolist()
    [-2.5, -inf]
    """
    # A stable sort of negated scores keeps rows with equal scores in order, and a reversed sort
    # would not.
    return -in_precision(score, dtype)


Topics = str | Sequence[Hashable]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The checked options that define a cube.

    Fields without a description are described in `irframe.cube`, `irframe.Ties` and `irframe.Pool`.
    """

    depth: int | None = None
    ties: words.TieRule = words.DEFAULT_TIES
    score_dtype: words.ScoreDtype = words.DEFAULT_DTYPE
    topics: Topics = "qrels"
    contributing: Contributing = None
    pool_depth: PoolDepth = None
    collection: str | None = None
    seed: int = 0
    unit: str | None = None
    """The rule that collapsed chunks to documents. None if the runs rank documents."""
    copies: str | None = None
    """The value of `later_copies` in `irframe.Units`. None if no copies are declared."""
    length: str | None = None
    """The column of the runs that contains lengths. None if there are no lengths."""
    score: str | None = None
    """The name of the document scores in the runs. None if document scores are not kept."""
    search: str | None = None
    """The column of the runs that numbers searches. None if a topic has only one list."""
    each: int | None = None
    """The number of documents read per search. None if all documents are read."""

    def __post_init__(self) -> None:
        if self.depth is not None:
            check_int("depth", self.depth, low=1, error=DepthError)
        if isinstance(self.pool_depth, Mapping) and self.collection is None:
            expected = "one pool depth for all topics, or collection= to map topics to collections"
            raise ParameterError(expected, repr(dict(self.pool_depth)))

    @cached_property
    def order(self) -> words.TieRule:
        """The tie rule, which is "rank" if units are ranked."""
        # Ties are already broken when chunks or copies of a document are merged.
        return "rank" if self.unit or self.copies else self.ties

    @property
    def attributes(self) -> dict[str, object]:
        """The options as attributes of the cube."""
        main = ("ties", "score_dtype", "topics", "depth", "collection", "seed")
        units = ("unit", "copies", "length", "score", "search", "each")
        named = {name: getattr(self, name) for name in (*main, *units)}
        named["topics"] = self.topics if isinstance(self.topics, str) else "listed"
        named["seed"] = self.seed if self.ties == "random" else None
        return {name: value for name, value in named.items() if value is not None}


MetricLike = Metric | MetricType | str
"""A metric, the class of a metric, or the name of a metric."""
Metrics = Iterable[MetricLike] | MetricLike


def parse_metrics(metrics: Metrics | Iterable[Metrics]) -> list[Metric]:
    """Return the requested metrics; raise for none or duplicates."""
    chosen: dict[str, Metric] = {}
    # One name may stand for several metrics, so only single metrics count as duplicates.
    single: list[str] = []
    for parsed in map(parse_named, [*one_by_one(metrics)]):
        named = {str(metric): metric for metric in parsed}
        single += named if len(parsed) == 1 else ()
        chosen |= named
    repeated = sorted({label for label in single if single.count(label) > 1})
    if repeated or not chosen:
        problem = "duplicates" if repeated else ""
        raise MetricError("at least one metric such as AP, each once", problem, "", repeated)
    return list(chosen.values())


def one_by_one(metrics: object) -> Iterator[object]:
    """Yield metrics one by one, including those in nested lists."""
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        yield metrics
        return
    if isinstance(metrics, Mapping):
        named = [
            f"{name}@{value}" if type(value) is int else name for name, value in metrics.items()
        ]
        advice = f"write cutoffs in the names of metrics: {named}"
        raise MetricError("a list of metrics", "a mapping", advice, map(repr, metrics.values()))
    for metric in metrics:
        yield from one_by_one(metric)


def shares_ranks(ties: str | None) -> bool:
    """Return whether documents with equal scores share their gain.

    Examples
    --------
    >>> shares_ranks("mean"), shares_ranks("trec")
    (True, False)
    """
    return ties in TIE_POLICIES and TIE_POLICIES[ties].shares


def refuse_shared(metrics: Iterable[Metric], ties: str, result: str) -> None:
    """Raise if tied documents share their gain.

    Parameters
    ----------
    metrics
        The metrics, which the message lists.
    ties
        The rule for equal scores.
    result
        The result that needs an order of tied documents, for the message.
    """
    refused = [str(metric) for metric in metrics if shares_ranks(ties)]
    expected = f"one order of tied documents for {result}"
    refuse_any(MetricError, refused, expected, f"ties={ties!r} for the metrics")


def refuse(metrics: Sequence[Metric], levels: Array, *, ties: words.TieRule) -> None:
    """Raise for metrics that ties or grades make undefined.

    Some metrics are undefined if tied documents share their gain. Other metrics are undefined for
    some grades.

    Parameters
    ----------
    metrics
        The metrics to check.
    levels
        The grades that occur in the judgments.
    ties
        The rule for equal scores.
    """
    if TIE_POLICIES[ties].shares:
        refused = [str(metric) for metric in metrics if ties not in facts(metric).shares]
        if refused:
            sharing = [name for name, kind in METRICS.items() if ties in facts(kind).shares]
            expected = f"metrics that support ties={ties!r}, which are {', '.join(sharing)}"
            raise MetricError(expected, "", "choose another ties=", refused)
    for metric in metrics:
        refuse_gains(metric, levels)


def refuse_pool(metrics: Iterable[Metric]) -> NoReturn:
    """Raise an error that lists metrics that need a pool."""
    pooled = [str(metric) for metric in metrics if facts(metric).pooled]
    advice = "build a cube with pool=ir.Pool(depth, contributing=...), and score this cube"
    got = "judgments of documents that no contributing run retrieved, for the metrics"
    raise MetricError("a known pool", got, advice, pooled)


def at_depth(metric: Metric, depth: int | None) -> Metric:
    """Return the metric with a cutoff, or its uncut variant."""
    if metric.depth is not None:
        return metric
    if depth is not None:
        return replace(metric, depth=depth)
    uncut = metric.uncut()
    if uncut is None:
        advice = f"write {metric} @ 10, or pass depth="
        raise MetricError(f"a cutoff for {metric}, which has no uncut variant", "none", advice)
    return uncut


def cut_at(metrics: list[Metric], depth: int | None) -> int | None:
    """Return the depth at which all metrics can cut lists.

    The result is None if a metric needs complete lists.
    """
    # Condensed lists are cut after unjudged documents are removed, so they are read completely.
    uncut = any(metric.depth is None or metric.judged_only for metric in metrics)
    return depth if depth is not None or uncut else deepest(metrics)


def deepest(metrics: list[Metric]) -> int:
    """Return the greatest cutoff of the metrics, at least 1."""
    return max([1, *(metric.depth or 1 for metric in metrics)])
