"""Conversations of items, run in the background many at once, while pytest waits for one item."""

import asyncio
import shlex
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from threading import Thread

from sparring.api.conversation_result import ConversationResult
from sparring.app.config import AppConfig
from sparring.app.event_loop import run_in_loop
from sparring.app.launch import BatchPlan, launch
from sparring.app.results import result
from sparring.app.sources import plan_batch
from sparring.app.stores import open_store
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation, conversation_id
from sparring.core.errors import InputError
from sparring.core.events import BatchFinished, BatchStarted, ConversationEnded, VerdictGiven
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.verdict import CheckOutcome
from sparring.reports.causes import title
from sparring.scenarios.loading import with_unique_ids
from sparring.store.store import Store

Place = tuple[Path, int, int]
"""The file of a case, its position in the file, and the repeat."""


@dataclass(frozen=True, slots=True)
class Played:
    """The outcome of a conversation with its reason and cause, and the text for a test that it fails.

    `outcome` is None if the conversation was not run; `broken` means that Sparring cannot run it.
    """

    batch: str = ""
    conversation: str = ""
    outcome: Outcome | None = None
    reason: str = ""
    cause: str = ""
    explanation: str = ""
    broken: bool = False


class BackgroundRuns:
    """The batches of this process: one for each group of conversations that was begun together.

    `failure` says why no conversation can be run anymore.
    """

    def __init__(
        self, config: AppConfig, files: Mapping[Path, tuple[Case, ...]], *, rules: Sequence[str], repeats: int
    ) -> None:
        self.failure = ""
        self._config, self._rules, self._repeats = config, tuple(rules), repeats
        self._files = files
        self._ids: dict[Place, str] = {}
        self._plan: BatchPlan | None = None
        self._begun: dict[Place, Future[Played]] = {}
        self._loop: Future[asyncio.AbstractEventLoop] = Future()
        self._stop = asyncio.Event()
        self._thread = Thread(target=lambda: run_in_loop(self._serve()), name="sparring", daemon=True)

    def is_begun(self, place: Place) -> bool:
        """Return True if a conversation was begun, and its outcome was not asked for yet."""
        return place in self._begun

    def begin(self, places: Iterable[Place]) -> None:
        """Begin conversations, as a batch of their own. Raise InputError if none can be run."""
        if self._plan is None:
            try:
                self._plan = run_in_loop(self._planned())
            except InputError as error:
                self.failure = error.one_line
                raise
            self._thread.start()
        wanted = {self._ids[place]: Future[Played]() for place in places if not self.is_begun(place)}
        self._begun |= {place: wanted[self._ids[place]] for place in places if self._ids[place] in wanted}
        asyncio.run_coroutine_threadsafe(_Group(wanted, self._config).play(self._plan), self._loop.result())

    def played(self, place: Place) -> Played:
        """Wait for the outcome of a conversation that was begun; it can be begun again afterwards."""
        found = self._begun.pop(place).result()
        self.failure = found.explanation if found.broken else ""
        return found

    def close(self) -> None:
        """Stop the conversations that are still running."""
        if self._thread.is_alive():
            self._loop.result().call_soon_threadsafe(self._stop.set)
            self._thread.join()

    async def _serve(self) -> None:
        self._loop.set_result(asyncio.get_running_loop())
        await self._stop.wait()

    async def _planned(self) -> BatchPlan:
        """Return the plan of all cases, whose ids are unique over all files."""
        ids = (case.id for case in with_unique_ids(chain.from_iterable(self._files.values())))
        for path, cases in self._files.items():
            for position in range(len(cases)):
                id = next(ids)
                for repeat in range(1, self._repeats + 1):
                    self._ids[path, position, repeat] = conversation_id(id, repeat)
        files = list(self._files)
        return await plan_batch(files, self._config, rules=self._rules, repeats=self._repeats, tags=("pytest",))


class _Group:
    """Conversations that run together as a batch; each has a future for its outcome."""

    def __init__(self, waiting: dict[str, Future[Played]], config: AppConfig) -> None:
        self._waiting, self._config = waiting, config
        self._batch: Batch | None = None

    async def play(self, plan: BatchPlan) -> None:
        """Run the conversations. Every future has a result at the end, even after an error."""
        rest = Played(reason="not run: the test run was stopped")
        try:
            async with open_store(self._config) as store:
                rest = await self._run(plan, store)
        except Exception as error:  # noqa: BLE001 - shown by each test that waits
            said = getattr(error, "one_line", f"{type(error).__name__}: {error}")
            rest = Played(explanation=visible(said), broken=True)
        finally:
            for id, future in self._waiting.items():
                future.set_result(replace(rest, conversation=id))

    async def _run(self, plan: BatchPlan, store: Store) -> Played:
        """Run the conversations, and return the outcome of those that were not run."""
        wanted = {*self._waiting}
        cases = tuple(
            case for case in plan.cases if any(conversation_id(case.id, n + 1) in wanted for n in range(plan.repeats))
        )
        plan = replace(plan, cases=cases, selected=tuple(sorted(wanted)))
        ended: dict[str, Conversation] = {}
        rest = Played()
        async with aclosing(launch(plan, store, self._config)) as events:
            async for event in events:
                match event:
                    case BatchStarted():
                        self._batch = event.batch.model_copy(update={"cases": ()})
                        rest = Played(batch=event.batch.id, reason="not run")
                    case ConversationEnded():
                        ended[event.conversation.id] = event.conversation
                        await self._report(event.conversation, store)
                    case VerdictGiven() if event.verdict.conversation in self._waiting:
                        await self._report(ended[event.verdict.conversation], store)
                    case BatchFinished():
                        why = f"not run: {event.reason}" if event.reason else "not run"
                        rest = replace(rest, reason=visible(why), explanation=visible(why), broken=event.failed)
        for id in [*self._waiting]:
            if id in ended:
                await self._report(ended[id], store, final=True)
        return rest

    async def _report(self, conversation: Conversation, store: Store, *, final: bool = False) -> None:
        """Set the outcome of a conversation, unless a judge is still to be asked about it."""
        assert self._batch is not None, "a batch starts before its conversations"
        found = await result(self._batch, store, conversation)
        if not final and any(each.by == "" and each.outcome is CheckOutcome.ERROR for each in found.judge):
            return
        about = ConversationResult(found.reported(conversation))
        says = {rule.name: rule.description for rule in self._batch.rules if rule.description}
        cause = visible(title(found.decision.cause, says)) if found.decision.cause else ""
        heading, *lines = about.explain().splitlines()
        place = [conversation.id, "--store", str(self._config.store)]
        replay = shlex.join(["sparring", "rerun", self._batch.id, "--case", *place])
        self._waiting.pop(conversation.id).set_result(
            Played(
                batch=self._batch.id,
                conversation=conversation.id,
                outcome=about.outcome,
                reason=visible("; ".join(about.reasons)),
                cause=cause,
                explanation="\n".join([cause or heading, *lines, f"Replay: {visible(replay)}"]),
            )
        )
