"""Span recall."""

from dataclasses import dataclass

from irframe.arrays import Floats
from irframe.metrics.base import Metric
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SpanR(Metric):
    """How much of the evidence is in the text that was read.

    The share of the text that is evidence for the topic which the first k spans hold. Text that
    is retrieved twice counts once.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``SpanR @ 5``.
    judged_only
        Refused: all text counts.

    Notes
    -----
    ``SpanR@k = |C_k n E| / |E|``, E the union of the evidence, C_k that of the first k spans,
    in the unit of their borders.

    Range: 0 to 1. Needs: judgments by spans, spans retrieved. No relevant documents: 0.
    Unjudged: text that is no evidence.

    References
    ----------
    .. [1] Smith, Troynikov. Evaluating chunking strategies for retrieval. Chroma technical report,
       2024. https://research.trychroma.com/evaluating-chunking

    Examples
    --------
    The evidence is [10, 30); half of it is in the first chunk, the rest in the second:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> spans = pd.DataFrame({"topic": "1", "doc": "a", "start": [10], "end": [30], "grade": 1})
    >>> run = {"topic": "1", "doc": "a", "start": [0, 10], "end": [20, 30], "rank": [1, 2]}
    >>> ir.cube(pd.DataFrame(run), spans).ireval.score("SpanR").to_numpy().ravel()
    array([0.5, 1. ])
    """

    spans = True

    def kernel(self, *, covered: Floats, evidence: Floats) -> Floats:
        """Return the share of the evidence that is held down to each depth."""
        return covered / positive(evidence)
