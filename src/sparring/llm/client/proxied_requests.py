"""Requests through a proxy, sent by aiohttp."""

from asyncio import get_running_loop
from collections.abc import Mapping

import aiohttp
from yarl import URL

from sparring.llm.client.network import Network
from sparring.llm.client.transport import (
    ConnectionLost,
    NoConnection,
    Response,
    TransportError,
    is_stream,
    too_large,
)

_PIECE = 2**16
_AUTHORIZATION = "authorization"


class ProxiedRequests:
    """Sends each request through a proxy on a connection of its own, until it is closed.

    A kept connection can close while a request is on its way, and aiohttp does not tell whether the server read it.
    """

    def __init__(self, network: Network, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=network.tls, force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
        )

    async def close(self) -> None:
        await self._client.close()

    async def send(
        self, proxy: str, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None
    ) -> Response:
        """Return the response. Raise TransportError, which never shows a password in the address of the proxy."""
        target = URL(url)
        if _AUTHORIZATION in map(str.lower, headers):
            target = target.with_user(None)
        failure: TransportError
        try:
            async with self._client.request(
                method, target, headers=headers, data=body, proxy=proxy, allow_redirects=False
            ) as response:
                answered, arrivals = bytearray(), list[tuple[int, float]]()
                async for piece in response.content.iter_chunked(_PIECE):
                    answered += piece
                    arrivals.append((len(answered), get_running_loop().time()))
                    if len(answered) > self._max_bytes:
                        raise too_large(self._max_bytes)
                joined = {name.lower(): ", ".join(response.headers.getall(name)) for name in response.headers}
                arrived = tuple(arrivals) if is_stream(joined) else ()
                return Response(response.status, joined, bytes(answered), arrived)
        except TransportError:
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = failure_of(error, proxy)
        # Raised out here because the foreign exception holds the request's headers, keys and all.
        raise failure


def failure_of(error: Exception, proxy: str) -> TransportError:
    """Return the error to raise for a failed request through a proxy."""
    address = URL(proxy)
    where = f"{address.host}:{address.port}"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return NoConnection(f"the proxy {where} refuses the connection: HTTP {error.status}")
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return NoConnection(f"cannot connect to the proxy {where}: {error.strerror or type(error.os_error).__name__}")
    if isinstance(error, aiohttp.ClientConnectorError):
        reason = getattr(error, "strerror", None) or getattr(error, "certificate_error", None) or type(error).__name__
        return NoConnection(f"no connection through the proxy {where}: {reason}")
    return ConnectionLost(f"the connection through the proxy {where} was lost: {type(error).__name__}")
