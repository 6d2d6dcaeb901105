"""Conversations for checks of probes."""

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.probes.checks import find
from sparring.probes.notes import Notes


def conversation(*said: str) -> Conversation:
    """Return a conversation in which the user speaks first, and then in turn."""
    roles = ("user", "chatbot")
    messages = tuple(message(roles[at % 2], text) for at, text in enumerate(said))
    return Conversation(case=Case(id="said"), messages=messages)


def titles(notes: Notes, *said: str) -> list[str]:
    """Return the titles of the certain findings in a conversation."""
    return [each.title for each in find(conversation(*said), notes) if each.certain]
