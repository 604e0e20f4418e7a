"""Comparisons of bounded scores: what holds whatever the unjudged documents are."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.bounds import BOUND, SIDES
from irframe.cubes.splitting import groups
from irframe.inference.decide import decide
from irframe.inference.matching import Baselines, Depths, choose_pairs, match_read, read_scores
from irframe.metrics.facts import facts
from irframe.names import METRIC, SYSTEM

if TYPE_CHECKING:
    from irframe.inference.pairwise import Asked

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
    both = [_side_by_side(part) for part in parts]
    matched = [match_read(each, at, quiet=True) for each in both]
    sizes = [part.sizes[SYSTEM] for part in parts]
    lower = [read_scores(part.sel({BOUND: SIDES[0]}, drop=True)) for part in parts]
    pairs = [
        choose_pairs(match_read(each, at, quiet=True), baseline, several=True) for each in lower
    ]
    ends = {}
    for name, shift in (("verdict_lowest", (0, 1)), ("verdict_highest", (1, 0))):
        shifted = [some + size * np.array(shift) for some, size in zip(pairs, sizes, strict=True)]
        results = asked.of(matched, shifted)
        ends[name] = np.concatenate([found["verdict"].ravel() for found in results])
    return ends


def _side_by_side(part: xr.DataArray) -> xr.DataArray:
    """Return lower scores and, as other systems, upper ones; for a cost the higher come first."""
    low, high = (read_scores(part.sel({BOUND: side}, drop=True)) for side in SIDES)
    cost = xr.DataArray([facts(name).cost for name in low[METRIC].to_numpy()], dims=METRIC)
    worst, best = low.where(~cost, high), high.where(~cost, low)
    both = xr.concat([worst, best], SYSTEM, coords="minimal", compat="override")
    labelled: xr.DataArray = both.assign_coords({SYSTEM: np.arange(both.sizes[SYSTEM])})
    return labelled
