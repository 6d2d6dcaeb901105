"""Who may talk to the service at all: looked at before anything else, and before a body is read."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.models.redaction import Hidden
from sparring.web.documented import Error
from sparring.web.login import Login

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_READING = ("GET", "HEAD", "OPTIONS")
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
class Guard:
    """Lets through what comes from this machine, or with the token; never what another site's page sends.

    `hosts` are the names the service is called by: a page that gives its own name this machine's address has another.
    """

    app: ASGIApp
    hosts: frozenset[str]
    body_bytes: int
    token: Hidden = field(default=Hidden(""), repr=False)
    login: Login | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there is nothing of another kind, and so nobody to let through
            await send({"type": "websocket.close", "code": 1008})
            return

        async def say(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        headers = _headers(scope)
        refusal = self._refusal(scope["method"], scope["path"], headers)
        if refusal is not None:
            if refusal[0] == 401 and scope["method"] == "GET" and _in_browser(headers):
                await _ask(say, scope)
                return
            await _refuse(say, *refusal)
            return
        await self.app(scope, _bounded(receive, self.body_bytes), say)

    def _refusal(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if self.hosts and _name(host) not in self.hosts:
            return 400, "the service is not called by this name"
        if self.token and not self._open(path, headers):
            return 401, "a token is needed: Authorization: Bearer TOKEN"
        if method not in _READING:
            if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
                return 403, "pages of other sites may not change anything here"
            if "origin" in headers and urlsplit(headers["origin"]).netloc.lower() != host.lower():
                return 403, "pages of other sites may not change anything here"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self.body_bytes:
            return 413, f"a request may have {self.body_bytes:,} bytes"
        return None

    def _open(self, path: str, headers: Mapping[str, str]) -> bool:
        """Whether a request has the token, or was logged in with it; what one logs in with is open to all."""
        if path == "/login" or path.startswith("/static/"):
            return True
        if "authorization" in headers:
            return _same(self.token, headers["authorization"])
        return self.login is not None and self.login.opens(headers.get("cookie", ""))


def hosts(host: str, named: tuple[str, ...]) -> frozenset[str]:
    """The names that a service at this address is called by; none says that it may be any.

    Beyond this machine only the token counts, which no page of another site has.
    """
    if not loopback(host) and not named:
        return frozenset()
    return frozenset(name.lower() for name in (*LOOPBACK, _bracketed(host), *named))


def loopback(host: str) -> bool:
    """Whether only this machine reaches this address."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _bounded(receive: Receive, most: int) -> Receive:
    received = 0

    async def read() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            raise HTTPException(413, f"a request may have {most:,} bytes")
        return message

    return read


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by name; one that is sent twice is one that nobody should trust, and is both."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = f"{found[key]}, {value.decode('latin-1')}" if key in found else value.decode("latin-1")
    return found


def _name(host: str) -> str:
    """The host without its port."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and (port.isdecimal() or not port) else host.lower()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _same(token: str, header: str) -> bool:
    scheme, _, given = header.partition(" ")
    return scheme.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), token.encode())


def _in_browser(headers: Mapping[str, str]) -> bool:
    return "text/html" in headers.get("accept", "") and "hx-request" not in headers


async def _ask(send: Send, scope: Scope) -> None:
    """Lead a browser to where it can log in, and from there to where it was."""
    query = scope["query_string"].decode("latin-1")
    where = quote(f"{scope['path']}?{query}" if query else scope["path"], safe="")
    await send(
        {"type": "http.response.start", "status": 303, "headers": [(b"location", f"/login?next={where}".encode())]}
    )
    await send({"type": "http.response.body", "body": b""})


async def _refuse(send: Send, status: int, why: str) -> None:
    body = Error(error=why).answer()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
