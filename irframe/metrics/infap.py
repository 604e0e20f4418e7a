"""Incomplete judgments: what is judged alone, and what is inferred from samples of the pool."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Average, Thresholded, parameter
from irframe.metrics.block import count_above, count_to
from irframe.metrics.positions import positive
from irframe.metrics.subtopics import EPSILON, LONGEST, Strata


@dataclass(frozen=True, kw_only=True, repr=False)
class Bpref(Thresholded):
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
    >>> Bpref().curve([1, None, 0, 1])
    array([0.5, 0.5, 0.5, 0.5])
    >>> Bpref().curve([1, None, 1])
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


POOLED_UNJUDGED = -1
"""The grade that marks a document as pooled and not judged."""


@dataclass(frozen=True, kw_only=True, repr=False)
class InfAP(Thresholded):
    """Average precision as inferred from a random sample of the pool, or of each of its strata.

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
    For a relevant document at rank i the precision above it is estimated as
    ``(pooled above / (i-1)) * (relevant above + e) / (judged above + 2e)`` with e = 0.00001.
    Grades below 0 mark documents that were pooled and left out of the sample; unlisted documents
    were not pooled. On complete judgments of the whole list it is close to AP. So has trec_eval it.

    Where judgments have a column `stratum`, it is xinfAP, the ``infAP`` of NIST's sample_eval.pl:
    ``1/i + sum over strata c of (c above / i) * (relevant of c above + e) / (judged of c above +
    3e)``, averaged over the judged relevant documents, each of which counts N_c / n_c times, the
    documents of its stratum by those judged. Lists are read to rank 1000; where more documents are
    expected to be relevant, the sum is divided by 1000, as in the script from 2012 on. A stratum of
    which nothing was judged is left out, with a warning. On complete judgments it is AP.

    Range: 0 to 1, for strata seldom above. Needs: grades, R. No relevant documents: 0. Unjudged:
    outside the pool.

    References
    ----------
    .. [1] Yilmaz, Aslam. Estimating average precision with incomplete and imperfect judgments.
       CIKM 2006. doi:10.1145/1183614.1183633
    .. [2] Yilmaz, Kanoulas, Aslam. A simple and efficient sampling method for estimating AP and
       NDCG. SIGIR 2008. doi:10.1145/1390334.1390437

    Examples
    --------
    >>> import irframe as ir
    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1, "b": -1, "c": 1}}
    >>> ir.cube(run, qrels).ireval.score("InfAP").to_numpy().ravel().round(4)
    array([0.5, 0.5, 1. ])
    """

    aliases = ("infAP", "xinfAP")

    def parts(
        self,
        *,
        relevant: Array,
        judged: Array,
        assessed: Array,
        rank: Floats,
        n_relevant: Array,
        strata: Strata,
    ) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        if strata.given:
            expected = strata.relevant_above(relevant, assessed)
            counted = strata.at_rank(strata.worth) * relevant
            total = np.minimum(strata.estimated_relevant(self.rel), LONGEST)
        else:
            share = (count_above(relevant) + EPSILON) / (count_above(assessed) + 2 * EPSILON)
            expected, counted, total = count_above(judged) * share, relevant, n_relevant
        return (1 + expected) / rank * counted, positive(total)


@dataclass(frozen=True, kw_only=True, repr=False)
class InfNDCG(Thresholded):
    """Normalised discounted gain as inferred from random samples of the strata of the pool.

    Parameters
    ----------
    gain
        Gain map.
    ideal
        Of what the ideal ranking is made: ``"full"``, all documents that are expected to have
        gain, as NIST's sample_eval.pl has it, or ``"judged"``, as many of them as the depth, as
        `nDCG` has it.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``DCG@k = sum over strata c of (c within k) / (judged of c within k) * sum of G(i) / log2(1+i)``
    over the judged documents of c, divided by the same of the ideal ranking of as many documents of
    each grade as are expected, ``N_g = sum over strata of (judged at the grade) N_c / n_c``. No
    number is rounded: a grade that follows on s documents has the ranks s + 1, s + 2, ... up to
    s + N_g. Lists and the ideal are read to rank 1000. So has it NIST's script as TRECVID has used
    it since 2012; an edition of 2011 rounds N_g. A stratum of which nothing was judged is left
    out, with a warning. Strata are those of a column `stratum` of the judgments; without one the
    pool of a topic is one. Grades below 0 mark documents that were pooled and left out of the
    sample; unlisted ones were not pooled. On complete judgments it is nDCG with the same `ideal`.

    Range: 0 upwards, seldom above 1. Needs: grades, the recall base. No relevant documents: 0.
    Unjudged: outside the pool.

    References
    ----------
    .. [1] Yilmaz, Kanoulas, Aslam. A simple and efficient sampling method for estimating AP and
       NDCG. SIGIR 2008. doi:10.1145/1390334.1390437

    Examples
    --------
    What is found of two judged documents is expected of the third one, too:

    >>> import irframe as ir
    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1, "b": -1, "c": 0}}
    >>> ir.cube(run, qrels).ireval.score("InfNDCG").to_numpy().ravel()
    array([1. , 2. , 1.5])
    """

    gain: Gain = parameter("linear")
    ideal: Literal["full", "judged"] = parameter("full", choices=("full", "judged"))

    range = (0.0, np.inf)
    aliases = ("infNDCG",)

    def uncut(self) -> "InfNDCG":
        """Return the metric by all that is relevant, whatever the depth."""
        return replace(self, ideal="full")

    def kernel(
        self, *, gain: Floats, assessed: Array, rank: Floats, strata: Strata, estimated_ideal: Array
    ) -> Floats:
        """Return the share of the ideal discounted gain at each depth."""
        return strata.inflated(gain * assessed / np.log2(1 + rank), assessed) / estimated_ideal
