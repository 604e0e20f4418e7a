"""What the numbers of a table are: which averages, over how many topics, at which depths."""

from typing import Any

import numpy as np
import pandas as pd

from irframe.metrics.facts import facts
from irframe.names import TOPIC, counted, low_to_high, plural
from irframe.stops import Axis

SHOWN = 4
"""How many depths are listed."""
AVERAGES = {"sum": "totals", "harmonic": "harmonic means", "geometric": "geometric means"}
"""How scores are averaged -> what the averages are called; others are means."""


def means_text(metrics: pd.Series, topics: pd.Series) -> str:
    """Say what stands in a table, which counts add up and some metrics average otherwise."""
    kinds: dict[str, list[str]] = {}
    for label in metrics.map(str).unique():
        kinds.setdefault(AVERAGES.get(facts(label).summary, "means"), []).append(label)
    said = [f"{kind} of {', '.join(of)}" if len(kinds) > 1 else kind for kind, of in kinds.items()]
    return f"{'; '.join(said)} over {topics_text(topics)}"


def low_to_high_of(numbers: Any) -> str:
    """Return the lowest and the highest of some whole numbers, or the one that all are."""
    return low_to_high(int(np.min(numbers)), int(np.max(numbers)))


def topics_text(numbers: Any) -> str:
    """Say of how many topics there are numbers: one count, or the fewest and the most.

    Examples
    --------
    >>> topics_text([16, 16]), topics_text([1])
    ('16 topics', '1 topic')
    """
    return counted(low_to_high_of(numbers), TOPIC)


def depths_text(result: pd.DataFrame, axis: Axis) -> str:
    """Say at which depths a frame looks, or other stops, and nothing where it does not say."""
    if axis.dim not in result or result[axis.dim].isna().any():
        return ""
    stops = sorted(result[axis.dim].unique())
    if len(stops) > SHOWN:
        many = f"{len(stops)} {plural(axis.dim)}" + f" of {axis.unit}" * bool(axis.unit)
        return f"{many} from {stops[0]} to {stops[-1]}"
    return " and ".join(axis.describe(axis.stop_text, stop) for stop in stops)
