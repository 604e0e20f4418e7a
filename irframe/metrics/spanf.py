"""Span F measure."""

from dataclasses import dataclass

from irframe.arrays import Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SpanF(Metric):
    """Span precision and span recall in one number.

    Their harmonic mean, in which recall weighs beta times as much as precision.

    Parameters
    ----------
    beta
        Weight of recall, above 0.
    depth
        Fixed evaluation depth, usually written ``SpanF @ 5``.
    judged_only
        Refused: all text counts.

    Notes
    -----
    ``SpanF@k = (1 + beta^2) P R / (beta^2 P + R)``, P and R of `SpanP` and `SpanR` at k.

    Range: 0 to 1. Needs: judgments by spans, spans retrieved. No relevant documents: 0.
    Unjudged: text that is no evidence.

    References
    ----------
    .. [1] Smith, Troynikov. Evaluating chunking strategies for retrieval. Chroma technical report,
       2024. https://research.trychroma.com/evaluating-chunking

    Examples
    --------
    Precision and recall are both a half, then recall is 1:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> spans = pd.DataFrame({"topic": "1", "doc": "a", "start": [10], "end": [30], "grade": 1})
    >>> run = {"topic": "1", "doc": "a", "start": [0, 10], "end": [20, 30], "rank": [1, 2]}
    >>> ir.cube(pd.DataFrame(run), spans).ireval.score("SpanF").to_numpy().ravel()
    array([0.5       , 0.66666667])
    """

    beta: float = parameter(1.0, above=0)

    spans = True

    def kernel(self, *, covered: Floats, shown: Floats, evidence: Floats) -> Floats:
        """Return the F measure down to each depth."""
        return (1 + self.beta**2) * covered / positive(self.beta**2 * evidence + shown)
