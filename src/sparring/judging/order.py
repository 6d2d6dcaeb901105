"""The judge that compares what was ordered with what was wanted, thing by thing; it needs no model.

What was wanted is in the variables of the case: `ORDER_GOAL`, a list of `{name, qty, packaging, code}`, and perhaps
`DELIVERY_DATE` and `LOCATION`. What was ordered is in the results of the chatbot's tools.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Evidence
from sparring.core.value import Json
from sparring.core.verdict import Outcome, Verdict
from sparring.judging.cart import FIELDS, Fields, Line, Order, order_of
from sparring.judging.judge import Exact, Judge
from sparring.judging.order_words import Words, words
from sparring.models.context import Context
from sparring.reading import typed
from sparring.reading.bearings import Bearings, bearings
from sparring.reading.other_values import names_another
from sparring.reading.packagings import packaging_in
from sparring.reading.phrasing import completes
from sparring.reading.words import mentions, sentences, share, stems

ORDER = "order"
BEST, WORST = 3, 1

_SAME = 0.5
"""How much of a wanted thing's name must be in that of a line to be the same thing."""

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something that should be in the order; what is not said may be anything."""

    name: str
    code: str
    quantity: float | None
    packaging: str


def create(argument: str, context: Context) -> Judge:
    """The plug-in: `order`."""
    return Exact(order)


def order(conversation: Conversation, fields: Fields = FIELDS) -> Verdict:
    """Score 3 if the order was placed as it was wanted, 2 if most of it is right, and else 1.

    It does not apply where no order was wanted, where the chatbot's tools cannot be seen or tell nothing of a cart, and
    where the ending says nothing about how well the chatbot did: then there is no score.
    """
    case = conversation.case
    items = wanted(case)
    if not items or conversation.ending is None or not conversation.ending.counts:
        return _verdict(conversation, Outcome.NOT_APPLICABLE)
    if not conversation.reports_tools:
        return _verdict(conversation, Outcome.NOT_APPLICABLE, "the chatbot's tool calls are not visible")
    found = order_of(conversation, fields)
    said = conversation.messages[len(case.history) :]
    used = any(message.tool_calls for message in said if not message.injected)
    if found is None and used:
        return _verdict(conversation, Outcome.NOT_APPLICABLE, "no result of a tool has a cart in it")
    return _scored(conversation, items, found or Order())


def wanted(case: Case) -> tuple[Wanted, ...]:
    """What the case wants to be ordered; what is taken back later is not wanted."""
    goal = next((value for name, value in case.variables.items() if name.upper() == "ORDER_GOAL"), None)
    entries = goal if isinstance(goal, list) else []
    return tuple(_wanted(each) for each in entries if isinstance(each, dict) and not each.get("removed"))


def _wanted(item: Mapping[str, Json]) -> Wanted:
    qty = item.get("qty")
    number = _NUMBER.search(str(qty)) if qty is not None else None
    packaging = str(item.get("packaging") or "") or (packaging_in(str(qty)) if isinstance(qty, str) else "")
    quantity = float(number[0].replace(",", ".")) if number else None
    return Wanted(str(item.get("name", "")), str(item.get("code") or ""), quantity, packaging)


def _scored(conversation: Conversation, items: Sequence[Wanted], found: Order) -> Verdict:
    case = conversation.case
    said = words(case.persona.language)
    places = _pairs(items, found.lines)
    pairs = {index: found.lines[place] for index, place in places.items()}
    wrong = {index: list(_differences(item, pairs.get(index), said)) for index, item in enumerate(items)}
    # Two lines may be equal: a thing that was put down twice is ordered twice.
    more = [line for place, line in enumerate(found.lines) if place not in places.values()]
    unasked = [said.unasked.format(name=line.name or line.code) for line in more]
    around = [*_date(case, found, said), *_location(case, found, said)]
    problems = [*(problem for each in wrong.values() for problem in each), *unasked, *around]
    evidence = _evidence(conversation, found.at)
    if not found.placed:
        claimed = _claim(conversation)
        reason = said.claimed if claimed else said.not_placed
        reasons = [reason, *(problems if found.lines else [said.empty])]
        return _verdict(conversation, Outcome.FAIL, _sentence(reasons), WORST, claimed or evidence)
    if not problems:
        return _verdict(conversation, Outcome.PASS, said.perfect, BEST, evidence)
    right = sum(not each for each in wrong.values())
    mostly = right > 0 and right >= len(unasked) + sum(bool(each) for each in wrong.values()) + len(around)
    return _verdict(conversation, Outcome.FAIL, _sentence(problems), BEST - 1 if mostly else WORST, evidence)


def _pairs(items: Sequence[Wanted], lines: Sequence[Line]) -> dict[int, int]:
    """In which line each wanted thing is, by their places, the likest first; a line is one thing only."""
    alike = [
        (_likeness(item, line), -index, -place)
        for index, item in enumerate(items)
        for place, line in enumerate(lines)
        if _same(item, line)
    ]
    pairs: dict[int, int] = {}
    for _, index, place in sorted(alike, reverse=True):
        if -index not in pairs and -place not in pairs.values():
            pairs[-index] = -place
    return pairs


def _same(item: Wanted, line: Line) -> bool:
    """Whether a line is the thing that is wanted: by its code, or by its name where no code is known."""
    if item.code and line.code:
        return item.code.casefold() == line.code.casefold()
    return mentions(line.name, item.name) or share(stems(item.name), stems(line.name)) > _SAME


def _likeness(item: Wanted, line: Line) -> tuple[bool, float, bool, bool]:
    packaging = not item.packaging or _same_packaging(item.packaging, line.packaging)
    return (
        mentions(line.name, item.name),
        share(stems(item.name), stems(line.name)),
        packaging,
        (item.quantity == line.quantity),
    )


def _same_packaging(one: str, other: str) -> bool:
    mine, its = packaging_in(one), packaging_in(other)
    return mine == its if mine and its else stems(one) == stems(other)


def _differences(item: Wanted, line: Line | None, said: Words) -> Iterator[str]:
    if line is None:
        yield said.missing.format(name=item.name)
        return
    if item.quantity is not None and line.quantity != item.quantity:
        found = "?" if line.quantity is None else f"{line.quantity:g}"
        yield said.quantity.format(name=item.name, found=found, wanted=f"{item.quantity:g}")
    if item.packaging and not _same_packaging(item.packaging, line.packaging):
        yield said.packaging.format(name=item.name, found=line.packaging or "?", wanted=item.packaging)


def _date(case: Case, found: Order, said: Words) -> Iterator[str]:
    """Compared as days where both are days, and as words elsewhere."""
    value = _variable(case, "DELIVERY_DATE")
    if not value:
        return
    if not found.date:
        yield said.no_date.format(wanted=value)
        return
    known = bearings(case)
    one, other = _day(value, known), _day(found.date, known)
    same = one == other if one and other else not names_another(value, f"{_weekday(other)} {found.date}")
    if not same:
        yield said.date.format(found=found.date, wanted=value)


def _day(text: str, known: Bearings) -> str:
    found = typed.find("date", text, known)
    return str(found[0].value) if found else ""


def _weekday(day: str) -> str:
    """The weekday of a date: a wanted "Thursday" is any Thursday."""
    try:
        return _WEEKDAYS[date.fromisoformat(day).weekday()]
    except ValueError:
        return ""


def _location(case: Case, found: Order, said: Words) -> Iterator[str]:
    value = _variable(case, "LOCATION")
    if not value:
        return
    if not found.location:
        yield said.no_location.format(wanted=value)
    elif not (mentions(found.location, value) or mentions(value, found.location)):
        yield said.location.format(found=found.location, wanted=value)


def _variable(case: Case, name: str) -> str:
    value = next((value for key, value in case.variables.items() if key.upper() == name and value), None)
    return str(value) if isinstance(value, str | int) else ""


def _claim(conversation: Conversation) -> tuple[Evidence, ...]:
    """The last words with which the chatbot says that the order is placed."""
    for at in range(len(conversation.messages) - 1, len(conversation.case.history) - 1, -1):
        message = conversation.messages[at]
        if message.role == "chatbot":
            for sentence in sentences(message.text):
                if completes(sentence.text) and not sentence.asks:
                    return (Evidence(at=at, start=sentence.start, end=sentence.end, text=sentence.text),)
    return ()


def _evidence(conversation: Conversation, at: int) -> tuple[Evidence, ...]:
    """What was said when the tool told how the order stands."""
    text = conversation.messages[at].text if at < len(conversation.messages) else ""
    return (Evidence(at=at, start=0, end=len(text), text=text),) if text else ()


def _sentence(reasons: Sequence[str]) -> str:
    return "; ".join(reasons) + "."


def _verdict(
    conversation: Conversation,
    outcome: Outcome,
    reason: str = "",
    score: int | None = None,
    evidence: tuple[Evidence, ...] = (),
) -> Verdict:
    return Verdict(
        check=ORDER,
        outcome=outcome,
        conversation=conversation.id,
        reason=reason,
        score=score,
        evidence=evidence,
        by=ORDER,
        judge=ORDER,
    )
