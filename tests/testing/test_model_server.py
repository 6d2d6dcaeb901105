import asyncio
from typing import Any

import aiohttp
import orjson
import pytest

from model_faults import InjectedFault
from model_server import LoopbackModelServer
from sparring.llm.model import ToolRequest


async def ask(server: LoopbackModelServer, text: str = "Hi", **headers: str) -> tuple[int, Any]:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}/chat/completions", json=body, headers=headers) as response,
    ):
        return response.status, orjson.loads(await response.read())


async def test_it_replies_in_order_and_then_as_otherwise():
    tool = ToolRequest("", "menu", "{}")
    async with LoopbackModelServer("Hello!", tool, otherwise=lambda body: body["messages"][0]["content"]) as server:
        server.will("Bye!")
        messages = [(await ask(server, text))[1]["choices"][0]["message"] for text in "abcd"]

    called = {"id": "call_1", "type": "function", "function": {"name": "menu", "arguments": "{}"}}
    assert messages == [
        {"role": "assistant", "content": "Hello!"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "assistant", "content": "Bye!"},
        {"role": "assistant", "content": "d"},
    ]


async def test_it_keeps_the_requests():
    async with LoopbackModelServer("Hello!") as server:
        await ask(server, Authorization="Bearer k")

    (received,) = server.requests
    assert (received.path, received.headers["authorization"], received.body["model"]) == (
        "/v1/chat/completions",
        "Bearer k",
        "m",
    )


async def test_without_a_reply_left_it_says_so():
    async with LoopbackModelServer() as server:
        status, body = await ask(server)

    assert (status, body["error"]["message"]) == (400, "this LoopbackModelServer has no reply left")


async def test_a_wrong_key_is_repeated_as_providers_do():
    async with LoopbackModelServer(InjectedFault.wrong_key()) as server:
        status, body = await ask(server, Authorization="Bearer abc")

    assert (status, body["error"]["message"]) == (401, "Incorrect API key provided: abc.")


async def test_faults_are_drawn_from_the_seed():
    async def statuses(seed: int) -> list[int]:
        faults = (InjectedFault.status(500), InjectedFault.status(429))
        async with LoopbackModelServer(otherwise="Hello!", faults=faults, rate=0.5, seed=seed) as server:
            return [(await ask(server))[0] for _ in range(12)]

    first = await statuses(7)

    assert (first, set(first)) == (await statuses(7), {200, 429, 500})
    assert first != await statuses(8)


async def test_it_counts_the_calls_in_flight():
    async with LoopbackModelServer(otherwise=InjectedFault.slow_headers(60)) as server:
        calls = [asyncio.create_task(ask(server)) for _ in range(5)]
        await server.arrived(5)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)

    assert server.peak == 5


async def test_it_lists_its_model():
    async with (
        LoopbackModelServer() as server,
        aiohttp.ClientSession() as session,
        session.get(f"{server.url}/models") as response,
    ):
        assert [model["id"] for model in (await response.json())["data"]] == ["loopback"]


@pytest.mark.parametrize("fault", [InjectedFault.disconnect(), InjectedFault.cut_off(), InjectedFault.reset()])
async def test_it_breaks_off(fault: InjectedFault):
    async with LoopbackModelServer(fault) as server:
        with pytest.raises(aiohttp.ClientError):
            await ask(server)


async def test_a_body_may_come_in_two_halves():
    async with LoopbackModelServer(InjectedFault.slow_body(0.001)) as server:
        status, body = await ask(server)

    assert (status, body["choices"][0]["message"]["content"]) == (200, "Hello!")
