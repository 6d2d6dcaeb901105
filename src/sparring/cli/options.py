"""Options that several commands have, each described once.

`--record` and `--replay`.
"""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.cli import replacing
from sparring.cli.console import tell
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.llm.recording import Recording
from sparring.llm.replay import Mode, Recorder
from sparring.settings import environment, secrets


def application() -> typer.Typer:
    """A command's typer application: plain text, and errors left to whoever calls it."""
    return typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


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
Junit = Annotated[
    Path | None,
    typer.Option("--junit", help="Write JUnit XML into this file.", callback=replacing.over(replacing.JUNIT)),
]
Github = Annotated[
    bool, typer.Option("--github", help="Print annotations for GitHub Actions, and add to the job's summary.")
]


@contextmanager
def taped(
    record: Path | None, replay: Path | None, *, loose: bool, sequence: bool, more: bool = False
) -> Iterator[Recorder | None]:
    """The tape that the options ask for, open inside the block; `more` may be recorded to one that is there already.

    A recording that nothing came into is told at the end: only then is it known that nobody asked a model.
    """
    path = replay or record
    if record and replay:
        raise InputError("--record and --replay exclude each other", hint="--replay FILE --loose adds what is missing")
    if (loose or sequence) and not replay:
        raise InputError(f"--{'loose' if loose else 'sequence'} says how to --replay FILE, and none is given")
    if loose and sequence:
        raise InputError("--loose and --sequence exclude each other")
    if path is None:
        yield None
        return
    mode: Mode = "record" if record else "loose" if loose else "sequence" if sequence else "strict"
    hidden = secrets(environment(Path.cwd()))
    new = mode == "record" and not more
    with Recording(path, secrets=hidden, must_exist=mode in ("strict", "sequence"), new=new) as recording:
        if recording.cut_off:
            tell(f"warning: {visible(str(path))} ends in the middle of a line: what stood there is missing")
        yield Recorder(recording, mode)
        if mode == "record" and not recording.added:
            tell(f"warning: nothing was recorded into {visible(str(path))}: no model was asked anything")


def over(tape: Recorder) -> str:
    """The options that ask for this tape again."""
    path = shlex.quote(visible(str(tape.recording.path)))
    if tape.mode == "record":
        return f"--record {path}"
    return f"--replay {path}" + ("" if tape.mode == "strict" else f" --{tape.mode}")
