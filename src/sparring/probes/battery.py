"""The battery of probes: in each, the user does one thing that chatbots often get wrong."""

from collections.abc import Callable
from dataclasses import dataclass

from sparring.core.conversation import Conversation
from sparring.core.message import Button, Message, message
from sparring.extraction.acts import asked_acts
from sparring.extraction.speech_acts import asks_for_more
from sparring.extraction.tokens import mentions, sentences, tokens
from sparring.probes.about import other_number
from sparring.probes.acts import asks_to_confirm
from sparring.probes.cancelling import MOST_TURNS, cancel, cancel_done, change_done, recap, to_the_end, until
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.offers import Choice, is_weekday
from sparring.probes.quantities import dozen, none_of_it, prices, several, two_of_each
from sparring.probes.starting_over import CANCELLED_AT, cancel_at, long_answers, odd_answers, order_again, start_over
from sparring.probes.unusual import UNUSUAL
from sparring.probes.walker import OUTSIDE, Walker
from sparring.users.user import BaseUser, UserTraits

_SEVERAL = 3
FACTS = {
    "sam@example.com": "kim@example.com",
    "12 Example Street": "34 Sample Road",
    "Sam Sample": "Kim Sample",
    "555-0134": "555-0188",
}
"""Facts about the user, with others of their kind."""

_OTHERS = {"18:30": "19:30", "214": "215", "12 June": "14 June"}
"""Answers with others of their kind."""


Play = Callable[[Walker, Notes], Lines]


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe by its name. `nth` is the option that its user takes."""

    name: str
    play: Play
    nth: int = 0


def walk(walker: Walker, notes: Notes) -> Lines:
    """Say hello, answer what is asked until the end, and ask what was ordered."""
    notes.ordinary = True
    reply = yield lines_of(walker.language)["hello"]
    yield from to_the_end(walker, reply)
    if walker.confirmed:
        notes.recalled = notes.next
        yield recap(walker)


def correction(walker: Walker, notes: Notes) -> Lines:
    """Take an option, replace it at the next turn, and go on."""
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(
        walker, reply, lambda: walker.confirming or any(1 < each.turn < walker.turn for each in walker.choices)
    )
    swap = _swap(walker, reply, -1) if line is not None else None
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
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    given = [each for each in FACTS if each in walker.given.values() and each in reply] if line is not None else []
    if not given:
        notes.missed = "the chatbot repeated no fact before it asked to confirm"
        return
    yield from _correct(walker, notes, given[0], FACTS[given[0]], "mistake")


def time_correction(walker: Walker, notes: Notes) -> Lines:
    """Correct the time, or the day, when the chatbot asks to confirm."""
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    lines = lines_of(walker.language)
    others = {lines["day"]: lines["other_day"], "18:30": "19:30"}
    if walker.hours is not None:
        others = {walker.hours.pick(0): walker.hours.pick(1), **others}
    given = [each for each in others if each in walker.given.values() and mentions(reply, each)] if line else []
    if not given:
        notes.missed = "the chatbot repeated no day or time before it asked to confirm"
        return
    yield from _correct(walker, notes, given[0], others[given[0]], "rather")


def closed_hour(walker: Walker, notes: Notes) -> Lines:
    """Ask for a time outside of the hours that the chatbot names, and go on."""
    yield from _at_time(walker, notes, "")


def impossible_time(walker: Walker, notes: Notes) -> Lines:
    """Ask for a time that no clock has, and go on."""
    yield from _at_time(walker, notes, "25:70")


def _at_time(walker: Walker, notes: Notes, time: str) -> Lines:
    walker.odd_time = time or OUTSIDE
    reply = yield lines_of(walker.language)["hello"]
    yield from to_the_end(walker, reply)
    notes.time = walker.odd_time if walker.odd_time in walker.given.values() else ""
    if not notes.time:
        notes.missed = "the chatbot named no hours within which it asked for a time"


def prices_between(walker: Walker, notes: Notes) -> Lines:
    """Ask for prices in between, and go on."""
    yield from _detour(walker, notes, lines_of(walker.language)["facts"][1][0])


def _swap(walker: Walker, reply: str, nth: int, *, least: int = 2) -> tuple[str, str, str] | None:
    """Return what to correct, with two other options: of a choice, else of the chatbot's items."""
    before = [each for each in walker.choices if each.turn < walker.turn and len(each.options) >= least]
    said = [each for each in before if each.turn > 1 or _is_thing(walker, each, reply)] or before
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
    """Return True if a reply names the option taken.

    It must not be a task: the first question may offer tasks.
    """
    tasks = any(asked_acts(each) and not walker.domain.price_of(each) for each in choice.options)
    return not tasks and mentions(reply, choice.taken)


def _correct(walker: Walker, notes: Notes, old: str, new: str, wording: str) -> Lines:
    notes.old, notes.new, notes.changed = old, new, notes.next
    _prefer(walker, old, new)
    reply = yield lines_of(walker.language)[wording].format(new=new, old=old)
    yield from to_the_end(walker, reply)


def _prefer(walker: Walker, old: str, new: str) -> None:
    """Take the new option from now on, and of a menu of what to change, what the question was for."""
    asked = [each.question.partition(":")[0] for each in walker.choices if old in each.options]
    walker.prefers[:0] = [new, *(word for each in asked for word in tokens(each))]


def deny(walker: Walker, notes: Notes) -> Lines:
    """Say that it is not right when the chatbot asks to confirm."""
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming and asks_to_confirm(walker.asked))
    if line is None:
        notes.missed = "the chatbot never asked to confirm anything"
        return
    notes.denied = notes.next
    yield lines_of(walker.language)["deny"]


def impossible_date(walker: Walker, notes: Notes) -> Lines:
    """Ask for a day that no calendar has, and go on."""
    yield from _on_day(walker, notes, lines_of(walker.language)["no_day"])


def past_date(walker: Walker, notes: Notes) -> Lines:
    """Ask for a day that is long past, and go on."""
    yield from _on_day(walker, notes, lines_of(walker.language)["past_day"])


def closed_day(walker: Walker, notes: Notes) -> Lines:
    """Ask for a day on which the chatbot says that it is closed, and go on."""
    if not walker.domain.closed:
        notes.missed = "the chatbot named no day on which it is closed"
        return
    yield from _on_day(walker, notes, walker.domain.closed)


def _on_day(walker: Walker, notes: Notes, day: str) -> Lines:
    walker.days, notes.day = (day,), day
    reply = yield lines_of(walker.language)["hello"]
    yield from to_the_end(walker, reply)
    if any(any(map(is_weekday, each.options)) for each in walker.choices):
        notes.missed = "the chatbot offered the days from which to choose"
    elif "date" not in walker.given:
        notes.missed = "the chatbot asked for no day"


def confirm_twice(walker: Walker, notes: Notes) -> Lines:
    """Say yes a second time after the confirmation, and again after a goodbye."""
    reply = yield lines_of(walker.language)["hello"]
    while True:
        reply, line = yield from until(walker, reply, lambda: walker.confirming)
        if line is None or notes.said > MOST_TURNS:
            notes.missed = "the chatbot never asked to confirm anything"
            return
        turn = notes.next
        reply = yield line
        if notes.reports(reply) or not asks_to_confirm(reply) or asks_for_more(sentences(reply)[-1].text):
            break
    notes.confirmed = turn
    lines = lines_of(walker.language)
    yield lines["yes"]
    notes.left = notes.next
    yield lines["goodbye"]
    yield lines["yes"]


def aside(walker: Walker, notes: Notes) -> Lines:
    """Ask something unrelated in between, and go on."""
    yield from _detour(walker, notes, lines_of(walker.language)["aside"])


def question_between(walker: Walker, notes: Notes) -> Lines:
    """Ask a question about the business in between, and go on."""
    yield from _detour(walker, notes, lines_of(walker.language)["facts"][0][0])


def hello_between(walker: Walker, notes: Notes) -> Lines:
    """Say hello again in between, and go on."""
    yield from _detour(walker, notes, lines_of(walker.language)["hello"])


def _detour(walker: Walker, notes: Notes, question: str) -> Lines:
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(
        walker, reply, lambda: walker.turn > 2 and len(walker.choices) + len(walker.given) > 1
    )
    if line is None:
        notes.missed = "the chatbot asked for nothing that it could forget"
        return
    notes.aside = notes.next
    yield question
    reply = yield line
    yield from to_the_end(walker, reply)


def facts(walker: Walker, notes: Notes) -> Lines:
    """Ask for opening hours, prices, delivery and time, and the same again in other words."""
    lines = lines_of(walker.language)
    yield lines["hello"]
    asked = []
    for first, _ in lines["facts"]:
        asked.append(notes.next)
        yield first
    for at, (_, second) in zip(asked, lines["facts"], strict=True):
        notes.facts.append((at, notes.next))
        yield second


def unknown_id(walker: Walker, notes: Notes) -> Lines:
    """Ask for something by an id that nothing has, and let the chatbot show what was ordered."""
    known = next(iter(sorted(walker.domain.ids)), "")
    if not known:
        notes.missed = "the chatbot named no id of what it did"
        return
    lines = lines_of(walker.language)
    other = other_number(known)
    yield lines["hello"]
    yield lines["status_of"].format(id=other)
    if walker.domain.recap:
        yield walker.domain.recap
        yield other


def goodbye(walker: Walker, notes: Notes) -> Lines:
    """Say goodbye twice, and yes afterwards."""
    lines = lines_of(walker.language)
    yield lines["hello"]
    yield lines["goodbye"]
    yield lines["goodbye"]
    yield lines["yes"]


def asked_twice(walker: Walker, notes: Notes) -> Lines:
    """Ask about the chatbot's abilities, state a wish, and ask again."""
    notes.ordinary = True
    lines = lines_of(walker.language)
    yield lines["hello"]
    yield lines["abilities"]
    yield lines["order"]
    yield lines["abilities"]


BATTERY = (
    Probe("walk", walk),
    Probe("second-options", walk, nth=1),
    Probe("third-options", walk, nth=2),
    Probe("last-options", walk, nth=-1),
    Probe("correction", correction),
    Probe("late-correction", late_correction),
    Probe("last-correction", last_correction),
    Probe("correct-twice", correct_twice),
    Probe("fact-correction", fact_correction),
    Probe("time-correction", time_correction),
    Probe("cancel", cancel),
    Probe("cancel-done", cancel_done),
    Probe("change-done", change_done),
    *(Probe(f"cancel-at-{number}", cancel_at(number)) for number in CANCELLED_AT),
    Probe("start-over", start_over),
    Probe("order-again", order_again),
    Probe("odd-answers", odd_answers),
    Probe("long-answers", long_answers),
    Probe("deny", deny),
    Probe("confirm-twice", confirm_twice),
    Probe("impossible-date", impossible_date),
    Probe("past-date", past_date),
    Probe("impossible-time", impossible_time),
    Probe("closed-hour", closed_hour),
    Probe("closed-day", closed_day),
    Probe("unknown-number", walk),
    Probe("unknown-id", unknown_id),
    Probe("aside", aside),
    Probe("question-between", question_between),
    Probe("prices-between", prices_between),
    Probe("hello-between", hello_between),
    Probe("facts", facts),
    Probe("prices", prices),
    Probe("two-of-each", two_of_each),
    Probe("dozen", dozen),
    Probe("none-of-it", none_of_it),
    Probe("several", several),
    Probe("goodbye", goodbye),
    Probe("asked-twice", asked_twice),
    *(Probe(name, play) for name, play in UNUSUAL.items()),
)


class ProbeUser(BaseUser):
    """A user that plays one probe. It has a state, so it plays one conversation only."""

    traits = UserTraits(reads_extraction=False)

    def __init__(self, probe: Probe, walker: Walker) -> None:
        walker.declines = probe.nth == 1
        self.notes = Notes(given=walker.given, choices=walker.choices, domain=walker.domain)
        self.walker = walker
        self._lines = probe.play(walker, self.notes)
        self._started = False

    async def speak(self, conversation: Conversation) -> Message | None:
        last = conversation.messages[-1] if conversation.messages else None
        self.walker.buttons = tuple(each.title for each in last.parts if isinstance(each, Button)) if last else ()
        try:
            line = self._lines.send(last.text if last else "") if self._started else next(self._lines)
        except StopIteration:
            self.notes.stuck = self.walker.stuck
            return None
        self._started = True
        self.walker.interrupted = line != self.walker.line
        self.notes.said += 1
        if self.walker.confirming and line == self.walker.yes:
            self.notes.yeses.append(self.notes.said)
        self.notes.language, self.notes.quantity = self.walker.language, self.walker.counted
        return message("user", line)
