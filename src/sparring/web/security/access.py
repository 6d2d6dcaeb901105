"""Authentication, roles, rate limits and login, by a bearer token or a cookie."""

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
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from sparring.core.clock import Clock
from sparring.llm.redaction import Hidden
from sparring.store.tokens import TokenRole, Tokens
from sparring.web.rendering import page

COOKIE = "sparring_login"
HOURS = 12
_OPERATOR = "operator"
_COOKIE = re.compile(rf"({_OPERATOR}|[0-9a-f]{{64}})\.([0-9]{{1,11}})\.([0-9a-f]{{64}})")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Caller:
    """An authenticated client, or an address if no token is required."""

    id: str
    role: TokenRole


@dataclass(frozen=True)
class Access:
    """Authentication by the operator's `token` or by stored `tokens`, each with its role.

    Without any token all callers are admins, as only this machine can reach the server.
    """

    token: Hidden = field(repr=False)
    tokens: Tokens
    clock: Clock
    _signing_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def requires_token(self) -> bool:
        """True if a token is required."""
        return bool(self.token) or self.tokens.used

    def caller(self, headers: Mapping[str, str]) -> Caller | None:
        """Return the caller who sent these headers, or None if they have no valid token or cookie."""
        if "authorization" in headers:
            scheme, _, given = headers["authorization"].partition(" ")
            return self.by_token(given.strip()) if scheme.lower() == "bearer" else None
        return self._by_cookie(headers.get("cookie", ""))

    def by_token(self, given: str) -> Caller | None:
        """Return the caller with this token, or None if it is not valid."""
        if self.token and secrets.compare_digest(given.encode(errors="replace"), self.token.encode()):
            return Caller(_OPERATOR, TokenRole.ADMIN)
        return self._by_hash(found.hash) if given and (found := self.tokens.find(given)) else None

    def is_valid(self, caller: Caller) -> bool:
        """Return True if the caller's token is still valid. Long responses end when it is not."""
        if not self.requires_token or caller.id == _OPERATOR:
            return not self.requires_token or bool(self.token)
        return self._by_hash(caller.id) is not None

    def cookie(self, caller: Caller) -> str:
        """Return a login cookie that is valid as long as the caller's token; it does not reveal the token."""
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
            return Caller(_OPERATOR, TokenRole.ADMIN) if self.token else None
        return self._by_hash(found[1])

    def _by_hash(self, hash: str) -> Caller | None:
        found = self.tokens.with_hash(hash)
        return Caller(hash, found.role) if found and found.holds(self.clock.now()) else None

    def _signed(self, id: str, until: str) -> str:
        # Operator logins survive a restart, as their key is the token. All others use a random key: a weak token
        # could be found offline from a signed cookie, and token hashes can be read from the database.
        key = self.token.encode() if id == _OPERATOR else self._signing_key
        return hmac.new(key, f"login of {id} until {until}".encode(), hashlib.sha256).hexdigest()


def required_role(method: str, path: str) -> TokenRole:
    """Return the role that a request requires. Every role may read; unknown methods require an admin."""
    if path == "/launch" or path.startswith("/launch/"):
        return TokenRole.RUN
    if method in _SAFE_METHODS or path == "/logout":
        return TokenRole.READ
    return TokenRole.RUN if method == "POST" else TokenRole.ADMIN


_MAX_CALLERS = 10_000
"""Most callers to track. The least recent one is dropped and starts again with a full allowance."""


@dataclass
class RequestRate:
    """Rate limit of `per_minute` requests for each caller and lane, as a token bucket.

    API calls, pages and event streams are separate lanes: a busy API client does not block pages or streams.
    """

    per_minute: int
    clock: Clock
    _left: OrderedDict[tuple[str, str], tuple[float, float]] = field(default_factory=OrderedDict)
    """Requests left, and the time of that count, by caller and lane."""

    def wait(self, caller: str, lane: str) -> int:
        """Count a request. Return 0 if it is allowed, else the seconds until the next one is."""
        now = self.clock.monotonic()
        left, counted = self._left.pop((caller, lane), (float(self.per_minute), now))
        left = min(self.per_minute, left + (now - counted) * self.per_minute / 60)
        allowed = left >= 1
        self._left[caller, lane] = (left - allowed, now)
        if len(self._left) > _MAX_CALLERS:
            self._left.popitem(last=False)
        return 0 if allowed else max(1, ceil((1 - left) * 60 / self.per_minute))


def lane(path: str) -> str:
    """Return the rate-limit lane of a path."""
    if path.endswith(("/events", "/live")):
        return "events"
    return "api" if path.startswith("/api/") else "pages"


def client_network(host: str) -> str:
    """Return the network of a client: its IPv4 address, or the /64 network of its IPv6 address."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return host
    return str(address.ipv4_mapped or ip_network(f"{host}/64", strict=False))


_INSIDE = re.compile(r"/(?![/\\])[^\x00-\x1f]*")

router = APIRouter(include_in_schema=False)
NextPath = Annotated[str, Query(max_length=2000)]


@router.get("/login")
async def login_form(request: Request, next: NextPath = "/batches") -> Response:
    """Show the login form."""
    if not _access(request).requires_token:
        return RedirectResponse("/batches", 303)
    return page(request, "login.html", next=_local_path(next), wrong=False)


@router.post("/login")
async def log_in(
    request: Request, token: Annotated[str, Form(max_length=500)], next: Annotated[str, Form(max_length=2000)] = "/"
) -> Response:
    """Check the token and set the login cookie."""
    access = _access(request)
    if not access.requires_token:
        return RedirectResponse("/batches", 303)
    caller = access.by_token(token.strip())
    if caller is None:
        return page(request, "login.html", status=401, next=_local_path(next), wrong=True)
    answer = RedirectResponse(_local_path(next), 303)
    answer.set_cookie(
        COOKIE,
        access.cookie(caller),
        max_age=HOURS * 3600,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


@router.post("/logout")
async def log_out() -> Response:
    """Delete the login cookie."""
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _local_path(where: str) -> str:
    """Return `where` if it is a path on this server, else the list of batches; prevents open redirects."""
    return where if _INSIDE.fullmatch(where) else "/batches"
