"""Usage of running conversations is written as they run: a kill loses little of it, and nothing is counted twice."""

import asyncio
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fakes import FrozenClock, Saying
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import BadCompletion, ModelUnavailable, StoreError, UnstorableConversation
from sparring.core.message import message
from sparring.core.usage import Budget, Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.judges.judge import BaseJudge
from sparring.llm import template
from sparring.llm.client.retry import Retries, TryAgain
from sparring.llm.metering import CallAttempts
from sparring.llm.model import Completion, MeteredModel, Request, UnpricedModel
from sparring.runner import usage_ledger
from sparring.runner.batch import run
from sparring.runner.judge_worker import NamedJudge, judge_stored
from sparring.runner.players import ResolvedPlayers
from sparring.runner.spending import BatchSpending
from sparring.runner.usage_ledger import UsageLedger
from sparring.store.sqlite.store import SqliteStore
from sparring.store.store import PendingUsage, Store
from sparring.testing.factories import CREATED
from sparring.testing.memory_store import MemoryStore

CALL = Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.25)
BATCH = Batch(
    id="B1",
    created=CREATED,
    who=Players(chatbot="paid", user="saying"),
    cases=tuple(Case(id=f"case/{n}") for n in range(9)),
)


class Paid(UnpricedModel):
    """A model that counts its answers, and answers at once."""

    def __init__(self) -> None:
        self.calls = 0

    async def complete(self, request: Request) -> Completion:
        await asyncio.sleep(0)
        self.calls += 1
        return Completion("Hello", usage=CALL)


class AskingTwice(BaseJudge):
    """A judge that asks a model twice for every verdict."""

    def __init__(self, model: MeteredModel) -> None:
        self._model = model

    async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
        for _ in range(2):
            await self._model.complete(Request(messages=()))
        return Verdict(check="x", outcome=CheckOutcome.PASS, conversation=conversation.id, by="asking")


def players(model: Paid) -> ResolvedPlayers:
    chatbot = Prompted(MeteredModel(model, "chatbot"), template.read(""))
    user = Saying(*(message("user", "Hi", ends=turn == 4) for turn in range(1, 5)))
    return ResolvedPlayers(
        chatbot=chatbot,
        user=user,
        reader=PatternReader(),
        clock=FrozenClock(),
        judge=NamedJudge(AskingTwice(MeteredModel(model, "judge")), "asking"),
    )


class Watched(MemoryStore):
    """A store that is copied at every write, as it would be found if the program were killed there."""

    def __init__(self, model: Paid, found: MemoryStore | None = None) -> None:
        super().__init__()
        self._origin = found or MemoryStore()  # which closes its connection in the end
        self.__dict__ |= vars(self._origin)
        self._model = model
        self.left: list[tuple[MemoryStore, int]] = []

    async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
        await super().drop(batch, usage, run=run)
        self._leave()

    async def add(self, batch: str, conversation: Conversation, **beside: Any) -> bool:
        added = await super().add(batch, conversation, **beside)
        self._leave()
        return added

    def _leave(self) -> None:
        copy = MemoryStore()
        self._connection.backup(copy._connection)
        self.left.append((copy, self._model.calls))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Note what there is whenever anything happens."""
    monkeypatch.setattr(usage_ledger, "SECONDS", 0)


async def play(store: Store, model: Paid, **options: object) -> None:
    async for _ in run(BATCH, players(model), store, concurrency=3, **options):  # type: ignore[arg-type]
        pass


async def calls(store: Store) -> int:
    consumed, _ = await store.consumed("B1")
    assert (consumed.tokens, consumed.cost) == (12 * consumed.calls, pytest.approx(consumed.calls / 4))
    return consumed.calls


@pytest.mark.usefixtures("at_once")
async def test_a_killed_run_counts_the_calls_it_paid_for_and_no_more():
    model = Paid()
    store = Watched(model)

    await play(store, model)

    told = [(await calls(copy), paid) for copy, paid in store.left]
    assert (len(told) > 10, await calls(store), model.calls) == (True, 54, 54)
    assert all(paid - 3 <= noted <= paid for noted, paid in told), "at most the calls since the last time are missing"
    assert sorted(noted for noted, _ in told) == [noted for noted, _ in told], "and nothing is ever taken back"


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
async def test_usage_of_a_killed_run_is_counted_once_after_any_number_of_kills():
    store = MemoryStore()
    for at in (0, 8, 12):
        model, before = Paid(), await calls(store) if at else 0
        watched = Watched(model, store)
        await play(watched, model)
        store, paid = watched.left[at]
        assert before + paid - 3 <= await calls(store) <= before + paid

    model, before = Paid(), await calls(store)
    await play(store, model)

    assert await calls(store) == before + model.calls


async def test_a_run_that_ends_leaves_nothing_noted():
    model, store = Paid(), MemoryStore()

    await play(store, model)

    noted = store._connection.execute("SELECT count(*) FROM dropped WHERE run IS NOT NULL").fetchone()
    assert (await calls(store), noted) == (54, (0,))


@pytest.mark.usefixtures("at_once")
async def test_a_broken_off_conversation_is_counted_once():
    model, store = Paid(), MemoryStore()
    playing = run(BATCH, players(model), store, concurrency=3)
    async for _ in playing:
        if model.calls > 20:
            break
    await playing.aclose()  # type: ignore[attr-defined]
    await play(store, model, budget=Budget(tokens=12 * 40))
    after = model.calls
    await play(store, model)

    assert (after <= 42, await calls(store)) == (True, model.calls)


async def test_usage_of_a_void_conversation_is_counted():
    model, store = Paid(), MemoryStore()
    cast = players(model)
    broken = Saying("Hi", ZeroDivisionError("division by zero"))
    async for _ in run(BATCH, ResolvedPlayers(cast.chatbot, broken, cast.reader, cast.clock), store):
        pass

    assert (await calls(store), model.calls) == (9, 9)


@pytest.mark.usefixtures("at_once")
async def test_a_reader_sees_usage_that_never_falls_and_never_exceeds_what_was_paid(tmp_path: Path):
    model, told = Paid(), [0]
    async with SqliteStore(tmp_path / "a.db") as store, SqliteStore(tmp_path / "a.db") as other:
        await other.create(BATCH)
        playing = asyncio.create_task(play(store, model))
        while not playing.done():
            noted = await calls(other)
            assert told[-1] <= noted <= model.calls
            told.append(noted)
        await playing
        assert await calls(other) == model.calls == 54


async def test_a_judge_that_is_stopped_has_been_paid(tmp_path: Path):
    model, store = Paid(), MemoryStore()
    cast = players(model)
    async for _ in run(BATCH, ResolvedPlayers(cast.chatbot, cast.user, cast.reader, cast.clock), store):
        pass
    judging = judge_stored(BATCH, cast.judge, store, concurrency=3)
    async for _ in judging:
        break
    await judging.aclose()  # type: ignore[attr-defined]

    assert (await calls(store), model.calls > 36) == (model.calls, True)


@pytest.mark.usefixtures("at_once")
async def test_a_store_that_takes_no_notes_for_a_while_stops_nothing():
    class Busy(MemoryStore):
        refused = 0

        async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
            self.refused += 1
            if self.refused <= 5:
                raise StoreError("in use by another program")
            await super().drop(batch, usage, run=run)

    model, store = Paid(), Busy()

    await play(store, model)

    assert (await calls(store), store.refused > 5) == (54, True)


async def test_a_call_that_outlives_its_conversation_is_counted():
    store, spending = MemoryStore(), BatchSpending(Budget())
    await store.create(BATCH)
    async with UsageLedger("B1", store, spending):
        with spending.account() as purse:
            purse.record(CALL)
        purse.record(CALL)

    assert await calls(store) == 2


@pytest.mark.usefixtures("at_once")
async def test_a_conversation_that_cannot_be_stored_is_counted_once():
    class Refusing(Watched):
        async def add(self, batch: str, conversation: Conversation, **beside: Any) -> bool:
            if conversation.messages:
                raise UnstorableConversation("no file can hold this")
            return await super().add(batch, conversation, **beside)

    model = Paid()
    store = Refusing(model)

    await play(store, model)

    told = [(await calls(copy), paid) for copy, paid in store.left]
    assert (await calls(store), model.calls) == (36, 36)
    assert all(paid - 3 <= noted <= paid for noted, paid in told)


async def test_unchanged_usage_is_not_written_again():
    class Counting(MemoryStore):
        notes = 0

        async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
            self.notes += 1
            await super().drop(batch, usage, run=run)

    store, spending = Counting(), BatchSpending(Budget())
    await store.create(BATCH)
    async with UsageLedger("B1", store, spending) as noting:
        with spending.account() as purse:
            for _ in range(3):
                await noting.note()
            purse.record(CALL)
            for _ in range(3):
                await noting.note()

    assert (store.notes, await calls(store)) == (2, 1)


async def test_a_call_under_way_is_noted_as_one_that_may_have_to_be_paid_for():
    store, spending, answered = MemoryStore(), BatchSpending(Budget()), asyncio.Event()
    failed = iter([TryAgain(BadCompletion("it said nothing"), wait=0), TryAgain(ModelUnavailable("busy"), wait=0)])

    async def answer() -> Completion:
        if (error := next(failed, None)) is not None:
            raise error
        await answered.wait()
        return Completion("Hello", usage=CALL)

    class Retried(UnpricedModel):
        async def complete(self, request: Request) -> Completion:
            return await Retries(SystemClock(), Random(0)).run(answer)

    told = []
    await store.create(BATCH)
    async with UsageLedger("B1", store, spending) as noting:
        with spending.account():
            asked = asyncio.create_task(MeteredModel(Retried(), "chatbot").complete(Request(messages=())))
            for _ in range(20):
                await asyncio.sleep(0)
            await noting.note()
            told.append((await store.consumed("B1"))[0])
            answered.set()
            await asked
            await noting.note()
            told.append((await store.consumed("B1"))[0])

    lost = Usage(calls=1, unknown_tokens=1, unknown_costs=1)
    assert told == [lost + lost, lost + CALL], "an attempt that is paid for and of no use, and the one under way"


async def test_every_call_is_counted_before_it_is_made_however_often_it_is_tried():
    store, found = MemoryStore(), list[tuple[int, int, int]]()

    class Asked(UnpricedModel):
        calls = 0

        async def complete(self, request: Request) -> Completion:
            return await Retries(SystemClock(), Random(0)).run(self._answer)

        async def _answer(self) -> Completion:
            self.calls += 1
            found.append((self.calls, (await store.consumed("B1"))[0].calls, await store.unconfirmed("B1")))
            await asyncio.sleep(0)
            if self.calls % 3 == 0:
                raise TryAgain(BadCompletion("it said nothing"), wait=0)
            return Completion("Hello", usage=CALL)

    model = Asked()
    async for _ in run(BATCH, players(model), store, concurrency=3):  # type: ignore[arg-type]
        pass

    assert len(found) == model.calls > 36
    assert all(noted - unconfirmed <= made <= noted for made, noted, unconfirmed in found)
    assert all(0 < unconfirmed <= 3 for _, _, unconfirmed in found)
    assert (await store.unconfirmed("B1"), (await store.consumed("B1"))[0].calls) == (0, model.calls)


async def test_a_kill_during_any_call_leaves_a_file_that_counts_it(tmp_path: Path):
    """Other than in memory, a write takes a while, in which other calls begin and end."""
    found, pauses = list[tuple[int, int, int]](), Random(3)
    left = """
        SELECT coalesce(sum(CAST(document AS TEXT) ->> 'calls'), 0), coalesce(sum(CAST(document AS TEXT)
            ->> 'unconfirmed'), 0), (SELECT coalesce(sum(amount), 0) FROM aggregates WHERE key = 'calls') FROM dropped
    """
    batch = BATCH.model_copy(update={"cases": tuple(Case(id=f"case/{n}") for n in range(24))})
    async with SqliteStore(tmp_path / "s.db") as store:
        await store.create(batch)
        with closing(sqlite3.connect(store.path, isolation_level=None)) as beside:

            class Asked(Paid):
                async def complete(self, request: Request) -> Completion:
                    return await Retries(SystemClock(), Random(0)).run(self._answer)

                async def _answer(self) -> Completion:
                    self.calls += 1
                    ((dropped, unconfirmed, stored),) = beside.execute(left)
                    found.append((self.calls, dropped + stored, unconfirmed))
                    await asyncio.sleep(pauses.random() / 500)
                    return Completion("Hello", usage=CALL)

            model = Asked()
            async for _ in run(batch, replace(players(model), judge=None), store, concurrency=8):
                pass

    assert len(found) == model.calls == 24 * 4
    assert [each for each in found if not each[1] - each[2] <= each[0] <= each[1]] == []


async def test_a_call_waits_while_the_conversation_that_counts_it_is_not_stored_yet():
    store, spending = MemoryStore(), BatchSpending(Budget())
    reached, on_disk = asyncio.Event(), asyncio.Event()

    async def write(unkept: PendingUsage | None) -> bool:
        assert unkept is not None
        reached.set()
        await on_disk.wait()
        await store.drop("B1", unkept.usage, run=unkept.run)
        return True

    class Busy(MemoryStore):
        async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
            if reached.is_set():
                await on_disk.wait()
            await store.drop(batch, usage, run=run)

    await store.create(BATCH)
    async with Busy() as busy, UsageLedger("B1", busy, spending) as ledger:
        with spending.account() as account:
            account.record(CALL)
        await ledger.note()
        spending.running.add(CallAttempts(running=True))
        storing = asyncio.create_task(ledger.stored(CALL, write))
        await reached.wait()
        assert spending.intend is not None
        intent = asyncio.create_task(spending.intend())  # nothing has changed since the write began
        for _ in range(20):
            await asyncio.sleep(0)
        waited = not intent.done()
        on_disk.set()
        await asyncio.gather(intent, storing)
        assert waited, "a kill would lose the call"
        assert await store.unconfirmed("B1") == 1


async def test_a_failed_write_is_repeated_the_next_time():
    class Busy(MemoryStore):
        notes = 0

        async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
            self.notes += 1
            if self.notes == 1:
                raise StoreError("somebody holds it")
            await super().drop(batch, usage, run=run)

    store, spending = Busy(), BatchSpending(Budget())
    await store.create(BATCH)
    async with UsageLedger("B1", store, spending) as noting:
        with spending.account() as purse:
            purse.record(CALL)
            with pytest.raises(StoreError):
                await noting.note()
            await noting.note()
            assert await calls(store) == 1


async def test_calls_that_wait_for_a_write_go_on_when_the_ledger_fails_unforeseen():
    """A call that begins during the failing write waits for the next one, which never comes."""

    class Broken(MemoryStore):
        async def drop(self, *arguments: Any, **more: Any) -> None:
            if spending.intend is not None:
                late.append(asyncio.ensure_future(spending.intend()))
                await asyncio.sleep(0)
            raise ValueError("unforeseen")

    late: list[asyncio.Future[None]] = []
    spending = BatchSpending(Budget())
    spending.unkept.add(CALL)
    ledger = UsageLedger("B1", Broken(), spending)
    with suppress(ValueError):  # the last write fails as well
        async with ledger:
            assert spending.intend is not None
            await spending.intend()
            done, _ = await asyncio.wait(late, timeout=5)

    assert done
