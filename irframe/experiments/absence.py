"""What runs lack or have besides, counted in one warning for each kind."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import SHOWN, warn
from irframe.frames.ids import shown


def warn_unjudged(topics: Sequence[Any]) -> None:
    """Warn of topics of runs that have no judgments."""
    named = ", ".join(map(str, topics[:SHOWN]))
    warn(f"{len(topics)} topics of the runs have no judgments and are left out: {named}")


def warn_lacking(systems: pd.Index, length: NDArray[Any]) -> None:
    """Warn of systems that have no list for some topics, given the lengths of their lists."""
    lacking = (length == 0).sum(axis=1)
    some = np.flatnonzero(lacking)
    named = [f"{systems[place]} lacks {lacking[place]}" for place in some[:SHOWN]]
    more = f" and {len(some) - SHOWN} systems more" if len(some) > SHOWN else ""
    of = f"of {length.shape[1]} topics, which count as empty lists"
    warn(f"{', '.join(named)}{more} {of}")


def warn_unknown(docs: Iterable[Any], judged: Iterable[Any]) -> None:
    """Warn that no retrieved document is judged, showing identifiers of both sides."""
    warn(
        "no retrieved document is judged, so that all of them count as unjudged: the runs have "
        f"{shown(docs)}, the qrels {shown(judged)}; compare the identifiers"
    )
