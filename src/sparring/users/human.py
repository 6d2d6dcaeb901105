"""User played by a person at a terminal."""

from collections.abc import Awaitable, Callable

from sparring.core.conversation import Conversation
from sparring.core.message import Message, message
from sparring.users.user import BaseUser


class Human(BaseUser):
    """A user that says what `read` returns. An EOFError from it ends the conversation."""

    def __init__(self, read: Callable[[], Awaitable[str]]) -> None:
        self._read = read

    async def speak(self, conversation: Conversation) -> Message | None:
        try:
            return message("user", await self._read())
        except EOFError:
            return None
