from collections import Counter
from datetime import UTC, datetime

import pytest

from sparring.app.report import report, written_report
from sparring.app.results import results, summarize
from sparring.core.checks import Gate, Rule
from sparring.core.outcome import Outcome
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.formats import find
from sparring.testing.factories import a_batch, all_conversations
from sparring.testing.memory_store import MemoryStore

RULES = (Rule(name="short", then="turns() < 12"), Rule(name="never", then="turns() > 99"))


class Counting(MemoryStore):
    """Counts how often the conversations of each batch are gone through."""

    def __init__(self) -> None:
        super().__init__()
        self.read: Counter[str] = Counter()

    def conversations(self, batch, **wanted):
        self.read[batch] += 1
        return super().conversations(batch, **wanted)

    def documents(self, batch):
        self.read[batch] += 1
        return super().documents(batch)

    def with_results(self, batch, **wanted):
        self.read[batch] += 1
        return super().with_results(batch, **wanted)


async def stored(rules: tuple[Rule, ...] = RULES) -> tuple[Counting, list]:
    store = Counting()
    batches = [a_batch("a", "b", id=id, name=id).model_copy(update={"rules": rules}) for id in ("B1", "B2")]
    for batch in batches:
        await store.create(batch)
        for conversation in all_conversations(batch):
            await store.add(batch.id, conversation)
    return store, batches


async def test_a_report_goes_through_a_batch_once_for_its_rules_and_once_for_all_listeners():
    store, (before, after) = await stored()
    listeners = [ComparedBatch(after), ComparedBatch(after)]

    made = await report(after, store, gate=Gate(baseline=before.id), listeners=listeners)

    assert store.read == {before.id: 2, after.id: 2}
    assert made.gated is not None
    assert [side.side() for side in listeners] == [listeners[0].side()] * 2


async def test_a_batch_without_rules_is_gone_through_once():
    store, (batch, _) = await stored(rules=())

    await report(batch, store)

    assert store.read == {batch.id: 1}


async def test_a_listener_receives_every_conversation_and_the_findings():
    store, (batch, _) = await stored()

    class Listener:
        def __init__(self) -> None:
            self.findings, self.told = (), []

        def found(self, findings):
            self.findings = tuple(findings)

        def add(self, reported):
            self.told.append(reported)

    hearing = Listener()
    made = await report(batch, store, listeners=[hearing])
    alone = [verdicts.reported(each) async for each, verdicts in results(batch, store)]

    assert hearing.told == alone
    assert hearing.findings == made.summary.findings
    assert made.summary == await summarize(batch, store)
    assert made.summary.outcomes[Outcome.FAILED] == 2
    came = [(each.decision.outcome, each.decision.reason) for each in alone]
    assert came == [(each.outcome, each.reason) for each in made.summary.examples]


class Streaming(MemoryStore):
    """Reads no batch with all of its cases."""

    async def batch(self, which):
        raise AssertionError("all cases are read at once")


@pytest.mark.parametrize("name", ["csv", "ndjson"])
async def test_result_rows_are_written_without_all_cases_in_memory(name: str):
    store, batch = Streaming(), a_batch("a", "b", repeats=2)
    await store.create(batch)
    for conversation in all_conversations(batch):
        await store.add(batch.id, conversation)

    head = await store.head(batch.id)
    _, (content,) = await written_report(head, store, [find(name)], now=datetime(2026, 1, 1, tzinfo=UTC))

    assert [chunk async for chunk in content]


async def html(store, batch) -> str:
    _, (content,) = await written_report(batch, store, [find("html")], now=datetime(2026, 1, 1, tzinfo=UTC))
    return b"".join([chunk async for chunk in content]).decode()


async def test_a_page_of_examples_reads_these_and_the_rows_of_all_others():
    store, (batch, _) = await stored()
    await report(batch, store)
    store.read.clear()

    page = await html(store, batch)

    assert store.read == {batch.id: 1}  # the first conversations, which are measured
    assert "Not true: never" in page or "never is violated" in page


async def test_a_page_from_rows_is_that_from_conversations():
    store, (batch, _) = await stored()

    class Lacking(Counting):
        async def lacks_results(self, batch):
            return True

    earlier = Lacking()
    await earlier.create(batch)
    for conversation in all_conversations(batch):
        await earlier.add(batch.id, conversation)

    assert await html(store, batch) == await html(earlier, batch)
