"""How much less error one system leaves than another."""

from collections.abc import Hashable
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.verb import against, verb
from irframe.errors import InputError
from irframe.experiments.group_columns import GroupBy
from irframe.metrics.facts import facts
from irframe.names import METRIC, SYSTEM, TOPIC
from irframe.scores.averages import averages, by_depth, metric_labels, tell_left_out
from irframe.scores.read_scores import Depths


@verb
def rrie(
    scores: xr.DataArray | pd.DataFrame,
    *,
    baseline: Hashable,
    at: Depths = None,
    by: GroupBy | None = None,
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
        Depth, of those scored, or several, named in a column ``depth``; by default the
        greatest.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group, labelled with the group.

    Returns
    -------
    pandas.DataFrame
        A row per metric and other system: ``metric``, ``baseline``, ``system``, their means
        ``old`` and ``new`` over the topics on which every system has a score, and ``rrie``, the
        relative reduction in error: 1 if the system is perfect, 0 if it is as good as the
        baseline, negative if it is worse, NaN if the baseline leaves no error to reduce: if it
        is perfect, or beyond (an ASL below 1, as empty lists have it; a gain above 1).

    Raises
    ------
    ParameterError
        If the baseline is not among the systems, or is the only one.
    InputError
        If there is no topic on which every system has a score.
    DepthError
        For a depth that was not scored.

    Warns
    -----
    IrframeWarning
        If topics are left out because only some systems have a score on them.

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
    >>> rrie(scores, baseline="bm25")
      metric baseline  system     old     new   rrie
    0   P@20     bm25  neural   0.456   0.594  0.254
    1    ASL     bm25  neural  39.000  27.000  0.316
    """
    return by_depth(partial(_removed, baseline=baseline), scores, at)


def _removed(scores: xr.DataArray, baseline: Hashable) -> pd.DataFrame:
    array = _on_shared_topics(scores)
    systems, metrics = array.indexes[SYSTEM], metric_labels(array)
    row, others = against(systems.tolist(), baseline, None)
    means = averages(array).to_numpy()
    old, new = np.repeat(means[:, row], len(others)), means[:, others].ravel()
    cost = np.repeat([facts(metric).cost for metric in metrics], len(others))
    error = np.where(cost, old - 1, 1 - old)
    removed = np.where(cost, old - new, new - old)
    return pd.DataFrame(
        {
            METRIC: np.repeat(metrics, len(others)),
            "baseline": baseline,
            SYSTEM: systems.take(np.tile(others, len(metrics))),
            "old": old,
            "new": new,
            "rrie": removed / np.where(error > 0, error, np.nan),
        }
    )


def _on_shared_topics(scores: xr.DataArray) -> xr.DataArray:
    """Return scores, NaN on topics on which some system has none, by metric."""
    there = scores.notnull()
    shared = there.all(SYSTEM)
    labels, kept = metric_labels(scores), shared.any(TOPIC).to_numpy()
    without = [label for label, keep in zip(labels, kept, strict=True) if not keep]
    if without:
        raise InputError("topics on which every system has a score", "none", "", without)
    tell_left_out(labels, (there.any(SYSTEM) & ~shared).sum(TOPIC).to_numpy())
    return scores.where(shared)
