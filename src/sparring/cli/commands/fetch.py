"""`sparring fetch BATCH`: a finished batch in files for other programs."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.app.config import AppConfig
from sparring.app.export import CONVERSATIONS, require_replaceable
from sparring.app.report import result_content
from sparring.app.results import batch_status, results
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer, notify, unreadable, warn_of_people
from sparring.cli.outputs import write_content
from sparring.cli.process import PASSED
from sparring.cli.remote import ApiUrl, Remote, TokenFile
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError, SparringError
from sparring.core.text import suggest
from sparring.reports.formats import find, formats
from sparring.reports.json_report import line
from sparring.reports.otlp import otlp_line
from sparring.reports.service_results import Status

_CONVERSATIONS = "conversations"
_LOGS = ("inspect", "inspect-json")
_OTLP = "otlp"


def _formats() -> list[str]:
    return [*(each.name for each in formats() if each.results), _CONVERSATIONS, _OTLP, *_LOGS]


def _known(name: str) -> str:
    if name not in _formats():
        raise InputError(f"unknown format {name!r}", hint=suggest(name, _formats()))
    return name


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """What to export, and in which format."""

    format: Annotated[str, typer.Option("--format", metavar="NAME", callback=_known)] = "json"
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE")] = None
    partial: Annotated[bool, typer.Option("--partial")] = False
    content: Annotated[bool, typer.Option("--content/--no-content")] = True
    transcripts: Annotated[bool, typer.Option("--transcripts")] = False
    force: options.Force = False

    def require_replaceable(self, logs: bool) -> None:
        """Raise InputError if the output cannot be written, or must not be replaced."""
        if self.output is None:
            return
        if self.output.exists() and self.output.is_dir() != logs:
            raise InputError(f"--output {self.output}: is {'not ' if logs else ''}a folder")
        if not logs:
            made = {_CONVERSATIONS: (CONVERSATIONS,), _OTLP: (rb'\{"resourceSpans":',)}
            openings = made[self.format] if self.format in made else find(self.format).openings
            require_replaceable(self.output, openings, force=self.force)

    def query(self) -> str:
        """Return the query of the server's results."""
        return f"format={self.format}&partial={self.partial:d}&transcripts={self.transcripts:d}"


@dataclass(frozen=True, kw_only=True)
class Server:
    """The server that has the batch, if it is not in a local database."""

    api_url: ApiUrl = None
    token_file: TokenFile = None


@options.configured("store")
async def fetch(
    *,
    which: options.Batch,
    wanted: Fetched,
    server: Server,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Export the results or complete conversations of a batch."""
    output, logs = wanted.output, wanted.format in _LOGS
    if as_json and not logs and output is None:
        raise InputError("--json names the files that are written", hint="--output FILE writes one")
    wanted.require_replaceable(logs)
    if logs:
        _only_local(server.api_url, wanted.format)
        written = await _logs(config, which, output, "json" if wanted.format == "inspect-json" else "eval")
        answer("written", {"written": [*written]}, written, as_json=as_json)
        return PASSED
    if server.api_url is not None:
        _only_local(server.api_url if wanted.format in (_CONVERSATIONS, _OTLP) else None, wanted.format)
        chunks = _remote(Remote(server.api_url, server.token_file), which, wanted.query())
    elif wanted.format == _OTLP:
        chunks = _traces(config, which, content=wanted.content)
    else:
        chunks = _local(config, which, wanted.format, wanted.partial, wanted.transcripts)
    await write_content(chunks, output)
    answer("written", {"written": [str(output)]}, as_json=as_json)
    return PASSED


def _only_local(api_url: str | None, format: str) -> None:
    if api_url is not None:
        raise InputError(
            f"--format {format} is made from a store, not from a server", hint="--format json, csv or ndjson"
        )


async def _remote(server: Remote, which: str, wanted: str) -> AsyncIterator[bytes]:
    async for chunk in server.read(f"{await server.batch(which)}/results?{wanted}"):
        yield chunk


async def _local(config: AppConfig, which: str, format: str, partial: bool, transcripts: bool) -> AsyncIterator[bytes]:
    async with opened(config, which, head=True) as (batch, store):
        if transcripts or format == _CONVERSATIONS:
            warn_of_people(batch, config)
        if format == _CONVERSATIONS:
            async for conversation in store.conversations(batch.id, unreadable=unreadable):
                yield line(conversation)
            return
        now = await batch_status(store, batch)
        if now.status is not Status.COMPLETED and not partial:
            raise SparringError(
                f"batch {batch.id} is not completed ({now.status})", hint="--partial takes what there is"
            )
        content = await result_content(batch, store, find(format), now=SystemClock().now(), transcripts=transcripts)
        async for chunk in content:
            yield chunk


async def _traces(config: AppConfig, which: str, *, content: bool) -> AsyncIterator[bytes]:
    async with opened(config, which) as (batch, store):
        if content:
            warn_of_people(batch, config)
        async for each, recorded in results(batch, store, unreadable=unreadable):
            yield otlp_line(batch, recorded.reported(each), content=content)


async def _logs(config: AppConfig, which: str, folder: Path | None, suffix: Literal["eval", "json"]) -> list[str]:
    from sparring.integrations.inspect_ai.export import export  # who fetches nothing of the kind needs none of it

    async with opened(config, which) as (batch, store):
        warn_of_people(batch, config)
        complete = len(await store.stored(batch.id)) == batch.planned
        found = (verdicts.reported(each) async for each, verdicts in results(batch, store, unreadable=unreadable))
        written = await export(batch, found, folder or Path("logs", batch.id), suffix=suffix, complete=complete)
    notify(f"View them: inspect view --log-dir {written[0].parent}")
    return [*map(str, written)]
