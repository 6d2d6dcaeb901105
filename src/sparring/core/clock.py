"""Time is an argument."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What time it is: `now` for people, `monotonic` in seconds for measuring."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The machine's own clock, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    monotonic = staticmethod(time.monotonic)


def in_seconds(time: float) -> str:
    """A time as people read it: 0.615 s, 12 s, 3,600 s."""
    return f"{time:.3g} s" if time < 999.5 else f"{time:,.0f} s"
