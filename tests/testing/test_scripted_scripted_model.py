import pytest

from scripted import ScriptedModel
from sparring.core.errors import ModelTimeout
from sparring.core.usage import Usage
from sparring.llm.model import ChatMessage, Completion, Request, ToolRequest

ASK = Request((ChatMessage("user", "Hi"),))
TOOL = ToolRequest("1", "menu", "{}")
ONE_CALL = Usage(calls=1)


async def test_it_gives_its_replies_in_order_and_keeps_the_requests():
    whole = Completion("As it is.", model="m")
    model = ScriptedModel("Hello!", whole, TOOL, (TOOL, TOOL), lambda request: request.messages[0].content * 2)

    replies = [await model.complete(ASK) for _ in range(5)]

    assert replies == [
        Completion("Hello!", usage=ONE_CALL),
        whole,
        Completion(tool_requests=(TOOL,), usage=ONE_CALL),
        Completion(tool_requests=(TOOL, TOOL), usage=ONE_CALL),
        Completion("HiHi", usage=ONE_CALL),
    ]
    assert model.requests == [ASK] * 5


async def test_a_scripted_model_fails_as_scripted():
    model = ScriptedModel(ModelTimeout("too slow"), lambda request: ModelTimeout("too slow as well"))

    for reason in ("^too slow$", "^too slow as well$"):
        with pytest.raises(ModelTimeout, match=reason):
            await model.complete(ASK)


async def test_it_says_when_it_runs_out():
    model = ScriptedModel("Hello!")
    await model.complete(ASK)

    with pytest.raises(AssertionError, match=r"^ScriptedModel has 1 replies, but this is call 2: 'Hi'$"):
        await model.complete(ASK)
