"""How far the best system is from perfect, and how much of that way another one went."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cube.tables import score_groups
from irframe.names import METRIC, SYSTEM
from irframe.studies.averages import at_depth, averages, is_cost, metric_labels, position

__all__ = ["best_systems", "rrie"]


def best_systems(
    scores: xr.DataArray | pd.DataFrame, *, by: str | None = None, at: int | None = None
) -> pd.DataFrame:
    """Name the best system by every metric, and its score: how well the task is solved.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    by
        A coordinate or index level such as ``"track"``: a row per group.
    at
        Depth, of those scored; by default the greatest.

    Returns
    -------
    pandas.DataFrame
        A row per group and metric: the group, if `by` is given; ``metric``; ``system``, the
        first one if several are best; ``value``, its mean over topics with a score.

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
    if by is not None:
        parts = [(key, best_systems(part, at=at)) for key, part in score_groups(scores, by)]
        frames = [part.assign(**{by: key}) for key, part in parts]
        whole = pd.concat(frames, ignore_index=True)
        return whole[[by, *whole.columns.drop(by)]]
    means = averages(at_depth(scores, at))
    rows = []
    for name, row in zip(metric_labels(means), means.to_numpy(), strict=True):
        worst = np.inf if is_cost(name) else -np.inf
        ranked = np.where(np.isnan(row), worst, row)
        best = int(np.argmin(ranked) if is_cost(name) else np.argmax(ranked))
        rows.append((name, means.indexes[SYSTEM][best], row[best]))
    return pd.DataFrame(rows, columns=[METRIC, SYSTEM, "value"])


def rrie(
    scores: xr.DataArray | pd.DataFrame, baseline: Hashable, *, at: int | None = None
) -> pd.DataFrame:
    """Say what share of a baseline's error every other system removes.

    Parameters
    ----------
    scores
        Scores per system and topic by metrics for which 1 is perfect, be it the highest score
        (P, AP, nDCG, RR, ...) or the lowest cost (ASL, ESL): an array, or a frame, wide or long.
    baseline
        The system whose error counts.
    at
        Depth, of those scored; by default the greatest.

    Returns
    -------
    pandas.DataFrame
        A row per metric and other system: ``metric``, ``baseline``, ``system``, their means
        ``old`` and ``new``, and ``rrie``, the relative reduction in error: 1 if the system is
        perfect, 0 if it is as good as the baseline, negative if it is worse, NaN if the baseline
        is perfect.

    Raises
    ------
    ParameterError
        If the baseline is not among the systems.
    DepthError
        For a depth that was not scored.

    Notes
    -----
    ``RRIE = (old error - new error) / old error`` with the error ``1 - M`` for a metric M that
    is highest at 1 and ``M - 1`` for a cost, that is ``(new - old) / (1 - old)`` for either.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Eqs. 11, 12.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import pandas as pd
    >>> index = pd.MultiIndex.from_product([["bm25", "neural"], ["1"]], names=["system", "topic"])
    >>> scores = pd.DataFrame({"P@20": [0.456, 0.594], "ASL": [39, 27]}, index=index)
    >>> rrie(scores, "bm25").round(2)
      metric baseline  system    old    new  rrie
    0   P@20     bm25  neural   0.46   0.59  0.25
    1    ASL     bm25  neural  39.00  27.00  0.32
    """
    means = averages(at_depth(scores, at))
    systems = means.indexes[SYSTEM]
    row = position([str(name) for name in systems], baseline, "baseline")
    others = np.delete(np.arange(len(systems)), row)
    metrics = metric_labels(means)
    old = np.repeat(means.to_numpy()[:, row], len(others))
    new = means.to_numpy()[:, others].ravel()
    error = np.where(old == 1, np.nan, 1 - old)
    return pd.DataFrame(
        {
            METRIC: np.repeat(metrics, len(others)),
            "baseline": baseline,
            SYSTEM: systems.take(np.tile(others, len(metrics))),
            "old": old,
            "new": new,
            "rrie": (new - old) / error,
        }
    )
