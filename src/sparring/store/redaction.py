"""Redaction of personal data before it is stored: e-mail, phone and card numbers, custom patterns.

A `*` replaces each character, so that spans into a text stay valid.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from typing import Literal, TypeVar, get_origin

from sparring.core.batch import BatchInputs, Players
from sparring.core.case import Limits
from sparring.core.checks import Expectation, Rubric, Rule
from sparring.core.conversation import Conversation, Evidence, Output
from sparring.core.value import Value
from sparring.extraction.made_up import is_card
from sparring.store.store import RecordedChecks

_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_PHONE = re.compile(
    r"""
    (?<![\w+]) (?:
        \+ [ ]? \d [\d ().\-/]{5,20} \d                                      # +1 (555) 010-0199
        | (?:[178] [ .\-]?)? \(?\d{3}\)? [ .\-]? \d{3} [ .\-] \d{2} [ .\-]? \d{2}  # 8 (555) 010-01-99, 555-010-0199
        | \d{3} - \d{4}                                                      # 555-0199
        | \d{10,15}
    ) (?!\w)
    """,
    re.VERBOSE,
)
_CARD = re.compile(r"(?<!\w)\d(?:[ -]?\d){12,18}(?!\w)")
_LONG = 1_000_000  # whole numbers that could identify a person

_NAMES = frozenset("id name type check failed rule rubric judge by conversation language selected prompts".split())
"""Fields with names of things, by which stored data is found again."""

_WRITTEN = Rule, Expectation, Rubric, Limits, Players, BatchInputs
"""Texts that an author writes for Sparring and no conversation contains: a rule without its numbers would be another
rule."""

Anything = TypeVar("Anything")
Hide = Callable[[str], str]


class Redaction:
    """Redacts `email`, `phone`, `card` or `/a regular expression/`; False if it redacts nothing."""

    def __init__(self, kinds: Iterable[str] = ()) -> None:
        self._hide = [_hide(kind) for kind in kinds]

    def __bool__(self) -> bool:
        return bool(self._hide)

    def text(self, text: str) -> str:
        """Return a text of the same length with personal data redacted."""
        for hide in self._hide:
            text = hide(text)
        return text

    def hidden(self, value: Anything) -> Anything:
        """Return a value with every text redacted, at any depth. New fields are redacted too, except names."""
        found: object = self._without(value) if self._hide else value
        assert isinstance(found, type(value))
        return found

    def _without(self, value: object) -> object:
        match value:
            case Enum() | bool() | None:
                return value
            case str():
                return self.text(value)
            case int():
                return self._number(value)
            case tuple():
                return tuple(map(self._without, value))
            case list():
                return [self._without(each) for each in value]
            case dict():
                return {self.text(str(name)): self._without(each) for name, each in value.items()}
            case Conversation():
                return self._conversation(value)
            case RecordedChecks():
                verdicts = {hash: self.hidden(verdict) for hash, verdict in value.verdicts.items()}
                return replace(value, verdicts=verdicts, row=self.hidden(value.row))
            case Value() if not isinstance(value, _WRITTEN):
                return self._fields(value)
        return value

    def _number(self, number: int) -> object:
        """A whole number as it is, or as stars if it is long enough to identify a person."""
        written = str(number)
        return self.text(written) if abs(number) >= _LONG and self.text(written) != written else number

    def _fields(self, value: Value) -> Value:
        changes: dict[str, object] = {}
        for name, field in type(value).model_fields.items():
            content = getattr(value, name)
            if isinstance(content, dict):  # its keys are names, of variables or arguments
                changes[name] = {key: self._without(each) for key, each in content.items()}
            elif name not in _NAMES and not isinstance(content, int) and get_origin(field.annotation) is not Literal:
                changes[name] = self._without(content)
        return value.model_copy(update=changes)

    def _conversation(self, conversation: Conversation) -> Value:
        """Return a redacted conversation; quotes of messages show the redacted text."""
        without = self._fields(conversation)
        assert isinstance(without, Conversation)
        goals = tuple(
            new.model_copy(update={"evidence": self._evidence(old.evidence, without)})
            for old, new in zip(conversation.goals, without.goals, strict=True)
        )
        outputs = tuple(
            self._output(old, new, without) for old, new in zip(conversation.outputs, without.outputs, strict=True)
        )
        return without.model_copy(update={"goals": goals, "outputs": outputs})

    def _output(self, old: Output, new: Output, conversation: Conversation) -> Output:
        """Return an output, redacted if it was extracted from redacted words, in any notation."""
        shown = self._evidence(old.evidence, conversation)
        hidden = shown is not None and old.evidence is not None and shown.text != old.evidence.text
        return new.model_copy(update={"evidence": shown, **({"value": shown.text} if shown and hidden else {})})

    def _evidence(self, found: Evidence | None, conversation: Conversation) -> Evidence | None:
        if found is None:
            return None
        said = conversation.messages[found.at].text if found.at < len(conversation.messages) else ""
        whole = len(said) >= found.end
        return found.model_copy(update={"text": said[found.start : found.end] if whole else self.text(found.text)})


def _hide(kind: str) -> Hide:
    if kind == "email":
        return lambda text: _EMAIL.sub(_stars, text)
    if kind == "phone":
        return lambda text: _PHONE.sub(_stars, text)
    if kind == "card":
        return lambda text: _CARD.sub(lambda found: _stars(found) if is_card(found[0]) else found[0], text)
    import re2  # a user's pattern must not take exponential time

    pattern = re2.compile(kind[1:-1])
    return lambda text: str(pattern.sub(_stars, text))


def _stars(found: "re.Match[str]") -> str:
    return "*" * len(found[0])
