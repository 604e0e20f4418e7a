"""Between which values the mean of a system may be on all topics like these."""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit, logit, stdtrit

from irframe.errors import warn
from irframe.inference.cautions import few_topics, noted
from irframe.inference.lazily import at_once, is_lazy
from irframe.metrics.averaging import TIE
from irframe.metrics.facts import facts
from irframe.names import METRIC, SYSTEM
from irframe.warned import listing

Array = Any
"""An array of numpy, or a lazy one."""
INTERVALS = ("logit", "t")
"""How intervals of means are made."""
ROUNDING = 8 * np.finfo(np.float64).eps
"""Relative to the mean: a standard deviation no larger is none."""


def mean_intervals(
    scores: xr.DataArray, found: xr.Dataset, alpha: float, interval: str
) -> xr.Dataset:
    """Return means with their intervals, and warn of those that have none or hold less often.

    Parameters
    ----------
    scores
        Scores over metric, system and topic, and depth if there is one.
    found
        What `moments` says of them.
    alpha
        One minus the confidence level.
    interval
        One of `INTERVALS`.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``ci_low``, ``ci_high`` and ``n``.
    """
    n, mean = found["n"], found["mean"]
    labels = [str(name) for name in scores[METRIC].to_numpy()]
    shares = np.array([interval == "logit" and facts(name).share for name in labels])
    rest = [dim for dim in scores.dims if dim != METRIC]
    beyond = (scores.min(rest) < -(10.0**-TIE)) | (scores.max(rest) > 1 + 10.0**-TIE)
    dims = [METRIC, SYSTEM, *(dim for dim in mean.dims if dim not in {METRIC, SYSTEM})]
    parts = [part.transpose(*dims) for part in (n, mean, found["squares"])]
    names = {METRIC: labels, SYSTEM: scores[SYSTEM].to_numpy().tolist()}
    compute = partial(_ends, alpha=alpha, shares=shares, names=names)
    shape = (2, *parts[1].shape)
    ends = at_once(compute, *(part.data for part in parts), beyond.data, shape=shape)
    low, high = (parts[1].copy(data=end).transpose(*mean.dims) for end in ends)
    result = xr.Dataset({"mean": mean, "ci_low": low, "ci_high": high, "n": n})
    result.attrs["interval"] = "logit" if shares.any() else "t"
    if is_lazy(ends):
        return result
    counted, means, _ = (part.to_numpy() for part in parts)
    return noted(result, _cautions(counted, means, ends, names))


def _ends(
    n: Array, mean: Array, squares: Array, beyond: Array, *, alpha: float, shares: Array, names: Any
) -> Array:
    """Return lower and upper ends, shape (2, metric, system, ...), and warn of what they lack."""
    freedom = np.where(n > 1, n - 1.0, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(squares / freedom / n)
        known = (error * np.sqrt(n) > ROUNDING * abs(mean)) & _averaged(mean, names)
        half = np.where(known, stdtrit(freedom, 1 - alpha / 2) * error, np.nan)
        inside = np.where((mean > 0) & (mean < 1), mean, np.nan)
        reach = half / (inside * (1 - inside))
        curved = expit(logit(inside) + np.stack([-reach, reach]))
    within = _along(shares & ~beyond, mean)
    ends = np.where(within, curved, np.stack([mean - half, mean + half]))
    for message in _cautions(n, mean, ends, names):
        warn(message)
    return ends


def _averaged(mean: Array, names: Any) -> Array:
    """Tell the metrics whose means are those of single scores, shaped as the means."""
    single = [facts(label).summary == "mean" for label in names[METRIC]]
    return _along(np.array(single), mean)


def _along(flags: Array, values: Array) -> Array:
    return np.broadcast_to(flags.reshape(-1, *(1,) * (values.ndim - 1)), values.shape)


def _cautions(n: Array, mean: Array, ends: Array, names: Any) -> list[str]:
    """Say which means have no interval as all their scores are one, and which have too few."""
    lost = np.isnan(ends[0]) & ~np.isnan(mean) & (n > 1) & _averaged(mean, names)
    found = []
    if lost.any():
        places = np.argwhere(lost.reshape(*lost.shape[:2], -1).any(axis=-1))
        offenders = [f"{names[METRIC][row]} of {names[SYSTEM][column]}" for row, column in places]
        found.append(
            f"no interval where all scores are the same: {listing(dict.fromkeys(offenders))}"
        )
    each = {label: n[row][~np.isnan(mean[row])] for row, label in enumerate(names[METRIC])}
    return [*found, *few_topics(each)]
