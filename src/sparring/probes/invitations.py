"""Words that a chatbot tells its users to say, as in "Type CONFIRM to proceed"."""

import re
from dataclasses import dataclass, replace
from enum import Enum, auto

from sparring.extraction.tokens import cached, fold, sentences
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)
_QUOTED = "[\"'“”„«‘`*]+(?P<quoted>[^\"'“”„«»‘’`*\\n]{1,30}?)[\"'“”»’`*]+"
_CAPITALS = r"(?P<capitals>(?!I\b)[A-ZÀ-ÝА-Я]{2,12}(?: [A-ZÀ-ÝА-Я]{2,12})?|\b[A-Z]\b|\d{1,2})(?!\w)"
_PLAIN = (
    r"(?P<plain>(?!an?\b|the\b|your?\b|me\b|us\b|it\b|to\b|in\b|if\b|something\b|anything\b)[^\W\d_]{2,14})"
    r"(?=\s+(?:to|for|if|when|and i|and we|or|at any|um|für|wenn|oder|para|si|cuando|o|pour|ou|per|se|чтобы|если|или)\b"
    r"|[,.!;]|$)"
)
_WORD = f"(?:{_QUOTED}|{_CAPITALS}|{_PLAIN})"
_VERB = rf"(?:{_WORDS['verbs']})(?:\s+(?:{_WORDS['joins']}))*"
_FIRST = re.compile(rf"\b(?i:{_VERB})\s+{_WORD}")
_NEXT = re.compile(rf"(?:,|\b(?i:or|and|oder|und|o|y|ou|et|e|или|и))\s+(?i:{_VERB}\s+)?{_WORD}")
_YES_NO = re.compile(
    r"(?:[(\[]\s*|(?<=[?.] )|(?<=\n))(?P<yes>y|yes|j|ja|s|s[ií]|o|oui|sim|д|да)\s*(?:/|\||or|oder|o|ou|или)"
    r"\s*(?P<no>n|no|nein|non?|n[aã]o|н|нет)\s*(?:[)\]]|[.?]?\s*$)",
    re.IGNORECASE,
)
_BUTTONS = re.compile(
    r"\[((?=[^\[\]\n]*[^\W\d_]{2})[^\[\]\n]{1,30}|[^\[\]\n]{1,8}(?=\](?:\s*(?:\[|$|or\b|\.\.\.))))\](?!\()",
    re.MULTILINE,
)
"""Labels of buttons: "[Small] [Large]" and "[1] [2]", but not the numbers of "[1] Small"."""

_LABELS = re.compile(r"«([^«»\n]{1,30})»")
_IN_A_ROW = re.compile(r"«[^«»\n]{1,30}»(?:,? (?:o|or|ou|oder|или) | ?[/|,] ?|\s+)«[^«»\n]{1,30}»")
_LABELS_ASKED = re.compile(r"«[^«»\n]{1,30}»[^.?!\n]*«[^«»\n]{1,30}»[^.!\n]*\?")
"""Labels of buttons between guillemets, one after the other or in a question: "¿«Sí» (ahora) o «No» (nunca)?"."""

_BRACKETED = re.compile(r"(?P<before>[^()\n.?!]{3,60}) \([\"'“„«](?P<said>[^\W\d]{2,14})[\"'”“»]\)")
"""A word in quotes and brackets behind what it does: "make a new one ('new')"."""

_BACK = re.compile(rf"(?:^|(?<=[\s,.;(]))[\"'«“]?(?P<said>\d|[#*]|[A-Z]{{3,12}})[\"'»”]? (?:{_WORDS['brings_back']})\b")
"""A word or number with which one can stop: "0 brings you back at any time"."""

_STOP = re.compile(rf"\b(?:{_WORDS['stop']})")
_AWAY = re.compile(rf"\b(?:{_WORDS['away']})")
_AGAIN = re.compile(rf"^\W*(?:for|to \w+|fur|um|para|pour|per)? ?(?:an)?(?:{_WORDS['again']})\b")
_CONFIRM = re.compile(rf"\b(?:{_WORDS['confirm']})")
_DONE = re.compile(rf"\b(?:{_WORDS['done']})\b")
_SHOW = re.compile(rf"\b(?:{_WORDS['show']})\b")


_LEAST = 2
"""Buttons of a reply."""

_CONFIRMS = re.compile(rf"(?:{_WORDS['confirms']})\b")
"""Labels of buttons that confirm."""


class Purpose(Enum):
    """What a word does that a chatbot asks for.

    AWAY is a no, a change, or a way to a person, AGAIN another order.
    """

    CONFIRM = auto()
    DONE = auto()
    SHOW = auto()
    STOP = auto()
    AWAY = auto()
    AGAIN = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Invitation:
    """A word to say, as it is written, and its purpose."""

    said: str
    purpose: Purpose


@cached
def invitations(reply: str) -> tuple[Invitation, ...]:
    """Return the words that a reply tells the user to say, in order."""
    found = [each for sentence in sentences(reply) for each in _invited(sentence.text)]
    for answer in _YES_NO.finditer(reply):
        found += [Invitation(answer["yes"], Purpose.CONFIRM), Invitation(answer["no"], Purpose.AWAY)]
    found += [
        Invitation(each["said"], _purpose(each["said"], "", each["before"])) for each in _BRACKETED.finditer(reply)
    ]
    found += [Invitation(each["said"], Purpose.STOP) for each in _BACK.finditer(reply)]
    if sum(each.purpose is Purpose.OTHER for each in found) >= _LEAST:  # a menu: "READING to submit a reading"
        found = [each if _is_word_to_confirm(each) else replace(each, purpose=Purpose.OTHER) for each in found]
    return tuple({each.said: each for each in found}.values())


def _is_word_to_confirm(each: Invitation) -> bool:
    return each.purpose is not Purpose.CONFIRM or _CONFIRM.search(fold(each.said)) is not None


def without_invitations(reply: str) -> str:
    """Return a reply without its sentences that tell the user what to say."""
    for each in reversed(sentences(reply) if invitations(reply) else ()):
        if _invited(each.text):
            reply = f"{reply[: each.start]}{reply[each.end :]}"
    return reply.strip()


def buttons_in(reply: str) -> tuple[str, ...]:
    """Return the labels of buttons that a reply writes in brackets: "[Small] [Large]"."""
    found = tuple(each.strip() for each in _BUTTONS.findall(_YES_NO.sub("", reply)))
    if len(found) < _LEAST and (_IN_A_ROW.search(reply) or _LABELS_ASKED.search(reply)):
        found = tuple(dict.fromkeys(_LABELS.findall(reply)))
    return found if len(found) >= _LEAST else ()


def confirms(label: str) -> bool:
    """Return True for the label of a button that confirms, "Confirm" or "Place order"."""
    return _CONFIRMS.match(fold(label)) is not None


def alternative_in(reply: str) -> str:
    """Return the label of the only button of a reply, "Type it, or [No message]"; else an empty text."""
    found = _BUTTONS.findall(reply)
    return found[0] if len(found) == 1 and f"or [{found[0]}]" in reply else ""


def without_buttons(reply: str) -> str:
    """Return a reply without the labels of its buttons."""
    return (
        (_BUTTONS if len(_BUTTONS.findall(reply)) >= _LEAST else _LABELS).sub("", reply).strip()
        if buttons_in(reply)
        else reply
    )


def _invited(sentence: str) -> list[Invitation]:
    places: list[tuple[str, int, int]] = []
    found = _FIRST.search(sentence)
    while found is not None:
        said = found["quoted"] or found["capitals"] or found["plain"]
        places.append((said.strip(), found.start(), found.end()))
        later, again = _NEXT.search(sentence, found.end()), _FIRST.search(sentence, found.end())
        found = min(filter(None, (later, again)), key=lambda each: each.start(), default=None)
    ends = [*(start for _, start, _ in places[1:]), len(sentence)][: len(places)]
    before = sentence[: places[0][1]] if len(places) == 1 else ""
    return [
        Invitation(said, _purpose(said, sentence[end:until], before))
        for (said, _, end), until in zip(places, ends, strict=True)
        if said
    ]


def _purpose(said: str, after: str, before: str) -> Purpose:
    """Return the purpose by the word itself, else by the words after it, else by those before it."""
    if _AGAIN.search(fold(after)) or _AGAIN.search(fold(said)):
        return Purpose.AGAIN
    kinds = (
        (_STOP, Purpose.STOP),
        (_AWAY, Purpose.AWAY),
        (_DONE, Purpose.DONE),
        (_CONFIRM, Purpose.CONFIRM),
        (_SHOW, Purpose.SHOW),
    )
    for text in (fold(said), fold(after), fold(before)):
        for pattern, purpose in kinds:
            if pattern.search(text):
                return purpose
    return Purpose.OTHER
