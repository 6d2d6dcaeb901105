"""Running a batch from the command line, with --record and --replay: for `run`, `rerun` and `demo`."""

import asyncio
import os
import shlex
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sparring.app.config import AppConfig
from sparring.app.export import Layout, export_batch
from sparring.app.launch import BatchPlan, launch
from sparring.app.launch import rerun as rerun_batch
from sparring.app.launch import resume as resume_batch
from sparring.app.notices import Notice
from sparring.app.report import report
from sparring.app.stored_figures import LARGE, store_results
from sparring.app.stores import open_store
from sparring.cli.arguments import batch_called
from sparring.cli.console import called, notify, unreadable, warn
from sparring.cli.outputs import job_annotations, write_text
from sparring.cli.process import INTERRUPTED, UNDECIDED, interruptible
from sparring.cli.progress import Watching
from sparring.core.batch import Batch
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, NotRecorded
from sparring.core.events import BatchFinished, BatchStarted, Event
from sparring.core.text import visible
from sparring.llm.recording import CallRecording
from sparring.llm.redaction import secrets_in
from sparring.llm.replay import Mode, Recorder
from sparring.reports.formats import Report
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary
from sparring.settings import environment
from sparring.store.store import Store

if TYPE_CHECKING:
    from sparring.reports.gate import Gated


@dataclass(frozen=True)
class CommandOptions:
    """The options of a run: configuration, output files, retries, recorder, and who plays."""

    config: AppConfig
    output_dir: Path | None = None
    format: Layout = "ndjson"
    retry_failed: bool = False
    junit: Path | None = None
    github: bool = False
    recorder: Recorder | None = None
    remote: bool = False

    def go_on(self, which: str) -> str:
        """Return the command that resumes a batch with the same workers and recording."""
        workers = " --workers remote" if self.remote else ""
        command = f"{called()} run --resume {shlex.quote(visible(which))}{workers}"
        return command if self.recorder is None else f"{command} {over(self.recorder)}"


@dataclass(frozen=True)
class RunResult:
    """A batch that ended: its summary, its first conversation, and the result of its gate, if it has one."""

    summary: Summary
    finished: BatchFinished
    first: Conversation | None
    interrupted: bool
    gated: "Gated | None" = None
    annotations: tuple[str, ...] = ()


Launch = Callable[..., AsyncGenerator[Event | Notice]]
"""A function of `app.launch` that lacks only `stop` and `recorder`."""


async def play(plan: BatchPlan, options: CommandOptions, listener: Watching) -> RunResult:
    """Play a new batch, and store it in the store of the configuration."""
    async with open_store(options.config) as store:
        start: Launch = launch
        if options.remote:
            from sparring.app.cluster.submit import launch_remotely  # most runs have no workers

            start = launch_remotely
        return await _shown(partial(start, plan, store, options.config), store, options, listener)


async def resume(which: str, options: CommandOptions, listener: Watching) -> RunResult:
    """Run what a batch lacks, with its original players."""
    async with open_store(options.config, must_exist=True) as store:
        batch = await batch_called(which, store)
        start: Launch = resume_batch
        if options.remote:
            from sparring.app.cluster.submit import resume_remotely  # as above

            start = resume_remotely
        resumed = partial(start, batch, store, options.config, retry_failed=options.retry_failed)
        return await _shown(resumed, store, options, listener)


async def rerun(which: str, ids: tuple[str, ...], options: CommandOptions, listener: Watching) -> RunResult:
    """Rerun conversations of a batch as a new batch."""
    async with open_store(options.config, must_exist=True) as store:
        batch = await batch_called(which, store)
        again = partial(rerun_batch, batch, store, options.config, conversations=ids)
        return await _shown(again, store, options, listener)


async def _shown(start: Launch, store: Store, options: CommandOptions, listener: Watching) -> RunResult:
    """Show the events of a batch while it runs, and then write and summarize the results."""
    stop, batch, finished = asyncio.Event(), None, None
    recorder = {"recorder": options.recorder} if options.recorder else {}
    try:
        with ExitStack() as signals:
            async with aclosing(start(stop=stop, **recorder)) as events:
                async for event in events:
                    if isinstance(event, Notice):
                        warn(event.message)
                        continue
                    if isinstance(event, BatchStarted):
                        batch = event.batch
                        signals.enter_context(interruptible(stop))
                    listener(event)
                    await listener.refresh(store)
                    finished = event if isinstance(event, BatchFinished) else finished
    except asyncio.CancelledError:
        if batch is not None:
            notify(f"\nInterrupted; finished conversations are saved.\nResume: {options.go_on(batch.name or batch.id)}")
        raise
    except NotRecorded as error:
        if batch is not None and not error.hint:
            go_on = f"{options.go_on(batch.name or batch.id)} --retry-failed"
            error.hint = f"finished conversations are saved; make room, and {go_on}"
        raise
    assert batch is not None
    assert finished is not None
    if batch.until is not None:  # it is smaller than planned
        batch = await store.batch(batch.id)
    await _write(batch, store, options)
    first = [conversation async for conversation in store.conversations(batch.id, limit=1)]
    made, annotations = await _reported(batch, store, options)
    if made.summary.stored >= LARGE:
        await store_results(batch, store, options.config.gate, options.config.llm.prices)
    return RunResult(made.summary, finished, first[0] if first else None, stop.is_set(), made.gated, annotations)


async def _write(batch: Batch, store: Store, options: CommandOptions) -> None:
    """Write the files that were asked for."""
    results, clock = options.config.output.results, SystemClock()
    try:
        if options.output_dir is not None:
            notify(f"written: {await export_batch(options.output_dir, options.format, batch, store, clock)}")
        elif results is not None:
            notify(f"written: {await export_batch(results, 'results', batch, store, clock)}")
    except InputError as error:
        which = shlex.quote(visible(batch.name or batch.id))
        error.hint = error.hint or f"everything is in the store: {called()} show {which}, {called()} fetch {which}"
        raise


async def _reported(batch: Batch, store: Store, options: CommandOptions) -> tuple[Report, tuple[str, ...]]:
    """Return the report after writing JUnit XML, and the annotations to print."""
    gate = options.config.gate
    if options.junit is None:
        made = await report(batch, store, gate=gate, unreadable=unreadable)
    else:
        from sparring.reports.junit import Junit  # who wants none does not wait for it

        junit = Junit()
        made = await report(batch, store, gate=gate, unreadable=unreadable, listeners=[junit])
        write_text(junit.text(made), options.junit)
    return made, tuple(job_annotations(made, os.environ.get("GITHUB_STEP_SUMMARY"))) if options.github else ()


def exit_code(played: RunResult) -> int:
    """Return the exit code of a run."""
    if played.interrupted:
        return INTERRUPTED
    return exit_code_of(played.summary, played.gated)


def exit_code_of(summary: Summary, gated: "Gated | None" = None) -> int:
    """Return the exit code for a summary, which is that of its sentence."""
    code = sentence(summary, gated).exit
    return UNDECIDED if code is None else code


ReplayMode = Literal["strict", "update", "sequence"]


@contextmanager
def open_recorder(
    record: Path | None, replay: Path | None, *, replay_mode: ReplayMode | None, more: bool = False
) -> Iterator[Recorder | None]:
    """Open the recorder of the options; with `more`, an existing recording may grow.

    Warn at the end if nothing was recorded.
    """
    path = replay or record
    if record and replay:
        raise InputError(
            "--record and --replay exclude each other", hint="--replay FILE --replay-mode update adds missing calls"
        )
    if replay_mode and not replay:
        raise InputError(f"--replay-mode {replay_mode} requires --replay FILE")
    if path is None:
        yield None
        return
    mode: Mode = "record" if record else replay_mode or "strict"
    hidden = secrets_in(environment(Path.cwd()))
    new = mode == "record" and not more
    with CallRecording(path, secrets=hidden, must_exist=mode in ("strict", "sequence"), new=new) as recording:
        if recording.cut_off:
            notify(f"warning: {visible(str(path))} ends in the middle of a line, so its last call is missing")
        yield Recorder(recording, mode)
        if mode == "record" and not recording.added:
            notify(f"warning: nothing was recorded into {visible(str(path))}: no model was called")


def over(recorder: Recorder) -> str:
    """Return the options that open this recording again."""
    path = shlex.quote(visible(str(recorder.recording.path)))
    if recorder.mode == "record":
        return f"--record {path}"
    return f"--replay {path}" + ("" if recorder.mode == "strict" else f" --replay-mode {recorder.mode}")
