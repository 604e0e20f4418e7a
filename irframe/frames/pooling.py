"""Pools: the documents at the top of contributing runs, and judgments restricted to them."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import DepthError, IdError, InputError, ParameterError
from irframe.frames.documents import Side, code_documents
from irframe.frames.ids import Codes, code_labels, identifiers, same_kind, shown
from irframe.frames.ranking import refuse_duplicates
from irframe.frames.tables import RunTable, read_qrels_table, read_table
from irframe.names import DOC, RANK, SYSTEM, TOPIC, roles

CONTRIBUTING = "contributing"


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


def restrict(qrels: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Keep the judgments of some documents, such as those of a simulated pool.

    Parameters
    ----------
    qrels
        Qrels frame: topic, doc, grade.
    documents
        A frame with columns for topic and doc, such as `pool` returns.

    Returns
    -------
    pandas.DataFrame
        The rows of `qrels` whose topic and document occur in `documents`, as they were.

    Raises
    ------
    InputError
        If a frame lacks a column.
    IdError
        If no document occurs in both.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> len(qrels), len(restrict(qrels, pool(runs, 2)))
    (523, 132)
    """
    table, columns = read_qrels_table(qrels), roles(documents.columns)
    missing = [role for role in (TOPIC, DOC) if role not in columns]
    if missing or not len(documents):
        found = "an empty one" if not missing else ", ".join(map(str, documents.columns))
        raise InputError("a frame of documents, with columns for topic and doc", found)
    topic, topics = code_labels(documents[columns[TOPIC]], TOPIC)
    doc = identifiers(documents[columns[DOC]], DOC)
    same_kind(doc.type, table.doc.type, DOC, ("the documents", "the qrels"))
    beyond = len(table.topics) + np.arange(len(topics))
    placed = table.topics.get_indexer(topics)
    shared = np.where(placed < 0, beyond, placed)[topic]
    judged, listed = code_documents(Side(table.topic, table.doc), Side(shared, doc))
    kept = np.isin(judged, listed)
    if not kept.any():
        sides = [shown(value.as_py() for value in side[:3]) for side in (table.doc, doc)]
        found = f"none: the qrels have {sides[0]}, the documents {sides[1]}"
        raise IdError("documents that occur in both frames", found, "compare the identifiers")
    return qrels[kept]


def contributing_systems(
    runs: pd.DataFrame, table: RunTable, contributing: str | Sequence[Hashable] | None
) -> NDArray[np.bool_]:
    """Return whether each system contributes to the pool; argument as for `pool`.

    Raises
    ------
    ParameterError
        For systems that do not exist, or a column that does not tell.
    """
    if contributing is None and CONTRIBUTING not in runs.columns:
        return np.ones(len(table.systems), bool)
    if contributing is None or isinstance(contributing, str):
        flags = _from_column(runs, table, contributing or CONTRIBUTING)
        if contributing is not None and not flags.any():
            raise ParameterError("a system that contributes", f"none by {contributing!r}")
        return flags
    wanted = pd.Index(list(contributing))
    unknown = wanted[~wanted.isin(table.systems)]
    if len(unknown) or not len(wanted):
        found = f"{len(unknown)} that do not exist" if len(unknown) else "an empty list"
        raise ParameterError(f"contributing {SYSTEM}s", found, "", map(repr, unknown))
    return np.asarray(table.systems.isin(wanted))


def filed_rank(group: Codes) -> Codes:
    """Return each row's 1-based position among the rows of its list."""
    order = np.arange(len(group))
    if (np.diff(group) < 0).any():
        order = np.argsort(group, kind="stable")
    start = np.flatnonzero(np.diff(group[order], prepend=-1))
    lengths = np.diff(start, append=len(order))
    filed = np.empty(len(order), np.int64)
    filed[order] = np.arange(1, len(order) + 1) - np.repeat(start, lengths)
    return filed


def _from_column(runs: pd.DataFrame, table: RunTable, column: str) -> NDArray[np.bool_]:
    if column not in runs.columns:
        raise ParameterError("a column of the runs", repr(column), "", map(str, runs.columns))
    values = runs[column]
    if not pd.api.types.is_bool_dtype(values.dtype) or values.isna().any():
        raise ParameterError("a column of True and False", f"{values.dtype} in {column!r}")
    flags = values.to_numpy(bool)
    systems = len(table.systems)
    yes = np.bincount(table.system[flags], minlength=systems)
    rows = np.bincount(table.system, minlength=systems)
    mixed = table.systems[(yes > 0) & (yes < rows)]
    if len(mixed):
        found = f"{len(mixed)} systems with both"
        raise ParameterError(f"one value of {column!r} per system", found, "", mixed)
    return yes > 0
