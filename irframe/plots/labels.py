"""How the labels of innate orderings look, wherever they are drawn."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from irframe.plots.canvas import legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap

NAMES = {-1: "ns", 0: "=", 1: "ni", 2: "**"}
"""Code -> name, without what came before a non-separable label."""
LABEL_COLOURS = {-1: "#A6D4F2", 0: "#0072B2", 1: "#F5C24C", 2: "#D55E00"}
"""Light blue, blue, yellow, vermilion: much as in the literature; apart for the colour-blind."""
MEANINGS = {-1: "ns: a not superior", 0: "equal", 1: "ni: a not inferior", 2: "** non-separable"}


def label_colours() -> "ListedColormap":
    """Return the colours of ns, equal, ni and non-separable, for the codes of `plain`."""
    from matplotlib.colors import ListedColormap  # noqa: PLC0415 - costs time at import

    return ListedColormap(list(LABEL_COLOURS.values()))


def plain(labels: NDArray[Any]) -> NDArray[np.int8]:
    """Return codes -1, 0, 1 and 2, both non-separable codes being 2."""
    return np.where(np.abs(labels) == 2, 2, labels).astype(np.int8)


def label_legend(ax: "Axes") -> None:
    """Explain the colours under the axes."""
    from matplotlib.patches import Patch  # noqa: PLC0415 - costs time at import

    patches = [Patch(color=LABEL_COLOURS[code], label=text) for code, text in MEANINGS.items()]
    legend_below(ax, handles=patches)
