"""Pairs of conversations: facts of one must not be known in the other."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sparring.core.conversation import Conversation
from sparring.extraction.tokens import language_of, mentions
from sparring.probes.acts import settles
from sparring.probes.found import AnsweredTurn, Found, questions_in, replies_in
from sparring.probes.invitations import without_buttons
from sparring.probes.lines import facts_in, lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.offers import Choice, offered_in, priced_in
from sparring.probes.result import REPLAYS, Tried
from sparring.probes.walker import Walker

_OTHER = facts_in("stranger")
"""Lines of the second user in place of those of the first."""

_MOST_BEFORE = 6
"""Turns within which a conversation stops."""

_DIFFERENT = 3
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


@dataclass(frozen=True, slots=True)
class Pending:
    """A conversation that stops at a question, its answer, and the question that follows."""

    lines: tuple[str, ...]
    question: str
    answer: str
    following: str


def pending_in(walk: Conversation, yeses: Sequence[int]) -> Pending | None:
    """Return the beginning of a walk up to a question that only its own conversation can have asked."""
    replies = list(replies_in(walk))
    asked = [_question(each.text) for each in replies]
    for at in range(1, min(len(replies) - 1, *(turn - 1 for turn in yeses), _MOST_BEFORE)):
        if asked[at] and asked[at + 1] and len({asked[0], asked[at], asked[at + 1]}) == _DIFFERENT:
            lines = tuple(each.asked for each in replies[: at + 1])
            return Pending(lines, asked[at], replies[at + 1].asked, asked[at + 1])
    return None


def goes_on(pending: Pending, before: Conversation, first: Conversation, second: Conversation) -> Found | None:
    """Find a second conversation that goes on at the question at which the first one stopped.

    `before` has the same messages as the second one, and was held before the first one.
    """
    own, stopped, other = (list(replies_in(each)) for each in (before, first, second))
    if not (own and stopped and other) or _question(stopped[-1].text) != pending.question:
        return None
    for earlier, later, wanted in zip(own, other, (pending.question, pending.following), strict=False):
        if _question(later.text) == wanted != _question(earlier.text):
            title = "A conversation goes on where another one stopped"
            return Found("sessions", title, later.turn, (stopped[-1].quote, later.quote))
    return None


async def gone_on(
    walk: Conversation, notes: Notes, say: Callable[[Sequence[str]], Awaitable[Conversation]]
) -> Tried | None:
    """Stop a conversation half-way, and answer its question in another one, as often as replays need."""
    pending = pending_in(walk, notes.yeses)
    if pending is None:
        return None
    lines = (lines_of(notes.language)["hello"], pending.answer)
    before = await say(lines)
    found = goes_on(pending, before, await say(pending.lines), await say(lines))
    if found is None:
        return None
    seen = 0
    for _ in range(REPLAYS):
        await say([each.asked for each in replies_in(walk)])  # nothing stays half-way
        seen += goes_on(pending, before, await say(pending.lines), await say(lines)) is not None
    return Tried(found, "sessions", lines, seen)


def _question(text: str) -> str:
    return "".join(questions_in(without_buttons(text), True)[-1:])


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
