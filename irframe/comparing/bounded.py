"""Comparisons of bounded scores: what holds whatever the unjudged documents are."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.comparing.decide import decide
from irframe.cubes.bounds import BOUND, SIDES
from irframe.cubes.by_group import groups
from irframe.metrics.facts import facts
from irframe.names import METRIC
from irframe.scores.pairs_of_systems import Baselines, choose_pairs
from irframe.scores.read_scores import Depths, scores_to_compare
from irframe.scores.scores import Scores

if TYPE_CHECKING:
    from irframe.comparing.pairwise import Asked

DECIDED = ("lowest", "highest", "decided", "better", "verdict_lowest", "verdict_highest")
"""Further columns where the scores are bounds, the last two where there is a margin."""


def of_bounds(
    bounds: xr.DataArray,
    frame: pd.DataFrame,
    asked: "Asked",
    *,
    baseline: Baselines,
    at: Depths,
    by: str | None,
) -> pd.DataFrame:
    """Return a comparison of the lower scores with what both bounds say of every row.

    Parameters
    ----------
    bounds
        Lower and upper scores.
    frame
        The comparison of the lower ones.
    asked
        What was asked of pairs.
    baseline, at, by
        As of the comparison.
    """
    compared = {None} if by is None else set(frame[by])
    parts = [part for key, part in groups(bounds, by) if key in compared]
    found = pd.concat([decide(part, baseline=baseline, at=at) for part in parts], ignore_index=True)
    columns = {name: found[name] for name in DECIDED[:4]}
    if asked.margin is not None:
        columns |= _verdicts(parts, asked, baseline, at)
        if asked.margin.margin is not None:
            cost = frame[METRIC].map(lambda name: facts(name).cost).to_numpy(bool)
            least = np.where(cost, -found["highest"], found["lowest"])
            columns["decided"] = found["decided"] | (least > -asked.margin.margin)
    return frame.assign(**columns)


def _verdicts(
    parts: list[xr.DataArray], asked: "Asked", baseline: Baselines, at: Depths
) -> dict[str, Any]:
    """Return the verdicts at either end: a as low as can be and b as high, and the other way."""
    sides = [
        [scores_to_compare(part.sel({BOUND: side}, drop=True), at, quiet=True) for side in SIDES]
        for part in parts
    ]
    both = [_side_by_side(*each) for each in sides]
    sizes = [len(low.systems) for low, _ in sides]
    pairs = [choose_pairs(low, baseline, several=True) for low, _ in sides]
    ends = {}
    for name, shift in (("verdict_lowest", (0, 1)), ("verdict_highest", (1, 0))):
        shifted = [some + size * np.array(shift) for some, size in zip(pairs, sizes, strict=True)]
        results = asked.of(both, shifted)
        ends[name] = np.concatenate([found["verdict"].ravel() for found in results])
    return ends


def _side_by_side(low: Scores, high: Scores) -> Scores:
    """Return lower scores and, as other systems, upper ones; for a cost the higher come first."""
    cost = np.array(low.towards)[:, np.newaxis, np.newaxis, np.newaxis] < 0
    worst = np.where(cost, high.values, low.values)
    best = np.where(cost, low.values, high.values)
    values = np.concatenate([worst, best], axis=1)
    return replace(low, values=values, systems=pd.RangeIndex(values.shape[1]))
