"""Probes that stop half-way, begin anew, do the same twice, or answer in an odd way."""

import re
from collections.abc import Callable, Mapping
from itertools import chain

from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.speech_acts import refuses
from sparring.extraction.tokens import fold, mentions
from sparring.probes.acts import cancels, final_question, statements
from sparring.probes.answerer import OTHER_FACTS, PERSON
from sparring.probes.cancelling import cancel_now, to_the_end, until
from sparring.probes.invitations import Purpose, invitations
from sparring.probes.lines import facts_in, lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.offers import without_list
from sparring.probes.walker import Walker

CANCELLED_AT = (1, 2, 3, 4, 5)
"""Numbers of answers after which a user cancels."""

_RESTARTS = re.compile(
    r"\b(?:(?:start|begin)\w*|over|again|anew|afresh|fresh|new|reset|cleared|neu\w*|von vorne?|nuevo|reinici\w+"
    r"|empez\w+|recommen\w+|debut|ricominci\w+|nuovo|inizio|recomec\w+|novo|inicio|занов\w+|снова|сначала)\b"
)
"""Words of replies that begin anew."""

_LEAST_ANSWERS = 2
_OTHERS = {**OTHER_FACTS, "Friday": "Tuesday"}
_BAD = facts_in("wrong")
_ODD = facts_in("odd")
_STORY = "It stopped working on Monday, and since then I have tried everything that the manual says. "
_LONG = {"It does not work.": _STORY * 20, "Sam Sample": "Maximiliane Alexandra " * 4 + "Sample"}


def cancel_at(number: int) -> Callable[[Walker, Notes], Lines]:
    """Return a probe that cancels after a number of answers, before the chatbot asks to confirm."""

    def play(walker: Walker, notes: Notes) -> Lines:
        reply = yield lines_of(walker.language)["hello"]
        reply, line = yield from until(walker, reply, lambda: walker.confirming or _answers(walker) > number)
        if line is None or walker.confirming:
            notes.missed = "the chatbot asked for nothing" if number == CANCELLED_AT[0] else ""
            return
        yield from cancel_now(walker, notes, lines_of(walker.language)["cancel"])

    return play


def start_over(walker: Walker, notes: Notes) -> Lines:
    """Stop half-way, begin anew, and take other options."""
    yield from _begin_again(walker, notes)


def restart(walker: Walker, notes: Notes) -> Lines:
    """Ask half-way to begin anew, and take other options."""
    yield from _begin_again(walker, notes, stops=False)


def _begin_again(walker: Walker, notes: Notes, *, stops: bool = True) -> Lines:
    wishes = list(walker.wishes)
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming or _answers(walker) > _LEAST_ANSWERS)
    if line is None or _answers(walker) < _LEAST_ANSWERS:
        notes.missed = "the chatbot asked for too little to begin anew"
        return
    known = (*(each.taken for each in walker.choices), *walker.given.values())
    before = [each for each in known if not mentions(line, each)]
    lines = lines_of(walker.language)
    if stops:
        reply = yield walker.stops[-1] if walker.stops else lines["cancel"]
        if not (walker.stops or cancels(reply)):
            reply = yield lines["cancel_word"]
        stopped = bool(cancels(reply) or walker.stops) and not any(
            mentions(statements(without_list(reply)), each) for each in before
        )
    else:
        reply = yield lines["restart"]
        final = final_question(reply) in walker.domain.finals  # it took the words for an answer
        taken = final or is_fallback(reply) or refuses(reply)
        stopped = _RESTARTS.search(fold(reply)) is not None and not taken
    if not stopped:
        notes.missed = "the chatbot did not stop when it was told so"
        return
    if again := to_repeat(reply):
        reply = yield again
    walker.restart(nth=1)
    walker.wishes, walker.instead = wishes, _OTHERS
    notes.restarted = notes.next
    yield from to_the_end(walker, reply)
    said = {*(each.taken for each in walker.choices), *walker.given.values()}
    notes.dropped = tuple(each for each in before if each not in said)


def order_again(walker: Walker, notes: Notes) -> Lines:
    """Do the same again once it is done."""
    wishes = list(walker.wishes)
    reply = yield lines_of(walker.language)["hello"]
    reply = yield from to_the_end(walker, reply)
    if not walker.confirmed:
        notes.missed = "the chatbot never asked to confirm anything"
        return
    walker.restart(walker.nth)
    walker.wishes = wishes
    notes.repeated = notes.next
    again = to_repeat(reply)
    reply = yield again or (wishes[0] if wishes else lines_of(walker.language)["order"])
    again = to_repeat(reply)
    if again:  # named only now
        reply = yield again
    yield from to_the_end(walker, reply)


def to_repeat(reply: str) -> str:
    """Return the word with which a reply lets the user begin another order; empty if it names none."""
    return next((each.said for each in invitations(reply) if each.purpose is Purpose.AGAIN), "")


def odd_answers(walker: Walker, notes: Notes) -> Lines:
    """Answer with names, addresses and texts that hold apostrophes, accents, emoji and markup."""
    yield from _answering(walker, _ODD)


def bad_answers(walker: Walker, notes: Notes) -> Lines:
    """Give an e-mail address, a number or a code that cannot be, and then a right one."""
    yield from _answering(walker, _BAD)


def question_for_name(walker: Walker, notes: Notes) -> Lines:
    """Ask a question where the chatbot asks for a name, and then say the name."""
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.line == PERSON["name"])
    if line is None or line != PERSON["name"]:
        notes.missed = "the chatbot asked for no name"
        return
    notes.aside = notes.next
    yield lines["facts"][0][0]
    reply = yield line
    yield from to_the_end(walker, reply)


def long_answers(walker: Walker, notes: Notes) -> Lines:
    """Answer questions for a description with a long one."""
    yield from _answering(walker, _LONG)


def _answering(walker: Walker, instead: Mapping[str, str]) -> Lines:
    walker.instead = instead
    reply = yield lines_of(walker.language)["hello"]
    yield from to_the_end(walker, reply)


def _answers(walker: Walker) -> int:
    """Return how many things the user has told."""
    return len(list(chain(walker.choices, walker.given)))
