"""Your chatbot goes here."""

from collections.abc import Mapping, Sequence

from sparring.core.message import Message


async def reply(messages: Sequence[Message], variables: Mapping[str, object]) -> str:
    """Return the chatbot's reply to the last of these messages."""
    return f"You said: {messages[-1].text}"
