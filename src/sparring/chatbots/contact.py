"""Contact with a chatbot's server: waits for its rate limit, and for a server that restarts."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from sparring.core.clock import Clock, in_seconds
from sparring.core.errors import ChatbotError, ChatbotTimeout, ChatbotUnreachable
from sparring.llm.call_context import current_call
from sparring.llm.client.rate_headers import retry_after, server_time
from sparring.llm.client.transport import NoConnection, Response, TransportError
from sparring.llm.deadlines import MAX_RETRY_AFTER

T = TypeVar("T")

_RESTART = (0.25, 0.5, 1.0, 2.0)
"""Seconds between attempts to connect to a server that answered before: it may be restarting."""

_BUSY = 429
_PACE, _SLOWEST = 1.0, 32.0  # seconds to wait for a rate limit whose response does not say how long it lasts
_FORBIDDEN = frozenset((401, 403))
_REJECTED = _FORBIDDEN | {404}


class ServerContact:
    """Sends requests to the server of a chatbot.

    A request that the server may have read is never sent twice.
    """

    def __init__(self, clock: Clock, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._answered = False

    async def send(self, send: Callable[[], Awaitable[Response | T]]) -> Response | T:
        """Return the response to a request, or what it opened, after waiting for the rate limit.

        Raise the errors of `send`, which raises NoConnection if no server answers.
        """
        attempt = 0
        while True:
            try:
                response = await send()
            except NoConnection as error:
                response = await self._reconnected(send, error)
            status = response.status if isinstance(response, Response) else None
            self._answered = self._answered or status not in _REJECTED
            if not isinstance(response, Response) or status != _BUSY:
                return response
            await self._wait(response.headers, attempt)
            attempt += 1

    async def _wait(self, headers: Mapping[str, str], attempt: int) -> None:
        """Wait as long as a response with status 429 asks; without a word, longer with every attempt.

        Raise ChatbotTimeout if that is more than the conversation has left to wait.
        """
        asked = retry_after(headers, server_time(headers, self._clock.now()))
        seconds = asked or min(_PACE * 2**attempt, _SLOWEST)
        call = current_call()
        left = MAX_RETRY_AFTER if call.clock is None else call.clock.wait_left
        if seconds > left:
            longer = f"longer than the {in_seconds(left)} that the conversation may wait"
            raise ChatbotTimeout(f"HTTP {_BUSY}: the chatbot asks to wait {in_seconds(seconds)}, {longer}")
        if call.clock is not None:
            call.clock.wait_left -= seconds
        with call.waiting():
            await self._sleep(seconds)

    async def _reconnected(self, send: Callable[[], Awaitable[T]], error: NoConnection) -> T:
        """Return a response of a server that answered before and may be restarting. Raise the last error."""
        for pause in _RESTART if self._answered else ():
            await self._sleep(pause)
            try:
                return await send()
            except NoConnection as still:
                error = still
        raise error


def refused(status: int, message: str) -> ChatbotError:
    """Return the error for a response without success."""
    if status not in _REJECTED:
        return ChatbotError(message)
    rejected = status in _FORBIDDEN
    hint = "is the key right?" if rejected else "is the address right?"
    return ChatbotUnreachable(message, hint=hint, infrastructure=rejected)


def unanswered(error: TransportError, message: str) -> ChatbotError:
    """Return the error for a request without a response."""
    if not isinstance(error, NoConnection):
        return ChatbotError(message)
    untrusted = "CERTIFICATE_VERIFY_FAILED" in message
    hint = "SSL_CERT_FILE names the certificates to trust" if untrusted else "is it running?"
    return ChatbotUnreachable(f"{message}; {hint}")
