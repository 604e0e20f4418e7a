"""Frames that studies return, known by their columns."""

import pandas as pd

from irframe.names import METRIC, SYSTEM

RESULTS = (
    {"system_a", "system_b", "share_both"},
    {"system_a", "system_b", "outcome"},
    {"low", "high", "documents"},
    {METRIC, SYSTEM, "value"},
    {METRIC, SYSTEM, "rank_change"},
)
"""Columns of outcomes (both frames), histograms, best systems, and runs left out."""


def is_result(frame: pd.DataFrame) -> bool:
    """Return whether a frame comes from a study that has a figure.

    Examples
    --------
    >>> is_result(pd.DataFrame({"low": [1], "high": [9], "documents": [3]}))
    True
    """
    columns = set(frame.columns)
    return any(wanted <= columns for wanted in RESULTS)
