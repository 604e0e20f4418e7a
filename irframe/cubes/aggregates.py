"""Summary rows among the topics of score tables.

trec_eval and ndeval print a mean or a sum over topics as one more topic, such as ``all``.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.errors import warn
from irframe.experiments.topic_design import LABELS
from irframe.metrics.facts import FLOOR
from irframe.names import SYSTEM, TOPIC

GEOMETRIC = "gmean"
AGGREGATES = frozenset(("all", "amean", "mean", GEOMETRIC))
"""What other tools call the row of all topics."""
RUNID = "runid"
"""Name of trec_eval's line with the name of the run."""
PRINTED = 1.1e-4
"""Largest rounding error of a mean of values with four decimals."""


def without_aggregates(wide: pd.DataFrame, roles: dict[str, Any]) -> pd.DataFrame:
    """Return scores without rows that summarise the other topics.

    Such a row has the mean or the sum of the values of the other topics.

    Parameters
    ----------
    wide
        A column per metric, systems and topics in the index.
    roles
        The index levels of systems and topics.

    Warns
    -----
    IrframeWarning
        For rows that are left out.

    Examples
    --------
    >>> import warnings
    >>> index = pd.MultiIndex.from_product([["a"], ["1", "2", "all"]], names=["system", "topic"])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     rows = without_aggregates(
    ...         pd.DataFrame({"AP": [0.2, 0.4, 0.3]}, index), {"system": "system", "topic": "topic"}
    ...     )
    >>> rows["AP"].tolist()
    [0.2, 0.4]
    """
    topics = wide.index.get_level_values(roles[TOPIC])
    named = [label for label in wide.index.unique(roles[TOPIC]) if _named_so(label)]
    if not named:
        return wide
    keys = [name for name in wide.index.names if name not in {roles[TOPIC], *LABELS}]
    numbers = wide.select_dtypes("number")
    others = numbers[~topics.isin(named)].groupby(level=keys, sort=False)
    if not others.ngroups or not numbers.shape[1]:
        return wide
    found = []
    for label in named:
        rows = numbers[topics == label]
        rows = rows.droplevel([name for name in rows.index.names if name not in keys])
        expected = [
            of_groups.reindex(rows.index).to_numpy(float)
            for of_groups in (others.mean(), others.sum(), others.agg(_geometric))
        ]
        found += [label] * _summarises(label, rows.to_numpy(float), expected)
    _warn_left_out(found)
    kept = pd.DataFrame(wide[~topics.isin(found)]) if found else wide
    kept.attrs = dict(wide.attrs)
    return kept


def array_without_aggregates(scores: xr.DataArray) -> xr.DataArray:
    """Return an array without topics that summarise the other topics."""
    named = [label for label in scores[TOPIC].to_numpy() if _named_so(label)]
    if not named or getattr(scores, "chunks", None) is not None:
        return scores
    kept = scores.sel({TOPIC: ~scores[TOPIC].isin(named)})
    if not kept.sizes[TOPIC] or not scores.sizes[SYSTEM]:
        return scores
    logs: xr.DataArray = xr.apply_ufunc(np.log, kept.clip(min=FLOOR))
    geometric: xr.DataArray = xr.apply_ufunc(np.exp, logs.mean(TOPIC))
    dims = [dim for dim in scores.dims if dim != TOPIC]
    every: list[xr.DataArray] = [kept.mean(TOPIC), kept.sum(TOPIC), geometric]
    expected = [part.transpose(*dims).to_numpy() for part in every]
    of_topic = {label: scores.sel({TOPIC: label}).transpose(*dims).to_numpy() for label in named}
    found = [label for label in named if _summarises(label, of_topic[label], expected)]
    _warn_left_out(found)
    return scores.sel({TOPIC: ~scores[TOPIC].isin(found)}) if found else scores


def _named_so(label: Any) -> bool:
    return isinstance(label, str) and label.lower() in AGGREGATES


def _geometric(column: "pd.Series[Any]") -> float:
    return float(np.exp(np.log(np.maximum(column.dropna(), FLOOR)).mean()))


def _summarises(label: str, values: Array, expected: list[Array]) -> bool:
    """Return whether all values summarise those of the other topics.

    The name of the row says which summary: geometric means, or means and sums.
    """
    mean, total, geometric = expected
    allowed = [geometric] if label.lower() == GEOMETRIC else [mean, total]
    near = [np.isclose(values, each, rtol=1e-6, atol=PRINTED) for each in allowed]
    lacking = np.isnan(values) | np.isnan(mean)
    return bool((~lacking).any() and (np.any(near, axis=0) | lacking).all())


def _warn_left_out(found: Iterable[Any]) -> None:
    if found:
        warn(f"rows that summarise the other topics are left out: {', '.join(map(str, found))}")
