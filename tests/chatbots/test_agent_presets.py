"""The presets of agent servers, against answers that the real servers were seen to give."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest
from aiohttp import web

from sparring.chatbots import http
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import Button, Image, Link, Message, Text, ToolCall, message
from sparring.core.usage import Usage
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.llm.plugin_context import PluginContext
from tables import table

CASE = Case(id="orders/1", seed=7)
SHIPPED = {"id": 7, "status": "shipped"}
CALL = ToolCall(name="get_order", arguments={"order_id": 7}, result=SHIPPED)
FAILED = {"status": "error", "error_message": "no such order"}


class Recorded:
    """A server that answers a path, without what stands behind its last digits, with one answer after the other."""

    def __init__(self, answers: Mapping[str, Sequence[Any]]) -> None:
        self.answers = {path: list(each) for path, each in answers.items()}
        self.asked: dict[str, list[Any]] = defaultdict(list)

    async def __call__(self, request: web.Request) -> web.Response:
        kind = next(each for each in self.answers if request.path.endswith(each))
        self.asked[kind].append(json.loads(await request.text() or "null"))
        answer = self.answers[kind].pop(0)
        if isinstance(answer, str):
            return web.Response(text=answer, content_type="text/event-stream")
        return web.json_response(answer)


async def talk(chatbot: http.HttpChatbot, *lines: str) -> tuple[list[Message], Usage | None, list[Any]]:
    meter, states = Meter(), []
    with call_context(meter=meter):
        async with chatbot.connect(CASE) as session:
            if chatbot.capabilities.reports_state:
                states.append(await session.state())
            heard = [await session.reply(message("user", line)) for line in lines]
            if chatbot.capabilities.reports_state:
                with suppress(ChatbotError):
                    states.append(await session.state())
    return heard, meter.usage.get("chatbot"), states


def texts(*words: str, calls: Sequence[ToolCall] = ()) -> Message:
    return Message(role="chatbot", parts=tuple(Text(text=each) for each in words), tool_calls=tuple(calls))


def used(calls: int) -> Usage:
    return Usage(calls=calls, input_tokens=5 * calls, output_tokens=3 * calls, unknown_costs=calls)


# LangGraph


def human(text: str) -> dict[str, Any]:
    return {"type": "human", "id": f"h-{text}", "content": text}


def ai(content: Any, *calls: dict[str, Any], used: bool = True) -> dict[str, Any]:
    usage = {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8} if used else None
    return {
        "type": "ai",
        "id": f"a-{content}{calls}",
        "content": content,
        "tool_calls": [*calls],
        "usage_metadata": usage,
    }


def asks(id: str, name: str = "get_order") -> dict[str, Any]:
    return {"name": name, "args": {"order_id": 7}, "id": id, "type": "tool_call"}


def returned(id: str, content: Any, status: str = "success") -> dict[str, Any]:
    return {"type": "tool", "id": f"t-{id}", "tool_call_id": id, "content": content, "status": status}


async def test_langgraph_is_read_from_the_last_message_of_the_user_on(serve: Any, context: PluginContext):
    first = [human("my order"), ai("", asks("c1")), returned("c1", json.dumps(SHIPPED)), ai("It is on its way.")]
    second = [
        *first,
        human("and?"),
        ai("", asks("c2")),
        returned("c2", "gone", "error"),
        ai([{"type": "text", "text": "No "}, {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "luck."}]),
    ]
    server = Recorded(
        {
            "/threads": [{}],
            "/runs/wait": [{"messages": first, "orders": {}}, {"messages": second, "orders": {"7": "shipped"}}],
            "/state": [{"values": {}}, {"values": {"messages": second, "orders": {"7": "shipped"}}}],
        }
    )

    said, usage, states = await talk(http.langgraph(f"{await serve(server)}#shop", context), "my order", "and?")

    lost = ToolCall(name="get_order", arguments={"order_id": 7}, error="gone")
    assert (said, usage, states) == (
        [texts("It is on its way.", calls=[CALL]), texts("No luck.", calls=[lost])],
        used(4),
        [{}, {"orders": {"7": "shipped"}}],
    )
    assert server.asked["/runs/wait"][1] == {
        "assistant_id": "shop",
        "input": {"messages": [{"role": "user", "content": "and?"}]},
    }


async def test_an_interrupt_of_langgraph_is_a_question_that_the_next_message_answers(
    serve: Any, context: PluginContext
):
    before = [human("cancel it"), ai("One moment.", asks("c1"))]
    after = [*before, returned("c1", json.dumps(SHIPPED)), ai("Done.")]
    server = Recorded(
        {
            "/threads": [{}],
            "/runs/wait": [
                {"messages": before, "__interrupt__": [{"id": "i", "value": {"question": "Really?"}}]},
                {"messages": after, "__interrupt__": [{"id": "j", "value": {"what": 1}}]},
                {"messages": [*after, human("thanks"), ai("Bye.")]},
            ],
            "/state": [{"values": {}}] * 2,
        }
    )

    said, *_ = await talk(
        http.langgraph(f"{await serve(server)}#shop", context),
        "cancel it",
        "yes",
        "no",
    )

    waiting = ToolCall(name="get_order", arguments={"order_id": 7}, status="attempted")
    assert said == [
        texts("One moment.", "Really?", calls=[waiting]),
        texts("Done.", '{"what": 1}', calls=[CALL]),
        texts("Bye."),
    ]
    resumed = [asked.get("command") for asked in server.asked["/runs/wait"]]
    assert resumed == [None, {"resume": "yes"}, {"resume": "no"}]


async def test_an_exception_in_a_graph_is_a_failure_although_the_status_is_200(serve: Any, context: PluginContext):
    error = {"__error__": {"error": "ValueError", "message": "kaputt"}}
    server = Recorded({"/threads": [{}], "/runs/wait": [error], "/state": [{"values": {}}]})

    with pytest.raises(ChatbotError, match="reports an error: kaputt"):
        await talk(http.langgraph(await serve(server), context), "boom")


# Google ADK


def event(role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    usage = {"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 3}} if role == "model" else {}
    return {"content": {"role": role, "parts": [*parts]}, **usage, **more}


async def test_adk_is_read_without_thoughts_and_partial_events(serve: Any, context: PluginContext):
    called = {"functionCall": {"id": "c1", "name": "get_order", "args": {"order_id": 7}}}
    server = Recorded(
        {
            "/run": [
                [
                    event("model", {"text": "hm", "thought": True}, called),
                    event("user", {"functionResponse": {"id": "c1", "name": "get_order", "response": SHIPPED}}),
                    event("model", {"text": "It is"}, partial=True),
                    event("model", {"text": "It is on its way."}),
                ],
                [event("model", called), event("user", {"functionResponse": {"id": "c1", "response": FAILED}})],
            ],
            "": [{"state": {}}, {"state": {}}, {"state": {"seen": 7}}],
        }
    )

    said, usage, states = await talk(http.adk(f"{await serve(server)}#shop", context), "my order", "another")

    lost = ToolCall(name="get_order", arguments={"order_id": 7}, error=json.dumps(FAILED))
    assert (said, usage, states) == (
        [texts("It is on its way.", calls=[CALL]), texts(calls=[lost])],
        used(3),
        [{}, {"seen": 7}],
    )
    assert server.asked["/run"][0]["appName"] == "shop"


# AI SDK


def stream(*chunks: dict[str, Any], end: str = "stop") -> str:
    frame = [{"type": "start"}, {"type": "start-step"}, *chunks, {"type": "finish-step"}]
    last = [{"type": "finish", "finishReason": end}] if end else []
    return (
        ": keep-alive\n\n" + "".join(f"data: {json.dumps(each)}\n\n" for each in [*frame, *last]) + "data: [DONE]\n\n"
    )


def words(id: str, *deltas: str, kind: str = "text") -> list[dict[str, Any]]:
    return [
        {"type": f"{kind}-start", "id": id},
        *({"type": f"{kind}-delta", "id": id, "delta": delta} for delta in deltas),
        {"type": f"{kind}-end", "id": id},
    ]


async def test_the_data_parts_of_the_ai_sdk_are_the_state(serve: Any, context: PluginContext):
    cart = [{"type": "data-cart", "id": "1", "data": {"items": number}} for number in (1, 2)]
    passing = {"type": "data-progress", "data": 50, "transient": True}
    first = stream({"type": "data-user", "data": "Bo"}, cart[0], passing, *words("1", "Added."))
    server = Recorded({"/chat": [first, stream(cart[1], *words("2", "Two."))]})
    silent = Recorded({"/chat": [stream(passing, *words("1", "Hello."))]})

    _, _, states = await talk(http.aisdk(f"{await serve(server)}/chat", context), "one", "another")
    _, _, unknown = await talk(http.aisdk(f"{await serve(silent)}/chat", context), "one")

    assert states == [{}, {"data": {"user": "Bo", "cart": {"items": 2}}}]
    assert unknown == [{}]


ORDERED = [
    {"type": "tool-input-start", "toolCallId": "c1", "toolName": "get_order"},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "{"},
    {"type": "tool-input-available", "toolCallId": "c1", "toolName": "get_order", "input": {"order_id": 7}},
]


@table(
    ("answer", "sent", "events", "call"),
    [
        (
            "yes",
            {"approved": True},
            [{"type": "tool-output-available", "toolCallId": "c1", "output": SHIPPED}],
            CALL,
        ),
        (
            "Reject",
            {"approved": False, "reason": "Reject"},
            [{"type": "tool-output-denied", "toolCallId": "c1"}],
            CALL.model_copy(update={"result": None, "error": "tool-output-denied", "status": "failed"}),
        ),
        (
            "Which one?",
            {"approved": False, "reason": "Which one?"},
            [{"type": "tool-output-denied", "toolCallId": "c1"}],
            CALL.model_copy(update={"result": None, "error": "tool-output-denied", "status": "failed"}),
        ),
    ],
)
async def test_the_ai_sdk_asks_for_approvals_that_the_next_message_gives_or_not(
    serve: Any, context: PluginContext, answer: str, sent: Any, events: list[Any], call: ToolCall
):
    asking = stream(*ORDERED, {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": "c1"})
    server = Recorded({"/chat": [asking, stream(*events, *words("1", "Well.")), stream(*words("1", "Bye."))]})

    said, *_ = await talk(http.aisdk(f"{await serve(server)}/chat", context), "my order", answer, "thanks")

    waiting = CALL.model_copy(update={"result": None, "status": "attempted"})
    question = (Text(text='Approve get_order({"order_id": 7})?'), Button(title="Approve"), Button(title="Reject"))
    assert said == [
        Message(role="chatbot", parts=question, tool_calls=(waiting,)),
        texts("Well.", calls=[call]),
        texts("Bye."),
    ]
    (part,) = [part for part in server.asked["/chat"][1]["messages"][-1]["parts"] if part["type"] != "step-start"]
    assert part == {
        "type": "dynamic-tool",
        "toolName": "get_order",
        "toolCallId": "c1",
        "input": {"order_id": 7},
        "state": "approval-responded",
        "approval": {"id": "a1", **sent},
    }
    assert "Approve" not in json.dumps(server.asked["/chat"][2]["messages"])


async def test_the_ai_sdk_is_sent_the_conversation_as_parts_and_read_by_the_ids_of_its_texts(
    serve: Any, context: PluginContext
):
    first = stream(
        *words("r", "secret", kind="reasoning"),
        *words("1", "Let me ", "check."),
        *ORDERED,
        {"type": "tool-output-available", "toolCallId": "c1", "output": {"id": 7}, "preliminary": True},
        {"type": "tool-output-available", "toolCallId": "c1", "output": SHIPPED},
        *words("2", "On its ", "way."),
        {"type": "file", "url": "https://x/p.png", "mediaType": "image/png"},
        {"type": "source-url", "url": "https://x/", "sourceId": "s"},
    )
    spent = {"type": "message-metadata", "messageMetadata": {"totalUsage": {"inputTokens": 5, "outputTokens": 3}}}
    second = stream(
        spent, *ORDERED, {"type": "tool-output-error", "toolCallId": "c1", "errorText": "gone"}, *words("1", "No.")
    )
    server = Recorded({"/chat": [first, second, stream(*ORDERED)]})

    said, usage, _ = await talk(http.aisdk(f"{await serve(server)}/chat", context), "my order", "and?", "hm")

    parts = (Text(text="Let me check."), Text(text="On its way."), Image(url="https://x/p.png"), Link(url="https://x/"))
    lost = ToolCall(name="get_order", arguments={"order_id": 7}, error="gone")
    waiting = ToolCall(name="get_order", arguments={"order_id": 7}, status="attempted")
    assert (said, usage) == (
        [
            Message(role="chatbot", parts=parts, tool_calls=(CALL,)),
            texts("No.", calls=[lost]),
            texts(calls=[waiting]),
        ],
        Usage(calls=3, input_tokens=5, output_tokens=3, unknown_tokens=2, unknown_costs=3),
    )
    user, assistant, *_ = server.asked["/chat"][1]["messages"]
    tool = {"type": "dynamic-tool", "toolName": "get_order", "toolCallId": "call-1-0", "input": {"order_id": 7}}
    assert (user["parts"], assistant["role"], assistant["parts"]) == (
        [{"type": "text", "text": "my order"}],
        "assistant",
        [
            {"type": "step-start"},
            {**tool, "state": "output-available", "output": SHIPPED},
            {"type": "step-start"},
            {"type": "text", "text": "Let me check.\nOn its way."},
        ],
    )
    assert server.asked["/chat"][2]["messages"][3]["parts"][1]["errorText"] == "gone"


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (stream(*words("1", "On its"), end=""), "^the stream broke off$"),
        (stream({"type": "error", "errorText": "kaputt"}, end="error"), "reports an error: kaputt"),
    ],
)
async def test_a_stream_that_breaks_off_or_ends_in_an_error_is_no_reply(
    serve: Any, context: PluginContext, answer: str, failure: str
):
    with pytest.raises(ChatbotError, match=failure):
        await talk(http.aisdk(f"{await serve(Recorded({'/chat': [answer]}))}/chat", context), "my order")


async def test_a_failure_after_a_call_without_result_names_approvals_of_the_ai_sdk_before_6(
    serve: Any, context: PluginContext
):
    server = Recorded({"/chat": [stream(*ORDERED), "the tool has no result"]})

    with pytest.raises(ChatbotError, match=r"1 tool call\(s\) of the turns before have no result.*version 6"):
        await talk(http.aisdk(f"{await serve(server)}/chat", context), "my order", "yes")


# OpenAI, Anthropic, and agents that return their messages


async def test_responses_are_sent_every_item_again_and_reasoning_is_no_reply(serve: Any, context: PluginContext):
    thought = {"type": "reasoning", "id": "r", "content": [{"type": "reasoning_text", "text": "secret"}]}
    spoken = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "On its way."}]}
    called = {"type": "function_call", "call_id": "c1", "name": "get_order", "arguments": '{"order_id": 7}'}
    output = {"type": "function_call_output", "call_id": "c1", "output": json.dumps(SHIPPED)}
    hosted = {"type": "mcp_call", "id": "c2", "name": "lookup", "arguments": "{}", "output": "found", "error": None}
    refused = {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot do that."}]}
    usage = {"input_tokens": 5, "output_tokens": 3, "input_tokens_details": None}
    answers = [[thought, called, output, hosted, spoken], [called, refused]]
    about = {"id": "x", "model": "gpt-x-2026", "error": None, "usage": usage}
    server = Recorded({"/responses": [{**about, "output": each} for each in answers]})

    with call_context(meter=(meter := Meter())):
        async with http.responses(f"{await serve(server)}/v1#m", context).connect(CASE) as session:
            said = [await session.reply(message("user", line)) for line in ("my order", "again")]

    waiting = ToolCall(name="get_order", arguments={"order_id": 7}, status="attempted")
    lookup = ToolCall(name="lookup", result="found")
    assert (said, meter.usage["chatbot"]) == (
        [texts("On its way.", calls=[CALL, lookup]), texts("I cannot do that.", calls=[waiting])],
        used(2),
    )
    assert [each.model for each in meter.calls] == ["gpt-x-2026"] * 2
    asked = [{"role": "user", "content": text} for text in ("my order", "again")]
    assert server.asked["/responses"][1] == {"model": "m", "input": [asked[0], *answers[0], asked[1]]}


class Storing:
    """A server of Responses that keeps them, until it has `forgotten` them."""

    def __init__(self, *, forgets: bool = False, says: Any = True) -> None:
        self.said: dict[str, list[Any]] = {}
        self.asked: list[tuple[str, int]] = []
        self.forgets, self.says = forgets, says

    async def __call__(self, request: web.Request) -> web.Response:
        body = await request.json()
        before = body.get("previous_response_id", "")
        self.asked.append((before, len(body["input"])))
        if before and (self.forgets or before not in self.said):
            error = {"code": "previous_response_not_found", "message": f"Previous response {before!r} not found."}
            return web.json_response({"error": error}, status=400)
        said = [*self.said.get(before, []), *body["input"]]
        heard = ", ".join(each["content"] for each in said if each.get("role") == "user")
        spoken = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": heard}]}
        id = f"resp_{len(self.said) + 1}"
        self.said[id] = [*said, spoken] if self.says else []
        return web.json_response({"id": id, "store": self.says, "output": [spoken]})


@pytest.mark.parametrize(
    ("storing", "asked"),
    [
        (Storing(), [("", 1), ("resp_1", 1), ("resp_2", 1)]),
        (Storing(forgets=True), [("", 1), ("resp_1", 1), ("", 3), ("", 5)]),
        (Storing(says=False), [("", 1), ("", 3), ("", 5)]),
        (Storing(says=None), [("", 1), ("", 3), ("", 5)]),
    ],
    ids=["stores", "forgets", "does not store", "does not say"],
)
async def test_a_server_that_stores_responses_continues_them_and_others_get_all_items(
    serve: Any, context: PluginContext, storing: Storing, asked: list[tuple[str, int]]
):
    said, *_ = await talk(http.responses(f"{await serve(storing)}/v1#m", context), "one", "two", "three")

    assert [each.text for each in said] == ["one", "one, two", "one, two, three"]
    assert storing.asked == asked


async def test_a_server_that_fails_to_continue_a_response_is_not_asked_twice(serve: Any, context: PluginContext):
    class Failing(Storing):
        async def __call__(self, request: web.Request) -> web.Response:
            answer = await super().__call__(request)
            return web.json_response({}, status=500) if len(self.asked) > 1 else answer

    failing = Failing()
    with pytest.raises(ChatbotError, match="HTTP 500"):
        await talk(http.responses(f"{await serve(failing)}/v1#m", context), "one", "two")

    assert len(failing.asked) == 2


async def test_anthropic_gets_its_content_back_whole_and_its_input_is_the_sum_of_three(
    serve: Any, context: PluginContext
):
    content = [{"type": "thinking", "thinking": "secret", "signature": "s"}, {"type": "text", "text": "On its way."}]
    usage = {"input_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": None, "output_tokens": 3}
    server = Recorded({"/v1/messages": [{"content": content, "usage": usage}] * 2})

    said, counted, _ = await talk(http.anthropic(f"{await serve(server)}#m", context), "my order", "thanks")

    assert (said, counted) == (
        [texts("On its way.")] * 2,
        Usage(calls=2, input_tokens=18, output_tokens=6, cached_tokens=8, unknown_costs=2),
    )
    assert server.asked["/v1/messages"][1]["messages"] == [
        {"role": "user", "content": "my order"},
        {"role": "assistant", "content": content},
        {"role": "user", "content": "thanks"},
    ]


@pytest.mark.parametrize("shape", ["openai", "langchain"])
async def test_an_agent_that_returns_its_messages_gets_them_back_and_is_read_from_where_they_are_new(
    serve: Any, context: PluginContext, shape: str
):
    function = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": '{"order_id": 7}'}}
    turns = {
        "openai": [
            {"role": "user", "content": "my order"},
            {"role": "assistant", "content": None, "tool_calls": [function]},
            {"role": "tool", "tool_call_id": "c1", "content": json.dumps(SHIPPED)},
            {"role": "assistant", "content": "On its way."},
        ],
        "langchain": [human("my order"), ai("", asks("c1")), returned("c1", json.dumps(SHIPPED)), ai("On its way.")],
    }[shape]
    last = [{"role": "user", "content": "thanks"}, {"role": "assistant", "content": "Bye."}]
    server = Recorded({"/chat": [{"messages": turns}, {"messages": [*turns, *last]}]})

    said, *_ = await talk(http.messages(f"{await serve(server)}/chat", context), "my order", "thanks")

    assert said == [texts("On its way.", calls=[CALL]), texts("Bye.")]
    assert server.asked["/chat"][1] == {"messages": [*turns, last[0]]}
