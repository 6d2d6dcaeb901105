"""Values that a chatbot states, and acts and facts that it says or denies, in one reply."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.extraction import typed_values
from sparring.extraction.chatbot_reply import clauses
from sparring.extraction.extractor import ValueMatch
from sparring.extraction.numbers import number
from sparring.extraction.output_labels import KIND_WORDS, META, WHOLE
from sparring.extraction.output_relevance import FILLER, SIDE
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import MAX_MESSAGE, cached, fold, pattern, stems, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)
_TOTAL = stems("total altogether gesamt insgesamt totale celkem итого")
_PRICES = KIND_WORDS["money"]
_IDS = pattern(_WORDS["ids"], end=r"\b")
_DEADLINES = {
    "return": pattern(_WORDS["return"]),
    "refund": pattern(_WORDS["refund"]),
    "warranty": pattern(_WORDS["warranty"]),
    "claim": pattern(_WORDS["claim"]),
}
_TOPICS = {
    "appointment": pattern(_WORDS["appointment"]),
    "delivery": pattern(_WORDS["delivery"]),
    "check-in": pattern(_WORDS["check_in"]),
    "check-out": pattern(_WORDS["check_out"]),
    "departure": pattern(_WORDS["departure"]),
    "pick-up": pattern(_WORDS["pick_up"]),
    **_DEADLINES,
}
_HOURS = pattern(_WORDS["hours"])
_HEDGED = pattern(_WORDS["hedged"], end=r"\b")
_DONE = pattern(_WORDS["done"], end=r"\b")
_NOT_DONE = pattern(_WORDS["not_done"], end=r" (?:\w+ )?")
_PLANNED = pattern(_WORDS["planned"], end=r"\b")
_OF_ORDER = re.compile(
    r"\b(?:order|booking|reservation|purchase|pedido|reserva)(?: is| costs?| comes to| for| of)?[\s:]*$"
)
_IS = re.compile(r"\b(?:is|costs?|es|son|cuesta|ist|kostet|est|coute|стоит|costa)\s*:?\s*$")
_COURTESY = stems("thank great perfect good yes sure ok all alright right well here enjoy new current")
_DUE = re.compile(r"\b(?:that's|that is|that will be|that'll be|that comes to|that makes|son|с вас|das macht)\s*$")
_LOOSE = stems("each extra additional off save saving minimum maximum more above over under cada")
_NEXT = pattern(
    "next", "after", "another", "other", "following", "second", "first", "last", "then", "previous", end=r"\b"
)
_CONTACTS = stems("phone telephone telefono telefon number email mail correo телефон почта")
_DAYS = re.compile(rf"(?<![\w.,-])\d{{1,3}} (?:{_WORDS['days']})\b", re.IGNORECASE)
_MOMENTS = ("date", "time", "duration", "days")
_NEAR = 3
"""Number of words behind a value that may qualify it."""

_POLARITY = stems("not no never yes none cannot unfortunately sorry but indeed lamentablemente нет не никогда")

_OTHER_KINDS = ("money", "date", "time", "code", "duration", "phone", "email")
_MAX_CLAUSE = 500
"""Maximum length of a clause in characters; a longer one is a dump of data."""

_MIN_STEMS = 2
_MAX_WORDS = 14


@dataclass(frozen=True, slots=True)
class Statement:
    """A value that a reply states. Statements of equal `kind` and `key` are about the same thing."""

    kind: str
    key: frozenset[str]
    value: str
    at: int
    start: int
    end: int
    text: str


_Stated = tuple[str, frozenset[str], str]
"""Kind, key and value of a statement."""


def statements(at: int, text: str) -> Iterator[Statement]:
    """Yield the statements of a reply, without what it states twice with different values, as in a list."""
    found = [
        Statement(*about, at, clause.start, clause.end, clause.text)
        for clause in clauses(text[:MAX_MESSAGE])
        if len(clause.text) <= _MAX_CLAUSE
        for about in _in_clause(clause.text)
    ]
    values: dict[tuple[str, frozenset[str]], set[str]] = {}
    for each in found:
        values.setdefault((each.kind, each.key), set()).add(each.value)
    return (each for each in found if len(values[each.kind, each.key]) == 1)


@cached
def _in_clause(clause: str) -> tuple[_Stated, ...]:
    """Return what a clause states."""
    return tuple(_stated(clause))


def _stated(clause: str) -> Iterator[_Stated]:
    denied = is_denial(clause)
    if _HOURS.search(fold(clause)) and not denied:
        yield from _hours(clause)
        return
    yield from _claim(clause, denied=denied)
    values = _values_in(clause)
    end = 0
    for kind, found in values:
        start, stop = found.start, found.end
        if start >= end and not denied:
            before = clause[end:start]
            if kind == "days":
                key = _deadline(clause[:start], clause[stop:])
            elif kind in _MOMENTS:
                key = _topic(clause[:start])
            else:
                key = _key(kind, before, clause[stop:], alone=len(values) == 1)
            if key is not None:
                yield kind, key, plain_value(kind, str(found.value))
        end = max(end, stop)


def _values_in(clause: str) -> tuple[tuple[str, ValueMatch], ...]:
    """Return the values in a clause with their kinds, in order; of those at one place, the longest first."""
    found = [(kind, each) for kind in _OTHER_KINDS for each in typed_values.find(kind, clause)]
    found += [("days", ValueMatch(fold(each[0]), *each.span())) for each in _DAYS.finditer(clause)]
    return tuple(sorted(found, key=lambda each: (each[1].start, -each[1].end)))


def _key(kind: str, before: str, after: str, *, alone: bool) -> frozenset[str] | None:
    """Return what a value is about, or None if the words around it do not say so firmly."""
    folded, said = fold(before), stems(before)
    behind = " ".join(fold(after).split()[:_NEAR])
    if _HEDGED.search(folded) or _HEDGED.search(behind):
        return None
    if kind == "money":
        return _priced(folded, said, stems(after), stems(behind), alone=alone)
    if kind == "code":
        named = _IDS.search(folded)
        return stems(named[0]) if named else None
    return frozenset({kind}) if said & _CONTACTS else None


def _priced(
    before: str, said: frozenset[str], after: frozenset[str], behind: frozenset[str], *, alone: bool
) -> frozenset[str] | None:
    """Return what an amount is the price of, by the words before it and the stems around it."""
    if (said | behind) & _TOTAL or (_OF_ORDER.search(before) and not said - WHOLE - _PRICES - FILLER - _COURTESY):
        return None if (said | behind) & SIDE else frozenset({"total"})
    if not alone or (said | after) & _LOOSE:
        return None
    subject = (said | after) - _PRICES - FILLER - META - _COURTESY
    if not subject and not said & _PRICES:
        return frozenset({"due"}) if _DUE.search(before) else None
    return (subject or frozenset({"price"})) if said & _PRICES or _IS.search(before) else None


def _topic(before: str) -> frozenset[str] | None:
    """Return the event that a date, time or duration is of, with the codes in the words before it."""
    folded = fold(before)
    topics = [name for name, words in _TOPICS.items() if words.search(folded)]
    if len(topics) != 1 or _HEDGED.search(folded) or _NEXT.search(folded):
        return None
    codes = (before[each.start : each.end] for each in typed_values.find("code", before))
    return frozenset({*topics, *codes})


def _deadline(before: str, after: str) -> frozenset[str] | None:
    """Return what a number of days is the deadline of: "You have 30 days to return it"."""
    found = _topic(before) or _topic(after)
    return found if found and found <= {*_DEADLINES} else None


def _hours(clause: str) -> Iterator[_Stated]:
    """Yield the hours in a clause, with all its other words as the key."""
    times = typed_values.find("time", clause)
    if not times or _HEDGED.search(fold(clause[times[0].end :]).replace(" or ", " ").replace(" до ", " ")):
        return
    rest = clause
    for each in reversed(times):
        rest = rest[: each.start] + rest[each.end :]
    both = stems("open close closing hours opening") if len(times) > 1 else frozenset[str]()
    key = frozenset(stem for stem in stems(rest) - both - stems("shop our") if not stem.isdigit())
    yield "hours", key, plain_value("hours", "-".join(str(each.value) for each in times))


def _claim(clause: str, *, denied: bool) -> Iterator[_Stated]:
    """Yield an act that a clause says is done, or takes back, or a fact that it says or denies."""
    said = fold(clause)
    done = _DONE.search(said)
    if done is not None and (_NOT_DONE.search(said) if denied else not _PLANNED.search(said)):
        yield "act", stems(done[0]), "no" if denied else "yes"
    key = stems(clause) - META - _POLARITY
    if len(key) >= _MIN_STEMS and len(tokens(clause)) <= _MAX_WORDS:
        yield "fact", key, "no" if denied else "yes"


def plain_value(kind: str, value: str) -> str:
    """Return a value in one notation: $12.00 is $12."""
    if kind != "money":
        return value.casefold()
    unit = re.sub(r"[\d.,\s'’\u00a0\u202f]", "", value).casefold()
    amount = number(value)
    return f"{int(amount) if amount is not None and amount == int(amount) else amount} {unit}"
