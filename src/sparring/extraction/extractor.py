"""Reader protocol, its result, and the context of an extraction: languages, decimal mark and date."""

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Protocol

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Evidence, GoalProgress, GoalStage, Output
from sparring.core.value import Json
from sparring.extraction.languages import NAMES
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result of a reader: one entry for each goal and each output of the case, in their order."""

    goals: tuple[GoalProgress, ...]
    outputs: tuple[Output, ...]


def extraction_of(case: Case, goals: tuple[GoalProgress, ...], outputs: tuple[Output, ...]) -> Extraction:
    """Return the result of a reader. A goal that asks for an output is done once the output is stated."""
    stated = {each.name: each.evidence for each in outputs if each.evidence}
    if not any(goal.output in stated for goal in case.goals):
        return Extraction(goals=goals, outputs=outputs)
    answered = (
        _answered(known, stated[goal.output]) if goal.output in stated else known
        for goal, known in zip(case.goals, goals, strict=True)
    )
    return Extraction(goals=tuple(answered), outputs=outputs)


def _answered(goal: GoalProgress, evidence: Evidence) -> GoalProgress:
    """Return a goal as done; what the chatbot states unasked needs no question."""
    asked_at = evidence.at if goal.asked_at is None else goal.asked_at
    return goal.changed(asked_at=asked_at, stage=GoalStage.DONE, evidence=evidence)


class Reader(Protocol):
    """Extracts asked and answered goals, and stated outputs. Raises only `ModelError`."""

    async def read(self, conversation: Conversation) -> Extraction: ...

    def incremental(self) -> "Reader":
        """Return a reader for one conversation, which processes each message once."""

    def observe(self, conversation: Conversation) -> tuple[GoalProgress, ...] | None:
        """Process the messages so far, before `read` is called at the end, and return the goals.

        This spreads the work over the conversation, while others wait for their models. Return None if the goals are
        not known before the end.
        """

    def warnings(self, case: Case) -> tuple[str, ...]:
        """Return a warning for each request of a case that the reader cannot fulfill."""


class BaseReader:
    """A reader without state and without warnings; subclasses add `read`."""

    async def read(self, conversation: Conversation) -> Extraction:
        raise NotImplementedError

    def incremental(self) -> Reader:
        return self

    def observe(self, conversation: Conversation) -> tuple[GoalProgress, ...] | None:
        return None

    def warnings(self, case: Case) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """A value with the span of the text that states it."""

    value: Json
    start: int
    end: int


_KNOWN_LANGUAGES = frozenset((*_WORDS["known_languages"].split("|"), *NAMES, *NAMES.values()))
_LETTERS = re.compile(r"[^\W\d_]")
_OTHER_SCRIPT = re.compile("[^\\W\\d_\x00-\u052f\u1e00-\u1fff]")
"""A letter that is neither Latin, Greek nor Cyrillic."""

_UNKNOWN_LANGUAGE = (
    f"patterns extract goals and outputs in {', '.join(map(str.title, NAMES.values()))} only: "
    "{what}, a refusal, a question or a repetition may count as an answer (a model extracts from any language: "
    "--reader)"
)


def language_warnings(case: Case) -> tuple[str, ...]:
    """Return warnings about a case whose language the patterns do not support."""
    if not case.goals and not case.outputs:
        return ()
    return _language_warnings(case.persona.language, tuple([goal.text for goal in case.goals]))


@lru_cache(maxsize=256)
def _language_warnings(language: str, goals: tuple[str, ...]) -> tuple[str, ...]:
    words = re.findall(r"\w+", language.casefold())
    if words and _KNOWN_LANGUAGES.isdisjoint(words):
        return (_UNKNOWN_LANGUAGE.format(what=f"in {language}"),)
    text = " ".join(goals)
    if 2 * len(_OTHER_SCRIPT.findall(text)) > len(_LETTERS.findall(text)):
        return (_UNKNOWN_LANGUAGE.format(what="in the script of these goals"),)
    return ()


_DECIMAL_COMMA = frozenset(_WORDS["decimal_comma"].split("|"))
_DECIMAL_POINT = frozenset(_WORDS["decimal_point"].split("|"))


@dataclass(frozen=True, slots=True)
class ExtractionContext:
    """Decimal mark, `.` or `,`, and the date that "tomorrow" is relative to; empty or None if unknown."""

    decimal: str = ""
    today: date | None = None


NO_CONTEXT = ExtractionContext()
"""Neither language nor date are known."""


def extraction_context(case: Case, today: date | None = None) -> ExtractionContext:
    """Return the context of a case: the language of its persona, and its CURRENT_DATE or else `today`."""
    language = case.persona.language.casefold().partition(" ")[0]
    decimal = "," if language in _DECIMAL_COMMA else "." if language in _DECIMAL_POINT else ""
    return ExtractionContext(decimal, _current_date(case) or today)


def _current_date(case: Case) -> date | None:
    """Return the date in the case's CURRENT_DATE, in ISO 8601; None if it has none."""
    for name, value in case.variables.items():
        if name.upper() == "CURRENT_DATE":
            try:
                return date.fromisoformat(str(value).strip()[:10])
            except ValueError:
                return None
    return None
