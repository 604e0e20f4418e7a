"""Lists that are not there: what is said of them while runs meet judgments."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.cubes.topics import Selection
from irframe.errors import warn
from irframe.frames.ids import shown
from irframe.warned import listing


def tell_missing(
    systems: pd.Index, topics: pd.Index, selection: Selection, group: Any = None
) -> None:
    """Warn of lists that are missing where their systems take part, and count as empty.

    Parameters
    ----------
    systems, topics
        Systems and topics of the runs.
    selection
        The topics of the cube.
    group
        The group of each of them, if systems without a list in a group are none of it.

    Warns
    -----
    IrframeWarning
        Once of topics for which no system has a list, once of systems whose topics match none,
        and once of systems that lack lists which others have.
    """
    listed = selection.listed[:, selection.codes]
    some = listed.any(axis=0)
    _tell_topics(selection.labels[~some], len(some))
    stray = ~selection.listed.any(axis=1)
    _tell_stray(systems, topics, selection, stray)
    expected = selection.took_part & some & ~stray[:, np.newaxis]
    if group is not None:
        codes, keys = pd.factorize(np.asarray(group))
        inside = codes[:, np.newaxis] == np.arange(len(keys))
        expected &= (listed @ inside)[:, codes]
    _tell_systems(systems, (expected & ~listed).sum(axis=1), expected.sum(axis=1))


def _tell_topics(topics: pd.Index, total: int) -> None:
    if len(topics):
        warn(
            f"no system has a list for {len(topics)} of {total} judged topics: "
            f"{listing(topics)}; topics='runs' leaves them out"
        )


def _tell_stray(
    systems: pd.Index, topics: pd.Index, selection: Selection, stray: NDArray[np.bool_]
) -> None:
    """Name systems that have no list for any judged topic: they score 0, or not at all."""
    inside = selection.attended.any(axis=1)
    if (stray & inside).any():
        theirs = topics[(selection.lengths[stray & inside] > 0).any(axis=0)]
        told = f"they have topics {shown(theirs)}, " if len(theirs) else ""
        warn(
            "systems without a list for any judged topic score 0 on all of them: "
            f"{listing(systems[stray & inside])}; {told}judged are {shown(selection.labels)}"
        )
    if not inside.all():
        name = selection.collections.name
        warn(f"systems of no judged collection ({name}) have no score: {listing(systems[~inside])}")


def _tell_systems(
    systems: pd.Index, missing: NDArray[np.integer], total: NDArray[np.integer]
) -> None:
    """Say which systems lack how many lists, those that lack most first."""
    order = np.argsort(-missing, kind="stable")[: np.count_nonzero(missing)]
    if len(order):
        lacking = [f"{systems[row]} {missing[row]} of {total[row]} topics" for row in order]
        warn(
            f"lists that systems lack count as empty: {listing(lacking)}; "
            "topics='common' leaves such topics out"
        )
