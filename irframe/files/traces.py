"""Searches of agents, from tool calls, messages and spans."""

import json
import re
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Literal, NamedTuple

import pandas as pd

from irframe.checks import choice
from irframe.errors import InputError, shortened
from irframe.files.answers import get_in, hits_in
from irframe.files.retrieved import (
    Answers,
    RankedBy,
    has_id,
    holds_hits,
    is_hit,
    of_hits,
)
from irframe.names import SEARCH

OnError = Literal["raise", "empty"]
"""What becomes of a search whose result cannot be read."""
RESULTS = (
    *("artifact", "structuredContent", "structured_content", "result", "results"),
    *("output", "outputs", "response"),
)
RESULT_KEYS = frozenset(RESULTS)
"""Keys of the result of a call, the surest first."""
CALL_IDS = ("tool_call_id", "tool_use_id", "call_id")
BLOCKS, WRAPPED = (
    ("tool_calls", "content", "parts"),
    ("functionResponse", "function_response", "functionCall", "function_call"),
)
"""Keys of the calls and results in a message, and those of Gemini around each."""
ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function", "model"})
EVENTS = frozenset({"tool", "model"})
STEP_KEYS = frozenset({*CALL_IDS, "tool_calls", "jsonrpc", "role", "event", "attributes"})
"""Keys of messages, events and spans, of which they have one."""
TIMES = ("start_time", "start_time_unix_nano", "startTimeUnixNano", "startTime", "timestamp")
UNITS = (1e8, 1e11, 1e14, 1e17)
"""Times since 1970 from here on are seconds, milliseconds, microseconds and nanoseconds."""
SPAN_TOOLS = ("gen_ai.tool.name", "tool.name")
SPAN_RESULTS = ("gen_ai.tool.call.result", "output.value")
DOCUMENT_KEYS = ("gen_ai.retrieval.documents", "retrieval.documents")
NUMBERED = re.compile(r"retrieval\.documents\.(\d+)\.document\.(\w+)")
"""Attributes of spans: all documents, or one field of one of them."""
KIND, RETRIEVER = "openinference.span.kind", "a retriever"
SPAN_PARTS = ("gen_ai", "openinference", "retrieval")
"""How names of attributes of spans begin."""


class ToolCall(NamedTuple):
    """A tool call or search with its result."""

    tool: Any = None
    id: Any = None
    time: tuple[Any, Any] | None = None
    """The unit, and the number in it."""
    given: Any = None
    """The result as it stands."""
    hits: Sequence[Any] | None = None
    """The hits in it; None if it cannot be read as such."""
    span: Any = None
    parent: Any = None


def holds_searches(x: Any) -> bool:
    """Tell whether topics map to calls or steps of agents.

    Examples
    --------
    >>> holds_searches({"q1": [["d1", "d2"], ["d3"]]}), holds_searches({"q1": ["d1", "d2"]})
    (True, False)
    """
    every = [*x.values()] if isinstance(x, Mapping) else []
    if not all(isinstance(calls, list | tuple) for calls in every):
        return False
    lists = (calls for calls in every if calls and not isinstance(calls[0], str))
    return any(_is_step(entry) or _found(entry) for entry in chain.from_iterable(lists))


def reader_of(x: Any, on_error: OnError = "raise") -> Callable[..., pd.DataFrame] | None:
    """Return the reader of hits or searches, else None."""
    if isinstance(x, Answers):
        return of_hits if any(x.values()) else None
    if holds_searches(x):
        return partial(of_searches, on_error=on_error)
    return of_hits if on_error == "raise" and holds_hits(x) else None


def of_searches(
    x: Mapping[Any, Sequence[Any]],
    name: str | None = None,
    *,
    ranked_by: RankedBy = None,
    on_error: OnError = "raise",
) -> pd.DataFrame:
    """Return a run frame of searches, numbered from 1.

    A tool searches if a result of it holds hits. Calls of other tools are passed over.

    Parameters
    ----------
    x
        Topic -> calls, in their order or with the time when each began.
    name, ranked_by
        As for `of_hits`.
    on_error
        Whether a search whose result cannot be read raises, or is kept as one without hits.

    Raises
    ------
    InputError
        If no result holds hits, some cannot be read, or the order of calls is not known.

    Examples
    --------
    >>> calls = [{"function": "search", "result": '[{"id": "d1"}]'}, {"result": "4"}, ["d2", "d1"]]
    >>> of_searches({"q1": calls})
      topic  search  rank doc
    0    q1       1     1  d1
    1    q1       2     1  d2
    2    q1       2     2  d1
    """
    choice("on_error", on_error, ("raise", "empty"))
    calls = {topic: _calls(topic, entries, name) for topic, entries in x.items()}
    every = [*chain(*calls.values())]
    if not any(call.hits for call in every):
        expected, advice = "results of tools that hold documents", "name their field by id="
        raise InputError(expected, "none in the calls and messages of", advice, map(repr, x))
    tools = {call.tool for call in every if call.hits and _is_named(call)} | {RETRIEVER}
    found = {
        topic: [call for call in own if call.hits is not None or _searches(call, tools)]
        for topic, own in calls.items()
    }
    lost = [
        f"{topic!r} call {n if call.id is None else repr(call.id)} {shortened(call.given)}"
        for topic, own in found.items()
        for n, call in enumerate(own, 1)
        if call.hits is None
    ]
    if lost and on_error == "raise":
        advice = "mend them, or keep them as searches without hits: ir.as_runs(x, on_error='empty')"
        expected = "results of searches that hold documents"
        raise InputError(expected, f"{len(lost)} that cannot be read", advice, lost)
    ordered = {topic: _in_time(topic, own) for topic, own in found.items()}
    numbers = [n for own in ordered.values() for n, hits in enumerate(own, 1) for _ in hits]
    bare = all(isinstance(call, list | tuple) for call in chain(*x.values()))
    lists = (dict if bare else Answers)((topic, [*chain(*own)]) for topic, own in ordered.items())
    frame = of_hits(lists, name, ranked_by=ranked_by, searches=numbers)
    frame.attrs[SEARCH] = SEARCH  # numbered here, and not by a column of the caller
    return frame


def _is_named(call: ToolCall) -> bool:
    return call.tool is not None or call.id is not None


def _searches(call: ToolCall, tools: set[Any]) -> bool:
    """Tell whether an unreadable call is a search."""
    if _is_named(call):
        return call.given is not None and call.tool in tools
    return _is_json(call.given) and _parsed(call.given) is call.given


def _calls(topic: Any, entries: Sequence[Any], field: str | None) -> list[ToolCall]:
    """Return the calls of a topic, each once."""
    blocks = [(block, _time_of(entry)) for entry in entries for block in _steps_in(entry)]
    tools = {key: tool for block, _ in blocks for key, tool in [_announced(block)] if key and tool}
    calls = [_call(block, time, tools, field) for block, time in blocks]
    bare = (isinstance(entry, str) or (is_hit(entry) and not _is_step(entry)) for entry in entries)
    if entries and all(bare):
        expected, advice = "a list of calls for every topic", "put it into a list: [hits]"
        raise InputError(expected, "hits of one search for", advice, [repr(topic)])
    parents = {call.span: call.parent for call in calls if call.span is not None}
    read = {call.span for call in calls if call.hits}
    kept: dict[Any, ToolCall] = {}
    for n, call in enumerate(calls):
        if call.hits is not None and not read.isdisjoint(_above(call.parent, parents)):
            continue  # the call around it gave its result
        key = (n,) if call.id is None else call.id
        before = kept.setdefault(key, call)
        if before.hits is None and call.given is not None:
            kept[key] = call
        elif call.hits is not None and repr(call.hits) != repr(before.hits):
            expected, advice = "one result for each call id", "give each call an id of its own"
            raise InputError(expected, "several for", advice, [f"{call.id!r} of {topic!r}"])
    return [*kept.values()]


def _above(span: Any, parents: Mapping[Any, Any]) -> Iterator[Any]:
    """Yield the spans around one, from the inside out."""
    seen = set()
    while span is not None and span not in seen:
        seen.add(span)
        yield span
        span = parents.get(span)


def _steps_in(entry: Any) -> list[Any]:
    """Return the calls and results in a message.

    An entry of another kind is returned as the only one.
    """
    found = []
    for name in BLOCKS:
        blocks = get_in(entry, name)
        for block in blocks if isinstance(blocks, list) else ():
            wrapped = next((w for n in WRAPPED if (w := get_in(block, n)) is not None), None)
            calls = name == "tool_calls" or str(get_in(block, "type")).endswith("tool_use")
            if wrapped is not None or calls or _id_of(block) is not None:
                found.append(block if wrapped is None else wrapped)
    return found or [entry]


def _tool_of(call: Any) -> Any:
    """Return the name of the tool of a call."""
    function = get_in(call, "function")
    if function is not None and not isinstance(function, str):
        return _as_name(get_in(function, "name"))
    names = (function, get_in(call, "tool_name"), get_in(call, "name"))
    return next((name for name in map(_as_name, names) if name), None)


def _as_name(value: Any) -> Any:
    """Return a possible name or id, else None."""
    return value if isinstance(value, str | int) else None


def _id_of(call: Any) -> Any:
    """Return the id of a call."""
    call_id = next((key for n in CALL_IDS if (key := _as_name(get_in(call, n))) is not None), None)
    has_plain_id = get_in(call, "jsonrpc") is not None or get_in(call, "event") == "tool"
    return _as_name(get_in(call, "id")) if call_id is None and has_plain_id else call_id


def _announced(call: Any) -> tuple[Any, Any]:
    """Return the id and tool of a requested call."""
    params = get_in(call, "params")
    key = _id_of(call)
    tool = _tool_of(call if params is None else params) or _as_name(get_in(call, "method"))
    return (_as_name(get_in(call, "id")) if key is None else key), tool


def _call(block: Any, time: Any, tools: Mapping[Any, Any], field: str | None) -> ToolCall:
    """Return a call, with its tool by announced id."""
    if isinstance(block, list | tuple | str | int | float | None):
        return ToolCall(time=time, hits=_found(block, field))
    if flat := _dotted(get_in(block, "attributes")):
        return _of_span(block, flat, time, field)
    key, tool = _announced(block)
    key = key if _id_of(block) is not None or key in tools else None
    tool = tools.get(key, tool)
    text = ("content",) if key is not None or get_in(block, "role") in {"tool", "function"} else ()
    results = [v for n in (*RESULTS, *text, "error") if (v := get_in(block, n)) is not None]
    hits = _first_hits(results, block, field)
    return ToolCall(tool, key, time, results[0] if results else None, hits, *_span_ids(block))


def _span_ids(call: Any) -> list[Any]:
    """Return the ids of a span and of its parent."""
    context = get_in(call, "context") or call
    sides = (context, ("span_id", "spanId")), (call, ("parent_id", "parentSpanId"))
    return [
        next((k for n in names if (k := _as_name(get_in(holder, n))) is not None), None)
        for holder, names in sides
    ]


def _first_hits(values: Sequence[Any], call: Any, field: str | None) -> Sequence[Any] | None:
    """Return the hits of the first result that holds some."""
    given = (_given(value, field) for value in values)
    return next((hits for hits in given if hits is not None), hits_in(call))


def _is_step(entry: Any) -> bool:
    """Tell whether this is a message, event or span."""
    if isinstance(entry, Mapping) and STEP_KEYS.isdisjoint(entry):
        return False
    if (
        isinstance(entry, list | tuple | str | int | float | None)
        or get_in(entry, "score") is not None
    ):
        return False
    marked = any(get_in(entry, n) is not None for n in (*CALL_IDS, "tool_calls", "jsonrpc"))
    has_role = str(get_in(entry, "role")) in ROLES or str(get_in(entry, "event")) in EVENTS
    return marked or has_role or bool(_dotted(get_in(entry, "attributes")))


def _in_time(topic: Any, calls: Sequence[ToolCall]) -> list[Sequence[Any]]:
    """Return the hits of calls, sorted by time if known."""
    units = {None if call.time is None else call.time[0] for call in calls}
    if len(units) > 1:
        timeless = sum(call.time is None for call in calls)
        expected = "the time of every search, or of none" if timeless else "times in one unit"
        found = f"{timeless} without one, of" if timeless else "several, of"
        raise InputError(expected, found, "", [repr(topic)])
    ordered = calls if None in units else sorted(calls, key=lambda call: call.time or ())
    return [call.hits or () for call in ordered]


def _time_of(call: Any) -> tuple[Any, Any] | None:
    """Return a call's start time with its unit, if known."""
    value = next((time for n in TIMES if (time := get_in(call, n)) is not None), None)
    if value is None:
        return None
    if isinstance(value, int | float) or str(value).isdigit():
        number = value if isinstance(value, float) else int(value)
        return bisect(UNITS, number), number
    time = pd.to_datetime(str(value), errors="coerce")
    return None if pd.isna(time) else (time.tzinfo is None, time.value)


def _found(call: Any, field: str | None = None) -> Sequence[Any] | None:
    """Return the hits in a list, answer or result."""
    if isinstance(call, list | tuple):
        named = not is_hit(call) and all(isinstance(hit, str) or has_id(hit, field) for hit in call)
        return call if named else None
    if isinstance(call, str | int | float | None):
        return None
    if isinstance(call, dict) and RESULT_KEYS.isdisjoint(call):
        return hits_in(call)
    return _first_hits([get_in(call, name) for name in RESULTS], call, field)


def _given(value: Any, field: str | None) -> Sequence[Any] | None:
    """Return the hits a tool returned, also as text."""
    if isinstance(value, list) and value and all(get_in(each, "type") == "text" for each in value):
        texts = [str(get_in(each, "text")) for each in value]
        value = _parsed("".join(texts))
        value = [*map(_parsed, texts)] if isinstance(value, str) else value
    value = _parsed(value)
    if isinstance(value, Mapping):
        results = [value[name] for name in (*RESULTS, "content") if name in value]
        return _first_hits(results, value, field)
    named = isinstance(value, list) and all(has_id(hit, field) for hit in value)
    return value if named else None


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(("[", "{"))


def _parsed(value: Any) -> Any:
    """Parse text in JSON; return anything else unchanged."""
    try:
        return json.loads(value) if _is_json(value) else value
    except (ValueError, RecursionError):
        return value


def _dotted(attributes: Any, before: str = "") -> dict[str, Any]:
    """Return the attributes of a span under dotted names."""
    if isinstance(attributes, list):  # as the protocol writes them
        pairs = [(get_in(each, "key"), get_in(each, "value")) for each in attributes]
        attributes = {n: next(iter(v.values()), None) for n, v in pairs if isinstance(v, Mapping)}
    flat: dict[str, Any] = {}
    for name, value in attributes.items() if isinstance(attributes, Mapping) else ():
        dotted = f"{before}{name}"
        nested = isinstance(value, Mapping) and dotted not in SPAN_RESULTS
        flat |= _dotted(value, f"{dotted}.") if nested else {dotted: value}
    return flat if before or any(name.split(".")[0] in SPAN_PARTS for name in flat) else {}


def _of_span(span: Any, flat: Mapping[str, Any], time: Any, field: str | None) -> ToolCall:
    """Return the call that a span records."""
    retrieves = flat.get(KIND) == "RETRIEVER" or flat.get("gen_ai.operation.name") == "retrieval"
    output = SPAN_RESULTS if retrieves or flat.get(KIND) == "TOOL" else SPAN_RESULTS[:1]
    fields: dict[int, dict[str, Any]] = {}
    for name, value in flat.items():
        if match := NUMBERED.fullmatch(name):
            fields.setdefault(int(match[1]), {})[match[2]] = value
    given: Any = [fields[n] for n in sorted(fields)]
    given = given or next((flat[n] for n in DOCUMENT_KEYS if n in flat), None)
    documents = _parsed(given)
    hits: Sequence[Any] | None = None
    if documents is None:
        given = next((flat[n] for n in output if n in flat), None)
        hits = [] if retrieves and given is None else _given(given, field)
    elif isinstance(documents, list) and all(
        isinstance(document, Mapping) for document in documents
    ):
        hits = [*map(_as_hit, documents)]
    tool = (
        RETRIEVER if retrieves else next((_as_name(flat[n]) for n in SPAN_TOOLS if n in flat), None)
    )
    return ToolCall(
        tool, _as_name(flat.get("gen_ai.tool.call.id")), time, given, hits, *_span_ids(span)
    )


def _as_hit(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of a span as hits are."""
    inner = document.get("document")
    inside = inner if isinstance(inner, Mapping) else document
    return {name.removeprefix("document."): _parsed(value) for name, value in inside.items()}
