"""What may be wrong with each of many runs, a row for each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import whole
from irframe.errors import DepthError
from irframe.experiments.coded_tables import (
    QrelsTable,
    RunTable,
    Side,
    code_documents,
    read_qrels_table,
    read_table,
)
from irframe.experiments.rank_table import listed_again, rank_table
from irframe.files.as_runs import ONLY_SYSTEM, Qrels, Runs, as_runs
from irframe.files.ids import Codes, is_text
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import DOC, SCORE, SURPLUS, SYSTEM, TOPIC, roles
from irframe.record import recorded
from irframe.studies.trust.findings import SEVERITIES
from irframe.studies.trust.lists import topics_of_both
from irframe.studies.trust.run_checks import (
    identical,
    lists_found,
    none_judged,
    rows_found,
    sizes,
    unjudged_tops,
)

SEVERITY = {
    "unreadable": "error",
    "ids_missing": "error",
    "scores_missing": "error",
    "duplicates": "error",
    "topics_unmatched": "error",
    "documents_unjudged": "error",
    "scores_constant": "error",
    "topics_missing": "warning",
    "topics_unknown": "warning",
    "documents_unknown": "warning",
    "scores_infinite": "warning",
    "ranks_contradict": "warning",
    "ranks_skipped": "warning",
    "lists_long": "warning",
    "identical_to": "warning",
    "ranks_repeated": "note",
    "lists_short": "note",
    "lists_tied": "note",
    "columns_surplus": "note",
}
"""The columns that list something, and how grave it is; the gravest first."""
COUNTS = ("topics", "documents", "longest", "ties", "first_unjudged")
"""The columns that hold whole numbers."""


@recorded
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
        How many documents every list should have, at least 1, and none may have more; by default
        as many as most lists have.
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

        - ``severity``: of the gravest thing found: ``"error"``, the run cannot be scored, or its
          scores say nothing of it; ``"warning"``, they may mislead; ``"note"``, worth knowing; or
          ``""``;
        - ``found``: the names of all columns below that list something;
        - ``topics``, ``documents``, ``longest``: how many lists and rows, and the longest list.

        The columns from here on list things, as tuples that are never cut:

        - ``unreadable``: what is wrong with the file, of its lines the first three and a count;
        - ``ids_missing``: the positions of rows without topic or document, which are set aside;
        - ``scores_missing`` and ``duplicates``: topic and document of each such row. Documents
          without a score are ranked last, and listed ones twice are left in;
        - ``documents_unjudged``: the run's first three documents, if none of all is judged: the
          ids may be others;
        - ``scores_constant``: the topics of a run that gives all documents of a topic one score,
          so that the order of ties is all there is;
        - ``topics_unmatched``: the topics of a run of which none is judged, as if its ids were
          others; ``topics_missing``, ``topics_unknown``: topics judged, but not run; run, but not
          judged;
        - ``documents_unknown``: documents that are not in `documents`, an error if none is;
        - ``scores_infinite``: topic and document of such rows;
        - ``ranks_contradict``: topics in which a lower rank has a higher score;
        - ``ranks_skipped``: topics whose ranks leave some out, or begin beyond 2; metrics see the
          documents close up;
        - ``lists_long``: topics whose list has more than the `length` that is given;
        - ``identical_to``: systems with the same documents in the same order in every topic;
        - ``ranks_repeated``: topics in which a rank stands twice, or nowhere. An error where
          there are no scores;
        - ``lists_short``: topics whose list has fewer than `length` documents;
        - ``lists_tied``: topics in which two documents have the same score;
        - ``columns_surplus``: which columns of the file were passed over, such as ``(7,)``; told
          by `read_run` and `read_runs`.

        Last come numbers: ``ties``, documents with the score of the one ranked above them;
        ``unjudged_at_10``, the share, 0 to 1, of the top `depth` in judged topics that is
        unjudged, NaN where nothing is retrieved; ``first_unjudged``, the least rank at which a
        document is unjudged, missing where all are judged. Grade -1 counts as unjudged.

    Raises
    ------
    InputError
        For a frame without a column that is needed; and without any row, if there are no
        `problems` that say why.
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
    judgments, unread = read_qrels_table(qrels), _of_files(problems)
    none_read = isinstance(runs, pd.DataFrame) and runs.empty and len(unread)
    frame = as_runs(runs) if not none_read else pd.DataFrame(columns=[SYSTEM, TOPIC, DOC, SCORE])
    named, lost = _with_ids(frame)
    if len(named):
        found = _found(read_table(named), judgments, depth, length, documents)
    else:
        found = pd.DataFrame(columns=[*COUNTS, f"unjudged_at_{depth}"]).rename_axis(SYSTEM)
    surplus = _surplus(frame.attrs.get(SURPLUS, {}), found.index)
    filled = _filled(found, [_of_each(lost, "ids_missing"), surplus, unread])
    return _with_severity(filled, scored=SCORE in roles(frame.columns))


def _found(
    table: RunTable,
    judgments: QrelsTable,
    depth: int,
    length: int | None,
    documents: Iterable[Any] | None,
) -> pd.DataFrame:
    """Return a row for every system of what can be read."""
    codes, judged = _coded(table, judgments)
    scored = _with_every_score(table)
    ranking = rank_table(scored, ties="trec")
    return pd.DataFrame(
        rows_found(table, listed_again(table.system, codes), documents)
        | lists_found(table, judgments, length, scored.group[ranking.order[ranking.tied]])
        | none_judged(table, judgments, judged)
        | {"identical_to": identical(table, codes, ranking)}
        | sizes(table, ranking)
        | unjudged_tops(table, judgments, judged, ranking, depth),
        index=table.systems.rename(table.columns.get(SYSTEM, SYSTEM)),
    )


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


def _surplus(counts: Mapping[Any, Sequence[int]], systems: pd.Index) -> pd.DataFrame:
    """Return the numbers of the columns that were passed over where systems were read."""
    known = {system: tuple(counts[system]) for system in systems if system in counts}
    return pd.DataFrame({"columns_surplus": pd.Series(known, dtype=object)})


def _of_files(problems: pd.DataFrame | None) -> pd.DataFrame:
    if problems is None:
        return pd.DataFrame(columns=["unreadable"])
    alike = problems.groupby(["file", "wanted"], sort=False)["found"].agg("; ".join).reset_index()
    told = "wanted " + alike["wanted"] + "; found " + alike["found"]
    return _of_each(told.set_axis(alike["file"]).astype(object), "unreadable")


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
    there = [_graves(row, severity) for row in frame.to_dict("records")]
    worst = [next(iter(graves.values()), "") for graves in there]
    sizes = ["topics", "documents", "longest"]
    unjudged = [name for name in frame.columns if str(name).startswith("unjudged_at_")]
    columns = [*sizes, *SEVERITY, "ties", *unjudged, "first_unjudged"]
    told = pd.DataFrame({"severity": worst, "found": list(map(tuple, there))}, frame.index)
    return told.join(frame[columns])


def _graves(row: Mapping[Any, Any], severity: Mapping[str, str]) -> dict[str, str]:
    """Return what was found on a run and how grave it is, the gravest first."""
    found = {name: grave for name, grave in severity.items() if row[name]}
    if "documents_unknown" in found and len(row["documents_unknown"]) == row["documents"]:
        found["documents_unknown"] = "error"
    ordered = sorted(found, key=lambda name: SEVERITIES.index(found[name]))
    return {name: found[name] for name in ordered}
