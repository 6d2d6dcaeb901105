import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random

import pytest

from model_faults import InjectedFault, completion
from model_server import LoopbackModelServer
from sparring.core.clock import SystemClock
from sparring.core.errors import BadCompletion, ModelRejected, ModelTimeout, ModelUnavailable
from sparring.core.events import CallRetried, ModelPaused
from sparring.core.usage import RateLimit
from sparring.llm.call_context import CallEvent, call_context
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.openai_compatible import OpenAICompatible
from sparring.llm.client.rate_headers import duration
from sparring.llm.client.rate_limiter import RateLimiter
from sparring.llm.client.retry import Retries, retry_listener
from sparring.llm.client.transport import Response
from sparring.llm.model import ChatMessage, Request
from tables import table

ASK = Request((ChatMessage("user", "Hello?"),))
SOON = ("retry-after-ms", "60")


def model(
    server: LoopbackModelServer, transport: HttpTransport, limiter: RateLimiter, **fields: object
) -> OpenAICompatible:
    retries = Retries(SystemClock(), Random(0), on_attempt=retry_listener("loopback"), limiter=limiter, **fields)  # type: ignore[arg-type]
    return OpenAICompatible("m", url=server.url, transport=transport, retries=retries)


def busy(*headers: tuple[str, str]) -> InjectedFault:
    return InjectedFault.response({"error": {"message": "slow down"}}, code=429, headers=headers)


class Clocked:
    """Answers, and notes when it was asked."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def __call__(self, body: object) -> str:
        self.asked.append(time.monotonic())
        return "Hello"


@pytest.mark.slow
async def test_many_refusals_pause_all_calls_to_the_model(transport: HttpTransport):
    limiter, told, paused, server_time = RateLimiter(name="loopback"), list[CallEvent](), asyncio.Event(), Clocked()

    def listen(happened: CallEvent) -> None:
        told.append(happened)
        if isinstance(happened, ModelPaused):
            paused.set()

    async with LoopbackModelServer(*[busy(SOON)] * 5, otherwise=server_time) as server:
        one, other = model(server, transport, limiter), model(server, transport, limiter)
        with call_context(on_event=listen):
            first = [asyncio.create_task(one.complete(ASK)) for _ in range(5)]
            await paused.wait()
            until = limiter.paused_until
            await asyncio.gather(*first, other.complete(ASK))

    assert sum(asked >= until for asked in server_time.asked) >= 2
    assert [type(each) for each in told] == [CallRetried] * 5 + [ModelPaused]
    assert told[0].model_dump(include={"model", "attempt", "status", "reason"}) == {
        "model": "loopback",
        "attempt": 1,
        "status": 429,
        "reason": "m: HTTP 429: slow down",
    }


@pytest.mark.slow
async def test_after_a_refusal_fewer_are_under_way_at_a_time(transport: HttpTransport):
    limiter = RateLimiter()
    async with LoopbackModelServer(*[busy(SOON)] * 32, otherwise="Hello", latency=0.02) as server:
        asked = model(server, transport, limiter)
        calls = [asyncio.create_task(asked.complete(ASK)) for _ in range(32)]
        await server.arrived(32)
        before, server.peak = server.peak, 0
        await asyncio.gather(*calls)

    assert (before, server.peak <= 18, server.calls) == (32, True, 64)


@pytest.mark.slow
async def test_the_providers_own_count_never_exceeds_the_limit(transport: HttpTransport):
    limit = RateLimit(requests_per_minute=20, concurrency=4)
    limiter = RateLimiter(limit, minute=0.2)
    async with LoopbackModelServer(otherwise="Hello", limit=limit, minute=0.2, latency=0.01) as server:
        asked = model(server, transport, limiter)
        await asyncio.gather(*(asked.complete(ASK) for _ in range(50)))

    assert (server.calls, server.exceeded, server.peak <= 4) == (50, 0, True)


@pytest.mark.slow
async def test_the_providers_own_count_of_tokens_never_exceeds_the_limit(transport: HttpTransport):
    limit = RateLimit(tokens_per_minute=1500)
    limiter = RateLimiter(limit, minute=0.2)
    took = {"prompt_tokens": 270, "completion_tokens": 3}
    said = InjectedFault.response(completion({"role": "assistant", "content": "Hello"}, usage=took))
    async with LoopbackModelServer(otherwise=said, limit=limit, minute=0.2) as server:
        asked = model(server, transport, limiter)
        long = Request((ChatMessage("user", "word " * 200),))
        await asyncio.gather(*(asked.complete(long) for _ in range(12)))

    assert (server.calls, server.exceeded) == (12, 0)


@pytest.mark.slow
async def test_a_limit_of_tokens_is_kept_in_languages_that_take_more_of_them(transport: HttpTransport):
    limit = RateLimit(tokens_per_minute=3000)
    took = {"prompt_tokens": 1090, "completion_tokens": 3}
    said = InjectedFault.response(completion({"role": "assistant", "content": "Hello"}, usage=took))
    async with LoopbackModelServer(otherwise=said, limit=limit, minute=0.2, latency=0.01) as server:
        asked = model(server, transport, RateLimiter(limit, minute=0.2))
        chinese = Request((ChatMessage("user", "我想要一个披萨" * 200),))
        await asyncio.gather(*(asked.complete(chinese) for _ in range(8)))

    assert (server.calls, server.exceeded) == (8, 0)


async def test_no_call_is_made_while_the_provider_has_nothing_left(transport: HttpTransport):
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "50ms"}
    last = InjectedFault.response(
        completion({"role": "assistant", "content": "Hello"}),
        headers=(("content-type", "application/json"), *headers.items()),
    )
    server_time = Clocked()
    async with LoopbackModelServer(last, otherwise=server_time) as server:
        limiter = RateLimiter()
        asked = model(server, transport, limiter)
        await asked.complete(ASK)
        until = limiter.paused_until
        await asked.complete(ASK)

    assert until <= server_time.asked[0]


async def test_a_pause_that_is_asked_for_in_words_is_kept(transport: HttpTransport):
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    refused = InjectedFault.status(429, "You exceeded your current quota. Please retry in 0.6s.")
    async with LoopbackModelServer(refused, otherwise="Hello") as server:
        await model(server, transport, RateLimiter(), pace=0.0, sleep=noted).complete(ASK)

    assert (server.calls, waits) == (2, [0.6])


OPENROUTER = {"error": {"code": 429, "message": "slow", "metadata": {"headers": {"X-RateLimit-Reset": "AHEAD"}}}}
DETAILS = [
    {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3600.5s"},
]
GOOGLE = [{"error": {"code": 429, "message": "Resource has been exhausted", "details": DETAILS}}]


@pytest.mark.parametrize(("said", "status"), [(OPENROUTER, 429), (OPENROUTER, 200), (GOOGLE, 429)])
async def test_a_pause_that_is_asked_for_in_the_body_is_kept(transport: HttpTransport, said: object, status: int):
    ahead = str(int((time.time() + 3600.5) * 1000))
    said = json.loads(json.dumps(said).replace("AHEAD", ahead))
    async with LoopbackModelServer(InjectedFault.response(said, code=status), otherwise="Hello") as server:
        limiter = RateLimiter()
        with pytest.raises(ModelUnavailable, match=r"it asks to wait 3,\d{3} s"):
            await model(server, transport, limiter).complete(ASK)

    assert (server.calls, limiter.paused_for() > 3000) == (1, True)


@pytest.mark.parametrize("apart", [-600, 600])
async def test_a_moment_is_read_by_the_clock_of_the_server(transport: HttpTransport, apart: int):
    theirs = datetime.now(UTC) + timedelta(seconds=apart)
    headers = (
        ("date", format_datetime(theirs, usegmt=True)),
        ("retry-after", format_datetime(theirs + timedelta(seconds=3600), usegmt=True)),
    )
    async with LoopbackModelServer(busy(*headers), otherwise="Hello") as server:
        with pytest.raises(ModelUnavailable, match=r"it asks to wait 3,600 s"):
            await model(server, transport, RateLimiter()).complete(ASK)


async def test_a_pause_of_no_time_is_no_pause(transport: HttpTransport):
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    async with LoopbackModelServer(InjectedFault.status(429, "Please try again in 0s."), otherwise="Hello") as server:
        retries = Retries(SystemClock(), Random(0), sleep=noted, pace=0.4)
        await OpenAICompatible("m", url=server.url, transport=transport, retries=retries).complete(ASK)

    assert [0.3 <= wait <= 0.4 for wait in waits] == [True]


@pytest.mark.slow
async def test_attempts_are_bounded_however_short_the_waits(transport: HttpTransport):
    async with LoopbackModelServer(otherwise=busy(("retry-after-ms", "1"))) as server:
        asked = model(server, transport, RateLimiter(), most=3)
        with pytest.raises(ModelUnavailable, match="after 3 attempts"):
            await asked.complete(ASK)

    assert server.calls == 3


class Answering:
    """A transport without a network that gives these responses in order."""

    def __init__(self, *answers: InjectedFault) -> None:
        self.answers = list(answers)

    async def send(self, *request: object, **options: object) -> Response:
        answer = self.answers.pop(0)
        return Response(answer.code, dict(answer.headers), answer.body)


@pytest.mark.usefixtures("virtual_time")
async def test_a_pause_may_take_most_of_the_time_that_a_call_has():
    hello = InjectedFault.response(completion({"role": "assistant", "content": "Hello"}))
    transport, limiter = (
        Answering(busy(("retry-after-ms", "1400")), hello),
        RateLimiter(now=asyncio.get_running_loop().time),
    )
    retries = Retries(SystemClock(), Random(0), limiter=limiter, total_seconds=2.0)

    answered = await OpenAICompatible("m", url="http://model", transport=transport, retries=retries).complete(ASK)

    assert (answered.text, transport.answers) == ("Hello", [])


async def test_a_call_that_is_too_slow_says_which_model_was_asked(transport: HttpTransport):
    async with LoopbackModelServer(otherwise=InjectedFault.slow_headers(5)) as server:
        asked = model(server, transport, RateLimiter(name="loopback"), total_seconds=0.05)
        with pytest.raises(ModelTimeout, match=r"^loopback: no answer within 0\.05 s"):
            await asked.complete(ASK)


async def test_a_pause_longer_than_all_deadlines_fails_calls_without_a_request(transport: HttpTransport):
    async with LoopbackModelServer(otherwise=busy(("retry-after", "3600"))) as server:
        limiter = RateLimiter(name="loopback")
        asked = model(server, transport, limiter)
        with pytest.raises(ModelUnavailable, match="it asks to wait 3"):
            await asked.complete(ASK)
        with pytest.raises(
            ModelUnavailable, match=r"^loopback: rejects calls; rate limited for another 3,600 s$"
        ) as refused:
            await asked.complete(ASK)

    assert (server.calls, refused.value.charged) == (1, 0)


async def test_billable_attempts_are_counted_however_the_call_ends(transport: HttpTransport):
    refusal = InjectedFault.status(400, "context_length_exceeded")
    async with LoopbackModelServer(
        InjectedFault.invalid_json(), InjectedFault.empty_choices(), otherwise=refusal
    ) as server:
        asked = model(server, transport, RateLimiter(), sleep=no_time)
        with pytest.raises(ModelRejected) as refused:
            await asked.complete(ASK)

    assert (server.calls, refused.value.charged) == (3, 2)


async def test_unanswered_calls_open_the_circuit(transport: HttpTransport):
    async with LoopbackModelServer("Hello", otherwise=busy(("retry-after", "3600"))) as server:
        asked, pointless = model(server, transport, RateLimiter()), list[bool]()
        await asked.complete(ASK)
        for _ in range(3):
            with pytest.raises(ModelUnavailable) as failed:
                await asked.complete(ASK)
            pointless.append(failed.value.pointless)

    assert pointless == [False, False, True]


@pytest.mark.parametrize(("first", "pointless"), [((), [False, False, True]), (("Hello",), [False] * 3)])
async def test_a_model_without_a_usable_answer_opens_the_circuit(
    transport: HttpTransport, first: tuple[str, ...], pointless: list[bool]
):
    async with LoopbackModelServer(*first, otherwise=InjectedFault.html(200)) as server:
        asked, said = model(server, transport, RateLimiter(), sleep=no_time), list[bool]()
        for _ in first:
            await asked.complete(ASK)
        for _ in range(3):
            with pytest.raises(BadCompletion, match="answered with an HTML page") as failed:
                await asked.complete(ASK)
            said.append(failed.value.pointless)

    assert (said, server.calls) == (pointless, 18 + len(first))


async def test_failed_attempts_are_counted_with_the_successful_one(transport: HttpTransport):
    async with LoopbackModelServer(InjectedFault.invalid_json(), InjectedFault.empty_choices(), "Hello") as server:
        asked = model(server, transport, RateLimiter(), sleep=no_time)
        usage = (await asked.complete(ASK)).usage

    assert (usage.calls, usage.unknown_tokens, usage.unknown_costs, usage.input_tokens) == (3, 1, 3, 24)


async def test_answers_that_are_of_no_use_are_not_paid_for_without_end(transport: HttpTransport):
    async with LoopbackModelServer(otherwise=InjectedFault.wrong_shape()) as server:
        asked = model(server, transport, RateLimiter(), sleep=no_time)
        with pytest.raises(Exception, match=r"without any choice \(after 6 attempts\)") as caught:
            await asked.complete(ASK)

    assert (server.calls, caught.value.charged) == (6, 6)  # type: ignore[attr-defined]


async def no_time(seconds: float) -> None:
    pass


@table(
    ("text", "seconds"),
    [
        ("6m0s", 360),
        ("1.5s", 1.5),
        ("120ms", 0.12),
        ("1h2m3s", 3723),
        ("7", 7),
        ("soon", None),
        ("", None),
        ("-1s", None),
    ],
)
def test_durations_are_read_as_providers_write_them(text: str, seconds: float | None):
    assert duration(text) == (None if seconds is None else pytest.approx(seconds))


async def test_a_call_that_no_minute_has_room_for_says_so_once(transport: HttpTransport):
    limiter, told = RateLimiter(RateLimit(tokens_per_minute=100), name="loopback", minute=0.01), list[CallEvent]()
    async with LoopbackModelServer(otherwise="Hello") as server:
        with call_context(on_event=told.append):
            for _ in range(2):
                await model(server, transport, limiter).complete(ASK)

    reason = "a call takes about 262 tokens and a minute may have 100: one in a minute is made, and alone"
    assert told == [ModelPaused(model="loopback", seconds=60, reason=reason)]
