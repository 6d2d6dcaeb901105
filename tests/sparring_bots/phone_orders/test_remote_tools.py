"""The agent with its tools on a server, over real sockets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import orjson
import pytest
from aiohttp import web

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import ChatbotError, ChatbotTimeout, InputError
from sparring.core.message import message
from sparring.core.verdict import CheckOutcome
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.plugin_context import PluginContext
from sparring.scenarios import loading
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring_bots.phone_orders.agent import FOLDER, chatbot
from sparring_bots.phone_orders.order_judge.judge import judge_order
from sparring_bots.phone_orders.remote_tools import Server, tools_at
from sparring_bots.phone_orders.tool_server import application
from sparring_bots.phone_orders.tools import Tools

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def listening(app: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def answering(answer: Answer) -> web.Application:
    app = web.Application()
    app.router.add_post("/rag/{tool}", answer)
    return app


@pytest.fixture
async def transport() -> AsyncIterator[HttpTransport]:
    async with HttpTransport() as transport:
        yield transport


@pytest.mark.slow
async def test_an_order_over_the_network_is_the_same_as_one_at_home(context: PluginContext, transport: HttpTransport):
    cases = loading.load([FOLDER / "scenarios" / "english.json"], seed=1).cases[:3]
    async with listening(application()) as url:
        away = chatbot(f"tools-url={url}", replace(context, transport=transport))
        home = chatbot("", context)
        for case in cases:
            there, here = [await simulate(case, Agenda(), agent, reader=PatternReader()) for agent in (away, home)]

            assert there.messages == here.messages
            assert judge_order(there).score == 3


async def test_what_is_sent_is_what_servers_of_tools_expect(transport: HttpTransport):
    sent: list[tuple[str, Any]] = []

    async def note(request: web.Request) -> web.StreamResponse:
        sent.append((request.path, orjson.loads(await request.read())))
        return web.json_response({"result": "added"})

    async with listening(answering(note)) as url:
        tools: Any = tools_at(Server(f"{url}/rag", transport))(
            "s1", {"GIVEN": {"CURRENT_DATE": "2026-02-03"}, "LANGUAGE": "Russian"}
        )
        answer = await tools.add_to_cart(product="D101", quantity=2, packaging="box")
        await tools.find_products(message="milk")
        await tools.remove_from_cart(product="D101")
        await tools.set_current_location(location="2")
        ended = await tools.end_call(reason="done")

    told = {"session_id": "s1", "language": "Russian", "current_date": "2026-02-03"}
    call = {"retell_llm_dynamic_variables": told}
    assert answer == {"result": "added"}
    assert sent == [
        (
            "/rag/add_to_cart",
            {"call": call, "args": {"items": [{"product_code": "D101", "quantity": 2, "packaging_type": "box"}]}},
        ),
        ("/rag/rag_find_products", {"call": call, "args": {"message": "milk"}}),
        ("/rag/remove_from_cart", {"call": call, "args": {"items": ["D101"]}}),
        ("/rag/set_current_location", {"call": call, "args": {"location_id": 2}}),
    ]
    assert ended == {"status": "ended", "reason": "done", "ordered": False}


@pytest.mark.parametrize(
    ("status", "body", "calls", "reason"),
    [
        (503, b"", 3, "the tool get_cart at 127.0.0.1 answered HTTP 503"),
        (401, b"{}", 1, "the tool get_cart at 127.0.0.1 answered HTTP 401"),
        (200, b"<html>", 1, "the tool get_cart at 127.0.0.1 did not answer with JSON"),
    ],
)
async def test_a_server_that_is_broken_is_tried_again_where_that_helps_and_fails_the_chatbot(
    transport: HttpTransport, status: int, body: bytes, calls: int, reason: str
):
    asked = 0

    async def broken(request: web.Request) -> web.StreamResponse:
        nonlocal asked
        asked += 1
        return web.Response(status=status, body=body)

    async with listening(answering(broken)) as url:
        tools: Any = tools_at(Server(f"{url}/rag", transport, waits=(0, 0)))("s1", {"GIVEN": {}, "LANGUAGE": "English"})
        with pytest.raises(ChatbotError) as caught:
            await tools.show_cart()

    assert (str(caught.value), asked) == (reason, calls)


async def test_a_server_that_hangs_is_a_timeout(transport: HttpTransport):
    over = asyncio.Event()

    async def hang(request: web.Request) -> web.StreamResponse:
        await over.wait()
        return web.Response()

    async with listening(answering(hang)) as url:
        tools: Any = tools_at(Server(f"{url}/rag", transport, 0.05))("s1", {"GIVEN": {}, "LANGUAGE": "English"})
        with pytest.raises(ChatbotTimeout, match=r"did not answer within 0.05 s"):
            await tools.show_cart()
        over.set()


async def test_an_outage_ends_the_conversation_as_failed_and_without_a_score(
    context: PluginContext, transport: HttpTransport
):
    async def refused(request: web.Request) -> web.StreamResponse:
        return web.Response(status=500)

    case = loading.load([FOLDER / "scenarios" / "english.json"], seed=1).cases[0]
    async with listening(answering(refused)) as url:
        agent = chatbot(f"tools-url={url}/rag", replace(context, transport=transport))
        conversation: Conversation = await simulate(case, Agenda(), agent, reader=PatternReader())

    said = conversation.messages[-1].text
    assert (conversation.ending, conversation.error) == (
        Ending.CHATBOT_FAILED,
        f"the tool add_to_cart at 127.0.0.1 answered HTTP 500 (in reply to {said!r})",
    )
    assert (judge_order(conversation).outcome, judge_order(conversation).score) == (CheckOutcome.NOT_APPLICABLE, None)


def test_remote_tools_are_described_by_the_very_functions_of_the_local_ones(context: PluginContext):
    away, home = chatbot("tools-url=http://127.0.0.1:1/rag", context), chatbot("", context)

    assert away.agents["Russian"].toolbox.tools == home.agents["Russian"].toolbox.tools
    assert [tool.name for tool in home.agents["Russian"].toolbox.tools] == [
        name for name in vars(Tools) if not name.startswith("_") and name != "state"
    ]


@pytest.mark.parametrize("url", ["ftp://example.com", "example.com", ""])
def test_what_is_no_address_of_a_server_is_refused(context: PluginContext, url: str):
    with pytest.raises(InputError, match="is not the URL of a server"):
        chatbot(f"tools-url={url}", context)


@pytest.mark.slow
def test_a_fault_of_the_local_tools_cannot_be_planted_elsewhere(context: PluginContext):
    with pytest.raises(
        InputError, match=r"the fault 'wrong_date' changes the local tools, but the tools are at 'http://a\.example'"
    ):
        chatbot("fault=wrong_date,tools-url=http://a.example", context)

    assert chatbot("fault=claims_success,tools-url=http://a.example", context).agents


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/get_cart", b"{}", 400),
        ("/get_cart", b"nonsense", 400),
        ("/get_cart", b"[]", 400),
        ("/no_such_tool", b"{}", 404),
    ],
)
async def test_the_server_of_our_own_tools_refuses_what_is_no_call(
    transport: HttpTransport, path: str, body: bytes, status: int
):
    async with listening(application()) as url:
        response = await transport.send("POST", url + path, headers={}, body=body)

    assert response.status == status


async def test_sessions_on_the_server_share_nothing(transport: HttpTransport):
    async with listening(application()) as url:
        first, second = [
            tools_at(Server(url, transport))(session, {"GIVEN": {}, "LANGUAGE": "English"}) for session in ("a", "b")
        ]
        await first.add_to_cart(product="mustard", quantity=2)

        assert [len((await tools.show_cart())["cart"]) for tools in (first, second)] == [1, 0]


async def test_a_message_is_still_answered_when_the_case_says_nothing(context: PluginContext):
    async with chatbot("", context).connect(Case(id="bare")) as session:
        assert (await session.reply(message("user", "two boxes of mustard"))).text.startswith(
            "I have put down: Mustard"
        )
