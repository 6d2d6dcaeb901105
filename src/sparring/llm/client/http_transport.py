"""HTTP/1.1 transport with a pool of connections and cached name resolution.

Keeps no other state between requests.
"""

import asyncio
import os
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from aiohappyeyeballs import AddrInfoType, start_connection
from yarl import URL

from sparring.core.version import __version__
from sparring.llm.client.http_connection import HUNG_UP, Connection
from sparring.llm.client.network import Network
from sparring.llm.client.transport import NOT_OPEN, NoConnection, RequestUnread, Response, TransportError

if TYPE_CHECKING:
    from sparring.llm.client.proxied_requests import ProxiedRequests

_KNOWN = 10.0  # seconds for which the addresses of a name are believed

Found = Sequence[AddrInfoType]
"""Address information as returned by `getaddrinfo`."""


async def looked_up(host: str, port: int) -> Found:
    loop = asyncio.get_running_loop()
    return await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)


class Names:
    """Addresses of host names, resolved once for all simultaneous requests."""

    def __init__(self, look_up: Callable[[str, int], Awaitable[Found]] = looked_up) -> None:
        self._look_up = look_up
        self._found: dict[tuple[str, int], tuple[float, asyncio.Future[Found]]] = {}

    async def addresses(self, host: str, port: int) -> Found:
        """Return the addresses of a host. Raise OSError if there are none; failures are not cached."""
        now = asyncio.get_running_loop().time()
        since, found = self._found.get((host, port), (0.0, None))
        if found is None or (found.done() and (now - since > _KNOWN or _failed(found))):
            self._found = {each: known for each, known in self._found.items() if now - known[0] <= _KNOWN}
            found = asyncio.ensure_future(self._look_up(host, port))
            found.add_done_callback(_failed)  # also retrieved if no request waits any longer
            self._found[host, port] = now, found
        return await asyncio.shield(found)


def _failed(found: "asyncio.Future[Found]") -> bool:
    return found.cancelled() or found.exception() is not None


_IDLE = 15.0  # seconds that an idle connection is kept: servers close theirs after some time, too
_SWEEP = 5.0  # seconds after which it is looked again for connections that were kept for long enough
_FAILING = 500  # after such a status, many servers close the connection, even if their headers say otherwise
_SMALL = 2**16  # bytes of a request that is kept until it is answered, to send it again
_REMEMBERED = 64  # beginnings of requests
_HANDSHAKE = 20.0  # seconds for that of TLS: 2,000 at once took 12 on two cores, and a port without TLS may say nothing
_RACE = 0.25  # seconds before another address is tried beside one that does not answer (RFC 8305)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
_CONTROLS = re.compile(r"[\0-\x08\n-\x1f\x7f]")  # all but tabs: servers disagree on where a line ends
_PERHAPS_TLS = "if it speaks TLS, the address should begin with https://"
_PERHAPS_PLAIN = "if it speaks no TLS, the address should begin with http://"
_NO_TLS = frozenset(("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "UNEXPECTED_MESSAGE"))
"""What OpenSSL says of an answer that is none of TLS."""
_WITH_A_BODY = frozenset(("POST", "PUT", "PATCH"))
_DEFAULTS = {
    "accept": "*/*",
    "accept-encoding": "gzip, deflate",
    "user-agent": f"sparring/{__version__}",
}


class Place(NamedTuple):
    """Destination of a connection."""

    scheme: str
    host: str
    port: int


class HttpTransport:
    """A pooled `Transport`, open inside `async with`.

    It keeps no cookies, follows no redirects (which could carry a key elsewhere), sends nothing twice that a server may
    have read, and rejects responses of more than `max_bytes` after decompression. The `environment` names proxies and
    certificates, as `Network` describes; `ca` is a file with trusted certificates that replaces those it names. The
    number of connections is that of simultaneous requests, which the caller limits. A TLS handshake must end within
    `handshake_seconds`.

    Responses are parsed by llhttp (httptools), addresses are raced by aiohappyeyeballs, and TLS is that of Python or
    uvloop. Requests through a proxy are sent by aiohttp.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        *,
        max_bytes: int = 32 * 2**20,
        ca: Path | None = None,
        handshake_seconds: float = _HANDSHAKE,
    ) -> None:
        self._max_bytes = max_bytes
        self._handshake = handshake_seconds
        self._network = Network(environment, ca=ca)
        self._proxied: ProxiedRequests | None = None
        self._names = Names()
        self._before: dict[tuple[object, ...], tuple[Place, bytes]] = {}
        self._idle: dict[Place, list[Connection]] = {}
        self._connections: set[Connection] = set()
        self._answering: set[Place] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self._open = False

    async def __aenter__(self) -> Self:
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open = False
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        self._idle.clear()
        for connection in self._connections:
            connection.hang_up()
        self._connections.clear()
        if self._proxied is not None:
            await self._proxied.close()
            self._proxied = None
        await asyncio.sleep(0)  # closed in the next turn of the event loop, which may be its last

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        if not self._open:
            raise NoConnection(NOT_OPEN)
        if (proxy := self._network.proxy(url)) is not None:
            return await self._through_proxy().send(proxy, method, url, headers=headers, body=body)
        place, named = self._begun(method, url, headers)
        sized = body is not None or method in _WITH_A_BODY
        head = b"%scontent-length: %d\r\n\r\n" % (named, len(body or b"")) if sized else b"%s\r\n" % named
        unsent = [head + body if body else head]  # thousands may wait here, so that no frame keeps what is sent
        del head, body
        if (kept := self._kept(place)) is not None:
            again = unsent[0] if len(unsent[0]) <= _SMALL else b""
            try:
                return await self._exchange(kept, place, method, unsent.pop())
            except RequestUnread:
                if not again:
                    raise
                unsent.append(again)
        return await self._exchange(self._new(), place, method, unsent.pop())

    def _through_proxy(self) -> "ProxiedRequests":
        if self._proxied is None:
            from sparring.llm.client.proxied_requests import ProxiedRequests  # imports aiohttp

            self._proxied = ProxiedRequests(self._network, self._max_bytes)
        return self._proxied

    async def _exchange(self, connection: Connection, place: Place, method: str, written: bytes) -> Response:
        """Return the response to a request, on a connection that is opened if it is new."""
        new = not connection.reusable
        try:
            if new:
                await self._connect(connection, place)
            answer = connection.ask(method, written)
            del written
            answered = await answer
            if new:
                self._answering.add(place)
            if answered.status >= _FAILING:
                connection.reusable = False
            return answered
        except TransportError as error:
            if str(error) == HUNG_UP and place.scheme == "http" and place not in self._answering:
                error.args = (f"{HUNG_UP}: {_PERHAPS_TLS}",)
            raise
        finally:
            if connection.reusable and self._open:
                self._keep(place, connection)
            else:
                self._let_go(connection)

    def _begun(self, method: str, url: str, headers: Mapping[str, str]) -> tuple[Place, bytes]:
        """Return the destination of a request and its unchanging first bytes, cached by address and headers."""
        asked = (method, url, *headers.items())
        begun = self._before.get(asked)
        if begun is None:
            if len(self._before) >= _REMEMBERED:
                self._before.clear()
            begun = self._before[asked] = _beginning(method, url, headers)
        return begun

    def _kept(self, place: Place) -> Connection | None:
        """Return the most recently used connection that is still good, or None."""
        kept = self._idle.get(place)
        while kept:
            connection = kept.pop()
            left = connection.good_until - asyncio.get_running_loop().time()
            if connection.reusable and left > 0 and connection.quiet():
                return connection
            self._let_go(connection)
        return None

    def _keep(self, place: Place, connection: Connection) -> None:
        kept = self._idle.setdefault(place, [])
        loop = asyncio.get_running_loop()
        connection.good_until = loop.time() + min(_IDLE, connection.keep_alive)
        kept.append(connection)
        if self._sweep is None:
            self._sweep = loop.call_later(_SWEEP, self._swept)

    def _swept(self) -> None:
        """Close connections that were idle for too long, to all destinations."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for place, kept in list(self._idle.items()):
            for connection in kept:
                if connection.good_until <= now or not connection.reusable:
                    self._let_go(connection)
            kept[:] = [each for each in kept if each in self._connections]
            if not kept:
                del self._idle[place]
        self._sweep = loop.call_later(_SWEEP, self._swept) if self._idle else None

    def _new(self) -> Connection:
        connection = Connection(self._max_bytes)
        self._connections.add(connection)
        return connection

    def _let_go(self, connection: Connection) -> None:
        connection.hang_up()
        self._connections.discard(connection)

    async def _connect(self, connection: Connection, place: Place) -> None:
        """Open a connection. A caller that is cancelled or fails closes it."""
        loop = asyncio.get_running_loop()
        try:
            addresses = await self._names.addresses(place.host, place.port)
            connect = partial(loop.create_connection, lambda: connection)
            if place.scheme == "https":
                name, limit = place.host.rstrip("."), self._handshake
                connect = partial(connect, ssl=self._network.tls, server_hostname=name, ssl_handshake_timeout=limit)
            if len(addresses) == 1 and addresses[0][0] == socket.AF_INET:
                host, port = addresses[0][4][:2]  # with nothing to race against, the event loop is twice as fast
                await connect(host=host, port=port)
            else:
                await connect(sock=await start_connection(addresses, happy_eyeballs_delay=_RACE, loop=loop))
        except (OSError, RuntimeError, ValueError) as error:  # uvloop's are RuntimeErrors at times
            failure: TransportError = NoConnection(f"cannot connect to {place.host}:{place.port}: {_reason(error)}")
        else:
            if self._open:
                return
            failure = NoConnection(NOT_OPEN)
        # Raised out here so that it drags no foreign exception along.
        raise failure


def _beginning(method: str, url: str, headers: Mapping[str, str]) -> tuple[Place, bytes]:
    """Return the destination of a request and its first bytes.

    Raise TransportError if they are invalid in HTTP.
    """
    try:
        target = _target(url)
        return target.place, _head(method, target, headers).encode()
    except ValueError as error:
        reason = str(error)
    # Raised out here so that it drags no foreign exception along.
    raise NoConnection(reason)


class _Target(NamedTuple):
    place: Place
    path: str
    authority: str
    user: str | None


def _target(url: str) -> _Target:
    where = URL(url)
    if where.scheme not in ("http", "https") or not where.raw_host or where.port is None:
        raise ValueError("the address must begin with http:// or https://")
    user = None
    if where.raw_user is not None or where.raw_password is not None:
        named = f"{where.user or ''}:{where.password or ''}".encode()
        user = f"Basic {b64encode(named).decode()}"
    place = Place(where.scheme, where.raw_host, where.port)
    return _Target(place, where.raw_path_qs or "/", where.host_port_subcomponent or place.host, user)


def _head(method: str, target: _Target, headers: Mapping[str, str]) -> str:
    """Return the request line and the headers without `content-length`, which only the transport sets."""
    lines = {
        "host": target.authority,
        **_DEFAULTS,
        **{name.lower(): value for name, value in headers.items()},
    }
    lines.pop("transfer-encoding", None)
    lines.pop("content-length", None)
    if target.user is not None:
        lines.setdefault("authorization", target.user)
    if not all(map(_TOKEN.fullmatch, (method, *lines))):
        raise ValueError("a header's name, or the method, holds what it must not")
    if _CONTROLS.search("".join(lines.values())):
        raise ValueError("a header's value holds a line break, or another control character")
    named = "".join([f"{name}: {value}\r\n" for name, value in lines.items()])
    return f"{method} {target.path} HTTP/1.1\r\n{named}"


def _reason(error: Exception) -> str:
    """Return the reason of a failure in the words of the system. Messages of libraries repeat the address."""
    if isinstance(error, ssl.SSLError) and error.reason in _NO_TLS:
        return "the answer is not TLS: the address should begin with http://"
    if isinstance(error, ConnectionResetError | ConnectionAbortedError):  # a server answered but did not understand
        return f"{'the server hung up' if error.errno or not str(error) else error}: {_PERHAPS_PLAIN}"
    if isinstance(error, socket.gaierror | ssl.SSLError) or not isinstance(error, OSError) or error.errno is None:
        return str(getattr(error, "strerror", "") or error) or type(error).__name__
    return os.strerror(error.errno)
