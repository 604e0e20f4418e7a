"""The documents at the top of contributing runs."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from irframe.checks import whole
from irframe.errors import DepthError, ParameterError
from irframe.experiments.coded_tables import RunTable, column_of, read_table
from irframe.experiments.contributing import contributing_systems, pooling_rank
from irframe.experiments.documents import Side, code_documents
from irframe.experiments.rank_table import listed_again, refuse_duplicates
from irframe.files.as_runs import Runs
from irframe.files.ids import Codes
from irframe.names import DOC, RANK, SYSTEM, TOPIC
from irframe.record import recorded


@recorded
def pool(
    runs: Runs,
    depth: int,
    *,
    contributing: str | Sequence[Hashable] | None = None,
    together: str | None = None,
) -> pd.DataFrame:
    """List the documents that a pool of the runs would hold, and who contributed which.

    Parameters
    ----------
    runs
        Run frame: topic, doc, and score or rank; usually system.
    depth
        How many documents of every run and topic go into the pool, at least 1.
    contributing
        The systems that contribute: a list, or the name of a boolean column of `runs`; by
        default the column ``contributing`` if there is one, else all systems.
    together
        A column of `runs` such as ``"team"``: the systems of a team count as one, and documents
        as unique to a team.

    Returns
    -------
    pandas.DataFrame
        One row for every document that a system contributed, with the columns system, group (if
        `together` is given), topic and doc, named as in `runs`, ``rank``, that in the run, and
        ``unique``, whether no other system (or group) contributed the document. The pool itself
        is the distinct pairs of topic and doc.

    Raises
    ------
    DepthError
        For a depth below 1.
    ParameterError
        For contributing systems that do not exist, none at all, an unknown column, or a system
        without a group.
    RankingError
        For missing scores; without scores, for missing or equal ranks.

    Notes
    -----
    Pooling reads a list by score, the greatest first, and equal scores in the order of rows, which
    is how runs are filed; a list without scores by its rank column. Where equal scores are to
    follow another policy, call `rank` first.

    References
    ----------
    .. [1] Voorhees, Harman. TREC: experiment and evaluation in information retrieval. MIT Press,
       2005. ISBN 978-0-262-22073-6
    .. [2] Zobel. How reliable are the results of large-scale information retrieval experiments?
       SIGIR 1998. doi:10.1145/290941.291014

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame(
    ...     {"system": list("aabb"), "topic": "1", "doc": list("xyxz"), "score": [2, 1, 2, 1]}
    ... )
    >>> pool(runs, 2)
      system topic doc  rank  unique
    0      a     1   x     1   False
    1      a     1   y     2    True
    2      b     1   x     1   False
    3      b     1   z     2    True
    """
    depth = whole("depth", depth, low=1, error=DepthError)
    table = read_table(runs)
    systems = contributing_systems(table.frame, table, contributing)
    if not systems.any():
        raise ParameterError("a system that contributes", "none")
    rank = pooling_rank(table)
    rows = np.flatnonzero(systems[table.system] & (rank <= depth))
    part = table.take(rows)
    document = code_documents(Side(part.topic, part.doc))[0]
    refuse_duplicates(part, listed_again(part.system, document))
    pairs = pd.DataFrame({"document": document, "group": _groups(part, together)})
    groups = pairs.groupby("document")["group"].transform("nunique").to_numpy()
    result = part.frame[_names(table, together)].reset_index(drop=True)
    return result.assign(**{RANK: rank[rows], "unique": groups == 1})


def _groups(table: RunTable, together: str | None) -> Codes:
    """Return a code for every row, one for the systems that count as one."""
    if together is None:
        return table.system
    codes = pd.factorize(column_of(table.frame, "together", together))[0]
    alone = table.systems[np.unique(table.system[codes < 0])]
    if len(alone):
        found = f"{len(alone)} systems without"
        raise ParameterError(f"a {together!r} for every system that contributes", found, "", alone)
    return codes


def _names(table: RunTable, together: str | None) -> list[Hashable]:
    names = [table.columns[role] for role in (SYSTEM, TOPIC, DOC) if role in table.columns]
    if together is not None and together not in names:
        names.insert(SYSTEM in table.columns, together)
    return names
