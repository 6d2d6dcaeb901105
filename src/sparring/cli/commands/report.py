"""`sparring report`: a batch in files that people and build servers read."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sparring.app.report import report as make_report
from sparring.cli import options, replacing
from sparring.cli.arguments import batch_called
from sparring.cli.console import say, unreadable, warn_of_people
from sparring.cli.process import PASSED, run_in_loop
from sparring.cli.reports import tell_github, write_files
from sparring.core.checks import Gate
from sparring.reports.formats import Listener, Report
from sparring.reports.json_report import printed
from sparring.reports.junit import Junit
from sparring.reports.markdown import batch_markdown
from sparring.reports.sentence import sentence
from sparring.settings import load_config
from sparring.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from sparring.reports.html.report import Page

app = options.application()


@app.command()
def report(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="A batch: its id, its name, or latest.")] = "latest",
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            help="Write one HTML file that needs nothing else into this file.",
            callback=replacing.over(replacing.HTML),
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option("--md", help="Write Markdown into this file.", callback=replacing.over(replacing.MARKDOWN)),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            "--json", help="Write the summary as JSON into this file.", callback=replacing.over(replacing.SUMMARY)
        ),
    ] = None,
    junit: options.Junit = None,
    github: options.Github = False,
    store: options.Store = None,
) -> int:
    """Write a batch into files that people and build servers read; without any, say it in a sentence."""
    config = load_config({"store": store}, directory=Path.cwd())
    files: dict[Path, Callable[[Report], str]] = {}
    listeners: list[Listener] = []
    if markdown is not None:
        files[markdown] = batch_markdown
    if json is not None:
        files[json] = _json
    if junit is not None:
        suites = Junit()
        listeners.append(suites)
        files[junit] = suites.text
    if html is not None:
        page = _page()
        listeners.append(page)
        files[html] = page.text
    made = run_in_loop(_made(config.store, which, config.gate, listeners))
    if html is not None:
        warn_of_people(made.batch, config)
    write_files({path: text(made) for path, text in files.items()})
    if github:
        for line in tell_github(made, os.environ.get("GITHUB_STEP_SUMMARY")):
            say(line)
    else:
        say(sentence(made.summary))
    return PASSED


async def _made(path: Path, which: str, gate: Gate | None, listeners: Sequence[Listener]) -> Report:
    async with SqliteStore(path, must_exist=True) as store:
        batch = await batch_called(which, store)
        return await make_report(batch, store, gate=gate, unreadable=unreadable, listeners=listeners)


def _page() -> "Page":
    from sparring.reports.html.report import Page  # who wants no page does not wait for what makes it

    return Page()


def _json(made: Report) -> str:
    return printed(made.summary.model_dump(mode="json")) + "\n"
