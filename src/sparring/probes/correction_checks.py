"""Checks of probes that correct what was chosen: the last value wins, and nothing else changes."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sparring.core.conversation import Conversation
from sparring.extraction import typed_values
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.speech_acts import is_agreement
from sparring.extraction.tokens import fold, mentions, sentences, stems
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import affirms, asks_to_confirm, names, settles, total_of, turns_down
from sparring.probes.domain import CLOSED
from sparring.probes.found import AnsweredTurn, Found, exactly, finding, questions_in, stating
from sparring.probes.notes import Notes
from sparring.probes.offers import asks_for_change, fees_in, offered_in
from sparring.probes.sums import decimal

_WORDS = words_of_module(__name__)
_SAME_END = 40
"""Characters at the end of a reply by which it is the same as the one before."""

_TAKES = re.compile(rf"\b(?:{_WORDS['takes']})\b")
_KINDS = ("date", "time", "duration", "phone", "email")
_INSISTS = re.compile(r"\b(?:please|bitte|por favor|per favore)\W+(?:antwort|answer|reply|respond|say|type|rispond)")
"""Words of replies that do not take a message for an answer: "Please answer yes or no."."""


def last_value(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations that name a value before a correction, and not the one after it."""
    last = notes.newest or notes.new
    if notes.changed is None or _is_same_time(notes.old, last):
        return
    if any(each.turn == notes.changed and is_fallback(sentences(each.text)[0].text) for each in replies if each.text):
        return  # it says that it did not understand it
    refused = [
        after.turn
        for before, after in pairwise(replies)
        if after.turn >= notes.changed
        and (turns_down(after.text) or passes_over(before, after) or _misses(before, after, notes))
    ]
    for each in replies:
        repeats = each.turn == notes.changed > 1 and each.text == replies[each.turn - 2].text
        settled = settles(each.text) or notes.reports(each.text) or repeats
        if each.turn < (notes.again or notes.changed) or not settled:
            continue
        if each.turn in notes.yeses and notes.reports(each.text) and mentions(each.text, last):
            return  # it is done, and what follows is another task
        if len(offered_in(each.text, notes.language)) > 1:
            continue
        if added := _added(each.text, notes):
            title = f"A correction is added: “{added}” after “{notes.old}” → “{last}”"
            yield finding("correction", title, each, unwanted=exactly(added))
            return
        old = next((value for value in (notes.old, notes.new) if value != last and affirms(each.text, value)), "")
        if old and not mentions(each.text, last):
            title = f"A correction is not applied: “{old}” → “{last}”"
            straight = notes.again is None or any(
                said.turn == notes.changed and affirms(said.text, notes.new) for said in replies
            )  # else the option leads to further questions
            menu = any(asks_for_change(said.text) for said in replies if notes.changed <= said.turn < each.turn)
            agreed = any(
                asks_to_confirm(said.text) and affirms(said.text, last) and not mentions(said.text, old)
                for said in replies[notes.changed - 1 : each.turn - 1]
            )
            straight = straight and not (menu or notes.passed_over)
            certain = straight and (agreed or not any(turn <= each.turn for turn in refused))
            yield finding("correction", title, each, certain=certain, unwanted=stating(each.text, old))
            return


def _added(text: str, notes: Notes) -> str:
    """Return the number of things of a text if it is that before a correction and that after it together."""
    counts = [each.split(" ", 1) for each in (notes.old, notes.new)]
    if notes.again is not None or not all(len(each) > 1 and each[0].isdigit() for each in counts):
        return ""
    both = f"{int(counts[0][0]) + int(counts[1][0])} {counts[1][1]}"
    return both if re.search(exactly(both), text) and not re.search(exactly(notes.new), text) else ""


def _is_same_time(one: str, other: str) -> bool:
    """Return True for one time in other words: "18:30" and "6:30 pm"."""
    times = [[found.value for found in typed_values.find("time", each)] for each in (one, other)]
    return bool(times[0]) and times[0] == times[1]


def _misses(before: AnsweredTurn, after: AnsweredTurn, notes: Notes) -> bool:
    """Return True if a reply asks something else than to confirm, or says that it is closed."""
    closed = CLOSED.search(fold(after.text)) is not None
    return after.turn == notes.changed and asks_to_confirm(before.text) and (closed or not settles(after.text))


def passes_over(before: AnsweredTurn, after: AnsweredTurn) -> bool:
    """Return True if a reply asks the question before again, as one that did not understand the message."""
    insists = _INSISTS.search(fold(after.text)) and not _INSISTS.search(fold(before.text))
    same = questions_in(before.text)[-1:] == questions_in(after.text)[-1:]
    end = _same_end(before.text, after.text)
    new = after.text[: len(after.text) - end].strip() if end >= min(len(before.text), _SAME_END) else ""
    if len(again := set(offered_in(before.text, "en"))) > 1 and all(mentions(after.text, each) for each in again):
        return not settles(after.text)
    puzzled = bool(new) and not (_TAKES.search(fold(new)) or is_agreement(new))
    return bool(insists) or puzzled or (same and not settles(after.text))


def _same_end(one: str, other: str) -> int:
    """Return the number of characters at the end of two texts that are the same."""
    pairs = enumerate(zip(reversed(one), reversed(other), strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def keeps_others(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find corrections after which something else has changed as well."""
    if (both := _around(replies, notes)) is None:
        return
    before, after = both
    for choice in notes.choices:
        if choice.turn > before.turn or choice.taken == notes.old or not affirms(before.text, choice.taken):
            continue
        others = [each for each in choice.others if affirms(after.text, each) and not mentions(before.text, each)]
        if len(others) == 1 and not mentions(after.text, choice.taken):
            yield _changed(before, after, choice.taken, others[0])
            return
    for value in notes.given.values():
        if value in (notes.old, notes.new) or value not in before.text or value in after.text:
            continue
        for kind in _KINDS:
            stated, now = (typed_values.find(kind, text) for text in (before.text, after.text))
            own = typed_values.find(kind, value)
            if len(own) == len(stated) == len(now) == 1 and now[0].value != stated[0].value == own[0].value:
                yield _changed(before, after, value, after.text[now[0].start : now[0].end])
                return


def follows_price(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find totals that do not follow a correction from one priced option to another."""
    if (both := _around(replies, notes)) is None or any(keeps_others(conversation, replies, notes)):
        return
    before, after = both
    if _counts(notes.old):
        yield from _follows_number(before, after, replies, notes)
        return
    prices = [notes.domain.price_of(each) for each in (notes.old, notes.new)]
    totals = [total_of(each.text) for each in both]
    stated = [{decimal(str(found.value)) for found in typed_values.find("money", each.text)} for each in both]
    if (
        all(prices)
        and stated[0] == stated[1]
        and decimal(prices[0]) in stated[0]
        and decimal(prices[1]) not in stated[1]
    ):
        title = f"After a correction, the price is still {prices[0]} instead of {prices[1]}"
        yield finding("sum", title, before, after, unwanted=exactly(prices[0]))
        return
    if not all(prices) or not all(totals) or fees_in(after.text) != fees_in(before.text):
        return
    old, new = map(decimal, prices)
    earlier, later = (decimal(str(each)) for each in totals)
    if earlier != old or later in (new, old - new, new - old):  # there is more in it
        return
    title = f"After a correction, the total is {totals[1]} instead of {prices[1]}"
    yield finding("sum", title, before, after, unwanted=exactly(str(totals[1])))


def _counts(value: str) -> bool:
    """Return True for a number of something: "2 nights", "Nights: 2"."""
    return re.match(r"[1-7] \w", value) is not None or value.endswith(": 2")


def _follows_number(
    before: AnsweredTurn, after: AnsweredTurn, replies: Sequence[AnsweredTurn], notes: Notes
) -> Iterator[Found]:
    """Find a total of two things with a price, or of two times a price, that stays the same for three."""
    totals = [total_of(each.text) for each in (before, after)]
    if not all(totals) or totals[0] != totals[1]:
        return
    prices = {str(each.value) for said in replies[: before.turn] for each in typed_values.find("money", said.text)}
    thing = stems(notes.old.rpartition(" ")[2].partition("(")[0])
    sold = any(thing & stems(name) for name, price in notes.domain.prices.items() if price)
    if sold or decimal(str(totals[0])) in {int(notes.old.rpartition(": ")[2][0]) * decimal(price) for price in prices}:
        title = f"After a correction from {notes.old} to {notes.new}, the total is still {totals[1]}"
        yield finding("sum", title, before, after, unwanted=exactly(str(totals[1])))


def _around(replies: Sequence[AnsweredTurn], notes: Notes) -> tuple[AnsweredTurn, AnsweredTurn] | None:
    """Return what was to confirm before the only correction, and the first reply with the new value."""
    if notes.changed is None or notes.again is not None:
        return None
    before = [each for each in replies if each.turn < notes.changed and asks_to_confirm(each.text)]
    after = [each for each in replies if each.turn >= notes.changed and settles(each.text)]
    if not before or not after or mentions(before[-1].text, notes.new):
        return None
    if _counts(notes.old):  # "2 nights" is not in "3 nights. 2 Cancel"
        old, new = (re.search(_of_any_kind(each), after[0].text) for each in (notes.old, notes.new))
        kept = old is not None or new is None
    else:
        kept = not affirms(after[0].text, notes.new) or names(after[0].text, notes.old)
    if kept:
        return None
    return before[-1], after[0]


def _of_any_kind(counted: str) -> str:
    """Return a pattern for a number of things of any kind: "2 balcony tickets" for "2 VIP tickets"."""
    number, *words = counted.split()
    if not (number.isdigit() and words):
        return exactly(counted)
    return rf"(?<!\w){number} (?:[^\W\d_]+ ){{0,2}}?{exactly(words[-1])}"


def _changed(before: AnsweredTurn, after: AnsweredTurn, old: str, new: str) -> Found:
    title = f"A correction changes something else: “{old}” → “{new}”"
    return finding("side-effect", title, before, after, unwanted=stating(after.text, new))
