"""The lowest relevant grade, where collections differ in it: one list of metrics for all."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.checks import whole
from irframe.errors import MetricError, ParameterError
from irframe.metrics import Metric
from irframe.warned import inside_group, listing

Rel = Mapping[Hashable, int] | None
"""Collection -> lowest relevant grade."""


def told_rel(rel: Mapping[Any, int]) -> str:
    """Return thresholds as results tell of them.

    Examples
    --------
    >>> told_rel({"dl21": 2, "dl22": 2})
    '2 in dl21, 2 in dl22'
    """
    return ", ".join(f"{grade} in {key}" for key, grade in rel.items())


@dataclass(frozen=True)
class Thresholds:
    """The lowest relevant grade of some collections, for metrics that leave theirs open.

    Examples
    --------
    >>> from irframe.metrics import AP, RR
    >>> metrics = [AP(), RR(rel=3)]
    >>> told = Thresholds.of({"dl21": 2}, metrics, "track")
    >>> told.variants(metrics)
    [AP(), AP(rel=2), RR(rel=3)]
    >>> told.places(metrics, ["dl21", "news"]).tolist()
    [[1, 0], [2, 2]]
    """

    by_collection: Mapping[Any, int]
    left_open: Sequence[bool]
    """Of each metric."""

    @classmethod
    def of(cls, rel: Rel, metrics: Sequence[Metric], collection: str | None) -> "Thresholds":
        """Check what was given.

        Raises
        ------
        ParameterError
            If it is no mapping to whole numbers of at least 1, or there are no collections.
        MetricError
            If no metric leaves its threshold open.
        """
        if rel is None:
            return cls({}, [False] * len(metrics))
        if not isinstance(rel, Mapping):
            advice = f"one for all collections is part of a metric: AP(rel={rel!r})"
            raise ParameterError("rel, a mapping collection -> grade", repr(rel), advice)
        if collection is None:
            advice = "pass collection= to evaluate or cube"
            raise ParameterError("collections of topics, for rel=", "none", advice)
        chosen = {key: whole(f"rel of {key}", grade, low=1) for key, grade in rel.items()}
        left_open = [leaves_open(metric) for metric in metrics]
        if not any(left_open):
            wanted = "a metric that has a rel, and whose name gives none, such as AP"
            raise MetricError(wanted, "", "", map(str, metrics))
        return cls(chosen, left_open)

    def refuse_unknown(self, known: Iterable[Any]) -> None:
        """Raise for collections that there are not; a group need not have all of them."""
        named = list(dict.fromkeys(known))
        unknown = [str(key) for key in self.by_collection if key not in named]
        if unknown and not inside_group():
            wanted = f"rel= by collection, which are {listing(named)}"
            raise ParameterError(wanted, "", "", unknown)

    def _each(self, metrics: Sequence[Metric]) -> Iterator[dict[int | None, Metric]]:
        """Yield of every metric what it is by threshold, None where none is given."""
        grades = sorted({*self.by_collection.values()})
        for metric, left_open in zip(metrics, self.left_open, strict=True):
            made: dict[int | None, Metric] = {None: metric}
            for grade in grades:
                made[grade] = replace(metric, rel=grade) if left_open else metric  # type: ignore[call-arg]
            yield made

    def variants(self, metrics: Sequence[Metric]) -> list[Metric]:
        """Return every metric with every threshold that it may have, each once."""
        return list(dict.fromkeys(one for each in self._each(metrics) for one in each.values()))

    def places(self, metrics: Sequence[Metric], collections: Iterable[Any]) -> NDArray[np.int64]:
        """Return which of its variants each metric is on each topic, shape (metric, topic)."""
        place = {variant: row for row, variant in enumerate(self.variants(metrics))}
        grades = [self.by_collection.get(key) for key in collections]
        return np.array([[place[each[g]] for g in grades] for each in self._each(metrics)])


def leaves_open(metric: Metric) -> bool:
    """Return whether a metric has a threshold of relevance, and its name gives none.

    Examples
    --------
    >>> from irframe.metrics.parse_metric import parse_metric
    >>> [leaves_open(parse_metric(name)) for name in ("AP", "AP(rel=2)", "NumRet")]
    [True, False, False]
    """
    default = {each.name: each.default for each in fields(metric)}.get("rel")
    given = "rel=" in str(metric) or getattr(metric, "rel", None) != default
    return default is not None and not given
