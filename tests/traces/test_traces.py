"""Spans of a chatbot that come late, twice, in any order, or not at all, joined to the turns they belong to."""

import asyncio
import gzip
import random
from datetime import UTC, datetime
from typing import Any

import aiohttp
import orjson
import pytest

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Timing
from sparring.core.errors import InputError
from sparring.core.message import ToolCall, message
from sparring.core.usage import ModelCall, Usage
from sparring.llm.call_context import call_context
from sparring.traces.book import ConversationTraces, TraceBook
from sparring.traces.joining import joined
from sparring.traces.log_events import LogEvent, events_of_json, events_of_protobuf
from sparring.traces.receiver import port_of, receiver
from sparring.traces.spans import Span, spans_of_json
from sparring.traces.turns import readings, tool_calls


def book() -> TraceBook:
    """Return a book that waits for nothing."""
    return TraceBook(grace=0.05, quiet=0.001)


def turn(traces: ConversationTraces, number: int, *calls: tuple[str, int]) -> list[Span]:
    """Return the spans of a turn: its root, its model with an answer, and its tools."""
    _, trace, ours, _ = traces.traceparent(number).split("-")
    root = Span(trace, f"{number:016x}", ours, "POST /chat", 1, 900)
    about = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": '[{"role": "assistant", "parts": []}]'}
    model = Span(trace, f"{number:08x}{1:08x}", root.id, "chat", 2, 3, attributes=about)
    return [root, model, *(_tool(trace, root.id, number, at, *call) for at, call in enumerate(calls))]


def _tool(trace: str, parent: str, number: int, at: int, name: str, value: int) -> Span:
    about = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": f'{{"id": {value}}}',
        "gen_ai.tool.call.result": f'{{"value": {value}}}',
    }
    return Span(trace, f"{number:08x}{at + 2:08x}", parent, name, 10 + at, 20 + at, attributes=about)


def talk(turns: int, *, calls: tuple[ToolCall, ...] = ()) -> Conversation:
    """Return a conversation of as many turns; the chatbot reports calls in the first."""
    said = [message("user" if at % 2 == 0 else "chatbot", "x") for at in range(2 * turns)]
    said[1] = said[1].changed(tool_calls=calls)
    return Conversation(case=Case(id="x"), messages=tuple(said))


def shown(conversation: Conversation) -> list[list[tuple[str, int]]]:
    """Return the calls of each turn."""
    replies = [each for each in conversation.messages if each.role == "chatbot"]
    return [[(call.name, call.result["value"]) for call in each.tool_calls] for each in replies]  # type: ignore[call-overload,index]


@pytest.mark.parametrize("seed", range(50))
async def test_shuffled_and_doubled_spans_are_the_calls_that_were_made(seed: int):
    chance = random.Random(seed)
    held = book()
    traces = held.conversation()
    made = [[("look", chance.randrange(9)) for _ in range(chance.randrange(4))] for _ in range(4)]
    spans = [span for number, calls in enumerate(made, 1) for span in turn(traces, number, *calls)]
    spans += chance.sample(spans, 3)
    chance.shuffle(spans)
    for span in spans:
        held.add([span])
    await traces.settled()

    found = joined(talk(4), traces.turns)

    assert shown(found) == made
    assert (found.reports_tools, found.warnings) == (True, ())


async def test_a_trace_without_its_root_or_a_parent_or_answers_means_nothing_about_missing_calls():
    held = book()
    for gone in range(3):
        traces = held.conversation()
        spans = turn(traces, 1, ("look", 1))
        kept = [span for at, span in enumerate(spans) if at != gone] if gone < 2 else []
        if gone == 1:
            bare = Span(
                spans[0].trace, "f" * 16, spans[0].id, "chat", 1, 2, attributes={"gen_ai.operation.name": "chat"}
            )
            kept = [spans[0], bare]
        held.add(kept)
        await traces.settled()

        found = joined(talk(1), traces.turns)

        assert found.reports_tools is False, gone
        assert bool(found.warnings) is (gone != 1)


async def test_a_turn_without_a_trace_is_named_and_late_spans_change_nothing():
    held = book()
    traces = held.conversation()
    held.add(turn(traces, 1, ("look", 1)))
    late = turn(traces, 2, ("look", 2))
    await traces.settled()
    held.add(late)

    found = joined(talk(2), traces.turns)

    assert (shown(found), found.warnings, found.reports_tools) == ([[("look", 1)], []], ("turn 2: no trace",), False)


async def test_spans_that_are_in_no_conversation_are_counted_by_their_reasons():
    held = book()
    traces = held.conversation()
    spans = turn(traces, 1, ("look", 1), ("look", 2))
    assert list(held.losses()) == []

    held.add(spans[:3])
    await traces.settled()
    held.add([*spans, *(Span(f"{number:032x}", "1" * 16) for number in (1, 1, 2)), None])

    assert [each.partition(" spans ")[::2] for each in held.losses()] == [
        ("3", "of 2 traces belong to no conversation: does the chatbot pass `traceparent` on, and has its exporter "
         "sent everything of earlier runs?"),
        ("1", "came after their conversations had been stored, and are not in them"),
        ("1", "had no ids of a trace and a span"),
    ]  # fmt: skip


async def arrive(held: TraceBook, *pieces: tuple[float, list[Span]]) -> None:
    """Let spans come after so many seconds each."""
    for seconds, spans in pieces:
        await asyncio.sleep(seconds)
        held.add(spans)


@pytest.mark.usefixtures("virtual_time")
async def test_conversations_wait_as_long_as_spans_were_seen_to_come_after_the_root_of_their_trace():
    held = TraceBook(grace=8, quiet=1)
    first, second = held.conversation(), held.conversation()
    seen = turn(first, 1, ("look", 1))
    root, model, tool = turn(second, 1, ("look", 2))

    await asyncio.gather(first.settled(), arrive(held, (0, seen[:2]), (3, seen[2:])))
    await asyncio.gather(second.settled(), arrive(held, (0, [root, model]), (2.9, [tool])))

    found = joined(talk(1), second.turns)
    assert (held.disorder, shown(found), found.reports_tools) == (pytest.approx(3, abs=0.1), [[("look", 2)]], True)


@pytest.mark.usefixtures("virtual_time")
async def test_spans_that_come_twice_or_of_work_that_went_on_are_not_late():
    held = TraceBook(grace=8, quiet=1)
    traces = held.conversation()
    root, model, tool = turn(traces, 1, ("look", 1))
    after = tool._replace(id="a" * 16, end=root.end + 1)

    await asyncio.gather(traces.settled(), arrive(held, (0, [root, model, tool]), (5, [tool, after])))

    assert held.disorder == 0


@pytest.mark.usefixtures("virtual_time")
async def test_the_grace_period_restarts_while_spans_of_earlier_turns_arrive():
    held = TraceBook(grace=8, quiet=1)
    other, traces = held.conversation(), held.conversation()
    others = [turn(other, number) for number in range(1, 5)]
    late = turn(traces, 1, ("look", 1))
    begun = held.now()

    await asyncio.gather(traces.settled(), arrive(held, *((7, spans) for spans in others), (7, late)))
    spent = held.now() - begun
    after = held.conversation()
    after.traceparent(1)
    await after.settled()

    assert shown(joined(talk(1), traces.turns)) == [[("look", 1)]]
    assert (spent, held.now() - begun - spent) == (pytest.approx(36, abs=0.2), pytest.approx(8, abs=0.2))


async def test_reported_calls_get_their_results_and_others_are_listed():
    held = book()
    traces = held.conversation()
    held.add(turn(traces, 1, ("look", 1), ("pay", 2)))
    await traces.settled()

    found = joined(talk(1, calls=(ToolCall(name="look", arguments={"id": 1}),)), traces.turns)

    assert (shown(found), found.warnings) == ([[("look", 1), ("pay", 2)]], ("turn 1: only its trace shows pay",))


@pytest.mark.parametrize(
    "names",
    [
        ("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.response.model", "gen_ai.usage"),
        ("openinference.span.kind", "llm.system", "llm.model_name", "llm.token_count"),
    ],
)
async def test_models_of_spans_are_named_and_priced(names: tuple[str, ...]):
    kind, provider, model, counts = names
    read, written = ("prompt", "completion") if kind.startswith("open") else ("input_tokens", "output_tokens")
    words = {kind: "LLM" if kind.startswith("open") else "chat"}
    held = book()
    traces = held.conversation()
    for number, name in ((1, "gpt-4o-mini"), (2, "of-our-own")):
        _, trace, ours, _ = traces.traceparent(number).split("-")
        about = {**words, model: name, provider: "openai", f"{counts}.{read}": 1000, f"{counts}.{written}": 100}
        held.add([Span(trace, f"{number:016x}", ours, "chat", 0, 2 * 10**9, attributes=about)])
    asked = ModelCall(role="user", turn=2, input_tokens=1, output_tokens=1)
    timing = Timing(started=datetime(2026, 1, 1, tzinfo=UTC), seconds=9, calls=(0.5,))
    before = talk(2).changed(calls=(asked,), timing=timing, usage={"user": Usage(calls=1)})

    found = joined(before, traces.turns)

    assert [(each.role, each.turn, each.model, each.input_tokens, each.cost) for each in found.calls] == [
        ("chatbot", 1, "gpt-4o-mini", 1000, pytest.approx(0.00021)),
        ("user", 2, "", 1, None),
        ("chatbot", 2, "of-our-own", 1000, None),
    ]
    assert found.timing == timing.changed(calls=(2, 0.5, 2))
    assert found.usage["chatbot"].model_dump(exclude={"cost"}) == Usage(
        calls=2, input_tokens=2000, output_tokens=200, unknown_costs=1
    ).model_dump(exclude={"cost"})


def _request(spans: list[Span]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": [_written(span) for span in spans]}]}]}


def _written(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace,
        "spanId": span.id,
        "parentSpanId": span.parent,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": [{"key": name, "value": {"stringValue": value}} for name, value in span.attributes.items()],
    }


@pytest.fixture
def traced() -> tuple[TraceBook, ConversationTraces]:
    held = book()
    return held, held.conversation()


@pytest.mark.parametrize("packed", [False, True])
async def test_the_receiver_takes_json_packed_or_not(traced: tuple[TraceBook, ConversationTraces], packed: bool):
    held, traces = traced
    body = orjson.dumps(_request(turn(traces, 1, ("look", 1))))
    headers = {"content-type": "application/json", **({"content-encoding": "gzip"} if packed else {})}

    async with receiver(":0", held) as port, aiohttp.ClientSession() as client:
        url = f"http://127.0.0.1:{port}"
        async with client.post(
            f"{url}/v1/traces", data=gzip.compress(body) if packed else body, headers=headers
        ) as done:
            assert (done.status, await done.json()) == (200, {})
        for path, content, status in (
            ("/v1/traces", b"{", 400),
            ("/api/public/otel/v1/traces", b"[]", 200),
            ("/v1/logs", b"{}", 200),
            ("/v1/nothing", b"{}", 404),
        ):
            async with client.post(url + path, data=content, headers={"content-type": "application/json"}) as done:
                assert done.status == status
        async with client.post(f"{url}/v1/traces", data=b"x", headers={"content-type": "text/plain"}) as done:
            assert (done.status, "application/x-protobuf" in await done.text()) == (415, True)

    assert len(traces.turns[1].spans) == 3
    assert None not in spans_of_json(_request(list(traces.turns[1].spans.values()))["resourceSpans"])


async def test_the_receiver_says_in_the_format_of_the_request_how_many_spans_it_refused(
    traced: tuple[TraceBook, ConversationTraces], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sparring.traces.book._MOST_SPANS", 0)
    service = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    held, traces = traced
    spans = turn(traces, 1)
    ids = {"traceId": spans[0].trace, "spanId": spans[0].id}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{**ids, "eventName": "gen_ai.choice"}]}]}]}
    packed = service.ExportTraceServiceRequest()
    written = packed.resource_spans.add().scope_spans.add().spans
    written.add(trace_id=bytes.fromhex(spans[0].trace), span_id=bytes.fromhex(spans[0].id))
    written.add(name="without ids")

    async with receiver(":0", held) as port, aiohttp.ClientSession() as client:

        async def sent(signal: str, kind: str, content: bytes) -> bytes:
            url, headers = f"http://127.0.0.1:{port}/v1/{signal}", {"content-type": f"application/{kind}"}
            async with client.post(url, data=content, headers=headers) as done:
                return await done.read()

        answers = [orjson.loads(await sent("traces", "json", orjson.dumps(_request(spans))))]
        answers.append(orjson.loads(await sent("logs", "json", orjson.dumps(logs))))
        protobuf = await sent("traces", "x-protobuf", packed.SerializeToString())

    assert [answers[0]["partialSuccess"]["rejectedSpans"], answers[1]["partialSuccess"]["rejectedLogRecords"]] == [
        "2",
        "1",
    ]
    assert service.ExportTraceServiceResponse.FromString(protobuf).partial_success.rejected_spans == 2
    assert any("no ids" in reason for reason in held.losses())


@pytest.mark.parametrize("address", ["4318x", "0.0.0.0:4318", ":99999"])
def test_spans_are_received_from_this_machine_only(address: str):
    with pytest.raises(InputError, match="--traces"):
        port_of(address)


async def test_every_request_of_a_turn_is_in_its_trace():
    from sparring.chatbots.request import trace_header

    traces = book().conversation()
    with call_context(traceparent=traces.traceparent) as call:
        before = trace_header()
        with call_context(meter=None) as inner:
            inner.replay.turn = 1
            assert trace_header()
        call.replay.turn = 1
        first, again = await asyncio.gather(_header(), _header())
        call.replay.turn = 2
        other = trace_header()["traceparent"]

    assert (before, first[:3], first[-3:]) == ({}, "00-", "-01")
    assert first[3:35] == again[3:35] != other[3:35]
    assert first != again
    assert len(traces.turns[1].sent) == 3


async def test_the_baggage_of_a_request_names_its_conversation_and_turn():
    from sparring.chatbots.request import trace_header

    with call_context(conversation="orders, #2", traceparent=book().conversation().traceparent) as call:
        call.replay.turn = 3

        assert trace_header()["baggage"] == "sparring.conversation=orders%2C%20%232,sparring.turn=3"


async def _header() -> str:
    from sparring.chatbots.request import trace_header

    return trace_header()["traceparent"]


def _spoken(said: list[dict[str, Any]]) -> dict[str, Any]:
    return {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said}


CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"id": 7}'}}


@pytest.mark.parametrize("seed", range(10))
async def test_messages_come_in_log_events_as_the_instrumentation_of_openai_writes_them(seed: int):
    held = book()
    traces = held.conversation()
    _, trace, ours, _ = traces.traceparent(1).split("-")
    scope = "opentelemetry.instrumentation.openai_v2"
    models = [
        Span(trace, f"{at:016x}", ours, "chat", at, at + 5, scope=scope, attributes={"gen_ai.operation.name": "chat"})
        for at in (10, 20)
    ]
    heard: list[tuple[str, dict[str, Any]]] = [("user", {"content": "look 7"})]
    asked = {"index": 0, "message": {"role": "assistant", "tool_calls": [CALL]}}
    again = [*heard, ("assistant", {"tool_calls": [CALL]}), ("tool", {"id": "c1", "content": '{"value": 14}'})]
    events = [
        LogEvent(trace, models[0].id, f"gen_ai.{role}.message", at, body) for at, (role, body) in enumerate(heard)
    ]
    events += [
        LogEvent(trace, models[1].id, f"gen_ai.{role}.message", at, body) for at, (role, body) in enumerate(again)
    ]
    events.append(LogEvent(trace, models[0].id, "gen_ai.choice", 90, asked))
    held.add(models)
    assert not traces.turns[1].finished

    events.append(LogEvent(trace, models[1].id, "gen_ai.choice", 91, {"message": {"content": "It is 14."}}))
    random.Random(seed).shuffle(events)
    held.add_events([*events, *events[:3]])

    assert traces.turns[1].finished
    found = joined(talk(1), traces.turns)
    assert (shown(found), found.reports_tools) == ([[("look", 14)]], True)


async def test_a_trace_whose_last_model_asks_for_tools_is_waited_for():
    held = book()
    traces = held.conversation()
    _, trace, ours, _ = traces.traceparent(1).split("-")
    asking = Span(
        trace, f"{1:016x}", ours, "chat", 1, 2, attributes=_spoken([{"role": "assistant", "tool_calls": [CALL]}])
    )
    held.add([asking])
    assert (traces.turns[1].complete, traces.turns[1].finished) == (True, False)

    held.add(
        [Span(trace, f"{2:016x}", ours, "chat", 3, 4, attributes=_spoken([{"role": "assistant", "content": "14"}]))]
    )
    assert traces.turns[1].finished


def test_calls_without_a_span_are_read_from_the_input_of_the_next_model():
    said = [
        {"role": "user", "content": "before"},
        {"role": "assistant", "tool_calls": [{**CALL, "id": "c0"}]},
        {"role": "tool", "tool_call_id": "c0", "content": "old"},
        {"role": "user", "content": "look 7"},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"value": 14}'},
    ]
    about = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": said}

    (call,) = tool_calls(readings([Span("t", "s", attributes=about)]))

    assert (call.name, call.arguments, call.result, call.status) == ("look", {"id": 7}, {"value": 14}, "succeeded")


def test_calls_whose_own_span_is_lost_keep_their_place():
    calls = [
        {"id": f"c{number}", "function": {"name": "look", "arguments": f'{{"id": {number}}}'}} for number in range(4)
    ]
    said = [{"role": "user", "content": "look"}, *({"role": "assistant", "tool_calls": [each]} for each in calls[:3])]
    second = Span("t", "b", start=20, end=25, attributes=_spoken([{"role": "assistant", "tool_calls": [calls[1]]}]))
    asked = _spoken([{"role": "assistant", "tool_calls": [calls[3]]}])
    last = Span("t", "c", start=30, end=35, attributes={**asked, "gen_ai.input.messages": said})

    found = tool_calls(readings([last, second]))

    assert [call.arguments for call in found] == [{"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}]


def test_a_function_that_langfuse_observes_has_its_named_arguments():
    about = {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": '{"args": [], "kwargs": {"id": 7}}',
        "langfuse.observation.output": '{"value": 14}',
    }

    (call,) = tool_calls(readings([Span("t", "s", name="look", attributes=about)]))

    assert (call.name, call.arguments, call.result) == ("look", {"id": 7}, {"value": 14})


@pytest.mark.parametrize("protobuf", [False, True])
def test_log_events_are_read_from_json_and_protobuf(protobuf: bool):
    logs = pytest.importorskip("opentelemetry.proto.logs.v1.logs_pb2")
    body = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": "hi"}}]}}
    ids = {"traceId": "ab" * 16, "spanId": "cd" * 8}
    records = [
        {**ids, "eventName": "gen_ai.user.message", "timeUnixNano": "5", "body": body},
        {**ids, "attributes": [{"key": "event.name", "value": {"stringValue": "gen_ai.choice"}}], "body": body},
        {**ids, "eventName": "session.start", "body": body},
        {"eventName": "gen_ai.user.message", "body": body},
    ]
    if protobuf:
        content = logs.LogsData()
        written = content.resource_logs.add().scope_logs.add().log_records
        each: Any
        for each in records:
            made = written.add(event_name=each.get("eventName", ""), time_unix_nano=int(each.get("timeUnixNano", 0)))
            made.trace_id = bytes.fromhex(each.get("traceId", ""))
            made.span_id = bytes.fromhex(each.get("spanId", ""))
            made.body.kvlist_value.values.add(key="content").value.string_value = "hi"
            for attribute in each.get("attributes", ()):
                made.attributes.add(key="event.name").value.string_value = attribute["value"]["stringValue"]
        found = list(events_of_protobuf(content.SerializeToString()))
    else:
        found = list(events_of_json({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}))

    assert [(each.trace, each.span, each.name, each.at, each.body) for each in found] == [
        ("ab" * 16, "cd" * 8, "gen_ai.user.message", 5, {"content": "hi"}),
        ("ab" * 16, "cd" * 8, "gen_ai.choice", 0, {"content": "hi"}),
    ]


async def test_a_chatbot_in_this_process_and_one_behind_a_socket_continue_the_trace_of_the_turn():
    from opentelemetry import propagate

    from sparring.chatbots.preset import SessionOptions
    from sparring.chatbots.python import PythonChatbot
    from sparring.chatbots.request import SessionState

    def now() -> str:
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        return carrier.get("traceparent", "none")

    async def awaited(*_: object) -> str:
        return now()

    def in_a_thread(*_: object) -> str:
        return now()

    traces = book().conversation()
    with call_context(traceparent=traces.traceparent) as call:
        call.replay.turn = 1
        for code in (awaited, in_a_thread):
            async with PythonChatbot(code).connect(Case(id="x")) as session:
                said = (await session.reply(message("user", "Hi"))).text
            assert said[3:35] == traces.turns[1].id
            assert said[36:52] in traces.turns[1].sent
        sent = SessionState(SessionOptions.model_validate({"reply": "$"}), Case(id="x"), {}).names(
            message("user", "Hi")
        )
        assert str(sent["traceparent"])[3:35] == traces.turns[1].id

    assert now() == "none"
