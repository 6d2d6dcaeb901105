"""Playing a batch from the command line: what `run` and `demo` have in common."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom

from sparring.checking.rulefile import read_rules
from sparring.cli.console import tell, unreadable
from sparring.cli.exits import FAILED, INTERRUPTED, PASSED, UNDECIDED
from sparring.cli.interrupting import interruptible
from sparring.cli.output_folder import Format, write
from sparring.cli.progress import Watching
from sparring.core.batch import Batch, Origin, Who
from sparring.core.case import Case
from sparring.core.chance import ulid
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.events import BatchFinished
from sparring.core.rule import InvalidRule, Rule
from sparring.core.terminal import visible
from sparring.core.verdict import Outcome
from sparring.reporting.summary import Summary
from sparring.runner.budget import Budget
from sparring.runner.concluding import conclude
from sparring.runner.contents import changes, contents
from sparring.runner.running import run
from sparring.runner.wiring import OFFLINE, Choice, players
from sparring.settings import Settings, environment
from sparring.store.sqlite import SqliteStore

_AS_BEGUN = "it goes on with what it was begun with"
_MIXED = "its conversations are of both"


@dataclass(frozen=True)
class Plan:
    """A new batch: what to play, and who plays it."""

    cases: tuple[Case, ...]
    choice: Choice
    name: str = ""
    repeats: int = 1
    tags: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    sources: tuple[str, ...] = ()
    max_cost: float | None = None


@dataclass(frozen=True)
class Terms:
    """How to play a batch, new or not: the settings, where to write what was said, and whether to retry what failed."""

    settings: Settings
    output_dir: Path | None = None
    format: Format = "ndjson"
    retry_failed: bool = False


@dataclass(frozen=True)
class Played:
    """A batch that was played: what came out, how the run ended, and the first of its conversations, if any."""

    summary: Summary
    finished: BatchFinished
    first: Conversation | None
    interrupted: bool


async def play(plan: Plan, terms: Terms, listener: Watching) -> Played:
    """Play a new batch and keep it in the store of the settings."""
    settings, clock, choice = terms.settings, SystemClock(), plan.choice
    origin = Origin(
        choice=choice,
        max_cost=plan.max_cost,
        sources=plan.sources,
        contents=contents(choice.chatbot, plan.sources),
    )

    def batch(who: Who) -> Batch:
        return Batch(
            id=ulid(clock.now(), SystemRandom()),
            created=clock.now(),
            who=who.model_copy(update={"judge": settings.judge}),
            cases=plan.cases,
            name=plan.name,
            seed=settings.seed,
            repeats=plan.repeats,
            tags=plan.tags,
            rules=plan.rules,
            origin=origin,
        )

    async with SqliteStore(settings.store) as store:
        return await _play(batch, origin, terms, store, listener)


async def resume(which: str, terms: Terms, listener: Watching) -> Played:
    """Play what a batch lacks, as it was begun; what has changed since is told."""
    async with SqliteStore(terms.settings.store, must_exist=True) as store:
        batch = await store.batch(which)
        origin = origin_of(batch)
        for warning in _changed(origin, terms.settings):
            tell(f"warning: {visible(warning)}")
        return await _play(lambda who: batch, origin, terms, store, listener)


def _changed(origin: Origin, settings: Settings) -> Iterator[str]:
    """What is not as it was when a batch was begun, and what that means for it."""
    for change in changes(origin, contents(origin.choice.chatbot, origin.sources)):
        meaning = _AS_BEGUN if change in origin.sources else _MIXED
        yield f"{change} has changed since this batch was begun; {meaning}"
    choice = origin.choice
    played = {"chatbot": choice.chatbot, "chatbot_model": choice.chatbot_model, "user": choice.user}
    for role, name in played.items():
        chosen = getattr(settings, role) or (settings.model if role != "chatbot" else "")
        if chosen and chosen != name and (chosen, name) != (OFFLINE, "agenda"):
            yield f"the settings choose {chosen} ({role}), but this batch was begun with {name}, and goes on with it"


def origin_of(batch: Batch) -> Origin:
    """What a batch was made of; an InputError if that is not known."""
    if batch.origin is None:
        raise InputError(
            f"batch {batch.id} cannot be played: it does not say who did",
            hint="it was imported, or recorded before batches could be resumed; `sparring run` makes a new one",
        )
    return batch.origin


async def _play(
    make: Callable[[Who], Batch], origin: Origin, terms: Terms, store: SqliteStore, listener: Watching
) -> Played:
    settings, stop = terms.settings, asyncio.Event()
    async with players(origin.choice, settings, environment(Path.cwd())) as (cast, who):
        batch = make(who)
        finished = BatchFinished(batch=batch.id, stored=0, not_run=batch.planned)
        with interruptible(stop):
            async for event in run(
                batch,
                cast,
                store,
                concurrency=settings.concurrency,
                stop=stop,
                budget=_budget(settings, origin),
                retry_failed=terms.retry_failed,
            ):
                listener(event)
                finished = event if isinstance(event, BatchFinished) else finished
    if terms.output_dir is not None:
        tell(f"written: {await write(terms.output_dir, terms.format, batch, store.conversations(batch.id))}")
    first = [conversation async for conversation in store.conversations(batch.id, limit=1)]
    summary = await conclude(batch, store, unreadable=unreadable)
    return Played(summary, finished, first[0] if first else None, stop.is_set())


def _budget(settings: Settings, origin: Origin) -> Budget:
    """What the settings allow, and what the profiles do."""
    costs = [cost for cost in (settings.max_cost, origin.max_cost) if cost is not None]
    return Budget(
        cost=min(costs, default=None),
        tokens=settings.max_tokens,
        seconds=settings.max_seconds,
        conversations=settings.max_conversations,
    )


def valid_rules(paths: Iterable[Path]) -> tuple[Rule, ...]:
    """The rules of files and folders; an InputError with everything that is wrong with any of them."""
    rules = read_rules(paths)
    problems = [problem for rule in rules if isinstance(rule, InvalidRule) for problem in rule.problems]
    if problems:
        raise InputError(problems)
    return tuple(rule for rule in rules if isinstance(rule, Rule))


def single(cases: tuple[Case, ...], index: int) -> tuple[Case, ...]:
    """The case at `index`, counted from 0; there is no counting from the end."""
    if not 0 <= index < len(cases):
        last = len(cases) - 1
        raise InputError(f"--single {index}: no such case", hint=f"there are {len(cases)}, from 0 to {last}")
    return (cases[index],)


def exit_code(played: Played) -> int:
    """What the command exits with."""
    if played.interrupted:
        return INTERRUPTED
    return {Outcome.PASS: PASSED, Outcome.FAIL: FAILED}.get(played.summary.outcome, UNDECIDED)
