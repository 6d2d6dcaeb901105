"""Probes that cancel or move what is agreed or done, and the walk to there."""

import re
from collections import Counter
from collections.abc import Callable, Generator

from sparring.extraction.acts import Act, wants
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.tokens import fold, mentions, sentences
from sparring.probes.acts import asks_to_confirm, cancels, ids_in
from sparring.probes.found import questions_in
from sparring.probes.invitations import without_buttons
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.walker import Walker

MOST_TURNS = 14
_MOST_WORDS = 2
_MOST_RECAPS, _FEWER_RECAPS = 4, 2
"""Questions for what was ordered, in a walk and in other probes."""

_LEAST = 3
"""Characters of a value by which what was ordered is known again."""

_RESTARTS = re.compile(r"restart|start|neu|reinici|recom|заново")


def until(walker: Walker, reply: str, ready: Callable[[], bool]) -> Generator[str, str, tuple[str, str | None]]:
    """Answer the chatbot until `ready`; return its last reply and the answer, which is not said yet."""
    for _ in range(MOST_TURNS):
        line = walker.answer_to(reply)
        if line is None or ready():
            return reply, line
        reply = yield line
    return reply, None


def to_the_end(walker: Walker, reply: str) -> Generator[str, str, str]:
    """Answer the chatbot until there is nothing left to say; return its last reply."""
    reply, _ = yield from until(walker, reply, lambda: False)
    return reply


def recaps(walker: Walker) -> list[str]:
    """Return what shows what was ordered, or else questions for it, by the chatbot's own words first."""
    lines = lines_of(walker.language)
    if walker.domain.recap:
        return [walker.domain.recap, lines["mine"]]
    said = Counter[str]()
    for words, question in lines["mine_by_word"]:
        for found in re.finditer(rf"\b(?:{words})\b", fold(walker.replied)):
            said[question.format(word=found[1] if found.re.groups else "")] += 1
    by_word = [question for question, _ in said.most_common(_MOST_WORDS)]
    wished = lines["having"].format(thing=walker.thing) if walker.thing and "having" in lines else lines["recap"]
    return [*by_word[:1], wished, *by_word[1:], lines["mine"]]


def recall(walker: Walker, notes: Notes) -> Lines:
    """Ask what was ordered, in other words again if the reply tells nothing of it."""
    for question in recaps(walker)[: _MOST_RECAPS if notes.ordinary else _FEWER_RECAPS]:
        notes.recalled = notes.next
        reply = yield question
        if _recalls(reply, walker):
            notes.recap = question
            return
        if cancels(reply) or (walker.domain.recap == question and not is_fallback(reply)):
            return


def _recalls(reply: str, walker: Walker) -> bool:
    """Return True if a reply tells what was ordered, and does not offer it anew."""
    if any(is_fallback(each.text) for each in sentences(reply)):
        return False
    named = [sum(mentions(reply, each) for each in choice.options) for choice in walker.choices]
    known = {*walker.given.values(), *(each.taken for each in walker.choices)}
    values = [each for each in known if len(each) >= _LEAST and mentions(reply, each)]
    return bool(ids_in(reply)) or (1 in named and max(named) == 1) or len(values) > 1


def cancel(walker: Walker, notes: Notes) -> Lines:
    """Cancel when the chatbot asks to confirm, and see how it replies."""
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    if line is None:
        notes.missed = "the chatbot never asked to confirm anything"
        return
    yield from cancel_now(walker, notes, lines_of(walker.language)["cancel"])


def cancel_done(walker: Walker, notes: Notes) -> Lines:
    """Cancel what is done already, and ask whether it is still there."""
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply = yield from to_the_end(walker, reply)
    if not walker.confirmed or not (walker.choices or walker.given):
        notes.missed = "the chatbot never asked to confirm anything"
        return
    notes.kept = True
    what = walker.thing if "cancel_done" in lines else ""
    yield from cancel_now(walker, notes, lines["cancel_done"].format(thing=what) if what else lines["cancel_all"])


def cancel_now(walker: Walker, notes: Notes, line: str) -> Lines:
    """Cancel, a second time if the chatbot goes on, and ask whether it is still there."""
    notes.cancelled = notes.next
    stops = [each for each in walker.stops if not (_RESTARTS.search(fold(each)) or notes.kept)]
    reply = yield next(iter(stops), line)
    insists = asks_to_confirm(reply) and not cancels(reply)  # it goes on with the order
    lines = lines_of(walker.language)
    asked = "".join(questions_in(without_buttons(reply), True)[-1:])
    if insists or asked:  # or "Shall I cancel it?"
        reply = yield lines["yes" if wants(asked, Act.CANCEL) else "cancel_all"]
    if asked and not (cancels(reply) or notes.kept or wants(asked, Act.CANCEL)):
        reply = yield lines["cancel_word"]
    if cancels(reply):
        yield from recall(walker, notes)
        if notes.kept:
            notes.cancelled_again = notes.next
            yield lines["cancel_all"]


def cancel_and_agree(walker: Walker, notes: Notes) -> Lines:
    """Cancel when the chatbot asks to confirm, and say yes afterwards."""
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply, line = yield from until(walker, reply, lambda: walker.confirming)
    if line is None:
        notes.missed = "the chatbot never asked to confirm anything"
        return
    notes.cancelled = notes.next
    reply = yield next(iter(walker.stops), lines["cancel_word"])
    if wants("".join(questions_in(without_buttons(reply))[-1:]), Act.CANCEL):
        reply = yield lines["yes"]
    if cancels(reply):
        yield lines["yes"]


def change_done(walker: Walker, notes: Notes) -> Lines:
    """Have what is done already moved to another day."""
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    reply = yield from to_the_end(walker, reply)
    if not walker.dated or not walker.confirmed or "move" not in lines:
        notes.missed = f"the chatbot {'did not confirm what was booked' if walker.dated else 'asked for no day'}"
        return
    reply = yield lines["move"].format(thing=walker.thing or "order")
    if questions_in(reply):
        reply = yield lines["moved_day"]
    yield from to_the_end(walker, reply)
