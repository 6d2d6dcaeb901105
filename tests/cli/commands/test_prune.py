import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.core.batch import BatchExecution
from sparring.store.sqlite.locks import batch_lock
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch
from web.serving import Server

NOW = datetime.now(UTC)


def kept(folder: Path) -> list[str]:
    """Two old batches, one of them tagged, one that was never ended, and a new one; the ids of what is there."""

    async def fill() -> list[str]:
        async with SqliteStore(folder / ".sparring" / "sparring.db") as store:
            for id, age, tags, ended in (
                ("B1", 40, (), 40),
                ("B2", 40, ("keep",), 40),
                ("B3", 40, (), 0),
                ("B4", 1, (), 1),
            ):
                batch = a_batch("a", id=id, name=f"n{id}")
                created = NOW - timedelta(days=age)
                if await store.create(batch.model_copy(update={"created": created, "tags": tags})):
                    end = NOW - timedelta(days=ended) if ended else None
                    await store.keep_job(BatchExecution(batch=id, started=created, ended=end))
            return sorted(each.id for each in await store.batches())

    return asyncio.run(fill())


def left(folder: Path) -> list[str]:
    async def ids() -> list[str]:
        async with SqliteStore(folder / ".sparring" / "sparring.db") as store:
            return sorted(each.id for each in await store.batches())

    return asyncio.run(ids())


def test_old_batches_are_listed_and_then_deleted(inside: Sparring, tmp_path: Path):
    kept(tmp_path)
    tried = inside("prune", "--days", "30", "--dry-run")
    before = left(tmp_path)
    done = inside("prune", env={"SPARRING_KEEP_DAYS": "30"})

    assert (tried.returncode, before) == (0, ["B1", "B2", "B3", "B4"])
    day = f"{NOW - timedelta(days=40):%Y-%m-%d}"
    assert tried.stdout == f"would forget  B3  {day}  nB3\nwould forget  B1  {day}  nB1\n"
    assert "it has the tag keep" in tried.stderr
    assert (done.stdout.split()[:2], left(tmp_path)) == (["forgot", "B3"], ["B2", "B4"])


def test_a_running_batch_is_kept_and_a_killed_one_is_not(inside: Sparring, tmp_path: Path):
    kept(tmp_path)
    with batch_lock(tmp_path / ".sparring" / "sparring.db", "B3"):
        under_way = json.loads(inside("prune", "--days", "30", "--json").stdout)
    killed = json.loads(inside("prune", "--days", "30", "--json").stdout)

    assert [each["batch"] for each in under_way["forgotten"]] == ["B1"]
    assert [(each["batch"], each["why"]) for each in under_way["kept"]] == [
        ("B3", "it is under way"),
        ("B2", "it has the tag keep"),
    ]
    assert [each["batch"] for each in killed["forgotten"]] == ["B3"]


def test_prune_requires_a_maximum_age(inside: Sparring, tmp_path: Path):
    kept(tmp_path)
    told = [inside("prune"), inside("prune", "--days", "0"), inside("prune", "--days", "99")]

    assert [each.returncode for each in told] == [2, 2, 0]
    assert "nothing is older than 99 days" in told[2].stderr
    assert len(left(tmp_path)) == 4


@pytest.mark.process
def test_a_server_forgets_by_itself_what_is_too_old(tmp_path: Path):
    kept(tmp_path)
    with Server(tmp_path, "--chatbot", "pizzeria", SPARRING_KEEP_DAYS="30") as server:
        while server.get("/api/batches")["total_count"] > 2:
            pass
        server.process.terminate()
        said = server.process.communicate(timeout=240)[1]

    assert "deleted 2 batches older than 30 days" in "".join(server.said) + said
    assert left(tmp_path) == ["B2", "B4"]
