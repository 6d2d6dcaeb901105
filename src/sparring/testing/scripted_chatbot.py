"""A chatbot that says what a test wrote down for it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, message

Reply = str | Message | BaseException | Callable[[Message], "str | Message"]


@dataclass
class ScriptedSession:
    """One conversation with a scripted chatbot: what it was `told`, and whether it is `closed`."""

    case: Case
    replies: tuple[Reply, ...]
    greeting: Message | None
    reports_tools: bool
    told: list[Message] = field(default_factory=list)
    closed: bool = False

    async def reply(self, message: Message) -> Message:
        self.told.append(message)
        if len(self.told) > len(self.replies):
            raise ChatbotError("the script of the chatbot is over")
        reply = self.replies[len(self.told) - 1]
        if isinstance(reply, BaseException):
            raise reply
        return _message(reply(message) if callable(reply) else reply)


class ScriptedChatbot:
    """Says one thing after the other, anew in every conversation. A reply is a text, a message, an exception to raise,
    or a function of what it was told. `sessions` are the conversations held with it, in the order they began."""

    def __init__(self, *replies: Reply, greeting: str | Message | None = None, reports_tools: bool = False) -> None:
        self.sessions: list[ScriptedSession] = []
        self._replies = replies
        self._greeting = None if greeting is None else _message(greeting)
        self._reports_tools = reports_tools

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[ScriptedSession]:
        session = ScriptedSession(case, self._replies, self._greeting, self._reports_tools)
        self.sessions.append(session)
        try:
            yield session
        finally:
            session.closed = True


def _message(said: str | Message) -> Message:
    return message("chatbot", said) if isinstance(said, str) else said
