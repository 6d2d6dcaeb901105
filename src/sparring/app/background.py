"""Plays many batches in one server process, and resumes them after a restart."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from sparring.app.callbacks import SECRET, Callbacks, call_back, signing_key
from sparring.app.config import AppConfig
from sparring.app.execution import Execution, SharedResources, Surroundings, inputs_of, open_stored
from sparring.app.launch import BatchPlan, open_new
from sparring.core.batch import Batch, BatchExecution, PlayerNames
from sparring.core.clock import Clock, SystemClock
from sparring.core.errors import SparringError
from sparring.core.events import BatchFinished, Event, MessageSaid
from sparring.llm.client.rate_limiter import RateLimits
from sparring.llm.slots import ConversationSlots
from sparring.runner import batch_log
from sparring.store.redaction import Redaction
from sparring.store.store import Store

LogLevel = batch_log.Level


def log_level(environment: Mapping[str, str]) -> LogLevel | None:
    """Return the level that `DEBUG` or `LOG_LEVEL` sets, or None."""
    return batch_log.log_level(environment)


def make_log_folder(folder: Path) -> None:
    """Make the folder of logs. Raise InputError if logs cannot be written there."""
    batch_log.make_folder(folder)


UNLOGGED = 256
"""Limit of events waiting to be logged."""

UNHEARD = 1_000
"""Number of events that a slow subscriber may fall behind before it misses messages; the log has all events."""

Subscription = asyncio.Queue[MessageSaid | None]
"""A subscription: messages as they are said, and None whenever the log has more."""


@dataclass
class _Playing:
    """A batch that is running."""

    execution: Execution
    task: asyncio.Task[None]
    cancelled: bool = False
    stopped: str = ""
    logging: list[asyncio.Task[int]] = field(default_factory=list)


class BackgroundRunner:
    """Runs batches concurrently in one event loop, within one limit of conversations for all of them.

    A batch is stored before it starts. Leaving the block stops running batches, and entering it again resumes them.
    `permit` raises an InputError for players that are no longer allowed, and `heard` is called with every event.
    """

    def __init__(
        self,
        store: Store,
        config: AppConfig,
        *,
        permit: Callable[[PlayerNames], None] = lambda choice: None,
        clock: Clock | None = None,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self._store, self._config, self._on_event = store, config, on_event
        self._permit, self._clock = permit, clock or SystemClock()
        self._redaction = Redaction(config.redact)
        self._shared = SharedResources(ConversationSlots(config.concurrency), RateLimits(config.llm.limits))
        self._playing: dict[str, _Playing] = {}
        self._listening: dict[str, set[Subscription]] = {}
        self._beginning = asyncio.Lock()
        self._calling: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        signing_key(self._secret)  # a secret that cannot sign stops the server at its start
        for job in await self._store.waiting():
            await self._go_on(job)
        return self

    async def __aexit__(self, *exception: object) -> None:
        tasks = [*(playing.task for playing in self._playing.values()), *self._calling]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def _secret(self) -> str:
        return self._config.environment.get(SECRET, "")

    @property
    def limits(self) -> RateLimits:
        """The rate limits that all batches share."""
        return self._shared.limits

    @property
    def running(self) -> tuple[str, ...]:
        """The ids of the running batches."""
        return tuple(self._playing)

    @property
    def batches(self) -> int:
        """The number of running batches."""
        return len(self._playing)

    def plays(self, batch: str) -> bool:
        """Return True if this process is running a batch."""
        return batch in self._playing

    async def launch(self, plan: BatchPlan, config: AppConfig) -> Batch:
        """Store a new batch, begin to play it, and return it.

        Raises:
            InputError: its players cannot be made, or cannot play its cases.
        """
        async with AsyncExitStack() as stack:
            lock = stack.enter_context(ExitStack())
            fields = {"prompt_version": plan.prompt_version, "callback_url": plan.callback_url}
            opened = open_new(plan, self._around(config), lock, served=True, **fields)
            execution = await stack.enter_async_context(opened)
            self._start(execution, stack.pop_all(), lock)
        return execution.batch

    async def resume(self, batch: str, *, retry_failed: bool = False) -> None:
        """Play what a cancelled or abandoned batch lacks; leave a batch alone that is running already.

        With `retry_failed`, conversations whose endings do not count are played again.
        """
        if not self.plays(batch):
            await self._begin_again(batch, retrying=retry_failed)

    async def cancel(self, batch: str) -> None:
        """Stop a batch at once, and drop its running conversations."""
        playing = self._playing[batch]
        playing.cancelled = True
        await playing.execution.update(cancelled=True)
        playing.task.cancel()
        await asyncio.wait([playing.task])

    @contextmanager
    def listening(self, batch: str) -> Iterator[Subscription]:
        """Subscribe to a batch from now on."""
        subscription: Subscription = asyncio.Queue(UNHEARD)
        self._listening.setdefault(batch, set()).add(subscription)
        try:
            yield subscription
        finally:
            listeners = self._listening[batch]
            listeners.discard(subscription)
            if not listeners:
                del self._listening[batch]

    async def _go_on(self, job: BatchExecution) -> None:
        """Resume a batch after a restart. An error is stored with the batch and does not affect others."""
        if job.owes_callback:
            self._call_back(job)
            return
        try:
            await self._begin_again(job.batch)
        except Exception as error:  # noqa: BLE001 - the server starts even if one batch is broken
            await self._store.keep_job(job.model_copy(update={"error": _reason(error), "ended": self._clock.now()}))

    async def _begin_again(self, id: str, **fields: object) -> None:
        batch = await self._store.batch(id)
        self._permit(inputs_of(batch).choice)
        async with self._beginning:
            if self.plays(id):  # another request was faster
                return
            async with AsyncExitStack() as stack:
                lock = stack.enter_context(ExitStack())
                opened = open_stored(batch, self._around(self._config), lock, served=True, **fields)
                execution = await stack.enter_async_context(opened)
                await self._store.log_endings(id)
                self._start(execution, stack.pop_all(), lock)

    def _around(self, config: AppConfig) -> Surroundings:
        return Surroundings(store=self._store, config=config, clock=self._clock, shared=self._shared)

    def _start(self, execution: Execution, stack: AsyncExitStack, lock: ExitStack) -> None:
        """Play a locked batch in a task; the lock is released once its ending is stored."""
        id, locks = execution.batch.id, lock.pop_all()
        task = asyncio.create_task(self._play(execution, stack))
        self._playing[id] = _Playing(execution, task)
        # A task that is cancelled before its first step does nothing at all, not even what it would do finally.
        task.add_done_callback(lambda _: self._ended(id, locks))

    def _ended(self, batch: str, locks: ExitStack) -> None:
        del self._playing[batch]
        locks.close()
        self._publish(batch, None)

    async def _play(self, execution: Execution, stack: AsyncExitStack) -> None:
        """Play a batch, and store why it could not finish. A server that stops leaves it to the next one."""
        playing, error = self._playing[execution.batch.id], ""
        try:
            events = execution.events(asyncio.Event(), retry_failed=execution.job.retrying)
            async with stack, aclosing(events):
                async for event in events:
                    if isinstance(event, BatchFinished) and event.failed:
                        error = event.reason
                    elif isinstance(event, BatchFinished):
                        playing.stopped = event.reason
                    await self._note(playing, event)
            await asyncio.gather(*playing.logging)
        except asyncio.CancelledError:
            if not playing.cancelled:
                raise
        except Exception as failed:  # noqa: BLE001 - one batch must not stop the others, and says why it stopped
            error = _reason(failed)
        finally:
            await asyncio.gather(*playing.logging, return_exceptions=True)
        with suppress(SparringError):  # a store that takes nothing has said so already
            ended = {"ended": self._clock.now(), "error": error, "stopped": playing.stopped, "retrying": False}
            await execution.update(**ended)
            if execution.job.owes_callback:
                self._call_back(execution.job)

    def _call_back(self, job: BatchExecution) -> None:
        """Notify the callback address in a task that a batch has ended; after a restart again, unless it was
        accepted."""
        task = asyncio.create_task(self._announce_end(job))
        self._calling.add(task)
        task.add_done_callback(self._calling.discard)

    async def _announce_end(self, job: BatchExecution) -> None:
        callbacks = Callbacks(self._clock, self._secret)
        with suppress(SparringError):  # the batch was deleted, or the store takes nothing
            batch = await self._store.batch(job.batch)
            if await call_back(batch, job.callback_url, self._store, self._config, callbacks):
                kept = await self._store.job(job.batch)
                if kept is not None and kept.owes_callback:
                    await self._store.keep_job(kept.model_copy(update={"called_back": True}))

    async def _note(self, playing: _Playing, event: Event) -> None:
        """Send messages to subscribers, and log all other events: messages are stored with their conversation."""
        batch = playing.execution.batch.id
        self._on_event(event)
        if isinstance(event, MessageSaid):
            self._publish(batch, self._redaction.hidden(event))
            return
        logging = asyncio.create_task(self._store.log(batch, event))
        logging.add_done_callback(lambda _: self._publish(batch, None))
        playing.logging.append(logging)
        if len(playing.logging) >= UNLOGGED:
            await asyncio.gather(*playing.logging)
            playing.logging.clear()

    def _publish(self, batch: str, what: MessageSaid | None) -> None:
        for subscription in self._listening.get(batch, ()):
            with suppress(asyncio.QueueFull):
                subscription.put_nowait(what)


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, SparringError) else f"{type(error).__name__}: {error}"
