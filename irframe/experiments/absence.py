"""What runs and judgments lack of each other, in one warning for each kind."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import warn
from irframe.experiments.lists import Lists
from irframe.files.ids import Codes, shown
from irframe.warned import listing

Labels = pd.Index | Sequence[Any]


def tell_unjudged_topics(topics: Labels) -> None:
    """Warn of topics of the runs that have no judgments."""
    if len(topics):
        told = listing(topics)
        warn(f"{len(topics)} topics of the runs have no judgments and are left out: {told}")


def tell_missing(lists: Lists, topics: pd.Index, codes: Codes, group: Any = None) -> None:
    """Warn of lists that are missing where their systems take part, and count as empty.

    Parameters
    ----------
    lists
        Which lists the runs have.
    topics, codes
        The topics that are scored, and their codes in the qrels.
    group
        The group of each of them, if systems without a list in a group are none of it.

    Warns
    -----
    IrframeWarning
        Once of topics for which no system has a list, though some take part; once of systems
        whose topics match none; and once of systems that lack lists which others have.
    """
    listed, attended = (part[:, codes] for part in (lists.listed, lists.attended))
    some, wanted = np.asarray(listed.any(axis=0)), np.asarray(attended.any(axis=0))
    _tell_unlisted(topics[np.flatnonzero(wanted & ~some)], int(wanted.sum()))
    stray = ~np.asarray(lists.listed.any(axis=1))
    _tell_stray(lists, topics, stray)
    expected = attended & some & ~stray[:, np.newaxis]
    if group is not None:
        of_group, keys = pd.factorize(np.asarray(group))
        inside = of_group[:, np.newaxis] == np.arange(len(keys))
        expected &= (listed @ inside)[:, of_group]
    _tell_lacking(lists.systems, (expected & ~listed).sum(axis=1), expected.sum(axis=1))


def _tell_unlisted(topics: pd.Index, total: int) -> None:
    """Warn of judged topics, of so many in all, for which no system has a list."""
    if len(topics):
        warn(
            f"no system has a list for {len(topics)} of {total} judged topics: "
            f"{listing(topics)}; topics='runs' leaves them out"
        )


def _tell_lacking(
    systems: pd.Index, missing: NDArray[np.integer], total: NDArray[np.integer]
) -> None:
    """Warn of systems that lack so many lists of so many, those that lack most first."""
    order = np.argsort(-missing, kind="stable")[: np.count_nonzero(missing)]
    if len(order):
        lacking = [f"{systems[row]} {missing[row]} of {total[row]} topics" for row in order]
        warn(
            f"lists that systems lack count as empty: {listing(lacking)}; "
            "topics='common' leaves such topics out"
        )


def _tell_stray(lists: Lists, judged: pd.Index, stray: NDArray[np.bool_]) -> None:
    """Name systems that have no list for any judged topic: they score 0, or not at all."""
    systems, inside = lists.systems, np.asarray(lists.attended.any(axis=1))
    nowhere, lost = np.flatnonzero(~inside), np.flatnonzero(stray & inside)
    theirs = lists.topics[np.flatnonzero((lists.lengths[lost] > 0).any(axis=0))]
    if len(lost):
        told = f"they have topics {shown(theirs)}, " if len(theirs) else ""
        warn(
            "systems without a list for any judged topic score 0 on all of them: "
            f"{listing(systems[lost])}; {told}judged are {shown(judged)}"
        )
    if len(nowhere):
        name = lists.collections.name
        warn(f"systems of no judged collection ({name}) have no score: {listing(systems[nowhere])}")
