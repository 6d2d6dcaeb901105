"""Runs one command. An error is one sentence and a hint on stderr, with its exit code.

One Ctrl-C finishes running conversations and saves them; a second one stops the command, as SIGTERM and SIGHUP do.
"""

import asyncio
import signal
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.exceptions import Abort, TyperException

from sparring.app.event_loop import run_in_loop as run_in_loop
from sparring.cli.console import answer, complain, notify
from sparring.cli.options import application
from sparring.core.errors import InputError, Problem, SparringDeprecationWarning, SparringError
from sparring.core.text import closest_name
from sparring.core.value import Json

PASSED = 0
FAILED = 1
BAD_INPUT = 2
UNDECIDED = 3
INCONCLUSIVE = 4
INTERRUPTED = 130


def of_gate(came: str) -> int:
    """Return the exit code for the result of a gate."""
    return {"passed": PASSED, "failed": FAILED}.get(came, INCONCLUSIVE)


def command_app(target: str) -> typer.Typer:
    """Import the typer application, or make that of the function, that a row of the table of commands names."""
    module, _, name = target.partition(":")
    found = getattr(import_module(f"sparring.cli.commands.{module}"), name)
    if isinstance(found, typer.Typer):
        return found
    app = application()
    app.command()(found)
    return app


def call_command(name: str, target: str, arguments: list[str]) -> int:
    """Run a command's typer application; 0 unless it exits otherwise."""
    command = typer.main.get_command(command_app(target))
    try:
        with _plain_warnings():
            result = command.main(arguments, prog_name=f"sparring {name}", standalone_mode=False)
    except TyperException as error:
        from sparring.cli.mistakes import explained  # reads the help

        return refuse(explained(error, name, arguments), BAD_INPUT, arguments)
    except SparringError as error:
        return refuse(error, BAD_INPUT if isinstance(error, InputError) else UNDECIDED, arguments)
    except (Abort, KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED
    return result if isinstance(result, int) else PASSED


def refuse(error: SparringError, code: int, arguments: Sequence[str]) -> int:
    """Report why a command did nothing, with `--json` as a document, too. Return the exit code."""
    complain(str(error), hint=error.hint)
    problems = error.problems if isinstance(error, InputError) else (Problem(message=str(error), hint=error.hint),)
    facts: dict[str, Json] = {"error": str(error), "hint": error.hint, "exit": code}
    asked = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    if asked:
        answer("error", {**facts, "problems": [each.model_dump(mode="json") for each in problems]}, as_json=True)
    return code


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Print warnings about old spellings in one line, without a code location."""
    show = warnings.showwarning

    def showwarning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, SparringDeprecationWarning):
            notify(f"warning: {message}")
        else:
            show(message, category, *where, **more)

    warnings.showwarning = showwarning
    try:
        yield
    finally:
        warnings.showwarning = show


def unknown_command(name: str, known: list[str], arguments: Sequence[str]) -> int:
    """Report an unknown command, and suggest the one that was meant."""
    option = name.startswith("-")
    meant = closest_name(name, ["--color", "--help", "--version"] if option else known, cutoff=0.7 if option else 0.6)
    said = f"did you mean '{meant if option else f'sparring {meant}'}'?" if meant else "sparring --help lists commands"
    problem = InputError(f"unknown {'option' if option else 'command'} {name!r}", hint=said)
    return refuse(problem, BAD_INPUT, [name, *arguments])


_ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def interruptible(stop: asyncio.Event) -> Iterator[None]:
    """Let the first Ctrl-C inside the block set `stop`; a second one, SIGTERM and SIGHUP cancel the task."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def interrupt() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        else:
            notify("\nfinishing running conversations; press Ctrl-C again to stop at once")
            stop.set()

    def end() -> None:
        if task is not None and not task.cancelling():
            task.cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    except (NotImplementedError, RuntimeError):  # Windows, or not the main thread: Ctrl-C stops at once
        yield
        return
    ends = [each for each in _ENDS if signal.getsignal(each) is signal.SIG_DFL]  # nohup has SIGHUP ignored
    for each in ends:
        loop.add_signal_handler(each, end)
    try:
        yield
    finally:
        for each in (signal.SIGINT, *ends):
            loop.remove_signal_handler(each)
