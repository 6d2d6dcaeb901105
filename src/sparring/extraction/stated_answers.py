"""Search for the answers to goals that authors wrote down.

The user never knows them, so only a chatbot can state them.

An answer in words is found if one sentence, or a list over several, has all of its words: without case, accents, plural
and stop words, with numbers and times by value and in order. `9 to 17` is found in "from 9 am until 5 pm".
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sparring.core.case import Goal, GoalAnswer
from sparring.extraction.numbers import AMOUNT, number
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import (
    MAX_MESSAGE,
    NUMBERS,
    Sentence,
    cached,
    fold,
    pattern,
    sentences,
    singulars,
    stems,
)
from sparring.extraction.typed_values import find
from sparring.extraction.word_tables import words_of_module
from sparring.parsing.regex import compiled

_WORDS = words_of_module(__name__)

FLAGS = "(?is)"
"""Flags of patterns: ignore case, and let a dot match line breaks."""

_TIME = (
    r"([01]?\d|2[0-4])(?:[:h.]([0-5]\d))?\s?([ap])\.?m\b\.?|([01]?\d|2[0-4])[:h]([0-5]\d)(?!\d)"
    r"|(\d\d?)\s?(?:h|o'clock)\b"
)
_CODE = r"(?=[^\W_]*\d)(?=[\w-]{0,40}[^\W\d_])[^\W_]+(?:-[^\W_]+)*"
_SIGNS = {"$": "$", "€": "€", "£": "£", "₽": "₽", "%": "%"} | {
    word: sign
    for sign, words in {
        "$": "usd dollar dollars us$",
        "€": "eur euro euros евро",
        "£": "gbp pound pounds",
        "₽": "rub руб рубль рубля рублей rouble roubles ruble rubles",
        "%": "percent",
        "minute": "minute minutes min mins minuto minutos минута минуты минут minuti minuten",
        "hour": "hour hours hr hrs",
        "day": "day days",
        "week": "week weeks",
    }.items()
    for word in words.split()
}
_MONEY = ("$", "€", "£", "₽")
_CLOCK = "clock"
_SIGN = "|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True)))
_TOKEN = re.compile(
    rf"(?P<time>(?<![\w.,])(?<!\d:)(?:{_TIME}))"
    rf"|(?P<number>(?<!\w)(?<!\d[.,])(?:(?P<before>{_SIGN})\s?)?(?P<amount>{AMOUNT})(?:st|nd|rd|th)?(?![^\W_]|[.,]\d)"
    rf"(?:\s?(?P<after>{_SIGN})(?![^\W_]))?)|(?P<word>{_CODE}|[^\W_]+(?:['’][^\W\d_]+)*)",
    re.IGNORECASE,
)
_NEGATIONS = (
    r"not\b(?! only)",
    r"\w+n't\b",
    r"(?:never|no longer|instead of|rather than|except)\b",
    r"no\b(?! (?:later|more|less|earlier|problem|worr|doubt))",
    r"(?:nicht|kein\w*|ohne|statt|non(?!-)|pas|jamais|senza|invece di|nao|sem|em vez de)\b",
    r"(?:nunca|ni|sino|не|нет|кроме|вместо)\b",
)
_NEGATED = pattern(*_NEGATIONS, end=r"(?:[^\w]+\w+){0,4}[^\w]*$")
"""A negation at most four words before the end of a text."""

_CLAUSE = re.compile(r".*(?:[,;:.!?(\n—]|\b(?:but|pero|aber|sondern|mais|ma|mas|но|а)\b)", re.IGNORECASE | re.DOTALL)
_PRICE = pattern(_WORDS["price"])
_NEAR = 200
"""Characters before an answer that are searched for a negation of it."""

_LIST = 3
"""The fewest words of an answer that may be spread over several sentences, such as the items of a list."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A word without a `value`, a number with its unit, a time of day in hours, or a date."""

    word: str
    start: int
    end: int
    value: float | None = None
    unit: str = ""

    @property
    def is_number(self) -> bool:
        """True for numbers and full hours."""
        return self.value is not None and (self.unit != _CLOCK or self.value == int(self.value))

    def equals(self, other: "_Token") -> bool:
        """Return True if both mean the same; 17 means 17:00, and a unit only differs from another one."""
        if self.value is None or other.value is None:
            return self.word == other.word
        if self.unit and other.unit and self.unit != other.unit:
            return False
        return abs(self.value - other.value) < 1e-9


def answer_in(goal: Goal, text: str) -> Sentence | None:
    """Return the words of a reply that state one of the goal's answers, or None."""
    text = text[:MAX_MESSAGE]
    for answer in goal.answer:
        for start, end in _places(answer, goal, text):
            if _is_stated(answer, text, start, end):
                return Sentence(text[start:end], start, end)
    return None


def _places(answer: GoalAnswer, goal: Goal, text: str) -> Iterator[tuple[int, int]]:
    if answer.pattern:
        yield from (match.span() for match in compiled(FLAGS + answer.pattern).finditer(text) if match.group())
    elif answer.number is not None:
        yield from _numbers(answer.number, answer.tolerance, goal, text)
    else:
        yield from _words(answer.text, text)


def _numbers(wanted: float, tolerance: float, goal: Goal, text: str) -> Iterator[tuple[int, int]]:
    """Yield the numbers that are near enough; of a price, only amounts of money if there are any."""
    found = [token for token in _tokens(text) if token.is_number]
    amounts = [token for token in found if token.unit in _MONEY]
    for token in amounts if amounts and _PRICE.search(fold(goal.text)) else found:
        if abs((token.value or 0) - wanted) <= tolerance + 1e-9:
            yield token.start, token.end


def _words(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    said, all_of = _tokens(text), _meaningful(_tokens(wanted))
    ends = [each.end for each in sentences(text)]
    parts = [list(some) for _, some in groupby(said, lambda token: bisect_right(ends, token.start))]
    for some in [*parts, said] if len(all_of) >= _LIST else parts:
        yield from _together(all_of, some)


def _together(wanted: Sequence[_Token], said: Sequence[_Token]) -> Iterator[tuple[int, int]]:
    """Yield the span of all wanted tokens: values in their order, words in any."""
    found: list[_Token] = []
    at = 0
    for token in wanted:
        begin = at if token.value is not None else 0
        place = next((n for n in range(begin, len(said)) if token.equals(said[n])), None)
        if place is None:
            return
        at = place + 1 if token.value is not None else at
        found.append(said[place])
    if found:
        yield min(each.start for each in found), max(each.end for each in found)


def _is_stated(answer: GoalAnswer, text: str, start: int, end: int) -> bool:
    """Return True if the words stand in a statement that does not deny them."""
    about = [each for each in sentences(text) if each.start < end and each.end > start]
    if about and all(each.asks for each in about):
        return False
    if answer.text and is_denial(answer.text):
        return any(is_denial(each.text) for each in about)
    before = text[max(0, start - _NEAR) : start]
    clause = _CLAUSE.match(before)
    before = before[clause.end() :] if clause else before
    return bool(answer.pattern) or not _NEGATED.search(fold(before))


@cached
def _tokens(text: str) -> tuple[_Token, ...]:
    """Return the words and values of a text, in order."""
    found = [_Token(str(day.value), day.start, day.end) for day in find("date", text) if _is_date(text, day.start)]
    days = [(day.start, day.end) for day in found]
    for match in _TOKEN.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in days):
            found.append(_token(match))
    return tuple(sorted(found, key=lambda token: token.start))


def _is_date(text: str, start: int) -> bool:
    """Return True unless a date is part of a longer number."""
    return not (start and (text[start - 1].isdigit() or text[start - 1] in "$€£.,"))


def _token(match: re.Match[str]) -> _Token:
    span = match.span()
    if match["time"]:
        hour, minute = int(match[2] or match[5] or match[7]), int(match[3] or match[6] or 0)
        half = (match[4] or "").lower()
        hour = hour % 12 + (12 if half == "p" else 0) if half else hour
        return _Token(match[0], *span, value=hour + minute / 60, unit=_CLOCK)
    if match["number"]:
        sign = (match["before"] or match["after"] or "").lower()
        value = number(match["amount"])
        return _Token(match[0], *span, value=float(value or 0), unit=_SIGNS.get(sign, ""))
    word = match["word"]
    if fold(word) in NUMBERS:
        return _Token(word, *span, value=float(NUMBERS[fold(word)]))
    return _Token(next(iter(singulars(word)), fold(word)), *span)


def _meaningful(found: Sequence[_Token]) -> Sequence[_Token]:
    """Return tokens without stop words, unless there is nothing else."""
    kept = [token for token in found if token.value is not None or stems(token.word)]
    return kept or found
