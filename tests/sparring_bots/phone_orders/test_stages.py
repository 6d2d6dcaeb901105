"""The order desk in four stages does what one agent does, and hands over on the way."""

from pathlib import Path

import pytest

from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import Message
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.plugin_context import PluginContext
from sparring.scenarios import loading
from sparring.simulation.simulate import simulate
from sparring.users.agenda import create
from sparring_bots.phone_orders.agent import FOLDER, PhoneOrders, chatbot

SCENARIOS = sorted((FOLDER / "scenarios").glob("*.json"))


async def played(bot: PhoneOrders, path: Path, context: PluginContext) -> list[Conversation]:
    user, reader = create("", context), PatternReader(context.clock)
    cases = loading.load([path], seed=7).cases
    return [await simulate(case, user, bot, reader=reader, clock=context.clock) for case in cases]


def without_handoffs(said: Message) -> Message:
    return said.model_copy(update={"tool_calls": tuple(call for call in said.tool_calls if call.name != "hand_off")})


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
async def test_every_call_goes_as_with_one_agent_but_for_the_handing_over(
    agent: PhoneOrders, context: PluginContext, path: Path
):
    one = await played(agent, path, context)
    four = await played(chatbot("spec=stages", context), path, context)

    assert [[without_handoffs(said) for said in each.messages] for each in four] == [
        list(each.messages) for each in one
    ]
    ways = {
        tuple(call.result["to"] for said in each.messages for call in said.tool_calls if call.name == "hand_off")  # type: ignore[index, call-overload]
        for each in four
    }
    assert ways == {("order", "confirmation", "goodbye")}


def test_a_missing_spec_is_reported(context: PluginContext):
    with pytest.raises(InputError, match="has no spec 'stage', and no such folder exists"):
        chatbot("spec=stage", context)
