"""Usage errors: what was expected, what was given, and what was probably meant."""

import re
from collections.abc import Sequence
from typing import Any

from typer.exceptions import TyperException

from sparring.cli.help import command_help
from sparring.core.errors import InputError
from sparring.core.text import did_you_mean, suggest

_NUMBERS = {"int": "a whole number", "float": "a number"}


def explained(error: TyperException, command: str, arguments: Sequence[str]) -> InputError:
    """Return typer's error about a command line in our own words."""
    context: Any = getattr(error, "ctx", None)
    words = context.command_path.split()[1:] if context else [command]
    usage = command_help(words).partition("\n")[0]
    message = error.format_message()
    option = str(getattr(error, "option_name", ""))
    if hasattr(error, "possibilities"):
        known = _options(context)
        long = next((f"-{each}" for each in arguments if each.startswith(option) and f"-{each}" in known), option)
        return InputError(f"unknown option {option!r}", hint=suggest(long, known))
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
    return InputError(f"unexpected argument: {found[1]}" if found else message, hint=usage)


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
    return InputError(f"{name}: expected {expected}, got {got!r}" if expected else message)


def _name(error: Any) -> str:
    """Return the option, or the name of the argument, that an error is about."""
    parameter = error.param
    written = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar or parameter.name.upper()
    return str(written)


def _options(context: Any) -> list[str]:
    """Return the options that a command takes."""
    shown = [each for each in context.command.params if not getattr(each, "hidden", False)]
    return [name for each in shown for name in each.opts if name.startswith("--")]
