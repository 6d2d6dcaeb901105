"""`sparring report`: a batch in files for people and build servers."""

import os
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.report import written_report
from sparring.cli import options, outputs
from sparring.cli.arguments import opened, warn_of_missing_figures
from sparring.cli.console import answer, say, say_all, unreadable, warn, warn_of_people
from sparring.cli.process import PASSED
from sparring.cli.renamed import command_with, old_output, path_like
from sparring.core.checks import Unit
from sparring.core.clock import SystemClock
from sparring.core.text import visible
from sparring.reports.formats import Report
from sparring.reports.json_report import batch_json
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
    as_json: Annotated[bool, typer.Option("--json")] = False,
    all_: Annotated[bool, typer.Option("--all")] = False,
    github: options.Github = False,
    comment: Annotated[str | None, typer.Option("--comment", metavar="URL")] = None,
    unit: Annotated[Unit, typer.Option("--unit")] = "case",
    force: options.Force = False,
    old: outputs.OldOutputs = None,
    *,
    config: AppConfig,
) -> int:
    """Write a batch to files for people and build servers; without files, print its result in a sentence."""
    wanted = outputs.wanted_outputs(output, format, old, lambda each: each.of_batches, force=force)
    made = await _write(config, which, wanted, unit, whole=all_)
    if comment is not None:
        await _comment(config, made, comment)
    if as_json:
        answer("batch", batch_json(made.summary, made.gated), as_json=True)
    elif github:
        say_all(outputs.job_annotations(made, os.environ.get("GITHUB_STEP_SUMMARY")))
    elif all(each.path for each in wanted):
        say(visible(str(sentence(made.summary, made.gated))))
    return PASSED


async def _write(config: AppConfig, which: str, wanted: list[outputs.OutputFile], unit: Unit, *, whole: bool) -> Report:
    formats = [each.format for each in wanted]
    async with opened(config, which, head=True) as (batch, store):
        await warn_of_missing_figures(batch, store)
        made, contents = await written_report(
            batch,
            store,
            formats,
            now=SystemClock().now(),
            gate=config.gate,
            whole=whole,
            unreadable=unreadable,
            unit=unit,
        )
        if any(each.transcripts for each in formats):
            warn_of_people(batch, config)
        for each, content in zip(wanted, contents, strict=True):
            await outputs.write_content(content, each.path)
    return made


async def _comment(config: AppConfig, made: Report, link: str) -> None:
    """Post a report as a comment. A failure to post does not change the exit code."""
    from sparring.app.compare import with_baseline
    from sparring.integrations.github.pull_request import NotCommented, pull_request
    from sparring.reports.markdown import comment

    async with opened(config, made.batch.id) as (batch, store):
        text = comment(made, await with_baseline(batch, made.summary, store), link=link)
    try:
        place = pull_request(os.environ, made.summary.name or "sparring")
        say(f"commented: {visible(await place.comment(text))}")
    except NotCommented as error:
        warn(f"no comment: {error}")
        outputs.add_job_summary(text, os.environ.get("GITHUB_STEP_SUMMARY"))
