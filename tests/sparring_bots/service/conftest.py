from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import pytest
from fastapi import FastAPI

from fakes import FrozenClock
from sparring.core.case import Case
from sparring.core.message import Message, message
from sparring.core.value import Json
from sparring.llm.client.transport import Response, TransportError
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring_bots.service import chatbot
from sparring_bots.service.api import application
from sparring_bots.service.chatbot import CustomerService
from sparring_bots.service.client import InProcessTransport, OrderApi
from sparring_bots.service.shop import Shop, sample_shop

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)

Talk = Callable[..., Awaitable[list[Message]]]


class NoNetwork:
    async def send(self, *request: object, **options: object) -> Response:
        raise TransportError("there is no network here")


@pytest.fixture(scope="session")
def context() -> PluginContext:
    return PluginContext(LLMConfig(), FrozenClock(), NoNetwork())


@pytest.fixture(scope="session")
def offline(context: PluginContext) -> PluginContext:
    return replace(context, offline=frozenset({"chatbot"}))


@pytest.fixture(scope="session")
def app() -> FastAPI:
    return application()


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = sample_shop(lambda: NOW)
    yield shop
    shop.book.close()


@pytest.fixture
def api(app: FastAPI, shop: Shop) -> OrderApi:
    return OrderApi(InProcessTransport(app, {"shop": shop}), "http://orders.invalid")


@pytest.fixture(scope="session")
def bots(offline: PluginContext) -> Callable[[str], CustomerService]:
    """Chatbots by their arguments, each made once."""
    return cache(lambda argument: chatbot(argument, offline))


@pytest.fixture
def talk(bots: Callable[[str], CustomerService]) -> Talk:
    async def talk(*lines: str, argument: str = "customer=CUST-001", **variables: Json) -> list[Message]:
        """What the customer service says to these lines, in a conversation of their own."""
        case = Case(id="service", seed=7, variables=variables)
        async with bots(argument).connect(case) as session:
            return [await session.reply(message("user", line)) for line in lines]

    return talk
