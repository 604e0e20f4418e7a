"""Findings about run frames and judgments."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.diagnostics.findings import IN_CODE, LU, TREC_EVAL, Finding, findings_at, findings_of
from irframe.errors import listing
from irframe.experiments.coded_tables import (
    QrelsTable,
    RunTable,
    Side,
    code_documents,
    read_qrels_table,
)
from irframe.experiments.joining import COLLAPSE, like_chunks
from irframe.experiments.rank_table import listed_again
from irframe.files.as_runs import Qrels
from irframe.frames.ids import Codes, beginnings, is_text, repeated, shown
from irframe.names import DOC
from irframe.quantities.subtopics import POOLED_UNJUDGED

ALEX = "Alex, Hall, Metzler 2022, doi:10.48550/arXiv.2201.01745"
YILMAZ = "Yilmaz, Aslam 2006, doi:10.1145/1183614.1183633"


def without_score(table: RunTable) -> Codes:
    """Return the positions of rows without a score."""
    return np.arange(0) if table.score is None else np.flatnonzero(np.isnan(table.score))


def odd_lists(table: RunTable) -> dict[str, Codes]:
    """Return lists with unusual ranks or scores, by problem.

    The result maps each problem to the numbers of the affected lists, as in `RunTable.group`. The
    problems are

    - ``ranks_repeated``: a rank is repeated or missing;
    - ``ranks_skipped``: ranks have gaps, or begin above 2;
    - ``ranks_contradict``: a document has a higher score than a document ranked above it;
    - ``scores_constant``: every list of the system has the same score for all its documents.
    """
    names = ("ranks_repeated", "ranks_skipped", "ranks_contradict", "scores_constant")
    odd: dict[str, Codes] = dict.fromkeys(names, np.arange(0))
    if table.rank is not None:
        order = np.lexsort((table.rank, table.group))
        group = table.group[order]
        rank = table.rank[order]
        first = beginnings(group)
        inside = np.diff(group) == 0
        step = np.diff(rank)
        unranked = group[np.isnan(rank)]
        late = group[first[rank[first] > 2]]
        odd["ranks_repeated"] = np.unique(np.append(group[1:][inside & (step == 0)], unranked))
        odd["ranks_skipped"] = np.unique(np.append(group[1:][inside & (step > 1)], late))
        if table.score is not None:
            score = table.score[order]
            odd["ranks_contradict"] = np.unique(group[1:][inside & (score[1:] > score[:-1])])
    if table.score is not None:
        order = np.lexsort((table.score, table.group))
        group = table.group[order]
        score = table.score[order]
        first = beginnings(group)
        last = np.append(first[1:], len(group)) - 1
        several = last > first
        systems = group[first] // len(table.topics)
        decided = np.unique(systems[several & (score[first] != score[last])])
        odd["scores_constant"] = group[first[several & ~np.isin(systems, decided)]]
    return odd


def usual_length(lengths: NDArray[np.integer]) -> int:
    """Return the most frequent length; if tied, the largest.

    Examples
    --------
    >>> usual_length(np.array([50, 1000, 1000, 2000]))
    1000
    """
    values, counts = np.unique(lengths, return_counts=True)
    return int(values[counts == counts.max()].max(initial=0))


def list_lengths(table: RunTable, judgments: QrelsTable) -> NDArray[np.integer]:
    """Return the lengths of lists, shape (system, judged topic)."""
    topics = judgments.topics.get_indexer(table.topics)
    shape = (len(table.systems), len(judgments.topics))
    values = topics[table.topic] >= 0
    # products of 32-bit codes may exceed the range of 32-bit integers
    cell = table.system[values].astype(np.int64) * shape[1] + topics[table.topic][values]
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


def topics_of_both(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return an integer code for the topic of each row.

    The code of a judged topic is its position in `judgments`. Unjudged topics have larger codes.
    """
    codes = judgments.topics.get_indexer(table.topics)
    beyond = len(judgments.topics) + np.arange(len(codes))
    return np.where(codes < 0, beyond, codes)[table.topic]


def check_frames(table: RunTable, judgments: QrelsTable, depth: int | None) -> Iterator[Finding]:
    """Yield findings about frames of runs and of judgments.

    Parameters
    ----------
    table, judgments
        The two frames, with topics and systems as integer codes.
    depth
        Evaluation depth. The default is the length of the longest list.
    """
    yield from _topic_findings(table, judgments)
    if judgments.spans is None:
        yield from _document_findings(table, judgments)
    yield from _scores(table)
    yield from _lists(table, judgments, depth)
    topics = judgments.topics
    relevant = np.bincount(judgments.topic[judgments.grade >= 1], minlength=len(topics))
    advice = f"every system scores 0 on these topics: exclude them{IN_CODE}no_rel='nan'"
    yield from findings_at(
        "warning", "topics without relevant documents", topics[relevant == 0], advice
    )
    marked = judgments.grade == POOLED_UNJUDGED
    advice = "if these rows mark unjudged documents, drop them; otherwise, change the grade to 0"
    problem = "judgments of grade -1, which may mark pooled but unjudged documents"
    where = topics[np.unique(judgments.topic[marked])]
    for finding in findings_at("warning", problem, where, advice, YILMAZ, int(marked.sum())):
        yield replace(finding, where=f"topics {finding.where}")


def _topic_findings(table: RunTable, judgments: QrelsTable) -> Iterator[Finding]:
    sides = table.topics, judgments.topics
    types = [pa.array(side).type for side in sides]
    # Arrow has two types of strings, which differ only in the size of offsets
    if types[0] != types[1] and not all("string" in str(kind) for kind in types):
        where = f"{table.topics.dtype} in the runs, {judgments.topics.dtype} in the qrels"
        n_common = int(table.topics.astype(str).isin(judgments.topics.astype(str)).sum())
        yield Finding("error", "topics of two types", where, n_common, CONVERT, TREC_EVAL)
        return
    unknown = table.topics[~table.topics.isin(judgments.topics)]
    if len(unknown) == len(table.topics):
        where = f"runs: {shown(table.topics)}; qrels: {shown(judgments.topics)}"
        advice = "compare leading zeros, prefixes and types"
        yield Finding("error", "no topic in common", where, len(unknown), advice, TREC_EVAL)
        return
    advice = "check that the track dropped these topics; they are ignored"
    yield from findings_at("warning", "topics of the runs without judgments", unknown, advice, LU)


CONVERT = "convert one side with astype(str)"
SPLIT = "if the texts are different documents, use a different id for each text"


def _document_findings(table: RunTable, judgments: QrelsTable) -> Iterator[Finding]:
    if pa.types.is_integer(table.doc.type) != pa.types.is_integer(judgments.doc.type):
        where = f"{table.doc.type} in the runs, {judgments.doc.type} in the qrels"
        yield Finding("error", "documents of two types", where, len(table.doc), CONVERT, TREC_EVAL)
        return
    topic = topics_of_both(table, judgments)
    listed_, judged = code_documents(Side(topic, table.doc), Side(judgments.topic, judgments.doc))
    is_judged = np.isin(listed_, judged)
    keep = "keep one of the rows"
    listed_twice = listed_again(table.system, listed_)
    judged_twice = repeated(judged)
    unjudged = np.flatnonzero(~is_judged)
    chunks, spelled = (like(table, judgments, unjudged) for like in (like_chunks, like_spelled))
    for severity, problem, rows, describe, advice in (
        ("error", "documents listed twice in a ranking", listed_twice, table.describe, keep),
        ("error", "documents judged twice", judged_twice, judgments.describe, keep),
        ("warning", CHUNKS, chunks, table.describe, COLLAPSE),
        (
            "warning",
            SPELLED,
            spelled,
            table.describe,
            "use the same spelling of ids in both frames",
        ),
        ("warning", "documents with several texts", with_other_texts(table), table.describe, SPLIT),
    ):
        yield from findings_at(severity, problem, rows, advice, describe=describe)
    # if runs and judgments have no topic in common, another finding says so
    if (topic < len(judgments.topics)).any() and not is_judged.any():
        docs = [shown(value.as_py() for value in side.doc[:3]) for side in (table, judgments)]
        where = f"runs: {docs[0]}; qrels: {docs[1]}"
        advice = "every score is 0: compare the document ids of runs and judgments"
        problem = "no judged document is retrieved"
        yield Finding("warning", problem, where, len(judged), advice, TREC_EVAL)


CHUNKS = "documents whose ids look like chunks of judged documents"
SPELLED = "documents whose ids differ from judged ids only by case, Unicode form or './'"


def _scores(table: RunTable) -> Iterator[Finding]:
    missing = without_score(table)
    advice = "add the scores, or drop these rows"
    yield from findings_at("error", "missing scores", missing, advice, describe=table.describe)
    odd = odd_lists(table)
    for name, fault, advice, source in (
        (
            "ranks_contradict",
            "contradict their scores",
            f"check whether ranks or scores are right; to rank by ranks{IN_CODE}ties='rank'",
            LU,
        ),
        (
            "ranks_skipped",
            "have gaps",
            "check whether documents were lost; gaps are closed before scoring",
            TREC_EVAL,
        ),
    ):
        systems = table.systems[np.unique(odd[name] // len(table.topics))]
        problem = f"rankings whose ranks {fault}"
        yield from findings_at("warning", problem, systems, advice, source, len(odd[name]))


def _lists(table: RunTable, judgments: QrelsTable, depth: int | None) -> Iterator[Finding]:
    lengths = list_lengths(table, judgments)
    systems = table.systems
    empty = lengths == 0
    unmatched = empty.all(axis=1)
    # if no system has a judged topic, another finding already reports an error
    if not unmatched.all():
        advice = "these systems score 0 on every topic: compare the topic ids"
        problem = "systems without a list for any judged topic"
        yield from findings_at("warning", problem, systems[unmatched], advice)
    missing = empty & ~unmatched[:, np.newaxis]
    advice = f"a missing list scores 0, which is the best ASL{IN_CODE}ASL(unretrieved='irrel+1')"
    problem = "judged topics missing from a run"
    yield from findings_of("warning", problem, systems, missing, advice, ALEX)
    longest = int(lengths.max()) if depth is None else depth
    short = (lengths > 0) & (lengths < longest)
    problem = f"rankings shorter than {longest}"
    advice = "metrics treat missing ranks as not relevant; compare runs of equal length"
    yield from findings_of("note", problem, systems, short, advice, LU)


TEXT_COLUMNS = ("text", "contents", "content", "body", "passage_text", "document")
"""Names of columns that may contain the texts of documents, in order of preference."""


def like_spelled(table: RunTable, judgments: QrelsTable, rows: Codes) -> Codes:
    """Return the rows whose document ids nearly equal judged ids.

    `rows` are the positions of the rows to search. Nearly equal ids differ only by case, Unicode
    form, or ``./`` at the beginning.
    """
    if not len(rows) or not (is_text(table.doc.type) and is_text(judgments.doc.type)):
        return rows[:0]
    names = table.doc.take(pa.array(rows))
    judged_names = pc.unique(judgments.doc.cast(pa.large_string()))
    plain, plain_judged = (
        pc.replace_substring_regex(pc.utf8_lower(pc.utf8_normalize(ids, "NFKC")), r"^(\./)+", "")
        for ids in (names.cast(pa.large_string()), judged_names)
    )
    alike = pc.is_in(plain, value_set=plain_judged)
    return np.asarray(
        rows[pc.and_(alike, pc.invert(pc.is_in(names, value_set=judged_names))).to_numpy()]
    )


def with_other_texts(table: RunTable) -> Codes:
    """Return rows whose text differs from the document's first text."""
    doc_column = table.columns.get(DOC)
    # a column such as `document` may contain the ids instead of texts
    name = next((n for n in TEXT_COLUMNS if n in table.frame.columns and n != doc_column), None)
    if name is None:
        return np.arange(0)
    # texts are compared as strings, because missing values are not equal to each other
    texts = table.frame[name].astype(str).to_numpy(object)
    pairs = pd.DataFrame({"doc": table.doc.to_numpy(), "text": texts})
    first = pairs.groupby("doc", sort=False)["text"].transform("first")
    return np.flatnonzero((pairs["text"] != first).to_numpy())


def judgment_cautions(
    judgments: QrelsTable, documents: Iterable[object] | None, train: Qrels | None
) -> Iterator[str]:
    """Yield cautions about judgments that should not be used.

    One caution counts judged documents outside the collection. The other caution counts judged
    topics and documents that also occur in the training data.
    """
    topics = judgments.topics.astype(str)
    docs = _docs_of(judgments)
    if documents is not None and len(missing := docs[~docs.isin([*map(str, documents)])]):
        counts = f"{len(missing)} of {len(docs)} ({listing(missing)})"
        yield f"judged documents outside the collection: {counts}"
    if train is None:
        return
    training = read_qrels_table(train)
    trained = topics[topics.isin(training.topics.astype(str))]
    n_docs = int(docs.isin(_docs_of(training)).sum())
    if len(trained) or n_docs:
        named = f" ({listing(trained)})" if len(trained) else ""
        counts = f"{len(trained)} of {len(topics)} judged topics{named}"
        yield f"training data contain {counts} and {n_docs} of {len(docs)} judged documents"


def _docs_of(judgments: QrelsTable) -> pd.Index:
    """Return the distinct judged documents as text."""
    docs: pd.Index = pd.Index(judgments.doc.unique().to_pandas(), dtype=str)
    return docs
