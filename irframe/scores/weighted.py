"""Scores whose topics count more or less than others, as frequent queries do."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from irframe.errors import MetricError, ParameterError, warn
from irframe.scores.scores import Scores
from irframe.warned import listing

LEAST, LEAST_DRAWN = 5, 10
"""Topics of equal weight below which tests of weighted means, and resamples, do not hold."""


def weighted(scores: Scores, weights: Any) -> Scores:
    """Return scores whose topics have weights; without weights the same.

    Parameters
    ----------
    scores
        Scores, in memory.
    weights
        Topic -> weight, a Series or mapping, at least 0; of more topics than these, too. Or None.

    Returns
    -------
    Scores
        Those of the topics with a weight above 0.

    Raises
    ------
    ParameterError
        For topics without a weight, weights that are negative, infinite or no numbers, and where
        all are 0.
    MetricError
        For metrics that are not averaged plainly over topics.

    Warns
    -----
    IrframeWarning
        Of topics of weight 0, which do not count.
    """
    if weights is None:
        return scores
    refused = [
        name for name, each in zip(scores.metrics, scores.summaries, strict=True) if each != "mean"
    ]
    if refused:
        raise MetricError(
            "metrics that are averaged plainly over topics, for weights=", "", "", refused
        )
    values = _numbers(pd.Series(weights), scores.topics)
    nothing = scores.topics[values == 0]
    if len(nothing) == len(values):
        raise ParameterError("some weight above 0", f"none for {len(values)} topics", "", nothing)
    if len(nothing):
        warn(f"topics of weight 0 do not count: {listing(map(str, nothing))}")
    kept = np.flatnonzero(values)
    found = replace(scores, weights=values / values.max())
    return found.take(topic=kept) if len(nothing) else found


def effective(scores: Scores) -> Any:
    """Return how many topics of equal weight those with scores are as good as, (metric, depth)."""
    weights: Any = scores.weights
    heavy = np.where(scores.scored, weights[:, np.newaxis], 0.0)
    with np.errstate(invalid="ignore"):
        return heavy.sum(axis=1) ** 2 / (heavy**2).sum(axis=1)


def beware_of_weights(scores: Scores, topics: Any, *, drawn: bool = False) -> list[str]:
    """Say where weights leave too few topics, or one of them more than half.

    Parameters
    ----------
    scores
        Scores; without weights nothing is to be said.
    topics
        How many topics of equal weight they are as good as.
    drawn
        Whether topics are drawn with replacement, which takes more of them.
    """
    if scores.weights is None or not np.isfinite(topics).any():
        return []
    found, least = [], LEAST_DRAWN if drawn else LEAST
    fewest, heaviest = np.nanmin(topics), scores.weights.max() / scores.weights.sum()
    if fewest < least:
        what = "resamples" if drawn else "tests and intervals"
        found.append(
            f"{what} hold less often than they say where topics with weights are as good as "
            f"fewer than {least} of equal weight: {fewest:.3g}"
        )
    if heaviest > 0.5:
        found.append(f"one topic has {100 * heaviest:.3g}% of the weight")
    return found


def _numbers(weights: pd.Series, topics: pd.Index) -> Any:
    """Return the weight of every topic, each a number of at least 0."""
    missing = topics[~topics.isin(weights.index)]
    if len(missing):
        raise ParameterError("a weight for every topic", f"none for {len(missing)}", "", missing)
    own = weights.reindex(topics)
    values = pd.to_numeric(own, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        named = [f"{topic} ({value})" for topic, value in own[wrong].items()]
        wanted = "weights that are finite numbers of at least 0"
        raise ParameterError(wanted, f"{len(named)} that are not", "", named)
    return values
