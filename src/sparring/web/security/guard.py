"""Who may talk to the service at all: looked at before anything else, and before a body is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.store.tokens import Role
from sparring.web.rendering import render
from sparring.web.schemas import Error
from sparring.web.security.access import Access, Caller, RequestRate, lane, needed, neighbourhood

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
class Refused:
    """Why a request is not let through, and the seconds after which it may be."""

    status: int
    why: str
    retry: int = 0


@dataclass(frozen=True)
class Guard:
    """Lets through what comes from this machine, or with a token that is good for it, and not too often; never what
    another site's page sends.

    `hosts` are the names the service is called by: a page that gives its own name this machine's address has another.
    """

    app: ASGIApp
    hosts: frozenset[str]
    body_bytes: int
    access: Access
    pace: RequestRate

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
        caller = self._caller(scope, headers)
        refused = self._refusal(scope, caller, headers)
        if refused is not None:
            await _refuse(say, scope, refused, in_browser=_in_browser(headers))
            return
        scheme = _scheme(scope, headers)
        may_run = caller.role.may(Role.RUN) if caller else None
        scope = {**scope, "caller": caller, "may_run": may_run, "scheme": scheme}
        await self.app(scope, _bounded(receive, self.body_bytes), say)

    def _caller(self, scope: Scope, headers: Mapping[str, str]) -> Caller | None:
        """Who asks: where no token is needed, whoever sits at this address, who may do everything."""
        if self.access.closed:
            return self.access.caller(headers)
        return Caller(_address(scope), Role.ADMIN)

    def _refusal(self, scope: Scope, caller: Caller | None, headers: Mapping[str, str]) -> Refused | None:
        method, host = scope["method"], headers.get("host", "")
        if self.hosts and _name(host) not in self.hosts:
            return Refused(400, "the service is not called by this name")
        if refused := self._unwelcome(scope, caller):
            return refused
        if method not in _READING:
            if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
                return Refused(403, "pages of other sites may not change anything here")
            if "origin" in headers and headers["origin"].lower().partition("://")[2] != host.lower():
                return Refused(403, "pages of other sites may not change anything here")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self.body_bytes:
            return Refused(413, f"a request may have {self.body_bytes:,} bytes")
        return None

    def _unwelcome(self, scope: Scope, caller: Caller | None) -> Refused | None:
        """Why whoever asks may not ask this, or not now. What one logs in with is open to all."""
        method, path = scope["method"], scope["path"]
        if path.startswith("/static/"):
            return None
        known, where = (caller.id, lane(path)) if caller else (_address(scope), "strangers")
        if wait := self.pace.wait(known, where):
            return Refused(429, f"no more than {self.pace.a_minute:,} requests a minute are answered", wait)
        if path == "/login":
            return None
        if caller is None:
            return Refused(401, "a token is needed: Authorization: Bearer TOKEN")
        role = needed(method, path)
        if not caller.role.may(role):
            return Refused(403, f"this needs a token with the role {role}, and yours has the role {caller.role}")
        return None


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


def _address(scope: Scope) -> str:
    return neighbourhood(scope["client"][0]) if scope.get("client") else ""


def _scheme(scope: Scope, headers: Mapping[str, str]) -> str:
    """How the caller speaks to whatever stands before the server; of what they say of themselves, only this is
    believed, for it makes nothing but their own cookie stricter."""
    return "https" if headers.get("x-forwarded-proto", "").strip().lower() == "https" else str(scope["scheme"])


def _in_browser(headers: Mapping[str, str]) -> bool:
    return "text/html" in headers.get("accept", "") and "hx-request" not in headers


async def _refuse(send: Send, scope: Scope, refused: Refused, *, in_browser: bool) -> None:
    if refused.status == 401 and scope["method"] == "GET" and in_browser:
        await _ask(send, scope)
        return
    error = Error(error=refused.why)
    headers = []
    if refused.status in (403, 429) and in_browser and not scope["path"].startswith("/api/"):
        title = "this may not be done here" if refused.status == 403 else "this was asked too often"
        shared = {"navigation": (), "path": scope["path"], "login": refused.status == 403, "may_run": False}
        body = render("error.html", **shared, title=title, error=error).encode()
        headers.append((b"content-type", b"text/html; charset=utf-8"))
    else:
        body = error.answer()
        headers.append((b"content-type", b"application/json"))
    headers.append((b"content-length", str(len(body)).encode()))
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if refused.retry:
        headers.append((b"retry-after", str(refused.retry).encode()))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _ask(send: Send, scope: Scope) -> None:
    """Lead a browser to where it can log in, and from there to where it was."""
    query = scope["query_string"].decode("latin-1")
    where = quote(f"{scope['path']}?{query}" if query else scope["path"], safe="")
    await send(
        {"type": "http.response.start", "status": 303, "headers": [(b"location", f"/login?next={where}".encode())]}
    )
    await send({"type": "http.response.body", "body": b""})
