"""Average precision, averaged geometrically."""

from dataclasses import dataclass
from typing import ClassVar

from irframe.metrics.ap import AP


@dataclass(frozen=True, kw_only=True, repr=False)
class GMAP(AP):
    """Average precision, whose mean over topics is geometric: low scores weigh most.

    Parameters
    ----------
    norm
        What the sum is divided by, as for `AP`.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    A topic scores as under `AP`; what differs is the mean over topics,
    ``exp(mean of ln max(AP, 0.00001))``. Means, and with them the order of systems, are geometric
    in `summary`, `compare` and all ratios; their tests are of the scores by topic, as for `AP`.

    Range: 0 to 1. Needs: grades, R; for ``"pool"`` the contributing runs. No relevant
    documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Robertson. On GMAP: and other transformations. CIKM 2006. doi:10.1145/1183614.1183630

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> summary = cube.ireval.score("AP", "GMAP", at=50).ireval.summary()
    >>> summary["mean"].sel(system="bm25", depth=50).round(3).values.tolist()
    [0.163, 0.14]
    """

    aliases: ClassVar = ("gm_map",)
    summary: ClassVar = "geometric"
