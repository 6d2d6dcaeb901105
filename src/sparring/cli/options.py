"""Options that several commands have, each described once."""

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
    """An option for a setting: the type of its value, its help, and what else typer knows of it."""

    type: Any
    help: str
    more: Mapping[str, Any] = {}

    def option(self, name: str, help: str = "") -> Any:
        """Return an option, optionally with its own `help`."""
        more = {"help": help or self.help, **self.more}
        return Annotated[self.type | None, typer.Option(more.pop("name", f"--{name.replace('_', '-')}"), **more)]


_SETTINGS = {
    "chatbot": _Setting(
        str, "Chatbot to test: pizzeria, rasa:URL, http:FILE.yaml, prompted:DIR, python:MODULE:FUNCTION."
    ),
    "model": _Setting(
        str,
        "Default model for all roles without one of their own: offline (no model), openai:NAME, openrouter:NAME, "
        "ollama:NAME, BASE_URL#NAME.",
    ),
    "chatbot_model": _Setting(str, "Model of a chatbot that is built from prompts."),
    "user": _Setting(str, "Simulated user: agenda, scripted, or a model."),
    "reader": _Setting(
        str, "Reader of goals and outputs: patterns, a model, or auto (default): the run's model, if any."
    ),
    "judge": _Setting(
        list[str],
        "Judge: checklist (was everything answered?), order, none, or a model; repeat it for a panel.",
        {"metavar": "TEXT"},
    ),
    "decides": _Setting(
        Decides, "Judgement that decides if there are several: latest (default), median, majority, or human."
    ),
    "seed": _Setting(int, "Random seed; the same seed repeats a run.  [default: 0]", {"min": 0}),
    "max_cost": _Setting(float, "Maximum cost of the batch in US dollars.", {"metavar": "DOLLARS"}),
    "max_tokens": _Setting(int, "Maximum tokens of the batch, input and output.", {"metavar": "N"}),
    "max_seconds": _Setting(
        float, "Maximum duration of the run; running conversations are stopped.", {"metavar": "SECONDS"}
    ),
    "max_conversations": _Setting(int, "Stop after N conversations.", {"metavar": "N"}),
    "null_bots": _Setting(
        bool,
        "Do not try null bots on the cases, so weak cases go unnoticed.",
        {"name": "--no-null-bots", "callback": lambda given: False if given else None},
    ),
    "crash": _Setting(Crash, "Outcome of conversations in which the chatbot crashes or hangs; default: failed."),
    "audit": _Setting(AuditMode, "What faults of the simulated user do: void (default), report, or off."),
    "cache": _Setting(Path, "Cache the model answers of judges and rule functions in this file.", {"metavar": "FILE"}),
    "concurrency": _Setting(int, "Number of conversations at the same time.  [default: 8]", {"min": 1}),
    "keep_days": _Setting(
        int, "Age in days.  [default: keep_days of sparring.yaml]", {"name": "--days", "min": 1, "max": 36_500}
    ),
    "store": _Setting(str, "Database file or URL.  [default: .sparring/sparring.db]", {"metavar": "PATH"}),
}
"""The options of the settings, by the names of the settings."""

Chosen = Mapping[str, Any]
"""The values of options, by the names of their settings; None where not given."""

PLAYERS = ("chatbot", "model", "chatbot_model", "user", "judge", "seed")

Command = Callable[..., int] | Callable[..., Coroutine[Any, Any, int]]


def configured(*names: str, **helps: str) -> Callable[[Command], Callable[..., int]]:
    """Add the options of these settings to a command, with those in `helps` described differently.

    They replace its parameter `config` or `settings`, which `sparring.settings` makes of them. A command with a
    parameter `chosen` also gets their values. Each field of a parameter that is a dataclass is an option. An
    asynchronous command runs in an event loop.
    """
    options = {name: _SETTINGS[name].option(name, helps.get(name, "")) for name in (*helps, *names)}

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


Batch = Annotated[str, typer.Argument(metavar="BATCH", help="Batch: its id, its name, or latest.")]
BatchAnywhere = Annotated[
    str, typer.Argument(metavar="BATCH", help="Batch: its id or latest; its name, too, in a local database.")
]
Rubrics = Annotated[
    list[str] | None,
    typer.Option(
        "--rubric",
        metavar="FILE",
        help="Rubric for the judge: a file, or the bundled general or order; may be repeated.",
    ),
]
Rules = Annotated[list[Path] | None, typer.Option("--rules", help="Rule files or folders to check; may be repeated.")]
JudgePrompt = Annotated[
    Path | None,
    typer.Option("--judge-prompt", metavar="FILE", help="Prompt for a model judge, instead of the bundled one."),
]
UserPrompt = Annotated[
    Path | None,
    typer.Option("--user-prompt", metavar="FILE", help="Prompt for a model-played user, instead of the bundled one."),
]
Repeat = Annotated[int, typer.Option("--repeat", min=1, metavar="N", help="Run each case N times.")]
Name = Annotated[str, typer.Option("--name", help="Name of the batch.")]
RowColumns = Annotated[
    str, typer.Option("--map", help="Columns of a log with one message a row: id=COLUMN,role=COLUMN,text=COLUMN.")
]
CompleteTools = Annotated[
    bool,
    typer.Option("--complete-tools", help="The logs show all tool calls: a call that is not there did not happen."),
]
SideEffects = Annotated[
    bool, typer.Option("--allow-side-effects", help="Allow calls to a chatbot outside this process.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Junit = Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")]
Progress = Annotated[
    Literal["bar", "plain", "json", "none"] | None,
    typer.Option("--progress", help="Progress on stderr; by default a bar on a terminal, else plain lines."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files, even if Sparring did not write them.")]
Github = Annotated[
    bool, typer.Option("--github", help="Print annotations for GitHub Actions and write the job's summary.")
]
