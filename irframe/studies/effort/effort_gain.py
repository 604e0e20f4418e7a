"""Gain at what effort: where rankings stand on two metrics at once."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from irframe.cubes.score_arrays import to_scores
from irframe.cubes.verb import verb
from irframe.errors import InputError, ParameterError
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import TIE, place_of
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC

BORDERS = (0.25, 0.5, 0.75)
"""Where one class of effort ends and the next begins; also the quantiles of gain."""
REGIONS = ("diagonal", "high-high", "grey", "other")
"""Both metrics alike; high gain at high effort; the other cells above the diagonal; below it."""

_REGION = np.array(
    [
        [0, 3, 3, 3],
        [2, 0, 3, 3],
        [1, 1, 0, 3],
        [1, 1, 2, 0],
    ]
)
"""Region of every cell, gain from low to huge down, Twist from 0 to 1 across."""


@verb
def effort_gain(
    scores: xr.DataArray | pd.DataFrame,
    *,
    effort: Metric | MetricType | str = "Twist",
    quartiles: Any = None,
    by: str | None = None,
) -> xr.Dataset:
    """Say at what effort rankings reach their gain.

    Parameters
    ----------
    scores
        Scores per system and topic of an effort metric and of at least one gain metric: an
        array, by depth or not, of which the greatest depth counts, or a frame.
    effort
        The metric of effort, 1 for none wasted.
    quartiles
        The three borders between low, medium, high and huge gain; by default the quartiles of
        each metric's scores.
    by
        A coordinate of systems or topics, or an index level or column, such as ``"track"``: one
        result per group, labelled with the group.

    Returns
    -------
    xarray.Dataset
        For every gain metric: ``row`` and ``column`` (metric, system, topic), the cell from 1
        to 4 by gain and by effort, 0 where one of the two has no score; ``quadrant`` (metric,
        system, topic), the name of its region; ``cell`` (metric, gain, effort) and ``share``
        (metric, region), the shares of the points there; ``points`` (metric), their number;
        ``border`` (metric, quartile); and the scores themselves, ``gain_score`` (metric,
        system, topic) and ``effort_score`` (system, topic).

    Raises
    ------
    InputError
        If `effort` was not scored, or nothing else was, or a metric on no ranking that `effort`
        was scored on.
    ParameterError
        If the quartiles are no three ascending numbers.

    Notes
    -----
    Columns are [0, .25), [.25, .5), [.5, .75), [.75, 1]; a value on a border belongs to the
    higher cell, in rows as in columns, and 12 decimals decide. *diagonal*: row and column are the
    same; *high-high*: rows 3 and 4, columns 1 and 2, high gain at high effort; *grey*: the two
    other cells with more gain than effort saved, (2, 1) and (4, 3); *other*: the rest.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Figs. 7-10. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.verbs.score(ir.cube(*ir.example_track()), "Twist", "AP")
    >>> effort_gain(scores)["share"].isel(metric=0).to_series().round(2).to_dict()
    {'diagonal': 0.39, 'high-high': 0.32, 'grey': 0.23, 'other': 0.06}
    """
    array = to_scores(scores)
    array = array.isel({DEPTH: -1}) if DEPTH in array.dims else array
    labels = [str(label) for label in array[METRIC].to_numpy()]
    place = place_of(parse_metric(effort), labels)
    if place is None or len(labels) < 2:
        found = ", ".join(labels)
        raise InputError(f"scores of {effort} and of a gain metric", found, "score both")
    wanted = labels[place]
    effort_score = array.isel({METRIC: place}, drop=True)
    gains = array.isel({METRIC: [i for i, label in enumerate(labels) if label != wanted]})
    scored = (gains.notnull() & effort_score.notnull()).to_numpy()
    without = gains[METRIC].to_numpy()[~scored.any(axis=(1, 2))]
    if len(without):
        raise InputError(f"rankings with scores of {wanted} and the metric", "none", "", without)
    borders = _borders(gains, effort_score, quartiles)
    row = np.stack([_classes(b, g) for b, g in zip(borders, gains.to_numpy(), strict=True)])
    column = _classes(BORDERS, effort_score.to_numpy())
    cells = np.where(scored, [row, column + 0 * row], 0)
    return _tally(gains, effort_score, borders, cells).assign_attrs(effort=wanted)


def _classes(borders: ArrayLike, values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the class of every value, from 1; sums in another order are the same value."""
    ends, places = (np.round(np.asarray(each, float), TIE) for each in (borders, values))
    return np.asarray(1 + np.searchsorted(ends, places, side="right"), np.int64)


def _borders(gains: xr.DataArray, effort: xr.DataArray, quartiles: Any) -> NDArray[np.float64]:
    """Return the borders between the rows of every metric, shape (metric, 3)."""
    if quartiles is None:
        shared = gains.where(effort.notnull()).to_numpy().reshape(len(gains), -1)
        return np.stack([np.nanquantile(np.round(each, TIE), BORDERS) for each in shared])
    given = np.asarray(quartiles, float)
    if given.shape != (3,) or not (np.diff(given) >= 0).all():
        raise ParameterError("quartiles: three numbers in ascending order", repr(quartiles))
    return np.tile(given, (len(gains), 1))


def _tally(
    gains: xr.DataArray,
    effort: xr.DataArray,
    borders: NDArray[np.float64],
    cells: NDArray[np.int64],
) -> xr.Dataset:
    (row, column), kinds = cells, np.array([*REGIONS, ""])
    region = np.where(row > 0, _REGION[row - 1, column - 1], len(REGIONS))
    points = (row > 0).reshape(len(row), -1).sum(axis=1)
    flat = (row - 1) * 4 + column - 1
    counts = np.stack([np.bincount(f[r > 0], minlength=16) for f, r in zip(flat, row, strict=True)])
    cell = (counts / np.maximum(points, 1)[:, np.newaxis]).reshape(-1, 4, 4)
    share = np.stack([cell[:, code == _REGION].sum(axis=-1) for code in range(4)], axis=-1)
    place = (METRIC, SYSTEM, TOPIC)
    variables = {
        "row": (place, row.astype(np.int8)),
        "column": (place, column.astype(np.int8)),
        "quadrant": (place, kinds[region]),
        "cell": ((METRIC, "gain", "effort"), cell),
        "share": ((METRIC, "region"), share),
        "border": ((METRIC, "quartile"), borders),
        "points": (METRIC, points),
        "gain_score": gains,
        "effort_score": effort,
    }
    classes = [1, 2, 3, 4]
    coordinates = {"gain": classes, "effort": classes, "region": list(REGIONS)}
    return xr.Dataset(variables, coordinates)
