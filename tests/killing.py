"""Programs that are killed in the middle of a batch, beside a model server that counts their calls."""

import asyncio
import json
import sys
from pathlib import Path

from many_orders import PROFILE
from model_server import LoopbackModelServer
from sparring.store.sqlite.store import SqliteStore
from web.serving import Server

Said = list[tuple[object, ...]]


class KilledRuns:
    """`sparring run` in a folder: every program resumes what the one before it has left."""

    at_once = 8

    def __init__(self, folder: Path, server: LoopbackModelServer, *, cases: int) -> None:
        self.server, self._folder, self._cases = server, folder, cases
        self._stores = set[str]()
        numbers = json.dumps([f"n{n}" for n in range(cases)])
        (folder / "order.yml").write_text(PROFILE.replace("NUMBERS", numbers), encoding="utf-8")
        self._players = ("--chatbot", "pizzeria", "--model", f"{server.url}#loopback", "--concurrency", "8")

    async def kill(self, *, after: int) -> None:
        """Kill a program once the model server has received so many calls of it, and wait until they are answered."""
        until = self.server.calls + after
        running = await self._start("killed.db")
        await self.server.arrived(until)
        assert running.returncode is None, "it was too late to kill it"
        running.kill()
        await running.communicate()
        await self.server.idle()

    async def finish(self, store: str = "killed.db") -> None:
        """Run what is left, or all in a store that does not exist."""
        await (await self._start(store)).communicate()

    async def counted(self) -> tuple[int, int]:
        """Return the calls that the store counts, and how many of them it marks as unconfirmed."""
        async with SqliteStore(self._folder / "killed.db") as store:
            return (await store.consumed("latest"))[0].calls, await store.unconfirmed("latest")

    async def said(self, path: str = "killed.db") -> Said:
        """Return what was said in every conversation, and how it ended."""
        async with SqliteStore(self._folder / path) as store:
            return [
                (each.id, each.case.seed, [(one.role, one.text) for one in each.messages], each.ending)
                async for each in store.conversations("latest")
            ]

    async def undisturbed(self) -> Said:
        """Return what is said if no program is killed."""
        await self.finish("undisturbed.db")
        return await self.said("undisturbed.db")

    async def _start(self, store: str) -> asyncio.subprocess.Process:
        what = ("--resume", "latest") if store in self._stores else ("order.yml", *self._players)
        self._stores.add(store)
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "sparring", "run", *what, "--store", store)
        return await asyncio.create_subprocess_exec(*command, cwd=self._folder, stdout=pipe, stderr=pipe)


class KilledServer(KilledRuns):
    """`sparring serve` in a folder, with one batch."""

    async def kill(self, *, after: int) -> None:
        until = self.server.calls + after
        serving = await asyncio.to_thread(self._serve, "killed.db")
        await self.server.arrived(until)
        assert serving.process.poll() is None
        await asyncio.to_thread(serving.kill)
        await self.server.idle()

    async def finish(self, store: str = "killed.db") -> None:
        serving = await asyncio.to_thread(self._serve, store)
        async with SqliteStore(self._folder / store) as opened:
            id = (await opened.head("latest")).id
        await asyncio.to_thread(serving.events, f"/api/batches/{id}/events")
        await asyncio.to_thread(serving.stop)

    def _serve(self, store: str) -> Server:
        serving = Server(self._folder, *self._players, "--store", store).__enter__()
        if store not in self._stores:
            self._stores.add(store)
            goal = [{"name": "a small custom pizza with corn and ham", "qty": 1}]
            cases = [{"name": f"Order {n}", "variables": {"ORDER_GOAL": goal, "SEED": n}} for n in range(self._cases)]
            serving.post("/api/batches", cases)
        return serving
