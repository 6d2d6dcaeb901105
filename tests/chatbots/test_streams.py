"""Conversations with agents side by side, and streams that arrive in pieces or break off."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from fakes import Saying
from sparring.chatbots import a2a, agui, http, websocket
from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, message
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.call_context import call_context
from sparring.llm.client.transport import Response
from sparring.llm.deadlines import ConversationClock
from sparring.llm.plugin_context import PluginContext
from sparring.simulation.simulate import simulate

CONVERSATIONS, AT_ONCE, TURNS = 200, 50, 3


def events(*said: dict[str, Any]) -> str:
    return "".join(f"data: {json.dumps(each)}\n\n" for each in said)


def ui_stream(text: str) -> str:
    delta = {"type": "text-delta", "id": "1", "delta": text}
    return events({"type": "start"}, {"type": "text-start", "id": "1"}, delta, {"type": "finish"}) + "data: [DONE]\n\n"


def run_stream(text: str) -> str:
    said = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": text}
    return events({"type": "RUN_STARTED"}, said, {"type": "RUN_FINISHED"})


class Repeating:
    """A server of every protocol that repeats all that the user said in a conversation, a moment later."""

    def __init__(self) -> None:
        self.threads: dict[str, list[Any]] = defaultdict(list)

    async def __call__(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else {}
        await asyncio.sleep(0)
        if "runId" in body:
            return web.Response(text=run_stream(self._all(each["content"] for each in self._users(body))))
        if "trigger" in body:
            return web.Response(text=ui_stream(self._all(each["parts"][0]["text"] for each in self._users(body))))
        if "jsonrpc" in body:
            said = body["params"]["message"]
            context = said.get("contextId") or said["messageId"]
            self.threads[context].append(said["parts"][0]["text"])
            spoken = {"contextId": context, "parts": [{"text": self._all(self.threads[context])}]}
            return web.json_response({"jsonrpc": "2.0", "result": {"message": spoken}})
        if "input" in body:
            thread = self.threads[request.path]
            words = body["input"]["messages"][0]["content"]
            thread.append({"type": "human", "id": f"h{len(thread)}", "content": words})
            answer = self._all(each["content"] for each in thread if each["type"] == "human")
            thread.append({"type": "ai", "id": f"a{len(thread)}", "content": answer})
            return web.json_response({"messages": thread})
        return web.json_response({}, status=404 if request.path.endswith(".json") else 200)

    def _users(self, body: Any) -> list[Any]:
        return [each for each in body["messages"] if each["role"] == "user"]

    def _all(self, texts: Any) -> str:
        return " ".join(texts)


@pytest.mark.parametrize("connect", [agui.connect, http.aisdk, a2a.connect, http.langgraph])
@pytest.mark.slow
async def test_no_message_gets_into_another_conversation(
    serve: Any, context: PluginContext, connect: Callable[[str, PluginContext], Chatbot]
):
    chatbot, places = connect(await serve(Repeating()), context), asyncio.Semaphore(AT_ONCE)

    async def talk(number: int) -> str:
        async with places, chatbot.connect(Case(id="same", seed=1)) as session:
            return [await session.reply(message("user", f"{number}-{turn}")) for turn in range(TURNS)][-1].text

    reply_of = await asyncio.gather(*(talk(number) for number in range(CONVERSATIONS)))

    assert reply_of == [" ".join(f"{number}-{turn}" for turn in range(TURNS)) for number in range(CONVERSATIONS)]


@asynccontextmanager
async def sending(*pieces: bytes, head: bytes) -> AsyncIterator[str]:
    """Serve an answer in pieces, and close the connection behind them."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in asked.lower().split(b"\r\n") if line.startswith(b"content-length"))
        await reader.readexactly(int(length.partition(b":")[2]))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + head + b"\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def reply_of(chatbot: Chatbot) -> Message | str:
    async with chatbot.connect(Case(id="a", seed=1)) as session:
        try:
            return await session.reply(message("user", "Hi"))
        except ChatbotError as error:
            return str(error)


def chat_stream(text: str) -> str:
    """Return the chunks of a chat completion that says `text`."""
    return events(
        *({"choices": [{"index": 0, "delta": each}]} for each in ({"role": "assistant"}, {"content": text})),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    )


STREAMS = {
    "agui": (agui.connect, run_stream),
    "aisdk": (http.aisdk, ui_stream),
    "openai": (http.openai, chat_stream),
}
TEXT = "Größe: 12 €, \u2028 ok"


@pytest.mark.slow
@pytest.mark.parametrize("kind", STREAMS)
async def test_wherever_a_stream_is_cut_in_two_it_says_the_same(kind: str, context: PluginContext):
    connect, stream = STREAMS[kind]
    body = json.dumps(TEXT, ensure_ascii=False).join(stream("@").split('"@"')).encode()
    for changed in (body, body.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + body, b": hello\n\n" + body):
        for at in range(0, len(changed), 1 if changed is body else 29):
            head = f"Content-Length: {len(changed)}\r\n".encode()
            async with sending(changed[:at], changed[at:], head=head) as url:
                assert await reply_of(connect(url, context)) == message("chatbot", TEXT), at


@pytest.mark.slow
@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("head", [b"Connection: close\r\n", b"Content-Length: 99999\r\n"], ids=["open end", "length"])
async def test_wherever_a_stream_ends_it_is_whole_or_broke_off(kind: str, head: bytes, context: PluginContext):
    connect, stream = STREAMS[kind]
    body = stream("All of it.").encode()
    whole = body.rindex(b"}") + 1 if b"close" in head else len(body) + 1
    for at in range(1, len(body) + 1):
        async with sending(body[:at], head=head) as url:
            found = await reply_of(connect(url, context))
        if at < whole:
            assert found in ("the stream broke off",) or "not AG-UI" in str(found), at
        else:
            assert found == message("chatbot", "All of it."), at


@dataclass
class Arriving:
    """A transport whose stream arrives at given times, one event after the other."""

    said: str
    times: tuple[float, ...]

    async def send(self, *_: object, **__: object) -> Response:
        pieces = [f"{piece}\n\n".encode() for piece in self.said.split("\n\n")]
        sizes = accumulate(map(len, pieces))
        arrivals = tuple(zip(sizes, self.times, strict=False))
        return Response(200, {"content-type": "text/event-stream"}, b"".join(pieces), arrivals)


CHUNKS = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in ("", "Hel", "lo")]
WORDS = [{"type": "text-delta", "id": "1", "delta": text} for text in (" ", "Hel", "lo")]
PARTS = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text} for text in (" ", "Hel", "lo")]
PRESET = 'url: "{{address}}"\nbody: {text: "{{message}}"}\nanswer: deltas\nreply: choices[0].delta.content\n'


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("aisdk", events({"type": "start"}, *WORDS, {"type": "finish"})),
        ("agui", events({"type": "RUN_STARTED"}, *PARTS, {"type": "RUN_FINISHED"})),
        ("openai", events({"choices": []}, *CHUNKS, {"choices": [{"index": 0, "finish_reason": "stop"}]})),
        ("http", events({"choices": [{"delta": {"role": "assistant"}}]}, *CHUNKS, {"choices": []})),
    ],
)
async def test_the_time_to_the_first_token_of_a_stream_is_in_the_timing(
    kind: str, said: str, context: PluginContext, tmp_path: Path
):
    (tmp_path / "bot.yaml").write_text(PRESET.replace("{{address}}", "http://bot"))
    transport = Arriving(said, (10.0, 11.0, 12.5, 13.0, 20.0))
    connect = http.connect if kind == "http" else STREAMS[kind][0]
    where = str(tmp_path / "bot.yaml") if kind == "http" else "http://bot"
    chatbot = connect(where, replace(context, transport=transport))

    with ConversationClock() as clock, call_context(clock=clock):
        async with chatbot.connect(Case(id="a", seed=1)) as session:
            assert (await session.reply(message("user", "Hi"))).text.strip() == "Hello"

    assert clock.streamed == 7.5


STOP = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
IN_TWO = {
    "aisdk": ("text/event-stream", events({"type": "start"}, WORDS[1]), events(WORDS[2], {"type": "finish"})),
    "agui": (
        "text/event-stream",
        events({"type": "RUN_STARTED"}, PARTS[1]),
        events(PARTS[2], {"type": "RUN_FINISHED"}),
    ),
    "openai": ("text/event-stream", events(CHUNKS[1]), events(CHUNKS[2], STOP)),
    "http": ("application/x-ndjson", json.dumps(CHUNKS[1]) + "\n", json.dumps(CHUNKS[2]) + "\n"),
    "text": ("text/plain", "Hel", "lo"),
    "websocket": ("", json.dumps(CHUNKS[1]), json.dumps({**CHUNKS[2], "end": True})),
}


async def in_two(request: web.Request) -> web.StreamResponse:
    """Answer with the two halves that the path names, one a moment after the other."""
    kind, *halves = IN_TWO[request.path.split("/")[1]]
    answer = web.StreamResponse(headers={"content-type": kind}) if kind else web.WebSocketResponse()
    await answer.prepare(request)
    if isinstance(answer, web.WebSocketResponse):
        await answer.receive()
    for half in halves:
        await (answer.send_str(half) if isinstance(answer, web.WebSocketResponse) else answer.write(half.encode()))
        await asyncio.sleep(0.02)
    return answer


@pytest.mark.parametrize("kind", IN_TWO)
async def test_over_sockets_the_first_token_comes_before_the_whole_reply(
    kind: str, serve: Any, context: PluginContext, tmp_path: Path
):
    url = f"{await serve(in_two)}/{kind}"
    preset = PRESET.replace("{{address}}", url.replace("http", "ws") if kind == "websocket" else url)
    rest = {"text": preset.partition("answer")[0] + "answer: text\n", "websocket": f"{preset}until: end\n"}
    (tmp_path / "bot.yaml").write_text(rest.get(kind, preset))
    connect = STREAMS[kind][0] if kind in STREAMS else websocket.connect if kind == "websocket" else http.connect
    chatbot = connect(url if kind in STREAMS else str(tmp_path / "bot.yaml"), context)

    conversation = await simulate(Case(id="a"), Saying("Hi"), chatbot, reader=PatternReader())

    assert conversation.messages[-1].text == "Hello"
    assert conversation.timing is not None
    ((first,), (whole,)) = conversation.timing.first_tokens, conversation.timing.replies
    assert first is not None
    assert 0 < first < whole


async def test_a_transport_notes_when_a_stream_arrives_and_nothing_of_other_answers(context: PluginContext):
    body = ui_stream("Hello").encode()
    async with sending(body[:9], body[9:], head=b"Connection: close\r\n") as url:
        stream = await context.transport.send("POST", url, headers={}, body=b"{}")

    assert stream.arrivals[-1][0] == len(body)
    assert [*stream.arrivals] == sorted(stream.arrivals)


CALLED = [
    {"role": "assistant", "content": None, "tool_calls": [{"index": 0, "id": "a", "function": {"name": "find"}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": '{"id"'}}, {"index": 1, "id": "b"}]},
    {"tool_calls": [{"index": 1, "function": {"name": "cancel", "arguments": "{}"}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": ": 7}"}}]},
]


async def test_tool_calls_in_the_chunks_of_a_chat_completion_are_put_together(context: PluginContext):
    chunks = [{"choices": [{"index": 0, "delta": each}]} for each in CALLED]
    said = events(*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}).encode()
    async with sending(said, head=b"Connection: close\r\n") as url:
        found = await reply_of(http.openai(url, context))

    assert isinstance(found, Message)
    assert [(each.name, each.arguments) for each in found.tool_calls] == [("find", {"id": 7}), ("cancel", {})]


@pytest.mark.parametrize("status", [400, 422, 501, 500])
async def test_a_server_that_refuses_to_stream_is_asked_without(status: int, serve: Any, context: PluginContext):
    asked: list[bool] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append("stream" in await request.json())
        if asked[-1]:
            return web.json_response({"error": {"message": "no stream"}}, status=status)
        return web.json_response({"choices": [{"message": {"content": "Hello"}}]})

    async with http.openai(await serve(answer), context).connect(Case(id="a")) as session:
        if status == 500:
            with pytest.raises(ChatbotError, match="HTTP 500: no stream"):
                await session.reply(message("user", "Hi"))
            return
        said = [await session.reply(message("user", "Hi")) for _ in range(2)]

    assert (said, asked) == ([message("chatbot", "Hello")] * 2, [True, False, False])


async def test_a_server_that_does_not_stream_answers_at_once(context: PluginContext):
    whole = {"choices": [{"message": {"content": "Hello"}}]}
    async with sending(json.dumps(whole, indent=1).encode(), head=b"Connection: close\r\n") as url:
        assert await reply_of(http.openai(url, context)) == message("chatbot", "Hello")
