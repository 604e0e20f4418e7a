"""Tables of problems in runs, with one row per run.

Verbs: check.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.checks import check_int
from irframe.diagnostics import frames
from irframe.diagnostics.findings import SEVERITIES, Findings
from irframe.errors import DepthError, InputError, shortened, warn
from irframe.evaluation import searches
from irframe.evaluation.collapse import Preparation, as_map, pairs_of, representatives_of
from irframe.experiments import coded_tables
from irframe.experiments.choices import Copies, CopiesAlone, Searches, SearchLike, Units
from irframe.experiments.joining import like_chunks
from irframe.experiments.policy import Policy
from irframe.experiments.rank_table import Ranking, rank_table
from irframe.experiments.ranked_runs import refuse_unread_searches
from irframe.files.as_runs import ONLY_SYSTEM, Qrels, Runs, by_role
from irframe.frames.ids import Codes, is_text, repeated
from irframe.frames.kinds import RUN
from irframe.frames.likeness import repeat_column
from irframe.names import DOC, PROBLEMS, SCORE, SURPLUS, SYSTEM, TOPIC, roles
from irframe.quantities.subtopics import POOLED_UNJUDGED
from irframe.record import recorded

EXAMPLES = 3
"""Number of documents that `check` lists as examples if a run has no judged document."""

Listed = dict[str, pd.Series]
"""Mapping from a column of `check` to a series of problems that is indexed by system."""


def _of_rows(table: coded_tables.RunTable, rows: Codes) -> pd.Series:
    """Return the topic and document of rows, indexed by system."""
    docs = table.doc.take(pa.array(rows)).to_pylist()
    topics = table.topics[table.topic[rows]]
    located = [f"{topic} {doc}" for topic, doc in zip(topics, docs, strict=True)]
    return pd.Series(located, table.systems[table.system[rows]], object)


def odd_topics(
    table: coded_tables.RunTable,
    judgments: coded_tables.QrelsTable,
    length: int | None,
    tied: Codes,
) -> Listed:
    """Return the topics of unusual lists.

    The result maps columns of `check` to series of topics that are indexed by system.
    """
    lengths = frames.list_lengths(table, judgments)
    lists, rows = np.unique(table.group, return_counts=True)
    usual = frames.usual_length(rows)
    required = (
        usual if length is None else check_int("list_length", length, low=1, error=DepthError)
    )
    unknown = ~table.topics.isin(judgments.topics)
    unknown_lists = np.unique(table.group[unknown[table.topic]])
    unmatched = (lengths == 0).all(axis=1)
    lists_by_name = {
        "topics_unmatched": unknown_lists[unmatched[unknown_lists // len(table.topics)]],
        "topics_unknown": unknown_lists,
        "lists_long": lists[rows > required] if length is not None else lists[:0],
        "lists_tied": np.unique(tied),
    } | frames.odd_lists(table)
    masks = {
        "topics_missing": lengths == 0,
        "lists_short": (lengths > 0) & (lengths < required),
    }
    located: dict[str, Any] = {
        name: (table.topics, *np.divmod(lists, len(table.topics)))
        for name, lists in lists_by_name.items()
    }
    located |= {name: (judgments.topics, *np.nonzero(mask)) for name, mask in masks.items()}
    return {
        name: pd.Series(topics.take(topic).tolist(), table.systems[system], object)
        for name, (topics, system, topic) in located.items()
    }


def none_judged(
    table: coded_tables.RunTable, has_judgments: NDArray[np.bool_], judged: NDArray[np.bool_]
) -> pd.Series:
    """Return example documents of systems without judged documents."""
    number = len(table.systems)
    with_topics, with_judged = (
        np.bincount(table.system[of], minlength=number) > 0 for of in (has_judgments, judged)
    )
    rows = np.flatnonzero((with_topics & ~with_judged)[table.system] & has_judgments)
    rows = rows[(pd.Series(table.system[rows]).groupby(table.system[rows]).cumcount() < EXAMPLES)]
    docs = table.doc.take(pa.array(rows)).to_pylist()
    return pd.Series(docs, table.systems[table.system[rows]], object)


def unknown(table: coded_tables.RunTable, documents: Iterable[object] | None) -> Codes:
    """Return positions of rows with documents outside the collection."""
    if documents is None:
        return np.arange(0)
    # `documents` may contain numbers where the runs contain text
    ids = pa.array(pd.unique(pd.Series([*documents]))).cast(table.doc.type)
    return np.flatnonzero(~pc.is_in(table.doc, value_set=ids).to_numpy())


def copied(table: coded_tables.RunTable, ranking: Ranking, copies: Copies) -> Codes:
    """Return positions of rows with copies of better-ranked documents."""
    if copies is None:
        return ranking.order[:0]
    mapping = as_map(copies, "copies", (DOC, "canonical"))
    docs = table.doc.take(pa.array(ranking.order)).to_pandas()
    key = pairs_of(table.group[ranking.order], representatives_of(docs, mapping))
    return np.sort(ranking.order[pd.Series(key).duplicated().to_numpy()])


def identical(table: coded_tables.RunTable, codes: Codes, ranking: Ranking) -> pd.Series:
    """Return systems with identical rankings, indexed by system."""
    ends = np.searchsorted(table.system[ranking.order], np.arange(len(table.systems) + 1))
    # dictionary keys find identical rankings without a comparison of all pairs of systems
    same: dict[bytes, list[Hashable]] = {}
    ranked = np.split(codes[ranking.order], ends[1:-1])
    for system, ranked_codes in zip(table.systems.tolist(), ranked, strict=True):
        same.setdefault(ranked_codes.tobytes(), []).append(system)
    pairs = [pair for group in same.values() for pair in permutations(group, 2)]
    return pd.Series([second for _, second in pairs], [first for first, _ in pairs], object)


def sizes(
    table: coded_tables.RunTable,
    has_judgments: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    ranking: Ranking,
    depth: int,
) -> dict[str, Any]:
    """Return the numeric columns of `check`, one value per system."""
    number = len(table.systems)
    order = ranking.order
    system = table.system[order]
    unjudged = has_judgments[order] & ~judged[order]
    top = has_judgments[order] & (ranking.rank <= depth)
    counted: dict[str, NDArray[np.bool_] | slice] = {
        "topics": ranking.rank == 1,
        "documents": slice(None),
        "ties": ranking.tied,
    }
    counted |= {"top": top, "unjudged_top": top & unjudged}
    counts = {name: np.bincount(system[of], minlength=number) for name, of in counted.items()}
    longest = pd.Series(ranking.rank).groupby(system).max()
    first = pd.Series(ranking.rank[unjudged]).groupby(system[unjudged]).min()
    size = counts.pop("top")
    unjudged_top = counts.pop("unjudged_top")
    return counts | {
        "longest": longest.reindex(range(number), fill_value=0).to_numpy(),
        f"unjudged_at_{depth}": unjudged_top / np.where(size, size, np.nan),
        "first_unjudged": first.reindex(range(number)).astype("Int64").array,
    }


BY_SEVERITY = {
    "error": "unreadable ids_missing scores_missing duplicates topics_unmatched documents_unjudged "
    "chunks scores_constant",
    "warning": "topics_missing topics_unknown documents_unknown ids_alike texts_differ "
    "scores_infinite ranks_contradict ranks_skipped lists_long identical_to",
    "note": "ranks_repeated lists_short lists_tied copies columns_surplus",
}
SEVERITY = {
    name: severity_of for severity_of, names in BY_SEVERITY.items() for name in names.split()
}
"""Mapping from each column of `check` that lists problems to its severity, in order of severity."""
COUNTS = ("topics", "documents", "longest", "ties", "first_unjudged", *searches.COSTS)
"""Names of the columns of `check` that contain integers."""


@recorded
def check(
    runs: Runs,
    qrels: Qrels,
    *,
    depth: int = 10,
    list_length: int | None = None,
    documents: Iterable[object] | None = None,
    train: Qrels | None = None,
    units: CopiesAlone = None,
    search: SearchLike = None,
) -> pd.DataFrame:
    r"""Return the possible problems of every run.

    Parameters
    ----------
    runs, qrels
        Runs and judgments, in any form that `as_runs` and `as_qrels` read. Runs that cannot be
        scored are also accepted, such as runs with duplicate documents, or with missing ids, scores
        or ranks.
    depth
        Depth down to which unjudged documents are counted, at least 1.
    list_length
        Required number of documents per list, at least 1. Longer and shorter lists are reported. By
        default, only lists that are shorter than the most frequent length are reported.
    documents
        The ids of all documents of the collection. By default, any id is valid.
    train
        Judgments that were used for training. A caution counts the topics and documents of `qrels`
        that are also in `train`.
    units
        ``irframe.Units(copies=...)``, which declares the copies of documents. If a list contains
        several copies of a document, all copies below the first are reported.
    search
        The column that numbers the searches, as for `cube`. The list of a topic then merges the
        documents of several searches. Ties are not reported. A document counts as duplicate if a
        single search returned it twice.

    Returns
    -------
    pandas.DataFrame
        The index contains the systems in the order of the frame, followed by the files that
        ``read_runs(..., on_error="skip")`` skipped. The first columns are

        - ``severity``, the severity of the most severe problem: ``"error"`` (the run cannot be
          scored, or its scores are meaningless), ``"warning"`` (scores may mislead), ``"note"``, or
          ``""`` if there is no problem;
        - ``found``, the names of the columns that list problems of the run;
        - ``topics``, ``documents`` and ``longest``, the number of lists, the number of rows, and
          the length of the longest list.

        The next columns list problems as tuples of topics, of strings with topic and document, or
        of other values:

        - ``unreadable``: the problems of a file, with at most three faulty lines and the number of
          further faulty lines;
        - ``ids_missing``: the positions of rows without topic or document, which are skipped;
        - ``scores_missing``: topic and document of rows without a score, which are ranked last;
        - ``duplicates``: topic and document of rows that repeat a document of the same list;
        - ``documents_unjudged``: the first three documents of a run without any judged document,
          for example because the ids in runs and judgments differ;
        - ``chunks``: topic and document of unjudged rows whose id consists of a judged id and a
          number, such as ``A#3``, ``A_3`` and ``A-0003`` for ``A``. Pass
          ``units=r"(.+?)[#_:.-]+\d+"`` to the verb that scores the run;
        - ``scores_constant``: the topics of a run in which all documents of each topic have the
          same score, so that the ranking depends on the tie policy alone;
        - ``topics_unmatched``: the topics of a run without any judged topic, for example because
          the ids in runs and judgments differ;
        - ``topics_missing``: judged topics without a list in the run;
        - ``topics_unknown``: topics of the run without judgments;
        - ``documents_unknown``: documents that are not in `documents`. This problem is an error if
          all documents of the run are unknown;
        - ``ids_alike``: topic and document of unjudged rows whose id differs from a judged id only
          by case, Unicode form or ``./`` at the beginning;
        - ``texts_differ``: topic and document of rows whose document has a different text in an
          earlier row, if a column such as ``text`` contains texts;
        - ``scores_infinite``: topic and document of rows with an infinite score;
        - ``ranks_contradict``: topics in which a score is higher than a score at a better rank;
        - ``ranks_skipped``: topics whose ranks have gaps, or begin above 2. Gaps are closed before
          scoring;
        - ``lists_long``: topics whose list is longer than `list_length`;
        - ``identical_to``: systems with the same documents in the same order in every topic;
        - ``ranks_repeated``: topics in which a rank is repeated or missing. This problem is an
          error if the run has no scores;
        - ``lists_short``: topics whose list has fewer than `list_length` documents;
        - ``lists_tied``: topics in which two documents have the same score;
        - ``copies``: topic and document of rows whose document is a copy of a document at a better
          rank;
        - ``columns_surplus``: the positions of columns of the file that `read_run` or `read_runs`
          skipped, such as ``(7,)``.

        The last columns contain numbers:

        - ``ties``: the number of documents whose score equals that of the document directly above;
        - ``unjudged_at_10``: the share of unjudged documents among the first 10 documents of judged
          topics, or NaN if no document is retrieved. The name contains `depth` instead of 10.
          Documents of grade -1 count as unjudged;
        - ``first_unjudged``: the best rank of an unjudged document, or <NA> if all documents are
          judged;
        - ``shown`` and ``again``, only with `search`: the total number of documents that searches
          returned, and how many of these documents an earlier search had already returned.

    Raises
    ------
    InputError
        If a required column is missing, or if there are no rows and no skipped files.
    IdError
        If rows have no system, or if ids are neither text nor integers.
    DepthError
        If `depth` or `list_length` is below 1.

    Warns
    -----
    IrframeWarning
        If judged documents are not in `documents`, for example because the collection has changed,
        or if `train` contains judged topics or documents. The attribute ``caution`` of the result
        contains the text of the warnings.

    Notes
    -----
    Documents are ranked as in trec_eval, by descending score. Documents with equal scores are
    ranked by descending id.

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
    >>> result = check(runs, qrels)
    >>> result[["severity", "topics_missing", "duplicates", "unjudged_at_10"]]
           severity topics_missing duplicates  unjudged_at_10
    system
    a       warning              2                        0.5
    b         error              2        1 x             0.0
    """
    check_int("depth", depth, low=1, error=DepthError)
    judgments = coded_tables.read_qrels_table(qrels)
    unreadable = _skipped_files(runs)
    # in repeated judgments, such as passes of a judge, a document occurs once per repeat
    if repeat_column(judgments.frame, [judgments.columns[role] for role in (TOPIC, DOC)]) is None:
        (codes,) = coded_tables.code_documents(coded_tables.Side(judgments.topic, judgments.doc))
        coded_tables.refuse_twice_judged(judgments, repeated(codes))
    documents = _ids(documents)
    warn(*frames.judgment_cautions(judgments, documents, train))
    none_read = isinstance(runs, pd.DataFrame) and runs.empty and len(unreadable)
    prepared = Preparation.read(search=search)
    column = Searches.column(search)
    empty = pd.DataFrame(columns=[SYSTEM, TOPIC, DOC, SCORE])
    frame = empty if none_read else by_role(runs, RUN, column).frame
    if column is None and not none_read:
        refuse_unread_searches(frame)
    named, lost = _with_ids(frame)
    counts = frame.attrs.get(SURPLUS, {})
    surplus = pd.Series(counts, dtype=object).explode().dropna()
    listed = {"ids_missing": lost, "unreadable": unreadable, "columns_surplus": surplus}
    if len(named):
        table = coded_tables.read_table(by_role(named, RUN, column))
        options = depth, list_length, documents, Units.read(units).copies
        find = partial(_numbers_of_systems, table, judgments, *options)
        numbers, more = find(Policy(**prepared.decided))
        listed |= more
    else:
        numbers = pd.DataFrame(columns=[*COUNTS[:4], f"unjudged_at_{depth}", COUNTS[4]])
        numbers = numbers.rename_axis(SYSTEM)
    return _with_severity(_filled(numbers, listed), scored=SCORE in roles(frame.columns))


def _ids(documents: Iterable[object] | None) -> list[object] | None:
    if documents is None:
        return None
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InputError("a list of ids in documents=", shortened(documents))
    return [*documents]


def _numbers_of_systems(
    table: coded_tables.RunTable,
    judgments: coded_tables.QrelsTable,
    depth: int,
    length: int | None,
    documents: Iterable[object] | None,
    copies: Copies,
    policy: Policy,
) -> tuple[pd.DataFrame, Listed]:
    """Return the numbers and the listed problems of every system."""
    infinite = np.zeros(0, bool) if table.score is None else np.isinf(table.score)
    listed = {
        "scores_missing": _of_rows(table, frames.without_score(table)),
        "scores_infinite": _of_rows(table, np.flatnonzero(infinite)),
        # duplicates are counted within each search, so searches are merged later
        "duplicates": _of_rows(table, searches.listed_twice(table, policy.search)),
    }
    costs: dict[str, Codes] = {}
    if policy.search is not None:
        table, costs = _merged_searches(_with_every_score(table), policy)
    codes, judged = _coded(table, judgments)
    has_judgments = np.asarray(table.topics.isin(judgments.topics))[table.topic]
    scored = _with_every_score(table)
    # rank_table does not warn, because the columns of the result already list the problems
    ranking = rank_table(scored, Policy(), np.arange(len(scored.topic)))
    rows = {
        "documents_unknown": unknown(table, documents),
        "chunks": like_chunks(table, judgments, np.flatnonzero(~judged)),
        "ids_alike": frames.like_spelled(table, judgments, np.flatnonzero(~judged)),
        "texts_differ": frames.with_other_texts(table),
        "copies": copied(table, ranking, copies),
    }
    marked = has_judgments & (judgments.grade != POOLED_UNJUDGED).any()
    listed |= {name: _of_rows(table, positions) for name, positions in rows.items()}
    listed |= odd_topics(table, judgments, length, scored.group[ranking.order[ranking.tied]])
    listed["documents_unjudged"] = none_judged(table, marked, judged)
    listed["identical_to"] = identical(table, codes, ranking)
    index = table.systems.rename(table.columns.get(SYSTEM, SYSTEM))
    return pd.DataFrame(sizes(table, has_judgments, judged, ranking, depth) | costs, index), listed


def _merged_searches(
    table: coded_tables.RunTable, policy: Policy
) -> tuple[coded_tables.RunTable, dict[str, Codes]]:
    """Return merged lists, and the costs of searches per system."""
    listed, _, repeats = searches.shown(table, policy)
    counts: dict[str, Codes] = {searches.SHOWN: np.bincount(listed.system)}
    counts[searches.AGAIN] = np.bincount(listed.system, repeats).astype(int)
    runs = searches.merged(by_role(table.frame, RUN, policy.search), policy, chunks=True)
    return coded_tables.read_table(runs), counts


def _with_ids(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Return rows with ids, and positions of other rows."""
    columns = roles(frame.columns)
    ids = [columns[role] for role in (TOPIC, DOC) if role in columns]
    lacking = frame[ids].isna().any(axis=1).to_numpy()
    rows = np.flatnonzero(lacking)
    systems = frame[columns[SYSTEM]].iloc[rows] if SYSTEM in columns else [ONLY_SYSTEM] * len(rows)
    positions = pd.Series(rows, index=pd.Index(systems), dtype=object)
    return (frame[~lacking] if len(rows) else frame), positions


def _with_every_score(table: coded_tables.RunTable) -> coded_tables.RunTable:
    """Return a table with a score in every row.

    If there is no score column, scores are negative ranks. Rows without score or rank are ranked
    last, with a score of minus infinity.
    """
    if table.score is not None and not np.isnan(table.score).any():
        return table
    scores_or_ranks = -table.rank if table.score is None and table.rank is not None else table.score
    name = str(table.columns.get(SCORE, SCORE))
    scores = {name: pd.Series(scores_or_ranks).fillna(-np.inf).to_numpy()}
    columns = {**table.columns, SCORE: name}
    return replace(table, frame=table.frame.assign(**scores), columns=columns)


def _coded(
    table: coded_tables.RunTable, judgments: coded_tables.QrelsTable
) -> tuple[Codes, NDArray[np.bool_]]:
    """Return integer codes of documents, and whether they are judged."""
    retrieved = coded_tables.Side(frames.topics_of_both(table, judgments), table.doc)
    if is_text(table.doc.type) != is_text(judgments.doc.type):
        (codes,) = coded_tables.code_documents(retrieved)
        return codes, np.zeros(len(codes), dtype=bool)
    of_qrels = coded_tables.Side(judgments.topic, judgments.doc)
    codes, judged = coded_tables.code_documents(retrieved, of_qrels)
    return codes, np.isin(codes, judged[judgments.grade != POOLED_UNJUDGED])


def _skipped_files(runs: Runs) -> pd.Series:
    """Return the problems of skipped files, indexed by file."""
    problems_read = getattr(runs, "attrs", {}).get(PROBLEMS)
    if not problems_read:
        return pd.Series(dtype=object)
    problems = pd.DataFrame(problems_read)
    by_expected = problems.groupby(["file", "expected"], sort=False)["found"]
    merged = by_expected.agg("; ".join).reset_index()
    texts = "expected " + merged["expected"] + ", but found " + merged["found"]
    return texts.set_axis(merged["file"]).astype(object)


def _filled(numbers: pd.DataFrame, listed: Listed) -> pd.DataFrame:
    """Return problems and numbers, one row per system or file."""
    labels = [*numbers.index, *listed["ids_missing"].index, *listed["unreadable"].index]
    index = pd.Index(dict.fromkeys(labels), name=numbers.index.name)
    lists = {
        name: values.groupby(level=0, sort=False).agg(tuple).reindex(index)
        for name, values in listed.items()
    }
    frame = pd.DataFrame(lists, index).reindex(columns=list(SEVERITY)).astype(object)
    frame = frame.map(lambda value: value if isinstance(value, tuple) else ())
    numbers = numbers.reindex(index)
    integer_columns = [name for name in numbers if name in COUNTS]
    return frame.join(numbers.astype(dict.fromkeys(integer_columns, "Int64")))


def _with_severity(frame: pd.DataFrame, *, scored: bool) -> pd.DataFrame:
    """Return the frame with added columns ``severity`` and ``found``."""
    severity = SEVERITY if scored else SEVERITY | {"ranks_repeated": "error"}
    problems = [_problems(row, severity) for row in frame.to_dict("records")]
    worst = [next(iter(by_name.values()), "") for by_name in problems]
    sizes = ["topics", "documents", "longest"]
    columns = [*sizes, *SEVERITY, *frame.columns.difference([*sizes, *SEVERITY], sort=False)]
    summary = pd.DataFrame({"severity": worst, "found": [*map(tuple, problems)]}, frame.index)
    return Findings(summary.join(frame[columns]))


def _problems(row: Mapping[Hashable, Any], severity: Mapping[str, str]) -> dict[str, str]:
    """Map the problems of a run to severities, errors first."""
    problems = {name: severity_of for name, severity_of in severity.items() if row[name]}
    if "documents_unknown" in problems and len(row["documents_unknown"]) == row["documents"]:
        problems["documents_unknown"] = "error"
    return dict(sorted(problems.items(), key=lambda item: SEVERITIES.index(item[1])))
