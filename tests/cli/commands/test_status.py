import asyncio
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.core.batch import BatchExecution
from sparring.store.sqlite import locks
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import CREATED, a_batch


def test_a_batch_whose_server_was_killed_waits_for_the_next_one(inside: Sparring, tmp_path: Path):
    async def kept() -> None:
        async with SqliteStore(tmp_path / "sparring.db") as store:
            batch = a_batch("ab", id="01J0000000000000000000000A")
            await store.create(batch)
            await store.keep_job(BatchExecution(batch=batch.id, served=True, started=CREATED))

    def state_and_hint() -> tuple[str, bool]:
        said = inside("status", "latest", "--store", "sparring.db").stdout
        return said.splitlines()[0].rpartition(": ")[2], "no server is running it" in said

    asyncio.run(kept())
    with locks.store_lock(tmp_path / "sparring.db"):
        served = state_and_hint()

    assert (served, state_and_hint()) == (("running", False), ("pending", True))


def test_a_batch_that_ends_during_status_waits_for_no_server(
    inside: Sparring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def kept() -> None:
        async with SqliteStore(tmp_path / "sparring.db") as store:
            batch = a_batch("ab", id="01J0000000000000000000000A")
            await store.create(batch)
            await store.keep_job(BatchExecution(batch=batch.id, started=CREATED))

    async def is_played(store: SqliteStore, batch: str) -> bool:
        return next(looks)

    asyncio.run(kept())
    looks = iter([True, False])
    monkeypatch.setattr(SqliteStore, "is_played", is_played)
    said = inside("status", "latest", "--store", "sparring.db").stdout

    assert (said.splitlines()[0].rpartition(": ")[2], "no server" in said) == ("running", False)
