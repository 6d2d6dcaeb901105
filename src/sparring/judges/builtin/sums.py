"""Totals that are not the sum of the lines above them."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice, product

from sparring.extraction import typed_values
from sparring.extraction.numbers import number
from sparring.extraction.output_labels import KIND_WORDS, WHOLE
from sparring.extraction.tokens import MAX_MESSAGE, fold, pattern, stems
from sparring.extraction.word_tables import words_of_module
from sparring.judges.builtin.statements import Statement

_WORDS = words_of_module(__name__)
_TOTAL = pattern(_WORDS["total"])
_REDUCED = pattern(_WORDS["reduced"], end=r"\b")
_UNCLEAR = pattern("off", "free", "per", "from", "each", "minus", "less", "cada", "каждый", end=r"\b")
"""Words of lines of which the amount may not count as it is."""

_TOTAL_WORDS = KIND_WORDS["money"] | WHOLE | stems("total grand altogether come due gesamt insgesamt итого")
_QUANTITY = re.compile(r"(?<![\d.,$€£])(\d{1,3})(?:\s*[x×]|\s+(?=[^\W\d]))")
_LINE = re.compile(r"^[ \t]*(?:[-*•·]|\d{1,2}[.)])?[ \t]*(\S.*)$", re.MULTILINE)
_MOST_LINES = 8
_MOST_QUANTITIES = 2
"""Limits of the search for a sum that agrees."""


def wrong_sum(at: int, text: str) -> tuple[Statement, str] | None:
    """Return the total of a reply and the sum of its lines if they cannot agree; None if they may."""
    lines = [(match.start(1), match[1]) for match in _LINE.finditer(text[:MAX_MESSAGE])]
    priced = [
        (start, line, amounts[0]) for start, line in lines if len(amounts := typed_values.find("money", line)) == 1
    ]
    totals = [each for each in priced if _TOTAL.search(fold(each[1]))]
    items = [each for each in priced if each not in totals and each[0] < totals[0][0]] if len(totals) == 1 else []
    if not 2 <= len(items) <= _MOST_LINES or _REDUCED.search(fold(text)):
        return None
    start, line, found = totals[0]
    if _UNCLEAR.search(fold(text[items[0][0] : start + len(line)])):
        return None
    if stems(line.replace(str(found.value), "")) - _TOTAL_WORDS:
        return None
    stated = _amount(str(found.value))
    parts = [list(_possible(each[1], str(each[2].value))) for each in items]
    if stated is None or not all(parts) or len({_unit(str(each[2].value)) for each in (*items, totals[0])}) > 1:
        return None
    if any(sum(each) == stated for each in product(*[(*amounts, Decimal(0)) for amounts in parts])):
        return None
    statement = Statement("sum", frozenset(), str(stated), at, start, start + len(line), line)
    return statement, f"{sum(amounts[0] for amounts in parts):f}"


def _possible(line: str, value: str) -> Iterator[Decimal]:
    """Yield what a line may add: its amount, or its amount times its quantity."""
    amount = _amount(value)
    if amount is not None:
        yield amount
        for match in islice(_QUANTITY.finditer(line.replace(value, "")), _MOST_QUANTITIES):
            yield amount * int(match[1])


def _amount(value: str) -> Decimal | None:
    found = number(value)
    return None if found is None else Decimal(str(found))


def _unit(value: str) -> str:
    return re.sub(r"[\d.,\s]", "", value).casefold()
