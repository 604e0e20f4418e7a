"""Lists that are not there: what is said of them while runs meet judgments."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.cubes.lists import Lists
from irframe.cubes.topics import Selection
from irframe.errors import warn
from irframe.experiments.absence import tell_lacking, tell_stray, tell_unlisted_topics
from irframe.warned import listing


def tell_missing(lists: Lists, selection: Selection, group: Any = None) -> None:
    """Warn of lists that are missing where their systems take part, and count as empty.

    Parameters
    ----------
    lists
        Which lists the runs have.
    selection
        The topics of the cube.
    group
        The group of each of them, if systems without a list in a group are none of it.

    Warns
    -----
    IrframeWarning
        Once of topics for which no system has a list, though some take part; once of systems
        whose topics match none; and once of systems that lack lists which others have.
    """
    listed, attended = (part[:, selection.codes] for part in (lists.listed, lists.attended))
    some, wanted = np.asarray(listed.any(axis=0)), np.asarray(attended.any(axis=0))
    tell_unlisted_topics(selection.labels[np.flatnonzero(wanted & ~some)], int(wanted.sum()))
    stray = ~np.asarray(lists.listed.any(axis=1))
    _tell_stray(lists, selection, stray)
    expected = attended & some & ~stray[:, np.newaxis]
    if group is not None:
        codes, keys = pd.factorize(np.asarray(group))
        inside = codes[:, np.newaxis] == np.arange(len(keys))
        expected &= (listed @ inside)[:, codes]
    tell_lacking(lists.runs.systems, (expected & ~listed).sum(axis=1), expected.sum(axis=1))


def _tell_stray(lists: Lists, selection: Selection, stray: NDArray[np.bool_]) -> None:
    """Name systems that have no list for any judged topic: they score 0, or not at all."""
    systems, inside = lists.runs.systems, np.asarray(lists.attended.any(axis=1))
    nowhere, lost = np.flatnonzero(~inside), np.flatnonzero(stray & inside)
    theirs = lists.runs.topics[np.flatnonzero((lists.lengths[lost] > 0).any(axis=0))]
    tell_stray(systems[lost], selection.labels, theirs)
    if len(nowhere):
        name = lists.collections.name
        warn(f"systems of no judged collection ({name}) have no score: {listing(systems[nowhere])}")
