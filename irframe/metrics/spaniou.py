"""Span intersection over union."""

from dataclasses import dataclass

from irframe.arrays import Floats
from irframe.metrics.base import Metric
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SpanIoU(Metric):
    """How well the text that was read and the evidence agree.

    Evidence that was read, as a share of all that was read and of the evidence that was not.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``SpanIoU @ 5``.
    judged_only
        Refused: all text counts.

    Notes
    -----
    ``SpanIoU@k = |C_k n E| / (shown_k + |E| - |C_k n E|)``, E the union of the evidence, C_k
    that of the first k spans, shown_k the sum of their lengths.

    Range: 0 to 1. Needs: judgments by spans, spans retrieved. No relevant documents: 0.
    Unjudged: text that is no evidence.

    References
    ----------
    .. [1] Smith, Troynikov. Evaluating chunking strategies for retrieval. Chroma technical report,
       2024. https://research.trychroma.com/evaluating-chunking

    Examples
    --------
    Of 20 characters 10 are evidence, of which another 10 are left; then all is read:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> spans = pd.DataFrame({"topic": "1", "doc": "a", "start": [10], "end": [30], "grade": 1})
    >>> run = {"topic": "1", "doc": "a", "start": [0, 10], "end": [20, 30], "rank": [1, 2]}
    >>> ir.cube(pd.DataFrame(run), spans).ireval.score("SpanIoU").to_numpy().ravel()
    array([0.33333333, 0.5       ])
    """

    spans = True

    def kernel(self, *, covered: Floats, shown: Floats, evidence: Floats) -> Floats:
        """Return the intersection over the union down to each depth."""
        return covered / positive(shown + evidence - covered)
