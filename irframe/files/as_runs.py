"""Run frames and qrels frames from objects of other tools.

Each function in `ADAPTERS` converts one kind of object, and returns None for other objects.

Verbs: as_runs, as_qrels.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain
from numbers import Number
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from irframe.checks import choice
from irframe.errors import (
    IdError,
    InputError,
    OneCall,
    ParameterError,
    caution,
    cautions_of,
    in_group,
    shortened,
    united,
    warn,
)
from irframe.files.answers import RankedBy, unpacked
from irframe.files.traces import OnError, reader_of
from irframe.frames import tables
from irframe.frames.ids import labels_in
from irframe.frames.kinds import QRELS, RUN, ByRole, Kind, require_columns
from irframe.frames.likeness import proposed
from irframe.frames.tables import columns_of, flatten, height, is_dictionary, is_mteb, table_in
from irframe.frames.values import constant, framed
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC, roles

LIST = list, tuple, np.ndarray
ONLY_SYSTEM = "run"
"""The name of the system in a run frame without a column of systems."""

Qrels = pd.DataFrame | object
"""A qrels frame, or anything that `as_qrels` converts."""
Runs = pd.DataFrame | object
"""A run frame, or anything that `as_runs` converts."""


def is_ranx(x: object, holding: str) -> bool:
    """Return whether an object of ranx has an attribute.

    Examples
    --------
    >>> is_ranx({"q1": {"d1": 1}}, "run")
    False
    """
    return type(x).__module__.partition(".")[0] == "ranx" and hasattr(x, holding)


def _of_ranx(x: Any, kind: Kind) -> pd.DataFrame | None:
    if is_ranx(x, "qrels") and kind.value == GRADE:
        return flatten(x.qrels, GRADE)
    if is_ranx(x, "run") and kind.value == SCORE:
        frame = flatten(x.run, SCORE)
        return frame if x.name is None else as_runs(frame, x.name)
    if not isinstance(x, list) or not x or not all(is_ranx(run, "run") for run in x):
        return None
    names = [run.name for run in x]
    if None in names or len(set(names)) < len(names):
        got = "missing or repeated names among"
        raise IdError("runs of ranx with distinct names", got, "set run.name", names)
    return _one_frame(dict(zip(names, x, strict=True)))


def _of_columns(x: object, kind: Kind) -> pd.DataFrame | None:
    if not is_dictionary(x):
        return None
    return tables.predictions(x, SCORE) if is_mteb(x) and kind.value == SCORE else table_in(x, kind)


def _of_lists(x: object, kind: Kind) -> pd.DataFrame | None:
    """Convert ``{topic: [doc, ...]}``: ranked documents, or relevant documents."""
    if not is_dictionary(x):
        return None
    texts = [repr(topic) for topic, docs in x.items() if isinstance(docs, str)]
    if texts and not kind.find(x):
        got = "a string instead of a list for"
        advice = "put the document into a list: {'q1': ['d1']}"
        raise InputError("{topic: [doc, ...]}", got, advice, texts)
    if not _holds_lists(x, sets=kind.value == GRADE):
        return None
    lists = [(topic, enumerate(docs, start=1)) for topic, docs in x.items()]
    rows = [(topic, doc, rank) for topic, docs in lists for rank, doc in docs]
    frame = framed(rows, [TOPIC, DOC, RANK])
    return frame if kind.value == SCORE else frame[[TOPIC, DOC]].assign(**{GRADE: 1})


def _of_hits(x: object, kind: Kind) -> pd.DataFrame | None:
    convert = reader_of(x) if kind.value == SCORE else None
    return None if convert is None else convert(x)


def _of_systems(x: object, kind: Kind) -> pd.DataFrame | None:
    """Convert ``{system: run}``."""
    if not is_dictionary(x) or kind.value != SCORE:
        return None
    if x and all(map(_is_run, x.values())):
        return _one_frame(x)
    heights = {key: height(value) for key, value in x.items()}
    plain = [repr(key) for key, value in x.items() if isinstance(value, Number)]
    if plain or set(heights.values()) <= {None}:
        got = "documents without a topic" if plain else "an empty dictionary"
        advice = "name the topic of the documents: {'q1': ...}" if plain else ""
        raise InputError("{topic: {doc: score}} or {system: run}", got, advice, plain)
    if lacking := _split_dictionary(x)[1]:
        advice = "pass x to evaluate, cube or scorer, which count missing lists as empty"
        raise InputError("documents of every system", "no documents of", advice, lacking)
    runs = {key for key, high in heights.items() if high not in {1, None} or _is_run(x[key])}
    topics = [key for key, high in heights.items() if high == 1 and key not in runs]
    systems = [key for key in x if key in runs]
    if topics and systems:
        got = f"both: {topics[0]!r} contains scores like a topic, and {systems[0]!r} contains "
        got += "topics or a table like a system"
        raise InputError("{topic: {doc: score}} or {system: run}", got, "pass them separately")
    return _one_frame(x) if systems else None


def _of_numbers(x: object, kind: Kind) -> pd.DataFrame | None:
    if not is_dictionary(x):
        return None
    listed = kind.value == GRADE and all(isinstance(docs, list | tuple) for docs in x.values())
    if listed and (entries := [*chain(*x.values())]):
        _refuse_listed(entries)
    return framed([], [TOPIC, DOC, GRADE]) if listed else flatten(x, kind.value)


def _refuse_listed(entries: Sequence[Any]) -> NoReturn:
    """Raise for judgments that are pairs, records or nested lists."""
    got = "pairs"
    graded = "{t: dict(pairs)"
    listed = "{t: [doc for doc, _ in pairs]"
    pairs = all(isinstance(entry, list | tuple) and len(entry) == 2 for entry in entries)
    if all(isinstance(entry, Mapping) for entry in entries):
        frame = framed(entries)
        got = f"records with the fields {', '.join(map(repr, frame.columns))}"
        # each record gets its own topic, because a document may be judged for several topics
        rows = frame.assign(topic=range(len(entries)))
        fields = proposed(rows, {TOPIC: TOPIC}, [DOC, GRADE]) or {}
        doc, grade = [*fields] or ("doc", "grade")
        graded = f"{{t: {{row[{doc!r}]: row[{grade!r}] for row in pairs}}"
        listed = f"{{t: [row[{doc!r}] for row in pairs]"
    elif not (pairs and all(isinstance(entry[1], Number) for entry in entries)):
        got = "nested lists"
        graded = "{t: pairs[0]"
        listed = "{t: [doc for docs in pairs for doc in docs]"
    advice = (
        f"if each has a grade: {graded} for t, pairs in qrels.items()}}; "
        f"if each is a relevant document: {listed} for t, pairs in qrels.items()}}"
    )
    raise InputError("judgments, {topic: {doc: grade}} or {topic: [doc, ...]}", got, advice)


ADAPTERS: tuple[Callable[[object, Kind], pd.DataFrame | None], ...] = (
    _of_ranx,
    lambda x, kind: columns_of(x, kind.value),
    _of_columns,
    _of_lists,
    _of_hits,
    _of_systems,
    # the last two functions convert the remaining dictionaries and rows, or raise errors
    _of_numbers,
    tables.rows_of,
)
"""Functions that convert one kind of object to a frame, in the order in which they are tried."""


def by_role(x: object, kind: Kind, no_role: str | None = None) -> ByRole:
    """Convert runs or judgments to a frame with known roles.

    Parameters
    ----------
    x
        Any object that `as_runs` or `as_qrels` converts.
    kind
        The kind of table: runs or judgments.
    no_role
        A column that numbers searches or names groups. This column gets no role, even if its name
        is the name of a role, such as ``system``.
    """
    if isinstance(x, ByRole):
        return x
    x = unpacked(x) if kind.value == SCORE and isinstance(x, Mapping | list) else x
    frames = (adapter(x, kind) for adapter in ADAPTERS)
    frame = next(converted for converted in frames if converted is not None)
    levels = getattr(getattr(x, "index", None), "names", ())
    columns = require_columns(frame, kind, no_role, levels)
    if kind.value == SCORE and SYSTEM not in columns:
        # `without_titles` found titles of documents in it, so the column does not name systems
        titles = RUN.find(frame.columns).get(SYSTEM)
        frame = frame if titles is None else frame.drop(columns=titles)
    return ByRole(frame, columns)


def without_documents(x: object) -> list[Hashable]:
    """Return the topics that have no judged document.

    Examples
    --------
    >>> without_documents({"q1": {"d1": 1}, "q2": {}})
    ['q2']
    """
    if not is_dictionary(x):
        return []
    of_docs = (Mapping, *LIST, set, frozenset)
    empty = [topic for topic, docs in x.items() if isinstance(docs, of_docs) and not len(docs)]
    return [] if not empty or table_in(x, QRELS) is not None else empty


def in_groups(x: object, by: str) -> pd.DataFrame:
    """Return a run frame with a column of systems.

    `by` is the group column, which is never read as the column of systems.
    """
    frame, columns = by_role(x, RUN, by)
    return frame if SYSTEM in columns else frame.assign(**{SYSTEM: ONLY_SYSTEM})


def as_qrels(x: Qrels, *, topics: tables.Labels = None, docs: tables.Labels = None) -> pd.DataFrame:
    """Convert judgments of other tools to a qrels frame.

    Parameters
    ----------
    x
        - a pandas frame with topics and documents in columns or index levels. The column of
          grades may be called ``score``, as in BEIR, if the frame has no other grades, no ranks
          and no systems;
        - a table from Polars, DuckDB, PyArrow or any library with ``__arrow_c_stream__``. Polars
          lazy frames are collected;
        - ``{topic: {doc: grade}}``, as in pytrec_eval, ranx and BEIR;
        - ``{topic: docs}``, a list or set of the relevant documents per topic;
        - a dictionary of columns;
        - a frame or xarray array whose axes are named after topics and documents;
        - any other matrix, if `topics` and `docs` label its axes;
        - a `ranx.Qrels`;
        - a list or iterator of dictionaries or named tuples, such as `ir_measures.Qrel`.
    topics, docs
        If `x` is a NumPy array or a SciPy sparse matrix, the labels of its rows and columns. In a
        sparse matrix, only documents with a stored element count as judged.

    Returns
    -------
    pandas.DataFrame
        A frame with columns for topic, doc and grade, named as in `x`. A qrels frame is returned
        unchanged.

    Raises
    ------
    InputError
        For any other object. If possible, the message contains a line of code that converts it.
        Topics without a judged document also raise an error, because a frame cannot represent them.
        Pass such judgments directly to `evaluate`, `cube` or `scorer`.

    Examples
    --------
    >>> as_qrels({"q1": {"d1": 0, "d2": 2}})
      topic doc  grade
    0    q1  d1      0
    1    q1  d2      2
    """
    frame = by_role(_named(x, QRELS, topics, docs), QRELS).frame
    if empty := without_documents(x):
        expected = "a judged document for every topic of a frame"
        advice = "pass the dictionary to evaluate, cube or scorer, or judge a document with grade 0"
        got = f"{len(empty)} topics without a judged document"
        raise InputError(expected, got, advice, map(repr, empty))
    return frame


def _named(x: object, kind: Kind, topics: tables.Labels, docs: tables.Labels) -> object:
    return x if topics is None and docs is None else tables.labelled(x, topics, docs, kind.value)


NOTHING = ByRole(
    pd.DataFrame({TOPIC: [], DOC: [], SCORE: []}).astype({TOPIC: str, DOC: str}),
    {TOPIC: TOPIC, DOC: DOC, SCORE: SCORE},
)
"""A run frame without rows."""


def as_runs(
    x: Runs,
    system: str | None = None,
    *,
    topics: tables.Labels = None,
    docs: tables.Labels = None,
    hits: str | None = None,
    id: str | None = None,  # noqa: A002 - the usual name of the field
    ranked_by: RankedBy = None,
    on_error: OnError = "raise",
) -> pd.DataFrame:
    """Convert runs of other tools to a run frame.

    Parameters
    ----------
    x
        - a pandas frame with systems, topics and documents in columns or index levels;
        - a table from Polars, DuckDB, PyArrow or any library with ``__arrow_c_stream__``. Polars
          lazy frames are collected;
        - ``{topic: {doc: score}}``, as in pytrec_eval, ranx and BEIR;
        - ``{system: run}`` with runs of any of these kinds;
        - a dictionary of columns;
        - ``{topic: [doc, ...]}``, lists or arrays with the best document first;
        - ``{topic: [hit, ...]}`` with hits from LangChain, LlamaIndex, Haystack or
          sentence-transformers. Hits are objects, dictionaries or pairs with a score. The frame has
          columns ``chunk_id`` and ``doc_id``, or ``doc`` if hits have only one id. The frame also
          has ``rank``, text, metadata, and ``start`` and ``end`` if all hits have these fields.
          Scores are stored in ``listed_score``, because the order of the list decides the ranks;
        - ``{topic: answer}`` with answers from Elasticsearch, OpenSearch, Vespa, Solr, Chroma,
          Qdrant, Weaviate, Pinecone, Haystack, LangChain or LlamaIndex. Answers of other tools are
          dictionaries with one list of hits;
        - a list of answers or of lists of hits, if `topics` labels them;
        - ``{topic: [call, ...]}`` with the searches of an agent. Each call is a list of documents
          or hits, an answer, a tool event (Inspect), a message with tool calls and results (OpenAI,
          Anthropic, Gemini, MCP) or a span (OpenInference, OpenTelemetry). Calls are in
          chronological order, or have start times. The column ``search`` numbers searches from 1.
          Calls of tools that never return hits are skipped. Calls with the same id count once;
        - a frame or xarray array whose axes are named after topics and documents, and possibly
          systems;
        - any other matrix, if `topics` and `docs` label its axes;
        - the content of MTEB's ``*_predictions.json``;
        - a `ranx.Run`, or a list of them;
        - a list or iterator of dictionaries or named tuples, such as `ir_measures.ScoredDoc`.
    system
        Name of the system. The default is the name of the system in `x`.
    topics, docs
        If `x` is a NumPy array or a SciPy sparse matrix, the labels of its rows and columns. In a
        sparse matrix, only documents with a stored element count as retrieved. For a list of
        answers or of lists of hits, pass `topics` alone, with one topic per item.
    hits
        The path of keys to the hits in answers of an unknown tool, such as ``"value"`` or
        ``"data.results"``.
    id
        The field of a hit that contains the document id.
    ranked_by
        How to rank lists of hits whose scores both rise and fall. ``"list"`` keeps the order of the
        list, and ``"score"`` sorts by score.
    on_error
        What to do if the result of an agent's search cannot be read, for example because it was cut
        off. ``"raise"`` raises an error that names the search. ``"empty"`` treats the search as a
        search without hits.

    Returns
    -------
    pandas.DataFrame
        A frame with columns for topic, doc, score or rank, and system if `x` has systems. Columns
        of a frame keep their names. A run frame is returned unchanged.

    Raises
    ------
    InputError
        For any other object. If possible, the message contains a line of code that converts it.
    IdError
        If `system` is passed and `x` has several systems.

    Examples
    --------
    >>> as_runs({"bm25": {"q1": {"d1": 0.9, "d2": 0.7}}, "ance": {"q1": {"d2": 0.8}}})
      system topic doc  score
    0   bm25    q1  d1    0.9
    1   bm25    q1  d2    0.7
    2   ance    q1  d2    0.8
    """
    if ranked_by is not None:
        choice("ranked_by", ranked_by, ("list", "score"))
    with OneCall() as call:
        x = x if docs is None else _named(x, RUN, topics, docs)
        x = unpacked(x, hits, topics if docs is None else None)
        if id is not None or ranked_by is not None or on_error != "raise":
            x = _read_hits(x, id, on_error, ranked_by)
        frame, columns = by_role(x, RUN)
    if call.texts:
        # `frame` may be the caller's frame, whose attributes must not change
        frame = frame.copy(deep=False)
        frame.attrs = united(frame.attrs, caution(call.texts))
    if system is None:
        return frame
    constant(str(system), 0)
    name = columns.get(SYSTEM, SYSTEM)
    several = frame[name].unique().tolist() if SYSTEM in columns else []
    if len(several) > 1:
        expected = f"a run of one system, for system={system!r}"
        raise IdError(expected, f"{len(several)} systems", "omit system=", several)
    result = frame.drop(columns=name) if SYSTEM in columns else frame.copy(deep=False)
    result.insert(0, name, system)
    return result


def _read_hits(x: object, name: str | None, on_error: OnError, ranked_by: RankedBy) -> pd.DataFrame:
    """Convert hits or searches with the options of `as_runs`."""
    if (convert := reader_of(x, on_error)) is not None:
        return convert(x, name, ranked_by=ranked_by)
    if not is_dictionary(x) or not x or not all(map(_is_run, x.values())):
        expected = "lists of hits for id= and ranked_by=, or calls of agents for on_error="
        raise ParameterError(expected, f"a {type(x).__name__}")
    return _one_frame({s: _read_hits(run, name, on_error, ranked_by) for s, run in x.items()})


def split_empty(x: Runs | ByRole) -> tuple[Runs | ByRole, list[str]]:
    """Return runs without empty systems, and the empty systems.

    Examples
    --------
    >>> split_empty({"bm25": {"q1": {"d1": 0.9}}, "ance": {"q1": {}}})
    ({'bm25': {'q1': {'d1': 0.9}}}, ['ance'])
    """
    if isinstance(x, pd.DataFrame) and not len(x) and not tables.is_matrix(x):
        columns = roles([*x.columns, *x.index.names])
        listed = {TOPIC, DOC} <= columns.keys() and columns.keys() & {SCORE, RANK}
        return (NOTHING, [ONLY_SYSTEM]) if listed and SYSTEM not in columns else (x, [])
    x = x if isinstance(x, ByRole | pd.DataFrame) else unpacked(x)
    if (is_dictionary(x) or isinstance(x, list | tuple)) and not len(x):
        return NOTHING, [ONLY_SYSTEM]
    if not isinstance(x, Mapping):
        table = None if isinstance(x, ByRole | pd.DataFrame | list) else columns_of(x, SCORE)
        if table is None:
            return x, []
        return split_empty(table) if table.empty else (table, [])
    if not is_dictionary(x) or is_mteb(x) or table_in(x, RUN) is not None:
        return x, []
    return _split_dictionary(x)


def _split_dictionary(x: Mapping[Hashable, object]) -> tuple[Runs | ByRole, list[str]]:
    """Return a dictionary without empty systems, and the empty systems."""
    empty = [name for name, lists in x.items() if _is_empty(lists)]
    names = {*empty}
    nonempty = {name: lists for name, lists in x.items() if name not in names}
    # an empty dictionary may belong to a system or a topic; only the other values show which
    systems = any(
        isinstance(x[n], pd.DataFrame) or (isinstance(x[n], Mapping) and x[n]) for n in empty
    )
    if not nonempty and not systems:
        return NOTHING, [ONLY_SYSTEM]
    nested = [lists for lists in nonempty.values() if isinstance(lists, Mapping)]
    runs = any((height(n) or 0) > 1 or _is_run(n) for n in nested)
    runs = runs or any(isinstance(lists, pd.DataFrame) for lists in nonempty.values())
    if not empty or not (systems or runs):
        return x, []
    return nonempty or NOTHING, [str(name) for name in empty]


def _is_empty(lists: object) -> bool:
    """Return whether an object contains no document."""
    inside = lists.values() if isinstance(lists, Mapping) else [lists]
    return all(
        isinstance(docs, (Mapping, *LIST, pd.DataFrame)) and not len(docs) for docs in inside
    )


def _holds_lists(nested: object, *, sets: bool = False) -> bool:
    """Return whether an object maps topics to lists or sets."""
    kinds = (*LIST, set, frozenset) if sets else LIST
    lists = [*nested.values()] if isinstance(nested, Mapping) else []
    are_flat = all(isinstance(docs, kinds) and getattr(docs, "ndim", 1) == 1 for docs in lists)
    docs = [*chain(*lists)] if are_flat else []
    return bool(docs) and all(map(_is_id, docs)) and not all(map(_is_none, docs))


def _is_run(nested: object) -> bool:
    """Return whether an object maps topics to ranked lists."""
    return _holds_lists(nested) or reader_of(nested) is not None


def _is_id(doc: object) -> bool:
    """Return whether a value may be a document id."""
    # pandas stores a column of integer ids as floats if one id is missing
    is_integer = isinstance(doc, float | np.floating) and (doc.is_integer() or np.isnan(doc))
    return isinstance(doc, str | int | np.integer) or is_integer or _is_none(doc)


def _is_none(doc: object) -> bool:
    return doc is None or doc is pd.NA or doc is pd.NaT


def _one_frame(runs: Mapping[Hashable, object]) -> pd.DataFrame:
    """Concatenate the runs of several systems.

    If frames use different column names for one role, the column gets the name of the role.
    """
    names = labels_in(pd.Index([*runs], dtype=object), SYSTEM, SYSTEM)
    for name, run in runs.items():
        with in_group(f"system {shortened(name, str)}"):
            warn(*cautions_of(getattr(run, "attrs", {})))
    frames = [as_runs(run, str(name)) for name, run in zip(names, runs.values(), strict=True)]
    columns = [roles(frame.columns) for frame in frames]
    # runs may have different names for one role, but a frame needs one name per role
    if any(names != columns[0] for names in columns):
        to_role = [{name: role for role, name in names.items()} for names in columns]
        frames = [frame.rename(columns=t) for frame, t in zip(frames, to_role, strict=True)]
    return pd.concat(frames, ignore_index=True)
