"""Connections that sometimes cannot be made."""

from collections.abc import Mapping
from random import Random

from sparring.llm.client.transport import Response, Transport

NOWHERE = "http://nowhere.invalid/"
"""A name that is never resolved, by RFC 6761."""


class FaultyTransport:
    """A transport for which, at a `rate`, the name of the server cannot be resolved, drawn from `seed`.

    It asks for a server that nobody has, so that what happens then is what really does.
    """

    def __init__(self, transport: Transport, *, rate: float, seed: int = 0) -> None:
        self._transport = transport
        self._rate = rate
        self._random = Random(seed)
        self.failed = 0

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        if self._random.random() < self._rate:
            self.failed += 1
            url = NOWHERE
        return await self._transport.send(method, url, headers=headers, body=body)
