"""Who asks, and what they may: by the token they send, or by the cookie of a login.

How often one caller may ask.
"""

import hashlib
import hmac
import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv4Address, ip_address, ip_network
from math import ceil

from sparring.core.clock import Clock
from sparring.llm.redaction import Hidden
from sparring.store.tokens import Role, Tokens

COOKIE = "sparring_login"
HOURS = 12
_OPERATOR = "operator"
_COOKIE = re.compile(rf"({_OPERATOR}|[0-9a-f]{{64}})\.([0-9]{{1,11}})\.([0-9a-f]{{64}})")
_READING = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Caller:
    """Somebody who asks: `id` tells callers apart, and `role` is what they may."""

    id: str
    role: Role


@dataclass(frozen=True)
class Access:
    """What opens the door: the operator's own `token`, and those that are kept in `tokens`, each as far as its role
    goes. Without any the door is open, because only this machine reaches it.
    """

    token: Hidden = field(repr=False)
    tokens: Tokens
    clock: Clock
    _chance: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def closed(self) -> bool:
        """Whether a token is needed."""
        return bool(self.token) or self.tokens.used

    def caller(self, headers: Mapping[str, str]) -> Caller | None:
        """Who sent these headers; None if nobody knows them."""
        if "authorization" in headers:
            scheme, _, given = headers["authorization"].partition(" ")
            return self.by_token(given.strip()) if scheme.lower() == "bearer" else None
        return self._by_cookie(headers.get("cookie", ""))

    def by_token(self, given: str) -> Caller | None:
        """Whose token this is."""
        if self.token and secrets.compare_digest(given.encode(errors="replace"), self.token.encode()):
            return Caller(_OPERATOR, Role.ADMIN)
        return self._by_hash(found.hash) if given and (found := self.tokens.find(given)) else None

    def knows(self, caller: Caller) -> bool:
        """Whether somebody who was let in would be still: long answers go on for as long as that."""
        if not self.closed or caller.id == _OPERATOR:
            return not self.closed or bool(self.token)
        return self._by_hash(caller.id) is not None

    def cookie(self, caller: Caller) -> str:
        """What lets a browser in from now on, as long as its token does; it says nothing of the token."""
        until = int(self.clock.now().timestamp()) + HOURS * 3600
        return f"{caller.id}.{until}.{self._signed(caller.id, str(until))}"

    def _by_cookie(self, cookies: str) -> Caller | None:
        try:
            sent = SimpleCookie(cookies).get(COOKIE)
        except CookieError:
            return None
        found = _COOKIE.fullmatch(sent.value) if sent else None
        if found is None or not hmac.compare_digest(found[3], self._signed(found[1], found[2])):
            return None
        if int(found[2]) <= self.clock.now().timestamp():
            return None
        if found[1] == _OPERATOR:
            return Caller(_OPERATOR, Role.ADMIN) if self.token else None
        return self._by_hash(found[1])

    def _by_hash(self, hash: str) -> Caller | None:
        found = self.tokens.with_hash(hash)
        return Caller(hash, found.role) if found and found.holds(self.clock.now()) else None

    def _signed(self, id: str, until: str) -> str:
        # The operator's logins outlive a restart, for the token is the same. Others are signed with what nobody can
        # try to guess at home, as they could a token that somebody thought up, and as hashes that somebody may read.
        key = self.token.encode() if id == _OPERATOR else self._chance
        return hmac.new(key, f"login of {id} until {until}".encode(), hashlib.sha256).hexdigest()


def needed(method: str, path: str) -> Role:
    """What one has to be for a request: reading is for everybody, and what is not foreseen here is for admins."""
    if path == "/launch" or path.startswith("/launch/"):
        return Role.RUN
    if method in _READING or path == "/logout":
        return Role.READ
    return Role.RUN if method == "POST" else Role.ADMIN


_REMEMBERED = 10_000
"""Callers that are remembered; whoever has not asked for the longest time is forgotten, and may begin anew."""


@dataclass
class RequestRate:
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
