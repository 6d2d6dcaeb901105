from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.message import Message, message
from sparring.llm.client.transport import Response, TransportError
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring_bots.pizzeria import chatbot


class NoNetwork:
    async def send(self, *request: object, **options: object) -> Response:
        raise TransportError("there is no network here")


@pytest.fixture(scope="session")
def context() -> PluginContext:
    return PluginContext(LLMConfig(), SystemClock(), NoNetwork())


@pytest.fixture(scope="session")
def pizzeria(context: PluginContext) -> Prompted:
    return chatbot("", replace(context, offline=frozenset({"chatbot"})))


@pytest.fixture
def talk(pizzeria: Prompted) -> Callable[..., Awaitable[list[Message]]]:
    async def talk(*lines: str) -> list[Message]:
        """What the pizzeria says to these lines, in a conversation of their own."""
        async with pizzeria.connect(Case(id="pizza", seed=7)) as session:
            return [await session.reply(message("user", line)) for line in lines]

    return talk
