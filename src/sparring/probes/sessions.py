"""Pairs of conversations: facts of one must not be known in the other."""

from collections.abc import Sequence

from sparring.core.conversation import Conversation
from sparring.extraction.tokens import language_of, mentions
from sparring.probes.acts import settles
from sparring.probes.found import AnsweredTurn, Found, replies_in
from sparring.probes.lines import facts_in, lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.offers import Choice, offered_in, priced_in
from sparring.probes.walker import Walker

_OTHER = facts_in("stranger")
"""Lines of the second user in place of those of the first."""

_NAME, _SECRET = _OTHER["Sam Sample"], "TEAL-7730"


def questions_after(language: str) -> list[str]:
    """Return what the user of the other conversation says."""
    lines = lines_of(language)
    return [lines["hello"], lines["whoami"], lines["status"]]


def plant(walker: Walker, notes: Notes) -> Lines:
    """Say a name and a secret, and answer as another customer until a yes is said."""
    lines = lines_of(walker.language)
    yield lines["hello"]
    reply = yield lines["name"].format(name=_NAME, secret=_SECRET)
    for _ in range(8):
        line = walker.answer_to(reply)
        if line is None:
            return
        walker.line = _OTHER.get(line, line)
        reply = yield walker.line
        if notes.reports(reply):
            return


def mixed_up(before: Conversation, planted: Conversation, notes: Notes, after: Conversation) -> Found | None:
    """Return a finding if a conversation knows facts of an earlier one that it did not know before."""
    earlier = {each.turn: each.text for each in replies_in(before)}
    said = list(replies_in(planted))
    for each in replies_in(after):
        known = [value for value in (_NAME, _SECRET) if mentions(each.text, value)]
        taken = {choice.taken for choice in notes.choices} | {*notes.domain.taken}
        known += [] if _offers(each) else [value for value in sorted(taken) if mentions(each.text, value)]
        new = [value for value in known if not mentions(earlier.get(each.turn, ""), value)]
        if new:
            title = f"Another conversation knows “{new[0]}”, which was said in this one before"
            return Found("sessions", title, each.turn, (*(last.quote for last in said[-1:]), each.quote))
    return None


def carried_over(first: Conversation, known: Sequence[Choice], walk: Conversation, notes: Notes) -> Found | None:
    """Find facts of another customer in a walk, or options that its user was never offered."""
    own = [each.text for each in walk.messages if each.role == "user"]
    lines = [each.text for each in first.messages if each.role == "user"]
    skipped = [
        each
        for each in known
        if own[1 : each.turn] == lines[1 : each.turn] and each.options not in [other.options for other in notes.choices]
    ]
    for each in replies_in(walk):
        values = [value for value in _OTHER.values() if value in each.text]
        for choice in skipped if settles(each.text) and not _offers(each) else ():
            values += [
                option
                for option in choice.options
                if mentions(each.text, option) and not any(mentions(line, option) for line in own)
            ]
        if values:
            title = f"The chatbot knows “{values[0]}”, which was said in another conversation"
            return Found("sessions", title, each.turn, (each.quote,))
    return None


def _offers(reply: AnsweredTurn) -> bool:
    return len(offered_in(reply.text, language_of(reply.asked) or "en")) > 1 or bool(priced_in(reply.text))
