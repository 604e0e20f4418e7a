"""How much of a baseline's error another system removes."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
import xarray as xr

from irframe.inference.averages import at_depth, averages, metric_labels, position
from irframe.names import METRIC, SYSTEM


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
