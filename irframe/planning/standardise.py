"""Scores relative to how hard a topic is."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, places
from irframe.cubes.score_table import ScoreLike, ScoreTable, read_score_table, to_scores
from irframe.cubes.verb import verb
from irframe.errors import MetricError, ParameterError, warn
from irframe.experiments.group_columns import GroupBy
from irframe.metrics.facts import facts
from irframe.names import METRIC, METRICS, SYSTEM, TOPIC
from irframe.planning.components import ROUNDING
from irframe.scores.averages import metric_labels
from irframe.scores.read_scores import refuse_infinite
from irframe.stops import axis_of
from irframe.warned import listing

TO_UNIT: dict[str, Callable[[Array], Array]] = {
    "z": lambda z: z,
    "normal": scipy.special.ndtr,
    "uniform": lambda z: np.clip(0.15 * z + 0.5, 0, 1),
}
"""What becomes of standard scores."""


@verb
def standardise(
    scores: xr.DataArray | pd.DataFrame,
    method: Literal["z", "normal", "uniform"] = "z",
    *,
    reference: Hashable | Sequence[Hashable] | xr.DataArray | pd.DataFrame | None = None,
    by: GroupBy | None = None,
) -> xr.DataArray | pd.DataFrame:
    """Measure scores by what systems score on the same topic, so that all topics weigh alike.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    method
        ``"z"``, how many standard deviations a score is above the mean of the reference systems;
        ``"normal"`` or ``"uniform"``, the share of systems that would score less if they were
        distributed so, 0 to 1 (N-std and U-std of [3]_).
    reference
        The systems that topics are measured by: one or several of the scores, or other scores, of
        any systems, with the metrics, topics and depths of the scores. By default all systems of
        the scores.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group. Reference scores are split alike.

    Returns
    -------
    xarray.DataArray or pandas.DataFrame
        An array for an array, a wide frame with the index of the scores for a frame. Higher is
        better where it is for the metric, lower for a cost. NaN where there is no score, and on
        topics on which reference systems do not differ.

    Raises
    ------
    ParameterError
        For an unknown method or system, fewer than two reference systems, or reference scores that
        lack metrics, topics or depths.
    MetricError
        For metrics that are not averaged arithmetically over topics.
    InputError
        For infinite scores.

    Warns
    -----
    IrframeWarning
        If topics have no standard scores because reference systems do not differ, or only one has
        a score.

    Notes
    -----
    With m and s the mean and standard deviation (n - 1 below) of the reference systems on the
    topic, at each depth for itself, ``z = (x - m) / s``; ``"normal"`` is ``Phi(z)``, ``"uniform"``
    ``.15 z + .5``, no less than 0 and no more than 1, as in [2]_ and [3]_: 3 1/3 standard
    deviations above the mean is 1.

    References
    ----------
    .. [1] Webber, Moffat, Zobel. Score standardization for inter-collection comparison of
       retrieval systems. SIGIR 2008. doi:10.1145/1390334.1390346
    .. [2] Sakai. A simple and effective approach to score standardisation. ICTIR 2016.
       doi:10.1145/2970398.2970399
    .. [3] Urbano, Lima, Hanjalic. A new perspective on score standardization. SIGIR 2019.
       doi:10.1145/3331184.3331315

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {
    ...         "system": ["bm25"] * 2 + ["ance"] * 2 + ["splade"] * 2,
    ...         "topic": ["hard", "easy"] * 3,
    ...         "measure": "AP",
    ...         "value": [0.125, 0.5, 0.25, 0.75, 0.375, 1.0],
    ...     }
    ... )
    >>> standardise(scores)["AP"].unstack("topic").round(3)
    topic   easy  hard
    system
    ance     0.0   0.0
    bm25    -1.0  -1.0
    splade   1.0   1.0
    """
    choice("method", method, TO_UNIT)
    array = to_scores(scores).compute()
    _refuse_others(array)
    values = _reference(array, reference).to_numpy()
    there = ~np.isnan(values)
    n = there.sum(axis=1, keepdims=True).astype(float)
    n[n < 2] = np.nan
    mean = np.where(there, values, 0).sum(axis=1, keepdims=True) / n
    off = np.where(there, values - mean, 0)
    spread = np.sqrt(np.square(off).sum(axis=1, keepdims=True) / (n - 1))
    largest = np.where(there, np.abs(values), 0).max(axis=1, keepdims=True)
    spread[~(spread > ROUNDING * largest)] = np.nan
    _tell_constant(array, spread)
    result = array.copy(data=TO_UNIT[method]((array.to_numpy() - mean) / spread))
    result = result.assign_attrs(standardised=method)
    table = read_score_table(scores)
    return result if table.rows is None else _as_frame(result, table)


def _refuse_others(array: xr.DataArray) -> None:
    """Raise for metrics whose scores no standard score can stand for."""
    labels = metric_labels(array)
    others = [label for label in labels if facts(label).summary != "mean"]
    if others:
        raise MetricError("metrics averaged arithmetically over topics", "", "", others)
    refuse_infinite(labels, array.to_numpy())


def _reference(array: xr.DataArray, reference: Any) -> xr.DataArray:
    """Return the scores that topics are measured by, aligned but for the systems.

    Labels that they lack are named.
    """
    if isinstance(reference, ScoreLike):
        other = to_scores(reference).compute()
        _refuse_others(other)
        if axis_of(array).dim in {*array.dims} ^ {*other.dims}:
            raise ParameterError("reference scores by depth where scores are", "one of both")
        for dim in [dim for dim in array.dims if dim != SYSTEM]:
            known = other.indexes[dim].tolist()
            wanted = f"a {dim} of the reference scores"
            other = other.isel({dim: places(wanted, array[dim].to_numpy(), known)})
    elif reference is None:
        other = array
    else:
        systems = array.indexes[SYSTEM].tolist()
        other = array.isel({SYSTEM: places("reference systems of the scores", reference, systems)})
    if other.sizes[SYSTEM] < 2:
        raise ParameterError("at least two reference systems", str(other.sizes[SYSTEM]))
    return other


def _tell_constant(array: xr.DataArray, spread: Array) -> None:
    """Warn of topics that have scores, but no standard scores."""
    scored = array.notnull().any(SYSTEM).to_numpy()
    lost = (scored & np.isnan(spread[:, 0])).any(axis=tuple(range(2, scored.ndim)))
    for metric, topics in zip(metric_labels(array), np.atleast_2d(lost), strict=True):
        names = array.indexes[TOPIC][topics].astype(str)
        if len(names):
            where = f" at some {dim}" if (dim := axis_of(array).dim) in array.dims else ""
            warn(
                f"{metric} has no standard scores{where} on {len(names)} topics, where reference "
                f"systems do not differ: {listing(names)}"
            )


def _as_frame(scores: xr.DataArray, table: ScoreTable) -> pd.DataFrame:
    """Return scores as a frame with a row wherever that which they came in has one."""
    rows, columns = np.asarray(table.rows), table.labels[METRIC]
    there = rows >= 0
    order = np.argsort(rows[there])
    index = table.index.take(rows[there][order])
    frame = pd.DataFrame(scores.to_numpy()[:, there].T[order], index, columns)
    frame.attrs = {**table.attrs, METRICS: [*columns], **scores.attrs}
    return frame
