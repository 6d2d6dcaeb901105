"""A conversation as one of its sides sees it: its own lines are its own."""

from collections.abc import Iterable

from sparring.core.message import Button, Image, Link, Message, Role, Text
from sparring.models.model import ChatMessage


def view(messages: Iterable[Message], role: Role) -> tuple[ChatMessage, ...]:
    """What a model that plays `role` is shown: what it said as `assistant`, what it heard as `user`.

    Tools are the chatbot's own business, so neither side is shown them here; silence is shown as `(says nothing)`,
    because providers refuse empty lines.
    """
    return tuple(
        [
            ChatMessage("assistant" if message.role == role else "user", words(message) or "(says nothing)")
            for message in messages
            if message.parts or not message.injected
        ]
    )


def words(message: Message) -> str:
    """A message in words alone, with what is not words described in brackets."""
    parts = message.parts
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].text
    lines = []
    for part in parts:
        match part:
            case Text(text=text):
                lines.append(text)
            case Button(title=title):
                lines.append(f"[button: {title}]")
            case Image(alt=alt, url=url):
                lines.append(f"[image: {alt or url}]")
            case Link(title=title, url=url):
                lines.append(f"[link: {title} {url}]" if title else f"[link: {url}]")
    return "\n".join(lines)
