"""What every document of a ranking adds to its score, for metrics that are such a sum."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from irframe.arrays import Floats
from irframe.errors import MetricError
from irframe.metrics.base import METRICS, Metric
from irframe.metrics.block import Block, close_up
from irframe.metrics.evidence import Evidence


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
    ...     grade=np.array([[1, 0, 1]], dtype=np.int8),
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
    found = np.zeros(block.grade.shape)
    found[..., :shown] = added_by_rank(metric, evidence)
    if metric.judged_only:
        order, *_ = close_up(block.grade, np.zeros(block.grade.shape, bool))
        np.put_along_axis(found, order, found.copy(), axis=-1)
    return found
