"""The check of totals against the prices that a chatbot stated."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from sparring.core.conversation import Conversation
from sparring.extraction import typed_values
from sparring.extraction.numbers import number
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import NUMBERS, fold, mentions, sentences, stems, tokens
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import asks_to_confirm, is_of_one, settles, total_of
from sparring.probes.found import AnsweredTurn, Found, exactly, finding
from sparring.probes.notes import Notes
from sparring.probes.offers import (
    FEE,
    Choice,
    fees_in,
    is_time,
    is_weekday,
    listed_prices,
    price_of,
    prices_in,
    same_name,
)

_WORDS = words_of_module(__name__)
_BEFORE = 20
"""Characters before an amount by which it is recognized."""

PART = re.compile(_WORDS["part"])
_THREE = 3
_REDUCED = re.compile(r"voucher|coupon|gift card|discount|gutschein|rabatt|descuento|remise|sconto|desconto|скидк")

_FREE = r"(?:for )?(?:free|included|gratis|kostenlos|inklusive|gratuit|inclus|gratuito|incluido|incluso|бесплатно)"

_FOR = re.compile(r"\b(?:would you like|do you (?:want|need)|shall i add)\b[^?]* (?:for|at) \D{0,2}\d[\d.,]*\D{0,9}\?$")
"""Offers of something for a separate amount."""

_ORDERING = stems("order book booking reserve place want like would need please take buy get yes confirm total price")
"""Stems of words that are in many wishes and name no thing."""

_NO_THINGS = re.compile(_WORDS["no_things"])
_MORE_THAN_ONE = re.compile(r"\b(?:[2-9]|two|three|four|dos|tres|zwei|drei|deux|trois|due|tre|dois|дв[ае]|три)\b")
"""Numbers in answers, by which prices may be multiplied."""


_Stated = dict[str, tuple[AnsweredTurn | None, str]]
"""Prices of things, each with the reply that stated it."""


def wrong_sum(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find totals that are not the sum of the stated prices."""
    if notes.changed is not None or notes.several:
        return
    if any(_MORE_THAN_ONE.search(fold(each)) for each in notes.given.values() if each != str(notes.quantity)):
        return
    taken = [choice.taken for choice in notes.choices if choice.turn > 1 and _has_price(choice.taken)]
    if any(_REDUCED.search(fold(each.text)) for each in replies):
        return
    offered = _accepted(replies, notes)
    for each in reversed(replies):
        if each.turn in notes.prices.values() or (total := _stated(each, notes)) is None:
            continue
        stated = _stated_prices(replies, notes, taken)
        stated |= offered if stated else {}
        if not stated or not all(mentions(each.text, item) for item in stated) or PART.search(fold(each.text)):
            continue
        sums = _sums(each.text, stated, notes)
        due = max(sums)
        fees = notes.domain.fees.union(*(fees_in(reply.text) for reply in replies))
        if decimal(total) in sums:
            apart = len(stated) > 1 and all(
                said is None or name in offered or only_amount(said.text) is None for name, (said, _) in stated.items()
            )
            notes.domain.summed = notes.domain.summed or apart
        elif decimal(total) in {price + decimal(fee) for price in sums for fee in fees}:
            return
        elif decimal(total) > due and (not notes.domain.summed or _unpriced(each, replies, stated, notes)):
            return  # there may be a price that was never told
        elif decimal(total) < min(sums) or not (fees or FEE.search(fold(" ".join(said.text for said in replies)))):
            title = f"The total is not the sum of the prices: {total} instead of {due}"
            amount = next(found for found in typed_values.find("money", each.text) if str(found.value) == total)
            shown = dict.fromkeys(said for said, _ in stated.values() if said is not None and said != each)
            certain = not min(sums) < decimal(total) < due  # else, a price may count once or for each
            wrong = exactly(each.text[amount.start : amount.end])
            yield finding("sum", title, *shown, each, certain=certain, unwanted=wrong)
        return


def other_price(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a thing with another price in what is to confirm than the user was told for it."""
    if notes.changed is not None or notes.twice or notes.quantity != 1 or len(_without_price(notes)) > 0:
        return
    for item, turn in notes.prices.items() if max(notes.prices.values(), default=0) <= len(replies) else ():
        asked = replies[turn - 1]
        price = price_of(item, asked.text)
        for each in replies if price else ():
            now = {amount for name, amount in listed_prices(each.text) if same_name(name, item)}
            if each.turn > turn and settles(each.text) and len(now) == 1 and decimal(min(now)) != decimal(str(price)):
                title = f"“{item}” costs {price} when asked, and {min(now)} in the end"
                yield finding("price", title, asked, each, unwanted=exactly(min(now)))
                return


def single_price(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a total that exceeds the price of the only thing taken by more, or less, than others do."""
    summary = next((each for each in replies if each.turn + 1 in notes.yeses and asks_to_confirm(each.text)), None)
    price = notes.domain.price_of(notes.priced) if notes.priced else ""
    total = only_amount(summary.text) or total_of(summary.text) if summary else None
    if summary is None or not (price and total) or any(_MORE_THAN_ONE.search(each) for each in notes.given.values()):
        return
    if not mentions(summary.text, notes.priced):
        return
    answers = frozenset((*notes.given.values(), *(each.taken for each in notes.choices)))
    more = notes.domain.more.setdefault(answers, {})
    more[notes.priced] = decimal(total) - decimal(price)
    usual, times = Counter(more.values()).most_common(1)[0]  # such as a fee, or what was taken with each
    if times > 1 and more[notes.priced] != usual:
        title = f"“{notes.priced}” costs {price} when asked, and {decimal(total) - usual} in the end"
        certain = more[notes.priced] > usual  # else, delivery may be free
        yield finding("price", title, summary, certain=certain, unwanted=exactly(total))


def two_prices(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a thing with two prices in answers to questions for prices."""
    known: dict[str, tuple[AnsweredTurn, str]] = {}
    for each in replies if not notes.yeses else ():
        stated = list(listed_prices(each.text, alone=True))
        for name, amount in stated:
            others = {other for item, other in stated if same_name(item, name)}
            first, before = known.setdefault(fold(name), (each, amount)) if len(others) == 1 else (each, amount)
            if decimal(before) != decimal(amount) and not _REDUCED.search(fold(f"{first.text} {each.text}")):
                title = f"“{name}” costs {before}, and {amount} when asked again"
                yield finding("price", title, first, each, unwanted=exactly(amount))
                return


def mixed_sum(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a total of one thing and three of another one that has only one of each."""
    if notes.mixed is None:
        return
    one, other = (decimal(notes.domain.price_of(each) or "0") for each in notes.mixed)
    for each in replies:
        total = total_of(each.text) or only_amount(each.text)
        if total and settles(each.text) and _count(each.text, notes.mixed[1]) == _THREE and one and other:
            if decimal(total) in {one + other, other} and decimal(total) != one + _THREE * other:
                title = f"The total of one “{notes.mixed[0]}” and three “{notes.mixed[1]}” is {total}"
                yield finding("sum", title, each, unwanted=exactly(total))
            return


def extra_twice(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a total that rises by twice the price of one thing that was added."""
    if notes.added is None or not 1 < notes.added[0] <= len(replies):
        return
    turn, item = notes.added
    before, after = replies[turn - 2], replies[turn - 1]
    totals = [total_of(each.text) or only_amount(each.text) for each in (before, after)]
    price = notes.domain.price_of(item)
    if not (all(totals) and price and mentions(after.text, item)) or _count(after.text, item) > 1:
        return
    old, new = (decimal(str(each)) for each in totals)
    if new - old == 2 * decimal(price) != 0:
        title = f"“{item}” for {price} makes the total {totals[1]} instead of {totals[0]}"
        yield finding("sum", title, before, after, unwanted=exactly(str(totals[1])))


def _without_price(notes: Notes) -> list[Choice]:
    """Return the choices that may change the price of something else, such as a size."""
    return [
        each
        for each in notes.choices
        if not (notes.domain.price_of(each.taken) or is_time(each.taken) or is_weekday(each.taken))
    ]


def _accepted(replies: Sequence[AnsweredTurn], notes: Notes) -> _Stated:
    """Return what was offered for its own amount, "a bike for 10 euros", and taken with a yes."""
    found: _Stated = {}
    for each in replies:
        last = sentences(each.text)[-1:] if each.turn + 1 in notes.yeses and not asks_to_confirm(each.text) else ()
        for sentence in last:
            prices = list(prices_in(sentence.text))
            if len(prices) == 1 and sentence.asks and _FOR.search(fold(sentence.text)):
                found[prices[0][0]] = each, prices[0][1]
    return found


def _unpriced(
    reply: AnsweredTurn, replies: Sequence[AnsweredTurn], stated: Mapping[str, object], notes: Notes
) -> frozenset[str]:
    """Return the stems of requested things in a reply whose price was never stated."""
    known = stems(" ".join([*stated, *notes.given.values(), *(choice.taken for choice in notes.choices)])) | _ORDERING
    own = [each.asked for each in replies if each.turn not in (*notes.prices.values(), *notes.yeses)]
    return (stems(" ".join(own)) & stems(reply.text)) - known


def _sums(text: str, stated: _Stated, notes: Notes) -> set[Decimal]:
    """Return the possible sums of prices: times the number of things, or once if no number is named."""
    counted = " ".join(asked for asked, answer in notes.given.items() if answer == str(notes.quantity))
    others = _NO_THINGS.search(fold(counted))
    sums = {Decimal(0)}
    for item, (_, amount) in stated.items():
        named = _count(text, item)
        article = re.search(rf"\ban? {re.escape(fold(item))}", fold(text))
        single = named == 1 and bool(others or item not in notes.twice or article)
        times = {named, notes.quantity} if single else {max(named, notes.quantity)}
        times |= {1} if _PERSONS.search(fold(counted)) else set()
        sums = {each + decimal(amount) * number for each in sums for number in times}
    return sums


_PERSONS = re.compile(
    r"\b(?:passengers?|persons?|people|travell?ers?|guests?|personen|personas|personnes|persone|pessoas)\b"
)
"""Persons may share what has one price."""


def _has_price(option: str) -> bool:
    """Return True unless an option is a time, a weekday or nothing at all."""
    return not (is_time(option) or is_weekday(option) or is_denial(option))


def _stated(reply: AnsweredTurn, notes: Notes) -> str | None:
    """Return the one amount that a reply asks to confirm or to charge; None if there is none."""
    if not (reply.turn in notes.yeses or reply.turn + 1 in notes.yeses):
        return None
    return only_amount(reply.text) or total_of(reply.text)


def only_amount(text: str) -> str | None:
    """Return the amount in a text; None if there is none, several, or that of a fee or of one thing."""
    found = typed_values.find("money", text)
    amounts = {str(each.value) for each in found}
    return amounts.pop() if len(amounts) == 1 and not any(is_of_one(text[each.end :]) for each in found) else None


def _stated_prices(replies: Sequence[AnsweredTurn], notes: Notes, taken: Sequence[str]) -> _Stated:
    """Return the prices of the options taken, each with the reply that stated it.

    Empty if one is unknown.
    """
    stated: _Stated = {
        item: (replies[turn - 1], amount)
        for item, turn in notes.prices.items()
        if turn <= len(replies) and (amount := price_of(item, replies[turn - 1].text)) is not None
    }
    for each in (reply for reply in replies if reply.turn not in notes.prices.values()):
        priced = [found for sentence in sentences(each.text) for found in prices_in(sentence.text)]
        for name, amount in priced:
            new = [item for item in taken if same_name(name, item) and not any(mentions(at, item) for at in stated)]
            several = any(same_name(name, other) and amount != price for other, price in priced)  # under headings
            stated |= {} if several else dict.fromkeys(new, (each, amount))
    for each in (reply for reply in replies if not settles(reply.text)):
        free = [item for item in taken if re.search(rf"{re.escape(fold(item))} ?\({_FREE}\)", fold(each.text))]
        stated |= dict.fromkeys((item for item in free if item not in stated), (each, "0"))
    for choice in notes.choices:
        if (price := notes.domain.price_of(choice.taken)) and not any(mentions(item, choice.taken) for item in stated):
            stated[choice.taken] = None, price
    return stated if all(any(mentions(item, each) for item in stated) for each in taken) else {}


def decimal(amount: str) -> Decimal:
    return Decimal(str(number(amount)))


def _count(text: str, item: str) -> int:
    """Return how many of an item a reply names: "two small pizzas", but one in "$10, small pizza"."""
    for amount in reversed(typed_values.find("money", text)):
        text = f"{text[: amount.start]};{text[amount.end :]}"
    text = re.sub(r"\d+(?=[,;:)])", "", text)  # a number before a comma is of another thing: "model 12, screen"
    words, first = [word for word in tokens(text) if word != "x"], tokens(item)[0]
    before = next((words[at - 1] for at, word in enumerate(words) if at and mentions(word, first)), "")
    return NUMBERS.get(before) or (int(before) if before.isdigit() and len(before) < 3 else 1)


def stated_as(text: str, amount: str) -> str:
    """Return a pattern for an amount in a reply with the words before it."""
    at = next(each for each in typed_values.find("money", text) if str(each.value) == amount)
    return exactly(text[max(0, at.start - _BEFORE) : at.end])
