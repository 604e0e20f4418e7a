"""Metrics of evidence, text spans, text length and reading time."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, Thresholded, parameter
from irframe.quantities.positions import positive

ROUNDING = 1e-9
"""Tolerance for rounding errors in shares."""


@dataclass(frozen=True, kw_only=True, repr=False)
class All(Thresholded):
    """All: whether all evidence of the topic was retrieved.

    The score is 1 if the first k documents contain all evidence of the topic, and 0 otherwise. The
    metric suits questions whose answer requires the complete evidence.

    Parameters
    ----------
    share
        Required share of the evidence, above 0 and at most 1.
    rel
        Lowest relevant grade of documents, at least 1.
    depth
        Fixed evaluation depth, usually written ``All @ 5``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``All@k = [found(k) >= share R]``, where found(k) is the number of relevant documents in the top
    k, and R the number of relevant judged documents. For judgments by subtopic, subtopics are
    counted instead of documents. For judgments by spans, the evidence is the text of all spans, and
    `share` is a share of that text. If the judgments have a column ``set``, one document or one
    complete span of each set is required.

    Range: 0 or 1. Needs: grades, number of relevant documents. No relevant documents: NaN.
    Unjudged: not relevant.

    References
    ----------
    .. [1] Yang, Qi, Zhang, Bengio, Cohen, Salakhutdinov, Manning. HotpotQA: a dataset for diverse,
       explainable multi-hop question answering. EMNLP 2018. doi:10.18653/v1/D18-1259

    Examples
    --------
    The two relevant documents are at ranks 1 and 3:

    >>> from irframe.metrics import All
    >>> All().curve([1, 0, 1])
    array([0., 0., 1.])
    """

    share: float = parameter(1.0, above=0, high=1)

    subtopics = None
    spans = None
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found_share: Floats) -> Floats:
        """Return 1 at depths with sufficient evidence, 0 elsewhere."""
        enough = (found_share >= self.share - ROUNDING).astype(float)
        return np.where(np.isnan(found_share), np.nan, enough)


@dataclass(frozen=True, kw_only=True, repr=False)
class SpanF(Metric):
    """F measure of span precision and span recall.

    Parameters
    ----------
    beta
        Weight of recall relative to precision, above 0.
    depth
        Fixed evaluation depth, usually written ``SpanF @ 5``.
    judged_only
        Not supported, because unjudged text is part of the text read.

    Notes
    -----
    ``SpanF@k = (1 + beta^2) P R / (beta^2 P + R)``, where P is `SpanP` and R is `SpanR` at depth k.

    Range: 0 to 1. Needs: judgments by spans, runs of spans. No relevant documents: 0. Unjudged: not
    evidence.

    References
    ----------
    .. [1] Smith, Troynikov. Evaluating chunking strategies for retrieval. Chroma technical report,
       2024. https://research.trychroma.com/evaluating-chunking

    Examples
    --------
    Precision is 1/2 at both depths. Recall is 1/2 at depth 1 and 1 at depth 2:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> spans = pd.DataFrame({"topic": "1", "doc": "a", "start": [10], "end": [30], "grade": 1})
    >>> run = {"topic": "1", "doc": "a", "start": [0, 10], "end": [20, 30], "rank": [1, 2]}
    >>> ir.cube(pd.DataFrame(run), spans).ireval.score("SpanF").to_numpy().ravel()
    array([0.5       , 0.66666667])
    """

    beta: float = parameter(1.0, above=0)

    spans = True
    sees_length = True

    def kernel(self, *, covered: Floats, shown: Floats, evidence: Floats) -> Floats:
        """Return the F measure down to each depth."""
        # with P = covered / shown and R = covered / evidence, the formula also holds if both are 0
        return (1 + self.beta**2) * covered / positive(self.beta**2 * evidence + shown)


@dataclass(frozen=True, kw_only=True, repr=False)
class SpanIoU(Metric):
    """Intersection over union of the text read and the evidence.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``SpanIoU @ 5``.
    judged_only
        Not supported, because unjudged text is part of the text read.

    Notes
    -----
    ``SpanIoU@k = |C_k n E| / (shown_k + |E| - |C_k n E|)``. E is the union of the judged spans, C_k
    the union of the first k retrieved spans, and shown_k the sum of the lengths of these k spans.

    Range: 0 to 1. Needs: judgments by spans, runs of spans. No relevant documents: 0. Unjudged: not
    evidence.

    References
    ----------
    .. [1] Smith, Troynikov. Evaluating chunking strategies for retrieval. Chroma technical report,
       2024. https://research.trychroma.com/evaluating-chunking

    Examples
    --------
    The evidence has 20 characters. The first span has 20 characters and contains 10 characters of
    the evidence. The second span contains all evidence:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> spans = pd.DataFrame({"topic": "1", "doc": "a", "start": [10], "end": [30], "grade": 1})
    >>> run = {"topic": "1", "doc": "a", "start": [0, 10], "end": [20, 30], "rank": [1, 2]}
    >>> ir.cube(pd.DataFrame(run), spans).ireval.score("SpanIoU").to_numpy().ravel()
    array([0.33333333, 0.5       ])
    """

    spans = True
    sees_length = True

    def kernel(self, *, covered: Floats, shown: Floats, evidence: Floats) -> Floats:
        """Return the intersection over union down to each depth."""
        return covered / positive(shown + evidence - covered)


@dataclass(frozen=True, kw_only=True, repr=False)
class SpanP(Metric):
    """Span precision: share of evidence in the text read.

    Evidence that is retrieved several times is counted once. Text that is not evidence is counted
    each time it is retrieved.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``SpanP @ 5``.
    judged_only
        Not supported, because unjudged text is part of the text read.

    Notes
    -----
    ``SpanP@k = |C_k n E| / shown_k``. E is the union of the judged spans, C_k the union of the
    first k retrieved spans, and shown_k the sum of the lengths of these k spans.

    Range: 0 to 1. Needs: judgments by spans, runs of spans. No relevant documents: 0. Unjudged: not
    evidence.

    References
    ----------
    .. [1] Smith, Troynikov. Evaluating chunking strategies for retrieval. Chroma technical report,
       2024. https://research.trychroma.com/evaluating-chunking

    Examples
    --------
    At depth 1, the text read has 20 characters, and 10 of them are evidence. At depth 2, the text
    read has 40 characters, because 10 characters are read twice, and 20 of them are evidence:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> spans = pd.DataFrame({"topic": "1", "doc": "a", "start": [10], "end": [30], "grade": 1})
    >>> run = {"topic": "1", "doc": "a", "start": [0, 10], "end": [20, 30], "rank": [1, 2]}
    >>> ir.cube(pd.DataFrame(run), spans).ireval.score("SpanP").to_numpy().ravel()
    array([0.5, 0.5])
    """

    spans = True
    sees_length = True

    def kernel(self, *, covered: Floats, shown: Floats) -> Floats:
        """Return the share of evidence in the text read."""
        return covered / positive(shown)


@dataclass(frozen=True, kw_only=True, repr=False)
class SpanR(Metric):
    """Span recall: share of the evidence that was read.

    Evidence that is retrieved several times is counted once.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``SpanR @ 5``.
    judged_only
        Not supported, because unjudged text is part of the text read.

    Notes
    -----
    ``SpanR@k = |C_k n E| / |E|``. E is the union of the judged spans, and C_k the union of the
    first k retrieved spans. Lengths are in the unit of the start and end of spans.

    Range: 0 to 1. Needs: judgments by spans, runs of spans. No relevant documents: 0. Unjudged: not
    evidence.

    References
    ----------
    .. [1] Smith, Troynikov. Evaluating chunking strategies for retrieval. Chroma technical report,
       2024. https://research.trychroma.com/evaluating-chunking

    Examples
    --------
    The evidence is [10, 30). The first span contains half of it, and the second span contains all
    of it:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> spans = pd.DataFrame({"topic": "1", "doc": "a", "start": [10], "end": [30], "grade": 1})
    >>> run = {"topic": "1", "doc": "a", "start": [0, 10], "end": [20, 30], "rank": [1, 2]}
    >>> ir.cube(pd.DataFrame(run), spans).ireval.score("SpanR").to_numpy().ravel()
    array([0.5, 1. ])
    """

    spans = True

    def kernel(self, *, covered: Floats, evidence: Floats) -> Floats:
        """Return the share of the evidence found at each depth."""
        return covered / positive(evidence)


@dataclass(frozen=True, kw_only=True, repr=False)
class TBG(Thresholded):
    """Time-biased gain.

    The gain of a document decays with the time that users need to reach the document. Users read
    the summary of each document, and then click on the summary with a probability that is higher
    for relevant documents. The time to read a document increases with the length of the document.
    After `half_life` seconds, half of the users have stopped.

    Parameters
    ----------
    half_life
        Seconds after which half of the users have stopped, above 0.
    summary
        Seconds to read a summary.
    per_word, per_document
        Coefficients of the time to read a document. A document of l words takes ``per_word l +
        per_document`` seconds.
    click, click_nonrelevant
        Probability of a click on the summary of a relevant document, and of a non-relevant
        document.
    save
        Probability that users save a relevant document that they read.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``TBG @ 10``.
    judged_only
        Not supported, because reading unjudged text takes time.

    Notes
    -----
    ``TBG@k = sum_(i<=k) b_i P(click) P(save) 2^(-T(i) / h)``. b_i is 1 if the document at rank i is
    relevant and 0 otherwise, and h is `half_life`. T(i) is the sum of ``summary + (per_word l +
    per_document) P(click)`` over the documents above rank i, where l is the length of a document in
    words. The defaults are those of the paper: h = 224 s, 4.4 s for a summary, 0.018 l + 7.8 s for
    a document, P(click) = 0.64 for relevant and 0.39 for other documents, and P(save) = 0.77. The
    gain of a relevant document without delay is therefore 0.64 x 0.77 = 0.4928.

    Range: 0 upwards. Needs: grades, lengths of documents. No relevant documents: 0. Unjudged: not
    relevant.

    References
    ----------
    .. [1] Smucker, Clarke. Time-based calibration of effectiveness measures. SIGIR 2012.
       doi:10.1145/2348283.2348300

    Examples
    --------
    Users reach the first document after 0 seconds. The gain of the second document is lower,
    because users first read the first document:

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
        """Return the cumulative gain at each depth."""
        clicked = np.where(relevant, self.click, self.click_nonrelevant)
        seconds = self.summary + (self.per_word * length + self.per_document) * clicked
        # users reach a document before they read it, so its own time is not part of the delay
        until = np.cumsum(seconds, axis=-1) - seconds
        gained = relevant * (self.click * self.save) * 2.0 ** (-until / self.half_life)
        return np.asarray(np.cumsum(gained, axis=-1))


@dataclass(frozen=True, kw_only=True, repr=False)
class U(Thresholded):
    """U-measure: gain that decays with the amount of text read.

    Users read the documents in the order of their ranks. The gain of a document decreases linearly
    with the amount of text read down to the end of the document. The gain is 0 if the amount
    exceeds `patience`.

    Parameters
    ----------
    gain
        Gain map.
    patience
        Maximum amount of text L that users read, above 0, in the unit of the lengths. The default,
        132,000 characters, is the value in the paper.
    norm
        Divisor of the sum, above 0.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, usually written ``U @ 10``.
    judged_only
        Not supported, because unjudged text is part of the text read.

    Notes
    -----
    ``U@k = (1/N) sum_(i<=k) G(i) max(0, 1 - pos(i) / L)``, where G(i) is the gain at rank i, N is
    `norm`, and pos(i) is the total length of the documents at ranks 1 to i.

    Range: 0 upwards. Needs: grades, lengths of documents. No relevant documents: 0. Unjudged: gain
    0.

    References
    ----------
    .. [1] Sakai, Dou. Summaries, ranked retrieval and sessions: a unified framework for information
       access evaluation. SIGIR 2013. doi:10.1145/2484028.2484031

    Examples
    --------
    The relevant document ends after 25 of the maximum of 100 words:

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
        """Return the normalised sum of decayed gains at each depth."""
        decay = np.maximum(0, 1 - np.cumsum(length, axis=-1) / self.patience)
        return np.asarray(np.cumsum(gain * decay, axis=-1) / self.norm)
