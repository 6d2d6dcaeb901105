"""`sparring summarize FILE`: summarize a file of results."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.app.export import require_replaceable, write_atomically
from sparring.cli import options
from sparring.cli.console import answer, notify
from sparring.cli.outputs import write_text
from sparring.cli.process import PASSED
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.reports.csv_report import row
from sparring.reports.json_report import printed
from sparring.reports.lines import counted
from sparring.reports.result_files import Row, rows
from sparring.reports.service_summary import (
    PICTURE_OPENINGS,
    SUMMARY_OPENINGS,
    Counting,
    histogram,
    needed,
    summary_table,
)

Format = Literal["csv", "json"]
_COLUMNS = ("session_id", "scenario", "score", "total_turns", "duration_seconds", "status")


@dataclass(frozen=True, kw_only=True)
class SummaryFiles:
    """Files to write, and what to print."""

    format: Annotated[Format | None, typer.Option("--format")] = None
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE")] = None
    picture: Annotated[Path | None, typer.Option("--histogram", metavar="FILE.png")] = None
    quiet: Annotated[bool, typer.Option("--quiet")] = False
    force: options.Force = False

    def require_replaceable(self) -> None:
        """Raise InputError for a file that must not be replaced, or a picture that cannot be drawn."""
        if self.output is not None:
            require_replaceable(self.output, SUMMARY_OPENINGS, force=self.force)
        if self.picture is not None:
            require_replaceable(self.picture, PICTURE_OPENINGS, force=self.force)
            needed(self.picture)


@options.configured()
def summarize(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    as_json: options.Json = False,
    files: SummaryFiles,
) -> int:
    """Summarize a result file: counts, scores, turns and durations."""
    if as_json and (files.format or files.output):
        raise InputError("--json prints the summary", hint="--output FILE.json writes it into a file")
    format = files.format or _by_name(files.output)
    files.require_replaceable()
    counting, kept, ids, unchecked = Counting(), [], set(), 0
    for each in rows(file):
        counting.add(each)
        unchecked += not each.checked
        ids.add(each.batch_id)
        if format == "csv":
            kept.append(each)
    if unchecked:
        notify(f"{file}: {counted(unchecked, 'conversation')} without verdicts: fetch --format ndjson writes them")
    summary = counting.summary(_batch(ids), counting.ended, SystemClock().now())
    if format is not None:
        write_text(_csv(kept) if format == "csv" else printed(summary.model_dump(mode="json")) + "\n", files.output)
    if picture := files.picture:
        write_atomically(picture, [histogram(summary, counting.scores, picture.suffix[1:].lower())])
        notify(f"written: {picture}")
    if as_json or (not files.quiet and (format is None or files.output is not None)):
        answer("summary", summary.model_dump(mode="json"), summary_table(summary), as_json=as_json)
    return PASSED


def _by_name(output: Path | None) -> Format | None:
    """Return what to write for output files that only have a name."""
    known: dict[str, Format] = {".csv": "csv", ".json": "json"}
    if output is None or output.suffix in known:
        return known[output.suffix] if output else None
    raise InputError(f"--output {output}: as what?", hint="--format csv or --format json")


def _batch(ids: set[str]) -> str:
    """Return the batch of all rows, or the service's name for a summary of a file."""
    return next(iter(ids)) or "summary" if len(ids) == 1 else "summary"


def _csv(kept: list[Row]) -> str:
    cells = (
        [each.session_id, each.scenario, each.score, each.total_turns, each.duration_seconds, each.status]
        for each in kept
    )
    return b"".join([row(list(_COLUMNS)), *map(row, cells)]).decode()
