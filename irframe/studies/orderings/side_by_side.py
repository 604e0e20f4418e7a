"""Two systems side by side, topic by topic."""

from collections.abc import Hashable

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.score import score
from irframe.cubes.verb import read_depth, refuse_deeper, verb
from irframe.errors import ParameterError, warn
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.metrics import Metric
from irframe.metrics.facts import TIE
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.studies.orderings.binding import is_bound
from irframe.studies.orderings.orderings import GainLike, orderings, ranking_gains


@verb
def side_by_side(
    cube: xr.Dataset,
    a: Hashable,
    b: Hashable,
    *metrics: Metrics,
    depth: int | None = None,
    gain: GainLike = "binary",
    rel: int = 1,
    by: str | None = None,
) -> xr.Dataset:
    """Show two systems topic by topic: rankings, innate orderings, score differences.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    a, b
        The two systems.
    metrics
        Metrics or their names, of which the differences of a and b are wanted. One with a depth
        of its own is scored there.
    depth
        Evaluation depth of orderings and metrics, at most that of the cube, the default.
    gain, rel
        Gain map and lowest relevant grade of the orderings. They bind only metrics that see the
        same gains: nDCG with linear gain may contradict an ordering by binary gain.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

    Returns
    -------
    xarray.Dataset
        What `orderings` gives for the pair, topics in the order of the display, with the
        rankings ``gain_a`` and ``gain_b`` (topic, depth), as shares of the highest gain, and
        ``difference`` (metric, topic), the score of a less that of b.

    Raises
    ------
    DepthError
        For a metric whose own depth is beyond `depth`.
    IrframeError
        As `orderings` and `score`.

    Warns
    -----
    IrframeWarning
        If the orderings do not bind some of the metrics, naming them.

    Notes
    -----
    Topics stand in five groups, the closest calls in the middle: ``**ns``, longest non-separable
    first, then ``ns``, decided earliest first, then equal, then ``ni``, decided latest first, then
    ``**ni``, longest non-separable last. What remains tied is ordered by when it was decided in the
    same way, then as in the cube.

    Sums of gain by rank (P, Recall, RBP, DCG, nDCG) are bound by orderings with their gains;
    metrics of the ranks of relevant documents (AP, RR, ...), ERR and Q only where a document
    either gains or does not. Metrics that see the length of a list are not bound.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 5 and 6. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> pair = side_by_side(ir.cube(*ir.example_track()), "monot5", "bm25", "P", "RR", depth=5)
    >>> pair["difference"][:, -3:].round(2).to_numpy().tolist()
    [[0.8, 0.4, 0.0], [0.75, 1.0, 0.67]]
    """
    deepest = read_depth(cube, depth)
    chosen = parse_metrics(metrics) if metrics else []
    refuse_deeper(chosen, deepest)
    if a is None or b is None:
        raise ParameterError("two systems to line up", f"{a!r} and {b!r}")
    pair = orderings(cube, a, b, depth=deepest, gain=gain, rel=rel)
    both = cube.sel({SYSTEM: [a, b], TOPIC: pair[TOPIC]})
    gains = ranking_gains(both, deepest, gain=gain, rel=rel).astype(np.float64)
    gains /= max(gains.max(), 1.0)
    pair = pair.assign(gain_a=((TOPIC, DEPTH), gains[0]), gain_b=((TOPIC, DEPTH), gains[1]))
    if chosen:
        _warn_unbound(
            [metric for metric in chosen if not is_bound(cube, metric, gain=gain, rel=rel)]
        )
        scores = score(both, *chosen, at=deepest).to_numpy()[..., 0]
        difference = np.round(scores[:, 0] - scores[:, 1], TIE) + 0.0
        labels = [str(metric) for metric in chosen]
        pair = pair.assign(difference=((METRIC, TOPIC), difference)).assign_coords({METRIC: labels})
    return pair.isel({TOPIC: _display_order(pair)})


def _warn_unbound(metrics: list[Metric]) -> None:
    if metrics:
        named = ", ".join(map(str, metrics))
        warn(f"metrics that the orderings do not bind, and that may contradict them: {named}")


def _display_order(pair: xr.Dataset) -> NDArray[np.intp]:
    """Return the places of the topics, in five groups, closest calls in the middle."""
    last = pair.sizes[DEPTH]
    decided, split = (
        np.where(first > 0, first, last + 1)
        for first in (pair["first_decided"].to_numpy(), pair["first_nonseparable"].to_numpy())
    )
    sign = pair["sign"].to_numpy().astype(np.int64)
    group = sign * (1 + (split <= last))
    return np.lexsort([-decided * sign, -split * sign, group])
