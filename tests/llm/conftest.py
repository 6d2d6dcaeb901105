import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
import uvloop

from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.retry import Attempt, Retries

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


class Time:
    """A clock that only sleeping moves, and the attempts that were seen meanwhile."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.waits: list[float] = []
        self.attempts: list[Attempt] = []

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.passed)

    def monotonic(self) -> float:
        return self.passed

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.passed += seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def retries(time: Time) -> Retries:
    """Without a jitter: every wait is exact."""
    return Retries(time, Unmoved(), sleep=time.sleep, on_attempt=time.attempts.append)


class Unmoved(Random):
    def random(self) -> float:
        return 0.0


@pytest.fixture
async def transport() -> AsyncIterator[HttpTransport]:
    async with HttpTransport() as opened:
        yield opened


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Mapping[str, LoopFactory]:
    """Connections are tried on Python's event loop and on the one that is used where it exists."""
    if item.path.name != "test_http_transport.py":
        return {"asyncio": asyncio.new_event_loop}
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
