"""Chatbots that play a mutant: a proxy around a chatbot, and one that repeats what was recorded."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

from sparring.chatbots.chatbot import BREAKABLE, BaseChatbot, BreakableSession, Capabilities, Chatbot, Session
from sparring.chatbots.tool_faults import ToolFaults
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, as_received, message
from sparring.core.mutation import Edit
from sparring.discrimination.null_bots import ConstantSession
from sparring.mutation.mutant import Mutant, signature
from sparring.mutation.operator import EditContext, Observed, with_calls
from sparring.users.user import BaseUser, User


class Recorded(BaseChatbot):
    """A chatbot that replies as recorded, until the user's line `diverged` from what is recorded."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.diverged = False
        self.capabilities = Capabilities(reports_tools=conversation.reports_tools, injects=BREAKABLE, trusted=True)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["_RecordedSession"]:
        yield _RecordedSession(self._conversation, self)


class _RecordedSession(ConstantSession):
    """One session of `Recorded`. The effects of what is injected are recorded, too."""

    def __init__(self, conversation: Conversation, chatbot: Recorded) -> None:
        new = [each for each in conversation.messages[len(conversation.case.history) :] if not each.injected]
        self.greeting = new[0] if new and new[0].role == "chatbot" else None
        self._exchanges = _exchanges(new)
        self._chatbot = chatbot

    async def reply(self, message: Message) -> Message:
        said, reply = next(self._exchanges, (None, None))
        if said is None or reply is None or said.text != message.text:
            self._chatbot.diverged = True
            raise ChatbotError("the user says something else than recorded")
        return reply


def _exchanges(messages: list[Message]) -> Iterator[tuple[Message, Message]]:
    for said, reply in pairwise(messages):
        if said.role == "user" and reply.role == "chatbot":
            yield as_received(said), reply


class ScriptedLines(BaseUser):
    """A user who says given lines, whatever it hears, and then continues as another user, or stops."""

    def __init__(self, lines: Sequence[Message], then: User | None = None) -> None:
        self._lines, self._then = lines, then
        if then is not None:
            self.traits = then.traits

    async def speak(self, conversation: Conversation) -> Message | None:
        if conversation.turns < len(self._lines):
            return self._lines[conversation.turns]
        return None if self._then is None else await self._then.speak(conversation)


def recorded_user(conversation: Conversation) -> User:
    """Return a user who repeats the recorded lines."""
    new = conversation.messages[len(conversation.case.history) :]
    return ScriptedLines([each for each in new if each.role == "user" and not each.injected])


@dataclass(frozen=True, slots=True)
class Setting:
    """The observations of the baseline, and the seed of the mutants' parameters."""

    seen: Observed
    seed: int = 0


class MutatedChatbot(BaseChatbot):
    """A chatbot with the fault of a mutant in one conversation; it adds what it changes to `changes`."""

    def __init__(
        self, inner: Chatbot, mutant: Mutant, baseline: Conversation, setting: Setting, changes: list[Edit]
    ) -> None:
        self.capabilities = replace(inner.capabilities, sessions="isolated")
        self._inner = inner
        self._mutant = mutant
        self._baseline = baseline
        self._setting = setting
        self._changes = changes

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["_MutatedSession"]:
        async with AsyncExitStack() as stack:

            async def opened() -> Session:
                return await stack.enter_async_context(self._inner.connect(case))

            fault = _Fault(self._mutant, self._baseline, self._setting, self._changes)
            session = await opened()
            await fault.plant(session)
            yield _MutatedSession(session, fault, opened)


class _Fault:
    """The fault of a mutant in one session: it changes the message at its site, or all matching messages."""

    def __init__(self, mutant: Mutant, baseline: Conversation, setting: Setting, changes: list[Edit]) -> None:
        self.operator = mutant.operator
        self._mutant = mutant
        self._case = baseline.case
        self._baseline = baseline
        self._setting = setting
        self._changes = changes
        self._random = mutant.random(setting.seed)
        self.said: list[Message] = list(baseline.case.history)

    async def plant(self, session: Session) -> None:
        """Change the chatbot before it is spoken to."""
        change = self._mutant.change
        if change is None:
            return
        if change.fault is not None:
            faults = ToolFaults((change.fault,), self._random)
            await cast("BreakableSession", session).break_tools(faults)
            return
        for line in change.lines:
            await session.reply(line)
        self.note(message("chatbot", change.before), message("chatbot", change.after))

    def is_due(self) -> bool:
        """Return True if the user's next message is at or after the site, and nothing was changed yet."""
        received = sum(each.role == "user" for each in self.said[len(self._case.history) :])
        return self.operator.live and not self._changes and received + 1 >= self._mutant.number

    def note(self, before: Message, after: Message) -> None:
        """Note a change of the message that comes next."""
        self._changes.append(Edit(at=len(self.said), before=before, after=after))

    def altered(self, said: Message) -> Message:
        """Return the message of the user as the chatbot gets it."""
        changed = (
            self.operator.hears(said, self._place()) if self.operator.hears is not None and self.is_due() else None
        )
        if changed is not None:
            self.note(said, changed)
        self.said.append(said)
        return said if changed is None else changed

    def replied(self, reply: Message) -> Message:
        """Return the reply of the chatbot as the user gets it."""
        changed = self._changed(reply)
        if changed is not None:
            self.note(reply, changed)
            reply = changed
        self.said.append(reply)
        return reply

    def _changed(self, reply: Message) -> Message | None:
        if any(call.fault for call in reply.tool_calls) and self._mutant.change is not None:
            return with_calls(reply, (call.changed(fault="") for call in reply.tool_calls))
        if self.operator.says is None:
            return None
        if not self.operator.everywhere and (self._changes or signature(reply, self._case) != self._mutant.signature):
            return None
        return self.operator.says(reply, self._place())

    def _place(self) -> EditContext:
        return EditContext(self._baseline, tuple(self.said), self._random, self._setting.seen)


class _MutatedSession:
    """One session of a mutated chatbot."""

    def __init__(self, inner: Session, fault: _Fault, opened: Callable[[], Awaitable[Session]]) -> None:
        self._inner = inner
        self._fault = fault
        self._opened = opened
        self.greeting = None if inner.greeting is None else fault.replied(inner.greeting)

    async def reply(self, message: Message) -> Message:
        operator = self._fault.operator
        if operator.deaf and self._fault.is_due():
            last = next((each for each in reversed(self._fault.said) if each.role == "chatbot"), None)
            if last is not None:
                self._fault.note(message, last)
                self._fault.said += [message, last]
                return last
        if operator.forgets and self._fault.is_due():
            self._fault.note(message, message)
            self._inner = await self._opened()
        return self._fault.replied(await self._inner.reply(self._fault.altered(message)))

    def __getattr__(self, name: str) -> Any:
        """Return what the chatbot's own session has for its capabilities."""
        return getattr(self._inner, name)
