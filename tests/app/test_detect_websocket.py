"""WebSocket chatbots are detected over real sockets."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import yaml
from aiohttp import WSMsgType, web

from sparring.app import detect_websocket as module
from sparring.app.detect_websocket import detect_websocket
from sparring.app.file_kinds import schemas
from sparring.core.errors import InputError
from sparring.llm.client.transport import NoConnection

pytestmark = pytest.mark.slow

Frames = Callable[[str], list[str]]


@asynccontextmanager
async def served(frames: Frames, *greetings: str) -> AsyncIterator[str]:
    """Serve a chatbot whose reply to a frame is a list of frames, and yield its address."""

    async def talk(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for greeting in filter(None, greetings):
            await socket.send_str(greeting)
        async for heard in socket:
            if heard.type is WSMsgType.TEXT:
                for frame in frames(heard.data):
                    await socket.send_str(frame)
        return socket

    app = web.Application()
    app.router.add_get("/chat", talk)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"ws://127.0.0.1:{runner.addresses[0][1]}/chat"
    finally:
        await runner.cleanup()


def in_json(key: str, *answers: Callable[[str], Any]) -> Frames:
    def reply(frame: str) -> list[str]:
        try:
            said = json.loads(frame)[key]
        except (ValueError, KeyError, TypeError):
            return [json.dumps({"error": "invalid JSON"})]
        return [json.dumps(answer(said)) for answer in answers]

    return reply


def as_text(said: str) -> list[str]:
    return [f"You said {said}, is that right?"]


def answer(said: str) -> Any:
    return {"kind": "answer", "say": f"You said {said}, is that right?"}


SAYS = json.dumps({"kind": "answer", "say": "Welcome to the shop!"})


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUIET", 0.3)
    monkeypatch.setattr(module, "_LISTENING", 0.3)


@pytest.mark.parametrize(
    ("frames", "greeting", "found"),
    [
        (
            as_text,
            "Welcome to the shop!",
            {"body": "{{message}}", "answer": "text", "reply": "$", "start": {"reply": "$"}},
        ),
        (
            in_json("text", lambda said: {"kind": "typing"}, answer),
            "",
            {"body": {"text": "{{message}}"}, "reply": "say"},
        ),
        (in_json("query", answer), SAYS, {"body": {"query": "{{message}}"}, "reply": "say", "start": {"reply": "say"}}),
        (
            in_json("text", *(lambda said, at=at: {"piece": f"{said}, part {at} "} for at in range(4))),
            "",
            {"body": {"text": "{{message}}"}, "answer": "deltas", "reply": "piece"},
        ),
    ],
    ids=["text", "json", "json with a greeting", "pieces"],
)
async def test_a_chatbot_is_understood(
    frames: Frames, greeting: str, found: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    if not greeting:
        monkeypatch.setattr(module, "_GREETING_SECONDS", 0.05)
    async with served(frames, greeting) as url:
        preset = yaml.safe_load(await detect_websocket(url, {}))

    assert preset.pop("quiet") < 0.3
    assert preset == {"url": url, "timeout": 30, **found}


@pytest.mark.parametrize(
    ("around", "until"),
    [
        ([{"kind": "typing"}, answer, {"kind": "done"}], {"path": "kind", "equals": "done"}),
        ([{**answer("1"), "final": False}, {**answer("2"), "final": True}], {"path": "final", "equals": True}),
        ([{"typing": True}, answer, {"typing": False}], None),
        ([{"kind": "typing"}, answer], None),
    ],
    ids=["done", "final", "typing stopped", "typing started"],
)
async def test_only_a_frame_that_says_so_ends_a_reply(
    around: list[Any], until: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "_GREETING_SECONDS", 0.05)

    def frame(given: Any) -> Callable[[str], Any]:
        return (
            given if callable(given) else lambda said: {**given, **({"say": f"{said}, yes"} if "say" in given else {})}
        )

    async with served(in_json("text", *map(frame, around))) as url:
        preset = yaml.safe_load(await detect_websocket(url, {}))

    assert preset.get("until") == until


async def test_the_last_frame_of_the_greeting_does_not_end_the_first_reply():
    done = json.dumps({"kind": "done"})
    async with served(in_json("text", answer, lambda said: json.loads(done)), SAYS, done) as url:
        preset = yaml.safe_load(await detect_websocket(url, {}))

    assert preset["until"] == {"path": "kind", "equals": "done"}


async def test_attempts_are_listed_if_none_is_understood(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_GREETING_SECONDS", 0.05)
    monkeypatch.setattr(module, "_QUIET", 0.01)
    async with served(lambda frame: [json.dumps({"error": "unknown format"})]) as url:
        with pytest.raises(InputError, match=r'found no way to talk to it: "{{message}}" → ') as refused:
            await detect_websocket(url, {})

    assert refused.value.hint == "sparring schema websocket"
    assert "websocket" in schemas()


async def test_an_address_without_a_server_is_not_reached():
    async with served(as_text) as url:
        pass
    with pytest.raises(NoConnection):
        await detect_websocket(url, {})
