"""Conversations turn by turn with their evidence, and differences between two of them."""

import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from itertools import zip_longest
from textwrap import shorten

from sparring.core.conversation import Conversation, Evidence
from sparring.core.message import Message
from sparring.core.outcome import Decision, Outcome
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.transcript import stage_name
from sparring.reports.usage import MessageUsage, taken


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked span of a message: goal, output, verdict, removed or added."""

    start: int
    end: int
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a message with the same marks throughout."""

    text: str
    marks: tuple[Mark, ...] = ()

    @property
    def kinds(self) -> str:
        return " ".join(sorted({mark.kind for mark in self.marks}))

    @property
    def labels(self) -> str:
        return "; ".join(dict.fromkeys(mark.label for mark in self.marks))


@dataclass(frozen=True, slots=True)
class RenderedTurn:
    """One message with its marked text, times to its end and its first token, and model usage.

    `number` is its place from 0, `turn` the number of user messages so far. `history` is True if the case provided it.
    A `hit` holds evidence against the chatbot, for the reasons in `why`.
    """

    number: int
    turn: int
    message: Message
    pieces: tuple[Piece, ...]
    seconds: float | None = None
    first_token: float | None = None
    took: Sequence[MessageUsage] = ()
    history: bool = False
    asked: tuple[int, ...] = ()
    shows: tuple[int, ...] = ()
    hit: bool = False
    first_hit: bool = False
    why: tuple[str, ...] = ()


def render_conversation(
    conversation: Conversation, verdicts: Sequence[Verdict] = (), decision: Decision | None = None
) -> list[RenderedTurn]:
    """Return all turns of a conversation with evidence marked, including the cause of a `decision`."""
    marks, against = list(_marks(conversation, verdicts)), _evidence_against(conversation, verdicts)
    cause = decision.cause if decision else None
    if decision and cause and cause.at is not None and decision.outcome is Outcome.FAILED:
        reasons = against.setdefault(min(cause.at, len(conversation.messages) - 1), [])
        reasons += [] if reasons else [decision.reasons[0].text]
    seconds, took = dict(_reply_times(conversation)), taken(conversation)
    return [
        RenderedTurn(
            number=number,
            turn=conversation.turn_of(number),
            message=message,
            pieces=tuple(pieces(message.text, [mark for at, mark in marks if at == number])),
            seconds=seconds.get(number, (None, None))[0],
            first_token=seconds.get(number, (None, None))[1],
            took=took.get(number, ()),
            history=number < len(conversation.case.history),
            asked=tuple(n for n, goal in enumerate(conversation.goals, 1) if goal.asked_at == number),
            shows=tuple(
                n for n, goal in enumerate(conversation.goals, 1) if goal.evidence and goal.evidence.at == number
            ),
            hit=number in against,
            first_hit=number == min(against, default=None),
            why=tuple(dict.fromkeys(against.get(number, ()))),
        )
        for number, message in enumerate(conversation.messages)
    ]


def _evidence_against(conversation: Conversation, verdicts: Sequence[Verdict]) -> dict[int, list[str]]:
    """Return the reasons of failed checks by the last reply that holds their evidence."""
    found: dict[int, list[str]] = {}
    for verdict in verdicts:
        if verdict.outcome is CheckOutcome.FAIL:
            numbers = {each.at for each in verdict.evidence if each.at < len(conversation.messages)}
            replies = sorted(at for at in numbers if conversation.messages[at].role == "chatbot")
            for at in replies:
                found.setdefault(at, [])
            if replies and verdict.reason:
                found[replies[-1]].append(verdict.reason)
    return found


def follows(conversation: Conversation, verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Return the failed checks that follow from an earlier one.

    They read the same output, goal or case variable.
    """
    failed = [each for each in verdicts if each.outcome is CheckOutcome.FAIL and each.symptoms]
    failed.sort(key=_first_place)
    found: dict[str, str] = {}
    for number, later in enumerate(failed):
        earlier = (each for each in failed[:number] if each.check != later.check)
        names = _names(later, conversation)
        if (first := next((each for each in earlier if names & _names(each, conversation)), None)) is not None:
            found[later.check] = first.check
    return found


def _first_place(verdict: Verdict) -> int:
    places = [*(each.at for each in verdict.evidence), *(each.at for each in verdict.symptoms if each.at is not None)]
    return min(places, default=sys.maxsize)


def _names(verdict: Verdict, conversation: Conversation) -> set[str]:
    subjects = {each.subject for each in verdict.symptoms if each.kind in ("value", "goal") and each.subject}
    read = {name for need in verdict.needs for name in need.names}
    return subjects | read & conversation.case.variables.keys()


def pieces(text: str, marks: Iterable[Mark]) -> Iterator[Piece]:
    """Split a text at the ends of all marks. Marks that exceed the text are ignored."""
    within = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    cuts = sorted({0, len(text), *(mark.start for mark in within), *(mark.end for mark in within)})
    for start, end in itertools.pairwise(cuts):
        yield Piece(text[start:end], tuple(mark for mark in within if mark.start <= start and end <= mark.end))


def _marks(conversation: Conversation, verdicts: Sequence[Verdict]) -> Iterator[tuple[int, Mark]]:
    found: list[tuple[Evidence, str, str]] = []
    for number, goal in enumerate(conversation.goals, 1):
        if goal.evidence is not None:
            found.append((goal.evidence, "goal", f"goal {number} {stage_name(goal.stage)}: {goal.text}"))
    found += [(each.evidence, "output", f"states {each.name}") for each in conversation.outputs if each.evidence]
    found += [(each, "verdict", f"evidence of {verdict.check}") for verdict in verdicts for each in verdict.evidence]
    for evidence, kind, label in found:
        yield evidence.at, Mark(evidence.start, evidence.end, kind, label)


def _reply_times(conversation: Conversation) -> Iterator[tuple[int, tuple[float, float | None]]]:
    """Yield the number of each timed reply, with the seconds to its end and to its first token."""
    if conversation.timing is None:
        return
    timing, asked = conversation.timing, False
    replies = zip_longest(timing.replies, timing.first_tokens)
    for number, message in enumerate(conversation.messages):
        if number < len(conversation.case.history) or message.injected:
            continue
        if message.role == "user":
            asked = True
        elif asked:
            asked = False
            took = next(replies, None)
            if took is None:
                return
            yield number, took


_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MAX_WORDS = 1_000
"""Longer messages are marked as a whole: the comparison takes quadratic time or more."""

_MOST_NAMED = 60
"""Most characters of changed words that a sentence quotes."""

_MAX_LINES = 2_000
"""Longer texts are shown as replaced as a whole, for the same reason."""


def mark_differences(
    before: Sequence[RenderedTurn], after: Sequence[RenderedTurn]
) -> tuple[list[RenderedTurn], list[RenderedTurn]]:
    """Pair turns by position. Mark words as `removed` in the first conversation and `added` in the second."""
    earlier, later = [], []
    for was, now in zip_longest(before, after):
        removed, added = _word_marks(was.message.text if was else "", now.message.text if now else "")
        earlier += [_with_marks(was, removed)] if was else []
        later += [_with_marks(now, added)] if now else []
    return earlier, later


def first_difference(before: Sequence[RenderedTurn], after: Sequence[RenderedTurn]) -> str:
    """Return where two conversations part, with the words that changed; empty if they say the same."""
    for was, now in zip_longest(before, after):
        if was is None:
            return f"The conversation goes on in turn {now.turn} only after"
        if now is None:
            return f"The conversation goes on in turn {was.turn} only before"
        if was.message.text == now.message.text:
            continue
        if now.message.role == "user":
            return f"The user says something else in turn {now.turn}"
        removed, added = _first_change(was.message.text.split(), now.message.text.split())
        return f"First difference in turn {now.turn}: {removed} became {added} after the same user messages"
    return ""


def _first_change(was: Sequence[str], now: Sequence[str]) -> tuple[str, str]:
    """Return the first words that differ, quoted."""
    for kind, a, b, c, d in SequenceMatcher(None, was[:_MAX_WORDS], now[:_MAX_WORDS], autojunk=False).get_opcodes():
        if kind != "equal":
            both = (" ".join(was[a:b]), " ".join(now[c:d]))
            removed, added = (shorten(each, _MOST_NAMED, placeholder=" …").rstrip(".,;:!") for each in both)
            return f"“{removed}”" if removed else "nothing", f"“{added}”" if added else "nothing"
    return "the end", "another one"


def changed_lines(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Return the files that differ, as lines of kind `same`, `removed`, `added` or `gap`."""
    return {
        name: list(_lines(before.get(name, "").splitlines(), after.get(name, "").splitlines()))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    }


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in list(unified_lines(before, after))[2:]:
        if line.startswith("@@"):
            yield "gap", "…"
        else:
            yield {"-": "removed", "+": "added"}.get(line[0], "same"), line[1:]


def unified_lines(before: Sequence[str], after: Sequence[str], name: str = "") -> Iterator[str]:
    """Yield the lines of a unified diff; texts over the line limit are one replaced block."""
    if max(len(before), len(after)) <= _MAX_LINES:
        yield from unified_diff(before, after, name, name, lineterm="")
    elif before != after:
        yield from (f"--- {name}", f"+++ {name}")
        yield f"@@ -{min(1, len(before))},{len(before)} +{min(1, len(after))},{len(after)} @@"
        yield from (f"-{line}" for line in before)
        yield from (f"+{line}" for line in after)


def _with_marks(turn: RenderedTurn, marks: Sequence[Mark]) -> RenderedTurn:
    """Return the turn with only these marks, without goals."""
    return replace(turn, pieces=tuple(pieces(turn.message.text, marks)), asked=(), shows=())


def _word_marks(was: str, now: str) -> tuple[list[Mark], list[Mark]]:
    if was == now:
        return [], []
    one, other = _WORD.findall(was), _WORD.findall(now)
    if max(len(one), len(other)) > _MAX_WORDS:
        return [Mark(0, len(was), "removed", "only before")], [Mark(0, len(now), "added", "only after")]
    removed, added = [], []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            removed.append(Mark(_offset(one, a), _offset(one, b), "removed", "only before"))
            added.append(Mark(_offset(other, c), _offset(other, d), "added", "only after"))
    return removed, added


def _offset(words: Sequence[str], number: int) -> int:
    return sum(map(len, words[:number]))
