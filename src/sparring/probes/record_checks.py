"""Checks of probes that compare replies with the recorded tool calls."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise, permutations

from sparring.core.conversation import Conversation
from sparring.core.value import Json, is_number
from sparring.extraction import typed_values
from sparring.extraction.acts import looks_up
from sparring.extraction.numbers import number
from sparring.extraction.tokens import fold, mentions, stems
from sparring.probes.acts import cancels, says_done, settles, total_of
from sparring.probes.answerer import PERSON
from sparring.probes.found import AnsweredTurn, Found, exactly, finding
from sparring.probes.lines import facts_in
from sparring.probes.notes import Notes

_TOTALS = re.compile(r"(?:grand_?)?(?:total|sum)(?:_?(?:amount|price|cost))?|amount(?:_due)?|to_pay", re.IGNORECASE)
_NAMES = ("name", "product", "item", "title")
_ID = re.compile(r"(?:^|_)(?:id|number|no|code|ref(?:erence)?)$", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]{1,5}-?\d{2,10}")
_AMOUNT = re.compile(r"\s*\d[\d.,]{0,20}\s*")
_EXTRA = re.compile(r"\b(?:fee|charge|delivery|shipping|tax|vat|tip|deposit|discount)\b", re.IGNORECASE)
"""Lines of an order that come along with it."""


_LABELS = {kind: words for kind, words in facts_in("asks_for").items() if kind != "order number"}
_SENDS = re.compile(
    r"\b(?:sent|sends?|e-?mailed|mailed|goes|geschickt|gesendet|enviad\w+|envoye\w*|inviat\w+|отправ\w+)\b[^.?!]*"
    r"\b(?:to|an|a|на)\s*$"
)
"""Words before an address to which something is sent."""


def recorded(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find other numbers and totals in results of tools than in their arguments and in the reply."""
    called = set[str]()
    for each in replies:
        for call in conversation.messages[each.at].tool_calls:
            if not call.succeeded:
                continue
            leaves = list(_leaves(call.result))
            first = call.name not in called  # a later one may add to it
            called.add(call.name)
            for name, value in call.arguments.items() if first else ():
                stored = [other for key, other in leaves if key == name and is_number(other)]
                if is_number(value) and stored and value not in stored:
                    shown = re.search(rf"\b{re.escape(str(stored[-1]))} \w+", each.text)
                    title = f"The chatbot records {stored[-1]} as “{name}” where {value} was asked for"
                    unwanted = exactly(shown[0]) if shown else ""
                    yield finding("recorded", title, each, certain=bool(shown), unwanted=unwanted)
                    return
            totals = {amount for key, value in leaves if _TOTALS.fullmatch(key) for amount in _amounts(value)}
            stated = total_of(each.text)
            if stated is not None and totals and _decimal(stated) not in {None, *totals}:
                title = f"The chatbot says a total of {stated}, and records {', '.join(map(_plain, sorted(totals)))}"
                found = next(said for said in typed_values.find("money", each.text) if str(said.value) == stated)
                yield finding("recorded", title, each, unwanted=exactly(each.text[found.start : found.end]))
                return


def added(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find items in an order that the user never named."""
    own: frozenset[str] = frozenset(stem for choice in notes.choices for stem in stems(choice.taken))
    for each in replies:
        own |= stems(each.asked)
        if not settles(each.text):
            continue
        for call in conversation.messages[each.at].tool_calls:
            named = [value for key, value in _leaves(call.result) if key in _NAMES and isinstance(value, str)]
            known = [name for name in named if stems(name) & own]
            other = [name for name in named if not stems(name) & own and mentions(each.text, name)]
            if known and other and not _EXTRA.search(other[0]):
                title = f"The order has “{other[0]}”, which the user never named"
                yield finding("added", title, each, unwanted=exactly(other[0]))
                return


def done_twice(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find an act done twice for one message: equal calls that recorded two different things."""
    for each in replies:
        calls = [call for call in conversation.messages[each.at].tool_calls if call.succeeded]
        for at, call in enumerate(calls):
            same = [other for other in calls[:at] if (other.name, other.arguments) == (call.name, call.arguments)]
            if looks_up(call.name) or not any(_new_ids(call.result, other.result) for other in same):
                continue
            if notes.reports(each.text):
                title = f"The chatbot calls {call.name} twice for one message"
                quotes = (each.quote,)
                yield Found("done-twice", title, each.turn, quotes, once=call.name)
                return


def _new_ids(result: Json, other: Json) -> bool:
    """Return True if a result has an id that the other one does not have."""
    texts = {str(value) for _, value in _leaves(other)}
    new = [(key, str(value)) for key, value in _leaves(result) if str(value) not in texts]
    return any(_ID.search(key) or _CODE.fullmatch(value) for key, value in new if any(map(str.isdigit, value)))


def never_done(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find reported acts whose tool was not called after the requested yes."""
    if not conversation.reports_tools or (conversation.state is not None and conversation.state.changes):
        return
    for each in replies:
        if any(not looks_up(call.name) for call in conversation.messages[each.at].tool_calls):
            return
        said = stems(each.text)
        tools = [name for name in conversation.tools if not looks_up(name) and stems(name.replace("_", " ")) & said]
        done = says_done(each.text) or any(_is_done(name, each.text) for name in tools)
        if each.turn in notes.yeses and tools and done and not (each.asks or cancels(each.text)):
            title = f"The chatbot reports what it did not do: it never called {' or '.join(tools)}"
            yield Found("never-done", title, each.turn, (each.quote,), called=tools[0])
            return


def _is_done(tool: str, reply: str) -> bool:
    """Return True if a reply says that what a tool is named for has been done: "is redirected"."""
    verb = re.escape(tool.partition("_")[0].lower())
    return re.search(rf"\b(?:is|are|been|i have|i've)(?: now| successfully)? {verb}e?d\b", reply.lower()) is not None


def _leaves(value: Json, name: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the values in a result that hold no others, each with the name of its field."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    else:
        yield name, value


def _amounts(value: Json) -> Iterator[Decimal]:
    """Yield the amounts in a value of a result: of a text without a currency, the number that it is."""
    if is_number(value):
        yield Decimal(str(value))
    elif isinstance(value, str):
        found = [str(each.value) for each in typed_values.find("money", value)]
        plain = [value] if _AMOUNT.fullmatch(value) else []
        yield from (amount for each in found or plain if (amount := _decimal(each)) is not None)


def _decimal(amount: str) -> Decimal | None:
    found = number(amount)
    return None if found is None else Decimal(str(found))


def _plain(amount: Decimal) -> str:
    """Return an amount without zeros after the point if it is whole: 12 for 12.0."""
    whole = amount.to_integral_value()
    return f"{whole if whole == amount else amount:f}"


def mixed_up(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a fact of the user under the label of another one: "Phone: Sam Sample"."""
    given = {kind: str(PERSON[kind]) for kind in _LABELS if PERSON[kind] in notes.given.values()}
    for each in (reply for reply in replies if notes.ordinary and settles(reply.text)):
        for (label, own), (_, other) in permutations(given.items(), 2):
            words = rf"{_LABELS[label]}\w*(?: (?:number|no))?\W{{1,3}}{re.escape(fold(other))}"
            said = re.search(words, fold(each.text))
            if said is not None and fold(own) not in said[0]:
                title = f"The chatbot names “{other}” as the {label}, which is “{own}”"
                yield finding("mixed-up", title, each, unwanted=f"(?i){exactly(said[0])}")
                return


def other_number(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a report of another number than the one that the user gave and was asked to confirm."""
    for before, after in pairwise(replies):
        if after.turn not in notes.yeses or not notes.reports(after.text):
            continue
        for value in notes.given.values():
            unit = re.search(rf"(?<![\w.,]){value} (?P<unit>[^\W\d_]+)", before.text) if value.isdigit() else None
            named = re.findall(rf"(?<![\w.,])(\d+) {unit['unit']}\b", after.text) if unit else []
            if named and value not in named and len(set(re.findall(r"\d+", before.text)) & set(named)) == 0:
                title = f"The chatbot confirms {unit[0] if unit else ''} and does {named[0]}"
                yield finding("recorded", title, before, after, unwanted=exactly(named[0]))
                return


def other_contact(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a reply that writes to another e-mail address than the user gave."""
    own = {str(each.value) for each in typed_values.find("email", "\n".join(each.asked for each in replies))}
    for each in replies if own else ():
        for found in typed_values.find("email", each.text):
            address = str(found.value)
            if address not in own and _SENDS.search(fold(each.text[: found.start])):
                title = f"The chatbot writes to “{address}” where “{min(own)}” was given"
                yield finding("contact", title, each, unwanted=exactly(address))
                return
