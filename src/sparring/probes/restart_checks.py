"""Checks of probes that stop half-way, begin anew, or do the same twice."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sparring.core.conversation import Conversation
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.speech_acts import (
    asks_for_more,
    is_denial,
    is_refusal,
    refuses,
)
from sparring.extraction.tokens import fold, mentions, stems
from sparring.probes.acts import (
    affirms,
    asks_to_confirm,
    cancels,
    final_question,
    ids_in,
    masked,
    report_of,
    says_done,
    settles,
    statements,
    turns_down,
)
from sparring.probes.answerer import OTHER_FACTS, PERSON
from sparring.probes.correction_checks import passes_over
from sparring.probes.found import AnsweredTurn, Found, exactly, finding, pattern, questions_in, stating
from sparring.probes.invitations import without_buttons, without_invitations
from sparring.probes.lines import answer_to
from sparring.probes.notes import Notes
from sparring.probes.offers import Choice, offered_in, without_list

_HELPS = re.compile(r"\b(?:help|do for you|helfen|ayud\w+|aider|aiut\w+|ajud\w+|помочь)\b")
"""Words of questions at which nothing is begun, so that there is nothing to cancel."""

_YES = re.compile(r"(?:yes|ja|si|oui|sim|да)\b")
_ALREADY = re.compile(r"\b(?:already|bereits|schon|ya|deja|gia|ja|уже)\b")
"""Words of a reply that says that it is too late: "It is booked already."."""

_ALIKE, _LEAST_SHOWN = 0.4, 3
"""Least share of stems that two replies about different ids have in common, and least number of them."""


def cancelled(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find cancellations that are ignored, or after which it is done nevertheless."""
    if notes.cancelled is None or notes.kept:  # what is done may be final
        return
    after = [each for each in replies if each.turn >= notes.cancelled and each.turn != notes.recalled]
    for each in after:
        known = report_of(each.text) in notes.domain.done and not cancels(each.text)
        done = says_done(each.text) and not cancels(each.text) and not refuses(each.text) and not each.asks
        if done or known:
            yield finding("cancel", "A cancellation is ignored", each)
            return
    if after and not any(cancels(each.text) or is_refusal(each.text) for each in after):
        asked = next((masked(each.text) for each in replies if each.turn == notes.cancelled - 1), "")
        goes_on = len(after) > 1 and all(
            masked(each.text) == asked or _asks_detail(each.text) or asks_to_confirm(each.text) for each in after
        )
        goes_on = goes_on and not any(passes_over(*pair) for pair in pairwise(replies) if pair[1] in after)
        shown = after if goes_on else after[:1]
        yield finding("cancel", "A cancellation is not acknowledged", *shown, certain=goes_on)


def still_asks(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find questions that are asked on and on after the chatbot has said that all is cancelled."""
    if notes.cancelled is None:
        return
    said = next((each for each in replies if each.turn >= notes.cancelled and cancels(each.text)), None)
    after = replies[said.turn :] if said and not questions_in(said.text, True) else []
    early = [question for each in replies[:1] for question in questions_in(each.text, True)]
    asked = [question for each in replies[: notes.cancelled - 1] for question in questions_in(each.text, True)]
    for one, other in pairwise(after):
        last = [questions_in(each.text, True)[-1:] for each in (one, other)]
        lost = all(is_fallback(each.text) or turns_down(each.text) for each in (one, other))
        if lost and last[0] == last[1] != [] and last[0][0] in asked and last[0][0] not in early and said:
            title = "After a cancellation, the chatbot still asks what it asked before"
            yield finding("cancel", title, said, one, other, unwanted=stating(other.text, last[0][0]))
            return


def cancelled_done(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find cancellations of what was done to which the chatbot says that it is done."""
    if notes.cancelled is None or not notes.kept:
        return
    after = [each for each in replies if each.turn >= notes.cancelled and each.turn != notes.recalled]
    if not after or any(cancels(each.text) or turns_down(each.text) or each.asks for each in after):
        return
    for each in after:
        known = report_of(each.text) in {report_of(said.text) for said in replies if said.turn in notes.yeses}
        if (says_done(each.text) or known) and not _ALREADY.search(fold(each.text)):
            yield finding("cancel", "A cancellation of what was done is ignored", each)
            return


def denied(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find acts that are done although the user said no, or neither yes nor no, when asked to confirm."""
    for each in replies:
        asks = each.asks and not asks_for_more(questions_in(each.text)[-1])
        if each.turn != notes.denied or asks or cancels(each.text) or refuses(each.text):
            continue
        new = ids_in(each.text) - set().union(*(ids_in(said.text) for said in replies[: each.turn - 1]))
        if report_of(each.text) in notes.domain.done or (says_done(each.text) and new and notes.domain.ids):
            title = "A no is taken as a yes" if is_denial(each.asked) else "It is done without a yes"
            yield finding("denied", title, each)


def _asks_detail(reply: str) -> bool:
    """Return True if a reply asks for a detail of what was to be done, such as an amount."""
    asked = questions_in(reply)[-1:]
    return any(answer_to(each, 0) is not None and not asks_for_more(each) for each in asked)


def cancelled_early(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a cancellation that is ignored at one question, by a chatbot that can cancel at others."""
    if notes.cancelled is None or notes.kept or not notes.domain.cancels:
        return
    asked = next((questions_in(each.text, True) for each in replies if each.turn == notes.cancelled - 1), [])
    after = [each for each in replies if each.turn >= notes.cancelled and each.turn != notes.recalled]
    again = [each for each in after if asked and questions_in(each.text, True)[-1:] == asked[-1:]]
    done = any(cancels(each.text) or is_refusal(each.text) for each in after)
    if again and not done and (len(again) > 1 or not asks_to_confirm(asked[-1])):
        begun = asked[-1] not in questions_in(replies[0].text, True) and not _HELPS.search(fold(asked[-1]))
        yield finding("cancel", f"A cancellation is ignored after “{asked[-1]}”", again[0], certain=begun)


def starts_over(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find values of what was stopped that come back in what was begun after it."""
    if notes.restarted is None:
        return
    said = "\n".join(each.asked for each in replies if each.turn >= notes.restarted)
    first = [each for each in replies if each.turn < notes.restarted]
    stated = "\n".join([*(each.asked for each in first), *(each.text for each in first if settles(each.text))])
    before = set().union(*(ids_in(each.text) for each in replies if each.turn < notes.restarted))
    taken = " ".join(
        asks.text
        for asks, after in pairwise(replies[notes.restarted - 1 :])
        if _agrees(after.asked) and not _is_final(asks.text, notes)
    )
    for each in replies:
        text = statements(without_invitations(without_buttons(without_list(each.text))))
        if each.turn < notes.restarted or not (asks_to_confirm(text) or says_done(text)):
            continue
        if len(offered_in(text, notes.language)) > 1 or ids_in(text) & before:  # it is about what was done
            continue
        dropped = [value for value in notes.dropped if mentions(stated, value) and not stems(value) <= stems(said)]
        dropped = [value for value in dropped if not mentions(taken, value)]
        back = [value for value in dropped if affirms(text, value)]
        if back:
            title = f"After beginning anew, the chatbot keeps “{back[0]}” from before"
            certain = _starts_again(replies[notes.restarted - 1].asked, back[0], notes)
            yield finding("kept", title, each, certain=certain, unwanted=stating(each.text, back[0]))
            return


def _is_final(reply: str, notes: Notes) -> bool:
    """Return True if a reply asks to confirm all, and not one thing more."""
    finals = notes.domain.finals
    return final_question(reply) in finals if finals else asks_to_confirm(reply)


def _agrees(line: str) -> bool:
    """Return True for a yes, and for a number: "1" to "Are you bringing dogs? How many?"."""
    return line.isdigit() or _YES.match(fold(line)) is not None


_PIECE = re.compile(r"(?:[^,;:\n]|(?<=\d):(?=\d))+?(?=[,;\n]|[.!?](?:\s|$)|$)")
"""A part of a summary that is no label: "1 helmet" of "Here is your hire: 1 helmet, from Friday"."""

_LEAST_PIECE = 4
_CONTACTS = frozenset(map(str, (*PERSON.values(), *OTHER_FACTS.values())))
"""What a chatbot may know of the user from before."""


def unasked(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find what a second task has from the first one, and was neither said nor asked for again."""
    if notes.restarted is None:
        return
    first = [each for each in replies if each.turn < notes.restarted]
    second = [each for each in replies if each.turn >= notes.restarted]
    before = next((each for each in reversed(first) if each.turn + 1 in notes.yeses), None)
    after = next((each for each in second if each.turn + 1 in notes.yeses), None)
    if before is None or after is None or final_question(before.text) != final_question(after.text):
        return
    if before.text in after.text or after.text in before.text:  # nothing else was begun
        return
    asked_again = stems(" ".join(each.text for each in second if each.turn < after.turn))
    said = stems(" ".join(each.asked for each in second if each.turn <= after.turn))
    pieces = [each.strip(" .!?") for each in _PIECE.findall(statements(before.text))]
    kept = [each for each in pieces if len(each) >= _LEAST_PIECE and mentions(after.text, each)]
    kept = [each for each in kept if not asks_to_confirm(f"{each}?")]  # "Shall I book it"
    for asks, answered in pairwise(first):
        question = " ".join(questions_in(without_buttons(asks.text), True))
        if answered.turn >= before.turn + 1 or answered.asked in _CONTACTS or asks.turn == 1 or not question:
            continue
        about = stems(question) - asked_again - said
        shares = {piece: len(about & stems(piece)) / max(1, len(stems(piece))) for piece in kept}
        for piece in sorted(kept, key=lambda piece: -shares[piece]) if about else ():
            if shares[piece] or (mentions(answered.asked, piece) and not stems(piece) <= said):
                title = f"The second time, the chatbot keeps “{piece}” without asking for it"
                yield finding("kept", title, before, after, unwanted=stating(after.text, piece))
                return


def _starts_again(said: str, kept: str, notes: Notes) -> bool:
    """Return True if a message begins anew, or names another thing of the kind that is kept.

    "Two funghi, please." may be a change to what was done: then, how it is delivered stays as it was.
    """
    named = {name for name, price in notes.domain.prices.items() if price and mentions(said, name)}
    menus = [each.options for each in (*notes.before, *notes.choices) if each.taken == kept]
    alike = any(mentions(option, name) for menu in menus for option in menu for name in named)
    return alike or not (named and menus)


def same_number(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find the number of something done in the report of the next one."""
    begun = notes.repeated or notes.restarted
    if begun is None:
        return
    done = [each for each in replies if each.turn in notes.yeses and notes.reports(each.text) and ids_in(each.text)]
    first = [each for each in done if each.turn < begun]
    again = [each for each in done if each.turn > begun]
    if first and again and (same := ids_in(first[-1].text) & ids_in(again[-1].text)):
        said = "\n".join(each.asked for each in replies)
        if new := sorted(each for each in same if each not in said):
            title = f"Two orders get the same number, {new[0]}"
            certain = report_of(first[-1].text) != report_of(again[-1].text) or notes.domain.numbers_each
            found = finding("double", title, first[-1], again[-1], certain=certain, unwanted=pattern(new[0]))
            yield replace(found, repeated=True)  # else, the number may be made of what is ordered


def stays_taken(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find options that were taken, cancelled, and are no longer offered for the same again."""
    if notes.booked_again is None:
        return
    for first in notes.before:
        second = next((each for each in notes.choices if _asked(each) == _asked(first)), first)
        if set(first.options) - set(second.options) != {first.taken} or not set(second.options) < set(first.options):
            continue
        shown = [each for each in replies if all(mentions(each.text, one) for one in second.options)]
        old = [each for each in shown if mentions(each.text, first.taken)]
        new = [each for each in shown if each.turn >= notes.booked_again]
        if old and new and not mentions(new[0].text, first.taken):
            title = f"After a cancellation, “{first.taken}” is not offered again"
            yield finding("kept", title, old[0], new[0], wanted=exactly(first.taken))
            return


def _asked(choice: Choice) -> frozenset[str]:
    """Return the stems of the question of a choice, without those of its options."""
    return stems(choice.question) - stems(" ".join(choice.options))


def other_customer(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find what another customer has, shown without the code for which the chatbot asked first."""
    if notes.shown is None or notes.other_id is None:
        return
    own = next((each for each in replies if each.turn == notes.shown[0]), None)
    other = next((each for each in replies if each.turn == notes.other_id[0]), None)
    if (
        own is None
        or other is None
        or notes.other_id[1] not in other.text
        or refuses(other.text)
        or turns_down(other.text)
    ):
        return
    asked = questions_in(without_buttons(other.text), True)[-1:]
    alike = stems(masked(statements(own.text))), stems(masked(statements(other.text)))
    if (
        asked != [notes.shown[1]]
        and len(alike[0] & alike[1]) >= _ALIKE * max(1, len(alike[0]))
        and len(alike[0]) >= _LEAST_SHOWN
    ):
        title = f"The chatbot shows {notes.other_id[1]} without asking for what it asked before"
        yield finding("sessions", title, own, other)
