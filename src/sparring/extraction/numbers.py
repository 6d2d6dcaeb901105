"""Numbers, amounts of money, percentages and lists of things in a text."""

import re
from collections.abc import Iterator

from sparring.core.value import Json
from sparring.extraction.extractor import ExtractionContext, ValueMatch
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

AMOUNT = _WORDS["amount"]
SIGN = _WORDS["sign"]
CURRENCY = _WORDS["currency"]
_MONEY = re.compile(_WORDS["money"], re.IGNORECASE)
_NUMBER = re.compile(rf"(?<![\w.,])[-+−]?(?:{AMOUNT})(?![\w])")
_MAX_DIGITS = 30
"""Maximum number of digits in an amount."""

_PERCENT = re.compile(rf"(?<![\w.,])([-+−]?(?:{AMOUNT}))\s?(?:%|per\s?cent\b|por ciento\b|процент\w*)", re.IGNORECASE)


def number(words: str, decimal: str = "") -> float | int | None:
    """Return the number in `words`, with comma or point as decimal mark; None if there is none.

    With a single separator, three digits after it are thousands (`1.250`) unless it is the language's `decimal` mark;
    other digits are decimals (`12,50`).
    """
    sign = -1 if words.strip().startswith(("-", "−")) else 1
    digits = re.sub(r"[^\d.,]", "", words).strip(".,")
    if not digits or len(digits) > _MAX_DIGITS:
        return None
    last = max(digits.rfind("."), digits.rfind(","))
    if last == -1:
        return sign * int(digits)
    mark, fraction = digits[last], digits[last + 1 :]
    several = len(set(re.findall(r"[.,]", digits))) > 1
    thousands = len(fraction) == 3 and digits[0] != "0" and mark != decimal
    if not several and (digits.count(mark) > 1 or thousands):
        return sign * int(re.sub(r"[.,]", "", digits))
    return sign * float(f"{re.sub(r'[.,]', '', digits[:last])}.{fraction}")


def money(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    """Yield amounts of money in their original words."""
    for match in _MONEY.finditer(text):
        yield ValueMatch(match[0].strip(), *match.span())


_OPENS_RANGE = re.compile(r"\b(?:between|entre|zwischen|tra|fra|между)\s*$", re.IGNORECASE)
_JOINS_RANGE = re.compile(r"\s?(?:[-–—]|to|a|à|bis|до|al)\s?$", re.IGNORECASE)
_JOINS_OPENED = re.compile(r"\s(?:and|y|et|und|e|и)\s$", re.IGNORECASE)


def money_ranges(text: str, found: tuple[ValueMatch, ...]) -> tuple[ValueMatch, ...]:
    """Return amounts of money with the two ends of a range joined: "$50 to $100", "between 5 and 10 €"."""
    joined: list[ValueMatch] = []
    for each in found:
        last = joined[-1] if joined else None
        if last is not None:
            between = text[last.end : each.start]
            opened = _OPENS_RANGE.search(text[: last.start]) and _JOINS_OPENED.fullmatch(between)
            if opened or _JOINS_RANGE.fullmatch(between):
                joined[-1] = ValueMatch(text[last.start : each.end], last.start, each.end)
                continue
        joined.append(each)
    return tuple(joined)


def numbers(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    """Yield numbers of any kind."""
    for match in _NUMBER.finditer(text):
        value = number(match[0], context.decimal)
        if value is not None:
            yield ValueMatch(value, *match.span())


def floats(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    """Yield numbers as floats."""
    for found in numbers(text, context):
        if isinstance(found.value, int | float):
            yield ValueMatch(float(found.value), found.start, found.end)


def percentages(text: str, context: ExtractionContext) -> Iterator[ValueMatch]:
    """Yield percentages: 12.5 for "12.5 %"."""
    for match in _PERCENT.finditer(text):
        value = number(match[1], context.decimal)
        if value is not None:
            yield ValueMatch(float(value), *match.span())


_AND = r"(?:and|or|y|e|o|u|и|или)"
_ITEM = r"[^,;:.!?()\n]+?"
_LISTED = re.compile(rf"({_ITEM}(?:,\s*{_ITEM})*),?\s+{_AND}\s+({_ITEM})(?=[,;:.!?()\n]|$)")
_BEFORE = re.compile(_WORDS["before"], re.IGNORECASE)
_BULLETS = re.compile(r"^[ \t]*(?:[-*•·]|\d{1,2}[.)])[ \t]+(\S[^\n]*)$", re.MULTILINE)
_ARTICLE = re.compile(r"(?i:the|an?|el|la|los|las|der|die|das|le|les|il|lo|gli|os?|as)\s+(?=[^\WA-Z])")
"""An article, which belongs to a name if that has a capital: "The Godfather"."""

_PREDICATE = re.compile(r"(?<=\w) (?:is|are|son|sont|sind|sono|são|являются) .*$")
"""What is said of the items before it: "the wrap and the salad are vegan"."""

_MAX_ITEM_WORDS = 6
"""Maximum number of words in an item of a list."""

_MAX_SENTENCE = 1_000
"""Maximum length of a sentence that is searched for lists, in characters."""


def has_bullets(text: str) -> bool:
    """Return True if `text` has several lines with a bullet or number."""
    return len(_BULLETS.findall(text)) > 1


def lists(text: str) -> Iterator[ValueMatch]:
    """Yield the lists in a text, each as a list of its items."""
    if has_bullets(text):
        yield _lines(list(_BULLETS.finditer(text)))
        return
    for match in _LISTED.finditer(text) if len(text) <= _MAX_SENTENCE else ():
        before = _BEFORE.match(match[1].partition(",")[0])
        start = match.start() + (before.end() if before else len(match[1]) - len(match[1].lstrip()))
        last = _PREDICATE.sub("", match[2])
        items = [_ARTICLE.sub("", item.strip()) for item in (*text[start : match.end(1)].split(","), last)]
        if all(0 < len(item.split()) <= _MAX_ITEM_WORDS for item in items):
            yield ValueMatch(list[Json](items), start, match.start(2) + len(last))


def _lines(bullets: list[re.Match[str]]) -> ValueMatch:
    items = [match[1].strip(" .;,") for match in bullets]
    return ValueMatch(list[Json](items), bullets[0].start(1), bullets[-1].start(1) + len(bullets[-1][1].rstrip()))
