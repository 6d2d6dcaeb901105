"""A judge at its work: asked about every conversation whose ending counts, and never twice about the same."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial

from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.events import Event, VerdictGiven
from sparring.core.listing import ConversationRow
from sparring.core.usage import Budget, Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.judge import Judge, standard
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.runner.event_queue import EventQueue
from sparring.runner.spending import BatchSpending, ConversationSpending
from sparring.runner.usage_ledger import UsageLedger
from sparring.store.store import ConversationFilter, Store


@dataclass(frozen=True)
class NamedJudge:
    """A judge, and the name by which it was chosen."""

    judge: Judge
    name: str

    @property
    def deterministic(self) -> bool:
        """True if its verdicts are recorded with the conversation, as those of other checks are."""
        return self.judge.deterministic

    def questions(self, batch: Batch, case: Case) -> tuple[Rubric, ...]:
        """What it is asked about a case of a batch."""
        if not self.judge.reads_rubrics:
            return (Rubric(name=self.name, text=""),)
        return batch.rubrics_for(case) or (standard((case,)),)

    def about(self, rubric: Rubric) -> str:
        """The hash under which its verdict is kept: of nothing, where it reads no rubric."""
        return rubric.hash if self.judge.reads_rubrics else ""


@dataclass
class JudgeWorker:
    """A judge, the batch it is asked about, where its verdicts are kept, and who is told of them.

    `decided` are the conversations and rubrics that need no verdict any more; `backlog` are conversations that were
    stored before, to be judged as far as they lack verdicts. With `anew` it is asked again what it has decided already.
    """

    appointed: NamedJudge | None
    batch: Batch
    store: Store
    journal: UsageLedger
    tell: Callable[[Event], None]
    anew: bool = False
    decided: set[tuple[str, int, str]] = field(default_factory=set)
    backlog: AsyncIterator[Conversation] | None = None
    _next: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def next(self) -> Conversation | None:
        """A conversation of the backlog that lacks a verdict; None when there is no more."""
        async with self._next:
            while self.backlog is not None:
                conversation = await anext(self.backlog, None)
                if conversation is None or self._lacking(conversation):
                    return conversation
            return None

    def _lacking(self, conversation: Conversation) -> list[Rubric]:
        """What nobody has asked yet about a conversation."""
        appointed, ending = self.appointed, conversation.ending
        if appointed is None or ending is None or not ending.counts:
            return []
        place = conversation.case.id, conversation.repeat
        asked = appointed.questions(self.batch, conversation.case)
        return [rubric for rubric in asked if (*place, appointed.about(rubric)) not in self.decided]

    async def hear(
        self,
        conversation: Conversation,
        purse: ConversationSpending,
        *,
        given: Verdict | None = None,
        row: Callable[[Sequence[Verdict]], ConversationRow] | None = None,
    ) -> AsyncIterator[Verdict]:
        """Judge a conversation that is stored, as far as it lacks verdicts: each is kept before it is told.

        `given` is the verdict of a deterministic judge that is recorded already; `row` makes the row of the
        conversation from what the judge has said so far.
        """
        said: list[Verdict] = []
        for rubric in self._lacking(conversation):
            if self.appointed is None:
                return
            self.decided.add((conversation.case.id, conversation.repeat, self.appointed.about(rubric)))
            said.append(given or await verdict_of(self.appointed, conversation, rubric))
            if not self.appointed.deterministic:
                await self._keep(said[-1], rubric, purse, row(said) if row else None)
            self.tell(VerdictGiven(verdict=said[-1]))
            yield said[-1]

    async def _keep(
        self, verdict: Verdict, rubric: Rubric, purse: ConversationSpending, row: ConversationRow | None
    ) -> None:
        asked = rubric if verdict.rubric else None
        judge = partial(self.store.judge, self.batch.id, verdict, rubric=asked, anew=self.anew, row=row)
        await self.journal.stored(purse, verdict.usage, lambda unkept: judge(unkept=unkept))


async def open_judge_worker(
    appointed: NamedJudge | None,
    batch: Batch,
    store: Store,
    journal: UsageLedger,
    tell: Callable[[Event], None],
    *,
    anew: bool = False,
) -> JudgeWorker:
    """A judge, with what it decided before, and with what is stored and it has not said everything about."""
    bench = JudgeWorker(appointed, batch, store, journal, tell, anew)
    if appointed is None or appointed.deterministic:
        return bench
    bench.decided = set() if anew else await store.judged(batch.id, appointed.name)
    bench.backlog = store.conversations(batch.id, wanted=ConversationFilter(counts=True))
    return bench


async def judge_stored(
    batch: Batch,
    appointed: NamedJudge | None,
    store: Store,
    *,
    concurrency: int = 8,
    stop: asyncio.Event | None = None,
    anew: bool = False,
    given_up: Callable[[str], None] | None = None,
) -> AsyncGenerator[Event]:
    """Judge what is stored of a batch and lacks verdicts, at most `concurrency` conversations at a time.

    Where the model that judges will answer nobody any more, the rest is left, and `given_up` is told why.
    """
    telling, spending = EventQueue(), BatchSpending(Budget(), given_up=given_up)
    journal = UsageLedger(batch.id, store, spending)
    bench = await open_judge_worker(appointed, batch, store, journal, telling.tell, anew=anew)

    async def work() -> None:
        while not (spending.spent or (stop and stop.is_set())) and (conversation := await bench.next()) is not None:
            with spending.paying() as purse:
                async for _ in bench.hear(conversation, purse):
                    pass

    async with journal, aclosing(telling.working(work, concurrency)) as happening:
        async for events in happening:
            for event in events:
                yield event


async def verdict_of(appointed: NamedJudge, conversation: Conversation, rubric: Rubric) -> Verdict:
    """What a judge says, and what that took; one that raises could not decide."""
    meter = Meter()
    with call_context(meter=meter, cache_writes=[]) as call:
        try:
            verdict = await appointed.judge.judge(conversation, rubric)
        except Exception as error:  # noqa: BLE001  a judge that is broken must not stop the batch
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            verdict = Verdict(
                check=rubric.name,
                outcome=CheckOutcome.ERROR,
                conversation=conversation.id,
                reason=reason,
                by=appointed.name,
            )
        if verdict.outcome is not CheckOutcome.ERROR:
            call.commit_cache_writes()
    told = {
        "judge": appointed.name,
        "rubric": appointed.about(rubric),
        "conversation": conversation.id,
        "usage": sum(meter.usage.values(), Usage()),
    }
    return verdict.model_copy(update=told)
