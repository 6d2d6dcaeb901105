"""One policy for the order API, the tools, the prompt and the checks of a case."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from fastapi import FastAPI

from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import message
from sparring.core.value import Json
from sparring.llm.plugin_context import PluginContext
from sparring_bots.service import chatbot
from sparring_bots.service.chatbot import CustomerService
from sparring_bots.service.client import InProcessTransport
from sparring_bots.service.policy import Policy
from sparring_bots.service.session import ServiceSession
from sparring_bots.service.shop import Shop


@asynccontextmanager
async def talking(bot: Chatbot, **variables: Json) -> AsyncIterator[ServiceSession]:
    async with bot.connect(Case(id="policy", variables={"customer_id": "CUST-002", **variables})) as session:
        assert isinstance(session, ServiceSession)
        yield session


async def window(session: ServiceSession) -> dict[str, object]:
    """The window in days by every place that knows it, for an order of 11 days."""
    prompt = next(line.content for line in session.conversation.beginning.lines if line.role == "system")
    reply = await session.reply(message("user", "Can I cancel ORD-007?"))
    refused = await session.conversation.context.api.cancel("ORD-007", "CUST-002", "")
    return {
        "prompt": int(prompt.partition("cancelled up to ")[2].split()[0]),
        "tool": reply.tool_calls[0].result["window_days"],
        "tool allows": reply.tool_calls[0].result["eligible"],
        "reply": int(reply.text.partition("possible for ")[2].split()[0]),
        "api": (await session.conversation.context.api.policy()).window_days,
        "api allows": isinstance(refused, dict),
    }


def everywhere(days: int) -> dict[str, object]:
    allows = {"tool allows": days >= 11, "api allows": days >= 11}
    return {"prompt": days, "tool": days, "reply": days, "api": days, **allows}


@pytest.mark.parametrize("days", [5, 10, 11, 30])
async def test_arguments_set_the_window_everywhere(bots: Callable[[str], CustomerService], days: int):
    async with talking(bots(f"window-days={days}")) as session:
        assert await window(session) == everywhere(days)


@pytest.mark.parametrize("days", [5, 30])
async def test_a_case_sets_the_window_everywhere(bots: Callable[[str], CustomerService], days: int):
    async with talking(bots("window-days=20"), window_days=days) as session:
        assert await window(session) == everywhere(days)


@pytest.mark.parametrize("days", [5, 30])
async def test_a_remote_order_api_sets_the_window_everywhere(
    offline: PluginContext, app: FastAPI, shop: Shop, days: int
):
    remote = InProcessTransport(app, {"shop": replace(shop, policy=Policy(window_days=days))})
    bot = chatbot("api-url=http://orders.invalid", replace(offline, transport=remote))
    async with talking(replace(bot, now=shop.now)) as session:
        assert await window(session) == everywhere(days)


async def test_a_remote_policy_that_changes_is_followed(offline: PluginContext, app: FastAPI, shop: Shop):
    state = {"shop": shop}
    bot = chatbot("api-url=http://orders.invalid", replace(offline, transport=InProcessTransport(app, state)))
    async with talking(replace(bot, now=shop.now)) as session:
        before = await session.reply(message("user", "Can I cancel ORD-007?"))
        state["shop"] = replace(shop, policy=Policy(window_days=30))
        after = await session.reply(message("user", "Can I cancel ORD-007?"))

    assert [each.tool_calls[0].result["eligible"] for each in (before, after)] == [False, True]


@pytest.mark.parametrize("days", ["ten", -1, True])
async def test_a_window_that_is_none_is_refused(bots: Callable[[str], CustomerService], days: Json):
    case = Case(id="policy", variables={"window_days": days})

    assert [str(each) for each in bots("").check(case)] == [f"window_days: expected a number of days, got {days!r}"]
    with pytest.raises(ChatbotError, match="window_days"):
        async with bots("").connect(case):
            pass


async def test_a_case_and_a_remote_order_api_that_disagree_are_refused(
    offline: PluginContext, app: FastAPI, shop: Shop
):
    bot = chatbot("api-url=http://x", replace(offline, transport=InProcessTransport(app, {"shop": shop})))

    async with bot.connect(Case(id="policy", variables={"window_days": 10})):
        pass
    with pytest.raises(ChatbotError, match="window_days: the case expects 9, and the order API allows 10"):
        async with bot.connect(Case(id="policy", variables={"window_days": 9})):
            pass
