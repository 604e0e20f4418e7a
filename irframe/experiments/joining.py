"""The join of retrieved documents and judgments.

Verbs: judge, restrict.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import NoReturn, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.arrays import Array, in_threads
from irframe.errors import IdError, InputError, listing, warn
from irframe.experiments import coded_tables
from irframe.experiments.coded_tables import (
    QrelsTable,
    RunTable,
    Side,
    column_of,
    read_qrels_table,
    row_slices,
)
from irframe.experiments.lists import slices_of_lists
from irframe.experiments.rank_table import listed_again, refuse_duplicates
from irframe.experiments.spans import PAIR, Spans, borders, read_borders, retrieved_evidence
from irframe.files.as_runs import Qrels, Runs
from irframe.frames import ids
from irframe.frames.kinds import DOCUMENTS, refuse_two_units, require_columns
from irframe.frames.values import numbers
from irframe.names import DOC, END, GRADE, START, TOPIC, roles
from irframe.record import recorded

Prints = NDArray[np.uint64]

CHUNK = r"[#_:\-.]+\d+$"
"""Regular expression for the suffix of an id that probably names a chunk."""
COLLAPSE = r"collapse chunks to documents with units=r'(.+?)[#_:.-]+\d+'"
"""Advice in messages about runs with ids of chunks if judgments contain ids of documents."""
COMPARED = 1 << 16
"""The maximum number of unjudged rows whose ids are compared with `CHUNK`."""

FACTORS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)
"""The multipliers of the hash function SplitMix64."""
HALF = np.uint64(32)
WORD = 8
"""The number of bytes of an id that `_of_words` hashes in one step."""
ROWS = 1 << 15
"""The number of ids that are hashed at once, so that arrays fit into the processor's cache."""


def fingerprints(doc: pa.ChunkedArray) -> Prints:
    """Return a 64-bit fingerprint of every id.

    Parameters
    ----------
    doc
        Ids, either strings or integers, without missing values.

    Examples
    --------
    >>> prints = fingerprints(pa.chunked_array([["a", "b"], ["a", "longer than eight bytes"]]))
    >>> bool(prints[0] == prints[2]), len(np.unique(prints))
    (True, 3)
    """
    if pa.types.is_integer(doc.type):
        return _mixed(doc.cast(pa.int64()).to_numpy().view(np.uint64), FACTORS[0])
    chunks = [_of_text(chunk.cast(pa.large_string())) for chunk in doc.chunks]
    return np.concatenate([np.zeros(0, np.uint64), *chunks])


def with_number(prints: Prints, number: ids.Codes) -> Prints:
    """Combine fingerprints with integers, such as topic codes."""
    return np.asarray(_mixed(prints + number.astype(np.uint64) * FACTORS[2], FACTORS[1]))


def _of_text(names: pa.Array) -> Prints:
    """Return a fingerprint of each string."""
    _, offsets, data = names.buffers()
    ends = np.frombuffer(offsets, np.int64)[names.offset : names.offset + len(names) + 1]
    length = np.diff(ends)
    first, last = (int(ends[0]), int(ends[-1])) if len(ends) else (0, 0)
    size = last - first
    text = np.zeros(size + WORD, np.uint8)
    text[:size] = np.frombuffer(data or b"", np.uint8)[first:last]
    # The view contains the eight bytes from each position on, without a copy. The zeros at the end
    # complete the last eight bytes.
    integers: Prints = np.ndarray((size + 1,), "<u8", buffer=text, strides=(1,))
    prints = np.empty(len(names), np.uint64)
    for start in range(0, len(names), ROWS):
        rows = slice(start, start + ROWS)
        prints[rows] = _of_words(integers, ends[:-1][rows] - first, length[rows])
    return prints


def _of_words(integers: Prints, start: ids.Codes, length: ids.Codes) -> Prints:
    """Return fingerprints of byte strings, given their starts and lengths."""
    prints = _mixed(length.astype(np.uint64), FACTORS[0])
    shift = np.arange(WORD, -1, -1, dtype=np.uint64) * np.uint64(WORD)
    mask = np.where(shift < 64, np.uint64(2**64 - 1) >> np.minimum(shift, 63), 0).astype(np.uint64)
    least = int(length.min())
    for byte in range(0, int(length.max()), WORD):
        if byte + WORD <= least:  # the mask is applied only to ids that end inside the eight bytes
            prints = _mixed(prints ^ integers[start + byte], FACTORS[1])
            continue
        rows = slice(None) if byte < least else np.flatnonzero(length > byte)
        remaining = np.minimum(length[rows] - byte, WORD)
        masked = integers[start[rows] + byte] & mask[remaining]
        prints[rows] = _mixed(prints[rows] ^ masked, FACTORS[1])
    return prints


def _mixed(values: Prints, factor: np.uint64) -> Prints:
    """Return hashes of integers."""
    mixed: Prints = values * factor
    mixed ^= mixed >> HALF
    mixed *= FACTORS[2]
    mixed ^= mixed >> HALF
    return mixed


THREADS = 2
"""The number of threads that join blocks of rows."""
BLOCKS = 8
"""The number of blocks per `coded_tables.ROWS` rows. Blocks fit into the processor's cache."""

Named = tuple[Iterable[object], Hashable]
"""Ids of topics or documents, and the name of the column that contains them."""


def find_topics(table: RunTable, judgments: QrelsTable) -> ids.Codes:
    """Return each run topic's code in the qrels, or -1."""
    listed, judged = ids.labels_of_one_kind(table.topics, judgments.topics)
    return np.asarray(judged.get_indexer(listed))


def place_topics(table: RunTable, judgments: QrelsTable) -> ids.Codes:
    """Return each run topic's code in the qrels, or -1.

    Raises
    ------
    IdError
        If no topic of the runs is judged, or if topics of different collections have the same id.
    """
    _refuse_shared_ids(table, judgments)
    placed = find_topics(table, judgments)
    if len(placed) and (placed < 0).all():
        sides = table, judgments
        refuse_no_topics(*((s.topics, s.columns.get(TOPIC, TOPIC)) for s in sides))
    return placed


COLLECTIONS = frozenset({"collection", "dataset", "corpus", "track", "task"})
"""Names of columns that usually contain the collection of each topic."""


def _refuse_shared_ids(table: RunTable, judgments: QrelsTable) -> None:
    """Raise if topics of different collections have the same id."""
    for name in table.frame.columns.intersection(judgments.frame.columns, sort=False):
        if name in COLLECTIONS and name not in table.columns.values():
            labels = pd.Series(column_of(judgments.frame, name, name).to_numpy())
            several = labels.groupby(judgments.topic).nunique()
            if len(topics := judgments.topics[several[several > 1].index]):
                got = f"{len(topics)} topics with several values of {name!r}"
                advice = f"score each group: runs.ireval.groupby({name!r}); or make ids unique"
                raise IdError("every topic id in one collection", got, advice, topics)


def refuse_no_topics(runs: Named, qrels: Named) -> NoReturn:
    """Raise the error about runs without judged topics."""
    sides = [f"{ids.shown(topics)} in {name!r}" for topics, name in (runs, qrels)]
    got = f"no such topics: the runs have {sides[0]}, the qrels {sides[1]}"
    advice = "compare leading zeros and types of the topic ids"
    raise IdError("topics that occur in runs and qrels", got, advice)


def locate(table: RunTable, judgments: QrelsTable, placed: ids.Codes) -> ids.Codes:
    """Return the qrels row that judges each run row.

    The row is -1 if the document is unjudged.

    Parameters
    ----------
    table, judgments
        The runs and judgments.
    placed
        For each topic of the runs, its code in the qrels, or -1 if it is not judged.

    Raises
    ------
    IdError
        If a list or a topic of the qrels contains a document twice.
    """
    if not len(table.doc):
        return np.zeros(0, np.int32)
    listed, judged = ids.all_of_one_kind([table.doc, judgments.doc])
    if listed is not table.doc or judged is not judgments.doc:
        table = replace(table, doc=listed)
        judgments = replace(judgments, names=judged)
    beyond = len(judgments.topics) + np.arange(len(placed))
    number = np.where(placed < 0, beyond, placed).astype(table.topic.dtype)
    rows = _by_fingerprints(table, number, judgments)
    return _by_names(table, number[table.topic], judgments) if rows is None else rows


def _by_fingerprints(table: RunTable, number: ids.Codes, judgments: QrelsTable) -> ids.Codes | None:
    """Join rows by fingerprints; return None if fingerprints repeat."""
    judged = with_number(fingerprints(judgments.doc), judgments.topic)
    # `_repeats` sorts in place, so it gets a copy. Equal fingerprints may belong to one document
    # or to two documents, and only `_by_names` can distinguish these cases.
    if _repeats(judged.copy()):
        return None
    index = pd.Index(judged)
    # This call builds the hash table of the index before threads start, so that threads only read
    # the table.
    index.get_indexer(index[:1])
    ends, contiguous = table.ends
    position = np.empty(len(table.topic), np.int32)
    prints = np.empty(0 if contiguous else len(position), np.uint64)

    def join(rows: slice) -> bool:
        """Join a block of rows; return whether fingerprints were unique."""
        docs = table.doc[rows]
        topic = number[table.topic[rows]]
        listed = with_number(fingerprints(docs), topic)
        position[rows] = index.get_indexer(pd.Index(listed))
        if len(table.systems) > 1:
            listed = with_number(listed, table.system[rows])
        if not contiguous:
            prints[rows] = listed
        same = _are_alike(docs, topic, position[rows], judgments)
        return same and not (contiguous and _repeats(listed))

    most = max(1, coded_tables.ROWS // BLOCKS)
    # If lists are contiguous, blocks consist of complete lists. All rows of a list are then in one
    # block, so repeated documents are found without keeping the fingerprints of all rows.
    blocks = slices_of_lists(ends, most) if contiguous else row_slices(len(position), most)
    return position if all(in_threads(join, blocks, THREADS)) and not _repeats(prints) else None


def _are_alike(
    docs: pa.ChunkedArray, topic: ids.Codes, row: ids.Codes, judgments: QrelsTable
) -> bool:
    """Return whether joined rows have equal topics and documents."""
    rows = np.flatnonzero(row >= 0)
    judged = row[rows]
    if (topic[rows] != judgments.topic[judged]).any():
        return False
    kind = pa.int64() if pa.types.is_integer(docs.type) else pa.large_string()
    listed = docs.take(pa.array(rows)).cast(kind)
    same = pc.equal(listed, judgments.doc.take(pa.array(judged)).cast(kind))
    return bool(pc.all(same, min_count=0).as_py())


def _repeats(prints: Prints) -> bool:
    """Sort fingerprints in place; return whether any two are equal."""
    prints.sort()
    return bool((prints[1:] == prints[:-1]).any())


def _by_names(table: RunTable, topic: ids.Codes, judgments: QrelsTable) -> ids.Codes:
    """Join rows by document ids; raise for repeated documents."""
    sides = Side(topic, table.doc), Side(judgments.topic, judgments.doc)
    listed, judged = coded_tables.code_documents(*sides)
    refuse_duplicates(table, listed_again(table.system, listed))
    coded_tables.refuse_twice_judged(judgments, ids.repeated(judged))
    return pd.Index(judged).get_indexer(pd.Index(listed)).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The overlap of retrieved spans with spans of evidence."""

    spans: Spans
    pair: ids.Codes
    """The code in `spans` of each row's topic and document, -1 if the row overlaps no evidence."""
    start: ids.Codes
    end: ids.Codes
    judged: ids.Codes
    """The first judgment whose span overlaps each row's span, or -1."""

    @classmethod
    def of(cls, table: RunTable, judgments: QrelsTable, placed: ids.Codes) -> "Overlaps":
        """Find the evidence that retrieved spans overlap.

        Raises
        ------
        InputError
            If runs have no columns for start and end, or contain invalid spans.
        """
        spans = cast("Spans", judgments.spans)
        columns = borders(table.frame.columns)
        if columns is None:
            advice = "add the columns start and end to the runs, or drop them from the judgments"
            expected = "runs with columns start and end, because spans were judged"
            raise InputError(expected, "only the columns", advice, table.frame.columns)
        start, end = read_borders(table.frame, {**table.columns, **columns}, "retrieved spans")
        named = ids.identifiers(table.frame[table.columns[DOC]], DOC)
        docs, listed = ids.labels_of_one_kind(spans.docs, pd.Index(named.to_numpy(), dtype=object))
        doc = docs.get_indexer(listed)
        topic = placed[table.topic].astype(np.int64)
        pair = np.where((doc < 0) | (topic < 0), -1, topic * (len(spans.docs) + 1) + doc)
        judged = np.full(len(pair), -1, np.int32)
        # NumPy keeps the last value assigned to a row, so reverse order keeps the first judgment.
        unit, item = spans.text.overlapping(pair, start, end)
        judged[unit[::-1]] = spans.row[item[::-1]]
        return cls(spans, np.where(judged < 0, -1, pair), start, end, judged)

    def along(self, rows: ids.Codes, length: ids.Codes) -> dict[str, Array]:
        """Return the span and evidence of each retrieved unit.

        Parameters
        ----------
        rows
            The rows of lists, sorted by list and rank.
        length
            The lengths of these lists.
        """
        of = np.repeat(np.arange(len(length)), length)
        units = {START: self.start[rows], END: self.end[rows], PAIR: self.pair[rows]}
        return units | retrieved_evidence(self.spans, of, units)


def named_by_span(table: RunTable) -> RunTable:
    """Append the borders of each retrieved span to document ids."""
    columns = borders(table.frame.columns)
    if columns is None:
        return table
    text = pa.large_string()
    start, end = (
        pc.cast(pa.array(numbers(table.frame[columns[role]])), pa.int64(), safe=False).cast(text)
        for role in (START, END)
    )
    opening, comma, closing, separator = (pa.scalar(sign, text) for sign in (" [", ", ", ")", ""))
    doc = table.doc.combine_chunks().cast(text)
    named = pc.binary_join_element_wise(doc, opening, start, comma, end, closing, separator)
    return replace(table, doc=pa.chunked_array([named]))


def like_chunks(table: RunTable, judgments: QrelsTable, rows: ids.Codes) -> ids.Codes:
    """Return the rows that look like chunks of judged documents."""
    if not len(rows) or not (ids.is_text(table.doc.type) and ids.is_text(judgments.doc.type)):
        return rows[:0]
    names = table.doc.take(pa.array(rows)).cast(pa.large_string())
    stems = pc.replace_substring_regex(names, CHUNK, "")
    judged = pc.unique(judgments.doc.cast(pa.large_string()))
    is_chunk = pc.and_(pc.is_in(stems, value_set=judged), pc.not_equal(stems, names))
    return np.asarray(rows[is_chunk.to_numpy()])


def warn_unjudged(
    table: RunTable, judgments: QrelsTable, judged: NDArray[np.bool_]
) -> dict[Hashable, str]:
    """Warn of systems that retrieved no judged document.

    Parameters
    ----------
    table, judgments
        The runs and judgments.
    judged
        Whether each system retrieved a judged document.

    Returns
    -------
    dict
        Mapping from system to "doc" or "chunks", the unit that the system seems to have retrieved.
        The dictionary is empty if all systems seem to have the same unit.
    """
    if not len(table.doc) or judged.all():
        return {}
    chunks = like_chunks(table, judgments, np.flatnonzero(~judged[table.system])[:COMPARED])
    if not judged.any():
        sides = table, judgments
        runs, qrels = ((s.doc[:3].to_pylist(), s.columns.get(DOC, DOC)) for s in sides)
        warn_none_judged(runs, qrels, COLLAPSE if len(chunks) else "compare the identifiers")
    elif len(chunks):
        systems = table.systems[np.unique(table.system[chunks])]
        warn(
            "some systems retrieved no judged documents, but ids that look like chunks of judged "
            f"documents ({listing(systems)}); {COLLAPSE}"
        )
        return dict.fromkeys(table.systems, DOC) | dict.fromkeys(systems, "chunks")
    return {}


def warn_none_judged(runs: Named, qrels: Named, advice: str = "compare the identifiers") -> None:
    """Warn that no retrieved document is judged."""
    sides = [f"{ids.shown(docs)} in {name!r}" for docs, name in (runs, qrels)]
    warn(
        f"no retrieved document is judged: the runs have {sides[0]}, the qrels {sides[1]}; {advice}"
    )


@recorded
def judge(runs: Runs, qrels: Qrels) -> pd.DataFrame:
    """Add a column with the grade of each retrieved document.

    Parameters
    ----------
    runs
        A run frame with the columns topic, doc, and score or rank, and usually system.
    qrels
        A qrels frame with the columns topic, doc and grade.

    Returns
    -------
    pandas.DataFrame
        The run frame with a column ``grade`` of dtype ``Int16``. The grade of an unjudged document
        is ``<NA>``.

    Raises
    ------
    IdError
        If no topic of the runs is judged, or if a document is retrieved twice or judged twice for
        a topic.

    Warns
    -----
    IrframeWarning
        If no retrieved document is judged.

    Examples
    --------
    >>> import pandas as pd
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [3]})
    >>> judge(run, qrels)
      qid docno  score  grade
    0   1     a    2.0      3
    1   1     b    1.0   <NA>
    """
    table = coded_tables.read_table(runs)
    judgments = coded_tables.once_judged(read_qrels_table(qrels))
    refuse_two_units(table.frame, table.columns, judgments.doc.to_pylist)
    columns = roles(table.frame.columns)
    if GRADE in columns:
        got = f"the column {columns[GRADE]!r}"
        raise InputError("runs without a column of grades", got, "drop or rename this column")
    judged = locate(table, judgments, place_topics(table, judgments))
    hits = np.bincount(table.system[judged >= 0], minlength=len(table.systems))
    warn_unjudged(table, judgments, hits > 0)
    grade = pd.array(judgments.grade[np.maximum(judged, 0)], dtype="Int16")
    grade[judged < 0] = pd.NA
    return table.frame.assign(**{GRADE: grade})


@recorded
def restrict(qrels: Qrels, documents: pd.DataFrame) -> pd.DataFrame:
    """Select the judgments of given documents.

    Parameters
    ----------
    qrels
        A qrels frame with the columns topic, doc and grade.
    documents
        A frame with the columns topic and doc, such as the result of `pool`.

    Returns
    -------
    pandas.DataFrame
        The rows of `qrels` whose pair of topic and document occurs in `documents`.

    Raises
    ------
    InputError
        If a frame lacks a column.
    IdError
        If no pair of topic and document occurs in both frames.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> len(qrels), len(restrict(qrels, ir.verbs.pool(runs, 2)))
    (523, 132)
    """
    table = read_qrels_table(qrels)
    columns = require_columns(documents, DOCUMENTS)
    topic, topics = ids.code_labels(documents[columns[TOPIC]], TOPIC)
    doc = ids.identifiers(documents[columns[DOC]], DOC)
    doc, judged_docs = ids.all_of_one_kind([doc, table.doc])
    beyond = len(table.topics) + np.arange(len(topics))
    topics, judged_topics = ids.labels_of_one_kind(topics, table.topics)
    code = judged_topics.get_indexer(topics)
    requested = Side(np.where(code < 0, beyond, code)[topic], doc)
    judged, listed = coded_tables.code_documents(Side(table.topic, judged_docs), requested)
    is_requested = np.isin(judged, listed)
    if not is_requested.any():
        sides = [ids.shown(value.as_py() for value in side[:3]) for side in (table.doc, doc)]
        got = f"no such documents: the qrels have {sides[0]}, the other frame {sides[1]}"
        raise IdError("documents that occur in both frames", got, "compare the identifiers")
    return table.judging(is_requested)
