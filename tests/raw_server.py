"""A server that answers with the very bytes it is given, whatever they are."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

CLOSE = b""
"""In place of bytes: the server closes the connection."""
BREAK = b"break"
"""In place of bytes: the connection ends without a closing message of TLS."""
_LENGTH = re.compile(rb"content-length: (\d+)")

Script = Sequence[bytes]
"""What is sent after one request, piece by piece."""


@dataclass
class RawServer:
    """`requests` are the bytes of what was asked, `connections` how many were made, `hung_up` is set when one ended."""

    scripts: list[Script]
    url: str = ""
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    _coming: asyncio.Condition = field(default_factory=asyncio.Condition)
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    async def asked(self, times: int) -> None:
        """Wait until so many requests have come."""
        async with self._coming:
            await self._coming.wait_for(lambda: len(self.requests) >= times)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        try:
            while head := await _head(reader):
                length = _LENGTH.search(head.lower())
                self.requests.append(head + await reader.readexactly(int(length[1]) if length else 0))
                async with self._coming:
                    self._coming.notify_all()
                for piece in self.scripts.pop(0) if self.scripts else (CLOSE,):
                    if piece == CLOSE:
                        return
                    if piece == BREAK:
                        writer.transport.abort()
                        return
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.hung_up.set()
            self._open.remove(writer)
            writer.close()

    def hang_up(self) -> None:
        """Close every connection there is."""
        for writer in self._open:
            writer.close()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""


@asynccontextmanager
async def saying(*scripts: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[RawServer]:
    """Answer one request after the other with these; then hang up."""
    answering = RawServer(list(scripts))
    async with await asyncio.start_server(answering.talk, "127.0.0.1", 0, ssl=tls) as server:
        answering.url = f"http{'s' if tls else ''}://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        try:
            yield answering
        finally:
            answering.hang_up()  # from Python 3.12 on, a server is closed when all of its connections are
