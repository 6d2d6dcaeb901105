"""Plays batches in the background of a server, side by side, and goes on with them after a restart."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    ExitStack,
    aclosing,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, field, replace
from typing import Self

from sparring.app.config import AppConfig
from sparring.app.launch import BatchPlan, batch_of, budget_of, hides, origin_for, origin_of, playable
from sparring.app.preflight import check_refusals
from sparring.app.wiring import players
from sparring.core.batch import Batch, BatchExecution, PlayerNames, Players
from sparring.core.clock import Clock, SystemClock
from sparring.core.errors import SparringError
from sparring.core.events import BatchFinished, ConversationStarted, Event, MessageSaid
from sparring.core.prompts import Prompts
from sparring.llm.client.rate_limiter import Limits
from sparring.runner.batch import run
from sparring.runner.batch_log import logs
from sparring.runner.players import ResolvedPlayers
from sparring.runner.prompts import pinned_prompts, prompt_versions
from sparring.store.redaction import Redaction
from sparring.store.store import Store

UNLOGGED = 256
"""How many events may be on their way to the log at once."""

UNHEARD = 1_000
"""How many events a slow listener may be behind before it misses words; what is logged it can read later."""

Subscription = asyncio.Queue[MessageSaid | None]
"""What a listener gets: words as they are said, and None whenever there is more in the log."""


@dataclass
class _Playing:
    """A batch while it is played."""

    job: BatchExecution
    cancelled: bool = False
    stopped: str = ""
    task: asyncio.Task[None] | None = None
    logging: list[asyncio.Task[int]] = field(default_factory=list)


class BackgroundRunner:
    """Batches that are played side by side in one event loop, never more conversations at a time than the settings
    allow, all together.

    Each is kept before it is begun. Leaving the block stops what is under way, and entering it anew goes on.
    `permit` raises an InputError for a choice that is not allowed any more.
    """

    def __init__(
        self,
        store: Store,
        config: AppConfig,
        *,
        permit: Callable[[PlayerNames], None] = lambda choice: None,
        clock: Clock | None = None,
    ) -> None:
        self._store, self._config = store, config
        self._permit, self._clock = permit, clock or SystemClock()
        self._hiding = Redaction(config.redact)
        self._room = asyncio.Semaphore(config.concurrency)
        self._limits = Limits(config.llm.limits)
        self._playing: dict[str, _Playing] = {}
        self._listening: dict[str, set[Subscription]] = {}
        self._beginning = asyncio.Lock()

    async def __aenter__(self) -> Self:
        for job in await self._store.waiting():
            await self._go_on(job)
        return self

    async def __aexit__(self, *exception: object) -> None:
        tasks = [playing.task for playing in self._playing.values() if playing.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def limits(self) -> Limits:
        """How fast models may be asked."""
        return self._limits

    @property
    def batches(self) -> int:
        """How many batches are under way."""
        return len(self._playing)

    def plays(self, batch: str) -> bool:
        """Whether a batch is under way here."""
        return batch in self._playing

    async def launch(self, plan: BatchPlan, config: AppConfig) -> Batch:
        """Keep a new batch, and begin with it; an InputError where its players cannot be made."""
        async with AsyncExitStack() as stack:
            held = stack.enter_context(ExitStack())
            other = await pinned_prompts(plan.choice, self._store)
            cast, who = await stack.enter_async_context(self._players(plan.choice, config, other))
            batch = batch_of(plan, origin_for(plan, config.environment), cast, who, config, self._clock)
            check_refusals(batch.cases, cast.chatbot, informed=cast.webhook is not None, rules=plan.rules)
            hidden = hides(config, batch)
            job = BatchExecution(batch=batch.id, served=True, prompt_version=plan.prompt_version, hidden=hidden)
            held.enter_context(self._store.playing(batch.id))
            await self._store.create(batch, prompts=prompt_versions(cast))
            await self._store.keep_job(job)
            self._start(batch, cast, job, stack.pop_all(), held.pop_all())
        return batch

    async def resume(self, batch: str, *, retry_failed: bool = False) -> None:
        """Go on with a batch that was cancelled or given up; nothing happens to one that is under way. With
        `retry_failed`, conversations that do not count are held again."""
        if self.plays(batch):
            return
        job = await self._store.job(batch) or BatchExecution(batch=batch)
        anew = {"served": True, "cancelled": False, "stopped": "", "error": "", "ended": None, "retrying": retry_failed}
        await self._begin_again(job.model_copy(update=anew))

    async def cancel(self, batch: str) -> None:
        """Stop a batch at once; the conversations under way are dropped."""
        playing = self._playing[batch]
        playing.cancelled = True
        playing.job = playing.job.model_copy(update={"cancelled": True})
        await self._store.keep_job(playing.job)
        if playing.task is not None:
            playing.task.cancel()
            await asyncio.wait([playing.task])

    @contextmanager
    def listening(self, batch: str) -> Iterator[Subscription]:
        """Hear of what happens in a batch from now on."""
        heard: Subscription = asyncio.Queue(UNHEARD)
        self._listening.setdefault(batch, set()).add(heard)
        try:
            yield heard
        finally:
            listeners = self._listening[batch]
            listeners.discard(heard)
            if not listeners:
                del self._listening[batch]

    async def _go_on(self, job: BatchExecution) -> None:
        """Go on with a batch after a restart; one that cannot be played any more says why, and keeps nobody else."""
        try:
            await self._begin_again(job)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one batch, the server starts
            await self._store.keep_job(job.model_copy(update={"error": _reason(error), "ended": self._clock.now()}))

    async def _begin_again(self, job: BatchExecution) -> None:
        batch = await self._store.batch(playable(job).batch)
        choice = origin_of(batch).choice
        self._permit(choice)
        config = replace(self._config, seed=batch.seed)
        async with self._beginning:
            if self.plays(batch.id):  # somebody else was faster
                return
            async with AsyncExitStack() as stack:
                held = stack.enter_context(ExitStack())
                held.enter_context(self._store.playing(batch.id))
                other = await pinned_prompts(choice, self._store)
                cast, _ = await stack.enter_async_context(self._players(choice, config, other))
                await self._store.log_endings(batch.id)
                await self._store.keep_job(job)
                self._start(batch, cast, job, stack.pop_all(), held.pop_all())

    def _players(
        self, choice: PlayerNames, config: AppConfig, other: Prompts | None
    ) -> AbstractAsyncContextManager[tuple[ResolvedPlayers, Players]]:
        """The players of a batch; all batches share the limits of the models."""
        return players(choice, config, limits=self._limits, told=other)

    def _start(
        self, batch: Batch, cast: ResolvedPlayers, job: BatchExecution, stack: AsyncExitStack, held: ExitStack
    ) -> None:
        """Play a batch that is `held`, so that nobody else plays it until what became of it is kept."""
        playing = self._playing[batch.id] = _Playing(job)
        playing.task = asyncio.create_task(self._play(batch, cast, playing, stack))
        # A task that is cancelled before its first step does nothing at all, not even what it would do finally.
        playing.task.add_done_callback(lambda _: self._ended(batch.id, held))

    def _ended(self, batch: str, held: ExitStack) -> None:
        del self._playing[batch]
        held.close()
        self._tell(batch, None)

    async def _play(self, batch: Batch, cast: ResolvedPlayers, playing: _Playing, stack: AsyncExitStack) -> None:
        error = await self._played(batch, cast, playing, stack)
        told = {"error": error, "stopped": playing.stopped, "retrying": False}
        ended = playing.job.model_copy(update={"ended": self._clock.now(), **told})
        with suppress(SparringError):  # a store that takes nothing has said so already
            await self._store.keep_job(ended)

    async def _played(self, batch: Batch, cast: ResolvedPlayers, playing: _Playing, stack: AsyncExitStack) -> str:
        """Play a batch, and say why it could not be played to its end; a server that stops leaves it to the next."""
        try:
            log = stack.enter_context(self._log(batch))
            async with stack, aclosing(self._events(batch, cast, playing.job)) as events:
                async for event in events:
                    if isinstance(event, BatchFinished):
                        playing.stopped = event.reason
                    log(event)
                    await self._note(playing, event)
            await asyncio.gather(*playing.logging)
        except asyncio.CancelledError:
            if not playing.cancelled:
                raise
        except Exception as failed:  # noqa: BLE001 - one batch must not stop the others, and says why it stopped
            return _reason(failed)
        finally:
            await asyncio.gather(*playing.logging, return_exceptions=True)
        return ""

    def _events(self, batch: Batch, cast: ResolvedPlayers, job: BatchExecution) -> AsyncGenerator[Event]:
        return run(
            batch,
            cast,
            self._store,
            concurrency=self._config.concurrency,
            room=self._room,
            budget=budget_of(self._config, origin_of(batch)),
            retry_failed=job.retrying,
        )

    def _log(self, batch: Batch) -> AbstractContextManager[Callable[[Event], None]]:
        return logs(
            self._config.output.logs,
            batch,
            self._clock,
            redaction=self._hiding,
            environment=self._config.environment,
        )

    async def _note(self, playing: _Playing, event: Event) -> None:
        """Tell who listens, and log everything but words: they are kept with the conversation, when it ends."""
        batch = playing.job.batch
        if isinstance(event, MessageSaid):
            self._tell(batch, self._hiding.hidden(event))
            return
        if isinstance(event, ConversationStarted) and playing.job.started is None:
            playing.job = playing.job.model_copy(update={"started": self._clock.now()})
            await self._store.keep_job(playing.job)
        logging = asyncio.create_task(self._store.log(batch, event))
        logging.add_done_callback(lambda _: self._tell(batch, None))
        playing.logging.append(logging)
        if len(playing.logging) >= UNLOGGED:
            await asyncio.gather(*playing.logging)
            playing.logging.clear()

    def _tell(self, batch: str, what: MessageSaid | None) -> None:
        for heard in self._listening.get(batch, ()):
            with suppress(asyncio.QueueFull):
                heard.put_nowait(what)


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, SparringError) else f"{type(error).__name__}: {error}"
