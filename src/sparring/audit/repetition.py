"""Users that say nothing, repeat themselves, keep saying goodbye, or say everything at once."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from sparring.audit.phrases import only_closes, patterns, takes_leave
from sparring.audit.view import AuditView
from sparring.core.audit import Blame, Fault
from sparring.core.case import Case
from sparring.core.message import Message, Text
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import texts
from sparring.extraction.speech_acts import asks_to_confirm, is_failure, is_request
from sparring.extraction.tokens import fold, mentions, sentences, share, singulars, stems, tokens

_SAME = 95
"""Similarity from 0 to 100 above which a message counts as the opening."""

_BROUGHT_UP = 0.6
"""Share of a goal's words, without its values, that brings it up."""

_MIN_ANSWER = 4
"""Most words of a message that may answer several questions: "Yes, please"."""

_MIN_OPENING = 3
"""Number of words below which an opening is too common to be recognized: "Hello" may be said twice."""

_ASKS_AGAIN = patterns("asks_again")


def _fault(
    view: AuditView, kind: str, at: int, reason: str, *, certain: bool = True, touches: tuple[str, ...] = ()
) -> Fault:
    return Fault(
        kind=kind,
        blame=Blame.USER,
        certainty="certain" if certain else "likely",
        reason=reason,
        evidence=(view.quote(at),),
        touches=touches,
    )


def empty(view: AuditView) -> Iterator[Fault]:
    """Yield messages without a letter, a digit or an emoji."""
    for at, said in view.user:
        if is_empty(said):
            yield _fault(view, "empty", at, "the user says nothing")


_SAYS = re.compile(r"[^\W_]")


def is_empty(said: Message) -> bool:
    """Return True if a message has no letter, no digit, no emoji, and nothing else to show."""
    text = said.text
    if _SAYS.search(text) or any(not isinstance(part, Text) for part in said.parts):
        return False
    return not any(unicodedata.category(c) == "So" for c in text)


def repeated_opening(view: AuditView) -> Iterator[Fault]:
    """Yield the message that repeats the opening although the chatbot did not ask for that."""
    opening = tokens(view.user[0][1].text) if len(view.user) > 1 else ()
    if len(opening) < _MIN_OPENING:
        return
    for at, said in view.user[1:]:
        words = tokens(said.text)
        near = abs(len(words) - len(opening)) <= 1 + len(opening) // 10
        # Two wishes in the same frame are no repetition.
        other = (singulars(said.text) ^ singulars(view.user[0][1].text)) & view.vocabulary.words
        if near and not other and _is_same(opening, words) and not _asks_again(view, at):
            yield _fault(view, "repeated_opening", at, "the user begins as if nothing had been said")
            return


def _is_same(opening: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return opening == words or fuzz.ratio(" ".join(opening), " ".join(words), score_cutoff=_SAME) > 0


def _asks_again(view: AuditView, at: int) -> bool:
    """Return True if repeating the message is a fit answer to the chatbot's last message."""
    reply = view.reply_before(at)
    return not reply.strip() or _no_answer(view, reply) or bool(_ASKS_AGAIN(reply).search(fold(reply)))


def _no_answer(view: AuditView, reply: str) -> bool:
    return is_fallback(reply, view.conversation.case.fallbacks) or is_failure(reply)


def self_repetition(view: AuditView) -> Iterator[Fault]:
    """Yield the last of two or three equal messages in a row to which the chatbot gave different answers."""
    before: tuple[str, ...] = ()
    replies: list[str] = []
    asked = ""
    for at, said in view.user:
        words, reply = tokens(said.text), view.reply_before(at)
        before_that, asked = asked, _question(reply)
        if not words or words != before:
            before, replies = words, []
            continue
        may_answer = len(words) < _MIN_ANSWER and _asks(reply) and (not asked or asked != before_that)
        if reply in replies or _asks_again(view, at) or may_answer:
            continue
        replies.append(reply)
        if len(replies) == 1:
            yield _fault(view, "self_repetition", at, "the user says the same twice; it may insist", certain=False)
        elif len(replies) == 2:
            yield _fault(view, "self_repetition", at, "the user says the same in three turns")


def _question(reply: str) -> str:
    """Return the last question of a reply."""
    return next((each.text for each in reversed(sentences(reply)) if each.asks), "")


def _asks(reply: str) -> bool:
    return reply.rstrip().endswith("?") or asks_to_confirm(reply) or is_request(reply)


def goodbye_loop(view: AuditView) -> Iterator[Fault]:
    """Yield a message that only thanks and takes leave, as one before it did: "OK." to a wait does not."""
    before = ""
    for at, said in view.user:
        closing = said.text if only_closes(said.text) else ""
        if closing and before and takes_leave(before):
            touches = tuple(f"output:{output.name}" for output in view.conversation.case.outputs)
            yield _fault(view, "goodbye_loop", at, "the user goes on taking leave", touches=touches)
            return
        before = closing


def front_loaded(view: AuditView) -> Iterator[Fault]:
    """Yield messages that say more at once than the user's style or manner allows.

    A vague user leaves values out only if its goals have a vaguer wording for the first message.
    """
    case = view.conversation.case
    styles = {style.name for style in case.persona.styles}
    if "single question" in styles and "all questions" not in styles:
        goals = _own_words(case)
        for at, said in view.user:
            if sum(_brings_up(goal, said.text) for goal in goals) > 1:
                yield _fault(
                    view, "front_loaded", at, "the user brings up several things although it says one at a time"
                )
                return
    if view.sheet.has_manner("vague") and view.user and any(goal.first for goal in case.goals):
        values = {text for name in _named(case) for text in texts(case.variables.get(name))}
        at, said = view.user[0]
        if len(values) > 1 and "all questions" not in styles and all(mentions(said.text, value) for value in values):
            yield _fault(view, "front_loaded", at, "the user says everything at once although it is vague")


@dataclass(frozen=True, slots=True)
class _Own:
    """The text of a goal, and words of its values and stems that no other goal has."""

    text: str
    values: tuple[frozenset[str], ...]
    stems: frozenset[str]


def _brings_up(goal: _Own, said: str) -> bool:
    if goal.text in " ".join(tokens(said)):
        return True
    if goal.values:
        return any(value <= singulars(said) for value in goal.values)
    return len(goal.stems) > 1 and share(goal.stems, stems(said)) >= _BROUGHT_UP


def _own_words(case: Case) -> tuple[_Own, ...]:
    stated = (tuple(text for name in goal.variables for text in texts(case.variables.get(name))) for goal in case.goals)
    return _exclusive(tuple(goal.text for goal in case.goals), tuple(stated))


@lru_cache(maxsize=64)
def _exclusive(goals: tuple[str, ...], values: tuple[tuple[str, ...], ...]) -> tuple[_Own, ...]:
    found = []
    for at, own in enumerate(values):
        others = [goal for other, goal in enumerate(goals) if other != at]
        elsewhere = frozenset[str]().union(*map(singulars, others))
        said = tuple(words for words in map(singulars, own) if words and not words <= elsewhere)
        found.append(
            _Own(" ".join(tokens(goals[at])), said, stems(goals[at]) - frozenset[str]().union(*map(stems, others)))
        )
    return tuple(found)


def _named(case: Case) -> list[str]:
    return [name for goal in case.goals for name in goal.variables]
