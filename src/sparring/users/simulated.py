"""Users played by a language model, guarded before a word is said."""

from dataclasses import dataclass, field

from sparring.audit.guard import fault_of_line
from sparring.core.case import Case
from sparring.core.conversation import Conversation, GoalProgress, GoalStage
from sparring.core.errors import UserStuck
from sparring.core.message import Button, Delivery, Message, message_of_parts, text_part
from sparring.core.prompts import Prompts
from sparring.core.seeding import derived_seed
from sparring.extraction.pending import pending_confirmation
from sparring.llm.model import ChatMessage, Completion, Model, Request, words
from sparring.users.idle_styles import style_warnings
from sparring.users.notes import drawn_delivery, note, progress, without_code
from sparring.users.repairs import repaired
from sparring.users.simulated_prompt import END, PROMPT, note_code, prompts, system_prompt
from sparring.users.user import BaseUser, UserTraits

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
