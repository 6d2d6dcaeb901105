"""A goal as the pattern reader sees it: its act, its topic, and the values that an answer names."""

import re
from dataclasses import dataclass, field

from sparring.core.case import MAX_GOAL, Goal
from sparring.extraction.acts import Act, asserts, reports, wanted_act
from sparring.extraction.answer_kinds import names_other_value, names_typed
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.question_kinds import asks_information, topic_of
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import fold, mentions, stems, tokens

_ONE = frozenset(map(fold, "a an one 1 single un una uno une ein eine einen einem um uma один одну одна одно".split()))
_EXACT = re.compile(r"\b\w*\d[\w:./-]*")


def _own_verb(text: str) -> str:
    """Return the English verb that a goal begins with, if it belongs to no class of acts."""
    found = phrasebook("English").verbs.match(fold(text))
    return found[1] if found and wanted_act(found[1]) is None else ""


def _participles(verb: str) -> tuple[str, ...]:
    return f"{verb}d", f"{verb}ed", f"{verb}{verb[-1]}ed", f"{verb[:-1]}ied"


@dataclass(frozen=True, slots=True)
class GoalChoice:
    """Chosen values of a goal's variable, and its alternatives."""

    chosen: tuple[str, ...]
    others: tuple[str, ...]

    def is_another(self, text: str) -> bool:
        """Return True if `text` names an alternative and no chosen value."""
        if any(mentions(text, value) for value in self.chosen):
            return False
        return any(mentions(text, other) for other in self.others)


@dataclass(slots=True)
class GoalRequest:
    """A goal as the reader sees it: its words, values, and words that no other goal of the case contains."""

    goal: Goal
    values: tuple[str, ...]
    own: frozenset[str]
    choices: tuple[GoalChoice, ...] = ()
    context: ExtractionContext = NO_CONTEXT
    text: str = field(init=False)
    about: frozenset[str] = field(init=False)
    topic: frozenset[str] = field(init=False)
    needed: frozenset[str] = field(init=False)
    act: Act | None = field(init=False)
    verb: str = field(init=False)
    """Verb of an act that is in no class, such as "redirect": the goal's first word."""
    asks: bool = field(init=False)

    def __post_init__(self) -> None:
        self.text = self.goal.text[:MAX_GOAL]
        self.about = stems(self.text)
        self.asks = asks_information(self.text)
        self.verb = "" if self.asks else _own_verb(self.text)
        self.act = None if self.asks or self.verb else wanted_act(self.text)
        named = stems(self.text.partition(":")[2])
        self.topic = named or topic_of(self.own) or topic_of(self.about)
        self.needed = frozenset(self.values or _EXACT.findall(self.text))

    def names(self, text: str, value: str) -> bool:
        """Return True if a text names a value; a bare number counts only near words of the goal."""
        if not mentions(text, value):
            if names_typed(value, text, self.context):
                return True
            return (
                value == "1" and not _ONE.isdisjoint(tokens(text)) and bool(stems(text) & (self.about - stems(value)))
            )
        return not re.fullmatch(r"\d{1,3}|\w{1,2}", value) or bool(stems(text) & (self.about - stems(value)))

    def reports(self, sentence: str) -> bool:
        """Return True if a sentence reports the act as done, by a verb of its class or by the goal's own verb."""
        if reports(sentence, self.act):
            return True
        done = bool(self.verb) and any(word in _participles(self.verb) for word in tokens(sentence))
        return done and asserts(sentence) and not is_denial(sentence)

    def found(self, text: str) -> set[str]:
        """Return the needed values that a text names."""
        return {value for value in self.needed if self.names(text, value)}

    def contradicts(self, text: str) -> bool:
        """Return True if a text names another day, time, code or choice in place of a value of the goal."""
        if not (self.needed or self.choices):
            return False
        return any(names_other_value(value, text) for value in self.needed) or any(
            choice.is_another(text) for choice in self.choices
        )
