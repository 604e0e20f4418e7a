"""How alike two rankings order documents that not both of them hold."""

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.checks import whole
from irframe.errors import DepthError, ParameterError
from irframe.experiments.coded_tables import read_table
from irframe.experiments.rank_table import rank
from irframe.files.as_runs import Runs
from irframe.names import DOC, RANK, SYSTEM, TOPIC
from irframe.record import recorded

LIST = [SYSTEM, TOPIC]


@recorded
def tau_union(runs: Runs, original: Runs, *, depth: int | None = None) -> pd.DataFrame:
    """Say how far rankings order documents like the original ones that they are to reproduce.

    Parameters
    ----------
    runs
        Run frame of the reproduction: topic, doc, and score or rank; usually system.
    original
        That of the experiment; a reproduced system has the name of the original one.
    depth
        How many documents of every list to read, at least 1; by default all.

    Returns
    -------
    pandas.DataFrame
        One row for every list of either side, with the columns ``system``, ``topic``,
        ``tau_union``, -1 to 1, and ``overlap``, the share of the documents of both lists that
        both hold, 0 to 1. NaN where one side lacks the list, or for less than two documents.

    Raises
    ------
    DepthError
        For a depth below 1.
    ParameterError
        If no list is on both sides.
    RankingError
        For missing scores or equal ranks, listing them.

    Notes
    -----
    The documents of both lists are numbered, those of the original in its order, then those that
    are new in the order of the reproduction. Kendall's tau compares the two lists of numbers,
    place by place, as long as both are. Rankings are those of `rank`, ties by name.

    References
    ----------
    .. [1] Breuer, Ferro, Fuhr, Maistro, Sakai, Schaer, Soboroff. How to measure the
       reproducibility of system-oriented IR experiments. SIGIR 2020. Section 3.1.
       doi:10.1145/3397271.3401036

    Examples
    --------
    The example of the paper: numbers 1 2 3 4 against 2 5 3 6.

    >>> import pandas as pd
    >>> original = pd.DataFrame({"topic": "1", "doc": list("abcd"), "rank": range(4)})
    >>> runs = pd.DataFrame({"topic": "1", "doc": list("becf"), "rank": range(4)})
    >>> tau_union(runs, original)[["topic", "tau_union", "overlap"]].round(3)
      topic  tau_union  overlap
    0     1      0.667    0.333
    """
    if depth is not None:
        whole("depth", depth, low=1, error=DepthError)
    new, old = (_listed(side, depth) for side in (runs, original))
    lists = pd.DataFrame({"new": new.groupby(LIST).size(), "old": old.groupby(LIST).size()})
    both = lists.dropna()
    if not len(both):
        raise ParameterError("a list of the same system and topic on both sides", "none")
    held = new.merge(old, how="left", on=[*LIST, DOC], suffixes=("", "_old")).set_index(LIST)
    held = held.loc[held.index.isin(both.index)]
    shared = held["rank_old"].notna().groupby(level=LIST).sum()
    shortest = both.min(axis=1).astype(int)
    tau = {
        key: _tau(part.to_numpy()[: shortest[key]])
        for key, part in _numbered(held, both["old"]).groupby(level=LIST)
    }
    lists["tau_union"] = pd.Series(tau)
    lists["overlap"] = shared / (both.sum(axis=1) - shared)
    return lists[["tau_union", "overlap"]].reset_index()


def _listed(runs: Runs, depth: int | None) -> pd.DataFrame:
    """Return system, topic, document and rank of the first documents of every list."""
    table = read_table(rank(runs))
    frame = pd.DataFrame(
        {
            SYSTEM: table.systems.take(table.system),
            TOPIC: table.topics.take(table.topic),
            DOC: table.frame[table.columns[DOC]].to_numpy(),
            RANK: table.frame[table.columns.get(RANK, RANK)].to_numpy(),
        }
    )
    return frame if depth is None else frame[frame[RANK] <= depth]


def _numbered(held: pd.DataFrame, sizes: pd.Series) -> pd.Series:
    """Return numbers of documents: their original ranks, and for new ones those after all."""
    new = held["rank_old"].isna()
    beyond = new.groupby(level=LIST).cumsum() + sizes.reindex(held.index).to_numpy()
    return held["rank_old"].where(~new, beyond)


def _tau(numbers: Array) -> float:
    """Return Kendall's tau of distinct numbers with their places."""
    n = len(numbers)
    if n < 2:
        return float("nan")
    rising = np.triu(numbers[:, np.newaxis] < numbers).sum()
    return float(4 * rising / (n * (n - 1)) - 1)
