"""U-measure."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class U(Metric):
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
    document i, by the lengths that ``length=`` tells.

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
    >>> cube = ir.cube(run, {"1": {"b": 1}}, length="words")
    >>> cube.ireval.score("U(patience=100)").to_numpy().ravel()
    array([0.  , 0.75])
    """

    gain: Gain = parameter("linear")
    patience: float = parameter(132000.0, above=0)
    norm: float = parameter(1.0, above=0)
    rel: int = parameter(1, low=1, high=127)

    aliases = ("UMeasure",)
    range = (0.0, float("inf"))
    timed = True

    def kernel(self, *, gain: Floats, length: Floats) -> Floats:
        """Return the decayed gain down to each depth."""
        left = np.maximum(0, 1 - np.cumsum(length, axis=-1) / self.patience)
        return np.asarray(np.cumsum(gain * left, axis=-1) / self.norm)
