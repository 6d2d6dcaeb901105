"""What a case declares and what the chatbot said, which may explain what a user says."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

from sparring.audit.view import AuditView
from sparring.core.case import Case
from sparring.core.message import Button
from sparring.extraction.goals import texts
from sparring.extraction.tokens import fold, stems, tokens

_MAX_CACHED = 256


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
