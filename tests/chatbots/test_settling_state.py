"""The state at the end of a conversation, which some chatbots reach only after their last reply."""

import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from fakes import Saying
from sparring.chatbots import command, http, websocket
from sparring.core.case import Case
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.plugin_context import PluginContext
from sparring.simulation.simulate import simulate

READINGS = ("open", "cancelling", "cancelled", "cancelled", "shredded")
"""Of the order: at the start, and then at the end until two are equal."""

PROGRAM = f"""
readings = iter({READINGS})
while line := input():
    print('{{"order": "%s"}}' % next(readings) if line == "state" else "Done.", flush=True)
"""
STATE = "state: {{body: state, settle: {}}}\n"


class Shop:
    """A server over HTTP or a WebSocket whose order takes a while to be cancelled."""

    def __init__(self) -> None:
        self.readings = iter(READINGS)

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        if request.path != "/socket":
            said = {"text": "Done."} if request.method == "POST" else {"order": next(self.readings)}
            return web.json_response(said)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for frame in socket:
            await socket.send_json({"order": next(self.readings)} if frame.data == "state" else {"text": "Done."})
        return socket


@pytest.mark.process
@pytest.mark.usefixtures("process")
@pytest.mark.parametrize("kind", ["http", "websocket", "command"])
@pytest.mark.parametrize(("settle", "end"), [(0, "cancelling"), (0.01, "cancelled")])
async def test_the_state_at_the_end_is_read_until_two_readings_are_equal(
    kind: str, settle: float, end: str, serve: Any, context: PluginContext, tmp_path: Path
):
    url = await serve(Shop())
    (tmp_path / "shop.py").write_text(PROGRAM)
    words = 'body: "{{message}}"\nreply: text\n'
    preset, connect = {
        "http": (f"url: {url}\n{words}state: {{url: {url}/state, settle: {settle}}}\n", http.connect),
        "websocket": (f"url: {url.replace('http', 'ws')}/socket\n{words}{STATE.format(settle)}", websocket.connect),
        "command": (f"command: {sys.executable} shop.py\n{STATE.format(settle)}", command.connect),
    }[kind]
    (tmp_path / "bot.yaml").write_text(preset)
    chatbot: Any = connect(str(tmp_path / "bot.yaml"), context)

    conversation = await simulate(Case(id="a"), Saying("Cancel it."), chatbot, reader=PatternReader())

    assert conversation.state is not None
    assert (conversation.state.start, conversation.state.end) == ({"order": "open"}, {"order": end})


@pytest.mark.parametrize(
    ("options", "ending", "error"),
    [
        ("", "user_done", ""),
        (", required: true", "chatbot_failed", "the state could not be read: ChatbotError: HTTP 502: no state"),
    ],
)
async def test_a_required_state_that_cannot_be_read_is_a_failure(
    options: str, ending: str, error: str, serve: Any, context: PluginContext, tmp_path: Path
):
    async def answer(request: web.Request) -> web.Response:
        return (
            web.json_response({"text": "Hi."})
            if request.method == "POST"
            else web.Response(status=502, text="no state")
        )

    url = await serve(answer)
    preset = f'url: {url}\nbody: "{{{{message}}}}"\nreply: text\nstate: {{url: {url}/state{options}}}\n'
    (tmp_path / "bot.yaml").write_text(preset)
    chatbot = http.connect(str(tmp_path / "bot.yaml"), context)

    conversation = await simulate(Case(id="a"), Saying("Hello"), chatbot, reader=PatternReader())

    assert (str(conversation.ending), conversation.error) == (ending, error)
