"""Arithmetic in replies: lists with their sums, nights between dates, and related amounts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise, permutations

from sparring.core.conversation import Conversation
from sparring.extraction import typed_values
from sparring.extraction.speech_acts import refuses
from sparring.extraction.tokens import fold, tokens
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import asks_to_confirm, masked, settles, turns_down
from sparring.probes.found import AnsweredTurn, Found, exactly, finding
from sparring.probes.notes import Notes
from sparring.probes.sums import decimal

_WORDS = words_of_module(__name__)
_AMOUNT = r"(?:[€$£] ?)?(?P<amount>-?\d{1,6}[.,]\d\d)(?!\d)(?: ?(?:€|[$£]|EUR\b|USD\b|GBP\b|CHF\b|euros?\b))?"
_ITEM = re.compile(
    rf"[-•*]?\s*(?P<number>-?\d{{1,3}}) ?[x×] (?P<name>[^\d,;:()|]{{2,40}}?)\s*(?:[-–—=:@(]\s*)?{_AMOUNT}\)?\.?",
    re.IGNORECASE,
)
"""A line of an order: "2 x margherita 18.00"."""

_PARTS = re.compile(r"\s*(?:,\s|;\s|\n|\s(?:and|und|y|et|e|и)\s)\s*")
_SUM = re.compile(rf"\b(?:{_WORDS['subtotal']})(?: is| ist| es)?[:=]?\s*{_AMOUNT}")
_FEE = re.compile(rf"\b(?:{_WORDS['delivery']})(?: is| ist| es)?[:=]?\s*{_AMOUNT}")
_TOTAL = re.compile(rf"(?<!sub)(?<!sub-)(?<!sub )\b(?:{_WORDS['total']})(?: is| ist| es)?[:=]?\s*{_AMOUNT}")
_MORE = re.compile(rf"\b(?:{_WORDS['more']})")
_FREE_FROM = re.compile(rf"(?:{_WORDS['free_from']})\s*(?:[€$£] ?)?(?P<amount>\d{{1,5}}(?:[.,]\d\d)?)(?!\d|[.,]\d)")
_NIGHTS = re.compile(rf"\b(\d{{1,3}}) (?:{_WORDS['nights']})\b")
_ANY_NIGHTS = re.compile(rf"\b(?:{_WORDS['nights']})\b")
_SMALL = re.compile(r"(?<![\d.,])1[.,]20?(?![\d]|[.,]\d)")
_CENTS = re.compile(r"(?<![\d.,:])\d{1,6}[.,]\d\d(?![\d.,:]*\d)")
_NUMBERS = re.compile(r"(?<![\w.,:/-])\d[\d.,]*\d|(?<![\w.,:/-])\d(?![\w.,:/-])")
_DATES = 2
"""Dates of a stay."""

_LEAST = 3
"""Numbers that go together."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a reply lists as taken, by name with the number and the amount, and the sums that it states."""

    items: tuple[tuple[int, str, Decimal], ...] = ()
    subtotal: Decimal | None = None
    fee: Decimal | None = None
    total: Decimal | None = None

    @property
    def sums(self) -> set[Decimal]:
        """The sums of the amounts, which may be those of all or of one of an item."""
        return {
            sum((amount for *_, amount in self.items), Decimal(0)),
            sum((n * amount for n, _, amount in self.items), Decimal(0)),
        }


def ledger_in(reply: str) -> Ledger:
    """Return the ledger of a reply: "2 x margherita 18.00, 1 x cola 2.50. Subtotal 20.50, delivery 3.50"."""
    plain = fold(reply)
    subtotal, fee, total = (each.search(plain) for each in (_SUM, _FEE, _TOTAL))
    first = subtotal or total
    before = plain[: first.start()] if first else plain
    lines = [each for each in before.strip(" .\n,;").rpartition(":")[2].strip(" .\n").splitlines() if each.strip()]
    parts = [part for line in lines for part in _PARTS.split(line.strip(" .")) if part]
    found = [_ITEM.fullmatch(each) for each in parts]
    items = [(int(each["number"]), each["name"].strip(), decimal(each["amount"])) for each in found if each]
    sums = (decimal(each["amount"]) if each else None for each in (subtotal, fee, total))
    return Ledger(tuple(items) if len(items) == len(parts) else (), *sums)


def free_from(reply: str) -> Decimal | None:
    """Return the amount from which a reply says that delivery is free; None if it says none."""
    plain = fold(reply)
    found = _FREE_FROM.search(plain)
    return decimal(found["amount"]) if found and re.search(_WORDS["delivery"], plain) else None


def speaks_of_nights(reply: str) -> bool:
    """Return True if a reply is about nights of a stay."""
    return _ANY_NIGHTS.search(fold(reply)) is not None


def sums_up(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find sums of lists that are not those of their lines, and wrong totals with delivery."""
    for each in replies:
        ledger = ledger_in(each.text)
        whole = ledger.subtotal if ledger.subtotal is not None else None if ledger.fee is not None else ledger.total
        if ledger.items and whole is not None and not _MORE.search(fold(each.text)):
            if whole in ledger.sums:
                notes.domain.ledger = True
            elif notes.domain.ledger:
                title = f"The sum of what is listed is {_plain(min(ledger.sums))}, and the chatbot says {_plain(whole)}"
                yield finding("sum", title, each, unwanted=_exactly(each.text, whole))
                return
        if None not in (ledger.subtotal, ledger.fee, ledger.total) and not _MORE.search(fold(each.text)):
            due = (ledger.subtotal or 0) + (ledger.fee or 0)
            if due != ledger.total:
                total = ledger.total or Decimal(0)
                title = f"Subtotal and delivery are {_plain(Decimal(due))}, and the total {_plain(total)}"
                yield finding("sum", title, each, unwanted=_exactly(each.text, total))
                return
        limit = notes.domain.free_from
        if limit is not None and ledger.subtotal is not None and ledger.fee and ledger.subtotal >= limit:
            charged = f"{_plain(ledger.fee)} are charged at {_plain(ledger.subtotal)}"
            title = f"Delivery is free from {_plain(limit)}, and {charged}"
            yield finding("fee", title, each, unwanted=_exactly(each.text, ledger.fee))
            return


def nights(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find numbers of nights other than those between the two dates beside them."""
    for each in replies:
        found = _NIGHTS.findall(fold(each.text))
        stay = [str(said.value) for said in typed_values.find("date", each.text)]
        if len(found) != 1 or len(stay) != _DATES or not settles(each.text):
            continue
        first, last = map(_date, stay)
        if first is None or last is None or (stay[0].startswith("--") and first.month < 3 <= last.month):
            continue  # February may have 29 days
        between = (last - first).days
        if 0 < between != int(found[0]):
            title = f"The chatbot counts {found[0]} nights where there are {between}"
            yield finding("nights", title, each, unwanted=rf"\b{found[0]}\b (?={_WORDS['nights']})")
            return


def _date(value: str) -> date | None:
    try:
        return date.fromisoformat(value.replace("--", "2027-"))
    except ValueError:
        return None


def keeps_relation(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find amounts that were the difference of two others, and are not after a change of one."""
    for before, after in pairwise([each for each in replies if asks_to_confirm(each.text)]):
        one, other = _numbers(before.text), _numbers(after.text)
        other = other[-len(one) :]
        same = _words(after.text, notes).endswith(_words(before.text, notes))
        if not same or len(one) != len(other) or len(one) < _LEAST:
            continue
        changed = [at for at in range(len(one)) if one[at] != other[at]]
        for whole, part, rest in permutations(range(len(one)), _LEAST):
            moved = whole in changed or rest in changed
            if not moved or part in changed or not one[part] or one[rest] in (0, one[whole]):
                continue
            if (
                one[whole] - one[part] == one[rest]
                and other[whole] > other[part]
                and other[whole] - other[part] != other[rest]
            ):
                title = f"After a change, {_plain(other[whole])} less {_plain(other[part])} is {_plain(other[rest])}"
                yield finding("sum", title, before, after, unwanted=_exactly(after.text, other[rest]))
                return


def _numbers(text: str) -> list[Decimal]:
    money = [(each.start, str(each.value)) for each in typed_values.find("money", text)]
    bare = [(each.start(), each[0]) for each in _CENTS.finditer(text)]
    bare = [(at, amount) for at, amount in bare if not any(start <= at < start + len(said) for start, said in money)]
    return [decimal(amount) for _, amount in sorted([*money, *bare])]


def _words(text: str, notes: Notes) -> str:
    """Return the words of a summary, without the option that was changed."""
    words = masked(text)
    for value in filter(None, (notes.old, notes.new)):
        words = re.sub(rf"\b{re.escape(masked(value))}\b", "~", words)
    return words


def negative(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a negative number of things that is taken."""
    if notes.negative is None:
        return
    number, item = notes.negative
    begins = re.escape(tokens(item)[-1][:_LEAST]) if item else ""
    for each in replies:
        if turns_down(each.text) or refuses(each.text):
            continue
        named = re.search(rf"(?<![\w\d])[-−]\s?{-number}\s?[x×]? ?(?:[^\W\d]+ ){{0,2}}{begins}", fold(each.text))
        if named and (settles(each.text) or ledger_in(each.text).total is not None):
            title = f"The chatbot takes {number} “{item}”" if item else f"The chatbot takes {number} as a number"
            yield finding("quantity", title, each, unwanted=rf"[-−]\s?{-number}\b")
            return


def thousands(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find an amount of more than a thousand that is taken for its thousandth."""
    said = next((each for each in replies if notes.large and each.asked == notes.large), None)
    for each in replies[said.turn - 1 :] if said else ():
        if (found := _SMALL.search(each.text)) and settles(each.text) and notes.large not in each.text:
            title = f"The chatbot takes “{notes.large}” for {found[0]}"
            yield finding("number", title, each, unwanted=exactly(found[0]))
            return


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def _exactly(text: str, amount: Decimal) -> str:
    """Return a pattern for an amount as a reply writes it last."""
    written = [each[0].rstrip(".,") for each in _NUMBERS.finditer(text)]
    return exactly(next((each for each in reversed(written) if decimal(each) == amount), _plain(amount)))
