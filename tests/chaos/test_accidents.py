"""The program is killed, the disk fills, the store is locked, the clock jumps: nothing is lost that was kept."""

import asyncio
import json
import math
import resource
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fakes import Saying, Talking
from many_orders import PROFILE
from model_faults import InjectedFault
from model_server import LoopbackModelServer, Reply
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.events import BatchFinished
from sparring.extraction.pattern_extractor import PatternReader
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import CREATED
from talking import talk

pytestmark = [pytest.mark.extended, pytest.mark.process]

MIDDLE = (130, 160)
"""Replies between kills: eight conversations at once have about eleven each, and no batch has fewer than 350."""
OVER = (0, 1, 3)
"""Exit codes of a run that finished without a judge."""


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-u", "-m", "sparring", *arguments]


def said(folder: Path) -> list[dict[str, object]]:
    """What was said in a batch, without what differs between equal runs."""
    lines = (folder / "conversations.ndjson").read_text(encoding="utf-8").splitlines()
    return [{key: value for key, value in json.loads(line).items() if key != "timing"} for line in lines]


class Stalling:
    """A model that stops answering after so many replies, until `stalled` is cleared."""

    def __init__(self) -> None:
        self.left = math.inf
        self.stalled = asyncio.Event()

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.left -= 1
        if self.left >= 0:
            return talk(body)
        self.stalled.set()
        return InjectedFault.slow_headers(600)


@asynccontextmanager
async def served(
    folder: Path, cases: int, model: Callable[[dict[str, Any]], Reply] = talk, **faults: Any
) -> AsyncIterator[list[str]]:
    """The arguments of a run with so many cases against a model server that runs outside of the program."""
    numbers = json.dumps([f"n{n}" for n in range(cases)])
    (folder / "order.yml").write_text(PROFILE.replace("NUMBERS", numbers), encoding="utf-8")
    async with LoopbackModelServer(otherwise=model, seed=5, keep=False, **faults) as server:
        yield ["order.yml", "--chatbot", "pizzeria", "--model", f"{server.url}#loopback", "--concurrency", "8"]


async def finished(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run a program to its end; the exit code and what it said on stderr."""
    done = await asyncio.create_subprocess_exec(
        *program(*arguments), cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    _, told = await done.communicate()
    return done.returncode or 0, told.decode()


async def killed(folder: Path, model: Stalling, after: int, *arguments: str) -> None:
    """Run a program, and kill it in the middle: when its model has given so many replies and then no more."""
    model.left = after
    model.stalled.clear()
    running = await asyncio.create_subprocess_exec(*program(*arguments), cwd=folder, stderr=asyncio.subprocess.DEVNULL)
    await model.stalled.wait()
    assert running.returncode is None
    running.kill()
    await running.wait()
    model.left = math.inf


@pytest.mark.timeout(600)
async def test_a_batch_that_is_killed_again_and_again_comes_out_as_if_nothing_had_happened(
    tmp_path: Path, long: bool, report: Callable[[str], None]
):
    random, kills, cases = Random(20), 20 if long else 2, 400 if long else 32
    model = Stalling()
    async with served(tmp_path, cases, model) as arguments:
        await killed(tmp_path, model, random.randint(*MIDDLE), "run", *arguments)
        for _ in range(kills - 1):
            await killed(tmp_path, model, random.randint(*MIDDLE), "run", "--resume", "latest")
        ended = len(await stored(tmp_path))
        code, told = await finished(tmp_path, "run", "--resume", "latest", "--output-dir", "out")

    assert code in OVER, told
    assert said(tmp_path / "out") == said(await undisturbed(tmp_path, cases))
    assert len(said(tmp_path / "out")) == cases
    assert 0 < ended < cases
    report(f"{kills} kills, {ended} conversations ended before the last; {cases} equal to an undisturbed run's")


_undisturbed: dict[int, Path] = {}


async def undisturbed(folder: Path, cases: int) -> Path:
    """Return what a run writes that nothing happens to, which one of the tests plays for the others."""
    if cases not in _undisturbed:
        (folder / "whole").mkdir()
        async with served(folder / "whole", cases) as arguments:
            assert (await finished(folder / "whole", "run", *arguments, "--output-dir", "out"))[0] in OVER
        _undisturbed[cases] = folder / "whole/out"
    return _undisturbed[cases]


FAULTS = (
    InjectedFault.status(429, retry_after=0.01),
    InjectedFault.status(500),
    InjectedFault.html(502),
    InjectedFault.cut_off(),
    InjectedFault.truncated(),
    InjectedFault.invalid_json(),
    InjectedFault.wrong_shape(),
    InjectedFault.empty_choices(),
    InjectedFault.null_content(),
    InjectedFault.disconnect(),
    InjectedFault.reset(),
)
"""Faults after which the same question gets a good answer. A slow answer is none: the first that a program gets from a
model may be late, and is taken."""


@pytest.mark.timeout(600)
async def test_faults_and_kills_together_lose_nothing_and_change_nothing(
    tmp_path: Path, long: bool, report: Callable[[str], None]
):
    random, kills, cases = Random(8), 10 if long else 1, 400 if long else 32
    model = Stalling()
    async with served(tmp_path, cases, model, faults=FAULTS, rate=0.2) as arguments:
        await killed(tmp_path, model, random.randint(*MIDDLE), "run", *arguments)
        for _ in range(kills - 1):
            await killed(tmp_path, model, random.randint(*MIDDLE), "run", "--resume", "latest")
        code, told = await finished(
            tmp_path, "run", "--resume", "latest", "--retry-failed", "--output-dir", "out", "--json"
        )

    assert code in OVER, told
    assert talks(tmp_path / "out") == talks(await undisturbed(tmp_path, cases))
    assert len(talks(tmp_path / "out")) == cases
    report(f"{kills} kills at 20% faults; {cases} equal to an undisturbed run's")


def talks(folder: Path) -> list[tuple[object, ...]]:
    """Return who said what in each conversation, and how it ended: where a line was asked for again, it says so."""
    return [(each["case"], [_words(message) for message in each["messages"]], each["ending"]) for each in said(folder)]


def _words(message: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in message.items() if name not in ("manner", "repaired")}


async def test_a_disk_that_fills_ends_the_run_in_a_sentence_and_what_was_kept_is_kept(tmp_path: Path):
    async with served(tmp_path, 32) as arguments:
        full = await asyncio.create_subprocess_exec(
            *program("run", *arguments),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000)),
        )
        _, told = await full.communicate()
        kept = set(await stored(tmp_path))
        code, again = await finished(tmp_path, "run", "--resume", "latest")

    assert full.returncode == 3
    assert told.decode().splitlines()[-2].startswith("error: .sparring/sparring.db "), told.decode()
    assert "Traceback" not in told.decode()
    assert 0 < len(kept) < 32
    assert code in OVER, again
    assert kept < set(await stored(tmp_path))
    assert len(await stored(tmp_path)) == 32


async def stored(folder: Path) -> list[str]:
    async with SqliteStore(folder / ".sparring/sparring.db", must_exist=True) as store:
        return [conversation.id async for conversation in store.conversations("latest")]


async def test_a_store_locked_for_a_while_is_waited_for(tmp_path: Path):
    path, released = tmp_path / "a.db", threading.Event()
    held = threading.Event()

    def hold() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        held.set()
        released.wait()
        connection.execute("COMMIT")
        connection.close()

    async with SqliteStore(path) as store:
        await store.create(batch(20))
        other = threading.Thread(target=hold)
        other.start()
        held.wait()
        running = asyncio.create_task(finish(batch(20), store))
        await asyncio.sleep(0.1)
        released.set()
        ended = await running
        other.join()

    assert ended == BatchFinished(batch="B1", stored=20, not_run=0)


class Jumping:
    """A clock that is set anew all the time; what passes is still measured rightly."""

    def __init__(self) -> None:
        self._random = Random(1)

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=self._random.uniform(-10_000, 10_000))

    def monotonic(self) -> float:
        return time.monotonic()


async def test_a_clock_that_jumps_changes_nothing_but_what_it_shows(tmp_path: Path):
    async with SqliteStore(tmp_path / "a.db") as store:
        ended = await finish(batch(50), store, Jumping())
        timings = [each.timing async for each in store.conversations("B1")]

    assert ended == BatchFinished(batch="B1", stored=50, not_run=0)
    assert all(timing is not None and 0 <= timing.seconds < 60 for timing in timings)


def batch(cases: int) -> Batch:
    who = Players(chatbot="echo", user="saying")
    return Batch(id="B1", created=CREATED, who=who, cases=tuple(Case(id=f"case/{n}") for n in range(cases)))


async def finish(batch: Batch, store: SqliteStore, clock: Jumping | None = None) -> object:
    cast = ResolvedPlayers(
        Talking(lambda: lambda text: f"You said: {text}"), Saying("Hi", "Bye"), PatternReader(), clock or Jumping()
    )
    return [event async for event in run(batch, cast, store)][-1]
