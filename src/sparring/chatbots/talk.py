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
from sparring.llm.client.transport import Response
from sparring.llm.plugin_context import Overhear, nobody_listens


@dataclass(frozen=True)
class Talk:
    """Where the line leads, how the chatbot behaves, what is known of the conversation, and what must not be shown."""

    where: str
    conduct: Conduct
    thread: Thread
    environment: Mapping[str, str] = field(repr=False)
    seconds: float
    secrets: list[str] = field(repr=False)
    keys: list[str] = field(repr=False)
    overhear: Overhear = nobody_listens

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

    def understood(self, said: str, form: Format) -> Answer:
        """What a line or a frame says; a ChatbotError if it makes no sense or admits a failure."""
        self.overhear(self.where, said, self.secrets)
        received = Received(Response(200, {}, said.encode("utf-8", "replace")), self.secrets, self.keys)
        try:
            answer = Answer((said if form == "text" else parsed(said),), received)
        except ValueError as error:
            raise ChatbotError(f"what it said {error}: {received.shown}") from None
        if admitted := answer.last(self.conduct.error):
            raise ChatbotError(f"the chatbot reports an error: {received.quote(as_text(admitted))}")
        return answer

    def together(self, answers: list[Answer]) -> Answer:
        """What several lines or frames say, as one answer."""
        body = b"\n".join(answer.received.response.body for answer in answers)
        received = Received(Response(200, {}, body), self.secrets, self.keys)
        return Answer(tuple(says for answer in answers for says in answer.says), received)
