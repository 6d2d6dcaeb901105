"""A person who types."""

import asyncio
from collections.abc import Callable

from sparring.core.conversation import Conversation
from sparring.core.message import Message, message


class Human:
    """Says what `read` returns; the end of the input ends the conversation.

    `read` blocks while the person thinks, so it runs in a thread.
    """

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read

    async def speak(self, conversation: Conversation) -> Message | None:
        try:
            text = await asyncio.to_thread(self._read)
        except EOFError:
            return None
        return message("user", text)
