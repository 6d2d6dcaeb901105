"""A worker: plays shards of any batch in the store, many conversations at once."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from sparring.app.cluster.options import RemoteOptions
from sparring.app.config import AppConfig
from sparring.app.discrimination import discriminator
from sparring.app.execution import inputs_of
from sparring.app.stored_figures import storing_figures
from sparring.app.wiring import players
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.conversation import conversation_id
from sparring.core.errors import InputError, SparringError, StoreError
from sparring.core.events import MessageSaid
from sparring.core.usage import RateLimit
from sparring.llm.client.leased_rate_limiter import SharedRateLimits
from sparring.llm.client.rate_limiter import RateLimits
from sparring.llm.slots import ConversationSlots
from sparring.runner.players import pinned_prompts
from sparring.runner.shard import Playing, play_shard
from sparring.runner.shared_spending import SharedSpending
from sparring.runner.usage_ledger import UsageLedger
from sparring.runner.verdicts import ConversationChecks, record_missing
from sparring.store.redaction import Redaction
from sparring.store.remote import Drained, RemoteStore, Shard

_LOOK = 1.0
"""Seconds between checks for cancelled or stopped batches."""

_FAILURES = 5
"""Failures of the players of a shard after which it is given up. Workers that stop or are lost are none."""

_UNLOGGED = 256


@dataclass
class _Session:
    """A batch with shards in this process; its players stay open while one of them runs."""

    playing: Playing
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    cancelled: bool = False


class ClusterWorker:
    """Plays several shards at once. Setting `stop` starts no further conversation."""

    def __init__(self, store: RemoteStore, config: AppConfig, stop: asyncio.Event) -> None:
        self._store, self._config, self._stop = store, config, stop
        self._clock = SystemClock()
        self._slots = ConversationSlots(config.concurrency)
        self._limits: list[tuple[Mapping[str, RateLimit], RateLimits]] = []
        self._sessions: dict[str, _Session] = {}
        self._users: dict[str, int] = {}
        self._closing: dict[str, AsyncExitStack] = {}
        self._opening = asyncio.Lock()

    async def play(self, batch: str, number: int) -> None:
        """Play a shard until all of it is stored, its batch is cancelled or stopped, or the worker is.

        Raises:
            Drained: the worker stops before it is done.
        """
        shard = await self._store.shard(batch, number)
        if shard is None:
            await self._end(batch, number)
            return
        try:
            async with self._session(batch) as session:
                await self._played(session, shard)
        except (Drained, StoreError):
            raise
        except Exception as error:  # a batch that cannot be played must not stop the others
            if await self._store.fail_shard(batch, number) < _FAILURES:
                raise
            reason = str(error) if isinstance(error, SparringError) else f"{type(error).__name__}: {error}"
            await self._end(batch, number, reason)

    async def _played(self, session: _Session, shard: Shard) -> None:
        task = asyncio.current_task()
        assert task is not None
        session.tasks.add(task)
        try:
            await self._log_all(session.playing, shard)
        except asyncio.CancelledError:
            if not session.cancelled:
                raise
            left = await self._store.shard(shard.batch, shard.number)
            task.uncancel()  # not before: it would be cancelled again while it waits
            if left is None:
                return
            raise Drained from None  # the batch has been resumed meanwhile
        finally:
            session.tasks.discard(task)
        spending = session.playing.spending
        if spending.spent in ("chatbot", "calls"):
            raise SparringError(spending.reason)
        if spending.spent:
            await self._store.stop_batch(shard.batch, spending.reason)
        left = await self._store.shard(shard.batch, shard.number)
        if left is not None and self._todo(session.playing, left):
            raise Drained
        await self._end(shard.batch, shard.number)

    async def _log_all(self, playing: Playing, shard: Shard) -> None:
        logging: list[asyncio.Task[int]] = []
        ids = [conversation_id(*each) for each in shard.stored]
        judge = playing.players.judge
        judged_later = ids if judge is not None and not judge.deterministic else ()
        stored = [await self._store.conversation(shard.batch, id) for id in judged_later]
        async for event in play_shard(playing, self._todo(playing, shard), stored):
            if not isinstance(event, MessageSaid):
                logging.append(asyncio.create_task(self._store.log(shard.batch, event)))
            if len(logging) >= _UNLOGGED:
                await asyncio.gather(*logging)
                logging.clear()
        await asyncio.gather(*logging)

    @staticmethod
    def _todo(playing: Playing, shard: Shard) -> list[tuple[Case, int]]:
        selected = set(playing.batch.selected)
        return [
            (case, repeat)
            for case, repeat in shard.missing
            if not selected or conversation_id(case.id, repeat) in selected
        ]

    async def watch(self) -> None:
        """Stop the shards of cancelled or stopped batches, and all shards once the worker stops."""
        while not self._stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), _LOOK)
            if not self._sessions:
                continue
            controls = await self._store.controls()
            for id, session in list(self._sessions.items()):
                control = controls.get(id)
                if control is None or control.cancelled:
                    session.cancelled = True
                    for task in session.tasks:
                        if not task.cancelling():
                            task.cancel()
                elif control.stopped or self._stop.is_set():
                    session.playing.stop.set()

    @asynccontextmanager
    async def _session(self, batch: str) -> AsyncIterator[_Session]:
        """Open the players of a batch for its first shard here, and close them after the last."""
        async with self._opening:
            if batch not in self._sessions:
                stack = AsyncExitStack()
                try:
                    self._sessions[batch] = await self._open(batch, stack)
                except BaseException:
                    await stack.aclose()
                    raise
                self._closing[batch] = stack
            self._users[batch] = self._users.get(batch, 0) + 1
            session = self._sessions[batch]
        try:
            yield session
        finally:
            self._users[batch] -= 1
            if not self._users[batch]:
                del self._sessions[batch], self._users[batch]
                await self._closing.pop(batch).aclose()

    async def _open(self, id: str, stack: AsyncExitStack) -> _Session:
        options = RemoteOptions.model_validate_json(await self._store.remote_options(id))
        config = options.applied(self._config)
        store = self._store.redacting(Redaction(config.redact))
        batch = await store.head(id)
        inputs = inputs_of(batch)
        prompts = await pinned_prompts(inputs.choice, store)
        resolved, _ = await stack.enter_async_context(
            players(inputs.choice, config, clock=self._clock, limits=self._limits_of(config), prompts=prompts)
        )
        spending = SharedSpending(
            options.budget, partial(store.reserve, id, options.budget), partial(store.give_back, id)
        )
        stack.push_async_callback(spending.close)
        ledger = await stack.enter_async_context(UsageLedger(id, store, spending))
        null_bots = discriminator(batch, store, on=config.null_bots)
        checks = ConversationChecks(batch, resolved.judge, null_bots)
        await store.begin_batch(id)
        await stack.enter_async_context(storing_figures(batch, store))
        stop = asyncio.Event()
        if self._stop.is_set():
            stop.set()
        return _Session(Playing(batch, resolved, store, spending, ledger, checks, self._slots, stop))

    def _limits_of(self, config: AppConfig) -> RateLimits:
        """Return the rate limits of a batch; batches with equal limits share the limiters of this process."""
        known = next((each for limits, each in self._limits if limits == config.llm.limits), None)
        if known is None:
            known = SharedRateLimits(config.llm.limits, self._store.lease, self._store.block)
            self._limits.append((config.llm.limits, known))
        return known

    async def _end(self, batch: str, number: int, error: str = "") -> None:
        """Record that a shard has ended; the last one of a batch ends it."""
        if not await self._store.end_shard(batch, number, error):
            return
        with ExitStack() as lock:
            try:
                lock.enter_context(self._store.playing(batch))
            except InputError as problem:  # another worker is ending the batch, and may be lost: look again later
                raise StoreError(str(problem)) from problem
            job = await self._store.job(batch)
            if job is not None and job.ended is None:
                if not error:
                    await self._record_missing(batch)
                await self._store.end_batch(batch)

    async def _record_missing(self, id: str) -> None:
        """Record the results that concern a whole batch."""
        options = RemoteOptions.model_validate_json(await self._store.remote_options(id))
        batch = await self._store.batch(id)
        await record_missing(batch, self._store, discriminator(batch, self._store, on=options.null_bots))
