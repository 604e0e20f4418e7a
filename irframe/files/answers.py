"""Hits in the answers of search engines and vector stores."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import chain
from numbers import Number
from typing import Any

import pandas as pd

from irframe.errors import InputError, ParameterError, in_group, listing, shortened, warn
from irframe.files.kinds import RUN
from irframe.files.retrieved import Answers, has_id, holds_hits, is_hit
from irframe.names import SCORE

ONLY = "*"
"""The one key of a dictionary, whatever it is."""
GENERATED = frozenset({"replies", "answers", "prompt"})
"""What parts of a pipeline hold that found nothing, beside the one that did."""
ANSWERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "Elasticsearch, OpenSearch": (("hits", "hits"),),
    "Solr": (("response", "docs"),),
    "Pinecone": (("matches",), ("result", "hits")),
    "Qdrant": (("points",), ("result", "points"), ("result",)),
    "Weaviate": (("objects",), ("data", "Get", ONLY)),
    "Haystack": (("documents",), (ONLY, "documents")),
    "LangChain": (("context",), ("source_documents",)),
    "LlamaIndex": (("source_nodes",),),
}
"""Tool -> where it puts the hits of a search in what it answers."""
FIRST = frozenset({"ids", "root", *(path[0] for paths in ANSWERS.values() for path in paths)})
"""Names of which an answer has one, unless all that it has are parts of a pipeline."""
COLUMNS = {"ids": "id", "distances": "distance", "documents": "text", "metadatas": "metadata"}
"""What Chroma answers, a list for each search -> a hit's word for it."""
BATCH = "responses"
"""Where Elasticsearch puts the answers to several searches."""
PARTIAL = (
    *(("timed_out",), ("terminated_early",), ("_shards", "failed"), ("search_cutoff",)),
    *(("responseHeader", "partialResults"), ("root", "coverage", "degraded"), ("root", "errors")),
    *(("errors",), ("error",)),
)
"""Where answers say that something is missing: what they have there is true, not empty, not 0."""
BARE = frozenset({"hits", "results", "search_results", "value", "data", "resourceSpans"})
"""Keys that may stand alone in an answer of a tool that is not known, and are no topics."""
KEYS = 64
"""The most keys that such an answer has; dictionaries of scores have more, or numbers alone."""


def unpacked(x: Any, hits: str | None = None, topics: Iterable[Any] | None = None) -> Any:
    """Return the lists of hits in answers, ``{topic: hits}``.

    Anything else is returned unchanged.

    Parameters
    ----------
    x
        Answers by topic, or these by system; or a list of answers, if topics are given.
    hits
        Where the hits are in each answer, keys with dots between them.
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
        raise ParameterError("answers by topic, for hits=", f"none that has {hits!r}")
    return {**x, **of_systems} if of_systems else x


def _as_dictionary(x: Any) -> Any:
    """Return the dictionary in a client's object.

    Anything else is returned unchanged.
    """
    kind = type(x)
    plain = isinstance(x, Mapping | list | tuple | str | Number | pd.Series | pd.Index | None)
    if plain or hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "dims"):
        return x
    body = getattr(x, "body", None)
    if not isinstance(body, Mapping | list) and callable(getattr(kind, "to_dict", None)):
        body = x.to_dict()
    return body if isinstance(body, Mapping | list) else x


def _by_topic(x: Any, topics: list[Any]) -> dict[Any, Any]:
    """Return a list of answers by topic."""
    if not isinstance(x, list | tuple):
        expected = "a list of answers for topics=, or a matrix with both its topics= and its docs="
        raise InputError(expected, f"a {type(x).__name__}")
    if len(x) != len(topics):
        raise InputError("a topic for each answer", f"{len(topics)} for {len(x)}")
    return dict(zip(topics, x, strict=True))


def _refuse_positions(x: Sequence[Any]) -> None:
    """Raise if a list holds answers without their topics."""
    names = x[0] if isinstance(x[0], Mapping) else getattr(x[0], "_fields", ())
    if not RUN.lacking(RUN.find(map(str, names))):
        return  # rows
    answers = [*map(_as_dictionary, x)]
    known = any(hits_in(answer) is not None and hits_in(answer) is not answer for answer in answers)
    others = (answer for answer in answers if isinstance(answer, Mapping))
    if known or any(map(_lists_of, others)) or holds_hits(dict(enumerate(x))):
        found = f"a list of {len(x)}, whose positions are no topics"
        advice = "name their topics in order: ir.as_runs(answers, topics=[...])"
        raise InputError("answers or lists of hits by topic", found, advice)


def _hits_by_topic(answers: Mapping[Any, Any], path: str | None) -> Answers | None:
    """Return the hits per topic, or None without any answer."""
    answers = {topic: _as_dictionary(answer) for topic, answer in answers.items()}
    lists: dict[Any, Any] | None
    if path is not None:
        lists = {topic: _at(answer, path.split(".")) for topic, answer in answers.items()}
    else:
        lists = {topic: hits_in(answer) for topic, answer in answers.items()}
        if all(hits is None or hits is answers[topic] for topic, hits in lists.items()):
            lists = _of_other_tools(answers)
    if lists is None or not any(isinstance(hits, list | tuple) for hits in lists.values()):
        return None
    if failed := [repr(t) for t, hits in lists.items() if not isinstance(hits, list | tuple)]:
        advice = "search again for these, or leave them out: they count as empty lists then"
        found = f"{len(failed)} without hits, of"
        raise InputError("the answers of searches", found, advice, failed)
    _warn_partial(answers)
    return Answers(lists)


def _at(answer: Any, path: Sequence[str]) -> Any:
    """Return the value under nested keys, None if absent."""
    for name, inside in zip(path, [*path[1:], ""], strict=True):
        answer = get_in(answer, name, inside)
    return answer


def _lists_of(answer: Mapping[Any, Any]) -> list[Any]:
    """Return the keys whose values are lists of dictionaries."""
    if len(answer) > KEYS or list not in {*map(type, answer.values())}:
        return []
    if not RUN.lacking(RUN.find(map(str, answer))):
        return []
    lists = ((name, value) for name, value in answer.items() if isinstance(value, list) and value)
    return [name for name, value in lists if all(isinstance(hit, Mapping) for hit in value)]


def _of_other_tools(answers: Mapping[Any, Any]) -> dict[Any, Any] | None:
    """Return the hits of an unknown tool's answers.

    Such an answer has exactly one list of dictionaries.

    Raises
    ------
    InputError
        If there are several lists, or hits without ids.
    """
    others = {t: answer for t, answer in answers.items() if isinstance(answer, Mapping)}
    names = [*dict.fromkeys(chain.from_iterable(map(_lists_of, others.values())))]
    values = [*chain.from_iterable(a.values() for a in others.values() if len(a) <= KEYS)]
    by_system = all(isinstance(value, list | Mapping) for value in values)
    if not names or (by_system and (len(names) > 1 or names[0] not in BARE)):
        return None
    lists = {topic: get_in(answer, names[0]) for topic, answer in answers.items()}
    first = next(hits[0] for hits in lists.values() if hits and isinstance(hits, list))
    if len(names) == 1 and has_id(first):
        return lists
    found = f"an unknown one, whose hits may be in {', '.join(map(repr, names))}"
    advice = f"say where: ir.as_runs(answers, hits={names[0]!r}, id=...)"
    fields = [name for name, value in first.items() if isinstance(value, str | int)]
    raise InputError("answers of a known tool", f"{found}, with the fields", advice, fields)


def _warn_partial(answers: Mapping[Any, Any]) -> None:
    """Warn of answers that say themselves that something is missing."""
    topics: dict[str, list[str]] = {}
    for topic, answer in answers.items():
        for path in PARTIAL if isinstance(answer, Mapping) and len(answer) <= KEYS else ():
            fact = _at(answer, path)
            if any(fact.values()) if isinstance(fact, Mapping) else fact:
                topics.setdefault(".".join(path), []).append(repr(topic))
    if topics:
        facts = "; ".join(f"{fact} in {listing(own)}" for fact, own in topics.items())
        warn(f"answers say that they are incomplete: {facts}")


def hits_in(answer: Any) -> Sequence[Any] | None:
    """Return the hits of one search.

    Return None if `answer` is not an answer of a search.

    A list is returned unchanged.
    """
    if isinstance(answer, list | tuple):
        return answer
    # The first is asked first, as it is true of most hits, of which there are many.
    if _is_none(answer) or isinstance(answer, str | bytes | Number | pd.DataFrame | None):
        return None
    if isinstance(answer, Mapping) and (lists := _of_columns(answer)) is not None:
        return lists[0] if len(lists) == 1 else None
    if (of_vespa := _of_vespa(answer)) is not None:
        return of_vespa
    for tool, paths in ANSWERS.items():
        for path in paths:
            if (hits := _hits_at(answer, path)) is not None:
                return [_of_fields(hit, tool) for hit in hits] if tool in FLAT else hits
    return None


FLAT = {"Solr": "", "Weaviate": "_additional"}
"""Tools whose hits have the fields of users beside their own -> where their own fields are."""


def _of_fields(hit: Any, tool: str) -> Any:
    """Return a hit with the user's fields one level below."""
    if not isinstance(hit, Mapping) or "properties" in hit:
        return hit
    own = hit.get(FLAT[tool]) if FLAT[tool] else {n: hit[n] for n in ("id", SCORE) if n in hit}
    if not isinstance(own, Mapping) or not own:
        return hit
    return {**own, "properties": {n: v for n, v in hit.items() if n not in own and v is not own}}


def _is_none(answer: Any) -> bool:
    """Tell whether a dictionary has no field of an answer.

    A pipeline's answer holds nothing but the answers of its components.
    """
    other = isinstance(answer, dict) and answer.keys().isdisjoint(FIRST) and len(answer) > 1
    return other and not all(isinstance(value, Mapping) for value in answer.values())


def _hits_at(answer: Any, path: Sequence[str]) -> Sequence[Any] | None:
    found = _at(answer, path)
    if not isinstance(found, list | tuple):
        return None
    sure = len(path) > 1 and all(isinstance(hit, Mapping) for hit in found)
    return found if sure or not found or is_hit(found[0]) else None


def _refuse_one_answer(x: Mapping[Any, Any]) -> None:
    """Raise for a single answer that names no topic."""
    paths = (path for path in chain(*ANSWERS.values()) if ONLY not in path)
    plain = any(isinstance(value, str | Number) for value in x.values())
    unknown = plain and bool(_lists_of(x))
    if _of_vespa(x) is not None or unknown or any(_hits_at(x, p) is not None for p in paths):
        found, advice = "one answer without its topic", "name it: {'q1': answer}"
        raise InputError("the answers of searches by topic", found, advice)


def get_in(holder: Any, name: str, inside: str = "") -> Any:
    """Return the value under a name.

    For `ONLY`, return the only value that was not generated.
    """
    if not isinstance(holder, Mapping):
        found = getattr(holder, name, None)
        if found is None and hasattr(type(holder), "__getitem__") and hasattr(holder, "__dict__"):
            try:
                found = holder[name]
            except (KeyError, IndexError, TypeError, AttributeError, ValueError):
                found = None
        return found
    if name != ONLY:
        return holder.get(name)
    parts = [*holder.values()]
    if inside and all(isinstance(value, Mapping) for value in parts):
        parts = [value for value in parts if GENERATED.isdisjoint(value)]
    return parts[0] if len(parts) == 1 else None


def _of_vespa(answer: Any) -> list[Any] | None:
    """Return the hits of an answer of Vespa.

    Its ``source`` is no document. An answer without hits has no list.
    """
    root = answer.get("root") if isinstance(answer, Mapping) else None
    if not isinstance(root, Mapping) or not isinstance(root.get("id"), str):
        return None
    hits = [*root.get("children", ())]
    if "relevance" not in root or not all(isinstance(hit, Mapping) for hit in hits):
        return None
    found = [hit for hit in hits if not str(hit.get("id")).startswith(("group:", "grouplist:"))]
    return [{**hit, "source": None, SCORE: hit.get("relevance")} for hit in found]


def _of_columns(answer: Mapping[Any, Any]) -> list[list[dict[str, Any]]] | None:
    """Return the hits per search of an answer in columns."""
    ids = answer.get("ids")
    if not isinstance(ids, list) or not all(isinstance(each, list) for each in ids):
        return None
    columns = {word: answer[name] for name, word in COLUMNS.items() if answer.get(name) is not None}
    shape = [*map(len, ids)]
    if uneven := [
        repr(n) for n, w in COLUMNS.items() if w in columns and _shape(columns[w]) != shape
    ]:
        expected = f"columns of the same searches and hits as 'ids', which has {shape}"
        raise InputError(expected, "columns of more or fewer", "", uneven)
    searches = zip(*columns.values(), strict=True)
    return [
        [dict(zip(columns, hit, strict=True)) for hit in zip(*each, strict=True)]
        for each in searches
    ]


def _shape(column: Any) -> list[int] | None:
    """Return the number of hits per search, or None."""
    of_lists = isinstance(column, list) and all(isinstance(hits, Sized) for hits in column)
    return [*map(len, column)] if of_lists else None
