"""Search lengths for the first or for all relevant documents."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.checks import check_int
from irframe.errors import MetricError
from irframe.metrics.base import Thresholded, parameter
from irframe.metrics.reading import HORIZON, Reading
from irframe.quantities.block import count_to

Unretrieved = Literal["irrel", "irrel+1"] | int
UNRETRIEVED: tuple[str, ...] = get_args(get_args(Unretrieved)[0])
"""Named options for the search length of a document that was not retrieved."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ASL(Thresholded):
    """Atomized search length: mean search length over the relevant documents.

    The search length of a relevant document is the number of documents that a user reads until the
    document is found. Other relevant documents are not counted.

    Parameters
    ----------
    first
        Number of relevant documents to average over, at least 1. The default is all relevant
        documents. Documents are taken in rank order, and those that were not retrieved come last.
        ``ASL(first=10)`` is the metric ASL@g1-10 of the paper.
    unretrieved
        Search length of a relevant document that was not retrieved. ``"irrel"`` is the number of
        irrelevant documents in the list, as in the paper. ``"irrel+1"`` adds 1, so that a relevant
        document at the last rank scores better than one that was not retrieved. An integer of at
        least 1 is the search length for lists of any length. With ``"irrel"`` and ``"irrel+1"``,
        shorter lists may score better.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``ASL@k = (1/n) sum_d SL(d)`` over all n = R relevant judged documents, or over the first n =
    min(R, `first`). The search length SL(d) is 1 + the number of irrelevant documents above d.

    A perfect list scores 1. With ``"irrel"``, a list without irrelevant documents scores below 1 if
    relevant documents are missing.

    Range: 0 upwards, lower is better. Needs: grades, number of relevant documents, list length. No
    relevant documents: NaN. Unjudged: irrelevant.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    At rank 5, the two retrieved relevant documents have the search lengths 1 and 3. The third
    relevant document was not retrieved and has the search length 3:

    >>> from irframe.metrics import ASL
    >>> ASL().curve([1, 0, None, 2, 0, 1], listed=[1, 1, 1, 1, 1, 0])[:5].round(4)
    array([0.3333, 1.    , 1.6667, 2.    , 2.3333])
    >>> ASL(first=2).curve([1, 0, None, 2, 0, 1], listed=[1, 1, 1, 1, 1, 0])[:5]
    array([0.5, 1. , 1.5, 2. , 2. ])
    """

    first: int | None = None
    unretrieved: Unretrieved = parameter("irrel", choices=UNRETRIEVED, low=1)

    sees_length = True
    favours_short = True
    aliases = ("AtomizedSearchLength",)
    cost = True
    order = "relevance"
    range = (0.0, np.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first is not None:
            check_int("first", self.first, low=1, error=MetricError)

    def kernel(
        self,
        *,
        relevant: Array,
        found: Floats,
        search_length: Floats,
        missing_length: Floats,
        n_relevant: Array,
    ) -> Floats:
        """Return the mean search length at each depth."""
        n = np.where(n_relevant > 0, n_relevant, np.nan)
        if self.first is not None:
            relevant = relevant & (found <= self.first)
            n = np.minimum(n, self.first)
        total = np.cumsum(search_length * relevant, axis=-1)
        # with `first`, more documents may be found than the score averages over
        return (total + np.maximum(n - found, 0) * missing_length) / n


@dataclass(frozen=True, kw_only=True, repr=False)
class AtomizedP(Thresholded):
    """Mean reciprocal search length over the relevant documents.

    Parameters
    ----------
    mean
        Mean over the documents of a topic. Alex, Hall and Metzler transform MAP into ASL in several
        steps. ``"arithmetic"`` is the step "atomize P", and ``"harmonic"`` is the next step,
        "aggregate documents within query".
    unretrieved
        Search length of a relevant document that was not retrieved, as for `ASL`.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is the arithmetic or harmonic mean of ``1 / SL(d)`` over the R relevant judged
    documents. SL(d) is the search length as defined for `ASL`. A search length of 0 is replaced by
    1.

    Range: 0 to 1. Needs: grades, number of relevant documents, list length. No relevant documents:
    NaN. Unjudged: irrelevant.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Section 4.4.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    The search lengths are 1, 3 and 3:

    >>> from irframe.metrics import AtomizedP
    >>> AtomizedP().curve([1, 0, None, 2, 0, 1], listed=[1, 1, 1, 1, 1, 0])[4:5].round(4)
    array([0.5556])
    >>> harmonic = AtomizedP(mean="harmonic")
    >>> harmonic.curve([1, 0, None, 2, 0, 1], listed=[1, 1, 1, 1, 1, 0])[4:5].round(4)
    array([0.4286])
    """

    mean: str = parameter("arithmetic", choices=("arithmetic", "harmonic"))
    unretrieved: Unretrieved = parameter("irrel", choices=UNRETRIEVED, low=1)

    sees_length = True
    favours_short = True
    order = "relevance"
    fillings = "list"

    def kernel(
        self,
        *,
        relevant: Array,
        found: Floats,
        search_length: Floats,
        missing_length: Floats,
        n_relevant: Array,
    ) -> Floats:
        """Return the mean reciprocal search length at each depth."""
        n = np.where(n_relevant > 0, n_relevant, np.nan)
        # the harmonic mean of 1 / SL(d) is the number of documents divided by the sum of SL(d)
        power = 1 if self.mean == "harmonic" else -1
        inside = np.cumsum(search_length**power * relevant, axis=-1)
        total = inside + (n - found) * np.maximum(missing_length, 1) ** power
        return np.asarray(n / total if self.mean == "harmonic" else total / n)


@dataclass(frozen=True, kw_only=True, repr=False)
class InverseASL(Thresholded):
    """Reciprocal of the mean search length.

    Parameters
    ----------
    unretrieved
        Search length of a relevant document that was not retrieved, as for `ASL`.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score of a topic is ``R / sum_d SL(d)``, where R is the number of relevant judged documents
    and SL(d) the search length as defined for `ASL`. A search length of 0 is replaced by 1. The
    score equals that of ``AtomizedP(mean="harmonic")``. Scores are averaged over topics by the
    harmonic mean, which is the step "aggregate rates across queries" from MAP to ASL in the paper.
    If no search length is 0, the harmonic mean is the reciprocal of the mean ASL.

    Range: 0 to 1. Needs: grades, number of relevant documents, list length. No relevant documents:
    NaN. Unjudged: irrelevant.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Section 4.4.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    The search lengths are 1, 3 and 3:

    >>> from irframe.metrics import InverseASL
    >>> InverseASL().curve([1, 0, None, 2, 0, 1], listed=[1, 1, 1, 1, 1, 0])[4:5].round(4)
    array([0.4286])
    """

    unretrieved: Unretrieved = parameter("irrel", choices=UNRETRIEVED, low=1)

    sees_length = True
    favours_short = True
    average = "harmonic"
    order = "relevance"
    fillings = "list"
    mean = "harmonic"

    kernel = AtomizedP.kernel


@dataclass(frozen=True, kw_only=True, repr=False)
class ESL(Thresholded):
    """Expected search length: the rank of the first relevant document.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``ESL @ 100``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``ESL@k = rank of the first relevant document``. The score is NaN if the rank of the first
    relevant document exceeds k. Lists without a relevant document therefore have no score, and
    means are taken over the topics with a score. Compare two systems only on topics on which both
    have a score, as `irframe.verbs.outcomes` does.

    Range: 1 to the depth, lower is better. Needs: grades. No relevant documents: NaN. Unjudged: not
    relevant.

    References
    ----------
    .. [1] Cooper. Expected search length: a single measure of retrieval effectiveness based on
       the weak ordering action of retrieval systems. American Documentation 19, 1968.
       doi:10.1002/asi.5090190108
    .. [2] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? SIGIR 2021. Section 4. doi:10.1145/3404835.3463034

    Examples
    --------
    >>> from irframe.metrics import ESL
    >>> ESL().curve([0, 1, 1])
    array([nan,  2.,  2.])
    """

    favours_short = True
    cost = True
    order = "relevance"
    range = (1.0, np.inf)

    def kernel(self, *, relevant: Array, rank: Floats) -> Floats:
        """Return the rank of the first relevant document, or NaN."""
        first = 1 + np.argmax(relevant, axis=-1, keepdims=True)
        reached = (rank >= first) & relevant.any(axis=-1, keepdims=True)
        return np.where(reached, first, np.nan)

    def expected(self, *, first_chance: Floats, rank: Floats) -> Floats:
        """Return the mean over the tie orders with a score."""
        reached = np.cumsum(first_chance, axis=-1)
        return np.cumsum(first_chance * rank, axis=-1) / np.where(reached > 0, reached, np.nan)


@dataclass(frozen=True, kw_only=True, repr=False)
class RR(Thresholded):
    """Reciprocal rank of the first relevant document (mean: MRR).

    The score is 1 if the first relevant document is at rank 1, 1/2 at rank 2, and 1/3 at rank 3.
    Documents below the first relevant document have no effect on the score.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``RR @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``RR@k = 1 / rank of the first relevant document``. The score is 0 if the rank of the first
    relevant document exceeds k.

    Range: 0 to 1. Needs: grades. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Voorhees. The TREC-8 question answering track report. TREC 1999.
       doi:10.6028/NIST.SP.500-246.qa-overview

    Examples
    --------
    >>> from irframe.metrics import RR
    >>> RR().curve([0, 1, 1])
    array([0. , 0.5, 0.5])
    """

    aliases = ("MRR", "mean_reciprocal_rank")
    least_topics = 8
    order = "relevance"

    def kernel(self, *, relevant: Array, rank: Floats) -> Floats:
        """Return the reciprocal rank of the first relevant document."""
        first = 1 + relevant.argmax(axis=-1, keepdims=True)
        reached = (rank >= first) & relevant.any(axis=-1, keepdims=True)
        return np.where(reached, 1 / first, 0.0)

    def expected(self, *, first_chance: Floats, rank: Floats) -> Floats:
        """Return the mean score over all orders of tied documents."""
        return np.asarray(np.cumsum(first_chance / rank, axis=-1))

    def terms(self, *, relevant: Array, found: Floats, rank: Floats) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray((relevant & (found == 1)) / rank)

    def reading(self, *, found: Floats, relevant: Array, rank: Floats) -> Reading:
        """Return gain and cost down to the first relevant document."""
        stops = np.minimum(found, 1)
        first = 1.0 + np.argmax(relevant, axis=-1, keepdims=True)
        # users who find no relevant document read down to the horizon, or to a larger depth
        horizon = np.maximum(rank, HORIZON)
        return Reading(stops, np.where(found > 0, first, horizon), 0.0, (1 - stops) * horizon)

    def ceiling(self, *, relevant: Array, unjudged: Array, rank: Floats) -> Floats:
        """Return the reciprocal rank if unjudged documents were relevant."""
        return self.kernel(relevant=relevant | unjudged, rank=rank)


@dataclass(frozen=True, kw_only=True, repr=False)
class Success(Thresholded):
    """Success: whether a relevant document was retrieved (hit rate).

    The score is 1 if a relevant document is among the first k documents, and 0 otherwise. The mean
    over topics is called the hit rate.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Success @ 5``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``Success@k = [found(k) > 0]``, where found(k) is the number of relevant documents among the
    first k.

    Range: 0 or 1. Needs: grades. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Craswell. Success at n. Encyclopedia of Database Systems, 2009.
       doi:10.1007/978-0-387-39940-9_486

    Examples
    --------
    >>> from irframe.metrics import Success
    >>> Success().curve([0, 1, 0])
    array([0., 1., 1.])
    """

    aliases = ("HitRate",)
    order = "relevance"

    def kernel(self, *, found: Floats) -> Floats:
        """Return 1 from the first relevant document on."""
        return (found > 0).astype(np.float64)

    def expected(self, *, first_chance: Floats) -> Floats:
        """Return the mean score over all orders of tied documents."""
        return np.asarray(np.cumsum(first_chance, axis=-1))

    def terms(self, *, relevant: Array, found: Floats) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray(relevant & (found == 1), np.float64)

    def ceiling(self, *, found: Floats, unjudged: Array) -> Floats:
        """Return 1 from the first relevant or unjudged document on."""
        return self.kernel(found=found + count_to(unjudged))
