"""Probes of prices and numbers: what things cost, and how many of them are taken."""

import re
from collections.abc import Callable, Generator

from sparring.extraction import typed_values
from sparring.extraction.tokens import mentions
from sparring.probes.cancelling import to_the_end, until
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.offers import is_time, is_weekday, price_of
from sparring.probes.walker import Walker

_MOST_PRICES = 5
_SEVERAL = 3
_ONE = re.compile(r"\b(?:an?|one) (\w+)(?=[.,]|$)")


def prices(walker: Walker, notes: Notes) -> Lines:
    """Ask for the prices of what was taken before, and take it."""
    if (yield from _ask_prices(walker, notes)):
        yield from _order(walker, walker.wishes[0] if walker.wishes else "")


def two_of_each(walker: Walker, notes: Notes) -> Lines:
    """Ask for the prices of what was taken before, and take two of each."""
    if (yield from _ask_prices(walker, notes)):
        two = lines_of(walker.language)["two"]
        taken = walker.domain.taken
        notes.twice = [each for each in taken if each in notes.prices or walker.domain.price_of(each)]
        walker.said_as = {item: f"{two} {item}" for item in notes.twice}
        walker.quantity = "2"
        wish = walker.wishes.pop(0) if walker.wishes else ""
        yield from _order(walker, _ONE.sub(rf"{two} \1s", wish) if walker.language == "en" else wish)


def _ask_prices(walker: Walker, notes: Notes) -> Generator[str, str, bool]:
    """Ask for the price of each item, and of those without one together with another: "small latte"."""
    lines = lines_of(walker.language)
    yield lines["hello"]
    without: list[str] = []
    things = [each for each in walker.domain.taken if not is_time(each) and not is_weekday(each)]
    for taken in things[:_MOST_PRICES]:
        reply = yield from _ask_price(taken, lines["price"], notes)
        if taken not in notes.prices and typed_values.find("money", reply):
            without.append(taken)
    for each in without:
        others = [*notes.prices, *(other for other in without if other != each)]
        for other in others[:_SEVERAL] if not any(mentions(item, each) for item in others) else ():
            yield from _ask_price(f"{each} {other}", lines["price"], notes)
            if f"{each} {other}" in notes.prices:
                notes.prices.pop(other, None)
                break
    if not (notes.prices or any(map(walker.domain.price_of, things))):
        notes.missed = "the chatbot told no price of what the user took"
    walker.prefers += walker.domain.taken
    return not notes.missed


def _ask_price(item: str, question: str, notes: Notes) -> Generator[str, str, str]:
    at = notes.next
    reply = yield question.format(item=item)
    if price_of(item, reply) is not None:
        notes.prices[item] = at
    return reply


def _order(walker: Walker, wish: str) -> Lines:
    walker.wishes.clear()
    reply = yield wish or lines_of(walker.language)["order"]
    yield from to_the_end(walker, reply)


def several(walker: Walker, notes: Notes) -> Lines:
    """Take three options at once of the last question that offers so many."""
    menus = [menu for menu in walker.domain.menus if menu != walker.domain.tasks]
    menus.sort(key=lambda menu: any(map(walker.domain.price_of, menu)))
    three = next((menu[:3] for menu in reversed(menus) if len(menu) > _SEVERAL), ())
    if not three:
        notes.missed = "the chatbot offered no list of more than three options"
        return
    notes.several = three
    walker.prefers += three
    walker.said_as = dict.fromkeys(three, ", ".join(three))
    if all(map(walker.domain.price_of, three)):
        walker.wishes, walker.eager = [str(lines_of(walker.language)["take"].format(item=", ".join(three)))], True
    reply = yield lines_of(walker.language)["hello"]
    yield from to_the_end(walker, reply)


def dozen(walker: Walker, notes: Notes) -> Lines:
    """Take twelve of one thing, and only three of it when the chatbot asks to confirm."""
    reply = yield from order_number(walker, notes, 12)
    if reply is not None and notes.numbered is not None:
        _, item = notes.numbered
        notes.fewer = (notes.next, 3)
        reply = yield lines_of(walker.language)["only"].format(item=f"3 {item}")
        yield from to_the_end(walker, reply)


def none_of_it(walker: Walker, notes: Notes) -> Lines:
    """Take a thing zero times."""
    if (reply := (yield from order_number(walker, notes, 0))) is not None:
        reply = yield walker.yes
        yield from to_the_end(walker, reply)


def order_number(walker: Walker, notes: Notes, number: int, word: str = "") -> Generator[str, str, str | None]:
    """Take a number of a thing until the chatbot asks to confirm, and return its question."""
    priced = [each for each in (*walker.domain.taken, *walker.domain.items) if walker.domain.price_of(each)]
    item = next((each for each in priced if not is_time(each) and not is_weekday(each)), "")
    if not item:
        notes.missed = "the chatbot told no price of what the user took"
        return None
    notes.numbered, walker.quantity = (number, item), str(number)
    walker.prefers.append(item)
    walker.said_as = {item: f"{word or number} {item}"}
    lines = lines_of(walker.language)
    walker.wishes, walker.eager = [lines["take"].format(item=f"{word or number} {item}")], True
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    return reply if line is not None else None


def priced(nth: int) -> Callable[[Walker, Notes], Lines]:
    """Return a probe that takes only the n-th thing of those with a price, and nothing that costs extra."""

    def play(walker: Walker, notes: Notes) -> Lines:
        things = [name for name, price in walker.domain.prices.items() if price]
        if len(things) <= nth:
            notes.missed = "the chatbot told no more prices"
            return
        notes.priced = things[nth]
        walker.declines = True
        yield from _take_whole(walker, things[nth])

    return play


def one_and_three(walker: Walker, notes: Notes) -> Lines:
    """Take one of a thing and three of another one in the same message."""
    things = [name for name, price in walker.domain.prices.items() if price]
    if len(things) < 2 or not walker.domain.counts:
        notes.missed = "the chatbot told no prices of things that it counts"
        return
    notes.mixed = things[0], things[-1]
    yield from _take_whole(walker, f"1 {things[0]}, 3 {things[-1]}")


def _take_whole(walker: Walker, item: str) -> Lines:
    lines = lines_of(walker.language)
    walker.wishes, walker.eager = [lines["take"].format(item=item)], True
    reply = yield lines["hello"]
    yield from to_the_end(walker, reply)


def extra(walker: Walker, notes: Notes) -> Lines:
    """Add another thing with a price when the chatbot asks to confirm."""
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    offered = {each for choice in walker.choices for each in choice.options}
    priced = [name for name, price in walker.domain.prices.items() if price and not mentions(reply, name)]
    things = [each for each in priced if not any(mentions(each, option) for option in offered)]
    if line is None or not things:
        notes.missed = "the chatbot told the price of nothing else"
        return
    notes.added = notes.next, things[0]
    reply = yield lines["add"].format(item=things[0])
    yield from to_the_end(walker, reply)


def five_in_words(walker: Walker, notes: Notes) -> Lines:
    """Take five of a thing, as a word."""
    five = lines_of(walker.language)["five"]
    if (yield from order_number(walker, notes, 5, five)) is not None:
        yield walker.yes


def price_list(walker: Walker, notes: Notes) -> Lines:
    """Ask for the prices, for the menu, and for the price of two things."""
    lines = lines_of(walker.language)
    yield lines["hello"]
    yield lines["facts"][1][0]
    yield lines["options"]
    things = [name for name, price in walker.domain.prices.items() if price]
    for each in dict.fromkeys((*things[:1], *things[-1:])):
        yield lines["price"].format(item=each)
