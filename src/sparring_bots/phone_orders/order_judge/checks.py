"""Checks of an order against the conversation: requested items, claims, and prices."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, Evidence
from sparring.core.message import Message, Role
from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.numbers import number
from sparring.extraction.speech_acts import is_completion
from sparring.extraction.tokens import sentences, stems
from sparring_bots.phone_orders.order_judge.recorded_order import Cart, RecordedLine
from sparring_bots.phone_orders.packaging import packaging_in

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class RequestedItem:
    """A requested item; fields that are empty or None match anything."""

    name: str
    code: str
    quantity: float | None
    packaging: str
    as_before: bool = False


def requested_items(case: Case) -> tuple[RequestedItem, ...]:
    """Return the items that the case requests, without those that are taken back later."""
    goal = next((value for name, value in case.variables.items() if name.upper() == "ORDER_GOAL"), None)
    entries = goal if isinstance(goal, list) else []
    return tuple(_wanted(each) for each in entries if isinstance(each, dict) and not each.get("removed"))


def variable(case: Case, name: str) -> str:
    """Return a variable as text, case-insensitively; "" if it is missing or no single value."""
    value = next((value for key, value in case.variables.items() if key.upper() == name and value), None)
    return str(value) if isinstance(value, str | int) else ""


def _wanted(item: Mapping[str, Json]) -> RequestedItem:
    qty = item.get("qty")
    number = _NUMBER.search(str(qty)) if qty is not None else None
    packaging = str(item.get("packaging") or "") or (packaging_in(str(qty)) if isinstance(qty, str) else "")
    quantity = float(number[0].replace(",", ".")) if number else None
    code, as_before = str(item.get("code") or ""), bool(item.get("from_history"))
    return RequestedItem(str(item.get("name", "")), code, quantity, packaging, as_before)


def claim(conversation: Conversation) -> tuple[Evidence, ...]:
    """Return the last words with which the chatbot claims that the order is placed."""
    for at, message in reversed(list(_said(conversation, "chatbot"))):
        for sentence in sentences(message.text):
            if is_completion(sentence.text) and not sentence.asks:
                return (Evidence(at=at, start=sentence.start, end=sentence.end, text=sentence.text),)
    return ()


def claimed_unnamed(conversation: Conversation, items: Sequence[RequestedItem]) -> tuple[str, ...]:
    """Return items that a chatbot with invisible tools agreed to or claimed without ever naming them."""
    agreed = claim(conversation) or any(goal.answered for goal in conversation.goals)
    return _unnamed(conversation, items, "chatbot") if agreed and not conversation.reports_tools else ()


def never_asked_for(conversation: Conversation, items: Sequence[RequestedItem]) -> tuple[str, ...]:
    """Return items that the user never requested although it ended the conversation itself.

    These are not the chatbot's fault. If two items share a word, the user must have said a word that distinguishes
    them: a request for rye flour is not one for wheat flour. Items that are wanted as before need not be named.
    """
    if conversation.ending not in (Ending.GOALS_ANSWERED, Ending.USER_DONE):
        return ()
    before = {item.name for item in items if item.as_before}
    return tuple(name for name in _unnamed(conversation, items, "user") if name not in before)


def _unnamed(conversation: Conversation, items: Sequence[RequestedItem], role: Role) -> tuple[str, ...]:
    said = stems("\n".join(message.text for _, message in _said(conversation, role)))
    names = [stems(item.name) for item in items]
    found = []
    for item, name in zip(items, names, strict=True):
        others = frozenset[str]().union(*(other for other in names if other != name))
        words = (name - others) or name
        if words and words.isdisjoint(said) and (not item.code or stems(item.code).isdisjoint(said)):
            found.append(item.name)
    return tuple(found)


def _said(conversation: Conversation, role: Role) -> Iterator[tuple[int, Message]]:
    """Yield the messages of one side in the conversation itself, with their positions."""
    for at, message in enumerate(conversation.messages):
        if at >= len(conversation.case.history) and message.role == role and not message.injected:
            yield at, message


_MOST = 1_000
"""The largest quantity by which a chatbot may have multiplied a price."""


def invented(conversation: Conversation, carts: Sequence[Cart]) -> tuple[Evidence, ...]:
    """Return amounts of unknown origin that the chatbot states, at most one for each message.

    Known amounts are in tool results, in messages of the user and in variables, multiplied by a quantity, or are sums
    of these. If no tool returns prices, they are in the prompt, which is not recorded.
    """
    if not any(line.price is not None for lines in carts for line in lines):
        return ()
    wrong = (
        _wrong(conversation, at, carts) for at in range(len(conversation.case.history), len(conversation.messages))
    )
    return tuple(evidence for evidence in wrong if evidence is not None)


def raised(carts: Sequence[Cart]) -> tuple[tuple[RecordedLine, float], ...]:
    """Return lines with another price than the same line had before, each with the earlier price."""
    before: dict[tuple[str, float | None, str], float] = {}
    found: dict[str, tuple[RecordedLine, float]] = {}
    for line in chain.from_iterable(carts):
        same = (line.code or line.name, line.quantity, line.packaging)
        if line.price is not None and before.setdefault(same, line.price) != line.price:
            found[line.name or line.code] = (line, before[same])
    return tuple(found.values())


def _wrong(conversation: Conversation, at: int, carts: Sequence[Cart]) -> Evidence | None:
    """Return the first amount of unknown origin in a message of the chatbot."""
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
    """Return the numbers that the chatbot may know at message `at`, including those it stated before."""
    known = {*_numbers(list(conversation.case.variables.values())), *_totals(carts)}
    for message in conversation.messages[: at + 1]:
        known |= {each for call in message.tool_calls for each in _numbers(call.result)}
    for message in conversation.messages[:at]:
        known |= set(_numbers(message.text))
    return known


def _is_known(amount: float, known: set[float]) -> bool:
    """Return True for a known amount, a multiple of one, or a sum of two, such as order and delivery."""
    if amount in known:
        return True
    multiplied = any(round(amount / each, 6) in known for each in known if 1 < each <= _MOST and each == int(each))
    return multiplied or any(round(amount - each, 6) in known for each in known)


def _totals(carts: Sequence[Cart]) -> Iterator[float]:
    """Yield the totals of carts, both for unit prices and for line totals."""
    for lines in carts:
        yield sum(line.price or 0 for line in lines)
        yield sum((line.price or 0) * (line.quantity or 1) for line in lines)


def _numbers(value: Json) -> Iterator[float]:
    """Yield every number in a value, including those in its texts."""
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
