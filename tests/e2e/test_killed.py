"""A program that is killed again and again: what it was paid for is told, as far as it was noted, and nothing twice."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from many_orders import PROFILE
from model_server import LoopbackModelServer
from sparring.core.usage import Usage
from sparring.store.sqlite.store import SqliteStore
from talking import talk

pytestmark = pytest.mark.process

CASES, AT_ONCE = 40, 10


class Program:
    """The command line in a folder, asking a server that counts."""

    def __init__(self, folder: Path, server: LoopbackModelServer) -> None:
        self._folder, self._server = folder, server
        numbers = json.dumps([f"n{n}" for n in range(CASES)])
        (folder / "order.yml").write_text(PROFILE.replace("NUMBERS", numbers), encoding="utf-8")

    async def told(self) -> Usage:
        """What the store knows of."""
        async with SqliteStore(self._folder / "a.db") as store:
            return (await store.consumed("latest"))[0] if await store.count() else Usage()

    async def killed(self, *arguments: str) -> tuple[int, int]:
        """Run it, and kill it once all is told that had been asked at some moment; what is told, and asked, by now."""
        asked, told = self._server.calls, (await self.told()).calls
        running = await self._begin(*arguments)
        await self._server.arrived(asked + 3 * AT_ONCE)
        until = told + self._server.calls - asked
        while (await self.told()).calls < until:
            assert running.returncode is None
            await asyncio.sleep(0.05)
        running.kill()
        await running.communicate()
        await self._server.idle()
        assert until <= (await self.told()).calls <= told + self._server.calls - asked
        return (await self.told()).calls, self._server.calls

    async def finished(self, *arguments: str) -> tuple[int | None, str, str]:
        """Run it to its end."""
        running = await self._begin(*arguments)
        said, errors = await running.communicate()
        return running.returncode, said.decode(), errors.decode()

    async def _begin(self, *arguments: str) -> asyncio.subprocess.Process:
        program = (sys.executable, "-m", "sparring", *arguments, "--store", "a.db")
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(*program, cwd=self._folder, stdout=pipe, stderr=pipe)


async def test_what_was_under_way_when_a_program_was_killed_is_told_and_never_more_than_was_asked(tmp_path: Path):
    async with LoopbackModelServer(otherwise=talk, latency=0.2, keep=False) as server:
        program = Program(tmp_path, server)
        model = f"{server.url}#loopback"
        await program.killed(
            "run", "order.yml", "--chatbot", "pizzeria", "--model", model, "--concurrency", f"{AT_ONCE}"
        )
        told, asked = await program.killed("run", "--resume", "latest", "--concurrency", f"{AT_ONCE}")
        tokens = (await program.told()).tokens
        limited = await program.finished("run", "--resume", "latest", "--max-tokens", f"{tokens}")
        assert (server.calls, f"{tokens:,} used" in limited[1]) == (asked, True), limited
        _, said, errors = await program.finished("run", "--resume", "latest", "--concurrency", "40", "--json")
    summary = json.loads(said)
    _, costs, _ = await program.finished("cost", "latest", "--json")

    assert sum(summary["endings"].values()) == CASES, errors
    assert summary["calls"] + summary["unkept"]["calls"] == told + server.calls - asked
    assert json.loads(costs)["total"]["calls"] == told + server.calls - asked
    assert summary["unkept"]["calls"] > 0, "what was under way when it was killed, and was held anew"
