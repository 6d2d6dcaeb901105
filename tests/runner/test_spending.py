import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from fakes import FrozenClock, Saying
from scripted import ScriptedModel
from sparring.chatbots.chatbot import BaseChatbot
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import ModelTimeout, ModelUnavailable
from sparring.core.events import BatchFinished, ConversationEnded, Event
from sparring.core.message import Message, message
from sparring.core.usage import Budget, Usage
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm import template
from sparring.llm.model import Completion, MeteredModel, Request, UnpricedModel
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.runner.spending import BatchSpending, ConversationSpending
from sparring.testing.factories import CREATED
from sparring.testing.memory_store import MemoryStore
from tables import table


class Charging(UnpricedModel):
    """A model whose every call costs as much as the one before, and which `calls` counts."""

    def __init__(self, cost: float = 0.0, tokens: int = 0) -> None:
        self.calls = 0
        self._usage = Usage(calls=1, input_tokens=tokens, cost=cost)

    async def complete(self, request: Request) -> Completion:
        self.calls += 1
        await asyncio.sleep(0)
        return Completion("Hello", usage=self._usage)


class Failing(UnpricedModel):
    """A model whose first calls fail, so many of them and for nothing; later ones are another's."""

    def __init__(self, number: int, then: object, error: Exception | None = None) -> None:
        self.calls = 0
        self._number = number
        self._then = then
        self._error = error or ModelUnavailable("HTTP 500")

    async def complete(self, request: Request) -> Completion:
        self.calls += 1
        if self.calls > self._number:
            return await self._then.complete(request)  # type: ignore[attr-defined,no-any-return]
        await asyncio.sleep(0)
        raise self._error


def batch(cases: int) -> Batch:
    who = Players(chatbot="charging", user="saying")
    return Batch(id="B1", created=CREATED, who=who, cases=tuple(Case(id=f"case/{n}") for n in range(cases)))


def players(model: object, turns: int = 1) -> ResolvedPlayers:
    chatbot = Prompted(MeteredModel(model, "chatbot"), template.read(""))  # type: ignore[arg-type]
    user = Saying(*(message("user", "Hi", ends=turn == turns) for turn in range(1, turns + 1)))
    return ResolvedPlayers(chatbot=chatbot, user=user, reader=PatternReader(), clock=FrozenClock())


async def played(cases: int, cast: ResolvedPlayers, store: MemoryStore | None = None, **options: object) -> list[Event]:
    return [event async for event in run(batch(cases), cast, store or MemoryStore(), **options)]  # type: ignore[arg-type]


def finished(events: list[Event]) -> BatchFinished:
    assert isinstance(events[-1], BatchFinished)
    return events[-1]


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(cost=0.3), "cost limit of $0.3 reached: $0.3000 spent"),
        (Budget(tokens=3000), "limit of 3,000 tokens reached: 3,000 used"),
        (Budget(conversations=3), "limit of 3 conversations reached"),
    ],
    ids=["cost", "tokens", "conversations"],
)
async def test_what_would_go_beyond_the_budget_is_not_run_and_nothing_fails(budget: Budget, reason: str):
    store = MemoryStore()

    ended = finished(await played(10, players(Charging(0.1, 1000)), store, budget=budget, concurrency=1))

    assert ended == BatchFinished(batch="B1", stored=3, not_run=7, reason=reason)
    assert {each.ending async for each in store.conversations("B1")} == {Ending.USER_DONE}


@pytest.mark.slow
@table("concurrency", [1, 2, 3, 8, 50])
async def test_money_is_never_overspent_by_more_than_the_calls_in_flight(concurrency: int):
    model, store = Charging(0.1), MemoryStore()

    ended = finished(await played(50, players(model, turns=4), store, budget=Budget(cost=2.0), concurrency=concurrency))

    assert ended.stored + ended.not_run + ended.cancelled == 50
    assert 20 <= model.calls <= 20 + concurrency
    consumed, kept = await store.consumed("B1")
    assert (consumed.calls, kept) == (model.calls, ended.stored), "what was cancelled is counted too"


async def test_a_conversation_is_not_begun_that_the_rest_would_not_do_for():
    model = Charging(0.1)

    ended = finished(await played(10, players(model, turns=4), budget=Budget(cost=1.0), concurrency=1))

    assert (ended.stored, ended.not_run, ended.cancelled, model.calls) == (2, 8, 0, 8)


@pytest.mark.parametrize("budget", [Budget(cost=1.0), Budget(tokens=1000)], ids=["cost", "tokens"])
async def test_a_budget_for_a_few_is_spent_on_a_few_and_not_on_the_beginnings_of_many(budget: Budget):
    store, model = MemoryStore(), Charging(0.1, 100)

    ended = finished(await played(10, players(model, turns=4), store, budget=budget, concurrency=5))

    # Each takes four calls of ten: five begin, and the first two go on to their end.
    assert (ended.stored, ended.cancelled, model.calls) == (2, 3, 10)
    assert [each.case.id async for each in store.conversations("B1")] == ["case/0", "case/1"]


@pytest.mark.slow
async def test_a_small_budget_is_not_spent_on_first_calls_alone():
    model = Charging(0.1)

    ended = finished(await played(40, players(model, turns=4), budget=Budget(cost=1.0), concurrency=32))

    assert (ended.stored, model.calls) == (2, 10)


async def test_a_first_call_that_failed_does_not_say_what_one_takes():
    store, model = MemoryStore(), Failing(1, Charging(0.1))

    ended = finished(await played(40, players(model, turns=4), store, budget=Budget(cost=1.0), concurrency=32))

    assert (ended.stored, model.calls) == (3, 11)


async def test_what_failed_before_a_batch_is_resumed_does_not_say_what_one_takes():
    store, model = MemoryStore(), Charging(0.1)
    await played(40, players(Failing(9, None)), store, budget=Budget(conversations=5), concurrency=1)

    ended = finished(await played(40, players(model, turns=4), store, budget=Budget(cost=1.0), concurrency=32))

    assert (ended.stored, model.calls) == (7, 10)


async def test_no_call_waits_for_a_success_if_all_calls_fail():
    ended = finished(await played(20, players(Failing(99, None)), budget=Budget(cost=1.0), concurrency=8))

    assert (ended.stored, ended.reason) == (20, "")


async def test_no_call_waits_for_a_free_first_call():
    model = Failing(1, Charging(0.1), ValueError("broken"))

    ended = finished(await played(10, players(model), budget=Budget(cost=5.0), concurrency=4))

    assert (ended.stored, model.calls) == (10, 10)


@pytest.mark.usefixtures("virtual_time")
async def test_a_call_that_outlives_its_conversation_is_paid_and_stops_no_other():
    spending, dear = BatchSpending(Budget(cost=1.0)), Usage(calls=1, cost=0.6)

    async def allowed(purse: ConversationSpending) -> None:
        if waiting := purse.acquire():
            await waiting

    with spending.account() as purse:
        await allowed(purse)
    purse.record(dear)
    await allowed(purse)
    purse.record(dear)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(allowed(purse), 0.01)

    assert (spending.asking, spending.cost.used, spending.spent) == (0, 1.2, "cost")


@pytest.mark.parametrize("concurrency", [2, 5, 10])
async def test_once_it_is_known_what_one_takes_hardly_any_is_broken_off(concurrency: int):
    store = MemoryStore()
    await played(40, players(Charging(0.1), turns=4), store, budget=Budget(conversations=1))

    ended = finished(
        await played(40, players(Charging(0.1), turns=4), store, budget=Budget(cost=4.05), concurrency=concurrency)
    )

    assert (ended.stored, ended.cancelled) == (10, 0)


async def test_what_was_broken_off_is_spent_and_no_measure_of_the_others():
    store = MemoryStore()
    await played(10, players(Charging(0.1)), store, budget=Budget(conversations=1))
    await store.drop("B1", Usage(calls=20, cost=2.0))

    ended = finished(await played(10, players(Charging(0.1)), store, budget=Budget(cost=2.5), concurrency=3))

    assert (ended.stored, ended.cancelled) == (5, 0)


async def test_earlier_spending_counts_when_a_batch_is_resumed():
    store = MemoryStore()
    await played(10, players(Charging(0.1)), store, budget=Budget(conversations=4))

    same = finished(await played(10, players(Charging(0.1)), store, budget=Budget(cost=0.4)))
    more = finished(await played(10, players(Charging(0.1)), store, budget=Budget(cost=0.6), concurrency=1))

    assert (same.stored, more.stored) == (4, 6)


@pytest.mark.usefixtures("virtual_time")
async def test_when_time_is_up_what_is_under_way_is_cancelled_and_what_has_ended_is_kept():
    class Hanging(BaseChatbot):
        closed = 0

        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator["Hanging"]:
            try:
                yield self
            finally:
                self.closed += 1

        greeting = None

        async def reply(self, said: Message) -> Message:
            if self.closed >= 2:
                await asyncio.Event().wait()
            return message("chatbot", "Hello")

    chatbot, store = Hanging(), MemoryStore()
    cast = ResolvedPlayers(chatbot=chatbot, user=Saying("Hi"), reader=PatternReader(), clock=FrozenClock())

    events = await played(10, cast, store, budget=Budget(seconds=0.05), concurrency=2)

    ended = finished(events)
    assert (ended.stored, ended.cancelled, ended.not_run, ended.reason) == (2, 2, 6, "time limit of 0.05 s reached")
    assert (chatbot.closed, sum(isinstance(event, ConversationEnded) for event in events)) == (4, 2)


async def test_a_call_without_a_price_is_no_reason_to_stop():
    class Late(UnpricedModel):
        async def complete(self, request: Request) -> Completion:
            raise ModelTimeout("no answer")

    ended = finished(await played(3, players(Late()), budget=Budget(cost=1.0)))

    assert (ended.stored, ended.reason) == (3, "")


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (
            Budget(cost=1.0),
            "cost limit of $1 reached: $0.0000 spent, "
            "not counting 10 calls without a price; this limit cannot be enforced",
        ),
        (
            Budget(tokens=100),
            "limit of 100 tokens reached: 0 used, not counting 10 calls without a count; this limit cannot be enforced",
        ),
    ],
    ids=["cost", "tokens"],
)
@pytest.mark.parametrize("failing", [0, 1])
async def test_a_limit_that_cannot_be_enforced_stops_the_batch(budget: Budget, reason: str, failing: int):
    silent = ScriptedModel(*[Completion("Hello", usage=Usage(calls=1, unknown_tokens=1, unknown_costs=1))] * 20)

    ended = finished(await played(20, players(Failing(failing, silent)), budget=budget, concurrency=1))

    assert (ended.stored, ended.reason) == (10 + failing, reason)


async def test_calls_without_a_price_count_as_much_as_the_others():
    unknown = Completion("Hello", usage=Usage(calls=1, unknown_tokens=1, unknown_costs=1))
    known = Completion("Hello", usage=Usage(calls=1, cost=0.1))

    ended = finished(
        await played(20, players(ScriptedModel(*[known, unknown] * 10)), budget=Budget(cost=1.0), concurrency=1)
    )

    assert (ended.stored, ended.reason) == (
        10,
        "cost limit of $1 reached: $0.5000 spent, not counting 5 calls without a price",
    )


async def test_without_a_budget_everything_is_run():
    assert finished(await played(20, players(Charging(100.0, 10**9)))).stored == 20


async def test_a_conversation_that_needs_no_further_call_ends_though_the_money_is_gone():
    model, store = Charging(5.0), MemoryStore()

    ended = finished(await played(1, players(model), store, budget=Budget(cost=1.0)))

    conversation: Conversation = await store.conversation("B1", "case/0")
    assert (ended.stored, ended.cancelled, conversation.ending) == (1, 0, Ending.USER_DONE)
