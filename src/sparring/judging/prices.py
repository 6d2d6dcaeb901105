"""Prices that cannot be right: an amount that comes from nowhere, and a line of a cart that costs another one later."""

from collections.abc import Iterator
from itertools import chain

from sparring.core.conversation import Conversation, Evidence
from sparring.core.value import Json
from sparring.judging.cart import FIELDS, Fields, Line, carts
from sparring.reading import typed
from sparring.reading.numbers import number

_MOST = 1_000
"""As many of a thing as a chatbot may have multiplied a price with."""


def invented(conversation: Conversation, fields: Fields = FIELDS) -> tuple[Evidence, ...]:
    """The amounts that the chatbot names and has from nobody, one of each message.

    It has amounts from its tools, from the user and from what the case says, and may multiply them by a quantity and
    add them up. Where no tool tells any price, the chatbot was told them in its prompt, which nobody sees.
    """
    if not any(line.price is not None for lines in carts(conversation, fields) for line in lines):
        return ()
    known = {*_numbers(list(conversation.case.variables.values())), *_totals(conversation, fields)}
    found: list[Evidence] = []
    for at, message in enumerate(conversation.messages):
        known |= {each for call in message.tool_calls for each in _numbers(call.result)}
        if message.role == "user" or message.injected or at < len(conversation.case.history):
            known |= set(_numbers(message.text))
            continue
        named = [(each, number(str(each.value))) for each in typed.find("money", message.text)]
        wrong = next((each for each, amount in named if amount is not None and not _is_known(amount, known)), None)
        if wrong is not None:
            text = message.text[wrong.start : wrong.end]
            found.append(Evidence(at=at, start=wrong.start, end=wrong.end, text=text))
        known |= {float(amount) for _, amount in named if amount is not None}
    return tuple(found)


def raised(conversation: Conversation, fields: Fields = FIELDS) -> tuple[tuple[Line, float], ...]:
    """The lines that cost something else than the same line of a cart did before, with what it was before."""
    before: dict[tuple[str, float | None, str], float] = {}
    found: dict[str, tuple[Line, float]] = {}
    for line in chain.from_iterable(carts(conversation, fields)):
        same = (line.code or line.name, line.quantity, line.packaging)
        if line.price is not None and before.setdefault(same, line.price) != line.price:
            found[line.name or line.code] = (line, before[same])
    return tuple(found.values())


def _is_known(amount: float, known: set[float]) -> bool:
    """Whether it is an amount that is known, some of them, or two together, as of an order and its delivery."""
    if amount in known:
        return True
    multiplied = any(round(amount / each, 6) in known for each in known if 1 < each <= _MOST and each == int(each))
    return multiplied or any(round(amount - each, 6) in known for each in known)


def _totals(conversation: Conversation, fields: Fields) -> Iterator[float]:
    """What whole carts cost, whether their lines have prices of one or of all."""
    for lines in carts(conversation, fields):
        yield sum(line.price or 0 for line in lines)
        yield sum((line.price or 0) * (line.quantity or 1) for line in lines)


def _numbers(value: Json) -> Iterator[float]:
    """Every number in a value, also those that are written in its texts."""
    if isinstance(value, str):
        for found in (*typed.find("float", value), *typed.find("money", value)):
            amount = number(str(found.value))
            if amount is not None:
                yield float(amount)
    elif isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _numbers(inner)
