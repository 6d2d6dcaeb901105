"""What a conversation over a line that stays open needs, be the line a program's or a socket's."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sparring.chatbots.answers import Answer, Format, Received, parsed
from sparring.chatbots.preset import Conduct
from sparring.chatbots.templates import Known, as_text
from sparring.chatbots.thread import Thread
from sparring.core.errors import ChatbotError, ChatbotTimeout
from sparring.core.message import Message
from sparring.models.transport import Response


@dataclass(frozen=True)
class Talk:
    """How the chatbot behaves, what is known of the conversation, and what of it must not be shown."""

    conduct: Conduct
    thread: Thread
    environment: Mapping[str, str] = field(repr=False)
    seconds: float
    secrets: list[str] = field(repr=False)
    keys: list[str] = field(repr=False)

    def known(self, message: Message | None = None) -> Known:
        """What gaps are filled with when the user says `message`."""
        return Known(self.thread.names(message), self.environment)

    @asynccontextmanager
    async def in_time(self, complaint: str) -> AsyncIterator[None]:
        """What is done within the time for one reply; a ChatbotTimeout if it is not."""
        try:
            async with asyncio.timeout(self.seconds):
                yield
        except TimeoutError as error:
            raise ChatbotTimeout(f"{complaint} within {self.seconds:g} s") from error

    def understood(self, said: list[str], form: Format) -> Answer:
        """What these lines or frames say, each by itself; a ChatbotError if they make no sense or admit a failure."""
        body = "\n".join(said).encode("utf-8", "replace")
        received = Received(Response(200, {}, body), self.secrets, self.keys)
        try:
            answer = Answer(tuple(said) if form == "text" else tuple(map(parsed, said)), received)
        except ValueError as error:
            raise ChatbotError(f"what it said {error}: {received.shown}") from None
        if admitted := answer.last(self.conduct.error):
            raise ChatbotError(f"the chatbot reports an error: {received.quote(as_text(admitted))}")
        return answer
