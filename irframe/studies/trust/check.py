"""What may be wrong with each of many runs, a row for each."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import whole
from irframe.errors import DepthError
from irframe.frames.as_qrels import Qrels
from irframe.frames.as_runs import Runs, as_runs
from irframe.frames.documents import Side, code_documents
from irframe.frames.ids import Codes, is_text
from irframe.frames.ranking import listed_again, rank_table
from irframe.frames.tables import ONLY_SYSTEM, QrelsTable, RunTable, read_qrels_table, read_table
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import DOC, SCORE, SYSTEM, TOPIC, roles
from irframe.studies.trust.findings import SEVERITIES
from irframe.studies.trust.lists import topics_of_both
from irframe.studies.trust.run_checks import (
    identical,
    lists_found,
    rows_found,
    sizes,
    unjudged_tops,
)

SEVERITY = {
    "unreadable": "error",
    "ids_missing": "error",
    "scores_missing": "error",
    "duplicates": "error",
    "topics_missing": "warning",
    "topics_unknown": "warning",
    "documents_unknown": "warning",
    "ranks_contradict": "warning",
    "identical_to": "warning",
    "ranks_repeated": "note",
    "lists_short": "note",
    "lists_tied": "note",
}
"""The columns that list something, and how grave it is; the gravest first."""
COUNTS = ("topics", "documents", "longest", "ties", "first_unjudged")
"""The columns that hold whole numbers."""


def check(
    runs: Runs,
    qrels: Qrels,
    *,
    depth: int = 10,
    length: int | None = None,
    documents: Iterable[Any] | None = None,
    problems: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Say of every run what may be wrong with it, one row per run.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame, or what `as_runs` and `as_qrels` take. Runs that nothing can
        score are read, too: with documents listed twice, or without some ids, scores or ranks.
    depth
        Down to where unjudged documents are counted, at least 1.
    length
        How many documents every list should have, at least 1; by default as many as the longest
        one has.
    documents
        The ids of all documents of the collection. By default any id may be one.
    problems
        The second frame that ``read_runs(..., on_error="skip")`` gives: files that could not be
        read have a row, too.

    Returns
    -------
    pandas.DataFrame
        Index: the systems, in the order of the frame, and after them the files of `problems`.
        First stand

        - ``severity``: of the gravest thing found: ``"error"``, the run cannot be scored;
          ``"warning"``, its scores may mislead; ``"note"``, worth knowing; or ``""``;
        - ``found``: the names of all columns below that list something;
        - ``topics``, ``documents``, ``longest``: how many lists and rows, and the longest list.

        The columns from here on list things, as tuples that are never cut:

        - ``unreadable``: what is wrong with the file;
        - ``ids_missing``: the positions of rows without topic or document, which are set aside;
        - ``scores_missing`` and ``duplicates``: topic and document of each such row. Documents
          without a score are ranked last, and listed ones twice are left in;
        - ``topics_missing``, ``topics_unknown``: topics judged, but not run; run, but not judged;
        - ``documents_unknown``: documents that are not in `documents`;
        - ``ranks_contradict``: topics in which a lower rank has a higher score;
        - ``identical_to``: systems with the same documents in the same order in every topic;
        - ``ranks_repeated``: topics in which a rank stands twice, or nowhere. An error where
          there are no scores;
        - ``lists_short``: topics whose list has fewer than `length` documents;
        - ``lists_tied``: topics in which two documents have the same score.

        Last come numbers: ``ties``, documents with the score of the one ranked above them;
        ``unjudged_at_10``, the share, 0 to 1, of the top `depth` in judged topics that is
        unjudged, NaN where nothing is retrieved; ``first_unjudged``, the least rank at which a
        document is unjudged, missing where all are judged. Grade -1 counts as unjudged.

    Raises
    ------
    InputError
        For a frame without a column that is needed, or without any row.
    IdError
        For rows without a system, or ids that are no text or integers.
    DepthError
        For a depth or length below 1.

    Notes
    -----
    Order is decided as trec_eval does: by score, and equal scores by document, the last first.

    References
    ----------
    .. [1] Voorhees, Harman. TREC: experiment and evaluation in information retrieval. MIT Press,
       2005. ISBN 978-0-262-22073-6

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame(
    ...     {"system": list("aabb"), "topic": "1", "doc": list("xyxx"), "score": [2, 1, 2, None]}
    ... )
    >>> qrels = pd.DataFrame({"topic": ["1", "2"], "doc": ["x", "x"], "grade": [1, 0]})
    >>> found = check(runs, qrels)
    >>> found[["severity", "topics_missing", "duplicates", "unjudged_at_10"]]
           severity topics_missing duplicates  unjudged_at_10
    system
    a       warning           (2,)         ()             0.5
    b         error           (2,)     (1 x,)             0.0
    """
    whole("depth", depth, low=1, error=DepthError)
    frame = as_runs(runs)
    named, lost = _with_ids(frame)
    table, judgments = read_table(named), read_qrels_table(qrels)
    codes, judged = _coded(table, judgments)
    scored = _with_every_score(table)
    ranking = rank_table(scored, ties="trec")
    found = pd.DataFrame(
        rows_found(table, listed_again(table.system, codes), documents)
        | lists_found(table, judgments, length, scored.group[ranking.order[ranking.tied]])
        | {"identical_to": identical(table, codes, ranking)}
        | sizes(table, ranking)
        | unjudged_tops(table, judgments, judged, ranking, depth),
        index=table.systems.rename(table.columns.get(SYSTEM, SYSTEM)),
    )
    others = [_of_each(lost, "ids_missing"), _of_files(problems)]
    return _with_severity(_filled(found, others), scored=SCORE in table.columns)


def _with_ids(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Return the rows with topic and document, and the positions of others by their system."""
    columns = roles(frame.columns)
    known = [columns[role] for role in (TOPIC, DOC) if role in columns]
    lacking = frame[known].isna().any(axis=1).to_numpy()
    rows = np.flatnonzero(lacking)
    systems = frame[columns[SYSTEM]].iloc[rows] if SYSTEM in columns else [ONLY_SYSTEM] * len(rows)
    positions = pd.Series(rows, index=pd.Index(systems), dtype=object)
    return (frame[~lacking] if len(rows) else frame), positions


def _with_every_score(table: RunTable) -> RunTable:
    """Return a table that can be ranked: without scores by rank, what lacks both at the end."""
    if table.score is not None and not np.isnan(table.score).any():
        return table
    given = -table.rank if table.score is None and table.rank is not None else table.score
    name = table.columns.get(SCORE, SCORE)
    return read_table(
        table.frame.assign(**{str(name): pd.Series(given).fillna(-np.inf).to_numpy()})
    )


def _coded(table: RunTable, judgments: QrelsTable) -> tuple[Codes, NDArray[np.bool_]]:
    """Return a code for every document and topic, and whether it is judged."""
    retrieved = Side(topics_of_both(table, judgments), table.doc)
    if is_text(table.doc.type) != is_text(judgments.doc.type):
        (codes,) = code_documents(retrieved)
        return codes, np.zeros(len(codes), dtype=bool)
    codes, known = code_documents(retrieved, Side(judgments.topic, judgments.doc))
    return codes, np.isin(codes, known[judgments.grade != POOLED_UNJUDGED])


def _of_each(found: pd.Series, name: str) -> pd.DataFrame:
    """Return a frame with a row for each label, all its values in one tuple."""
    gathered = {label: tuple(found[found.index == label]) for label in found.index.unique()}
    return pd.DataFrame({name: pd.Series(gathered, dtype=object)})


def _of_files(problems: pd.DataFrame | None) -> pd.DataFrame:
    if problems is None:
        return pd.DataFrame(columns=["unreadable"])
    told = "wanted " + problems["wanted"] + "; found " + problems["found"]
    return _of_each(told.set_axis(problems["file"]).astype(object), "unreadable")


def _filled(found: pd.DataFrame, others: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return rows for all labels, with the columns of all frames; where nothing is, empty."""
    labels = [*found.index, *(label for other in others for label in other.index)]
    everything = found.reindex(pd.Index(dict.fromkeys(labels), name=found.index.name))
    for other in others:
        everything = everything.join(other)
    lists = everything.reindex(columns=list(SEVERITY)).astype(object)
    lists = lists.map(lambda value: value if isinstance(value, tuple) else ())
    numbers = everything[list(COUNTS)].astype("Int64")
    return everything.drop(columns=[*SEVERITY, *COUNTS], errors="ignore").join([lists, numbers])


def _with_severity(frame: pd.DataFrame, *, scored: bool) -> pd.DataFrame:
    """Put first how grave what was found is, and what that is."""
    severity = SEVERITY if scored else SEVERITY | {"ranks_repeated": "error"}
    ordered = sorted(severity, key=lambda name: SEVERITIES.index(severity[name]))
    there = [[name for name in ordered if row[name]] for row in frame[ordered].to_dict("records")]
    worst = [severity[names[0]] if names else "" for names in there]
    sizes = ["topics", "documents", "longest"]
    unjudged = [name for name in frame.columns if str(name).startswith("unjudged_at_")]
    columns = [*sizes, *SEVERITY, "ties", *unjudged, "first_unjudged"]
    told = pd.DataFrame({"severity": worst, "found": list(map(tuple, there))}, frame.index)
    return told.join(frame[columns])
