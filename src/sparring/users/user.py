"""A user, as everything here sees one."""

from typing import Protocol

from sparring.core.conversation import Conversation
from sparring.core.message import Message


class User(Protocol):
    """Who talks to the chatbot: the whole conversation in, one message out, or None when there is nothing left to say.

    Users are stateless; what is random in them comes from the case's seed and the turn. `speak` raises a `UserError`
    or a `ModelError`, and nothing else.
    """

    async def speak(self, conversation: Conversation) -> Message | None: ...
