"""The text that users read: spans of evidence, and time."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, Thresholded, parameter
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


@dataclass(frozen=True, kw_only=True, repr=False)
class TBG(Thresholded):
    """Gain that decays with the time it takes to reach it.

    The user reads a summary, clicks more often if the document is relevant, and then reads the
    longer the longer it is. Half of the users have stopped after `half_life` seconds.

    Parameters
    ----------
    half_life
        Seconds after which half of the users have stopped, above 0.
    summary
        Seconds for a summary.
    per_word, per_document
        Seconds for a document of l words, ``per_word l + per_document``.
    click, click_nonrelevant
        Probability of a click on the summary of a relevant and of any other document.
    save
        Probability that a relevant document that is read is saved.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``TBG @ 10``.
    judged_only
        Refused: all text takes time.

    Notes
    -----
    ``TBG@k = sum_(i<=k) b_i P(click) P(save) 2^(-T(i) / h)``, with ``T(i)`` the seconds of all
    documents above: ``summary + (per_word l + per_document) P(click)`` each, l the length in words.
    The defaults are the paper's: h = 224 s, 4.4 s for a summary,
    0.018 l + 7.8 s for a document, P(click) = 0.64 and 0.39, P(save) = 0.77, so that a relevant
    document gains 0.4928.

    Range: 0 and up. Needs: grades, lengths. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Smucker, Clarke. Time-based calibration of effectiveness measures. SIGIR 2012.
       doi:10.1145/2348283.2348300

    Examples
    --------
    The first document is had at once; the second after those who read it, too:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> run = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "score": [2, 1], "words": [500, 20]})
    >>> cube = ir.cube(run, {"1": {"a": 1, "b": 1}}, units=ir.Units(length="words"))
    >>> cube.ireval.score("TBG").to_numpy().ravel().round(4)
    array([0.4928, 0.963 ])
    """

    half_life: float = parameter(224.0, above=0)
    summary: float = parameter(4.4, low=0)
    per_word: float = parameter(0.018, low=0)
    per_document: float = parameter(7.8, low=0)
    click: float = parameter(0.64, low=0, high=1)
    click_nonrelevant: float = parameter(0.39, low=0, high=1)
    save: float = parameter(0.77, low=0, high=1)

    range = (0.0, float("inf"))
    timed = True

    def kernel(self, *, relevant: Array, length: Floats) -> Floats:
        """Return the gain down to each depth."""
        clicked = np.where(relevant, self.click, self.click_nonrelevant)
        seconds = self.summary + (self.per_word * length + self.per_document) * clicked
        until = np.cumsum(seconds, axis=-1) - seconds
        gained = relevant * (self.click * self.save) * 2.0 ** (-until / self.half_life)
        return np.asarray(np.cumsum(gained, axis=-1))


@dataclass(frozen=True, kw_only=True, repr=False)
class U(Thresholded):
    """Gain that decays with how much text was read before it was had.

    The user reads one text after the other. What helps counts less the further into the text it
    ends, and nothing from `patience` on.

    Parameters
    ----------
    gain
        Gain map.
    patience
        How much text a user reads at most, L, above 0, in the unit of lengths; the paper's 132,000
        are characters.
    norm
        What the sum is divided by, above 0.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth, usually written ``U @ 10``.
    judged_only
        Refused: all text counts.

    Notes
    -----
    ``U@k = (1/N) sum_(i<=k) G(i) max(0, 1 - pos(i) / L)``, pos(i) the text down to the end of
    document i, by the lengths of units.

    Range: 0 and up. Needs: grades, lengths. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Sakai, Dou. Summaries, ranked retrieval and sessions: a unified framework for information
       access evaluation. SIGIR 2013. doi:10.1145/2484028.2484031

    Examples
    --------
    A relevant document that ends after a quarter of what the user would read:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> run = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "score": [2, 1], "words": [5, 20]})
    >>> cube = ir.cube(run, {"1": {"b": 1}}, units=ir.Units(length="words"))
    >>> cube.ireval.score("U(patience=100)").to_numpy().ravel()
    array([0.  , 0.75])
    """

    gain: Gain = parameter("linear")
    patience: float = parameter(132000.0, above=0)
    norm: float = parameter(1.0, above=0)

    aliases = ("UMeasure",)
    range = (0.0, float("inf"))
    timed = True

    def kernel(self, *, gain: Floats, length: Floats) -> Floats:
        """Return the decayed gain down to each depth."""
        left = np.maximum(0, 1 - np.cumsum(length, axis=-1) / self.patience)
        return np.asarray(np.cumsum(gain * left, axis=-1) / self.norm)
