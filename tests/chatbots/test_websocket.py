import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from sparring.chatbots.websocket import SocketChatbot, connect
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, ChatbotTimeout, ChatbotUnreachable, InputError
from sparring.core.message import Message, ToolCall, message
from sparring.core.seeding import session_id
from sparring.llm.call_context import call_context
from sparring.llm.deadlines import ConversationClock
from sparring.llm.plugin_context import PluginContext

CASE = Case(id="pizza/1", seed=7, variables={"size": "large"})
Make = Callable[[str], SocketChatbot]
Talking = Callable[[web.WebSocketResponse, str], Awaitable[None]]


@pytest.fixture
def make(tmp_path: Path, context: PluginContext) -> Make:
    def written(preset: str) -> SocketChatbot:
        file = tmp_path / "chatbot.yaml"
        file.write_text(preset)
        return connect(str(file), context)

    return written


def talking(each: Talking, first: tuple[str, ...] = ()) -> Callable[[web.Request], Awaitable[web.WebSocketResponse]]:
    """A server that sends something first, and then answers every frame."""

    async def answer(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for text in first:
            await socket.send_str(text)
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await each(socket, frame.data)
        return socket

    return answer


def saying(*frames: Any) -> Callable[[web.Request], Awaitable[web.WebSocketResponse]]:
    async def each(socket: web.WebSocketResponse, text: str) -> None:
        for frame in frames:
            await socket.send_str(frame if isinstance(frame, str) else json.dumps(frame))

    return talking(each)


def preset(address: str, rest: str = "", reply: str = "reply: text\n") -> str:
    return f'url: {address.replace("http", "ws")}/chat\nbody: {{text: "{{{{message}}}}"}}\n{reply}{rest}'


async def said(chatbot: SocketChatbot, *lines: str) -> list[Message]:
    async with chatbot.connect(CASE) as session:
        return [await session.reply(message("user", line)) for line in lines]


async def test_everything_that_is_known_goes_to_where_the_preset_says(
    serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch
):
    asked: list[Any] = []

    async def answers(request: web.Request) -> web.WebSocketResponse:
        asked.append((request.path_qs, request.headers["Authorization"]))

        async def each(socket: web.WebSocketResponse, text: str) -> None:
            asked.append(text)
            await socket.send_json({"text": "ok", "ticket": len(asked)})

        return await talking(each, ('{"typing": true}', '{"text": "Welcome"}'))(request)

    monkeypatch.setenv("SHOP_KEY", "hunter2")
    chatbot = make(f"""
url: {(await serve(answers)).replace("http", "ws")}/{{{{session}}}}?key=${{SHOP_KEY}}
headers: {{Authorization: "Bearer ${{SHOP_KEY}}"}}
start: [{{reply: text}}, {{body: "size={{{{size}}}}", keep: {{ticket: ticket}}}}]
body: {{say: "{{{{message}}}}", ticket: "{{{{ticket}}}}"}}
reply: text
""")
    async with chatbot.connect(CASE) as session:
        greeting, heard = session.greeting, await session.reply(message("user", "Hi"))

    assert (greeting, heard, asked) == (
        message("chatbot", "Welcome"),
        message("chatbot", "ok"),
        [(f"/{session_id(CASE)}?key=hunter2", "Bearer hunter2"), "size=large", '{"say": "Hi", "ticket": 2}'],
    )


@pytest.mark.parametrize(
    ("frames", "rest", "texts"),
    [
        ([{"typing": True}, {"text": "One"}], "", ["One"]),
        ([{"text": "One"}, {"text": "Two"}, {"type": "done"}], "until: {path: type, equals: done}\n", ["One\nTwo"]),
        ([{"text": "One"}, {"text": "Two"}, {"last": True}], "until: last\n", ["One\nTwo"]),
        ([{"text": "One"}, {"text": "Two"}], "quiet: 0.2\n", ["One\nTwo"]),
        ([{"text": "One"}, {"done": 1}], "until: done\nquiet: 9\n", ["One"]),
        ([{"type": "typing"}, {"text": "One"}], "until: done\nquiet: 0.2\n", ["One"]),
        ([{"text": "He"}, {"text": "llo "}, {"text": "you", "end": 1}], "until: end\nanswer: deltas\n", ["Hello you"]),
    ],
)
async def test_a_reply_is_complete_when_the_preset_says_so(
    serve: Any, make: Make, frames: list[Any], rest: str, texts: list[str]
):
    heard = await said(make(preset(await serve(saying(*frames)), rest)), "Hi")

    assert [one.text for one in heard] == texts


@pytest.mark.parametrize(
    ("frames", "streams"), [([{"text": "He"}, {"text": "y", "end": 1}], True), ([{"end": 1, "text": "Hey"}], False)]
)
async def test_the_time_to_the_first_words_is_known_if_more_frames_follow(
    serve: Any, make: Make, frames: list[Any], streams: bool
):
    chatbot = make(preset(await serve(saying(*frames)), "until: end\nanswer: deltas\n"))
    with ConversationClock() as clock, call_context(clock=clock):
        (heard,) = await said(chatbot, "Hi")

    assert (heard.text, clock.streamed is not None) == ("Hey", streams)


@pytest.mark.parametrize("quiet", ["", "quiet: 0.01\n"])
async def test_words_that_come_after_a_reply_seemed_complete_fail_the_conversation(serve: Any, make: Make, quiet: str):
    more, sent = asyncio.Event(), asyncio.Event()

    async def pausing(socket: web.WebSocketResponse, text: str) -> None:
        await socket.send_json({"text": "One"})
        await more.wait()
        await socket.send_json({"typing": 1})
        await socket.send_json({"text": "Two"})
        sent.set()

    chatbot = make(preset(await serve(talking(pausing)), quiet))

    async def talk() -> None:
        async with chatbot.connect(CASE) as session:
            while True:  # until the words are there before the next message
                more.clear()
                await session.reply(message("user", "Hi"))
                more.set()
                await sent.wait()
                sent.clear()

    with pytest.raises(ChatbotError, match=r"after a reply that seemed complete, and .*: choose a longer `quiet`"):
        await talk()


async def test_what_else_comes_after_a_reply_is_part_of_the_next_one(serve: Any, make: Make):
    frames = iter([[{"text": "One"}, {"call": "look"}], [{"text": "Two"}]])

    async def answer(socket: web.WebSocketResponse, text: str) -> None:
        for frame in next(frames):
            await socket.send_json(frame)

    tools = "tools: {each: $, name: call}\n"
    heard = await said(make(preset(await serve(talking(answer)), tools)), "Hi", "And?")

    assert [(each.text, len(each.tool_calls)) for each in heard] in ([("One", 0), ("Two", 1)], [("One", 1), ("Two", 0)])


async def test_the_last_frame_of_a_greeting_does_not_end_the_first_reply(serve: Any, make: Make):
    late = ['{"end": 1}', '{"text": "Hello"}', '{"end": 1}']

    async def each(socket: web.WebSocketResponse, text: str) -> None:
        for frame in late if text == '{"text": "Hi"}' else late[1:]:
            await socket.send_str(frame)

    ending = "start: [{reply: text}]\nuntil: end\n"
    chatbot = make(preset(await serve(talking(each, ('{"text": "Welcome"}',))), ending))

    assert [one.text for one in await said(chatbot, "Hi", "And?")] == ["Hello", "Hello"]


async def test_plain_text_is_its_own_reply(serve: Any, make: Make):
    async def in_bytes(socket: web.WebSocketResponse, text: str) -> None:
        await socket.send_bytes(f"You said {text}".encode())

    chatbot = make(
        preset(await serve(talking(in_bytes)), "answer: text\n", "").replace('{text: "{{message}}"}', '"{{message}}"')
    )

    assert await said(chatbot, "Hi") == [message("chatbot", "You said Hi")]


async def test_tools_and_endings_are_read_from_any_frame_of_a_reply(serve: Any, make: Make):
    frames = [{"tools": [{"name": "pay", "result": 3}]}, {"text": "Bye", "closing": True}]
    rest = "tools: {each: tools, result: result}\nended: closing\n"

    heard = await said(make(preset(await serve(saying(*frames)), rest)), "Hi")

    assert heard == [message("chatbot", "Bye", tool_calls=(ToolCall(name="pay", result=3),), ends=True)]


@pytest.mark.parametrize(
    ("frames", "rest", "reason"),
    [
        (["oops\n\x07"], "", "what it said is not JSON: oops"),
        ([{"error": "out of order"}], "error: error\n", "the chatbot reports an error: out of order"),
        ([{"done": 1, "other": 2}], "until: done\n", 'there is no text in the answer: {"done": 1, "other": 2}'),
        (
            [{"done": 1, "text": ""}],
            "until: done\nsilence: error\n",
            'the chatbot said nothing: {"done": 1, "text": ""}',
        ),
    ],
)
async def test_an_invalid_frame_is_a_failure_with_its_reason(
    serve: Any, make: Make, frames: list[Any], rest: str, reason: str
):
    with pytest.raises(ChatbotError) as caught:
        await said(make(preset(await serve(saying(*frames)), rest)), "Hi")

    assert str(caught.value) == reason


async def test_a_closed_connection_is_distinguished_from_a_slow_or_missing_server(
    serve: Any, make: Make, refusing: str, monkeypatch: pytest.MonkeyPatch
):
    async def hangs_up(socket: web.WebSocketResponse, text: str) -> None:
        await socket.close(code=1011)

    async def refuses(request: web.Request) -> web.Response:
        return web.Response(status=403)

    monkeypatch.setenv("SHOP_KEY", "hunter2")
    served = [await serve(talking(hangs_up)), await serve(saying()), await serve(refuses), f"http://{refusing}"]
    told = []
    for address, timeout in zip(served, (60, 0.2, 60, 60), strict=True):
        chatbot = make(preset(address, f"timeout: {timeout}\nheaders: {{Authorization: 'Bearer ${{SHOP_KEY}}'}}\n"))
        with pytest.raises(ChatbotError) as caught:
            await said(chatbot, "Hi")
        place = address.replace("http", "ws")
        told.append((type(caught.value), str(caught.value).replace(place, "PLACE").partition(": ")[0]))
        assert "hunter2" not in f"{caught.value!r} {caught.value.__cause__!r}"

    assert told == [
        (ChatbotError, "the chatbot closed the connection (code 1011)"),
        (ChatbotTimeout, "no complete reply within 0.2 s"),
        (ChatbotUnreachable, "HTTP 403"),
        (ChatbotUnreachable, "no connection to PLACE/chat"),
    ]


async def test_no_redirect_is_followed_so_that_no_key_goes_elsewhere(
    serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch
):
    elsewhere: list[str] = []

    async def takes(request: web.Request) -> web.StreamResponse:
        elsewhere.append(request.headers["X-Api-Key"])
        return await saying({"text": "Hi"})(request)

    other = await serve(takes)

    async def redirects(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": other})

    monkeypatch.setenv("SHOP_KEY", "hunter2-and-more")
    chatbot = make(preset(await serve(redirects), "headers: {X-Api-Key: '${SHOP_KEY}'}\n"))

    with pytest.raises(ChatbotError, match=r": HTTP 302: it redirects, and redirects are not followed$"):
        await said(chatbot, "Hi")
    assert elsewhere == []


async def test_a_key_that_a_chatbot_says_back_is_hidden(serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHOP_KEY", "hunter2-and-more")
    address = await serve(saying({"text": "wrong: hunter2-and-more, literal-token"}))
    rest = "headers: {Authorization: 'Bearer ${SHOP_KEY}', X-Token: literal-token}\n"

    assert await said(make(preset(address, rest)), "Hi") == [message("chatbot", "wrong: [redacted], [redacted]")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frame", "rest"),
    [("x" * 300_000, ""), ("x" * 1_100_000, ""), ("x" * 9_999, "quiet: 5\n"), ("x" * 9_999, "until: done\n")],
)
async def test_a_chatbot_that_never_comes_to_its_end_is_given_up(serve: Any, make: Make, frame: str, rest: str):
    async def goes_on(socket: web.WebSocketResponse, text: str) -> None:
        if rest.startswith("quiet"):
            await socket.send_json({"text": "Hi"})
        with suppress(ConnectionError):
            while not socket.closed:
                await socket.send_json({"typing": frame})

    with pytest.raises(ChatbotError, match="the chatbot sent more than 1,000,000 characters"):
        await said(make(preset(await serve(talking(goes_on)), rest)), "Hi")


def test_all_settings_that_cannot_work_are_reported_at_once(make: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SHOP_KEY", raising=False)

    with pytest.raises(InputError) as caught:
        make("url: http://localhost\nheaders: {A: '${SHOP_KEY}'}\nbody: hello\nreply: text\n")

    assert [problem.message for problem in caught.value.problems] == [
        "the environment variable SHOP_KEY is not set",
        "is not a usable address",
        "the message of the user is not sent",
    ]


async def test_a_reply_that_is_given_up_ends_its_connection(serve: Any, make: Make):
    arrived, left = asyncio.Event(), asyncio.Event()

    async def waits(request: web.Request) -> web.WebSocketResponse:
        async def each(socket: web.WebSocketResponse, text: str) -> None:
            arrived.set()

        answer = await talking(each)(request)
        left.set()
        return answer

    reply = asyncio.create_task(said(make(preset(await serve(waits))), "Hi"))
    await arrived.wait()
    reply.cancel()
    outcome = await asyncio.gather(reply, return_exceptions=True)
    await asyncio.wait_for(left.wait(), 60)

    assert isinstance(outcome[0], asyncio.CancelledError)


async def test_a_listener_receives_every_frame_once_with_its_secrets(
    serve: Any, tmp_path: Path, context: PluginContext
):
    heard: list[tuple[str, str]] = []

    def overhear(where: str, raw: str, secrets: Sequence[str]) -> None:
        assert "k3y-of-the-shop" in secrets
        heard.append((where, raw))

    address = (await serve(saying({"typing": True}, {"text": "Hi"}, {"over": True}))).replace("http", "ws")
    (tmp_path / "bot.yaml").write_text(
        preset(address, "until: over\nheaders: {authorization: 'Bearer ${SHOP_KEY}'}\n", reply="reply: text\n")
    )
    listening = replace(context, environment={"SHOP_KEY": "k3y-of-the-shop"}, overhear=overhear)

    await said(connect(str(tmp_path / "bot.yaml"), listening), "Hello")

    assert heard == [(f"{address}/chat", frame) for frame in ('{"typing": true}', '{"text": "Hi"}', '{"over": true}')]


async def test_the_state_is_asked_for_over_the_same_connection(serve: Any, make: Make):
    said: list[str] = []

    async def each(socket: web.WebSocketResponse, text: str) -> None:
        frame = json.loads(text)
        if frame.get("type") == "state":
            await socket.send_json({"event": "typing"})
            await socket.send_json({"data": {"said": said, "log": 1}})
        else:
            said.append(frame["text"])
            await socket.send_json({"text": "Hello"})

    options = "state: {body: {type: state}, result: data, ignore: [log]}\n"
    chatbot = make(preset(await serve(talking(each)), options))

    async with chatbot.connect(CASE) as session:
        before = await session.state()
        await session.reply(message("user", "Hi"))
        after = await session.state()

    assert chatbot.capabilities.reports_state
    assert (before, after) == ({"said": []}, {"said": ["Hi"]})
