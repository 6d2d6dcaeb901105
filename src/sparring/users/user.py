"""A user, as everything here sees one."""

from collections.abc import Callable
from typing import Protocol

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message


class User(Protocol):
    """Who talks to the chatbot: the whole conversation in, one message out, or None when there is nothing left to say.

    Users are stateless; what is random in them comes from the case's seed and the turn. `speak` raises a `UserError`
    or a `ModelError`, and nothing else. One that has `looks_at_readings = False` never looks at the goals and outputs
    of the conversation: they are read once at its end then, unless somebody else has to know before.
    """

    async def speak(self, conversation: Conversation) -> Message | None: ...


def warned(who: object, case: Case) -> tuple[str, ...]:
    """What of a case a user, or a reader, will not do as asked: one that has a method `warnings` says so before anybody
    speaks."""
    warnings: Callable[[Case], tuple[str, ...]] | None = getattr(who, "warnings", None)
    return () if warnings is None else warnings(case)
