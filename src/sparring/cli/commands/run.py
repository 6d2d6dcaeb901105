"""`sparring run SOURCE...`: let simulated users talk to a chatbot, and report the results.

`sparring rerun BATCH`: the same cases again with the same seeds, as a new batch.

`sparring demo`: a complete run, offline.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.app.config import AppConfig
from sparring.app.export import Layout, check_folder, require_replaceable
from sparring.app.launch import BatchPlan
from sparring.app.sources import plan_batch, prompt_files
from sparring.app.stores import check_store
from sparring.cli import options
from sparring.cli.batches import CommandOptions, ReplayMode, RunResult, exit_code, open_recorder, play, resume
from sparring.cli.batches import rerun as rerun_batch
from sparring.cli.console import answer, called, notify, say_all
from sparring.cli.process import run_in_loop
from sparring.cli.progress import watch
from sparring.cli.renamed import Renamed, command_with
from sparring.core.errors import InputError
from sparring.core.outcome import Outcome
from sparring.llm.replay import Recorder
from sparring.reports.formats import find
from sparring.reports.json_report import run_json
from sparring.reports.lines import counted
from sparring.reports.text import batch_text, figures_text, summary_text
from sparring.reports.transcript import transcript

app = options.application()
_OLD = (
    Renamed("--loose", ("--replay-mode", "update"), "--replay-mode update", value=False),
    Renamed("--sequence", ("--replay-mode", "sequence"), "--replay-mode sequence", value=False),
)


@dataclass(frozen=True, kw_only=True)
class NewBatch:
    """Options of a new batch; a resumed one keeps those it was started with."""

    rubrics: options.Rubrics = None
    judge_prompt: options.JudgePrompt = None
    user_prompt: options.UserPrompt = None
    rules: options.Rules = None
    repeat: options.Repeat = 1
    name: options.Name = ""
    tag: Annotated[list[str] | None, typer.Option("--tag")] = None
    only: Annotated[int | None, typer.Option("--single", metavar="N")] = None
    until: Annotated[Literal["decided"] | None, typer.Option("--until")] = None
    allow_code: Annotated[bool, typer.Option("--allow-code")] = False

    def chosen(self) -> dict[str, object]:
        """Return what is chosen, by option; code may be allowed for a resumed batch, too."""
        given = {**vars(self), "rubric": self.rubrics, "single": self.only is not None, "repeat": self.repeat > 1}
        return {name: value for name, value in given.items() if name not in ("rubrics", "only", "allow_code")}

    def plan(self, files: Sequence[Path], terms: CommandOptions) -> BatchPlan:
        """Return the plan of the batch. Raise InputError with all problems of the files."""
        planning = plan_batch(
            files,
            terms.config,
            rules=tuple(self.rules or ()),
            rubrics=self.rubrics or (),
            prompts=prompt_files(self.user_prompt, self.judge_prompt),
            single=self.only,
            repeats=self.repeat,
            name=self.name,
            tags=tuple(self.tag or ()),
            until_decided=self.until is not None,
            allow_code=self.allow_code,
            recorder=terms.recorder,
        )
        return run_in_loop(planning)


@dataclass(frozen=True, kw_only=True)
class RunningOptions:
    """Options of running a batch, new or resumed."""

    no_stream: Annotated[bool, typer.Option("--no-stream")] = False
    resumed: Annotated[str, typer.Option("--resume", metavar="BATCH")] = ""
    retry_failed: Annotated[bool, typer.Option("--retry-failed")] = False
    workers: Annotated[Literal["local", "remote"], typer.Option("--workers")] = "local"
    record: Annotated[Path | None, typer.Option("--record")] = None
    replay: Annotated[Path | None, typer.Option("--replay")] = None
    replay_mode: Annotated[ReplayMode | None, typer.Option("--replay-mode")] = None
    traces: Annotated[str, typer.Option("--traces", metavar=":PORT")] = ""
    otlp: Annotated[str, typer.Option("--otlp", metavar="URL")] = ""
    output_dir: Annotated[Path | None, typer.Option("--output-dir")] = None
    format: Annotated[Layout, typer.Option("--format")] = "ndjson"
    junit: options.Junit = None
    force: options.Force = False
    github: options.Github = False
    progress: options.Progress = None

    def require_valid(self, store: Path | str) -> None:
        """Raise InputError for an address or a file that cannot be used."""
        if self.otlp and not self.otlp.startswith(("http://", "https://")):
            raise InputError(f"--otlp {self.otlp}: is no address", hint="--otlp http://localhost:4318")
        check_store(store)
        check_folder(self.output_dir, self.format, force=self.force)
        if self.junit is not None:
            require_replaceable(self.junit, find("junit").openings, force=self.force)

    def options(self, config: AppConfig, recorder: Recorder | None) -> CommandOptions:
        """Return the options of the command, with the configuration and the recorder."""
        config = replace(config, traces=self.traces, otlp=self.otlp)
        output = (self.output_dir, self.format, self.retry_failed, self.junit, self.github)
        return CommandOptions(config, *output, recorder, remote=self.workers == "remote")


@app.command(cls=command_with(*_OLD))
@options.configured(
    *options.PLAYERS,
    "reader",
    *("max_cost", "max_tokens", "max_seconds", "max_conversations"),
    *("decides", "null_bots", "crash", "audit", "cache", "concurrency", "store"),
)
def run(
    *,
    files: Annotated[list[Path] | None, typer.Argument(metavar="SOURCE")] = None,
    config: AppConfig,
    chosen: options.Chosen,
    new: NewBatch,
    running: RunningOptions,
    as_json: options.Json = False,
) -> int:
    """Simulate users against a chatbot and report the results.

    Exit codes: 0 all passed, 1 some failed, 2 bad input, 3 some undecided or not run, 4 gate inconclusive,
    130 interrupted.
    """
    running.require_valid(config.store)
    if resumed := running.resumed:
        players = {each: chosen[each] for each in (*options.PLAYERS, "reader", "decides", "crash")}
        _refuse({**players, "SOURCE": files, **new.chosen()})
    elif not files and not (files := _scenarios_of_project()):
        raise InputError("no scenario is given", hint="`sparring init` writes one")
    elif running.retry_failed:
        raise InputError("--retry-failed requires a batch that was run", hint="--resume BATCH --retry-failed")
    stream = new.only is not None and new.repeat == 1 and not running.no_stream and not resumed
    recording = open_recorder(running.record, running.replay, replay_mode=running.replay_mode, more=bool(resumed))
    with redirect_stdout(sys.stderr), recording as recorder:  # stdout is for the result, not for what a chatbot prints
        terms = running.options(config, recorder)
        playing = partial(resume, resumed, terms) if resumed else partial(play, new.plan(files or (), terms), terms)
        with watch(stream=stream, mode=running.progress) as listener:
            played = run_in_loop(playing(listener))
    return report(played, terms, as_json=as_json)


def _scenarios_of_project() -> list[Path]:
    """Return the folder of scenarios if this folder is a project as `sparring init` writes it."""
    return [Path("scenarios")] if Path("sparring.yaml").is_file() and Path("scenarios").is_dir() else []


def _refuse(chosen: Mapping[str, object]) -> None:
    """Raise InputError for options that a resumed batch did not start with."""
    given = [name if name == "SOURCE" else f"--{name.replace('_', '-')}" for name, value in chosen.items() if value]
    if given:
        raise InputError(
            f"a resumed batch keeps its options: {', '.join(given)} cannot be changed",
            hint="leave it out, or start a new batch without --resume",
        )


def report(played: RunResult, terms: CommandOptions, *, as_json: bool) -> int:
    """Print what came out; the exit code."""
    finished = played.finished
    gate, gate_lines = {}, []
    if played.gated:
        from sparring.reports.gate import gate_json, gate_text  # most runs have no gate

        gate, gate_lines = {"gate": gate_json(played.gated)}, ["", *gate_text(played.gated)]
    left = {"cancelled": finished.cancelled, "stopped": finished.reason or None}
    summary = played.summary
    figures = [*figures_text(summary), *_left(played, terms), *gate_lines, *played.annotations, ""]
    lines = [*figures, *batch_text(summary, summary.name or summary.batch, played.gated)]
    answer("batch", {**run_json(summary, played.gated), **left, **gate}, lines, as_json=as_json)
    return exit_code(played)


def _left(played: RunResult, terms: CommandOptions) -> Iterator[str]:
    """Return what is left to do of the batch, and how."""
    summary, finished = played.summary, played.finished
    go_on = terms.go_on(summary.name or summary.batch)
    if summary.not_run:
        dropped = f", {finished.cancelled:,} of them interrupted" if finished.cancelled else ""
        why = f": {finished.reason}" if finished.reason else ""
        yield f"Not run: {summary.not_run:,}{dropped}{why}"
        yield f"Resume: {go_on}"
    elif finished.reason:
        yield f"Stopped: {finished.reason}"
        yield f"Resume: {go_on}"
    if lost := summary.outcomes[Outcome.VOID] + summary.last_crashes:
        yield f"Retry the {counted(lost, 'crashed or void conversation')}: {go_on} --retry-failed"


@options.configured("concurrency", "store")
def rerun(
    which: options.Batch,
    failed: Annotated[bool, typer.Option("--failed")] = False,
    case: Annotated[list[str] | None, typer.Option("--case", metavar="ID")] = None,
    *,
    config: AppConfig,
    progress: options.Progress = None,
    as_json: options.Json = False,
) -> int:
    """Rerun conversations of a batch with the same seeds and players, as a new batch.

    Exit codes: 0 all passed, 1 some failed, 2 bad input, 3 some undecided or not run, 130 interrupted.
    """
    if failed is bool(case):
        raise InputError("name the conversations to rerun", hint="--failed, or --case ID")
    terms = CommandOptions(config)
    playing = partial(rerun_batch, which, tuple(case or ()), terms)
    with redirect_stdout(sys.stderr), watch(stream=False, mode=progress) as listener:
        played = run_in_loop(playing(listener))
    return report(played, terms, as_json=as_json)


_NEXT_STEPS = """\
Next steps:

  {me} show latest {first}
      read a conversation
  {me} chat {chatbot} --model offline
      talk to the chatbot yourself
  {me} run order.yml --chatbot {chatbot} --model offline
      run a scenario of your own; README.md has one to start with"""


@options.configured("seed", "store")
def demo(config: AppConfig, as_json: options.Json = False) -> int:
    """Simulate users against the bundled pizzeria, offline, and check two rules.

    Exit codes: 0 all passed, 1 some failed, 3 some undecided.
    """
    from sparring.app.demo import CHATBOT, demonstration  # imports rules, which `run` may not need

    notify(f"Simulated users talk to the {CHATBOT}: no language model, no key, no network.")
    plan, terms = demonstration(config.seed), CommandOptions(config)
    with redirect_stdout(sys.stderr), watch(stream=False) as listener:
        played = run_in_loop(play(plan, terms, listener))
    me, first = called(), played.first
    if first is None or as_json:  # interrupted before anything was said
        return report(played, terms, as_json=as_json)
    lines = [
        *("", "One of the conversations, with the words that answered each goal:", ""),
        *(f"  {line}".rstrip() for line in transcript(first)),
        *("", f"The result of all {played.summary.stored} conversations and of the two rules:", ""),
        *(f"  {line}".rstrip() for line in summary_text(played.summary)),
        *("", *_NEXT_STEPS.format(me=me, first=first.id, chatbot=CHATBOT).splitlines()),
    ]
    say_all(lines)
    return exit_code(played)
