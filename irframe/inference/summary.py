"""Scores of systems over topics."""

from typing import overload

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.checks import level
from irframe.cubes.as_scores import as_scores, index_roles
from irframe.cubes.tables import to_scores
from irframe.cubes.verb import verb
from irframe.inference.averages import moments
from irframe.metrics.facts import facts
from irframe.names import METRIC, SYSTEM


@overload
def summary(scores: pd.DataFrame, by: str | None = None, alpha: float = 0.05) -> pd.DataFrame: ...
@overload
def summary(scores: xr.DataArray, by: str | None = None, alpha: float = 0.05) -> xr.Dataset: ...
@verb
def summary(
    scores: xr.DataArray | pd.DataFrame, by: str | None = None, alpha: float = 0.05
) -> xr.Dataset | pd.DataFrame:
    """Say how each system does on average, and how sure that is.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    by
        A coordinate or index level such as ``"track"``: one summary per group.
    alpha
        One minus the confidence level of the intervals, between 0 and 1.

    Returns
    -------
    pandas.DataFrame or xarray.Dataset
        ``mean``, ``ci_low``, ``ci_high`` and ``n``, the number of topics with a score. For a
        frame of scores a frame indexed by metric and system, for an array a dataset over
        (metric, system, depth); the group comes first if `by` is given. Metrics that count
        (`NumRet`, `NumRel`, `NumRelRet`, `NumNonrelJudgedRet`, `NumQ`) are added up: their total
        stands under ``mean``, without an interval. `InverseASL` is averaged harmonically, `GMAP`
        and `GMBpref` geometrically, also without one.

    Raises
    ------
    ParameterError
        If alpha is outside (0, 1), or there is no such group.

    Notes
    -----
    The interval is Student's, ``mean -+ t(1 - alpha/2, n - 1) s / sqrt(n)``. Topics without a
    score (NaN) are left out and not counted in ``n``.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {"system": "s", "topic": ["1", "2"], "measure": "AP", "value": [0.25, 0.75]}
    ... )
    >>> summary(scores)
                   mean    ci_low   ci_high  n
    metric system
    AP     s        0.5 -2.676551  3.676551  2
    """
    level(alpha)
    return like_scores(summarise(to_scores(scores), alpha), scores)


def like_scores(
    result: xr.Dataset, scores: xr.DataArray | pd.DataFrame
) -> xr.Dataset | pd.DataFrame:
    """Return what was found of each system: of a frame of scores as a frame, with its names."""
    if isinstance(scores, xr.DataArray):
        return result
    frame = result.to_dataframe()
    frame.attrs = dict(result.attrs)
    return frame.rename_axis(index={SYSTEM: index_roles(as_scores(scores))[SYSTEM]})


def summarise(scores: xr.DataArray, alpha: float) -> xr.Dataset:
    """Return what `summary` says, of scores as an array."""
    found = moments(scores)
    n, mean = found["n"], found["mean"]
    single = [facts(name).summary == "mean" for name in scores[METRIC].to_numpy()]
    freedom = (n - 1).where(n > 1)
    factor = xr.apply_ufunc(
        lambda freedom: scipy.special.stdtrit(freedom, 1 - alpha / 2), freedom, dask="parallelized"
    )
    spread = np.sqrt(found["squares"] / freedom / n)
    half = (factor * spread).where(xr.DataArray(single, dims=METRIC))
    parts = {"mean": mean, "ci_low": mean - half, "ci_high": mean + half, "n": n}
    result = xr.Dataset(parts)
    return result.drop_vars([name for name in result.coords if name not in result.dims])
