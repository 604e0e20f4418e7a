"""Run frames from hits, and from the searches of agents.

The tuples of names in this module are fields that various tools use, with the preferred name first.
"""

import json
import re
from bisect import bisect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe.checks import choice
from irframe.errors import InputError, RankingError, shortened
from irframe.files import answers
from irframe.files.answers import Answers, Hits, first_in, get_in, has_id, hits_in, is_hit
from irframe.frames.values import framed, numbers
from irframe.names import DOC, END, LISTED_SCORE, RANK, SCORE, SEARCH, START, TOPIC

OnError = Literal["raise", "empty"]
"""What to do with a search whose result cannot be read."""
RESULTS = (
    *("artifact", "structuredContent", "structured_content", "result", "results"),
    *("output", "outputs", "response"),
)
"""Keys under which tools store the result of a call."""
CALL_IDS = ("tool_call_id", "tool_use_id", "call_id")
BLOCKS = ("tool_calls", "content", "parts")
"""Keys of a message that contain calls and results."""
WRAPPED = ("functionResponse", "function_response", "functionCall", "function_call")
"""Keys in which Gemini wraps a call or a result."""
ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function", "model"})
EVENTS = frozenset({"tool", "model"})
STEP_KEYS = frozenset({*CALL_IDS, "tool_calls", "jsonrpc", "role", "event", "attributes"})
"""Keys of messages, events and spans. Each of these objects has at least one of the keys."""
TIMES = ("start_time", "start_time_unix_nano", "startTimeUnixNano", "startTime", "timestamp")
UNITS = {"seconds": 1e8, "milliseconds": 1e11, "microseconds": 1e14, "nanoseconds": 1e17}
"""Mapping from each unit to the smallest number that is read as a time since 1970 in this unit.

The unit of smaller numbers is unknown."""
SPAN_IDS = ("span_id", "spanId")
PARENT_IDS = ("parent_id", "parentSpanId")
SPAN_TOOLS = ("gen_ai.tool.name", "tool.name")
SPAN_RESULTS = ("gen_ai.tool.call.result", "output.value")
DOCUMENT_KEYS = ("gen_ai.retrieval.documents", "retrieval.documents")
"""Names of the attributes of a span that contain the list of all documents."""
NUMBERED = re.compile(r"retrieval\.documents\.(\d+)\.document\.(\w+)")
"""Pattern of the names of attributes that contain one field of one document of a span."""
KIND = "openinference.span.kind"
RETRIEVER = "a retriever"
SPAN_PARTS = ("gen_ai", "openinference", "retrieval")
"""First parts of the dotted attribute names of spans, as in ``retrieval.documents``."""
NAME = str | int
"""The types that ids of calls and names of tools may have."""
PLAIN = (list, tuple, str, int, float, type(None))
"""Types of values that cannot be messages, events or spans."""
Time = tuple[str, Any]
"""A tuple of the name of a unit, and a time as a number or as a `pandas.Timestamp`.

Only times of the same unit can be compared."""


class ToolCall(NamedTuple):
    """A tool call with its result and hits."""

    tool: NAME | None = None
    id: NAME | None = None
    time: Time | None = None
    result: object = None
    hits: Hits | None = None
    """The hits in the result, or None if the result contains no list of hits."""
    span: NAME | None = None
    parent: NAME | None = None

    @property
    def is_named(self) -> bool:
        """Whether the call has a tool or an id."""
        return self.tool is not None or self.id is not None


def of_hits(
    lists: Mapping[Hashable, Hits],
    name: str | None = None,
    *,
    ranked_by: answers.RankedBy = None,
    searches: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Convert hits to a run frame, ranked by their order.

    Parameters
    ----------
    lists
        Hits by topic.
    name
        The field of the document id. The default is the first name in `IDS` that a hit has.
    ranked_by
        With ``"score"``, the frame has scores instead of ranks. Otherwise the frame has ranks, and
        scores are in ``listed_score``.
    searches
        The number of the search that returned each hit, if an agent searched.

    Examples
    --------
    >>> hit = {"page_content": "some text", "metadata": {"source": "a.md", "start_index": 40}}
    >>> of_hits({"q1": [(hit, 0.9)]})
      topic  rank   doc  start  end  listed_score       text
    0    q1     1  a.md     40   49           0.9  some text
    """
    rows = [
        {TOPIC: topic, RANK: rank} | answers.row_of_hit(hit, name)
        for topic, hits in lists.items()
        for rank, hit in enumerate(hits, start=1)
    ]
    frame = framed(rows)
    if searches is not None:
        frame = frame.assign(**{SEARCH: searches})
        frame[RANK] = frame.groupby([TOPIC, SEARCH]).cumcount() + 1
    _refuse_other_ranks(frame, chain(*lists.values()))
    first = [TOPIC, SEARCH, RANK, answers.CHUNK, answers.PARENT, START, END, SCORE]
    frame = frame[sorted(frame, key=lambda n: first.index(n) if n in first else len(first))]
    ids = [column for column in (answers.CHUNK, answers.PARENT) if column in frame]
    without = frame.loc[frame[ids].isna().all(axis=1), TOPIC]
    if len(without):
        advice = (
            "give each hit an id: 'id', 'doc_id', or 'source' in its metadata; or name the "
            "field with the id: ir.as_runs(hits, id='...')"
        )
        raise InputError("hits with an id", "hits without an id for", advice, without.unique())
    partial = [column for column in (START, END) if column in frame and frame[column].isna().any()]
    if SCORE in frame and frame[SCORE].isna().all():
        partial.append(SCORE)
    frame = frame.drop(columns=partial).rename(columns={ids[0]: DOC} if len(ids) == 1 else {})
    if ranked_by == "score":
        if SCORE not in frame:
            raise InputError("hits with scores, for ranked_by='score'", "none")
        return frame.drop(columns=RANK)
    # `_rise_and_fall` also raises for scores that are not numbers, so it is called even if
    # `ranked_by` decides the order.
    both_ways = SCORE in frame and _rise_and_fall(frame)
    if both_ways and ranked_by is None and not isinstance(lists, Answers):
        expected = "lists of hits whose scores only fall or only rise"
        advice = "choose the order: ir.as_runs(hits, ranked_by='list'), or ranked_by='score'"
        raise RankingError(expected, "scores that rise and fall", advice)
    return frame.rename(columns={SCORE: LISTED_SCORE})


def _refuse_other_ranks(frame: pd.DataFrame, hits: Iterable[object]) -> None:
    """Raise if the ranks in hits contradict their order."""
    ranks = [hit.get(RANK) if isinstance(hit, Mapping) else None for hit in hits]
    numeric = [rank if isinstance(rank, int | float) else None for rank in ranks]
    lists = [frame[column].to_numpy() for column in (TOPIC, SEARCH) if column in frame]
    falls = (pd.Series(numeric, dtype=float).groupby(lists).diff() < 0).to_numpy()
    if falls.any():
        advice = "sort the hits by rank, or leave their ranks out"
        topics = frame[TOPIC][falls].unique()
        raise RankingError("hits in the order of their ranks", "ranks that fall in", advice, topics)


def _rise_and_fall(frame: pd.DataFrame) -> bool:
    """Return whether scores both rise and fall within lists."""
    step = np.diff(numbers(frame[SCORE]))[frame[RANK].to_numpy()[1:] > 1]
    return bool((step > 0).any() and (step < 0).any())


def holds_searches(x: object) -> bool:
    """Return whether an object maps topics to calls of agents.

    Examples
    --------
    >>> holds_searches({"q1": [["d1", "d2"], ["d3"]]}), holds_searches({"q1": ["d1", "d2"]})
    (True, False)
    """
    by_topic = [*x.values()] if isinstance(x, Mapping) else []
    if not all(isinstance(calls, list | tuple) for calls in by_topic):
        return False
    lists = (calls for calls in by_topic if calls and not isinstance(calls[0], str))
    return any(_is_step(entry) or _hits_of_entry(entry) for entry in chain.from_iterable(lists))


def reader_of(x: object, on_error: OnError = "raise") -> Callable[..., pd.DataFrame] | None:
    """Return the converter for hits or searches, or None.

    The result is None if the object contains neither hits nor searches.
    """
    if isinstance(x, Answers):
        return of_hits if any(x.values()) else None
    if holds_searches(x):
        return partial(of_searches, on_error=on_error)
    return of_hits if on_error == "raise" and answers.holds_hits(x) else None


def of_searches(
    x: Mapping[Hashable, Sequence[object]],
    name: str | None = None,
    *,
    ranked_by: answers.RankedBy = None,
    on_error: OnError = "raise",
) -> pd.DataFrame:
    """Convert the searches of an agent to a run frame.

    The searches of a topic are numbered from 1, by time if calls have times. A tool is a search
    tool if one of its results contains hits. Calls of other tools are skipped. `name` is the field
    of the document id in hits.

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
    with_hits = [call for call in chain(*calls.values()) if call.hits]
    if not with_hits:
        got = "no documents in the calls and messages of"
        advice = "name the field of the document: ir.as_runs(x, id='...')"
        raise InputError("results of tools that contain documents", got, advice, map(repr, x))
    tools = {call.tool for call in with_hits if call.is_named} | {RETRIEVER}
    searches = {
        topic: [call for call in by_topic if call.hits is not None or _searches(call, tools)]
        for topic, by_topic in calls.items()
    }
    lost = [
        f"{topic!r} call {n if call.id is None else repr(call.id)} {shortened(call.result)}"
        for topic, by_topic in searches.items()
        for n, call in enumerate(by_topic, 1)
        if call.hits is None
    ]
    if lost and on_error == "raise":
        advice = "mend them, or count them as searches without hits: "
        advice += "ir.as_runs(x, on_error='empty')"
        expected = "results of searches that contain documents"
        raise InputError(expected, f"{len(lost)} results that cannot be read", advice, lost)
    ordered = {topic: _in_time(topic, by_topic) for topic, by_topic in searches.items()}
    search = [n for lists in ordered.values() for n, hits in enumerate(lists, 1) for _ in hits]
    # `of_hits` raises if scores rise and fall along a bare list, but not if they do in `Answers`,
    # because a search tool has already decided the order.
    bare = all(isinstance(call, list | tuple) for call in chain(*x.values()))
    merged = ((topic, [*chain(*lists)]) for topic, lists in ordered.items())
    hits_of = dict(merged) if bare else Answers(merged)
    frame = of_hits(hits_of, name, ranked_by=ranked_by, searches=search)
    # The attribute declares that some numbers of searches may be missing in the column, because a
    # search without hits has no rows.
    frame.attrs[SEARCH] = SEARCH
    return frame


def _searches(call: ToolCall, tools: set[NAME | None]) -> bool:
    """Return whether a call without hits is a search."""
    if call.is_named:
        return call.result is not None and call.tool in tools
    # JSON that cannot be parsed may be a list of hits that was cut off
    return _is_json(call.result) and _parsed(call.result) is call.result


def _calls(topic: Hashable, entries: Sequence[object], field: str | None) -> list[ToolCall]:
    """Return the calls of a topic, one per call id."""
    blocks = [(block, _time_of(entry)) for entry in entries for block in _steps_in(entry)]
    tools: dict[NAME | None, NAME] = {
        key: tool for block, _ in blocks for key, tool in [_announced(block)] if key and tool
    }
    calls = [_call(block, time, tools, field) for block, time in blocks]
    bare = (isinstance(entry, str) or (is_hit(entry) and not _is_step(entry)) for entry in entries)
    if entries and all(bare):
        advice = "put the hits of each search into a list: {'q1': [hits]}"
        raise InputError("a list of calls for every topic", "only hits in", advice, [repr(topic)])
    parents = {call.span: call.parent for call in calls if call.span is not None}
    returned = {call.span for call in calls if call.hits}
    distinct: dict[object, ToolCall] = {}
    for n, call in enumerate(calls):
        if call.hits is not None and not returned.isdisjoint(_above(call.parent, parents)):
            continue  # skip this span, because an enclosing span already contains its hits
        # a tuple is not equal to any id, so that calls without an id are not merged
        key = (n,) if call.id is None else call.id
        before = distinct.setdefault(key, call)
        # the message that requests a call contains the id of the call, but no result
        if before.hits is None and call.result is not None:
            distinct[key] = call
        elif call.hits is not None and repr(call.hits) != repr(before.hits):
            offenders = [f"{call.id!r} of {topic!r}"]
            advice = "give each call its own id"
            got = "different results for"
            raise InputError("one result for each call id", got, advice, offenders)
    return [*distinct.values()]


def _above(span: NAME | None, parents: Mapping[NAME, NAME | None]) -> Iterator[NAME]:
    """Yield the enclosing spans of a span, innermost first."""
    visited = set[NAME]()
    while span is not None and span not in visited:
        visited.add(span)
        yield span
        span = parents.get(span)


def _steps_in(entry: object) -> list[object]:
    """Split a message into its calls and results."""
    steps = []
    for name in BLOCKS:
        blocks = get_in(entry, name)
        for block in blocks if isinstance(blocks, list) else ():
            wrapped = first_in(block, WRAPPED)
            calls = name == "tool_calls" or str(get_in(block, "type")).endswith("tool_use")
            if wrapped is not None or calls or _id_of(block) is not None:
                steps.append(block if wrapped is None else wrapped)
    return steps or [entry]


def _id_of(call: object) -> NAME | None:
    """Return the id of a call."""
    has_plain_id = get_in(call, "jsonrpc") is not None or get_in(call, "event") == "tool"
    id_of_call: NAME | None = first_in(call, (*CALL_IDS, *["id"] * has_plain_id), NAME)
    return id_of_call


def _announced(call: object) -> tuple[NAME | None, NAME | None]:
    """Return the id and the tool in a call's description."""
    params = get_in(call, "params")
    holder = call if params is None else params
    function = get_in(holder, "function")
    if function is None or isinstance(function, str):
        tool = function or first_in(holder, ("tool_name", "name"), NAME)
    else:
        tool = first_in(function, ("name",), NAME)
    key = _id_of(call)
    key = first_in(call, ("id",), NAME) if key is None else key
    return key, tool or first_in(call, ("method",), NAME)


def _call(
    block: object,
    time: Time | None,
    tools: Mapping[NAME | None, NAME],
    field: str | None,
) -> ToolCall:
    """Convert a call, or its result, to a `ToolCall`."""
    if isinstance(block, PLAIN):
        return ToolCall(time=time, hits=_hits_of_entry(block, field))
    if attributes := _dotted(get_in(block, "attributes")):
        return _of_span(block, attributes, time, field)
    key, tool = _announced(block)
    key = key if _id_of(block) is not None or key in tools else None
    tool = tools.get(key, tool)
    # the content of other messages, such as an answer of the model, is not the result of a call
    text = ("content",) if key is not None or get_in(block, "role") in {"tool", "function"} else ()
    results = [v for n in (*RESULTS, *text, "error") if (v := get_in(block, n)) is not None]
    hits = _first_hits(results, block, field)
    return ToolCall(tool, key, time, results[0] if results else None, hits, *_span_ids(block))


def _span_ids(call: object) -> tuple[NAME | None, NAME | None]:
    """Return the ids of a span and of its parent."""
    context = get_in(call, "context") or call
    return first_in(context, SPAN_IDS, NAME), first_in(call, PARENT_IDS, NAME)


def _first_hits(values: Sequence[object], call: object, field: str | None) -> Hits | None:
    """Return the hits of the first result that contains hits."""
    lists = (_hits_of_result(value, field) for value in values)
    return next((hits for hits in lists if hits is not None), hits_in(call))


def _is_step(entry: object) -> bool:
    """Return whether an object is a message, event or span."""
    if isinstance(entry, Mapping) and STEP_KEYS.isdisjoint(entry):
        return False
    if isinstance(entry, PLAIN) or get_in(entry, "score") is not None:
        return False
    marked = first_in(entry, (*CALL_IDS, "tool_calls", "jsonrpc")) is not None
    has_role = str(get_in(entry, "role")) in ROLES or str(get_in(entry, "event")) in EVENTS
    return marked or has_role or bool(_dotted(get_in(entry, "attributes")))


def _in_time(topic: Hashable, calls: Sequence[ToolCall]) -> list[Hits]:
    """Return the hits of calls, sorted by time."""
    units = {"" if call.time is None else call.time[0] for call in calls}
    if len(units) > 1:
        timeless = sum(call.time is None for call in calls)
        expected = "times of all searches or of none" if timeless else "times in one unit"
        got = f"{timeless} searches without a time" if timeless else " and ".join(sorted(units))
        advice = "add or remove times" if timeless else "convert the times to one unit"
        raise InputError(expected, f"{got} in", advice, [repr(topic)])
    ordered = calls if "" in units else sorted(calls, key=lambda call: call.time or ("", 0))
    return [call.hits or () for call in ordered]


def _time_of(call: object) -> Time | None:
    """Return the start time of a call; None if unknown."""
    value = first_in(call, TIMES)
    if value is None:
        return None
    if (isinstance(value, int | float) and pd.notna(value)) or str(value).isdecimal():
        number = value if isinstance(value, float) else int(value)
        position = bisect([*UNITS.values()], number)
        return ("numbers of unknown unit", *UNITS)[position], number
    try:
        time = pd.Timestamp(str(value))
    except ValueError:
        return None
    if pd.isna(time):
        return None
    # clocks of unknown time zones cannot be compared with instants
    return f"times with{'out' * (time.tzinfo is None)} a time zone", time


def _hits_of_entry(call: object, field: str | None = None) -> Hits | None:
    """Return the hits in a call, or None."""
    if isinstance(call, list | tuple):
        named = not is_hit(call) and all(isinstance(hit, str) or has_id(hit, field) for hit in call)
        return call if named else None
    if isinstance(call, PLAIN):
        return None
    if isinstance(call, dict) and call.keys().isdisjoint(RESULTS):
        return hits_in(call)
    return _first_hits([get_in(call, name) for name in RESULTS], call, field)


def _hits_of_result(value: object, field: str | None) -> Hits | None:
    """Return the hits in a result, or None."""
    # MCP returns text in blocks. Either all blocks together are JSON, or each block is an item.
    if isinstance(value, list) and value and all(get_in(v, "type") == "text" for v in value):
        texts = [str(get_in(block, "text")) for block in value]
        value = _parsed("".join(texts))
        value = [*map(_parsed, texts)] if isinstance(value, str) else value
    value = _parsed(value)
    if isinstance(value, Mapping):
        results = [value[name] for name in (*RESULTS, "content") if name in value]
        return _first_hits(results, value, field)
    named = isinstance(value, list) and all(has_id(hit, field) for hit in value)
    return value if named else None  # type: ignore[return-value]


def _is_json(value: object) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(("[", "{"))


def _parsed(value: object) -> object:
    """Parse text in JSON; return other values unchanged."""
    try:
        return json.loads(value) if _is_json(value) else value  # type: ignore[arg-type]
    except (ValueError, RecursionError):  # too many digits in an integer, or too deep nesting
        return value


def _dotted(attributes: object, before: str = "") -> dict[str, object]:
    """Flatten the nested attributes of a span to dotted names."""
    if isinstance(attributes, list):  # OpenTelemetry stores attributes as a list of key-value pairs
        pairs = [(get_in(entry, "key"), get_in(entry, "value")) for entry in attributes]
        attributes = {n: next(iter(v.values()), None) for n, v in pairs if isinstance(v, Mapping)}
    flat: dict[str, object] = {}
    for name, value in attributes.items() if isinstance(attributes, Mapping) else ():
        dotted = f"{before}{name}"
        # the result of a call stays one value, even if it is a dictionary
        nested = isinstance(value, Mapping) and dotted not in SPAN_RESULTS
        flat |= _dotted(value, f"{dotted}.") if nested else {dotted: value}
    # objects other than spans may have a field `attributes`, too
    return flat if before or any(name.split(".")[0] in SPAN_PARTS for name in flat) else {}


def _of_span(
    span: object,
    attributes: Mapping[str, object],
    time: Time | None,
    field: str | None,
) -> ToolCall:
    """Convert a span to a `ToolCall`."""
    kind = attributes.get(KIND)
    retrieves = kind == "RETRIEVER" or attributes.get("gen_ai.operation.name") == "retrieval"
    fields: dict[int, dict[str, object]] = {}
    for name, value in attributes.items():
        if match := NUMBERED.fullmatch(name):
            fields.setdefault(int(match[1]), {})[match[2]] = value
    result: object = [fields[n] for n in sorted(fields)]
    result = result or next((attributes[n] for n in DOCUMENT_KEYS if n in attributes), None)
    documents = _parsed(result)
    hits: Hits | None = None
    if documents is None:
        names = SPAN_RESULTS if retrieves or kind == "TOOL" else SPAN_RESULTS[:1]
        result = next((attributes[n] for n in names if n in attributes), None)
        # a retriever without a result has searched, but found nothing
        hits = [] if retrieves and result is None else _hits_of_result(result, field)
    elif isinstance(documents, list) and all(isinstance(hit, Mapping) for hit in documents):
        hits = [*map(_as_hit, documents)]
    tool = RETRIEVER if retrieves else first_in(attributes, SPAN_TOOLS, NAME)
    key = first_in(attributes, ("gen_ai.tool.call.id",), NAME)
    return ToolCall(tool, key, time, result, hits, *_span_ids(span))


def _as_hit(document: Mapping[str, object]) -> dict[str, object]:
    """Convert a document of a span to a hit."""
    inner = document.get("document")
    fields = inner if isinstance(inner, Mapping) else document
    return {name.removeprefix("document."): _parsed(value) for name, value in fields.items()}
