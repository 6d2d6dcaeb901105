"""`sparring report`: a batch in files that people and build servers read."""

import os
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.report import written_report
from sparring.app.stores import open_store
from sparring.cli import options, outputs
from sparring.cli.arguments import batch_called
from sparring.cli.console import say, unreadable, warn_of_people
from sparring.cli.process import PASSED, run_in_loop
from sparring.cli.renamed import command_with, old_output, path_like
from sparring.core.clock import SystemClock
from sparring.reports.formats import Report, find
from sparring.reports.sentence import sentence
from sparring.settings import load_config

app = options.application()
_OLD = (
    old_output("--html", "html"),
    old_output("--md", "markdown"),
    old_output("--markdown", "markdown"),
    old_output("--junit", "junit"),
    old_output("--json", "json", fits=path_like),
)


@app.command(cls=command_with(*_OLD))
def report(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="Batch: its id, its name, or latest.")] = "latest",
    output: outputs.Outputs = None,
    format: outputs.Formats = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    github: options.Github = False,
    force: options.Force = False,
    store: options.Store = None,
    old: outputs.OldOutputs = None,
) -> int:
    """Write a batch into files for people and build servers; without files, print its result in a sentence."""
    config = load_config({"store": store}, directory=Path.cwd())
    wanted = outputs.wanted_outputs(output, format, old, lambda each: each.of_batches, force=force)
    if as_json:
        wanted.append(outputs.OutputFile(find("json"), None))
    made = run_in_loop(_write(config, which, wanted))
    if github:
        for line in outputs.job_annotations(made, os.environ.get("GITHUB_STEP_SUMMARY")):
            say(line)
    elif all(each.path for each in wanted):
        say(sentence(made.summary))
    return PASSED


async def _write(config: AppConfig, which: str, wanted: list[outputs.OutputFile]) -> Report:
    formats = [each.format for each in wanted]
    async with open_store(config, must_exist=True) as store:
        batch = await batch_called(which, store)
        made, contents = await written_report(
            batch, store, formats, now=SystemClock().now(), gate=config.gate, unreadable=unreadable
        )
        if any(each.transcripts for each in formats):
            warn_of_people(batch, config)
        for each, content in zip(wanted, contents, strict=True):
            await outputs.write_content(content, each.path)
    return made
