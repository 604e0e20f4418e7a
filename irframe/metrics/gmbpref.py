"""Binary preference, averaged geometrically."""

from dataclasses import dataclass
from typing import ClassVar

from irframe.metrics.bpref import Bpref


@dataclass(frozen=True, kw_only=True, repr=False)
class GMBpref(Bpref):
    """Binary preference, whose mean over topics is geometric: low scores weigh most.

    Parameters
    ----------
    variant
        As for `Bpref`.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    A topic scores as under `Bpref`; what differs is the mean over topics,
    ``exp(mean of ln max(bpref, 0.00001))``. Means, and with them the order of systems, are
    geometric in `summary`, `compare` and all ratios; their tests are of the scores by topic, as for
    `Bpref`.

    Range: 0 to 1. Needs: grades, R, N. No relevant documents: 0. Unjudged: ignored.

    References
    ----------
    .. [1] Robertson. On GMAP: and other transformations. CIKM 2006. doi:10.1145/1183614.1183630

    Examples
    --------
    >>> from irframe.metrics import GMBpref
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(GMBpref(), [1, None, 1])
    array([0.5, 0.5, 1. ])
    """

    aliases: ClassVar = ("gm_bpref", "GMBPref")
    summary: ClassVar = "geometric"
