import json
from datetime import UTC
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError


def _text(hits):
    return json.dumps([{"id": doc, "score": 1 - n / 10} for n, doc in enumerate(hits)])


def _openai(calls):
    for key, tool, text in calls:
        function = {"name": tool, "arguments": "{}"}
        requests = [{"id": key, "type": "function", "function": function}]
        yield {"role": "assistant", "content": None, "tool_calls": requests}
        yield {"role": "tool", "tool_call_id": key, "content": text}


def _responses(calls):
    for key, tool, text in calls:
        yield {"type": "function_call", "call_id": key, "name": tool, "arguments": "{}"}
        yield {"type": "function_call_output", "call_id": key, "output": text}


def _anthropic(calls):
    for key, tool, text in calls:
        requested = {"type": "tool_use", "id": key, "name": tool, "input": {}}
        yield {"role": "assistant", "content": [{"type": "text", "text": "I search."}, requested]}
        result = {"type": "tool_result", "tool_use_id": key}
        blocks = [result | {"content": [{"type": "text", "text": text}]}]
        yield {"role": "user", "content": blocks}


def _gemini(calls):
    for key, tool, text in calls:
        requested = {"functionCall": {"id": key, "name": tool, "args": {}}}
        yield {"role": "model", "parts": [{"text": "I search."}, requested]}
        response = {"id": key, "name": tool, "response": {"result": text}}
        yield {"role": "user", "parts": [{"functionResponse": response}]}


def _mcp(calls):
    yield {"jsonrpc": "2.0", "id": "tools", "method": "tools/list"}
    yield {"jsonrpc": "2.0", "id": "tools", "result": {"tools": [{"name": "find"}]}}
    for key, tool, text in calls:
        params = {"name": tool, "arguments": {}}
        yield {"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": params}
        content = [{"type": "text", "text": text}]
        yield {"jsonrpc": "2.0", "id": key, "result": {"content": content, "isError": False}}


def _mcp_items(calls):
    """Write calls with one text block per item."""
    for step in _mcp(calls):
        content = step.get("result", {}).get("content")
        try:
            items = json.loads(content[0]["text"]) if content else None
        except ValueError:
            items = None
        if isinstance(items, list):
            blocks = [{"type": "text", "text": json.dumps(item)} for item in items]
            yield step | {"result": {"content": blocks, "structuredContent": {"result": items}}}
        else:
            yield step


def _spans(attributes):
    def make(calls):
        yield {"name": "llm", "attributes": {"gen_ai.operation.name": "chat"}}
        for key, tool, text in calls:
            yield {"name": "tool", "attributes": attributes(key, tool, text)}

    return make


SHAPES = {
    "OpenAI": _openai,
    "OpenAI, responses": _responses,
    "Anthropic": _anthropic,
    "Gemini": _gemini,
    "MCP": _mcp,
    "MCP, items": _mcp_items,
    "LangChain": lambda calls: (
        SimpleNamespace(type="tool", tool_call_id=key, name=tool, content=text)
        for key, tool, text in calls
    ),
    "Inspect": lambda calls: (
        {"event": "tool", "id": key, "function": tool, "result": text} for key, tool, text in calls
    ),
    "OpenTelemetry": _spans(
        lambda key, tool, text: {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": key,
            "gen_ai.tool.call.result": text,
        }
    ),
    "OpenInference": _spans(
        lambda _, tool, text: {
            "openinference.span.kind": "TOOL",
            "tool.name": tool,
            "output.value": text,
        }
    ),
    "Phoenix": _spans(
        lambda _, tool, text: {
            "openinference": {"span": {"kind": "TOOL"}},
            "tool": {"name": tool},
            "output": {"value": text, "mime_type": "application/json"},
        }
    ),
}
"""Mapping from a framework to a function that converts calls to a trace of the framework.

A call is a tuple of an id, the name of a tool, and the result as text."""
WITHOUT_IDS = {"OpenInference", "Phoenix"}
FOUND = [["a", "b"], ["c"], ["d", "a", "e"]]
CUT = "The output of your call was too long.\n<START_TOOL_OUTPUT>\n"


def trace(shape, results, tool="find"):
    return [*SHAPES[shape]([(f"c{n}", tool, text) for n, text in enumerate(results)])]


def searches(runs, topic="q"):
    rows = runs[runs["topic"] == topic]
    return {n: row["doc"].tolist() for n, row in rows.groupby("search")}


@pytest.mark.parametrize("shape", SHAPES)
def test_traces_of_every_framework_are_read(shape):
    runs = ir.as_runs({"q": trace(shape, map(_text, FOUND))})
    assert searches(runs) == {1: ["a", "b"], 2: ["c"], 3: ["d", "a", "e"]}


lost_results = st.sampled_from([_text(FOUND[0])[:-9], CUT + _text(FOUND[0]), "Error: timeout", ""])


@given(shape=st.sampled_from([*SHAPES]), pos=st.integers(0, 2), text=lost_results)
@settings(deadline=None, max_examples=15)
def test_unreadable_results_are_refused_or_empty_searches(shape, pos, text):
    results = [*map(_text, FOUND)]
    results[pos] = text
    calls = {"p": trace(shape, [_text(["z"])]), "q": trace(shape, results)}
    message = r"1 result that cannot be read: 'q' call .*on_error='empty'"
    refused(InputError, message, ir.as_runs, calls)
    expected = {n: docs for n, docs in enumerate(FOUND, 1) if n != pos + 1}
    for runs in (calls, {"s": calls}):
        frame = ir.as_runs(runs, on_error="empty")
        assert searches(frame) == expected
        scores = ir.evaluate(
            frame,
            {"p": {"z": 1}, "q": {"e": 1}},
            "R",
            search="search",
            stop=ir.AfterSearches([1, 2, 3]),
        )
        assert scores.to_numpy().tolist() == [[1, 1, 1], [0, 0, pos != 2]]


@pytest.mark.parametrize("shape", SHAPES)
def test_only_calls_of_search_tools_count(shape):
    calls = trace(shape, [_text(["a"]), "[]", _text(["b"])])
    calculator = SHAPES[shape]([("other", "add", "4")])
    runs = ir.as_runs({"q": [*calls[:-1], *calculator, *calls[-1:]]})
    assert searches(runs) == {1: ["a"], 3: ["b"]}


@pytest.mark.parametrize("shape", SHAPES.keys() - WITHOUT_IDS)
def test_a_repeated_call_id_counts_once(shape):
    calls = trace(shape, map(_text, FOUND))
    for repeated in ([*calls, *calls], [*calls[: len(calls) // 2], *calls]):
        assert searches(ir.as_runs({"q": repeated})) == dict(enumerate(FOUND, 1))
    cut = trace(shape, [_text(["a"]), CUT])
    for repeated in ([*cut, *cut], [*cut, *cut[: len(cut) // 2]], [*cut, *cut[:-1]]):
        refused(InputError, "1 result that cannot be read", ir.as_runs, {"q": repeated})
    different = trace(shape, [_text(["z"])])
    refused(
        InputError, "different results for: 'c0' of 'q'", ir.as_runs, {"q": [*calls, *different]}
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_without_a_result_are_not_documents(shape):
    question = {"role": "user", "id": "m1", "content": "Who was Ada?"}
    for steps in ([question], [question, *trace(shape, ["4"])], [question, *trace(shape, [CUT])]):
        refused(
            InputError, "no documents in the calls and messages of: 'q'", ir.as_runs, {"q": steps}
        )
    runs = ir.as_runs({"p": [question], "q": trace(shape, [_text(["a"])])})
    assert runs["topic"].tolist() == ["q"]


def test_search_tools_are_recognised_by_hits_for_any_topic():
    calls = {"p": trace("OpenAI", [CUT]), "q": trace("OpenAI", [_text(["a"])])}
    refused(InputError, "1 result that cannot be read: 'p' call 'c0'", ir.as_runs, calls)
    assert len(ir.as_runs(calls, on_error="empty")) == 1


TIMES = {
    "numbers of unknown unit": st.floats(-1e7, 1e7),
    "seconds": st.integers(10**8, 10**10) | st.integers(10**8, 10**10).map(str),
    "milliseconds": st.integers(10**11, 10**13),
    "microseconds": st.integers(10**14, 10**16),
    "nanoseconds": st.integers(10**17, 10**19) | st.floats(1e17, 1e19),
    "times with a time zone": st.datetimes(timezones=st.just(UTC)).map(str),
    "times without a time zone": st.datetimes().map(str),
}


def called_at(*times):
    return {"q": [{"result": json.loads(_text([str(n)])), "timestamp": time}
                  for n, time in enumerate(times)]}  # fmt: skip


@given(st.data(), st.sampled_from([*TIMES]), st.sampled_from([*TIMES]))
def test_only_times_in_one_unit_are_sorted(data, unit, other):
    times = [data.draw(TIMES[name]) for name in (unit, other)]
    if unit == other:
        # digits are numbers, and the texts of other times sort as the times do
        first, second = (int(time) if str(time).isdigit() else time for time in times)
        order = ["1", "0"] if second < first else ["0", "1"]
        assert ir.as_runs(called_at(*times))["doc"].tolist() == order
    else:
        expected = f"in one unit, but found {' and '.join(sorted([unit, other]))} in"
        refused(InputError, expected, ir.as_runs, called_at(*times))


def test_times_are_sorted_whatever_their_notation():
    seconds = 1.7e9
    for times in (
        (seconds + 1, seconds),
        (2, 1.5),
        (2e18, "17" * 9),
        ("2024-01-02", "2024-01-01"),
        ("2024-01-01T00:30Z", "2024-01-01T01:00+01:00"),
        ("9999-01-01T00:00Z", "0001-01-01T00:00Z"),
    ):
        assert searches(ir.as_runs(called_at(*times))) == {1: ["1"], 2: ["0"]}
    for absent in (float("nan"), None, "²"):
        expected = "searches without a time in"
        refused(InputError, expected, ir.as_runs, called_at(seconds, absent))


def test_bare_hits_among_calls_are_refused():
    for hits in (["a", "b"], [{"id": "a", "score": 0.5}]):
        both = {"p": hits, "q": [["a"], ["b"]]}
        refused(
            InputError,
            r"only hits in: 'p'. Put the hits of each search into a list",
            ir.as_runs,
            both,
        )


def test_nested_spans_count_once():
    def span(number, kind, parent, **attributes):
        kinds = {"openinference.span.kind": kind} | attributes
        return {"context": {"span_id": number}, "parent_id": parent, "attributes": kinds}

    documents = {f"retrieval.documents.{n}.document.id": doc for n, doc in enumerate("xab")}
    inner = [span(2, "CHAIN", 1), span(3, "RETRIEVER", 2, **documents)]
    tool = span(1, "TOOL", None, **{"tool.name": "find", "output.value": _text(["b", "a"])})
    assert searches(ir.as_runs({"q": [tool, *inner]})) == {1: ["b", "a"]}
    assert searches(ir.as_runs({"q": inner})) == {1: ["x", "a", "b"]}


def test_documents_with_fields_of_steps_are_hits():
    for field in ({"attributes": {"color": "red"}}, {"event": "concert"}, {"role": "manager"}):
        runs = ir.as_runs({"q": [{"id": "a", **field}, {"id": "b", **field}]})
        assert runs["doc"].tolist() == ["a", "b"]
        assert "search" not in runs


def test_option_id_names_the_field_of_document_ids():
    result = json.dumps([{"url": "a.org", "title": "A"}])
    refused(InputError, "id=", ir.as_runs, {"q": trace("OpenAI", [result])})
    assert ir.as_runs({"q": trace("OpenAI", [result])}, id="url")["doc"].tolist() == ["a.org"]


def test_on_error_without_calls_is_refused():
    refused(ParameterError, "calls of agents", ir.as_runs, {"q": {"a": 1.0}}, on_error="empty")
    calls = {"q": trace("OpenAI", [_text(["a"])])}
    refused(ParameterError, "on_error", ir.as_runs, calls, on_error="skip")
