"""Whatever a provider does, every conversation ends in a true state, and none is lost or kept twice."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from model_faults import FaultyTransport, InjectedFault
from model_server import LoopbackModelServer
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Limits
from sparring.core.clock import SystemClock
from sparring.core.conversation import Ending
from sparring.core.events import BatchFinished, CallRetried, ConversationEnded, ModelPaused
from sparring.core.usage import Budget, RateLimit
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm import template
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.openai_compatible import OpenAICompatible
from sparring.llm.client.rate_limiter import RateLimiter
from sparring.llm.client.retry import Retries, retry_listener
from sparring.llm.model import MeteredModel
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import CREATED
from sparring.testing.memory_store import MemoryStore
from sparring.users.simulated import Simulated

TURNS = 4
CALL_SECONDS = 0.5
LATE = 3 * CALL_SECONDS
FAULTS = (
    InjectedFault.status(429),
    InjectedFault.status(429, retry_after=0.1),
    InjectedFault.status(500),
    InjectedFault.html(502),
    InjectedFault.slow_headers(LATE),
    InjectedFault.slow_body(LATE),
    InjectedFault.cut_off(),
    InjectedFault.truncated(),
    InjectedFault.invalid_json(),
    InjectedFault.wrong_shape(),
    InjectedFault.empty_choices(),
    InjectedFault.null_content(),
    InjectedFault.repeated_ids("unknown"),
    InjectedFault.disconnect(),
    InjectedFault.reset(),
)


def talk(body: dict[str, object]) -> str:
    """Both sides count what they hear."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return f"This is message {len(messages)}."


def batch(cases: int) -> Batch:
    limits = Limits(turns=TURNS, steps=TURNS, reply_seconds=60)
    who = Players(chatbot="prompted", user="simulated")
    return Batch(
        id="B1",
        created=CREATED,
        who=who,
        cases=tuple(Case(id=f"case/{n}", seed=n, limits=limits) for n in range(cases)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.2, 0.3])
@pytest.mark.timeout(1800)  # its long form waits out hundreds of pauses, one after the other
async def test_no_conversation_is_lost_duplicated_or_altered(
    tmp_path: Path, long: bool, report: Callable[[str], None], rate: float
):
    number, minute = (2000, 2.0) if long and rate == 0.2 else (300, 2.0) if long else (40, 0.2)
    limit = RateLimit(requests_per_minute=number)
    dns = rate / (len(FAULTS) + 1)
    server = LoopbackModelServer(
        otherwise=talk, faults=FAULTS, rate=rate - dns, seed=7, limit=limit, minute=minute, keep=False
    )
    limiter, events, ids = RateLimiter(limit, minute=minute, name="loopback"), Counter[type](), Counter[str]()
    async with server, HttpTransport() as opened, SqliteStore(tmp_path / "chaos.db") as store:
        transport = FaultyTransport(opened, rate=dns, seed=7)
        retries = Retries(
            SystemClock(),
            Random(7),
            call_seconds=CALL_SECONDS,
            pace=0.5 if long else 0.05,
            on_attempt=retry_listener("loopback"),
            limiter=limiter,
        )
        model = OpenAICompatible("m", url=server.url, transport=transport, retries=retries)
        chatbot = Prompted(MeteredModel(model, "chatbot"), template.read("You count."))
        cast = ResolvedPlayers(chatbot, Simulated(MeteredModel(model, "user")), PatternReader(), SystemClock())
        async for event in run(batch(number), cast, store, concurrency=number):
            events[type(event)] += 1
            if isinstance(event, ConversationEnded):
                ids[event.conversation.id] += 1
        stored = [conversation async for conversation in store.conversations("B1")]

    assert isinstance(event, BatchFinished)
    assert (event.stored, event.not_run, event.cancelled) == (number, 0, 0)
    assert (len(ids), set(ids.values())) == (number, {1})
    assert len({each.id for each in stored}) == len(stored) == number
    for each in stored:
        assert each.ending is not None
        assert not each.ending.completed or each.turns == TURNS, (
            f"{each.id} ended as {each.ending} after {each.turns} turns"
        )
        assert each.ending is not Ending.TIMEOUT, each.error
    complete = sum(each.ending.completed for each in stored if each.ending)
    assert number - complete <= max(1, number * (0.01 if rate < 0.3 else 0.05)), Counter(
        (each.ending, each.error) for each in stored
    )
    assert server.exceeded == 0
    assert sum(each.timing.retries for each in stored if each.timing) == events[CallRetried] > 0
    report(
        f"{number} conversations at {rate:.0%} faults: {complete} complete, {server.calls} calls received, "
        f"{events[CallRetried]} made again, {events[ModelPaused]} pauses, {server.exceeded} beyond the limit, "
        f"{transport.failed} names not resolved"
    )


@pytest.mark.parametrize(
    "fault", [InjectedFault.status(500), InjectedFault.status(429), InjectedFault.wrong_shape(), InjectedFault.reset()]
)
async def test_a_failing_provider_is_not_stormed_and_every_attempt_is_reported(fault: InjectedFault):
    cases, most, told = 20, 6, []
    async with LoopbackModelServer(otherwise=fault, keep=False) as server, HttpTransport() as transport:
        retries = Retries(
            SystemClock(), Random(7), pace=0, on_attempt=retry_listener("loopback"), sleep=at_once, most=most
        )
        model = OpenAICompatible("m", url=server.url, transport=transport, retries=retries)
        chatbot = Prompted(MeteredModel(model, "chatbot"), template.read("You count."))
        cast = ResolvedPlayers(chatbot, Simulated(MeteredModel(model, "user")), PatternReader(), SystemClock())
        store = MemoryStore()
        async for event in run(batch(cases), cast, store, concurrency=cases):
            told.append(event)
        endings = {each.ending async for each in store.conversations("B1")}

    assert endings == {Ending.INFRASTRUCTURE_FAILED}
    assert cases <= server.calls <= cases * most
    assert sum(isinstance(event, CallRetried) for event in told) == server.calls - cases


@pytest.mark.slow
async def test_no_call_runs_on_at_the_provider_after_the_time_limit():
    cases = 12
    async with LoopbackModelServer(otherwise=talk, latency=3600) as server, HttpTransport() as transport:
        retries = Retries(SystemClock(), Random(7), call_seconds=7200, total_seconds=7200)
        model = OpenAICompatible("m", url=server.url, transport=transport, retries=retries)
        chatbot = Prompted(MeteredModel(model, "chatbot"), template.read("You count."))
        cast = ResolvedPlayers(chatbot, Simulated(MeteredModel(model, "user")), PatternReader(), SystemClock())
        store = MemoryStore()
        *_, last = [
            event async for event in run(batch(cases), cast, store, concurrency=cases, budget=Budget(seconds=1))
        ]
        await asyncio.wait_for(server.idle(), 60)

    assert server.peak == server.calls > 0
    assert isinstance(last, BatchFinished)
    assert (last.stored, last.not_run, last.cancelled) == (0, 0, cases)


async def at_once(seconds: float) -> None:
    """Wait for nothing."""
