"""Run frames and qrels frames with ids coded as integers."""

import hashlib
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import AnyFloats, Array, Grade, Grades
from irframe.digests import bytes_of
from irframe.errors import IdError, InputError, ParameterError, warn
from irframe.experiments.spans import Spans, borders, merged_evidence
from irframe.files.as_runs import (
    ONLY_SYSTEM,
    Qrels,
    Runs,
    by_role,
    split_empty,
    without_documents,
)
from irframe.frames import ids
from irframe.frames.kinds import QRELS, RUN, ByRole
from irframe.frames.likeness import JUDGED_AGAIN, about_duplicates, repeat_column
from irframe.frames.values import numbers, refuse_fractions


class Side(NamedTuple):
    """The topic codes and document ids of a frame's rows."""

    topic: ids.Codes
    doc: pa.ChunkedArray


def code_documents(*sides: Side) -> list[ids.Codes]:
    """Code the pairs of topic and document of several frames.

    Parameters
    ----------
    sides
        The rows of each frame. Topic codes are at least 0 and have the same meaning in all frames.

    Returns
    -------
    list of numpy.ndarray
        For each frame, a code per row. Rows with equal codes have equal topics and documents.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> run = Side(np.array([0, 0, 1]), pa.chunked_array([["a", "b", "a"]]))
    >>> qrels = Side(np.array([1, 0]), pa.chunked_array([["a", "a"]]))
    >>> left, right = code_documents(run, qrels)
    >>> bool(left[0] == right[1]), bool(left[2] == right[0]), bool(left[0] == left[2])
    (True, True, False)
    """
    names = [take(side.doc, np.arange(len(side.topic))) for side in sides]
    doc = pa.concat_arrays(names).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    ends = np.cumsum([len(side.topic) for side in sides])[:-1]
    pairs = zip(sides, np.split(doc, ends), strict=True)
    # One integer per pair is faster to compare and sort than two columns.
    return [(side.topic.astype(np.int64) << 32) + codes for side, codes in pairs]


def take(values: pa.ChunkedArray | pa.Array, rows: ids.Codes) -> pa.Array:
    """Return the selected rows as one ``large_string`` or ``int64`` array."""
    # A slice of consecutive rows does not copy the ids.
    if len(rows) and bool((np.diff(rows) == 1).all()):
        docs = values.slice(int(rows[0]), len(rows))
    else:
        docs = values.take(pa.array(rows))
    docs = docs.cast(pa.int64() if pa.types.is_integer(docs.type) else pa.large_string())
    if isinstance(docs, pa.Array):
        return docs
    return docs.chunk(0) if docs.num_chunks == 1 else docs.combine_chunks()


ROWS = 1 << 19
"""The number of rows of a run frame that are processed at once, which limits memory."""

NO_OTHERS = pd.DataFrame(columns=[words.TOPIC, words.DOC, words.GRADE])
"""An empty frame, which stands for the caller's frame in tables that are not made from a frame."""


def digest_of(table: "RunTable | QrelsTable") -> str:
    """Return the SHA-256 digest of a table's rows in order."""
    sides = [(table.topic, table.topics)]
    sides += [(table.system, table.systems)] if isinstance(table, RunTable) else []
    hasher = hashlib.sha256(repr([labels.tolist() for _, labels in sides]).encode(errors="replace"))
    for codes, _ in sides:
        hasher.update(codes.astype(np.int64).tobytes())
    # `take` copies the rows, because a slice would keep the buffers of the full array.
    for rows in row_slices(len(table.topic)):
        names = table.doc.take(pa.array(np.arange(rows.start, rows.stop)))
        for buffer in take(names, np.arange(len(names))).buffers():
            hasher.update(b"" if buffer is None else buffer)
    identity = [*map(table.columns.get, (words.SYSTEM, words.TOPIC, words.DOC))]
    for name in table.frame.columns.difference(identity, sort=False):
        hasher.update(str(name).encode(errors="replace"))
        hasher.update(bytes_of(table.frame[name].to_numpy()))
    return hasher.hexdigest()


@dataclass(frozen=True, eq=False)
class RunTable:
    """A run frame with coded ids."""

    frame: pd.DataFrame
    columns: Mapping[str, Hashable]
    """Mapping from role ("system", "topic", "doc", ...) to the caller's name of the column."""
    system: ids.Codes
    systems: pd.Index
    topic: ids.Codes
    """The position of each row's topic in `topics`."""
    topics: pd.Index
    doc: pa.ChunkedArray
    """The document id of each row."""

    @cached_property
    def score(self) -> AnyFloats | None:
        """The scores of the rows; None if there are none."""
        return self._numbers(words.SCORE)

    @cached_property
    def rank(self) -> AnyFloats | None:
        """The ranks of the rows; None if there are none."""
        return self._numbers(words.RANK)

    @cached_property
    def kept_score(self) -> AnyFloats | None:
        """The scores of rows, even if ranks decide the order."""
        if words.LISTED_SCORE not in self.frame.columns:
            return self.score
        listed = numbers(self.frame[words.LISTED_SCORE])
        return listed if self.score is None else np.where(np.isnan(self.score), listed, self.score)

    @cached_property
    def unscored(self) -> NDArray[np.bool_]:
        """Whether each system is ranked by the rank column."""
        if self.score is None or words.RANK not in self.columns:
            return np.full(len(self.systems), self.score is None)
        missing = np.isnan(self.score)
        scored = np.full(len(self.systems), not missing.any())
        scored[self.system[~missing]] = True
        return ~scored

    @cached_property
    def ends(self) -> tuple[ids.Codes, bool]:
        """The row after each list, and whether lists are contiguous."""
        # Columns are compared one by one, because list numbers of all rows would take more memory.
        system, topic = self.system, self.topic
        changes = (system[1:] != system[:-1]) | (topic[1:] != topic[:-1])
        ends = np.append(np.flatnonzero(changes) + 1, len(system))[: len(system)]
        last = system[ends - 1].astype(np.int64) * len(self.topics) + topic[ends - 1]
        return ends, not len(ids.repeated(last))

    @property
    def identity(self) -> list[Hashable]:
        """The names of the columns of systems, topics and documents."""
        roles = words.SYSTEM, words.TOPIC, words.DOC
        return [self.columns[role] for role in roles if role in self.columns]

    @property
    def group(self) -> ids.Codes:
        """The list number of each row, by system and topic."""
        return self.system.astype(np.int64) * len(self.topics) + self.topic

    def take(self, rows: ids.Codes | slice) -> "RunTable":
        """Return a table with the selected rows and unchanged codes."""
        if isinstance(rows, slice):
            doc = self.doc.slice(rows.start, rows.stop - rows.start)
        else:
            doc = self.doc.take(pa.array(rows))
        frame = self.frame.iloc[rows]
        return replace(self, frame=frame, system=self.system[rows], topic=self.topic[rows], doc=doc)

    def _numbers(self, role: str) -> AnyFloats | None:
        if role not in self.columns:
            return None
        column = self.frame[self.columns[role]]
        is_plain = isinstance(column.dtype, np.dtype) and column.dtype.kind == "f"
        return column.to_numpy() if is_plain else numbers(column, role)

    def describe(self, rows: ids.Codes) -> list[str]:
        """Return the systems, topics and documents of rows, for messages."""
        docs = self.doc.take(pa.array(rows)).to_pylist()
        labels = self.systems[self.system[rows]], self.topics[self.topic[rows]], docs
        return [" ".join(map(str, row)) for row in zip(*labels, strict=True)]


@dataclass(frozen=True, eq=False)
class QrelsTable:
    """A qrels frame with coded ids."""

    frame: pd.DataFrame
    columns: Mapping[str, Hashable]
    """Mapping from role ("topic", "doc", "grade", ...) to the caller's name of the column."""
    topic: ids.Codes
    topics: pd.Index
    names: pa.ChunkedArray | list[str]
    """The document ids as an Arrow array, or as a list if the caller passed a dictionary."""
    grade: Grades
    """The grade of each document. If there are subtopics, the highest grade over all subtopics."""
    subtopic_grade: Grades | None = None
    """Grades by subtopic, shape (row, subtopic). None if there are no subtopics."""
    stratum: pa.ChunkedArray | None = None
    """The stratum from which each document was sampled. None if there are no strata."""
    probability: NDArray[np.float64] | None = None
    """The sampling probability of each document. None if probabilities are unknown."""
    subtopic_frame: pd.DataFrame | None = None
    """The caller's frame, with a row per document and subtopic. None if there are no subtopics."""
    row: ids.Codes | None = None
    """For each row of `subtopic_frame`, the position of its document in the table."""
    spans: Spans | None = None
    """The judged spans. None if complete documents are judged."""

    @cached_property
    def doc(self) -> pa.ChunkedArray:
        """The document ids as an Arrow array."""
        if isinstance(self.names, list):
            return pa.chunked_array([pa.array(self.names)])
        return self.names

    @cached_property
    def levels(self) -> Grades:
        """The distinct grades over all subtopics, in ascending order."""
        if self.subtopic_grade is None:
            return np.unique(self.grade)
        return np.setdiff1d(self.subtopic_grade, words.EMPTY)

    def take(self, rows: ids.Codes) -> "QrelsTable":
        """Return selected rows; keep codes, the caller's frame and spans."""
        names = "topic", "grade", "subtopic_grade", "probability"
        fields = {name: v[rows] for name in names if (v := getattr(self, name)) is not None}
        stratum = None if self.stratum is None else self.stratum.take(pa.array(rows))
        return replace(self, **fields, names=self.doc.take(pa.array(rows)), stratum=stratum)

    def with_topics(self, unjudged: Collection[Hashable]) -> "QrelsTable":
        """Add topics without judged documents."""
        if not len(unjudged):
            return self
        labels = pd.Series([*self.topics, *unjudged], name=self.columns[words.TOPIC])
        topics = ids.code_labels(labels, words.TOPIC)[1]
        spans = self.spans and self.spans.with_topics(len(topics))
        return replace(self, topics=topics, spans=spans)

    def judging(self, marked: NDArray[np.bool_]) -> pd.DataFrame:
        """Return the caller's rows that judge the marked documents."""
        if self.subtopic_frame is None or self.row is None:
            return self.frame[marked]
        return self.subtopic_frame[marked[self.row]]

    def describe(self, rows: ids.Codes) -> list[str]:
        """Return the topics and documents of rows, for messages."""
        docs = self.doc.take(pa.array(rows)).to_pylist()
        pairs = zip(self.topics[self.topic[rows]], docs, strict=True)
        return [f"{topic} {doc}" for topic, doc in pairs]


def read_table(runs: Runs | ByRole, *, empty: bool = False) -> RunTable:
    """Read a run frame and code its ids.

    Parameters
    ----------
    runs
        A run frame, or any object that `as_runs` converts.
    empty
        Whether to keep systems whose lists are all empty.

    Raises
    ------
    InputError
        If the frame is empty or lacks a column.
    """
    runs, without = split_empty(runs) if empty and not isinstance(runs, ByRole) else (runs, [])
    frame, columns = runs if isinstance(runs, ByRole) else by_role(runs, RUN)
    system, systems = code_systems(frame, columns)
    topic, topics = ids.code_labels(frame[columns[words.TOPIC]], words.TOPIC)
    doc = ids.identifiers(frame[columns[words.DOC]], words.DOC)
    systems = systems.append(pd.Index(without)) if without else systems
    return RunTable(frame, columns, system, systems, topic, topics, doc)


def code_systems(
    frame: pd.DataFrame, columns: Mapping[str, Hashable]
) -> tuple[ids.Codes, pd.Index]:
    """Return a system code per row, and the systems."""
    if words.SYSTEM in columns:
        return ids.code_labels(frame[columns[words.SYSTEM]], words.SYSTEM)
    return np.zeros(len(frame), np.int32), pd.Index([ONLY_SYSTEM][: len(frame)])


def read_qrels_table(qrels: Qrels | ByRole, *, spans: bool = False) -> QrelsTable:
    """Read a qrels frame and code its ids.

    Parameters
    ----------
    qrels
        A qrels frame, or any object that `as_qrels` converts.
    spans
        Whether the judged units may be spans of text.

    Raises
    ------
    InputError
        If the frame is empty or lacks a column. If spans are judged and `spans` is False.
    GradeError
        If grades are not integers from -32,766 to 32,767.
    """
    frame, columns = qrels if isinstance(qrels, ByRole) else by_role(qrels, QRELS)
    topic, topics = ids.code_labels(frame[columns[words.TOPIC]], words.TOPIC)
    doc = ids.identifiers(frame[columns[words.DOC]], words.DOC)
    grade = _grades(frame[columns[words.GRADE]])
    sample = {}
    if words.STRATUM in columns:
        sample["stratum"] = ids.identifiers(frame[columns[words.STRATUM]], words.STRATUM)
    if words.PROBABILITY in columns:
        sample["probability"] = numbers(frame[columns[words.PROBABILITY]], words.PROBABILITY)
    table = QrelsTable(frame, columns, topic, topics, doc, grade, **sample)
    if not isinstance(qrels, ByRole | pd.DataFrame):
        table = table.with_topics(without_documents(qrels))
    if borders(frame.columns) is None:
        return _by_subtopic(table) if words.SUBTOPIC in columns else table
    if not spans:
        advice = "pass spans to cube, evaluate, scorer or diagnose; or drop start and end"
        raise InputError("judgments of documents", "judgments of spans with start and end", advice)
    return replace(table, **merged_evidence(table))


def read_qrels_dictionary(qrels: object) -> QrelsTable | None:
    """Read a dictionary ``{topic: {doc: grade}}`` without a frame.

    Returns
    -------
    QrelsTable or None
        None if `qrels` is another object, ids are not strings, or judgments are invalid.
    """
    if type(qrels) is not dict or set(map(type, qrels.values())) != {dict}:
        return None
    judged = {topic: docs for topic, docs in qrels.items() if docs}
    lists = [*judged.values()]
    docs = [*chain.from_iterable(lists)]
    values = [*chain.from_iterable([grades.values() for grades in lists])]
    firsts = [next(iter(grades)) for grades in lists]
    # Only the first ids are checked here, because `join` below fails if any id is not a string.
    if {*map(type, qrels), *map(type, firsts)} != {str} or {*map(type, values)} != {int}:
        return None
    if "" in qrels or any("" in grades for grades in lists):
        return None
    try:
        # `encode` fails for lone surrogates, which Arrow strings cannot contain.
        "".join([*qrels, *docs]).encode()
        grade = np.fromiter(values, np.int64, len(docs))
    except (TypeError, OverflowError, UnicodeEncodeError):
        return None
    if grade.min() < words.LOWEST_GRADE or grade.max() > words.HIGHEST_GRADE:
        return None
    length = np.fromiter(map(len, lists), np.int64, len(lists))
    return QrelsTable(
        frame=NO_OTHERS,
        columns={name: name for name in NO_OTHERS.columns},
        topic=np.repeat(np.arange(len(lists), dtype=np.int32), length),
        topics=pd.Index([*judged, *(topic for topic in qrels if topic not in judged)]),
        names=docs,
        grade=grade.astype(Grade),
    )


def _by_subtopic(table: QrelsTable) -> QrelsTable:
    """Merge the rows of each document into grades by subtopic."""
    subtopic, labels = ids.code_labels(table.frame[table.columns[words.SUBTOPIC]], words.SUBTOPIC)
    (codes,) = code_documents(Side(table.topic, table.doc))
    # Subtopics are numbered by name within each topic, so that their columns depend neither on the
    # order of rows nor on other topics.
    by_name = np.argsort(np.argsort(labels.astype(str).to_numpy(), kind="stable"))
    column = pd.Series(by_name[subtopic]).groupby(table.topic).rank("dense").to_numpy(int) - 1
    row = pd.factorize(codes)[0]
    first = np.flatnonzero(~pd.Series(row).duplicated())
    width = 1 + int(column.max(initial=0))
    refuse_twice_judged(table, ids.repeated(row.astype(np.int64) * width + column))
    grade = np.full((len(first), width), words.EMPTY, Grade)
    grade[row, column] = table.grade
    frame = table.frame.iloc[first].drop(columns=[table.columns[words.SUBTOPIC]])
    best = grade.max(axis=1)
    return replace(
        table.take(first),
        frame=frame.assign(**{str(table.columns[words.GRADE]): best}),
        subtopic_frame=table.frame,
        row=row,
        grade=best,
        subtopic_grade=grade,
    )


def row_slices(rows: int, most: int | None = None) -> list[slice]:
    """Return slices of rows, each of at most `most` rows."""
    step = most or ROWS
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def counted(codes: ids.Codes, size: int) -> NDArray[np.int64]:
    """Count how often each code below `size` occurs."""
    counts = np.zeros(size, np.int64)
    # `bincount` converts its input to 64 bits, so large arrays are counted in blocks.
    for rows in row_slices(len(codes)):
        counts += np.bincount(codes[rows], minlength=size)
    return counts


def lengths_of(table: RunTable, name: str, rows: ids.Codes) -> Array:
    """Return the lengths in column `name` of the rows `rows`.

    Raises
    ------
    InputError
        If lengths are missing, negative or infinite.
    """
    column = column_of(table.frame, words.LENGTH, name)
    is_numeric = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"
    values = column.to_numpy()[rows] if is_numeric else numbers(column.iloc[rows])
    most = values.max(initial=0)
    # NaN fails both comparisons, so rows with missing lengths are selected, too.
    if not (values.min(initial=0) >= 0 and most < np.inf):
        wrong = ~((values >= 0) & (values < np.inf))
        got = f"{wrong.sum()} rows with missing, negative or infinite lengths"
        advice = "correct the lengths, and set the length of documents without cost to 0"
        offenders = table.describe(rows[wrong])
        raise InputError(f"lengths of at least 0 in {name!r}", got, advice, offenders)
    as_int = values.dtype.kind in "iu" and most < np.iinfo(np.int32).max
    return np.asarray(values.astype(np.int32 if as_int else np.float64, copy=False))


def column_of(runs: pd.DataFrame, argument: str, name: object) -> pd.Series:
    """Return column `name`; raise unless it occurs exactly once."""
    names: list[object] = [*runs.columns]
    if names.count(name) != 1:
        got = f"{names.count(name)} columns with the name {name!r} among the columns"
        raise ParameterError(f"{argument} to be a column of the runs", got, "", names)
    column: pd.Series = runs[name]
    return column


def _grades(column: pd.Series) -> Grades:
    """Return grades as integers; raise for decimals and overflow."""
    grades = numbers(column, words.GRADE)
    refuse_fractions(grades, column, words.GRADE, words.LOWEST_GRADE, words.HIGHEST_GRADE)
    return grades.astype(Grade)


def once_judged(table: QrelsTable) -> QrelsTable:
    """Drop repeated judgments; raise if their grades differ.

    Warns
    -----
    IrframeWarning
        If repeated judgments are dropped.
    """
    if table.spans is not None:
        return table
    (codes,) = code_documents(Side(table.topic, table.doc))
    repeated = ids.repeated(codes)
    if not len(repeated):
        return table
    order = np.argsort(codes, kind="stable")
    same = codes[order[1:]] == codes[order[:-1]]
    same_grade = table.grade[order[1:]] == table.grade[order[:-1]]
    # Rows with different subtopics, strata or probabilities are not copies of one judgment.
    has_details = table.columns.keys() & {words.SUBTOPIC, words.STRATUM, words.PROBABILITY}
    keys = [table.columns[words.TOPIC], table.columns[words.DOC]]
    if has_details or not same_grade[same].all() or repeat_column(table.frame, keys) is not None:
        refuse_twice_judged(table, repeated)
    warn(f"repeated judgments with equal grades count once: {len(repeated)}")
    first_rows = np.setdiff1d(np.arange(len(codes)), repeated)
    return replace(table.take(first_rows), frame=table.frame.iloc[first_rows])


def refuse_twice_judged(table: QrelsTable, repeated_rows: ids.Codes) -> None:
    """Raise if a document is judged twice for a topic."""
    if len(repeated_rows):
        keys = [table.columns[words.TOPIC], table.columns[words.DOC]]
        expected = "one judgment per topic and document"
        drop = f"frame.drop_duplicates({keys})"
        advice = about_duplicates(0 * table.topic, table.topic, repeated_rows, drop, JUDGED_AGAIN)
        repeat = repeat_column(table.frame, keys)
        if repeat is not None:
            select = f"qrels[qrels[{repeat!r}] == ...]"
            advice = f"evaluate scores each {repeat} separately; or select one: {select}"
        elif words.SUBTOPIC in table.columns:
            expected += f", and subtopic in {table.columns[words.SUBTOPIC]!r}"
        elif words.ITERATION in table.columns:
            name = table.columns[words.ITERATION]
            advice += f", or rename the column {name!r} to subtopic if it names subtopics"
        got = f"{len(repeated_rows)} documents judged again"
        raise IdError(expected, got, advice, table.describe(repeated_rows))
