"""Options that several commands have, each described once.

`--record` and `--replay`.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer


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
        help="The chatbot to test: pizzeria, rasa:URL, http:FILE.yaml, prompted:DIR, python:MODULE:FUNCTION.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Who plays every role that is not named: offline (no model), openai:NAME, openrouter:NAME, ollama:NAME, "
        "BASE_URL#NAME.",
    ),
]
ChatbotModel = Annotated[
    str | None, typer.Option("--chatbot-model", help="The model of a chatbot that is made of one.")
]
User = Annotated[str | None, typer.Option("--user", help="Who plays the user: agenda, scripted, or a model.")]
Reader = Annotated[
    str | None,
    typer.Option("--reader", help="Who reads what was asked, answered and stated: patterns (the default), or a model."),
]
Judge = Annotated[
    str | None,
    typer.Option("--judge", help="Who judges: checklist (was everything answered?), order, none, or a model."),
]
Rubrics = Annotated[
    list[str] | None,
    typer.Option(
        "--rubric",
        metavar="FILE",
        help="What the judge is asked: a file, or general or order, which come along; may be repeated.",
    ),
]
JudgePrompt = Annotated[
    Path | None,
    typer.Option("--judge-prompt", metavar="FILE", help="What a model that judges is told, instead of our own words."),
]
Trust = Annotated[
    Literal["human"] | None,
    typer.Option("--trust", help="human: where a person has judged a conversation, that decides about it."),
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Equal seeds give equal runs; 0 if not given.")]
Repeat = Annotated[int, typer.Option("--repeat", min=1, metavar="N", help="Play every case N times.")]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", min=1, help="How many conversations run at once; 8 if not given.")
]
Store = Annotated[
    Path | None, typer.Option("--store", help="The file that keeps what was run; .sparring/sparring.db if not given.")
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FILE",
        help="Keep what a judge and the functions of rules asked a model, and what it answered, in this file; nobody "
        "pays twice for the same question.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", metavar="DOLLARS", help="Stop before the batch costs more than this.")
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", metavar="N", help="Stop before the batch takes more tokens than this.")
]
MaxSeconds = Annotated[
    float | None, typer.Option("--max-seconds", metavar="SECONDS", help="Stop after this time, whatever is under way.")
]
MaxConversations = Annotated[
    int | None, typer.Option("--max-conversations", metavar="N", help="Hold no more than N conversations this time.")
]
Junit = Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML into this file.")]
Force = Annotated[
    bool, typer.Option("--force", help="Replace files that are there already, even if Sparring did not write them.")
]
Github = Annotated[
    bool, typer.Option("--github", help="Print annotations for GitHub Actions, and add to the job's summary.")
]
