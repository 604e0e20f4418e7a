"""What runs and judgments lack of each other, in one warning for each kind."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import IdError, warn
from irframe.frames.ids import shown
from irframe.warned import listing

Labels = pd.Index | Sequence[Any]


def tell_unjudged_topics(topics: Labels) -> None:
    """Warn of topics of the runs that have no judgments."""
    if len(topics):
        told = listing(topics)
        warn(f"{len(topics)} topics of the runs have no judgments and are left out: {told}")


def tell_unlisted_topics(topics: pd.Index, total: int) -> None:
    """Warn of judged topics, of so many in all, for which no system has a list."""
    if len(topics):
        warn(
            f"no system has a list for {len(topics)} of {total} judged topics: "
            f"{listing(topics)}; topics='runs' leaves them out"
        )


def tell_stray(systems: pd.Index, judged: pd.Index, theirs: Labels = ()) -> None:
    """Warn of systems without a list for any judged topic, and of their own topics if known."""
    if len(systems):
        told = f"they have topics {shown(theirs)}, " if len(theirs) else ""
        warn(
            "systems without a list for any judged topic score 0 on all of them: "
            f"{listing(systems)}; {told}judged are {shown(judged)}"
        )


def tell_lacking(
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


def tell_missing_lists(systems: pd.Index, topics: pd.Index, listed: NDArray[np.bool_]) -> None:
    """Warn of lists that are missing, and so count as empty, where every system takes part.

    Parameters
    ----------
    systems, topics
        Labels.
    listed
        Whether each system has a list for each topic, shape (system, topic).
    """
    some, stray = (np.asarray(each) for each in (listed.any(axis=0), ~listed.any(axis=1)))
    tell_unlisted_topics(topics[np.flatnonzero(~some)], len(topics))
    tell_stray(systems[np.flatnonzero(stray)], topics)
    missing = np.where(stray, 0, (some & ~listed).sum(axis=1))
    tell_lacking(systems, missing, np.full(len(systems), some.sum()))


def refuse_none_common(systems: pd.Index, listed: NDArray[np.bool_]) -> None:
    """Raise if there is no topic for which every system has a list."""
    if not np.asarray(listed.all(axis=0)).any():
        counts = np.asarray(listed.sum(axis=1))
        told = [f"{systems[row]} {counts[row]}" for row in np.argsort(counts, kind="stable")]
        wanted = "topics for which every run has a list"
        found, advice = "none; judged topics that runs have", "ask for topics='runs'"
        raise IdError(wanted, found, f"{advice}, or leave runs out", told)
