"""What a chatbot itself tells its users to say: examples, formats of dates, and values for a try."""

import re
from collections.abc import Iterable
from datetime import date, timedelta

from sparring.extraction import typed_values
from sparring.extraction.tokens import fold, sentences, tokens
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import ids_in
from sparring.probes.lines import FUNCTION_WORDS

_WORDS = words_of_module(__name__)
EXAMPLE_WORDS = _WORDS["example"]
INTRODUCED = re.compile(rf"(?:{EXAMPLE_WORDS})[:,]?\s*", re.IGNORECASE)
_NAMES_ONE = re.compile(r"exam|inst|e\.g|ejem|beisp|z\.|exem|esem|напр", re.IGNORECASE)
"""Words for an example, other than those for one of several things, as "such as"."""

_QUOTED = re.compile('["\'“„«‘`](?P<quoted>[^"“”„«»‘’`\\n]{2,90}?)["\'”“»’`](?!\\w)')
_PLAIN = re.compile(r"[^?!\n()«»\"“”]{8,120}?(?=[.!](?:\s|$)|\s*$|[?!\n()«»\"“”])")
_LEAST_PARTS = 3
"""Parts of an example that answers a question for several facts."""

_D = r"(?:dd?|tt?|jj?|gg?|дд|dia|day|tag|jour|giorno|день)"
_M = r"(?:mm?|мм|mes|month|monat|mois|mese|месяц)"
_Y = r"(?:[yjaг]{2,4}|year|ano|jahr|annee|anno|год)"
_FORMAT = re.compile(
    rf"(?P<iso>\b{_Y}-{_M}-{_D}\b)|\b(?P<day>{_D})(?P<sign>[./-]){_M}(?:(?P=sign)(?P<year>{_Y}))?(?![\w@])"
    rf"|(?P<us>\b{_M}/{_D}(?P<us_year>/{_Y})?(?!\w))"
)
"""Formats of a date: "YYYY-MM-DD", "dd.mm.yyyy", "day/month", "mm/dd/yyyy"."""

_LATER, _BEFORE = (16, 23, 30, 37), (3, 5, 10, 20)
"""Days from today on which something is wanted, and before it, on which something happened."""

_TO_TRY = re.compile(rf"\b(?:{_WORDS['to_try']})\b")


def whole_example(reply: str) -> str:
    """Return an example of an answer that is quoted, or has several parts: "12 May, 2 guests, double"."""
    introduced = INTRODUCED.search(reply)
    if introduced is None:
        return ""
    quoted = _QUOTED.match(reply, introduced.end())
    if quoted is not None:
        said = quoted["quoted"].strip()
        return said if len(said.split()) > 1 else ""
    plain = _PLAIN.match(reply, introduced.end()) if _NAMES_ONE.search(introduced[0]) else None
    parts = plain[0].split(",") if plain else []
    several = len(parts) >= _LEAST_PARTS and any(map(str.isdigit, reply[introduced.end() :]))
    return plain[0].strip(" .") if plain and several else ""


def has_date_format(reply: str) -> bool:
    """Return True if a reply tells how to write a date: "YYYY-MM-DD"."""
    return _FORMAT.search(fold(reply)) is not None


def date_as(reply: str, day: date) -> str:
    """Return a date in the format that a reply tells; in ISO 8601 if it tells none."""
    return written_as(reply, day.year, day.month, day.day)


def written_as(reply: str, year: int, month: int, day: int) -> str:
    """Return a date, which need not be in the calendar, in the format that a reply tells."""
    found = _FORMAT.search(fold(reply))
    if found is None or found["iso"]:
        return f"{year}-{month:02}-{day:02}"
    if found["us"]:
        return f"{month:02}/{day:02}" + (f"/{year}" if found["us_year"] else "")
    return found["sign"].join((f"{day:02}", f"{month:02}", *([str(year)] if found["year"] else [])))


def day_near(today: date, times: int, *, past: bool) -> date:
    """Return a working day before or after today; another one each time."""
    days = _BEFORE if past else _LATER
    near = today + timedelta((-1 if past else 1) * days[min(times, len(days) - 1)])
    return near - timedelta(max(0, near.weekday() - 3))  # no Friday: it may be half a day


def in_format(reply: str, said: str, today: date) -> str:
    """Return a day that a probe says, in the format of a reply; as it is if it names no date."""
    if not has_date_format(reply):
        return said
    found = typed_values.find("date", said)
    if not found:  # such as 30 February
        number = re.search(r"\d+", said)
        return written_as(reply, today.year + 1, 2, int(number[0])) if number else said
    year, month, day = str(found[0].value).replace("--", f"{today.year + 1}-").split("-")
    return written_as(reply, int(year), int(month), int(day))


def to_try(reply: str) -> list[str]:
    """Return the parts of a reply that tell values to try it with: "Demo: your parcel is SP1001"."""
    return [each.text for each in sentences(reply) if _TO_TRY.search(fold(each.text))]


def demo_value(question: str, demo: Iterable[str], said: str = "", nth: int = 0) -> str:
    """Return the value that a chatbot gave for a try to what its question asks; empty if there is none.

    Behind the last id that the user has said, the next value counts: "SP1001, postcode 10115; SP1002, postcode 20095".
    """
    words = [
        each for each in tokens(question) if len(each) > 2 and not any(each in own for own in FUNCTION_WORDS.values())
    ]
    for text in demo:
        start = max((text.rfind(each) for each in ids_in(text) if each in said), default=0)
        for word in words:
            found = re.compile(
                rf"\b{re.escape(word)}s?\W{{1,3}}(?:\w{{2,3}} |: ?)?(?P<value>(?=[\w-]*\d)[\w-]{{3,}})"
            ).search(fold(text), max(start, 0))
            if found is not None and len(fold(text)) == len(text):
                return text[found.start("value") : found.end("value")]
        if _NUMBER.search(fold(question)) and (ids := sorted(ids_in(text), key=lambda each: (each.isdigit(), each))):
            lettered = [each for each in ids if not each.isdigit()]
            return (lettered or ids)[nth % len(lettered or ids)]
    return ""


_NUMBER = re.compile(rf"\b(?:{_WORDS['number']})")
