"""A conversation that crashes the chatbot's server takes no other one with it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sparring.chatbots import command, http, websocket
from sparring.chatbots.chatbot import Chatbot
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Say
from sparring.core.clock import SystemClock
from sparring.core.conversation import Ending
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.testing.memory_store import MemoryStore
from sparring.users.scripted import Scripted

pytestmark = pytest.mark.extended

SERVER = Path(__file__).with_name("crashing_server.py")
PRESET = "url: {}://127.0.0.1:{}/chat\nbody: {}\nreply: message\n"
PIZZA = "I want 🍕"


@pytest.fixture
def preset(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Start a server, and return the file of a preset for it."""
    processes = []

    def start(kind: str) -> str:
        process = subprocess.Popen([sys.executable, SERVER, kind], stdout=subprocess.PIPE, start_new_session=True)
        processes.append(process)
        assert process.stdout is not None
        scheme, body = ("ws", "'{{message}}'") if kind == "socket" else ("http", "{text: '{{message}}'}")
        (tmp_path / "chatbot.yaml").write_text(PRESET.format(scheme, int(process.stdout.readline()), body))
        return str(tmp_path / "chatbot.yaml")

    yield start
    for process in processes:
        process.terminate()
        process.communicate()


def batch(innocent: int, crashing: int) -> Batch:
    every = (innocent + crashing) // crashing
    lines = [
        ("Hi", PIZZA if n % every == 0 and n < every * crashing else "Two", "Bye") for n in range(innocent + crashing)
    ]
    cases = tuple(Case(id=f"{n}", script=tuple(Say(text=text) for text in said)) for n, said in enumerate(lines))
    return Batch(id="B", created=datetime(2026, 1, 2, tzinfo=UTC), who=Players(chatbot="x", user="y"), cases=cases)


async def endings(made: Batch, chatbot: Chatbot, concurrency: int) -> dict[str, list[str]]:
    """Play a batch; the errors of its innocent conversations, and those of the others."""
    store = MemoryStore()
    players = ResolvedPlayers(chatbot, Scripted(), PatternReader(), SystemClock())
    async for _ in run(made, players, store, concurrency=concurrency):
        pass
    found: dict[str, list[str]] = {"innocent": [], "crashing": []}
    async for each in store.conversations(made.id):
        kind = "crashing" if any(step.kind == "say" and step.text == PIZZA for step in each.case.script) else "innocent"
        failed = each.ending is Ending.CHATBOT_FAILED
        found[kind].append(each.error if failed else str(each.ending))
    return found


@pytest.mark.process
@pytest.mark.parametrize("kind", ["closes", "fails", "forks", "socket"])
async def test_no_innocent_conversation_is_lost_to_one_that_crashes_the_server(kind: str, preset: Callable[[str], str]):
    async with HttpTransport() as transport:
        context = PluginContext(LLMConfig(), SystemClock(), transport)
        connect = websocket.connect if kind == "socket" else http.connect
        found = await endings(batch(312, 24), connect(preset(kind), context), 32)

    assert found["innocent"] == ["user_done"] * 312
    assert len(found["crashing"]) == 24
    assert all("to 'I want 🍕'" in error for error in found["crashing"]), found["crashing"]


@pytest.mark.process
async def test_no_innocent_conversation_is_lost_to_one_that_kills_its_own_program():
    async with HttpTransport() as transport:
        context = PluginContext(LLMConfig(), SystemClock(), transport)
        chatbot = command.connect(f"{sys.executable} {SERVER} lines", context)
        found = await endings(batch(24, 4), chatbot, 8)

    died = "the program ended (exit code 1): out of memory (in reply to 'I want 🍕')"
    assert found == {"innocent": ["user_done"] * 24, "crashing": [died] * 4}
