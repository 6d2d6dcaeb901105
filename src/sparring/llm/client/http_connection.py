"""One HTTP/1.1 connection to a server: one request at a time, then its response."""

import asyncio
import math
import re
import select
import ssl
import sys
import zlib
from typing import cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from sparring.llm.client.transport import (
    NOT_OPEN,
    ConnectionLost,
    RequestUnread,
    Response,
    TransportError,
    is_stream,
    too_large,
)

_AROUND = 2**16  # bytes of an answer that are not its body: headers, trailers
_FRAMING = 8  # bytes around each byte of a body, at worst: the smallest chunk that there can be takes six
_SHOWN = 60
HUNG_UP = "the server hung up without an answer"
_ANOTHER = "the server wants to speak something else than HTTP"
_SWITCHING = 101
_RECORDS = (b"\x15\x03", b"\x16\x03")  # how TLS begins: an alert, or a handshake
_CODINGS = frozenset(("content-encoding", "transfer-encoding"))
_OURS = frozenset(("gzip", "x-gzip", "deflate"))
_FOREIGN = frozenset(("br", "zstd", "compress", "x-compress"))  # what is none of these says nothing: "utf-8", "none"
_LAYERS = 4  # more than one is rare
_PIECE = 2**12  # bytes inflated at once: zlib copies what follows an end, of which there may be one in every 20 bytes
_KEEP_ALIVE = re.compile(r"\btimeout\s*=\s*(\d{1,6})\b")


class Connection(asyncio.Protocol):
    """An open connection that sends one request after another.

    A body has at most `max_bytes`, also after decompression. `reusable` is true if another request may follow.
    `keep_alive` is the number of seconds that the server keeps an idle connection, and `good_until` is for the pool to
    note when that time ends.
    """

    __slots__ = (
        "_answer",
        "_around",
        "_arrivals",
        "_body",
        "_complete",
        "_ended",
        "_failure",
        "_headers",
        "_in_body",
        "_max_bytes",
        "_method",
        "_parser",
        "_poll",
        "_status",
        "_transport",
        "_unread",
        "_until_closed",
        "_written",
        "good_until",
        "keep_alive",
        "reusable",
    )

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._transport: asyncio.Transport | None = None
        self._parser: HttpResponseParser | None = HttpResponseParser(self)
        # What aiohttp's and many other clients let pass, too: lines that end in a line feed alone, among others.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )
        self._answer: asyncio.Future[Response] | None = None
        self._method = ""
        self._written = 0
        self._poll: select.poll | None = None
        self.good_until = 0.0
        self.keep_alive = math.inf
        self.reusable = False
        self._begin()

    def _begin(self) -> None:
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body: bytes | bytearray = b""
        self._around = 0
        self._arrivals: list[tuple[int, float]] | None = None
        self._in_body = self._until_closed = self._complete = self._ended = self._unread = False
        self._failure: TransportError | None = None

    def ask(self, method: str, written: bytes) -> asyncio.Future[Response]:
        """Send a `written` request and return its future response.

        The caller closes a connection that is not reusable.
        """
        if self._transport is None or self._answer is not None:
            raise RequestUnread(HUNG_UP)
        self._begin()
        self._method = method
        self.reusable = False
        self._answer = asyncio.get_running_loop().create_future()
        self._written = len(written)
        self._transport.write(written)
        return self._answer

    def hang_up(self) -> None:
        """Close the connection at once. A pending response fails."""
        self._fail(TransportError(NOT_OPEN))
        if self._transport is not None:
            self._transport.abort()

    def quiet(self) -> bool:
        """Return True if there is no unread data, neither an end of stream nor unexpected bytes."""
        if self._transport is None:
            return False
        if self._poll is None and hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
        return self._poll is None or not self._poll.poll(0)

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._parser is None:
            # Unexpected data must not become the response of the next request. Close later, since uvloop still
            # uses what it has just read from.
            self.reusable = False
            asyncio.get_running_loop().call_soon(self.hang_up)
            return
        self._around += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self._fail(TransportError(_ANOTHER))
            return
        except HttpParserError as error:
            self.reusable = False
            if not self._complete and self._failure is None:
                self._failure = TransportError(_ANOTHER if self._status == _SWITCHING else _words(error, data))
        if self._failure is None and self._around > _AROUND + _FRAMING * len(self._body):
            self._failure = TransportError(f"the headers of the answer are larger than {_AROUND:,} bytes")
        if self._failure is not None:
            self._fail(self._failure)
        elif self._complete:
            self._finish()

    def eof_received(self) -> None:
        self.reusable = False
        if self._transport is not None:
            self._ended = _says_so(self._transport)
            self._unread = 0 < self._written <= unconfirmed(self._transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = self._parser = None  # the parser knows the connection, too: a circle
        self.reusable = False
        if self._answer is None:
            return
        reason = "the server hung up" if error is None else (str(error) or type(error).__name__)
        if self._until_closed and error is None:
            if self._ended:
                self._finish()
            else:
                self._fail(
                    ConnectionLost("the answer may be cut off: it has no length, and TLS did not say that it ends")
                )
        elif self._around:
            self._fail(ConnectionLost(f"the answer was cut off: {reason}"))
        else:
            kind = RequestUnread if self._unread else TransportError
            self._fail(kind(HUNG_UP if error is None else reason))

    # What the parser tells.

    def on_message_begin(self) -> None:
        if self._complete:
            raise ValueError("more than one answer")  # stops the parser: the first one counts, and it was the last

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_body:  # trailers are ignored
            key, text = name.decode("latin-1").lower(), value.decode("utf-8", "replace")
            if key in _CODINGS and key in self._headers:
                text = f"{self._headers[key]}, {text}"
            self._headers[key] = text

    def on_headers_complete(self) -> None:
        assert self._parser is not None
        self._status = self._parser.get_status_code()
        self._in_body = True
        coding = self._headers.get("transfer-encoding", "identity").strip().lower()
        if coding not in ("chunked", "identity"):
            self._failure = TransportError(f"unsupported transfer encoding {coding[:_SHOWN]!r}")
            raise self._failure  # stops the parser
        self._until_closed = coding == "identity" and "content-length" not in self._headers
        # The headers that HEAD asks for speak of a body that does not come.
        self._complete = self._method == "HEAD" and self._status >= 200
        if is_stream(self._headers):
            self._arrivals = []

    def on_body(self, data: bytes) -> None:
        if len(self._body) + len(data) > self._max_bytes:
            self._failure = too_large(self._max_bytes)
            raise self._failure  # stops the parser
        self._around -= len(data)
        if not self._body:
            self._body = data
        else:
            if isinstance(self._body, bytes):
                self._body = bytearray(self._body)
            self._body += data
        if self._arrivals is not None:
            self._arrivals.append((len(self._body), asyncio.get_running_loop().time()))

    def on_message_complete(self) -> None:
        if self._status < 200:  # "wait", or a hint: the answer is still to come
            self._headers, self._in_body, self._until_closed = {}, False, False
            return
        assert self._parser is not None
        assert self._transport is not None
        self._complete = True
        # The rest of a request that was answered before it was sent may never be read.
        self.reusable = self._parser.should_keep_alive() and not self._transport.get_write_buffer_size()
        if self.reusable and (said := _KEEP_ALIVE.search(self._headers.get("keep-alive", ""))):
            self.keep_alive = max(0.0, int(said[1]) - 1.0)  # a second for the way there

    def _finish(self) -> None:
        try:
            body = decoded(bytes(self._body), self._headers.get("content-encoding", ""), self._max_bytes)
        except TransportError as error:
            self._fail(error)
            return
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            answer.set_result(Response(self._status, self._headers, body, tuple(self._arrivals or ())))
        self._headers, self._body, self._arrivals = {}, b"", None

    def _fail(self, error: TransportError) -> None:
        self.reusable = False
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            answer.set_exception(error)


def unconfirmed(transport: asyncio.Transport) -> int:
    """Return the number of sent bytes that the server's system has not confirmed; 0 if unknown.

    A server that closes a connection confirms in the same breath what had arrived until then.
    """
    try:
        import fcntl
        import termios

        queued = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
        return int.from_bytes(queued, sys.byteorder)
    except (ImportError, OSError, ValueError):  # another system, or no socket of TCP
        return 0


def _says_so(transport: asyncio.Transport) -> bool:
    """Return True if the server itself ended the stream: in TLS, it sends close_notify."""
    tls = transport.get_extra_info("ssl_object")
    try:
        return tls is None or not tls.read(1)
    except ssl.SSLZeroReturnError:
        return True
    except ssl.SSLError:
        return False


def decoded(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Return a body without its `Content-Encoding` (RFC 9110, 8.4.1). Decompress at most `max_bytes`."""
    if not encoding:
        return body
    names = [name for each in encoding.split(",") if (name := each.strip().lower()) in _FOREIGN or name in _OURS]
    if len(names) > _LAYERS:
        raise TransportError(f"the answer is compressed {len(names)} times over")
    for name in reversed(names):
        if name in _FOREIGN:
            raise TransportError(f"unsupported response encoding {name!r}")
        body = _inflated(body, name, max_bytes)
    return body


def _inflated(body: bytes, name: str, max_bytes: int) -> bytes:
    out, inflate = bytearray(), None
    try:
        for at in range(0, len(body), _PIECE):
            rest = body[at : at + _PIECE]
            while rest:  # a gzip file may be several, one after another
                inflate = inflate or zlib.decompressobj(_bits(name, rest))
                out += inflate.decompress(rest, max_bytes - len(out) + 1)
                if len(out) > max_bytes:
                    raise too_large(max_bytes)
                rest = inflate.unused_data
                if inflate.eof:
                    inflate = None
    except zlib.error as error:
        raise TransportError(f"the answer is not compressed as it says: {error}") from None
    if inflate is not None:
        raise ConnectionLost("the answer was cut off: it was compressed, and its end is missing")
    return bytes(out)


def _bits(name: str, body: bytes) -> int:
    """Return the window bits for zlib. Servers send "deflate" with and without the zlib header."""
    if name != "deflate":
        return 16 + zlib.MAX_WBITS
    return zlib.MAX_WBITS if body[0] & 0x0F == zlib.DEFLATED else -zlib.MAX_WBITS


def _words(error: HttpParserError, data: bytes) -> str:
    if data.startswith(_RECORDS):
        return "the answer is TLS, not HTTP: the address should begin with https://"
    begins = data[:_SHOWN].decode("utf-8", "replace")
    return f"the answer is not HTTP: {f'{error}; ' if str(error) else ''}it begins {begins!r}"
