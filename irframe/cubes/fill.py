"""The rankings of a cube, filled with runs some lists at a time."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.cubes.layout import LISTS, PARTS, RANKINGS
from irframe.cubes.top_documents import Listing
from irframe.experiments.framed import Framed, Part
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import Policy

FILLED = (*RANKINGS, *LISTS)
"""The variables of a cube that its lists fill."""


def fill(
    framed: Framed,
    judgments: Judgments,
    policy: Policy,
    depth: int,
    pools: NDArray[np.bool_] | None = None,
    listing: Listing | None = None,
) -> tuple[dict[str, Array], list[Part]]:
    """Rank lists, some after the other, and lay them out as a cube has them.

    Parameters
    ----------
    framed
        Runs and judgments.
    judgments
        Those of the topics of the cube.
    policy, depth
        How rankings are decided, and how many ranks are kept.
    pools
        Which systems made the pool; by default none, and pooling is not looked at.
    listing
        What names the documents at the top of lists, if wanted.

    Returns
    -------
    dict, list of Part
        The variables `FILLED`; and what the lists of systems that made the pool hold of all the
        judgments, as pooling reads them, some lists after the other.
    """
    shape = len(framed.table.systems), len(judgments.code)
    beyond = {"depth": depth, "level": len(judgments.levels)}
    cells: dict[str, Array] = {}
    pooled: list[Part] = []
    for name in FILLED:
        _, _, *dims = PARTS[name].dims
        sizes = *shape, *(beyond[dim] for dim in dims)
        cells[name] = np.full(sizes, PARTS[name].fill, PARTS[name].dtype)
    flat = {name: array.reshape(-1, *array.shape[2:]) for name, array in cells.items()}
    for part, rows, ranking in framed.ranked(policy, filed=pools is not None):
        if pools is not None:
            pooled.append(part.filed(pools[part.lists // len(framed.judgments.topics)]))
        if listing is not None:
            listing.add(framed, rows, ranking)
        there = part.on(judgments)
        for name, values in _laid(there, judgments, depth):
            flat[name][there.lists] = values
    return cells, pooled


def _laid(part: Part, judgments: Judgments, depth: int) -> Iterator[tuple[str, Array]]:
    """Yield the variables of some lists."""
    hits = part.hits
    if len(part.lists):
        yield "unjudged", hits.length - np.bincount(hits.of, minlength=len(part.lists))
        yield from (
            hits.cells(judgments, depth, depth, doc=True) | {"retrieved": hits.length}
        ).items()
