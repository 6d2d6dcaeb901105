import asyncio

import pytest

from sparring.core.errors import BadCompletion, ModelRejected, ModelTimeout
from sparring.core.usage import Usage
from sparring.models.metering import Metered, metering
from sparring.models.model import ChatMessage, Completion, Request
from sparring.testing.scripted_model import ScriptedModel

ASK = Request(messages=(ChatMessage("user", "Hi"),))


class TenTokens:
    async def complete(self, request: Request) -> Completion:
        await asyncio.sleep(0)
        return Completion(text="Hello", usage=Usage(calls=1, input_tokens=10, unknown_costs=1))


async def test_what_models_consume_is_counted_by_role():
    model = TenTokens()
    with metering() as meter:
        await Metered(model, "user").complete(ASK)
        await Metered(model, "chatbot").complete(ASK)
        await Metered(model, "chatbot").complete(ASK)

    assert {role: used.input_tokens for role, used in meter.usage.items()} == {"user": 10, "chatbot": 20}


async def test_conversations_that_share_a_model_are_counted_apart():
    model = Metered(TenTokens(), "chatbot")

    async def talk(calls: int) -> int:
        with metering() as meter:
            for _ in range(calls):
                await model.complete(ASK)
        return meter.usage["chatbot"].calls

    assert await asyncio.gather(talk(1), talk(5), talk(3)) == [1, 5, 3]


async def test_outside_a_conversation_nothing_is_counted():
    assert (await Metered(TenTokens(), "judge").complete(ASK)).text == "Hello"


def test_a_cost_is_unknown_only_if_no_call_has_a_price():
    unknown = Usage(calls=2, unknown_costs=2)

    assert [unknown.known_cost, (unknown + Usage(calls=1, cost=0.5)).known_cost, Usage().known_cost] == [None, 0.5, 0.0]


@pytest.mark.parametrize(
    ("error", "usage"),
    [
        (ModelTimeout("60 s"), Usage(calls=1, unknown_tokens=1, unknown_costs=1)),
        (BadCompletion("cut off"), Usage(calls=1, unknown_tokens=1, unknown_costs=1)),
        (ModelRejected("HTTP 401"), Usage(calls=1)),
    ],
)
async def test_a_call_that_failed_is_counted_and_what_it_cost_is_unknown_if_it_may_have_cost(
    error: Exception, usage: Usage
):
    with metering() as meter, pytest.raises(type(error)):
        await Metered(ScriptedModel(error), "user").complete(ASK)

    assert meter.usage == {"user": usage}
