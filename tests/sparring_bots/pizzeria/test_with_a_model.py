from dataclasses import replace

import pytest

from scripted import ScriptedModel
from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.core.message import message
from sparring.llm.model import ToolRequest
from sparring.llm.plugin_context import PluginContext
from sparring_bots.pizzeria import chatbot


async def test_a_real_model_gets_the_prompt_and_works_with_the_same_tools(context: PluginContext):
    order = ToolRequest("1", "add_pizza", '{"size": "large", "kind": "hawaiian"}')
    model = ScriptedModel(order, "One big Hawaiian pizza. Which drink would you like?")
    bot = chatbot("", replace(context, models={"chatbot": model}))

    async with bot.connect(Case(id="x")) as session:
        reply = await session.reply(message("user", "A large Hawaiian, please"))

    assert (reply.tool_calls[0].result, reply.tool_calls[0].error) == (
        {
            "status": "pizza",
            "pizza": "one big Hawaiian pizza",
            "next": "drink",
            "options": "sprite, coke or water",
        },
        "",
    )
    assert model.requests[0].messages[0].content.startswith("You are the assistant of a small pizzeria.")
    assert len(model.requests[0].tools) == len(bot.toolbox.tools) > 10


def test_it_takes_no_other_argument(context: PluginContext):
    with pytest.raises(InputError, match="expected pizzeria:fault=NAME, got argument 'x'"):
        chatbot("x", context)
