"""Causes of failures: which failed conversations are the same failure.

A cause is a key of what a failed check saw, without values, turn numbers, models, batches or seeds. So the same failure
has the same id in every batch. No step looks at other conversations.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from hashlib import sha256
from operator import not_
from typing import Literal, Self

from pydantic import Field, NonNegativeInt

from sparring.core.audit import Blame
from sparring.core.value import Json, Value

SCHEME = "1"
"""Version of the keys. A change gives all causes other ids."""

SymptomKind = Literal["ending", "value", "goal", "rule", "judged"]
_KINDS: tuple[SymptomKind, ...] = ("ending", "value", "goal", "rule", "judged")

Relation = Literal[
    "lower",
    "higher",
    "different",
    "missing",
    "unexpected",
    "not_among",
    "repeated",
    "holds_not",
    "undecided",
]
"""How a value that a check saw differs from the expected one."""

TurnRole = Literal[
    "after_correction",
    "after_cancellation",
    "after_confirmation",
    "after_unusual_input",
    "after_goodbye",
    "at_confirmation",
    "first",
    "last",
    "other",
]
"""Place of a reply in the conversation."""

CauseStatus = Literal["new", "back", "grew", "known", "shrank", "fixed", "not_tested"]
"""A cause against the baseline of its batch: an earlier batch of the same name."""

SAID = "<said>"
"""Words that a rule looks for, if the user said all of them."""

_MOST_TEXT = 200

BUILT_IN_TITLES: Mapping[str, str] = {
    "consistent": "The chatbot contradicts itself",
    "honest": "The chatbot does not tell the truth about what it did",
    "attentive": "The chatbot ignores what the user says",
    "discreet": "The chatbot shows its own instructions or data",
}
"""What a failure of a built-in check means."""


class Symptom(Value):
    """What one failed part of a check saw.

    `subject` is the name of an output, a variable, a tool, a goal, or the check itself. `text` is a normalised reason,
    of symptoms without a subject. `at` is the index of the message that shows it, from 0. Only `kind`, `subject`,
    `relation` and `text` identify it; the rest is its example.
    """

    kind: SymptomKind
    subject: str = ""
    relation: Relation = "holds_not"
    text: str = Field("", exclude_if=not_)
    check: str = ""
    at: NonNegativeInt | None = None
    quote: str = Field("", exclude_if=not_)
    expected: str = Field("", exclude_if=not_)
    got: str = Field("", exclude_if=not_)

    def as_said(self, quote: str) -> Self:
        """Return the symptom with its numbers written as the quoted one: `$12.50` for 12.5 beside `$10.50`."""
        said = _NUMBER.search(quote)
        if said is None or not _PRICE.fullmatch(quote) or not _NUMBER.fullmatch(self.got):
            return self
        if float(self.got) != float(said[0]):
            return self

        def written(value: str) -> str:
            return quote[: said.start()] + value + quote[said.end() :]

        if not _NUMBER.fullmatch(self.expected):
            return self.changed(got=written(said[0]))
        decimals = max(len(said[1] or ""), len(f"{float(self.expected):g}".partition(".")[2]))
        return self.changed(got=written(said[0]), expected=written(f"{float(self.expected):.{decimals}f}"))


_NUMBER = re.compile(r"\d+(?:\.(\d+))?")
_PRICE = re.compile(r"[^\w\s]{0,3} ?\d+(?:\.\d+)? ?(?:[^\w\s]|[A-Z]{3})?")


class FailureCause(Symptom):
    """The cause of one conversation that failed or is undecided: its first symptom, with a stable `id`.

    `also` are the ids of its other symptoms, `turn` the number of user messages up to the example.
    """

    id: str
    blame: Blame
    role: TurnRole = "other"
    turn: NonNegativeInt | None = None
    also: tuple[str, ...] = Field((), exclude_if=not_)


CALL_OF = "the call of "
"""Subjects that are calls of a tool begin with it."""


def cause_id(blame: Blame, symptom: Symptom, role: TurnRole) -> str:
    """Return the id of a cause: `c-` and 12 hexadecimal digits of a hash of its key."""
    key = [SCHEME, blame, symptom.kind, symptom.subject, symptom.relation, role, symptom.text]
    return f"c-{sha256(json.dumps(key, ensure_ascii=False).encode(errors='surrogatepass')).hexdigest()[:12]}"


def first_cause(found: Iterable[FailureCause]) -> FailureCause | None:
    """Return the cause with the earliest example, with the ids of the others; None if there is none.

    Of causes that show at the same message, crashes come first, then values, goals, rules and what judges said. One
    that names only its check comes after those that name what is wrong. What was left out comes last.
    """
    ordered = sorted(
        found,
        key=lambda each: (
            _place(each.at),
            _is_left_out(each),
            _KINDS.index(each.kind),
            each.subject == each.check,
            each.id,
        ),
    )
    if not ordered:
        return None
    others = dict.fromkeys(each.id for each in ordered if each.id != ordered[0].id)
    return ordered[0].changed(also=tuple(others)) if others else ordered[0]


def _is_left_out(cause: FailureCause) -> int:
    """Return a higher number if it is likelier that something missing follows from another cause."""
    if cause.relation != "missing" or cause.subject.startswith(CALL_OF):
        return 0
    return 2 if cause.got == "not asked" else int(cause.kind == "value")


def _place(at: int | None) -> float:
    return float("inf") if at is None else at


_PATTERNS = (
    (re.compile(r"https?://([^/\s]+)\S*"), r"<url \1>"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{6,}\b"), "<id>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?)?\b"), "<date>"),
    (re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?\b"), "<time>"),
    (re.compile(r"[$€£] ?\d[\d.,]*\d|[$€£] ?\d|\d[\d.,]* ?(?:[$€£]|usd\b|eur\b)"), "$#"),
    (re.compile(r"[-+]?\d+(?:[.,]\d+)*"), "#"),
    (re.compile(r"\"[^\"]*\"|“[^”]*”|'[^']{2,}'|«[^»]*»"), "“…”"),
)


def normalised(text: str, variables: Mapping[str, Json]) -> str:
    """Return a reason without what differs between conversations: values, numbers, ids, dates and quotes."""
    said = unicodedata.normalize("NFKC", text).casefold()
    named = sorted(_texts(variables), key=lambda each: -len(each[1]))
    for name, value in named:
        said = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", f"{{{{{name}}}}}", said)
    for pattern, instead in _PATTERNS:
        said = pattern.sub(instead, said)
    return " ".join(said.split())[:_MOST_TEXT]


def _texts(variables: Mapping[str, Json]) -> Iterable[tuple[str, str]]:
    """Yield the values of variables as texts that are long enough to be meant."""
    for name, value in variables.items():
        for each in value if isinstance(value, list) else [value]:
            text = unicodedata.normalize("NFKC", str(each)).casefold()
            if isinstance(each, str | int | float) and not isinstance(each, bool) and len(text) > 1:
                yield name, text
