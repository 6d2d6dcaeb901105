import asyncio

import pytest

from fakes import FrozenClock, Saying, Talking
from scripted import ScriptedModel
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Goal
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.errors import ModelRejected
from sparring.core.events import BatchFinished, BatchStarted, ConversationEnded, Event, VerdictGiven
from sparring.core.listing import ConversationQuery
from sparring.core.usage import Budget, Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.judges.checklist import checklist
from sparring.judges.judge import BaseJudge, DeterministicJudge, standard
from sparring.judges.model import ModelJudge
from sparring.llm.model import Completion, MeteredModel, Request, UnpricedModel
from sparring.runner.batch import run
from sparring.runner.judge_worker import NamedJudge, judge_stored, verdict_of
from sparring.runner.players import ResolvedPlayers
from sparring.testing.factories import CREATED, RUBRIC, a_case, a_conversation, a_verdict
from sparring.testing.memory_store import MemoryStore
from sparring.users.user import User

OTHER = Rubric(name="short", text="Is it short?")


class Counting(BaseJudge):
    """A judge that passes everything, or what `outcomes` say, and remembers what it was asked."""

    def __init__(self, *outcomes: CheckOutcome) -> None:
        self.asked: list[tuple[str, str]] = []
        self._outcomes = iter(outcomes)

    async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
        self.asked.append((conversation.id, rubric.name))
        await asyncio.sleep(0)
        outcome = next(self._outcomes, CheckOutcome.PASS)
        return Verdict(check=rubric.name, outcome=outcome, conversation=conversation.id, rubric=rubric.hash)


def batch(number: int = 3, **changes: object) -> Batch:
    made = tuple(Case(id=f"case/{n}", seed=7) for n in range(1, number + 1))
    who = Players(chatbot="echo", user="saying", judge="counting")
    return Batch(id="B1", created=CREATED, who=who, cases=made, rubrics=(RUBRIC,)).model_copy(update=changes)


def players(judge: object, user: User | None = None, name: str = "counting") -> ResolvedPlayers:
    chatbot = Talking(lambda: lambda text: f"You said: {text}")
    appointed = NamedJudge(judge, name)  # type: ignore[arg-type]
    return ResolvedPlayers(chatbot, user or Saying("Hi"), PatternReader(), FrozenClock(), appointed)


async def events(*arguments: object, **options: object) -> list[Event]:
    return [event async for event in run(*arguments, **options)]  # type: ignore[arg-type]


async def kept(store: MemoryStore) -> list[tuple[str, str, str]]:
    return [(each.conversation, each.judge, each.check) async for each in store.verdicts("B1")]


async def test_every_conversation_is_judged_as_it_ends_and_its_verdict_stored_and_reported():
    store, judge = MemoryStore(), Counting()

    told = await events(batch(), players(judge), store, concurrency=2)

    given = [event.verdict for event in told if isinstance(event, VerdictGiven)]
    assert sorted(each.conversation for each in given) == ["case/1", "case/2", "case/3"]
    assert {each.judge for each in given} == {"counting"}
    assert await kept(store) == [(f"case/{n}", "counting", "polite") for n in (1, 2, 3)]
    assert isinstance(told[-1], BatchFinished)
    ended = next(n for n, event in enumerate(told) if isinstance(event, ConversationEnded))
    assert ended < next(n for n, event in enumerate(told) if isinstance(event, VerdictGiven))


async def test_a_case_is_asked_its_own_rubrics_too_each_once():
    own = Case(id="case/1", rubrics=(OTHER.hash, RUBRIC.hash))
    judge = Counting()

    cases = (own, Case(id="case/2"))
    await events(
        batch(cases=2).model_copy(update={"cases": cases, "case_rubrics": (OTHER, RUBRIC)}),
        players(judge),
        MemoryStore(),
    )

    assert sorted(judge.asked) == [("case/1", "polite"), ("case/1", "short"), ("case/2", "polite")]


async def test_a_judge_without_a_rubric_uses_the_general_one():
    judge, store = Counting(), MemoryStore()

    await events(batch(1, rubrics=()), players(judge), store)

    assert judge.asked == [("case/1", "general")]
    assert await store.rubric(standard(()).hash) == standard(())


async def test_void_conversations_are_not_judged():
    judge, store = Counting(), MemoryStore()

    await events(batch(1), players(judge, Saying(RuntimeError("broken"))), store)

    assert (judge.asked, await kept(store)) == ([], [])


async def test_a_batch_that_goes_on_is_judged_only_where_a_verdict_is_missing():
    store, stop = MemoryStore(), asyncio.Event()
    await events(batch(), players(Counting(CheckOutcome.PASS, CheckOutcome.ERROR)), store, concurrency=1)
    await store.create(batch(id="B2"))
    again = Counting()

    told = await events(batch(), players(again), store, concurrency=4, stop=stop)

    assert again.asked == [("case/2", "polite")], "the one that could not be decided"
    assert [type(event) for event in told][1:-1] == [VerdictGiven]


async def test_conversations_that_were_stored_unjudged_are_judged_when_the_batch_goes_on():
    store, judge = MemoryStore(), Counting()
    nobody = players(None)
    await events(batch(4), ResolvedPlayers(nobody.chatbot, nobody.user, nobody.reader, nobody.clock), store)

    await events(batch(4), players(judge), store, concurrency=3)

    assert sorted(judge.asked) == [(f"case/{n}", "polite") for n in (1, 2, 3, 4)]


async def test_no_more_than_the_limit_are_judged_at_once():
    running = most = 0

    class Slow(Counting):
        async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            return await super().judge(conversation, rubric)

    await events(batch(20), players(Slow()), MemoryStore(), concurrency=3)

    assert most == 3


async def test_verdicts_of_the_checklist_are_reported_and_not_stored():
    store = MemoryStore()

    told = await events(batch(1), players(DeterministicJudge(checklist), name="checklist"), store)

    assert [event.verdict.by for event in told if isinstance(event, VerdictGiven)] == ["checklist"]
    assert await kept(store) == []


async def test_an_exact_judge_reads_no_rubric_and_is_asked_once():
    def decide(conversation: Conversation) -> Verdict:
        return Verdict(check="weight", outcome=CheckOutcome.FAIL, conversation=conversation.id, score=1, by="weighing")

    store = MemoryStore()
    await events(batch(1, rubrics=(RUBRIC, OTHER)), players(DeterministicJudge(decide), name="weighing"), store)

    assert [each async for _, each in store.checked("B1")] == [
        Verdict(
            check="weight", outcome=CheckOutcome.FAIL, conversation="case/1", score=1, by="weighing", judge="weighing"
        )
    ]


async def test_a_judge_that_breaks_stops_nothing():
    class Broken(BaseJudge):
        async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
            raise ZeroDivisionError("division by zero\nand more")

    store = MemoryStore()
    told = await events(batch(2), players(Broken()), store)

    given = [event.verdict for event in told if isinstance(event, VerdictGiven)]
    assert [(each.outcome, each.score) for each in given] == [(CheckOutcome.ERROR, None)] * 2
    assert given[0].reason == "ZeroDivisionError: division by zero"


async def test_usage_of_a_judge_is_counted_with_its_verdict():
    usage = Usage(calls=1, input_tokens=700, output_tokens=40, cost=0.01)

    class Asking(Counting):
        def __init__(self, model: MeteredModel) -> None:
            super().__init__()
            self._model = model

        async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
            await self._model.complete(Request(messages=()))
            return await super().judge(conversation, rubric)

    model = MeteredModel(ScriptedModel(*[Completion(text="{}", usage=usage)] * 3), "judge")
    store = MemoryStore()
    await events(batch(3), players(Asking(model)), store, budget=Budget(cost=1))

    assert [each.usage async for each in store.verdicts("B1")] == [usage] * 3
    assert (await store.consumed("B1"))[0] == usage + usage + usage


async def test_a_judge_for_whom_no_money_is_left_is_asked_when_there_is_some():
    usage = Usage(calls=1, cost=0.01)

    class Asking(Counting):
        async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
            await model.complete(Request(messages=()))
            return await super().judge(conversation, rubric)

    model = MeteredModel(ScriptedModel(*[Completion(text="{}", usage=usage)] * 9), "judge")
    nobody, store = players(None), MemoryStore()
    await events(batch(3), ResolvedPlayers(nobody.chatbot, nobody.user, nobody.reader, nobody.clock), store)

    poor = await events(batch(3), players(Asking()), store, concurrency=1, budget=Budget(cost=0.02))
    judged = len(await kept(store))
    await events(batch(3), players(Asking()), store, budget=Budget(cost=1))

    assert (judged, len(await kept(store))) == (2, 3)
    assert poor[-1] == BatchFinished(batch="B1", stored=3, not_run=0, reason=poor[-1].reason)  # type: ignore[union-attr]


async def test_what_a_judge_consumed_is_counted_once_where_the_money_ends_between_two_rubrics():
    usage = Usage(calls=1, cost=0.01)

    class AskingTwice(Counting):
        async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
            await model.complete(Request(messages=()))
            await model.complete(Request(messages=()))
            return await super().judge(conversation, rubric)

    model = MeteredModel(ScriptedModel(*[Completion(text="{}", usage=usage)] * 9), "judge")
    store = MemoryStore()

    await events(batch(1, rubrics=(RUBRIC, OTHER)), players(AskingTwice()), store, budget=Budget(cost=0.03))

    assert await kept(store) == [("case/1", "counting", "polite")]
    assert (await store.consumed("B1"))[0] == usage + usage + usage, "two for the verdict, and one that was cut off"


async def test_a_judge_cannot_say_who_it_is_or_what_it_was_asked():
    lying = a_verdict("another", judge="human")

    class Lying(BaseJudge):
        async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
            return lying

    verdict = await verdict_of(NamedJudge(Lying(), "openai:x"), a_conversation(a_case("a")), OTHER)

    assert (verdict.judge, verdict.rubric, verdict.conversation) == ("openai:x", OTHER.hash, "a")


@pytest.mark.parametrize("concurrency", [1, 8])
async def test_verdicts_do_not_depend_on_how_many_run_at_once(concurrency: int):
    store = MemoryStore()

    await events(batch(10), players(Counting()), store, concurrency=concurrency)

    assert await kept(store) == [(f"case/{n}", "counting", "polite") for n in range(1, 11)]


async def test_stored_conversations_stay_unjudged_if_the_judge_is_unreachable():
    class Keyless(UnpricedModel):
        async def complete(self, request: Request) -> Completion:
            error = ModelRejected("HTTP 401: wrong key")
            error.pointless = True
            raise error

    store, told = MemoryStore(), list[str]()
    await events(batch(20), players(Counting()), store)
    judge = NamedJudge(ModelJudge(MeteredModel(Keyless(), "judge")), "keyless")

    given = [each async for each in judge_stored(batch(20), judge, store, concurrency=1, given_up=told.append)]

    assert (len(given), told) == (1, ["HTTP 401: wrong key"])


async def test_a_retried_conversation_is_judged_again():
    store, judge = MemoryStore(), Counting()
    about = Case(id="case/1", seed=7, goals=(Goal(text="a large pizza with ham"),))
    off_topic = Saying(*(f"This is message {n} about nothing much, my friend." for n in range(5)))
    played = batch(cases=(about,))
    await events(played, players(judge, off_topic), store)

    told = await events(played, players(judge, off_topic), store, retry_failed=True)

    assert [event.again for event in told if isinstance(event, BatchStarted)] == [1]
    assert [each.attempt for each in (await store.search("B1", ConversationQuery(), offset=0, limit=9))[1]] == [2]
    assert await kept(store) == [("case/1", "counting", "polite")]
