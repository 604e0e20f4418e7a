"""Pairs of documents in order: accuracy, and binary preference."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Average, Graded, parameter
from irframe.metrics.block import count_to
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class Accuracy(Graded):
    """How often a relevant document stands above one that is not, of those retrieved.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The share of the pairs of a relevant document and one that is not, both retrieved, in which the
    relevant one is first. It says nothing of what was missed: cutting a list may raise it.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: NaN, as where all or none of
    the documents retrieved are relevant. Unjudged: not relevant.

    References
    ----------
    .. [1] MacAvaney, Macdonald, Ounis. Streamlining evaluation with ir-measures. ECIR 2022.
       doi:10.1007/978-3-030-99739-7_38

    Examples
    --------
    >>> from irframe.metrics import Accuracy
    >>>     >>> score_ranking(Accuracy(), [1, 0, 1])
    array([nan, 1. , 0.5])
    """

    sees_length = True

    def kernel(self, *, relevant: Array, found: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the share of pairs in order down to each depth."""
        pairs = found * (seen - found)
        wrong = np.cumsum(relevant * (rank - found), axis=-1)
        return np.asarray(1 - wrong / np.where(pairs > 0, pairs, np.nan))


@dataclass(frozen=True, kw_only=True, repr=False)
class Bpref(Graded):
    """How rarely judged non-relevant documents rank above relevant ones.

    Only judged documents count, so that it suffers less than others where judgments are incomplete.
    Each relevant document loses by the share of judged non-relevant ones above it.

    Parameters
    ----------
    variant
        ``"trec"``: as trec_eval; ``"2004"``: as first published, with R below the fraction.
    rel
        Lowest relevant grade, at least 1.
    average
        How topics are averaged: ``"mean"``, or ``"geometric"``, by which low scores weigh most
        (GMBpref), as for `AP`.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``bpref = (1/R) sum over retrieved relevant documents of
    1 - min(n_above, R) / min(R, N)``, with n_above the judged non-relevant documents above and
    N those of the topic; ``"2004"`` divides by R instead of min(R, N).

    Range: 0 to 1. Needs: grades, R, N. No relevant documents: 0. Unjudged: ignored, and with it
    grades below 0, which trec_eval takes for pooled but not judged.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000
    .. [2] Robertson. On GMAP: and other transformations. CIKM 2006. doi:10.1145/1183614.1183630

    Examples
    --------
    The unjudged document (None) does not count, the judged non-relevant one does:

    >>> from irframe.metrics import Bpref
    >>>     >>> score_ranking(Bpref(), [1, None, 0, 1])
    array([0.5, 0.5, 0.5, 0.5])
    >>> score_ranking(Bpref(), [1, None, 1])
    array([0.5, 0.5, 1. ])
    """

    variant: Literal["trec", "2004"] = parameter("trec", choices=("trec", "2004"))
    average: Average = parameter("mean", choices=get_args(Average))  # type: ignore[misc]

    aliases = ("BPref", "bpref")
    order = "preference"

    def parts(
        self, *, relevant: Array, assessed: Array, n_relevant: Array, n_nonrelevant: Array
    ) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        above = count_to(assessed & ~relevant)
        limit = n_relevant if self.variant == "2004" else np.minimum(n_relevant, n_nonrelevant)
        kept = (1 - np.minimum(above, n_relevant) / positive(limit)) * relevant
        return kept, positive(n_relevant)
