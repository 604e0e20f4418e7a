"""Runs and judgments out of whatever other tools hand over.

What something is, `ADAPTERS` tell: each makes a frame of what it knows, and of nothing else.

Verbs: as_runs, as_qrels.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from irframe.files.answers import unpacked
from irframe.files.ids import labels_in
from irframe.files.kinds import QRELS, RUN, ByRole, Kind, require_columns
from irframe.files.likeness import proposed
from irframe.files.retrieved import RankedBy
from irframe.files.tables import (
    columns_of,
    flatten,
    height,
    is_dictionary,
    is_matrix,
    is_mteb,
    labelled,
    predictions,
    rows_of,
    table_in,
)
from irframe.files.traces import OnError, reader_of
from irframe.files.values import constant, framed
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC, roles

LIST = list, tuple, np.ndarray
ONLY_SYSTEM = "run"
"""Label of the system in a run frame that has no system column."""

Qrels = pd.DataFrame | object
"""A qrels frame, or what `as_qrels` makes one of."""
Runs = pd.DataFrame | object
"""A run frame, or what `as_runs` makes one of."""


def is_ranx(x: Any, holding: str) -> bool:
    """Tell whether an object of ranx has some attribute.

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
        found = "none, or one twice, among"
        raise IdError("runs of ranx with a name of its own each", found, "", names)
    return _one_frame(dict(zip(names, x, strict=True)))


def _of_columns(x: Any, kind: Kind) -> pd.DataFrame | None:
    if not is_dictionary(x):
        return None
    return predictions(x, SCORE) if is_mteb(x) and kind.value == SCORE else table_in(x, kind)


def _of_lists(x: Any, kind: Kind) -> pd.DataFrame | None:
    """Return rows of ``{topic: documents}``, ranked or relevant."""
    if not is_dictionary(x):
        return None
    texts = [repr(topic) for topic, docs in x.items() if isinstance(docs, str)]
    if texts and not kind.find(x):
        found, advice = "a text alone for", "put it into a list: {'q1': ['d1']}"
        raise InputError("{topic: [doc, ...]}", found, advice, texts)
    if not _holds_lists(x, sets=kind.value == GRADE):
        return None
    lists = [(topic, enumerate(docs, start=1)) for topic, docs in x.items()]
    rows = [(topic, doc, place) for topic, docs in lists for place, doc in docs]
    frame = framed(rows, [TOPIC, DOC, RANK])
    return frame if kind.value == SCORE else frame[[TOPIC, DOC]].assign(**{GRADE: 1})


def _of_hits(x: Any, kind: Kind) -> pd.DataFrame | None:
    read = reader_of(x) if kind.value == SCORE else None
    return None if read is None else read(x)


def _of_systems(x: Any, kind: Kind) -> pd.DataFrame | None:
    """Return the runs of several systems by name."""
    if not is_dictionary(x) or kind.value != SCORE:
        return None
    if x and all(map(_is_run, x.values())):
        return _one_frame(x)
    heights = {key: height(value) for key, value in x.items()}
    plain = [repr(key) for key, value in x.items() if isinstance(value, Number)]
    if plain or set(heights.values()) <= {None}:
        found = "documents without a topic" if plain else "an empty dictionary"
        advice = "say which topic they are of: {'q1': ...}" if plain else ""
        raise InputError("{topic: {doc: score}} or {system: run}", found, advice, plain)
    if lacking := _part_lists(x)[1]:
        advice = "hand over all to evaluate, cube or scorer, which count these as empty lists"
        wanted, found = "a frame with rows of every system", "an empty dictionary, list or table"
        raise InputError(wanted, found, advice, lacking)
    runs = {key for key, high in heights.items() if high not in {1, None} or _is_run(x[key])}
    topics = [key for key, high in heights.items() if high == 1 and key not in runs]
    systems = [key for key in x if key in runs]
    if topics and systems:
        found = (
            f"{topics[0]!r}, taken for a topic, which holds scores, beside {systems[0]!r}, taken "
            "for a system, which holds topics or a table"
        )
        raise InputError("{topic: {doc: score}} or {system: run}", found, "hand them over apart")
    return _one_frame(x) if systems else None


def _of_numbers(x: Any, kind: Kind) -> pd.DataFrame | None:
    if not is_dictionary(x):
        return None
    listed = kind.value == GRADE and all(isinstance(docs, list | tuple) for docs in x.values())
    if listed and (entries := [*chain(*x.values())]):
        _refuse_listed(entries)
    return framed([], [TOPIC, DOC, GRADE]) if listed else flatten(x, kind.value)


def _refuse_listed(entries: Sequence[Any]) -> NoReturn:
    """Raise for judgments in nested lists; suggest a line per reading."""
    graded, listed = "{t: dict(pairs)", "{t: [doc for doc, _ in pairs]"
    found, pairs = (
        "pairs",
        all(isinstance(each, list | tuple) and len(each) == 2 for each in entries),
    )
    if all(isinstance(each, Mapping) for each in entries):
        frame = framed(entries)
        found = f"records with the fields {', '.join(map(repr, frame.columns))}"
        fields = (
            proposed(frame.assign(topic=range(len(entries))), {TOPIC: TOPIC}, [DOC, GRADE]) or {}
        )
        doc, grade = [*fields] or ("doc", "grade")
        graded = f"{{t: {{row[{doc!r}]: row[{grade!r}] for row in pairs}}"
        listed = f"{{t: [row[{doc!r}] for row in pairs]"
    elif not (pairs and all(isinstance(each[1], Number) for each in entries)):
        found, graded = "lists in lists", "{t: pairs[0]"
        listed = "{t: [doc for docs in pairs for doc in docs]"
    advice = (
        f"if each has a grade: {graded} for t, pairs in qrels.items()}}; "
        f"if each is a relevant document: {listed} for t, pairs in qrels.items()}}"
    )
    raise InputError("judgments, {topic: {doc: grade}} or {topic: [doc, ...]}", found, advice)


ADAPTERS: tuple[Callable[[Any, Kind], pd.DataFrame | None], ...] = (
    _of_ranx,
    lambda x, kind: columns_of(x, kind.value),
    _of_columns,
    _of_lists,
    _of_hits,
    _of_systems,
    _of_numbers,
    rows_of,
)
"""What makes frames of what other tools hand over, each None of what it does not know."""


def by_role(x: Any, kind: Kind, no_role: str | None = None) -> ByRole:
    """Return rows as a frame, and its columns by role.

    Nothing is asked about a column of which it is told that it numbers searches, or names groups.
    """
    if isinstance(x, ByRole):
        return x
    x = unpacked(x) if kind.value == SCORE and isinstance(x, Mapping | list) else x
    made = (adapter(x, kind) for adapter in ADAPTERS)
    frame: Any = next(each for each in made if each is not None)
    levels = getattr(getattr(x, "index", None), "names", ())
    columns = require_columns(frame, kind, no_role, levels)
    if kind.value == SCORE and SYSTEM not in columns:
        titles = RUN.find(frame.columns).get(SYSTEM)  # names of documents, as was said
        frame = frame if titles is None else frame.drop(columns=titles)
    return ByRole(frame, columns)


def without_documents(x: Any) -> list[Any]:
    """Return the topics of judgments without a judged document.

    Examples
    --------
    >>> without_documents({"q1": {"d1": 1}, "q2": {}})
    ['q2']
    """
    of_docs = (Mapping, *LIST, set, frozenset)
    every = x.items() if is_dictionary(x) else ()
    empty = [topic for topic, docs in every if isinstance(docs, of_docs) and not len(docs)]
    return [] if not empty or table_in(x, QRELS) is not None else empty


def in_groups(x: Any, by: str) -> pd.DataFrame:
    """Return runs with a system column; `by` names the groups."""
    frame, columns = by_role(x, RUN, by)
    return frame if SYSTEM in columns else frame.assign(**{SYSTEM: ONLY_SYSTEM})


def as_qrels(
    x: Qrels, *, topics: Iterable[Any] | None = None, docs: Iterable[Any] | None = None
) -> pd.DataFrame:
    """Convert judgments of other tools to a qrels frame.

    Parameters
    ----------
    x
        - a pandas frame, whose ids may be levels of its index; its grades may be called
          ``score``, as by BEIR, where it has no other grades, no ranks and no systems;
        - any table with ``__arrow_c_stream__``: polars (a lazy one is collected), DuckDB, PyArrow;
        - ``{topic: {doc: grade}}``, as pytrec_eval, ranx and BEIR have it; or ``{topic: docs}``
          with a list or a set of the relevant documents; or a dictionary of columns;
        - a frame, or an array of xarray, whose axes are called after topics and documents; with
          `topics` and `docs` any matrix;
        - a `ranx.Qrels`;
        - named tuples such as `ir_measures.Qrel`, or dictionaries, one for each row, in a list
          or an iterator.
    topics, docs
        What rows and columns of a matrix are, an array or a sparse one of SciPy, of which only what
        it holds is judged.

    Returns
    -------
    pandas.DataFrame
        Columns for topic, doc and grade, called as in `x`. A frame that has them is returned as
        it is.

    Raises
    ------
    InputError
        For anything else, with the line that makes a qrels frame of it; and for topics without a
        judged document, which no frame can hold. `evaluate`, `cube` and `scorer` count these.

    Examples
    --------
    >>> as_qrels({"q1": {"d1": 0, "d2": 2}})
      topic doc  grade
    0    q1  d1      0
    1    q1  d2      2
    """
    frame = by_role(_named(x, QRELS, topics, docs), QRELS).frame
    if empty := without_documents(x):
        wanted = "a judged document for every topic of a frame"
        advice = "pass the dictionary to evaluate, cube or scorer, or judge a document with grade 0"
        raise InputError(wanted, f"{len(empty)} without one", advice, map(repr, empty))
    return frame


def _named(x: Any, kind: Kind, topics: Any, docs: Any) -> Any:
    return x if topics is None and docs is None else labelled(x, topics, docs, kind.value)


NOTHING = ByRole(
    pd.DataFrame({TOPIC: [], DOC: [], SCORE: []}).astype({TOPIC: str, DOC: str}),
    {TOPIC: TOPIC, DOC: DOC, SCORE: SCORE},
)
"""A run whose lists are all empty."""


def as_runs(
    x: Runs,
    system: str | None = None,
    *,
    topics: Iterable[Any] | None = None,
    docs: Iterable[Any] | None = None,
    hits: str | None = None,
    id: str | None = None,  # noqa: A002 - what the field is called
    ranked_by: RankedBy = None,
    on_error: OnError = "raise",
) -> pd.DataFrame:
    """Convert runs of other tools to a run frame.

    Parameters
    ----------
    x
        - a pandas frame, whose ids may be levels of its index;
        - any table with ``__arrow_c_stream__``: polars (a lazy one is collected), DuckDB, PyArrow;
        - ``{topic: {doc: score}}``, as pytrec_eval, ranx and BEIR have it, or ``{system: run}``
          with a run of any of these kinds; or a dictionary of columns;
        - ``{topic: [doc, ...]}``, lists or arrays, the best first;
        - ``{topic: [hit, ...]}`` with hits of LangChain, LlamaIndex, Haystack or
          sentence-transformers, as objects, dictionaries or pairs with a score: the columns
          ``chunk_id`` and ``doc_id``, or ``doc`` where there is one of them, ``start`` and ``end``
          as far as all hits say them, ``rank``, text and metadata; with `topics` a list of such
          lists. Scores beside hits are kept as ``listed_score``;
        - ``{topic: answer}`` with what Elasticsearch, OpenSearch, Vespa, Solr, Chroma, Qdrant,
          Weaviate, Pinecone, Haystack, LangChain or LlamaIndex answers, or any dictionary with one
          list of hits; with `topics` a list of answers;
        - ``{topic: [call, ...]}`` with what several searches found, which the column ``search``
          numbers from 1: lists of documents or hits, answers, events of tools (Inspect), messages
          with calls and results of tools (OpenAI, Anthropic, Gemini, MCP), spans (OpenInference,
          OpenTelemetry), in order or with the time of each. Calls of tools that never give hits
          are passed over; a call id that comes again counts once;
        - a frame, or an array of xarray, whose axes are called after topics and documents (and
          systems); with `topics` and `docs` any matrix;
        - what MTEB writes to ``*_predictions.json``;
        - a `ranx.Run`, or a list of them;
        - named tuples such as `ir_measures.ScoredDoc`, or dictionaries, one for each row, in a
          list or an iterator.
    system
        Name of the one system; by default what `x` says of it.
    topics, docs
        What rows and columns of a matrix are, an array or a sparse one of SciPy, of which only what
        it holds is retrieved. `topics` alone names the answers in a list.
    hits
        The key of the hits in each answer of a tool that is not known, such as ``"value"`` or
        ``"data.results"``.
    id
        The field of hits that is the document, such as one of a payload.
    ranked_by
        What ranks bare lists of hits whose scores neither all fall nor all rise in a system:
        ``"list"``, the order in which they came, or ``"score"``.
    on_error
        What becomes of a search of an agent whose result cannot be read, as when it was cut off:
        ``"raise"`` an error that names it, or ``"empty"``, a search without hits.

    Returns
    -------
    pandas.DataFrame
        Columns for topic, doc, and score or rank, and for system where `x` names it, called as
        in `x`. A frame that has them is returned as it is.

    Raises
    ------
    InputError
        For anything else, with the line that makes a run frame of it.
    IdError
        If there are several systems where one is to be named.

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
            x = _hits_as_said(x, id, on_error, ranked_by)
        frame, columns = by_role(x, RUN)
    if call.texts:
        frame = frame.copy(deep=False)
        frame.attrs = united(frame.attrs, caution(call.texts))
    if system is None:
        return frame
    constant(str(system), 0)
    name = columns.get(SYSTEM, SYSTEM)
    several = frame[name].unique().tolist() if SYSTEM in columns else []
    if len(several) > 1:
        raise IdError(f"one system to be named {system!r}", f"{len(several)}", "", several)
    others = frame.drop(columns=name) if SYSTEM in columns else frame.copy(deep=False)
    others.insert(0, name, system)
    return others


def _hits_as_said(x: Any, name: str | None, on_error: OnError, ranked_by: RankedBy) -> pd.DataFrame:
    """Return hits read by the caller's options."""
    if (read := reader_of(x, on_error)) is not None:
        return read(x, name, ranked_by=ranked_by)
    if not is_dictionary(x) or not x or not all(map(_is_run, x.values())):
        wanted = "lists of hits for id= and ranked_by=, or calls of agents for on_error="
        raise ParameterError(wanted, f"a {type(x).__name__}")
    every = {s: _hits_as_said(own, name, on_error, ranked_by) for s, own in x.items()}
    return _one_frame(every)


def part_empty(x: Runs | ByRole) -> tuple[Runs | ByRole, list[str]]:
    """Separate runs from systems whose lists are all empty.

    Examples
    --------
    >>> part_empty({"bm25": {"q1": {"d1": 0.9}}, "ance": {"q1": {}}})
    ({'bm25': {'q1': {'d1': 0.9}}}, ['ance'])
    """
    if isinstance(x, pd.DataFrame) and not len(x) and not is_matrix(x):
        columns = roles([*x.columns, *x.index.names])
        listed = {TOPIC, DOC} <= columns.keys() and columns.keys() & {SCORE, RANK}
        return (NOTHING, [ONLY_SYSTEM]) if listed and SYSTEM not in columns else (x, [])
    x = x if isinstance(x, ByRole | pd.DataFrame) else unpacked(x)
    if (is_dictionary(x) or isinstance(x, list | tuple)) and not len(x):
        return NOTHING, [ONLY_SYSTEM]
    if not isinstance(x, Mapping):
        table = None if isinstance(x, ByRole | pd.DataFrame | list) else columns_of(x, SCORE)
        return (x, []) if table is None else part_empty(table) if table.empty else (table, [])
    known = not is_dictionary(x) or is_mteb(x) or table_in(x, RUN) is not None
    return (x, []) if known else _part_lists(x)


def _part_lists(x: Mapping[Any, Any]) -> tuple[Runs | ByRole, list[str]]:
    empty = [name for name, lists in x.items() if _is_empty(lists)]
    names = {*empty}
    others = {name: lists for name, lists in x.items() if name not in names}
    systems = any(
        isinstance(x[n], pd.DataFrame) or (isinstance(x[n], Mapping) and x[n]) for n in empty
    )
    if not others and not systems:
        return NOTHING, [ONLY_SYSTEM]
    nested = [lists for lists in others.values() if isinstance(lists, Mapping)]
    runs = any((height(n) or 0) > 1 or _is_run(n) for n in nested)
    runs = runs or any(isinstance(lists, pd.DataFrame) for lists in others.values())
    if not empty or not (systems or runs):
        return x, []
    return others or NOTHING, [str(name) for name in empty]


def _is_empty(lists: Any) -> bool:
    """Tell whether this is no document, or topics that have none."""
    inside = lists.values() if isinstance(lists, Mapping) else [lists]
    return all(
        isinstance(docs, (Mapping, *LIST, pd.DataFrame)) and not len(docs) for docs in inside
    )


def _holds_lists(nested: Any, *, sets: bool = False) -> bool:
    """Tell whether this is ``{topic: [doc, ...]}``, or sets likewise."""
    kinds = (*LIST, set, frozenset) if sets else LIST
    lists = [*nested.values()] if isinstance(nested, Mapping) else []
    are_flat = all(isinstance(docs, kinds) and getattr(docs, "ndim", 1) == 1 for docs in lists)
    docs = [*chain(*lists)] if are_flat else []
    return bool(docs) and all(map(_is_id, docs)) and not all(map(_is_none, docs))


def _is_run(nested: Any) -> bool:
    """Tell whether this maps topics to documents, hits or searches."""
    return _holds_lists(nested) or reader_of(nested) is not None


def _is_id(doc: Any) -> bool:
    """Tell whether this may be a document id, or is missing."""
    # pandas makes floats of whole numbers beside a missing one.
    is_integer = isinstance(doc, float | np.floating) and (doc.is_integer() or np.isnan(doc))
    return isinstance(doc, str | int | np.integer) or is_integer or _is_none(doc)


def _is_none(doc: Any) -> bool:
    return doc is None or doc is pd.NA or doc is pd.NaT


def _one_frame(runs: Mapping[Any, Any]) -> pd.DataFrame:
    """Concatenate runs of systems, with canonical names if theirs differ."""
    names = labels_in(pd.Index([*runs], dtype=object), SYSTEM, SYSTEM)
    for name, run in runs.items():
        with in_group(f"system {shortened(name, str)}"):
            warn(*cautions_of(getattr(run, "attrs", {})))
    parts = [as_runs(run, str(name)) for name, run in zip(names, runs.values(), strict=True)]
    named = [roles(part.columns) for part in parts]
    # Runs may come by names of their own each, and one frame has one name for each column.
    if any(names != named[0] for names in named):
        turned = [{name: role for role, name in names.items()} for names in named]
        parts = [part.rename(columns=t) for part, t in zip(parts, turned, strict=True)]
    return pd.concat(parts, ignore_index=True)
