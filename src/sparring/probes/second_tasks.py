"""Probes of a second task in the same conversation: another order, the same again, another id."""

import re
from collections.abc import Callable

from sparring.extraction.acts import Act, wants
from sparring.extraction.tokens import mentions
from sparring.probes.acts import asks_to_confirm, cancels, ids_in, says_done
from sparring.probes.answerer import OTHER_FACTS
from sparring.probes.arithmetic import ledger_in
from sparring.probes.cancelling import cancel_now, to_the_end, until
from sparring.probes.found import questions_in
from sparring.probes.invitations import without_buttons
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.starting_over import to_repeat
from sparring.probes.walker import Walker

_OTHERS = {**OTHER_FACTS, "Friday": "Tuesday"}
_CODE = re.compile(r"(?=[\w-]*\d{3})[\w-]{3,12}")
_NOT_CONFIRMED = "the chatbot never asked to confirm anything"


def order_other(walker: Walker, notes: Notes) -> Lines:
    """Order something else once something is done."""
    wishes = list(walker.wishes)
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    if line is None:
        notes.missed = _NOT_CONFIRMED
        return
    listed = [name for _, name, _ in ledger_in(reply).items] or [
        name for name, price in walker.domain.prices.items() if price and mentions(reply, name)
    ]
    reply = yield line
    if not (says_done(reply) or ids_in(reply)):
        notes.missed = "the chatbot reported nothing that was done"
        return
    taken = list(walker.choices)
    walker.restart(nth=1)
    walker.wishes, walker.instead = wishes, _OTHERS
    other = next((name for name, price in walker.domain.prices.items() if price and name not in listed), "")
    lines = lines_of(walker.language)
    if listed and other:
        walker.wishes = [str(lines["take"].format(item=f"2 {other}"))]
    notes.restarted = notes.next
    reply = yield to_repeat(reply) or (walker.wishes.pop(0) if walker.wishes else lines["order"])
    yield from to_the_end(walker, reply)
    asked = {each.options: each.taken for each in walker.choices}
    notes.dropped = tuple(each.taken for each in taken if asked.get(each.options, each.taken) != each.taken)
    notes.dropped += tuple(listed) if other else ()


def book_again(walker: Walker, notes: Notes) -> Lines:
    """Cancel what is done, and do the same again."""
    wishes = list(walker.wishes)
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    if line is None:
        notes.missed = _NOT_CONFIRMED
        return
    reply = yield line
    what = walker.thing if "cancel_done" in lines else ""
    reply = yield lines["cancel_done"].format(thing=what) if what else lines["cancel_all"]
    if asks_to_confirm(reply) or wants("".join(questions_in(without_buttons(reply))[-1:]), Act.CANCEL):
        reply = yield lines["yes"]
    if not cancels(reply):
        notes.missed = "the chatbot cancelled nothing that was done"
        return
    notes.before = list(walker.choices)
    walker.restart(walker.nth)
    walker.wishes = wishes
    notes.booked_again = notes.next
    if not questions_in(reply):
        reply = yield to_repeat(reply) or (walker.wishes.pop(0) if walker.wishes else lines["order"])
    yield from to_the_end(walker, reply)


def wrong_code(number: int) -> Callable[[Walker, Notes], Lines]:
    """Return a probe that gives a wrong code the first or a later time, and cancels."""

    def play(walker: Walker, notes: Notes) -> Lines:
        codes = 0

        def asked_for_code() -> bool:
            nonlocal codes
            line = walker.line or ""
            codes += bool(_CODE.fullmatch(line)) and line in walker.given.values()
            return codes >= number

        reply = yield lines_of(walker.language)["hello"]
        reply, line = yield from until(walker, reply, asked_for_code)
        if line is None or walker.confirming:
            notes.missed = "the chatbot asked for no code"
            return
        before = questions_in(without_buttons(reply), True)[-1:]
        reply = yield re.sub(r"\d", "9", line)
        if questions_in(without_buttons(reply), True)[-1:] != before:
            notes.missed = "the chatbot took a wrong code"
            return
        yield from cancel_now(walker, notes, lines_of(walker.language)["cancel_word"])

    return play


def next_id(walker: Walker, notes: Notes) -> Lines:
    """Ask for what another customer has once one's own code was checked."""
    named = " ".join(walker.domain.to_try)
    own = sorted(each for each in ids_in(named) if not each.isdigit() and re.search(r"\d$", each))
    wishes, task = list(walker.wishes), walker.task
    if not own:
        notes.missed = "the chatbot told no id to try it with"
        return
    reply = yield lines_of(walker.language)["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming or len(walker.given) > 1)
    if line is None or len(walker.given) < 2:
        notes.missed = "the chatbot asked for no code of what one has"
        return
    checked = questions_in(without_buttons(reply), True)[-1:]
    reply = yield line
    notes.shown = notes.said, "".join(checked)
    other = re.sub(r"\d+$", lambda digits: str(int(digits[0]) + 1).zfill(len(digits[0])), own[-1])
    walker.restart(0)
    walker.wishes, walker.task, walker.instead = wishes, task, {own[0]: other}
    reply, line = yield from until(walker, reply, lambda: walker.line == other)
    if line != other:
        notes.missed = "the chatbot asked for no second id"
        return
    notes.other_id = notes.next, other
    yield other
