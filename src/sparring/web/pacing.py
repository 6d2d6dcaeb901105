"""How often one caller may ask."""

from collections import OrderedDict
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network
from math import ceil

from sparring.core.clock import Clock

_REMEMBERED = 10_000
"""Callers that are remembered; whoever has not asked for the longest time is forgotten, and may begin anew."""


@dataclass
class Pace:
    """Lets every caller ask `a_minute` times in a minute, all at once or one by one.

    What one does not compete for stands in lanes of its own: a program that asks too often keeps nobody's pages from
    loading, and no listener from hearing.
    """

    a_minute: int
    clock: Clock
    _left: OrderedDict[tuple[str, str], tuple[float, float]] = field(default_factory=OrderedDict)
    """Requests that are left, and when they were counted."""

    def wait(self, caller: str, lane: str) -> int:
        """Count a request; the seconds after which there is room for it, or 0 where there is."""
        now = self.clock.monotonic()
        left, counted = self._left.pop((caller, lane), (float(self.a_minute), now))
        left = min(self.a_minute, left + (now - counted) * self.a_minute / 60)
        allowed = left >= 1
        self._left[caller, lane] = (left - allowed, now)
        if len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)
        return 0 if allowed else max(1, ceil((1 - left) * 60 / self.a_minute))


def lane(path: str) -> str:
    """Where a request for this path is counted."""
    if path.endswith(("/events", "/live")):
        return "events"
    return "api" if path.startswith("/api/") else "pages"


def neighbourhood(host: str) -> str:
    """Who asks from an address. One line has a whole /64 of IPv6, and is one caller."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return host
    return str(address.ipv4_mapped or ip_network(f"{host}/64", strict=False))
