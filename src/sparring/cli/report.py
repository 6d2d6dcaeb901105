"""`sparring report`: a batch in files that people and build servers read."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.console import say, unreadable
from sparring.cli.exits import PASSED
from sparring.cli.loop import run_in_loop
from sparring.cli.reports import tell_github, write_files
from sparring.core.gate import Gate
from sparring.reporting.batch_junit import batch_junit
from sparring.reporting.batch_markdown import batch_markdown
from sparring.reporting.documents import printed
from sparring.reporting.report import Report
from sparring.reporting.sentence import sentence
from sparring.runner.reporting import report as make_report
from sparring.settings import load as load_settings
from sparring.store.sqlite import SqliteStore

app = options.application()


@app.command()
def report(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="A batch: its id, its name, or latest.")] = "latest",
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one HTML file that needs nothing else into this file.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option("--md", help="Write Markdown into this file.")] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the summary as JSON into this file.")] = None,
    junit: options.Junit = None,
    github: options.Github = False,
    store: options.Store = None,
) -> int:
    """Write a batch into files that people and build servers read; without any, say it in a sentence."""
    settings = load_settings({"store": store}, directory=Path.cwd())
    made = run_in_loop(_made(settings.store, which, settings.gate))
    files: dict[Path | None, Callable[[Report], str]] = {markdown: batch_markdown, json: _json, junit: batch_junit}
    write_files({path: render(made) for path, render in files.items() if path is not None})
    if html is not None:
        write_files({html: _html(made)})
    if github:
        for line in tell_github(made, os.environ.get("GITHUB_STEP_SUMMARY")):
            say(line)
    else:
        say(sentence(made.summary))
    return PASSED


async def _made(path: Path, which: str, gate: Gate | None) -> Report:
    async with SqliteStore(path, must_exist=True) as store:
        return await make_report(await store.batch(which), store, gate=gate, unreadable=unreadable)


def _html(made: Report) -> str:
    from sparring.reporting.pages.batch_html import batch_html

    return batch_html(made)


def _json(made: Report) -> str:
    return printed(made.summary.model_dump(mode="json")) + "\n"
