"""Playing a batch from the command line: what `run` and `demo` have in common."""

import asyncio
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from sparring.app.config import AppConfig
from sparring.app.fingerprint import changed_inputs, fingerprint
from sparring.app.launch import BatchPlan, batch_of, budget_of, origin_for, origin_of, start_execution
from sparring.app.preflight import check_refusals
from sparring.app.report import report
from sparring.app.results import with_verdicts
from sparring.app.wiring import OFFLINE, PATTERNS, chosen_judge, players
from sparring.cli.arguments import batch_called, tell_sessions, tell_taken
from sparring.cli.console import called, tell, unreadable
from sparring.cli.output_folder import Format, write
from sparring.cli.process import FAILED, INTERRUPTED, PASSED, UNDECIDED, interruptible, of_gate
from sparring.cli.progress import Watching
from sparring.cli.recording import over
from sparring.cli.reports import tell_github, write_files
from sparring.core.batch import Batch, BatchInputs, Players
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation, conversation_id
from sparring.core.errors import InputError, NotRecorded, Problem
from sparring.core.events import BatchFinished, Event
from sparring.core.seeding import ulid
from sparring.core.text import visible
from sparring.core.verdict import CheckOutcome
from sparring.llm.replay import Recorder
from sparring.reports.formats import Report
from sparring.reports.summary import Summary, outcome_of
from sparring.runner.batch import reduced_gc, run
from sparring.runner.batch_log import logs
from sparring.runner.players import ResolvedPlayers
from sparring.runner.prompts import pinned_prompts
from sparring.store.redaction import Redaction
from sparring.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from sparring.reports.gate import Gated

_AS_BEGUN = "it goes on with what it was begun with"
_MIXED = "its conversations are of both"


@dataclass(frozen=True)
class RunOptions:
    """How to play a batch, new or not: the config, where to write what was said, whether to retry what failed, and
    the tape that calls of models go over."""

    config: AppConfig
    output_dir: Path | None = None
    format: Format = "ndjson"
    retry_failed: bool = False
    junit: Path | None = None
    github: bool = False
    tape: Recorder | None = None

    def go_on(self, which: str) -> str:
        """How to play what a batch lacks, over the same tape."""
        command = f"{called()} run --resume {shlex.quote(visible(which))}"
        return command if self.tape is None else f"{command} {over(self.tape)}"


@dataclass(frozen=True)
class RunResult:
    """A batch that was played: what came out, how the run ended, the first of its conversations, and how it came
    through the gate of the config, if they have one."""

    summary: Summary
    finished: BatchFinished
    first: Conversation | None
    interrupted: bool
    gated: "Gated | None" = None
    annotations: tuple[str, ...] = ()


async def play(plan: BatchPlan, terms: RunOptions, listener: Watching) -> RunResult:
    """Play a new batch and keep it in the store of the config."""
    config, clock = terms.config, SystemClock()
    origin = origin_for(plan, config.environment)

    def batch(cast: ResolvedPlayers, who: Players) -> Batch:
        return batch_of(plan, origin, cast, who, config, clock)

    async with SqliteStore(config.store, hiding=Redaction(config.redact)) as store:
        await tell_taken(plan.name, store)
        return await _play(batch, origin, terms, store, listener, plan.rules)


async def resume(which: str, terms: RunOptions, listener: Watching) -> RunResult:
    """Play what a batch lacks, as it was begun; what has changed since is told."""
    hiding = Redaction(terms.config.redact)
    async with SqliteStore(terms.config.store, must_exist=True, hiding=hiding) as store:
        batch = await batch_called(which, store)
        origin = origin_of(batch)
        for warning in _changed(origin, terms.config):
            tell(f"warning: {visible(warning)}")
        return await _play(lambda cast, who: batch, origin, terms, store, listener)


async def rerun(which: str, ids: tuple[str, ...], terms: RunOptions, listener: Watching) -> RunResult:
    """Play conversations of a batch once more, as a batch of their own: those with these ids or of the cases with them,
    or where there are none, all that did not pass.
    """
    hiding, clock = Redaction(terms.config.redact), SystemClock()
    async with SqliteStore(terms.config.store, must_exist=True, hiding=hiding) as store:
        old = await batch_called(which, store)
        origin = origin_of(old)
        for warning in _changed(origin, terms.config):
            tell(f"warning: {visible(warning)}")
        selected = _named(old, ids) if ids else await _not_passed(old, store)
        if not selected:
            raise InputError(f"every conversation of batch {old.id} passed", hint="--case ID plays one again")
        new = {
            "id": ulid(clock.now(), SystemRandom()),
            "created": clock.now(),
            "name": "",
            "tags": (*old.tags, f"rerun of {old.name or old.id}"),
            "selected": tuple(sorted(selected)),
            "cases": tuple(case for case in old.cases if not selected.isdisjoint(_ids(old, case))),
        }
        batch = old.model_copy(update=new)
        return await _play(lambda cast, who: batch, origin, terms, store, listener)


async def _not_passed(batch: Batch, store: SqliteStore) -> set[str]:
    """The conversations that are stored and did not pass."""
    found = with_verdicts(batch, store, unreadable=unreadable)
    return {held.id async for held, verdicts in found if outcome_of(held, verdicts)[0] is not CheckOutcome.PASS}


def _named(batch: Batch, ids: tuple[str, ...]) -> set[str]:
    """The conversations with these ids, or of cases with these ids; an InputError for what is not there."""
    planned = {id: case.id for case in batch.cases for id in _ids(batch, case)}
    wrong = [id for id in ids if id not in planned]
    if wrong:
        raise InputError([Problem(path=f"--case {id}", message=f"batch {batch.id} has no such case") for id in wrong])
    return {id for id, case in planned.items() if id in ids or case in ids}


def _ids(batch: Batch, case: Case) -> set[str]:
    return {conversation_id(case.id, repeat) for repeat in range(1, batch.repeats + 1)}


def _changed(origin: BatchInputs, config: AppConfig) -> Iterator[str]:
    """What is not as it was when a batch was begun, and what that means for it."""
    files, choice, chosen = (*origin.sources, *origin.others), origin.choice, config.players
    for change in changed_inputs(origin, fingerprint(choice, files, config.environment)):
        meaning = _AS_BEGUN if change in files else _MIXED
        yield f"{change} has changed since this batch was begun; {meaning}"
    played = {
        "chatbot": (chosen.chatbot, choice.chatbot),
        "chatbot_model": (chosen.chatbot_model or chosen.model, choice.chatbot_model),
        "user": (chosen.user or chosen.model, choice.user),
        "reader": (chosen.reader if chosen.reader != PATTERNS else "", choice.reader),
        "judge": (chosen.judge and chosen_judge(config), choice.judge),
    }
    for role, (wanted, name) in played.items():
        if wanted and wanted != name and (wanted, name) != (OFFLINE, "agenda"):
            yield f"the settings choose {wanted} ({role}), but this batch was begun with {name}, and goes on with it"


async def _play(
    make: Callable[[ResolvedPlayers, Players], Batch],
    origin: BatchInputs,
    terms: RunOptions,
    store: SqliteStore,
    listener: Watching,
    rules: Iterable[Rule] = (),
) -> RunResult:
    """Play what a batch lacks; `rules` are those that are new with it."""
    config, stop, clock = terms.config, asyncio.Event(), SystemClock()
    other = await pinned_prompts(origin.choice, store)
    async with players(origin.choice, config, tape=terms.tape, told=other) as (cast, who):
        batch = make(cast, who)
        check_refusals(batch.cases, cast.chatbot, informed=cast.webhook is not None, rules=rules)
        written = logs(
            config.output.logs,
            batch,
            clock,
            redaction=Redaction(config.redact),
            environment=config.environment,
        )
        with store.playing(batch.id), written as log:  # a folder that cannot be used is refused before anything is kept
            await tell_sessions(batch, cast.chatbot, store)
            job = await start_execution(batch, cast, store, config, clock)
            cancelled, stopped = True, ""
            try:
                finished = await _finished(batch, cast, origin, terms, store, listener, log, stop)
                cancelled, stopped = stop.is_set(), finished.reason
            except asyncio.CancelledError:
                tell(f"\nstopped; what has ended is kept\nGo on: {terms.go_on(batch.name or batch.id)}")
                raise
            finally:
                ended = {"ended": clock.now(), "cancelled": cancelled, "stopped": stopped}
                await store.keep_job(job.model_copy(update=ended))
    try:
        if terms.output_dir is not None:
            tell(f"written: {await write(terms.output_dir, terms.format, batch, store, clock)}")
        elif config.output.results is not None:
            tell(f"written: {await write(config.output.results, 'results', batch, store, clock)}")
    except InputError as error:
        which = shlex.quote(visible(batch.name or batch.id))
        error.hint = error.hint or f"everything is in the store: {called()} show {which}, {called()} fetch {which}"
        raise
    first = [conversation async for conversation in store.conversations(batch.id, limit=1)]
    made, annotations = await _reported(batch, store, terms)
    return RunResult(made.summary, finished, first[0] if first else None, stop.is_set(), made.gated, annotations)


async def _finished(
    batch: Batch,
    cast: ResolvedPlayers,
    origin: BatchInputs,
    terms: RunOptions,
    store: SqliteStore,
    listener: Watching,
    log: Callable[[Event], None],
    stop: asyncio.Event,
) -> BatchFinished:
    """Play what a batch lacks; how that ended."""
    config, finished = terms.config, BatchFinished(batch=batch.id, stored=0, not_run=batch.planned)
    with interruptible(stop), reduced_gc(min(config.concurrency, batch.planned)):
        async for event in run(
            batch,
            cast,
            store,
            concurrency=config.concurrency,
            stop=stop,
            budget=budget_of(config, origin),
            retry_failed=terms.retry_failed,
        ):
            listener(event)
            log(event)
            finished = event if isinstance(event, BatchFinished) else finished
            if terms.tape is not None and terms.tape.recording.broken:
                stop.set()
    if terms.tape is not None and terms.tape.recording.broken:
        go_on = f"{terms.go_on(batch.name or batch.id)} --retry-failed"
        raise NotRecorded(terms.tape.recording.broken, hint=f"what has ended is kept; make room, and {go_on}")
    return finished


async def _reported(batch: Batch, store: SqliteStore, terms: RunOptions) -> tuple[Report, tuple[str, ...]]:
    """What came out, in numbers and in what build servers read; the annotations to print."""
    gate = terms.config.gate
    if terms.junit is None:
        made = await report(batch, store, gate=gate, unreadable=unreadable)
    else:
        from sparring.reports.junit import Junit  # who wants none does not wait for it

        junit = Junit()
        made = await report(batch, store, gate=gate, unreadable=unreadable, listeners=[junit])
        write_files({terms.junit: junit.text(made)})
    return made, tuple(tell_github(made, os.environ.get("GITHUB_STEP_SUMMARY"))) if terms.github else ()


def valid_rules(paths: Sequence[Path]) -> tuple[Rule, ...]:
    """The rules of files and folders; an InputError with everything that is wrong with any of them."""
    if not paths:
        return ()
    from sparring.rules.rule_file import (  # who has no rules does not wait for what reads them
        read_rules,
        require_active_rule,
        require_valid,
    )

    rules = require_valid(read_rules(paths))
    require_active_rule(rules)
    return rules


def single(cases: tuple[Case, ...], index: int) -> tuple[Case, ...]:
    """The case at `index`, counted from 0; there is no counting from the end."""
    if not 0 <= index < len(cases):
        last = len(cases) - 1
        raise InputError(f"--single {index}: no such case", hint=f"there are {len(cases)}, from 0 to {last}")
    return (cases[index],)


def exit_code(played: RunResult) -> int:
    """What the command exits with."""
    if played.interrupted:
        return INTERRUPTED
    if played.gated is not None:
        return of_gate(played.gated.came)
    return exit_code_of(played.summary)


def exit_code_of(summary: Summary) -> int:
    """What a command exits with that sums up a batch."""
    return {CheckOutcome.PASS: PASSED, CheckOutcome.FAIL: FAILED}.get(summary.outcome, UNDECIDED)
