"""What may be wrong with each of many runs, a row for each.

Verbs: check.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.checks import whole
from irframe.diagnostics import findings
from irframe.diagnostics.odd_ids import like_spelled, with_other_texts
from irframe.errors import DepthError, InputError, listing, shortened, warn
from irframe.experiments import coded_tables, searches
from irframe.experiments.choices import Copies, CopiesAlone, Searches, SearchLike, Units
from irframe.experiments.collapse import Preparation, as_map, pairs_of, standing
from irframe.experiments.joining import like_chunks
from irframe.experiments.policy import Policy
from irframe.experiments.rank_table import Ranking, rank_table
from irframe.files.as_runs import ONLY_SYSTEM, Qrels, Runs, by_role
from irframe.files.ids import Codes, is_text, repeated
from irframe.files.kinds import RUN
from irframe.files.repeats import repeat_column
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import DOC, PROBLEMS, SCORE, SURPLUS, SYSTEM, TOPIC, roles
from irframe.record import recorded

EXAMPLES = 3
"""How many documents stand for all of a run, none of which is judged."""

Listed = dict[str, pd.Series]
"""What columns list, by system."""


def _of_rows(table: coded_tables.RunTable, rows: Codes) -> pd.Series:
    """Return topic and document of some rows, by system."""
    docs = table.doc.take(pa.array(rows)).to_pylist()
    topics = table.topics[table.topic[rows]]
    places = [f"{topic} {doc}" for topic, doc in zip(topics, docs, strict=True)]
    return pd.Series(places, table.systems[table.system[rows]], object)


def lists_found(
    table: coded_tables.RunTable,
    judgments: coded_tables.QrelsTable,
    length: int | None,
    tied: Codes,
) -> Listed:
    """Return the topics of which something is true, by system."""
    lengths = findings.list_lengths(table, judgments)
    lists, rows = np.unique(table.group, return_counts=True)
    usual = findings.usual_length(rows)
    wanted = usual if length is None else whole("list_length", length, low=1, error=DepthError)
    unknown = ~table.topics.isin(judgments.topics)
    strange = np.unique(table.group[unknown[table.topic]])
    stray = (lengths == 0).all(axis=1)
    lists_by_name = {
        "topics_unmatched": strange[stray[strange // len(table.topics)]],
        "topics_unknown": strange,
        "lists_long": lists[rows > wanted] if length is not None else lists[:0],
        "lists_tied": np.unique(tied),
    } | findings.odd_lists(table)
    masks = {"topics_missing": lengths == 0, "lists_short": (lengths > 0) & (lengths < wanted)}
    places: dict[str, Any] = {
        name: (table.topics, *np.divmod(lists, len(table.topics)))
        for name, lists in lists_by_name.items()
    }
    places |= {name: (judgments.topics, *np.nonzero(mask)) for name, mask in masks.items()}
    return {
        name: pd.Series(topics.take(topic).tolist(), table.systems[system], object)
        for name, (topics, system, topic) in places.items()
    }


def none_judged(
    table: coded_tables.RunTable, known: NDArray[np.bool_], judged: NDArray[np.bool_]
) -> pd.Series:
    """Return the first documents of the systems that have judged topics, and none judged there."""
    number = len(table.systems)
    with_topics, with_judged = (
        np.bincount(table.system[of], minlength=number) > 0 for of in (known, judged)
    )
    rows = np.flatnonzero((with_topics & ~with_judged)[table.system] & known)
    rows = rows[(pd.Series(table.system[rows]).groupby(table.system[rows]).cumcount() < EXAMPLES)]
    docs = table.doc.take(pa.array(rows)).to_pylist()
    return pd.Series(docs, table.systems[table.system[rows]], object)


def unknown(table: coded_tables.RunTable, documents: Iterable[Any] | None) -> Codes:
    """Return the rows of documents that are not in a collection."""
    if documents is None:
        return np.arange(0)
    ids = pa.array(pd.unique(pd.Series([*documents]))).cast(table.doc.type)
    return np.flatnonzero(~pc.is_in(table.doc, value_set=ids).to_numpy())


def beware_of_judgments(
    judgments: coded_tables.QrelsTable, documents: Iterable[Any] | None, train: Qrels | None
) -> Iterator[str]:
    """Say which judged documents no run can retrieve, and what training data hold of all judged."""
    topics, docs = judgments.topics.astype(str), _docs_of(judgments)
    if documents is not None and len(gone := docs[~docs.isin([*map(str, documents)])]):
        counts = f"{len(gone)} of {len(docs)} ({listing(gone)})"
        yield f"judged documents that are not among the documents of the collection: {counts}"
    if train is None:
        return
    seen = coded_tables.read_qrels_table(train)
    trained = topics[topics.isin(seen.topics.astype(str))]
    known = int(docs.isin(_docs_of(seen)).sum())
    if len(trained) or known:
        named = f" ({listing(trained)})" * bool(len(trained))
        counts = f"{len(trained)} of {len(topics)} judged topics{named}"
        yield f"training data hold {counts} and {known} of {len(docs)} judged documents"


def _docs_of(judgments: coded_tables.QrelsTable) -> pd.Index:
    """Return the documents that are judged, each once, as text."""
    named: pd.Index = pd.Index(judgments.doc.unique().to_pandas(), dtype=str)
    return named


def copied(table: coded_tables.RunTable, ranking: Ranking, copies: Copies) -> Codes:
    """Return the rows of what is a copy of a document above it."""
    if copies is None:
        return ranking.order[:0]
    known = as_map(copies, "copies", (DOC, "canonical"))
    docs = table.doc.take(pa.array(ranking.order)).to_pandas()
    key = pairs_of(table.group[ranking.order], standing(docs, known))
    return np.sort(ranking.order[pd.Series(key).duplicated().to_numpy()])


def identical(table: coded_tables.RunTable, codes: Codes, ranking: Ranking) -> pd.Series:
    """Return the systems with the same documents in the same order as another one, by this."""
    ends = np.searchsorted(table.system[ranking.order], np.arange(len(table.systems) + 1))
    same: dict[bytes, list[Any]] = {}
    for system, part in zip(
        table.systems.tolist(), np.split(codes[ranking.order], ends[1:-1]), strict=True
    ):
        same.setdefault(part.tobytes(), []).append(system)
    pairs = [(own, other) for alike in same.values() for own, other in permutations(alike, 2)]
    return pd.Series([other for _, other in pairs], [own for own, _ in pairs], object)


def sizes(
    table: coded_tables.RunTable,
    known: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    ranking: Ranking,
    depth: int,
) -> dict[str, Any]:
    """Return how much every system lists, and of its top how much, and where, is unjudged."""
    number, order = len(table.systems), ranking.order
    system, unjudged = table.system[order], known[order] & ~judged[order]
    top = known[order] & (ranking.rank <= depth)
    counted: dict[str, Any] = {
        "topics": ranking.rank == 1,
        "documents": slice(None),
        "ties": ranking.tied,
    }
    counted |= {"seen": top, "lacking": top & unjudged}
    counts = {name: np.bincount(system[of], minlength=number) for name, of in counted.items()}
    longest = pd.Series(ranking.rank).groupby(system).max()
    first = pd.Series(ranking.rank[unjudged]).groupby(system[unjudged]).min()
    seen, lacking = counts.pop("seen"), counts.pop("lacking")
    return counts | {
        "longest": longest.reindex(range(number), fill_value=0).to_numpy(),
        f"unjudged_at_{depth}": lacking / np.where(seen, seen, np.nan),
        "first_unjudged": first.reindex(range(number)).astype("Int64").array,
    }


BY_SEVERITY = {
    "error": "unreadable ids_missing scores_missing duplicates topics_unmatched documents_unjudged "
    "chunks scores_constant",
    "warning": "topics_missing topics_unknown documents_unknown ids_alike texts_differ "
    "scores_infinite ranks_contradict ranks_skipped lists_long identical_to",
    "note": "ranks_repeated lists_short lists_tied copies columns_surplus",
}
SEVERITY = {name: grave for grave, names in BY_SEVERITY.items() for name in names.split()}
"""The columns that list something, and how grave it is; the gravest first."""
COUNTS = ("topics", "documents", "longest", "ties", "first_unjudged", *searches.COSTS)
"""The columns that hold whole numbers."""


@recorded
def check(
    runs: Runs,
    qrels: Qrels,
    *,
    depth: int = 10,
    list_length: int | None = None,
    documents: Iterable[Any] | None = None,
    train: Qrels | None = None,
    units: CopiesAlone = None,
    search: SearchLike = None,
) -> pd.DataFrame:
    r"""Say of every run what may be wrong with it, one row per run.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame, or what `as_runs` and `as_qrels` take. Runs that nothing can
        score are read, too: with documents listed twice, or without some ids, scores or ranks.
    depth
        Down to where unjudged documents are counted, at least 1.
    list_length
        How many documents every list should have, at least 1, and none may have more; by default
        as many as most lists have.
    documents
        The ids of all documents of the collection. By default any id may be one.
    train
        Judgments that a system was trained with: how many judged topics and documents they hold,
        by their ids.
    units
        ``irframe.Units(copies=...)``: which documents are copies, of which later ones are listed.
    search
        As for `cube`: lists are then what several searches found together, in which ties are told
        of no more, and documents are listed twice if one search does so.

    Returns
    -------
    pandas.DataFrame
        Index: the systems, in the order of the frame, and after them the files that
        ``read_runs(..., on_error="skip")`` left out.
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
        - ``chunks``: topic and document of rows that are not judged, where the name before a number
          at the end, ``A`` of ``A#3``, ``A_3`` and ``A-0003``, is that of a judged document: pass
          ``units=r"(.+?)[#_:.-]+\d+"`` to what scores the run;
        - ``scores_constant``: the topics of a run that gives all documents of a topic one score,
          so that the order of ties is all there is;
        - ``topics_unmatched``: the topics of a run of which none is judged, as if its ids were
          others; ``topics_missing``, ``topics_unknown``: topics judged, but not run; run, but not
          judged;
        - ``documents_unknown``: documents that are not in `documents`, an error if none is;
        - ``ids_alike``: topic and document of rows that are not judged, where a judged document
          has the same id but for case, its form in Unicode or ``./`` at the beginning;
        - ``texts_differ``: topic and document of rows whose document has another text in an
          earlier row, where a column such as ``text`` has texts;
        - ``scores_infinite``: topic and document of such rows;
        - ``ranks_contradict``: topics in which a lower rank has a higher score;
        - ``ranks_skipped``: topics whose ranks leave some out, or begin beyond 2; the
          documents below count at better ranks;
        - ``lists_long``: topics whose list has more than the `list_length` that is given;
        - ``identical_to``: systems with the same documents in the same order in every topic;
        - ``ranks_repeated``: topics in which a rank stands twice, or nowhere. An error where
          there are no scores;
        - ``lists_short``: topics whose list has fewer than `list_length` documents;
        - ``lists_tied``: topics in which two documents have the same score;
        - ``copies``: topic and document of each row that is a copy of one above it, given `copies`;
        - ``columns_surplus``: which columns of the file were passed over, such as ``(7,)``; told
          by `read_run` and `read_runs`.

        Last come numbers: ``ties``, documents with the score of the one ranked above them;
        ``unjudged_at_10``, the share, 0 to 1, of the top `depth` in judged topics that is
        unjudged, NaN where nothing is retrieved; ``first_unjudged``, the least rank at which a
        document is unjudged, missing where all are judged. Grade -1 counts as unjudged. With
        `search` there are ``shown``, the documents that all searches showed, and ``again``, those
        of them that were shown before.

    Raises
    ------
    InputError
        For a frame without a column that is needed; and without any row, if nothing says
        why.
    IdError
        For rows without a system, or ids that are no text or integers.
    DepthError
        For a depth or length below 1.

    Warns
    -----
    IrframeWarning
        Of judged documents that are not among `documents`, as those of a collection that has
        changed since, and of judged topics and documents that `train` holds. The attribute
        ``caution`` says these.

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
    a       warning              2                        0.5
    b         error              2        1 x             0.0
    """
    whole("depth", depth, low=1, error=DepthError)
    judgments, unread = coded_tables.read_qrels_table(qrels), _left_out(runs)
    if repeat_column(judgments.frame, [judgments.columns[role] for role in (TOPIC, DOC)]) is None:
        (codes,) = coded_tables.code_documents(coded_tables.Side(judgments.topic, judgments.doc))
        coded_tables.refuse_twice_judged(judgments, repeated(codes))
    documents = _ids(documents)
    warn(*beware_of_judgments(judgments, documents, train))
    none_read = isinstance(runs, pd.DataFrame) and runs.empty and len(unread)
    prepared, column = Preparation.read(search=search), Searches.column(search)
    empty = pd.DataFrame(columns=[SYSTEM, TOPIC, DOC, SCORE])
    frame = empty if none_read else by_role(runs, RUN, column).frame
    if column is None and not none_read:
        searches.refuse_untold(frame)
    named, lost = _with_ids(frame)
    counts = frame.attrs.get(SURPLUS, {})
    surplus = pd.Series(counts, dtype=object).explode().dropna()
    listed = {"ids_missing": lost, "unreadable": unread, "columns_surplus": surplus}
    if len(named):
        table = coded_tables.read_table(by_role(named, RUN, column))
        asked = depth, list_length, documents, Units.read(units).copies
        find = partial(_numbers_of_systems, table, judgments, *asked)
        numbers, more = find(Policy(**prepared.decided))
        listed |= more
    else:
        numbers = pd.DataFrame(columns=[*COUNTS[:4], f"unjudged_at_{depth}", COUNTS[4]])
        numbers = numbers.rename_axis(SYSTEM)
    return _with_severity(_filled(numbers, listed), scored=SCORE in roles(frame.columns))


def _ids(documents: Iterable[Any] | None) -> list[Any] | None:
    if documents is None:
        return None
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InputError("documents, the ids of a collection", shortened(documents))
    return [*documents]


def _numbers_of_systems(
    table: coded_tables.RunTable,
    judgments: coded_tables.QrelsTable,
    depth: int,
    length: int | None,
    documents: Iterable[Any] | None,
    copies: Copies,
    policy: Policy,
) -> tuple[pd.DataFrame, Listed]:
    """Return numbers of every system of what can be read, and what the columns list."""
    infinite = np.isinf(table.score) if table.score is not None else []
    listed = {
        "scores_missing": _of_rows(table, findings.without_score(table)),
        "scores_infinite": _of_rows(table, np.flatnonzero(infinite)),
        "duplicates": _of_rows(table, searches.listed_twice(table, policy.search)),
    }
    costs: dict[str, Any] = {}
    if policy.search is not None:
        table, costs = _together(_with_every_score(table), policy)
    codes, judged = _coded(table, judgments)
    known = np.asarray(table.topics.isin(judgments.topics))[table.topic]
    scored = _with_every_score(table)
    ranking = rank_table(scored, Policy(), np.arange(len(scored.topic)))  # without its warnings
    rows = {
        "documents_unknown": unknown(table, documents),
        "chunks": like_chunks(table, judgments, np.flatnonzero(~judged)),
        "ids_alike": like_spelled(table, judgments, np.flatnonzero(~judged)),
        "texts_differ": with_other_texts(table),
        "copies": copied(table, ranking, copies),
    }
    marked = known & (judgments.grade != POOLED_UNJUDGED).any()
    listed |= {name: _of_rows(table, positions) for name, positions in rows.items()}
    listed |= lists_found(table, judgments, length, scored.group[ranking.order[ranking.tied]])
    listed["documents_unjudged"] = none_judged(table, marked, judged)
    listed["identical_to"] = identical(table, codes, ranking)
    index = table.systems.rename(table.columns.get(SYSTEM, SYSTEM))
    return pd.DataFrame(sizes(table, known, judged, ranking, depth) | costs, index), listed


def _together(
    table: coded_tables.RunTable, policy: Policy
) -> tuple[coded_tables.RunTable, dict[str, Any]]:
    """Return what all searches found as one list each, and what they showed of every system."""
    listed, _, again = searches.shown(table, policy)
    counts = {searches.SHOWN: np.bincount(listed.system)}
    counts[searches.AGAIN] = np.bincount(listed.system, again).astype(int)
    runs = searches.merged(by_role(table.frame, RUN, policy.search), policy, chunks=True)
    return coded_tables.read_table(runs), counts


def _with_ids(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Return the rows with topic and document, and the positions of others by their system."""
    columns = roles(frame.columns)
    known = [columns[role] for role in (TOPIC, DOC) if role in columns]
    lacking = frame[known].isna().any(axis=1).to_numpy()
    rows = np.flatnonzero(lacking)
    systems = frame[columns[SYSTEM]].iloc[rows] if SYSTEM in columns else [ONLY_SYSTEM] * len(rows)
    positions = pd.Series(rows, index=pd.Index(systems), dtype=object)
    return (frame[~lacking] if len(rows) else frame), positions


def _with_every_score(table: coded_tables.RunTable) -> coded_tables.RunTable:
    """Return a table that can be ranked: without scores by rank, what lacks both at the end."""
    if table.score is not None and not np.isnan(table.score).any():
        return table
    given = -table.rank if table.score is None and table.rank is not None else table.score
    name = str(table.columns.get(SCORE, SCORE))
    scores = {name: pd.Series(given).fillna(-np.inf).to_numpy()}
    return replace(
        table, frame=table.frame.assign(**scores), columns={**table.columns, SCORE: name}
    )


def _coded(
    table: coded_tables.RunTable, judgments: coded_tables.QrelsTable
) -> tuple[Codes, NDArray[np.bool_]]:
    """Return a code for every document and topic, and whether it is judged."""
    retrieved = coded_tables.Side(findings.topics_of_both(table, judgments), table.doc)
    if is_text(table.doc.type) != is_text(judgments.doc.type):
        (codes,) = coded_tables.code_documents(retrieved)
        return codes, np.zeros(len(codes), dtype=bool)
    codes, known = coded_tables.code_documents(
        retrieved, coded_tables.Side(judgments.topic, judgments.doc)
    )
    return codes, np.isin(codes, known[judgments.grade != POOLED_UNJUDGED])


def _left_out(runs: Any) -> pd.Series:
    """Return what is wrong with the files that were left out when runs were read."""
    told = getattr(runs, "attrs", {}).get(PROBLEMS)
    if not told:
        return pd.Series(dtype=object)
    problems = pd.DataFrame(told)
    alike = problems.groupby(["file", "wanted"], sort=False)["found"].agg("; ".join).reset_index()
    texts = "wanted " + alike["wanted"] + "; found " + alike["found"]
    return texts.set_axis(alike["file"]).astype(object)


def _filled(numbers: pd.DataFrame, listed: Listed) -> pd.DataFrame:
    """Return a row for each label, with all that columns list of it in one tuple each."""
    labels = [*numbers.index, *listed["ids_missing"].index, *listed["unreadable"].index]
    index = pd.Index(dict.fromkeys(labels), name=numbers.index.name)
    lists = {
        name: values.groupby(level=0, sort=False).agg(tuple).reindex(index)
        for name, values in listed.items()
    }
    frame = pd.DataFrame(lists, index).reindex(columns=list(SEVERITY)).astype(object)
    frame = frame.map(lambda value: value if isinstance(value, tuple) else ())
    numbers = numbers.reindex(index)
    whole_numbers = [name for name in numbers if name in COUNTS]
    return frame.join(numbers.astype(dict.fromkeys(whole_numbers, "Int64")))


def _with_severity(frame: pd.DataFrame, *, scored: bool) -> pd.DataFrame:
    """Put first how grave what was found is, and what that is."""
    severity = SEVERITY if scored else SEVERITY | {"ranks_repeated": "error"}
    there = [_graves(row, severity) for row in frame.to_dict("records")]
    worst = [next(iter(graves.values()), "") for graves in there]
    sizes = ["topics", "documents", "longest"]
    columns = [*sizes, *SEVERITY, *frame.columns.difference([*sizes, *SEVERITY], sort=False)]
    summary = pd.DataFrame({"severity": worst, "found": list(map(tuple, there))}, frame.index)
    return findings.Findings(summary.join(frame[columns]))


def _graves(row: Mapping[Any, Any], severity: Mapping[str, str]) -> dict[str, str]:
    """Return what was found on a run and how grave it is, the gravest first."""
    graves = {name: grave for name, grave in severity.items() if row[name]}
    if "documents_unknown" in graves and len(row["documents_unknown"]) == row["documents"]:
        graves["documents_unknown"] = "error"
    ordered = sorted(graves, key=lambda name: findings.SEVERITIES.index(graves[name]))
    return {name: graves[name] for name in ordered}
