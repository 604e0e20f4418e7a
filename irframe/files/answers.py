"""Hits in answers of search engines and vector stores.

An answer is the object that a tool returns for one search. A hit is one retrieved document in an
answer. `ANSWERS` lists the keys under which each tool stores its hits. `IDS` lists the names that
tools use for the fields of a hit.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import suppress
from itertools import chain
from numbers import Number
from types import UnionType
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.errors import InputError, ParameterError, in_group, listing, shortened, warn
from irframe.frames.kinds import RUN
from irframe.frames.likeness import LIKE_SEARCHES, like_systems
from irframe.names import DOC, END, LISTED_SCORE, SCORE, START

ONLY = "*"
"""Part of a path of keys that matches the only key of a dictionary, whatever its name."""
ANSWERS = {
    "Elasticsearch, OpenSearch": "hits.hits",
    "Solr": "response.docs",
    "Pinecone": "matches result.hits",
    "Qdrant": "points result.points result",
    "Weaviate": "objects data.Get.*",
    "Haystack": "documents *.documents",
    "LangChain": "context source_documents",
    "LlamaIndex": "source_nodes",
}
"""Mapping from a tool to the paths of keys to the hits in its answers, separated by spaces."""
FLAT = {"Solr": "", "Weaviate": "_additional"}
"""Mapping from a tool to the key under which a hit stores the fields of the tool.

The user's fields are at the top level. The key is empty if the tool's fields are there, too."""
_PATHS = [(tuple(path.split(".")), tool) for tool, row in ANSWERS.items() for path in row.split()]
FIRST = frozenset({"ids", "root", *(path[0] for path, _ in _PATHS)})
"""The first keys of all paths to hits. The answer of a pipeline may have none of these keys."""
GENERATED = frozenset({"replies", "answers", "prompt"})
"""Keys under which a pipeline stores the output of language models, which contains no hits."""
COLUMNS = {"ids": "id", "distances": "distance", "documents": "text", "metadatas": "metadata"}
"""Mapping from a key in an answer of Chroma to a field of a hit. Each key has one list of values
per search."""
BATCH = "responses"
"""Key under which Elasticsearch returns the answers to several searches."""
PARTIAL = (
    *("timed_out", "terminated_early", "_shards.failed", "search_cutoff", "errors", "error"),
    *("responseHeader.partialResults", "root.coverage.degraded", "root.errors"),
)
"""An answer is incomplete if the value at one of these paths is neither false nor 0 nor empty."""
BARE = frozenset({"hits", "results", "search_results", "value", "data", "resourceSpans"})
"""Keys under which unknown tools usually store hits. These keys are never read as topics."""
KEYS = 64
"""Maximum number of keys of an answer. Larger dictionaries are read as scores of documents."""

CHUNK = "chunk_id"
PARENT = "doc_id"
DOCUMENT = "document"
"""Field with the text or the id of a document. It is read as the id if a hit has no other id."""
IDS = {
    CHUNK: ("chunk_id", "node_id", "id_", "id", "_id", "uuid"),
    PARENT: (
        *("doc_id", "ref_doc_id", "document_id", "source_id", "source", "file_path"),
        *(name for name in words.ALIASES[DOC] if name not in words.LAST_RESORTS),
    ),
    SCORE: ("score", "_score", "relevance_score", "similarity"),
    START: (*words.BORDERS[START], "split_idx_start"),
    END: words.BORDERS[END],
}
"""Mapping from a column of the run frame to possible fields of a hit, the preferred one first."""
PAYLOAD = ("metadata", "meta", "payload", "properties", "fields", "entity", "_source")
"""Fields whose value is a dictionary of the user's own fields.

A score in such a dictionary does not rank the hits."""
INSIDE = ("node", "document", *PAYLOAD, "_additional")
"""Fields of a hit that contain further fields of the hit."""
TEXT = "text"
TEXTS = ("page_content", "content", TEXT)
NAMES = {*chain(*IDS.values()), *INSIDE, *TEXTS}
"""Names of all fields that irframe reads."""
ATTRIBUTES = ("page_content", "node", "meta", "payload", "properties")
"""Attributes of hits. An object is a hit if it has at least one of these attributes."""

RankedBy = Literal["list", "score"] | None
"""How hits are ranked: ``"list"`` keeps the order of the list, and ``"score"`` sorts by score.

None keeps the order of the list, too, but raises if scores both rise and fall along the list."""
Hits = Sequence[object]


class Answers(dict[Hashable, Hits]):
    """Lists of hits by topic, in the search engine's order."""


def unpacked(
    x: object, hits: str | None = None, topics: Iterable[Hashable] | None = None
) -> object:
    """Extract the lists of hits from answers, as ``{topic: hits}``.

    Parameters
    ----------
    x
        Answers by topic, answers by system and topic, or a list of answers. Any other object is
        returned unchanged.
    hits
        The path to the hits in each answer, such as ``"data.results"``. By default, the paths of
        known tools are tried.
    topics
        The topics of a list of answers.

    Examples
    --------
    >>> unpacked({"q1": {"took": 3, "hits": {"hits": [{"_id": "d1", "_score": 0.9}]}}})
    {'q1': [{'_id': 'd1', '_score': 0.9}]}
    """
    x = _as_dictionary(x)
    if isinstance(x, Mapping):
        searches = x.get(BATCH)
        searches = searches if isinstance(searches, list) else _of_columns(x)
        x = x if searches is None else searches
    if topics is not None:
        x = _by_topic(x, [*topics])
    elif isinstance(x, list) and x:
        _refuse_positions(x)
    if not isinstance(x, Mapping) or isinstance(x, Answers):
        return x
    _refuse_one_answer(x)
    if (answers := _hits_by_topic(x, hits)) is not None:
        return answers
    of_systems = {}
    for name, run in x.items():
        with in_group(f"system {shortened(name, str)}"):
            first = next(iter(run.values()), 0) if isinstance(run, Mapping) else 0
            lists = None if isinstance(first, Number) else _hits_by_topic(run, hits)
        if lists is not None:
            of_systems[name] = lists
    if hits is not None and len(of_systems) < len(x):
        raise ParameterError("hits= to be the path to the hits in every answer", repr(hits))
    return {**x, **of_systems} if of_systems else x


def _as_dictionary(x: object) -> object:
    """Convert a client's response to a dictionary if possible."""
    kind = type(x)
    # frames and xarray objects also have a method `to_dict`, but are not responses of clients
    plain = isinstance(x, Mapping | list | tuple | str | Number | pd.Series | pd.Index | None)
    if plain or hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "dims"):
        return x
    body = getattr(x, "body", None)
    if not isinstance(body, Mapping | list) and callable(to_dict := getattr(x, "to_dict", None)):
        body = to_dict()
    return body if isinstance(body, Mapping | list) else x


def _by_topic(x: object, topics: list[Hashable]) -> dict[Hashable, object]:
    """Label a list of answers with its topics."""
    if not isinstance(x, list | tuple):
        expected = "a list of answers for topics=, or a matrix with both topics= and docs="
        raise InputError(expected, f"an object of type {type(x).__name__}")
    if len(x) != len(topics):
        got = f"{len(topics)} topics for {words.counted(len(x), 'answer')}"
        raise InputError("one topic for each answer", got, "pass all topics in order")
    return dict(zip(topics, x, strict=True))


def _refuse_positions(x: Hits) -> None:
    """Raise for a list of answers without topics."""
    names = x[0] if isinstance(x[0], Mapping) else getattr(x[0], "_fields", ())
    if not RUN.lacking(RUN.find(map(str, names))):
        return  # rows
    answers = [*map(_as_dictionary, x)]
    lists = [hits_in(answer) for answer in answers]
    of_tools = any(h is not None and h is not a for h, a in zip(lists, answers, strict=True))
    of_others = any(_lists_of(answer) for answer in answers if isinstance(answer, Mapping))
    if of_tools or of_others or holds_hits(dict(enumerate(x))):
        advice = "name their topics in order: ir.as_runs(answers, topics=[...])"
        got = f"a list of {len(x)} without topics"
        raise InputError("answers or lists of hits by topic", got, advice)


def _hits_by_topic(answers: Mapping[Hashable, object], path: str | None) -> Answers | None:
    """Return the hits by topic; None if there are none."""
    answers = {topic: _as_dictionary(answer) for topic, answer in answers.items()}
    lists: Mapping[Hashable, object] | None
    if path is not None:
        lists = {topic: _at(answer, path.split(".")) for topic, answer in answers.items()}
    else:
        lists = {topic: hits_in(answer) for topic, answer in answers.items()}
        if all(hits is None or hits is answers[topic] for topic, hits in lists.items()):
            lists = _of_other_tools(answers)
    if lists is None:
        return None
    hits_of = Answers({t: hits for t, hits in lists.items() if isinstance(hits, list | tuple)})
    if not hits_of:
        return None
    if failed := [repr(topic) for topic in lists if topic not in hits_of]:
        advice = "search again for these topics, or leave them out, so that they have empty lists"
        got = f"no hits for {len(failed)} topics"
        raise InputError("hits in the answer of every topic", got, advice, failed)
    _warn_partial(answers)
    return hits_of


def _at(answer: object, path: Sequence[str]) -> object:
    """Return the value at a path of keys, or None."""
    for pos, name in enumerate(path):
        if name != ONLY:
            answer = get_in(answer, name)
        elif isinstance(answer, Mapping):
            values = [*answer.values()]
            if pos + 1 < len(path) and all(isinstance(value, Mapping) for value in values):
                values = [value for value in values if GENERATED.isdisjoint(value)]
            answer = values[0] if len(values) == 1 else None
        else:
            return None
    return answer


def get_in(holder: object, name: str) -> object:
    """Return a value by key, attribute or item, or None."""
    if isinstance(holder, Mapping):
        return holder.get(name)
    value = getattr(holder, name, None)
    if value is None and hasattr(holder, "__dict__") and hasattr(type(holder), "__getitem__"):
        with suppress(KeyError, IndexError, TypeError, AttributeError, ValueError):
            value = holder[name]  # type: ignore[index]
    return value


def first_in(holder: object, names: Iterable[str], kind: type | UnionType = object) -> Any:
    """Return the value of the first name that exists.

    Examples
    --------
    >>> first_in({"id": 3, "name": None}, ("name", "id"))
    3
    """
    for name in names:
        value = get_in(holder, name)
        if value is not None and isinstance(value, kind):
            return value
    return None


def _lists_of(answer: Mapping[Hashable, object]) -> list[Any]:
    """Return the keys of an answer with lists of dictionaries."""
    if len(answer) > KEYS or list not in {*map(type, answer.values())}:
        return []
    if not RUN.lacking(RUN.find(map(str, answer))):
        return []
    lists = ((name, value) for name, value in answer.items() if isinstance(value, list) and value)
    return [name for name, value in lists if all(isinstance(hit, Mapping) for hit in value)]


def _of_other_tools(answers: Mapping[Hashable, object]) -> dict[Hashable, object] | None:
    """Return the hits by topic in answers of unknown tools.

    The hits are the only list of dictionaries in an answer. An error is raised if answers contain
    several such lists, or if the hits have no id.
    """
    dictionaries = [answer for answer in answers.values() if isinstance(answer, Mapping)]
    names = [*dict.fromkeys(chain.from_iterable(map(_lists_of, dictionaries)))]
    values = chain.from_iterable(answer.values() for answer in dictionaries if len(answer) <= KEYS)
    by_system = all(isinstance(value, list | Mapping) for value in values)
    if not names or (by_system and (len(names) > 1 or names[0] not in BARE)):
        return None
    lists = {topic: get_in(answer, names[0]) for topic, answer in answers.items()}
    first = next(hits[0] for hits in lists.values() if hits and isinstance(hits, list))
    if len(names) == 1 and has_id(first):
        return lists
    got = f"hits in {' or '.join(map(repr, names))} with unknown fields"
    advice = f"name the key of hits and the field of ids: ir.as_runs(x, hits={names[0]!r}, id=...)"
    fields = [name for name, value in first.items() if isinstance(value, str | int)]
    raise InputError("answers of a known tool", got, advice, fields)


def _warn_partial(answers: Mapping[Hashable, object]) -> None:
    """Warn about answers that declare themselves incomplete."""
    topics: dict[str, list[str]] = {}
    for topic, answer in answers.items():
        for name in PARTIAL if isinstance(answer, Mapping) and len(answer) <= KEYS else ():
            fact = _at(answer, name.split("."))
            if any(fact.values()) if isinstance(fact, Mapping) else fact:
                topics.setdefault(name, []).append(repr(topic))
    if topics:
        facts = "; ".join(f"{fact} in {listing(labels)}" for fact, labels in topics.items())
        warn(f"answers state that they are incomplete: {facts}")


def hits_in(answer: object) -> Hits | None:
    """Return the hits in an answer, or None.

    A list is returned unchanged.
    """
    if isinstance(answer, list | tuple):
        return answer
    if isinstance(answer, dict) and answer.keys().isdisjoint(FIRST) and len(answer) > 1:
        # Most dictionaries are hits and not answers, and are rejected quickly here. A dictionary
        # without a known key can only be the answer of a pipeline, whose values are answers.
        if not all(isinstance(value, Mapping) for value in answer.values()):
            return None
    elif isinstance(answer, str | bytes | Number | pd.DataFrame | None):
        return None
    if isinstance(answer, Mapping) and (lists := _of_columns(answer)) is not None:
        return lists[0] if len(lists) == 1 else None
    of_paths = (_of_path(answer, path, tool) for path, tool in _PATHS)
    return next((h for h in chain([_of_vespa(answer)], of_paths) if h is not None), None)


def _of_path(answer: object, path: Sequence[str], tool: str) -> Hits | None:
    hits = _hits_at(answer, path)
    return hits if hits is None or tool not in FLAT else [_of_fields(h, FLAT[tool]) for h in hits]


def _of_fields(hit: object, key: str) -> object:
    """Move the user's fields of a hit to ``properties``."""
    if not isinstance(hit, Mapping) or "properties" in hit:
        return hit
    inner = hit.get(key) if key else {name: hit[name] for name in ("id", SCORE) if name in hit}
    if not isinstance(inner, Mapping) or not inner:
        return hit
    further = {n: v for n, v in hit.items() if n not in inner and v is not inner}
    return {**inner, "properties": further}


def _hits_at(answer: object, path: Sequence[str]) -> Hits | None:
    hits = _at(answer, path)
    if not isinstance(hits, list | tuple):
        return None
    # An object with a path of several known keys is an answer. A single key may also be the name of
    # a topic, so the first hit is checked.
    nested = len(path) > 1 and all(isinstance(hit, Mapping) for hit in hits)
    return hits if nested or not hits or is_hit(hits[0]) else None


def _refuse_one_answer(x: Mapping[Hashable, object]) -> None:
    """Raise for a single answer without its topic."""
    plain = any(isinstance(value, str | Number) for value in x.values())
    unknown = plain and bool(_lists_of(x))
    of_tool = any(_hits_at(x, path) is not None for path, _ in _PATHS if ONLY not in path)
    if _of_vespa(x) is not None or unknown or of_tool:
        advice = "name its topic: {'q1': answer}"
        raise InputError("answers by topic", "one answer without its topic", advice)


def _of_vespa(answer: object) -> list[dict[Hashable, object]] | None:
    """Return Vespa's hits; None for answers of other tools.

    The field ``source`` of a hit is removed, because it names a content cluster instead of a
    document. An answer of Vespa without hits has no key ``children``.
    """
    root = answer.get("root") if isinstance(answer, Mapping) else None
    if not isinstance(root, Mapping) or not isinstance(root.get("id"), str):
        return None
    hits = [*root.get("children", ())]
    if "relevance" not in root or not all(isinstance(hit, Mapping) for hit in hits):
        return None
    # a grouping query returns groups among the hits, and a group is not a document
    hits = [hit for hit in hits if not str(hit.get("id")).startswith(("group:", "grouplist:"))]
    return [{**hit, "source": None, SCORE: hit.get("relevance")} for hit in hits]


def _of_columns(answer: Mapping[Hashable, Any]) -> list[list[dict[str, object]]] | None:
    """Return the hits per search in an answer of Chroma."""
    ids = answer.get("ids")
    if not isinstance(ids, list) or not all(isinstance(hits, list) for hits in ids):
        return None
    columns = {field: answer[n] for n, field in COLUMNS.items() if answer.get(n) is not None}
    shape = [*map(len, ids)]
    lists = {n: answer[n] for n, field in COLUMNS.items() if field in columns}
    if uneven := [repr(name) for name, column in lists.items() if _shape(column) != shape]:
        expected = f"columns with as many hits per search as 'ids', which has {shape}"
        raise InputError(expected, "other numbers of hits in", "", uneven)
    return [
        [dict(zip(columns, hit, strict=True)) for hit in zip(*search, strict=True)]
        for search in zip(*columns.values(), strict=True)
    ]


def _shape(column: object) -> list[int] | None:
    """Return the length of each list; None for other objects."""
    of_lists = isinstance(column, list) and all(isinstance(hits, Sized) for hits in column)
    return [*map(len, column)] if of_lists else None  # type: ignore[call-overload]


def holds_hits(lists: object) -> bool:
    """Return whether an object maps topics to lists of hits.

    Examples
    --------
    >>> holds_hits({"q1": [{"corpus_id": 3, "score": 0.9}]}), holds_hits({"q1": ["d1"]})
    (True, False)
    """
    if not isinstance(lists, Mapping):
        return False
    of_lists = all(isinstance(hits, list | tuple) for hits in lists.values())
    return of_lists and is_hit(next((hits[0] for hits in lists.values() if hits), None))


def is_hit(hit: object) -> bool:
    """Return whether an object is a hit."""
    if isinstance(hit, tuple | list) and len(hit) == 2:
        if isinstance(hit[0], str | int | np.integer):
            # A list of two integers may contain two ids, so the second value counts as a score only
            # if it is a float.
            return isinstance(hit[1], Number if isinstance(hit, tuple) else float | np.floating)
        return isinstance(hit[1], Number) and is_hit(hit[0])
    if isinstance(hit, Mapping):
        return not NAMES.isdisjoint(hit) and bool(RUN.lacking(RUN.find(hit)))
    return any(hasattr(hit, name) for name in ATTRIBUTES)


def row_of_hit(hit: object, name: str | None) -> dict[str, Any]:
    """Convert a hit to a row of a run frame."""
    is_pair = isinstance(hit, tuple | list) and len(hit) == 2
    levels = [*_levels(hit[0] if is_pair else hit)]  # type: ignore[index]
    if name is None:
        _refuse_two_ids(levels[0].fields)
    fields: dict[str, Any] = {}
    # a field of the hit itself has precedence over a nested field of the same name
    for level in reversed(levels):
        fields |= {n: v for n, v in level.fields.items() if v is not None or n not in fields}
    row = {}
    for column, names in IDS.items():
        # a score in the payload comes from the user, and does not rank the hits
        usable = (level.fields for level in levels if column != SCORE or not level.is_payload)
        value = next((v for f in usable for n in names if (v := f.get(n)) is not None), None)
        if value is not None and (column not in {START, END} or isinstance(value, Number)):
            row[column] = value
    if name is not None:
        row = {column: value for column, value in row.items() if column not in {CHUNK, PARENT}}
        row |= {PARENT: fields[name]} if fields.get(name) is not None else {}
    elif not row.keys() & {CHUNK, PARENT} and isinstance(fields.get(DOCUMENT), str | int):
        row[PARENT] = fields[DOCUMENT]
    if is_pair:
        row[SCORE] = hit[1]  # type: ignore[index]
    text = first_in(fields, TEXTS, str)
    # splitters of LangChain and Haystack store only the start of a chunk
    if START in row and END not in row and text is not None:
        row[END] = row[START] + len(text)
    further = {n: value for n, value in fields.items() if n not in row and _is_kept(n, value)}
    return row | further | ({TEXT: text} if text else {})


def has_id(hit: object, name: str | None = None) -> bool:
    """Return whether an object is a hit with an id."""
    plain = isinstance(hit, str | int | float | None)
    return not plain and not {CHUNK, PARENT}.isdisjoint(row_of_hit(hit, name))


def _is_kept(name: object, value: object) -> bool:
    """Return whether a field becomes an additional column."""
    if not isinstance(name, str) or name in NAMES or name.startswith("_") or name == LISTED_SCORE:
        return False
    # as a column, a field with such a name would be read as a role, a repeat, a search or a system
    if words.roles([name]) or name in {*words.REPEAT_NAMES, *LIKE_SEARCHES} or like_systems(name):
        return False
    return isinstance(value, str | Number)


class Level(NamedTuple):
    """Fields of a hit or of a nested object."""

    fields: dict[str, Any]
    is_payload: bool
    """Whether the fields come from the user. A score in such fields does not rank the hit."""


def _levels(hit: object, *, is_payload: bool = False) -> Iterator[Level]:
    """Yield the fields of a hit and its inner objects."""
    if isinstance(hit, Mapping):
        fields = dict(hit)
    elif isinstance(hit, str | int | np.integer):
        fields = {"id": hit}
    else:
        fields = {name: getattr(hit, name, None) for name in NAMES}
    yield Level(fields, is_payload)
    for name in INSIDE:
        inner = fields.get(name)
        if name == "fields" and isinstance(inner, Mapping):  # Elasticsearch returns lists
            inner = {
                n: v[0] if isinstance(v, list) and len(v) == 1 else v for n, v in inner.items()
            }
        if inner is not None and not isinstance(inner, str | int | float):
            yield from _levels(inner, is_payload=is_payload or name in PAYLOAD)


def _refuse_two_ids(fields: Mapping[str, object]) -> None:
    """Raise if a hit has two different ids."""
    names = [name for name in IDS[CHUNK] if fields.get(name) is not None]
    if len({str(fields[name]) for name in names}) > 1:
        advice = f"name the field of the document: ir.as_runs(hits, id={names[0]!r})"
        got = "a hit with different ids in the fields"
        raise InputError("one id per hit", got, advice, map(repr, names))
