"""Probes that replace an option or a fact, at once or when the chatbot asks to confirm."""

import re
from collections.abc import Mapping

from sparring.extraction.acts import asked_acts
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.tokens import fold, mentions, sentences, tokens
from sparring.extraction.typed_values import find
from sparring.probes.answerer import OTHER_FACTS, PERSON
from sparring.probes.asking import HOW_MANY
from sparring.probes.cancelling import to_the_end, until
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.offers import Choice
from sparring.probes.walker import Walker

_SEVERAL = 3
_DESCRIPTION = {"It does not work.": "It makes a loud noise."}
_DESCRIBED = ("description", "problem", "what happened")
"""Names for it in menus of what to change."""

_DATE = re.compile(r"(?<![\d:])(?:(?<=-)\d\d$|[0-3]?\d(?=[. ]))")
"""The day of the month in a date: "2031-06-12", "12 June"."""

_LATE = 25
_BEGINNING = 3
"""Letters by which a thing that is counted is recognized, also in the singular."""

_TWO_OF = re.compile(r"(?<![\w.,:/$€£-])2 (?P<unit>(?!x\b)(?:[^\W\d_]+-[^\W\d_]+ )?[^\W\d_]{4,})")
_ONE_OF = re.compile(r"(?<![\w.,:/$€£-])1 (?P<unit>[^\W\d_]{3,}\([^\W\d_]{1,3}\))")
_NUMBER_OF = re.compile(r"(?<![\w.,:/$€£-])(?P<number>[1-7]) (?P<unit>[^\W\d_]{4,})")
_IS_TWO = re.compile(r"(?P<label>[^\W\d][^\n:;,.(]{2,24}): ?2(?![\w.,:/-])")
"""What is counted in a summary: "2 guests", "1 ticket(s)", "Guests: 2"."""

_FACTS = {**OTHER_FACTS, **_DESCRIPTION}
_NAMES = (PERSON["name"], "Bella")
_OTHERS = {"18:30": "19:30", "214": "215", "12 June": "14 June"}
"""Answers with others of their kind."""


def correction(walker: Walker, notes: Notes) -> Lines:
    """Take an option, replace it at the next turn, and go on."""
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(
        walker, reply, lambda: walker.confirming or any(1 < each.turn < walker.turn for each in walker.choices)
    )
    settled = any(mentions(reply, each.taken) for each in walker.choices[-1:])  # it asks nothing more
    swap = _swap(walker, reply, -1) if line is not None or settled else None
    if swap is None:
        notes.missed = "the chatbot offered no choice"
        return
    yield from _correct(walker, notes, swap[0], swap[1], "correction")


def late_correction(walker: Walker, notes: Notes) -> Lines:
    """Take an option, and another one in its place when the chatbot asks to confirm."""
    yield from _correct_late(walker, notes, 0)


def last_correction(walker: Walker, notes: Notes) -> Lines:
    """Replace the option that was taken last when the chatbot asks to confirm."""
    yield from _correct_late(walker, notes, -1)


def _correct_late(walker: Walker, notes: Notes, nth: int) -> Lines:
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    swap = _swap(walker, reply, nth) if line is not None else None
    if swap is None:
        notes.missed = "the chatbot offered no choice before it asked to confirm"
        return
    yield from _correct(walker, notes, swap[0], swap[1], "rather")


def correct_twice(walker: Walker, notes: Notes) -> Lines:
    """Replace an option by another one, and that by a third one, when the chatbot asks to confirm."""
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    swap = _swap(walker, reply, -1, least=_SEVERAL) if line is not None else None
    if swap is None or not swap[2]:
        notes.missed = "the chatbot offered no choice of three options before it asked to confirm"
        return
    lines = lines_of(walker.language)
    notes.old, notes.new, notes.newest = swap
    notes.changed = notes.next
    reply = yield lines["correction"].format(new=swap[1], old=swap[0])
    _prefer(walker, swap[0], swap[1])
    reply, _ = yield from until(walker, reply, lambda: walker.confirming)
    notes.again = notes.next
    reply = yield lines["correction"].format(new=swap[2], old=swap[1])
    _prefer(walker, swap[1], swap[2])
    yield from to_the_end(walker, reply)


def fact_correction(walker: Walker, notes: Notes) -> Lines:
    """Correct a name, an address or another fact when the chatbot asks to confirm."""
    yield from _correct_fact(walker, notes, 0)


def other_fact_correction(walker: Walker, notes: Notes) -> Lines:
    """Correct the second of several facts when the chatbot asks to confirm."""
    yield from _correct_fact(walker, notes, 1)


def _correct_fact(walker: Walker, notes: Notes, nth: int) -> Lines:
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    given = [each for each in _FACTS if each in walker.given.values() and each.rstrip(".") in reply] if line else []
    if len(given) <= nth:
        notes.missed = "the chatbot repeated no fact before it asked to confirm"
        return
    old = given[nth]
    wordings = ("mistaken_name", "name_is") if old in _NAMES else ("mistake", "instead")
    yield from _correct(walker, notes, old, _FACTS[old], *wordings)


def time_correction(walker: Walker, notes: Notes) -> Lines:
    """Correct the time when the chatbot asks to confirm."""
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    others = {"18:30": "19:30"}
    if walker.hours is not None:
        others[walker.hours.pick(0)] = walker.hours.pick(1)
    yield from _correct_given(walker, notes, reply if line else "", others)


def day_correction(walker: Walker, notes: Notes) -> Lines:
    """Correct the day when the chatbot asks to confirm."""
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    lines = lines_of(walker.language)
    others = {each: _near(each) for each in walker.given.values() if _DATE.search(each) and find("date", each)}
    yield from _correct_given(walker, notes, reply if line else "", {lines["day"]: lines["other_day"], **others})


def _correct_given(walker: Walker, notes: Notes, reply: str, others: Mapping[str, str]) -> Lines:
    """Correct the first of some values that was given and that a reply repeats."""
    given = [each for each in others if each in walker.given.values() and mentions(reply, each)]
    if not given:
        notes.missed = "the chatbot repeated no day or time before it asked to confirm"
        return
    yield from _correct(walker, notes, given[0], others[given[0]], "rather")


def _near(day: str) -> str:
    """Return a date three days later in the same month, or earlier: 15 June for 12 June."""
    return _DATE.sub(lambda at: f"{int(at[0]) + (3 if int(at[0]) < _LATE else -3):0{len(at[0])}}", day, count=1)


def number_correction(walker: Walker, notes: Notes) -> Lines:
    """Take two of what is counted, such as guests or nights, and three when the chatbot asks to confirm."""
    walker.quantity = "2"
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    two = _two_of_what_was_asked(walker, reply) or _TWO_OF.search(reply) or _IS_TWO.search(reply)
    if line is not None and two is None and (one := _ONE_OF.search(reply)):  # it was not asked for
        unit = one["unit"].replace("(", "").replace(")", "")
        reply = yield lines["number"].format(number=2, unit=unit)
        reply, line = yield from until(walker, reply, lambda: walker.confirming)
    if line is not None and (counted := _two_of_what_was_asked(walker, reply) or _TWO_OF.search(reply)):
        unit = counted["unit"].replace("(", "").replace(")", "")  # "day(s)"
        new, said = f"3{counted[0][1:]}", lines["number"].format(number=3, unit=unit)
    elif line is not None and (counted := _said_number(walker, reply)):
        more = int(counted["number"]) + 2
        new, said = f"{more} {counted['unit']}", lines["number"].format(number=more, unit=counted["unit"])
    elif line is not None and (counted := _IS_TWO.search(reply)):
        new, said = f"{counted[0][:-1]}3", lines["change"].format(label=counted["label"].strip().lower(), new="3")
    else:
        notes.missed = "the chatbot repeated no number before it asked to confirm"
        return
    notes.old, notes.new, notes.changed = counted[0], new, notes.next
    walker.quantity = "3"
    reply = yield said
    yield from to_the_end(walker, reply)


def _said_number(walker: Walker, reply: str) -> re.Match[str] | None:
    """Return where a reply counts what the user counted itself: "3 shirts"."""
    said = " ".join((*walker.given.values(), *(each.taken for each in walker.choices)))
    return next((each for each in _NUMBER_OF.finditer(reply) if mentions(said, each[0])), None)


def _two_of_what_was_asked(walker: Walker, reply: str) -> re.Match[str] | None:
    """Return where a reply counts two of what was asked for: "2 VIP tickets" for "How many tickets?"."""
    for question, answer in walker.given.items():
        thing = HOW_MANY.search(fold(question)) if answer == "2" else None
        begins = thing["thing"][: max(_BEGINNING, len(thing["thing"]) - 2)] if thing else ""
        unit = rf"(?P<unit>{begins}[^\W\d_]*(?:\([^\W\d_]+\))?)"
        counted = re.search(rf"\b2 (?:[^\W\d_]+ ){{0,2}}?{unit}", reply) if thing else None
        if counted is not None:
            return counted
    return None


def _swap(walker: Walker, reply: str, nth: int, *, least: int = 2) -> tuple[str, str, str] | None:
    """Return what to correct, with two other options: of a choice, else of the chatbot's items."""
    before = [each for each in walker.choices if each.turn < walker.turn and len(each.options) >= least]
    said = [each for each in before if _is_thing(walker, each, reply)]
    said = said or [each for each in before if each.options != walker.domain.tasks]
    named = said if nth == 0 else [each for each in said if mentions(reply, each.taken)] or said
    if named:
        choice = named[nth]
        return choice.taken, choice.others[0], next(iter(choice.others[1:]), "")
    if (swap := walker.domain.swap(reply)) is not None:
        return swap
    lines = lines_of(walker.language)
    others = {**_OTHERS, lines["day"]: lines["other_day"]}
    if walker.hours is not None:
        others[walker.hours.pick(0)] = walker.hours.pick(1)
    return next(((old, new, "") for old, new in others.items() if old in walker.given.values() and old in reply), None)


def _is_thing(walker: Walker, choice: Choice, reply: str) -> bool:
    """Return True if the option taken is a value of what is done, not a task such as "change my plan".

    The first question may offer tasks of one word; the reply that asks to confirm names a value.
    """
    tasks = choice.options == walker.domain.tasks or any(
        asked_acts(each) and not walker.domain.price_of(each) for each in choice.options
    )
    return mentions(reply, choice.taken) if tasks or choice.turn == 1 else True


def _correct(walker: Walker, notes: Notes, old: str, new: str, wording: str, other: str = "instead") -> Lines:
    """Replace a value, in other words if the chatbot does not understand the first ones, and go on."""
    notes.old, notes.new, notes.changed = old, new, notes.next
    _prefer(walker, old, new)
    lines, values = lines_of(walker.language), {"new": new.rstrip("."), "old": old.rstrip(".")}
    reply = yield lines.get(wording, lines["mistake"]).format(**values)
    if is_fallback(sentences(reply)[0].text if sentences(reply) else ""):
        notes.changed = notes.next
        reply = yield lines[other].format(**values)
    yield from to_the_end(walker, reply)


def _prefer(walker: Walker, old: str, new: str) -> None:
    """Take the new option from now on, and of a menu of what to change, what the question was for."""
    asked = [each.question.partition(":")[0] for each in walker.choices if old in each.options]
    asked += [question for question, said in {**walker.given, **walker.answered}.items() if said == old]
    walker.answered = {asked: new if said == old else said for asked, said in walker.answered.items()}
    walker.prefers[:0] = [
        new,
        *(_DESCRIBED if old in _DESCRIPTION else ()),
        *(word for each in asked for word in tokens(each)),
    ]
