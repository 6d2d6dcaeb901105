"""The judge of a batch: judges each conversation that counts once, as it ends or later."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial

from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.events import Event, VerdictGiven
from sparring.core.listing import ConversationRow
from sparring.core.seeding import random_for
from sparring.core.usage import Budget, Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.judge import Judge, standard
from sparring.llm.call_context import call_context
from sparring.llm.deadlines import ConversationClock
from sparring.llm.metering import Meter
from sparring.runner.event_queue import EventQueue
from sparring.runner.spending import BatchSpending
from sparring.runner.usage_ledger import UsageLedger
from sparring.store.store import ConversationFilter, Store


@dataclass(frozen=True)
class NamedJudge:
    """A judge and the name that selected it; of a `panel`, the first one and the name of all."""

    judge: Judge
    name: str
    panel: "tuple[NamedJudge, ...]" = ()

    @property
    def members(self) -> "tuple[NamedJudge, ...]":
        """The judges of a panel, or this one."""
        return self.panel or (self,)

    @property
    def deterministic(self) -> bool:
        """True if its verdicts are recorded with the conversation, like those of other checks."""
        return self.judge.deterministic

    def questions(self, batch: Batch, case: Case) -> tuple[Rubric, ...]:
        """Return the rubrics by which it judges a case of a batch."""
        if not self.judge.reads_rubrics:
            return (Rubric(name=self.name, text=""),)
        return batch.rubrics_for(case) or (standard((case,)),)

    def about(self, rubric: Rubric) -> str:
        """Return the hash under which its verdict is stored; empty for a judge that reads no rubrics."""
        return rubric.hash if self.judge.reads_rubrics else ""


@dataclass
class JudgeWorker:
    """A judge at work on a batch: stores its verdicts and publishes them as events.

    `decided` counts the verdicts of each (judge, case, repeat, rubric), and `before` those that are as good as none;
    `backlog` yields stored conversations, which are judged where fewer than `times` are there.
    """

    named_judge: NamedJudge | None
    batch: Batch
    store: Store
    ledger: UsageLedger
    publish: Callable[[Event], None]
    times: int = 1
    decided: dict[tuple[str, str, int, str], int] = field(default_factory=dict)
    before: Mapping[tuple[str, str, int, str], int] = field(default_factory=dict)
    backlog: AsyncIterator[Conversation] | None = None
    _next: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def next(self) -> Conversation | None:
        """Return the next conversation of the backlog that lacks a verdict, or None at its end."""
        async with self._next:
            while self.backlog is not None:
                conversation = await anext(self.backlog, None)
                if conversation is None or self._missing(conversation):
                    return conversation
            return None

    def _missing(self, conversation: Conversation) -> list[tuple[NamedJudge, Rubric]]:
        """Return the judges to ask about a conversation and the rubrics, once for each missing verdict."""
        named_judge, ending = self.named_judge, conversation.ending
        if named_judge is None or ending is None or not ending.completed:
            return []
        rubrics = named_judge.questions(self.batch, conversation.case)
        asked = [(judge, rubric) for judge in named_judge.members for rubric in rubrics]
        keys = [_place(conversation, *each) for each in asked]
        counts = [self.decided.get(key, 0) - self.before.get(key, 0) for key in keys]
        return [each for each, count in zip(asked, counts, strict=True) for _ in range(count, self.times)]

    def forget(self, conversation: Conversation) -> None:
        """Forget the verdicts on an earlier attempt at a conversation, which are not kept."""
        if self.named_judge is not None:
            for judge in self.named_judge.members:
                for rubric in self.named_judge.questions(self.batch, conversation.case):
                    self.decided.pop(_place(conversation, judge, rubric), None)

    async def judge(
        self,
        conversation: Conversation,
        *,
        given: Verdict | None = None,
        row: Callable[[Sequence[Verdict]], ConversationRow] | None = None,
    ) -> AsyncIterator[Verdict]:
        """Judge a stored conversation where verdicts are missing. Each is stored before it is published.

        `given` is the recorded verdict of a deterministic judge; `row` makes the row of the conversation from the
        verdicts so far.
        """
        verdicts: list[Verdict] = []
        for judge, rubric in self._missing(conversation):
            place = _place(conversation, judge, rubric)
            attempt = self.decided[place] = self.decided.get(place, 0) + 1
            verdicts.append(given or await verdict_of(judge, seeded(conversation, attempt), rubric))
            if not judge.deterministic:
                await self._keep(verdicts[-1], rubric, row(verdicts) if row else None)
            self.publish(VerdictGiven(verdict=verdicts[-1]))
            yield verdicts[-1]

    async def _keep(self, verdict: Verdict, rubric: Rubric, row: ConversationRow | None) -> None:
        asked = rubric if verdict.rubric else None
        judge = partial(self.store.judge, self.batch.id, verdict, rubric=asked, rejudge=True, row=row)
        await self.ledger.stored(verdict.usage, lambda unkept: judge(unkept=unkept))


def _place(conversation: Conversation, judge: NamedJudge, rubric: Rubric) -> tuple[str, str, int, str]:
    return judge.name, conversation.case.id, conversation.repeat, judge.about(rubric)


async def open_judge_worker(
    named_judge: NamedJudge | None,
    batch: Batch,
    store: Store,
    ledger: UsageLedger,
    publish: Callable[[Event], None],
    *,
    times: int = 1,
    rejudge: bool = False,
) -> JudgeWorker:
    """Open a judge worker with earlier verdicts and the stored conversations that still need one.

    With `rejudge`, conversations are judged `times` more, even if they have verdicts.
    """
    judge_worker = JudgeWorker(named_judge, batch, store, ledger, publish, times)
    if named_judge is None or named_judge.deterministic:
        return judge_worker
    for judge in named_judge.members:
        known = await store.judged(batch.id, judge.name)
        judge_worker.decided |= {(judge.name, *place): count for place, count in known.items()}
    if rejudge:
        judge_worker.before = dict(judge_worker.decided)
    judge_worker.backlog = store.conversations(batch.id, wanted=ConversationFilter(counts=True))
    return judge_worker


async def judge_stored(
    batch: Batch,
    named_judge: NamedJudge | None,
    store: Store,
    *,
    concurrency: int = 8,
    stop: asyncio.Event | None = None,
    times: int = 1,
    rejudge: bool = False,
    given_up: Callable[[str], None] | None = None,
) -> AsyncGenerator[Event]:
    """Judge the stored conversations of a batch that lack verdicts, at most `concurrency` at a time.

    If the judge's model stops answering, stop and call `given_up` with the reason.
    """
    queue, spending = EventQueue(), BatchSpending(Budget(), given_up=given_up)
    ledger = UsageLedger(batch.id, store, spending)
    judge_worker = await open_judge_worker(
        named_judge, batch, store, ledger, queue.publish, times=times, rejudge=rejudge
    )

    async def work() -> None:
        while (
            not (spending.spent or (stop and stop.is_set())) and (conversation := await judge_worker.next()) is not None
        ):
            with spending.account():
                async for _ in judge_worker.judge(conversation):
                    pass

    async with ledger, aclosing(queue.run_workers(work, concurrency)) as groups:
        async for events in groups:
            for event in events:
                yield event


def seeded(conversation: Conversation, attempt: int) -> Conversation:
    """Return a conversation with another seed for a later attempt, so that its answer is not cached."""
    if attempt == 1:
        return conversation
    case = conversation.case.model_copy(
        update={"seed": random_for(conversation.case, "judge", attempt).getrandbits(31)}
    )
    return conversation.model_copy(update={"case": case})


async def verdict_of(named_judge: NamedJudge, conversation: Conversation, rubric: Rubric) -> Verdict:
    """Return the verdict of a judge with its usage. A judge that raises gives an error verdict."""
    meter = Meter()
    with ConversationClock() as clock, call_context(meter=meter, clock=clock, cache_writes=[]) as call:
        try:
            verdict = await named_judge.judge.judge(conversation, rubric)
        except Exception as error:  # noqa: BLE001  a broken judge must not stop the batch
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            verdict = Verdict(
                check=rubric.name,
                outcome=CheckOutcome.ERROR,
                conversation=conversation.id,
                reason=reason,
                by=named_judge.name,
            )
        if verdict.outcome is not CheckOutcome.ERROR:
            call.commit_cache_writes()
    fields = {
        "judge": named_judge.name,
        "rubric": named_judge.about(rubric),
        "conversation": conversation.id,
        "usage": sum(meter.usage.values(), Usage()),
        "retries": clock.retries,
    }
    return verdict.model_copy(update=fields)
