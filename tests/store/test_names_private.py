import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sparring.core.errors import SparringError
from sparring.store import names
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {path.name: f"{path.stat().st_mode & 0o777:o}" for path in (folder, *folder.iterdir())}


async def test_a_new_store_and_what_sqlite_writes_beside_it_are_for_their_owner_alone(tmp_path: Path):
    folder = tmp_path / "made"
    async with SqliteStore(folder / "s.db") as store:
        await store.create(a_batch("a"))
        found = modes(folder)

    assert {name: mode for name, mode in found.items() if name != ".gitignore"} == {
        "made": "700", "s.db": "600", "s.db-wal": "600", "s.db-shm": "600",
    }  # fmt: skip


async def test_what_is_there_already_stays_as_it_is(tmp_path: Path):
    folder = tmp_path / "shared"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "s.db")) as connection:
        connection.execute("PRAGMA journal_mode = wal")
    before = modes(folder)

    async with SqliteStore(folder / "s.db") as store:
        await store.create(a_batch("a"))
        assert modes(folder).items() >= {"s.db-wal": "644", **before}.items()
    assert (before["shared"], before["s.db"]) == ("755", "644")


@pytest.mark.process
async def test_another_program_of_the_same_user_reads_what_is_stored(tmp_path: Path):
    code = (
        "import asyncio, sys; from pathlib import Path; from sparring.store.sqlite.store import SqliteStore\n"
        "async def main():\n"
        "    async with SqliteStore(Path(sys.argv[1])) as store: print(await store.count())\n"
        "asyncio.run(main())"
    )
    async with SqliteStore(tmp_path / "s.db") as store:
        await store.create(a_batch("a"))
        command = [sys.executable, "-c", code, tmp_path / "s.db"]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)

    assert done.stdout == "1\n"


async def test_a_disk_without_links_has_a_store_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def unable(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(names.os, "link", unable)

    async with SqliteStore(tmp_path / "s.db") as store:
        await store.create(a_batch("a"))

    assert list(modes(tmp_path)) == [tmp_path.name, "s.db"]


async def test_a_folder_is_no_store(tmp_path: Path):
    with pytest.raises(SparringError):
        async with SqliteStore(tmp_path):
            pass

    assert list(tmp_path.parent.glob(f"{tmp_path.name}-*")) == []
