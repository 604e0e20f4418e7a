"""What figures of judges share: the choice of one judge, metric and depth."""

from collections.abc import Hashable
from typing import Any

import xarray as xr

from irframe.errors import InputError, ParameterError
from irframe.names import DEPTH, METRIC

CONCLUSION_COLOURS = {
    "kept": "#0072B2",
    "lost": "#E69F00",
    "new": "#56B4E9",
    "reversed": "#D55E00",
    "neither": "#E3E7EB",
}
"""What becomes of a pair of systems -> its colour."""


def only_judge(effect: xr.Dataset, judge: Hashable | None, metric: Any) -> xr.Dataset:
    """Return what one judge does to the conclusions by one metric.

    Parameters
    ----------
    effect
        What `irframe.judge_effect` gives.
    judge, metric
        Which ones; may be left out where there is only one.

    Raises
    ------
    InputError
        For another dataset.
    ParameterError
        If a choice is unknown or open, listing what there is.
    """
    if not {"conclusions", "rank", "reference_rank"} <= set(effect.data_vars):
        raise InputError("what judge_effect gives", "another dataset")
    chosen = None if metric is None else str(metric)
    for dim, label in (("judge", judge), (METRIC, chosen)):
        effect = only_label(effect, dim, label)
    return effect


def only_label(effect: xr.Dataset, dim: str, label: Any) -> xr.Dataset:
    """Return what has one label; it may be left out where there is only one."""
    if dim not in effect.dims:
        return effect
    known = effect[dim].to_numpy().tolist()
    if label is None and len(known) == 1:
        return effect.isel({dim: 0})
    if label not in known:
        found = "none chosen" if label is None else repr(label)
        raise ParameterError(f"{dim}= to be one of those there are", found, "", known)
    return effect.isel({dim: known.index(label)})


def deepest(effect: xr.Dataset, depth: int | None) -> xr.Dataset:
    """Return one depth, by default the greatest."""
    if depth is None and DEPTH in effect.dims:
        depth = int(effect[DEPTH].max())
    return only_label(effect, DEPTH, depth)
