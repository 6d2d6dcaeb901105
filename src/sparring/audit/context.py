"""What a case declares and what the chatbot said, which may explain what a user says."""

from collections import OrderedDict
from dataclasses import dataclass

from sparring.audit.view import AuditView
from sparring.core.case import Case
from sparring.core.message import Button
from sparring.extraction.goals import texts
from sparring.extraction.tokens import fold, stems, tokens

_MAX_CACHED = 256


@dataclass(frozen=True, slots=True)
class Declared:
    """All that a case declares for its user: folded text, stems, and words of goals and values."""

    text: str
    stems: frozenset[str]
    values: frozenset[str]


_DECLARED: OrderedDict[int, tuple[Case, Declared]] = OrderedDict()


def declared(case: Case) -> Declared:
    """Return what a case declares, made once for all of its conversations."""
    known = _DECLARED.get(id(case))
    if known is not None and known[0] is case:
        return known[1]
    while len(_DECLARED) >= _MAX_CACHED:
        _DECLARED.popitem(last=False)
    made = _made(case)
    _DECLARED[id(case)] = case, made
    return made


def _made(case: Case) -> Declared:
    hints = [f"{hint.asked} {hint.says}" for goal in case.goals for hint in goal.answers]
    goals = [text for goal in case.goals for text in (goal.text, goal.first) if text]
    values = [text for value in (*case.variables.values(), *case.answers.values()) for text in texts(value)]
    values += [text for fact in case.facts for text in fact.values]
    others = [other for goal in case.goals for found in goal.others.values() for other in found]
    written = "\n".join((case.persona.role, *case.persona.traits, *goals, *hints, *values))
    words = frozenset(word for text in (*goals, *hints, *values, *others) for word in tokens(text))
    return Declared(fold(written), stems(written) | stems(" ".join(others)), words)


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
    """Return True if the case itself has the words, so that the user may say them."""
    plain = _plain(words)
    return len(plain) > 3 and plain in " ".join(tokens(declared(case).text))


def _plain(text: str) -> str:
    return " ".join(tokens(text))
