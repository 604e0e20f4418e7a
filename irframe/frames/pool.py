"""The documents at the top of contributing runs."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from irframe.errors import DepthError, ParameterError
from irframe.frames.contributing import contributing_systems, filed_rank
from irframe.frames.documents import Side, code_documents
from irframe.frames.ranking import refuse_duplicates
from irframe.frames.tables import read_table
from irframe.names import DOC, RANK, SYSTEM, TOPIC


def pool(
    runs: pd.DataFrame,
    depth: int,
    *,
    contributing: str | Sequence[Hashable] | None = None,
    by: str | None = None,
) -> pd.DataFrame:
    """List the documents that a pool of the runs would hold, and who contributed which.

    Parameters
    ----------
    runs
        Run frame: topic, doc, and score or rank; usually system. Rows in file order are the
        ranks that pooling reads; call `rank` first to pool the evaluation order.
    depth
        How many documents of every run and topic go into the pool, at least 1.
    contributing
        The systems that contribute: a list, or the name of a boolean column of `runs`; by
        default the column ``contributing`` if there is one, else all systems.
    by
        A column of `runs` such as ``"team"``: documents count as unique to a group of systems
        instead of a system.

    Returns
    -------
    pandas.DataFrame
        One row for every document that a system contributed, with the columns system, group (if
        `by` is given), topic and doc, named as in `runs`, ``rank``, the position in the run, and
        ``unique``, whether no other system (or group) contributed the document. The pool itself
        is the distinct pairs of topic and doc.

    Raises
    ------
    DepthError
        For a depth below 1.
    ParameterError
        For contributing systems that do not exist, none at all, or an unknown column.

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
    if not isinstance(depth, int | np.integer) or depth is True or depth < 1:
        raise DepthError("a pool depth that is a whole number of at least 1", repr(depth))
    table = read_table(runs)
    if by is not None and by not in runs.columns:
        raise ParameterError("by to be a column of the runs", repr(by), "", map(str, runs.columns))
    systems = contributing_systems(runs, table, contributing)
    if not systems.any():
        raise ParameterError("a system that contributes", "none")
    filed = filed_rank(table.group)
    rows = np.flatnonzero(systems[table.system] & (filed <= depth))
    part = table.take(rows)
    document = code_documents(Side(part.topic, part.doc))[0]
    refuse_duplicates(part, document)
    group = part.system if by is None else pd.factorize(runs[by].iloc[rows])[0]
    pairs = pd.DataFrame({"document": document, "group": group})
    groups = pairs.groupby("document")["group"].transform("nunique").to_numpy()
    names = [table.columns[role] for role in (SYSTEM, TOPIC, DOC) if role in table.columns]
    if by is not None and by not in names:
        names.insert(SYSTEM in table.columns, by)
    result = runs.loc[:, names].iloc[rows].reset_index(drop=True)
    return result.assign(**{RANK: filed[rows], "unique": groups == 1})
