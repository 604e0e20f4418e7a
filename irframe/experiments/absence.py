"""What runs and judgments lack of each other, in one warning for each kind."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import SHOWN, IdError, warn
from irframe.frames.ids import shown
from irframe.names import DOC


def warn_unjudged_topics(topics: Sequence[Any]) -> None:
    """Warn of topics of the runs that have no judgments."""
    if len(topics):
        listed = ", ".join(map(str, topics[:SHOWN]))
        warn(f"{len(topics)} topics of the runs have no judgments and are left out: {listed}")


def warn_missing(systems: pd.Index, topics: pd.Index, listed: NDArray[np.bool_]) -> None:
    """Warn of lists that are missing, and so count as empty.

    Parameters
    ----------
    systems, topics
        Labels.
    listed
        Whether each system has a list for each topic, shape (system, topic).
    """
    some, stray = (np.asarray(each) for each in (listed.any(axis=0), ~listed.any(axis=1)))
    if not some.all():
        left = topics[np.flatnonzero(~some)]
        warn(
            f"no system has a list for {len(left)} of {len(topics)} judged topics: "
            f"{_listing(left)}; topics='runs' leaves them out"
        )
    if stray.any():
        warn(
            "systems without a list for any judged topic score 0 on all of them: "
            f"{_listing(systems[np.flatnonzero(stray)])}; judged are {shown(topics)}"
        )
    missing = np.where(stray, 0, (some & ~listed).sum(axis=1))
    order = np.argsort(-missing, kind="stable")[: np.count_nonzero(missing)]
    if len(order):
        lacking = [f"{systems[row]} {missing[row]} of {some.sum()} topics" for row in order]
        warn(
            f"lists that systems lack count as empty: {_listing(lacking)}; "
            "topics='common' leaves such topics out"
        )


def warn_unjudged(
    runs: Iterable[Any], qrels: Iterable[Any], names: tuple[Any, ...] = (DOC, DOC)
) -> None:
    """Warn that no retrieved document is judged, showing identifiers of both sides."""
    told = [f"{shown(docs)} in {name!r}" for docs, name in zip((runs, qrels), names, strict=True)]
    warn(
        f"no retrieved document is judged: the runs have {told[0]}, the qrels {told[1]}; "
        "compare the identifiers"
    )


def refuse_none_common(systems: pd.Index, listed: NDArray[np.bool_]) -> None:
    """Raise if there is no topic for which every system has a list."""
    if not np.asarray(listed.all(axis=0)).any():
        counts = np.asarray(listed.sum(axis=1))
        told = [f"{systems[row]} {counts[row]}" for row in np.argsort(counts, kind="stable")]
        wanted = "topics for which every run has a list"
        found, advice = "none; judged topics that runs have", "ask for topics='runs'"
        raise IdError(wanted, found, f"{advice}, or leave runs out", told)


def _listing(values: Any) -> str:
    """Return some values, and how many there are besides."""
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return ", ".join(map(str, values[:SHOWN])) + more
