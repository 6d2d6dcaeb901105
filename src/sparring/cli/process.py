"""Runs one command. An error is one sentence and a hint on stderr, with its exit code.

One Ctrl-C finishes running conversations and saves them; a second one stops the command, as SIGTERM and SIGHUP do.
A usage error says what was expected, what was given, and what was probably meant.
"""

import asyncio
import re
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
from sparring.cli.help import command_help
from sparring.cli.options import application
from sparring.core.errors import InputError, Problem, SparringDeprecationWarning, SparringError
from sparring.core.text import closest_name, did_you_mean, suggest
from sparring.core.value import Json

PASSED = 0
FAILED = 1
BAD_INPUT = 2
UNDECIDED = 3
INCONCLUSIVE = 4
INTERRUPTED = 130


def command_app(target: str) -> typer.Typer:
    """Import the typer application that the table of commands names, or make one of its function."""
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


_SYNONYMS = {
    **dict.fromkeys(("test", "start", "play"), "run"),
    **dict.fromkeys(("list", "ls", "results"), "show"),
    **dict.fromkeys(("ui", "web", "dashboard", "view"), "serve"),
    **dict.fromkeys(("scan", "probe"), "try"),
    **dict.fromkeys(("eval", "evaluate", "grade"), "judge"),
    "diff": "compare",
    "export": "fetch",
    "delete": "prune",
    "lint": "validate",
    "new": "init",
    "history": "trend",
    **dict.fromkeys(("-v", "-V"), "--version"),
}
"""Commands and options by names that other tools have for them."""

_OPTION_SYNONYMS = {
    **dict.fromkeys(("--quiet", "--silent", "-q"), "--progress none"),
    **dict.fromkeys(("--bot", "--url", "--target", "--agent"), "--chatbot"),
    **dict.fromkeys(("--parallel", "--jobs", "--workers", "-j"), "--concurrency"),
    **dict.fromkeys(("--verbose", "-v"), "--all"),
    **dict.fromkeys(("--out", "--file", "-o"), "--output"),
}
"""Options by names that other tools have for them."""


def unknown_command(name: str, known: list[str], arguments: Sequence[str]) -> int:
    """Report an unknown command, and suggest the one that was meant."""
    option = name.startswith("-")
    meant = _SYNONYMS.get(name) or closest_name(
        name, ["--color", "--help", "--version"] if option else [*known, "help"], cutoff=0.7 if option else 0.6
    )
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


_NUMBERS = {"int": "a whole number", "float": "a number"}


def explained(error: TyperException, command: str, arguments: Sequence[str]) -> InputError:
    """Return typer's error about a command line in our own words."""
    context: Any = getattr(error, "ctx", None)
    words = context.command_path.split()[1:] if context else [command]
    usage = command_help(words).partition("\n")[0]
    message = error.format_message()
    option = str(getattr(error, "option_name", ""))
    if hasattr(error, "possibilities"):
        return InputError(f"unknown option {option!r}", hint=_option_meant(option, _options(context), arguments))
    if option:
        expected = "expected no value" if "does not take a value" in message else "expected a value"
        return InputError(f"{option}: {expected}", hint=usage)
    if hasattr(error, "param_type"):
        return InputError(f"{_name(error)} is missing", hint=usage)
    if getattr(error, "param", None) is not None:
        return _of_value(error, message)
    inner = [*vars(context.command).get("commands", ())] if context is not None else []
    if found := re.match(r"No such command '(.*?)'", message):
        return InputError(f"unknown command {found[1]!r} of `sparring {command}`", hint=suggest(found[1], inner))
    if inner:
        return InputError(f"`sparring {command}` needs a command", hint=f"there are: {', '.join(inner)}")
    found = re.match(r"Got unexpected extra argument\S* \((.*)\)", message)
    if found is None:
        return InputError(message, hint=usage)
    return InputError(f"unexpected argument: {found[1]}", hint=_as_option(found[1], context) or usage)


def _option_meant(option: str, known: list[str], arguments: Sequence[str]) -> str:
    """Return a hint for an unknown option: those it may stand for, or those there are."""
    if (meant := _OPTION_SYNONYMS.get(option, "")).partition(" ")[0] in known:
        return f"did you mean {meant!r}?"
    if option.startswith("--"):
        close = closest_name(option.strip("-"), [each.strip("-") for each in known], cutoff=0.65)
        return f"did you mean {f'--{close}'!r}?" if close else suggest("", known)
    whole = [f"-{each}" for each in arguments if each.startswith(option) and f"-{each}" in known]
    begun = whole or [each for each in known if each.startswith(f"-{option}")]
    return f"did you mean {' or '.join(map(repr, begun[:5]))}?" if begun else suggest(option, known)


def _as_option(argument: str, context: Any) -> str:
    """Return the option, with its value, that an argument too many is probably meant for; else nothing."""
    known = _options(context)
    bare = all(each.opts[0].startswith("-") for each in context.command.params)
    takers = ("--conversations", "--chatbot") if bare else ("--output",) if re.search(r"\w\.[a-z]+$", argument) else ()
    return next((f"did you mean '{each} {argument}'?" for each in takers if each in known), "")


def _of_value(error: Any, message: str) -> InputError:
    """Return the expected value of an option."""
    name, cause = _name(error), error.__cause__
    if not hasattr(cause, "errors"):
        return InputError(f"{name}: {error.message}")
    found = cause.errors(include_url=False)[0]
    got, kind = str(found["input"]), str(found["type"])
    values = re.findall(r"'([^']*)'", found["msg"].partition("is not one of")[2])
    limits = found.get("ctx", {})
    if values:
        return InputError(f"{name}: expected {', '.join(values)}, got {got!r}", hint=did_you_mean(got, values))
    if "ge" in limits or "le" in limits:
        limit = f"at least {limits['ge']:g}" if "ge" in limits else f"at most {limits['le']:g}"
        return InputError(f"{name}: expected a number of {limit}, got {got}")
    expected = _NUMBERS.get(kind.partition("_")[0])
    percent = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", got)
    hint = f"{float(percent[1]) / 100:g} is {percent[1]} %" if percent and kind.startswith("float") else ""
    return InputError(f"{name}: expected {expected}, got {got!r}" if expected else message, hint=hint)


def _name(error: Any) -> str:
    """Return the option, or the name of the argument, that an error is about."""
    parameter = error.param
    written = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar or parameter.name.upper()
    return str(written)


def _options(context: Any) -> list[str]:
    """Return the options that a command takes."""
    shown = [each for each in context.command.params if not getattr(each, "hidden", False)]
    return [name for each in shown for name in each.opts if name.startswith("--")]
