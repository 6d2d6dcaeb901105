"""`sparring completion SHELL`: completion of commands, options and their values."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.cli import options
from sparring.cli.console import answer
from sparring.cli.process import PASSED


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL")],
    as_json: options.Json = False,
) -> int:
    """Print the completion script of a shell.

    The script says where to save it. It completes commands, options, values, batches, conversations and chatbots.
    """
    script = (Path(__file__).parents[1] / "shells" / f"{shell}.sh").read_text(encoding="utf-8").rstrip()
    answer("completion", {"shell": shell, "script": script}, [script], as_json=as_json)
    return PASSED
