"""Connections through aiohttp: one pool for everything, and nothing remembered from one request to the next."""

import io
import re
import ssl
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import aiohttp

from sparring.core.errors import InputError
from sparring.models.transport import CutOff, NoConnection, Response, TransportError

_WITHOUT_TLS = re.compile(r" ssl:default \[(.*)\]$")
_LARGE = 2**20  # aiohttp warns of larger bytes, and takes a file instead
_CONNECTIONS = 4096


class AiohttpTransport:
    """A pooled `Transport`, open inside `async with`.

    It keeps no cookies, follows no redirects (which could carry a key elsewhere), asks no proxy that the environment
    names, and refuses answers of more than `max_bytes`, counted after decompression. `ca` is a file with the
    certificates to trust, instead of the system's.
    """

    def __init__(self, *, max_bytes: int = 32 * 2**20, ca: Path | None = None) -> None:
        self._max_bytes = max_bytes
        self._trusted = None if ca is None else _trusted(ca)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=_CONNECTIONS, ssl=self._trusted or True),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(),  # none of its own: callers hold the deadline
            trust_env=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        try:
            return await self._send(method, url, headers, body)
        except aiohttp.ClientConnectorError as error:
            failure: TransportError = NoConnection(reason_of(error))
        except aiohttp.ClientPayloadError as error:
            failure = CutOff(f"the answer was cut off: {reason_of(error)}")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = TransportError(reason_of(error))
        # Raised out here so that it drags no foreign exception along: theirs hold the request's headers, key included.
        raise failure

    async def _send(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Response:
        if self._session is None:
            raise TransportError("the connections are not open")
        data = io.BytesIO(body) if body is not None and len(body) > _LARGE else body
        async with self._session.request(method, url, data=data, headers=headers, allow_redirects=False) as response:
            return Response(
                status=response.status,
                headers={name.lower(): value for name, value in response.headers.items()},
                body=await self._read(response),
            )

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        chunks, size = [], 0
        async for chunk in response.content.iter_any():
            size += len(chunk)
            if size > self._max_bytes:
                raise TransportError(f"the answer is larger than {self._max_bytes:,} bytes")
            chunks.append(chunk)
        return b"".join(chunks)


def _trusted(ca: Path) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=str(ca))
    except (OSError, ssl.SSLError) as error:
        raise InputError(f"{ca}: holds no certificates that can be read") from error


def reason_of(error: Exception) -> str:
    """What went wrong, in words; some of these exceptions have none, and some speak of TLS where there is none."""
    return _WITHOUT_TLS.sub(r": \1", str(error)) or type(error).__name__
