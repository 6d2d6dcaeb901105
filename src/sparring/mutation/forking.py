"""Replays of a conversation up to a turn, with one change there."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sparring.chatbots.chatbot import BaseChatbot, Capabilities, Chatbot, Session
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.conversation import Conversation
from sparring.core.message import Message, as_received, message
from sparring.extraction.pattern_extractor import PatternReader
from sparring.mutation.operator import with_text
from sparring.mutation.proxy import ScriptedLines
from sparring.simulation.simulate import simulate
from sparring.users.user import User


@dataclass(frozen=True, slots=True)
class TurnChange:
    """A change at a turn (from 1): another line, no line, another reply, or another result of a tool."""

    at: int
    say: str | None = None
    reply: str | None = None
    tool: InjectTool | None = None
    skip: bool = False


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A recorded turn, and the index of its reply among the messages."""

    said: Message
    reply: Message
    at: int


def turns_of(conversation: Conversation) -> list[RecordedTurn]:
    """Return the recorded turns that have a reply."""
    found: list[RecordedTurn] = []
    said: Message | None = None
    for at, each in enumerate(conversation.messages):
        if at < len(conversation.case.history) or each.injected:
            continue
        if each.role == "user":
            said = each
        elif said is not None:
            found.append(RecordedTurn(said, each, at))
            said = None
    return found


def takes_history(capabilities: Capabilities) -> bool:
    """Return True if the chatbot can be given the conversation so far, and knows nothing else."""
    acts = capabilities.tools or capabilities.reports_state or capabilities.sessions != "isolated"
    return {"reply", "tool"} <= capabilities.injects and not acts


@dataclass(slots=True)
class Replay:
    """A conversation from a fork; `drifted` is the first turn not replied to as recorded, 0 if none is."""

    conversation: Conversation
    drifted: int = 0


@dataclass(frozen=True, slots=True)
class Fork:
    """A recorded conversation that is repeated for some `turns`.

    Then the user says `lines`, and continues as `user` does, or stops if that is None. `change` is a changed reply or
    tool result; with a reply, the turns include it.
    """

    conversation: Conversation
    turns: int
    lines: Sequence[Message] = ()
    user: User | None = None
    change: TurnChange | None = None

    async def play(self, chatbot: Chatbot, seed: int, case: Case | None = None) -> Replay:
        """Play the fork with this seed; `case` replaces the recorded one."""
        recorded = turns_of(self.conversation)[: self.turns]
        fork = _Forked(self, chatbot, recorded)
        lines = [*(each.said for each in recorded), *self.lines]
        case = (case or self.conversation.case).changed(seed=seed, session="")
        made = await simulate(case, ScriptedLines(lines, self.user), fork, reader=PatternReader())
        return Replay(made, fork.drifted)


def changed_fork(conversation: Conversation, change: TurnChange, user: User | None) -> tuple[Fork, Fork]:
    """Return a conversation forked with a change and, for comparison, at the same turn without it.

    `user` continues after the fork; without one, the recorded lines are said.
    """
    lines = [each.said for each in turns_of(conversation)]
    before, here, later = change.at - 1, lines[change.at - 1], lines[change.at :]
    rest = [] if user else later
    if change.say is not None:
        said = [message("user", change.say), *rest]
    elif change.skip:
        said = later[:1] if user else later
    else:
        said = [here, *rest]
    goes_on = user if said else None
    if change.reply is not None:  # the turn is repeated, so that only its reply differs
        repeated = Fork(conversation, change.at, rest, user)
        return Fork(conversation, change.at, rest, user, change), repeated
    plain = Fork(conversation, before, [here, *rest], user)
    return Fork(conversation, before, said, goes_on, change), plain


class _Forked(BaseChatbot):
    """A chatbot that replied as recorded for some turns: it gets them as history, or hears them again."""

    def __init__(self, fork: Fork, inner: Chatbot, recorded: Sequence[RecordedTurn]) -> None:
        self.capabilities = inner.capabilities
        self.change = fork.change
        self.replies = [each.reply for each in recorded]
        if self.change is not None and self.change.reply is not None:
            last = self.replies[-1]
            self.replies[-1] = with_text(last, self.change.reply) or last
        self.sends_history = bool(recorded) and takes_history(inner.capabilities)
        self.drifted = 0
        start = len(fork.conversation.case.history)
        self._messages = fork.conversation.messages[start : recorded[-1].at] if recorded else ()
        first = fork.conversation.messages[start : start + 1]
        self.greeting = first[0] if first and first[0].role == "chatbot" and not first[0].injected else None
        self._inner = inner

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["_ForkedSession"]:
        if self.sends_history:
            before = [*map(as_received, self._messages), self.replies[-1]]
            case = case.changed(history=(*case.history, *before))
        async with self._inner.connect(case) as session:
            yield _ForkedSession(session, self)


@dataclass
class _ForkedSession:
    """One session of a forked chatbot."""

    inner: Session
    fork: _Forked
    turn: int = field(default=0, init=False)

    @property
    def greeting(self) -> Message | None:
        """The recorded greeting, or the chatbot's own if it does not get the history."""
        return self.fork.greeting if self.fork.sends_history else self.inner.greeting

    async def reply(self, said: Message) -> Message:
        """Return the recorded reply if it is in the chatbot's history, else the chatbot's own."""
        fork, self.turn = self.fork, self.turn + 1
        recorded = fork.replies[self.turn - 1] if self.turn <= len(fork.replies) else None
        if recorded is not None and fork.sends_history:
            return recorded
        change = fork.change if fork.change is not None and fork.change.at == self.turn else None
        if change is not None and change.tool is not None:
            await self.inner.stub(change.tool)  # type: ignore[attr-defined]
        made = await self.inner.reply(said)
        if change is not None and change.reply is not None:
            return with_text(made, change.reply) or made
        if recorded is not None and (made.text, made.tool_calls) != (recorded.text, recorded.tool_calls):
            fork.drifted = fork.drifted or self.turn
        return made

    async def inject(self, step: InjectReply | InjectTool) -> None:
        """Take a step of a script, unless it is in the chatbot's history."""
        if not (self.fork.sends_history and self.turn < len(self.fork.replies)):
            await self.inner.inject(step)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        """Return what the chatbot's own session has for its capabilities."""
        return getattr(self.inner, name)
