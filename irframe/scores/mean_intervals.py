"""Between which values the mean of a system may be on all topics like these."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.errors import warn
from irframe.metrics.facts import TIE, Facts, facts
from irframe.names import METRIC, SYSTEM
from irframe.scores.cautions import caution, few_topics
from irframe.scores.scores import Scores
from irframe.scores.weighted import beware_of_weights
from irframe.warned import listing

INTERVALS = ("logit", "t")
"""How intervals of means are made."""
ROUNDING = 8 * np.finfo(np.float64).eps
"""Relative to the mean: a standard deviation no larger is none."""


def mean_intervals(
    scores: Scores, found: Sequence[Any], alpha: float, interval: str, *, drawn: bool = False
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
    drawn
        Whether topics are drawn besides.

    Returns
    -------
    dict, dict
        ``mean``, ``ci_low``, ``ci_high`` and ``n``, with weights ``n_eff``, each of shape (metric,
        system, depth); and attributes that say which intervals these are, and what to beware of.
    """
    n, mean, squares, *weighted = found
    freedom, *topics = weighted or [np.where(n > 1, n - 1.0, np.nan)]
    curved = ~_beyond(scores.values) if interval == "logit" else np.zeros(len(mean), bool)
    names = {METRIC: scores.metrics, SYSTEM: scores.systems}
    ends = _ends(n, mean, squares, freedom, curved, alpha=alpha, names=names)
    parts = {"mean": mean, "ci_low": ends[0], "ci_high": ends[1], "n": n}
    messages = _cautions(n, mean, ends, names)
    for message in messages:
        warn(message)
    if weighted:
        parts["n_eff"] = topics[0]
        heavy = beware_of_weights(scores, topics[0], drawn=drawn)
        messages += heavy
        for message in heavy:
            warn(message)
    return parts, {"interval": _told(curved, scores.metrics)} | caution(messages)


def _told(curved: Array, metrics: Sequence[str]) -> str:
    """Say which intervals means have: one word, or of which metrics they are Student's."""
    known = {
        name: bool(each)
        for name, each in zip(metrics, curved, strict=True)
        if facts(name).summary == "mean"
    }
    others = [name for name, each in known.items() if not each]
    if others and any(known.values()):
        return f"logit, but t of {', '.join(others)}"
    return "t" if others else "logit"


def _ends(
    n: Array,
    mean: Array,
    squares: Array,
    freedom: Array,
    curved: Array,
    *,
    alpha: float,
    names: Any,
) -> Array:
    """Return lower and upper ends, shape (2, metric, system, ...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(squares / np.where(n > 1, n - 1.0, np.nan) / n)
        known = (error * np.sqrt(n) > ROUNDING * abs(mean)) & _averaged(mean, names)
        half = np.where(known, scipy.special.stdtrit(freedom, 1 - alpha / 2) * error, np.nan)
    return ends_about(mean, half, curved)


def ends_about(mean: Array, half: Array, curved: Array) -> Array:
    """Return means less and plus something, of some metrics on the scale of log odds.

    Examples
    --------
    >>> ends_about(np.array([[0.9], [0.9]]), 0.2, np.array([True, False])).squeeze().round(2)
    array([[0.49, 0.7 ],
           [0.99, 1.1 ]])
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = np.where((mean > 0) & (mean < 1), mean, np.nan)
        reach = half / (inside * (1 - inside))
        odds = scipy.special.expit(scipy.special.logit(inside) + np.stack([-reach, reach]))
    return np.where(_along(curved, mean), odds, np.stack([mean - half, mean + half]))


def on_log_odds(metrics: Sequence[str], *values: Array) -> Array:
    """Tell the metrics whose means, with a model's help, are best seen on the scale of log odds.

    Scores are from 0 to 1, and of more than a few values, as those of RR are not.

    Examples
    --------
    >>> on_log_odds(["AP", "RR", "DCG"], np.full((3, 1, 1, 1), 0.5)).tolist()
    [True, False, False]
    """
    known = [facts(name) for name in metrics]
    allowed = np.array([each.share and each.least_topics <= Facts.least_topics for each in known])
    return np.asarray(allowed & ~np.any([_beyond(each) for each in values], axis=0))


def told_kinds(metrics: Sequence[str], curved: Array) -> str:
    """Say which intervals means have.

    Examples
    --------
    >>> told_kinds(["AP", "RR"], [True, False])
    'logit, t for RR'
    """
    others = [name for name, odds in zip(metrics, curved, strict=True) if not odds]
    if 0 < len(others) < len(metrics):
        return f"logit, t for {listing(others)}"
    return "t" if others else "logit"


def _beyond(values: Array) -> Array:
    """Tell the metrics with scores below 0 or above 1."""
    outside = (values < -(10.0**-TIE)) | (values > 1 + 10.0**-TIE)
    return np.asarray(outside.any(axis=(1, 2, 3)))


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
