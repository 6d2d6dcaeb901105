"""The check `consistent`: a chatbot does not contradict what it stated before.

It fails two totals or prices for the same thing, a charge of another amount than was confirmed, a fact that changes
(opening hours, an order id, a date, a duration), a reply that takes back what an earlier one said was done, a total
that is not the sum of its lines, nights that are not those between two dates, and a date with the wrong day of the
week, if the tools or the state show the year. It does not apply where there may be a reason: the user asked for
something in between, or a reply names a discount, a fee or a correction.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sparring.core.conversation import Conversation
from sparring.core.text import visible
from sparring.core.verdict import Verdict
from sparring.extraction import typed_values
from sparring.extraction.acts import looks_up, reported_acts
from sparring.extraction.answer_kinds import weekdays, weekdays_before
from sparring.extraction.dates_and_times import WEEKDAYS
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import MAX_MESSAGE, NUMBERS, fold, pattern, sentences, stems, tokens
from sparring.extraction.typed_values import find
from sparring.extraction.word_tables import words_of_module
from sparring.judges.builtin.amounts import other_charge, wrong_sum
from sparring.judges.builtin.statements import Statement, statements
from sparring.judges.builtin.verdicts import Defect, verdict

_NIGHTS = re.compile(
    r"\b(?P<number>\d{1,3}|[^\W\d]+)[ -](?:nights?|nacht|nachte|noches?|nuits?|notte|notti|noites?|ноч\w*)\b"
)
_HEDGED = pattern(
    "minimum", "maximum", "at least", "at most", "up to", "or", "free", "extra", "oder", "gratis", end=r"\b"
)
"""Words of sentences whose nights may be others than those of the stay."""

_TO = frozenset(
    "to until till through and departure departing leaving check out checkout on the bis zum abreise am al a hasta el"
    " salida au jusqu le depart fino partenza il ate saida по до выезд".split()
)
"""Words between the dates of a stay; there may be only a dash."""

_ANY_YEARS = (2025, 2028)
"""A year without and one with 29 February, for dates without a year."""


def wrong_nights(at: int, text: str) -> tuple[Statement, str] | None:
    """Return a sentence with two dates and a wrong number of nights, and the number between the dates."""
    text = text[:MAX_MESSAGE]
    for sentence in sentences(text) if _NIGHTS.search(fold(text)) else ():
        folded = fold(sentence.text)
        numbers = [each["number"] for each in _NIGHTS.finditer(folded)]
        counts = [NUMBERS.get(each) or int(each) for each in numbers if each.isdigit() or each in NUMBERS]
        if len(counts) != 1 or _HEDGED.search(folded):
            continue
        between = _between(sentence.text)
        if between and counts[0] not in between:
            said = Statement("stay", frozenset(), str(counts[0]), at, sentence.start, sentence.end, sentence.text)
            return said, " or ".join(map(str, sorted(between)))
    return None


def _between(sentence: str) -> set[int]:
    """Return the days between the dates of a stay; of dates without a year, there may be two numbers."""
    days = typed_values.find("date", sentence)
    if len(days) != 2 or not set(tokens(sentence[days[0].end : days[1].start])) <= _TO | WEEKDAYS.keys():
        return set()
    return set(_days(str(days[0].value), str(days[1].value)))


def _days(first: str, last: str) -> Iterator[int]:
    known = [int(each[:4]) for each in (last, first) if each[0] != "-"]
    for year in known[:1] or _ANY_YEARS:
        try:
            start = date.fromisoformat(first if first[0] != "-" else f"{year}{first[1:]}")
            end = date.fromisoformat(last if last[0] != "-" else f"{year}{last[1:]}")
            if end < start and last[0] == "-":
                end = end.replace(year=start.year + 1)
            elif end < start and first[0] == "-":
                start = start.replace(year=end.year - 1)
        except ValueError:  # 29 February
            continue
        if end > start:
            yield (end - start).days


_WORDS = words_of_module(__name__)
CONSISTENT = "consistent"

_REASONS = pattern(_WORDS["reasons"], end=r"\b")
_NEUTRAL = stems(_WORDS["neutral"])
_ASKS = pattern(_WORDS["asks"], start=rf"^[^\w]*(?:(?:{_WORDS['greets']})[^\w]+)*", end=r"\b")
_WANTS = pattern(_WORDS["wants"], end=r"\b")
_REGRET = stems("afraid unfortunately yet sorry still lamentablemente todavia")
_LASTING = frozenset({"hours", "phone", "email"})
"""Kinds of facts that no wish of a user changes."""

_SAYS = {"act": "takes it back", "fact": "says the opposite"}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two quotes that contradict each other, or one, with the reason."""

    statements: tuple[Statement, ...]
    reason: str


def consistent(conversation: Conversation) -> Verdict:
    """Fail if the chatbot contradicts itself. The check never passes: silence contradicts nothing."""
    found = next(contradictions(conversation), None)
    if found is None:
        return verdict(CONSISTENT, conversation, None)
    quotes = tuple((each.at, each.start, each.end) for each in found.statements)
    return verdict(CONSISTENT, conversation, Defect(found.reason, quotes))


def contradictions(conversation: Conversation) -> Iterator[Contradiction]:
    """Yield what the chatbot's replies contradict, in their order."""
    start = len(conversation.case.history)
    latest: dict[tuple[str, frozenset[str]], Statement] = {}
    for at, message in enumerate(conversation.messages):
        if message.role != "chatbot" or message.injected or at < start:
            continue
        if (wrong := wrong_sum(at, message.text)) is not None:
            said, total = wrong
            turn = f"turn {conversation.turn_of(at)}"
            yield Contradiction((said,), f"{turn}: the lines of {visible(said.text)!r} add up to {total}")
        if (stay := wrong_nights(at, message.text)) is not None:
            said, nights = stay
            turn = f"turn {conversation.turn_of(at)}"
            yield Contradiction(
                (said,), f"{turn}: there are {nights} nights between the dates of {visible(said.text)!r}"
            )
        yield from _wrong_weekdays(conversation, at, message.text)
        new = list(statements(at, message.text))
        for each in new:
            earlier = latest.get((each.kind, each.key))
            if earlier is not None and earlier.value != each.value and _is_contradiction(conversation, earlier, each):
                yield Contradiction((earlier, each), _reason(conversation, earlier, each))
        if (charge := _other_charge(conversation, at, new)) is not None:
            yield Contradiction(charge, _reason(conversation, *charge))
        latest.update({(each.kind, each.key): each for each in new})


def _other_charge(
    conversation: Conversation, at: int, stated: Sequence[Statement]
) -> tuple[Statement, Statement] | None:
    """Return what the last reply named to confirm, and what this one charges instead after a plain yes."""
    asked = next((each for each in reversed(range(at)) if conversation.messages[each].role == "chatbot"), None)
    if asked is None or conversation.messages[asked].injected:
        return None
    said = [each.text for each in conversation.messages[asked:at] if each.role == "user"]
    if not said or not all(stems(text) <= _NEUTRAL for text in said) or is_denial(" ".join(said)):
        return None
    if _REASONS.search(fold(conversation.messages[at].text)):
        return None
    return other_charge(conversation, asked, at, stated)


def _wrong_weekdays(conversation: Conversation, at: int, text: str) -> Iterator[Contradiction]:
    """Yield dates beside a day of the week that is another one in the years that are spoken of."""
    for match in find("date", text) if len(text) <= MAX_MESSAGE and weekdays(text) else ():
        named, value = weekdays_before(text, match.start), str(match.value)
        days = [value] if value[0] != "-" else [f"{year}{value[1:]}" for year in _years(conversation)]
        right = {date.fromisoformat(each).weekday() for each in days if not each.endswith("02-29")}
        if named and right and right.isdisjoint(named):
            quote = text[match.start : match.end]
            said = Statement("date", frozenset(), value, at, match.start, match.end, quote)
            turn, day = conversation.turn_of(at), visible(text[: match.start].split()[-1].strip(","))
            yield Contradiction((said,), f"turn {turn}: {visible(quote)!r} is no {day}")


def _years(conversation: Conversation) -> set[int]:
    """Return the years of dates in tool calls, in the state and in the case, and those after them."""
    calls = [(dict(call.arguments), call.result) for each in conversation.messages for call in each.tool_calls]
    known = f"{calls} {conversation.state and conversation.state.start} {conversation.case.variables}"
    years = {int(each) for each in re.findall(r"\b(20\d\d)-\d\d-\d\d", known)}
    return years | {each + 1 for each in years}


def _is_contradiction(conversation: Conversation, earlier: Statement, later: Statement) -> bool:
    """Return True if nothing explains why two statements differ."""
    if earlier.value == "no" and (later.kind == "act" or (later.kind == "fact" and reported_acts(later.text))):
        return False  # what was not done may be done by now
    replies = [each for each in conversation.messages[earlier.at + 1 : later.at + 1] if each.role == "chatbot"]
    if any(_REASONS.search(fold(each.text)) for each in replies):
        return False
    if later.kind == "code" and _acts(conversation, later.at) - _acts(conversation, earlier.at):
        return False  # something else was done as well, with a number of its own
    if later.kind == "act" and any(not looks_up(call.name) for each in replies for call in each.tool_calls):
        return False
    said = [each.text for each in conversation.messages[earlier.at : later.at] if each.role == "user"]
    before = [stems(each.text) for each in conversation.messages[: earlier.at] if each.role == "user"]
    known = (stems(earlier.text) | later.key | _NEUTRAL).union(*before)
    if later.kind in _LASTING:
        return not said or stems(said[-1]) <= _NEUTRAL or _asks(said[-1], known)
    if later.key == frozenset({"due"}):
        return all(stems(text) <= _NEUTRAL for text in said)
    if not all(stems(text) <= _NEUTRAL or _asks(text, known) for text in said):
        return False
    return later.kind != "act" or stems(later.text) <= stems(earlier.text).union(_NEUTRAL, _REGRET, *map(stems, said))


def _acts(conversation: Conversation, at: int) -> frozenset[str]:
    """Return the stems of the sentences in which a reply reports an act."""
    done = [each.text for each in sentences(conversation.messages[at].text) if reported_acts(each.text)]
    return frozenset[str]().union(*map(stems, done))


def _asks(text: str, known: frozenset[str]) -> bool:
    """Return True if a message is a question about `known` words, without a wish or a number of its own."""
    folded = fold(text)
    return bool(_ASKS.search(folded)) and not _WANTS.search(folded) and stems(text) <= known


def _reason(conversation: Conversation, earlier: Statement, later: Statement) -> str:
    first, second = conversation.turn_of(earlier.at), conversation.turn_of(later.at)
    then = _SAYS.get(later.kind, "says")
    first_statement, again = visible(earlier.text), visible(later.text)
    return f"turn {first}: the chatbot says {first_statement!r}, but in turn {second} it {then}: {again!r}"
