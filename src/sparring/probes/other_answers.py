"""Other answers where a chatbot refused one: what its reply names, and other ways to write facts."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta

from sparring.extraction import typed_values
from sparring.extraction.questions import ChatbotQuestion, Kind
from sparring.extraction.speech_acts import is_yes_or_no_question
from sparring.extraction.tokens import fold
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import ids_in
from sparring.probes.asking import HOW_MANY, in_brackets, is_about_day
from sparring.probes.hours import is_clock
from sparring.probes.lines import answer_to, facts_in, lines_of
from sparring.probes.offers import listed, named_in

_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,6}(?![\w:/-]|[.,]\d)")
_QUOTED = re.compile('["“„«‘]([^"“”„«»‘’\\n]{1,40})["”“»’]')
_PARTS = re.compile(r"\s*(?:,|;|/|\bor\b|\band\b|\bo\b|\bou\b|\boder\b|\bund\b|\by\b|\be\b)\s*")
_YES_OR_NO = re.compile(rf"\b(?:{words_of_module(__name__)['yes_or_no']})\b")
_UP_TO = re.compile(r"[,.?!]| (?:and|or|und|oder|y|o|et|ou|e|do|would|will|should|is|are) ")
_MOST_WORDS, _MOST_CODES, _LEAST_DIGITS = 4, 3, 2
_AHEAD = 16
"""Days from today of a date that is tried: not tomorrow, and within a month."""


@dataclass
class TriedAnswers:
    """Answers by the folded question: those that a chatbot refused, and the one that it took."""

    refused: dict[str, list[str]] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)

    def refuse(self, question: str, answer: str) -> None:
        """Note that the chatbot asked the same again."""
        found = self.refused.setdefault(question, [])
        if answer not in found:
            found.append(answer)
        if self.taken.get(question) == answer:
            del self.taken[question]

    def take(self, question: str, answer: str) -> None:
        """Note that the chatbot went on, if it had refused another answer before."""
        if question in self.refused and answer not in self.refused[question]:
            self.taken.setdefault(question, answer)

    def copy(self) -> "TriedAnswers":
        """Return the same, for a conversation that may not change it for others."""
        return TriedAnswers({question: [*said] for question, said in self.refused.items()}, dict(self.taken))

    def add(self, others: "TriedAnswers") -> None:
        """Take over what another conversation learned."""
        for question, said in others.refused.items():
            for answer in said:
                self.refuse(question, answer)
        for question, answer in others.taken.items():
            self.take(question, answer)

    def instead_of(self, question: str, answer: str | None, others: Iterable[str]) -> str | None:
        """Return an answer, or instead of a refused one that which was taken, or the first other one."""
        refused = self.refused.get(question, [])
        if answer is not None and answer not in refused:
            return answer
        if question in self.taken:
            return self.taken[question]
        return next((each for each in others if each not in refused), answer)


def other_answers(question: ChatbotQuestion, reply: str, language: str, replied: str, today: date) -> Iterator[str]:
    """Yield answers to a question, the likeliest first. `replied` is what the chatbot has said so far."""
    plain = fold(question.text)
    numbers = [each[0] for each in _NUMBER.finditer(_without_money(reply))]
    lines = lines_of(language)
    if is_yes_or_no_question(question.text) or wants_yes_or_no(reply):
        yield from (str(lines["yes"]), str(lines["not_so"]))
    if question.kind is Kind.HOW_MANY:
        yield from numbers
        counted = HOW_MANY.search(plain)
        yield from [f"2 {_UP_TO.split(plain[counted.start('thing') :])[0]}"] if counted else ()  # "2 days late"
    yield from _named(question, reply)
    known = answer_to(question.text, 0) or ""
    if "date" in question.variables or is_about_day(question.text):
        yield from _days(today, past=False)
    if "time" in question.variables or is_clock(known):
        yield from ("10:00", "14:30", "3 pm", "11")
    for name, others in _OTHER_WAYS.items():
        if name in question.variables or re.search(_ASKS[name], plain):
            yield from others
    yield from (each for code in sorted(ids_in(reply)) for each in _codes_like(code))
    yield from ids_in(replied)
    yield from numbers
    yield from ("1", "2", "4", "10", str(lines["not_so"]), str(lines["yes"]), "100")
    yield from _days(today, past=True)


def _codes_like(code: str) -> Iterator[str]:
    """Yield codes of the form of an example that are likely to be known: A1001 for A1234."""
    letters = code.rstrip("0123456789")
    digits = len(code) - len(letters)
    if digits > _LEAST_DIGITS:
        yield from (f"{letters}1{number:0{digits - 1}}" for number in range(1, _MOST_CODES + 1))


def wants_yes_or_no(reply: str) -> bool:
    """Return True if a reply says that it wants a yes or a no."""
    return _YES_OR_NO.search(fold(reply)) is not None


def _named(question: ChatbotQuestion, reply: str) -> Iterator[str]:
    """Yield what a reply names: options, texts in quotes and brackets, and the items of lists."""
    yield from question.options
    yield from listed(reply)
    yield from (each[1].strip() for each in _QUOTED.finditer(reply))
    for inside in in_brackets(reply):
        parts = _PARTS.split(inside)
        yield from (each for each in parts if len(parts) > 1 and 0 < len(each.split()) <= _MOST_WORDS)
    yield from named_in(reply)


def _days(today: date, *, past: bool) -> Iterator[str]:
    day = today + timedelta(-_AHEAD if past else _AHEAD)
    yield from (day.isoformat(), f"{day:%d/%m/%Y}", f"{day:%d.%m.%Y}", f"{day.day} {day:%B}", f"{day:%B} {day.day}")
    if not past:
        yield "tomorrow"


def _without_money(text: str) -> str:
    for found in reversed(typed_values.find("money", text)):
        text = f"{text[: found.start]} {text[found.end :]}"
    return text


_OTHER_WAYS = {name: said.split("|") for name, said in facts_in("other_ways").items()}
_ASKS = facts_in("asks_for")
