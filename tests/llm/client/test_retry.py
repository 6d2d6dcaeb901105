import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.clock import SystemClock
from sparring.core.errors import BadCompletion, ModelRejected, ModelTimeout, ModelUnavailable
from sparring.llm.client.rate_headers import retry_after
from sparring.llm.client.rate_limiter import RateLimiter
from sparring.llm.client.retry import Attempt, Retries, TryAgain
from sparring.llm.model import Completion

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Failing:
    """Fails in these ways, and then answers."""

    def __init__(self, *failures: Exception, answer: Any = "answer") -> None:
        self.failures = list(failures)
        self.answer = answer

    async def __call__(self) -> Any:
        if self.failures:
            raise self.failures.pop(0)
        return self.answer


ANSWER = Completion("answer")


def busy(wait: float | None = None) -> TryAgain:
    return TryAgain(ModelUnavailable("busy"), status=503, wait=wait)


async def test_the_waits_double_up_to_eight_seconds(time: Any, retries: Retries):
    assert await retries.run(Failing(*(busy() for _ in range(7)))) == "answer"
    assert time.waits == [0.5, 1, 2, 4, 8, 8, 8]


async def test_the_jitter_takes_up_to_a_quarter_away(time: Any):
    retries = Retries(time, Random(1), sleep=time.sleep)
    expected = Random(1)

    await retries.run(Failing(busy(), busy()))

    assert time.waits == [0.5 * (1 - 0.25 * expected.random()), 1 - 0.25 * expected.random()]


async def test_retries_wait_for_retry_after_and_keep_the_pace(time: Any, retries: Retries):
    await retries.run(Failing(busy(3), busy(0.001)))

    assert time.waits == [3, 1]


async def test_a_changed_request_is_sent_at_once(time: Any, retries: Retries):
    await retries.run(Failing(TryAgain(ModelRejected("no seed"), status=400, wait=0)))

    assert time.waits == []


async def test_every_attempt_is_seen(time: Any, retries: Retries):
    await retries.run(Failing(busy(), busy(2)))

    assert time.attempts == [
        Attempt(1, 503, "busy", 0.5),
        Attempt(2, 503, "busy", 2),
        Attempt(3, 200),
    ]


async def test_a_permanent_failure_is_not_retried(time: Any, retries: Retries):
    with pytest.raises(ModelRejected, match=r"^no rights$"):
        await retries.run(Failing(ModelRejected("no rights")))

    assert time.attempts == [Attempt(1, None, "no rights")]


async def test_all_attempts_are_counted_that_may_have_to_be_paid_for(retries: Retries):
    last = BadCompletion("said nothing")
    last.charged = 1
    with pytest.raises(BadCompletion) as failed:
        await retries.run(Failing(TryAgain(BadCompletion("nonsense")), TryAgain(BadCompletion("nonsense")), last))

    assert failed.value.charged == 3


async def test_retries_end_when_no_time_is_left_for_another_attempt(time: Any, retries: Retries):
    with pytest.raises(ModelUnavailable, match=r"^busy \(after 19 attempts\)$"):
        await retries.run(Failing(*(busy() for _ in range(100))))

    assert (sum(time.waits), time.attempts[-1]) == (119.5, Attempt(19, 503, "busy"))


async def test_a_wait_longer_than_there_is_time_is_not_begun(time: Any, retries: Retries):
    with pytest.raises(ModelUnavailable, match=r"^busy \(after 1 attempt, it asks to wait 3,600 s\)$"):
        await retries.run(Failing(busy(3600)))

    assert time.waits == []


def nowhere() -> TryAgain:
    return TryAgain(ModelUnavailable("connection refused"), unreachable=True)


async def test_a_server_that_was_never_reached_is_given_up_soon(time: Any, retries: Retries):
    with pytest.raises(ModelUnavailable, match=r"connection refused \(after 4 attempts\)"):
        await retries.run(Failing(*(nowhere() for _ in range(9))), reached=False)

    assert time.waits == [0.5, 1, 2]


async def test_a_server_that_was_there_may_come_back(time: Any, retries: Retries):
    assert await retries.run(Failing(*(nowhere() for _ in range(6)))) == "answer"


@pytest.fixture
def shared(time: Any, retries: Retries) -> Retries:
    """With a limiter whose pauses end as soon as a call waits for them."""

    def later(seconds: float, serve: Callable[[], None]) -> asyncio.Handle:
        due = time.passed + seconds

        def act() -> None:
            time.passed = max(time.passed, due)
            serve()

        return asyncio.get_running_loop().call_later(0, act)

    return replace(retries, limiter=RateLimiter(name="m", now=time.monotonic, later=later))


def refused(wait: float | None = 60) -> TryAgain:
    return TryAgain(ModelUnavailable("slow down"), status=429, wait=wait)


async def test_pauses_that_are_asked_for_leave_a_call_its_time(time: Any, shared: Retries):
    assert await shared.run(Failing(*(refused() for _ in range(4)), answer=ANSWER)) == ANSWER
    assert time.passed == 240


async def test_pauses_of_our_own_are_on_the_time_of_a_call(time: Any, shared: Retries):
    with pytest.raises(ModelUnavailable, match=r"^slow down \(after 19 attempts\)$"):
        await shared.run(Failing(*(refused(None) for _ in range(99))))

    assert time.passed == 119.5


async def test_the_next_call_in_line_waits_for_a_pause_too(time: Any, shared: Retries):
    asked: list[float] = []

    async def call() -> Any:
        asked.append(time.passed)
        await asyncio.sleep(0)
        if len(asked) == 1:
            raise refused()
        return ANSWER

    assert shared.limiter
    shared.limiter.at_once = 1
    await asyncio.gather(*(shared.run(call) for _ in range(3)))

    assert asked == [0, 60, 60, 60]


async def test_attempts_are_bounded_even_while_other_calls_succeed(time: Any, shared: Retries):
    async def always() -> Any:
        assert shared.limiter
        shared.limiter.leave(await shared.limiter.enter(), good=True)
        raise busy(60)

    with pytest.raises(ModelUnavailable, match=r"^busy \(after 20 attempts, it asks to wait 60 s\)$"):
        await shared.run(always)

    assert time.passed == 19 * 60


async def test_a_refusal_long_after_the_last_says_nothing_about_the_time_between(time: Any, shared: Retries):
    with pytest.raises(ModelRejected):
        await shared.run(Failing(refused(), ModelRejected("no")))
    time.passed += 3600

    assert await shared.run(Failing(refused(), answer=ANSWER)) == ANSWER


async def test_the_last_error_drags_no_other_along(retries: Retries):
    with pytest.raises(ModelUnavailable) as caught:
        await retries.run(Failing(busy(3600)))

    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


@pytest.mark.usefixtures("virtual_time")
async def test_an_attempt_that_takes_too_long_is_cancelled_and_tried_again():
    cancelled = []

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(True)

    retries = Retries(SystemClock(), Random(0), call_seconds=0.01, total_seconds=0.3)
    with pytest.raises(ModelTimeout, match=r"^no answer within 0\.01 s \(after 1 attempt\)$"):
        await retries.run(forever)

    assert cancelled == [True]


@pytest.mark.usefixtures("virtual_time")
async def test_an_attempt_for_which_less_time_is_left_says_of_how_much():
    retries = Retries(SystemClock(), Random(0), call_seconds=60, total_seconds=0.01)
    with pytest.raises(
        ModelTimeout, match=r"^no answer within 0\.01 s, all that was left of 0\.01 s \(after 1 attempt\)$"
    ):
        await retries.run(asyncio.Event().wait)  # type: ignore[arg-type]


async def test_cancelling_from_outside_is_not_taken_for_a_deadline(retries: Retries):
    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await retries.run(cancelled)


@given(st.integers(1, 10**6))
def test_retry_after_is_read_in_seconds(seconds: int):
    assert retry_after({"retry-after": f" {seconds} "}, NOW) == seconds


@given(st.integers(1, 10**6))
def test_retry_after_is_read_as_a_date(seconds: int):
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)

    assert retry_after({"retry-after": date}, NOW) == seconds


@given(st.integers(1, 10**6), st.integers())
def test_milliseconds_go_before_seconds(milliseconds: int, seconds: int):
    headers = {"retry-after-ms": str(milliseconds), "retry-after": str(seconds)}

    assert retry_after(headers, NOW) == pytest.approx(milliseconds / 1000)


DATES = [
    "Mon, 01 Jan 999999999999999999999 00:00:00 GMT",
    "Mon, 01 Jan 2020 00:00:00 +9999999999999999999999",
    "Mon, 01 Jan 0001 00:00:00 +2359",
]


@pytest.mark.parametrize("said", DATES)
def test_a_date_beyond_all_calendars_asks_for_nothing(said: str):
    assert retry_after({"retry-after": said}, NOW) is None


@given(
    st.text()
    | st.sampled_from(["0", "-1", "nan", "inf", "1e9", "٣", "Thu, 01 Jan 1970 00:00:00 GMT", "9" * 400, *DATES])
)
def test_any_other_header_is_a_positive_wait_or_none(said: str):
    wait = retry_after({"retry-after": said, "retry-after-ms": said}, NOW)

    assert wait is None or 0 < wait < 1e13
