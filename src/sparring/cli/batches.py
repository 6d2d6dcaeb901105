"""Playing a batch from the command line: what `run` and `demo` have in common."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom

from sparring.cli.calling import INTERRUPTED
from sparring.cli.interrupting import interruptible
from sparring.cli.progress import Listener
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.chance import ulid
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.runner.running import run
from sparring.runner.wiring import Choice, players
from sparring.settings import Settings, environment
from sparring.store.sqlite import SqliteStore


@dataclass(frozen=True)
class Plan:
    """What to play, and who plays it."""

    cases: tuple[Case, ...]
    choice: Choice
    settings: Settings
    name: str = ""
    repeats: int = 1
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Played:
    """A batch that was played, with everything of it that is stored, in the order of its cases."""

    batch: Batch
    conversations: tuple[Conversation, ...]
    interrupted: bool


async def play(plan: Plan, listeners: Sequence[Listener]) -> Played:
    """Play a new batch and keep it in the store of the settings."""
    clock, stop = SystemClock(), asyncio.Event()
    async with (
        players(plan.choice, plan.settings, environment(Path.cwd()), clock=clock) as (cast, who),
        SqliteStore(plan.settings.store) as store,
    ):
        batch = Batch(
            id=ulid(clock.now(), SystemRandom()),
            created=clock.now(),
            who=who,
            cases=plan.cases,
            name=plan.name,
            seed=plan.settings.seed,
            repeats=plan.repeats,
            tags=plan.tags,
        )
        with interruptible(stop):
            async for event in run(batch, cast, store, concurrency=plan.settings.concurrency, stop=stop):
                for listen in listeners:
                    listen(event)
        conversations = tuple([conversation async for conversation in store.conversations(batch.id)])
    return Played(batch, conversations, stop.is_set())


def single(cases: tuple[Case, ...], index: int) -> tuple[Case, ...]:
    """The case at `index`, counted from 0; there is no counting from the end."""
    if not 0 <= index < len(cases):
        raise InputError(f"--single {index}: there are {len(cases)} conversations", hint=f"0 to {len(cases) - 1}")
    return (cases[index],)
