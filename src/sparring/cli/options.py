"""Options that several commands have. Their help is in `help.toml`."""

import inspect
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from sparring.app.event_loop import run_in_loop
from sparring.core.audit import AuditMode
from sparring.core.batch import Decides
from sparring.core.checks import Crash


def application() -> typer.Typer:
    """Return the typer application of a command: plain text, `-h` for help, errors left to the caller."""
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


class _Setting(NamedTuple):
    """An option for a setting: the type of its value, and what else typer knows of it."""

    type: Any
    more: Mapping[str, Any] = {}

    def option(self, name: str) -> Any:
        more = {**self.more}
        return Annotated[self.type | None, typer.Option(more.pop("name", f"--{name.replace('_', '-')}"), **more)]


_SETTINGS = {
    "chatbot": _Setting(str),
    "model": _Setting(str),
    "chatbot_model": _Setting(str),
    "user": _Setting(str),
    "reader": _Setting(str),
    "judge": _Setting(list[str], {"metavar": "TEXT"}),
    "decides": _Setting(Decides),
    "seed": _Setting(int, {"min": 0}),
    "max_cost": _Setting(float, {"metavar": "DOLLARS"}),
    "max_tokens": _Setting(int, {"metavar": "N"}),
    "max_seconds": _Setting(float, {"metavar": "SECONDS"}),
    "max_conversations": _Setting(int, {"metavar": "N"}),
    "null_bots": _Setting(bool, {"name": "--no-null-bots", "callback": lambda given: False if given else None}),
    "crash": _Setting(Crash),
    "audit": _Setting(AuditMode),
    "cache": _Setting(Path, {"metavar": "FILE"}),
    "concurrency": _Setting(int, {"min": 1}),
    "keep_days": _Setting(int, {"name": "--days", "min": 1, "max": 36_500}),
    "store": _Setting(str, {"metavar": "PATH"}),
}
"""The options of the settings, by the names of the settings."""

Chosen = Mapping[str, Any]
"""The values of options, by the names of their settings; None where not given."""

PLAYERS = ("chatbot", "model", "chatbot_model", "user", "judge", "seed")

Command = Callable[..., int] | Callable[..., Coroutine[Any, Any, int]]


def configured(*names: str) -> Callable[[Command], Callable[..., int]]:
    """Add the options of these settings to a command.

    They replace its parameter `config` or `settings`, which `sparring.settings` makes of them. A command with a
    parameter `chosen` also gets their values. Each field of a parameter that is a dataclass is an option. An
    asynchronous command runs in an event loop.
    """
    options = {name: _SETTINGS[name].option(name) for name in names}

    def decorate(command: Command) -> Callable[..., int]:
        parameters = inspect.signature(command).parameters
        groups = {name: each.annotation for name, each in parameters.items() if _is_group(each)}

        @wraps(command)
        def called(**given: Any) -> int:
            chosen = {name: given.pop(name) for name in options}
            for name, group in groups.items():
                given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
            result = command(**given, **_settings_of(chosen, parameters))
            return result if isinstance(result, int) else run_in_loop(result)

        shown = [option for each in parameters.values() for option in _shown(each, options)]
        called.__annotations__ = {each.name: each.annotation for each in shown}
        called.__signature__ = inspect.Signature(shown, return_annotation=int)  # type: ignore[attr-defined]
        return called

    return decorate


def _is_group(parameter: inspect.Parameter) -> bool:
    return parameter.name != "config" and is_dataclass(parameter.annotation)


def _settings_of(chosen: Chosen, parameters: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """Return the arguments of a command that are made from the chosen settings."""
    given: dict[str, Any] = {"chosen": chosen} if "chosen" in parameters else {}
    if "config" in parameters or "settings" in parameters:
        from sparring import settings  # commands without settings do not wait for it

        if "config" in parameters:
            given["config"] = settings.load_config(chosen, directory=Path.cwd())
        else:
            given["settings"] = settings.load(chosen, directory=Path.cwd())
    return given


def _shown(parameter: inspect.Parameter, settings: Mapping[str, Any]) -> Iterator[inspect.Parameter]:
    """Yield the options that stand for a parameter."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    if parameter.name in ("config", "settings"):
        for name, annotation in settings.items():
            yield inspect.Parameter(name, keyword, default=None, annotation=annotation)
    elif _is_group(parameter):
        for field in fields(parameter.annotation):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            yield inspect.Parameter(field.name, keyword, default=default, annotation=field.type)
    elif parameter.name != "chosen":
        yield parameter.replace(kind=keyword)


Batch = Annotated[str, typer.Argument(metavar="BATCH")]
Rubrics = Annotated[list[str] | None, typer.Option("--rubric", metavar="FILE")]
Rules = Annotated[list[Path] | None, typer.Option("--rules")]
JudgePrompt = Annotated[Path | None, typer.Option("--judge-prompt", metavar="FILE")]
UserPrompt = Annotated[Path | None, typer.Option("--user-prompt", metavar="FILE")]
Repeat = Annotated[int, typer.Option("--repeat", min=1, metavar="N")]
Name = Annotated[str, typer.Option("--name")]
RowColumns = Annotated[str, typer.Option("--map")]
CompleteTools = Annotated[bool, typer.Option("--complete-tools")]
SideEffects = Annotated[bool, typer.Option("--allow-side-effects")]
Json = Annotated[bool, typer.Option("--json")]
Junit = Annotated[Path | None, typer.Option("--junit")]
Progress = Annotated[Literal["bar", "plain", "json", "none"] | None, typer.Option("--progress")]
Force = Annotated[bool, typer.Option("--force")]
Github = Annotated[bool, typer.Option("--github")]
