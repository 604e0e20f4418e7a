"""Span precision."""

from dataclasses import dataclass

from irframe.arrays import Floats
from irframe.metrics.base import Metric
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SpanP(Metric):
    """How much of the text that was read is evidence.

    The share of the text shown down to rank k that is evidence for the topic, each part of it
    counted once: text that is repeated costs.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``SpanP @ 5``.
    judged_only
        Refused: all text counts.

    Notes
    -----
    ``SpanP@k = |C_k n E| / shown_k``, E the union of the evidence, C_k that of the first k
    spans, shown_k the sum of their lengths.

    Range: 0 to 1. Needs: judgments by spans, spans retrieved. No relevant documents: 0.
    Unjudged: text that is no evidence.

    References
    ----------
    .. [1] Smith, Troynikov. Evaluating chunking strategies for retrieval. Chroma technical report,
       2024. https://research.trychroma.com/evaluating-chunking

    Examples
    --------
    Of 20 characters 10 are evidence, of 40 then 20, as 10 are shown twice:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> spans = pd.DataFrame({"topic": "1", "doc": "a", "start": [10], "end": [30], "grade": 1})
    >>> run = {"topic": "1", "doc": "a", "start": [0, 10], "end": [20, 30], "rank": [1, 2]}
    >>> ir.cube(pd.DataFrame(run), spans).ireval.score("SpanP").to_numpy().ravel()
    array([0.5, 0.5])
    """

    spans = True

    def kernel(self, *, covered: Floats, shown: Floats) -> Floats:
        """Return the share of the text down to each depth that is new evidence."""
        return covered / positive(shown)
