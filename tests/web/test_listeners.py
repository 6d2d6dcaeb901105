"""Idle listeners cost the server next to nothing, however large the batch is."""

import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest

from web.conftest import scenarios
from web.serving import Server

pytestmark = pytest.mark.process

LISTENERS, SCENARIOS = 20, 2000
WAITING = """\
import asyncio


async def reply(messages, variables):
    await asyncio.Event().wait()
"""


def resident_kb(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def test_an_idle_listener_takes_200_kb_at_most(tmp_path: Path):
    (tmp_path / "waiting.py").write_text(WAITING, encoding="utf-8")
    operator = ("--chatbot", "python:waiting:reply", "--concurrency", "1")
    (tmp_path / "sparring.yaml").write_text(f"serve: {{max_listeners: {4 * LISTENERS}}}\n", encoding="utf-8")
    with Server(tmp_path, *operator) as server, ExitStack() as open_streams:
        id = server.post("/api/batches", scenarios(SCENARIOS))["batch_id"]

        def listen(times: int) -> None:
            for _ in range(times):
                address = f"{server.address}/api/batches/{id}/events"
                stream = open_streams.enter_context(urllib.request.urlopen(address, timeout=120))
                while b"conversation_started" not in stream.readline():
                    pass

        listen(5)  # what the server makes once
        before = resident_kb(server)
        listen(LISTENERS)
        each = (resident_kb(server) - before) / LISTENERS
        open_streams.close()
        server.kill()

    assert each <= 200, f"{each:.0f} KB"
