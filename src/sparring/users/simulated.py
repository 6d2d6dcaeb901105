"""Users played by a language model, guarded before a word is said."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sparring.audit.audit import fault_of_line
from sparring.core.case import CHANGE_YOUR_MIND, Case, ChangeOfMind
from sparring.core.conversation import Conversation, GoalProgress, GoalStage
from sparring.core.errors import UserStuck
from sparring.core.message import Button, Delivery, Message, message_of_parts, text_part
from sparring.core.prompts import Prompts
from sparring.core.seeding import derived_seed, random_for
from sparring.core.text import without_thoughts
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.pending import pending_confirmation
from sparring.extraction.phrasebooks import languages_of
from sparring.extraction.tokens import mentions
from sparring.llm.model import ChatMessage, Completion, Model, Request, words
from sparring.users.simulated_prompt import END, PROMPT, note_code, prompts, system_prompt
from sparring.users.styles import (
    ALL_QUESTIONS,
    CHANGE_LANGUAGE,
    SINGLE_QUESTION,
    SPELLING_MISTAKES,
    has_style,
)
from sparring.users.user import BaseUser, UserTraits
from sparring.users.warnings import style_warnings

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


_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_LABEL = re.compile(
    r"\A[*_]{0,2}(?:user|customer|client|me|usuari[oa]|cliente|yo|пользователь|клиент|покупатель|я)"
    r"[*_]{0,2} ?:[*_]{0,2}\s+",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "«": "»", "'": "'", "„": "“"}
_END_CALL = re.compile(r"[`*\[(]{0,3}\bend_conversation\b(?:\([^()\n]{0,80}\))?[`*\])]{0,3}[.;]?")


@dataclass(frozen=True, slots=True)
class RepairedLine:
    """A line as it is said, True if it ends the conversation, and the names of its repairs."""

    text: str
    ends: bool = False
    repairs: tuple[str, ...] = ()


def repaired(text: str) -> RepairedLine:
    """Return a line without reasoning, label, quotes, JSON, and an end written as text."""
    repairs: list[str] = []
    ends = False
    for name, repair in (
        ("reasoning", without_thoughts),
        ("json", _unwrapped),
        ("label", _unlabelled),
        ("quotes", _unquoted),
    ):
        plain = repair(text).strip()
        if plain != text.strip():
            repairs.append(name)
        text = plain
    if _END_CALL.search(text):
        text, ends = _END_CALL.sub("", text).strip(), True
        repairs.append("end_conversation")
    return RepairedLine(text.strip(), ends, tuple(repairs))


def _unwrapped(text: str) -> str:
    """Return the text of a JSON object with one field of text, else the text itself."""
    text = text.strip()
    fenced = _FENCE.match(text)
    inside = fenced[1].strip() if fenced else text
    if not inside.startswith("{"):
        return text
    try:
        found = json.loads(inside)
    except (ValueError, RecursionError):
        return text
    values = list(found.values()) if isinstance(found, dict) else []
    return values[0] if len(values) == 1 and isinstance(values[0], str) else text


def _unlabelled(text: str) -> str:
    return _LABEL.sub("", text)


def _unquoted(text: str) -> str:
    closing = _QUOTES.get(text[:1])
    inner = text[1:-1]
    if closing is None or len(text) < 3 or text[-1] != closing or closing in inner or text[0] in inner:
        return text
    return inner


__all__ = ["END", "Simulated", "prompts", "system_prompt"]

_OPENING = "(The chatbot waits for you to speak first.)"
_NOTHING = "(says nothing)"
_MAX_ATTEMPTS = 3
_MAX_CACHED = 4096

_COMPLAINTS = {
    "empty": "said nothing",
    "model_refusal": "refused to play, or spoke as if it were a model",
    "role_flip": "spoke as if it were the assistant",
    "speaks_for_bot": "wrote the part of the chatbot",
    "meta": "talked about the conversation, or wrote marks and stage directions",
    "prompt_leak": "repeated its instructions",
    "coaching": "named the tools of the chatbot",
    "jailbreak": "attacked the chatbot",
    "foreign_value": "made up a value",
    "wrong_language": "wrote in another language than its own",
    "left_early": "wanted to end too early",
}
"""Complaints about a model that did not play the user, by the kind of the fault."""


@dataclass(slots=True)
class _Turn:
    """A turn of the user while its model is asked, and the kinds of faults for which it was asked again."""

    conversation: Conversation
    goals: tuple[GoalProgress, ...]
    drawn: Delivery
    asked_again: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        """The note, which complains about the last line if it was not said."""
        return note(self.conversation, self.goals, self.drawn, self._complaint())

    def _complaint(self) -> str:
        if not self.asked_again:
            return ""
        last = self.asked_again[-1]
        if last == "left_early":
            return "do not end yet: bring up what is left, or answer the chatbot first"
        return f"your last line was not sent, because it {_COMPLAINTS[last]}; write only what the customer says"

    def may_end(self) -> bool:
        """Return False if goals were never brought up although turns are left, or a confirmation is pending."""
        if "left_early" in self.asked_again:
            return True
        conversation = self.conversation
        if pending_confirmation(conversation) is not None:
            return False
        unasked = any(goal.asked_at is None and goal.stage is GoalStage.NOT_ASKED for goal in self.goals)
        failed = any(goal.stage in (GoalStage.REFUSED, GoalStage.CONTRADICTED) for goal in self.goals)
        return not unasked or failed or conversation.turns + 1 >= conversation.case.limits.turns


class Simulated(BaseUser):
    """A user played by `model`, with the role sheet of its case and a note before each turn.

    Every turn has its own seed, derived from the case's; providers treat seeds as best effort. `prompt` replaces the
    bundled prompt.
    """

    traits = UserTraits(reads_extraction=False)

    def __init__(self, model: Model, *, temperature: float | None = None, prompt: str = PROMPT) -> None:
        self._model = model
        self._text = prompt
        self._temperature = temperature
        self._prompts: dict[int, tuple[Case, ChatMessage]] = {}

    @property
    def prompts(self) -> Prompts:
        """The prompt as a version to store."""
        return prompts(self._text)

    def warnings(self, case: Case) -> tuple[str, ...]:
        return style_warnings(case, model=True)

    async def speak(self, conversation: Conversation) -> Message | None:
        """Return the next message, or None if the model ends the conversation without one.

        Raise `UserStuck` with the kind of the fault if the model fails to speak as the user three times.
        """
        if conversation.messages and conversation.messages[-1].role == "user" and conversation.messages[-1].ends:
            return None
        drawn = drawn_delivery(conversation.case, conversation.turns + 1)
        turn = _Turn(conversation, await progress(conversation), drawn)
        failed = 0
        while failed < _MAX_ATTEMPTS:
            note = turn.note
            completion = await self._model.complete(self._request(turn, note))
            said, ends, fault = _parse_completion(completion, turn, note)
            if not fault and ends and not turn.may_end():
                turn.asked_again.append("left_early")
                continue
            if not fault:
                return said
            turn.asked_again.append(fault)
            failed += 1
        kind = turn.asked_again[-1]
        raise UserStuck(f"the model that plays the user {_COMPLAINTS[kind]} ({kind})")

    def _request(self, turn: _Turn, note: str) -> Request:
        conversation = turn.conversation
        case = conversation.case
        return Request(
            messages=(self._prompt(case), *_history(conversation, note)),
            tools=() if case.limits.steps is not None else (END,),
            temperature=self._temperature,
            seed=derived_seed(case, "user", conversation.turns, len(turn.asked_again)),
        )

    def _prompt(self, case: Case) -> ChatMessage:
        """Return the system prompt of a case, rendered once for all of its turns."""
        known = self._prompts.get(id(case))
        if known is None or known[0] is not case:
            if len(self._prompts) >= _MAX_CACHED:
                self._prompts.clear()
            prompt = f"{system_prompt(case, self._text)}\n\nYour code: [note {note_code(case)}]"
            known = self._prompts[id(case)] = case, ChatMessage("system", prompt)
        return known[1]


def _parse_completion(completion: Completion, turn: _Turn, note: str) -> tuple[Message | None, bool, str]:
    """Return the user's words in a completion, True if it ends the conversation, and the kind of a fault."""
    line = repaired(completion.text)
    may_call = turn.conversation.case.limits.steps is None
    ends = may_call and (line.ends or any(request.name == END.name for request in completion.tool_requests))
    if completion.refused:
        return None, False, "model_refusal"
    if not line.text:
        return None, ends, "" if ends else "empty"
    again = tuple(f"asked again: {kind}" for kind in turn.asked_again)
    said = message_of_parts("user", (text_part(line.text),), ends=ends).changed(
        manner=turn.drawn.changed(note=note), repaired=(*again, *line.repairs)
    )
    fault = fault_of_line(turn.conversation, said)
    return said, ends, fault.kind if fault else ""


def _history(conversation: Conversation, note: str) -> tuple[ChatMessage, ...]:
    """Return the conversation as the user's model sees it, with the note before the chatbot's last words."""
    code = note_code(conversation.case)
    messages = [
        ChatMessage("assistant", message.text or _NOTHING)
        if message.role == "user"
        else ChatMessage("user", without_code(_shown(message), code) or _NOTHING)
        for message in conversation.messages
        if message.parts or not message.injected
    ]
    if not messages or messages[0].role == "assistant":
        messages.insert(0, ChatMessage("user", _OPENING))
    last = messages.pop().content if messages[-1].role == "user" else "(The chatbot waits for you.)"
    return (*messages, ChatMessage("user", f"{note}\n\n{last}"))


def _shown(message: Message) -> str:
    """Return the visible part of a reply: no tool calls, and buttons as their titles."""
    if not any(isinstance(part, Button) for part in message.parts):
        return words(message)
    plain = message.changed(
        parts=tuple(text_part(f"[{part.title}]") if isinstance(part, Button) else part for part in message.parts)
    )
    return words(plain)
