"""An unreachable model stops a batch: conversations that did not begin are not run, and not void."""

import asyncio

from fakes import FrozenClock, Saying
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.errors import ModelError, ModelRejected, ModelUnavailable
from sparring.core.events import BatchFinished, ConversationEnded
from sparring.core.usage import Usage
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm import template
from sparring.llm.model import Completion, MeteredModel, Request, UnpricedModel
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.testing.factories import CREATED
from sparring.testing.memory_store import MemoryStore


class Exhausted(UnpricedModel):
    """Answers `good` calls, and fails all others."""

    def __init__(self, good: int, error: ModelError) -> None:
        self.calls = 0
        self._good = good
        self._error = error

    async def complete(self, request: Request) -> Completion:
        self.calls += 1
        await asyncio.sleep(0)
        if self.calls <= self._good:
            return Completion("Hello", usage=Usage(calls=1))
        raise self._error


async def played(model: object, concurrency: int = 1) -> tuple[BatchFinished, Usage]:
    """How a batch of 20 ends, and what was consumed."""
    chatbot = Prompted(MeteredModel(model, "chatbot"), template.read(""))  # type: ignore[arg-type]
    cast = ResolvedPlayers(chatbot=chatbot, user=Saying("Hi"), reader=PatternReader(), clock=FrozenClock())
    cases = tuple(Case(id=f"case/{n}", limits={"turns": 1}) for n in range(20))
    batch = Batch(id="B1", created=CREATED, who=Players(chatbot="prompted", user="saying"), cases=cases)
    events = [event async for event in run(batch, cast, MemoryStore(), concurrency=concurrency)]
    assert isinstance(events[-1], BatchFinished)
    used = [sum(e.conversation.usage.values(), Usage()) for e in events if isinstance(e, ConversationEnded)]
    return events[-1], sum(used, Usage())


def failing(kind: type[ModelError] = ModelRejected, *, pointless: bool = True) -> ModelError:
    error = kind("test:m: HTTP 402: no credit", hint="check TEST_KEY")
    error.pointless = pointless
    return error


async def test_what_no_model_will_answer_is_not_begun():
    model = Exhausted(5, failing())

    ended, _ = await played(model)

    reason = "the model answers no further call: test:m: HTTP 402: no credit (check TEST_KEY)"
    assert (ended.stored, ended.not_run, ended.reason, model.calls) == (6, 14, reason, 6)


async def test_those_under_way_come_to_their_own_end():
    ended, _ = await played(Exhausted(5, failing()), concurrency=4)

    assert ended.stored + ended.not_run == 20
    assert 6 <= ended.stored <= 9
    assert ended.cancelled == 0


async def test_one_call_that_fails_is_no_reason_to_stop():
    ended, _ = await played(Exhausted(5, failing(pointless=False)))

    assert (ended.stored, ended.reason) == (20, "")


async def test_a_call_that_was_refused_at_every_attempt_is_not_counted():
    _, usage = await played(Exhausted(5, failing(ModelUnavailable, pointless=False)))

    assert usage.calls == 5
