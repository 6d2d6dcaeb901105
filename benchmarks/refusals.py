"""How much longer calls take where a provider refuses 3 % of them, and if a stated limit is kept, over a real socket.

A server on this machine counts the requests it gets, answers after 100 ms and refuses a share of them with HTTP 429.
100 conversations of ten calls run, ten at a time; every figure is a ratio to the same calls without refusals. A refused
call lends the slot of its conversation while it waits. The floor is what refused calls cost without that: each keeps
one of the ten slots during its wait and its second attempt. A conversation that ends last adds up to its own waits.

    python benchmarks/refusals.py
"""

import asyncio
import time
from collections import deque
from random import Random

from aiohttp import web

from sparring.core.clock import SystemClock
from sparring.core.events import ModelPaused
from sparring.core.usage import RateLimit
from sparring.llm.call_context import CallEvent, call_context
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.openai_compatible import OpenAICompatible
from sparring.llm.client.rate_limiter import RateLimiter
from sparring.llm.client.retry import Retries
from sparring.llm.model import ChatMessage, Request
from sparring.llm.slots import ConversationSlots

CONVERSATIONS, CALLS, AT_ONCE, LATENCY, BACK_OFF, BUDGET = 100, 10, 10, 0.1, 0.44, 1.3
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]}
ASK = Request((ChatMessage("user", "Hello?"),))


class Counting:
    """A provider that refuses a share of the calls, or all of them for a while, and counts those of each minute."""

    def __init__(
        self, share: float, *, wait: str = "", latency: float = LATENCY, down: tuple[float, float] = (0, 0)
    ) -> None:
        self.share, self.wait, self.latency, self.down = share, wait, latency, down
        self.random, self.begun = Random(3), 0.0
        self.within: deque[float] = deque()
        self.most = self.requests = self.refused = 0

    async def complete(self, request: web.Request) -> web.Response:
        now = time.monotonic()
        self.begun = self.begun or now
        self.requests += 1
        self.within.append(now)
        while self.within[0] <= now - 60:
            self.within.popleft()
        self.most = max(self.most, len(self.within))
        await request.read()
        await asyncio.sleep(self.latency)
        if self.random.random() < self.share or self.down[0] <= now - self.begun < self.down[1]:
            self.refused += 1
            headers = {"retry-after": self.wait} if self.wait else {}
            return web.json_response({"error": {"message": "slow down"}}, status=429, headers=headers)
        return web.json_response(ANSWER)


async def measured(provider: Counting, limiter: RateLimiter, conversations: int = CONVERSATIONS) -> tuple[float, int]:
    """Return the seconds that all calls take, and the number of notices."""
    told: list[CallEvent] = []
    app = web.Application()
    app.router.add_post("/v1/chat/completions", provider.complete)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    async with HttpTransport() as transport:
        retries = Retries(SystemClock(), Random(7), limiter=limiter)
        model, slots = OpenAICompatible("m", url=url, transport=transport, retries=retries), ConversationSlots(AT_ONCE)

        async def talk() -> None:
            async with slots.hold() as slot:
                with call_context(slot=slot):
                    for _ in range(CALLS):
                        await model.complete(ASK)

        begun = time.monotonic()
        with call_context(on_event=told.append):
            await asyncio.gather(*(talk() for _ in range(conversations)))
        taken = time.monotonic() - begun
    await runner.cleanup()
    return taken, sum(isinstance(each, ModelPaused) for each in told)


async def table() -> None:
    clean, _ = await measured(Counting(0), RateLimiter())
    cases = {
        "3 % refused": Counting(0.03),
        "3 % refused, 1 s asked for": Counting(0.03, wait="1"),
        "the same, calls take 0.5 s": Counting(0.03, wait="1", latency=0.5),
        "all refused for a minute": Counting(0, down=(1, 61)),
    }
    print(f"{CONVERSATIONS * CALLS:,} calls, {AT_ONCE} at a time, take {clean:.1f} s without refusals")
    for name, provider in cases.items():
        taken, notices = await measured(provider, RateLimiter())
        alone = clean * provider.latency / LATENCY
        again = provider.refused * (float(provider.wait or BACK_OFF) + provider.latency) / AT_ONCE
        print(
            f"{name:26} {taken:6.1f} s  {taken / alone:5.2f} x"
            f" (budget {BUDGET} x, {1 + again / alone:.2f} x without lending)"
            f"  {provider.refused} of {provider.requests} refused, {notices} notices"
        )
    limited = Counting(0.03)
    await measured(limited, RateLimiter(RateLimit(requests_per_minute=60)), conversations=12)
    print(f"limit of 60 a minute: at most {limited.most} requests in a minute by the server's count")


if __name__ == "__main__":
    asyncio.run(table())
