import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import sparring.store.sqlite
from released_stores import KEPT, MENDED, job
from released_stores import NIGHTLY as BATCH
from sparring.app.results import summarize
from sparring.core.audit import Blame
from sparring.core.conversation import Ending
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import RUBRIC, a_conversation, a_verdict, attempt
from store_suite import all_in

pytestmark = pytest.mark.slow

RELEASED = sorted((Path(__file__).parent / "released").glob("*.sql"))
SCHEMAS = sorted((Path(sparring.store.sqlite.__file__).parent / "schema").glob("*.sql"))


def test_every_schema_that_was_released_is_tried():
    """One that is new is written down, by `release.py`, before the next is made."""
    assert {path.name for path in SCHEMAS[:-1]} <= {path.name for path in RELEASED}


@pytest.fixture(params=RELEASED, ids=lambda path: path.stem)
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store with a batch and three of its four conversations, as the Sparring of that time wrote it."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(request.param.read_text(encoding="utf-8"))
    return path


async def test_what_an_older_version_stored_reads_as_it_was_written(released: Path):
    verdicts = [a_verdict("pizza/2")] if _had(released, "verdicts") else []
    jobs = [job()] if _had(released, "jobs") else []
    used = [usage for conversation in KEPT for usage in conversation.usage.values()]

    async with SqliteStore(released) as store:
        assert await store.batch("nightly") == BATCH
        assert await all_in(store.conversations("nightly")) == KEPT
        assert await all_in(store.verdicts("nightly")) == verdicts
        assert await store.rubric(RUBRIC.hash) == (RUBRIC if verdicts else None)
        assert await store.waiting() == jobs
        assert len(await all_in(store.events("nightly"))) == 4
        assert await store.consumed("nightly") == (sum([*used, *(each.usage for each in verdicts)], Usage()), 3)


async def test_what_an_older_version_had_mended_reads_as_it_was_written(released: Path):
    if not _had(released, "replaced"):
        pytest.skip("it could not yet hold a conversation again")
    first = a_conversation(MENDED.cases[0], ending=Ending.CHATBOT_FAILED)
    second = attempt(a_conversation(MENDED.cases[0]), 2)
    used = [usage for each in (first, second) for usage in each.usage.values()]

    async with SqliteStore(released) as store:
        assert await store.attempts("mended", "pizza/3") == [first, second]
        assert await store.consumed("mended") == (sum(used, Usage(calls=3, input_tokens=30)), 1)
        kept = [each.name for each in await store.prompts()]
        assert kept == ([] if not (await store.head("mended")).prompts else ["bot"])


async def test_first_attempts_of_an_older_version_count(released: Path):
    if not _had(released, "replaced"):
        pytest.skip("it could not yet retry a conversation")

    async with SqliteStore(released) as store:
        summary = await summarize(await store.batch("mended"), store)
        (row,) = (await store.search(MENDED.id, ConversationQuery(), offset=0, limit=9))[1]

    assert (row.first_outcome, row.outcome, row.blame) == (Outcome.FAILED, Outcome.UNDECIDED, Blame.CASE), "a weak case"
    assert (summary.outcomes[Outcome.FAILED], summary.most_attempts) == (1, 2)


async def test_words_of_an_older_version_are_found_once_it_is_completed(released: Path):
    async with SqliteStore(released) as store:
        await summarize(await store.batch("nightly"), store)
        total, _ = await store.search(BATCH.id, ConversationQuery(text="large pizza"), offset=0, limit=9)

    assert total == 3


async def test_what_an_older_version_began_is_finished_and_mended_by_this_one(released: Path):
    last, again = a_conversation(BATCH.cases[1], repeat=2), attempt(a_conversation(BATCH.cases[0], repeat=2), 2)

    async with SqliteStore(released) as store:
        assert await store.add(BATCH.id, last)
        assert await store.replace(BATCH.id, again)
        assert await all_in(store.conversations(BATCH.id)) == [KEPT[0], again, KEPT[2], last]
        assert await store.attempts(BATCH.id, "pizza/1#2") == [KEPT[1], again]


def _had(path: Path, table: str) -> bool:
    """Whether a version had something to keep there; it is asked before this one opens the store."""
    with closing(sqlite3.connect(path)) as connection:
        there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return bool(there and connection.execute(f"SELECT 1 FROM {table}").fetchone())


async def test_what_an_older_version_stored_is_completed_and_sums_up_as_it_did(released: Path):
    async with SqliteStore(released) as store:
        first = await summarize(await store.batch("nightly"), store)
        again = await summarize(await store.batch("nightly"), store)
        lacking = await all_in(store.unlisted(BATCH.id))
        totals = await store.totals(BATCH.id)

    assert first == again
    assert first.outcomes == {"passed": 0, "failed": 1, "undecided": 2, "void": 0}, "null bots pass these cases"
    assert (first.scores[0].judge, first.scores[0].passed) == ("checklist", 2)
    assert (lacking, totals.outcomes) == ([], {"undecided": 2, "failed": 1})
