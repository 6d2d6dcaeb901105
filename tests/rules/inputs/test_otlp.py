"""Traces of three instrumentations, and our own conversations as traces and back."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from read_logs import jsonl, problems, read, said
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import ToolCall, message
from sparring.core.outcome import Decision, Outcome
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.otlp import otlp_line
from sparring.reports.reported import ReportedConversation
from sparring.rules.inputs.log_format import formats

TRACE = "0" * 31 + "1"
TOLD = [("user", "refund me"), ("chatbot", "done", ("refund", {"id": 7}, {"ok": True}, "succeeded"))]


def span(number: int, attributes: dict[str, Any], parent: int = 0, **more: Any) -> dict[str, Any]:
    """Return a span whose number tells its id and its start."""
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "startTimeUnixNano": str(number),
        "endTimeUnixNano": str(number + 50),
        "attributes": [{"key": key, "value": {_type(value): value}} for key, value in attributes.items()],
        **more,
    }


def _type(value: Any) -> str:
    return "intValue" if isinstance(value, int) else "stringValue"


def export(*spans: dict[str, Any]) -> dict[str, Any]:
    """Return an export request."""
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def _text(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


ASKED = _text("user", "refund me")
CALLED = {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "refund", "arguments": {"id": 7}}]}
ANSWERED = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "result": {"ok": True}}]}


def _chat(number: int, heard: list[Any], spoken: Any, parent: int = 0) -> dict[str, Any]:
    about = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": "c",
        "gen_ai.input.messages": orjson.dumps(heard).decode(),
        "gen_ai.output.messages": orjson.dumps([spoken]).decode(),
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.response.model": "m",
    }
    return span(number, about, parent)


def _tool(number: int, parent: int = 0, **more: Any) -> dict[str, Any]:
    about = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "refund",
        "gen_ai.tool.call.id": "1",
        "gen_ai.tool.call.arguments": '{"id": 7}',
        "gen_ai.tool.call.result": '{"ok": true}',
    }
    return span(number, about, parent, **more)


DONE = _text("assistant", "done")
GENAI = [_chat(1, [ASKED], CALLED), _tool(60), _chat(120, [ASKED, CALLED, ANSWERED], DONE)]

_IN = "llm.input_messages.0.message"
_OUT = "llm.output_messages.0.message"
OPENINFERENCE = [
    span(
        1,
        {
            "openinference.span.kind": "LLM",
            f"{_IN}.role": "user",
            f"{_IN}.contents.0.message_content.type": "text",
            f"{_IN}.contents.0.message_content.text": "refund me",
            f"{_OUT}.role": "assistant",
            f"{_OUT}.tool_calls.0.tool_call.id": "1",
            f"{_OUT}.tool_calls.0.tool_call.function.name": "refund",
            f"{_OUT}.tool_calls.0.tool_call.function.arguments": '{"id": 7}',
            "llm.token_count.prompt": 10,
            "llm.token_count.completion": 2,
        },
    ),
    span(
        60,
        {
            "openinference.span.kind": "LLM",
            f"{_IN}.role": "user",
            f"{_IN}.content": "refund me",
            "llm.input_messages.1.message.role": "tool",
            "llm.input_messages.1.message.tool_call_id": "1",
            "llm.input_messages.1.message.content": '{"ok": true}',
            f"{_OUT}.role": "assistant",
            f"{_OUT}.content": "done",
            "llm.token_count.prompt": 10,
            "llm.token_count.completion": 2,
        },
    ),
]
_LF = "langfuse.observation"
LANGFUSE = [
    span(1, {f"{_LF}.type": "agent", f"{_LF}.input": "refund me", f"{_LF}.output": "done", "session.id": "c"}),
    span(2, {f"{_LF}.type": "tool", f"{_LF}.input": '{"id": 7}', f"{_LF}.output": '{"ok": true}'}, 1, name="refund"),
    span(3, {f"{_LF}.type": "generation", f"{_LF}.usage_details": '{"input": 20, "output": 4}'}, 1),
]


CALL = {"name": "refund", "args": {"id": 7}, "id": "1", "type": "tool_call"}
RESULT = {"content": '{"ok": true}', "type": "tool", "tool_call_id": "1", "status": "success"}
HEARD = {"type": "human", "content": "refund me"}
GRAPH = {
    "messages": [HEARD, {"type": "ai", "content": "", "tool_calls": [CALL]}, RESULT, {"type": "ai", "content": "done"}]
}
LANGCHAIN_IN_LANGFUSE = [
    span(
        number,
        {f"{_LF}.{name}": each if name == "type" else orjson.dumps(each).decode() for name, each in about.items()},
        1,
        name="refund",
    )
    for number, about in (
        (1, {"type": "chain", "input": {"messages": [{"role": "user", "content": "refund me"}]}, "output": GRAPH}),
        (
            2,
            {
                "type": "generation",
                "input": [{"role": "user", "content": "refund me"}],
                "output": {"role": "assistant", "content": "", "tool_calls": [CALL]},
                "usage_details": {"input": 20, "output": 4},
            },
        ),
        (3, {"type": "tool", "input": {"id": 7}, "output": RESULT, "metadata.tool_call_id": "1"}),
    )
]
LANGCHAIN_IN_LANGFUSE[0]["parentSpanId"] = ""


@pytest.mark.parametrize(
    "spans", [GENAI, GENAI[::-1], [*GENAI, *GENAI], OPENINFERENCE, LANGFUSE, LANGCHAIN_IN_LANGFUSE]
)
def test_a_turn_is_read_in_every_dialect_and_order(tmp_path: Path, spans: list[dict[str, Any]]):
    (found,) = read(jsonl(tmp_path / "a.jsonl", *map(export, spans)))

    assert said(found) == TOLD
    used = found.usage["chatbot"]
    assert (used.input_tokens, used.output_tokens, found.reports_tools) == (20, 4, True)


def test_traces_of_a_conversation_are_its_turns(tmp_path: Path):
    later = [{**each, "traceId": "f" * 32, "startTimeUnixNano": "900"} for each in [_chat(1, [ASKED], DONE)]]

    (found,) = read(jsonl(tmp_path / "a.json", export(*later, *GENAI)))

    assert [each.text for each in found.messages] == ["refund me", "done", "refund me", "done"]
    assert [len(each.tool_calls) for each in found.messages] == [0, 1, 0, 0]


def test_a_call_that_was_asked_for_and_never_ran_was_attempted_and_one_that_raised_failed(tmp_path: Path):
    failed = _tool(60, status={"code": 2, "message": "no such order"})
    asked = [_chat(1, [ASKED], CALLED), _chat(120, [ASKED], DONE)]

    (first,) = read(jsonl(tmp_path / "a.json", export(*asked)))
    (second,) = read(jsonl(tmp_path / "b.json", export(failed, GENAI[0], GENAI[2])))

    assert said(first)[1][2] == ("refund", {"id": 7}, None, "attempted")
    assert said(second)[1][2] == ("refund", {"id": 7}, "no such order", "failed")


@pytest.mark.parametrize(
    ("status", "outcome"), [("success", ({"ok": True}, "succeeded")), ("error", ('{"ok": true}', "failed"))]
)
@pytest.mark.parametrize("wrap", [lambda held: {"type": "tool", "data": held}, lambda held: {"kwargs": held}, dict])
def test_the_message_around_a_result_of_langchain_is_taken_off(
    wrap: Callable[[Any], Any], status: str, outcome: tuple[Any, str], tmp_path: Path
):
    held = {"content": '{"ok": true}', "type": "tool", "tool_call_id": "1", "status": status}
    about = {
        "openinference.span.kind": "TOOL",
        "tool.name": "refund",
        "input.value": '{"id": 7}',
        "output.value": orjson.dumps(wrap(held)).decode(),
    }

    (found,) = read(jsonl(tmp_path / "a.jsonl", *map(export, [*OPENINFERENCE, span(30, about)])))

    assert said(found)[1][2] == ("refund", {"id": 7}, *outcome)


def test_a_trace_without_a_user_is_no_conversation_and_its_spans_are_reported(tmp_path: Path):
    odd: Any = [{"spanId": "x"}, 1, {"traceId": TRACE, "spanId": "0" * 15 + "1", "attributes": {"a": 1}}]
    web = [{**span(4, {"http.route": "/health"}), "traceId": f"{number:032x}"} for number in (2, 3)]
    file = jsonl(tmp_path / "a.jsonl", export(*odd, _tool(3)), {}, export(GENAI[0]), export(*web))

    assert problems(file) == [
        ":1: 2 spans without the ids `traceId` and `spanId`",
        ":2: is of no known format (" + ", ".join(formats()) + ")",
        f":4: trace {2:032x} and 1 more, spans 2: spans of no known instrumentation",
    ]
    assert problems(jsonl(tmp_path / "c.jsonl", export(_tool(3)))) == [
        f":1: trace {TRACE}, spans 1: no message of a user"
    ]
    (tmp_path / "b.pb").write_bytes(b"\xff\xff\xff")
    assert len(problems(tmp_path / "b.pb")) == 1


def test_protobuf_is_the_same_as_json(tmp_path: Path):
    trace = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")
    data = trace.TracesData()
    scope = data.resource_spans.add().scope_spans.add()
    for each in GENAI:
        one = scope.spans.add(
            trace_id=bytes.fromhex(each["traceId"]),
            span_id=bytes.fromhex(each["spanId"]),
            start_time_unix_nano=int(each["startTimeUnixNano"]),
            end_time_unix_nano=int(each["endTimeUnixNano"]),
        )
        for pair in each["attributes"]:
            ((kind, value),) = pair["value"].items()
            attribute = one.attributes.add(key=pair["key"])
            setattr(attribute.value, "int_value" if kind == "intValue" else "string_value", value)
    (tmp_path / "a.pb").write_bytes(data.SerializeToString())

    (found,) = read(tmp_path / "a.pb")

    assert said(found) == TOLD


CONVERSATION = Conversation(
    case=Case(id="order/1", variables={"size": "small", "count": 2, "items": [1, None, {"a": 1.5}]}),
    messages=(
        message("chatbot", "Hello!"),
        message("user", "refund me"),
        message(
            "chatbot",
            "done",
            tool_calls=(
                ToolCall(name="look", arguments={"id": 7}, result=""),
                ToolCall(name="refund", arguments={"id": 7}, error="no such order"),
                ToolCall(name="refund", arguments={}, result={"ok": True, "left": [None]}),
                ToolCall(name="wait", status="attempted"),
                ToolCall(name="note", status="executed"),
            ),
        ),
        message("user", "thanks"),
        message("chatbot", ""),
        message("user", "hello?"),
    ),
    ending=Ending.TIMEOUT,
    error="no answer",
    reports_tools=True,
    usage={"user": Usage(calls=2, input_tokens=5), "chatbot": Usage(calls=1, cost=0.5)},
)
BATCH = Batch(id="b", created=datetime(2026, 1, 1, tzinfo=UTC), who=Players(chatbot="x", user="y"), cases=())


def _line(*, content: bool = True) -> bytes:
    verdict = Verdict(check="short", outcome=CheckOutcome.FAIL, conversation="order/1", reason="too long")
    reported = ReportedConversation(CONVERSATION, Decision(outcome=Outcome.FAILED), (verdict,))
    return otlp_line(BATCH, reported, content=content)


def test_a_conversation_is_the_same_after_a_journey_through_otlp(tmp_path: Path):
    (tmp_path / "a.jsonl").write_bytes(_line())

    (found,) = read(tmp_path / "a.jsonl")

    for name in ("id", "messages", "ending", "error", "reports_tools", "usage"):
        assert getattr(found, name) == getattr(CONVERSATION, name)
    assert found.case.variables == CONVERSATION.case.variables
    assert _line() == _line()


def test_verdicts_are_events_and_without_content_nothing_is_said():
    root = orjson.loads(_line())["resourceSpans"][0]["scopeSpans"][0]["spans"][0]

    assert root["events"][0]["name"] == "gen_ai.evaluation.result"
    assert {"key": "gen_ai.evaluation.score.label", "value": {"stringValue": "fail"}} in root["events"][0]["attributes"]
    bare = _line(content=False)
    assert not [word for word in (b"refund me", b"done", b"small", b"no such order", b"too long") if word in bare]


ROWS: list[dict[str, Any]] = [
    {"id": "1", "type": "AGENT", "input": "refund me", "output": "done"},
    {
        "id": "2",
        "type": "TOOL",
        "parentObservationId": "1",
        "name": "refund",
        "input": {"id": 7},
        "output": {"ok": True},
    },
    {"id": "3", "type": "GENERATION", "parentObservationId": "1", "usageDetails": {"input": 20, "output": 4}},
]


@pytest.mark.parametrize("form", ["rows", "snake", "traces", "turn of the trace"])
def test_langfuse_exports_are_read_in_both_spellings(tmp_path: Path, form: str):
    rows = [
        {"traceId": "t", "sessionId": "c", "startTime": f"2026-01-01T00:00:0{n}Z", **row} for n, row in enumerate(ROWS)
    ]
    about: dict[str, Any] = {"id": "t", "timestamp": "2026-01-01T00:00:00Z", "sessionId": "c"}
    if form == "rows":
        file = jsonl(tmp_path / "a.jsonl", *rows)
    elif form == "snake":
        names = {
            "traceId": "trace_id",
            "sessionId": "session_id",
            "startTime": "start_time",
            "usageDetails": "usage_details",
        }
        names |= {"parentObservationId": "parent_observation_id"}
        file = jsonl(tmp_path / "a.json", [{names.get(key, key): value for key, value in row.items()} for row in rows])
    elif form == "traces":
        file = jsonl(tmp_path / "a.json", {"data": [{**about, "observations": rows}]})
    else:
        loose = [{**row, "parentObservationId": None} for row in rows[1:]]
        loose[0].pop("input")
        loose[0]["metadata"] = {"x": 1}
        file = jsonl(tmp_path / "a.json", {**about, "input": "refund me", "output": "done", "observations": loose})

    (found,) = read(file)

    call = ("refund", {} if form == "turn of the trace" else {"id": 7}, {"ok": True}, "succeeded")
    assert (found.id, said(found)) == ("c", [("user", "refund me"), ("chatbot", "done", call)])
    assert found.usage["chatbot"].input_tokens == 20


def test_langfuse_without_the_fields_of_io_says_so(tmp_path: Path):
    row = {"id": "1", "traceId": "t", "type": "SPAN", "startTime": "2026-01-01T00:00:00Z"}

    assert "no observation has an input or output" in problems(jsonl(tmp_path / "a.jsonl", row))[0]
