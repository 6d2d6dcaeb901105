from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from sparring.models.aiohttp_transport import AiohttpTransport
from sparring.models.retrying import Attempt, Retries


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
async def transport() -> AsyncIterator[AiohttpTransport]:
    async with AiohttpTransport() as opened:
        yield opened
