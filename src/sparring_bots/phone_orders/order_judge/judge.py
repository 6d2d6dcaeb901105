"""The judge that compares the placed order with the requested one, without a model.

The variables of the case are the request: `ORDER_GOAL`, a list of `{name, qty, packaging, code}`, and optionally
`DELIVERY_DATE` and `LOCATION`. The order is in the results of the chatbot's tools.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from pathlib import Path

from sparring import parsing
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Evidence
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction import typed_values
from sparring.extraction.answer_kinds import names_other_value
from sparring.extraction.extractor import ExtractionContext, extraction_context
from sparring.extraction.tokens import mentions, share, stems
from sparring.judges.judge import DeterministicJudge, verdict_by
from sparring_bots.phone_orders.order_judge.checks import (
    RequestedItem,
    claim,
    claimed_unnamed,
    invented,
    never_asked_for,
    raised,
    requested_items,
    variable,
)
from sparring_bots.phone_orders.order_judge.recorded_order import (
    FIELDS,
    RecordedLine,
    RecordedOrder,
    ResultFields,
    recorded_order,
)
from sparring_bots.phone_orders.packaging import packaging_in


class JudgeMessages(Value):
    """Reasons in one language."""

    perfect: str
    not_placed: str
    claimed: str
    empty: str
    missing: str
    unasked: str
    quantity: str
    packaging: str
    date: str
    no_date: str
    location: str
    no_location: str
    unnamed: str
    never_asked: str
    invented: str
    raised: str


class _Languages(Value):
    Russian: JudgeMessages
    English: JudgeMessages


def messages_in(language: str) -> JudgeMessages:
    """Return the reasons in Russian, or in English for any other language."""
    known = _languages()
    return known.Russian if language.casefold() == "russian" else known.English


@cache
def _languages() -> _Languages:
    return parsing.validate(parsing.load(Path(__file__).with_name("messages.yaml")), _Languages)


_SAME = 0.5
"""The share of an item's name that the name of a line must exceed to be the same item."""


def pairs(items: Sequence[RequestedItem], lines: Sequence[RecordedLine]) -> dict[int, int]:
    """Return the line of each requested item by their positions, the most similar first, each line once."""
    alike = [
        (_likeness(item, line), -index, -place)
        for index, item in enumerate(items)
        for place, line in enumerate(lines)
        if _same(item, line)
    ]
    found: dict[int, int] = {}
    for _, index, place in sorted(alike, reverse=True):
        if -index not in found and -place not in found.values():
            found[-index] = -place
    return found


def same_packaging(one: str, other: str) -> bool:
    """Return True if two words mean the same packaging: box, boxes, carton."""
    mine, its = packaging_in(one), packaging_in(other)
    return mine == its if mine and its else stems(one) == stems(other)


def _same(item: RequestedItem, line: RecordedLine) -> bool:
    """Return True if a line is the requested item: by code, or by name if a code is missing."""
    if item.code and line.code:
        return item.code.casefold() == line.code.casefold()
    return mentions(line.name, item.name) or share(stems(item.name), stems(line.name)) > _SAME


def _likeness(item: RequestedItem, line: RecordedLine) -> tuple[bool, float, bool, bool]:
    packaging = not item.packaging or same_packaging(item.packaging, line.packaging)
    return (
        mentions(line.name, item.name),
        share(stems(item.name), stems(line.name)),
        packaging,
        (item.quantity == line.quantity),
    )


ORDER = "order"
BEST, WORST = 3, 1

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def judge_order(conversation: Conversation, fields: ResultFields = FIELDS) -> Verdict:
    """Score 3 if the placed order equals the request, 2 if most of it is right, and else 1.

    The verdict is not applicable if the case requests no order, if no tool result contains a cart, and if the ending
    does not count. For a chatbot with invisible tools, the judge checks only that it names what it claims.
    """
    case = conversation.case
    items = requested_items(case)
    if not items or conversation.ending is None or not conversation.ending.completed:
        return verdict_by(ORDER, conversation, CheckOutcome.NOT_APPLICABLE)
    if not conversation.reports_tools:
        return _by_words(conversation, items)
    found = recorded_order(conversation, fields)
    said = conversation.messages[len(case.history) :]
    used = any(message.tool_calls for message in said if not message.injected)
    if found is None and used:
        return verdict_by(ORDER, conversation, CheckOutcome.NOT_APPLICABLE, "no result of a tool has a cart in it")
    return _scored(conversation, items, found or RecordedOrder())


def _by_words(conversation: Conversation, items: Sequence[RequestedItem]) -> Verdict:
    """Return the verdict on a chatbot whose tool calls are not visible."""
    unnamed = claimed_unnamed(conversation, items)
    if not unnamed:
        return verdict_by(ORDER, conversation, CheckOutcome.NOT_APPLICABLE, "the chatbot's tool calls are not visible")
    reason = messages_in(conversation.case.persona.language).unnamed.format(names=", ".join(unnamed))
    score = WORST if len(unnamed) == len(items) else BEST - 1
    return verdict_by(
        ORDER, conversation, CheckOutcome.FAIL, _sentence([reason]), score=score, evidence=claim(conversation)
    )


def _scored(conversation: Conversation, items: Sequence[RequestedItem], found: RecordedOrder) -> Verdict:
    case = conversation.case
    said = messages_in(case.persona.language)
    places = pairs(items, found.lines)
    missing = [item for index, item in enumerate(items) if index not in places]
    unasked = never_asked_for(conversation, items) if found.placed and missing else ()
    wrong = {
        index: list(_differences(item, found.lines[places[index]] if index in places else None, said))
        for index, item in enumerate(items)
        if index in places or item.name not in unasked
    }
    # Two lines may be equal: a thing that was put down twice is ordered twice.
    more = [line for place, line in enumerate(found.lines) if place not in places.values()]
    unwanted = [said.unasked.format(name=line.name or line.code) for line in more]
    amounts = invented(conversation, found.carts)
    around = [*_date(case, found, said), *_location(case, found, said), *_prices(found, amounts, said)]
    problems = [*(problem for each in wrong.values() for problem in each), *unwanted, *around]
    evidence = _evidence(conversation, found.at)
    if not found.placed:
        claimed = claim(conversation)
        reason = said.claimed if claimed else said.not_placed
        reasons = [reason, *(problems if found.lines else [said.empty])]
        return verdict_by(
            ORDER, conversation, CheckOutcome.FAIL, _sentence(reasons), score=WORST, evidence=claimed or evidence
        )
    never = [said.never_asked.format(name=item.name) for item in missing if item.name in unasked]
    if problems:
        right = sum(not each for each in wrong.values())
        mostly = right > 0 and right >= len(unwanted) + sum(bool(each) for each in wrong.values()) + len(around)
        score = BEST - 1 if mostly else WORST
        return verdict_by(
            ORDER,
            conversation,
            CheckOutcome.FAIL,
            _sentence([*problems, *never]),
            score=score,
            evidence=(*evidence, *amounts),
        )
    if never:
        return verdict_by(ORDER, conversation, CheckOutcome.ERROR, _sentence(never), evidence=evidence)
    return verdict_by(ORDER, conversation, CheckOutcome.PASS, said.perfect, score=BEST, evidence=evidence)


def _prices(found: RecordedOrder, amounts: Sequence[Evidence], said: JudgeMessages) -> Iterator[str]:
    for each in amounts[:1]:
        yield said.invented.format(amount=each.text)
    for line, before in raised(found.carts):
        yield said.raised.format(name=line.name or line.code, before=f"{before:g}", found=f"{line.price:g}")


def _differences(item: RequestedItem, line: RecordedLine | None, said: JudgeMessages) -> Iterator[str]:
    if line is None:
        yield said.missing.format(name=item.name)
        return
    if item.quantity is not None and line.quantity != item.quantity:
        found = "?" if line.quantity is None else f"{line.quantity:g}"
        yield said.quantity.format(name=item.name, found=found, wanted=f"{item.quantity:g}")
    if item.packaging and not same_packaging(item.packaging, line.packaging):
        yield said.packaging.format(name=item.name, found=line.packaging or "?", wanted=item.packaging)


def _date(case: Case, found: RecordedOrder, said: JudgeMessages) -> Iterator[str]:
    """Yield the problem with the day of delivery. Days are compared as dates if both are, else as words."""
    value = variable(case, "DELIVERY_DATE")
    if not value:
        return
    if not found.date:
        yield said.no_date.format(wanted=value)
        return
    known = extraction_context(case)
    one, other = _day(value, known), _day(found.date, known)
    same = one == other if one and other else not names_other_value(value, f"{_weekday(other)} {found.date}")
    if not same:
        yield said.date.format(found=found.date, wanted=value)


def _day(text: str, known: ExtractionContext) -> str:
    found = typed_values.find("date", text, known)
    return str(found[0].value) if found else ""


def _weekday(day: str) -> str:
    """Return the weekday of a date: a requested "Thursday" is any Thursday."""
    try:
        return _WEEKDAYS[date.fromisoformat(day).weekday()]
    except ValueError:
        return ""


def _location(case: Case, found: RecordedOrder, said: JudgeMessages) -> Iterator[str]:
    value = variable(case, "LOCATION")
    if not value:
        return
    if not found.location:
        yield said.no_location.format(wanted=value)
    elif not (mentions(found.location, value) or mentions(value, found.location)):
        yield said.location.format(found=found.location, wanted=value)


def _evidence(conversation: Conversation, at: int) -> tuple[Evidence, ...]:
    """Return the message that accompanied the tool call with the final order."""
    text = conversation.messages[at].text if at < len(conversation.messages) else ""
    return (Evidence(at=at, start=0, end=len(text), text=text),) if text else ()


def _sentence(reasons: Sequence[str]) -> str:
    return "; ".join(reasons) + "."


JUDGE = DeterministicJudge(judge_order)
"""The plug-in `order`."""
