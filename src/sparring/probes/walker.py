"""Walks through conversations with an unknown chatbot: answers its questions, takes what it offers."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from sparring.core.value import Json
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.questions import ChatbotQuestion, Kind, options, questions
from sparring.extraction.speech_acts import asks_to_confirm, is_question, is_yes_or_no_question
from sparring.extraction.tokens import fold, language_of, sentences

LANGUAGES: Mapping[str, str] = {
    "en": "english",
    "es": "spanish",
    "de": "german",
    "fr": "french",
    "it": "italian",
    "pt": "portuguese",
    "ru": "russian",
}
"""Languages that probes speak, by code."""

PERSON: Mapping[str, Json] = {
    "name": "Sam Sample",
    "date": "Friday",
    "time": "18:30",
    "address": "12 Example Street",
    "phone number": "555-0134",
    "email": "sam@example.com",
    "order number": "A-1001",
}
"""Answers to questions for the user itself."""

_EXAMPLE = re.compile(
    r"(?:for example|for instance|e\.g\.|such as|por ejemplo|zum beispiel|z\. ?b\.|par exemple|ad esempio|per esempio"
    r"|por exemplo|например)[:,]? *[\"“«']?(?P<value>[^.?!\"”»'\n()]{2,60})",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*\([^()]{1,40}\)")
_NUMBERED = ("order number",)
_NUMBER = re.compile(r"numb|nummer|numer|номер|\bids?\b|code|reference")
_MOST_OPTION = 40
_MOST_UNSURE = 2
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(.{1,40}?)\s*(?:[:(–-]\s.*)?$", re.MULTILINE)


@cache
def lines_of(language: str) -> Mapping[str, str]:
    """Return the lines of a language by its code; of English if probes do not speak it."""
    told = tomllib.loads((files("sparring.probes") / "lines.toml").read_text(encoding="utf-8"))
    lines: Mapping[str, str] = told.get(language, told["en"])
    return lines


@dataclass(frozen=True, slots=True)
class Choice:
    """A question with options, the one that was taken, and the number of the reply, from 1."""

    turn: int
    question: str
    options: tuple[str, ...]
    taken: str

    @property
    def other(self) -> str:
        """An option that was not taken."""
        return next(each for each in self.options if each != self.taken)


@dataclass
class Walker:
    """Finds the next line of a user that wants what the chatbot does.

    `wishes` are said one after the other where the chatbot asks for none. `prefers` are options that are taken before
    others. `choices` and `given` are what was taken and said so far, `confirming` is True if the last reply asks for a
    yes.
    """

    wishes: list[str]
    language: str = "en"
    prefers: list[str] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    confirming: bool = False
    turn: int = 0
    _unsure: int = 0

    def hear(self, reply: str) -> str | None:
        """Return the answer to a reply; None if there is nothing left to say."""
        self.turn += 1
        spoken = language_of(reply) if len(reply.split()) > 3 else ""
        if spoken in LANGUAGES and not self.choices and not self.given:
            self.language = spoken
        lines = lines_of(self.language)
        self.confirming = False
        question = self._question(_BRACKETS.sub("", reply))
        if question is None:
            return self._wish()
        offered = question.options or _listed(reply)
        if (example := _EXAMPLE.search(reply)) and len(offered) < 2:
            self.given[question.text] = example["value"].strip()
            return self.given[question.text]
        if question.kind is Kind.MORE:
            return self._wish() or lines["nothing_else"]
        if len(offered) > 1:
            return self._take(question.text, offered)
        if question.kind is Kind.CONFIRM or asks_to_confirm(question.text):
            self.confirming = True
            return lines["yes"]
        return self._answer(question)

    def _question(self, reply: str) -> ChatbotQuestion | None:
        """Return the question to answer: the last one with options, else the last one."""
        book = phrasebook(LANGUAGES[self.language])
        found = questions(reply, variables=dict(PERSON), hints=(), book=book)
        return next((each for each in reversed(found) if len(each.options) > 1), found[-1] if found else None)

    def _take(self, question: str, offered: tuple[str, ...]) -> str:
        known = [each.strip() for each in offered if 0 < len(each.strip()) <= _MOST_OPTION]
        preferred = [each for each in known if each.casefold() in map(str.casefold, self.prefers)]
        taken = (preferred or known or list(offered))[0]
        if len(set(known)) > 1:
            self.choices.append(Choice(self.turn, question, tuple(known), taken))
        return taken

    def _answer(self, question: ChatbotQuestion) -> str | None:
        lines = lines_of(self.language)
        if question.kind is Kind.HOW_MANY:
            return lines["quantity"]
        if question.kind is Kind.VARIABLE and question.variables:
            name = question.variables[0]
            if name not in self.given and (name not in _NUMBERED or _NUMBER.search(fold(question.text))):
                self.given[name] = lines["day"] if name == "date" else str(PERSON[name])
                return self.given[name]
        wish = self._wish()
        if wish is not None:
            return wish
        if is_yes_or_no_question(question.text):
            self.confirming = True
            return lines["yes"]
        self._unsure += 1
        return lines["unsure"] if self._unsure <= _MOST_UNSURE else None

    def _wish(self) -> str | None:
        if self.choices or self.given:  # the wish was understood
            self.wishes.clear()
        return self.wishes.pop(0) if self.wishes else None


def _listed(reply: str) -> tuple[str, ...]:
    """Return the items of a bulleted or numbered list."""
    return tuple(dict.fromkeys(each.strip(" .:") for each in _BULLET.findall(reply)))


def offered_in(reply: str, language: str) -> tuple[str, ...]:
    """Return the options that a reply offers anywhere."""
    book = phrasebook(LANGUAGES.get(language, "english"))
    for sentence in sentences(reply):
        found = options(sentence.text, book)
        if len(found) > 1 and (sentence.asks or is_question(sentence.text)):
            return found
    return _listed(reply)
