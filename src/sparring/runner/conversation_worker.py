"""Workers that run the conversations of a batch, one after the other."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, Timing, conversation_id
from sparring.core.errors import UnstorableConversation, UserError
from sparring.core.events import ConversationEnded, ConversationStarted, MessageSaid
from sparring.core.message import Message
from sparring.core.seeding import repeat_seed
from sparring.core.tool_errors import with_all_failures
from sparring.llm.call_context import CallContext, call_context
from sparring.llm.slots import ConversationSlots
from sparring.runner.event_queue import EventQueue
from sparring.runner.judge_worker import JudgeWorker
from sparring.runner.players import ResolvedPlayers
from sparring.runner.spending import BatchSpending, ConversationSpending
from sparring.runner.usage_ledger import UsageLedger
from sparring.runner.verdicts import ConversationChecks
from sparring.simulation.reachability import ChatbotReachability
from sparring.simulation.simulate import simulate
from sparring.store.store import RecordedChecks, Store
from sparring.traces.book import ConversationTraces, TraceBook
from sparring.traces.joining import joined

Slot = tuple[str, int]
"""Position in a batch: the id of a case and the repeat."""


@dataclass
class ConversationWorker:
    """Cases to run and the state of their run.

    `attempts` counts earlier attempts of retried conversations; `dropped` are conversations cancelled while running.
    """

    batch: str
    todo: Iterator[tuple[Case, int]]
    players: ResolvedPlayers
    store: Store
    spending: BatchSpending
    attempts: Mapping[Slot, int]
    slots: ConversationSlots
    stop: asyncio.Event
    ledger: UsageLedger
    checks: ConversationChecks
    events: EventQueue = field(default_factory=EventQueue)
    dropped: set[Slot] = field(default_factory=set)
    judge_worker: JudgeWorker | None = None
    reachability: ChatbotReachability = field(init=False)

    def __post_init__(self) -> None:
        self.reachability = ChatbotReachability(self.spending.lose_chatbot)

    async def work(self) -> None:
        """Run conversations as long as there are any and another may start.

        Stored conversations without a verdict are judged first.
        """
        while self.judge_worker is not None and (unjudged := await self.judge_worker.next()) is not None:
            async with self.slots.hold() as slot:
                if self.stop.is_set() or self.spending.spent or self.spending.exhausted():
                    return
                with self.spending.account() as account, call_context(slot=slot):
                    await self._judge(unjudged, account)
        for case, repeat in self.todo:
            async with self.slots.hold() as slot:
                if self.stop.is_set() or not await self.spending.admit():
                    return
                with call_context(slot=slot):
                    await self._run_case(_seeded(case, repeat), repeat)

    async def _run_case(self, case: Case, repeat: int) -> None:
        slot = case.id, repeat
        self.events.publish(ConversationStarted(conversation=conversation_id(*slot)))
        with self.spending.account() as account:
            conversation = await self._simulate(case, repeat, account)
            if conversation is None:
                self.dropped.add(slot)
                return
            with account.shielded():
                kept, checked = await self._keep(_numbered(conversation, self.attempts.get(slot, 0) + 1))
            self.events.publish(ConversationEnded(conversation=kept))
            await self._judge(kept, account, checked)

    async def _judge(
        self, conversation: Conversation, account: ConversationSpending, checked: RecordedChecks | None = None
    ) -> None:
        """Judge a stored conversation, unless the budget is exhausted."""
        if self.judge_worker is None or self.judge_worker.named_judge is None:
            return
        closed = account.closed  # it may change while the judge is asked
        if closed:
            return
        try:
            with call_context(conversation=conversation.id, on_event=self.events.publish):
                given = self.checks.by_judge(checked) if checked else None
                row = partial(self.checks.row, conversation, checked) if checked else None
                async for _ in self.judge_worker.judge(conversation, given=given, row=row):
                    pass
        except asyncio.CancelledError:
            self.dropped.add((conversation.case.id, conversation.repeat))
            if not account.closed:
                raise
            account.task.uncancel()

    async def _simulate(self, case: Case, repeat: int, account: ConversationSpending) -> Conversation | None:
        """Simulate the conversation. Return None if it was cancelled by the budget or an unreachable chatbot."""
        id = conversation_id(case.id, repeat)
        try:
            prepared = await self.players.prepared(case)
            book = self.players.traces  # of received spans
            sends = self.players.chatbot.capabilities.sends_traces
            traces = (book or TraceBook()).conversation() if book or sends else None
            traced = traces.traceparent if traces else None
            with call_context(conversation=id, on_event=self.events.publish, traceparent=traced) as call:
                if not self.players.chatbot.capabilities.prompts:
                    call.slot = None  # its sessions are open elsewhere, and may be limited
                conversation = await simulate(
                    prepared.case,
                    self.players.user_for(prepared.case),
                    self.players.chatbot,
                    reader=self.players.reader,
                    clock=self.players.clock,
                    repeat=repeat,
                    listen=self._listener(call),
                    turn_seconds=self.players.turn_seconds,
                    reachability=self.reachability,
                    tool_errors=self.players.tool_errors,
                )
            if traces:
                conversation = await self._with_traces(conversation, traces)
            if account.closed:
                await asyncio.sleep(0)  # cancels this task, unless that has happened already
                return None
            return _with_warnings(prepared.noted(conversation), call)
        except asyncio.CancelledError:
            if account.closed:
                account.task.uncancel()
                return None
            self.dropped.add((case.id, repeat))
            raise
        except UserError as error:
            return self._void(case, repeat, str(error))
        except Exception as error:  # noqa: BLE001  one broken conversation must not stop the batch
            return self._void(case, repeat, f"{type(error).__name__}: {error}")

    async def _with_traces(self, conversation: Conversation, traces: ConversationTraces) -> Conversation:
        """Return the conversation with the ids of its traces, and what received spans say of it."""
        if self.players.traces:
            await traces.settled()
            conversation = with_all_failures(joined(conversation, traces.turns), self.players.tool_errors)
        if conversation.timing is None:
            return conversation
        ids = tuple([traces.turns[turn].id for turn in sorted(traces.turns)])
        return conversation.changed(timing=conversation.timing.changed(traces=ids))

    def _void(self, case: Case, repeat: int, reason: str) -> Conversation:
        """Return a void conversation: Sparring or its webhook failed, not the chatbot."""
        timing = Timing(started=self.players.clock.now(), seconds=0)
        return Conversation(case=case, repeat=repeat, ending=Ending.INFRASTRUCTURE_FAILED, error=reason, timing=timing)

    def _listener(self, call: CallContext) -> Callable[[Message], None]:
        def listen(message: Message) -> None:
            call.replay.turn += message.role == "user"
            fields = {"event": "message_said", "conversation": call.conversation, "message": message}
            self.events.publish(MessageSaid.unchecked(fields))

        return listen

    async def _keep(self, conversation: Conversation) -> tuple[Conversation, RecordedChecks]:
        """Store a conversation with its verdicts; the store redacts both, so checks see the original words."""
        try:
            return conversation, await self._write(conversation)
        except UnstorableConversation as error:  # the reply cannot be stored: a failure of the chatbot
            conversation = _stub(conversation, str(error))
            return conversation, await self._write(conversation)

    async def _write(self, conversation: Conversation) -> RecordedChecks:
        retried = (conversation.case.id, conversation.repeat) in self.attempts
        write = partial(self.store.replace if retried else self.store.add, self.batch, conversation)
        usage = conversation.consumed
        checks = await self.checks.evaluate(conversation)
        await self.ledger.stored(usage, lambda unkept: write(checks=checks, unkept=unkept))
        if retried and self.judge_worker is not None:
            self.judge_worker.forget(conversation)
        return checks


def _seeded(case: Case, repeat: int) -> Case:
    return case if repeat == 1 else case.model_copy(update={"seed": repeat_seed(case.seed, repeat)})


def _with_warnings(conversation: Conversation, call: CallContext) -> Conversation:
    where = call.replay.diverged
    diverged = (f"differs from the recording from here on: {where}",) if where else ()
    if not diverged and not call.warnings:
        return conversation
    return conversation.model_copy(update={"warnings": (*conversation.warnings, *diverged, *call.warnings)})


def _numbered(conversation: Conversation, attempt: int) -> Conversation:
    if attempt == 1 or conversation.timing is None:
        return conversation
    return conversation.model_copy(update={"timing": conversation.timing.model_copy(update={"attempt": attempt})})


def _stub(conversation: Conversation, reason: str) -> Conversation:
    """Return a stub for a conversation that cannot be stored, with the reason."""
    return Conversation(
        case=conversation.case,
        repeat=conversation.repeat,
        ending=Ending.CHATBOT_FAILED,
        error=reason,
        usage=conversation.usage,
        timing=conversation.timing,
    )
