"""A batch in a file, in the format that its suffix names."""

from collections.abc import Callable
from pathlib import Path

from sparring.api.stores import StorePlace
from sparring.app.report import report as make_report
from sparring.core.checks import Gate
from sparring.core.errors import InputError
from sparring.core.text import suggest
from sparring.reports.formats import Listener, Report
from sparring.reports.html.report import Page
from sparring.reports.json_report import printed
from sparring.reports.junit import Junit
from sparring.reports.markdown import batch_markdown

_SUFFIXES = {".html": "html", ".md": "markdown", ".json": "json", ".xml": "junit"}


async def written(
    place: StorePlace, batch: str, path: Path, *, format: str | None = None, gate: Gate | None = None
) -> Path:
    """Write a report of a batch into `path`, with its folder, and return the path."""
    name = format or _SUFFIXES.get(path.suffix.lower(), path.suffix)
    if name not in _SUFFIXES.values():
        raise InputError(f"unknown report format {name!r}", hint=suggest(name, _SUFFIXES.values()))
    text, listeners = _writer(name)
    async with place.open() as store:
        made = await make_report(await store.batch(batch), store, gate=gate, listeners=listeners)
    return _write(path, text(made))


def _write(path: Path, text: str) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"the report cannot be written: {path}: {error.strerror}") from error
    return path


def _writer(name: str) -> tuple[Callable[[Report], str], list[Listener]]:
    if name == "html":
        page = Page()
        return page.text, [page]
    if name == "junit":
        suites = Junit()
        return suites.text, [suites]
    return (batch_markdown if name == "markdown" else _json), []


def _json(made: Report) -> str:
    return printed(made.summary.model_dump(mode="json")) + "\n"
