"""Evidence spans from objects of other tools and from files.

Verbs: as_spans, read_spans.
"""

import json
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from irframe.errors import InputError
from irframe.files.read_file import plain_table
from irframe.files.sources import Source, name_of, undamaged
from irframe.frames.tables import columns_of
from irframe.frames.values import framed, numbers
from irframe.names import ALIASES, BORDERS, DOC, END, GRADE, SET, START, TOPIC, roles

NESTED = ("references", "spans", "evidence", "highlights")
"""Accepted names of the column that contains the spans of a question.

The values of this column are JSON or lists of dictionaries."""
QUESTIONS = ("question", "query", "text")
CORPORA = ("corpus_id", "doc_id", "doc", "document")
EXPECTED = "spans with a column for topic, doc, start and end"


Texts = Mapping[Any, Any] | pd.Series | None
"""A mapping from documents to texts, or to lengths of texts in the unit of the spans."""


def as_spans(x: object, *, texts: Texts = None) -> pd.DataFrame:
    """Make a frame of evidence spans by topic and document.

    Parameters
    ----------
    x
        - a frame, or any table with ``__arrow_c_stream__``, with columns for topic, doc, ``start``
          and ``end``. ``start`` and ``end`` may also be named ``start_index`` and ``end_index``. A
          span includes its start and excludes its end. Any unit of text may be used, such as
          characters or tokens. If there is no column ``grade``, all grades are 1. An optional
          column ``set`` groups spans that are alternatives: a ranking needs only one span of each
          set;
        - a list of dictionaries with the same names as keys;
        - a frame of questions with a column ``references``, ``spans``, ``evidence`` or
          ``highlights``. The column contains the spans of each question as JSON or dictionaries, as
          in chunking_evaluation. The document of a span is in ``corpus_id``. If there is no column
          of topics, distinct questions get the topics ``q0``, ``q1``, ...
    texts
        A dictionary or Series that maps each document to its text, or to its length in the unit of
        the spans. If `texts` is passed, spans that end beyond their document raise an error.

    Returns
    -------
    pandas.DataFrame
        Columns `topic`, `doc`, `start`, `end`, `grade`, and `set` if `x` has it. Pass the frame to
        `evaluate`, `cube` or `scorer` as the judgments of runs with ``start`` and ``end``.

    Raises
    ------
    InputError
        If `x` is any other object, if a span ends beyond its document, or if a document with spans
        is not in `texts`.

    Examples
    --------
    >>> rows = [{"qid": "1", "doc": "a", "start_index": 3, "end_index": 9}]
    >>> as_spans(rows)
      topic doc  start  end  grade
    0     1   a      3    9      1
    """
    table = columns_of(x)
    if table is None:
        if not isinstance(x, Iterable) or isinstance(x, str | bytes | Mapping):
            got = f"an object of type {type(x).__name__}"
            raise InputError(EXPECTED, got, "read files with ir.read_spans")
        table = framed(list(x))
    nested = next((name for name in NESTED if name in table.columns), None)
    frame = table if nested is None else _unnested(table, nested)
    spans = _in_order(frame)
    if texts is not None:
        _refuse_beyond(spans, dict(texts))
    return spans


def _refuse_beyond(spans: pd.DataFrame, texts: Mapping[Any, object]) -> None:
    """Raise if spans end beyond their documents.

    Documents with spans but without a text raise an error, too.
    """
    lengths = {doc: len(text) if isinstance(text, str) else text for doc, text in texts.items()}
    length = pd.to_numeric(spans[DOC].astype(object).map(lengths))
    unknown = spans.loc[length.isna(), DOC].unique()
    if len(unknown):
        got = f"{len(unknown)} documents without a text"
        advice = "add these documents to texts="
        raise InputError("a text for every document with spans", got, advice, map(str, unknown))
    wrong = spans[numbers(spans[END]) > length.to_numpy()]
    if len(wrong):
        offenders = [
            f"{topic} {doc} [{start}, {end}) of {lengths[doc]}"
            for topic, doc, start, end in wrong[[TOPIC, DOC, START, END]].to_numpy().tolist()
        ]
        expected = "spans within their documents"
        advice = "measure spans and texts in one unit"
        got = f"{len(wrong)} spans with an end beyond the document"
        raise InputError(expected, got, advice, offenders)


def _unnested(questions: pd.DataFrame, nested: str) -> pd.DataFrame:
    """Convert questions with nested spans to one row per span."""
    topic = _topics_of_questions(questions)
    corpus = next((name for name in CORPORA if name in questions.columns), None)
    rows = []
    lists = zip(topic, range(len(questions)), questions[nested], strict=True)
    for label, row, value in lists:
        base = {TOPIC: label}
        if corpus is not None:
            base[DOC] = questions[corpus].iloc[row]
        for span in _spans_of_json(value, nested, row):
            if not isinstance(span, Mapping):
                raise InputError(f"spans in {nested!r} with start and end", repr(span))
            rows.append(base | {k: v for k, v in span.items() if k not in {"content", "text"}})
    if not rows:
        raise InputError("spans", f"none in {nested!r}")
    return pd.DataFrame(rows)


def _topics_of_questions(questions: pd.DataFrame) -> pd.Series:
    name = next((column for column in ALIASES[TOPIC] if column in questions.columns), None)
    text = next((column for column in QUESTIONS if column in questions.columns), None)
    # "query" is an accepted name of topics, but such a column may contain the texts of questions
    if name is not None and name != text:
        return questions[name]
    codes = range(len(questions)) if text is None else pd.factorize(questions[text])[0]
    return pd.Series([f"q{code}" for code in codes], questions.index)


def _spans_of_json(value: object, nested: str, row: int) -> list[object]:
    try:
        spans = json.loads(value) if isinstance(value, str) else value
    except json.JSONDecodeError as error:
        got = f"an error in row {row} ({error})"
        raise InputError(f"JSON in column {nested!r}", got) from error
    if isinstance(spans, Mapping) or not isinstance(spans, Iterable):
        got = f"an object of type {type(spans).__name__} in row {row}"
        raise InputError(f"lists of spans in column {nested!r}", got)
    return list(spans)


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    names: dict[str, Hashable] = dict(roles(frame.columns))
    for role, aliases in BORDERS.items():
        names[role] = next((alias for alias in aliases if alias in frame.columns), None)
    missing = [role for role in (TOPIC, DOC, START, END) if names.get(role) is None]
    if missing:
        advice = f"rename columns to {', '.join(missing)}"
        raise InputError(EXPECTED, "other columns", advice, map(str, frame.columns))
    if not len(frame):
        raise InputError("spans", "an empty frame")
    columns = {role: frame[names[role]] for role in (TOPIC, DOC, START, END)}
    columns[GRADE] = frame[names[GRADE]] if GRADE in names else pd.Series(1, frame.index)
    if SET in frame.columns:
        columns[SET] = frame[SET]
    for role in (START, END, GRADE):
        # numbers are parsed here, because readers of files return all columns as text
        if pd.api.types.is_string_dtype(columns[role]):
            columns[role] = pd.Series(numbers(columns[role], role), frame.index)
    spans = pd.DataFrame(columns).reset_index(drop=True)
    spans.attrs = dict(frame.attrs)
    return spans


def read_spans(path: Source, *, texts: Texts = None) -> pd.DataFrame:
    """Read evidence spans from JSON lines, Parquet or CSV.

    Parameters
    ----------
    path
        A path, or an open file. The format is JSON, Parquet, CSV, or TSV. A text file is read as
        TSV if its name contains the suffix ``.tsv``. The file may be compressed. A JSON file
        contains a list, or one span or question per line. Columns and keys are those that
        `as_spans` accepts.
    texts
        The text or length of each document, as for `as_spans`.

    Returns
    -------
    pandas.DataFrame
        Spans, as `as_spans` returns them.

    Raises
    ------
    FileFormatError
        If the file is damaged.
    InputError
        If the file has other columns, or if a span ends beyond its document.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "spans.jsonl")
    ...     _ = file.write_text('{"topic": "1", "doc": "a", "start": 3, "end": 9}')
    ...     read_spans(file)
      topic doc  start  end  grade
    0     1   a      3    9      1
    """
    with undamaged("a table of spans", name_of(path)):
        return as_spans(plain_table(path), texts=texts)
