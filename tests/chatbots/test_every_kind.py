"""Every kind of chatbot against the conformance suite, over real sockets and pipes. A kind without a row here fails."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import agent_servers as servers
from sparring.chatbots.chatbot import Chatbot, from_plugin
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import ToolCall, message
from sparring.core.usage import Usage
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.llm.model import Completion, Request
from sparring.llm.plugin_context import PluginContext
from sparring.testing.conformance.chatbots import check_chatbot, check_failures, check_isolation
from tau2_package import install

LINES = ("Hello", "And then?")
DONE = ToolCall(name="cancel", arguments={"id": 7}, result={"shipped": True})
LOST = ToolCall(name="cancel", arguments={"id": 8}, error=servers.FAILURE)

CLIENT_SIDE = "state golden-actions injected-replies injected-calls stubs faults commands"
"""What chatbots behind a server leave out if only the server has tools and remembers nothing that can be shown."""
SILENT = f"tool-calls {CLIENT_SIDE}"

KEYS = {
    **dict.fromkeys(("MILLIONBOT_KEY", "MILLIONBOT_BOT", "SERVICEFORM_TID", "SERVICEFORM_ASSISTANT"), "x"),
    "MILLIONBOT_SITE": "https://example.com",
}


@dataclass(frozen=True)
class Row:
    """A kind: its server, what its capabilities say that it lacks, and how it tells of a failed call."""

    lacks: str
    protocol: servers.Protocol | None = None
    failed: ToolCall = LOST
    metered: bool = True


ROWS = {
    "a2a": Row(SILENT, servers.a2a, metered=False),
    "adk": Row(
        CLIENT_SIDE.removeprefix("state "),
        servers.adk,
        LOST.model_copy(update={"error": '{"status": "error", "reason": "no such order"}'}),
    ),
    "agui": Row(CLIENT_SIDE.removeprefix("state "), servers.agui, LOST.model_copy(update={"result": servers.FAILURE})),
    "aisdk": Row(CLIENT_SIDE.removeprefix("state "), servers.aisdk, metered=False),
    "anthropic": Row(CLIENT_SIDE, servers.anthropic),
    "command": Row(CLIENT_SIDE),
    "http": Row(CLIENT_SIDE, servers.http),
    "julie": Row(SILENT, servers.julie, metered=False),
    "kuki": Row(SILENT, servers.kuki, metered=False),
    "langgraph": Row(CLIENT_SIDE.removeprefix("state "), servers.langgraph),
    "messages": Row(CLIENT_SIDE, servers.messages),
    "millionbot": Row(SILENT, servers.millionbot, metered=False),
    "openai": Row(SILENT, servers.openai),
    "phone_orders": Row("commands"),
    "pizzeria": Row("commands"),
    "prompted": Row("commands"),
    "python": Row(SILENT.removesuffix(" commands")),
    "rasa": Row(SILENT, servers.rasa, metered=False),
    "responses": Row(CLIENT_SIDE, servers.responses),
    "service": Row(""),
    "serviceform": Row(SILENT, servers.serviceform, metered=False),
    "taskyto": Row(SILENT, servers.taskyto, metered=False),
    "tau2": Row("commands"),
    "websocket": Row(CLIENT_SIDE),
}
SERVED = [name for name, row in ROWS.items() if row.protocol] + ["websocket"]
STREAMS = ["agui", "aisdk", "openai"]

PRESET = """
url: ADDRESS/chat
body: {id: "{{session}}", text: "{{message}}"}
reply: text
tools: {each: calls, arguments: arguments, result: result, error: error}
usage: {input_tokens: usage.in, output_tokens: usage.out}
"""
PROGRAM = """
import json, sys
said = []
for line in sys.stdin:
    said.append(line.strip())
    print(json.dumps({"text": " / ".join(said), "calls": []}))
"""
CODE = """
class Repeating:
    def __init__(self):
        self.said = []

    async def reply(self, message):
        self.said.append(message.text)
        return " / ".join(self.said)
"""
FIELDS = "answer: json\nreply: text\ntools: {each: calls}\n"
GRAMMAR = "fallback: Sorry?\nintents: [{name: hi, patterns: [hello], tool: hi}]\nreplies: {hi: [{say: Hi}]}\n"
TOOLS = """
class Tools:
    def hi(self) -> str:
        "Say hi."
        return "Hi"
    def state(self) -> dict:
        return {}
"""


class Polite:
    """A model that says the same to everything."""

    async def complete(self, request: Request) -> Completion:
        return Completion("I see.")


Make = Callable[[str, str], Chatbot]


@pytest.fixture
def make(tmp_path: Path, context: PluginContext, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a chatbot of a kind, with the address of its server if it has one."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    context = replace(context, environment={**context.environment, **KEYS}, offline=frozenset({"chatbot"}))

    def made(kind: str, address: str = "") -> Chatbot:
        argument = address
        if kind in ("http", "websocket"):
            argument = str(tmp_path / f"{kind}{len(list(tmp_path.iterdir()))}.yaml")
            Path(argument).write_text(
                PRESET.replace("ADDRESS", address.replace("http", "ws") if "w" in kind else address)
            )
        elif kind == "command":
            (tmp_path / "bot.py").write_text(PROGRAM)
            argument = str(tmp_path / "bot.yaml")
            Path(argument).write_text(f"command: [{sys.executable!r}, bot.py]\n{FIELDS}")
        elif kind == "python":
            argument = f"{tmp_path / 'bot.py'}:Repeating"
            (tmp_path / "bot.py").write_text(CODE)
        elif kind == "prompted":
            argument = str(tmp_path)
            (tmp_path / "prompt.md").write_text("Be polite.")
            (tmp_path / "grammar.yaml").write_text(GRAMMAR)
            (tmp_path / "tools.py").write_text(TOOLS)
        elif kind == "tau2":
            argument = "shop"
            install(tmp_path, monkeypatch)
        (entry,) = entry_points(group="sparring.chatbots", name=kind)
        models = {"chatbot": Polite()} if kind == "tau2" else context.models
        return from_plugin(entry.load()(argument, replace(context, models=models)))

    return made


async def served(serve: Any, kind: str) -> str:
    """Start the server of a kind, if it has one."""
    protocol = ROWS[kind].protocol
    if kind == "websocket":
        return str(await serve(servers.websocket))
    return str(await serve(servers.server(protocol))) if protocol else ""


def test_every_kind_has_a_row():
    assert set(ROWS) == {each.name for each in entry_points(group="sparring.chatbots")}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.process] if kind == "command" else []) for kind in ROWS]
)
async def test_a_kind_passes_what_chatbots_must_and_says_what_it_cannot_do(kind: str, serve: Any, make: Make):
    address = await served(serve, kind)

    lacks = await check_chatbot(lambda: make(kind, address), lines=LINES)

    assert " ".join(lacks) == ROWS[kind].lacks


async def broken(request: web.Request) -> web.Response:
    return web.Response(status=502, text="<h1>Bad gateway</h1>\r\n")


async def foreign(request: web.Request) -> web.Response:
    return web.json_response("What is this?")


@pytest.mark.parametrize("kind", SERVED)
@pytest.mark.parametrize("failure", [broken, foreign, None])
async def test_a_server_that_fails_ends_the_conversation_with_a_reason(
    kind: str, failure: Any, serve: Any, make: Make, refusing: str
):
    address = await serve(failure) if failure else f"http://{refusing}"

    await check_failures(make(kind, address), LINES)


@pytest.mark.parametrize("kind", [kind for kind in SERVED if ROWS[kind].protocol])
async def test_an_answer_that_breaks_off_is_a_failure_even_if_text_had_arrived(kind: str, serve: Any, make: Make):
    protocol = ROWS[kind].protocol
    assert protocol is not None

    with pytest.raises(ChatbotError, match="broke off" if kind in STREAMS else "JSON"):
        async with make(kind, await serve(servers.broken_off(protocol))).connect(Case(id="cut")) as session:
            await session.reply(message("user", "Hello"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SERVED)
async def test_fifty_conversations_at_once_are_kept_apart(kind: str, serve: Any, make: Make):
    await check_isolation(make(kind, await served(serve, kind)), LINES, together=50)


@pytest.mark.parametrize("kind", [kind for kind in SERVED if "tool-calls" not in ROWS[kind].lacks])
async def test_tool_calls_come_in_order_with_arguments_results_and_errors_and_the_words_alone_are_the_reply(
    kind: str, serve: Any, make: Make
):
    async with make(kind, await served(serve, kind)).connect(Case(id="calls")) as session:
        heard = [await session.reply(message("user", line)) for line in ("Hello", "My order", "Thanks")]

    assert [(each.text, each.tool_calls) for each in heard] == [
        ("Hello", ()),
        ("Hello / My order", (DONE, ROWS[kind].failed)),
        ("Hello / My order / Thanks", ()),
    ]


@pytest.mark.parametrize("kind", [kind for kind in SERVED if ROWS[kind].metered])
async def test_reported_usage_is_counted(kind: str, serve: Any, make: Make):
    meter = Meter()
    with call_context(meter=meter):
        async with make(kind, await served(serve, kind)).connect(Case(id="usage")) as session:
            await session.reply(message("user", "Hello"))

    assert meter.usage["chatbot"] == Usage(calls=1, input_tokens=5, output_tokens=3, unknown_costs=1)


@pytest.mark.parametrize("kind", SERVED)
async def test_a_cancelled_reply_closes_its_connection(kind: str, make: Make):
    reached, closed = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            await reader.read(1)
            reached.set()
            while await reader.read(1000):
                pass
        closed.set()
        writer.close()

    async def talk() -> None:
        async with make(kind, f"http://127.0.0.1:{port}").connect(Case(id="cancelled")) as session:
            await session.reply(message("user", "Hello"))

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        talking = asyncio.create_task(talk())
        await reached.wait()
        talking.cancel()
        await asyncio.gather(talking, return_exceptions=True)
        async with asyncio.timeout(10):
            await closed.wait()

    assert talking.cancelled()
