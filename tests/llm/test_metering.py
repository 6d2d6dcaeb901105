import asyncio
from random import Random

import pytest

from scripted import ScriptedModel
from sparring.core.clock import SystemClock
from sparring.core.errors import BadCompletion, ModelRejected, ModelTimeout
from sparring.core.usage import RateLimit, Usage
from sparring.llm.call_context import call_context
from sparring.llm.client.rate_limiter import RateLimiter
from sparring.llm.client.retry import Retries, TryAgain
from sparring.llm.metering import Meter
from sparring.llm.model import ChatMessage, Completion, MeteredModel, Request, UnpricedModel

ASK = Request(messages=(ChatMessage("user", "Hi"),))


class TenTokens(UnpricedModel):
    async def complete(self, request: Request) -> Completion:
        await asyncio.sleep(0)
        return Completion(text="Hello", usage=Usage(calls=1, input_tokens=10, unknown_costs=1))


async def test_what_models_consume_is_counted_by_role():
    model = TenTokens()
    meter = Meter()
    with call_context(meter=meter):
        await MeteredModel(model, "user").complete(ASK)
        await MeteredModel(model, "chatbot").complete(ASK)
        await MeteredModel(model, "chatbot").complete(ASK)

    assert {role: used.input_tokens for role, used in meter.usage.items()} == {"user": 10, "chatbot": 20}


async def test_conversations_that_share_a_model_are_counted_apart():
    model = MeteredModel(TenTokens(), "chatbot")

    async def talk(calls: int) -> int:
        meter = Meter()
        with call_context(meter=meter):
            for _ in range(calls):
                await model.complete(ASK)
        return meter.usage["chatbot"].calls

    assert await asyncio.gather(talk(1), talk(5), talk(3)) == [1, 5, 3]


async def test_outside_a_conversation_nothing_is_counted():
    assert (await MeteredModel(TenTokens(), "judge").complete(ASK)).text == "Hello"


def test_a_cost_is_unknown_only_if_no_call_has_a_price():
    unknown = Usage(calls=2, unknown_costs=2)

    assert [unknown.known_cost, (unknown + Usage(calls=1, cost=0.5)).known_cost, Usage().known_cost] == [None, 0.5, 0.0]


@pytest.mark.parametrize(
    ("error", "usage"),
    [
        (ModelTimeout("60 s"), {"user": Usage(calls=1, unknown_tokens=1, unknown_costs=1)}),
        (BadCompletion("cut off"), {"user": Usage(calls=1, unknown_tokens=1, unknown_costs=1)}),
        (ModelRejected("HTTP 401"), {}),
    ],
)
async def test_a_call_that_failed_is_counted_at_an_unknown_cost_if_it_may_have_cost(
    error: Exception, usage: dict[str, Usage]
):
    meter = Meter()
    with call_context(meter=meter), pytest.raises(type(error)):
        await MeteredModel(ScriptedModel(error), "user").complete(ASK)

    assert meter.usage == usage


@pytest.mark.parametrize(("waits", "lost"), [((), 1), ((BadCompletion("odd"),), 2)], ids=["first", "second"])
async def test_a_call_that_is_broken_off_is_counted_with_what_was_lost_before(waits: tuple[Exception, ...], lost: int):
    failures = list(waits)

    class Hanging(UnpricedModel):
        async def complete(self, request: Request) -> Completion:
            return await Retries(SystemClock(), Random(0), pace=0).run(self.attempt)

        async def attempt(self) -> Completion:
            if failures:
                raise TryAgain(failures.pop())  # type: ignore[arg-type]
            asked.set()
            return await asyncio.Event().wait()  # type: ignore[return-value]

    asked = asyncio.Event()
    meter = Meter()
    with call_context(meter=meter):
        call = asyncio.create_task(MeteredModel(Hanging(), "user").complete(ASK))
        await asked.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    assert meter.usage == {"user": Usage(calls=lost, unknown_tokens=lost, unknown_costs=lost)}


async def test_a_call_that_is_cancelled_before_its_turn_was_none():
    limiter = RateLimiter(RateLimit(concurrency=1))
    await limiter.enter()

    class Waiting(UnpricedModel):
        async def complete(self, request: Request) -> Completion:
            return await Retries(SystemClock(), Random(0), limiter=limiter).run(asyncio.Event().wait)  # type: ignore[arg-type]

    meter = Meter()
    with call_context(meter=meter):
        call = asyncio.create_task(MeteredModel(Waiting(), "user").complete(ASK))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    assert meter.usage == {}
