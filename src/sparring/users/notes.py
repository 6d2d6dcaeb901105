"""Notes to a model that plays the user, before each of its turns."""

import re
from collections.abc import Sequence

from sparring.core.case import CHANGE_YOUR_MIND, Case, ChangeOfMind
from sparring.core.conversation import Conversation, GoalProgress, GoalStage
from sparring.core.message import Delivery
from sparring.core.seeding import random_for
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.pending import pending_confirmation
from sparring.extraction.phrasebooks import languages_of
from sparring.extraction.tokens import mentions
from sparring.users.simulated_prompt import note_code
from sparring.users.styles import (
    ALL_QUESTIONS,
    CHANGE_LANGUAGE,
    SINGLE_QUESTION,
    SPELLING_MISTAKES,
    has_style,
)

_CHANGE_RATE = 0.3
"""Share of turns in another language, the same as of a user without a model."""

_TYPO_RATE = 0.5
"""Share of turns with spelling mistakes."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_BLANKS = re.compile(r"\s+")


def drawn_delivery(case: Case, turn: int) -> Delivery:
    """Return the language and the styles that are drawn for a turn of the user, from 1."""
    styles = tuple(
        style.name
        for style in case.persona.styles
        if style.name not in ("default", CHANGE_LANGUAGE, CHANGE_YOUR_MIND) and _is_drawn(case, style.name, turn)
    )
    language = case.persona.language
    others = [other for other in dict.fromkeys(languages_of(case)[1:]) if other != language]
    random = random_for(case, "user", "language", turn)
    if others and random.random() < _CHANGE_RATE:
        return Delivery(language=random.choice(others), styles=(*styles, CHANGE_LANGUAGE))
    return Delivery(language=language, styles=styles)


def _is_drawn(case: Case, style: str, turn: int) -> bool:
    return style != SPELLING_MISTAKES or random_for(case, "user", "style", turn).random() < _TYPO_RATE


async def progress(conversation: Conversation) -> tuple[GoalProgress, ...]:
    """Return how far the goals are, as extracted if they were, else by patterns."""
    if any(goal.stage is not GoalStage.NOT_ASKED for goal in conversation.goals):
        return conversation.goals
    return (await PatternReader().read(conversation)).goals


def note(conversation: Conversation, goals: Sequence[GoalProgress], drawn: Delivery, complaint: str = "") -> str:
    """Return the note before the next turn of the user. `complaint` says why its last line was not said."""
    case, turn = conversation.case, conversation.turns + 1
    unasked = [_flat(goal.text) for goal in goals if goal.asked_at is None and goal.stage is GoalStage.NOT_ASKED]
    open_goals = [_flat(goal.text) for goal in goals if goal.stage in (GoalStage.ASKED, GoalStage.PROPOSED)]
    pending = pending_confirmation(conversation)
    parts = (
        f"turn {turn} of {case.limits.steps or case.limits.turns}",
        unasked and f"not yet brought up: {'; '.join(unasked)}",
        open_goals and f"asked, not answered: {'; '.join(open_goals)}",
        pending and "the chatbot waits for your yes or no: answer it first",
        due_change(conversation),
        has_style(case, SINGLE_QUESTION) and not pending and "say now: one thing",
        has_style(case, ALL_QUESTIONS) and turn == 1 and "say now: everything you want",
        has_style(case, CHANGE_LANGUAGE) and f"write in: {drawn.language}",
        SPELLING_MISTAKES in drawn.styles and "typos: some",
        complaint,
    )
    return f"[note {note_code(case)}] {' · '.join(part for part in parts if part)}"


def _flat(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def due_change(conversation: Conversation) -> str:
    """Return the change of mind that the user is to make now, or an empty string."""
    new = conversation.messages[len(conversation.case.history) :]
    if not new or new[-1].role != "chatbot":
        return ""
    own = "\n".join(message.text for message in new if message.role == "user")
    for change in conversation.case.changes:
        old, other = _step(change, own)
        if old and mentions(new[-1].text, old):
            return f"now change {_flat(old)} to {_flat(other)}"
    return ""


def _step(change: ChangeOfMind, own: str) -> tuple[str, str]:
    """Return the value to give up and the one to take instead; empty if no change is due."""
    said_first, said_final = mentions(own, change.first), mentions(own, change.final)
    if change.mode == "for good":
        return (change.first, change.final) if said_first and not said_final else ("", "")
    if said_final and not said_first:
        return change.final, change.first
    return (
        (change.first, change.final) if said_first and own.rfind(change.first) > own.rfind(change.final) else ("", "")
    )


def without_code(text: str, code: str) -> str:
    """Return a reply without control characters and without the code of the notes."""
    plain = _CONTROL.sub("", text)
    return re.sub(re.escape(code), "…", plain, flags=re.IGNORECASE)
