"""View of a conversation that the rules of the audit share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from sparring.core.audit import Fault
from sparring.core.conversation import Conversation, Evidence
from sparring.core.message import Message
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.role_sheet import RoleSheet, role_sheet


@dataclass
class AuditView:
    """A conversation as the rules of the audit see it. Messages of its history are not audited."""

    conversation: Conversation
    sheet: RoleSheet = field(init=False)
    book: Phrasebook = field(init=False)
    start: int = field(init=False)

    def __post_init__(self) -> None:
        self.sheet = role_sheet(self.conversation.case)
        self.book = understood_phrasebook(self.conversation.case)
        self.start = len(self.conversation.case.history)

    @cached_property
    def user(self) -> list[tuple[int, Message]]:
        """Messages of the simulated user, with their indices in the conversation."""
        return [each for each in enumerate(self.conversation.messages) if each[0] >= self.start and _is_user(each[1])]

    @cached_property
    def chatbot(self) -> list[tuple[int, Message]]:
        """Messages of the chatbot after the history, with their indices."""
        return [
            each for each in enumerate(self.conversation.messages) if each[0] >= self.start and not _is_user(each[1])
        ]

    def quote(self, at: int, words: str = "") -> Evidence:
        """Return the evidence for `words` of a message, or for the whole message."""
        text = self.conversation.messages[at].text
        start = text.find(words) if words else 0
        if start < 0:
            start, words = 0, text
        end = start + len(words or text)
        return Evidence(at=at, start=start, end=end, text=text[start:end])


AuditRule = Callable[[AuditView], Iterable[Fault]]
"""A rule of the audit: it yields the faults of one or more kinds. It is pure."""


def _is_user(message: Message) -> bool:
    return message.role == "user"
