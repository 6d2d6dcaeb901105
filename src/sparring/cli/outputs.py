"""Files in report formats: `--output FILE` and `--format NAME` of `report` and `check`."""

import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.export import atomic_file, require_replaceable, write_atomically
from sparring.cli.console import notify, say
from sparring.core.errors import InputError
from sparring.core.verdict import Findings
from sparring.reports.formats import Report, ReportFormat, for_file, named

Outputs = Annotated[list[Path] | None, typer.Option("--output", metavar="FILE")]
Formats = Annotated[list[str] | None, typer.Option("--format", metavar="NAME")]
OldOutputs = Annotated[list[str] | None, typer.Option("--output-as", hidden=True)]
"""`NAME=FILE` for each old option that wrote a file in one format; see `renamed`."""


@dataclass(frozen=True)
class OutputFile:
    """A format and its file; None prints it."""

    format: ReportFormat
    path: Path | None

    def text(self, findings: Findings) -> str:
        """Return findings in the format."""
        assert self.format.findings is not None
        return self.format.findings(findings)


def wanted_outputs(
    files: Sequence[Path] | None,
    formats: Sequence[str] | None,
    old: Sequence[str] | None,
    fitting: Callable[[ReportFormat], bool],
    *,
    force: bool,
) -> list[OutputFile]:
    """Pair files with formats.

    Raise InputError for an unknown format and for a file that must not be replaced.
    """
    former = (each.partition("=") for each in old or ())
    outputs = [OutputFile(named(name, fitting), Path(path)) for name, _, path in former]
    if formats and files and len(formats) != len(files):
        raise InputError(
            f"expected one --format for each --output, got {len(formats)} for {len(files)}",
            hint="leave out --format to choose by the suffix of each file",
        )
    if formats and files:
        outputs += [OutputFile(named(name, fitting), path) for name, path in zip(formats, files, strict=True)]
    elif formats:
        if len(formats) > 1:
            raise InputError("expected one --format without --output, since it is printed", hint="--output FILE")
        outputs += [OutputFile(named(name, fitting), None) for name in formats]
    else:
        outputs += [OutputFile(for_file(path, fitting), path) for path in files or ()]
    for each in outputs:
        if each.path is not None:
            require_replaceable(each.path, each.format.openings, force=force)
    return outputs


async def write_content(content: AsyncIterator[bytes], path: Path | None) -> None:
    """Write content to a file, or print it; create no file before there is content."""
    first = await anext(content, b"")
    try:
        with nullcontext(sys.stdout.buffer) if path is None else atomic_file(path) as file:
            file.write(first)
            async for chunk in content:
                file.write(chunk)
            file.flush()
    except BrokenPipeError:
        return  # the reader of the output stopped reading
    except OSError as error:
        raise InputError(f"stdout: cannot be written: {error.strerror}") from error
    if path is not None:
        notify(f"written: {path}")


def write_text(text: str, path: Path | None) -> None:
    """Write a text into a file, or print it."""
    if path is None:
        say(text.removesuffix("\n"))
    else:
        write_atomically(path, [text.encode()])
        notify(f"written: {path}")


def job_annotations(made: Report, summary: str | None) -> list[str]:
    """Add a report to the summary of a GitHub job, if there is a file for it, and return the annotations."""
    from sparring.reports.markdown import annotations, batch_markdown  # imported only for GitHub

    add_job_summary(batch_markdown(made), summary)
    return list(annotations(made))


def add_job_summary(markdown: str, summary: str | None) -> None:
    """Add Markdown to the summary of a GitHub job, if there is a file for it."""
    from sparring.reports.markdown import cut

    if summary:
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(cut(markdown))
        except OSError as error:
            notify(f"warning: the summary of the job cannot be written: {error.strerror}")
