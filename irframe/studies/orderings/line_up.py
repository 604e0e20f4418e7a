"""Two systems side by side, topic by topic."""

from collections.abc import Hashable

import numpy as np
import xarray as xr

from irframe.cubes.score import parse_metrics, score
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.studies.orderings.orderings import (
    GainLike,
    compared_depth,
    display_order,
    orderings,
    ranking_gains,
)

TIE = 12
"""Decimals to which differences are rounded, so that equal scores differ by 0."""


def line_up(
    cube: xr.Dataset,
    a: Hashable,
    b: Hashable,
    *metrics: Metric | MetricType | str,
    depth: int | None = None,
    gain: GainLike = "binary",
    rel: int = 1,
) -> xr.Dataset:
    """Show two systems topic by topic: rankings, innate orderings, score differences.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    a, b
        The two systems.
    metrics
        Metrics or their names, of which the differences of a and b are wanted.
    depth
        Evaluation depth of orderings and metrics, at most that of the cube, the default.
    gain, rel
        Gain map and lowest relevant grade of the orderings. They bind only metrics that use the
        same: nDCG with linear gain may contradict an ordering by binary gain.

    Returns
    -------
    xarray.Dataset
        What `orderings` gives for the pair, topics in the order of `display_order`, with the
        rankings ``gain_a`` and ``gain_b`` (topic, depth), as shares of the highest gain, and
        ``difference`` (metric, topic), the score of a less that of b.

    Raises
    ------
    IrframeError
        As `orderings` and `score`.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 5 and 6. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> pair = line_up(ir.cube(*ir.example_track()), "monot5", "bm25", "P", "RR", depth=5)
    >>> pair["difference"][:, -3:].round(2).to_numpy().tolist()
    [[0.8, 0.4, 0.0], [0.75, 1.0, 0.67]]
    """
    deepest = compared_depth(cube, depth)
    pair = orderings(cube, a, b, depth=deepest, gain=gain, rel=rel)
    both = cube.isel({SYSTEM: [cube.indexes[SYSTEM].get_loc(system) for system in (a, b)]})
    gains = ranking_gains(both, deepest, gain=gain, rel=rel).astype(np.float64)
    gains /= max(gains.max(), 1.0)
    pair = pair.assign(
        gain_a=((TOPIC, DEPTH), gains[0]),
        gain_b=((TOPIC, DEPTH), gains[1]),
    )
    if metrics:
        chosen = parse_metrics(metrics)
        scores = score(both, *chosen, at=deepest).to_numpy()[..., 0]
        difference = np.round(scores[:, 0] - scores[:, 1], TIE) + 0.0
        labels = [str(metric) for metric in chosen]
        pair = pair.assign(difference=((METRIC, TOPIC), difference)).assign_coords({METRIC: labels})
    return pair.isel({TOPIC: display_order(pair)})
