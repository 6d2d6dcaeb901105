"""Reports in files, and for GitHub: what `run` and `report` have in common."""

from pathlib import Path
from typing import TYPE_CHECKING

from sparring.cli.console import tell
from sparring.cli.replacing import whole

if TYPE_CHECKING:
    from sparring.reports.formats import Report


def write_files(files: dict[Path, str]) -> None:
    """Write each text into its file, making its folder."""
    for path, text in files.items():
        with whole(path) as file:
            file.write(text.encode())
        tell(f"written: {path}")


def tell_github(made: "Report", summary: str | None) -> list[str]:
    """Add to the summary of the job, if there is a file for it; the annotations."""
    from sparring.reports.markdown import (
        annotations,
        batch_markdown,  # only who wants annotations waits for these
        cut,
    )

    if summary:
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(cut(batch_markdown(made)))
        except OSError as error:
            tell(f"warning: the summary of the job cannot be written: {error.strerror}")
    return list(annotations(made))
