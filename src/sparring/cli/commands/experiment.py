"""`sparring experiment run|report|view`: run experiments with Inspect AI, and report on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.app.config import AppConfig
from sparring.app.export import require_replaceable, write_atomically
from sparring.app.models import OFFLINE
from sparring.cli import options
from sparring.cli.console import answer, notify, say, say_all
from sparring.cli.process import FAILED, INTERRUPTED, PASSED, UNDECIDED
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.integrations.inspect_ai import require_inspect
from sparring.integrations.inspect_ai.experiment import experiment_names, load_experiment
from sparring.integrations.inspect_ai.read_logs import ExperimentLog, LogFolder, find_logs, read_log
from sparring.integrations.inspect_ai.report import (
    PassRule,
    ResultCounts,
    count_results,
    csv_rows,
    named_violations,
    warnings,
)
from sparring.integrations.inspect_ai.report import report as report_text
from sparring.integrations.inspect_ai.start import LOG_FOLDER, check_chatbot, inspect_model, load_cases, run_inspect
from sparring.integrations.inspect_ai.start import view as view_logs

_CSV_OPENING = b'"experiment","test"'
_REPORT_OPENING = rb"# Experiments\n\nWritten \d{4}-"
app = options.application()

LogDir = Annotated[Path, typer.Option("--log-dir", metavar="DIR")]
PassesWhen = Annotated[PassRule, typer.Option("--passes")]


@app.callback()
def experiment() -> None:
    """Run experiments with Inspect AI, and report on them."""


@dataclass(frozen=True, kw_only=True)
class Epochs:
    """The chatbot to run, and how often."""

    chatbot: Annotated[str | None, typer.Option("--chatbot")] = None
    epochs: Annotated[int, typer.Option("--epochs", min=1, metavar="N")] = 1
    passes: PassesWhen = "all"
    log_dir: LogDir = LOG_FOLDER
    log_format: Annotated[Literal["json", "eval"], typer.Option("--log-format")] = "json"


@app.command()
@options.configured("model", "seed")
def run(
    *,
    which: Annotated[list[str] | None, typer.Argument(metavar="NAME")] = None,
    config: AppConfig,
    running: Epochs,
    as_json: options.Json = False,
) -> int:
    """Run experiments; offline without --model."""
    require_inspect("an experiment")
    tasks = list(dict.fromkeys(which or experiment_names()))
    if not tasks:
        raise InputError("no experiment is installed", hint="a plug-in enters them under sparring.experiments")
    played_by = config.players.model or OFFLINE
    for task in tasks:
        own = load_experiment(task)
        check_chatbot(running.chatbot or own.chatbot, load_cases(own, config), model=played_by, config=config)
    hint = "" if config.players.model else " (no model; --model chooses one)"
    notify(f"model: {visible(inspect_model(played_by))}{hint}")
    written, interrupted = run_inspect(
        tasks,
        model=played_by,
        folder=running.log_dir,
        epochs=running.epochs,
        format=running.log_format,
        arguments={"seed": config.seed, **({"chatbot": running.chatbot} if running.chatbot else {})},
    )
    logs = [log for log in map(read_log, sorted(written)) if isinstance(log, ExperimentLog)]
    _say_run(logs, tasks, running.passes, as_json=as_json)
    if interrupted:
        return INTERRUPTED
    if not logs:
        raise InputError("Inspect ran nothing", hint="its output is above")
    return _exit_code([count_results(log.task, [log], running.passes) for log in logs], whole=_whole(logs, tasks))


@app.command()
def report(
    log_dir: LogDir = LOG_FOLDER,
    passes: PassesWhen = "all",
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE")] = None,
    as_json: options.Json = False,
) -> int:
    """Write REPORT.md from the newest successful logs."""
    if output is not None and output.suffix != ".csv":
        raise InputError(f"--output {output}: expected a file name that ends with .csv")
    if not log_dir.is_dir():
        raise InputError(f"--log-dir {log_dir}: there is no such folder", hint="`sparring experiment run` makes one")
    found = find_logs(log_dir)
    if not found.latest:
        why = "; ".join(f"{log.file} is {log.status}" for log in found.unsuccessful[:3])
        raise InputError(
            f"--log-dir {log_dir}: there is no log of an experiment that succeeded",
            hint=why or "`sparring experiment run` writes some",
        )
    path = log_dir / "REPORT.md"
    require_replaceable(path, (_REPORT_OPENING,))
    text = report_text(found, expected=experiment_names(), passes=passes, now=SystemClock().now())
    if output is not None:
        require_replaceable(output, (_CSV_OPENING,))
        write_atomically(output, csv_rows(found.latest.values()))
    write_atomically(path, [text.encode()])
    counts = [count_results(task, [log], passes) for task, log in found.latest.items()]
    answer("experiment", _json(found, counts), [str(path)], as_json=as_json)
    if not as_json:
        for warning in warnings(found, experiment_names()):
            notify(f"warning: {visible(warning)}")
    return _exit_code(counts, whole=True)


@app.command()
def view(
    log_dir: Annotated[Path, typer.Option("--log-dir", metavar="DIR")] = LOG_FOLDER.parent,
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 7575,
    as_json: options.Json = False,
) -> int:
    """Open logs in Inspect's viewer, until Ctrl-C."""
    if not log_dir.is_dir():
        raise InputError(f"--log-dir {log_dir}: there is no such folder", hint="`sparring experiment run` makes one")
    if as_json:
        answer("serving", {"address": f"http://127.0.0.1:{port}"}, as_json=True)
    view_logs(log_dir, port=port)
    return PASSED


def _say_run(logs: Sequence[ExperimentLog], tasks: Sequence[str], passes: PassRule, *, as_json: bool) -> None:
    counts = [count_results(log.task, [log], passes) for log in logs]
    if as_json:
        found = LogFolder(logs=tuple(logs))
        body: dict[str, Json] = {**_json(found, counts), "not_run": [*sorted(set(tasks) - {log.task for log in logs})]}
        answer("experiment", body, as_json=True)
        return
    for log, each in zip(logs, counts, strict=True):
        undecided = f", {each.undecided} undecided" if each.undecided else ""
        undecided += f", {each.void} void" if each.void else ""
        status = "" if log.status == "success" else f" [{log.status}]"
        process = f", {each.process_violations} process violations" if each.process_violations else ""
        say(visible(f"{log.task}: {each.passed} of {each.tests} passed{undecided}{process}{status}  {log.file}"))
        say_all(visible(f"  {name}: {said}") for name, said in named_violations(log))
    if logs:
        notify("Next: sparring experiment report")


def _whole(logs: Iterable[ExperimentLog], tasks: Iterable[str]) -> bool:
    """Return True if every task was completed."""
    return {log.task for log in logs if log.status == "success"} == set(tasks)


def _exit_code(counts: Iterable[ResultCounts], *, whole: bool) -> int:
    counted = list(counts)
    if any(each.failed for each in counted):
        return FAILED
    return PASSED if whole and all(each.passed == each.tests > 0 for each in counted) else UNDECIDED


def _json(found: LogFolder, counts: Sequence[ResultCounts]) -> dict[str, Json]:
    return {
        "experiments": {each.name: each.model_dump(mode="json") for each in counts},
        "logs": [log.model_dump(mode="json") for log in found.logs],
        "warnings": [*warnings(found)],
    }
