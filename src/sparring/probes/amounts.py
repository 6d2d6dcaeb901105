"""Probes of amounts: large and negative numbers, free delivery, limits, and what is changed."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import combinations, product

from sparring.extraction.tokens import fold, mentions
from sparring.probes.arithmetic import ledger_in
from sparring.probes.cancelling import to_the_end, until
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.quantities import order_number
from sparring.probes.sums import decimal
from sparring.probes.walker import Walker

_AMOUNT = "50"
_BEFORE, _AFTER = "900", "500"
"""An amount, and the one to which it is changed."""

_MOST_THINGS, _MOST_OF_EACH = 2, 6
_LABEL = r"(?P<label>[^\W\d][^\n:;,.(]{1,24}): ?(?:[€$£] ?)?"


def large_number(walker: Walker, notes: Notes) -> Lines:
    """Answer a question for an amount with more than a thousand, as the language writes it: "1,200"."""
    large = str(lines_of(walker.language)["large"])
    walker.instead = {_AMOUNT: large}
    reply = yield lines_of(walker.language)["hello"]
    yield from to_the_end(walker, reply)
    if large in walker.given.values():
        notes.large = large
    else:
        notes.missed = "the chatbot asked for no amount"


def negative_number(walker: Walker, notes: Notes) -> Lines:
    """Take less than nothing of a thing."""
    reply = yield from order_number(walker, notes, -2)
    notes.negative, notes.numbered = notes.numbered or (-2, ""), None
    if reply is None and notes.missed:
        walker.quantity = "-2"
        reply = yield lines_of(walker.language)["hello"]
        yield from to_the_end(walker, reply)
        notes.missed = "" if "-2" in walker.given.values() else "the chatbot asked for no number"


def free_delivery(walker: Walker, notes: Notes) -> Lines:
    """Order things for exactly the amount from which delivery is free."""
    prices = {name: decimal(price) for name, price in walker.domain.prices.items() if price}
    limit = walker.domain.free_from
    parts = next(_adding_up(prices, limit), {}) if limit else {}
    if not parts:
        notes.missed = "the chatbot named no amount from which delivery is free"
        return
    lines = lines_of(walker.language)
    wish = ", ".join(f"{number} {name}" for name, number in parts.items())
    yield lines["hello"]
    walker.wishes.clear()
    walker.eager = False
    reply = yield lines["take"].format(item=wish)
    yield from to_the_end(walker, reply)


def _adding_up(prices: Mapping[str, Decimal], limit: Decimal) -> Iterator[dict[str, int]]:
    """Yield numbers of up to two things whose prices add up to a limit."""
    for size in range(1, _MOST_THINGS + 1):
        for names in combinations(prices, size):
            for numbers in product(range(1, _MOST_OF_EACH + 1), repeat=size):
                if sum(prices[name] * number for name, number in zip(names, numbers, strict=True)) == limit:
                    yield dict(zip(names, numbers, strict=True))


def month_end(walker: Walker, notes: Notes) -> Lines:
    """Stay from the end of one month to the beginning of the next."""
    if not walker.domain.stays:
        notes.missed = "the chatbot speaks of no nights"
        return
    lines = lines_of(walker.language)
    first, walker.until_day = lines["month_end"]
    walker.days = (first,)
    reply = yield lines["hello"]
    yield from to_the_end(walker, reply)
    if not walker.tried_day:
        notes.missed = "the chatbot asked for no day"


def amount_correction(walker: Walker, notes: Notes) -> Lines:
    """Change an amount when the chatbot asks to confirm, by the name that it gives it."""
    walker.instead = {_AMOUNT: _BEFORE}
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    named = re.search(rf"{_LABEL}{_BEFORE}\b", reply) if line is not None else None
    if named is None:
        notes.missed = "the chatbot repeated no amount before it asked to confirm"
        return
    reply = yield lines["change"].format(label=named["label"].strip(), new=_AFTER)
    yield from to_the_end(walker, reply)


def remove_one(walker: Walker, notes: Notes) -> Lines:
    """Take two things, and remove one of them when the chatbot asks to confirm."""
    things = [name for name, price in walker.domain.prices.items() if price][:_MOST_THINGS]
    lines = lines_of(walker.language)
    if len(things) > 1:
        walker.wishes = [str(lines["take"].format(item=", ".join(f"2 {each}" for each in things)))]
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    items = ledger_in(reply).items if line is not None else ()
    if len(items) < _MOST_THINGS:
        notes.missed = "the chatbot listed no two things before it asked to confirm"
        return
    reply = yield lines["remove"].format(item=items[-1][1])
    yield from to_the_end(walker, reply)


def late_limit(walker: Walker, notes: Notes) -> Lines:
    """Give one more than the most that the chatbot names for what was taken, when it asks to confirm."""
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    for name, most in walker.domain.limits.items() if line is not None else ():
        counted = re.search(rf"\b{most} (?P<unit>[^\W\d]{{4,}})|\b{most - 1} (?P<fewer>[^\W\d]{{4,}})", fold(reply))
        if counted and mentions(reply, name):
            unit = counted["unit"] or counted["fewer"]
            notes.late_limit = notes.next, name, f"{most + 1} {unit}"
            reply = yield lines["number"].format(number=most + 1, unit=unit)
            yield from to_the_end(walker, reply)
            return
    notes.missed = "the chatbot named no limit of what it took"
