"""The best system by every metric."""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.verb import verb
from irframe.metrics.facts import best_first, facts
from irframe.names import METRIC, SYSTEM
from irframe.scores.averages import averages, by_depth, metric_labels
from irframe.scores.scores import Depths


@verb
def best_systems(
    scores: xr.DataArray | pd.DataFrame, *, by: str | None = None, at: Depths = None
) -> pd.DataFrame:
    """Name the best system by every metric, and its score: how well the task is solved.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    by
        A coordinate or index level such as ``"track"``: a row per group.
    at
        Depth, of those scored, or several, which a column ``depth`` tells apart; by default the
        greatest.

    Returns
    -------
    pandas.DataFrame
        A row per group and metric: the group, if `by` is given; ``metric``; ``system``, the
        first one if several are best, equal but for rounding; ``value``, its mean over topics with
        a score. Without any score both are missing.

    Raises
    ------
    ParameterError
        If there is no such group.
    DepthError
        For a depth that was not scored.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Figs. 1-4.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["AP", "ASL"])
    >>> scores.ireval.best_systems().round(3)
      metric  system   value
    0     AP  monot5   0.475
    1    ASL  monot5  14.150
    """
    return by_depth(_best, scores, at)


def _best(scores: xr.DataArray) -> pd.DataFrame:
    means = averages(scores)
    rows = []
    for name, row in zip(metric_labels(means), means.to_numpy(), strict=True):
        best = int(best_first(row, facts(name).sign)[0])
        scored = not np.isnan(row).all()
        rows.append((name, means.indexes[SYSTEM][best] if scored else None, row[best]))
    return pd.DataFrame(rows, columns=[METRIC, SYSTEM, "value"])
