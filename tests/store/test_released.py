import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sparring.core.conversation import Ending
from sparring.core.usage import Usage
from sparring.store.sqlite import SqliteStore
from sparring.testing.recordings import a_batch, a_conversation, a_verdict, attempt
from sparring.testing.store_conformance import all_in

RELEASED = sorted((Path(__file__).parent / "released").glob("*.sql"))
BATCH = a_batch("pizza/1", "pizza/2", id="01J0000000000000000000000A", name="nightly", repeats=2)
KEPT = [
    a_conversation(BATCH.cases[0]),
    a_conversation(BATCH.cases[0], repeat=2, ending=Ending.TIMEOUT),
    a_conversation(BATCH.cases[1]),
]


@pytest.fixture(params=RELEASED, ids=lambda path: path.stem)
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store with a batch and three of its four conversations, as the Sparring of that time wrote it."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(request.param.read_text(encoding="utf-8"))
    return path


async def test_what_an_older_version_stored_reads_as_it_was_written(released: Path):
    verdicts = [a_verdict("pizza/2")] if _has_verdicts(released) else []
    used = [usage for conversation in KEPT for usage in conversation.usage.values()]

    async with SqliteStore(released) as store:
        assert await store.batch("nightly") == BATCH
        assert await all_in(store.conversations("nightly")) == KEPT
        assert await all_in(store.verdicts("nightly")) == verdicts
        assert len(await all_in(store.events("nightly"))) == 4
        assert await store.consumed("nightly") == (sum([*used, *(each.usage for each in verdicts)], Usage()), 3)


async def test_what_an_older_version_began_is_finished_and_mended_by_this_one(released: Path):
    last, again = a_conversation(BATCH.cases[1], repeat=2), attempt(a_conversation(BATCH.cases[0], repeat=2), 2)

    async with SqliteStore(released) as store:
        assert await store.add(BATCH.id, last)
        assert await store.replace(BATCH.id, again)
        assert await all_in(store.conversations(BATCH.id)) == [KEPT[0], again, KEPT[2], last]
        assert await store.attempts(BATCH.id, "pizza/1#2") == [KEPT[1], again]


def _has_verdicts(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'verdicts'").fetchone())
