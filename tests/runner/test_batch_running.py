import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fakes import FrozenClock, Noticing, Saying, Talking, TalkingSession, Waiting, transcript
from sparring.chatbots.chatbot import BaseChatbot, Capabilities, Chatbot
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Goal, Limits, Say
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import ChatbotError, ChatbotUnreachable, StoreError, UserError
from sparring.core.events import BatchFinished, BatchStarted, ConversationEnded, Event, MessageSaid
from sparring.core.message import Message, ToolCall, message
from sparring.core.prompts import Prompts
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.call_context import current_call
from sparring.llm.slots import ConversationSlots
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.memory_store import MemoryStore
from sparring.users.simulated import prompts as user_prompts
from sparring.users.user import BaseUser, User

ECHO = Talking(lambda: lambda text: f"You said: {text}")


PROMPTS = user_prompts()
"""Any prompts."""


def batch(cases: int = 3, *, repeats: int = 1) -> Batch:
    return Batch(
        id="01J0000000000000000000000A",
        created=datetime(2026, 1, 2, tzinfo=UTC),
        who=Players(chatbot="echo", user="saying"),
        cases=tuple(Case(id=f"case/{n}", seed=7) for n in range(1, cases + 1)),
        repeats=repeats,
    )


def players(user: User | None = None, chatbot: Chatbot = ECHO) -> ResolvedPlayers:
    return ResolvedPlayers(chatbot=chatbot, user=user or Saying("Hi"), reader=PatternReader(), clock=FrozenClock())


async def events(*arguments: object, **options: object) -> list[Event]:
    return [event async for event in run(*arguments, **options)]  # type: ignore[arg-type]


async def kept(store: MemoryStore, batch: Batch) -> list[str]:
    return [conversation.id async for conversation in store.conversations(batch.id)]


async def test_every_planned_conversation_is_run_stored_and_reported():
    store = MemoryStore()

    told = await events(batch(repeats=2), players(), store, concurrency=2)

    assert isinstance(told[0], BatchStarted)
    assert told[-1] == BatchFinished(batch=batch().id, stored=6, not_run=0)
    assert sorted(await kept(store, batch())) == ["case/1", "case/1#2", "case/2", "case/2#2", "case/3", "case/3#2"]
    assert sum(isinstance(event, ConversationEnded) for event in told) == 6
    assert sum(isinstance(event, MessageSaid) for event in told) == 12


async def test_stored_conversations_are_not_run_again():
    store = MemoryStore()
    await events(batch(), players(), store)

    told = await events(batch(), players(Saying("never said")), store)

    assert [type(event) for event in told] == [BatchStarted, BatchFinished]
    assert told[0].stored == 3  # type: ignore[union-attr]


async def test_no_more_than_the_limit_run_at_once():
    running = most = 0

    class Counting(BaseUser):
        async def speak(self, conversation: Conversation) -> Message | None:
            nonlocal running, most
            if conversation.turns:
                return None
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            return message("user", "Hi")

    await events(batch(20), players(Counting()), MemoryStore(), concurrency=4)

    assert most == 4


async def test_results_do_not_depend_on_how_many_run_at_once():
    async def texts(concurrency: int) -> list[list[str]]:
        store = MemoryStore()
        await events(batch(10, repeats=2), players(), store, concurrency=concurrency)
        return [transcript(c.messages) async for c in store.conversations(batch().id)]

    assert await texts(1) == await texts(16)


async def test_a_repeat_has_a_seed_of_its_own_and_the_first_keeps_the_cases():
    store = MemoryStore()
    await events(batch(1, repeats=3), players(), store)

    seeds = [conversation.case.seed async for conversation in store.conversations(batch().id)]

    assert (seeds[0], len(set(seeds))) == (7, 3)


async def test_stopping_lets_those_under_way_finish_and_starts_no_others():
    stop, store = asyncio.Event(), MemoryStore()

    class Stopping(BaseUser):
        async def speak(self, conversation: Conversation) -> Message | None:
            await asyncio.sleep(0)
            stop.set()
            return None if conversation.turns else message("user", "Hi")

    told = await events(batch(10), players(Stopping()), store, concurrency=2, stop=stop)

    assert told[-1] == BatchFinished(batch=batch().id, stored=2, not_run=8)


async def test_closing_the_iterator_cancels_what_runs_and_stores_none_of_it():
    store, chatbot = MemoryStore(), Noticing()

    running = run(batch(), players(Waiting(), chatbot), store)
    async for event in running:
        if not isinstance(event, BatchStarted):
            break
    await asyncio.sleep(0)
    await running.aclose()  # type: ignore[attr-defined]

    assert chatbot.closed.is_set()
    assert await kept(store, batch()) == []


async def test_a_store_that_fails_ends_the_run_with_its_error():
    class Full(MemoryStore):
        async def add(self, batch: str, conversation: Conversation, **more: object) -> bool:
            raise StoreError("the disk is full")

    with pytest.raises(StoreError, match="the disk is full"):
        await events(batch(), players(), Full())


async def test_a_script_is_played_as_written_with_any_user():
    store = MemoryStore()
    scripted = batch().model_copy(update={"cases": (Case(id="case/1", script=(Say(text="A"), Say(text="B"))),)})

    await events(scripted, players(Saying("something else")), store)

    conversation = await store.conversation(scripted.id, "case/1")
    assert [said.text for said in conversation.messages if said.role == "user"] == ["A", "B"]


async def test_a_batch_in_a_file_is_finished_by_a_later_process(tmp_path: Path):
    async with SqliteStore(tmp_path / "a.db") as store:
        stop = asyncio.Event()
        stop.set()
        await events(batch(), players(), store, stop=stop)

    async with SqliteStore(tmp_path / "a.db") as store:
        told = await events(batch(), players(), store)

    assert told[-1] == BatchFinished(batch=batch().id, stored=3, not_run=0)


async def test_a_conversation_that_cannot_be_kept_fails_alone(tmp_path: Path):
    call = ToolCall.model_construct(name="look", arguments={}, result=10**4999, error="")
    answers = [message("chatbot", "Here").model_copy(update={"tool_calls": (call,)}), "Hello", "Hello"]

    async with SqliteStore(tmp_path / "a.db") as store:
        told = await events(
            batch(), players(chatbot=Talking(lambda: lambda text: answers.pop(0))), store, concurrency=1
        )
        endings = [conversation.ending async for conversation in store.conversations(batch().id)]

    assert told[-1] == BatchFinished(batch=batch().id, stored=3, not_run=0)
    assert endings == [Ending.CHATBOT_FAILED, Ending.USER_DONE, Ending.USER_DONE]


async def test_batches_that_share_slots_have_no_more_conversations_at_a_time_than_there_are():
    at_once: list[int] = []

    class Counted(BaseChatbot):
        there = 0

        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
            self.there += 1
            at_once.append(self.there)
            try:
                await asyncio.sleep(0)
                yield TalkingSession(lambda text: "Hello")
            finally:
                self.there -= 1

    store, slots, cast = MemoryStore(), ConversationSlots(3), players(chatbot=Counted())
    many = [batch(20).model_copy(update={"id": f"01J0000000000000000000000{n}"}) for n in range(3)]

    told = await asyncio.gather(*(events(each, cast, store, concurrency=8, slots=slots) for each in many))

    assert max(at_once) == 3
    assert [each[-1] for each in told] == [BatchFinished(batch=each.id, stored=20, not_run=0) for each in many]


class Refused(BaseChatbot):
    """A chatbot whose calls wait after a refusal, and which counts its open conversations."""

    def __init__(self, *prompts: Prompts) -> None:
        self.capabilities = Capabilities(prompts=prompts)
        self.open = self.most = 0

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
        self.open += 1
        self.most = max(self.most, self.open)
        async with current_call().lending():
            for _ in range(100):
                await asyncio.sleep(0)
        yield TalkingSession(lambda text: "Hello")
        self.open -= 1


@pytest.mark.parametrize(("chatbot", "most"), [(Refused(PROMPTS), 4), (Refused(), 2)], ids=["prompted", "elsewhere"])
async def test_a_conversation_that_waits_lends_its_slot_unless_its_session_is_elsewhere(chatbot: Refused, most: int):
    await events(batch(8), players(chatbot=chatbot), MemoryStore(), concurrency=2)

    assert chatbot.most == most


class Moody(BaseChatbot):
    """A chatbot that fails in these cases, as long as it is in a bad mood."""

    def __init__(self, *bad: str) -> None:
        self.bad = set(bad)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
        if case.id in self.bad:
            raise ChatbotError("not today")
        yield TalkingSession(lambda text: "Hello")


async def test_void_conversations_are_retried_and_replaced_and_no_others():
    store, chatbot = MemoryStore(), Moody("case/1", "case/3")
    await events(batch(), players(chatbot=chatbot), store)
    good = await store.conversation(batch().id, "case/2")
    chatbot.bad = {"case/3"}

    told = await events(batch(), players(chatbot=chatbot), store, retry_failed=True)

    assert (told[0].again, told[-1]) == (2, BatchFinished(batch=batch().id, stored=3, not_run=0))  # type: ignore[union-attr]
    assert await store.conversation(batch().id, "case/2") == good
    endings = {
        id: [(each.ending, each.timing.attempt) for each in await store.attempts(batch().id, id) if each.timing]
        for id in ("case/1", "case/3")
    }
    assert endings == {
        "case/1": [(Ending.CHATBOT_FAILED, 1), (Ending.USER_DONE, 2)],
        "case/3": [(Ending.CHATBOT_FAILED, 1), (Ending.CHATBOT_FAILED, 2)],
    }


async def test_only_void_conversations_are_held_once_more_until_a_batch_is_decided():
    class Unwell(BaseUser):
        async def speak(self, conversation: Conversation) -> Message | None:
            if conversation.case.id == "case/2":
                raise UserError("no model today")
            return None if conversation.turns else message("user", "Hi")

    store, chatbot = MemoryStore(), Moody("case/1")
    await events(batch(), players(Unwell(), chatbot), store)

    told = [await events(batch(), players(Unwell(), chatbot), store, retry_void=True) for _ in range(2)]

    assert [each[0].again for each in told] == [1, 0]  # type: ignore[union-attr]
    assert [len(await store.attempts(batch().id, f"case/{n}")) for n in (1, 2, 3)] == [1, 2, 1]


async def test_conversations_that_the_audit_makes_void_are_held_once_more_too():
    class Flipped(BaseUser):
        async def speak(self, conversation: Conversation) -> Message | None:
            said = ["I'd like a small pizza, please.", "Welcome! How can I help you today?"]
            return message("user", said[conversation.turns]) if conversation.turns < len(said) else None

    goal = Goal(text="a small pizza", variables=("size",), others={"size": ("big",)})
    played = batch().changed(cases=(Case(id="flipped", goals=(goal,), variables={"size": "small"}),))
    store = MemoryStore()
    await events(played, players(Flipped(), Moody("")), store)

    told = [await events(played, players(Flipped(), Moody("")), store, retry_void=True) for _ in range(2)]

    assert [each[0].again for each in told] == [1, 0]  # type: ignore[union-attr]


async def test_failed_conversations_are_not_retried_by_default():
    store, chatbot = MemoryStore(), Moody("case/1")
    await events(batch(), players(chatbot=chatbot), store)

    told = await events(batch(), players(), store)

    assert [type(event) for event in told] == [BatchStarted, BatchFinished]


async def test_only_the_selected_conversations_are_run():
    store, some = MemoryStore(), batch(repeats=2).model_copy(update={"selected": ("case/3", "case/1#2")})

    told = await events(some, players(), store)

    assert (await kept(store, some), told[-1]) == (
        ["case/1#2", "case/3"],
        BatchFinished(batch=some.id, stored=2, not_run=0),
    )


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), GeneratorExit(), RuntimeError("oops")])
async def test_an_exception_of_a_user_does_not_stop_other_conversations(error: BaseException):
    class Odd(BaseUser):
        async def speak(self, conversation: Conversation) -> Message | None:
            if conversation.case.id == "case/2":
                raise error
            return None if conversation.turns else message("user", "Hi")

    store = MemoryStore()
    told = await events(batch(), players(Odd()), store, concurrency=1)

    assert told[-1] == BatchFinished(batch=batch().id, stored=3, not_run=0)
    endings = [conversation.ending async for conversation in store.conversations(batch().id)]
    assert endings == [Ending.USER_DONE, Ending.USER_FAILED, Ending.USER_DONE]


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), GeneratorExit(), KeyError("oops")])
async def test_an_exception_of_a_chatbot_does_not_stop_other_conversations(error: BaseException):
    def answer(text: str) -> str:
        raise error

    store = MemoryStore()
    told = await events(batch(), players(chatbot=Talking(lambda: answer)), store)

    assert told[-1] == BatchFinished(batch=batch().id, stored=3, not_run=0)
    assert {each.ending async for each in store.conversations(batch().id)} == {Ending.CHATBOT_FAILED}


@pytest.mark.usefixtures("virtual_time")
async def test_a_wedged_chatbot_does_not_hold_a_batch(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sparring.chatbots.isolation.GRACE", 0.01)
    release = asyncio.Event()

    class Wedged:
        greeting = None

        def __init__(self, case: Case) -> None:
            self._wedged = case.id == "case/2"

        async def reply(self, said: Message) -> Message:
            while self._wedged and not release.is_set():
                with suppress(asyncio.CancelledError):
                    await release.wait()
            return message("chatbot", "Hello")

    class Wedging(BaseChatbot):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[Wedged]:
            yield Wedged(case)

    some = batch()
    cases = tuple(case.model_copy(update={"limits": Limits(reply_seconds=0.05)}) for case in some.cases)
    store = MemoryStore()
    told = await events(some.model_copy(update={"cases": cases}), players(chatbot=Wedging()), store, concurrency=1)
    release.set()

    assert told[-1] == BatchFinished(batch=some.id, stored=3, not_run=0)
    endings = [each.ending async for each in store.conversations(some.id)]
    assert endings == [Ending.USER_DONE, Ending.TIMEOUT, Ending.USER_DONE]


class Unreachable(BaseChatbot):
    """A chatbot that answers `times` messages, and then cannot be reached."""

    def __init__(self, times: int, error: ChatbotError) -> None:
        self.left, self.error = times, error

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
        yield TalkingSession(self.answer)

    def answer(self, text: str) -> str:
        if not self.left:
            raise self.error
        self.left -= 1
        return "Hello"


@pytest.mark.parametrize("concurrency", [1, 256])
async def test_a_batch_whose_chatbot_was_never_reached_stops_at_once_and_records_nothing(concurrency: int):
    store, chatbot = MemoryStore(), Unreachable(0, ChatbotUnreachable("no answer: refused; is it running?"))

    told = await events(batch(300), players(chatbot=chatbot), store, concurrency=concurrency)

    assert isinstance(told[-1], BatchFinished)
    assert (told[-1].stored, told[-1].not_run + told[-1].cancelled, told[-1].failed) == (0, 300, True)
    assert told[-1].reason == "the chatbot cannot be reached: no answer: refused; is it running?"
    assert await kept(store, batch(300)) == []


async def test_a_batch_that_was_stopped_so_is_resumed_as_if_it_had_not_begun():
    store = MemoryStore()
    await events(batch(), players(chatbot=Unreachable(0, ChatbotUnreachable("refused"))), store)

    told = await events(batch(), players(), store)

    assert told[-1] == BatchFinished(batch=batch().id, stored=3, not_run=0)


async def test_a_chatbot_that_dies_has_crashed_and_the_batch_stops_with_what_it_has():
    store, chatbot = MemoryStore(), Unreachable(2, ChatbotUnreachable("no answer: refused; is it running?"))

    told = await events(batch(20), players(chatbot=chatbot), store, concurrency=1)

    endings = [conversation.ending async for conversation in store.conversations(batch().id)]
    assert endings == [Ending.USER_DONE] * 2 + [Ending.CHATBOT_FAILED] * 3
    assert isinstance(told[-1], BatchFinished)
    assert (told[-1].not_run, told[-1].reason) == (
        15,
        "the chatbot answers no further conversation: no answer: refused; is it running?",
    )


async def test_a_key_that_expires_voids_what_it_hits_and_stops_the_batch():
    store, chatbot = MemoryStore(), Unreachable(2, ChatbotUnreachable("HTTP 401", infrastructure=True))

    told = await events(batch(20), players(chatbot=chatbot), store, concurrency=1)

    endings = [conversation.ending async for conversation in store.conversations(batch().id)]
    assert endings == [Ending.USER_DONE] * 2 + [Ending.INFRASTRUCTURE_FAILED] * 3
    assert isinstance(told[-1], BatchFinished)
    assert told[-1].not_run == 15
