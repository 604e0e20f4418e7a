"""Between which values the mean of a system may be on all topics like these."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy

from irframe.errors import warn
from irframe.metrics.averaging import TIE
from irframe.metrics.facts import facts
from irframe.names import METRIC, SYSTEM
from irframe.scores.cautions import caution, few_topics
from irframe.scores.dask_work import at_once, is_lazy
from irframe.scores.scores import Scores
from irframe.warned import listing

Array = Any
"""An array of numpy, or a lazy one."""
INTERVALS = ("logit", "t")
"""How intervals of means are made."""
ROUNDING = 8 * np.finfo(np.float64).eps
"""Relative to the mean: a standard deviation no larger is none."""


def mean_intervals(
    scores: Scores, found: Sequence[Any], alpha: float, interval: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return means with their intervals, and warn of those that have none or hold less often.

    Parameters
    ----------
    scores
        Scores.
    found
        What `moments` says of them.
    alpha
        One minus the confidence level.
    interval
        One of `INTERVALS`.

    Returns
    -------
    dict, dict
        ``mean``, ``ci_low``, ``ci_high`` and ``n``, each of shape (metric, system, depth); and
        attributes that say which intervals these are, and what to beware of.
    """
    n, mean, _ = found
    shares = np.array([interval == "logit" and facts(name).share for name in scores.metrics])
    outside = (scores.values < -(10.0**-TIE)) | (scores.values > 1 + 10.0**-TIE)
    beyond = outside.any(axis=(1, 2, 3))
    names = {METRIC: scores.metrics, SYSTEM: scores.systems}
    compute = partial(_ends, alpha=alpha, shares=shares, names=names)
    ends = at_once(compute, *found, beyond, shape=(2, *mean.shape))
    parts = {"mean": mean, "ci_low": ends[0], "ci_high": ends[1], "n": n}
    attributes = {"interval": "logit" if shares.any() else "t"}
    messages = [] if is_lazy(ends) else _cautions(n, mean, ends, names)
    return parts, attributes | caution(messages)


def _ends(
    n: Array, mean: Array, squares: Array, beyond: Array, *, alpha: float, shares: Array, names: Any
) -> Array:
    """Return lower and upper ends, shape (2, metric, system, ...), and warn of what they lack."""
    freedom = np.where(n > 1, n - 1.0, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(squares / freedom / n)
        known = (error * np.sqrt(n) > ROUNDING * abs(mean)) & _averaged(mean, names)
        half = np.where(known, scipy.special.stdtrit(freedom, 1 - alpha / 2) * error, np.nan)
        inside = np.where((mean > 0) & (mean < 1), mean, np.nan)
        reach = half / (inside * (1 - inside))
        curved = scipy.special.expit(scipy.special.logit(inside) + np.stack([-reach, reach]))
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
