"""Searches of agents, as their traces have them: by topic, calls of tools, spans, lists of hits."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import pandas as pd

from irframe.errors import InputError
from irframe.files.retrieved import has_id, hits_in, holds_hits, is_hit, of_hits, part
from irframe.names import SEARCH

RESULTS = ("artifact", "result", "results", "output", "outputs")
"""Where calls of tools have what these gave, the surest first."""
TIMES = ("start_time", "start_time_unix_nano", "startTimeUnixNano", "startTime", "timestamp")
"""Where calls say when they began."""
WHOLE = ("gen_ai.retrieval.documents", "retrieval.documents")
NUMBERED = re.compile(r"retrieval\.documents\.(\d+)\.document\.(\w+)")
"""Attributes of spans: all documents, or one field of one of them."""
KINDS = {"openinference.span.kind": "RETRIEVER", "gen_ai.operation.name": "retrieval"}
"""Attributes of spans that are searches, though they found nothing."""


def holds_searches(x: Any) -> bool:
    """Tell whether these are lists of calls by topic, some of which found something.

    Examples
    --------
    >>> holds_searches({"q1": [["d1", "d2"], ["d3"]]}), holds_searches({"q1": ["d1", "d2"]})
    (True, False)
    """
    every = [*x.values()] if isinstance(x, Mapping) else []
    if not all(isinstance(calls, list | tuple) for calls in every):
        return False
    lists = (calls for calls in every if calls and not isinstance(calls[0], str))
    return any(map(_found, chain.from_iterable(lists)))


def reader_of(x: Any) -> Callable[..., pd.DataFrame] | None:
    """Return what reads lists of hits by topic, of one search or of several; None for no hits."""
    return of_searches if holds_searches(x) else of_hits if holds_hits(x) else None


def of_searches(
    x: Mapping[Any, Sequence[Any]], name: str | None = None, *, distances: bool | None = None
) -> pd.DataFrame:
    """Return a run frame of what calls found, which the column ``search`` numbers from 1.

    Parameters
    ----------
    x
        Topic -> calls, in their order or with the time when each began; those that did not search
        are passed over.
    name, distances
        As for `of_hits`.

    Examples
    --------
    >>> calls = [{"function": "search", "result": '[{"id": "d1"}]'}, {"result": "4"}, ["d2", "d1"]]
    >>> of_searches({"q1": calls})
      topic  search  rank doc
    0    q1       1     1  d1
    1    q1       2     1  d2
    2    q1       2     2  d1
    """
    found = {topic: _in_time(topic, calls) for topic, calls in x.items()}
    numbers = [n for each in found.values() for n, hits in enumerate(each, 1) for _ in hits]
    lists = {topic: [*chain(*each)] for topic, each in found.items()}
    frame = of_hits(lists, name, distances=distances, searches=numbers)
    frame.attrs[SEARCH] = SEARCH  # numbered here, and not by a column of the caller
    return frame


def _in_time(topic: Any, calls: Sequence[Any]) -> list[Sequence[Any]]:
    """Return what each call found that searched, in the order of their times if these are told."""
    searches = [(_time_of(call), hits) for call in calls if (hits := _found(call)) is not None]
    timeless = sum(time is None for time, _ in searches)
    if 0 < timeless < len(searches):
        wanted, found = "the time of every search, or of none", f"{timeless} without one, of"
        raise InputError(wanted, found, "", [repr(topic)])
    ordered = searches if timeless else sorted(searches, key=itemgetter(0))
    return [hits for _, hits in ordered]


def _time_of(call: Any) -> float | None:
    """Return when a call began, None where nothing says so."""
    told = next((time for n in TIMES if (time := part(call, n)) is not None), None)
    if told is None or isinstance(told, int | float):
        return told
    if str(told).isdigit():
        return int(told)
    time = pd.to_datetime(told, utc=True, errors="coerce")
    return None if pd.isna(time) else time.value


def _found(call: Any) -> Sequence[Any] | None:
    """Return the hits that a call found, None for what is no search."""
    if isinstance(call, list | tuple):
        named = not is_hit(call) and all(isinstance(hit, str) or has_id(hit) for hit in call)
        return call if named else None
    if isinstance(call, str | int | float | None):
        return None
    if (attributes := part(call, "attributes")) is not None:
        return _of_span(attributes)
    said = ("content",) if part(call, "tool_call_id") else ()
    given = (_given(part(call, name)) for name in (*RESULTS, *said))
    return next((hits for hits in given if hits is not None), hits_in(call))


def _given(value: Any) -> Sequence[Any] | None:
    """Return the hits that a tool gave, in text too, or in parts of text."""
    if isinstance(value, list) and value and all(part(each, "type") == "text" for each in value):
        value = "".join(str(part(each, "text")) for each in value)
    value = _parsed(value)
    if isinstance(value, Mapping):
        return _found(value)
    return value if isinstance(value, list) and all(map(has_id, value)) else None


def _parsed(value: Any) -> Any:
    """Return what text in JSON says; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _of_span(attributes: Any) -> list[Any] | None:
    """Return the documents among the attributes of a span."""
    if isinstance(attributes, list):  # as the protocol writes them
        values = ((each["key"], [*each["value"].values()]) for each in attributes)
        attributes = {key: value[0] for key, value in values if value}
    if not isinstance(attributes, Mapping):
        return None
    held = next((attributes[name] for name in WHOLE if name in attributes), None)
    held = part(attributes.get("retrieval"), "documents") if held is None else _parsed(held)
    if held is not None:
        return [_as_hit(hit) for hit in held]
    fields: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if match := NUMBERED.fullmatch(name):
            fields.setdefault(int(match[1]), {})[match[2]] = value
    searched = any(attributes.get(name) == kind for name, kind in KINDS.items())
    return [_as_hit(fields[number]) for number in sorted(fields)] if fields or searched else None


def _as_hit(held: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of a span as hits are."""
    inside = held.get("document", held)
    return {name.removeprefix("document."): _parsed(value) for name, value in inside.items()}
