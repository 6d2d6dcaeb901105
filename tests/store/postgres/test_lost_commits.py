"""What is committed without an answer is stored once. Without a PostgreSQL these tests are skipped, and say so."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="the extra `cluster` is not installed")

import psycopg

from sparring.core.events import ConversationStarted
from sparring.store.postgres.database import PostgresConnection
from sparring.store.postgres.store import PostgresStore
from sparring.testing.factories import a_batch

pytestmark = pytest.mark.slow

BATCH = a_batch("one")


class LossyConnection(PostgresConnection):
    """A connection that is lost while it commits, by a list of fates of the next commits.

    An empty fate loses nothing. The server commits at once, never, or late: once another session waits for it.
    """

    fates: list[str] = []

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._url = url

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        if sql != "COMMIT" or not self.fates or not (fate := self.fates.pop(0)):
            return super().execute(sql, parameters)
        server, self.raw = self.raw, psycopg.connect(self._url)
        self.raw.close()
        if fate == "late":
            threading.Thread(target=self._commit_late, args=(server,)).start()
        else:
            server.execute("COMMIT" if fate == "at once" else "ROLLBACK")
            server.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    @staticmethod
    def _commit_late(server: Any) -> None:
        while not server.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()[0]:
            time.sleep(0.01)
        server.execute("COMMIT")
        server.close()


@pytest.fixture
async def store(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PostgresStore]:
    monkeypatch.setattr("sparring.store.postgres.store.PostgresConnection", LossyConnection)
    async with PostgresStore(postgres_url) as store, asyncio.timeout(60):
        await store.create(BATCH)
        yield store


async def _log(store: PostgresStore, conversation: str) -> int:
    return await store.log(BATCH.id, ConversationStarted(conversation=conversation))


async def _logged(store: PostgresStore) -> dict[int, str]:
    return {id: event.conversation async for id, event in store.events(BATCH.id)}


@pytest.mark.parametrize("fates", [["at once"], ["never"], ["late"], ["never", "late"], ["never", "at once"]])
async def test_a_write_whose_commit_is_not_confirmed_is_stored_once(store: PostgresStore, fates: list[str]):
    LossyConnection.fates = list(fates)

    ids = [await _log(store, "one"), await _log(store, "two")]

    assert (await _logged(store), LossyConnection.fates) == (dict(zip(ids, ["one", "two"], strict=True)), [])


async def test_writes_beside_one_that_fails_are_stored_once(store: PostgresStore):
    begun, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold(connection: object) -> None:
        loop.call_soon_threadsafe(begun.set)
        go_on.wait()

    LossyConnection.fates = ["", "", "at once"]
    held = asyncio.create_task(store._write(hold))  # what comes meanwhile is one group
    await begun.wait()
    writes = [_log(store, "one"), store._write(lambda connection: 1 / 0), _log(store, "two")]
    group = asyncio.gather(*writes, return_exceptions=True)
    await asyncio.sleep(0)
    go_on.set()

    one, failed, two = await group
    await held
    assert (await _logged(store), type(failed)) == ({one: "one", two: "two"}, ZeroDivisionError)
