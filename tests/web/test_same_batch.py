"""A batch is the same thing from the command line, over REST and in Python."""

import json
from pathlib import Path

from command_line import Sparring, sparring
from sparring.app.background import BackgroundRunner
from sparring.app.wiring import player_names, players
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.value import to_json
from sparring.runner.batch import run
from sparring.scenarios import loading
from sparring.settings import Settings
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.memory_store import MemoryStore
from sparring.web.api.launch import AllowedChoices, parse_launch
from web.conftest import Client, finished, scenario

__all__ = ["sparring"]

SCENARIOS = [scenario(f"Order {n}", AMB_LEVEL=n % 4, SEED=n) for n in range(8)]


async def kept(store: SqliteStore | MemoryStore, batch: str = "latest") -> list[bytes]:
    """What is stored of a batch, without measured times."""
    return [_untimed(conversation) async for conversation in store.conversations(batch)]


def _untimed(conversation: Conversation) -> bytes:
    return to_json(conversation, without=frozenset({"timing"}))


async def test_three_ways_to_play_a_batch_say_the_same(sparring: Sparring, client: Client, tmp_path: Path):
    config = Settings(chatbot="pizzeria", model="offline").app_config()
    (tmp_path / "scenarios.json").write_text(json.dumps(SCENARIOS))

    sparring("run", "scenarios.json", "--chatbot", "pizzeria", "--model", "offline", "--store", "commanded.db")
    finished(client, SCENARIOS)
    client.stop()
    in_python = MemoryStore()
    offer, body = AllowedChoices(("pizzeria",), ("offline",)), json.dumps(SCENARIOS).encode()
    plan, chosen = await parse_launch(body, offer, config, 10_000, SystemClock(), in_python)
    async with BackgroundRunner(in_python, config) as background:
        batch = await background.launch(plan, chosen)
        with background.listening(batch.id) as heard:
            while background.plays(batch.id):
                await heard.get()

    async with SqliteStore(tmp_path / "commanded.db") as one, SqliteStore(tmp_path / "sparring.db") as other:
        commanded, served = await kept(one), await kept(other)
    assert len(commanded) == len(SCENARIOS)
    assert commanded == served == await kept(in_python)
    assert plan.cases == loading.load([tmp_path / "scenarios.json"], seed=0).cases


async def test_a_batch_launched_over_rest_is_finished_by_the_runner(client: Client, tmp_path: Path):
    id = finished(client, SCENARIOS)
    client.stop()
    config = Settings(chatbot="pizzeria", model="offline").app_config()

    async with (
        SqliteStore(tmp_path / "sparring.db") as store,
        players(player_names(config), config) as (cast, _),
    ):
        told = [event async for event in run(await store.batch(id), cast, store)]

    assert [event.event for event in told] == ["batch_started", "batch_finished"]
