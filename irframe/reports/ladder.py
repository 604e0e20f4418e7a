"""The ladder as the page opens: a row per system, the best first."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.names import DEPTH, SYSTEM
from irframe.reports.part import MISSING
from irframe.reports.pixels import matrix
from irframe.reports.setting import text
from irframe.reports.view import View
from irframe.reports.words import fixed, percent

KNOWN = ("team", "group", "type", "runtype", "run_type", "run type")
"""Columns of systems that a ladder has, the first two of those that there are."""


def known(view: View) -> dict[str, list[str]]:
    """Return what a ladder tells of the systems besides numbers, by name."""
    there = [
        name for name in KNOWN if name in view.cube.coords and view.cube[name].dims == (SYSTEM,)
    ]
    return {name: [text(each) for each in view.cube[name].to_numpy()] for name in there[:2]}


class Rung(NamedTuple):
    """A row of the ladder, as it is spelled.

    Attributes
    ----------
    place
        Position of the system in the cube.
    system
        Its name.
    known
        What is known of it, such as its team.
    rank
        Its place.
    ranks
        The interval of its rank.
    tier, opens
        Its tier, and whether the row above is of another.
    mean, interval, share
        Its mean, with its interval, and where these stand in the bar, in percent.
    change, unjudged
        Against the first baseline, and the share of its documents.
    marks
        Of several baselines, the numbers of those from which it differs significantly.
    first
        How often it comes first.
    """

    place: int
    system: str
    known: tuple[str, ...]
    rank: str
    ranks: str
    tier: int
    opens: bool
    mean: str
    interval: str
    share: tuple[float, float, float]
    change: str
    marks: str
    unjudged: str
    first: str


def rungs(view: View, systems: list[str]) -> Iterator[Rung]:
    """Yield the rows of the ladder at the depth and metric that the page opens with."""
    at = view.setting.place
    values = {name: each[0, at] for name, each in view.ranked.items()}
    open_share = view.unjudged.isel({DEPTH: at}).to_numpy()
    names, told = view.systems, known(view)
    base, apart = _against(view, values["mean"])
    several = len(apart) > 1
    low, high = span(values)
    above = None
    for row in view.order(0, at):
        ends = [float(values[name][row]) for name in ("ci_low", "mean", "ci_high")]
        tier = int(np.nan_to_num(values["tier"][row]))
        yield Rung(
            systems.index(names[row]),
            names[row],
            tuple(each[row] for each in told.values()),
            f"{values['rank'][row]:.0f}",
            ranks(values["rank_low"][row], values["rank_high"][row]),
            tier,
            above is not None and tier != above,
            fixed(ends[1]),
            MISSING if np.isnan(ends[0]) else f"{fixed(ends[0])} to {fixed(ends[2])}",
            tuple(share(end, low, high) for end in ends),  # type: ignore[arg-type]
            "" if np.isnan(base) else f"{ends[1] - base:+.3f}{' *' * _alone(apart[:, row])}",
            ",".join(str(place + 1) for place in np.flatnonzero(apart[:, row]) if several),
            MISSING
            if np.isnan(open_share[row])
            else f"{100 * open_share[row]:.0f}\N{NO-BREAK SPACE}%",
            MISSING if np.isnan(values["first"][row]) else percent(float(values["first"][row])),
        )
        above = tier


def _against(view: View, mean: NDArray[Any]) -> tuple[float, NDArray[np.bool_]]:
    """Return the mean of the first baseline, NaN without, and who differs from which of them."""
    index, order = view.cube.indexes[SYSTEM], view.order(0, view.setting.place)
    differ = matrix(view, 0, view.setting.place) != 0
    rows = index.get_indexer(pd.Index(view.setting.baselines))
    apart = np.zeros((len(rows), len(mean)), bool)
    for place, row in enumerate(rows):
        if row >= 0:
            apart[place, order] = differ[:, order == row][:, 0]
    return float(mean[rows[0]]) if len(rows) and rows[0] >= 0 else np.nan, apart


def _alone(apart: NDArray[np.bool_]) -> bool:
    """Tell whether a system differs from the one baseline that there is."""
    return len(apart) == 1 and bool(apart[0])


def span(values: dict[str, Any]) -> tuple[float, float]:
    """Return where the bars of a ladder begin and end."""
    ends = np.concatenate([values["ci_low"], values["ci_high"], values["mean"], [0.0]])
    return float(np.nanmin(ends)), float(np.nanmax(ends))


def share(value: float, low: float, high: float) -> float:
    """Return where a value stands between two others, in percent.

    Examples
    --------
    >>> share(0.25, 0, 1)
    25.0
    """
    return 0.0 if np.isnan(value) or high == low else round(100 * (value - low) / (high - low), 2)


def ranks(low: float, high: float) -> str:
    """Return an interval of ranks as it is spelled.

    Examples
    --------
    >>> ranks(1, 9), ranks(3, 3)
    ('1\u20139', '3')
    """
    if np.isnan(low):
        return MISSING
    return f"{low:.0f}" if low == high else f"{low:.0f}\u2013{high:.0f}"
