from datetime import timedelta

import pytest

from sparring.app.results import iter_results
from sparring.core.conversation import Conversation, Ending
from sparring.core.verdict import HUMAN
from sparring.reports.service_results import ScenarioResult
from sparring.runner.verdicts import checks_of
from sparring.store.redaction import Redaction
from sparring.store.sql.connection import SqlConnection
from sparring.store.sql.store import SqlStore
from sparring.store.store import Store
from sparring.testing.factories import CREATED, a_batch, a_conversation, a_verdict, attempt
from sparring.testing.memory_store import MemoryStore

BATCH = a_batch("a", "b", "c", "d", id="B1", repeats=2)


async def add(store: Store, conversation: Conversation) -> None:
    await store.add(BATCH.id, conversation, checks=await checks_of(BATCH).evaluate(conversation))


@pytest.fixture
async def store() -> MemoryStore:
    """Conversations that passed, failed, crashed, were played again, or have no times; some with verdicts."""
    store = MemoryStore(redaction=Redaction(("email",)))
    a, b, c, _ = BATCH.cases
    assert await store.create(BATCH)
    for each in (
        a_conversation(a),
        a_conversation(a, repeat=2, ending=Ending.GAVE_UP),
        a_conversation(b, ending=Ending.USER_FAILED),
        a_conversation(b, repeat=2).changed(timing=None, ending=Ending.TIMEOUT, error="ann@example.org is gone"),
        a_conversation(c),
    ):
        await add(store, each)
    again = attempt(a_conversation(b), 2)
    later = again.timing and again.timing.changed(started=CREATED + timedelta(seconds=0.25), seconds=1.23456)
    again = again.changed(timing=later)
    await store.replace(BATCH.id, again, checks=await checks_of(BATCH).evaluate(again))
    for judge, score in (("openai:one", 2.5), (HUMAN, 2.0)):
        said = a_verdict("c", judge=judge).changed(by=judge, score=score, reason=f"{judge} of bob@example.org")
        await store.judge(BATCH.id, said, rejudge=True)
    return store


async def rows(store: Store) -> list[ScenarioResult]:
    return [each async for each in iter_results(store, await store.head(BATCH.id))]


async def test_results_from_rows_of_lists_equal_those_from_conversations(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
):
    by_rows = await rows(store)

    async def lacks(store: Store, batch: str) -> bool:
        return True

    monkeypatch.setattr(SqlStore, "lacks_results", lacks)
    by_conversations = await rows(store)

    assert [each.model_dump_json() for each in by_rows] == [each.model_dump_json() for each in by_conversations]
    assert [each.attempts for each in by_rows] == [1, 1, 2, 1, 1]
    assert [(each.score, each.comment) for each in by_rows][-1] == (2, "human of ***************")


async def test_results_are_read_without_conversations(store: MemoryStore, monkeypatch: pytest.MonkeyPatch):
    shown = await rows(store)

    monkeypatch.delattr(SqlStore, "with_results")

    assert await rows(store) == shown


async def test_results_of_an_earlier_version_are_those_of_its_conversations(store: MemoryStore):
    shown = await rows(store)

    def forget(connection: SqlConnection) -> None:
        connection.execute("UPDATE listed SET result = NULL WHERE position = 0")

    await store._write(forget)

    assert await rows(store) == shown
