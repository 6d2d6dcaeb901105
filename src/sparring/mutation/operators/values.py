"""Operators that put another value into a reply: amounts, numbers, dates, codes, values of variables."""

import re
from collections.abc import Callable, Iterable
from random import Random

from sparring.core.message import Message
from sparring.extraction.extractor import ValueMatch
from sparring.extraction.goals import texts
from sparring.extraction.typed_values import find
from sparring.mutation.operator import EditContext, MutationOperator, Says, phrases, with_text

_NUMBER = re.compile(r"\d+")
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)*")
_CURRENCIES = {"$": "€", "€": "$", "£": "$", "₽": "€", "USD": "EUR", "EUR": "USD", "dollar": "euro", "euro": "dollar"}
_CURRENCY = re.compile("|".join(map(re.escape, sorted(_CURRENCIES, key=len, reverse=True))), re.IGNORECASE)
_CONTACTS = {"url": "https://www.example.net/help", "email": "help@example.net", "phone": "+1 555 0100 199"}


def _replaced(text: str, match: ValueMatch, by: str) -> str:
    return text[: match.start] + by + text[match.end :]


def _of_type(type: str, other: Callable[[str, Random], str]) -> Says:
    """Return an operator that changes one value of a type."""

    def says(reply: Message, place: EditContext) -> Message | None:
        found = find(type, reply.text)
        if not found:
            return None
        match = place.random.choice(found)
        return with_text(reply, _replaced(reply.text, match, other(reply.text[match.start : match.end], place.random)))

    return says


def _in(words: str, pattern: re.Pattern[str], other: Callable[[str], str]) -> str:
    """Return words with their first match of a pattern replaced."""
    return pattern.sub(lambda match: other(match[0]), words, count=1)


def another_amount(words: str, random: Random) -> str:
    """Return an amount of money that is another one in the same format."""

    def other(number: str) -> str:
        whole, *rest = re.split(r"([.,])", number)
        match random.randrange(4):
            case 0:
                return "".join([str(int(whole) + 1), *rest])
            case 1 if int(whole) > 1:
                return "".join([str(int(whole) - 1), *rest])
            case 2 if int(whole):
                return "".join([f"{whole}0", *rest])
        return number[:-1] + str((int(number[-1]) + random.randint(1, 9)) % 10)

    return _in(words, _DECIMAL, other)


def _another_hour(words: str, random: Random) -> str:
    return _in(words, _NUMBER, lambda hour: str(int(hour) % (23 if int(hour) > 12 else 12) + 1).zfill(len(hour)))


def _another_day(words: str, random: Random) -> str:
    for names in (each["weekdays"].split() for each in phrases().values()):
        for number, name in enumerate(names):
            if re.search(rf"\b{name}\b", words, re.IGNORECASE):
                return re.sub(rf"\b{name}\b", names[(number + 1) % 7], words, count=1, flags=re.IGNORECASE)
    days = [each for each in _NUMBER.finditer(words) if len(each[0]) <= 2]
    if not days:
        return words
    day = days[-1] if re.match(r"\d{4}-", words) else days[0]
    return words[: day.start()] + str(int(day[0]) % 28 + 1).zfill(len(day[0])) + words[day.end() :]


def another_code(words: str, random: Random) -> str:
    """Return a code with one digit replaced, or one letter if it has no digit."""
    places = [at for at, each in enumerate(words) if each.isdigit()]
    if places:
        at = random.choice(places)
        return words[:at] + str((int(words[at]) + random.randint(1, 9)) % 10) + words[at + 1 :]
    letters = [at for at, each in enumerate(words) if each.isascii() and each.isalpha()]
    if not letters:
        return words
    at = random.choice(letters)
    first = "A" if words[at].isupper() else "a"
    return words[:at] + chr((ord(words[at]) - ord(first) + 1) % 26 + ord(first)) + words[at + 1 :]


def _count(reply: Message, place: EditContext) -> Message | None:
    """Change a number before a noun."""
    text = reply.text
    found = [each for each in find("int", text) if re.match(r"\s+[^\W\d_]", text[each.end :])]
    found = [each for each in found if text[each.start : each.end].isdigit()]
    if not found:
        return None
    match = place.random.choice(found)
    number = int(text[match.start : match.end])
    return with_text(
        reply, _replaced(text, match, str(number - 1 if number > 1 and place.random.random() < 0.5 else number + 1))
    )


def _said_values(text: str, place: EditContext) -> list[tuple[str, str]]:
    """Return values of variables in a text, each with another value of the variable that is not."""
    found = []
    for name, value in place.conversation.case.variables.items():
        for said in texts(value):
            others = [each for each in place.seen.values.get(name, ()) if not _stands_in(each, text)]
            others = [each for each in others if not _stands_in(said, each) and not _stands_in(each, said)]
            if len(said) > 1 and others and _stands_in(said, text):
                found.append((said, place.random.choice(others)))
    return found


def _stands_in(value: str, text: str) -> bool:
    return bool(value) and re.search(_word(value), text, re.IGNORECASE) is not None


def _word(value: str) -> str:
    return rf"(?<!\w){re.escape(value)}(?!\w)"


def another_value(said: Message, place: EditContext) -> Message | None:
    """Replace the value of one variable by another value of it."""
    found = _said_values(said.text, place)
    if not found:
        return None
    value, other = place.random.choice(found)
    return with_text(said, re.sub(_word(value), lambda _: other, said.text, flags=re.IGNORECASE))


def _contradict(reply: Message, place: EditContext) -> Message | None:
    """Change a value that an earlier reply has stated."""
    earlier = "\n".join(each.text for each in place.replies)
    found = [
        (match, other)
        for type, other in (("money", another_amount), ("time", _another_hour), ("code", another_code))
        for match in find(type, reply.text)
        if reply.text[match.start : match.end] in earlier
    ]
    if not found:
        return None
    match, other = place.random.choice(found)
    return with_text(reply, _replaced(reply.text, match, other(reply.text[match.start : match.end], place.random)))


def _currency(reply: Message, place: EditContext) -> Message | None:
    def other(match: re.Match[str]) -> str:
        known = _CURRENCIES.get(match[0]) or _CURRENCIES.get(match[0].lower()) or _CURRENCIES[match[0].upper()]
        return known.capitalize() if match[0][0].isupper() and known.islower() else known

    if not find("money", reply.text):
        return None
    return with_text(reply, _CURRENCY.sub(other, reply.text))


def _contact(reply: Message, place: EditContext) -> Message | None:
    for type, other in _CONTACTS.items():
        for match in find(type, reply.text):
            return with_text(reply, _replaced(reply.text, match, other))
    return None


def _markup(reply: Message, place: EditContext) -> Message | None:
    """Show a value as a template, or as undefined."""
    spans = [(match.start, match.end) for type in ("money", "code", "time", "int") for match in find(type, reply.text)]
    names = {
        value: name
        for name, each in place.conversation.case.variables.items()
        for value in texts(each)
        if len(value) > 1
    }
    spans += [match.span() for value in names for match in re.finditer(_word(value), reply.text)]
    if not spans:
        return None
    start, end = place.random.choice(spans)
    name = names.get(reply.text[start:end], "value")
    return with_text(
        reply, reply.text[:start] + place.random.choice([f"{{{{{name}}}}}", "None", "undefined"]) + reply.text[end:]
    )


def _operators() -> Iterable[MutationOperator]:
    yield MutationOperator("reply.amount", "states another amount of money", _of_type("money", another_amount))
    yield MutationOperator("reply.count", "states another number of things", _count)
    yield MutationOperator("reply.date", "states the day after", _of_type("date", _another_day))
    yield MutationOperator("reply.time", "states another hour", _of_type("time", _another_hour))
    yield MutationOperator("reply.id", "states a code with a wrong digit", _of_type("code", another_code))
    yield MutationOperator("reply.value", "names another value than the user asked for", another_value)
    yield MutationOperator("reply.currency", "states the amounts in another currency", _currency)
    yield MutationOperator("reply.contradict", "states another value than before", _contradict)
    yield MutationOperator("reply.link", "gives another address or phone number", _contact)
    yield MutationOperator("reply.markup", "shows a template or an undefined value", _markup)


OPERATORS = tuple(_operators())
