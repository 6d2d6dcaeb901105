"""Prices that cannot be right: an amount that comes from nowhere, and a line of a cart that costs another one later."""

from collections.abc import Iterator, Sequence
from itertools import chain

from sparring.core.conversation import Conversation, Evidence
from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.numbers import number
from sparring.judges.cart import Cart, Line

_MOST = 1_000
"""As many of a thing as a chatbot may have multiplied a price with."""


def invented(conversation: Conversation, carts: Sequence[Cart]) -> tuple[Evidence, ...]:
    """The amounts that the chatbot names and has from nobody, one of each message.

    It has amounts from its tools, from the user and from what the case says, and may multiply them by a quantity and
    add them up. Where no tool tells any price, the chatbot was told them in its prompt, which nobody sees.
    """
    if not any(line.price is not None for lines in carts for line in lines):
        return ()
    wrong = (
        _wrong(conversation, at, carts) for at in range(len(conversation.case.history), len(conversation.messages))
    )
    return tuple(evidence for evidence in wrong if evidence is not None)


def raised(carts: Sequence[Cart]) -> tuple[tuple[Line, float], ...]:
    """The lines that cost something else than the same line of a cart did before, with what it was before."""
    before: dict[tuple[str, float | None, str], float] = {}
    found: dict[str, tuple[Line, float]] = {}
    for line in chain.from_iterable(carts):
        same = (line.code or line.name, line.quantity, line.packaging)
        if line.price is not None and before.setdefault(same, line.price) != line.price:
            found[line.name or line.code] = (line, before[same])
    return tuple(found.values())


def _wrong(conversation: Conversation, at: int, carts: Sequence[Cart]) -> Evidence | None:
    """The first amount in a message of the chatbot's that comes from nowhere."""
    message = conversation.messages[at]
    if message.role == "user" or message.injected:
        return None
    known: set[float] | None = None
    for each in typed_values.find("money", message.text):
        text = message.text[each.start : each.end]
        # Mostly it says what a tool has just said, in the very words: then nothing else has to be looked through.
        if any(_has(call.result, text) for call in message.tool_calls):
            continue
        amount = number(text)
        known = _known(conversation, at, carts) if known is None else known
        if amount is not None and not _is_known(amount, known):
            return Evidence(at=at, start=each.start, end=each.end, text=text)
    return None


def _has(value: Json, text: str) -> bool:
    if isinstance(value, str):
        return text in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_has(each, text) for each in inner)


def _known(conversation: Conversation, at: int, carts: Sequence[Cart]) -> set[float]:
    """The numbers that the chatbot may have by its message `at`, with what it named before."""
    known = {*_numbers(list(conversation.case.variables.values())), *_totals(carts)}
    for message in conversation.messages[: at + 1]:
        known |= {each for call in message.tool_calls for each in _numbers(call.result)}
    for message in conversation.messages[:at]:
        known |= set(_numbers(message.text))
    return known


def _is_known(amount: float, known: set[float]) -> bool:
    """Whether it is an amount that is known, some of them, or two together, as of an order and its delivery."""
    if amount in known:
        return True
    multiplied = any(round(amount / each, 6) in known for each in known if 1 < each <= _MOST and each == int(each))
    return multiplied or any(round(amount - each, 6) in known for each in known)


def _totals(carts: Sequence[Cart]) -> Iterator[float]:
    """What whole carts cost, whether their lines have prices of one or of all."""
    for lines in carts:
        yield sum(line.price or 0 for line in lines)
        yield sum((line.price or 0) * (line.quantity or 1) for line in lines)


def _numbers(value: Json) -> Iterator[float]:
    """Every number in a value, also those that are written in its texts."""
    if isinstance(value, str):
        for found in (*typed_values.find("float", value), *typed_values.find("money", value)):
            amount = number(str(found.value))
            if amount is not None:
                yield float(amount)
    elif isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _numbers(inner)
