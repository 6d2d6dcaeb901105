"""Calls one command: what goes wrong is one sentence and a hint on stderr, and the exit code that fits."""

import asyncio
from importlib import import_module

import typer
from typer.exceptions import Abort, TyperException

from sparring.cli.console import complain
from sparring.cli.exits import BAD_INPUT, INTERRUPTED, PASSED, UNDECIDED
from sparring.core.errors import InputError, SparringError
from sparring.core.text import closest


def command_app(target: str) -> typer.Typer:
    """Import the typer application that a row of the table of commands names."""
    module, _, attribute = target.partition(":")
    found: typer.Typer = getattr(import_module(module), attribute or "app")
    return found


def call_command(name: str, target: str, arguments: list[str]) -> int:
    """Run a command's typer application; 0 unless it exits otherwise."""
    command = typer.main.get_command(command_app(target))
    try:
        result = command.main(arguments, prog_name=f"sparring {name}", standalone_mode=False)
    except TyperException as error:
        complain(error.format_message(), hint=f"sparring {name} --help shows what there is")
        return BAD_INPUT
    except InputError as error:
        complain(str(error), hint=error.hint)
        return BAD_INPUT
    except SparringError as error:
        complain(str(error), hint=error.hint)
        return UNDECIDED
    except (Abort, KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED
    return result if isinstance(result, int) else PASSED


def unknown_command(name: str, known: list[str]) -> int:
    """Say that there is no such command, and which was meant."""
    meant = closest(name, known)
    hint = f"did you mean 'sparring {meant}'?" if meant else f"there are: {', '.join(known)}"
    complain(f"unknown {'option' if name.startswith('-') else 'command'} {name!r}", hint=hint)
    return BAD_INPUT
