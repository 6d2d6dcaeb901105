"""ASGI middleware that checks host, access, rate, origin and size of a request before the app sees it."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.store.tokens import TokenRole
from sparring.web.rendering import render
from sparring.web.schemas import Error
from sparring.web.security.access import Access, Caller, RequestRate, client_network, lane, required_role

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


@dataclass(frozen=True)
class Rejection:
    """Status and reason of a rejected request, with seconds to wait if it may be sent again."""

    status: int
    reason: str
    retry: int = 0


@dataclass(frozen=True)
class Guard:
    """Reject requests without access, above the rate limit, too large, or from pages of other sites.

    `hosts` are the allowed host names, a defense against DNS rebinding.
    """

    app: ASGIApp
    hosts: frozenset[str]
    body_bytes: int
    access: Access
    rate: RequestRate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # the app has no websocket routes
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        headers = _headers(scope)
        caller = self._caller(scope, headers)
        rejection = self._check(scope, caller, headers)
        if rejection is not None:
            await _reject(send_with_headers, scope, rejection, in_browser=_in_browser(headers))
            return
        scheme = _scheme(scope, headers)
        may_run = caller.role.may(TokenRole.RUN) if caller else None
        scope = {**scope, "caller": caller, "may_run": may_run, "scheme": scheme}
        await self.app(scope, _limit_body(receive, self.body_bytes), send_with_headers)

    def _caller(self, scope: Scope, headers: Mapping[str, str]) -> Caller | None:
        """Return the caller. Without required tokens, every address is an admin."""
        if self.access.requires_token:
            return self.access.caller(headers)
        return Caller(_address(scope), TokenRole.ADMIN)

    def _check(self, scope: Scope, caller: Caller | None, headers: Mapping[str, str]) -> Rejection | None:
        method, host = scope["method"], headers.get("host", "")
        if self.hosts and _host_name(host) not in self.hosts:
            return Rejection(400, "unknown host name")
        if rejection := self._check_access(scope, caller):
            return rejection
        if method not in _SAFE_METHODS:
            if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
                return Rejection(403, "cross-site request rejected")
            if "origin" in headers and headers["origin"].lower().partition("://")[2] != host.lower():
                return Rejection(403, "cross-site request rejected")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self.body_bytes:
            return Rejection(413, f"request too large: the limit is {self.body_bytes:,} bytes")
        return None

    def _check_access(self, scope: Scope, caller: Caller | None) -> Rejection | None:
        """Return a rejection if the caller lacks access or exceeds the rate limit.

        The login page is open to all.
        """
        method, path = scope["method"], scope["path"]
        if path.startswith("/static/"):
            return None
        known, where = (caller.id, lane(path)) if caller else (_address(scope), "strangers")
        if wait := self.rate.wait(known, where):
            return Rejection(429, f"rate limit of {self.rate.per_minute:,} requests per minute exceeded", wait)
        if path == "/login":
            return None
        if caller is None:
            return Rejection(401, "token required: send the header Authorization: Bearer TOKEN")
        role = required_role(method, path)
        if not caller.role.may(role):
            return Rejection(403, f"role {role} required; your token has the role {caller.role}")
        return None


def allowed_hosts(host: str, named: tuple[str, ...]) -> frozenset[str]:
    """Return the allowed host names of a service at this address. An empty set allows any name.

    A service that other machines can reach requires a token, which pages of other sites do not have.
    """
    if not is_loopback(host) and not named:
        return frozenset()
    return frozenset(name.lower() for name in (*LOOPBACK, _with_brackets(host), *named))


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach the address."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _limit_body(receive: Receive, most: int) -> Receive:
    received = 0

    async def read() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            raise HTTPException(413, f"request too large: the limit is {most:,} bytes")
        return message

    return read


def _headers(scope: Scope) -> dict[str, str]:
    """Return headers by lower-case name; duplicates are joined, so they match no single value."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = f"{found[key]}, {value.decode('latin-1')}" if key in found else value.decode("latin-1")
    return found


def _host_name(host: str) -> str:
    """Return the host without its port."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and (port.isdecimal() or not port) else host.lower()


def _with_brackets(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _address(scope: Scope) -> str:
    return client_network(scope["client"][0]) if scope.get("client") else ""


def _scheme(scope: Scope, headers: Mapping[str, str]) -> str:
    """Return the scheme that the client used, also behind a proxy.

    This is the only forwarded header that is trusted: forging it can only make the client's own cookie stricter.
    """
    return "https" if headers.get("x-forwarded-proto", "").strip().lower() == "https" else str(scope["scheme"])


def _in_browser(headers: Mapping[str, str]) -> bool:
    return "text/html" in headers.get("accept", "") and "hx-request" not in headers


async def _reject(send: Send, scope: Scope, rejection: Rejection, *, in_browser: bool) -> None:
    if rejection.status == 401 and scope["method"] == "GET" and in_browser:
        await _redirect_to_login(send, scope)
        return
    error = Error(error=rejection.reason)
    headers = []
    if rejection.status in (403, 429) and in_browser and not scope["path"].startswith("/api/"):
        title = "Not allowed" if rejection.status == 403 else "Too many requests"
        shared = {"navigation": (), "path": scope["path"], "login": rejection.status == 403, "may_run": False}
        body = render("error.html", **shared, title=title, error=error).encode()
        headers.append((b"content-type", b"text/html; charset=utf-8"))
    else:
        body = error.body()
        headers.append((b"content-type", b"application/json"))
    headers.append((b"content-length", str(len(body)).encode()))
    if rejection.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if rejection.retry:
        headers.append((b"retry-after", str(rejection.retry).encode()))
    await send({"type": "http.response.start", "status": rejection.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _redirect_to_login(send: Send, scope: Scope) -> None:
    """Redirect a browser to the login page, and from there back to this page."""
    query = scope["query_string"].decode("latin-1")
    where = quote(f"{scope['path']}?{query}" if query else scope["path"], safe="")
    await send(
        {"type": "http.response.start", "status": 303, "headers": [(b"location", f"/login?next={where}".encode())]}
    )
    await send({"type": "http.response.body", "body": b""})
