"""What is said of the topics on which some system has no score."""

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.errors import InputError, ParameterError
from irframe.scores.scores import Scores
from irframe.warned import listing


def left_out(scores: Scores) -> list[str]:
    """Say which topics are left out, and whether only one remains.

    Raises
    ------
    ParameterError
        If a metric has no topics to compare systems on.
    """
    counted = scores.scored.sum(axis=1).min(axis=1, initial=len(scores.topics))
    without = [label for label, count in zip(scores.metrics, counted, strict=True) if not count]
    if without:
        advice = "leave out the systems that lack scores, or these metrics"
        raise ParameterError("topics on which every system has a score", "none", advice, without)
    dropped = [
        _dropped(label, scores.topics, ~there.all(axis=1))
        for label, there in zip(scores.metrics, scores.scored, strict=True)
        if not there.all()
    ]
    messages = []
    if dropped:
        found = "; ".join(dropped)
        messages.append(f"topics on which some system has no score are left out: {found}")
    if len(counted) and counted.min() == 1:
        messages.append("systems are compared on a single topic, which cannot show a difference")
    return messages


def _dropped(label: str, topics: pd.Index, missing: Array) -> str:
    return f"{missing.sum()} of {len(topics)} for {label} ({listing(topics[missing])})"


def refuse_infinite(metrics: list[str], scores: Array) -> None:
    """Raise if scores, metrics first, are infinite."""
    rows = zip(metrics, scores, strict=True)
    infinite = [metric for metric, values in rows if np.isinf(values).any()]
    if infinite:
        raise InputError("finite scores to compare systems by", "infinite ones", "", infinite)
