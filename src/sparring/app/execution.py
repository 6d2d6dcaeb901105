"""The execution of one batch by this process: open, check, lock, store and play it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from sparring.app.config import AppConfig
from sparring.app.discrimination import discriminator
from sparring.app.notices import Notice, gate_notices, session_notices
from sparring.app.preflight import check_lengths, check_refusals
from sparring.app.stored_figures import storing_figures
from sparring.app.wiring import players
from sparring.core.batch import Batch, BatchExecution, BatchInputs, Players
from sparring.core.checks import Rule, require_possible
from sparring.core.clock import Clock
from sparring.core.errors import InputError, NotRecorded
from sparring.core.events import BatchFinished, ConversationStarted, Event
from sparring.core.prompts import PlayerRole, Prompts
from sparring.core.usage import Budget
from sparring.llm.client.rate_limiter import RateLimits
from sparring.llm.replay import Recorder
from sparring.llm.slots import ConversationSlots
from sparring.runner.batch import run
from sparring.runner.batch_log import logs
from sparring.runner.players import ResolvedPlayers, pinned_prompts, prompt_versions
from sparring.runner.spending import named_limit
from sparring.store.redaction import Redaction
from sparring.store.store import Store

_NONE = {"seconds": 0.001, "conversations": 0}
"""What is left of an exhausted limit."""


@dataclass(frozen=True, slots=True)
class SharedResources:
    """The conversation slots and rate limits that all batches in one process share."""

    slots: ConversationSlots
    limits: RateLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The store and the configuration of an execution, and what it shares with others in the process.

    `prompts` are prompt versions that a new batch names and the store may lack.
    """

    store: Store
    config: AppConfig
    clock: Clock
    recorder: Recorder | None = None
    shared: SharedResources | None = None
    prompts: tuple[Prompts, ...] = ()


class Execution:
    """A batch that this process plays: stored and locked, with its players open."""

    def __init__(self, batch: Batch, players: ResolvedPlayers, around: Surroundings) -> None:
        self.batch = batch
        self.around = around
        self.job = BatchExecution(batch=batch.id)
        self.notices: list[Notice] = []
        self.log: Callable[[Event], None] = lambda event: None
        self._players = players
        self._interrupted = False

    async def begin(self, **fields: object) -> None:
        """Store the batch, if it is new, and that it is played from now on.

        Raises:
            InputError: what its cases say was hidden before it was stored, and is not known anymore.
        """
        store, config = self.around.store, self.around.config
        self.notices = await session_notices(self.batch, self._players.chatbot, store)
        self.notices += gate_notices(config.gate, len(self.batch.cases), self.batch.repeats)
        prompts = prompt_versions(self._players, (*self.batch.rubrics, *self.batch.case_rubrics))
        created = await store.create(self.batch, prompts=prompts)
        if kept := None if created else await store.job(self.batch.id):
            self.job = _playable(kept)
            self._interrupted = kept.started is not None and kept.ended is None
        else:
            hidden = Redaction(config.redact).hidden(self.batch.cases) != self.batch.cases
            self.job = BatchExecution(batch=self.batch.id, hidden=hidden)
        # Alone in its process it starts now; among others it starts with its first conversation.
        started = self.job.started or (None if self.around.shared else self.around.clock.now())
        again = {
            "started": started,
            "ended": None,
            "cancelled": False,
            "called_back": False,
            "stopped": "",
            "error": "",
        }
        await self.update(**{**again, **fields})

    def lost_spans(self) -> list[Notice]:
        """Return a warning for each reason why spans of the chatbot belong to no conversation."""
        traces = self._players.traces
        return [Notice(reason) for reason in traces.losses()] if traces else []

    async def update(self, **fields: object) -> None:
        """Change fields of the job, and store it."""
        self.job = self.job.model_copy(update=fields)
        await self.around.store.keep_job(self.job)

    async def _left(self, budget: Budget) -> Budget:
        """Return what is left of the limits of a launch that a killed server had partly used."""
        if not self._interrupted or self.job.started is None:
            return budget
        used = {
            "seconds": (self.around.clock.now() - self.job.started).total_seconds(),
            "conversations": (await self.around.store.progress(self.batch.id)).stored,
        }
        limits = {name: getattr(budget, name) for name in used}
        left = {name: max(limit - used[name], _NONE[name]) for name, limit in limits.items() if limit is not None}
        return budget.changed(**left)

    async def events(self, stop: asyncio.Event, *, retry_failed: bool) -> AsyncGenerator[Event]:
        """Play what the batch lacks, and yield what happens.

        Raises:
            NotRecorded: the recording cannot be written anymore; finished conversations are saved.
        """
        around, recorder = self.around, self.around.recorder
        hold = partial(
            run,
            players=self._players,
            store=around.store,
            concurrency=around.config.concurrency,
            stop=stop,
            slots=around.shared.slots if around.shared else None,
            retry_failed=retry_failed,
            null_bots=discriminator(self.batch, around.store, on=around.config.null_bots),
        )
        launched = inputs_of(self.batch).budget
        given = around.config.budget.lowest(launched)
        budget = around.config.budget.lowest(await self._left(launched))
        if self.batch.until is None:
            running = hold(self.batch, budget=budget)
        else:
            from sparring.app.early_stopping import hold_until_decided  # only with --until

            running = hold_until_decided(self.batch, around.store, around.config, around.clock, budget, hold)
        async with aclosing(running) as events, storing_figures(self.batch, around.store):
            async for event in events:
                if isinstance(event, BatchFinished):
                    event = event.changed(reason=named_limit(event.reason, budget, given))
                self.log(event)
                if isinstance(event, ConversationStarted) and self.job.started is None:
                    await self.update(started=around.clock.now())
                yield event
                if recorder is not None and recorder.recording.broken:
                    stop.set()
        if recorder is not None and recorder.recording.broken:
            raise NotRecorded(recorder.recording.broken)


@asynccontextmanager
async def open_execution(
    make: Callable[[ResolvedPlayers, Players], Batch],
    inputs: BatchInputs,
    around: Surroundings,
    lock: ExitStack,
    *,
    rules: Iterable[Rule],
    **fields: object,
) -> AsyncIterator[Execution]:
    """Make the players, check the inputs before anything is stored or sent, lock the batch, and start.

    The batch stays locked until `lock` is closed; its players and logs are closed at the end of the block.
    """
    config, clock = around.config, around.clock
    async with prepared(make, inputs, around, rules=rules) as (batch, resolved):
        lock.enter_context(around.store.playing(batch.id))
        execution, redaction = Execution(batch, resolved, around), Redaction(config.redact)
        written = logs(config.output.logs, batch, clock, redaction=redaction, environment=config.environment)
        with written as execution.log:
            await execution.begin(**fields)
            yield execution


@asynccontextmanager
async def prepared(
    make: Callable[[ResolvedPlayers, Players], Batch],
    inputs: BatchInputs,
    around: Surroundings,
    *,
    rules: Iterable[Rule],
) -> AsyncIterator[tuple[Batch, ResolvedPlayers]]:
    """Make the players and the batch, and run all checks that need nothing stored or sent."""
    config, shared = around.config, around.shared
    prompts = await pinned_prompts(inputs.choice, around.store, around.prompts)
    limits = shared.limits if shared else None
    config = replace(config, budget=config.budget.lowest(inputs.budget))
    async with players(inputs.choice, config, limits=limits, recorder=around.recorder, prompts=prompts) as (
        resolved,
        who,
    ):
        batch = make(resolved, who)
        if config.gate is not None:
            asked = (*batch.rubrics, *batch.case_rubrics)
            require_possible(config.gate, batch.repeats, rubrics=asked, until_decided=batch.until is not None)
        check_lengths(batch.cases)
        check_refusals(batch.cases, resolved.chatbot, informed=resolved.webhook is not None, rules=rules)
        yield batch, resolved


def open_stored(
    batch: Batch, around: Surroundings, lock: ExitStack, **fields: object
) -> AbstractAsyncContextManager[Execution]:
    """Open the execution of a batch whose inputs are known; `fields` are those of its job."""
    return open_execution(lambda players, who: batch, inputs_of(batch), around, lock, rules=(), **fields)


def inputs_of(batch: Batch) -> BatchInputs:
    """Return the inputs of a batch, which it is played from again.

    Raises:
        InputError: they are not known.
    """
    if batch.origin is None:
        raise InputError(
            f"cannot resume batch {batch.id}: its players were not recorded (imported batch?)",
            hint="it was imported, or recorded before batches could be resumed; `sparring run` makes a new one",
        )
    return batch.origin


@asynccontextmanager
async def replaying(
    batch: Batch, store: Store, config: AppConfig, *, faulty: Prompts | None = None
) -> AsyncIterator[ResolvedPlayers]:
    """Open the players of a stored batch with the prompts it names, or with `faulty` ones of its chatbot."""
    choice = inputs_of(batch).choice
    own: Mapping[PlayerRole, Prompts] = {"chatbot": faulty} if faulty else await pinned_prompts(choice, store)
    async with players(choice, config, prompts=own, lenient=faulty is not None) as (resolved, _):
        yield resolved


def _playable(job: BatchExecution) -> BatchExecution:
    if job.hidden:
        raise InputError(
            f"batch {job.batch} cannot be resumed: its cases were redacted before they were stored",
            hint="run it again from its files, or redact less (`redact`)",
        )
    return job
