"""What the figures of misplacement share: the choice of a topic, the mark of its recall base."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

import xarray as xr

from irframe.checks import places
from irframe.errors import InputError
from irframe.names import TOPIC
from irframe.plots.canvas import ink, mark_depth

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def select_topic(misplaced: xr.Dataset, topic: Hashable) -> xr.Dataset:
    """Return the misplacement of one topic."""
    if not {"crp", "recall_base"} <= set(misplaced.data_vars):
        raise InputError("what misplacement returned", "other data")
    (place,) = places("a topic that was measured", [topic], misplaced[TOPIC].to_numpy().tolist())
    return misplaced.isel({TOPIC: place})


def mark_recall_base(ax: "Axes", R: int) -> None:
    """Draw a dotted line at the recall base, and one at 0."""
    ax.axhline(0, color=ink(ax), linewidth=0.8, label="_zero")
    mark_depth(ax, max(R, 1), f"recall base, {R}")
