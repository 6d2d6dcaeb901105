"""Sending one request of a preset, and turning every way in which it can fail into one sentence."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparring.chatbots.answers import Answer, Format, Received, understand
from sparring.chatbots.filled import filled_body, filled_headers, filled_url
from sparring.chatbots.json_paths import JsonPath
from sparring.chatbots.preset import Asking
from sparring.chatbots.secrets import keys_of, secrets_of, shown_address
from sparring.chatbots.templates import Known, as_text
from sparring.core.errors import ChatbotError, ChatbotTimeout
from sparring.core.value import Json
from sparring.llm.client.transport import NoConnection, Transport, TransportError
from sparring.llm.redaction import quote

_LARGEST = 2_000_000  # bytes of one answer


@dataclass(frozen=True, slots=True)
class Wire:
    """The way to a chatbot's server. `ok` are the statuses that are answers (all of 200-299 if there are none), and
    `error` is where in an answer it admits a failure."""

    transport: Transport
    environment: Mapping[str, str] = field(repr=False)
    seconds: float
    ok: tuple[int, ...] = ()
    error: JsonPath | None = None

    async def ask(self, asking: Asking, names: Mapping[str, Json], form: Format = "json") -> Answer:
        """The answer to a request, its gaps filled with `names`; a ChatbotError where it is none."""
        known = Known(names, self.environment)
        url, headers, body = filled_url(asking, known), filled_headers(asking, known), filled_body(asking, known)
        try:
            async with asyncio.timeout(self.seconds):
                response = await self.transport.send(asking.method, url, headers=headers, body=body)
        except TimeoutError as error:
            raise ChatbotTimeout(f"no answer from {shown_address(asking.url)} within {self.seconds:g} s") from error
        except TransportError as error:
            reason = quote(str(error), *secrets_of(asking, headers, self.environment))
            # The cause may hold the whole request, keys and all.
            down = "; is it running?" if isinstance(error, NoConnection) else ""
            raise ChatbotError(f"no answer from {shown_address(asking.url)}: {reason}{down}") from None
        if len(response.body) > _LARGEST:
            raise ChatbotError(f"the answer has {len(response.body):,} bytes; no more than {_LARGEST:,} are read")
        secrets = secrets_of(asking, headers, self.environment)
        return self._answer(Received(response, secrets, keys_of(asking, headers, self.environment)), form)

    def _answer(self, received: Received, form: Format) -> Answer:
        status = received.response.status
        counts = status in self.ok if self.ok else 200 <= status < 300
        try:
            answer = Answer(understand(received.response.body, form), received)
        except ValueError as error:
            if counts:
                raise ChatbotError(f"the answer {error}: {received.shown}") from None
            answer = Answer((), received)
        admitted = answer.last(self.error)
        if not counts:
            raise ChatbotError(f"HTTP {status}: {received.quote(as_text(admitted)) if admitted else received.shown}")
        if admitted:
            raise ChatbotError(f"the chatbot reports an error: {received.quote(as_text(admitted))}")
        return answer
