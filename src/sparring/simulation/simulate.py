"""The simulation of one conversation, from the greeting to its ending."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import cast

from sparring.chatbots.chatbot import (
    BreakableSession,
    Chatbot,
    InjectableSession,
    Session,
    injection,
    tool_summaries,
)
from sparring.chatbots.isolation import IsolatedSession, run_isolated
from sparring.chatbots.tool_faults import ToolFaults
from sparring.core.case import Case, InjectReply, InjectTool, Limits, Say, Step
from sparring.core.clock import Clock, SystemClock
from sparring.core.conversation import Conversation, Ending, ExtractionSnapshot, GoalProgress, GoalStage, Output, Timing
from sparring.core.message import Message, as_received
from sparring.core.seeding import random_for
from sparring.core.tool_errors import ToolError, with_failures
from sparring.extraction.changes_of_mind import is_changing, warnings_of_changes
from sparring.extraction.extractor import Reader
from sparring.extraction.fallbacks import trailing_fallbacks
from sparring.extraction.pending import pending_confirmation
from sparring.extraction.recoveries import recoveries
from sparring.extraction.speech_acts import is_closing, refuses_value
from sparring.llm.call_context import call_context
from sparring.llm.deadlines import ConversationClock
from sparring.llm.metering import Meter
from sparring.simulation.reachability import ChatbotReachability
from sparring.simulation.state_reader import StateReader
from sparring.simulation.timeouts import TURN_SECONDS, Bounds, Ended, named
from sparring.users.user import User

_CLOSING = 5
"""Seconds a chatbot has to close a session."""

_RESULTS_NOT_SHOWN = (
    "the chatbot shows tool calls without their results, so each call that it shows counts as succeeded"
)

_MAX_PENDING = _WEARING = 3
"""Turns that a chatbot may ask for the user's yes, and fallbacks after which a user that leaves has given up."""

_STILL_PENDING = "user.pending: the chatbot still waited for a yes after {number} further turns: {question}"

Listener = Callable[[Message], None]


async def simulate(
    case: Case,
    user: User,
    chatbot: Chatbot,
    *,
    reader: Reader,
    clock: Clock | None = None,
    repeat: int = 1,
    listen: Listener | None = None,
    turn_seconds: float = TURN_SECONDS,
    reachability: ChatbotReachability | None = None,
    tool_errors: Sequence[ToolError] = (),
) -> Conversation:
    """Let `user` and `chatbot` talk about `case`, and return the conversation with its ending.

    All failures on either side become the ending with a reason; only cancellation is raised. `listen` is called for
    every message. The case's seed is the only source of randomness. The user and the reader have `turn_seconds` each
    for their part of a turn, the chatbot the time the case allows. Conversations of one batch share its `reachability`.
    Results of tools that fit `tool_errors` are failures.
    """
    clock = clock or SystemClock()
    with ConversationClock() as waits:
        bounds = Bounds(case, turn_seconds, clock, waits, reachability or ChatbotReachability())
        meter = Meter(bounds.talking)
        with call_context(meter=meter, clock=waits):
            play = _Play(case, user, chatbot, reader.incremental(), clock, repeat, listen, meter, bounds, tool_errors)
            await play.run()
    return play.conversation.changed(usage=meter.usage, calls=meter.calls, timing=play.timing())


@dataclass
class _Play:
    """A running conversation."""

    case: Case
    user: User
    chatbot: Chatbot
    reader: Reader
    clock: Clock
    repeat: int
    listen: Listener | None
    meter: Meter
    bounds: Bounds
    tool_errors: Sequence[ToolError]
    limits: Limits = field(init=False)
    conversation: Conversation = field(init=False)
    replies: list[float] = field(default_factory=list)
    first_tokens: list[float | None] = field(default_factory=list)
    said: list[float] = field(default_factory=list)
    steps: Iterator[Step] = field(init=False)
    started: datetime = field(init=False)
    ends_with_goals: bool = field(init=False)
    has_moments: bool = field(init=False)
    reads_on_the_way: bool = field(init=False)
    shows: bool = field(init=False)
    messages_read: int = -1
    pending: int = 0
    pending_question: str = ""

    def __post_init__(self) -> None:
        self.started = self.clock.now()
        self.limits = self.case.limits
        self.steps = iter(self.case.script)
        self.ends_with_goals = self.case.ends == "goals" and not self.case.script and self.case.limits.steps is None
        self.has_moments = any(expected.after is not None for expected in self.case.expectations)
        self.reads_on_the_way = self.ends_with_goals or self.has_moments or self.user.traits.reads_extraction
        self.shows = bool(self.case.goals or self.case.outputs)
        self.conversation = Conversation(
            case=self.case,
            repeat=self.repeat,
            messages=self.case.history,
            goals=tuple([GoalProgress(text=goal.text) for goal in self.case.goals]),
            outputs=tuple(Output(name=wanted.name, type=wanted.type) for wanted in self.case.outputs),
            warnings=(*self.user.warnings(self.case), *self.reader.warnings(self.case)),
        )

    async def run(self) -> None:
        held = IsolatedSession(self.chatbot, self.case)
        try:
            session = await self.bounds.from_chatbot(held.open)
        except Ended as end:
            self.end(end)
            return
        except BaseException:
            await held.abandon(_CLOSING)
            raise
        states = None
        if self.chatbot.capabilities.reports_state:
            states = StateReader(self.chatbot, self.case, self.bounds.waits.timer.within)
        try:
            if self.case.faults:
                await self.break_tools(session)
            if states is not None and (problem := await states.begin(session)):
                raise Ended(Ending.USER_FAILED, problem)
            await self.exchange(session)
        except Ended as end:
            end = await self.read_to_the_end(end)
            if states is not None:
                self.note(state=(record := await states.record(session)))
                end = states.judged(end, record)
            self.end(end)
        except BaseException:
            await held.abandon(_CLOSING)
            raise
        await self.close(held)

    async def close(self, held: IsolatedSession) -> None:
        try:
            with self.bounds.waits.timer.within(_CLOSING):
                await held.close()
        except TimeoutError:
            self.warn(f"the chatbot's session was not closed within {_CLOSING} s")
        except Exception as error:  # noqa: BLE001  what was said counts, however the session ends
            self.warn(f"closing the chatbot's session failed: {named(error)}")

    async def exchange(self, session: Session) -> None:
        capabilities = self.chatbot.capabilities
        self.note(reports_tools=capabilities.reports_tools, tools=tool_summaries(capabilities.tools))
        self.greet(session.greeting)
        self.check_script()
        while True:
            await self.inject(session)
            self.meter.turn += 1
            said = await self.bounds.from_user(partial(self.user.speak, self.conversation))
            if said is None:
                raise Ended(self.done())
            self.add_message(said)
            reply = await self.reply(session, said)
            self.add_message(reply)
            await (self.read_now() if said.ends else self.read())
            ending = self.ending(said, reply)
            if ending is not None:
                raise Ended(ending)
            if self.bounds.seconds_left() <= 0:
                raise Ended(Ending.TIMEOUT, f"not done within {self.case.limits.seconds:g} s")
            if self.spent():
                raise Ended(Ending.TURN_LIMIT, f"it reached its cost limit of ${self.case.limits.cost:g}")

    def greet(self, greeting: Message | None) -> None:
        if greeting is not None and self.case.starts == "user":
            self.warn("the user did not see the chatbot's greeting: in this case, the user speaks first")
        elif greeting is not None:
            self.add_message(greeting)
        elif self.case.starts == "chatbot":
            self.warn("the chatbot did not speak first, so the user did")

    def check_script(self) -> None:
        """End the conversation before the first turn if the chatbot cannot take a step of the script."""
        for step in self.case.injections:
            if injection(step) not in self.chatbot.capabilities.injects:
                raise Ended(Ending.USER_FAILED, f"the script has {_step(step)}, which this chatbot does not take")

    async def break_tools(self, session: Session) -> None:
        """Apply the case's tool faults; end the conversation if the chatbot does not support them."""
        if "fault" not in self.chatbot.capabilities.injects:
            raise Ended(Ending.USER_FAILED, "the case has faults of tools, which cannot be broken in this chatbot")
        faults = ToolFaults(self.case.faults, random_for(self.case, "faults"))
        await self.bounds.from_script(partial(cast("BreakableSession", session).break_tools, faults))

    async def inject(self, session: Session) -> None:
        """Apply the steps of the script before the user's next line."""
        for step in self.steps:
            if isinstance(step, Say):
                return
            injectable = cast("InjectableSession", session)
            if isinstance(step, InjectTool) and step.mode == "stub":
                await self.bounds.from_script(partial(injectable.stub, step))
                continue
            await self.bounds.from_script(partial(injectable.inject, step))
            self.add_message(step.message)
            if step.message.ends:
                raise Ended(Ending.CHATBOT_DONE)

    async def reply(self, session: Session, said: Message) -> Message:
        begun = self.bounds.talking()
        reply: object
        try:
            reply = await self.bounds.from_chatbot(partial(self._replied, session, said), said)
        except Ended:
            with suppress(Ended):
                await self.read()  # what the user asked last was asked all the same
            raise
        finally:
            self.replies.append(max(0.0, self.bounds.talking() - begun))
            self.first_tokens.append(self.bounds.waits.first_token(self.replies[-1]))
        if not isinstance(reply, Message) or reply.role != "chatbot":
            raise Ended(Ending.CHATBOT_FAILED, f"its reply is no message of a chatbot, but {type(reply).__name__}")
        self.bounds.chatbot.answered()
        return with_failures(reply, self.tool_errors)

    def _replied(self, session: Session, said: Message) -> Awaitable[object]:
        """Return the reply of a session, made in a task of its own unless the chatbot is trusted."""
        reply = session.reply(as_received(said))
        return reply if self.chatbot.capabilities.trusted else run_isolated(reply)

    async def read(self) -> None:
        """Extract goals and outputs if they are needed before the end, else let the reader observe."""
        if self.reads_on_the_way:
            await self.read_now()
        elif self.shows:
            with suppress(Exception):  # it fails again when it is read, and is told then
                self.note(goals=self.reader.observe(self.conversation) or self.conversation.goals)

    def is_read(self) -> bool:
        """Return True if goals and outputs are those of all messages."""
        return self.reads_on_the_way or self.messages_read == len(self.conversation.messages)

    async def read_now(self) -> None:
        if self.case.goals or self.case.outputs:
            reading = await self.bounds.from_reader(partial(self.reader.read, self.conversation))
            self.note(goals=reading.goals, outputs=reading.outputs)
            self.messages_read = len(self.conversation.messages)
            if self.has_moments:
                now = ExtractionSnapshot(
                    messages=len(self.conversation.messages), goals=reading.goals, outputs=reading.outputs
                )
                self.note(moments=(*self.conversation.moments, now))

    async def read_to_the_end(self, end: Ended) -> Ended:
        """Extract what was not needed before, and return the final ending."""
        if self.is_read() or len(self.conversation.messages) == len(self.case.history):
            return end
        try:
            await self.read_now()
        except Ended as failed:
            return failed if end.ending.completed else end
        return Ended(self.done()) if end.ending is Ending.USER_DONE else end

    def ending(self, said: Message, reply: Message) -> Ending | None:
        """Return the reason to stop after this turn, or None."""
        limits, turns = self.limits, self.meter.turn
        unsettled = self.count_pending(said) or is_changing(self.conversation)
        if self.ends_with_goals and all_answered(self.conversation) and not unsettled:
            return Ending.GOALS_ANSWERED
        if limits.steps is not None and turns >= limits.steps:
            return self.done()
        if said.ends and not ((self.awaits_agreement() or self.pending) and turns < limits.turns):
            return self.done(worn_out=self.fallbacks() >= min(_WEARING, limits.fallbacks))
        if reply.ends:
            return Ending.CHATBOT_DONE
        if self.fallbacks() >= limits.fallbacks or (self.pending > _MAX_PENDING and not is_closing(said)):
            return Ending.GAVE_UP
        return Ending.TURN_LIMIT if turns >= limits.turns else None

    def count_pending(self, said: Message) -> bool:
        """Count the replies in a row that wait for a yes to one question; return True if this one waits.

        Warn if they are too many. A reply to a correction or a change may well ask the same again.
        """
        corrects = any(each.act in ("change", "correction") for each in said.meant)
        found = pending_confirmation(self.conversation) if self.conversation.goals else None
        question = found.text if found and not corrects else ""
        self.pending = (self.pending if question == self.pending_question else 0) + 1 if question else 0
        self.pending_question = question
        if self.pending > _MAX_PENDING:
            self.warn(_STILL_PENDING.format(number=_MAX_PENDING, question=question))
        return found is not None

    def awaits_agreement(self) -> bool:
        """Return True if the chatbot has proposed a goal and waits for the user's yes."""
        return any(goal.stage is GoalStage.PROPOSED for goal in self.conversation.goals)

    def spent(self) -> bool:
        """Return True if the known costs have reached the limit of the conversation."""
        limit = self.limits.cost
        return limit is not None and self.meter.cost >= limit

    def done(self, *, worn_out: bool = False) -> Ending:
        left = Ending.GAVE_UP if worn_out else Ending.USER_DONE
        return Ending.GOALS_ANSWERED if all_answered(self.conversation) else left

    def fallbacks(self) -> int:
        """Return the number of fallbacks in a row; replies to closing words do not count."""
        new = self.conversation.messages[len(self.case.history) :]
        last_first = (
            said.text
            for said, before in zip(reversed(new), (*reversed(new[:-1]), None), strict=True)
            if said.role == "chatbot" and not said.injected and not _closes(before)
        )
        return trailing_fallbacks(last_first, self.case.fallbacks)

    def add_message(self, said: Message) -> None:
        self.conversation = self.conversation.with_message(said)
        taken = [slots for each in said.meant if each.act == "alternative" for slots in each.slots.items()]
        settled = {**self.conversation.settled, **dict(taken)}
        if said.role == "chatbot":
            settled = {name: value for name, value in settled.items() if not refuses_value(said.text, value)}
        if settled != self.conversation.settled:
            self.note(settled=settled)
        if said.tool_calls and any(call.status == "executed" for call in said.tool_calls):
            self.warn_once(_RESULTS_NOT_SHOWN)
        self.said.append(max(0.0, self.clock.monotonic() - self.bounds.begun))
        if self.listen:
            self.listen(said)

    def note(self, **changes: object) -> None:
        self.conversation = self.conversation.changed(**changes)

    def warn_once(self, warning: str) -> None:
        if warning not in self.conversation.warnings:
            self.warn(warning)

    def warn(self, warning: str) -> None:
        self.note(warnings=(*self.conversation.warnings, warning))

    def end(self, end: Ended) -> None:
        for tool in self.conversation.unused_stubs:
            self.warn(f"the stub of the tool {tool!r} was never used, so its result was not tested")
        recovered = recoveries(self.conversation.messages)
        for tool in dict.fromkeys(fault.tool for fault in self.case.faults):
            if all(each.tool != tool for each in recovered):
                self.warn(f"no call of the tool {tool!r} was broken, so the reaction to its fault was not tested")
        for warning in warnings_of_changes(self.conversation):
            self.warn(warning)
        self.note(ending=end.ending, error=end.reason, recoveries=recovered)

    def timing(self) -> Timing:
        seconds = max(0.0, self.clock.monotonic() - self.bounds.begun)
        return Timing(
            started=self.started,
            seconds=seconds,
            replies=tuple(self.replies),
            first_tokens=tuple(self.first_tokens) if any(each is not None for each in self.first_tokens) else (),
            said=tuple(self.said),
            calls=tuple([each.seconds for each in self.meter.taken]),
            waited=self.bounds.waits.waited,
            retries=self.bounds.waits.retries,
        )


def all_answered(conversation: Conversation) -> bool:
    """Return True if every goal is answered and every output stated, and there is at least one."""
    found = [*(each.answered for each in conversation.goals), *(each.evidence for each in conversation.outputs)]
    return bool(found) and all(each is not None for each in found)


def _closes(said: Message | None) -> bool:
    """Return True if a message is the user's, and closes the conversation."""
    return said is not None and said.role == "user" and is_closing(said)


def _step(step: InjectReply | InjectTool) -> str:
    """Describe a step of a script."""
    if isinstance(step, InjectReply):
        return "an injected reply"
    return f"a stub for the tool {step.name}" if step.mode == "stub" else f"an injected use of the tool {step.name}"
