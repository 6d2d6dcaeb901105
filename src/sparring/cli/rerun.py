"""`sparring rerun BATCH`: the same cases again, with the same seeds, as a batch of their own."""

import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.batches import Terms, again
from sparring.cli.console import terminal
from sparring.cli.loop import run_in_loop
from sparring.cli.progress import watch
from sparring.cli.run import report
from sparring.core.errors import InputError
from sparring.settings import load as load_settings

rerun_app = options.application()


@rerun_app.command()
def rerun(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="A batch: its id, its name, or latest.")],
    failed: Annotated[bool, typer.Option("--failed", help="Play again every conversation that did not pass.")] = False,
    case: Annotated[
        list[str] | None, typer.Option("--case", metavar="ID", help="Play this case or conversation; may be repeated.")
    ] = None,
    concurrency: options.Concurrency = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> int:
    """Play conversations of a batch again, with the same seeds and players, as a batch of their own."""
    if failed is bool(case):
        raise InputError("say which conversations to play again", hint="--failed, or --case ID")
    settings = load_settings({"concurrency": concurrency, "store": store}, directory=Path.cwd())
    terms = Terms(settings)
    playing = partial(again, which, tuple(case or ()), terms)
    with redirect_stdout(sys.stderr), watch(stream=False, bar=terminal()) as listener:
        played = run_in_loop(playing(listener))
    return report(played, terms, as_json=as_json)
