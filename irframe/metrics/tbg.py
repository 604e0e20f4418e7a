"""Time-biased gain."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class TBG(Metric):
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
    documents above: ``summary + (per_word l + per_document) P(click)`` each, of the lengths in
    words that ``length=`` tells. The defaults are the paper's: h = 224 s, 4.4 s for a summary,
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
    >>> cube = ir.cube(run, {"1": {"a": 1, "b": 1}}, length="words")
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
    rel: int = parameter(1, low=1, high=127)

    range = (0.0, float("inf"))
    timed = True

    def kernel(self, *, relevant: Array, length: Floats) -> Floats:
        """Return the gain down to each depth."""
        clicked = np.where(relevant, self.click, self.click_nonrelevant)
        seconds = self.summary + (self.per_word * length + self.per_document) * clicked
        until = np.cumsum(seconds, axis=-1) - seconds
        gained = relevant * (self.click * self.save) * 2.0 ** (-until / self.half_life)
        return np.asarray(np.cumsum(gained, axis=-1))
