"""Clock protocol and system clock. Code that needs the time takes a clock as an argument."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Source of time: `now` for timestamps, `monotonic` in seconds for durations."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """Clock of the machine, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    monotonic = staticmethod(time.monotonic)


def in_seconds(time: float) -> str:
    """Format a duration in seconds: 0.615 s, 12 s, 3,600 s."""
    return f"{time:.3g} s" if time < 999.5 else f"{time:,.0f} s"
