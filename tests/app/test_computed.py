import json
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from sparring.app.compare import accept, compare_stored, contender
from sparring.app.report import report
from sparring.app.results import costs_of, results, summarize
from sparring.core.batch import Batch
from sparring.core.checks import Attempts, Gate, Rule
from sparring.core.conversation import Conversation, Ending
from sparring.core.usage import Pricing, Usage
from sparring.core.verdict import HUMAN
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparing_batches import compare
from sparring.reports.comparison import Comparison
from sparring.reports.summary import Summary
from sparring.runner import verdict_selection
from sparring.runner.verdicts import checks_of
from sparring.store.sql import aggregates
from sparring.store.sql.store import SqlStore
from sparring.store.store import Store
from sparring.testing.factories import a_batch, a_conversation, a_verdict, all_conversations, attempt
from sparring.testing.memory_store import MemoryStore

GATE = Gate(pass_rate=0.5, baseline="nightly", baseline_nights=1)
CHANGES = 12


def nightly(id: str) -> Batch:
    rules = (Rule(name="short", then="turns() < 3"), Rule(name="alike", conversations=2, then="turns(conv[0]) > 1"))
    return a_batch("a/1", "a/2", "b", id=id, name="nightly", repeats=2).model_copy(update={"rules": rules})


async def figures(batch: Batch, store: Store) -> tuple[Any, ...]:
    """What is shown of a batch."""
    costs = await costs_of(batch, store, {"grammar": Pricing(input=1.0, output=2.0)}, dearest=2)
    made = await report(batch, store, gate=GATE)
    return costs, made.summary, made.gated, await summarize(batch, store, unit="scenario")


async def change(batch: Batch, store: Store, random: Random) -> None:
    """Change what is stored of a batch at random, as runs, retries, judges and people do."""
    planned = random.choice(all_conversations(batch))
    ending = random.choice([Ending.GOALS_ANSWERED, Ending.GAVE_UP, Ending.USER_FAILED, Ending.TIMEOUT])
    conversation = attempt(planned.model_copy(update={"ending": ending}), random.randint(1, 3))
    checks = random.choice([None, await checks_of(batch).evaluate(conversation)])
    human = random.choice(["human", "openai:judge"])
    changes: list[Callable[[], Awaitable[Any]]] = [
        lambda: store.replace(batch.id, conversation, checks=checks),
        lambda: store.judge(batch.id, a_verdict(planned.id, judge=human), rejudge=True),
        lambda: store.drop(batch.id, Usage(calls=1, cost=0.1)),
        lambda: accept(batch, store),
    ]
    if (planned.case.id, planned.repeat) not in await store.stored(batch.id):
        await store.add(batch.id, conversation, checks=checks)
    else:
        await random.choice(changes)()


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one case."""
    monkeypatch.setattr(aggregates, "_TOGETHER", 1)
    monkeypatch.setattr(aggregates, "_BLOCK", 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("small_blocks")
async def test_stored_figures_equal_those_of_a_full_read(seed: int):
    random, store = Random(seed), MemoryStore()
    batches = [nightly("B1"), nightly("B2")]
    for batch in batches:
        await store.create(batch)
    for _ in range(CHANGES):
        await change(random.choice(batches), store, random)
        shown = [await figures(await store.head(each.id), store) for each in batches]
        again = [await figures(await store.head(each.id), store) for each in batches]
        wrong = [await store.rebuild(each.id) for each in batches]
        counted_again = [await figures(await store.head(each.id), store) for each in batches]

        assert wrong == [0, 0]
        assert shown == again == counted_again


def rounded(comparison: Comparison) -> Any:
    """A comparison without the last digits of dollars, which depend on the order of additions."""
    return json.loads(comparison.model_dump_json(), parse_float=lambda text: round(float(text), 9))


@pytest.mark.slow
@pytest.mark.parametrize("attempts", ["first", "last"])
@pytest.mark.usefixtures("small_blocks")
async def test_a_comparison_of_stored_blocks_equals_one_of_all_conversations(attempts: Attempts):
    random, store = Random(1), MemoryStore()
    batches = [nightly("B1"), nightly("B2").model_copy(update={"selected": ("a/1", "b", "b#2")})]
    for batch in batches:
        await store.create(batch)
    for _ in range(CHANGES):
        await change(random.choice(batches), store, random)

    sides, whole = [], []
    for batch in batches:
        await summarize(await store.head(batch.id), store)
        sides.append(await contender(await store.head(batch.id), store, attempts=attempts))
        side = ComparedBatch(await store.batch(batch.id), attempts)
        async for conversation, verdicts in results(batch, store):
            side.add(verdicts.reported(conversation), verdicts.judgements)
        side.findings, side.history = sides[-1].findings, sides[-1].history
        whole.append(side)
    found = compare(*sides)

    assert rounded(found) == rounded(compare(*whole))
    assert found.checks
    assert found.undecided
    assert (found.only_before, found.only_after) == (3, 0)


async def test_a_comparison_of_batches_that_were_shown_reads_no_conversation(monkeypatch: pytest.MonkeyPatch):
    store = MemoryStore()
    batches = [a_batch("a", "b", id=id, repeats=2) for id in ("B1", "B2")]
    for batch in batches:
        await store.create(batch)
        for conversation in all_conversations(batch):
            await store.add(batch.id, conversation)
        await summarize(await store.head(batch.id), store)
    heads = [await store.head(batch.id) for batch in batches]
    monkeypatch.delattr(SqlStore, "with_results")

    assert (await compare_stored(*heads, store)).before.turns.n == 4


@pytest.mark.usefixtures("small_blocks")
async def test_only_cases_of_which_something_changed_are_read_again(monkeypatch: pytest.MonkeyPatch):
    batch, store = a_batch("a/1", "a/2", "b", "c", id="B1", repeats=2), MemoryStore()
    await store.create(batch)
    for conversation in all_conversations(batch)[:-1]:
        await store.add(batch.id, conversation)
    gate = Gate(pass_rate=0.5)
    before = await report(await store.head(batch.id), store, gate=gate)
    seen: list[str] = []
    reading = verdict_selection.VerdictSelector.verdicts

    def read(selector: Any, conversation: Conversation, *recorded: Any) -> Any:
        seen.append(conversation.id)
        return reading(selector, conversation, *recorded)

    await store.add(batch.id, all_conversations(batch)[-1])
    await report(await store.head(batch.id), store)
    monkeypatch.setattr(verdict_selection.VerdictSelector, "verdicts", read)
    await store.judge(batch.id, a_verdict("b", judge="human"))
    after = await report(await store.head(batch.id), store, gate=gate)

    assert set(seen) == {"b", "b#2"}
    assert (before.summary.stored, after.summary.stored) == (7, 8)


async def test_scores_and_warnings_of_all_blocks_are_added_up(monkeypatch: pytest.MonkeyPatch):
    batch, store = a_batch("a/1", "a/2", "b", id="B1", repeats=2), MemoryStore()
    await store.create(batch)
    for number, each in enumerate(all_conversations(batch)):
        made = {"warnings": (f"no {number}", "slow"), "ending": Ending.GAVE_UP if number % 2 else Ending.GOALS_ANSWERED}
        await store.add(batch.id, each.model_copy(update=made))
        for judge, score in (("openai:one", 1 + number % 3), ("openai:one", 3), (HUMAN, 2)):
            await store.judge(batch.id, a_verdict(each.id, judge=judge).changed(score=score), rejudge=True)
    head = await store.head(batch.id)

    async def summaries() -> list[Summary]:
        made = [await summarize(head, store, unit="case"), await summarize(head, store, unit="scenario")]
        return [each.model_copy(update={"usage": {}}) for each in made]  # dollars are rounded in another order

    whole = await summaries()
    await store.rebuild(batch.id)
    monkeypatch.setattr(aggregates, "_TOGETHER", 1)
    monkeypatch.setattr(aggregates, "_BLOCK", 1)

    assert await summaries() == whole
    assert all((whole[0].scores, whole[0].agreements, whole[0].consistency))
    assert whole[0].warnings["slow"] == 6


async def test_stored_figures_are_read_without_conversations(monkeypatch: pytest.MonkeyPatch):
    batch, store = nightly("B1"), MemoryStore()
    await store.create(batch)
    await store.add(batch.id, a_conversation(batch.cases[0]))
    shown = await figures(batch, store)

    monkeypatch.delattr(SqlStore, "with_results")
    monkeypatch.delattr(SqlStore, "unchecked")

    head = await store.head(batch.id)
    assert await figures(head, store) == shown
    assert await report(head, store, gate=GATE.model_copy(update={"pass_rate": 0.4}))
    with pytest.raises(AttributeError):
        await report(head, store, gate=GATE.model_copy(update={"attempts": "last"}))


async def test_unreadable_conversations_are_reported_each_time(edited: tuple[Batch, Store]):
    batch, store = edited
    told: list[str] = []

    for _ in range(2):
        await summarize(batch, store, unreadable=told.append)

    assert told == ["a/1", "a/1"]


@pytest.fixture
async def edited() -> tuple[Batch, Store]:
    """A store with a conversation that was edited by hand."""
    batch, store = nightly("B1"), MemoryStore()
    await store.create(batch)
    await store.add(batch.id, a_conversation(batch.cases[0]))
    await store._write(lambda connection: connection.execute("UPDATE recordings SET document = '{'"))
    return batch, store


@pytest.mark.slow
async def test_a_comparison_is_kept_until_one_of_its_batches_changes(monkeypatch: pytest.MonkeyPatch):
    one, other, store = nightly("B1"), nightly("B2"), MemoryStore()
    for batch in (one, other):
        await store.create(batch)
        await store.add(batch.id, a_conversation(batch.cases[0]))
    heads = [await store.head(each.id) for each in (one, other)]
    found = await compare_stored(*heads, store)
    whole = compare(await contender(one, store), await contender(other, store))

    with monkeypatch.context() as patch:
        patch.delattr(SqlStore, "with_results")
        again = await compare_stored(*heads, store)
    await store.add(one.id, a_conversation(one.cases[1], ending=Ending.GAVE_UP))
    changed = await compare_stored(*heads, store)

    assert found == again == whole
    assert changed.before.failed == 1
