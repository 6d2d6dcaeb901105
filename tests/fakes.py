"""Chatbots, users, clocks and conversations for tests of the stages; what plug-ins need is in sparring.testing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from sparring.chatbots.chatbot import BaseChatbot
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Timing
from sparring.core.message import Message, message
from sparring.core.usage import ModelCall, Usage
from sparring.testing.factories import CREATED
from sparring.users.user import BaseUser


class FrozenClock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 2, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds


class TalkingSession:
    greeting: Message | None = None

    def __init__(self, answer: Callable[[str], str | Message]) -> None:
        self._answer = answer

    async def reply(self, said: Message) -> Message:
        answer = self._answer(said.text)
        return message("chatbot", answer) if isinstance(answer, str) else answer


class Talking(BaseChatbot):
    """A chatbot that is a function, made anew for every conversation."""

    def __init__(self, make: Callable[[], Callable[[str], str | Message]]) -> None:
        self._make = make

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
        yield TalkingSession(self._make())


class Noticing(BaseChatbot):
    """A chatbot that answers everything with "Hello", and `closed` is set when a session was."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
        try:
            yield TalkingSession(lambda text: "Hello")
        finally:
            self.closed.set()


class Waiting(BaseUser):
    """A user that never makes up its mind."""

    async def speak(self, conversation: Conversation) -> Message | None:
        await asyncio.Event().wait()
        return None


class Saying(BaseUser):
    """A user that says these things, whatever it hears."""

    def __init__(self, *texts: str | Message | Exception) -> None:
        self._texts = texts

    async def speak(self, conversation: Conversation) -> Message | None:
        if conversation.turns >= len(self._texts):
            return None
        said = self._texts[conversation.turns]
        if isinstance(said, Exception):
            raise said
        return message("user", said) if isinstance(said, str) else said


def transcript(messages: Iterable[Message]) -> list[str]:
    return [f"{'U' if said.role == 'user' else 'C'}: {said.text}" for said in messages]


def with_model_calls(conversation: Conversation) -> Conversation:
    """Return the conversation with three model calls; of the second, only its two attempts are known."""
    calls = (
        ModelCall(role="user", turn=1, input_tokens=50, output_tokens=5, cost=0.0001),
        ModelCall(role="chatbot", turn=1, attempts=2),
        ModelCall(role="chatbot", turn=2, input_tokens=450, output_tokens=30, cached_tokens=100, cost=0.0006),
    )
    timing = Timing(started=CREATED, seconds=1.5, replies=(0.5, 0.25), calls=(0.25, None, 0.5))
    usage = {
        "chatbot": Usage(calls=3, input_tokens=450, output_tokens=30, unknown_tokens=2, cost=0.0006, unknown_costs=2),
        "user": Usage(calls=1, input_tokens=50, output_tokens=5, cost=0.0001),
    }
    return conversation.model_copy(update={"calls": calls, "timing": timing, "usage": usage})
