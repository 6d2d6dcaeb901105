"""View of a conversation that the rules of the audit share."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sparring.audit.vocabulary import Vocabulary
from sparring.core.audit import Fault
from sparring.core.conversation import Conversation, Evidence
from sparring.core.message import Message, ToolCall
from sparring.extraction.goals import is_misspelling
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.role_sheet import RoleSheet, role_sheet
from sparring.extraction.tokens import share_with_typos, singulars, stems


@dataclass(frozen=True, slots=True)
class AskedSlot:
    """A fact or variable that a question is about, with the values that the user knows for it."""

    slot: str
    values: tuple[str, ...]
    question: str


@dataclass
class AuditView:
    """A conversation as the rules of the audit see it. Messages of its history are not audited."""

    conversation: Conversation
    sheet: RoleSheet = field(init=False)
    book: Phrasebook = field(init=False)
    start: int = field(init=False)
    slots: dict[int, list[AskedSlot]] = field(default_factory=dict)
    """Slots of the role sheet that the chatbot asks for, by the index of its message."""
    confirmations: dict[int, Evidence | None] = field(default_factory=dict)
    """Confirmations that the chatbot asks for, by the index of its message."""

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

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Words and values that the user may say."""
        return Vocabulary(self.conversation.case, self.sheet)

    @cached_property
    def unusual(self) -> list[tuple[int, str, frozenset[str]]]:
        """Messages of the user with meaningful words that are not on its sheet, and these words."""
        known = self.vocabulary.words
        found = []
        for at, said in self.user:
            text = said.text
            new = frozenset(word for word in singulars(text) - known if stems(word))
            if new:
                found.append((at, text, new))
        return found

    def reply_before(self, at: int) -> str:
        """Return what the chatbot said right before a message; empty at the beginning."""
        return self._replies.get(at - 1, "")

    @cached_property
    def _replies(self) -> dict[int, str]:
        """Texts of the chatbot, those of the history included, by their indices."""
        return {at: said.text for at, said in enumerate(self.conversation.messages) if not _is_user(said)}

    def replies_before(self, at: int) -> Iterator[str]:
        """Yield what the chatbot said before a message, the last first."""
        return (text for index, text in reversed(self._replies.items()) if index < at)

    def calls_after(self, at: int) -> tuple[ToolCall, ...]:
        """Return the tool calls in the reply to a message."""
        messages = self.conversation.messages
        reply = messages[at + 1] if at + 1 < len(messages) else None
        if reply is None or reply.role != "chatbot" or not reply.tool_calls:
            return ()
        return reply.tool_calls

    def reply_to(self, at: int) -> str:
        """Return the reply to a message; empty if there is none."""
        return self._replies.get(at + 1, "")

    def says(self, text: str, value: str) -> bool:
        """Return True if a text has a word of a value, allowing misspellings by a user that misspells."""
        if is_misspelling(self.conversation.case):
            return share_with_typos(singulars(value), singulars(text)) > 0
        return not singulars(text).isdisjoint(singulars(value))

    def quote(self, at: int, words: str = "") -> Evidence:
        """Return the evidence for `words` of a message, or for the whole message."""
        text = self.conversation.messages[at].text
        found = re.search(rf"(?<!\w){re.escape(words)}", text, re.IGNORECASE) if words else None
        start, end = found.span() if found else (0, len(text))
        return Evidence(at=at, start=start, end=end, text=text[start:end])


AuditRule = Callable[[AuditView], Iterable[Fault]]
"""A rule of the audit: it yields the faults of one or more kinds. It is pure."""


def _is_user(message: Message) -> bool:
    return message.role == "user"
