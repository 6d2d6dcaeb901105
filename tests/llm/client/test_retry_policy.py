"""The retry policy as a table: what happened so far, how the attempt failed, and what comes next."""

from datetime import UTC, datetime

import pytest

from sparring.core.errors import BadCompletion, ModelError, ModelRejected, ModelTimeout, ModelUnavailable
from sparring.llm.client.retry import CallProgress, GiveUp, RetryPolicy, TryAgain, Wait


class At:
    """A clock that shows one time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return self._seconds


def failed(status: int | None = 503, wait: float | None = None, error: type[ModelError] = ModelUnavailable) -> TryAgain:
    return TryAgain(error("busy"), status=status, wait=wait)


ABSENT = TryAgain(ModelUnavailable("connection refused"), unreachable=True)
USELESS = TryAgain(BadCompletion("nonsense"))
TOOK = 2.0

TABLE = [
    # back-off
    ("first", CallProgress(1, 0, 120), failed(), Wait(0.5, 117.5)),
    ("doubles", CallProgress(3, 0, 100), failed(), Wait(2, 96)),
    ("at most 8 s", CallProgress(9, 0, 100), failed(), Wait(8, 90)),
    ("never sooner than asked", CallProgress(1, 0, 100), failed(wait=3), Wait(3, 95)),
    ("never faster than the pace", CallProgress(5, 0, 100), failed(wait=1), Wait(8, 90)),
    ("a changed request", CallProgress(1, 0, 100), failed(400, 0, ModelRejected), Wait(0, 98)),
    # time
    ("no time left", CallProgress(2, 0, 3), failed(), GiveUp()),
    ("time for one more", CallProgress(2, 0, 3.01), failed(), Wait(1, pytest.approx(0.01))),
    ("a wait longer than the time", CallProgress(1, 0, 120), failed(wait=3600), GiveUp()),
    # attempts
    ("the last attempt", CallProgress(20, 0, 100), failed(), GiveUp()),
    ("an absent server", CallProgress(4, 0, 100, reached=False), ABSENT, GiveUp()),
    ("a server that was there", CallProgress(4, 0, 100), ABSENT, Wait(4, 94)),
    ("a busy server, never reached", CallProgress(4, 0, 100, reached=False), failed(), Wait(4, 94)),
    ("five useless answers", CallProgress(5, 0, 100, billable=5), USELESS, Wait(8, 90)),
    ("six useless answers", CallProgress(6, 0, 100, billable=6), USELESS, GiveUp()),
    ("six, and then busy", CallProgress(7, 0, 100, billable=6), failed(), Wait(8, 90)),
    ("a timeout may be billed", CallProgress(6, 0, 100, billable=6), failed(None, None, ModelTimeout), GiveUp()),
    # with a rate limiter
    ("all calls wait", CallProgress(1, 0, 120, refusals=0), failed(429, 60), Wait(60, 118, shared=True)),
    ("a wait of our own", CallProgress(1, 0, 120, refusals=0), failed(429), Wait(0.5, 117.5, shared=True)),
    ("refusals of all calls count", CallProgress(1, 0, 120, refusals=2), failed(429), Wait(2, 116, shared=True)),
    ("busy without a wait", CallProgress(1, 0, 120, refusals=2), failed(503), Wait(0.5, 117.5)),
    ("busy with a wait", CallProgress(1, 0, 120, refusals=2), failed(503, 9), Wait(9, 118, shared=True)),
    ("the last one pauses others", CallProgress(20, 0, 120, refusals=0), failed(429, 60), GiveUp(60)),
    ("the last one pauses none", CallProgress(20, 0, 120, refusals=0), failed(500, 60), GiveUp()),
]


@pytest.mark.parametrize(
    ("progress", "failure", "step"), [row[1:] for row in TABLE], ids=[row[0].replace(" ", "-") for row in TABLE]
)
def test_next(progress: CallProgress, failure: TryAgain, step: Wait | GiveUp):
    assert RetryPolicy(jitter=lambda: 0.0).next(progress, failure, At(TOOK)) == step


def test_the_jitter_takes_up_to_a_quarter_off():
    assert RetryPolicy(jitter=lambda: 1.0).next(CallProgress(1, 0, 100), failed(), At(0)) == Wait(0.375, 99.625)
