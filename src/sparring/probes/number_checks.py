"""Checks of probes that take several of a thing, or several things at once."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from sparring.core.conversation import Conversation
from sparring.extraction.speech_acts import refuses
from sparring.extraction.tokens import NUMBERS, fold, tokens
from sparring.probes.acts import names, settles, total_of, turns_down
from sparring.probes.asking import HOW_MANY
from sparring.probes.examples import whole_example
from sparring.probes.found import AnsweredTurn, Found, exactly, finding
from sparring.probes.limits import most_in
from sparring.probes.notes import Notes
from sparring.probes.offers import offered_in
from sparring.probes.sums import decimal

_TWO, _BEGINNING = 2, 3
"""Letters by which the last word of an item is recognized, also in the singular."""

_TIMES = re.compile(r"\d ?[x×] ")
_A = r"(?:1|one|una?|eine?n?|une?|uma?)"


def quantity(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations of another number than was ordered, or of only some of the options taken."""
    for each in replies:
        if each.turn in notes.prices.values() or not settles(each.text):
            continue
        for item in notes.twice:
            notes.domain.reads_two = notes.domain.reads_two or _named(each.text, item)[0] == _TWO
            if _counts_else(each.text, 2, item):
                continue
            if re.search(rf"\b{_A}\s{re.escape(fold(item))}", fold(each.text)):
                title = f"The chatbot confirms one “{item}” where two were ordered"
                if notes.quantity > 1 or notes.domain.counts:  # else, it may sell one at a time
                    yield finding("quantity", title, each, unwanted=rf"(?i)\b{_A}\s{exactly(item)}")
                return
        kept = [item for item in notes.several if names(each.text, item)]
        if 1 < len(kept) < len(notes.several) and len(offered_in(each.text, notes.language)) < len(notes.several):
            lost = next(item for item in notes.several if item not in kept)
            title = f"The chatbot leaves out “{lost}” of what was taken at once"
            priced = all(map(notes.domain.price_of, notes.several))
            certain = notes.domain.counts and priced  # else, one may have only one of them
            yield finding("left-out", title, each, certain=certain, wanted=f"(?i){exactly(lost)}")
            return


def counted(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find another number than was ordered, a total for another number, and orders of nothing."""
    if notes.numbered is None:
        return
    number, item = notes.numbered
    for each in replies:
        if notes.fewer is not None and each.turn == notes.fewer[0]:
            number = notes.fewer[1]
        if turns_down(each.text) or refuses(each.text) or most_in(each.text) is not None:
            return
        again = any(choice.turn > 1 and item in choice.options for choice in notes.choices)
        again = again or any(item in said.asked and str(number) not in said.asked for said in replies[: each.turn])
        if number == 0 and notes.domain.counts and each.turn in notes.yeses and notes.reports(each.text) and not again:
            yield finding("quantity", f"The chatbot takes an order of 0 “{item}”", each, certain=False)
            return
        if not any(_says(said.asked, number) for said in replies[: each.turn]):
            continue  # it was not ordered
        if number and _counts_else(each.text, number, item):
            return
        named, words = _named(each.text.replace(whole_example(each.text) or "\0", ""), item)
        if named is None or (not _says(each.asked, number) and not settles(each.text)):
            continue
        if named == number == 0:
            title = f"The chatbot takes an order of 0 “{item}”"
            alone = re.search(rf"(?<!\b0 )(?<!\b0 x ){re.escape(fold(item))}", fold(each.text))  # 0 is in an address
            yield finding("quantity", title, each, certain=alone is None, unwanted=f"(?i){exactly(words)}")
            return
        if number and named != number:
            title = f"The chatbot takes {named} “{item}” where {number} were ordered"
            in_words = not any(str(number) in said.asked.split() for said in replies)  # it may read none
            counts = (notes.domain.counts or bool(_TIMES.search(words))) and (notes.domain.reads_two or not in_words)
            yield finding("quantity", title, each, certain=counts, unwanted=f"(?i){exactly(words)}")
            return
        price, total = notes.domain.price_of(item), total_of(each.text)
        if number and price and total and decimal(total) < decimal(price) * number and not notes.domain.fees:
            others = [choice for choice in notes.choices if choice.turn > 1 and item not in choice.options]
            sure = not others or decimal(total) <= decimal(price)  # else, the size may change the price
            yield replace(_wrong_total(each, total, item, number), certain=sure)
            return
        if notes.fewer is not None and each.turn >= notes.fewer[0] and price and total:
            before = notes.numbered[0]
            if decimal(total) in {decimal(price) * before, decimal(price) * (before + number)}:
                yield _wrong_total(each, total, item, number)
                return


def swapped(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find two numbers that were said to two questions, each with the thing of the other."""
    asked = {found["thing"]: answer for each, answer in notes.given.items() if (found := HOW_MANY.search(fold(each)))}
    for (one, first), (other, second) in combinations(asked.items(), 2):
        for each in replies if first != second and notes.changed is None else ():
            stated = [
                re.findall(rf"\b(\d+) {thing[: max(_BEGINNING, len(thing) - 2)]}", fold(each.text))
                for thing in (one, other)
            ]
            if settles(each.text) and stated == [[second], [first]]:
                title = f"The chatbot takes {first} for “{other}” and {second} for “{one}”"
                yield finding("quantity", title, each, unwanted=rf"\b{second} {one[:_BEGINNING]}")
                return


def _says(line: str, number: int) -> bool:
    return str(number) in line.split() or any(NUMBERS.get(each) == number for each in tokens(line))


def _named(text: str, item: str) -> tuple[int | None, str]:
    """Return the number of an item that a text names last, and the words that name it."""
    begins = re.escape(tokens(item)[-1][:_BEGINNING])
    for found in reversed(list(re.finditer(rf"(?=\b((\w+) ?[x×]? ?(?:[^\W\d]{{2,}} ){{0,2}}{begins}))", fold(text)))):
        number = int(found[2]) if found[2].isdigit() else NUMBERS.get(found[2])
        if number is not None:
            return number, found[1]
    return None, ""


def _counts_else(text: str, number: int, item: str) -> bool:
    """Return True if a text has a number of something else than an item: "one bike for 12 day(s)"."""
    begins = tokens(item)[-1][:_BEGINNING]
    counted = re.findall(rf"(?<![\w.,:/$€£-]){number} (?!x\b)([^\W\d_]{{3,}})", fold(text))
    return bool(counted) and not any(each.startswith(begins) for each in counted) and item not in counted


def _wrong_total(reply: AnsweredTurn, total: str, item: str, number: int) -> Found:
    return finding("sum", f"The total of {number} “{item}” is {total}", reply, unwanted=exactly(total))
