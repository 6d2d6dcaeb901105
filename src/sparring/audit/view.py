"""View of a conversation that the rules of the audit share, and what explains the words of a user."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sparring.audit.vocabulary import Vocabulary
from sparring.core.audit import Fault
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Evidence
from sparring.core.message import Button, Message, ToolCall
from sparring.extraction.goals import is_misspelling, texts
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.role_sheet import RoleSheet, role_sheet
from sparring.extraction.tokens import fold, share_with_typos, singulars, stems, tokens


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


_MAX_CACHED = 4096
"""Cases that are kept: more than play at once."""


@dataclass(frozen=True)
class Declared:
    """All that a case declares for its user: folded text, stems, and words of goals and values."""

    case: Case

    @cached_property
    def text(self) -> str:
        """Everything that the author wrote for the user, folded."""
        persona = self.case.persona
        return fold("\n".join((persona.role, *persona.traits, *self._goals, *self._values)))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of everything, and of alternative values."""
        return stems(self.text) | stems(" ".join(self._others))

    @cached_property
    def values(self) -> frozenset[str]:
        """Words of goals, values and alternative values."""
        return frozenset(word for text in (*self._goals, *self._values, *self._others) for word in tokens(text))

    @cached_property
    def _goals(self) -> list[str]:
        goals = self.case.goals
        hints = [f"{hint.asked} {hint.says}" for goal in goals for hint in goal.answers]
        return [text for goal in goals for text in (goal.text, goal.first) if text] + hints

    @cached_property
    def _values(self) -> list[str]:
        written = (*self.case.variables.values(), *self.case.answers.values())
        return [text for value in written for text in texts(value)] + [
            v for fact in self.case.facts for v in fact.values
        ]

    @cached_property
    def _others(self) -> list[str]:
        return [other for goal in self.case.goals for found in goal.others.values() for other in found]


_DECLARED: OrderedDict[int, tuple[Case, Declared]] = OrderedDict()


def declared(case: Case) -> Declared:
    """Return what a case declares, made once for all of its conversations."""
    known = _DECLARED.get(id(case))
    if known is not None and known[0] is case:
        return known[1]
    while len(_DECLARED) >= _MAX_CACHED:
        _DECLARED.popitem(last=False)
    made = Declared(case)
    _DECLARED[id(case)] = case, made
    return made


def is_offered(words: str, at: int, view: AuditView) -> bool:
    """Return True if words stand on a button of the chatbot, or in what it said before a message."""
    plain = _plain(words)
    for message in view.conversation.messages[:at]:
        if message.role == "chatbot":
            if plain and plain in _plain(message.text):
                return True
            if any(
                isinstance(part, Button) and plain in (_plain(part.title), _plain(part.payload))
                for part in message.parts
            ):
                return True
    return False


def is_declared(words: str, case: Case) -> bool:
    """Return True if the case itself has the words, and their markup, so that the user may say them."""
    plain = _plain(words)
    if not words[:1].isalnum() or words.endswith(":"):
        return len(plain) > 1 and fold(words) in declared(case).text
    return len(plain) > 3 and plain in " ".join(tokens(declared(case).text))


def _plain(text: str) -> str:
    return " ".join(tokens(text))
