"""Playing a batch from the command line: what `run` and `demo` have in common."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import BinaryIO, Literal

from sparring.checking.rulefile import read_rules
from sparring.cli.console import tell, unreadable
from sparring.cli.exits import FAILED, INTERRUPTED, PASSED, UNDECIDED
from sparring.cli.interrupting import interruptible
from sparring.cli.progress import Watching
from sparring.cli.sensei_files import write_sensei
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.chance import ulid
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.rule import InvalidRule, Rule
from sparring.core.verdict import Outcome
from sparring.reporting.documents import line
from sparring.reporting.summary import Summary
from sparring.runner.concluding import conclude
from sparring.runner.running import run
from sparring.runner.wiring import Choice, players
from sparring.settings import Settings, environment
from sparring.store.sqlite import SqliteStore

Format = Literal["ndjson", "sensei"]


@dataclass(frozen=True)
class Plan:
    """What to play, and who plays it."""

    cases: tuple[Case, ...]
    choice: Choice
    settings: Settings
    name: str = ""
    repeats: int = 1
    tags: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    output_dir: Path | None = None
    format: Format = "ndjson"
    profiles: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Played:
    """A batch that was played, and what came out; the first of its conversations, if there is one."""

    summary: Summary
    first: Conversation | None
    interrupted: bool


async def play(plan: Plan, listener: Watching) -> Played:
    """Play a new batch and keep it in the store of the settings."""
    clock, stop = SystemClock(), asyncio.Event()
    async with (
        players(plan.choice, plan.settings, environment(Path.cwd()), clock=clock) as (cast, who),
        SqliteStore(plan.settings.store) as store,
    ):
        batch = Batch(
            id=ulid(clock.now(), SystemRandom()),
            created=clock.now(),
            who=who.model_copy(update={"judge": plan.settings.judge}),
            cases=plan.cases,
            name=plan.name,
            seed=plan.settings.seed,
            repeats=plan.repeats,
            tags=plan.tags,
            rules=plan.rules,
        )
        with interruptible(stop):
            async for event in run(batch, cast, store, concurrency=plan.settings.concurrency, stop=stop):
                listener(event)
        if plan.output_dir is not None:
            tell(f"written: {await _write(plan, plan.output_dir, batch, store.conversations(batch.id))}")
        first = [conversation async for conversation in store.conversations(batch.id, limit=1)]
        return Played(await conclude(batch, store, unreadable=unreadable), first[0] if first else None, stop.is_set())


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


async def _write(plan: Plan, folder: Path, batch: Batch, conversations: AsyncIterator[Conversation]) -> str:
    """Write what was said, in the format that was asked for; what was written, in words."""
    if plan.format == "ndjson":
        return str(await write_ndjson(folder, conversations))
    written = await write_sensei(folder, batch, conversations, plan.profiles)
    lost = f"; {written.void} failed on our side and are left out" if written.void else ""
    return f"{written.folder}: {written.conversations} conversations and two reports as SENSEI writes them{lost}"


async def write_ndjson(folder: Path, conversations: AsyncIterator[Conversation]) -> Path:
    """Write `conversations.ndjson` into `folder`, one conversation a line; the path of the file."""
    path = folder / "conversations.ndjson"
    try:
        with _opened(path) as file:
            async for conversation in conversations:
                file.write(line(conversation))
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def _opened(path: Path) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


def exit_code(played: Played) -> int:
    """What the command exits with."""
    if played.interrupted:
        return INTERRUPTED
    return {Outcome.PASS: PASSED, Outcome.FAIL: FAILED}.get(played.summary.outcome, UNDECIDED)
