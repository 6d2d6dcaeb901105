"""The customer of a conversation, and the customer numbers that users state of themselves.

Understands English, Spanish and Russian. "My friend is CUST-002, I am CUST-001" states CUST-001.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from sparring import parsing
from sparring.core.value import Value

_MAX_CORRECTIONS = 2
"""Corrections in a conversation, so that a user cannot try one customer after another."""

# ASCII only: look-alike characters of other scripts must not match.
_NUMBER = r"\bCUST[- ]?([0-9]{3,6})\b"
_CUSTOMER_IN_TEXT = re.compile(_NUMBER, re.ASCII | re.IGNORECASE)
_CUSTOMER = re.compile("CUST-[0-9]{3,6}", re.ASCII)


def is_customer(text: object) -> bool:
    """Return True if `text` is a customer number."""
    return isinstance(text, str) and _CUSTOMER.fullmatch(text) is not None


def normalize_customer_id(claimed: str) -> str | None:
    """Return a customer number in standard notation, or None if it is not one."""
    found = _CUSTOMER_IN_TEXT.fullmatch(claimed)
    return f"CUST-{found[1]}" if found else None


def find_customer_id(text: str) -> str | None:
    """Return the first customer number in a text, whosever it is, or None."""
    found = _CUSTOMER_IN_TEXT.search(text)
    return f"CUST-{found[1]}" if found else None


class _Subject(Enum):
    """The person to whom a customer number belongs."""

    USER = auto()
    NOT_THE_USER = auto()
    """The user denies to have this number."""
    OTHER = auto()
    OPEN = auto()
    """A number by itself: an answer, or a correction of the number before it."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """A customer number in a text, and True if the words around it correct an earlier one."""

    number: str
    subject: _Subject
    corrects: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """The customer numbers that a user claims and denies to have. `corrects` an earlier statement."""

    claimed: str | None = None
    denied: frozenset[str] = frozenset()
    corrects: bool = False


def read_statement(text: str) -> Statement:
    """Return what a user says of themselves. Two numbers of which neither corrects the other state none."""
    claimed: str | None = None
    subject, ambiguous, corrects = _Subject.USER, False, False
    denied: set[str] = set()
    for mention in _mentions(text):
        if mention.subject is not _Subject.OPEN:
            subject = mention.subject
        elif not mention.corrects:
            subject = _Subject.USER
        if subject is _Subject.NOT_THE_USER and mention.subject is _Subject.NOT_THE_USER:
            denied.add(mention.number)
            corrects = True
        elif subject is not _Subject.OTHER:
            replaces = mention.corrects or claimed is None or claimed in denied
            ambiguous = not replaces and (ambiguous or claimed != mention.number)
            claimed, corrects = mention.number, corrects or mention.corrects
    if ambiguous or claimed in denied:
        claimed = None
    return Statement(claimed, frozenset(denied), corrects)


@dataclass(slots=True)
class Identity:
    """The customer of a conversation: `bound` at the start, or `stated` by the user without proof.

    Messages never change a bound identity. A stated one changes only if the user corrects it. `disputed` is True while
    the user claims to be another customer. Claims of the model are only compared with the identity.
    """

    bound: str | None = None
    stated: str | None = None
    corrections: int = 0
    disputed: bool = False

    def observe(self, text: str) -> None:
        """Record what a message states about the user."""
        said = read_statement(text)
        if self.bound is None:
            self._state(said)
        self.disputed = said.claimed not in (None, self.customer_id)

    def _state(self, said: Statement) -> None:
        if self.stated is None:
            self.stated = said.claimed
            return
        changes = self.stated in said.denied or (said.corrects and said.claimed not in (None, self.stated))
        if changes and self.corrections < _MAX_CORRECTIONS:
            self.stated = said.claimed
            self.corrections += 1

    @property
    def customer_id(self) -> str | None:
        """The customer number, or None."""
        return self.bound or self.stated

    @property
    def verified(self) -> bool:
        """True if the customer is signed in."""
        return self.bound is not None

    def matches(self, claimed: str | None) -> bool:
        """Return True if a claimed customer number is absent or the known one."""
        return claimed is None or (self.customer_id is not None and normalize_customer_id(claimed) == self.customer_id)


_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|(?<!\w)'[^'\n]*'(?!\w)")
_ABBREVIATED = re.compile(r"\b(no|nr|num|núm|nro)\.", re.IGNORECASE)
_SIGNS = re.compile(r"[:=#№*_]|(?<!\w)[-–—]+(?!\w)|[–—]")
_TOKEN = re.compile(r"<\d+>|[,()]|[^\W_]+(?:['-][^\W_]+)*|'s\b|[.!?;\n]")
_END = frozenset(".!?;\n")
_CONTEXT = 40
"""Words around a number that are looked at."""


class _Phrases(Value):
    """Phrases around a customer number, as alternatives of regular expressions."""

    number_words: tuple[str, ...]
    fillers: tuple[str, ...]
    own_before: tuple[str, ...]
    denials: tuple[str, ...]
    verbs: tuple[str, ...]
    own_after_verb: tuple[str, ...]
    own_after: tuple[str, ...]
    reports: tuple[str, ...]
    report_fillers: tuple[str, ...]
    persons: tuple[str, ...]
    corrections: tuple[str, ...]
    neutral: tuple[str, ...]


_PHRASES = parsing.validate(parsing.load(Path(__file__).with_name("statements.yaml")), _Phrases)


def _any(*phrases: str) -> str:
    return f"(?:{'|'.join(phrases)})"


_FILLERS = (*_PHRASES.number_words, *_PHRASES.fillers)
_OWN_BEFORE = (each.replace("{number}", "|".join(_PHRASES.number_words)) for each in _PHRASES.own_before)
_SELF_BEFORE = re.compile(rf"(?:^| ){_any(*_OWN_BEFORE)}(?: {_any(*_FILLERS, ',')})*$")
_DENIED_BEFORE = re.compile(rf"(?:^| ){_any(*_PHRASES.denials)}(?: {_any('my', 'mi', 'мой', *_FILLERS)})*$")
_SELF_AFTER = re.compile(
    rf"^(?:(?: ,)? {_any(*_PHRASES.verbs)} {_any(*_PHRASES.own_after_verb)}| {_any(*_PHRASES.own_after)})(?: |$)"
)
_OWNED_AFTER = re.compile(r"^ 's(?: |$)")
_REPORTED = re.compile(rf"(?:^| ){_any(*_PHRASES.reports)}(?: {_any(*_PHRASES.report_fillers)})*$")
_I_REPORT = re.compile(r"(?:^| )(?:i|we|already|just|have|я|yo)(?: \S+)? (?:say|said|told|wrote|сказал|сказала|dije)\b")
_PERSON = re.compile(rf"(?:^| ){_any(*_PHRASES.persons)}(?:'s)?(?: |$)")
_CORRECTION = re.compile(rf"(?:^| ){_any(*_PHRASES.corrections)}(?: |$)")
_NEUTRAL = re.compile(rf"^(?: {_any(*_FILLERS, *_PHRASES.neutral)})*$")


def _mentions(text: str) -> Iterator[_Mention]:
    """Yield the customer numbers in a text, in order, except in words that are quoted."""
    numbers: list[str] = []

    def marked(match: re.Match[str]) -> str:
        numbers.append(f"CUST-{match[1]}")
        return f" <{len(numbers) - 1}> "

    plain = _QUOTED.sub(lambda quote: quote[0][1:-1] if normalize_customer_id(quote[0][1:-1].strip()) else " ", text)
    plain = _CUSTOMER_IN_TEXT.sub(marked, plain.replace("’", "'").replace("<", " ").replace(">", " "))
    plain = _SIGNS.sub(" ", _ABBREVIATED.sub(r"\1 ", plain))
    tokens = [token.lower() for token in _TOKEN.findall(plain)]
    places = [place for place, token in enumerate(tokens) if token.startswith("<")]
    for before, place, after in zip([-1, *places], places, [*places[1:], len(tokens)], strict=False):
        passage = tokens[before + 1 : place][-_CONTEXT:]
        left = _words(_since_end(passage))
        right = _words(_until_end(tokens[place + 1 : after][:_CONTEXT]))
        corrects = bool(_CORRECTION.search(_words(passage)) or _CORRECTION.search(right))
        yield _Mention(numbers[int(tokens[place][1:-1])], _subject(left, right), corrects)


def _subject(left: str, right: str) -> _Subject:
    """Return the person to whom a number belongs, by the words of its sentence before and after it."""
    if _OWNED_AFTER.search(right):
        return _Subject.OTHER
    if _DENIED_BEFORE.search(left):
        return _Subject.NOT_THE_USER
    own = _SELF_BEFORE.search(left)
    if own is not None:
        reported = _REPORTED.search(left[: own.start()])
        return _Subject.OTHER if reported and not _I_REPORT.search(left[: own.start()]) else _Subject.USER
    if _SELF_AFTER.search(right):
        return _Subject.USER
    alone = _NEUTRAL.search(f" {left.rpartition(' ,')[2].strip()}".rstrip()) and _NEUTRAL.search(
        right.partition(" ,")[0]
    )
    return _Subject.OPEN if alone and not _PERSON.search(left) else _Subject.OTHER


def _since_end(tokens: list[str]) -> list[str]:
    ends = [place for place, token in enumerate(tokens) if token in _END]
    return tokens[ends[-1] + 1 :] if ends else tokens


def _until_end(tokens: list[str]) -> list[str]:
    return tokens[: next((place for place, token in enumerate(tokens) if token in _END), len(tokens))]


def _words(tokens: list[str]) -> str:
    """Return tokens as text with a blank before each. Parentheses are commas."""
    return "".join(f" {',' if token in '()' else token}" for token in tokens)
