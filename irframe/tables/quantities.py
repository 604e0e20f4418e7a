"""Text for the numbers of a table: averages, topics, depths."""

import pandas as pd
from numpy.typing import ArrayLike

from irframe.arrays import low_to_high
from irframe.metrics.facts import facts
from irframe.names import TOPIC, counted, plural
from irframe.stops import Axis

SHOWN = 4
"""The maximum number of depths that a caption lists."""
AVERAGES = {"sum": "totals", "harmonic": "harmonic means", "geometric": "geometric means"}
"""Mapping from kinds of averages to their names in captions. All other kinds are called means."""


def means_text(metrics: pd.Series, topics: pd.Series) -> str:
    """Name the averages in a table: means, totals, geometric means."""
    kinds: dict[str, list[str]] = {}
    for label in metrics.map(str).unique():
        kinds.setdefault(AVERAGES.get(facts(label).summary, "means"), []).append(label)
    texts = [f"{kind} of {', '.join(of)}" if len(kinds) > 1 else kind for kind, of in kinds.items()]
    return f"{'; '.join(texts)} over {topics_text(topics)}"


def topics_text(numbers: ArrayLike) -> str:
    """Return the number of topics, or its range.

    Examples
    --------
    >>> topics_text([16, 16]), topics_text([1])
    ('16 topics', '1 topic')
    """
    return counted(low_to_high(numbers), TOPIC)


def depths_text(result: pd.DataFrame, axis: Axis) -> str:
    """Name the depths, thresholds or budgets of a frame."""
    # metrics without a depth, such as AP, are missing in this column, which then is incomplete
    if axis.dim not in result or result[axis.dim].isna().any():
        return ""
    stops = sorted(result[axis.dim].unique())
    if len(stops) > SHOWN:
        many = f"{len(stops)} {plural(axis.dim)}" + f" of {axis.unit}" * bool(axis.unit)
        return f"{many} from {stops[0]} to {stops[-1]}"
    return " and ".join(axis.describe(axis.stop_text, stop) for stop in stops)
