"""What is wrong with runs and judgments before they meet in a cube."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from irframe.experiments.coded_tables import QrelsTable, RunTable, Side, code_documents
from irframe.experiments.rank_table import listed_again
from irframe.files.ids import repeated, shown
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.studies.trust.findings import (
    ALEX,
    LU,
    TREC_EVAL,
    YILMAZ,
    Finding,
    listed,
    listed_rows,
)
from irframe.studies.trust.lists import (
    contradicting,
    gapped,
    list_lengths,
    topics_of_both,
    without_score,
)


def check_frames(table: RunTable, judgments: QrelsTable, depth: int | None) -> Iterator[Finding]:
    """Yield what is found in a run frame and a qrels frame, each read by role.

    Parameters
    ----------
    table, judgments
        The frames.
    depth
        Evaluation depth, by default the longest list.
    """
    yield from _topics(table, judgments)
    yield from _documents(table, judgments)
    yield from _scores(table)
    yield from _lists(table, judgments, depth)
    yield from _grades(judgments)


def _topics(table: RunTable, judgments: QrelsTable) -> Iterator[Finding]:
    if pa.array(table.topics).type != pa.array(judgments.topics).type:
        kinds = f"{table.topics.dtype} in the runs, {judgments.topics.dtype} in the qrels"
        shared = table.topics.astype(str).isin(judgments.topics.astype(str)).sum()
        advice = "convert one side with astype(str)"
        text = {str(pa.array(side).type) for side in (table.topics, judgments.topics)}
        if not all("string" in kind for kind in text):
            yield Finding("error", "topics of two types", kinds, int(shared), advice, TREC_EVAL)
            return
    unknown = table.topics[~table.topics.isin(judgments.topics)]
    if len(unknown) == len(table.topics):
        where = f"runs: {shown(table.topics)}; qrels: {shown(judgments.topics)}"
        advice = "compare leading zeros, prefixes and types"
        yield Finding("error", "no topic in common", where, len(unknown), advice, TREC_EVAL)
        return
    if len(unknown):
        advice = "nothing to do if the track dropped them; they are left out"
        what = "topics of the runs without judgments"
        yield Finding("warning", what, listed(unknown), len(unknown), advice, LU)


def _documents(table: RunTable, judgments: QrelsTable) -> Iterator[Finding]:
    if pa.types.is_integer(table.doc.type) != pa.types.is_integer(judgments.doc.type):
        where = f"{table.doc.type} in the runs, {judgments.doc.type} in the qrels"
        advice = "convert one side with astype(str)"
        yield Finding("error", "documents of two types", where, len(table.doc), advice, TREC_EVAL)
        return
    topic = topics_of_both(table, judgments)
    listed_, judged = code_documents(Side(topic, table.doc), Side(judgments.topic, judgments.doc))
    twice = listed_again(table.system, listed_)
    for what, again, describe in (
        ("documents listed twice in a ranking", twice, table.describe),
        ("documents judged twice", repeated(judged), judgments.describe),
    ):
        if len(again):
            where = listed_rows(describe, again)
            yield Finding("error", what, where, len(again), "keep one of them", TREC_EVAL)
    if (topic < len(judgments.topics)).any() and not np.isin(listed_, judged).any():
        docs = [shown(value.as_py() for value in side.doc[:3]) for side in (table, judgments)]
        where = f"runs: {docs[0]}; qrels: {docs[1]}"
        advice = "compare the identifiers; every score is 0"
        what = "no judged document is retrieved"
        yield Finding("warning", what, where, len(judged), advice, TREC_EVAL)


def _scores(table: RunTable) -> Iterator[Finding]:
    missing = without_score(table)
    if len(missing):
        where = listed_rows(table.describe, missing)
        yield Finding("error", "missing scores", where, len(missing), "mend the run", TREC_EVAL)
    lists = contradicting(table)
    if len(lists):
        systems = table.systems[np.unique(lists // len(table.topics))]
        advice = "find out which one its authors meant; ties='rank' follows the rank column"
        what = "rankings whose ranks contradict their scores"
        yield Finding("warning", what, listed(systems), len(lists), advice, LU)
    lists = gapped(table)
    if len(lists):
        systems = table.systems[np.unique(lists // len(table.topics))]
        advice = "find out which documents were lost; metrics see those below close up"
        what = "rankings whose ranks leave some out"
        yield Finding("warning", what, listed(systems), len(lists), advice, TREC_EVAL)


def _lists(table: RunTable, judgments: QrelsTable, depth: int | None) -> Iterator[Finding]:
    lengths = list_lengths(table, judgments)
    empty = lengths == 0
    stray = empty.all(axis=1)
    if stray.any() and not stray.all():
        where = listed(table.systems[np.flatnonzero(stray)])
        advice = "compare the topic ids; these systems score 0 on every topic"
        what = "systems without a list for any judged topic"
        yield Finding("warning", what, where, int(stray.sum()), advice, TREC_EVAL)
    empty &= ~stray[:, np.newaxis]
    if empty.any():
        advice = "a missing list scores 0; ASL rewards it, use ASL(unretrieved='irrel+1')"
        what = "judged topics missing from a run"
        yield Finding("warning", what, _worst(table, empty), int(empty.sum()), advice, ALEX)
    wanted = int(lengths.max()) if depth is None else depth
    short = (lengths > 0) & (lengths < wanted)
    if short.any():
        advice = "metrics treat missing ranks as not relevant; compare runs of one length"
        what = f"rankings shorter than {wanted}"
        yield Finding("note", what, _worst(table, short), int(short.sum()), advice, LU)


def _worst(table: RunTable, lists: NDArray[np.bool_]) -> str:
    counts = lists.sum(axis=1)
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    return listed(f"{table.systems[row]} ({counts[row]})" for row in order)


def _grades(judgments: QrelsTable) -> Iterator[Finding]:
    relevant = np.bincount(judgments.topic[judgments.grade >= 1], minlength=len(judgments.topics))
    without = judgments.topics[relevant == 0]
    if len(without):
        advice = "they score 0 whatever is retrieved; no_rel='nan' leaves them out"
        what = "topics without relevant documents"
        yield Finding("warning", what, listed(without), len(without), advice, TREC_EVAL)
    marked = int((judgments.grade == POOLED_UNJUDGED).sum())
    if marked:
        advice = "drop these rows if they mark unjudged documents, else give them grade 0"
        what = "judgments of grade -1, which may mark pooled but unjudged documents"
        topics = judgments.topics[np.unique(judgments.topic[judgments.grade == POOLED_UNJUDGED])]
        yield Finding("warning", what, "topics " + listed(topics), marked, advice, YILMAZ)
