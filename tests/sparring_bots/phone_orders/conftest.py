from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date

import pytest

from sparring.core.case import Case, Persona
from sparring.core.clock import SystemClock
from sparring.core.message import Message, message
from sparring.core.value import Json
from sparring.llm.client.transport import Response, TransportError
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.scenarios.expansion import LoadOptions
from sparring_bots.phone_orders.agent import PhoneOrders, chatbot

KNOWN: dict[str, Json] = {
    "CURRENT_DATE": "2026-02-03 Tuesday",
    "DELIVERY_DAYS": ["Monday", "Thursday"],
    "LOCATIONS": ["1 High Street", "2 Low Road"],
    "PURCHASE_HISTORY": ["Whole milk - 3 boxes", "Mustard"],
}
"""What is known of a caller. The 3rd of February 2026 is a Tuesday."""


@pytest.fixture
def terms() -> LoadOptions:
    return LoadOptions(seed=7, today=date(2025, 3, 14))


class NoNetwork:
    async def send(self, *request: object, **options: object) -> Response:
        raise TransportError("there is no network here")


@pytest.fixture(scope="session")
def context() -> PluginContext:
    return replace(PluginContext(LLMConfig(), SystemClock(), NoNetwork()), offline=frozenset({"chatbot"}))


@pytest.fixture(scope="session")
def agent(context: PluginContext) -> PhoneOrders:
    return chatbot("", context)


@pytest.fixture
def talk(agent: PhoneOrders) -> Callable[..., Awaitable[list[Message]]]:
    async def talk(*lines: str, language: str = "English", **variables: Json) -> list[Message]:
        """What the agent says to these lines, in a call of their own."""
        case = Case(id="call", seed=7, persona=Persona(language=language), variables={**KNOWN, **variables})
        async with agent.connect(case) as session:
            return [await session.reply(message("user", line)) for line in lines]

    return talk
