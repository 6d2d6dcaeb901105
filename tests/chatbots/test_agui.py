"""AG-UI, against event sequences that the reference server was seen to send, and those of its published types."""

import json
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from sparring.chatbots.agui import Run, connect
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Button, Message, Text, ToolCall, message
from sparring.core.usage import Usage
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.llm.plugin_context import PluginContext
from tables import table

CASE = Case(id="orders/1", seed=7, history=(message("user", "Hi"), message("chatbot", "Hello")))
STARTED = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISHED = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "success"}}
WAITING = ToolCall(name="cancel", arguments={"id": 7}, status="attempted")


def said(id: str, *deltas: str, role: str = "assistant") -> list[dict[str, Any]]:
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": id, "role": role},
        *({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta} for delta in deltas),
        {"type": "TEXT_MESSAGE_END", "messageId": id},
    ]


def called(id: str, *pieces: str) -> list[dict[str, Any]]:
    return [
        {"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "cancel", "parentMessageId": f"m-{id}"},
        *({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": piece} for piece in pieces),
        {"type": "TOOL_CALL_END", "toolCallId": id},
    ]


def result(id: str, content: str) -> dict[str, Any]:
    return {"type": "TOOL_CALL_RESULT", "messageId": f"r-{id}", "toolCallId": id, "content": content, "role": "tool"}


class Streaming:
    """A server that answers each request with the next events, and records what it was asked."""

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    async def __call__(self, request: web.Request) -> web.Response:
        self.asked.append(await request.json())
        lines = [f"data: {json.dumps(each)}\n\n" for each in self.answers.pop(0)]
        return web.Response(text="".join(lines), content_type="text/event-stream")


async def test_what_only_a_snapshot_shows_was_said_and_called_in_this_turn_once(serve: Any, context: PluginContext):
    """As ag_ui_langgraph answers if a node does not stream; its snapshots repeat the whole thread."""
    call = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": 7}'}}
    first = [
        {"id": "u1", "role": "user", "content": "Cancel 7"},
        {"id": "a1", "role": "assistant", "content": "", "toolCalls": [call]},
        {"id": "t1", "role": "tool", "toolCallId": "c1", "content": '{"ok": true}'},
        {"id": "a2", "role": "assistant", "content": "Done."},
    ]
    more = [{"id": "u2", "role": "user", "content": "Thanks"}, {"id": "a3", "role": "assistant", "content": "Bye."}]
    streamed = [*called("c1", '{"id": 7}'), result("c1", '{"ok": true}')]
    server = Streaming(
        [STARTED, *streamed, {"type": "MESSAGES_SNAPSHOT", "messages": first}, FINISHED],
        [STARTED, *said("other", "Bye."), {"type": "MESSAGES_SNAPSHOT", "messages": [*first, *more]}, FINISHED],
    )
    async with connect(await serve(server), context).connect(CASE) as session:
        heard = [await session.reply(message("user", line)) for line in ("Cancel 7", "Thanks")]
    bare = Streaming([STARTED, {"type": "MESSAGES_SNAPSHOT", "messages": first}, FINISHED])
    async with connect(await serve(bare), context).connect(CASE) as session:
        heard.append(await session.reply(message("user", "Cancel 7")))

    done = ToolCall(name="cancel", arguments={"id": 7}, result={"ok": True})
    answer = message("chatbot", "Done.", tool_calls=(done,))
    assert heard == [answer, message("chatbot", "Bye."), answer]
    assert [each["content"] for each in server.asked[1]["messages"]][-2:] == ["Done.", "Thanks"]


async def test_arguments_that_were_not_streamed_are_those_of_the_snapshot(serve: Any, context: PluginContext):
    """As ag_ui_langgraph answers if a model sends the name and the arguments of a call at once."""
    call = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": 7}'}}
    shown = [
        {"id": "u1", "role": "user", "content": "Cancel 7"},
        {"id": "a1", "role": "assistant", "content": "", "toolCalls": [call]},
    ]
    events = [*called("c1"), result("c1", "1"), {"type": "MESSAGES_SNAPSHOT", "messages": shown}]
    server = Streaming([STARTED, *events, FINISHED])

    async with connect(await serve(server), context).connect(CASE) as session:
        heard = await session.reply(message("user", "Cancel 7"))

    assert [(each.name, each.arguments) for each in heard.tool_calls] == [("cancel", {"id": 7})]


async def test_the_result_of_a_streamed_call_may_be_in_a_snapshot_only(serve: Any, context: PluginContext):
    """As the bridges of CrewAI and LlamaIndex answer."""
    call = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": 7}'}}
    shown = [
        {"id": "u1", "role": "user", "content": "Cancel 7"},
        {"id": "a1", "role": "assistant", "content": "", "toolCalls": [call]},
        {"id": "t1", "role": "tool", "toolCallId": "c1", "content": '{"ok": true}'},
    ]
    events = [*called("c1", '{"id": 7}'), {"type": "MESSAGES_SNAPSHOT", "messages": shown}]
    server = Streaming([STARTED, *events, FINISHED])

    async with connect(await serve(server), context).connect(CASE) as session:
        heard = await session.reply(message("user", "Cancel 7"))

    assert heard.tool_calls == (ToolCall(name="cancel", arguments={"id": 7}, result={"ok": True}),)


async def test_events_become_texts_tool_calls_usage_and_state_and_all_of_it_is_sent_again(
    serve: Any, context: PluginContext
):
    server = Streaming(
        [
            STARTED,
            *said("x", "echo", role="user"),
            {"type": "REASONING_MESSAGE_CONTENT", "messageId": "z", "delta": "secret"},
            *said("m-c1"),
            *said("m1", "One ", "moment."),
            *called("c1", '{"i', 'd": 7}'),
            {"type": "STATE_SNAPSHOT", "snapshot": {"orders": [1]}},
            {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/orders/-", "value": 2}]},
            {"type": "CUSTOM", "name": "mood", "value": "good"},
            result("c1", '{"ok": true}'),
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m2", "delta": "Do"},
            {"type": "TEXT_MESSAGE_CHUNK", "delta": "ne."},
            {**FINISHED, "usage": [{"inputTokens": 5, "outputTokens": 3}, {"inputTokens": 6, "outputTokens": 1}]},
        ],
        [STARTED, *said("m3", "Bye."), FINISHED],
    )
    meter = Meter()
    with call_context(meter=meter):
        async with connect(await serve(server), context).connect(CASE) as session:
            heard = [await session.reply(message("user", line)) for line in ("Cancel 7", "Thanks")]
            state = await session.state()

    done = ToolCall(name="cancel", arguments={"id": 7}, result={"ok": True})
    assert (heard, state) == (
        [
            Message(role="chatbot", parts=(Text(text="One moment."), Text(text="Done.")), tool_calls=(done,)),
            message("chatbot", "Bye."),
        ],
        {"orders": [1, 2], "custom": {"mood": "good"}},
    )
    assert meter.usage["chatbot"] == Usage(calls=3, input_tokens=11, output_tokens=4, unknown_tokens=1, unknown_costs=3)
    again = server.asked[1]
    assert [each.get("content") for each in again["messages"]] == [
        "Hi",
        "Hello",
        "Cancel 7",
        "",
        "One moment.",
        '{"ok": true}',
        "Done.",
        "Thanks",
    ]
    assert again["messages"][3]["toolCalls"][0]["function"] == {"name": "cancel", "arguments": '{"id": 7}'}
    assert (again["state"], again["threadId"]) == ({"orders": [1, 2]}, server.asked[0]["threadId"])


@table(
    ("answer", "resumed", "told"),
    [
        ("yes", [{"interruptId": "i", "status": "resolved", "payload": {"approved": True}}], 1),
        ("No, don't", [{"interruptId": "i", "status": "resolved", "payload": {"approved": False}}], 1),
        ("Reject", [{"interruptId": "i", "status": "resolved", "payload": {"approved": False}}], 1),
        ("What is it?", [{"interruptId": "i", "status": "cancelled"}], 2),
    ],
)
async def test_an_interrupt_is_a_question_that_the_next_message_answers(
    serve: Any, context: PluginContext, answer: str, resumed: Any, told: int
):
    schema = {"type": "object", "properties": {"approved": {"type": "boolean"}}}
    interrupt = {
        "id": "i",
        "toolCallId": "c1",
        "reason": "tool_call",
        "message": "Cancel it?",
        "responseSchema": schema,
    }
    server = Streaming(
        [
            STARTED,
            *called("c1", '{"id": 7}'),
            {**FINISHED, "outcome": {"type": "interrupt", "interrupts": [interrupt]}},
        ],
        [STARTED, result("c1", "done"), *said("m1", "Done."), FINISHED],
    )
    async with connect(await serve(server), context).connect(Case(id="x", seed=1)) as session:
        asks, done = [await session.reply(message("user", line)) for line in ("Cancel 7", answer)]

    buttons = (Button(title="Approve"), Button(title="Reject"))
    assert asks == Message(role="chatbot", parts=(Text(text="Cancel it?"), *buttons), tool_calls=(WAITING,))
    assert [call.status for call in done.tool_calls] == ["succeeded" if answer == "yes" else "failed"]
    assert server.asked[1]["resume"] == resumed
    assert sum(each["role"] == "user" for each in server.asked[1]["messages"]) == told


async def test_a_tool_that_failed_by_the_sign_of_pydantic_ai_did_not_succeed(serve: Any, context: PluginContext):
    value = '{"pydantic_ai": {"outcome": "failed"}}'
    sign = {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "r-c1", "encryptedValue": value}
    server = Streaming([STARTED, *called("c1", "{}"), result("c1", "no such order"), sign, FINISHED])
    async with connect(await serve(server), context).connect(CASE) as session:
        (call,) = (await session.reply(message("user", "Hi"))).tool_calls

    assert (call.status, call.error) == ("failed", "no such order")


@table(
    ("events", "failure"),
    [
        ([STARTED, *said("m", "Half")], "^the stream broke off$"),
        ([{"hello": 1}], "^the answer is not AG-UI"),
        ([], "^the answer is not AG-UI"),
        ([STARTED, {"type": "RUN_ERROR", "message": "kaputt"}], "reports an error: kaputt"),
        (
            [STARTED, {"type": "STATE_DELTA", "delta": [{"op": "remove", "path": "/x"}]}, FINISHED],
            "state fails: can't remove",
        ),
        ([STARTED, {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": 7}, FINISHED], "malformed"),
    ],
)
async def test_what_is_no_complete_run_is_a_failure(serve: Any, context: PluginContext, events: Any, failure: str):
    async with connect(await serve(Streaming(events)), context).connect(CASE) as session:
        with pytest.raises(ChatbotError, match=failure):
            await session.reply(message("user", "Hi"))


def test_agui_without_an_address_is_refused(context: PluginContext):
    with pytest.raises(InputError, match="agui: needs the address of a server"):
        connect("localhost:8000", context)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.text(max_size=3)), max_size=12))
def test_messages_that_interleave_are_put_together_by_their_ids(pieces: list[tuple[str, str]]):
    run = Run([], {})
    for id, delta in pieces:
        run.take({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta})

    assert {each["id"]: each["content"] for each in run.messages} == {
        id: "".join(delta for other, delta in pieces if other == id) for id, _ in pieces
    }


@table(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/a/1", "value": 9}, {"a": [1, 9, 2], "b/c": {"~": 0}}),
        ({"op": "add", "path": "/a/-", "value": 9}, {"a": [1, 2, 9], "b/c": {"~": 0}}),
        ({"op": "remove", "path": "/a/0"}, {"a": [2], "b/c": {"~": 0}}),
        ({"op": "replace", "path": "/b~1c/~0", "value": 5}, {"a": [1, 2], "b/c": {"~": 5}}),
        ({"op": "move", "from": "/a", "path": "/d"}, {"b/c": {"~": 0}, "d": [1, 2]}),
        ({"op": "copy", "from": "/a/1", "path": "/a/0"}, {"a": [2, 1, 2], "b/c": {"~": 0}}),
        ({"op": "test", "path": "/a/0", "value": 1}, {"a": [1, 2], "b/c": {"~": 0}}),
        ({"op": "replace", "path": "", "value": [1]}, [1]),
        ({"op": "test", "path": "/a/0", "value": 2}, None),
        ({"op": "remove", "path": "/x"}, None),
        ({"op": "replace", "path": "/x", "value": 1}, None),
        ({"op": "add", "path": "/a/3", "value": 1}, None),
        ({"op": "add", "path": "/a/-1", "value": 1}, None),
        ({"op": "turn", "path": "/a"}, None),
        ("remove", None),
    ],
)
def test_a_patch_is_applied_to_a_copy_or_refused(operation: Any, expected: Any):
    value: Any = {"a": [1, 2], "b/c": {"~": 0}}
    run = Run([], value)
    if expected is None:
        with pytest.raises(ChatbotError, match="a change of the chatbot's state fails: "):
            run.take({"type": "STATE_DELTA", "delta": [operation]})
    else:
        run.take({"type": "STATE_DELTA", "delta": [operation]})
        assert run.state == expected
    assert value == {"a": [1, 2], "b/c": {"~": 0}}
