"""Totals that are not the sum of the lines above them, and charges other than agreed."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain, islice, product

from sparring.core.conversation import Conversation
from sparring.extraction import typed_values
from sparring.extraction.numbers import number
from sparring.extraction.output_labels import KIND_WORDS, WHOLE
from sparring.extraction.speech_acts import asks_to_confirm, is_denial
from sparring.extraction.tokens import MAX_MESSAGE, Sentence, fold, pattern, sentences, stems
from sparring.extraction.word_tables import words_of_module
from sparring.judges.builtin.statements import Statement, plain_value, statements

_WORDS = words_of_module(__name__)
_TOTAL = pattern(_WORDS["total"])
_REDUCED = pattern(_WORDS["reduced"], end=r"\b")
_UNCLEAR = pattern("off", "free", "per", "from", "each", "minus", "less", "cada", "каждый", end=r"\b")
"""Words of lines of which the amount may not count as it is."""

_TOTAL_WORDS = KIND_WORDS["money"] | WHOLE | stems("total grand altogether come due gesamt insgesamt итого")
_QUANTITY = re.compile(r"(?<![\d.,$€£])(\d{1,3})(?:\s*[x×]|\s+(?=[^\W\d]))")
_LINE = re.compile(r"^[ \t]*(?:[-*•·]|\d{1,2}[.)])?[ \t]*(\S.*)$", re.MULTILINE)
_LEAST_BREAKS = 2
"""Line breaks between two lines and their total."""

_MOST_LINES = 8
_MOST_QUANTITIES = 2
"""Limits of the search for a sum that agrees."""


def wrong_sum(at: int, text: str) -> tuple[Statement, str] | None:
    """Return the total of a reply and the sum of its lines if they cannot agree; None if they may."""
    if text.count("\n") < _LEAST_BREAKS:
        return None
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


_CHARGES = pattern(_WORDS["charges"], end=r"\b")
_PARTS = pattern(_WORDS["parts"], end=r"\b")
"""Words of amounts that are not the whole, or that are due under a condition."""

_DUE = (frozenset({"total"}), frozenset({"due"}))


def other_charge(
    conversation: Conversation, asked: int, at: int, stated: Sequence[Statement]
) -> tuple[Statement, Statement] | None:
    """Return what reply `asked` named to confirm, and what reply `at` charges instead.

    `stated` are the statements of reply `at`.
    """
    earlier, later = (conversation.messages[each].text[:MAX_MESSAGE] for each in (asked, at))
    if "?" not in earlier or (charged := _charged(at, later, stated)) is None:
        return None
    if (agreed := _agreed(asked, earlier)) is None:
        return None
    if charged.value in _amounts(earlier) or _unit_of(agreed) != _unit_of(charged):
        return None
    replies = [each.text for each in conversation.messages[: at + 1] if each.role == "chatbot"]
    return None if any(_PARTS.search(fold(text)) for text in replies) else (agreed, charged)


def _agreed(at: int, text: str) -> Statement | None:
    """Return the total of a reply that asks only to confirm it.

    Of a reply without a total it is the only amount if that is a price.
    """
    questions = [each for each in sentences(text) if each.asks]
    if not questions or not asks_to_confirm(questions[-1].text) or len(questions) > 1:
        return None
    stated = [each for each in statements(at, text) if each.kind == "money"]
    totals = [each for each in stated if each.key in _DUE]
    return next(iter(totals or (stated if len(_amounts(text)) == 1 else [])), None)


def _charged(at: int, text: str, stated: Sequence[Statement]) -> Statement | None:
    """Return the only amount of a reply if it says that it is charged or due."""
    if len(_amounts(text)) != 1:
        return None
    due = (each for each in stated if each.kind == "money" and each.key in _DUE)
    return next(chain(due, _charges(at, text)), None)


def _charges(at: int, text: str) -> Iterator[Statement]:
    for each in sentences(text):
        if not each.asks and _CHARGES.search(fold(each.text)) and not is_denial(each.text):
            for value in _amounts(each.text):
                yield _charge(at, each, value)


def _charge(at: int, said: Sentence, value: str) -> Statement:
    return Statement("money", frozenset({"charge"}), value, at, said.start, said.end, said.text)


def _amounts(text: str) -> list[str]:
    """Return the different amounts of money in a text, in one notation."""
    return list(dict.fromkeys(plain_value("money", str(each.value)) for each in typed_values.find("money", text)))


def _unit_of(stated: Statement) -> str:
    return stated.value.partition(" ")[2]
