"""Options that several commands have, each described once.

`--record` and `--replay`.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sparring.core.audit import AuditMode


def application() -> typer.Typer:
    """Return the typer application of a command: plain text, `-h` for help, errors left to the caller."""
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


Chatbot = Annotated[
    str | None,
    typer.Option(
        "--chatbot",
        help="Chatbot to test: pizzeria, rasa:URL, http:FILE.yaml, prompted:DIR, python:MODULE:FUNCTION.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Default model for all roles without one of their own: offline (no model), openai:NAME, "
        "openrouter:NAME, ollama:NAME, BASE_URL#NAME.",
    ),
]
ChatbotModel = Annotated[
    str | None, typer.Option("--chatbot-model", help="Model of a chatbot that is built from prompts.")
]
User = Annotated[str | None, typer.Option("--user", help="Simulated user: agenda, scripted, or a model.")]
Reader = Annotated[
    str | None,
    typer.Option(
        "--reader", help="Reader of goals and outputs: patterns, a model, or auto (default): the run's model, if any."
    ),
]
Judge = Annotated[
    str | None,
    typer.Option("--judge", help="Judge: checklist (was everything answered?), order, none, or a model."),
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
    typer.Option(
        "--judge-prompt", metavar="FILE", help="Prompt for a judge that is a model, in place of the bundled one."
    ),
]
Trust = Annotated[
    Literal["human"] | None,
    typer.Option("--trust", hidden=True, help="Without effect: a human verdict always decides."),
]
Seed = Annotated[
    int | None, typer.Option("--seed", min=0, help="Random seed; the same seed repeats a run.  [default: 0]")
]
_PLAYERS: Mapping[str, Any] = {
    "chatbot": Chatbot,
    "model": Model,
    "chatbot_model": ChatbotModel,
    "user": User,
    "judge": Judge,
    "seed": Seed,
}
Chosen = Mapping[str, Any]
"""The values of the options of players, by the names of their settings."""


def with_players(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of players and the seed, which it takes as one mapping, `chosen`."""

    @wraps(command)
    def called(**given: Any) -> int:
        chosen = {name: given.pop(name) for name in _PLAYERS}
        return command(**given, chosen=chosen)

    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name == "chosen":
            parameters += [parameter.replace(name=name, default=None, annotation=_PLAYERS[name]) for name in _PLAYERS]
        else:
            parameters.append(parameter)
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    called.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    return called


Repeat = Annotated[int, typer.Option("--repeat", min=1, metavar="N", help="Run each case N times.")]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", min=1, help="Number of conversations at the same time.  [default: 8]")
]
Store = Annotated[Path | None, typer.Option("--store", help="Database file.  [default: .sparring/sparring.db]")]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FILE",
        help="Cache model answers for judges and rule functions in this file.",
    ),
]
Audit = Annotated[
    AuditMode | None,
    typer.Option("--audit", help="Effect of faults of the user: void (default), report, or off to look for none."),
]
NoNullBots = Annotated[
    bool,
    typer.Option("--no-null-bots", help="Do not try null bots on the cases; weak cases are then not found."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", metavar="DOLLARS", help="Maximum cost of the batch in US dollars.")
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", metavar="N", help="Maximum tokens of the batch, input and output.")
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--max-seconds", metavar="SECONDS", help="Maximum duration of the run; running conversations are stopped."
    ),
]
MaxConversations = Annotated[
    int | None, typer.Option("--max-conversations", metavar="N", help="Stop after N conversations.")
]
Junit = Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML into this file.")]
Force = Annotated[
    bool, typer.Option("--force", help="Replace files that are there already, even if Sparring did not write them.")
]
Github = Annotated[
    bool, typer.Option("--github", help="Print annotations for GitHub Actions and write the job's summary.")
]
