"""The battery of probes: in each, the user does one thing that chatbots often get wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from sparring.core.conversation import Conversation
from sparring.core.message import Button, Message, message
from sparring.extraction.speech_acts import asks_for_more
from sparring.extraction.tokens import sentences
from sparring.probes.about import other_number
from sparring.probes.acts import asks_to_confirm, ids_in
from sparring.probes.amounts import (
    amount_correction,
    free_delivery,
    large_number,
    late_limit,
    month_end,
    negative_number,
    remove_one,
)
from sparring.probes.cancelling import (
    MOST_TURNS,
    cancel,
    cancel_and_agree,
    cancel_done,
    change_done,
    recall,
    to_the_end,
    until,
)
from sparring.probes.correcting import (
    correct_twice,
    correction,
    day_correction,
    fact_correction,
    last_correction,
    late_correction,
    number_correction,
    other_fact_correction,
    time_correction,
)
from sparring.probes.found import without_echo
from sparring.probes.limits import least_in, most_in
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.quantities import (
    dozen,
    extra,
    five_in_words,
    none_of_it,
    one_and_three,
    price_list,
    priced,
    prices,
    several,
    two_of_each,
)
from sparring.probes.ruled_out import closed_day, closed_hour, impossible_date, impossible_time, open_day, past_date
from sparring.probes.second_tasks import book_again, next_id, order_other, wrong_code
from sparring.probes.starting_over import (
    CANCELLED_AT,
    bad_answers,
    cancel_at,
    long_answers,
    odd_answers,
    order_again,
    question_for_name,
    restart,
    start_over,
)
from sparring.probes.unusual import UNUSUAL
from sparring.probes.walker import Walker
from sparring.users.user import BaseUser, UserTraits

_FEW = 9
"""Answers up to which nothing is less than the least."""

Play = Callable[[Walker, Notes], Lines]


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe by its name. `nth` is the option that its user takes.

    An `optional` one needs what many chatbots do not ask for, and is not missed there.
    """

    name: str
    play: Play
    nth: int = 0
    optional: bool = False


def walk(walker: Walker, notes: Notes) -> Lines:
    """Say hello, answer what is asked until the end, and ask what was ordered, and for its number."""
    notes.ordinary, walker.differs = True, walker.nth == -1
    reply = yield lines_of(walker.language)["hello"]
    reply = yield from to_the_end(walker, reply)
    if walker.confirmed:
        yield from recall(walker, notes)
        if ids_in(reply):
            notes.asked_number = notes.next
            yield lines_of(walker.language)["reference"]
            yield lines_of(walker.language)["reference"]


def over_limit(walker: Walker, notes: Notes) -> Lines:
    """Give one more than the most that the chatbot names, and go on."""
    yield from _beyond(walker, notes, most_in, 1)


def under_limit(walker: Walker, notes: Notes) -> Lines:
    """Give one less than the least that the chatbot names, and go on."""
    yield from _beyond(walker, notes, least_in, -1)


def _beyond(walker: Walker, notes: Notes, limit_in: Callable[[str], int | None], by: int) -> Lines:
    reply = yield lines_of(walker.language)["hello"]
    extreme = "999" if by > 0 else "0"
    for _ in range(MOST_TURNS):
        line = walker.answer_to(reply)
        if line is None:
            break
        limit = limit_in(reply)
        if line.isdigit() and len(line) < len(extreme) + 2 and limit is None and extreme:  # it may name one now
            reply, extreme = (yield extreme if by > 0 or int(line) <= _FEW else str(_FEW)), ""
            limit = limit_in(reply)
        if line.isdigit() and limit:
            notes.beyond = notes.next, limit, limit + by
            reply = yield str(limit + by)
            yield from to_the_end(walker, reply)
            return
        reply = yield line
    notes.missed = "the chatbot named no limit of what it asked for"


def prices_between(walker: Walker, notes: Notes) -> Lines:
    """Ask for prices in between, and go on."""
    yield from _detour(walker, notes, lines_of(walker.language)["facts"][1][0], after=1)


def says_no(line_name: str) -> Play:
    """Return a probe that says a line in place of a yes: a no, or neither."""

    def play(walker: Walker, notes: Notes) -> Lines:
        reply = yield lines_of(walker.language)["hello"]
        reply, line = yield from until(walker, reply, lambda: walker.confirming and asks_to_confirm(walker.asked))
        if line is None:
            notes.missed = "the chatbot never asked to confirm anything"
            return
        notes.denied = notes.next
        yield lines_of(walker.language)[line_name]

    return play


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
    yield from _detour(walker, notes, lines_of(walker.language)["aside"], after=4)


def question_between(walker: Walker, notes: Notes) -> Lines:
    """Ask a question about the business in between, and go on."""
    yield from _detour(walker, notes, walker.domain.question or lines_of(walker.language)["facts"][0][0])


def question_at_end(walker: Walker, notes: Notes) -> Lines:
    """Ask a question about the business when the chatbot asks to confirm, and go on."""
    yield from _detour(walker, notes, walker.domain.question or lines_of(walker.language)["facts"][0][0], after=99)


def hello_between(walker: Walker, notes: Notes) -> Lines:
    """Say hello again in between, and go on."""
    yield from _detour(walker, notes, lines_of(walker.language)["hello"])


def _detour(walker: Walker, notes: Notes, question: str, after: int = 2) -> Lines:
    """Ask a question after some answers, or where the chatbot asks to confirm them."""
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(
        walker,
        reply,
        lambda: walker.turn > min(after, 2) and (len(walker.choices) + len(walker.given) >= after or walker.confirming),
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


def unknown_number(walker: Walker, notes: Notes) -> Lines:
    """Walk with other digits in what the chatbot or the tester tells to say."""
    walker.unknown = True
    yield from walk(walker, notes)


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


def lower_case(walker: Walker, notes: Notes) -> Lines:
    """Answer in small letters."""
    walker.lower = True
    yield from walk(walker, notes)


def asked_twice(walker: Walker, notes: Notes) -> Lines:
    """Ask about the chatbot's abilities, state a wish, and ask again."""
    notes.ordinary = True
    lines = lines_of(walker.language)
    yield lines["hello"]
    yield lines["abilities"]
    yield lines["order"]
    yield lines["abilities"]


PRICED = (1, 2, 3, 4)
"""Numbers of things with a price that are taken alone."""

_ALL = (
    Probe("walk", walk),
    Probe("second-options", walk, nth=1),
    Probe("third-options", walk, nth=2),
    Probe("last-options", walk, nth=-1),
    Probe("correction", correction),
    Probe("late-correction", late_correction),
    Probe("last-correction", last_correction),
    Probe("correct-twice", correct_twice),
    Probe("fact-correction", fact_correction, optional=True),
    Probe("other-fact-correction", other_fact_correction, optional=True),
    Probe("time-correction", time_correction, optional=True),
    Probe("day-correction", day_correction, optional=True),
    Probe("number-correction", number_correction, nth=-1, optional=True),
    Probe("cancel", cancel),
    Probe("cancel-and-agree", cancel_and_agree),
    Probe("cancel-done", cancel_done),
    Probe("change-done", change_done),
    *(Probe(f"cancel-at-{number}", cancel_at(number), optional=True) for number in CANCELLED_AT),
    Probe("start-over", start_over),
    Probe("restart", restart, optional=True),
    Probe("order-again", order_again),
    Probe("order-other", order_other, optional=True),
    Probe("book-again", book_again, optional=True),
    Probe("wrong-code-1", wrong_code(1), optional=True),
    Probe("wrong-code-2", wrong_code(2), optional=True),
    Probe("next-id", next_id, optional=True),
    Probe("odd-answers", odd_answers),
    Probe("long-answers", long_answers),
    Probe("bad-answers", bad_answers),
    Probe("question-for-name", question_for_name, optional=True),
    *(Probe(name, says_no(name)) for name in ("deny", "refuse", "hesitate")),
    Probe("undecided", says_no("undecided"), optional=True),
    Probe("confirm-twice", confirm_twice),
    Probe("impossible-date", impossible_date),
    Probe("past-date", past_date, optional=True),
    Probe("impossible-time", impossible_time, optional=True),
    Probe("closed-hour", closed_hour, optional=True),
    Probe("over-limit", over_limit, optional=True),
    Probe("under-limit", under_limit, optional=True),
    Probe("closed-day", closed_day),
    Probe("open-day", open_day, optional=True),
    Probe("unknown-number", unknown_number),
    Probe("unknown-id", unknown_id, optional=True),
    Probe("aside", aside),
    Probe("question-between", question_between),
    Probe("prices-between", prices_between),
    Probe("question-at-end", question_at_end, optional=True),
    Probe("hello-between", hello_between),
    Probe("facts", facts),
    Probe("prices", prices),
    Probe("two-of-each", two_of_each),
    *(Probe(f"priced-{number}", priced(number - 1), optional=True) for number in PRICED),
    Probe("one-and-three", one_and_three, optional=True),
    Probe("extra", extra, optional=True),
    Probe("five-in-words", five_in_words, optional=True),
    Probe("price-list", price_list, optional=True),
    Probe("dozen", dozen, optional=True),
    Probe("none-of-it", none_of_it, optional=True),
    Probe("several", several),
    Probe("large-number", large_number, optional=True),
    Probe("negative-number", negative_number, optional=True),
    Probe("free-delivery", free_delivery, optional=True),
    Probe("month-end", month_end, optional=True),
    Probe("amount-correction", amount_correction, optional=True),
    Probe("remove-one", remove_one, optional=True),
    Probe("late-limit", late_limit, optional=True),
    Probe("lower-case", lower_case, optional=True),
    Probe("goodbye", goodbye),
    Probe("asked-twice", asked_twice),
    *(Probe(name, play) for name, play in UNUSUAL.items()),
)
BATTERY = tuple(sorted(_ALL, key=lambda probe: probe.optional))
"""All probes. The optional ones come last, so that a limit of messages ends them first."""


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
            line = self._lines.send(self._last_reply(conversation)) if self._started else next(self._lines)
        except StopIteration:
            self.notes.stuck = self.walker.stuck
            return None
        self._started = True
        self.walker.interrupted = line != self.walker.line
        self.notes.said += 1
        if self.walker.confirming and line == self.walker.yes:
            self.notes.yeses.append(self.notes.said)
        self.notes.opening = self.walker.opening
        self.notes.language, self.notes.quantity = self.walker.language, self.walker.counted
        return message("user", line)

    def _last_reply(self, conversation: Conversation) -> str:
        """Return the last reply without what it repeats of the user's own words, unless they are an answer."""
        reply = conversation.messages[-1].text
        said = [each.text for each in conversation.messages if each.role == "user"]
        answers = self.walker.given.values()
        return reduce(without_echo, (each for each in said if each not in answers), reply)
