"""Where the names of servers lead."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence

from aiohappyeyeballs import AddrInfoType

_KNOWN = 10.0  # seconds for which the addresses of a name are believed

Found = Sequence[AddrInfoType]
"""What `getaddrinfo` gives."""


async def looked_up(host: str, port: int) -> Found:
    loop = asyncio.get_running_loop()
    return await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)


class Names:
    """The addresses of names, looked up once for everybody who asks at the same time."""

    def __init__(self, look_up: Callable[[str, int], Awaitable[Found]] = looked_up) -> None:
        self._look_up = look_up
        self._found: dict[tuple[str, int], tuple[float, asyncio.Future[Found]]] = {}

    async def addresses(self, host: str, port: int) -> Found:
        """Where a name leads. An OSError where it leads nowhere, which is asked anew every time."""
        now = asyncio.get_running_loop().time()
        since, found = self._found.get((host, port), (0.0, None))
        if found is None or (found.done() and (now - since > _KNOWN or _failed(found))):
            self._found = {each: known for each, known in self._found.items() if now - known[0] <= _KNOWN}
            found = asyncio.ensure_future(self._look_up(host, port))
            found.add_done_callback(_failed)  # heard, also where nobody waits for it any longer
            self._found[host, port] = now, found
        return await asyncio.shield(found)


def _failed(found: "asyncio.Future[Found]") -> bool:
    return found.cancelled() or found.exception() is not None
