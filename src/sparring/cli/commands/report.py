"""`sparring report`: a batch in files that people and build servers read."""

import os
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.report import written_report
from sparring.cli import options, outputs
from sparring.cli.arguments import opened
from sparring.cli.console import say, say_all, unreadable, warn_of_people
from sparring.cli.process import PASSED
from sparring.cli.renamed import command_with, old_output, path_like
from sparring.core.clock import SystemClock
from sparring.reports.formats import Report, find
from sparring.reports.sentence import sentence

app = options.application()
_OLD = (
    old_output("--html", "html"),
    old_output("--md", "markdown"),
    old_output("--markdown", "markdown"),
    old_output("--junit", "junit"),
    old_output("--json", "json", fits=path_like),
)


@app.command(cls=command_with(*_OLD))
@options.configured("store")
async def report(
    which: options.Batch = "latest",
    output: outputs.Outputs = None,
    format: outputs.Formats = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    github: options.Github = False,
    force: options.Force = False,
    old: outputs.OldOutputs = None,
    *,
    config: AppConfig,
) -> int:
    """Write a batch into files for people and build servers; without files, print its result in a sentence."""
    wanted = outputs.wanted_outputs(output, format, old, lambda each: each.of_batches, force=force)
    if as_json:
        wanted.append(outputs.OutputFile(find("json"), None))
    made = await _write(config, which, wanted)
    if github:
        say_all(outputs.job_annotations(made, os.environ.get("GITHUB_STEP_SUMMARY")))
    elif all(each.path for each in wanted):
        say(sentence(made.summary))
    return PASSED


async def _write(config: AppConfig, which: str, wanted: list[outputs.OutputFile]) -> Report:
    formats = [each.format for each in wanted]
    async with opened(config, which) as (batch, store):
        made, contents = await written_report(
            batch, store, formats, now=SystemClock().now(), gate=config.gate, unreadable=unreadable
        )
        if any(each.transcripts for each in formats):
            warn_of_people(batch, config)
        for each, content in zip(wanted, contents, strict=True):
            await outputs.write_content(content, each.path)
    return made
